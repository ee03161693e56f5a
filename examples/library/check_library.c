/*
 * A test of a stack with real threads.  Each thread tells the checker what it
 * is about to call and what came back; the checker says whether some order of
 * the operations explains all results, and stops the threads when none does.
 *
 *   cc check_library.c $(pkg-config --cflags --libs faultline-check) -pthread
 *   ./a.out          a stack with a lock: linearizable
 *   ./a.out broken   pop reads the top before it takes the lock: it is not
 *
 * Threads that run freely may miss the bug for long.  So the test stops the
 * first broken pop between its read and its lock until the other threads have
 * pushed: what they pushed is lost, and some later pop must tell.
 */
#include <faultline/check.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 3, CALLS = 20000, EMPTY = -1 };

struct stack {
  pthread_mutex_t lock;
  void (*between)(void); /* broken: called where others can come between */
  _Atomic int count;
  _Atomic int items[THREADS * CALLS];
};

static void push(struct stack *s, int value) {
  pthread_mutex_lock(&s->lock);
  s->items[s->count++] = value;
  pthread_mutex_unlock(&s->lock);
}

static int pop(struct stack *s) {
  int early = s->count, result = EMPTY;
  if (s->between)
    s->between();
  pthread_mutex_lock(&s->lock);
  int n = s->between ? early : s->count; /* what others did is not seen */
  if (n) {
    result = s->items[n - 1];
    s->count = n - 1;
  }
  pthread_mutex_unlock(&s->lock);
  return result;
}

static struct stack stack = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct fl_check *check;
static pthread_barrier_t step; /* all threads wait for each other */

/* Thread 0 comes here first; the other threads wait in work(). */
static void stop_once(void) {
  static _Atomic int before;
  if (!before++) {
    pthread_barrier_wait(&step); /* it has read the top: they push */
    pthread_barrier_wait(&step); /* they have pushed: it goes on */
  }
}

static void *work(void *number) {
  uint32_t me = (uint32_t)(size_t)number;
  int code = FL_CHECK_OK;
  if (stack.between && me)
    pthread_barrier_wait(&step);
  for (int i = 0; i < CALLS && code == FL_CHECK_OK; i++) {
    if (i % 2 == 0) {
      int value = i * THREADS + (int)me; /* no two are equal */
      struct fl_datum arg = fl_number(value);
      fl_check_begin(check, me, "push", &arg, 1);
      push(&stack, value);
      code = fl_check_end(check, me, fl_none());
      if (stack.between && me && i == 0)
        pthread_barrier_wait(&step);
    } else {
      fl_check_begin(check, me, "pop", NULL, 0);
      int value = pop(&stack);
      code =
          fl_check_end(check, me, value == EMPTY ? fl_nil() : fl_number(value));
    }
    if (stack.between && i == (me ? 0 : 1))
      pthread_barrier_wait(&step); /* it has popped: all run freely */
  }
  if (code == FL_CHECK_ERROR)
    fprintf(stderr, "%s\n", fl_check_error(check));
  return NULL;
}

int main(int argc, char **argv) {
  struct fl_check_options options = fl_check_options_init();
  struct fl_check_result result = fl_check_result_init();
  pthread_t threads[THREADS];
  char error[200];

  options.spec = "stack";
  options.online = true;
  check = fl_check_new(&options, error, sizeof error);
  if (!check) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  pthread_barrier_init(&step, NULL, THREADS);
  if (argc > 1 && !strcmp(argv[1], "broken"))
    stack.between = stop_once;
  for (size_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (size_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);

  fl_check_result(check, &result);
  printf("%s", result.text);
  int bad = result.verdict != FL_CHECK_LINEARIZABLE;
  fl_check_free(check);
  return bad;
}
