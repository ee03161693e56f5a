/*
 * Writes a serializable trace in the text format STD, for measuring monitors:
 *
 *   std_trace --events=100000000 --threads=8 | faultline atomicity /dev/stdin
 *
 * With --planted, two transactions at the very end read and write a variable in
 * turns: then it is not serializable.
 */
#include "../locked.h"
#include "base/opt.h"

#include <inttypes.h>
#include <stdio.h>

struct settings {
  uint64_t events, threads, seed;
  bool planted;
};

static void put(const struct step *s, uint64_t place) {
  static const char *const words[] = {[TXN_READ] = "r",
                                      [TXN_WRITE] = "w",
                                      [TXN_BEGIN] = "begin",
                                      [TXN_END] = "end"};
  if (s->kind == TXN_RMW)
    printf("T%" PRIu32 "|%s(L%" PRIu32 ")|%" PRIu64 "\n", s->thread,
           s->release ? "rel" : "acq", s->object, place);
  else if (s->kind == TXN_BEGIN || s->kind == TXN_END)
    printf("T%" PRIu32 "|%s|%" PRIu64 "\n", s->thread, words[s->kind], place);
  else
    printf("T%" PRIu32 "|%s(V%" PRIu32 ")|%" PRIu64 "\n", s->thread,
           words[s->kind], s->object, place);
}

static void write_trace(const struct settings *s) {
  struct rng r = {s->seed};
  for (uint64_t n = 0; n + LOCKED_LENGTH <= s->events; n += LOCKED_LENGTH) {
    struct step steps[LOCKED_LENGTH];
    locked_transaction(&r, (uint32_t)s->threads, steps);
    for (uint32_t i = 0; i < LOCKED_LENGTH; i++)
      put(&steps[i], (n + i) % 1000);
  }
  if (s->planted)
    fputs("T0|begin|1\nT1|begin|1\nT0|r(lost)|2\nT1|r(lost)|2\n"
          "T0|w(lost)|3\nT1|w(lost)|3\nT0|end|4\nT1|end|4\n",
          stdout);
}

int main(int argc, char **argv) {
  struct settings s = {.events = 1000000, .threads = 4, .seed = 1};
  struct opt opts[] = {
      {"events", 0, OPT_UINT64, &s.events, "N", "about how many", NULL},
      {"threads", 0, OPT_UINT64, &s.threads, "N", "how many", NULL, .min = 1,
       .max = 1000},
      {"seed", 0, OPT_UINT64, &s.seed, "N", "of all chance", NULL},
      {"planted", 0, OPT_FLAG, &s.planted, NULL, "a violation at the end",
       NULL},
      {0}};
  struct opt_command c = {"std_trace [options] >FILE",
                          "A trace, for measuring monitors.", opts, NULL};
  struct opt_rest rest = {0};
  struct error e = {0};
  if (opt_parse(&c, argc, argv, &rest, &e)) {
    fprintf(stderr, "std_trace: %s\n", e.text);
    return 2;
  }
  write_trace(&s);
  opt_rest_free(&rest);
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "std_trace: cannot write\n");
    return 2;
  }
  return 0;
}
