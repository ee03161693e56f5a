/*
 * A worker is a forked process in which the user's code runs.  What it finds
 * goes into memory that it shares with its parent, at the same address in both,
 * so pointers inside it are valid in both.  Whatever happens to the worker, the
 * parent goes on.
 */
#ifndef CLI_WORKER_H
#define CLI_WORKER_H

#include "base/arena.h"
#include "base/err.h"
#include "model/result.h"
#include "rt/rt.h"
#include "search/explore.h"

#include <sys/types.h>

struct shared {
  struct arena arena; /* the rest of the region */
  struct board *board;
  /* live, for the progress line and for the case that the worker dies */
  volatile uint64_t heartbeat, executions, clients;
  volatile uint64_t ticks; /* of the engine's watchdog: it is awake … */
  volatile uint64_t steps; /* … and the engine had made so many by then */
  volatile double share;   /* of struct explore */
  volatile uint64_t work;
  struct live_path path;
  struct trace trace; /* a recording in progress */
  /* the answer */
  volatile bool done;
  struct error error;
  struct result result;
  void *other; /* what else the worker's function returns */
};

/*
 * What must be known when the worker has died.  Code that overwrites memory can
 * write into `struct shared`; here it cannot: the worker opens the board only
 * while board_write writes.
 */
struct board {
  bool known;
  uint64_t clients, executions; /* when this client began */
  char client[8192];            /* what is running; "" for a program */
};
void board_write(struct board *b, const char *client, uint64_t clients,
                 uint64_t executions);

enum worker_end {
  WORKER_DONE,  /* shared->done */
  WORKER_ERROR, /* shared->error says why */
  WORKER_DIED,  /* `status` is waitpid's */
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
  struct shared *shared;
  const struct board *board;
  int status;
  uint32_t hang_seconds; /* asleep for so long: it hangs; 0 is 3 */
  uint32_t max_seconds;  /* of all; 0: no limit */
  enum worker_hang hang; /* WORKER_HANGS: which kind */
  bool show_output;      /* else the user's stdout and stderr go to /dev/null */
  /* its process */
  pid_t pid; /* 0: there is none, or it has ended */
  int fd;    /* to the process; in the process, to its parent */
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

/* Forks, runs fn(arg, shared) in the child and waits. */
enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct shared *s), void *arg);
void worker_map(struct worker *w); /* the shared memory only, no process */
/* What a worker left, out of reach of the next ones while `sealed`. */
void worker_seal(struct worker *w, bool sealed);
void worker_release(struct worker *w); /* unmaps the shared memory */

/* ---- the parts of worker_run, for who watches several (pool.h) ---- */

enum {
  WORKER_LOOK_MS = 100,
  LATE_SECONDS = 10, /* who has not kept --time by then is killed */
};

bool worker_interrupted(void); /* by one of the signals above */
/* What was found is still to be told: the next signal counts again. */
void worker_go_on(void);

/*
 * Forks; the child runs fn(arg, shared) and ends.  Both sides have one end of
 * a socket in w->fd, which is closed when the child ends.  Shared memory that
 * an earlier process used is replaced.
 */
void worker_start(struct worker *w, int (*fn)(void *arg, struct shared *s),
                  void *arg);
/* Its work begins: the time that it sleeps is counted from here. */
void worker_watch(struct worker *w);
/* To be asked every WORKER_LOOK_MS: is it asleep for good, or too late? */
bool worker_stuck(struct worker *w);
/* Has the process ended by itself?  Then w->status says how. */
bool worker_ended(struct worker *w);
/* Kills the process if it has not ended, closes w->fd. */
void worker_end(struct worker *w);

#endif
