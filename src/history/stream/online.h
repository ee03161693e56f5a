/*
 * A history that is checked while it happens.  After each return the answer is
 * that of the history so far, in which open operations may still take effect or
 * not, with whatever result: the first return that no order explains is told at
 * once.
 *
 * Memory is that of the object's possible states and of the operations since
 * the call of the oldest one that is open: those before it are forgotten.  An
 * operation that stays open while `window` others of its part come and go is
 * given up: it may take effect at any time from then on, and when it does
 * return after all, that there is no violation is not known any more.
 *
 * An object made of independent parts is checked key by key, unless `whole`;
 * an operation that concerns all keys is then refused.  So is one that concerns
 * all of a queue, whose insertions are otherwise put in order only as far as
 * removals ask for it.
 *
 * Registers, sets, lists, queues, stacks and priority queues are watched
 * (watch.h) for as long as that is possible: then all this is not needed,
 * nothing is searched, and nobody is given up but for whom others are
 * remembered (watch_kind.gives_up).
 *
 * That it says the same as check_log of every prefix: tests/agree/online.c.
 *
 * With `lookahead` the answer comes later and costs much less where many
 * operations are open at once: an event is looked at when it is known what the
 * operations returned that were open before it.
 */
#ifndef HISTORY_STREAM_ONLINE_H
#define HISTORY_STREAM_ONLINE_H

#include "history/log_check.h"

struct online;

struct online_options {
  struct log_budget budget;
  uint32_t window; /* 0: ONLINE_WINDOW */
  bool whole;
  bool search;    /* without watches (watch.h) */
  bool lookahead; /* the answer need not come with the event that decides it */
  /* For tests, of watches: nothing is forgotten; all is that can be, at once.
   */
  bool remembers, hastens;
  uint32_t late; /* times begin again from 0 when they come here, which tests
                     want to happen soon; 0: ONLINE_LATE */
};
enum { ONLINE_WINDOW = 1 << 16, ONLINE_LATE = 1 << 30 };

/* The type belongs to the caller, and nobody else may step it meanwhile. */
struct online *online_new(struct type *t, const struct online_options *o);
void online_free(struct online *o);

/*
 * A call, return or end (not LOG_NOTE, LOG_HEAD).  An event that cannot be, or
 * that the type does not understand, is ERR_INPUT and changes nothing.  Behind
 * a violation or the end of the budget events are taken and not looked at.
 */
int online_add(struct online *o, const struct log_event *ev, struct error *e);
/* There are no more events: what is open is pending.  Before the last answer,
 * with `lookahead`. */
void online_end(struct online *o);

struct online_answer {
  enum log_verdict verdict;
  const char *limit; /* UNKNOWN: "memory", "steps", "next states", "window",
                        "length" (2^32 events on one queue) */
  uint64_t event;    /* VIOLATION: number of the event that decided it, from
                        1: the return that cannot be, but with `lookahead` */
  uint32_t line;     /* VIOLATION: of that return, as its event said */
  const char *text;  /* VIOLATION: what cannot be placed, and why */
};
struct online_answer online_answer(const struct online *o);

uint64_t online_bytes(const struct online *o); /* held now, about */
uint64_t online_steps(const struct online *o);
uint32_t online_parts(const struct online *o);   /* keys that are remembered */
uint32_t online_watched(const struct online *o); /* of these, without search */

#endif
