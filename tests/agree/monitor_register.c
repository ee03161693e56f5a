/*
 * The monitors of registers and of lists that are appended to, against search.
 */
#include "monitor_logs.h"

enum { ROUNDS = 100000 };

static datum value(uint64_t v) {
  return v ? datum_number((int64_t)v) : DATUM_NIL;
}

/* One of those that were written so far, the latest ones most of the time. */
static datum recent(struct rng *r, uint32_t written) {
  if (rng_below(r, 20) == 0)
    return value(rng_below(r, written + 3));
  uint64_t back = rng_below(r, 3);
  return value(back > written ? 0 : written - back);
}

static void fill_register(struct log *l, struct rng *r) {
  uint32_t written = 0, reads = 2 + (uint32_t)rng_below(r, 5);
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    if (rng_below(r, 8) < reads) {
      o->f = monitor_name(l, "read");
      if (!monitor_pends(o) && rng_below(r, 20))
        o->result = recent(r, written);
    } else {
      o->f = monitor_name(l, "write");
      o->arg[o->nargs++] = value(++written);
    }
  }
}

/* Some compare-and-sets fail, of a value that never was. */
static void fill_cas(struct log *l, struct rng *r) {
  uint32_t written = 0, cas = (uint32_t)rng_below(r, 6);
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    if (rng_below(r, 8) < cas) {
      o->f = monitor_name(l, "cas");
      bool fails = rng_below(r, 12) == 0;
      o->arg[o->nargs++] = fails ? value(99) : recent(r, written);
      o->arg[o->nargs++] = value(++written);
      if (!monitor_pends(o))
        o->result = datum_bool(!fails);
    } else if (rng_below(r, 3) == 0) {
      o->f = monitor_name(l, "write");
      o->arg[o->nargs++] = value(++written);
    } else {
      o->f = monitor_name(l, "read");
      if (!monitor_pends(o))
        o->result = recent(r, written);
    }
  }
}

/* Reads are beginnings of one order of the items, most of the time. */
static void fill_list(struct log *l, struct rng *r) {
  datum order[8];
  uint32_t n = 2 + (uint32_t)rng_below(r, 4), appended = 0;
  for (uint32_t i = 0; i < n; i++)
    order[i] = value(i + 1);
  for (uint32_t i = 0; i + 1 < n; i++)
    if (rng_below(r, 5) == 0) {
      datum d = order[i];
      order[i] = order[i + 1];
      order[i + 1] = d;
    }
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    o->arg[o->nargs++] = DATUM_FALSE; /* the key */
    if (appended < n && rng_below(r, 2)) {
      o->f = monitor_name(l, "append");
      o->arg[o->nargs++] = value(++appended);
      continue;
    }
    o->f = monitor_name(l, "read");
    if (monitor_pends(o))
      continue;
    if (rng_below(r, 30) == 0)
      order[rng_below(r, n)] = value(1 + rng_below(r, n));
    uint32_t less = (uint32_t)rng_below(r, 3);
    o->result = datum_list(order, less > appended ? 0 : appended - less);
  }
}

TEST(registers) {
  monitor_rounds("register", "register", fill_register, ROUNDS);
}
TEST(cas_registers) {
  monitor_rounds("cas-register", "cas-register", fill_cas, ROUNDS);
}
TEST(lists) { monitor_rounds("list-append", NULL, fill_list, ROUNDS); }

TEST_MAIN
