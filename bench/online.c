/*
 * Streams: each return is answered when it comes, as a program has it that uses
 * the library.  A row is one stream:
 *
 *   type, events, whether a violation was planted near its end, the verdict and
 *   the event that decided it, milliseconds (the clock is that of the
 * processor), nanoseconds an event, kilobytes that are held at most, parts with
 * a watch of all parts
 *
 * What is to be seen: time is linear, memory does not grow with the length.
 *
 * An argument selects the rows whose type contains it.  LARGEST=10000000 in the
 * environment goes further.
 */
#include "history/stream/online.h"
#include "../tests/stream.h"
#include "plant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALLEST = 10000, LARGEST = 1000000 };

static const struct {
  const char *label, *type;
  struct random_log log;
  bool slow; /* by search, most of them: there are fewer rows */
} rows[] = {
    {"register", "register", {"register", 1, .processes = 20}, false},
    {"map, cas",
     "cas-registers",
     {"map", 1, .processes = 20, .keys = 100, .no_removals = true},
     false},
    {"cas of 60", "cas-register", {"cas-register", 1, .processes = 60}, false},
    {"queue",
     "queue",
     {"queue", 1, .processes = 20, .removals = 60, .no_reads = true},
     false},
    {"queue, crashes",
     "queue",
     {"queue", 1, .processes = 20, .removals = 60, .no_reads = true,
      .crash_rate = 30},
     false},
    {"queue of 200",
     "queue",
     {"queue", 1, .processes = 200, .removals = 60, .no_reads = true},
     false},
    {"queue, peeks",
     "queue",
     {"queue", 1, .processes = 20, .removals = 60},
     false},
    {"queue, growing", "queue", {"queue", 1, .processes = 20}, false},
    {"peeks, crashes",
     "queue",
     {"queue", 1, .processes = 20, .removals = 60, .crash_rate = 30},
     false},
    {"peeks of 200",
     "queue",
     {"queue", 1, .processes = 200, .removals = 60},
     false},
    {"stack", "stack", {"stack", 1, .processes = 20, .removals = 60}, false},
    {"stack, growing", "stack", {"stack", 1, .processes = 20}, false},
    {"stack, crashes",
     "stack",
     {"stack", 1, .processes = 20, .removals = 60, .crash_rate = 30},
     false},
    {"stack of 40",
     "stack",
     {"stack", 1, .processes = 40, .removals = 60},
     true},
    {"pqueue", "pqueue", {"pqueue", 1, .processes = 20, .removals = 60}, false},
    {"pqueue, growing", "pqueue", {"pqueue", 1, .processes = 20}, false},
    {"pqueue, crashes",
     "pqueue",
     {"pqueue", 1, .processes = 20, .removals = 60, .crash_rate = 30},
     false},
    {"pqueue of 40",
     "pqueue",
     {"pqueue", 1, .processes = 40, .removals = 60},
     true},
    {"set of 1000", "set", {"set", 1, .processes = 20, .values = 1000}, false},
    {"set of 1", "set", {"set", 1, .processes = 20, .values = 1}, false},
    {"set of 1, 60",
     "set",
     {"set", 1, .processes = 60, .values = 1, .crash_rate = 30},
     false},
    {"lists",
     "list-append",
     {"list-append", 1, .processes = 20, .keys = 100},
     true},
    {"five values",
     "register",
     {"register", 1, .processes = 5, .values = 5},
     true},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void tell(struct online *o, const struct log_event *ev) {
  struct error e;
  e.code = ERR_NONE;
  if (online_add(o, ev, &e))
    die("%s", e.text);
}

static void measure(const char *label, const char *type, const struct log *l,
                    bool planted) {
  struct error e = {0};
  struct type *t = type_open(type, DATUM_NONE, &e);
  struct online_options none = {0};
  struct online *o = online_new(t, &none);
  struct stream s = stream_of(l);
  uint64_t most = 0, events = 0;
  double start = now();
  for (uint32_t time = 0; time < l->end; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    events++;
    tell(o, &ev);
    if (l->ops.at[s.at[time] / 2].ret == LOG_PENDING) {
      ev.kind = LOG_INFO; /* who crashes is known to have */
      tell(o, &ev);
    }
    if (time % 16 == 0 && online_bytes(o) > most)
      most = online_bytes(o);
  }
  double took = now() - start;
  struct online_answer a = online_answer(o);
  const char *const verdicts[] = {"linearizable", "violation", "unknown"};
  printf("%-15s %8" PRIu64 " %-8s %-12s %8" PRIu64
         " %8.1f ms %6.0f ns %6.0f KB %4u of %u\n",
         label, events, planted ? "planted" : "", verdicts[a.verdict], a.event,
         took * 1e3, took * 1e9 / (double)events, (double)most / 1024,
         online_watched(o), online_parts(o));
  fflush(stdout);
  free(s.at);
  online_free(o);
  type_free(t);
}

int main(int argc, char **argv) {
  const char *largest = getenv("LARGEST");
  uint32_t most = largest ? (uint32_t)atol(largest) : LARGEST;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (argc > 1 && !strstr(rows[i].label, argv[1]))
      continue;
    for (int planted = 0; planted < 2 - rows[i].slow; planted++)
      for (uint32_t n = SMALLEST; n <= (rows[i].slow ? most / 10 : most);
           n *= 10) {
        struct random_log want = rows[i].log;
        want.operations = n;
        struct log l = random_log(&want);
        log_simplify(&l);
        if (planted && strstr(want.shape, "set"))
          plant_few(&l);
        else if (planted)
          plant_wrong(&l);
        measure(rows[i].label, rows[i].type, &l, planted);
        log_free(&l);
      }
  }
  return 0;
}
