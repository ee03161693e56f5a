/*
 * A trace is everything that one execution did, event by event, with what is
 * needed to say it in the user's words: call chains, heap blocks, results.
 *
 * Program counters are offsets into the loaded object; the chain of an event
 * is a list of call sites from the inside out: frames[e.chain], then its
 * parent, until 0.  frames[0] is the bottom (no frame).
 *
 * Frames are shared: two calls from one place have the same.  Activations are
 * not: each call of a function has its own, so that an event tells by which
 * execution of its function it was made.  An event's place in its activation is
 * its pc, in the one that called that its call_pc, and so on outwards; code
 * that was inlined runs in the activation that it was inlined into.
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "model/event.h"
#include "model/history.h"

struct frame {
  uint64_t call_pc; /* return address in the caller, as module offset */
  uint32_t parent;  /* index of the next frame outwards, 0 at the bottom */
};

/* One execution of a function.  Calls that made no event have none. */
struct activation {
  uint64_t call_pc; /* return address in the caller, as module offset; 0: its
                       caller is no code of the object */
  uint32_t parent;  /* the caller's activation; 0 is the bottom (none) */
};

struct block {
  uint64_t base, size;
  uint64_t elem_size;   /* calloc's second argument; 0 for the others */
  uint32_t alloc_event; /* index into events, or UINT32_MAX: before the trace */
  uint32_t free_event;  /* or UINT32_MAX: alive at the end */
  uint64_t alloc_pc, free_pc;
  uint32_t alloc_chain, free_chain;
  uint32_t alloc_call; /* the client's call that allocated it + 1, or 0 */
  uint8_t alloc_thread, free_thread;
};

struct trace {
  struct event *events;
  uint32_t nevents;
  struct frame *frames;
  uint32_t nframes;
  struct activation *activations; /* a parent comes before its children */
  uint32_t nactivations;
  struct block *blocks; /* sorted by time of allocation */
  uint32_t nblocks;
  const char **notes; /* texts of SHOW and FAULT events, by event.value[0] */
  uint32_t nnotes;
  struct history history;
  bool truncated; /* the recording was full; the last events are missing */
  /* When a fault has ended the execution: what each other thread was about to
   * read or write, behind the last event.  No part of the trace. */
  uint32_t nnext;
};

/*
 * A deep copy in `a`, the history's client and texts included.  False when the
 * arena is a fixed one and full.
 */
struct arena;
bool trace_copy(struct trace *to, const struct trace *from, struct arena *a);

#endif
