/*
 * The hunt: what is done for one object inside of workers.  One worker begins
 * with saved schedules and sequences of calls; then a pool of them does the
 * items of a campaign (campaign.h): all small clients, random larger ones, or
 * the parts of one; and one worker concludes, from a bad execution to the
 * smallest client that shows it.
 */
#ifndef CLI_HUNT_H
#define CLI_HUNT_H

#include "cli/settings.h"
#include "proc/worker.h"

/* What a campaign brought. */
struct conclusion {
  const char *client; /* NULL: a program */
  const uint8_t *path;
  uint32_t len;
  bool simplify; /* look for a smaller client … */
  bool tidy;     /* … and for an execution with fewer switches */
};

/* A client that fails, with one of its failing executions. */
struct blamed {
  char *client;
  path path; /* empty: none is known */
};

/* What the parent hands to the worker. */
struct hunt_order {
  const struct settings *settings;
  const char *so;
  bool uses_tls, uses_fenv, uses_clock; /* see struct rt_options */
  const struct part_store *part_stores; /* of the object's code (rt.h) */
  uint32_t npart_stores;
  const struct site *sites;
  uint32_t nsites;
  uint32_t suite; /* which object; ignored when `program` */
  bool program;   /* a whole program with main() */
  bool want_outcomes;
  bool replay_only;             /* just saved[0] */
  const struct schedule *saved; /* schedules to try first */
  uint32_t nsaved;
  bool only_choices; /* saved[0] leaves out steps without an alternative */
  bool partial;      /* something escapes the runtime */
  /* dpct: steps of each operation, from its structure tree; 0: not known */
  const uint32_t *estimates;
  uint32_t nestimates;
  const char *native; /* stress: the object without hooks */
  bool shrink;        /* faultline shrink (shrink.h) */
  const struct conclusion *conclusion;
  /* Which lines must be atomic for these clients not to fail? */
  const struct blamed *blame; /* NULL: not asked */
  uint32_t nblame;
  const char *count;   /* of this client: how many executions are there, and how
                          many fail?  NULL: not asked */
  struct lines *lines; /* of the object; with `blame` */
  const struct regions *regions; /* are run without interruption; or NULL */
  const uint64_t *fences; /* tso: loads that wait for the buffer (rt_fences) */
  uint32_t nfences;
  const char *races;  /* which races of this client decide?  NULL: not asked */
  const char *census; /* where do this client's executions switch?  NULL: not
                         asked; needs `lines` */
  /* Clients with all operations of one of these are left out: it fails. */
  const struct client *known;
  uint32_t nknown;
  const char *known_ops; /* `bad(), or push() and pop()` */
  double latest;         /* of explore_now(): until then a fault is explained;
                            0: as long as it takes */
  bool *late;            /* set when time has ended some of that, or NULL */
  struct parallel_search *gang; /* of the pool's workers here, or NULL */
};

/* What a hunt answers beside the result. */
struct hunt_report {
  outcome_list outcomes; /* want_outcomes */
  uint64_t faults;       /* executions that ended in a fault, not a result */
  bool diverged;         /* the replayed schedule could not be followed */
  struct client client;  /* of the outcomes */
  uint64_t sequences;    /* of calls by one thread that passed */
  uint64_t minimizing;   /* executions that looked for a smaller client */
  bool late;             /* time has ended a part of it */
  struct causes_found causes; /* blame */
  struct races_found races;   /* races */
  struct tally tally;         /* count */
  struct census census;       /* census */
};

/* The order to a worker that is asked something about one client of a finding,
 * and its settings: nothing is searched, and the scheduler runs the client,
 * whatever it was that found it. */
void hunt_ask(const struct hunt_order *of, struct hunt_order *own,
              struct settings *settings);

struct hunt_answer {
  struct result result;
  struct hunt_report report;
};

/* For worker_run: arg is a struct hunt_order, the answer a hunt_answer. */
int hunt_run(void *arg, struct work *s);
enum worker_end hunt_worker(struct worker *w, const struct hunt_order *order);
/* Of a worker that has done it. */
static inline struct hunt_answer *hunt_answer(const struct worker *w) {
  return w->answer;
}

/* For struct pool_job: arg is a struct hunt_order, items and answers are those
 * of item.h (serve.c). */
int hunt_serve_open(void *arg, struct work *s);
int hunt_serve(void *arg, struct work *s, const struct buf *item,
               struct buf *answer);

/* For worker_run: describes the loaded object; arg is a struct hunt_order, the
 * answer a struct description. */
struct suite_info {
  const char *name, *file;
  int line;
  uint32_t nops;
  struct op_info {
    const char *name, *file;
    int line;
    uint64_t entry; /* of the function, as module offset; 0 when unknown */
    uint64_t code;  /* the same, or of what calls it */
    uint32_t nargs;
    enum fl_type type;
    unsigned size;
    bool takes_object;
  } * ops;
  int expect_fault;
  enum fl_memory_model memory_model;
  const char *trouble; /* what is wrong with it, or NULL */
};
struct client_info { /* of FL_CLIENT */
  const char *schedule, *file;
  int line;
  bool expect_fault;
};
struct description {
  uint32_t nsuites;
  struct suite_info *suites;
  uint32_t nclients;
  struct client_info *clients;
  bool has_main;
};
int hunt_describe(void *arg, struct work *s);

#endif
