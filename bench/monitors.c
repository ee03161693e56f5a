/*
 * The monitors on generated histories, as the size doubles, with both verdicts.
 * A row is one history:
 *
 *   type, operations, whether a violation was planted near its end, the verdict
 *   and the method, milliseconds (the best of three; the clock is that of the
 *   processor), how many times as long as for half of it, nanoseconds an
 *   operation, megabytes beside the log
 *
 * What is to be seen: nanoseconds an operation grow hardly; a million
 * operations of a register, a map, a set or a queue take well under 300 ms,
 * those of a stack or a priority queue under 800.  Maps and sets are split by
 * key on the way, which is measured too.
 *
 * An argument selects the rows whose type contains it.  LARGEST=16384000 in the
 * environment goes further.
 */
#include "history/log_check.h"
#include "plant.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALLEST = 1000, LARGEST = 2048000, TIMES = 3 };

static const struct {
  const char *label, *type;
  struct random_log log;
} rows[] = {
    {"register", "register", {"register", 1, .processes = 20}},
    {"cas-register", "cas-register", {"cas-register", 1, .processes = 5}},
    {"map of 100",
     "cas-registers",
     {"map", 1, .processes = 20, .keys = 100, .no_removals = true}},
    {"set of many", "set", {"set", 1, .processes = 20}},
    {"set of 100", "set", {"set", 1, .processes = 20, .values = 100}},
    {"queue", "queue", {"queue", 1, .processes = 20}},
    {"queue, no peeks",
     "queue",
     {"queue", 1, .processes = 20, .no_reads = true}},
    {"stack", "stack", {"stack", 1, .processes = 20}},
    {"stack of 3", "stack", {"stack", 1, .processes = 3, .no_reads = true}},
    {"deep stack", "stack", {"stack", 1, .processes = 20, .removals = 30}},
    {"pqueue", "pqueue", {"pqueue", 1, .processes = 20}},
    {"deep pqueue", "pqueue", {"pqueue", 1, .processes = 20, .removals = 30}},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* `before`: seconds for half the size, 0: none; gives those for this one. */
static double measure(const char *label, const char *type, const struct log *l,
                      bool planted, double before) {
  struct error e = {0};
  struct type *t = type_open(type, DATUM_NONE, &e);
  if (!t)
    die("%s", e.text);
  struct log_problem p = {.log = l, .type = t, .nops = l->ops.len};
  struct log_answer a = {0};
  struct log_options o = {0};
  double best = 1e9;
  p.ops = xcalloc(p.nops, sizeof *p.ops);
  for (uint32_t i = 0; i < p.nops; i++)
    if (t->prepare(t, l, &l->ops.at[i], &p.ops[i], &e))
      die("%s", e.text);
  for (int i = 0; i < TIMES; i++) {
    double start = now();
    check_log(&p, &o, &a);
    double took = now() - start;
    best = took < best ? took : best;
  }
  const char *const verdicts[] = {"linearizable", "violation", "unknown"};
  char growth[32] = "";
  if (before > 0)
    snprintf(growth, sizeof growth, "%.1f times", best / before);
  printf("%-16s %8u %-8s %-12s %-20s %7.1f ms %11s %6.0f ns %6.1f MB\n", label,
         p.nops, planted ? "planted" : "", verdicts[a.verdict], a.method,
         best * 1e3, growth, best * 1e9 / p.nops, (double)a.bytes / 1e6);
  if (a.verdict == LOG_VIOLATION && p.nops == SMALLEST)
    printf("    %u operations: %.150s\n", a.core.len,
           a.reason ? a.reason : "-");
  fflush(stdout);
  log_answer_free(&a);
  free(p.ops);
  type_free(t);
  return best;
}

int main(int argc, char **argv) {
  const char *text = getenv("LARGEST");
  uint32_t largest = text ? (uint32_t)strtoul(text, NULL, 10) : LARGEST;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (argc > 1 && !strstr(rows[i].label, argv[1]))
      continue;
    double before[2] = {0, 0};
    for (uint32_t n = SMALLEST; n <= largest; n *= 2)
      for (int planted = 0; planted < 2; planted++) {
        struct random_log want = rows[i].log;
        want.operations = n;
        struct log l = random_log(&want);
        log_simplify(&l);
        if (planted)
          plant_few(&l);
        before[planted] =
            measure(rows[i].label, rows[i].type, &l, planted, before[planted]);
        log_free(&l);
      }
  }
  return 0;
}
