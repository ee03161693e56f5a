/*
 * Real threads: rounds a second of short and long clients, with nothing looked
 * at and with every history checked, for both clocks; the price of globals that
 * are copied back and of a process for each round; and how many rounds it takes
 * until a fault shows, over ten seeds: a lost update, and an order of stores
 * and loads that only the machine's store buffers give.
 */
#include "search/stress.h"
#include "base/clock.h"
#include "build/compile.h"
#include "check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static const char locked[] =
    COUNTER("pthread_mutex_lock(&c->m); long n = ++c->n;"
            "pthread_mutex_unlock(&c->m); return n;");
static const char global[] =
    HEADER "static long n;\n"
           "static long inc(void) { return __atomic_add_fetch(&n, 1, 5); }\n"
           "FL_OBJECT(counter)\nFL_OP(long, inc)\n"
           "FL_SPEC(counter, inc_fetch = inc)\n";
static const char fresh[] =
    HEADER "static long *n;\n"
           "__attribute__((constructor)) static void load(void)"
           " { n = calloc(1, 8); }\n"
           "static long inc(void) { return __atomic_add_fetch(n, 1, 5); }\n"
           "FL_OBJECT(counter)\nFL_OP(long, inc)\n"
           "FL_SPEC(counter, inc_fetch = inc)\n";
/* Dekker: under sequential consistency one of the two sees the other. */
static const char dekker[] = HEADER
    "struct d { _Alignas(64) volatile int x; _Alignas(64) volatile int y; };\n"
    "static struct d *make(void) { struct d *d = aligned_alloc(64, sizeof *d);"
    " d->x = d->y = 0; return d; }\n"
    "static void drop(struct d *d) { free(d); }\n"
    "static int left(struct d *d) { d->x = 1; return d->y; }\n"
    "static int right(struct d *d) { d->y = 1; return d->x; }\n"
    "FL_OBJECT(dekker, make, drop)\nFL_OP(int, left)\nFL_OP(int, right)\n";

static char dir[] = "/tmp/faultline-bench-XXXXXX";
static char *include;

static char *build(const char *text) {
  static unsigned count;
  char *file = xasprintf("%s/o%u.c", dir, count++), *so = NULL;
  struct buf source = {0};
  struct build b = {.native = true, .include = include};
  struct error e = {0};
  buf_puts(&source, text);
  vec_push(&b.inputs, file);
  if (buf_write_file(&source, file, &e) || build_shared(&b, dir, &so, &e))
    die("%s", e.text);
  return so;
}

struct court {
  struct spec *spec; /* NULL: see `both` */
  struct check check;
  bool both; /* bad if both results are 0 */
};

static enum judgement judge(void *ctx, const struct history *h,
                            bool invariant) {
  struct court *c = ctx;
  (void)invariant;
  if (c->both)
    return h->ops[0].result.bits || h->ops[1].result.bits ? JUDGE_GOOD
                                                          : JUDGE_BAD;
  if (!c->spec)
    return JUDGE_GOOD;
  check_linearize(h, c->spec, CRITERION_LINEARIZABLE, 1000000, &c->check);
  return c->check.answer == CHECK_NO ? JUDGE_BAD : JUDGE_GOOD;
}

static void fill(struct client *c, uint32_t threads, uint32_t calls) {
  *c = (struct client){0};
  for (uint32_t t = 1; t <= threads; t++)
    for (uint32_t i = 0; i < calls; i++)
      client_add(c, t, (struct call){.op = 0});
}

static void rate(const char *so, const char *what, uint32_t threads,
                 uint32_t calls, enum stamp_clock clock, bool checked) {
  struct error e = {0};
  struct stress_options o = {.clock = clock};
  struct stress *s = stress_open(so, &o, &e);
  if (!s)
    die("%s", e.text);
  struct court court = {0};
  if (checked)
    court.spec = spec_builtin(stress_suites(s), &e);
  struct client c;
  fill(&c, threads, calls);
  double begun = clock_now();
  struct stress_run r = {
      .judge = {judge, &court}, .deadline = begun + 1, .all = true};
  stress_run(s, stress_suites(s), &c, &r, &e);
  double seconds = clock_now() - begun;
  printf("  %-28s %u x %-4u %9.0f rounds/s %10.0f calls/s  %s\n", what, threads,
         calls, (double)r.rounds / seconds,
         (double)r.rounds * threads * calls / seconds,
         r.clock == STAMP_TSC ? "time stamp counter" : "shared counter");
  client_free(&c);
}

static int compare(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

static void search(const char *so, const char *what, struct court *court,
                   const struct client *c, uint64_t limit,
                   enum stamp_clock clock) {
  enum { SEEDS = 10 };
  uint64_t rounds[SEEDS], found = 0;
  struct error e = {0};
  struct stress_options o = {.clock = clock};
  struct stress *s = stress_open(so, &o, &e);
  if (!s)
    die("%s", e.text);
  if (!court->both)
    court->spec = spec_builtin(stress_suites(s), &e);
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct stress_run r = {
        .judge = {judge, court}, .max_rounds = limit, .seed = seed};
    found += stress_run(s, stress_suites(s), c, &r, &e) == STRESS_BAD;
    rounds[seed] = r.rounds;
    stress_run_release(&r);
  }
  qsort(rounds, SEEDS, sizeof *rounds, compare);
  printf("  %-40s %2llu of %d, rounds: median %llu, most %llu\n", what,
         (unsigned long long)found, SEEDS,
         (unsigned long long)rounds[SEEDS / 2],
         (unsigned long long)rounds[SEEDS - 1]);
}

int main(void) {
  const char *source = getenv("SOURCE_DIR");
  include = xasprintf("%s/include", source ? source : ".");
  if (!mkdtemp(dir))
    die("no folder");
  char *ok = build(locked), *bad = build(racy), *own = build(global),
       *anew = build(fresh), *buffers = build(dekker);

  struct stamps st;
  stamps_init(&st, STAMP_ANY, 2);
  printf("Real threads; %u processors for two of them, margin %llu ticks\n",
         st.ncpus, (unsigned long long)st.margin);
  static const uint32_t sizes[][2] = {{2, 2}, {3, 2}, {2, 500}, {4, 1000}};
  for (int i = 0; i < 4; i++) {
    uint32_t t = sizes[i][0], n = sizes[i][1];
    rate(ok, "counter with a lock", t, n, STAMP_ANY, false);
    rate(ok, "the same", t, n, STAMP_COUNTER, false);
    rate(ok, "the same, checked", t, n, STAMP_ANY, true);
  }
  rate(own, "a global, copied back", 2, 2, STAMP_ANY, false);
  rate(anew, "a process for each round", 2, 2, STAMP_ANY, false);

  puts("Rounds until the fault shows, ten seeds");
  struct court court = {0};
  struct client c;
  fill(&c, 2, 2);
  search(bad, "lost update, 2 x 2", &court, &c, 100000, STAMP_ANY);
  fill(&c, 2, 200);
  search(bad, "lost update, 2 x 200", &court, &c, 100000, STAMP_ANY);
  c = (struct client){0};
  client_add(&c, 1, (struct call){.op = 0});
  client_add(&c, 2, (struct call){.op = 1});
  struct court both = {.both = true};
  search(buffers, "Dekker, time stamp counter", &both, &c, 100000, STAMP_ANY);
  search(buffers, "Dekker, shared counter", &both, &c, 100000, STAMP_COUNTER);
  return 0;
}
