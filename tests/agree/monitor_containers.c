/*
 * The monitors of queue, stack and priority queues against search.
 */
#include "monitor_logs.h"

enum { ROUNDS = 100000 };

struct names {
  const char *add, *remove, *peek;
};

/* Which value an operation saw: mostly one that was added before and, of a
 * removal, was not removed yet. */
static datum seen(struct rng *r, uint32_t added, uint32_t nvalues,
                  uint32_t *removed, bool removes) {
  if (!added || rng_below(r, 40) == 0)
    return datum_number(1 + (int64_t)rng_below(r, nvalues));
  uint32_t v = (uint32_t)rng_below(r, added);
  for (uint32_t k = 0; k < added && *removed >> v & 1; k++)
    v = (v + 1) % added;
  *removed |= (uint32_t)removes << v;
  return datum_number(1 + v);
}

static void fill(struct log *l, struct rng *r, const struct names *names,
                 bool priorities) {
  uint32_t n = l->ops.len, nvalues = (n + 1 + (uint32_t)rng_below(r, 3)) / 3;
  uint32_t added = 0, removed = 0, early = 1 + (uint32_t)rng_below(r, 3),
           peeks = (uint32_t)rng_below(r, 3),
           empties = (uint32_t)rng_below(r, 3);
  for (uint32_t i = 0; i < n; i++) {
    struct log_op *o = &l->ops.at[i];
    if (added < nvalues && rng_below(r, n - i) < early * (nvalues - added)) {
      o->f = monitor_name(l, names->add);
      o->arg[o->nargs++] = datum_number(++added);
      if (priorities)
        o->arg[o->nargs++] = datum_number((int64_t)rng_below(r, 4));
      continue;
    }
    bool peek = peeks && rng_below(r, 3) < peeks;
    o->f = monitor_name(l, peek ? names->peek : names->remove);
    if (monitor_pends(o))
      continue;
    bool empty = empties && rng_below(r, 16) < empties;
    o->result = empty ? DATUM_NIL : seen(r, added, nvalues, &removed, !peek);
  }
}

static void fill_queue(struct log *l, struct rng *r) {
  fill(l, r, &(struct names){"enq", "deq", "peek"}, false);
}

static void fill_stack(struct log *l, struct rng *r) {
  fill(l, r, &(struct names){"push", "pop", "peek"}, false);
}

static void fill_pqueue(struct log *l, struct rng *r) {
  fill(l, r, &(struct names){"insert", "delete_min", "find_min"},
       rng_below(r, 2));
}

static void fill_max_pqueue(struct log *l, struct rng *r) {
  fill(l, r, &(struct names){"insert", "delete_max", "find_max"},
       rng_below(r, 2));
}

TEST(queue) { monitor_rounds("queue", "queue", fill_queue, ROUNDS); }
TEST(stack) { monitor_rounds("stack", "stack", fill_stack, ROUNDS); }
TEST(pqueue) { monitor_rounds("pqueue", "pqueue", fill_pqueue, ROUNDS); }
TEST(max_pqueue) {
  monitor_rounds("max-pqueue", NULL, fill_max_pqueue, ROUNDS);
}

TEST_MAIN
