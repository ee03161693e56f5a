/* Every macro in every form, in what is C and C++ at once. */
#include <faultline.h>
#include <stdbool.h>
#include <stdlib.h>

#define EMPTY (-1)

enum color { RED, GREEN };

struct stack {
  int count;
  int values[4];
};

static struct stack *stack_new(void) {
  return (struct stack *)calloc(1, sizeof(struct stack));
}
static void stack_free(struct stack *s) { free(s); }
static void stack_push(struct stack *s, int v) { s->values[s->count++] = v; }
static int stack_pop(struct stack *s) { return s->values[--s->count]; }
static bool has(struct stack *s, unsigned char k, bool b) {
  return s->count == k && b;
}
static unsigned char narrow(struct stack *s) { return (unsigned char)s->count; }
static short small(struct stack *s, short x) { return (short)(x + s->count); }
static unsigned long large(struct stack *s) { return (unsigned long)s->count; }
static long long wide(struct stack *s) { return s->count; }
static enum color shade(struct stack *s) { return s->count ? RED : GREEN; }
static const char *text(struct stack *s) { return s->count ? "some" : "none"; }
static char *name(struct stack *s) { return (char *)s; }
static struct stack *self(struct stack *s) { return s; }
static bool sound(struct stack *s) { return s->count >= 0; }
static void show(struct stack *s) { (void)s; }
static void *enter(struct stack *s) { return s; }
static void leave(struct stack *s, void *thread) {
  (void)s;
  (void)thread;
}

FL_OBJECT(stack, stack_new, stack_free)
FL_OP(void, stack_push, FL_INT(1, 3), FL_GROUP("pushers"))
FL_OP(int, stack_pop, FL_BLOCKING)
FL_OP(bool, has, FL_CHOICE(1, 2, 7), FL_BOOL)
FL_OP(unsigned char, narrow)
FL_OP(short, small, FL_DATA(-2, 3))
FL_OP(unsigned long, large)
FL_OP(long long, wide)
FL_OP(enum color, shade)
FL_OP(const char *, text)
FL_OP(char *, name)
FL_OP(struct stack *, self)
FL_SPEC(stack, push = stack_push, pop = stack_pop, empty = EMPTY)
FL_THREAD(enter, leave)
FL_INVARIANT(sound)
FL_SHOW(show)
FL_EXPECT_FAULT

static int counter;
static void reset(void) { counter = 0; }
static void increment(void) { counter++; }
static int get(void) { return counter; }
static bool positive(void) { return counter >= 0; }
static int negative(void) { return counter < 0; }

FL_OBJECT(bare);
FL_OP(void, increment);
FL_OP(int, get);
FL_SPEC(counter);
FL_INVARIANT(positive);
FL_EXPECT_FAULT;
FL_MEMORY_MODEL(tso);

FL_OBJECT(with_reset, reset)
FL_OP(void, increment)
FL_INVARIANT(negative)
FL_THREAD(enter)

FL_OBJECT(with_both, reset, reset)
FL_OP(int, get, FL_RELAXED)
FL_CRITERION(quiescent)

FL_OBJECT(with_nulls, NULL, NULL)
FL_OP(int, get)

FL_OBJECT(freed, stack_new, free)
FL_OP(int, stack_pop)
FL_MEMORY_MODEL(sc)

struct model {
  int count;
};
static struct model *model_new(void) {
  return (struct model *)calloc(1, sizeof(struct model));
}
static void model_push(struct model *m, int v) { m->count += v; }
static int model_pop(struct model *m) { return m->count; }
static bool allows_get(int result) { return result == counter; }
static bool allows_increment(void) { return counter++ >= 0; }

FL_OBJECT(modelled, stack_new, free)
FL_OP(void, stack_push, FL_INT(1, 3))
FL_OP(int, stack_pop)
FL_SPEC(model, model_new, stack_push = model_push, stack_pop = model_pop)

FL_OBJECT(related)
FL_OP(int, get)
FL_OP(void, increment)
FL_SPEC(relation, reset, get = allows_get, increment = allows_increment)
FL_ACCEPT("known", "leak in {increment()}", "crash at increment()")

FL_OBJECT(conditions, stack_new, free)
FL_OP(int, stack_pop)
FL_OP(void, stack_push, FL_INT(1, 3))
FL_ALWAYS(sound)
FL_ALWAYS(positive, stack_push, stack_pop);
FL_PROGRESS(wait_free, 2 + 3)

FL_OBJECT(free_of_locks)
FL_OP(int, get)
FL_ALWAYS(negative, get)
FL_PROGRESS(lock_free);
