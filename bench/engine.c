/*
 * The speed of the engine on Afek's stack, three threads, two pushes and two
 * pops: complete executions a second by dfs, without and with histories
 * checked, and state transitions a second with snapshot and hash.  Then the
 * cost of a step as executions get longer.
 *
 * One core.  Rounds are repeated until a second has passed; given are the
 * mean over all rounds and, since the machine may be busy with other things,
 * the best round.
 */
#include "base/clock.h"
#include "build/compile.h"
#include "build/probe.h"
#include "hunt/checker.h"
#include "search/explore.h"
#include "spec/implementation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static enum judgement nothing(void *ctx, enum rt_end end) {
  (void)ctx, (void)end;
  return JUDGE_GOOD;
}

static const uint8_t nargs[] = {1, 0};
static const char *const words[] = {"push", "pop"};
static const struct op_names names = {words, 2};

static void prepare(struct client *c, const char *text) {
  struct error e = {0};
  *c = (struct client){0};
  if (client_read(c, text, &names, nargs, &e))
    die("%s", e.text);
  if (rt_prepare(rt_suites(), c) != RT_DONE)
    die("the client cannot be prepared");
}

struct rate {
  double executions, steps, transitions, seconds;
  double best_executions, best_transitions, best_step; /* a second; seconds */
};

static struct rate measure(enum explore_end (*how)(struct explore *),
                           struct judge judge, uint64_t limit,
                           bool no_reduction) {
  struct rate r = {.best_step = 1};
  double begun = clock_now();
  do {
    double round = clock_now();
    struct explore x = {.judge = judge,
                        .max_executions = limit,
                        .all = true,
                        .no_reduction = no_reduction};
    how(&x);
    r.executions += (double)x.executions;
    r.steps += (double)x.steps;
    r.transitions += (double)x.transitions;
    vec_free(&x.bad);
    r.seconds = clock_now() - begun;
    round = clock_now() - round;
    if ((double)x.executions / round > r.best_executions)
      r.best_executions = (double)x.executions / round;
    if ((double)x.transitions / round > r.best_transitions)
      r.best_transitions = (double)x.transitions / round;
    if (x.steps && round / (double)x.steps < r.best_step)
      r.best_step = round / (double)x.steps;
  } while (r.seconds < 1);
  return r;
}

static enum judgement (*checked)(void *ctx, enum rt_end end);
/* dfs keeps bad paths, which runs them again: count verdicts instead. */
static enum judgement check_only(void *ctx, enum rt_end end) {
  checked(ctx, end);
  return JUDGE_GOOD;
}

/* Save, restore and hash in the middle of an execution. */
static void measure_snapshots(void) {
  enum { ROUNDS = 200, TIMES = 1000 };
  struct snapshot s = {0};
  struct rt_driver d = {0};
  rt_begin(&d);
  for (int i = 0; i < 6; i++)
    rt_step(__builtin_ctz(rt_enabled()), &d);
  double best[3] = {1, 1, 1};
  for (int r = 0; r < ROUNDS; r++) {
    double t[4];
    t[0] = clock_now();
    for (int i = 0; i < TIMES; i++)
      rt_save(&s);
    t[1] = clock_now();
    for (int i = 0; i < TIMES; i++)
      rt_restore(&s);
    t[2] = clock_now();
    for (int i = 0; i < TIMES; i++)
      rt_hash(true);
    t[3] = clock_now();
    for (int k = 0; k < 3; k++)
      if ((t[k + 1] - t[k]) / TIMES < best[k])
        best[k] = (t[k + 1] - t[k]) / TIMES;
  }
  printf("  snapshot of %u bytes: save %.0f ns, restore %.0f ns, hash %.0f ns "
         "(best rounds)\n",
         s.len, 1e9 * best[0], 1e9 * best[1], 1e9 * best[2]);
  snapshot_free(&s);
}

int main(void) {
  const char *source = getenv("SOURCE_DIR");
  char dir[] = "/tmp/faultline-bench-XXXXXX";
  if (!mkdtemp(dir))
    die("no folder");
  char *file = xasprintf("%s/examples/afek_stack.c", source ? source : ".");
  char *include = xasprintf("%s/include", source ? source : ".");
  struct build b = {.include = include};
  vec_push(&b.inputs, file);
  struct error e = {0};
  char *so;
  struct rt_options o = {.max_steps = 1000000, .watchdog_ms = 1000};
  if (build_shared(&b, dir, &so, &e) || rt_open(so, &o, &e))
    die("%s", e.text);

  struct client c;
  struct judge none = {nothing, NULL};
  prepare(&c, "{push(1)} || {push(2); pop()} || {pop()}");
  puts("Afek's stack, {push(1)} || {push(2); pop()} || {pop()}, one core");
  struct rate r = measure(explore_dfs, none, 0, false);
  puts("                              mean      best round");
  printf("  dfs, nothing recorded  %9.0f %11.0f  executions/s\n",
         r.executions / r.seconds, r.best_executions);

  struct checker checker = {.suite = rt_suites(),
                      .spec = spec_implementation(),
                      .implementation = true};
  checker_client(&checker, &c);
  struct judge j = checker_judge(&checker);
  checked = j.ended;
  j.ended = check_only;
  r = measure(explore_dfs, j, 0, false);
  printf(
      "  dfs, histories checked %9.0f %11.0f  executions/s (%llu distinct)\n",
      r.executions / r.seconds, r.best_executions,
      (unsigned long long)checker.histories);
  r = measure(explore_stateful, none, 0, true);
  printf("  stateful, no reduction %9.0f %11.0f  transitions/s\n",
         r.transitions / r.seconds, r.best_transitions);
  r = measure(explore_stateful, none, 0, false);
  printf("  stateful               %9.0f %11.0f  transitions/s\n",
         r.transitions / r.seconds, r.best_transitions);
  measure_snapshots();

  puts("A step as executions get longer, dfs, rounds of 10,000 executions of\n"
       "{(push(1); pop()) × n} || {pop()}");
  for (uint32_t n = 1; n <= 64; n *= 4) {
    struct buf text = {0};
    buf_puts(&text, "{");
    for (uint32_t i = 0; i < n; i++)
      buf_puts(&text, i ? "; push(1); pop()" : "push(1); pop()");
    buf_puts(&text, "} || {pop()}");
    prepare(&c, buf_text(&text));
    r = measure(explore_dfs, none, 10000, false);
    printf("  n = %-3u %6.0f steps an execution, %5.1f ns a step (best round "
           "%.1f)\n",
           n, r.steps / r.executions, 1e9 * r.seconds / r.steps,
           1e9 * r.best_step);
    buf_free(&text);
  }
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  printf("Memory: %ld MB\n", u.ru_maxrss / 1024);
  return 0;
}
