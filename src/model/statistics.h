/*
 * Statistics are what a run counted and how long it took.
 */
#ifndef MODEL_STATISTICS_H
#define MODEL_STATISTICS_H

#include <stdint.h>

struct statistics {
  uint64_t executions; /* complete ones */
  uint64_t cut;        /* ended at a bound */
  uint64_t blocked;    /* dpor: left since they would repeat another */
  uint64_t events;     /* scheduling steps in all executions */
  uint64_t states, transitions;
  uint64_t interleavings; /* stateful, of one client: complete executions of
                             its graph, UINT64_MAX - 1: more; 0: not counted */
  uint64_t clients;
  uint64_t histories; /* distinct ones that were checked */
  uint64_t replays;   /* saved schedules tried first */
  double seconds;
  /* Processor seconds of all processes: to find the fault, to make its client
   * small, to find the lines that must be atomic, and the races. */
  struct {
    double search, minimize, causes, races;
  } cpu;
};

/* What --max-executions bounds: one that is cut was run too, and takes longer
 * than most. */
static inline uint64_t statistics_runs(const struct statistics *s) {
  return s->executions + s->cut;
}

#endif
