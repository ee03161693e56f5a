/*
 * What threads do after what they read, seen in many executions of one client:
 * a read at a site of the source that gave a value, and the sites that the same
 * call came to afterwards.  It tells a decision from an accident:
 *
 *     9 load full = 0    12 store full: 0 -> 1     in some executions
 *     9 load full = 1    returns                   in others
 *
 * "With full = 1 at line 9, line 12 never follows": line 12 depends on that
 * look.  A window of a read goes to the next read at the same site in its call,
 * or to the end of the call; what was cut off by the end of the execution tells
 * what follows, but not what does not.
 */
#ifndef LOCATE_DECISIONS_H
#define LOCATE_DECISIONS_H

#include "base/map128.h"
#include "model/trace.h"

/* A trace, and where in the source its events are: equal numbers, equal line
 * and column.  NULL: program counters serve. */
struct kind_trace {
  const struct trace *trace;
  const uint64_t *sites;
};

static inline uint64_t kind_site(const struct kind_trace *t, uint32_t event) {
  return t->sites ? t->sites[event] : t->trace->events[event].pc;
}

struct decisions {
  struct map128 windows;  /* of (site, value): how many, whole ones */
  struct map128 followed; /* … with another site: in how many */
};

void decisions_add(struct decisions *d, const struct kind_trace *t);
void decisions_free(struct decisions *d);

/* With `value` at the site of `look`, the site of `act` was never come to;
 * false as well when nobody ever read that. */
bool decisions_never(const struct decisions *d, const struct kind_trace *t,
                     uint32_t look, const uint64_t value[2], uint32_t act);
/* …, was come to every time; false when nobody ever read that. */
bool decisions_always(const struct decisions *d, const struct kind_trace *t,
                      uint32_t look, const uint64_t value[2], uint32_t act);

#endif
