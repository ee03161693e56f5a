/*
 * A fiber: one thread of the code under test, on a stack of its own, in the
 * one OS thread of the engine.  While it does not run it is parked before a
 * step, inside a call to a hook: its stack holds user frames and the innermost
 * hook, nothing of the engine.  That makes states comparable and snapshots
 * small.
 *
 * (F1) a fiber that is parked before a step is in E.live.waiting if and only if
 *      the step has a condition (`can`).
 */
#ifndef RT_FIBER_H
#define RT_FIBER_H

#include "rt/module.h"
#include "rt/port.h"
#include "rt/rt.h"

#include <stddef.h>

enum { WAIT_PLACES = 4 }; /* fl__wakes_up */
enum { FREE_LISTS = 8 };  /* size classes of the heap's reuse policy */
enum fiber_status { FIBER_FREE, FIBER_PARKED, FIBER_DONE };

struct fiber_state {
  void *sp; /* where it is parked; callee-saved registers lie on its stack */
  uint8_t status;
  uint8_t kind;      /* enum event_kind of the step it is parked before */
  uint8_t order;     /* of an atomic */
  uint8_t called;    /* the current call has made its first step */
  uint8_t ops_begun; /* a client's thread is past FL_THREAD's enter */
  uint8_t spinning;  /* parked until a location that it reads is changed */
  uint8_t silent;    /* set by a hook: this step changed nothing after all */
  uint8_t woken;     /* a condition variable's signal has reached it */
  uint8_t detached;  /* nobody will join it */
  uint8_t joined;    /* somebody has */
  uint8_t failed;    /* set by a hook: the attempt of this step failed */
  uint8_t in_wait;   /* a timed wait: if it times out, all is as before */
  uint32_t call;     /* the client's call it is in, or EVENT_NO_CALL */
  uint32_t allocs;   /* allocations made in this call so far */
  uint32_t looks;    /* at the clock, in this call */
  uint64_t waited[WAIT_PLACES]; /* park.h: where it has waited in this call */
  uint32_t depth;               /* of the shadow call stack (shadow.h) */
  uint32_t held;                /* locks that it holds … */
  uint64_t mutexes; /* … and the addresses of the mutexes, by exclusive or */
  uint64_t addr, size; /* of the pending step */
  uint64_t pc;         /* return address of the hook */
  uint64_t other;      /* a second address, e.g. the mutex of a wait */
  bool (*can)(struct fiber_state *f); /* NULL: always enabled */
  void *thread_data;                  /* what FL_THREAD's enter returned */
  void *exit_value;
  void *(*start)(void *);
  void *start_arg;
  struct float_state fp; /* while it does not run */
  uint64_t clock;        /* nanoseconds, when it last looked */
  uint64_t random;       /* state of its generator of random numbers */
  uint64_t
      free_list[FREE_LISTS]; /* reuse policy: last freed block by size class */
  uint64_t kept;        /* bytes of large blocks that it could get again … */
  uint32_t large_frees; /* … and how many it ever freed (heap.c) */
  uint32_t past;        /* mask: threads that have ended before what it does */
  /* from here on not part of the state's hash (FIBER_HASHED) */
  uint64_t expected; /* of the last CAS, up to 8 bytes */
  uint64_t looping;  /* spin detection: its steps are being recorded */
  uint64_t spun;     /* it was parked in a loop until just now */
  uint64_t await;    /* await.c: the set that its next step waits for, or 0 */
  /* Library functions that it has called; which one the pending step and the
   * last one belong to, 0: to none. */
  uint32_t visits, visit, last_visit;
  uint32_t marks; /* blocks that are to be atomic: so many are open */
  uint8_t fail_order; /* of a CAS that fails */
  uint8_t bare;       /* the step is that of an instruction without a hook */
};
#define FIBER_HASHED offsetof(struct fiber_state, expected)

/*
 * A sleeping OS thread that lends its thread control block to a fiber.  While
 * the fiber runs, the thread pointer is the sleeper's, and the C library sees
 * an ordinary thread.
 */
struct lent_thread {
  uintptr_t thread_pointer;
  uintptr_t handle; /* pthread_t */
  int *errno_at;
  uint8_t *tls;    /* the object's thread-local block */
  uint64_t lo, hi; /* its own stack, with the C library's thread-locals */
  uint64_t library[TLS_MODULES]; /* blocks of the other libraries */
  bool ready;
};

void fl__fibers_open(void) FL_HIDDEN;
/* The thread stands before its first instruction, which will be body's. */
void fl__fiber_begin(int thread, void (*body)(void)) FL_HIDDEN;
void fl__use_thread_pointer(uintptr_t to) FL_HIDDEN;

int fl__thread_of_handle(uintptr_t handle) FL_HIDDEN; /* -1: none */
uintptr_t fl__handle_of_thread(int thread) FL_HIDDEN;

/* Zeros what lies below a parked thread's stack. */
void fl__clean_below(int thread) FL_HIDDEN;
/* The same below all stacks that have marks (marks.h). */
void fl__clean_shared(void) FL_HIDDEN;

#endif
