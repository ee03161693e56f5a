/*
 * A test of a stack with real threads.  Each thread tells the checker what it
 * is about to call and what came back; the checker says whether some order of
 * the operations explains all results, and stops the threads when none does.
 *
 *   cc check_library.c $(pkg-config --cflags --libs faultline-check) -pthread
 *   ./a.out          a stack with a lock: linearizable
 *   ./a.out broken   pop reads the top before it takes the lock: it is not
 */
#include <faultline/check.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, CALLS = 20000, EMPTY = -1 };

struct stack {
  pthread_mutex_t lock;
  int broken;
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
  if (s->broken)
    usleep(1);
  pthread_mutex_lock(&s->lock);
  int n = s->broken ? early : s->count; /* what others did is not seen */
  if (n) {
    result = s->items[n - 1];
    s->count = n - 1;
  }
  pthread_mutex_unlock(&s->lock);
  return result;
}

static struct stack stack = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct fl_check *check;

static void *work(void *arg) {
  uint32_t me = (uint32_t)(size_t)arg;
  int code = FL_CHECK_OK;
  for (int i = 0; i < CALLS && code == FL_CHECK_OK; i++) {
    if (i % 2 == 0) {
      int value = i * THREADS + (int)me; /* no two are equal */
      struct fl_datum pushed = fl_number(value);
      fl_check_begin(check, me, "push", &pushed, 1);
      push(&stack, value);
      code = fl_check_end(check, me, fl_none());
    } else {
      fl_check_begin(check, me, "pop", NULL, 0);
      int value = pop(&stack);
      code =
          fl_check_end(check, me, value == EMPTY ? fl_nil() : fl_number(value));
    }
  }
  if (code == FL_CHECK_ERROR)
    fprintf(stderr, "%s\n", fl_check_error(check));
  return NULL;
}

int main(int argc, char **argv) {
  struct fl_check_options options = {.spec = "stack", .online = true};
  char error[200];
  pthread_t threads[THREADS];
  struct fl_check_result result;

  check = fl_check_new(&options, error, sizeof error);
  if (!check) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  stack.broken = argc > 1 && !strcmp(argv[1], "broken");
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
