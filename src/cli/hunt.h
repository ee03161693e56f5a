/*
 * The hunt: everything that is done for one object, inside a worker, from
 * saved schedules over all small clients to random larger ones; and, when an
 * execution is bad, to the smallest client that shows it.
 */
#ifndef CLI_HUNT_H
#define CLI_HUNT_H

#include "cli/settings.h"
#include "cli/worker.h"

/* What the parent hands to the worker. */
struct hunt_order {
  const struct settings *settings;
  const char *so;
  bool uses_tls;
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
  const char *native; /* stress: the object without hooks */
};

/* What a hunt leaves in shared memory beside the result. */
struct hunt_report {
  outcome_list outcomes; /* want_outcomes; memory of the arena */
  uint64_t faults;       /* executions that ended in a fault, not a result */
  bool diverged;         /* the replayed schedule could not be followed */
  struct client client;  /* of the outcomes */
};

/* For worker_run: arg is a struct hunt_order. */
int hunt_run(void *arg, struct shared *s);

/* For worker_run: describes the loaded object; arg is a struct hunt_order,
 * the answer in shared->other is a struct description. */
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
  const char *trouble; /* what is wrong with it, or NULL */
};
struct description {
  uint32_t nsuites;
  struct suite_info *suites;
  bool has_main;
};
int hunt_describe(void *arg, struct shared *s);

#endif
