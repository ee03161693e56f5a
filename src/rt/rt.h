/*
 * The engine: runs a client of an object under a scheduler that the caller
 * controls, inside this process, on one OS thread.  Threads are fibers.
 *
 * Words.  A step executes one visible access of one thread and runs that thread
 * on to just before its next one.  A thread is enabled when its next step can
 * be made now.  Thread 0 is the main thread (constructor, initial and final
 * calls, main() of a whole program); 1 … n are the client's threads in order,
 * then those that the code creates.
 *
 * There is one engine in a process, which is its one global (engine.h).  It
 * must be opened in a forked worker, since user code runs in it.
 *
 * (R1) the same client and the same answers of the driver give the same steps
 *      and the same values.                     tests/unit/rt/executions.c
 * (R2) no user code runs and no hook is entered while the caller runs.
 * (R3) between one rt_prepare and the next, every execution begins in the same
 *      native state: memory, stacks, thread-local variables.
 *                                               tests/unit/rt/invariants.c
 */
#ifndef RT_RT_H
#define RT_RT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/history.h"
#include "model/part_store.h"
#include "model/site.h"
#include "model/trace.h"
#include "model/verdict.h"
#include "model/waiting.h"

#include <faultline.h>
#include <stdbool.h>
#include <stdint.h>

enum { RT_MAX_THREADS = 32 };

/*
 * Under TSO (rt_options.tso) there are at most RT_BUFFERS threads, and thread
 * RT_BUFFERS + t is the store buffer of thread t: it is enabled while there is
 * something in it, and its step commits the oldest store.
 */
enum { RT_BUFFERS = 16, RT_BUFFER_MOST = 32 };
bool rt_tso(void);
/* Another memory model than that of rt_open, for the next rt_prepare. */
void rt_set_tso(bool on);
/* Happens-before is kept (order.h), and data races are faults, from the next
 * rt_prepare on.  Not under TSO, and not while lines are atomic (rt_atomic).
 * Returns the setting before. */
bool rt_races(bool on);
uint32_t rt_buffer_size(void);
int rt_owner(int thread); /* of a buffer; a thread is its own */
static inline bool rt_is_buffer(int thread) {
  return rt_owner(thread) != thread;
}
/* Off: stores are made at once.  Returns the setting before. */
bool rt_buffering(bool on);
/* Those of the threads that are buffers.  Commits are no preemptions. */
static inline uint32_t rt_buffers(uint32_t threads) {
  return rt_tso() ? threads >> RT_BUFFERS << RT_BUFFERS : 0;
}
/*
 * Under C11 (rt_options.c11) an atomic access may read an older write, or write
 * before others (writes.h): each is a choice within its step, alternative 0 what
 * SC would do.  At most RT_BUFFERS threads.
 */
bool rt_c11(void);
void rt_set_c11(bool on); /* as rt_set_tso; not both */
/* The execution graph so far: program order, which write each read reads, the
 * order of each location's writes, the order in which locks and the like were
 * used.  However it came about. */
struct hash128 rt_graph_hash(void);
int rt_current(void); /* the thread of the last step that was no commit */
/* Accesses at these places (offsets into the object) wait until their thread's
 * buffer is empty, as behind a fence.  To be set between executions; `pcs` must
 * live as long as they are set. */
void rt_fences(const uint64_t *pcs, uint32_t n);
/* Instead of a place: the returns of operation number op. */
#define RT_FENCE_RETURN(op) (UINT64_C(1) << 63 | (op))
/* The hooks of writes behind which the code reads, changes and writes the bytes
 * (stores to bit fields); sorted by pc.  To be set before rt_prepare; they must
 * live as long as they are set. */
void rt_part_stores(const struct part_store *at, uint32_t n);
/* The instructions without hooks at which the engine is to stop; sorted by pc.
 * Once, before rt_prepare; they must live as long as the object. */
void rt_sites(const struct site *at, uint32_t n);

/* Waits that end without a reason: never; the first wait of a call at each
 * place (so at most one in a loop); or up to three waits of a call. */
enum rt_wake_ups { RT_WAKE_UPS_OFF, RT_WAKE_UPS_SOME, RT_WAKE_UPS_ALL };

struct rt_options {
  bool reuse;         /* heap: last freed, first given (else quarantine) */
  bool spurious_cas;  /* a weak CAS may fail without reason: a choice */
  uint8_t wake_ups;   /* enum rt_wake_ups */
  bool leaks;         /* blocks that are alive after the destructor: a fault */
  bool uses_tls;      /* thread-local variables: switch the FS base too */
  bool uses_fenv;     /* rounding modes and the like: switch them too */
  bool uses_clock;    /* looks at a clock: to sleep is to move it */
  bool all_waits;     /* what only decides how long to wait is executed, too */
  uint32_t max_steps; /* of one execution; then it is cut */
  uint32_t max_alone; /* of one thread alone, once the client is prepared; then
                         it cannot be checked; 0: very many (bound.c) */
  uint32_t watchdog_ms; /* a step that takes longer is an endless loop */
  bool show_output;     /* user's stdout is not sent to /dev/null */
  bool races;           /* see rt_races */
  bool in_debugger;     /* which stops at each SIGSEGV */
  bool tso;             /* memory model: store buffers (else SC) … */
  uint32_t buffer;      /* … of so many stores, 1 to RT_BUFFER_MOST */
  bool c11;             /* memory model: RC11; not with tso */
};

enum rt_end {
  RT_DONE,     /* every thread returned */
  RT_STUCK,    /* only operations wait that may wait (FL_BLOCKING) */
  RT_FAULT,    /* see rt_fault() */
  RT_CUT,      /* max_steps */
  RT_STOPPED,  /* the driver said RT_STOP, or rt_step made its step */
  RT_LEFT_OUT, /* rt_atomic: a thread would have to wait inside a region */
};

#define RT_STOP (-1)

/* Called by the engine at each point where there is something to decide. */
struct rt_driver {
  /* More than one thread is enabled: which one makes the next step?  `current`
   * made the last one (it may not be enabled). */
  int (*pick)(void *ctx, uint32_t enabled, int current);
  /* Which of n ≥ 2 alternatives?  NULL: always 0. */
  int (*choose)(void *ctx, int n);
  void *ctx;
  bool every; /* pick is asked even when only one thread is enabled */
  /* rt_run and rt_run_on: by call, those that the client does not make.  A
   * thread that stands before the first step of one goes on behind it.  NULL:
   * it makes all. */
  const bool *without;
};

/* Loads a shared object; suites are then at rt_suites(). */
int rt_open(const char *so, const struct rt_options *o, struct error *e);
/* From here on this process and those that it starts share what their watchdogs
 * learn of endless loops (watch.c). */
void rt_share_loops(void);
/*
 * Which places of an object's code were reached: hooks, by their return
 * addresses as offsets below `span`.  `at` is NULL where nothing is noted.
 */
struct rt_reached {
  uint8_t *at; /* span bytes, not 0 if reached; processes share them */
  uint64_t span;
};
/* From here on this process and those that it starts note it in an empty table;
 * returns the table before, which rt_reached_restore takes up again. */
struct rt_reached rt_share_reached(uint64_t span);
void rt_reached_restore(struct rt_reached before);
struct rt_reached rt_reached(void);
/* Each tick of the watchdog adds one to *ticks and stores the number of steps
 * made so far in *steps. */
void rt_share_watch(volatile uint64_t *ticks, volatile uint64_t *steps);
struct fl_suite *rt_suites(void);
struct fl_client *rt_clients(void);
/* The first of the names in `fl_always.operations`, or NULL; its end is where
 * the others begin. */
const char *rt_next_name(const char *list, uint32_t *len);
uint64_t rt_base(void);            /* load address */
bool rt_has_main(void);            /* a whole program */
void rt_limit(uint32_t max_steps); /* another bound than that of rt_open */

/*
 * Constructs the object, makes the initial calls, starts the client's threads
 * (up to their first step), and keeps the native state.  suite NULL: a whole
 * program; its main() is thread 0 and `client` has no calls.
 * RT_FAULT when something fails on the way (a sequential fault), else RT_DONE.
 * The client must live as long as it is prepared.
 */
enum rt_end rt_prepare(const struct fl_suite *suite, const struct client *c);

/* One execution from the prepared state to its end. */
enum rt_end rt_run(const struct rt_driver *d);

/* One execution, recorded.  The trace lives in memory that survives until the
 * next recording, allocated in `a`. */
struct arena;
enum rt_end rt_run_recorded(const struct rt_driver *d, struct arena *a,
                            struct trace *t);

/* Of the last execution. */
const struct history *rt_history(void);
struct hash128 rt_history_hash(void); /* equal: same verdict of a checker */
bool rt_call_done(uint32_t call);
uint64_t rt_accesses(void); /* visible accesses ever made */
uint64_t rt_progress(void); /* steps ever made: tells whether it is alive */
/*
 * Whether the execution has met, for the first time, an access to another
 * thread's stack.  From now on such locations are steps for their owner too, so
 * an exhaustive search of this client must begin again.
 */
bool rt_found_shared_stack(void);
/*
 * Such locations are marked, 16 bytes each: of a thread's stack, or of its
 * block of the object's thread-local variables.  Executions are the same that
 * begin with the same marks.  Nothing but rt_prepare and rt_set_marks forgets
 * them.
 */
enum { RT_TLS = RT_MAX_THREADS };
struct rt_mark {
  uint8_t whose;     /* thread, or RT_TLS + thread: thread-local variables */
  uint32_t first, n; /* so many units of 16 bytes */
};
typedef VEC(struct rt_mark) rt_mark_list;
void rt_marks(rt_mark_list *out);
void rt_set_marks(const rt_mark_list *marks);
bool rt_has_marks(void);
const struct rt_fault *rt_fault(void);
uint32_t rt_steps(void);
uint32_t rt_waiting(struct waiting out[RT_MAX_THREADS]);

/* A data race: the access that came first. */
struct rt_race {
  uint64_t pc; /* module offset */
  uint8_t thread;
  bool atomic, writes;
};
struct rt_fault {
  enum fault kind;
  struct rt_race race;
  char text[512]; /* one sentence */
  uint64_t pc;    /* module offset */
  uint8_t thread;
  uint64_t addr;
  int signal;
  uint32_t round; /* so many steps lead back to the state before them; or 0 */
};

/*
 * Step-wise control, for searches over states.  rt_begin restores the prepared
 * state (RT_STOPPED: it can go on); rt_enabled is the mask of threads that can
 * step; rt_step makes one step of thread t and returns RT_STOPPED, or how the
 * execution ended.
 */
enum rt_end rt_begin(const struct rt_driver *d);
uint32_t rt_enabled(void);
enum rt_end rt_step(int thread, const struct rt_driver *d);

/*
 * Reduction: an access to a location that no other thread has been seen to
 * conflict on is no step; it belongs to the step before it.  Nothing but
 * rt_prepare forgets what was seen.  An exhaustive search must begin again
 * whenever an execution finds a location shared that was not known to be.
 */
bool rt_reduce(bool on);      /* returns the setting before */
bool rt_found_conflict(void); /* since the last time it was asked */
/* Reads of locations that several threads read and none writes are steps too;
 * until the next rt_prepare. */
void rt_reduce_less(void);
/* On: a critical section is one step.  Neither the unlock nor an access under
 * the mutex that its location is always touched under is a step of its own.
 * Not under TSO, and not while lines are atomic (rt_atomic). */
void rt_guards(bool on);
/* The conflicts seen so far, for another process that has prepared the same
 * client.  False: rt_knowledge has not written this. */
void rt_knowledge(struct buf *out);
bool rt_learn(const struct buf *knowledge);

/*
 * While a trail is set, every access is noted in it: the thread, with
 * RT_TRAIL_EARLY when it is no step and comes before its call's first one.
 * RT_TRAIL_EMPTY is the step of a call that makes no other: without the
 * reduction there is none if the call has early accesses.
 */
enum { RT_TRAIL_EARLY = 0x40, RT_TRAIL_EMPTY = 0x20 };
struct rt_trail {
  uint8_t *at;
  uint32_t len, cap;
};
void rt_trail(struct rt_trail *t);

/*
 * While folds are set, accesses under a lock that are no steps are noted in
 * them.
 */
struct rt_fold {
  uint64_t pc; /* as module offset; 0: elsewhere */
  uint64_t addr, size;
  uint8_t thread, kind;
};
struct rt_folds {
  VEC(struct rt_fold) at;
};
void rt_folds(struct rt_folds *f);

/*
 * While this is on, executions of a suite with FL_PROGRESS end in a fault where
 * they show that it does not hold; of rt_step, only where an operation waits
 * (progress.c).  Returns the setting before.  Not while lines are atomic.
 */
bool rt_watch_progress(bool on);
/* FL_ALWAYS and FL_PROGRESS play no part until they are resumed: the object is
 * only asked for results. */
struct rt_conditions {
  uint8_t always, watches;
};
struct rt_conditions rt_suspend_conditions(void);
void rt_resume_conditions(struct rt_conditions before);

/* What a thread's next step is.  For a thread that is parked only. */
struct rt_access {
  uint8_t kind; /* enum event_kind; a CAS may still turn out to fail */
  uint64_t addr, size;
};
void rt_pending(int thread, struct rt_access *out);

/* Where a parked thread stands. */
struct rt_stand {
  uint64_t pc;   /* of its next step, as module offset; 0: elsewhere */
  uint32_t call; /* the client's call it is in, or EVENT_NO_CALL … */
  bool begun;    /* … which has made its first step */
  uint32_t held; /* locks that it holds */
};
void rt_stand(int thread, struct rt_stand *out);
/* Not of a buffer; else the thread has ended. */
bool rt_is_parked(int thread);

/*
 * While a log is set, every step is noted in it as it turned out, and between
 * the steps the creations (CREATE) and joins (JOIN) of threads: `addr` is the
 * other thread then.  The final calls are not noted.
 */
enum {
  RT_CALLS = 1,    /* the step begins a call … */
  RT_RETURNS = 2,  /* … or ends one (or both, or several) */
  RT_WAITS = 4,    /* a step that had to be enabled by others */
  RT_FAILED = 8,   /* a CAS, trylock and the like that did not succeed */
  RT_LINK = 16,    /* no step: a thread was created or joined */
  RT_CREATES = 32, /* threads are numbered as they are created */
  RT_JOINS = 64,   /* a call came to a join, or a thread that is joined ended:
                      the later of the two goes on behind the join */
  RT_ISSUED = 128, /* a store that went into the buffer */
};
struct rt_logged {
  uint8_t thread, kind, flags;
  uint8_t joined;   /* RT_JOINS: the thread that is waited for */
  uint16_t set;     /* see rt_awaits */
  uint32_t enabled; /* mask: threads that could have stepped instead */
  uint32_t answers; /* a number for the choices made in the step, or 0 */
  /* Under TSO: which of its thread's buffered stores this is, or is committed
   * here, or how many there were before; and must they be in memory first? */
  uint32_t stores;
  bool drains;
  uint64_t addr, size;
  uint64_t other;    /* the mutex of a wait on a condition variable, or 0 */
  uint64_t old;      /* what up to 8 bytes held before the step */
  uint64_t expected; /* a CAS: what it compares with */
  bool intrudes;     /* upon another thread's stack */
  /* The part of its own stack that the step has begun or ended to use, and the
   * part of those of threads that go on behind a join then. */
  struct rt_span {
    uint64_t lo, hi;
  } own, theirs;
};
struct rt_log {
  struct rt_logged *at;
  uint32_t len, cap;
};
void rt_log(struct rt_log *l);

/*
 * Threads in loops, for searches over traces.  Usually a thread that goes round
 * without effect is parked until somebody changes what it reads, and when it is
 * parked depends on the order of steps that do not conflict.  While this is on,
 * that depends on the thread alone: whenever it has gone round, its next step
 * is an await, a step that can be made when one of the locations that were read
 * on the way has been changed since.  The await conflicts with every write to
 * them: rt_logged.set names them.
 */
struct rt_set {
  uint32_t n;
  struct {
    uint64_t addr, size;
  } at[24];
};
bool rt_awaits(bool on); /* returns the setting before; on: forgets earlier
                            sets */
const struct rt_set *rt_set(uint16_t set);

/*
 * Regions that are not to be interrupted.  While a thread is inside of one, no
 * other is enabled.  When it has to wait there (for a lock, a thread, or in a
 * loop for somebody to change what it reads), it could not have begun if the
 * region were one step: the execution ends with RT_LEFT_OUT, and those in which
 * the others went first remain.
 *
 * To be set between executions; snapshots from before are void.  The regions
 * must live as long as they are set.  All searches obey; but dpor, which
 * reverses single accesses, does not know that a region moves as a whole, and
 * leaves executions out.
 */
struct added_wake; /* model/wake.h */
/* Before rt_atomic, and with the same rules; NULL: none. */
void rt_wake_after(const struct added_wake *w);
struct regions;                          /* model/region.h */
void rt_atomic(const struct regions *r); /* NULL: none */
bool rt_left_out(void); /* an execution, since the last time it was asked */

/* Snapshots of the complete native state in the middle of an execution. */
struct snapshot {
  uint8_t *bytes;
  uint32_t len, cap;
};
void rt_save(struct snapshot *s);
void rt_restore(const struct snapshot *s);
void snapshot_free(struct snapshot *s);

/* From a snapshot that was taken in `pick` to the end: pick is asked the same
 * question again. */
enum rt_end rt_run_on(const struct snapshot *s, const struct rt_driver *d);

/* Hash of memory, stacks and scheduler state; with `with_history` also of
 * results so far and, for each call made, the set of calls completed before. */
struct hash128 rt_hash(bool with_history);

/* Hash of memory alone: globals, heap, thread-local variables; not of where
 * threads are. */
struct hash128 rt_hash_contents(void);

/* Hash of the memory that the main thread has made when a client without
 * threads is prepared: where it is equal, the same can happen from there on. */
struct hash128 rt_hash_memory(void);

#endif
