/*
 * A history that ends earlier: later calls are left out, and operations that
 * returned later are pending, with any result.
 *   enq(1)  a: deq()…  enq(2)  a: … = 2      cut after enq(2): a is pending
 */
#ifndef TESTS_ORACLE_LOG_CUT_H
#define TESTS_ORACLE_LOG_CUT_H

#include "history/log_engine.h"

struct log_cut {
  struct log_problem problem;
  struct arena arena; /* the operations that are pending now */
};

/* The history up to and with time `until`.  False: the type has no such pending
 * operation. */
bool log_cut_make(struct log_cut *c, const struct log_problem *p,
                  uint32_t until);
void log_cut_free(struct log_cut *c);

#endif
