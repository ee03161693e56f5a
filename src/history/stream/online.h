/*
 * A history that is checked while it happens.  After each event the answer is
 * that of the history so far, in which open operations may take effect or not,
 * with any result.  So the first return that no order explains is reported at
 * once.  The answers are those of check_log of each prefix:
 * tests/agree/online.c
 *
 * Memory holds the possible states of the object and the operations since the
 * oldest open call; earlier ones are forgotten.  An operation that stays open
 * while `window` others of its part come and go is given up: it may take effect
 * at any later time.  If it does return, the answer "no violation" is not known
 * any more.
 *
 * An object of independent parts is checked key by key, unless `whole`; an
 * operation on all keys is then refused.  So is an operation on a whole queue:
 * the order of its insertions is decided only as far as removals ask for it.
 *
 * Registers, sets, lists, queues, stacks and priority queues are watched
 * (watch.h) as long as the assumptions of their watches hold.  Then nothing is
 * searched, and only operations for which a watch remembers others are given
 * up.
 *
 * With `lookahead` the answer comes later, and costs much less where many
 * operations are open at once: an event is examined when the results of all
 * operations that were open before it are known.
 */
#ifndef HISTORY_STREAM_ONLINE_H
#define HISTORY_STREAM_ONLINE_H

#include "history/log_check.h"

struct online;

struct online_options {
  struct log_budget budget;
  uint32_t window; /* 0: ONLINE_WINDOW */
  bool whole;
  bool search;    /* no watches (watch.h) */
  bool lookahead; /* the answer may come later than the event that decides it */
  /* For tests: watches forget nothing; or they forget all they can at once. */
  bool remembers, hastens;
  uint32_t late; /* times of a part begin again from 0 when they reach this;
                     0: ONLINE_LATE.  Tests take a small number */
};
enum { ONLINE_WINDOW = 1 << 16, ONLINE_LATE = 1 << 30 };

/* The type stays the caller's; nothing else may step it while *o lives. */
struct online *online_new(struct type *t, const struct online_options *o);
void online_free(struct online *o);

/*
 * Adds a call, a return or another end (not LOG_NOTE, LOG_HEAD).  ERR_INPUT:
 * the event is impossible, or the type does not know the operation; nothing was
 * changed.  After a violation or the end of the budget events are ignored.
 */
int online_add(struct online *o, const struct log_event *ev, struct error *e);
/* There are no more events: open operations are pending.  With `lookahead` this
 * comes before the last answer. */
void online_end(struct online *o);

struct online_answer {
  enum log_verdict verdict;
  const char *limit; /* UNKNOWN: "memory", "steps", "next states", "window",
                        "length" (2^32 events on one queue) */
  uint64_t event;    /* VIOLATION: number of the event that decided it, from 1:
                        without `lookahead`, the return that has no order */
  uint32_t line;     /* VIOLATION: the line of that return */
  const char *text;  /* VIOLATION: which operation has no place, and why */
};
struct online_answer online_answer(const struct online *o);

uint64_t online_bytes(const struct online *o); /* held now, about */
uint64_t online_steps(const struct online *o);
uint32_t online_parts(const struct online *o);   /* keys that are remembered */
uint32_t online_watched(const struct online *o); /* of these, without search */

#endif
