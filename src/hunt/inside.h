/* A hunt inside its worker, for the files of src/hunt and src/diagnose that run
 * there. */
#ifndef HUNT_INSIDE_H
#define HUNT_INSIDE_H

#include "hunt/checker.h"
#include "hunt/hunt.h"
#include "hunt/object.h"
#include "search/visited.h"

enum {
  HUNT_SAMPLES = 100,  /* executions of a client that is sampled */
  HUNT_RANDOM = 10000, /* most rounds of a client on real threads */
  HUNT_DEPTH = 3,      /* of pct and dpct */
};

struct hunt {
  const struct target *target;
  const struct settings *set;
  struct work *work;
  struct shared *shared; /* of the work */
  struct object object;
  struct checker checker;
  struct result *r;
  double begun, deadline;
  double patience;     /* clock_now(): the search for a smaller client ends */
  bool late;           /* a time limit ended a part of the work */
  bool timed, counted; /* --time, --max-executions was given */
  uint64_t max_executions;
  bool found; /* a bad execution */
  bool replay;
  uint64_t clients;
  uint64_t sequences;       /* sequences of calls by one thread that passed */
  bool still;               /* no call writes what others can see */
  uint64_t minimizing;      /* executions that looked for a smaller client */
  uint32_t shrunk_from;     /* calls of the failing history; 0: there is none */
  struct minimal shrinking; /* faultline shrink: figures for the report */
  VEC(uint32_t) estimate;   /* dpct: by call of the prepared client */
  struct visited visited;   /* reused by every search */
};

/* A client with one of its bad executions. */
struct bad {
  struct client client;
  path path;
};

/* Reads the client of --client or of a schedule; false: see work->error. */
bool hunt_read_client(struct hunt *h, const char *text, struct client *c);
/* Makes the object and its initial calls in the engine; RT_DONE: the client is
 * ready to run. */
enum rt_end hunt_prepare(struct hunt *h, const struct client *c);
void hunt_explore_init(struct hunt *h, struct explore *x);
/* Explores the prepared client and adds to the statistics. */
enum explore_end hunt_explore(struct hunt *h, struct explore *x, int search);
/* Adds an exploration that hunt_explore did not run to the statistics. */
void hunt_add_up(struct hunt *h, const struct explore *x);
/* hunt_explore; true: an execution is bad, and the finding is made of it. */
bool hunt_look(struct hunt *h, const struct client *c, struct explore *x,
               int search, bool simplify, enum explore_end *how);
/* The set-up of the client failed: makes the finding and returns true. */
bool hunt_setup_failed(struct hunt *h, const struct client *c, enum rt_end end);
/* Ends the hunt with this finding. */
void hunt_conclude(struct hunt *h, struct finding *f);

/* Is the client left out, since its operations are known to fail
 * (target->known)? */
bool hunt_leaves_out(const struct hunt *h, const struct client *c);

/* Do --time and --max-executions allow another execution? */
bool hunt_goes_on(const struct hunt *h);
/* Executions that --max-executions leaves, at most `most`; 0: no bound. */
uint64_t hunt_executions_left(const struct hunt *h, uint64_t most);

/* clock_now() when a part of an explanation must end.  It may take `seconds`,
 * or longer with --time, but only half of the time until target->latest, since
 * other parts follow. */
double hunt_until(const struct hunt *h, double seconds);

/* From a bad execution to the finding (minimize.c).  `simplify` looks for the
 * smallest client with the same kind of fault, `tidy` for the execution with
 * the fewest switches. */
void hunt_minimize(struct hunt *h, struct bad *b, bool simplify, bool tidy);

/* FL_PROGRESS (progress.c): the prepared client is searched with the budgets of
 * x, which has the bad path then. */
enum hunt_progress { PROGRESS_HOLDS, PROGRESS_FAILS, PROGRESS_UNKNOWN };
bool hunt_has_progress(const struct hunt *h);
enum hunt_progress hunt_progress(struct hunt *h, const struct client *c,
                                 struct explore *x);

/* --search=stress (stress.c). */
void hunt_stress(struct hunt *h);

/* Tries sequences of calls by one thread; true: one is bad (sequences.c). */
bool hunt_sequences(struct hunt *h);

/* Adds to the finding the good execution nearest to the bad one of the prepared
 * client (neighbour.c). */
void hunt_neighbour(struct hunt *h, struct finding *f, const path *bad);

/* Concludes: a bad execution was good when it was run again (minimize.c). */
void hunt_not_repeatable(struct hunt *h, const uint8_t *at, uint32_t len);

/* Loads the object into this process (hunt.c). */
int hunt_open(struct hunt *h, const struct target *t, struct work *s,
              struct result *r);

#endif
