/* Map: pairs of key and value, keys in increasing order. */
#include "spec/builtin.h"

#include <inttypes.h>

static bool has(const struct words *w, uint32_t i, int64_t key) {
  return i < w->len && w->at[i] == key;
}

enum { PUT, PUT_IF_ABSENT, REPLACE, EXCHANGE };

static enum spec_answer put(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b;
  uint8_t variant = op->role->variant;
  uint32_t i = words_find(w, 2, args[0]);
  bool old = has(w, i, args[0]);
  enum spec_answer answer;
  if (variant != EXCHANGE)
    answer = give(op, variant == REPLACE ? old : !old, result);
  else if (old)
    answer = give(op, w->at[i + 1], result);
  else
    answer = give_absent(op, result);
  if (!old && variant != REPLACE) {
    words_insert(w, i, 2);
    w->at[i] = args[0];
    w->at[i + 1] = args[1];
  } else if (old && variant != PUT_IF_ABSENT) {
    w->at[i + 1] = args[1];
  }
  return answer;
}

static enum spec_answer get(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b;
  uint32_t i = words_find(w, 2, args[0]);
  if (!has(w, i, args[0]))
    return give_absent(op, result);
  return give(op, w->at[i + 1], result);
}

static enum spec_answer contains(const struct builtin *b,
                                 const struct bound *op, struct words *w,
                                 const int64_t *args, struct value *result) {
  (void)b;
  return give(op, has(w, words_find(w, 2, args[0]), args[0]), result);
}

enum { REMOVE, TAKE };

static enum spec_answer drop(const struct builtin *b, const struct bound *op,
                             struct words *w, const int64_t *args,
                             struct value *result) {
  enum spec_answer answer = op->role->variant == TAKE
                                ? get(b, op, w, args, result)
                                : contains(b, op, w, args, result);
  uint32_t i = words_find(w, 2, args[0]);
  if (has(w, i, args[0]))
    words_delete(w, i, 2);
  return answer;
}

static enum spec_answer cas(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b;
  uint32_t i = words_find(w, 2, args[0]);
  bool hit = has(w, i, args[0]) && w->at[i + 1] == args[1];
  if (hit)
    w->at[i + 1] = args[2];
  return give(op, hit, result);
}

static void print(const int64_t *at, uint32_t len, struct buf *out) {
  buf_putc(out, '{');
  for (uint32_t i = 0; i < len; i += 2)
    buf_printf(out, "%s%" PRId64 ": %" PRId64, i ? ", " : "", at[i], at[i + 1]);
  buf_putc(out, '}');
}

#define PUTS(n, what, result)                                                  \
  {                                                                            \
    .names = n, .nargs = 2, .data = 2, .variant = what, .writes = true,        \
    .gives = result, .apply = put                                              \
  }

static const struct role roles[] = {
    PUTS("put set", PUT, GIVES_FLAG),
    PUTS("put_if_absent insert add", PUT_IF_ABSENT, GIVES_FLAG),
    PUTS("replace update", REPLACE, GIVES_FLAG),
    PUTS("exchange", EXCHANGE, GIVES_DATA),
    {.names = "get find lookup", .nargs = 1, .gives = GIVES_DATA, .apply = get},
    {.names = "remove delete erase",
     .nargs = 1,
     .variant = REMOVE,
     .writes = true,
     .gives = GIVES_FLAG,
     .apply = drop},
    {.names = "take",
     .nargs = 1,
     .variant = TAKE,
     .writes = true,
     .gives = GIVES_DATA,
     .apply = drop},
    {.names = "contains has member",
     .nargs = 1,
     .gives = GIVES_FLAG,
     .apply = contains},
    {.names = "cas",
     .nargs = 3,
     .writes = true,
     .compares = true,
     .gives = GIVES_FLAG,
     .apply = cas},
    {.names = "size length count",
     .variant = 2,
     .gives = GIVES_NUMBER,
     .apply = role_size},
    {.names = "is_empty", .gives = GIVES_FLAG, .apply = role_is_empty},
    {.names = "clear",
     .writes = true,
     .gives = GIVES_STATUS,
     .apply = role_clear},
    {.names = NULL},
};

const struct builtin_type builtin_map = {roles, false, print};
