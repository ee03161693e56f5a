/*
 * A story is a result put into words, made once and read by every report: what
 * to say first and where, and the execution row by row.  It holds raw text; a
 * report escapes it for its own medium.
 *
 * Parts: what the main thread does before the client's threads run (initial
 * calls, constructor), the concurrent part, and what it does after them.  In a
 * whole program everything is concurrent.
 *
 * (S1) rows are in the order of the trace; a loop that a thread went round n
 *      times without any change is one row for each step, with times == n.
 *      Of many rounds with other values, those in between are a note.
 * (S2) rows of one uninterrupted run of a thread share their `group`.
 * (S3) threads that wait for ever have their rows at the end, after the trace.
 * (S4) a row weighs the least of what its event is known to be: a step that the
 *      answer is about is decisive, whatever else it is.
 *
 *     T1 read x  ×3    group 0       three rounds of a loop
 *     T2 write x       group 1
 *     T1 waits for m   group 2, at the end
 */
#ifndef REPORT_STORY_H
#define REPORT_STORY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "debug/namer.h"
#include "model/criterion.h"
#include "model/place.h"
#include "model/result.h"

enum story_part { STORY_BEFORE, STORY_THREADS, STORY_AFTER };

/* The words for an event of the trace; NULL: there are none. */
struct story_event {
  const struct place *place;  /* that is named */
  const struct place *access; /* of the instruction itself */
  const char *library;        /* see struct story_row */
  const char *location;       /* s->top, node#2.next, q->lock */
  const char *value;          /* that was read, or is there afterwards */
  const char *old;            /* value before a write */
  enum story_part part;
};

enum story_row_kind {
  ROW_CALL,   /* what: `push(1)` */
  ROW_RETURN, /* what: `returns -1` */
  ROW_STEP,   /* word, what and tail: `cas` `s->top` `: NULL -> &node#1` */
  ROW_WAIT,   /* the same, of a thread that waits for ever */
  ROW_FAULT,  /* what: `use after free` */
  ROW_NOTE,   /* what: the text that FL_SHOW printed */
  ROW_ROUNDS, /* what: `lines 9, 12 repeat 4,711 times` */
};

/* How much a row matters to a reader in a hurry: a report that has to be short
 * leaves out the heaviest number first, and never what is decisive. */
enum story_weight {
  WEIGHT_DECISIVE, /* what the answer names, faults, threads that wait */
  WEIGHT_FRAME,    /* calls and returns */
  WEIGHT_SHARED,   /* another thread changes these bytes or uses this lock */
  WEIGHT_PASSIVE,  /* nobody else is concerned */
};

struct story_row {
  enum story_row_kind kind;
  enum story_part part;
  enum story_weight weight;
  uint8_t thread;
  uint32_t index; /* of the event; of `waiting` for ROW_WAIT */
  uint32_t times;
  uint32_t group;
  uint32_t call; /* or EVENT_NO_CALL */
  const struct place *place;
  const char *library; /* `std::queue::push`: the function of a library that
                          makes the access, called at `place`; NULL: none */
  const char *word, *what, *tail; /* never NULL */
};

/* All combinations of results of one client; the caller's. */
struct story_outcomes {
  const struct client *client;
  const outcome_list *list;
  uint64_t faults; /* executions that ended in a fault instead */
};

struct story_waiting { /* a thread that waits for ever */
  struct waiting is;
  const struct place *place;
};

struct story_note {
  const struct place *place;
  const char *text;
};

struct story {
  const struct result *result;
  struct story_namer namer;
  struct story_event *events; /* by index into the trace */
  VEC(struct story_row) rows;
  VEC(struct story_waiting) waiting;
  uint32_t threads; /* mask: threads with rows in the concurrent part */

  /* The answer: a place (line 0: none), a sentence, and notes. */
  const struct place *place;
  const struct place *until; /* where an interrupted operation went on; NULL */
  const char *message;
  VEC(struct story_note) notes;
  VEC(uint32_t) decisive; /* events that these are about */

  const char *why; /* why the results are wrong, in a sentence; or NULL */
  const char *fix; /* what to do, in a sentence; NULL: nothing is known */

  /* The best cause, when it is code of a library: what happens in its files is
   * named by their lines, and not by the user's who called them; or NULL. */
  const struct cause *library;
  VEC(uint64_t) library_data; /* addresses that its files access */

  /* What the test calls in the lines of the best cause, which are its own;
   * NULL: they are the object's. */
  const char *composition;

  const char *client;   /* in the papers' notation; "" without a finding */
  const char **calls;   /* by call: `push(1)` */
  const char **results; /* by call: `-1`; NULL: did not return */
  const char **blocks;  /* by block of the trace: `node#2` */
  const char *nearest; /* how the nearest good execution differs, or NULL … */
  const struct place *nearest_place; /* … and how far its thread gets first */
  const struct story *passing; /* … and that execution; NULL: not shown */
  const char *drift;  /* `lines 9, 12 repeat (n = -1, -2 and so on)`: the loop
                         that  the execution does not leave, or NULL */
  bool finding_whole; /* false when the recording was cut */
  const char *file;   /* the one file of all rows' places, or NULL */
  const struct story_outcomes *outcomes; /* or NULL: not asked for */
  struct arena arena;                    /* owns every text */
};

/* `namer` may be NULL: then there are no places, and locations are numbers.
 * The result, the namer's context and what its places point to must outlive the
 * story. */
struct story *story_new(const struct result *r, const struct story_namer *n);
void story_free(struct story *s);

/* A result of the finding's client, as the rows would show it: a pointer by the
 * name of its block (`&node#2`), memory that was never written as such. */
void story_put_value(const struct story *s, struct value v, struct buf *out);

/* The block that event `at` touches, freed or not; UINT32_MAX: none. */
uint32_t story_block(const struct story *s, uint32_t at);

/* "main", "T1", … */
const char *story_thread(uint8_t thread);
/* `line 8`, `lines 8-9` */
void story_put_lines(const struct code_block *b, struct buf *out);
/* "lines 15-16 in each round of the loop in lines 13-17" needs this behind the
 * lines; "lines 13-17 (the whole loop)" as well.  Nothing without a loop. */
void story_put_loop(const struct code_block *b, struct buf *out);
/* `a fence between line 14 and line 15` */
void story_fence(const struct missing_fence *f, struct buf *b);

/* The lines of a lock of the object that lets two in, when these, atomic, end
 * the fault of the client and the best lines to make atomic are others; or
 * NULL. */
extern const char story_only_late[]; /* of a finding that is `only_late` */
const struct cause *story_broken_lock(const struct finding *f);
/* Under TSO a step of thread 16 + t is a commit of thread t: that, and whether
 * it is one. */
uint8_t story_stepper(const struct story *s, uint8_t thread, bool *buffer);
void story_put_stepper(const struct story *s, uint8_t thread, struct buf *out);

/* One order of the calls, and what is wrong with it:
 * `push(1); then pop() should return 1, returned 0` */
void story_put_refutation(const struct story *s, const struct refutation *r,
                          struct buf *out);
/* `FL_RELAXED`, `FL_OUT_OF_ORDER(1)`, `together`, or nothing. */
void story_put_reading(const struct refutation *r, struct buf *b);
/* `pop() = 1`, `pop() (does not return)` */
void story_put_result(const struct story *s, uint32_t call, struct buf *out);

/* An operation's name as it is called, `pop()`; "the program" without one. */
void story_operation(const struct result *r, uint32_t call, struct buf *out);

/* The name of a fault, in front of its details. */
const char *story_fault_words(enum fault f);

/* 3021 as 3,021: what was done, one by one */
void story_number(uint64_t n, struct buf *out);
/* What was counted without doing it: 2.9·10^15 from a million on, and "more
 * than 10^19" for a count that is full (UINT64_MAX - 1). */
void story_count(uint64_t n, struct buf *out);

#endif
