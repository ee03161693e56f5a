/*
 * The same harness and the same clients on real OS threads: native code without
 * hooks, for histories of thousands of calls and for what only hardware does.
 * Nothing is controlled here.  The result are histories whose real-time order
 * is never stronger than the truth (search/stamp.h says why).
 *
 * Words.  A round is one execution of the client: constructor, initial calls,
 * all threads at once, final calls, invariant, destructor.
 *
 * How it is used, in a worker process as the engine is:
 *
 *     struct build b = {…, .native = true};       the same inputs and flags
 *     build_shared(&b, dir, &so, e);
 *     struct stress *s = stress_open(so, &options, e);
 *     suite = the one of stress_suites(s) with the wanted name;
 *     struct stress_run r = {.judge = …, .max_rounds = …, .seed = …};
 *     enum stress_end end = stress_run(s, suite, client, &r, e);
 *     … r.history … history_file_write …
 *     stress_run_release(&r);
 *
 * Operations have the same numbers as in the object with hooks, since both are
 * made from the same harness; so one client and one specification serve both,
 * the object itself (spec/implementation.h, by rt_open of the object with
 * hooks in the same process) included.
 *
 * User code runs in a process of its own below the caller's, and logs into
 * memory that both share; the judge runs in the caller's.  A crash, an exit()
 * or a hang of user code therefore ends that process only, and the history up
 * to there is at hand, with the calls that were under way as pending.
 *
 * (R1) every round begins in the state after loading: globals and thread-local
 *      variables that a round has changed are copied back.  Where that is not
 *      enough (there is memory that was allocated while loading, the object
 *      has started threads or keeps pthread keys) the round is the last one of
 *      its process, and the next begins in a fresh one.
 * (R2) a history has H1 to H3 of model/history.h.
 * (R3) the judge sees every round that was made, in order, except those that
 *      were discarded since a thread was not where its clock was measured.
 * (R4) seconds decide no verdict: the watchdog gives STRESS_HUNG, which says
 *      that a call did not return in time, not that it never would.
 *
 * Pointers that an operation returns cannot be compared with those of another
 * process: only NULL and small numbers in pointers (data that was pushed) are
 * accepted, anything else is an error.
 */
#ifndef SEARCH_STRESS_H
#define SEARCH_STRESS_H

#include "search/explore.h"
#include "search/stamp.h"

struct stress;

struct stress_options {
  enum stamp_clock clock;
  uint32_t watchdog_ms; /* no call begins or ends for so long; 0: 10 seconds */
  bool show_output;     /* user's stdout is not sent to /dev/null */
  bool steady;          /* no random pauses between calls */
};

/* Loads a native object.  There is no closing: a worker ends with _exit. */
struct stress *stress_open(const char *so, const struct stress_options *o,
                           struct error *e);
struct fl_suite *stress_suites(const struct stress *s);

struct stress_judge {
  /* Called after each round; `invariant` is whether FL_INVARIANT held.  The
   * history lives until the call returns. */
  enum judgement (*ended)(void *ctx, const struct history *h, bool invariant);
  void *ctx;
};

enum stress_end {
  STRESS_ALL,     /* as many rounds as were asked for */
  STRESS_BAD,     /* the judge said JUDGE_BAD */
  STRESS_STOPPED, /* the judge said JUDGE_STOP */
  STRESS_TIME,    /* the deadline */
  STRESS_CRASHED, /* by `signal` */
  STRESS_EXITED,  /* user code called exit(`status`) */
  STRESS_HUNG,    /* the watchdog: a call that is not FL_BLOCKING, or the
                     constructor or destructor, does not return */
  STRESS_ERROR,   /* see the error */
};

struct stress_run {
  /* in */
  struct stress_judge judge;
  uint64_t max_rounds;          /* 0: none */
  double deadline;              /* of clock_now(); 0: none */
  uint64_t seed;                /* of the pauses */
  bool all;                     /* go on after a bad round: the judge counts */
  volatile uint64_t *heartbeat; /* incremented while it is alive, or NULL */
  /* out */
  struct history history; /* BAD (`all`: the first bad one), CRASHED, EXITED
                             and HUNG: the failing one, owned; else ops is
                             NULL */
  uint64_t rounds, bad_count, discarded;
  uint64_t processes; /* that were started */
  int signal, status;
  enum stamp_clock clock; /* that was used */
  uint64_t margin;
};

/*
 * Runs the client again and again.  The client may have any number of calls;
 * it must outlive r->history.  An operation that may wait (FL_BLOCKING) and is
 * still waiting when the watchdog fires is pending in that round's history,
 * which is judged like any other.
 */
enum stress_end stress_run(struct stress *s, const struct fl_suite *suite,
                           const struct client *c, struct stress_run *r,
                           struct error *e);
void stress_run_release(struct stress_run *r);

#endif
