/*
 * Store buffers, one a thread: the memory model TSO (buffer.c, commit.c).
 *
 * The callers test E.options.tso before they call a function of this header.
 *
 * (B1) while no thread runs, memory holds committed stores only.
 * (B2) the head of a buffer is a store that memory does not have yet.  E.live.
 *      buffered has the threads whose buffers are not empty.
 * (B3) a thread's own stack is never in its buffer: the compiler's own stores
 *      there (spilled registers, return addresses) have no hooks.
 *
 * B1 is no property of one state; tests/agree/tso_machine.c compares with a
 * machine that keeps it by construction.
 */
#ifndef RT_BUFFER_H
#define RT_BUFFER_H

#include "rt/fiber.h"

enum { BUFFER_MOST = RT_BUFFER_MOST, BUFFER_WIDEST = 64 };

struct store {
  uint64_t addr;
  uint32_t size;
  uint32_t call;   /* that it belongs to */
  uint64_t pc;     /* of the hook */
  uint32_t event;  /* of the trace, when there is one */
  uint8_t through; /* memory has it already (buffer.c) */
  uint8_t order;   /* of an atomic */
  uint8_t data[BUFFER_WIDEST];
  uint8_t under[BUFFER_WIDEST]; /* while in memory: what was there */
};

struct store_buffer {
  uint32_t n;
  uint32_t issued; /* stores ever, in this execution */
  struct store at[BUFFER_MOST];
};
extern struct store_buffer fl__buffer[RT_BUFFERS] FL_HIDDEN;

/* Does the pending store go into the buffer? */
bool fl__buffer_takes(const struct fiber_state *f) FL_HIDDEN;
/* Must the pending step wait for the buffer of its thread … */
bool fl__buffer_stops(const struct fiber_state *f) FL_HIDDEN;
/* … whenever there is something in it? */
bool fl__buffer_drains(const struct fiber_state *f) FL_HIDDEN;
/* Is there a fence at the end of the operation? */
bool fl__buffer_fences_return(uint32_t op) FL_HIDDEN;
/* Of a thread parked before a join: do the buffers let it go on? */
bool fl__buffer_lets_join(const struct fiber_state *f) FL_HIDDEN;
/* Of the threads that could step, those that can, and the buffers. */
uint32_t fl__buffer_enabled(uint32_t on) FL_HIDDEN;

/* The thread's own stores go into memory while it runs, and out again. */
void fl__buffer_put_in(int t) FL_HIDDEN;
void fl__buffer_take_out(int t) FL_HIDDEN;
/* Is a byte of it in the buffer? */
bool fl__buffer_has(int t, uint64_t addr, uint64_t size) FL_HIDDEN;

/* Around the store that thread f makes now: s holds it afterwards. */
void fl__buffer_begin(const struct fiber_state *f, struct store *s) FL_HIDDEN;
void fl__buffer_end(struct store *s) FL_HIDDEN;
/* False: it need not wait there. */
bool fl__buffer_push(int t, const struct store *s) FL_HIDDEN;
/* Removes the oldest.  True: memory has the next one already. */
bool fl__buffer_pop(int t) FL_HIDDEN;

void fl__buffers_save(struct snapshot *s) FL_HIDDEN;
const uint8_t *fl__buffers_load(const uint8_t *p) FL_HIDDEN;
void fl__buffers_hash(struct snapshot *s) FL_HIDDEN;

/* commit.c: the store that t has just made goes into its buffer … */
void fl__issue(int t, const struct store *s) FL_HIDDEN;
/* … and the oldest store of t's buffer goes to memory, in a step. */
int fl__commit(int t, const struct rt_driver *d) FL_HIDDEN;

/* B2 and B3; for check_slow and tests. */
bool fl__buffers_check_invariants(void) FL_HIDDEN;

#endif
