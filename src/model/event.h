/*
 * An event is one visible step of one thread, in the order in which they
 * happened.  The table below is the only list of event kinds.
 *
 * Columns: name, word in reports and JSON, whether it reads memory, whether it
 * writes memory (an access with either has addr and size).
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#define EVENTS(_)                                                              \
  _(CALL, "call", 0, 0)                                                        \
  _(RETURN, "return", 0, 0)                                                    \
  _(STEP, "step", 0, 0) /* an operation that touched nothing shared */         \
  _(READ, "read", 1, 0)                                                        \
  _(WRITE, "write", 0, 1)                                                      \
  _(ATOMIC_READ, "load", 1, 0)                                                 \
  _(ATOMIC_WRITE, "store", 0, 1)                                               \
  _(RMW, "rmw", 1, 1)                                                          \
  _(CAS, "cas", 1, 1)             /* succeeded */                              \
  _(CAS_FAIL, "cas failed", 1, 0) /* did not: a read */                        \
  _(FENCE, "fence", 0, 0)                                                      \
  _(COMMIT, "commit", 0, 1) /* a store leaves its thread's buffer */           \
  _(ALLOC, "alloc", 0, 0)                                                      \
  _(FREE, "free", 0, 1)                                                        \
  _(LOCK, "lock", 0, 0)                                                        \
  _(TRYLOCK, "trylock", 0, 0)                                                  \
  _(UNLOCK, "unlock", 0, 0)                                                    \
  _(RDLOCK, "read-lock", 0, 0)                                                 \
  _(WRLOCK, "write-lock", 0, 0)                                                \
  _(COND_WAIT, "wait", 0, 0)    /* releases the mutex and starts to wait */    \
  _(COND_WAKE, "wake up", 0, 0) /* has been signalled and has the mutex */     \
  _(WAKE_UP, "spurious wake-up", 0, 0) /* of a wait that has just begun */     \
  _(WAIT_OVER, "wait over", 0, 0) /* timed: signalled or late; a lock comes */ \
  _(SIGNAL, "signal", 0, 0)                                                    \
  _(BROADCAST, "broadcast", 0, 0)                                              \
  _(SEM_WAIT, "sem wait", 0, 0) /* without a value: it sleeps to the end */    \
  _(SEM_POST, "sem post", 0, 0)                                                \
  _(FUTEX_WAIT, "futex wait", 1, 0) /* compares, and sleeps when equal */      \
  _(FUTEX_WOKEN, "woken", 0, 0)                                                \
  _(FUTEX_WAKE, "futex wake", 0, 0)                                            \
  _(BARRIER, "barrier", 0, 0)                                                  \
  _(ONCE, "once", 0, 0)                                                        \
  _(CREATE, "create thread", 0, 0)                                             \
  _(JOIN, "join", 0, 0)                                                        \
  _(EXIT, "thread ends", 0, 0)                                                 \
  _(YIELD, "yield", 0, 0)                                                      \
  _(CLOCK, "clock", 0, 0)     /* a look at the clock, or time that passes */   \
  /* descriptors (channel.h): of a pipe or the like as a whole */              \
  _(FD_OPEN, "open", 1, 1)                                                     \
  _(FD_READ, "receive", 1, 1)                                                  \
  _(FD_WRITE, "send", 1, 1)                                                    \
  _(FD_POLL, "poll", 1, 0) /* also an attempt that had to wait, or failed */   \
  _(FD_CHANGE, "change", 1, 1)                                                 \
  _(FD_CLOSE, "close", 1, 1)                                                   \
  _(ACQUIRE, "acquire", 0, 0) /* annotations: this comes behind … */           \
  _(RELEASE, "release", 0, 0) /* … what came before this */                    \
  _(TXN_BEGIN, "begin", 0, 0) /* of a block that is to be atomic */            \
  _(TXN_END, "end", 0, 0)                                                      \
  _(SHOW, "state", 0, 0)  /* what FL_SHOW printed, text in trace->notes */     \
  _(FAULT, "fault", 0, 0) /* the step at which the execution was ended */

enum event_kind {
#define EVENT_ENUM(name, word, reads, writes) EV_##name,
  EVENTS(EVENT_ENUM)
#undef EVENT_ENUM
      EV_COUNT
};

extern const char *const event_word[EV_COUNT];
extern const uint8_t event_reads[EV_COUNT], event_writes[EV_COUNT];

#define EVENT_NO_CALL UINT32_MAX

/* Flags: of an access, what could not be known.  A write that the end of the
 * execution cut off has no value; memory that cannot be read has neither. */
#define EVENT_NO_VALUE 1
#define EVENT_NO_OLD 2

/* Under TSO: a store that went into its thread's buffer; the COMMIT that names
 * it writes the memory.  A store without the flag wrote at once.  And a read
 * with at least one byte from its own thread's buffer. */
#define EVENT_ISSUED 4
#define EVENT_FORWARDED 8

/* The value of a WAKE_UP: the wait seems to have been woken, or fails. */
enum { WAKE_UP_RETURNS = 1, WAKE_UP_EINTR };

struct event {
  uint8_t kind;
  uint8_t thread;      /* 0 is the main thread, 1 … are the client's */
  uint8_t order;       /* memory order of an atomic (the __ATOMIC_ constants) */
  uint8_t flags;       /* EVENT_NO_… */
  uint32_t step;       /* number of the scheduling step it belongs to */
  uint32_t call;       /* the client's call it belongs to, or EVENT_NO_CALL */
  uint32_t chain;      /* index into trace->frames: the calls it is nested in */
  uint32_t activation; /* index into trace->activations: of its function */
  uint32_t issue;      /* commit: index of its store in the trace, which it has
                          call, chain, activation and pc from; else 0 */
  uint64_t pc;         /* return address of the hook, as offset into the loaded
                          object (look places up at pc - 1); 0 is unknown */
  uint64_t addr;
  uint64_t size;
  /* read: the value read.  write, rmw: the new value, and in `old` the one that
   * was there.  alloc: nothing.  An attempt (trylock): 1 if it succeeded.
   * create, join: the thread.  Little-endian, low half first; of an access of
   * more than 16 bytes the first 16. */
  uint64_t value[2];
  uint64_t old[2];
};

#endif
