/*
 * The invariants of the engine (rt/engine.h, rt/heap.h, …) hold in every state
 * of random executions, the checks notice a state that breaks one, and a
 * failed assertion of ours is not taken for a crash of the user's code.
 */
#include "engine.h"

#include "rt/buffer.h"
#include "rt/heap.h"
#include "rt/marks.h"
#include "rt/snapshot.h"

#include <fcntl.h>

/* Locks, waits, loops, keys, threads, blocks of all sizes, a shared stack. */
static const char object_text[] =
    "#include <faultline.h>\n"
    "#include <pthread.h>\n"
    "#include <stdatomic.h>\n"
    "#include <stdlib.h>\n"
    "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
    "static atomic_int flag, x;\n"
    "static int ready, data[30000], *_Atomic shown;\n"
    "static int put(int v) { pthread_mutex_lock(&m); ready = v;\n"
    "  pthread_cond_signal(&c); pthread_mutex_unlock(&m); return v; }\n"
    "static int take(void) { pthread_mutex_lock(&m);\n"
    "  while (!ready) pthread_cond_wait(&c, &m);\n"
    "  int v = ready; ready = 0; pthread_mutex_unlock(&m); return v; }\n"
    "static int raise_flag(void) { data[7] = 1; data[20000] = 2;\n"
    "  atomic_store_explicit(&flag, 1, memory_order_release);\n"
    "  return atomic_load(&x); }\n"
    "static int spin(void) {\n"
    "  for (int i = 0; i < 3 && !atomic_load(&flag); i++) ;\n"
    "  atomic_store_explicit(&x, 1, memory_order_relaxed);\n"
    "  return data[7] + data[20000]; }\n"
    "static int blocks(int n) { char *p = malloc(n), *q = calloc(3, n);\n"
    "  p[n - 1] = q[n] = 1; p = realloc(p, 3 * n); free(q);\n"
    "  int r = p[n - 1]; free(p); return r; }\n"
    "static int show(void) { int here = 5; shown = &here; int r = x;\n"
    "  shown = NULL; return r + here; }\n"
    "static int look(void) { int *p = shown; return p != NULL; }\n"
    "static int keys(void) { pthread_key_t a, b; int r = 0;\n"
    "  pthread_key_create(&a, NULL); pthread_key_create(&b, NULL);\n"
    "  pthread_setspecific(b, &ready); pthread_key_delete(a);\n"
    "  r = pthread_getspecific(b) == &ready; pthread_key_delete(b);\n"
    "  return r; }\n"
    "static void *child(void *p) { *(int *)p = x; return NULL; }\n"
    "static int create(void) { pthread_t t; int seen = -1;\n"
    "  pthread_create(&t, NULL, child, &seen); pthread_join(t, NULL);\n"
    "  return seen; }\n"
    "FL_OBJECT(all)\n"
    "FL_OP(int, put, FL_INT(1, 2))\nFL_OP(int, take, FL_BLOCKING)\n"
    "FL_OP(int, raise_flag)\nFL_OP(int, spin)\n"
    "FL_OP(int, blocks, FL_INT(1, 5000))\nFL_OP(int, show)\n"
    "FL_OP(int, look)\nFL_OP(int, keys)\nFL_OP(int, create)\n";

static const char *const clients[] = {
    "{put(1); take()} || {put(2)} || {take()}",
    "{raise_flag()} || {spin()} || {spin()}",
    "{blocks(1); blocks(17)} || {blocks(5000)} || {blocks(64)}",
    "{show()} || {look(); keys()} || {create()}",
    "{create(); keys()} || {create()} || {raise_flag()}",
};
enum { CLIENTS = sizeof clients / sizeof *clients, RUNS = 12 };

static void check_all(void) {
  CHECK(fl__engine_check_invariants());
  CHECK(fl__heap_check_invariants());
  CHECK(fl__marks_check_invariants());
  CHECK(fl__pages_check_invariants());
}

static int random_choice(void *ctx, int n) {
  return (int)rng_below(ctx, (uint64_t)n);
}

static int random_thread(struct rng *r, uint32_t enabled) {
  for (uint64_t k = rng_below(r, (uint64_t)__builtin_popcount(enabled)); k--;)
    enabled &= enabled - 1;
  return __builtin_ctz(enabled);
}

static void walk(struct rng *r) {
  struct rt_driver d = {.choose = random_choice, .ctx = r};
  enum rt_end end = rt_begin(&d);
  while (end == RT_STOPPED) {
    check_all();
    end = rt_step(random_thread(r, rt_enabled()), &d);
  }
  check_all();
}

static void walk_clients(void *so) {
  static const struct rt_options options[] = {
      {.leaks = true}, {.reuse = true}, {.tso = true, .buffer = 2}};
  const char *which = getenv("WALK");
  engine_open(so, &options[which[0] - '0']);
  struct rng r = {7};
  for (int i = 0; i < CLIENTS; i++) {
    struct client c = {0};
    engine_client(&c, clients[i]);
    for (int k = 0; k < RUNS; k++) {
      if (k % 4 == 0) {
        rt_reduce(k % 8 != 0);
        CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
      }
      walk(&r);
    }
    client_free(&c);
  }
}

static void walk_with(const char *which) {
  char *so = engine_build(object_text, NULL);
  setenv("WALK", which, 1);
  engine_child(walk_clients, so);
  free(so);
}
TEST(hold_in_every_state_under_quarantine) { walk_with("0"); }
TEST(hold_in_every_state_under_reuse) { walk_with("1"); }
TEST(hold_in_every_state_under_tso) { walk_with("2"); }

/* ---- every execution begins in the same state (R3) ---- */

static void restart(void *so) {
  engine_open(so, NULL);
  struct rng r = {8};
  struct rt_driver d = {0};
  for (int i = 0; i < CLIENTS; i++) {
    struct client c = {0};
    engine_client(&c, clients[i]);
    CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
    rt_begin(&d);
    struct hash128 first = rt_hash(true);
    for (int k = 0; k < RUNS; k++) {
      walk(&r);
      rt_begin(&d);
      CHECK(hash128_equal(rt_hash(true), first));
    }
    client_free(&c);
  }
}
TEST(every_execution_begins_in_the_prepared_state) {
  char *so = engine_build(object_text, NULL);
  engine_child(restart, so);
  free(so);
}

/* ---- what breaks an invariant is noticed ---- */

/* A child that an assertion ends, silently. */
static void check_aborts(void (*body)(void)) {
  pid_t pid = fork();
  if (!pid) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void forget_a_condition(void) {
  E.live.waiting ^= E.live.parked; /* F1 */
  fl__engine_check_invariants();
}
static void park_a_thread_that_is_not_there(void) {
  E.live.parked |= 1u << E.live.nfibers; /* E3 */
  fl__engine_check_invariants();
}
static void spin_without_a_record(void) {
  E.live.spinning |= E.live.parked & -E.live.parked; /* L1 */
  fl__engine_check_invariants();
}
static void paint_a_header(void) {
  fl__arena_shadow(0)[1] = 16; /* H1 */
  fl__heap_check_invariants();
}
static void lose_the_stores_of_a_buffer(void) {
  E.live.buffered |= 2; /* B2 */
  fl__buffers_check_invariants();
}
static void mark_without_a_unit(void) {
  E.stack_shared |= 4; /* M1 */
  fl__marks_check_invariants();
}

static int lowest(void *ctx, uint32_t enabled, int current) {
  (void)ctx, (void)current;
  return __builtin_ctz(enabled);
}
static int too_large(void *ctx, int n) {
  (void)ctx;
  return n;
}
/* Which of two waiters is woken?  The answer is wrong, and an assertion fails
 * on the fiber that asks.  It must not be taken for a crash of the user's code.
 */
static void fail_on_a_fiber(void) {
  struct rt_driver d = {.pick = lowest, .choose = too_large};
  struct client c = {0};
  engine_client(&c, "{take()} || {take()} || {put(1)}");
  rt_prepare(engine.suite, &c);
  rt_run(&d);
}

static void break_each(void *so) {
  engine_open(so, NULL);
  struct client c = {0};
  struct rt_driver d = {0};
  engine_client(&c, clients[0]);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  rt_begin(&d);
  check_all();
  fl__alloc(24, 16, 0, false, 0); /* arena 0 has a block */
  check_aborts(forget_a_condition);
  check_aborts(park_a_thread_that_is_not_there);
  check_aborts(spin_without_a_record);
  check_aborts(paint_a_header);
  check_aborts(lose_the_stores_of_a_buffer);
  check_aborts(mark_without_a_unit);
  check_aborts(fail_on_a_fiber);
  client_free(&c);
}
TEST(a_state_that_breaks_one_is_noticed) {
  char *so = engine_build(object_text, NULL);
  engine_child(break_each, so);
  free(so);
}

TEST_MAIN
