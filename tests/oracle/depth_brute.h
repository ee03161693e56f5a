/*
 * The linearizability depth by its definition ("Checking Linearizability Using
 * Hitting Families", Definitions 4.1 and 4.2): all tuples, all schedules.
 */
#ifndef ORACLE_DEPTH_BRUTE_H
#define ORACLE_DEPTH_BRUTE_H

#include "history/log_check.h"

/* Definition 4.1.  The schedule has `n` operations of the problem, the tuple
 * `d` of these. */
bool strongly_hits(const struct log_problem *p, const uint32_t *schedule,
                   uint32_t n, const uint32_t *tuple, uint32_t d);

/* Definition 4.2, or 0: there is no such tuple.  A history with pending
 * operations has the smallest depth of those in which some of them return last
 * and the others are left out.  Up to 6 operations. */
uint32_t depth_brute(const struct log_problem *p);

/* The schedules of the operations that returned, and the witnesses. */
void count_brute(const struct log_problem *p, uint64_t *schedules,
                 uint64_t *witnesses);

/* Whether every schedule of the operations that returned and of `completed`
 * that strongly hits the tuple is a witness, and there is one. */
bool tuple_proves(const struct log_problem *p, const uint32_t *completed,
                  uint32_t ncompleted, const uint32_t *tuple, uint32_t d);

#endif
