/*
 * A schedule reproduces an execution: which thread makes how many steps, in
 * turn.  Choices that are not about threads (which waiter a signal wakes,
 * whether a weak CAS fails) are recorded in the same list.
 *
 * The file is text:
 *     faultline-schedule 1
 *     object: stack
 *     client: push(1); {push(2)} || {pop()}
 *     source: 9f86d081884c7d65            (hash of the sources; a hint only)
 *     options: heap=reuse model=sc
 *     steps: T2*3 T1*1 !1 T2*2
 * "T2*3" is three steps of thread 2, "!1" takes alternative 1 at the next
 * choice, and under model=tso "C2*3" commits three stores of thread 2.  Before
 * the steps, "S2@40+3" says that from byte 40 * 16 on, 3 * 16 bytes of thread
 * 2's stack count as shared, and "L2@0+1" the same of its thread-local
 * variables: accesses there are steps.
 * Lines that start with # are comments; `steps:` may be repeated, and
 * goes on where the one before ended.
 *
 * (S1) two turns of one thread that follow each other directly are one turn,
 * but for one that has all the steps that a number can count.
 */
#ifndef MODEL_SCHEDULE_H
#define MODEL_SCHEDULE_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* SCHEDULE_COMMIT + t is the store buffer of thread t. */
enum { SCHEDULE_MAX_THREAD = 31, SCHEDULE_COMMIT = 64 };
enum { SCHEDULE_UNITS = (1 << 21) - 1 }; /* of 16 bytes, at most */

struct turn {
  uint8_t is_choice; /* then `thread` is the alternative and `steps` is 1 */
  uint8_t thread;
  uint32_t steps;
  /* Memory that is shared: `thread` is whose, from 32 on thread-local variables
   * of thread - 32; `steps` units of 16 bytes from `first` on. */
  uint32_t first;
  uint8_t is_mark;
};

struct schedule {
  char *object, *client, *source, *options; /* owned; NULL when not given */
  VEC(struct turn) turns;
};

void schedule_add_step(struct schedule *s, uint8_t thread);
void schedule_add_choice(struct schedule *s, uint8_t alternative);
void schedule_add_mark(struct schedule *s, uint8_t whose, uint32_t first,
                       uint32_t n);
/* How often the execution goes on with another thread than before. */
uint32_t schedule_switches(const struct schedule *s);
void schedule_check_invariants(const struct schedule *s); /* asserts S1 */
void schedule_copy(struct schedule *to, const struct schedule *from);
bool schedule_equal(const struct schedule *a, const struct schedule *b);
enum { SCHEDULE_WORD = 48 };
int turn_text(const struct turn *t, char word[SCHEDULE_WORD]); /* its length */
void schedule_print(const struct schedule *s, struct buf *out);

/* A file that cannot be read or understood is ERR_INPUT, "path:line: reason";
 * then `s` is empty.  A file has steps; a text need not, if it only names a
 * client. */
int schedule_read(struct schedule *s, const char *path, struct error *e);
int schedule_parse(struct schedule *s, const struct buf *text, const char *path,
                   struct error *e);
void schedule_free(struct schedule *s);

#endif
