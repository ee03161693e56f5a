/*
 * FL_GROUP: the same counter, whose increments must not overlap.  Where they
 * do not, there is no fault to find.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: pass violation
 */
#include <faultline.h>

static int counter;

static int next(void) { return counter++; }

static int get(void) { return counter; }

FL_OBJECT(one_writer)
FL_OP(int, next, FL_GROUP("writer"))
FL_OP(int, get)

FL_OBJECT(any_writer)
FL_OP(int, next)
FL_OP(int, get)
