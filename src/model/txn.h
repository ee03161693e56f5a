/*
 * An event as the analyses of atomicity see it: who did what to which object,
 * inside of which transaction.  Objects are variables and locks, numbered from
 * 0; threads and transactions are numbered from 0 as well.
 *
 * A lock's acquire and release are TXN_RMW on it: everything that is done to a
 * lock is in conflict.  So is a store that does not wait in a buffer (xchg).
 */
#ifndef MODEL_TXN_H
#define MODEL_TXN_H

#include <stdint.h>

enum txn_kind {
  TXN_READ,
  TXN_WRITE,  /* under TSO: the issue */
  TXN_RMW,    /* reads and writes memory at once; under TSO a fence too */
  TXN_FENCE,  /* no object */
  TXN_COMMIT, /* of the write `issue` */
  TXN_FORK,   /* object: the thread, whose events come later */
  TXN_JOIN,   /* object: the thread, whose events came before */
  TXN_BEGIN,  /* no object; may be nested: the outermost counts */
  TXN_END,
};

struct txn_event {
  uint8_t kind;
  uint32_t thread, object;
  uint32_t txn;   /* filled in by txn_assign, but of a given one */
  uint32_t issue; /* commit: index of its write in the same array */
  uint32_t at;    /* where it comes from: an index or a line of the input */
};

#endif
