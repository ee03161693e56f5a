/*
 * An object in its own file with its own header, compiled with flags of its
 * own; the places in the report are in stack.c.
 *
 * RUN: %d/stack.c %s -- -I%d -DCAPACITY=64
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: stack\.c:
 */
#include "stack.h"
#include <faultline.h>

FL_OBJECT(stack, stack_new, stack_free)
FL_OP(void, stack_push, FL_INT(1, 3))
FL_OP(int, stack_pop)
FL_SPEC(stack, push = stack_push, pop = stack_pop, empty = -1)
