/* What the files that make a story share; nobody else includes this. */
#ifndef REPORT_STORY_INT_H
#define REPORT_STORY_INT_H

#include "report/story.h"

extern const struct place story_nowhere;

/* The texts of an event and the rows of the execution (story_rows.c). */
void story_make_rows(struct story *s, const struct story_namer *n);
/* Shortens loops that go round with other values (story_drift.c). */
void story_fold_drift(struct story *s);

/* How much each row matters; the answer is there (story_weight.c). */
void story_weigh(struct story *s);

/* Why the results are wrong, and what to do; the answer is there
 * (story_why.c). */
void story_make_why(struct story *s);

/* The names of blocks (story_memory.c). */
void story_make_memory(struct story *s, const struct story_namer *n);

/* The threads that wait for ever, and where (story_waiting.c). */
void story_make_waiting(struct story *s, const struct story_namer *n);

/* The answer: place, message, notes (story_answer.c). */
void story_make_answer(struct story *s, const struct story_namer *n);

/* Is the value of event `at` memory that nobody has written since it was
 * allocated (story_value.c)?  `value` is the event's own or its old one. */
bool story_is_fresh(const struct story *s, uint32_t at, const uint64_t *value);
bool story_is_fresh_pointer(uint64_t addr);
/* What there is to say of a crash by such a pointer; false: it was none. */
bool story_put_fresh_pointer(const struct story *s, struct buf *out);

struct teller { /* an answer in the making */
  struct story *s;
  const struct story_namer *n;
  const struct result *r;
  const struct finding *f;
  struct buf b; /* the sentence */
};

void answer_note(struct teller *t, const struct place *place, struct buf *b);

/* `T2 in push(2)`, `main` */
void answer_put_actor(const struct teller *t, uint8_t thread, uint32_t call,
                      struct buf *b);

/* ` in find(), called from list_remove()` */
void answer_put_where(struct teller *t, const struct place *p, uint32_t call);

/* The call that the failing thread was in, or EVENT_NO_CALL. */
uint32_t answer_failing_call(const struct teller *t);

struct interruption;
/* `T3 in put(1): write full: 0 -> 1` */
void answer_put_intruder(struct teller *t, const struct interruption *in);

/* `linearizable`, or `sequentially consistent` if that was asked for. */
const char *answer_property(const struct result *r);

/*
 * The answer to a violation whose lines are known (story_cause.c).  False when
 * none are known; then the answer is left as it was.
 */
bool answer_cause(struct teller *t);

/*
 * Behind the sentence about another fault: the lines of the best cause, if this
 * execution is interrupted inside of them, or if they are verified.
 * `; lines 38-41 can be interrupted`
 */
void answer_put_lines(struct teller *t);

/* The answer is about lines of a library: these are its place. */
void answer_in_library(struct teller *t);

/*
 * What the test calls in its lines, which are a block of the best cause; false
 * when no block is the test's, or when the test makes accesses there by itself.
 * `swap() calls reg_get() (line 11), then reg_set() (line 12)`
 */
bool story_composition(const struct story *s, const struct story_namer *n,
                       const struct code_block **block, struct buf *out);

/* The answer is there, in its general form; if the kind of fault is known, says
 * that instead (story_kind.c).  What a crash or the like is called, and its
 * notes, stay as notes. */
void answer_kind(struct teller *t);

/* A data race (story_race.c). */
void answer_race(struct teller *t);

/* A deadlock or a livelock. */
void answer_waiting(struct teller *t);

/*
 * The answer to a history whose calls wait where the specification would let
 * them go on.  False when it is wrong for another reason; then the answer is
 * left as it was.
 */
bool answer_stuck(struct teller *t);

/* The number of the trace's last event; 0 when it has none. */
uint32_t story_last_event(const struct story *s);

/* The name of a lock or the like: the location without the private fields of
 * the C library (`q->lock.__data.__lock` is q->lock to its owner). */
void story_put_lock(const struct story_namer *n, uint64_t addr, uint64_t size,
                    uint32_t at, struct buf *out);

/*
 * The place of `pc`, which is nested in the calls of `chain`, as its author
 * would name it (namer_place); in files of a library that is to blame
 * (s->library), the innermost line there.
 */
const struct place *story_place(const struct story *s,
                                const struct story_namer *n, uint64_t pc,
                                uint32_t chain);

/* The same of an event: what the library does to its own data is named by its
 * lines wherever that is. */
const struct place *story_event_place(const struct story *s,
                                      const struct story_namer *n,
                                      const struct event *e);
void story_find_library_data(struct story *s, const struct story_namer *n);

/* The same for another trace of the same object. */
const struct place *story_place_in(const struct trace *t,
                                   const struct story_namer *n, uint64_t pc,
                                   uint32_t chain);

/* The sentence about the nearest good execution (story_nearest.c). */
void story_make_nearest(struct story *s, const struct story_namer *n);

/* Keeps the buffer's text in the story and empties the buffer. */
const char *story_keep(struct story *s, struct buf *b);

#endif
