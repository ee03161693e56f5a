/*
 * A pool: processes that run the user's code and do items of work for this one.
 * An item is a message, and so is its answer: where the process runs makes no
 * difference.  A slot is a place for one process, which has at most one item at
 * a time.  The caller that gives items decides what they mean, and what to do
 * about an item whose process did not answer.
 *
 *     pool_give(p, 0, item)   pool_wait(p): POOL_TICK, POOL_TICK, POOL_ANSWER
 *
 * (P1) pool_give starts the slot's process when there is none, or when its
 *      last one is gone.
 * (P2) every item given is followed by exactly one piece of news about its
 *      slot, unless the pool is closed before.
 * (P3) whatever a process does, the pool goes on: no memory is shared but
 *      `struct shared` and `struct board`, and every number that comes from a
 *      process is bounded where it is read.
 */
#ifndef PROC_POOL_H
#define PROC_POOL_H

#include "base/buf.h"
#include "proc/worker.h"

/* How a job's argument travels to other machines. */
struct pool_travel {
  int (*write)(const void *arg, struct buf *out, struct error *e);
  void *(*read)(const struct buf *from, struct error *e); /* NULL: *e */
  void (*free)(void *arg); /* what `read` returned, or NULL */
};

/* What a process of the pool does. */
struct pool_job {
  /* Once, before the first item.  Anything but ERR_NONE ends the process;
   * work->error says why. */
  int (*open)(void *arg, struct work *s);
  /* Does one item.  An error as above. */
  int (*item)(void *arg, struct work *s, const struct buf *item,
              struct buf *answer);
  /* In the parent: can this be the answer to an item?  NULL: anything can. */
  bool (*valid)(const struct buf *answer);
  void *arg;
  const struct pool_travel *travel; /* NULL: no slots on other machines */
  bool show_output;
  uint32_t hang_seconds, max_seconds; /* as in struct worker; for one item */
};

enum pool_news {
  POOL_ANSWER,
  POOL_ERROR,       /* `error` says why */
  POOL_KILLED,      /* by SIGKILL from outside; or its machine is gone */
  POOL_DIED,        /* in another way: `death` says how and where */
  POOL_HANGS,       /* it was killed, since it made no steps for too long */
  POOL_INTERRUPTED, /* the user or the cluster ends the run; of no slot, and no
                       other news comes from then on */
  POOL_TICK,        /* some time has passed without news; of no slot */
};

/* What a process that died, hung or was killed was doing.  It may have written
 * anything there. */
struct pool_death {
  int status;   /* waitpid's */
  bool garbled; /* it was killed, since it sent bytes that are no answer */
  enum worker_hang hang; /* POOL_HANGS */
  bool known;            /* it had begun a client: */
  char *client;          /* … its text, "" for a program */
  uint8_t *path;         /* … and the steps so far, as in struct live_path */
  uint32_t len;
  bool only_choices;
  uint64_t clients, executions; /* of its board */
};

struct pool_message {
  enum pool_news news;
  uint32_t slot;
  struct buf answer;       /* POOL_ANSWER */
  struct error error;      /* POOL_ERROR */
  struct pool_death death; /* POOL_DIED, POOL_HANGS, POOL_KILLED */
};

struct pool;

/*
 * `local` slots on this machine come first; then those that other machines
 * offer, when this process was started for a cluster (pool_remote.h).  No
 * process is started yet.
 */
struct pool *pool_open(const struct pool_job *job, uint32_t local);
uint32_t pool_slots(const struct pool *p);
uint32_t pool_local_slots(const struct pool *p);

/* False: its machine is gone for good.  What is given to it is POOL_KILLED. */
bool pool_usable(const struct pool *p, uint32_t slot);

/* The slot must be idle.  The item is copied. */
void pool_give(struct pool *p, uint32_t slot, const void *item, size_t len);

/* Waits for the next piece of news, at most about 100 ms: then POOL_TICK.
 * The message belongs to the pool until the next call. */
const struct pool_message *pool_wait(struct pool *p);

/* What a local slot's process shows of itself while it works, or NULL; until
 * the slot gets another process. */
const struct shared *pool_look(const struct pool *p, uint32_t slot);

/* Of machines that went away: "rank 2 (node7) is gone; …", or NULL. */
const char *pool_lost(const struct pool *p);

/* Ends all processes, in the middle of items too. */
void pool_close(struct pool *p);

#endif
