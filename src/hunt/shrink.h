/*
 * The worker's side of shrinking: from a bad execution of a large client, or
 * from a failing history without a schedule, to a bad execution of a small
 * client (src/shrink says how, the engine says what fails).
 *
 * (K1) `bad` is an execution of the engine that has failed: a wrong guess costs
 *      time but is never a false alarm.
 * (K2) effort is counted in steps, not in seconds.
 *      Not asserted: tests/agree/shrink_client.c, tests/cli/shrink.sh.
 */
#ifndef HUNT_SHRINK_H
#define HUNT_SHRINK_H

#include "hunt/inside.h"
#include "shrink/coarse.h"
#include "shrink/reduce.h"

struct stress;

/* A step of a recorded execution: which thread, in which of its calls. */
struct recorded {
  uint8_t thread;
  uint32_t call;
};
typedef VEC(struct recorded) recorded_list;

struct shrinker {
  /* in */
  struct hunt *h;
  enum coarse_version version;
  uint64_t max_effort;
  uint32_t draws;        /* executions drawn of a client; 0: the default */
  struct stress *stress; /* version B: real threads; else NULL */
  bool only_small;       /* version B: try small clients only, in the engine */
  const struct fl_suite *native; /* version B: the suite without hooks */
  /* between */
  struct past past;
  struct history history;
  struct client client; /* of the history; a copy */
  recorded_list steps;  /* of the execution; empty: no schedule is known */
  uint32_t nrecorded;   /* calls of the client of the recorded execution */
  VEC(uint32_t)
  recorded_as;      /* id of a call in the recorded execution, by its origin */
  bool only_record; /* try the recorded schedule and no search */
  uint64_t effort, clients;
  struct client now;   /* the prepared client */
  struct map128 tried; /* clients that were tried */
  bool repeat;         /* try a client again that was tried before */
  enum fault only;     /* only this kind of fault counts; FAULT_NONE: every */
  /* out */
  struct bad bad;
  enum fault fault; /* of bad */
  bool spec_fault;
  uint32_t pc;           /* concurrent calls of the localized client */
  double locate_seconds; /* that the localization took */
  uint32_t checks;
};

/* Stops a search after `most` executions that were cut at the step limit: an
 * endless execution costs a thousand times as much as another. */
struct cut_limit {
  struct judge judge; /* of the search */
  uint32_t most, left;
};

/* shrink_check.c */
void shrink_limit_cut(struct explore *x, struct cut_limit *l, uint32_t most);
/* CHECK: does the client fail?  True: the execution is in `bad`.  from[i] is
 * the call of the recorded execution that the client's call i comes from; NULL:
 * not known. */
bool shrink_fails(struct shrinker *s, const struct client *c,
                  const uint32_t *from, uint32_t nfrom);
/* The same by a search of all states that --max-states allows. */
bool shrink_fails_somehow(struct shrinker *s, const struct client *c);
bool shrink_goes_on(const struct shrinker *s);
/* shrink_record.c */
/* Does the prepared client fail by the recorded schedule? */
bool shrink_by_record(struct shrinker *s, const uint32_t *from, uint32_t nfrom,
                      path *out);
/* Runs the path of the prepared client and records its steps and its history;
 * true: it is bad. */
bool shrink_record(struct shrinker *s, const struct client *c, const path *p);
/* Copies the history and its client. */
void shrink_take_history(struct shrinker *s, const struct history *h);
/* Numbers the calls of a client, so that each can be found again later. */
void shrink_number(struct client *c);
/* Records the execution of `bad`, whose client is prepared. */
void shrink_follow(struct shrinker *s);
/* shrink_fails for a client made of calls of `bad`, after shrink_follow. */
bool shrink_fails_smaller(struct shrinker *s, const struct client *c);
void shrinker_free(struct shrinker *s);

/* Localizes and reduces; true: `bad` is an execution of a small client. */
bool shrink_run(struct shrinker *s);
/* Algorithm 1 on the past; true: it found `bad`. */
bool shrink_localize(struct shrinker *s);
/* Does the past fail when its calls are made one after the other? */
bool shrink_serial(struct shrinker *s);
/* Makes `bad` smaller, in large steps. */
void shrink_reduce(struct shrinker *s);
/* The values of an argument, for struct reduce. */
uint32_t shrink_domain(const struct hunt *h, uint32_t op, uint32_t arg,
                       const int64_t **values, bool *data);

/* Drops the calls that the failure does not need, without a proof. */
void hunt_drop_calls(struct hunt *h, struct bad *b);

/* Replaces a bad execution of a large client by one of a small client, if one
 * is found. */
void hunt_shrink(struct hunt *h, struct bad *b);

/* faultline shrink (HUNT_SHRINK). */
void hunt_shrink_command(struct hunt *h);

#endif
