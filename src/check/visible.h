/* Happens-before, where an order of all calls does not explain the history. */
#ifndef CHECK_VISIBLE_H
#define CHECK_VISIBLE_H

#include "check/check.h"

/* K8.  YES: out->order is the order; else only the effort and the limit are
 * noted. */
enum check_answer check_visible(const struct history *h, struct spec *s,
                                uint64_t budget, struct check *out);

#endif
