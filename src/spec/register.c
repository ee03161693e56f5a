/* Register: one value. */
#include "spec/builtin.h"

#include <inttypes.h>

static enum spec_answer get(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b, (void)args;
  return give(op, w->at[0], result);
}

static enum spec_answer put(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b;
  w->at[0] = args[0];
  return give_ok(op, result);
}

static enum spec_answer exchange(const struct builtin *b,
                                 const struct bound *op, struct words *w,
                                 const int64_t *args, struct value *result) {
  (void)b;
  int64_t old = w->at[0];
  w->at[0] = args[0];
  return give(op, old, result);
}

enum { TELL_HIT, TELL_SEEN };

static enum spec_answer cas(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b;
  int64_t old = w->at[0];
  bool hit = old == args[0];
  if (hit)
    w->at[0] = args[1];
  return give(op, op->role->variant == TELL_HIT ? hit : old, result);
}

static void print(const int64_t *at, uint32_t len, struct buf *out) {
  (void)len;
  buf_printf(out, "%" PRId64, at[0]);
}

static const struct role roles[] = {
    {.names = "read get load", .gives = GIVES_DATA, .apply = get},
    {.names = "write set store put",
     .nargs = 1,
     .data = 1,
     .writes = true,
     .gives = GIVES_STATUS,
     .apply = put},
    {.names = "exchange swap",
     .nargs = 1,
     .data = 1,
     .writes = true,
     .gives = GIVES_DATA,
     .apply = exchange},
    {.names = "cas compare_and_set",
     .nargs = 2,
     .variant = TELL_HIT,
     .writes = true,
     .compares = true,
     .gives = GIVES_FLAG,
     .apply = cas},
    {.names = "cas_fetch",
     .nargs = 2,
     .variant = TELL_SEEN,
     .writes = true,
     .compares = true,
     .gives = GIVES_DATA,
     .apply = cas},
    {.names = NULL},
};

const struct builtin_type builtin_register = {roles, true, print};
