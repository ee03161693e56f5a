/*
 * The search over states: how time and states grow with threads and calls of
 * Michael and Scott's queue; one process against two on the same client; a
 * client whose executions are thousands of steps long.
 */
#include "base/clock.h"
#include "build/compile.h"
#include "search/explore.h"
#include "search/parallel_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELL_SECONDS = 20, ROUNDS = 5 };

static enum judgement nothing(void *ctx, enum rt_end end) {
  (void)ctx, (void)end;
  return JUDGE_GOOD;
}

static const uint8_t nargs[] = {1, 0};
static const char *const words[] = {"enqueue", "dequeue"};
static const struct op_names names = {words, 2};

static void prepare(struct client *c, const char *text) {
  struct error e = {0};
  if (client_read(c, text, &names, nargs, &e))
    die("%s", e.text);
  if (rt_prepare(rt_suites(), c) != RT_DONE)
    die("the client cannot be prepared");
}

static char *open_object(const char *file, const char *root, const char *dir) {
  char *include = xasprintf("%s/include", root);
  struct build b = {.include = include};
  vec_push(&b.inputs, file);
  struct error e = {0};
  char *so;
  struct rt_options o = {.max_steps = 100000};
  if (build_shared(&b, dir, &so, &e) || rt_open(so, &o, &e))
    die("%s", e.text);
  return so;
}

/* Runs it in a child, since there is one engine in a process and to have its
 * memory measured. */
static void in_child(void (*f)(void *), void *arg) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0)
    die("cannot fork");
  if (!pid) {
    f(arg);
    fflush(stdout);
    _exit(0);
  }
  waitpid(pid, NULL, 0);
}

static long memory_mb(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss / 1024;
}

/* ---- the curve ---- */

struct cell {
  uint32_t threads, calls;
};

static void client_text(const struct cell *cell, struct buf *out) {
  for (uint32_t t = 1; t <= cell->threads; t++) {
    buf_puts(out, t > 1 ? " || {" : "{");
    for (uint32_t i = 0; i < cell->calls; i++)
      if (i % 2)
        buf_puts(out, "dequeue(); ");
      else
        buf_printf(out, "enqueue(%u); ", t < 4 ? t : 1);
    buf_puts(out, "}");
  }
}

static void measure_cell(void *arg) {
  const struct cell *cell = arg;
  struct buf text = {0};
  struct client c = {0};
  client_text(cell, &text);
  prepare(&c, buf_text(&text));
  double begun = clock_now();
  struct explore x = {
      .judge = {nothing, NULL}, .all = true, .deadline = begun + CELL_SECONDS};
  enum explore_end end = explore_stateful(&x);
  printf("  %7u %5u %10llu %11llu %8.3f %7ld%s\n", cell->threads, cell->calls,
         (unsigned long long)x.states, (unsigned long long)x.transitions,
         clock_now() - begun, memory_mb(),
         end == EXPLORE_ALL ? "" : "  given up");
}

static void measure_curve(void) {
  puts("Michael and Scott's queue, calls of each thread: enqueue, dequeue, …\n"
       "  threads calls     states transitions  seconds      MB");
  for (uint32_t threads = 2; threads <= 4; threads++)
    for (uint32_t calls = 1; calls <= 3; calls++)
      in_child(measure_cell, &(struct cell){threads, calls});
}

/* ---- one and two ---- */

struct pair {
  struct parallel_search *parallel;
  volatile uint64_t *states; /* by member */
};

static double children_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

struct cost {
  double seconds, processor; /* of all members together */
};

/* What so many members need, who know all conflicts. */
static struct cost together(const struct pair *p, uint32_t members) {
  double before = children_seconds();
  pid_t pids[2];
  parallel_reset(p->parallel, members);
  double begun = clock_now();
  for (uint32_t i = 0; i < members; i++) {
    pids[i] = fork();
    if (pids[i] < 0)
      die("cannot fork");
    if (!pids[i]) {
      struct explore x = {.judge = {nothing, NULL},
                          .all = true,
                          .parallel = p->parallel,
                          .member = i};
      enum explore_end end = explore_stateful(&x);
      p->states[i] = x.states;
      _exit(end != EXPLORE_ALL);
    }
  }
  for (uint32_t i = 0; i < members; i++) {
    int status;
    waitpid(pids[i], &status, 0);
    if (status)
      die("a member did not come to its end");
  }
  return (struct cost){clock_now() - begun, children_seconds() - before};
}

static void measure_pair(void *arg) {
  const char *text = arg;
  struct client c = {0};
  prepare(&c, text);
  struct pair p = {parallel_map(2, 0, 0), mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
  struct explore x = {.judge = {nothing, NULL}, .all = true};
  explore_stateful(&x); /* to know the conflicts */
  struct cost best[2] = {{1e9, 1e9}, {1e9, 1e9}};
  for (int i = 0; i < ROUNDS; i++)
    for (uint32_t k = 0; k < 2; k++) {
      struct cost c = together(&p, k + 1);
      if (c.seconds < best[k].seconds)
        best[k].seconds = c.seconds;
      if (c.processor < best[k].processor)
        best[k].processor = c.processor;
    }
  printf("%s: %llu states\n", text, (unsigned long long)x.states);
  printf("  one process %.3f s (processor %.3f s), two %.3f s (%.3f s): %.2f "
         "times as fast\n  (best of %d); the second entered %.0f%% of them\n",
         best[0].seconds, best[0].processor, best[1].seconds, best[1].processor,
         best[0].seconds / best[1].seconds, ROUNDS,
         100.0 * (double)p.states[1] / (double)(p.states[0] + p.states[1]));
}

/* ---- deep ---- */

static const char deep_text[] =
    "#include <faultline.h>\n#include <stdatomic.h>\n"
    "static atomic_int n;\n"
    "static int enqueue(int k) { int v = 0;\n"
    "  for (int i = 0; i < 1000 * k; i++) v ^= atomic_fetch_add(&n, 1);\n"
    "  return v; }\n"
    "static int dequeue(void) { return atomic_load(&n) < 0; }\n"
    "FL_OBJECT(deep)\nFL_OP(int, enqueue, FL_INT(1, 9))\nFL_OP(int, dequeue)\n";

static void measure_deep(void *arg) {
  const char *text = arg;
  struct client c = {0};
  prepare(&c, text);
  double best = 1e9;
  struct explore x;
  for (int i = 0; i < ROUNDS; i++) {
    double t = clock_now();
    x = (struct explore){.judge = {nothing, NULL}, .all = true};
    explore_stateful(&x);
    t = clock_now() - t;
    best = t < best ? t : best;
  }
  printf("%s: %llu states, %.3f s (best of %d), %ld MB\n", text,
         (unsigned long long)x.states, best, ROUNDS, memory_mb());
}

/* ---- */

struct place {
  const char *root, *dir;
};

static void queue(void *arg) {
  const struct place *p = arg;
  char *file = xasprintf("%s/examples/ms_queue.c", p->root);
  open_object(file, p->root, p->dir);
  measure_curve();
  char three[] = "{enqueue(1)} || {enqueue(2); dequeue()} || {dequeue()}";
  char four[] = "{enqueue(1)} || {enqueue(2)} || {dequeue()} || {dequeue()}";
  in_child(measure_pair, three);
  in_child(measure_pair, four);
}

static void deep(void *arg) {
  const struct place *p = arg;
  char *file = xasprintf("%s/deep.c", p->dir);
  FILE *f = fopen(file, "w");
  if (!f || fputs(deep_text, f) < 0 || fclose(f))
    die("cannot write %s", file);
  open_object(file, p->root, p->dir);
  char one[] = "{enqueue(9)} || {dequeue()}";
  char two[] = "{enqueue(2)} || {dequeue(); dequeue()} || {dequeue()}";
  in_child(measure_deep, one);
  in_child(measure_deep, two);
}

int main(void) {
  const char *root = getenv("SOURCE_DIR");
  char dir[] = "/tmp/faultline-bench-XXXXXX";
  if (!mkdtemp(dir))
    die("no folder");
  struct place p = {root ? root : ".", dir};
  in_child(queue, &p);
  in_child(deep, &p);
  return 0;
}
