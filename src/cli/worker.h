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

struct shared {
  struct arena arena; /* the rest of the region */
  /* live, for the progress line and for the case that the worker dies */
  volatile uint64_t heartbeat, executions, clients;
  char client[4096];          /* what is running */
  volatile bool client_known;
  struct live_path path;
  struct trace trace;         /* a recording in progress */
  volatile bool recording;
  /* the answer */
  volatile bool done;
  struct error error;
  struct result result;
  struct outcome_table *outcomes;
  void *other; /* what else the worker's function returns */
};

enum worker_end {
  WORKER_DONE,  /* shared->done */
  WORKER_ERROR, /* shared->error says why */
  WORKER_DIED,  /* `status` is waitpid's */
  WORKER_HANGS, /* killed: it slept without making steps */
  WORKER_INTERRUPTED,
};

struct worker {
  struct shared *shared;
  int status;
  bool show_output; /* else the user's stdout and stderr go to /dev/null */
};

/*
 * Forks, runs fn(arg, shared) in the child and waits.  `progress` makes the
 * progress line's text now and then; may be NULL.
 */
enum worker_end worker_run(struct worker *w,
                           int (*fn)(void *arg, struct shared *s), void *arg);
void worker_release(struct worker *w); /* unmaps the shared memory */

#endif
