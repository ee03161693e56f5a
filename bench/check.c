/*
 * Checking recorded histories: the exact engines on generated logs, from 10^3
 * operations on, with both verdicts.  A row is one log:
 *
 *   type, operations, processes (all of them busy all the time), distinct
 *   values, crashed operations; engine, verdict, seconds, millions of steps,
 *   megabytes of the engine and the type, nanoseconds an operation
 *
 * What is to be seen: time and memory of the frontier do not depend on the
 * length but for a constant an operation; crashed operations cost nothing; each
 * of the engines has rows where it does not come to an end.  Logs are made
 * before the clock starts, which is that of the processor.
 *
 * An argument selects the rows whose label contains it.
 */
#include "history/log_check.h"
#include "plant.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LIMIT = 6 }; /* seconds, and the engine is said not to end */

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef void engine(const struct log_problem *, const struct log_budget *, bool,
                    struct log_answer *);

/* By key, without monitors. */
static void check_parts(const struct log_problem *p, const struct log_budget *b,
                        bool want_order, struct log_answer *out) {
  struct log_options o = {
      .budget = *b, .no_monitor = true, .want_order = want_order};
  check_log(p, &o, out);
}

static const struct {
  const char *name;
  engine *check;
} engines[] = {{"frontier", check_frontier},
               {"linearize", check_depth_first},
               {"exact", check_exact},
               {"parts", check_parts}};

struct row {
  const char *label;
  struct random_log log;
  uint32_t crashes; /* so many operations that never return, at the beginning */
  bool planted;     /* a read near the end returns what nobody wrote, or what
                       was overwritten long before */
  const char *only; /* one engine; NULL: all */
};

static const struct row rows[] = {
    {"long", {"register", 1, 1000, 5, .values = 5}},
    {"long", {"register", 1, 10000, 5, .values = 5}},
    {"long", {"register", 1, 100000, 5, .values = 5}},
    {"long", {"register", 1, 200000, 5, .values = 5}},
    {"long", {"register", 1, 400000, 5, .values = 5}},
    {"long", {"register", 1, 1000000, 5, .values = 5}},
    {"long", {"register", 1, 2000000, 5, .values = 5}, .only = "frontier"},
    {"bad",
     {"register", 1, 1000000, 5, .values = 5},
     .planted = true,
     .only = "exact"},
    {"distinct", {"register", 1, 100000, 5}},
    {"wide", {"register", 1, 1000, 20, .values = 5}},
    {"wide", {"register", 1, 10000, 20, .values = 5}},
    {"wide, bad", {"register", 1, 1000, 20, .values = 5}, .planted = true},
    {"wide, bad", {"register", 2, 1000, 20, .values = 5}, .planted = true},
    {"crashed", {"register", 1, 100000, 5, .values = 5}, .crashes = 30},
    {"crashed, distinct", {"register", 1, 100000, 5}, .crashes = 30},
    {"crashed, seen",
     {"register", 1, 100000, 5, .values = 5},
     .crashes = 30,
     .planted = true},
    {"crashed, bad",
     {"register", 1, 100000, 5},
     .crashes = 30,
     .planted = true},
    {"cas", {"cas-register", 1, 100000, 5, .values = 5}},
    {"counter", {"counter", 1, 10000, 5}},
    {"keys", {"map", 1, 1000000, 10, .values = 5, .keys = 1}, .only = "parts"},
    {"keys",
     {"map", 1, 1000000, 10, .values = 5, .keys = 100},
     .only = "parts"},
    {"keys",
     {"map", 1, 1000000, 10, .values = 5, .keys = 10000},
     .only = "parts"},
    {"keys",
     {"map", 1, 1000000, 10, .values = 5, .keys = 300000},
     .only = "parts"},
    {"queue", {"queue", 1, 10000, 4}, .only = "exact"},
    {"stack", {"stack", 1, 10000, 4}, .only = "exact"},
};

/* Writes of one process each, called before all others. */
static void crash(struct log *l, uint32_t n, uint32_t values) {
  uint16_t f = plant_write_of(l);
  VEC(struct log_op) ops = {0};
  for (uint32_t i = 0; i < n; i++)
    vec_push(&ops,
             ((struct log_op){
                 .call = i,
                 .ret = LOG_PENDING,
                 .process = l->nprocesses + i,
                 .f = f,
                 .nargs = 1,
                 .arg = {datum_number(values ? 1 + i % values : 1000000000 + i),
                         DATUM_NONE, DATUM_NONE},
                 .result = DATUM_NONE,
                 .order = LOG_NO_HINT}));
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op o = l->ops.at[i];
    o.call += n;
    o.ret += o.ret == LOG_PENDING ? 0 : n;
    vec_push(&ops, o);
  }
  vec_free(&l->ops);
  l->ops.at = ops.at;
  l->ops.len = ops.len;
  l->ops.cap = ops.cap;
  l->end += n;
  l->nprocesses += n;
}

static bool prepare(struct log_problem *p, const struct log *l,
                    struct type *t) {
  struct error e = {0};
  *p = (struct log_problem){.log = l, .type = t, .nops = l->ops.len};
  p->ops = xcalloc(p->nops + 1, sizeof *p->ops);
  for (uint32_t i = 0; i < p->nops; i++)
    if (t->prepare(t, l, &l->ops.at[i], &p->ops[i], &e)) {
      printf("%s\n", e.text);
      return false;
    }
  return true;
}

static void measure(const struct row *r, const struct log *l, size_t k) {
  static const char *const verdicts[] = {"linearizable", "violation",
                                         "unknown"};
  struct error e = {0};
  struct log_problem p;
  struct log_answer a = {0};
  struct type *t = type_open(r->log.shape, DATUM_NONE, &e);
  if (!t || !prepare(&p, l, t)) {
    printf("%s\n", e.text);
    return;
  }
  struct log_budget b = {.deadline = now(CLOCK_MONOTONIC) + LIMIT,
                         .memory = 4ull << 30};
  double start = now(CLOCK_PROCESS_CPUTIME_ID);
  engines[k].check(&p, &b, false, &a);
  double seconds = now(CLOCK_PROCESS_CPUTIME_ID) - start;
  printf("%-18s %-12s %8u %3u %3u %3u  %-9s %-12s %7.3f s %8.2f M %7.1f MB "
         "%6.0f ns",
         r->label, r->log.shape, l->ops.len, r->log.processes, r->log.values,
         r->crashes, engines[k].name, verdicts[a.verdict], seconds,
         (double)a.steps * 1e-6, (double)a.bytes / (1 << 20),
         seconds * 1e9 / l->ops.len);
  if (strcmp(a.method, engines[k].name))
    printf("  by %s", a.method);
  if (a.verdict == LOG_UNKNOWN)
    printf("  (%s, at %u)", a.limit, a.at);
  else if (a.verdict == LOG_VIOLATION)
    printf("  (at %u)", a.at);
  printf("\n");
  fflush(stdout);
  log_answer_free(&a);
  free(p.ops);
  type_free(t);
}

static void run(const struct row *r) {
  struct log l = random_log(&r->log);
  if (r->crashes)
    crash(&l, r->crashes, r->log.values);
  if (r->planted)
    plant_stale(&l);
  for (size_t k = 0; k < sizeof engines / sizeof *engines; k++)
    if (r->only ? !strcmp(r->only, engines[k].name)
                : engines[k].check != check_parts)
      measure(r, &l, k);
  log_free(&l);
}

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (argc < 2 || strstr(rows[i].label, argv[1]))
      run(&rows[i]);
  return 0;
}
