/*
 * Definition 3 of the paper to the letter (see tso.h): the executions of a
 * trace have its operations in their very order, and only commits are free.
 *
 * An access takes effect at a moment: a write with its commit; a read at once,
 * but not before the write that it may read from the buffer; a
 * read-modify-write at once.  Operations come one after the other; a commit
 * comes after its write and after the earlier commits of its thread, and before
 * the thread's next fence.  Two accesses of different threads have an
 * undirected edge if and only if their moments can come in both orders, so the
 * event graph is the same in both readings.  What differs is which undirected
 * edges can have their directions together: those that make no cycle of
 * moments.
 *
 *   w1(x) r1(x) | w2(x): r1 is buffered, so w1 - w2 and r1 - w2 are undirected.
 *   w1 -> w2 -> r1 makes no cycle of events, but w2 comes after r1 here.
 *
 * The edges b1 to a2, b2 to a3, … of a closed profile (profiles.h) make no
 * cycle of moments if and only if there is none of segments, where j + 1
 * follows i when ai comes before bj as a moment, or is it.  One such pair of
 * each cycle must not be so.  That is monotone as the other conditions are, so
 * there is a first solution again, for each choice of pairs; the choices depend
 * on the number of segments alone.
 *
 * (O1) an event that comes before another as an event does so as a moment.
 * (O2) a solution leaves of each segment an event of its a.
 */
#ifndef ATOMICITY_IN_ORDER_H
#define ATOMICITY_IN_ORDER_H

#include "atomicity/profiles.h"

struct in_order {
  const struct chains *c;
  uint32_t *source;   /* buffered read: the write that it may read; else n */
  uint32_t *deadline; /* write: where its commit must have come; n: nowhere */
};

void in_order_init(struct in_order *o, const struct chains *c);
void in_order_free(struct in_order *o);

/* Whether b can take effect before a though a leads to b. */
bool in_order_swaps(const struct in_order *o, uint32_t a, uint32_t b);

/* Of a profile that ends with a b and has a solution: whether some solution
 * makes no cycle of moments; then its ranges begin with one. */
bool in_order_solves(const struct in_order *o, struct profile *p);

#endif
