/*
 * What Faultline has to know of the stack: how to make one, and what threads
 * may call.  It then makes small clients of these calls, runs them in every
 * interleaving, and compares the results with those of the calls one after the
 * other.  `man 3 faultline.h` has all macros.
 */
#include "stack.h"

#include <faultline.h>

/* The name in reports; the constructor, the destructor. */
FL_OBJECT(stack, stack_new, stack_free)

/* Operations: what they return, the function, a domain for each argument.
 * Small domains are enough: 1 and 2 differ. */
FL_OP(bool, stack_push, FL_INT(1, 2))
FL_OP(int, stack_pop)

/* Not needed: without it, the stack must behave as it does when one thread
 * uses it.  With it, it must be a stack.  `faultline specs` lists the types.
FL_SPEC(stack, push = stack_push, pop = stack_pop, empty = -1)
 */
