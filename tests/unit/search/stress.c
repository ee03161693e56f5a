/*
 * Real threads: what they record is a history, its order is true, faults are
 * found, and whatever user code does, the caller lives.
 *
 * Where something must happen by chance (a lost update), the bound on rounds
 * is far beyond what is needed: a test that fails has found something.
 */
#include "engine.h"

#include "model/history_file.h"
#include "search/stress.h"

#include <sched.h>
#include <signal.h>

static VEC(char *) built; /* not lost: for the leak checker */

static char *native_build(const char *text) {
  static unsigned count;
  char name[64];
  snprintf(name, sizeof name, "native%u.c", count++);
  scratch_write(name, text);
  struct build b = {.native = true, .include = FL_SOURCE_INCLUDE};
  struct error e = {0};
  char *so = NULL;
  vec_push(&b.inputs, name);
  if (build_shared(&b, "out", &so, &e))
    die("%s", e.text);
  vec_free(&b.inputs);
  vec_push(&built, so);
  return so;
}

static struct stress *native_open(const char *so,
                                  const struct stress_options *o) {
  struct error e = {0};
  struct stress *s = stress_open(so, o, &e);
  if (!s)
    die("%s", e.text);
  engine.suite = stress_suites(s);
  uint32_t n = 0;
  for (const struct fl_op *p = engine.suite->ops; p; p = p->next)
    engine_take_op(n++, p);
  engine.names = (struct op_names){engine.name, n};
  return s;
}

/* nthreads threads with the same calls. */
static void many(struct client *c, uint32_t nthreads, uint32_t ncalls,
                 uint16_t op) {
  *c = (struct client){0};
  for (uint32_t t = 1; t <= nthreads; t++)
    for (uint32_t i = 0; i < ncalls; i++)
      client_add(c, t, (struct call){.op = op});
}

/* ---- judges ---- */

struct bench {
  struct spec *spec;
  struct check check;
  uint64_t seen, unknown, broken;
};

static enum judgement by_spec(void *ctx, const struct history *h,
                              bool invariant) {
  struct bench *b = ctx;
  history_check_invariants(h);
  b->seen++;
  b->broken += !invariant;
  check_linearize(h, b->spec, CRITERION_LINEARIZABLE, 1000000, &b->check);
  b->unknown += b->check.answer == CHECK_UNKNOWN;
  return b->check.answer == CHECK_NO ? JUDGE_BAD : JUDGE_GOOD;
}

static enum judgement only_look(void *ctx, const struct history *h,
                                bool invariant) {
  struct bench *b = ctx;
  history_check_invariants(h);
  b->seen++;
  b->broken += !invariant;
  return JUDGE_GOOD;
}

static struct spec *builtin(void) {
  struct error e = {0};
  struct spec *s = spec_builtin(engine.suite, &e);
  if (!s)
    die("%s", e.text);
  return s;
}

/* ---- counters ---- */

#define HEADER "#include <faultline.h>\n#include <stdlib.h>\n"
#define COUNTER(INC)                                                           \
  HEADER "#include <pthread.h>\n"                                              \
         "struct c { volatile long n; pthread_mutex_t m; };\n"                 \
         "static struct c *make(void) { return calloc(1, sizeof(struct c)); }" \
         "\nstatic void drop(struct c *c) { free(c); }\n"                      \
         "static long inc(struct c *c) { " INC " }\n"                          \
         "static long get(struct c *c) { return c->n; }\n"                     \
         "FL_OBJECT(counter, make, drop)\n"                                    \
         "FL_OP(long, inc)\nFL_OP(long, get)\n"                                \
         "FL_SPEC(counter, inc_fetch = inc, get = get)\n"

static const char racy[] = COUNTER("return ++c->n;");
static const char yielding[] =
    COUNTER("long n = c->n; if (n % 16 == 5) sched_yield();"
            "return c->n = n + 1;");
static const char locked[] =
    COUNTER("pthread_mutex_lock(&c->m); long n = ++c->n;"
            "pthread_mutex_unlock(&c->m); return n;");

static void finds_racy(void *so) {
  struct stress *s = native_open(so, NULL);
  struct bench b = {.spec = builtin()};
  struct client c;
  struct error e = {0};
  many(&c, 2, 200, 0);
  client_add_final(&c, (struct call){.op = 1});
  struct stress_run r = {
      .judge = {by_spec, &b}, .max_rounds = 20000, .seed = 1};
  CHECK_INT(stress_run(s, engine.suite, &c, &r, &e), STRESS_BAD);
  if (!CHECK(r.history.ops))
    return;
  history_check_invariants(&r.history);
  check_linearize(&r.history, b.spec, CRITERION_LINEARIZABLE, 0, &b.check);
  CHECK_INT(b.check.answer, CHECK_NO);
  CHECK_INT(r.bad_count, 1);
  CHECK_INT(history_file_write(&r.history, engine.suite->name, &engine.names,
                               "racy.jsonl", &e),
            ERR_NONE);
  struct buf text = {0};
  CHECK_INT(buf_read_file(&text, "racy.jsonl", &e), ERR_NONE);
  CHECK_HAS(buf_text(&text), "\"object\":\"counter\"");
  CHECK_HAS(buf_text(&text), "\"name\":\"get\"");
  buf_free(&text);
  stress_run_release(&r);
}

/* One processor changes threads at a tick, hardly ever between two
 * instructions: there the update gives way itself. */
TEST(a_lost_update_is_found) {
  cpu_set_t set;
  bool one = sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 2;
  engine_child(finds_racy, native_build(one ? yielding : racy));
}

static void passes_locked(void *so) {
  struct stress *s = native_open(so, NULL);
  struct bench b = {.spec = builtin()};
  struct client c;
  struct error e = {0};
  static const struct {
    uint32_t threads, calls, rounds;
  } sizes[] = {{2, 2, 2000}, {2, 500, 60}, {3, 20, 300}, {5, 4, 200}};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    many(&c, sizes[i].threads, sizes[i].calls, 0);
    client_add_final(&c, (struct call){.op = 1});
    struct stress_run r = {.judge = {by_spec, &b},
                           .max_rounds = sizes[i].rounds};
    b.seen = 0;
    CHECK_INT(stress_run(s, engine.suite, &c, &r, &e), STRESS_ALL);
    CHECK_INT(r.rounds, sizes[i].rounds);
    CHECK_INT(b.seen, r.rounds - r.discarded);
    CHECK(r.discarded < r.rounds);
    CHECK_INT(b.unknown, 0);
    CHECK_INT(r.processes, 1); /* nothing but its heap is touched (P1) */
    CHECK(!r.history.ops);
    client_free(&c);
  }
}

TEST(a_correct_counter_is_never_reported) {
  engine_child(passes_locked, native_build(locked));
}

static void own_spec(void *arg) {
  char **so = arg;
  engine_open(so[0], NULL);
  const struct fl_suite *hooked = engine.suite;
  struct bench b = {.spec = spec_implementation()};
  struct client c;
  struct error e = {0};
  engine_client(&c, "inc(); {inc(); inc(); get()} || {inc(); inc()}; get()");
  struct stress *s = native_open(so[1], NULL);
  CHECK(engine.suite != hooked);
  if (!CHECK_INT(rt_prepare(hooked, &c), RT_DONE))
    fprintf(stderr, "%s\n", rt_fault()->text);
  spec_implementation_client(b.spec, &c);
  struct stress_run r = {.judge = {by_spec, &b}, .max_rounds = 500};
  CHECK_INT(stress_run(s, engine.suite, &c, &r, &e), STRESS_ALL);
  CHECK_INT(b.seen + r.discarded, 500);
}

TEST(the_object_with_hooks_is_the_specification_beside_it) {
  static char *so[2];
  so[0] = engine_build(locked, NULL);
  so[1] = native_build(locked);
  engine_child(own_spec, so);
}

/* ---- the order is true ---- */

static const char ticket[] =
    HEADER "static long n;\n"
           "static void start(void) { n = 0; }\n"
           "static void stop(void) { n = 0; }\n"
           "static long take(void) { return __atomic_fetch_add(&n, 1, 5); }\n"
           "FL_OBJECT(ticket, start, stop)\nFL_OP(long, take)\n";

struct order {
  uint64_t seen, across, wrong;
};

/* Tickets are handed out one by one: who was served before another was called
 * has the smaller one. */
static enum judgement in_order(void *ctx, const struct history *h,
                               bool invariant) {
  struct order *o = ctx;
  (void)invariant;
  history_check_invariants(h);
  o->seen++;
  for (uint32_t a = 0; a < h->client->ncalls; a++)
    for (uint32_t b = 0; b < h->client->ncalls; b++) {
      if (!hop_before(&h->ops[a], &h->ops[b]))
        continue;
      o->across += h->client->calls[a].thread != h->client->calls[b].thread;
      o->wrong += h->ops[a].result.bits >= h->ops[b].result.bits;
    }
  return JUDGE_GOOD;
}

static void true_order(void *so) {
  static const enum stamp_clock clocks[] = {STAMP_ANY, STAMP_COUNTER};
  for (int k = 0; k < 2; k++)
    for (uint32_t threads = 2; threads <= 4; threads++) {
      struct stress_options options = {.clock = clocks[k],
                                       .steady = threads == 2};
      struct stress *s = native_open(so, &options);
      struct order o = {0};
      struct client c;
      struct error e = {0};
      many(&c, threads, 300, 0);
      struct stress_run r = {.judge = {in_order, &o}, .max_rounds = 40};
      CHECK_INT(stress_run(s, engine.suite, &c, &r, &e), STRESS_ALL);
      CHECK_INT(o.wrong, 0);
      CHECK(o.across > 0);
      CHECK(r.clock == STAMP_COUNTER || clocks[k] == STAMP_ANY);
      CHECK(r.clock == STAMP_TSC || r.margin == 0);
      client_free(&c);
    }
}

TEST(who_returned_before_another_was_called_has_the_smaller_ticket) {
  engine_child(true_order, native_build(ticket));
}

/* ---- every round begins anew ---- */

static const char leftovers[] =
    HEADER "static int total; static __thread int mine;\n"
           "static int bump(void) { return ++total; }\n"
           "static int own(void) { return ++mine; }\n"
           "FL_OBJECT(globals)\nFL_OP(int, bump)\nFL_OP(int, own)\n";

static enum judgement all_are_one(void *ctx, const struct history *h,
                                  bool invariant) {
  struct bench *b = ctx;
  (void)invariant;
  b->seen++;
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    b->broken += h->ops[i].result.bits != 1;
  return JUDGE_GOOD;
}

static void begins_anew(void *so) {
  struct stress *s = native_open(so, NULL);
  const char *const clients[] = {"{bump()}", "{own()} || {own()}", "own()",
                                 "{bump()}; own()"};
  for (int i = 0; i < 4; i++) {
    struct bench b = {0};
    struct client c;
    struct error e = {0};
    engine_client(&c, clients[i]);
    struct stress_run r = {.judge = {all_are_one, &b}, .max_rounds = 20};
    CHECK_INT(stress_run(s, engine.suite, &c, &r, &e), STRESS_ALL);
    CHECK_INT(b.broken, 0);
    CHECK_INT(b.seen + r.discarded, 20);
    CHECK_INT(r.processes, 1);
  }
}

TEST(globals_and_thread_locals_are_fresh_in_each_round) {
  engine_child(begins_anew, native_build(leftovers));
}

/* What a copy does not bring back: memory from before, threads, keys. */
static const char clinging[] = HEADER
    "#include <pthread.h>\n#include <unistd.h>\n"
    "static int *cell; static int started; static pthread_key_t key;\n"
    "static __attribute__((constructor)) void load(void) {"
    " pthread_key_create(&key, NULL);\n"
    "#ifdef HEAP\n  cell = calloc(1, 4);\n#endif\n}\n"
    "static void *sleeps(void *a) { for (;;) sleep(1); return a; }\n"
    "static int heap(void) { return cell ? ++*cell : 0; }\n"
    "static int thread(void) { pthread_t t; pthread_create(&t, NULL, sleeps, "
    "NULL); return ++started; }\n"
    "static int keyed(void) { long n = 1 + (long)pthread_getspecific(key);"
    " pthread_setspecific(key, (void *)n); return n; }\n"
    "FL_OBJECT(clinging)\nFL_OP(int, heap)\nFL_OP(int, thread)\n"
    "FL_OP(int, keyed)\n";

static void needs_processes(const char *so, const char *client) {
  struct stress *s = native_open(so, NULL);
  struct bench b = {0};
  struct client c;
  struct error e = {0};
  engine_client(&c, client);
  struct stress_run r = {.judge = {all_are_one, &b}, .max_rounds = 10};
  CHECK_INT(stress_run(s, engine.suite, &c, &r, &e), STRESS_ALL);
  CHECK_INT(b.broken, 0);
  CHECK_INT(b.seen + r.discarded, 10);
  CHECK_INT(r.processes, 10);
}

static void renews(void *arg) {
  char **so = arg;
  needs_processes(so[0], "{heap()}");
  needs_processes(so[1], "{thread()}");
  needs_processes(so[1], "{keyed()} || {keyed()}");
  needs_processes(so[1], "keyed()");
}

TEST(a_fresh_process_is_used_where_copies_do_not_help) {
  char *with = xasprintf("#define HEAP\n%s", clinging);
  char *so[] = {native_build(with), native_build(clinging)};
  engine_child(renews, so);
  free(with);
}

/* ---- what threads and results are ---- */

static const char various[] = HEADER
    "#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n"
    "struct o { int x; };\n"
    "static struct o *make(void) { return calloc(1, sizeof(struct o)); }\n"
    "static void drop(struct o *o) { free(o); }\n"
    "static void *enter(void *o) { int *p = malloc(sizeof *p); *p = 7;"
    " return o ? p : NULL; }\n"
    "static void leave(void *o, void *p) { (void)o; free(p); }\n"
    "static int data(struct o *o) { (void)o; return *(int *)fl_thread(); }\n"
    "static const char *text(struct o *o, int n) { (void)o;"
    " static __thread char b[8]; memset(b, 'a' + n, 3); return n ? b : NULL; }"
    "\nstatic int8_t small(struct o *o) { (void)o; return -3; }\n"
    "static uint16_t wide(struct o *o) { (void)o; return 65535; }\n"
    "static bool yes(struct o *o) { return o != NULL; }\n"
    "static void *number(struct o *o) { (void)o; return (void *)42; }\n"
    "static long sum(struct o *o, int a, long b, int c, int d, int e, int f) "
    "{ (void)o; return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 "
    "* f; }\n"
    "static void nothing(struct o *o) { o->x = 1; }\n"
    "static bool zero(struct o *o) { return o->x == 0; }\n"
    "FL_OBJECT(various, make, drop)\n"
    "FL_THREAD(enter, leave)\nFL_INVARIANT(zero)\n"
    "FL_OP(int, data)\nFL_OP(const char *, text, FL_INT(0, 3))\n"
    "FL_OP(int8_t, small)\nFL_OP(uint16_t, wide)\nFL_OP(bool, yes)\n"
    "FL_OP(void *, number)\n"
    "FL_OP(long, sum, FL_INT(0, 9), FL_INT(0, 9), FL_INT(0, 9), FL_INT(0, 9),"
    " FL_INT(0, 9), FL_INT(0, 9))\nFL_OP(void, nothing)\n";

static enum judgement has_results(void *ctx, const struct history *h,
                                  bool invariant) {
  struct bench *b = ctx;
  struct buf out = {0};
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    value_print(h->ops[i].result, &out);
    buf_putc(&out, ' ');
  }
  CHECK_STR(buf_text(&out), "7 7 -3 65535 true \"ccc\" \"bbb\" NULL 0x2a "
                            "654321 7 ");
  CHECK(value_equal(h->ops[5].result, value_string("ccc")));
  CHECK(invariant);
  buf_free(&out);
  b->seen++;
  return JUDGE_GOOD;
}

static void gives_results(void *so) {
  struct stress *s = native_open(so, NULL);
  struct bench b = {0};
  struct client c;
  struct error e = {0};
  engine_client(&c, "data(); {data(); small(); wide(); yes(); text(2)} || "
                    "{text(1); text(0); number(); sum(1, 2, 3, 4, 5, 6)}; "
                    "data()");
  struct stress_run r = {.judge = {has_results, &b}, .max_rounds = 10};
  CHECK_INT(stress_run(s, engine.suite, &c, &r, &e), STRESS_ALL);
  CHECK_INT(b.seen + r.discarded, 10);
  engine_client(&c, "{nothing()} || {data()}");
  b = (struct bench){0};
  r = (struct stress_run){.judge = {only_look, &b}, .max_rounds = 3};
  CHECK_INT(stress_run(s, engine.suite, &c, &r, &e), STRESS_ALL);
  CHECK_INT(b.broken, b.seen);
}

TEST(results_arguments_thread_data_and_invariants_arrive) {
  engine_child(gives_results, native_build(various));
}

/* ---- what user code can do to us ---- */

static const char wild[] = HEADER
    "#include <semaphore.h>\n#include <unistd.h>\n"
    "static sem_t s; static int slow = 1; static char *volatile nowhere;\n"
    "static void fine(void) {}\n"
    "static void crash(void) { *nowhere = 1; }\n"
    "static void leave(void) { exit(5); }\n"
    "static void hang(void) { while (slow) usleep(1000); }\n"
    "static void wait(void) { sem_wait(&s); }\n"
    "static void *address(void) { return &s; }\n"
    "FL_OBJECT(wild)\nFL_OP(void, fine)\nFL_OP(void, crash)\n"
    "FL_OP(void, leave)\nFL_OP(void, hang)\n"
    "FL_OP(void, wait, FL_BLOCKING)\nFL_OP(void *, address)\n";

/* The watchdog is short only where something hangs. */
static enum stress_end run_wild(const char *so, const char *client,
                                uint32_t watchdog_ms, struct stress_run *r,
                                struct error *e) {
  static struct client c; /* outlives the history */
  struct stress_options o = {.watchdog_ms = watchdog_ms};
  struct stress *s = native_open(so, &o);
  engine_client(&c, client);
  *e = (struct error){0};
  return stress_run(s, engine.suite, &c, r, e);
}

static void survives(void *so) {
  struct bench b = {0};
  struct error e;
  struct stress_run r = {.judge = {only_look, &b}, .max_rounds = 2};
  CHECK_INT(run_wild(so, "{fine(); crash(); fine()} || {fine()}", 0, &r, &e),
            STRESS_CRASHED);
  CHECK_INT(r.signal, SIGSEGV);
  CHECK_INT(b.seen, 0);
  history_check_invariants(&r.history);
  CHECK(!hop_pending(&r.history.ops[0]));
  CHECK(hop_called(&r.history.ops[1]) && hop_pending(&r.history.ops[1]));
  CHECK(!hop_called(&r.history.ops[2]));
  stress_run_release(&r);

  r = (struct stress_run){.judge = {only_look, &b}, .max_rounds = 2};
  CHECK_INT(run_wild(so, "{fine()} || {leave()}", 0, &r, &e), STRESS_EXITED);
  CHECK(r.status != 0);
#ifndef __SANITIZE_ADDRESS__ /* at exit it finds leaks, and says so */
  CHECK_INT(r.status, 5);
#endif
  CHECK(hop_called(&r.history.ops[1]) && hop_pending(&r.history.ops[1]));
  stress_run_release(&r);

  r = (struct stress_run){.judge = {only_look, &b}, .max_rounds = 2};
  CHECK_INT(run_wild(so, "fine(); {fine()} || {hang(); fine()}; fine()", 1000,
                     &r, &e),
            STRESS_HUNG);
  CHECK(!hop_pending(&r.history.ops[1]));
  CHECK(hop_called(&r.history.ops[2]) && hop_pending(&r.history.ops[2]));
  CHECK(!hop_called(&r.history.ops[3]) && !hop_called(&r.history.ops[4]));
  stress_run_release(&r);

  r = (struct stress_run){.judge = {only_look, &b}, .max_rounds = 2};
  CHECK_INT(run_wild(so, "{fine()} || {address()}", 0, &r, &e), STRESS_ERROR);
  CHECK_HAS(e.text, "address returned a pointer");
}

TEST(crashes_exits_hangs_and_addresses_are_told) {
  engine_child(survives, native_build(wild));
}

static enum judgement waits(void *ctx, const struct history *h,
                            bool invariant) {
  struct bench *b = ctx;
  (void)invariant;
  history_check_invariants(h);
  b->seen++;
  b->broken += hop_pending(&h->ops[0]) || !hop_pending(&h->ops[1]);
  return JUDGE_GOOD;
}

static void blocks(void *so) {
  struct bench b = {0};
  struct error e;
  struct stress_run r = {.judge = {waits, &b}, .max_rounds = 2};
  CHECK_INT(run_wild(so, "{fine()} || {wait()}", 1000, &r, &e), STRESS_ALL);
  CHECK_INT(b.seen + r.discarded, 2);
  CHECK_INT(b.broken, 0);
}

TEST(an_operation_that_may_wait_is_pending) {
  engine_child(blocks, native_build(wild));
}

static enum judgement stop_at_three(void *ctx, const struct history *h,
                                    bool invariant) {
  (void)h, (void)invariant;
  return ++((struct bench *)ctx)->seen == 3 ? JUDGE_STOP : JUDGE_BAD;
}

static void stops(void *so) {
  struct bench b = {0};
  struct error e;
  struct stress_run r = {
      .judge = {stop_at_three, &b}, .max_rounds = 50, .all = true};
  CHECK_INT(run_wild(so, "{fine()} || {fine()}", 0, &r, &e), STRESS_STOPPED);
  CHECK_INT(b.seen, 3);
  CHECK_INT(r.bad_count, 2);
  CHECK(r.history.ops);
  stress_run_release(&r);
  r = (struct stress_run){.judge = {only_look, &b}, .deadline = 1};
  CHECK_INT(run_wild(so, "{fine()}", 0, &r, &e), STRESS_TIME);
  CHECK_INT(r.rounds, 0);
}

TEST(the_judge_and_the_deadline_end_a_run) {
  engine_child(stops, native_build(wild));
}

/* ---- building ---- */

TEST(an_object_with_hooks_is_refused) {
  struct error e = {0};
  char *so = engine_build(locked, NULL), *none = NULL;
  vec_push(&built, so);
  struct build b = {.native = true, .include = FL_SOURCE_INCLUDE};
  vec_push(&b.inputs, so);
  CHECK_INT(build_shared(&b, "out", &none, &e), ERR_USAGE);
  CHECK_HAS(e.text, "has hooks");
  vec_free(&b.inputs);
}

static void swaps_pairs(void *so) {
  struct bench b = {0};
  struct error e;
  struct stress_run r = {.judge = {only_look, &b}, .max_rounds = 100};
  CHECK_INT(run_wild(so, "{swap(); swap()} || {swap()}", 0, &r, &e),
            STRESS_ALL);
  CHECK_INT(b.seen + r.discarded, 100);
}

TEST(sixteen_bytes_are_swapped_by_both_compilers) {
  scratch_write(
      "pair.c",
      HEADER "struct p { _Alignas(16) unsigned __int128 v; };\n"
             "static struct p *make(void) { struct p *p = aligned_alloc(16,"
             " sizeof *p); p->v = 0; return p; }\n"
             "static void drop(struct p *p) { free(p); }\n"
             "static int swap(struct p *p) { unsigned __int128 e = 0; return "
             "__atomic_compare_exchange_n(&p->v, &e, 1, 0, 5, 5); }\n"
             "FL_OBJECT(pair, make, drop)\nFL_OP(int, swap)\n");
  static const char *const compilers[] = {"gcc", "clang"};
  for (int i = 0; i < 2; i++) {
    struct build b = {.native = true, .include = FL_SOURCE_INCLUDE};
    struct error e = {0};
    char *so = NULL;
    b.cc = compilers[i];
    if (!scratch_has(b.cc))
      continue;
    vec_push(&b.inputs, "pair.c");
    if (CHECK_INT(build_shared(&b, "out", &so, &e), ERR_NONE))
      engine_child(swaps_pairs, so);
    vec_push(&built, so);
    vec_free(&b.inputs);
  }
}

TEST_MAIN
