/* Set: its elements in increasing order. */
#include "spec/builtin.h"

#include <inttypes.h>

static bool has(const struct words *w, uint32_t i, int64_t key) {
  return i < w->len && w->at[i] == key;
}

static enum spec_answer add(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b;
  uint32_t i = words_find(w, 1, args[0]);
  if (has(w, i, args[0]))
    return give(op, false, result);
  words_insert(w, i, 1);
  w->at[i] = args[0];
  return give(op, true, result);
}

static enum spec_answer take(const struct builtin *b, const struct bound *op,
                             struct words *w, const int64_t *args,
                             struct value *result) {
  (void)b;
  uint32_t i = words_find(w, 1, args[0]);
  if (!has(w, i, args[0]))
    return give(op, false, result);
  words_delete(w, i, 1);
  return give(op, true, result);
}

static enum spec_answer contains(const struct builtin *b,
                                 const struct bound *op, struct words *w,
                                 const int64_t *args, struct value *result) {
  (void)b;
  return give(op, has(w, words_find(w, 1, args[0]), args[0]), result);
}

static void print(const int64_t *at, uint32_t len, struct buf *out) {
  buf_putc(out, '{');
  for (uint32_t i = 0; i < len; i++)
    buf_printf(out, "%s%" PRId64, i ? ", " : "", at[i]);
  buf_putc(out, '}');
}

static const struct role roles[] = {
    {.names = "add insert put",
     .nargs = 1,
     .writes = true,
     .gives = GIVES_FLAG,
     .apply = add},
    {.names = "remove delete erase",
     .nargs = 1,
     .writes = true,
     .gives = GIVES_FLAG,
     .apply = take},
    {.names = "contains find lookup member has",
     .nargs = 1,
     .gives = GIVES_FLAG,
     .apply = contains},
    {.names = "size length count",
     .variant = 1,
     .gives = GIVES_NUMBER,
     .apply = role_size},
    {.names = "is_empty", .gives = GIVES_FLAG, .apply = role_is_empty},
    {.names = "clear",
     .writes = true,
     .gives = GIVES_STATUS,
     .apply = role_clear},
    {.names = NULL},
};

const struct builtin_type builtin_set = {roles, false, print};
