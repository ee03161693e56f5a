/*
 * How many executions random, pct, dpct and pos need until the first failure,
 * over 100 seeds, for bugs that need a given depth: that many orders between
 * steps of different threads.
 *
 * The pair snapshot needs reader, writer, reader, writer, reader: depth 4, in
 * an execution of 7 steps.  The others are made for this: to climb to stage
 * d + 1 two threads must take turns d times; one of them has private steps to
 * make before each of its turns, and the other one must not move meanwhile.
 *
 * What theory says, and what is to be seen:
 * - pct needs at most 1/bound = n k^(d-1) executions on average, and so does
 *   dpct if its estimates hold.
 * - random needs 2^s if a thread has to stand still for s steps of the other:
 *   exponential in the private steps, where pct is polynomial.  Where
 *   executions are short it is the other way round: random meets the pair
 *   snapshot's bug with 2^-6, pct is promised 13^-3 / 2 (a reader that goes
 *   round twice makes 13 steps of 7).
 * - dpct comes behind pct: pct knows k from the executions before, dpct guesses
 *   it from the code.  Too large a guess costs a factor of (guess/k)^(d-1), too
 *   small a one puts change points too early.  Loops count once, or three times
 *   ("dpct, 3").
 *   It needs no execution to begin with.
 * - pos pays for races only, so private steps cost it little.
 */
#include "base/clock.h"
#include "build/compile.h"
#include "code/flow.h"
#include "search/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
    "#include <faultline.h>\n"
    "static volatile int pair[2] = {1, 1}, stage, own;\n"
    "static void put(int i, int v) { pair[i] = v; }\n"
    "static int both(void) {\n"
    "  for (;;) {\n"
    "    int x = pair[0], y = pair[1];\n"
    "    if (x == pair[0])\n"
    "      return 10 * x + y;\n"
    "  }\n"
    "}\n"
    "static void slow(int top, int steps) {\n"
    "  for (int i = 0; i < top; i += 2) {\n"
    "    for (int k = 0; k < steps; k++)\n"
    "      own = k;\n"
    "    if (stage == i)\n"
    "      stage = i + 1;\n"
    "  }\n"
    "}\n"
    "static void fast(int top) {\n"
    "  for (int i = 1; i < top; i += 2)\n"
    "    if (stage == i)\n"
    "      stage = i + 1;\n"
    "}\n"
    "static int reached(void) { return stage; }\n"
    "FL_OBJECT(depth)\n"
    "FL_OP(void, put, FL_INT(0, 1), FL_INT(1, 2))\n"
    "FL_OP(int, both)\n"
    "FL_OP(void, slow, FL_INT(1, 9), FL_INT(1, 9))\n"
    "FL_OP(void, fast, FL_INT(1, 9))\n"
    "FL_OP(int, reached)\n";

static const char *const words[] = {"put", "both", "slow", "fast", "reached"};
static const uint8_t nargs[] = {2, 0, 2, 1, 0};
static const struct op_names names = {words, 5};

/* The last call's result that only the bug can give. */
static uint64_t wrong;

static enum judgement judge(void *ctx, enum rt_end end) {
  (void)ctx;
  const struct history *h = rt_history();
  return end == RT_DONE && h->ops[h->client->ncalls - 1].result.bits == wrong
             ? JUDGE_BAD
             : JUDGE_GOOD;
}

enum { SEEDS = 100, MOST = 20000 };

struct needs {
  uint32_t found;
  double mean, median, promised; /* executions; 0: no promise */
  double seconds;
};

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static struct needs measure(enum explore_end (*how)(struct explore *),
                            uint32_t depth, const uint32_t *estimate,
                            uint32_t ncalls) {
  struct needs r = {0};
  uint64_t needed[SEEDS], sum = 0;
  double begun = clock_now();
  for (uint32_t seed = 0; seed < SEEDS; seed++) {
    struct explore x = {.judge = {judge, NULL},
                        .max_executions = MOST,
                        .seed = 1 + seed,
                        .depth = depth,
                        .estimate = estimate,
                        .nestimates = ncalls};
    r.found += how(&x) == EXPLORE_BAD;
    needed[seed] = x.executions;
    sum += x.executions;
    if (x.bound && 1 / x.bound > r.promised)
      r.promised = 1 / x.bound;
    vec_free(&x.bad);
  }
  qsort(needed, SEEDS, sizeof *needed, by_number);
  r.seconds = clock_now() - begun;
  r.median = (double)(needed[SEEDS / 2 - 1] + needed[SEEDS / 2]) / 2;
  /* Without an end after MOST: executions for each failure. */
  r.mean = r.found ? (double)sum / r.found : 0;
  return r;
}

static const struct {
  const char *word;
  enum explore_end (*how)(struct explore *);
  uint32_t theta; /* of loops whose code does not tell their rounds */
} strategies[] = {{"random", explore_random, 1},
                  {"pct", explore_pct, 1},
                  {"dpct", explore_dpct, 1},
                  {"dpct, 3", explore_dpct, 3},
                  {"pos", explore_pos, 1}};
enum { MOST_THETA = 3 };

static void print(const char *word, const struct needs *r) {
  printf("  %-8s %5" PRIu32, word, r->found);
  if (r->found)
    printf(" %10.0f", r->mean);
  else
    printf("    >%6d", SEEDS * MOST);
  if (r->median < MOST)
    printf(" %10.0f", r->median);
  else
    printf("     >%5d", MOST);
  if (r->promised)
    printf(" %12.0f", r->promised);
  printf("\n");
}

static uint32_t promises, kept;

static void run(struct flow *f, const char *title, const char *text,
                uint32_t depth, uint64_t wrong_result) {
  struct error e = {0};
  struct client c = {0};
  if (client_read(&c, text, &names, nargs, &e))
    die("%s", e.text);
  if (rt_prepare(rt_suites(), &c) != RT_DONE)
    die("the client cannot be prepared");
  uint32_t *estimate[MOST_THETA + 1];
  for (uint32_t theta = 0; theta <= MOST_THETA; theta++)
    estimate[theta] = xcalloc(c.ncalls, sizeof **estimate);
  for (uint32_t i = 0; i < c.ncalls; i++) {
    struct flow_tree t;
    if (!flow_tree_of(f, flow_find(f, words[c.calls[i].op]), &t))
      die("no code of %s", words[c.calls[i].op]);
    for (uint32_t theta = 1; theta <= MOST_THETA; theta++)
      estimate[theta][i] = flow_sum(&t, theta);
    flow_tree_free(&t);
  }
  wrong = wrong_result;
  printf("%s, depth %" PRIu32 ": %s\n", title, depth, text);
  printf("  strategy found       mean     median  1/bound\n");
  for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
    struct needs r = measure(strategies[i].how, depth,
                             estimate[strategies[i].theta], c.ncalls);
    print(strategies[i].word, &r);
    if (strategies[i].how == explore_pct && r.found) {
      promises++;
      kept += r.mean <= r.promised;
    }
  }
  for (uint32_t theta = 0; theta <= MOST_THETA; theta++)
    free(estimate[theta]);
  client_free(&c);
}

int main(void) {
  const char *dir_of_source = getenv("SOURCE_DIR");
  char dir[] = "/tmp/faultline-bench-XXXXXX";
  struct error e = {0};
  if (!mkdtemp(dir))
    die("no folder");
  char *file = xasprintf("%s/depth.c", dir), *so;
  char *include = xasprintf("%s/include", dir_of_source ? dir_of_source : ".");
  struct buf text = {0};
  buf_puts(&text, source);
  struct build b = {.include = include};
  vec_push(&b.inputs, file);
  struct rt_options o = {.max_steps = 10000, .watchdog_ms = 1000};
  if (buf_write_file(&text, file, &e) || build_shared(&b, dir, &so, &e))
    die("%s", e.text);
  struct lines *l = lines_open(so, &e);
  struct flow *f = l ? flow_open(l, &e) : NULL;
  if (!f || rt_open(so, &o, &e))
    die("%s", e.text);
  printf("Executions until the first failure, %d seeds, at most %d each.\n"
         "found: seeds that failed; mean: executions for each failure.\n",
         SEEDS, MOST);
  run(f, "pair snapshot",
      "{put(0,2); put(1,2); put(1,1); put(0,1)} || {both()}", 4, 12);
  /* For each depth few private steps, and more. */
  static const struct {
    uint32_t depth, steps;
  } turns[] = {{2, 3}, {2, 9}, {3, 3}, {3, 9}, {4, 3}, {4, 7}, {5, 1}, {5, 6}};
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    uint32_t top = turns[i].depth + 1;
    char *client = xasprintf("{slow(%" PRIu32 ",%" PRIu32 ")} || {fast(%" PRIu32
                             ")}; reached()",
                             top, turns[i].steps, top);
    run(f, "turns", client, turns[i].depth, top);
    free(client);
  }
  printf("pct within its promise: %" PRIu32 " of %" PRIu32 "\n", kept,
         promises);
  flow_close(f);
  lines_close(l);
  return 0;
}
