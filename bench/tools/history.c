/*
 * Writes a random history in Faultline's own format (docs/history.md), for
 * measuring checkers: this one and others.
 *
 *   history --type=queue --operations=1000000 --processes=20 >queue.jsonl
 *
 * An object is simulated by the way: without --planted the history is
 * linearizable.
 */
#include "../plant.h"
#include "base/opt.h"
#include "history/read/read.h"

#include <stdio.h>
#include <stdlib.h>

struct settings {
  int type, distribution;
  uint64_t operations, processes, concurrency, values, keys, crash_rate, seed;
  uint64_t removals;
  bool planted, no_reads;
};

/* Compare-and-set that failed and "delete" are for search: where all values are
 * distinct they are made reads, so that the monitors have something to do. */
static struct log make(const struct settings *s) {
  struct random_log want = {.shape = random_log_shapes[s->type],
                            .seed = s->seed,
                            .operations = (uint32_t)s->operations,
                            .processes = (uint32_t)s->processes,
                            .concurrency = (uint32_t)s->concurrency,
                            .values = (uint32_t)s->values,
                            .keys = (uint32_t)s->keys,
                            .removals = (uint32_t)s->removals,
                            .crash_rate = (uint32_t)s->crash_rate,
                            .no_reads = s->no_reads};
  want.distribution = s->distribution;
  bool map = !strcmp(want.shape, "map");
  want.no_removals = map && !s->values;
  struct log l = random_log(&want);
  bool registers = map || strstr(want.shape, "register");
  if (registers && !s->values)
    log_simplify(&l);
  if (s->planted && !strcmp(want.shape, "register") && s->values)
    plant_stale(&l);
  else if (s->planted &&
           (!strcmp(want.shape, "kv") || !strcmp(want.shape, "counter") ||
            !strcmp(want.shape, "list-append") ||
            (s->values && !strstr(want.shape, "set"))))
    plant_wrong(&l);
  else if (s->planted)
    plant_few(&l);
  if (map)
    l.type = s->values ? "kv" : "cas-registers";
  return l;
}

static int write_history(const struct settings *s) {
  struct log l = make(s);
  struct buf b = {0};
  log_write(&l, &b);
  bool written = fwrite(b.at, 1, b.len, stdout) == b.len && !fflush(stdout);
  buf_free(&b);
  log_free(&l);
  if (!written)
    fprintf(stderr, "history: cannot write\n");
  return written ? 0 : 2;
}

int main(int argc, char **argv) {
  struct settings s = {.operations = 1000, .processes = 5, .seed = 1};
  struct opt opts[] = {
      {"type", 0, OPT_ENUM, &s.type, "TYPE", "what the object is", NULL,
       .choices = random_log_shapes},
      {"operations", 0, OPT_UINT64, &s.operations, "N", "how many", NULL,
       .min = 1, .max = 100000000},
      {"processes", 0, OPT_UINT64, &s.processes, "N", "who call them", NULL,
       .min = 1, .max = 1000000},
      {"concurrency", 0, OPT_UINT64, &s.concurrency, "N",
       "at most so many are open at once; 0: all processes", NULL,
       .max = 1000000},
      {"values", 0, OPT_UINT64, &s.values, "N",
       "so many different ones; 0: no two are alike", NULL, .max = 100000000},
      {"keys", 0, OPT_UINT64, &s.keys, "N", "of map, kv and list-append", NULL,
       .max = 10000000},
      {"key-distribution", 0, OPT_ENUM, &s.distribution, "HOW",
       "which keys are used", NULL,
       .choices = (const char *const[]){"uniform", "zipf", "hot", NULL}},
      {"crash-rate", 0, OPT_UINT64, &s.crash_rate, "N",
       "operations of a million that never return", NULL, .max = 1000000},
      {"removals", 0, OPT_UINT64, &s.removals, "N",
       "weight of operations that take something out; insertions have 50", NULL,
       .max = 100},
      {"no-reads", 0, OPT_FLAG, &s.no_reads, NULL, "none that only look", NULL},
      {"planted", 0, OPT_FLAG, &s.planted, NULL,
       "with a violation near the end", NULL},
      {"seed", 0, OPT_UINT64, &s.seed, "N", "of all chance", NULL},
      {0}};
  struct opt_command c = {"history [options] >FILE",
                          "A random history, for measuring checkers.", opts,
                          NULL};
  struct opt_rest rest = {0};
  struct error e = {0};
  if (opt_parse(&c, argc, argv, &rest, &e)) {
    fprintf(stderr, "history: %s\n", e.text);
    return 2;
  }
  if (rest.help) {
    struct buf b = {0};
    opt_help(&c, &b);
    fputs(buf_text(&b), stdout);
    buf_free(&b);
    return 0;
  }
  return write_history(&s);
}
