/*
 * Profiles, after section 6.2 of the paper (see tso.h): which buckets a cycle
 * enters and leaves chains by, in which order.
 *
 * A profile is a sequence of segments: bucket of a1, of b1, of a2, of b2, … Its
 * solutions are events of these buckets with
 *
 *   LEAD     ai leads to bi: tr(ai) comes before tr(bi), or is it
 *   NO_LEAD  ai does not lead to bj, for i != j
 *   NO_EVENT a1 does not come before b1 as an event
 *   WINDOW   bi and the next a have an undirected edge; if the profile is
 *            closed, the last b and a1 too
 *
 * Of a closed profile with more than one segment WINDOW follows from the
 * others: were the edge directed from a to b, or from b to a, something would
 * lead where it must not.  It is there for profiles that are not closed yet.
 *
 * The paper keeps one pair of events for each pair of objects of a chain.  That
 * is not enough, since all four depend on where in their buckets the events
 * are.  But they do so monotonically: later a lead to fewer events, and windows
 * of later b begin and end later.  So the solutions are closed under taking the
 * earlier events, or the later ones, of two of them; hence there is a first
 * solution, and it is found by raising each event's position as far as one
 * constraint asks for, again and again, until all hold or a bucket ends.  What
 * the paper's profile is for a pair of objects, the first solution is for a
 * sequence of buckets, and there are as many of these as the paper has
 * combinations of profiles: their number does not depend on the trace's length.
 *
 * Ranges are kept from both sides: the ends for `profile_rest`.
 */
#ifndef ATOMICITY_PROFILES_H
#define ATOMICITY_PROFILES_H

#include "atomicity/chains.h"

/* Positions from .. to - 1 of the bucket's events. */
struct profile_range {
  uint32_t bucket, from, to;
};

struct profile {
  const struct chains *c;
  VEC(struct profile_range)
  at; /* a1, b1, a2, b2, …; the last b may be missing */
  bool closed;
  const uint32_t *next_special; /* by position of a1: the first from there on
                                   that may be it */
  uint64_t steps;               /* constraints that were looked at */
};

static inline uint32_t range_event(const struct chains *c,
                                   const struct profile_range *r,
                                   uint32_t position) {
  return c->buckets.at[r->bucket].events.at[position];
}

/* Raises and lowers the ranges until they begin with the first solution and end
 * with the last; false: there is none. */
bool profile_solve(struct profile *p);
/* Adds a bucket as a whole; false when there is no solution. */
bool profile_add(struct profile *p, uint32_t bucket);
/* The same for the way back to a1. */
bool profile_close(struct profile *p);

/* Events of the two buckets, a b and an a, may have an undirected edge. */
bool buckets_meet(const struct chain_bucket *b, const struct chain_bucket *a);

/*
 * At least so many more segments are needed to close the profile, which ends
 * with a b; UINT32_MAX: no number is enough.  Here only neighbours in the
 * sequence are looked at, and the new ones against the old ones.
 */
struct rest_search {
  uint32_t *reached;          /* by chain: index from which on a b may be */
  uint32_t *limit;            /* by chain: index which a b must not have */
  uint32_t *least;            /* by bucket: position of an a */
  bool *fresh;                /* by chain: reached has become less */
  struct on_object *of_chain; /* its buckets */
  VEC(struct profile_range) frontier;
};
void rest_init(struct rest_search *s, const struct chains *c);
void rest_free(struct rest_search *s, const struct chains *c);
uint32_t profile_rest(struct profile *p, struct rest_search *s);

#endif
