/* Between the files of the hunt; nobody else includes this. */
#ifndef HUNT_INSIDE_H
#define HUNT_INSIDE_H

#include "hunt/checker.h"
#include "hunt/hunt.h"
#include "hunt/object.h"
#include "search/visited.h"

enum {
  HUNT_SAMPLES = 100,  /* executions of a client that is sampled */
  HUNT_RANDOM = 10000, /* rounds of the one client of --client */
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
  double patience;     /* until then a smaller client is looked for */
  bool late;           /* some deadline has ended a part of the work */
  bool timed, counted; /* --time, --max-executions: */
  uint64_t max_executions;
  bool found; /* a bad execution */
  bool replay;
  uint64_t clients;
  uint64_t sequences;       /* of calls by one thread that passed */
  uint64_t minimizing;      /* executions that looked for a smaller client */
  uint32_t shrunk_from;     /* calls of the failing history; 0: of the client */
  struct minimal shrinking; /* faultline shrink: what is told of it */
  VEC(uint32_t) estimate;   /* dpct: by call of the prepared client */
  struct visited visited;   /* for one search after the other */
};

/* A client with one of its bad executions. */
struct bad {
  struct client client;
  path path;
};

/* What --client or a schedule says; false: work->error says why not. */
bool hunt_read_client(struct hunt *h, const char *text, struct client *c);
/* Starts the client's object in the engine (hunt.c). */
enum rt_end hunt_prepare(struct hunt *h, const struct client *c);
void hunt_explore_init(struct hunt *h, struct explore *x);
/* Explores the prepared client and adds to the statistics. */
enum explore_end hunt_explore(struct hunt *h, struct explore *x, int search);
/* What an exploration counted, for one that was not by hunt_explore. */
void hunt_add_up(struct hunt *h, const struct explore *x);
/* The same, and when an execution is bad makes the finding of it: true. */
bool hunt_look(struct hunt *h, const struct client *c, struct explore *x,
               int search, bool simplify, enum explore_end *how);
/* Trouble before the first step: true. */
bool hunt_setup_failed(struct hunt *h, const struct client *c, enum rt_end end);
void hunt_conclude(struct hunt *h, struct finding *f);

/* Is it one that is left out (target->known)? */
bool hunt_leaves_out(const struct hunt *h, const struct client *c);

/* Is there time, and are executions left? */
bool hunt_goes_on(const struct hunt *h);
/* --max-executions: how many are left, at most `most`; 0 is no bound. */
uint64_t hunt_executions_left(const struct hunt *h, uint64_t most);

/* When a part of an explanation ends that may take so many seconds, or with
 * --time as long as there is: others come after it, so that it has half of what
 * is left (target->latest). */
double hunt_until(const struct hunt *h, double seconds);

/* From a bad execution to the finding; with `simplify` of the smallest client
 * that shows the same kind of fault, with `tidy` of the execution with the
 * fewest switches (minimize.c). */
void hunt_minimize(struct hunt *h, struct bad *b, bool simplify, bool tidy);

/* --search=stress (stress.c). */
void hunt_stress(struct hunt *h);

/* Sequences of calls by one thread; true when one is bad (sequences.c). */
bool hunt_sequences(struct hunt *h);

/* The nearest good execution to the bad one of the prepared client, for the
 * finding that was made of it (neighbour.c). */
void hunt_neighbour(struct hunt *h, struct finding *f, const path *bad);

/* A bad execution is not bad when it is run again (minimize.c). */
void hunt_not_repeatable(struct hunt *h, const uint8_t *at, uint32_t len);

/* Loads the object into this process (hunt.c). */
int hunt_open(struct hunt *h, const struct target *t, struct work *s,
              struct result *r);

#endif
