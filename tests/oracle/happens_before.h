/*
 * Does an execution have a data race?  Straight from the definition: what
 * synchronises as a relation between events, its transitive closure with
 * program order, and all pairs of accesses.  C++20: release sequences go on
 * through read-modify-writes only.
 */
#ifndef ORACLE_HAPPENS_BEFORE_H
#define ORACLE_HAPPENS_BEFORE_H

#include <stdbool.h>
#include <stdint.h>

enum hb_kind {
  HB_READ,
  HB_WRITE,
  HB_ATOMIC_READ,
  HB_ATOMIC_WRITE,
  HB_RMW,
  HB_FENCE,
  HB_LOCK,
  HB_UNLOCK
};

/* In the order of the execution; all of it is SC. */
struct hb_event {
  enum hb_kind kind;
  uint8_t thread;
  uint8_t at;    /* the location or the mutex */
  uint8_t order; /* an __ATOMIC_ constant */
  int from; /* reads: the event that wrote what is read; -1: none of them */
};

enum { HB_MOST = 32 };

bool hb_has_race(const struct hb_event *e, uint32_t n);

#endif
