/*
 * A worker is a forked process in which the user's code runs.  Whatever the
 * code does there, the parent goes on: it gets the answer as bytes from a
 * socket, which are checked (base/pack.h), and follows no pointer that comes
 * from there.  The memory that both share holds numbers and bytes that are only
 * hints: for the progress line, and for the case that the worker dies.
 *
 * (W1) pid is 0 exactly while there is no process, or it was waited for.
 * (W2) a worker and all that it started are one process group and end together.
 * (W3) shared memory belongs to one process.  It is mapped anew for the next
 *      one, so that leftovers of an earlier process cannot write there.
 */
#ifndef PROC_WORKER_H
#define PROC_WORKER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/pack.h"
#include "proc/frame.h"
#include "rt/rt.h"
#include "search/explore.h"

#include <sys/types.h>

/* In memory that both processes have: the worker may write anything there. */
struct shared {
  volatile uint64_t heartbeat, executions, clients;
  volatile uint64_t ticks; /* of the engine's watchdog, … */
  volatile uint64_t steps; /* … and steps of the engine by the last tick */
  volatile double share;   /* of struct explore */
  volatile uint64_t work;
  struct live_path path;
};

/* What a worker's function works with, in memory of its process alone. */
struct work {
  struct shared *shared;
  struct board *board;
  struct arena arena;
  struct recording *recording; /* where to record, or NULL: in the arena */
  struct error error;          /* why there is no answer */
  const void *answer;          /* of type worker->noun */
  void *own;                   /* the function's, from one call to the next */
};

/*
 * A recording that survives the worker.  Its trace points into `room`, or, when
 * the code has overwritten it, anywhere.
 */
enum { RECORDING_ROOM = 64 << 20 };
struct recording {
  uint64_t base; /* where the object was loaded */
  struct trace trace;
  _Alignas(64) char room[RECORDING_ROOM];
};

/*
 * What must be known when the worker has died.  Code that overwrites memory by
 * mistake can write into `struct shared`, but not here: the board is writable
 * only inside board_write.
 */
struct board {
  uint8_t known;
  uint64_t clients, executions; /* when this client began */
  char client[8192];            /* that is running; "" for a program */
};
void board_write(struct board *b, const char *client, uint64_t clients,
                 uint64_t executions);

enum worker_end {
  WORKER_DONE,  /* `answer` is there */
  WORKER_ERROR, /* `error` says why */
  WORKER_DIED,  /* `status` is waitpid's; or `garbled` */
  WORKER_HANGS, /* it was killed: no steps for too long, or too late */
  WORKER_INTERRUPTED,
};

/* Why the worker counts as hanging. */
enum worker_hang {
  HANG_SLEEPS, /* or was stopped */
  HANG_BLIND,  /* it computes, but the engine's watchdog does not tick: the
                  code has blocked its signal */
  HANG_STILL,  /* it computes, but neither the engine nor the search goes on */
  HANG_LATE,   /* max_seconds */
};

struct worker {
  const struct noun *noun; /* type of the answer; NULL: not for worker_run */
  bool records;            /* its recording must survive it */
  struct shared *shared;
  const struct board *board;
  struct recording *recording; /* `records` */
  int status;
  bool garbled;          /* it sent bytes that are no answer */
  struct error error;    /* WORKER_ERROR */
  void *answer;          /* WORKER_DONE, in the arena */
  struct arena arena;    /* of the parent: holds the answer */
  uint32_t hang_seconds; /* asleep for so long: it hangs; 0 is 3 */
  uint32_t max_seconds;  /* of all; 0: no limit */
  enum worker_hang hang; /* WORKER_HANGS: which kind */
  bool show_output;      /* else the user's stdout and stderr go to /dev/null */
  /* its process */
  pid_t pid;          /* W1 */
  int fd;             /* to the process; in the process, to its parent */
  struct frame_in in; /* the frame that comes from there */
  enum frame_state state;
  bool used; /* the shared memory belongs to a process (W3) */
  struct worker_watch {
    double begun;
    unsigned long cpu; /* as of the last look, in clock ticks */
    uint64_t beat;
    uint32_t idle; /* looks without a sign of life */
    /* The last tick and step that were seen, and user CPU time then. */
    uint64_t tick, step;
    unsigned long at_tick, at_step;
  } watch;
};

/* From now on the user's interrupt ends workers, not this process, which has
 * reports to write and files to remove. */
void worker_catch_signals(void);

/* Forks, runs fn(arg, work) in the child, waits, and reads the answer. */
enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct work *s), void *arg);
void worker_map(struct worker *w); /* the shared memory only, no process */
/* In another worker: makes this one's shared memory inaccessible. */
void worker_hide(const struct worker *w);
/* Unmaps the shared memory and frees the arena, with the answer. */
void worker_release(struct worker *w);

/* Reads an error that came in a frame; false: the bytes are none. */
bool worker_error(struct error *e, const struct buf *bytes);

/* ---- the parts of worker_run, for a parent of several workers (pool.h) ----
 */

enum {
  WORKER_LOOK_MS = 100,
  LATE_SECONDS = 10, /* beyond --time: then the worker is killed */
};

bool worker_interrupted(void); /* by one of the signals above */
/* Forgets the interrupt, since there are reports to write: the next one counts
 * again. */
void worker_go_on(void);

/*
 * Forks; the child runs fn(arg, work) and ends.  Both sides have one end of a
 * socket in w->fd, which is closed when the child ends.  Shared memory that an
 * earlier process used is replaced (W3).
 */
void worker_start(struct worker *w, int (*fn)(void *arg, struct work *s),
                  void *arg);
/* In the child: die() sends its sentence as an error, in a frame of this kind.
 * worker_start sets this for worker_run. */
void worker_dies_by(int fd, uint32_t kind);
/* Its work begins: the time without steps is counted from here. */
void worker_watch(struct worker *w);
/* To be called every WORKER_LOOK_MS: does it hang?  Then w->hang says how. */
bool worker_stuck(struct worker *w);
/* Has the process ended by itself?  Then w->status says how. */
bool worker_ended(struct worker *w);
/* Kills the process if it has not ended, closes w->fd. */
void worker_end(struct worker *w);

#endif
