/*
 * Inside the engine: what the hooks, the scheduler and the heap share.
 * Nothing outside rt/ includes this.
 *
 * User code runs on the stacks of fibers; the engine runs on the caller's
 * stack.  A hook that reaches a visible access parks its fiber there (point,
 * fl__wait) and the engine decides; the hook goes on when its thread was
 * chosen. So a fiber's stack holds nothing but user frames and the innermost
 * hook: that is what makes states comparable and snapshots small.
 *
 * (I1) `self` is the running fiber's state, and valid only while in_fiber.
 * (I2) everything an execution changes lives in struct fiber_state, struct
 *      live, the heap arenas, the stacks, the thread-local blocks or the
 *      object's data: all of it is in a snapshot.
 */
#ifndef RT_INT_H
#define RT_INT_H

#include "rt/layout.h"
#include "rt/port.h"
#include "rt/rt.h"

#include <stdatomic.h>
#include <stddef.h>

/* ---- threads ---- */

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
  uint8_t detached;
  uint8_t joined;
  uint8_t failed;      /* set by a hook: the attempt of this step failed */
  uint8_t in_wait;     /* a timed wait: if it times out, all is as before */
  uint32_t call;       /* the client's call it is in, or EVENT_NO_CALL */
  uint32_t allocs;     /* allocations made in this call so far */
  uint32_t looks;      /* at the clock, in this call */
  uint32_t depth;      /* of the shadow call stack */
  uint32_t held;       /* locks that it holds */
  uint64_t mutexes;    /* addresses of those among them, by exclusive or */
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
  uint64_t random;
  uint64_t free_list[8]; /* reuse policy: last freed block by size class */
  uint64_t kept;         /* bytes of large blocks that it could get again … */
  uint32_t large_frees;  /* … and how many it ever freed (heap.c) */
  uint32_t past;         /* mask: threads that have ended before what it does */
  /* from here on not part of the state's hash (FIBER_HASHED) */
  uint64_t expected; /* of the last CAS, up to 8 bytes */
  uint64_t looping;  /* spin detection: its steps are being recorded */
  uint64_t spun;     /* it was parked in a loop until just now */
  uint64_t await;    /* await.c: the set that its next step waits for, or 0 */
  /* Library functions that it has called; which one the pending step and the
   * last one belong to, 0: to none. */
  uint32_t visits, visit, last_visit;
  uint32_t marks; /* blocks that are to be atomic: so many are open */
};
#define FIBER_HASHED offsetof(struct fiber_state, expected)

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
  uint32_t parked;  /* mask: threads parked before a step */
  uint32_t waiting; /* mask, part of parked: those whose `can` must be asked */
  uint32_t
      transit; /* mask: run to their next step before anything is decided */
  uint32_t clients; /* mask: client threads that are not done */
  uint32_t spinning;
  uint32_t steps;
  uint32_t locals;   /* accesses that were no steps */
  uint32_t current;  /* who made the last step */
  uint32_t final;    /* the main thread makes the final calls: no more picks */
  uint32_t keys;     /* pthread keys: all in use are below */
  uint32_t free_key; /* the first that is not in use */
  uint32_t keyed;    /* mask: threads that have set a value of a key */
  uint32_t arenas;   /* mask: those that are in use */
  uint32_t inside;   /* mask: threads inside of regions (atomic.c) */
  uint32_t buffered; /* mask: threads with stores in their buffers */
  uint64_t clock;    /* nanoseconds (hooks_time.c) */
  uint64_t done;     /* mask of the first 64 calls that returned */
  uint64_t arena_used[RT_MAX_THREADS];
};

/* Results and order so far; hashed.  pre[i]: calls done when i was called. */
struct live_call {
  struct value result;
  uint64_t pre;
};
struct live_time {
  uint32_t call, ret;
};

enum { KEYS_MAX = 1024, SPIN_MAX = 24 };

struct key {
  uint64_t used;
  void (*destructor)(void *);
};

struct spin_record {
  uint64_t pc, addr, size, local;
  uint64_t changed; /* await.c: by others, since the step was made … */
  uint64_t value;   /* … in which this was read */
  uint32_t held;    /* locks, when it came here */
  uint32_t kind;    /* of its step */
};
struct spin {
  uint32_t n;
  uint32_t pending; /* await.c: the last one's step is still to be made */
  uint32_t round;   /* where the round begins that led to an await */
  struct spin_record at[SPIN_MAX];
};

enum { TLS_MODULES = 64 };
struct tls_module { /* a loaded library with thread-local variables */
  size_t id, size;
  bool restored; /* between executions; the C library's must not be */
};

struct parked_thread { /* lends its thread control block to a fiber */
  uintptr_t thread_pointer;
  uintptr_t handle; /* pthread_t */
  int *errno_at;
  uint8_t *tls;    /* the object's thread-local block */
  uint64_t lo, hi; /* its own stack, with the C library's thread-locals */
  uint64_t library[TLS_MODULES]; /* blocks of the other libraries */
  bool ready;
};

struct shadow_frame { /* an activation of a function */
  uint64_t pc, sp;
  uint64_t last;       /* where it was at the thread's last access; 0: none was
                          made in it (atomic.c) */
  uint32_t activation; /* of the trace; 0: it has no event yet */
};
enum { SHADOW_FRAMES = 1024 };

enum { BUFFER_MOST = 32, BUFFER_WIDEST = 64 };
struct store {
  uint64_t addr;
  uint32_t size;
  uint32_t call;   /* that it belongs to */
  uint64_t pc;     /* of the hook */
  uint32_t event;  /* of the trace, when there is one */
  uint8_t through; /* memory has it already (B2) */
  uint8_t order;   /* of an atomic */
  uint8_t data[BUFFER_WIDEST];
  uint8_t under[BUFFER_WIDEST]; /* while in memory: what was there */
};

struct engine {
  /* hot */
  struct fiber_state *self;
  void *engine_sp;
  uint8_t in_fiber;
  uint8_t recording; /* events go into a trace */
  uint8_t shadowing; /* the shadow call stack is kept; what for: SHADOW_… */
  uint8_t arrival;
  int cur;
  uint64_t data_lo, data_span; /* the object's writable data */
  uint32_t stack_shared;       /* mask of stacks that other threads touch */
  uint32_t tls_shared;         /* the same of thread-local blocks */
  uint32_t quiet;              /* accesses in a row that were no steps */
  uint32_t new_marks; /* units found to be shared in this run (marks.c) */
  uint8_t reduce;     /* accesses without a conflict are no steps */
  uint8_t awaits;     /* rt_awaits */
  uint8_t stepwise;   /* states will be compared (rt_step) */
  uint32_t conflicts; /* locations newly found to be shared */
  const struct regions *regions; /* NULL: none */
  bool left_out;                 /* a thread would have waited in one */
  struct rt_trail *trail;
  struct rt_folds *folds;
  struct rt_log *log;
  uint32_t returned; /* calls that returned, ever */
  uint32_t enabled;  /* at the last decision */
  uint32_t loopers;  /* mask of threads with spin records */
  uint32_t bound;    /* so many steps, and fl__at_bound is asked */
  uint64_t accesses; /* visible ones ever */
  uint64_t progress; /* steps ever, for the watchdog */

  struct fiber_state fiber[RT_MAX_THREADS];
  struct live live;
  struct live_call *calls; /* client->ncalls of each */
  struct live_time *times;
  struct spin spin[RT_MAX_THREADS];
  void *key_value[RT_MAX_THREADS][KEYS_MAX];
  struct key key[KEYS_MAX]; /* both: live.keys of them are in a state; values
                               of threads outside live.keyed are never read */

  struct rt_options options;
  const struct fl_suite *suite;
  const struct client *client;
  const struct fl_op **ops; /* by index, as in call.op */
  uint32_t nops;
  void *object;
  uint32_t begun;   /* steps of the set-up of the prepared client … */
  uint32_t in_turn; /* … and of its calls, one after the other … */
  bool measured;    /* … which is known */
  bool preparing, measuring;
  struct rt_fault fault;
  int alternatives, chosen;
  int exit_status;

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

  struct parked_thread lent[RT_MAX_THREADS];
  uintptr_t own_thread_pointer;
  struct shadow_frame (*shadow)[SHADOW_FRAMES]; /* per fiber */
  struct snapshot loaded;                       /* the state after loading */
  uint64_t loaded_used;                         /* of arena 0 then */
  struct float_state loaded_fp; /* what threads begin with (-ffast-math) */
  struct snapshot start;        /* the prepared state */
  char *shown;                  /* what FL_SHOW printed of the prepared state */
  struct shadow_frame (*start_shadow)[SHADOW_FRAMES];
  struct history history;
  uint64_t *marks[2 * RT_TLS]; /* marks.c: a bit for 16 bytes */
  struct store storing;        /* the store that is being made */
};

extern struct engine fl__e FL_HIDDEN;
#define E fl__e

/* ---- for hooks, on the fiber's stack ---- */

#define CALLER_PC ((uint64_t)(uintptr_t)__builtin_return_address(0))

/*
 * Parks the running thread before a step and returns when it is to make it.
 * Always enabled.  The caller then performs the step on memory.
 */
static inline __attribute__((always_inline)) void
point(enum event_kind kind, const volatile void *addr, uint64_t size,
      uint64_t pc) {
  struct fiber_state *f = E.self;
  f->kind = kind;
  f->addr = (uint64_t)(uintptr_t)addr;
  f->size = size;
  f->pc = pc;
  E.arrival = ARRIVED;
  fl__switch(&f->sp, E.engine_sp);
}

/*
 * The same for a step that can be made only while can(self) is true; `other`
 * is for `can` to use.  When it returns, can() is true and no other thread has
 * run since.
 */
void fl__wait(enum event_kind kind, const volatile void *addr, uint64_t other,
              uint64_t pc, bool (*can)(struct fiber_state *f)) FL_HIDDEN;

/* This step changed nothing that another thread could wait for (a failed
 * trylock, an exchange that stored what was there). */
static inline void fl__silent(void) { E.self->silent = 1; }

/* For the recording: the step in progress read `old` / left `value` there, or
 * turned out to be of another kind.  Cheap when not recording. */
void fl__saw(enum event_kind kind, const void *old, const void *value,
             uint64_t size) FL_HIDDEN;

/* One of n ≥ 2 alternatives, by the search. */
int fl__choose(int n) FL_HIDDEN;

/* Ends the execution with a fault.  `pc` 0: take the pending step's. */
_Noreturn void fl__fault(enum fault kind, uint64_t pc, uint64_t addr,
                         const char *format, ...) FL_HIDDEN
    __attribute__((format(printf, 4, 5)));

/* The same for what the engine does not model and for its own bounds: the
 * verdict is not that of a fault.  `format` begins with the function's name
 * and says why; no full stop. */
#define fl__refuse(pc, ...) fl__fault(FAULT_UNMODELLED, pc, 0, __VA_ARGS__)

/* The same without leaving: for the engine's side. */
void fl__fill_fault(enum fault kind, uint64_t pc, uint64_t addr,
                    const char *format, ...) FL_HIDDEN
    __attribute__((format(printf, 4, 5)));

/* The whole program ends (exit in main, return of main). */
_Noreturn void fl__exit_program(int status) FL_HIDDEN;

/* The thread ends here (pthread_exit). */
_Noreturn void fl__end_thread(void *value) FL_HIDDEN;

/* A new thread; returns its number.  It runs to its first step before the
 * creator goes on to its next. */
int fl__new_number(uint64_t pc) FL_HIDDEN;
int fl__spawn(void *(*start)(void *), void *arg, uint64_t pc) FL_HIDDEN;
int fl__thread_of_handle(uintptr_t handle) FL_HIDDEN; /* -1: none */
uintptr_t fl__handle_of_thread(int thread) FL_HIDDEN;

/* Are the hooks to do anything?  False while the object is being loaded. */
static inline bool fl__on(void) { return E.in_fiber; }

/* ---- accesses ---- */

/*
 * A thread that makes very many accesses which are no steps may wait, in a
 * loop, for somebody to write to its own stack: let the others go on.
 */
enum { QUIET_MOST = 20000 };
static inline void fl__quiet(uint64_t pc) {
  if (UNLIKELY(++E.quiet == QUIET_MOST))
    point(EV_YIELD, NULL, 0, pc);
}

/*
 * Is [addr, addr+size) something that another thread can see?  Whether it may
 * be touched is the engine's business when the step is made, not before: other
 * threads can free it in between.
 */
bool fl__visible(uint64_t addr, uint64_t size) FL_HIDDEN;

/* Memory that is touched without a step of its own must be live now. */
static inline void fl__must_live(uint64_t addr, uint64_t size, bool write,
                                 uint64_t pc);

/* A step that reads or writes a range by library code; no-op when nothing of
 * it is visible or size is 0.  After it the caller performs the access. */
void fl__access(enum event_kind kind, const volatile void *addr, uint64_t size,
                uint64_t pc) FL_HIDDEN;

/* ---- heap ---- */

/* NULL when no machine has so much; else a full heap ends the run. */
void *fl__alloc(uint64_t size, uint64_t align, uint64_t elem, bool zero,
                uint64_t pc) FL_HIDDEN;
void fl__free(void *p, uint64_t pc) FL_HIDDEN;
uint64_t fl__block_size(const void *p) FL_HIDDEN; /* of a live block, or 0 */

struct block_header;
bool fl__heap_check(uint64_t addr, uint64_t size) FL_HIDDEN; /* all live? */
/* Fills E.fault with what is wrong there. */
void fl__heap_fault(uint64_t addr, uint64_t size, bool write,
                    uint64_t pc) FL_HIDDEN;
/* Leaves the fiber with the fault that E.fault has. */
_Noreturn void fl__faulted(void) FL_HIDDEN;

/* For the recording: an access without a step that is a fault. */
void fl__record_refused_touch(bool write, uint64_t addr, uint64_t size,
                              uint64_t pc) FL_HIDDEN;

static inline void fl__must_live(uint64_t addr, uint64_t size, bool write,
                                 uint64_t pc) {
  if (addr - HEAP_BASE < HEAP_SPAN && E.in_fiber &&
      UNLIKELY(!fl__heap_check(addr, size))) {
    if (E.recording)
      fl__record_refused_touch(write, addr, size, pc);
    fl__heap_fault(addr, size, write, pc);
    fl__faulted();
  }
}
void fl__heap_open(void) FL_HIDDEN;
void fl__heap_clear(void) FL_HIDDEN;
/* What is known of the block that an address belongs to. */
struct block_info {
  uint64_t base, size, elem, alloc_pc, free_pc;
  uint32_t alloc_chain;
  uint32_t alloc_call; /* the client's call + 1, or 0 */
  uint8_t alloc_thread, free_thread;
  bool live;
};
bool fl__block_of(uint64_t addr, struct block_info *out) FL_HIDDEN;
/* Calls `each` for every block of arena t that was ever allocated. */
void fl__heap_each(int t, void (*each)(const struct block_info *, void *),
                   void *ctx) FL_HIDDEN;
/* The canonical form of a pointer result (model/value.h). */
uint64_t fl__pointer_name(uint64_t p) FL_HIDDEN;
/* In a copy of arena t: which code has allocated and freed its blocks. */
void fl__heap_forget_sites(int t, uint8_t *copy) FL_HIDDEN;
/* A leaked block, or 0 (alive, and allocated since the client was begun). */
uint32_t fl__heap_live(uint64_t *first_addr, uint64_t *bytes) FL_HIDDEN;

/* ---- engine.c, for the other files ---- */

enum { FL_GOES_ON = -1 }; /* else how an execution ended: enum rt_end */
/* Leaves the running fiber for the engine. */
void fl__leave(enum arrival how) FL_HIDDEN;
/* Runs a thread to its next step without counting one. */
int fl__execute_transit(int thread, const struct rt_driver *d) FL_HIDDEN;
/* With the reduction: steps that no other thread can tell from none. */
int fl__run_locals(int t, int end, const struct rt_driver *d) FL_HIDDEN;
void fl__let_go_on(void) FL_HIDDEN;

/* notes.c; only with E.log, E.trail or E.folds (the callers test it) */
void fl__note(const struct rt_logged *what) FL_HIDDEN;
void fl__note_edge(uint8_t flags) FL_HIDDEN;
uint32_t fl__note_step(int t, bool transit, bool issues) FL_HIDDEN;
void fl__note_choice(struct rt_logged *l) FL_HIDDEN;
/* Before the step, so many calls had returned, and its stack ended at sp; 0: it
 * does not matter. */
void fl__complete_note(uint32_t at, const struct fiber_state *f,
                       uint32_t returned, uint64_t sp) FL_HIDDEN;
void fl__leave_trail(int t, uint8_t flag) FL_HIDDEN;
/* The pending access of t, which will be made without being a step. */
void fl__note_fold(int t) FL_HIDDEN;
int fl__run_transits(const struct rt_driver *d) FL_HIDDEN;
static inline int fl__run_transit(const struct rt_driver *d) {
  return UNLIKELY(E.live.transit) ? fl__run_transits(d) : FL_GOES_ON;
}
uint32_t fl__enabled(void) FL_HIDDEN; /* mask */
/* Nobody can step: what does that mean? */
enum rt_end fl__blocked(void) FL_HIDDEN;
/* The operation that it is in may wait (FL_BLOCKING). */
bool fl__in_blocking_call(const struct fiber_state *f) FL_HIDDEN;
/* Without a driver: stay with the current thread while it is enabled. */
int fl__stay(uint32_t enabled) FL_HIDDEN;

/* bound.c */
void fl__bound_begin(void) FL_HIDDEN; /* an execution begins */
void fl__bound_ended(void) FL_HIDDEN; /* one, or the set-up, has ended */
int fl__at_bound(void) FL_HIDDEN;     /* FL_GOES_ON: E.bound has been raised */
static inline bool fl__bound_is_near(void) {
  return UNLIKELY(E.live.steps + E.live.locals >= E.bound);
}

/* calls.c: what fibers run */
void fl__main_body(void) FL_HIDDEN;
void fl__client_body(void) FL_HIDDEN;
void fl__program_body(void) FL_HIDDEN;
bool fl__clients_done(struct fiber_state *f) FL_HIDDEN;

/* ---- the other files ---- */

void fl__fibers_open(void) FL_HIDDEN;
void fl__fiber_begin(int thread, void (*body)(void)) FL_HIDDEN;
void fl__lend(int thread) FL_HIDDEN; /* makes sure the fiber has its TCB */
void fl__tls_reset(int thread) FL_HIDDEN;
/* Thread-local variables are those of the thread that this is the pointer of.
 */
void fl__use_thread_pointer(uintptr_t to) FL_HIDDEN;
int fl__module_open(const char *so, struct error *e) FL_HIDDEN;
void fl__signals_open(const char *so) FL_HIDDEN;
/* In a signal handler: the fiber is left with a fault, whose text is still to
 * be written. */
void fl__refused(enum fault kind, void *context) FL_HIDDEN;
/* Zeros what lies below a parked thread's stack (see fiber.c). */
void fl__clean_below(int thread) FL_HIDDEN;
/* The same below all stacks that have marks. */
void fl__clean_shared(void) FL_HIDDEN;
void fl__run_key_destructors(void) FL_HIDDEN;
uint32_t fl__chain(int thread) FL_HIDDEN; /* of the shadow stack, interned */
bool fl__readable(uint64_t addr, uint64_t size) FL_HIDDEN;

/* marks.c: memory of one thread that others touch; `whose` is as in struct
 * rt_mark, and `offset` counts from the beginning of that memory */
void fl__mark(uint32_t whose, uint64_t offset, uint64_t size) FL_HIDDEN;
bool fl__marked(uint32_t whose, uint64_t offset, uint64_t size) FL_HIDDEN;
void fl__stack_published(uint64_t pointer) FL_HIDDEN;
void fl__forget_marks(void) FL_HIDDEN;
/* How many of its units are new. */
uint32_t fl__add_mark(const struct rt_mark *m) FL_HIDDEN;
/* Is the pending access to another thread's stack? */
static inline bool fl__intrudes(const struct fiber_state *f) {
  return f->addr - STACK_BASE < STACK_SPAN &&
         (f->addr - STACK_BASE) / STACK_SIZE != (uint64_t)(f - E.fiber);
}
/* Does its pending step do without the object that it waited at? */
bool fl__only_wakes(const struct fiber_state *f) FL_HIDDEN;
/* Whether a thread's pending access is to a stack, of another thread, that
 * ends above it. */
bool fl__stack_dead(int thread, uint64_t addr) FL_HIDDEN;
/* Where the user's part of a parked thread's stack ends. */
uint64_t fl__stack_end(int thread) FL_HIDDEN;
/* Fills E.fault. */
void fl__stack_fault(int thread, uint64_t addr, bool write,
                     uint64_t pc) FL_HIDDEN;

/* It has come here by a step that was made at pc `from`. */
void fl__spin_arrive(int thread, uint64_t from) FL_HIDDEN;
void fl__spin_changed(int thread, uint64_t addr, uint64_t size) FL_HIDDEN;
void fl__spin_forget(int thread) FL_HIDDEN;
bool fl__spin_is_blind(int thread) FL_HIDDEN;
/* Half of a timed wait: when it has timed out, all is as it was before. */
static inline bool fl__in_timed_wait(const struct fiber_state *f,
                                     uint8_t kind) {
  return UNLIKELY(f->in_wait) && (kind == EV_COND_WAIT || kind == EV_WAIT_OVER);
}

/* await.c: instead of spin.c's way to wait, while E.awaits */
void fl__await_arrive(int thread) FL_HIDDEN;
/* It stands where it did before the steps of the records from `round` on;
 * false: that does not count. */
bool fl__await(int thread, uint32_t round) FL_HIDDEN;
void fl__await_changed(int thread, uint64_t addr, uint64_t size) FL_HIDDEN;

/* pages.c: large memory, copied by the page */
enum { PAGES_DATA, PAGES_ARENA };
void fl__pages_begin(void) FL_HIDDEN; /* the client is prepared */
void fl__pages_end(void) FL_HIDDEN;   /* another one will be */
bool fl__pages_touch(uint64_t addr) FL_HIDDEN;
/* Is there something that is copied by the page? */
bool fl__pages_overlap(uint64_t lo, uint64_t hi) FL_HIDDEN;
void fl__pages_save(int which, struct snapshot *s, uint64_t base,
                    uint64_t size) FL_HIDDEN;
/* What it says of a state, and no more. */
void fl__pages_digest(int which, struct snapshot *s, uint64_t base,
                      uint64_t size) FL_HIDDEN;
const uint8_t *fl__pages_restore(int which, const uint8_t *p, uint64_t base,
                                 uint64_t size) FL_HIDDEN;
/* Memory that may hold many zeros: a copy of it, and back. */
void fl__pages_put(struct snapshot *s, uint64_t from, uint64_t to) FL_HIDDEN;
const uint8_t *fl__pages_get(const uint8_t *p, uint64_t from,
                             uint64_t to) FL_HIDDEN;
void fl__snapshot_put(struct snapshot *s, const void *from, size_t n) FL_HIDDEN;

/* watch.c: the watchdog */
void fl__watch_open(const char *so) FL_HIDDEN;
bool fl__watch_barks(uint64_t rip) FL_HIDDEN;

/* conflict.c: which locations do threads conflict on? */
void fl__conflict_note(int thread, uint8_t kind, uint64_t addr,
                       uint64_t size) FL_HIDDEN;
bool fl__conflict_free(uint64_t addr, uint64_t size) FL_HIDDEN;
/* Rules P and U of conflict.c: the pending access of f cannot be told apart
 * from one that is made together with the step before it. */
bool fl__guarded(const struct fiber_state *f) FL_HIDDEN;
/* From now on these bytes count as shared. */
void fl__conflict_force(uint64_t addr, uint64_t size) FL_HIDDEN;
void fl__conflict_forget(void) FL_HIDDEN;

/* What the user's code prints in between, as a string (to be freed). */
void fl__show_begin(void) FL_HIDDEN;
void fl__show_end(char **text) FL_HIDDEN;
/* The thread that has the lock that a parked thread waits for, or 255. */
uint8_t fl__holder(uint8_t kind, uint64_t addr) FL_HIDDEN;

/* atomic.c; only while E.shadowing (the callers test it) */
enum { SHADOW_CHAINS = 1, SHADOW_REGIONS = 2 };
void fl__shadow_keep(void) FL_HIDDEN;    /* those of the prepared state … */
void fl__shadow_restart(void) FL_HIDDEN; /* … again */
void fl__atomic_made(int thread) FL_HIDDEN; /* its pending access */
/* … it has come to the next one, or to its end */
void fl__atomic_arrive(int thread) FL_HIDDEN;
/* Its pending access must be a step, whatever it touches. */
bool fl__atomic_needs_step(int thread) FL_HIDDEN;
void fl__shadow_save(struct snapshot *s) FL_HIDDEN;
const uint8_t *fl__shadow_load(const uint8_t *p) FL_HIDDEN;
void fl__shadow_forget(void) FL_HIDDEN; /* a snapshot that has no frames */

/* buffer.c; only with E.options.tso (the callers test it) */
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
bool fl__buffer_lets_join(const struct fiber_state *f) FL_HIDDEN;
/* Of the threads that could step, those that can, and the buffers. */
uint32_t fl__buffer_enabled(uint32_t on) FL_HIDDEN;
void fl__buffer_put_in(int t) FL_HIDDEN;
void fl__buffer_take_out(int t) FL_HIDDEN;
/* Is a byte of it in the buffer? */
bool fl__buffer_has(int t, uint64_t addr, uint64_t size) FL_HIDDEN;
void fl__buffer_begin(const struct fiber_state *f, struct store *s) FL_HIDDEN;
void fl__buffer_end(struct store *s) FL_HIDDEN;
bool fl__buffer_push(int t, const struct store *s) FL_HIDDEN; /* is it there? */
/* Is the next one to go at once? */
bool fl__buffer_pop(int t) FL_HIDDEN;
/* commit.c: the store that t has just made goes into its buffer; the oldest
 * goes to memory */
void fl__issue(int t, const struct store *s) FL_HIDDEN;
int fl__commit(int t, const struct rt_driver *d) FL_HIDDEN;
void fl__note_commit(int t, const struct store *s) FL_HIDDEN;
void fl__buffers_save(struct snapshot *s) FL_HIDDEN;
const uint8_t *fl__buffers_load(const uint8_t *p) FL_HIDDEN;
void fl__buffers_hash(struct snapshot *s) FL_HIDDEN;

/* record.c; all no-ops unless E.recording (the callers test it) */
void fl__record_begin(struct arena *a, struct trace *t) FL_HIDDEN;
void fl__record_end(void) FL_HIDDEN;
void fl__record_step(int thread) FL_HIDDEN;
void fl__record_refused(int thread) FL_HIDDEN; /* a step that is a fault */
void fl__record_done_step(uint8_t kind, uint64_t addr, uint64_t size) FL_HIDDEN;
uint32_t fl__record_last(void) FL_HIDDEN;         /* index of the last event */
void fl__record_issued(uint32_t event) FL_HIDDEN; /* it is in the buffer */
/* The store is about to be committed. */
void fl__record_commit(int thread, const struct store *s) FL_HIDDEN;
void fl__record_call(int thread, uint32_t call) FL_HIDDEN;
void fl__record_return(int thread, uint32_t call) FL_HIDDEN;
void fl__record_alloc(const void *p, uint64_t size, uint64_t elem,
                      uint64_t pc) FL_HIDDEN;
void fl__record_free(const void *p, uint64_t pc) FL_HIDDEN;
void fl__record_note(enum event_kind kind, int thread, uint64_t pc,
                     uint64_t addr, const char *text) FL_HIDDEN;
void fl__record_mark(enum event_kind kind, int thread, uint64_t pc) FL_HIDDEN;
void fl__record_simple(enum event_kind kind, const volatile void *addr,
                       uint64_t value, uint64_t pc) FL_HIDDEN;

#endif
