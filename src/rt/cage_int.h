/*
 * Inside the cage: its rules (cage_rules.c), the kernel's filter that applies
 * them (cage_filter.c), the limits of the process (cage_limits.c).
 */
#ifndef RT_CAGE_INT_H
#define RT_CAGE_INT_H

#include "rt/attributes.h"
#include "rt/cage.h"

#include <stddef.h>

/*
 * What happens to a call: it is made if no rule speaks of it.  An argument is
 * compared by its lower half, which is all that descriptors, processes and
 * signals have.
 */
enum when { ALWAYS, IS, IS_NOT, BELOW, HAS_NOT, GIVEN };
struct rule {
  uint16_t number;
  uint8_t when, argument;
  uint32_t value;
  const char *why; /* it is refused; NULL: it fails with `value`, an errno */
};

/* Values that are known when the cage is closed only. */
enum { OWN_PID = 0xfffffff0u, PARENT_PID, KEPT_FD };

struct rule_list {
  const struct rule *at;
  size_t n;
};
/* The second has one for each signal that signals.c sets up and code could want
 * as well. */
extern const struct rule_list fl__process_rules FL_HIDDEN;
extern const struct rule_list fl__signal_rules FL_HIDDEN;

/* Why a call is refused, or NULL; what a user calls it. */
const char *fl__why_refused(int number) FL_HIDDEN;
const char *fl__call_name(int number) FL_HIDDEN;
/* What the rule compares with, now that the cage is closed. */
uint32_t fl__rule_value(const struct rule *r) FL_HIDDEN;

/* The rules hold from now on.  False: this kernel has no filters. */
bool fl__cage_filter(const struct rule_list *rules) FL_HIDDEN;

void fl__limit_resources(void) FL_HIDDEN;
/* Where there is no filter: no more processes than a run needs. */
void fl__limit_processes(void) FL_HIDDEN;

#endif
