/*
 * A worker is a forked process in which the user's code runs.  Whatever happens
 * to it, and whatever the code does there, the parent goes on: it has the
 * answer as bytes from a socket, which are checked (base/pack.h), and no
 * pointer that comes from there is followed.  What the two share are numbers
 * and bytes that are hints: for the progress line, and for the case that the
 * worker dies.
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

/* Live, in memory that both have: a worker may have written anything there. */
struct shared {
  volatile uint64_t heartbeat, executions, clients;
  volatile uint64_t ticks; /* of the engine's watchdog: it is awake … */
  volatile uint64_t steps; /* … and the engine had made so many by then */
  volatile double share;   /* of struct explore */
  volatile uint64_t work;
  struct live_path path;
};

/* What a worker's function has; memory of its process alone. */
struct work {
  struct shared *shared;
  struct board *board;
  struct arena arena;
  struct recording *recording; /* where to record, or NULL: in the arena */
  struct error error;          /* why there is no answer */
  const void *answer;          /* … which is a worker->noun */
  void *own;                   /* of the function, from one call to the next */
};

/*
 * A recording that is wanted although the worker dies.  Its trace points into
 * `room`, or, when the code has overwritten it, anywhere.
 */
enum { RECORDING_ROOM = 64 << 20 };
struct recording {
  uint64_t base; /* where the object was loaded */
  struct trace trace;
  _Alignas(64) char room[RECORDING_ROOM];
};

/*
 * What must be known when the worker has died.  Code that overwrites memory by
 * mistake can write into `struct shared`; here it cannot: the worker opens the
 * board only while board_write writes.
 */
struct board {
  uint8_t known;
  uint64_t clients, executions; /* when this client began */
  char client[8192];            /* what is running; "" for a program */
};
void board_write(struct board *b, const char *client, uint64_t clients,
                 uint64_t executions);

enum worker_end {
  WORKER_DONE,  /* `answer` is there */
  WORKER_ERROR, /* `error` says why */
  WORKER_DIED,  /* `status` is waitpid's; or `garbled` */
  WORKER_HANGS, /* killed: it slept without making steps, or was too late */
  WORKER_INTERRUPTED,
};

/* Why it is taken to hang. */
enum worker_hang {
  HANG_SLEEPS, /* or was stopped */
  HANG_BLIND,  /* it computes, and the engine's watchdog does not tick: the
                  code has blocked its signal */
  HANG_STILL,  /* it computes, and neither the engine nor the search goes on */
  HANG_LATE,   /* max_seconds */
};

struct worker {
  const struct noun *noun; /* of the answer; NULL: worker_run is not for it */
  bool records;            /* what it records is wanted though it dies */
  struct shared *shared;
  const struct board *board;
  struct recording *recording; /* `records` */
  int status;
  bool garbled;          /* what it sent is no answer */
  struct error error;    /* WORKER_ERROR */
  void *answer;          /* WORKER_DONE, in the arena */
  struct arena arena;    /* of the parent: of what is known from the worker */
  uint32_t hang_seconds; /* asleep for so long: it hangs; 0 is 3 */
  uint32_t max_seconds;  /* of all; 0: no limit */
  enum worker_hang hang; /* WORKER_HANGS: which kind */
  bool show_output;      /* else the user's stdout and stderr go to /dev/null */
  /* its process */
  pid_t pid;          /* 0: there is none, or it has ended */
  int fd;             /* to the process; in the process, to its parent */
  struct frame_in in; /* what came from there */
  enum frame_state state;
  bool used; /* the shared memory is that of a process */
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

/* From now on the user's interrupt ends a worker, not this process, which has
 * reports to write and files to remove. */
void worker_catch_signals(void);

/* Forks, runs fn(arg, work) in the child, waits, and reads the answer. */
enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct work *s), void *arg);
void worker_map(struct worker *w); /* the shared memory only, no process */
/* In another worker: this one's memory is not its own. */
void worker_hide(const struct worker *w);
/* Unmaps the shared memory and frees the arena, with the answer. */
void worker_release(struct worker *w);

/* An error as it travels; false: this is none. */
bool worker_error(struct error *e, const struct buf *bytes);

/* ---- the parts of worker_run, for who watches several (pool.h) ---- */

enum {
  WORKER_LOOK_MS = 100,
  LATE_SECONDS = 10, /* who has not kept --time by then is killed */
};

bool worker_interrupted(void); /* by one of the signals above */
/* What was found is still to be told: the next signal counts again. */
void worker_go_on(void);

/*
 * Forks; the child runs fn(arg, work) and ends.  Both sides have one end of
 * a socket in w->fd, which is closed when the child ends.  Shared memory that
 * an earlier process used is replaced.
 */
void worker_start(struct worker *w, int (*fn)(void *arg, struct work *s),
                  void *arg);
/* In the child: die() sends its sentence as a frame of this kind, with an
 * error in it; by itself it does so as worker_run wants it. */
void worker_dies_by(int fd, uint32_t kind);
/* Its work begins: the time that it sleeps is counted from here. */
void worker_watch(struct worker *w);
/* To be asked every WORKER_LOOK_MS: is it asleep for good, or too late? */
bool worker_stuck(struct worker *w);
/* Has the process ended by itself?  Then w->status says how. */
bool worker_ended(struct worker *w);
/* Kills the process if it has not ended, closes w->fd. */
void worker_end(struct worker *w);

#endif
