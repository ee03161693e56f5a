/*
 * Searches over whole programs, side by side: dpor's executions a second, and
 * how many states the same program has for the search over states.
 */
#include "base/clock.h"
#include "build/compile.h"
#include "search/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static enum judgement nothing(void *ctx, enum rt_end end) {
  (void)ctx, (void)end;
  return JUDGE_GOOD;
}

struct program {
  const char *file;
  const char *flags[4];
};

static const struct program programs[] = {
    {"treiber", {"-DPUSHERS=0", "-DPOPPERS=0", "-DBOTH=3"}},
    {"michael_scott", {"-DPUTTERS=2", "-DGETTERS=2"}},
    {"two_locks", {"-DPUTTERS=3", "-DGETTERS=3"}},
};

/* Seconds of a core: others use the machine too. */
static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* dpor in rounds of at most so many executions: the best round is the least
 * disturbed one. */
static void run_dpor(void) {
  enum { ROUNDS = 5, MOST = 30000 };
  double best = 0;
  uint64_t executions = 0, blocked = 0;
  enum explore_end end = EXPLORE_ALL;
  for (int i = 0; i < ROUNDS; i++) {
    struct explore x = {
        .judge = {nothing, NULL}, .no_real_time = true, .max_executions = MOST};
    double t = cpu_seconds();
    end = explore_dpor(&x);
    t = cpu_seconds() - t;
    executions = x.executions;
    blocked = x.blocked;
    if ((double)executions / t > best)
      best = (double)executions / t;
  }
  printf(
      "  dpor      %8llu executions%s, %llu blocked, %7.0f/s of a core (best "
      "round)\n",
      (unsigned long long)executions, end == EXPLORE_ALL ? "" : " (cut)",
      (unsigned long long)blocked, best);
}

static void run_stateful(void) {
  struct explore x = {.judge = {nothing, NULL}, .all = true};
  double t = clock_now();
  enum explore_end end = explore_stateful(&x);
  t = clock_now() - t;
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  printf("  stateful  %8llu states%s, %.2f s, %ld MB\n",
         (unsigned long long)x.states, end == EXPLORE_ALL ? "" : " (cut)", t,
         u.ru_maxrss / 1024);
}

static void measure(const struct program *p, const char *dir,
                    const char *root) {
  char *file = xasprintf("%s/tests/clients/dpor/%s.c", root, p->file);
  char *include = xasprintf("%s/include", root);
  struct build b = {.include = include};
  vec_push(&b.inputs, file);
  printf("%s", p->file);
  for (int i = 0; p->flags[i]; i++) {
    vec_push(&b.flags, p->flags[i]);
    printf(" %s", p->flags[i]);
  }
  puts("");
  struct error e = {0};
  char *so;
  struct rt_options o = {.max_steps = 100000};
  if (build_shared(&b, dir, &so, &e) || rt_open(so, &o, &e))
    die("%s", e.text);
  if (rt_prepare(NULL, NULL) != RT_DONE)
    die("%s cannot be prepared", file);
  run_dpor();
  run_stateful();
  fflush(stdout);
}

int main(void) {
  const char *root = getenv("SOURCE_DIR");
  char dir[] = "/tmp/faultline-bench-XXXXXX";
  if (!mkdtemp(dir))
    die("no folder");
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    fflush(stdout);
    pid_t pid = fork(); /* one engine a process */
    if (pid < 0)
      die("cannot fork");
    if (!pid) {
      measure(&programs[i], dir, root ? root : ".");
      _exit(0);
    }
    waitpid(pid, NULL, 0);
  }
  return 0;
}
