/*
 * Stack, queue and deque: a sequence of which the ends are used.  The left end
 * is the first word.
 */
#include "spec/builtin.h"

enum { LEFT, RIGHT };

static enum spec_answer push(const struct builtin *b, const struct bound *op,
                             struct words *w, const int64_t *args,
                             struct value *result) {
  if (w->len >= b->capacity)
    return give_full(op, result);
  if (op->role->variant == LEFT) {
    words_insert(w, 0, 1);
    w->at[0] = args[0];
  } else {
    w->at[w->len++] = args[0];
  }
  return give_ok(op, result);
}

static enum spec_answer peek(const struct builtin *b, const struct bound *op,
                             struct words *w, const int64_t *args,
                             struct value *result) {
  (void)b, (void)args;
  if (w->len == 0)
    return give_empty(op, result);
  return give(op, w->at[op->role->variant == LEFT ? 0 : w->len - 1], result);
}

static enum spec_answer pop(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  enum spec_answer answer = peek(b, op, w, args, result);
  if (w->len && op->role->variant == LEFT)
    words_delete(w, 0, 1);
  else if (w->len)
    w->len--;
  return answer;
}

#define PUSH(n, end)                                                           \
  {                                                                            \
    .names = n, .nargs = 1, .data = 1, .variant = end, .writes = true,         \
    .gives = GIVES_STATUS, .apply = push                                       \
  }
#define POP(n, end)                                                            \
  {                                                                            \
    .names = n, .variant = end, .writes = true, .gives = GIVES_DATA,           \
    .apply = pop                                                               \
  }
#define PEEK(n, end)                                                           \
  { .names = n, .variant = end, .gives = GIVES_DATA, .apply = peek }
#define COMMON                                                                 \
  {.names = "size length count",                                               \
   .variant = 1,                                                               \
   .gives = GIVES_NUMBER,                                                      \
   .apply = role_size},                                                        \
      {.names = "is_empty", .gives = GIVES_FLAG, .apply = role_is_empty},      \
      {.names = "clear",                                                       \
       .writes = true,                                                         \
       .gives = GIVES_STATUS,                                                  \
       .apply = role_clear},                                                   \
  {                                                                            \
    .names = NULL                                                              \
  }

static const struct role stack_roles[] = {
    PUSH("push try_push", RIGHT),
    POP("pop try_pop", RIGHT),
    PEEK("top peek", RIGHT),
    COMMON,
};

static const struct role queue_roles[] = {
    PUSH("enqueue enq push put add offer try_enqueue try_push", RIGHT),
    POP("dequeue deq pop take poll remove try_dequeue try_pop", LEFT),
    PEEK("front peek head", LEFT),
    COMMON,
};

/* With the names of the work-stealing deque: the owner works on the right. */
static const struct role deque_roles[] = {
    PUSH("push_left push_front add_first", LEFT),
    PUSH("push_right push_back add_last push_bottom", RIGHT),
    POP("pop_left pop_front remove_first steal", LEFT),
    POP("pop_right pop_back remove_last pop_bottom take", RIGHT),
    PEEK("left front peek_left", LEFT),
    PEEK("right back peek_right", RIGHT),
    COMMON,
};

const struct builtin_type builtin_stack = {stack_roles, false, print_list};
const struct builtin_type builtin_queue = {queue_roles, false, print_list};
const struct builtin_type builtin_deque = {deque_roles, false, print_list};
