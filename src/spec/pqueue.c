/* Priority queue: a multiset of numbers in increasing order. */
#include "spec/builtin.h"

enum { MIN, MAX };

static enum spec_answer insert(const struct builtin *b, const struct bound *op,
                               struct words *w, const int64_t *args,
                               struct value *result) {
  if (w->len >= b->capacity)
    return give_full(op, result);
  uint32_t i = words_find(w, 1, args[0]);
  words_insert(w, i, 1);
  w->at[i] = args[0];
  return give_ok(op, result);
}

static enum spec_answer peek(const struct builtin *b, const struct bound *op,
                             struct words *w, const int64_t *args,
                             struct value *result) {
  (void)b, (void)args;
  if (w->len == 0)
    return give_empty(op, result);
  return give(op, w->at[op->role->variant == MIN ? 0 : w->len - 1], result);
}

static enum spec_answer pop(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  enum spec_answer answer = peek(b, op, w, args, result);
  if (w->len)
    words_delete(w, op->role->variant == MIN ? 0 : w->len - 1, 1);
  return answer;
}

static const struct role roles[] = {
    {.names = "insert add push put enqueue",
     .nargs = 1,
     .writes = true,
     .gives = GIVES_STATUS,
     .apply = insert},
    {.names = "remove_min pop_min pop dequeue try_pop",
     .variant = MIN,
     .writes = true,
     .gives = GIVES_DATA,
     .apply = pop},
    {.names = "min peek top front",
     .variant = MIN,
     .gives = GIVES_DATA,
     .apply = peek},
    {.names = "remove_max pop_max",
     .variant = MAX,
     .writes = true,
     .gives = GIVES_DATA,
     .apply = pop},
    {.names = "max", .variant = MAX, .gives = GIVES_DATA, .apply = peek},
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

const struct builtin_type builtin_pqueue = {roles, false, print_list};
