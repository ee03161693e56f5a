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
  /* Two numbers that a call reads one right after the other, by their sites and
   * how far they are apart: how often that was, and how often the call writes
   * something afterwards; under `any`, however far. */
  struct map128 apart;
};

/* A number: an index, a count, no pointer. */
bool decisions_is_count(const struct event *e);
/* The numbers that events a and b of one call read are so far apart. */
int64_t decisions_distance(const struct kind_trace *t, uint32_t a, uint32_t b);
/* What the call read right before event b, if the two can be compared;
 * UINT32_MAX: nothing. */
uint32_t decisions_read_before(const struct kind_trace *t, uint32_t b);

void decisions_add(struct decisions *d, const struct kind_trace *t);
void decisions_free(struct decisions *d);

/* With `value` at the site of `look`, the site of `act`, another one, was never
 * come to; false as well when nobody ever read that. */
bool decisions_never(const struct decisions *d, const struct kind_trace *t,
                     uint32_t look, const uint64_t value[2], uint32_t act);
/* …, was come to every time; false when nobody ever read that. */
bool decisions_always(const struct decisions *d, const struct kind_trace *t,
                      uint32_t look, const uint64_t value[2], uint32_t act);

/* Two numbers so far apart were read there, and nothing was ever written then,
 * while something was with another distance: a queue that is full, say. */
bool decisions_refuses(const struct decisions *d, const struct kind_trace *t,
                       uint32_t a, uint32_t b);

#endif
