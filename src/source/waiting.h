/*
 * Waits for a condition, in C text, and what mends them: a loop around the
 * wait, a wake-up after the change that somebody waits for, the waiter's lock
 * around that change.  All are edits; whether they help is for a search to say.
 */
#ifndef SOURCE_WAITING_H
#define SOURCE_WAITING_H

#include "source/critical.h"

/* A line of a function. */
struct wait_line {
  const struct ctext *c;
  const struct cfunction *f;
  uint32_t line;
};

/* The `if` around the wait becomes `while`.  False: there is none, or it has an
 * else. */
bool waiting_loop(const struct wait_line *wait, struct edits *e,
                  struct buf *what);

/*
 * Behind the statement of the change, who waits is woken: by a signal, a
 * broadcast (`all`) or a post.  False: the wait is none that is known.
 */
bool waiting_wake(const struct wait_line *wait, const struct wait_line *change,
                  bool all, struct edits *e, struct buf *what);

/* The shared lock that is taken on the line becomes an exclusive one. */
bool waiting_exclude(const struct wait_line *lock, struct edits *e,
                     struct buf *what);

/* The signal on the line becomes a broadcast. */
bool waiting_wake_all(const struct wait_line *signal, struct edits *e,
                      struct buf *what);

/* The statements from the change to line `last` get the lock that the wait
 * gives back. */
bool waiting_guard(const struct wait_line *wait, const struct wait_line *change,
                   uint32_t last, struct edits *e, struct buf *what);

#endif
