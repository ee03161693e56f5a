/*
 * What kind of fault it is, by the name that people know it by, with its
 * evidence: events of the failing trace.  locate/kinds.h says which pattern of
 * events each kind needs.
 *
 * "Orders" are executions up to the order of accesses that do not conflict, as
 * in model/causes.h.
 *
 * (Y1) a kind that was found has as many marks as its line in KINDS says; a
 *      mark that the pattern does not need may be KIND_NO_EVENT.
 * (Y2) the finding is one of the orders that have it: same > 0.
 */
#ifndef MODEL_KIND_H
#define MODEL_KIND_H

#include "model/cause.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Name, identifier in JSON, words, number of marks.  In the order of
 * precedence: where several patterns are in the failing traces, the first is
 * named.  A thread that sleeps for ever, a lock that does not lock and memory
 * that is handed out too early come before what happens to the data behind
 * them; the particular (the word came back) before the general (a decision that
 * is out of date); that freed memory is used comes late, since most kinds end
 * in it.  CHECK_THEN_SET acts on the word that it checked, CHECK_THEN_ACT on
 * another, which says less.  A lock is BROKEN_LOCK when it is one word that
 * both set, and BROKEN_FLAGS when each sets a word of its own and looks at the
 * other's, as Peterson's does.
 */
#define KINDS(_)                                                               \
  _(NONE, "none", "", 0)                                                       \
  _(LOST_WAKEUP, "lost-wakeup", "lost wake-up", 4)                             \
  _(IF_FOR_WHILE, "wait-without-loop", "wait without a loop", 4)               \
  _(COUPLING, "hand-over-hand", "hand over hand in the wrong order", 4)        \
  _(EARLY_PUBLICATION, "early-publication",                                    \
    "publication before "                                                      \
    "initialisation",                                                          \
    3)                                                                         \
  _(BROKEN_LOCK, "broken-lock", "broken mutual exclusion", 6)                  \
  _(BROKEN_FLAGS, "broken-lock", "broken mutual exclusion", 8)                 \
  _(TWO_LOCKS, "two-locks", "two locks for one datum", 4)                      \
  _(SHARED_LOCK, "shared-lock", "write under a shared lock", 6)                \
  _(ABA, "aba", "ABA", 6)                                                      \
  _(DOUBLE_SUCCESS, "double-success", "double success", 4)                     \
  _(TORN, "torn", "torn value", 4)                                             \
  _(CHECK_THEN_SET, "check-then-act", "check, then act", 3)                    \
  _(FALSE_STATE, "false-state", "state that never was", 3)                     \
  _(UNPROTECTED, "unprotected", "use after free, unprotected", 3)              \
  _(CHECK_THEN_ACT, "check-then-act", "check, then act", 3)

enum kind {
#define KIND_ENUM(name, id, words, marks) KIND_##name,
  KINDS(KIND_ENUM)
#undef KIND_ENUM
      KIND_COUNT
};

extern const char *const kind_id[KIND_COUNT];
extern const char *const kind_words[KIND_COUNT];
extern const uint8_t kind_marks[KIND_COUNT];

#define KIND_NO_EVENT UINT32_MAX
enum { KIND_MOST_MARKS = 8 };

/* The marks of each kind. */
enum {
  /* look is the last read before wait; somebody changes it; signal: the one
   * that came before the wait or woke another thread, or KIND_NO_EVENT */
  LOST_WAIT = 0,
  LOST_LOOK,
  LOST_CHANGE,
  LOST_SIGNAL,
  /* look leads to wait; use is made after it although look would say no, or
   * is KIND_NO_EVENT; wake: what ended the wait, a WAKE_UP if that was no
   * other thread.  Of a semaphore or futex look is wait. */
  IF_LOOK = 0,
  IF_WAIT,
  IF_USE,
  IF_WAKE,
  /* the pointer or flag is stored, another thread reads, the publisher writes
   */
  EARLY_STORE = 0,
  EARLY_READ,
  EARLY_FILL, /* or KIND_NO_EVENT: the execution ended before */
  /* test and set of two threads, then what one does inside and the other */
  BROKEN_TEST = 0,
  BROKEN_SET,
  BROKEN_TEST_OTHER,
  BROKEN_SET_OTHER,
  BROKEN_INSIDE,
  BROKEN_INSIDE_OTHER,
  /* of BROKEN_FLAGS: the words are set back, or KIND_NO_EVENT */
  BROKEN_RESET,
  BROKEN_RESET_OTHER,
  /* a pointer is read or written, its lock given back, the pointer changed, the
   * lock in the block behind it taken */
  COUPLE_READ = 0,
  COUPLE_UNLOCK,
  COUPLE_CHANGE,
  COUPLE_LOCK,
  /* accesses of one datum, and the lock of each */
  TWO_FIRST = 0,
  TWO_FIRST_LOCK,
  TWO_SECOND,
  TWO_SECOND_LOCK,
  /* a write, the shared lock that it is under, where that is given back or
   * KIND_NO_EVENT; and the same of what another thread does meanwhile */
  SHARED_WRITE = 0,
  SHARED_WRITE_LOCK,
  SHARED_WRITE_END,
  SHARED_OTHER,
  SHARED_OTHER_LOCK,
  SHARED_OTHER_END,
  /* read, changed by others, changed back, replaced; and what was read since
   * the read and changed by others */
  ABA_READ = 0,
  ABA_AWAY,
  ABA_BACK,
  ABA_SWAP,
  ABA_STALE,
  ABA_CHANGE,
  /* both change the word, then both look at it */
  DOUBLE_CHANGE = 0,
  DOUBLE_LOOK,
  DOUBLE_CHANGE_OTHER,
  DOUBLE_LOOK_OTHER,
  /* two parts, and the other thread's two */
  TORN_FIRST = 0,
  TORN_SECOND,
  TORN_OTHER_FIRST,
  TORN_OTHER_SECOND,
  /* the look, the change by another thread, what is done all the same */
  CHECK_LOOK = 0,
  CHECK_CHANGE,
  CHECK_ACT,
  /* two looks that do not belong together, and the change between */
  FALSE_FIRST = 0,
  FALSE_CHANGE,
  FALSE_SECOND,
  /* the pointer is read, the block freed, then used */
  UNPROTECTED_READ = 0,
  UNPROTECTED_FREE,
  UNPROTECTED_USE,
};

/* Places in the sources, by kind. */
enum {
  SPOT_GAP = 0,  /* COUPLING: from one lock to the next */
  SPOT_LOCK = 0, /* SHARED_LOCK: the call that takes it */
  SPOT_WAIT = 0, /* IF_FOR_WHILE and LOST_WAKEUP: the call that waits */
  SPOT_CHANGE,   /* LOST_WAKEUP: the change, to the signal if it is too early */
  SPOT_SIGNAL,   /* LOST_WAKEUP: the signal that woke another thread */
  KIND_SPOTS,
};

struct kind_found {
  enum kind kind;
  uint32_t marks[KIND_MOST_MARKS]; /* events of the finding's trace, Y1 */
  uint64_t bad, good; /* orders of the client, failing and not … */
  uint64_t same; /* Y2: … failing, that have it: all, or all with the same fault
                    as the finding … */
  uint64_t good_with; /* … and good ones that have it */
  bool complete;      /* these are all */
  struct cause held;  /* lines of the pattern: with them atomic, the client
                         passes.  No blocks: none that help, or not tried */
  struct cause
      lock; /* broken mutual exclusion: the lines of the lock itself … */
  bool lock_fails; /* … which let two in without being interrupted, too */
  bool woken;      /* LOST_WAKEUP: with a wake-up behind each change of what was
                      looked at, it passes */
  /* Where the sources would be changed: SPOT_…; first is 0: there is nothing.
   */
  struct code_block spots[KIND_SPOTS];
  char *fix;    /* a change there that was tried without a fault, or NULL */
  char *fix_in; /* … what was searched */
};

/* What a worker found: in the order of precedence. */
struct kinds_found {
  struct kind_found *at;
  uint32_t len;
};

#endif
