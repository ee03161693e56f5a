/*
 * The worker's side of shrinking: from a bad execution of a large client, or
 * from a failing history without a schedule, to a bad execution of a small
 * client (src/shrink says how, the engine says what fails).
 *
 * (K1) what is left is an execution of the engine that has failed; a wrong
 *      guess costs time and is never a false alarm.
 * (K2) effort is counted in steps, not in seconds.
 *      Not asserted: tests/agree/shrink_client.c, tests/cli/shrink.sh.
 */
#ifndef HUNT_SHRINK_H
#define HUNT_SHRINK_H

#include "hunt/inside.h"
#include "shrink/coarse.h"
#include "shrink/reduce.h"

struct stress;

/* A step of a recorded execution. */
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
  uint32_t draws;        /* executions by chance of a client; 0: few */
  struct stress *stress; /* B … */
  bool only_small;       /* … of no client that needs real threads */
  const struct fl_suite *native;
  /* between */
  struct past past;
  struct history history;
  struct client client; /* of the history; a copy */
  recorded_list steps;  /* of the execution; empty: no schedule is known */
  uint32_t nrecorded;   /* calls of the client whose execution that was … */
  VEC(uint32_t)
  recorded_as; /* … and, of one that is made smaller, their ids by origin */
  bool only_record; /* what fails by the recorded schedule, and nothing else */
  uint64_t effort, clients;
  struct client now; /* the one that is prepared */
  struct map128 tried;
  bool repeat;     /* reducing: what was tried is tried again */
  enum fault only; /* this kind of fault counts */
  /* out */
  struct bad bad;
  enum fault fault; /* of bad */
  bool spec_fault;
  uint32_t pc;           /* calls of Pc when it was localized … */
  double locate_seconds; /* … and how long that took */
  uint32_t checks;
};

/* Executions that go round for ever cost a thousand times as much as others: a
 * search stops after so many of them. */
struct impatience {
  struct judge judge;
  uint32_t most, left;
};

/* shrink_check.c */
void shrink_be_impatient(struct explore *x, struct impatience *i,
                         uint32_t most);
bool shrink_fails(struct shrinker *s, const struct client *c,
                  const uint32_t *from, uint32_t nfrom);
/* The same with all the effort that --max-states allows. */
bool shrink_fails_somehow(struct shrinker *s, const struct client *c);
bool shrink_goes_on(const struct shrinker *s);
/* shrink_record.c */
bool shrink_by_record(struct shrinker *s, const uint32_t *from, uint32_t nfrom,
                      path *out);
/* Runs the path of the prepared client, notes its steps and its history. */
bool shrink_record(struct shrinker *s, const struct client *c, const path *p);
void shrink_take_history(struct shrinker *s, const struct history *h);
/* Numbers the calls of a client that is to be made smaller. */
void shrink_number(struct client *c);
/* The recorded execution is now that of `bad`, which is prepared. */
void shrink_follow(struct shrinker *s);
/* shrink_fails for a client made of those calls, after shrink_follow. */
bool shrink_fails_smaller(struct shrinker *s, const struct client *c);
void shrinker_free(struct shrinker *s);

/* Localizes and reduces; true: `bad` is a small client's. */
bool shrink_run(struct shrinker *s);
/* Algorithm 1 on the past; true: `bad` is what it found. */
bool shrink_localize(struct shrinker *s);
/* Does the past fail when its calls are made one after the other? */
bool shrink_serial(struct shrinker *s);
/* Makes `bad` smaller, in large steps. */
void shrink_reduce(struct shrinker *s);
/* The values of an argument, for reduce_values; ctx is a struct hunt. */
uint32_t shrink_domain(const struct hunt *h, uint32_t op, uint32_t arg,
                       const int64_t **values, bool *data);

/* A bad execution loses the calls that its schedule fails without. */
void hunt_thin(struct hunt *h, struct bad *b);

/* A bad execution of a large client becomes one of a small client, if that can
 * be done. */
void hunt_shrink(struct hunt *h, struct bad *b);

/* The command: order->shrink. */
void hunt_shrink_command(struct hunt *h);

#endif
