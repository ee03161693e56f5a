/*
 * Violations that are planted into random logs (tests/random_log.h) near their
 * end, so that a checker has to go far before it finds them.
 */
#ifndef BENCH_PLANT_H
#define BENCH_PLANT_H

#include "../tests/random_log.h"

static inline uint16_t plant_write_of(const struct log *l) {
  for (uint32_t i = 0; i < l->functions.len; i++)
    if (!strcmp(l->functions.at[i], "write"))
      return (uint16_t)i;
  return 0;
}

/* Half of the values are written no more in the last tenth; then one of them is
 * read. */
static inline void plant_stale(struct log *l) {
  uint16_t f = plant_write_of(l);
  uint32_t n = l->ops.len, from = n - n / 10 - 1, read = n;
  for (uint32_t i = from; i < n; i++)
    if (l->ops.at[i].f != f && i < n - n / 50 - 1)
      read = i;
  for (uint32_t i = from; i < n; i++) {
    struct log_op *o = &l->ops.at[i];
    datum *v = o->f == f ? &o->arg[0] : &o->result;
    if (*v == datum_number(1))
      *v = datum_number(2);
  }
  if (read < n)
    l->ops.at[read].result = datum_number(1);
}

/* Failed compare-and-sets say nothing that a monitor could use, and a map's
 * delete writes the same value again: both are made reads. */
static inline void log_simplify(struct log *l) {
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    const char *name = l->functions.at[o->f];
    bool fails = !strcmp(name, "cas") && o->result != DATUM_TRUE;
    if (!fails && strcmp(name, "delete"))
      continue;
    o->f = log_function(l, "read", 4);
    o->nargs = !strcmp(l->type, "map");
    o->result = DATUM_NONE;
  }
}

static inline bool plant_sees(const struct log *l, const struct log_op *o) {
  const char *name = l->functions.at[o->f];
  return o->result != DATUM_NONE && o->result != DATUM_NIL &&
         strcmp(name, "cas") && strcmp(name, "add") && strcmp(name, "peek") &&
         strcmp(name, "find_min");
}

/* Whether the value was added, or written, before that time. */
static inline bool plant_was_there(const struct log *l, uint32_t op, datum d,
                                   uint32_t time) {
  for (uint32_t back = 0; back < 5000 && op; back++) {
    const struct log_op *o = &l->ops.at[--op];
    if (o->nargs && o->arg[o->nargs - 1] == d && o->ret < time)
      return true;
  }
  return false;
}

/* Two operations whose results can be exchanged so that it is wrong, but not at
 * first sight: the later value had been added before the earlier one too.  A
 * register returns what had been overwritten. */
static inline bool plant_exchange(const struct log *l, struct log_op *a,
                                  struct log_op *b, bool stale) {
  if (a->f != b->f || !plant_sees(l, a) || !plant_sees(l, b) ||
      a->ret > b->call || a->result == b->result || a->nargs != b->nargs ||
      (a->nargs && a->arg[0] != b->arg[0]))
    return false;
  if (!stale &&
      !plant_was_there(l, (uint32_t)(a - l->ops.at), b->result, a->call))
    return false;
  datum r = a->result;
  if (!stale)
    a->result = b->result;
  b->result = r;
  return true;
}

/* A few wrong results near the end; those of a set are turned around. */
static inline void plant_few(struct log *l) {
  bool set = strstr(l->type, "set") != NULL;
  bool stale = strstr(l->type, "register") || !strcmp(l->type, "map");
  uint32_t left = set ? 20 : 5;
  for (uint32_t to = l->ops.len / 10 * 9; left && to < l->ops.len; to++) {
    struct log_op *b = &l->ops.at[to];
    if (set && plant_sees(l, b)) {
      b->result = b->result == DATUM_TRUE ? DATUM_FALSE : DATUM_TRUE;
      left--;
    }
    for (uint32_t back = 500; !set && back; back--)
      if (plant_exchange(l, b - back, b, stale)) {
        left--;
        break;
      }
  }
}

/* A read of a list, without what was read first. */
static inline bool plant_shorter(struct log_op *o) {
  if (datum_kind(o->result) != DATUM_IS_LIST || !datum_box(o->result)->len)
    return false;
  const struct datum_box *b = datum_box(o->result);
  o->result = datum_list(b->items + 1, b->len - 1);
  return true;
}

/* A result that cannot be: a number or a text that nobody wrote. */
static inline void plant_wrong(struct log *l) {
  for (uint32_t i = l->ops.len / 20 * 19; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    if (plant_shorter(o))
      return;
    if (!datum_is_number(o->result) && datum_kind(o->result) != DATUM_IS_TEXT)
      continue;
    o->result = datum_kind(o->result) == DATUM_IS_TEXT
                    ? datum_text("?;", 2)
                    : datum_number(-1000000000);
    return;
  }
}

#endif
