/* Counter: a number that wraps like the type that the operations return. */
#include "spec/builtin.h"

#include <inttypes.h>

/* The variant of a role: by how much, and which number it returns. */
enum { UP = 1, DOWN = 2, BY_ARG = 4, OLD = 8, NEW = 16 };

static enum spec_answer change(const struct builtin *b, const struct bound *op,
                               struct words *w, const int64_t *args,
                               struct value *result) {
  (void)b;
  uint8_t variant = op->role->variant;
  uint64_t by = variant & BY_ARG ? (uint64_t)args[0] : 1;
  uint64_t old = (uint64_t)w->at[0];
  uint64_t sum = variant & DOWN ? old - by : old + by;
  w->at[0] = (int64_t)sum;
  if (variant & OLD)
    return give(op, (int64_t)old, result);
  if (variant & NEW)
    return give(op, (int64_t)sum, result);
  return give_ok(op, result);
}

static enum spec_answer get(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b, (void)args;
  return give(op, w->at[0], result);
}

static enum spec_answer reset(const struct builtin *b, const struct bound *op,
                              struct words *w, const int64_t *args,
                              struct value *result) {
  (void)args;
  w->at[0] = b->initial;
  return give_ok(op, result);
}

static void print(const int64_t *at, uint32_t len, struct buf *out) {
  (void)len;
  buf_printf(out, "%" PRId64, at[0]);
}

#define CHANGE(n, how, result)                                                 \
  {                                                                            \
    .names = n, .nargs = ((how)&BY_ARG) != 0, .variant = how, .writes = true,  \
    .gives = result, .apply = change                                           \
  }

static const struct role roles[] = {
    CHANGE("inc increment", UP, GIVES_STATUS),
    CHANGE("dec decrement", DOWN, GIVES_STATUS),
    CHANGE("add", UP | BY_ARG, GIVES_STATUS),
    CHANGE("sub", DOWN | BY_ARG, GIVES_STATUS),
    CHANGE("fetch_inc", UP | OLD, GIVES_NUMBER),
    CHANGE("fetch_dec", DOWN | OLD, GIVES_NUMBER),
    CHANGE("fetch_add", UP | BY_ARG | OLD, GIVES_NUMBER),
    CHANGE("fetch_sub", DOWN | BY_ARG | OLD, GIVES_NUMBER),
    CHANGE("inc_fetch", UP | NEW, GIVES_NUMBER),
    CHANGE("dec_fetch", DOWN | NEW, GIVES_NUMBER),
    CHANGE("add_fetch", UP | BY_ARG | NEW, GIVES_NUMBER),
    CHANGE("sub_fetch", DOWN | BY_ARG | NEW, GIVES_NUMBER),
    {.names = "get read load value", .gives = GIVES_NUMBER, .apply = get},
    {.names = "reset", .writes = true, .gives = GIVES_STATUS, .apply = reset},
    {.names = NULL},
};

const struct builtin_type builtin_counter = {roles, true, print};
