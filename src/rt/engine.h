/*
 * The state of the engine: one global, E, in a process.
 *
 * User code runs on the stacks of fibers; the engine runs on the caller's
 * stack.  A hook that reaches a visible access parks its fiber there (park.h)
 * and the engine decides; the hook goes on when its thread was chosen.
 *
 * (E1) E.self is the running fiber's state, and valid only while E.in_fiber.
 * (E2) everything an execution changes lives in struct fiber_state, struct
 *      live, the heap arenas, the stacks, the thread-local blocks or the
 *      object's data: all of it is in a snapshot.  No check sees what is
 *      missing; tests/unit/rt/executions.c runs on from snapshots.
 * (E3) threads below E.live.nfibers exist: no mask has another one, but for
 *      the buffers of rt_enabled.
 * (E4) E.live.waiting is a part of E.live.parked.
 */
#ifndef RT_ENGINE_H
#define RT_ENGINE_H

#include "rt/fiber.h"
#include "rt/key.h"
#include "rt/layout.h"
#include "rt/shadow.h"
#include "rt/spin.h"

/* Why a fiber has switched to the engine. */
enum arrival {
  ARRIVED, /* parked before a step */
  ENDED,   /* the thread is done */
  CHOOSES, /* asks for one of E.alternatives */
  FAULTED, /* E.fault is filled: the execution is over */
  EXITED,  /* the whole program ended in order */
};

/* The part of the engine's state that an execution changes. */
struct live {
  uint32_t nfibers;
  uint32_t parked;   /* mask: threads parked before a step */
  uint32_t waiting;  /* mask, part of parked: those whose `can` must be asked */
  uint32_t transit;  /* mask: run to their next step before anything is
                        decided */
  uint32_t clients;  /* mask: client threads that are not done */
  uint32_t spinning; /* mask (spin.h) */
  uint32_t steps;
  uint32_t locals;   /* accesses that were no steps */
  uint32_t current;  /* the thread of the last step */
  uint32_t final;    /* the main thread makes the final calls: no more picks */
  uint32_t keys;     /* key.h: all in use are below … */
  uint32_t free_key; /* … and this is the first that is not in use */
  uint32_t keyed;    /* mask: threads that have set a value of a key */
  uint32_t arenas;   /* mask: those that are in use */
  uint32_t inside;   /* mask: threads inside of regions (atomic.c) */
  uint32_t buffered; /* mask: threads with stores in their buffers */
  uint32_t channels; /* pipes and the like were made (channel.h) */
  uint32_t ordered;  /* clocks are kept, and in a snapshot (order.h) */
  uint64_t clock;    /* nanoseconds (hooks_time.c) */
  uint64_t done;     /* mask of the first 64 calls that returned */
  uint64_t arena_used[RT_MAX_THREADS];
};

/* Results and order so far; hashed.  pre: calls done when this was called. */
struct live_call {
  struct value result;
  uint64_t pre;
};
struct live_time {
  uint32_t call, ret;
};

struct engine {
  /* hot */
  struct fiber_state *self;
  void *engine_sp;
  uint8_t in_fiber;
  uint8_t recording; /* events go into a trace */
  uint8_t shadowing; /* the shadow call stack is kept; what for: SHADOW_… */
  uint8_t arrival;   /* enum arrival, of the fiber that ran last */
  int cur;           /* the thread that runs or ran last */
  uint64_t data_lo, data_span; /* the object's writable data */
  uint32_t stack_shared;       /* mask of stacks that other threads touch */
  uint32_t tls_shared;         /* the same of thread-local blocks */
  uint32_t quiet;              /* accesses in a row that were no steps */
  uint32_t new_marks; /* units found to be shared in this run (marks.c) */
  uint8_t reduce;     /* accesses without a conflict are no steps */
  uint8_t awaits;     /* rt_awaits */
  uint8_t stepwise;   /* states will be compared (rt_step) */
  uint8_t ordering;   /* clocks are kept for this client (order.h) … */
  uint8_t races;      /* … as the next one wants (rt_races) */
  uint8_t always;     /* the suite has an FL_ALWAYS */
  uint8_t watches;    /* rt_watch_progress */
  uint8_t reference;  /* a reference implementation runs (reference.h) */
  uint32_t conflicts; /* locations newly found to be shared */
  const struct regions *regions; /* NULL: none */
  bool left_out;                 /* a thread would have waited in one */
  const bool *without;           /* of the driver that runs, or NULL */
  const struct added_wake *wake; /* NULL: none; then `regions` is not NULL */
  struct rt_trail *trail;
  struct rt_folds *folds;
  struct rt_log *log;
  uint32_t returned; /* calls that returned, ever */
  uint32_t enabled;  /* at the last decision */
  uint32_t loopers;  /* mask of threads with spin records */
  uint32_t bound;    /* so many steps, and fl__at_bound is asked */
  uint64_t accesses; /* visible ones ever */
  uint64_t progress; /* steps ever, for the watchdog */
  uint8_t *reached;  /* bytes by offset into the object (rt_share_reached) */
  uint64_t reached_span;

  struct fiber_state fiber[RT_MAX_THREADS];
  struct live live;
  struct live_call *calls; /* client->ncalls of each */
  struct live_time *times;
  struct spin spin[RT_MAX_THREADS];
  void *key_value[RT_MAX_THREADS][KEYS_MAX];
  struct specific_key key[KEYS_MAX]; /* live.keys of both are in a state */

  struct rt_options options;
  const struct fl_suite *suite;
  const struct client *client;
  const struct fl_op **ops; /* by index, as in call.op */
  void *object;             /* what the constructor returned */
  uint32_t begun;           /* steps of the set-up of the prepared client */
  bool preparing;
  struct rt_fault fault;
  int alternatives, chosen; /* of a fiber that CHOOSES */
  int exit_status;          /* of a program that EXITED */

  /* the loaded object */
  void *handle;
  uint64_t base, image_span, code_lo, code_span;
  int (*program)(int, char **, char **);
  size_t tls_size;
  const uint8_t *tls_image;
  size_t tls_image_size;
  size_t tls_module;
  struct tls_module library[TLS_MODULES];
  uint32_t nlibraries;

  struct lent_thread lent[RT_MAX_THREADS];
  uintptr_t own_thread_pointer;
  struct shadow_frame (*shadow)[SHADOW_FRAMES]; /* per fiber */
  struct snapshot loaded;                       /* the state after loading */
  uint64_t loaded_used;                         /* of arena 0 then */
  struct float_state loaded_fp; /* what threads begin with (-ffast-math) */
  struct snapshot start;        /* the prepared state */
  char *shown;                  /* what FL_SHOW printed of the prepared state */
  struct shadow_frame (*start_shadow)[SHADOW_FRAMES];
  struct history history;
};

extern struct engine fl__e FL_HIDDEN;
#define E fl__e

/* The number of calls that the client makes; 0 without a client. */
static inline uint32_t fl__ncalls(void) {
  return E.client ? E.client->ncalls : 0;
}

/* A place in the object under test as an offset; 0: it lies elsewhere. */
static inline uint64_t fl__offset(uint64_t pc) {
  return pc - E.base < E.image_span ? pc - E.base : 0;
}

/* E3, E4, F1, and those of spin.h, key.h and buffer.h, while no fiber runs.
 * For check_slow and tests. */
bool fl__engine_check_invariants(void) FL_HIDDEN;

#endif
