/*
 * The hunt: the search for a fault of one object, inside workers.
 *
 * 1. One worker tries saved schedules and sequences of calls by one thread.
 * 2. A pool of workers does the items of a campaign (campaign.h): all small
 *    clients, random larger ones, or the parts of one client.
 * 3. One worker concludes: from a bad execution to the smallest client that
 *    shows the fault.
 */
#ifndef HUNT_HUNT_H
#define HUNT_HUNT_H

#include "hunt/target.h"
#include "proc/worker.h"

enum hunt_kind {
  HUNT_BEGIN,    /* quick checks before a campaign */
  HUNT_CONCLUDE, /* from the bad execution of a campaign to the finding */
  HUNT_REPLAY,   /* one schedule, and nothing else */
  HUNT_STRESS,   /* real threads */
  HUNT_SHRINK,   /* faultline shrink (shrink.h) */
};

/* Is the question asked without a campaign? */
static inline bool hunt_is_alone(enum hunt_kind k) { return k >= HUNT_REPLAY; }

/* The bad execution that a campaign found. */
struct conclusion {
  const char *client; /* NULL: a program */
  const uint8_t *path;
  uint32_t len;
  bool simplify; /* look for a smaller client … */
  bool tidy;     /* … and for an execution with fewer switches */
};

/* A question to a worker. */
struct hunt_question {
  const struct target *target;
  enum hunt_kind kind;
  union {
    struct {
      const struct schedule *saved; /* tried before anything else */
      uint32_t nsaved;
    } begin;
    struct conclusion conclude;
    struct {
      const struct schedule *schedule;
      bool only_choices; /* see struct retrace */
    } replay;
  };
};

/* The answer, beside the result. */
struct hunt_report {
  outcome_list outcomes; /* target->want_outcomes */
  uint64_t faults;       /* executions that ended in a fault, not a result */
  bool diverged;         /* the replayed schedule could not be followed */
  struct client client;  /* of the outcomes */
  uint64_t sequences;    /* sequences of calls by one thread that passed */
  bool still;            /* no call writes what others can see */
  uint64_t minimizing;   /* executions that looked for a smaller client */
  bool late;             /* a time limit ended a part of the work */
};

struct hunt_answer {
  struct result result;
  struct hunt_report report;
};

/* Asks a worker. */
enum worker_end hunt_worker(struct worker *w, const struct hunt_question *q);
/* The answer of a worker that ended with WORKER_DONE. */
static inline struct hunt_answer *hunt_answer(const struct worker *w) {
  return w->answer;
}

/* Callbacks of struct pool_job (serve.c): arg is a struct target, items and
 * answers are those of item.h. */
int hunt_serve_open(void *arg, struct work *s);
int hunt_serve(void *arg, struct work *s, const struct buf *item,
               struct buf *answer);

#endif
