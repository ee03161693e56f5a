/*
 * Exploring one prepared client: strategies run executions, a judge looks at
 * each, budgets end it.  A strategy knows nothing of specifications, a judge
 * nothing of schedules.
 *
 * (X1) EXPLORE_ALL means that every interleaving of visible steps was run or
 *      shown equal to one that was, and that no execution was cut.
 * (X2) results depend on the client, the strategy and the seed only.
 */
#ifndef SEARCH_EXPLORE_H
#define SEARCH_EXPLORE_H

#include "base/vec.h"
#include "model/result.h"
#include "rt/rt.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A path is a complete execution as the sequence of its steps: who steps, and
 * between, the answers to other choices.
 */
enum { PATH_CHOICE = 0x80 };
typedef VEC(uint8_t) path;

/*
 * What a step is depends on the marks with which the execution began
 * (rt_marks).  If there were any, they come before the steps, PATH_MARK_BYTES
 * each: PATH_MARK + whose, and twice three times 7 bits, the least first.
 */
enum { PATH_MARK = 0x40, PATH_MARK_BYTES = 7 };
/* So many bytes of a path are marks. */
uint32_t path_marks(const uint8_t *at, uint32_t len);
struct rt_mark path_mark(const uint8_t *at); /* the one that begins there */
/* Puts the present marks before the steps. */
void path_put_marks(path *p);

enum judgement { JUDGE_GOOD, JUDGE_BAD, JUDGE_STOP };

struct judge {
  /* Called after each execution, with the engine at its end. */
  enum judgement (*ended)(void *ctx, enum rt_end end);
  void *ctx;
  /* What was judged so far is run again: counts begin anew; or NULL. */
  void (*again)(void *ctx);
  /*
   * What matters of the history so far, in the middle of an execution: equal
   * memory and equal *out, then what follows is judged alike.  The engine is
   * left as it was.  False: it cannot tell.  NULL: everything may matter.
   */
  bool (*standing)(void *ctx, struct hash128 *out);
};

enum explore_end {
  EXPLORE_ALL,        /* exhaustive (for random: as many as were asked) */
  EXPLORE_BAD,        /* the judge said JUDGE_BAD; `bad` is the path */
  EXPLORE_STOPPED,    /* the judge said JUDGE_STOP */
  EXPLORE_EXECUTIONS, /* budgets */
  EXPLORE_TIME,
  EXPLORE_STATES,
  EXPLORE_MEMORY,
  EXPLORE_DIVERGED, /* dpor: what was run again went another way: our bug, or
                       code that the engine does not control */
};

struct explore {
  /* in */
  struct judge judge;
  uint64_t max_executions; /* of this call; 0: none */
  double deadline;         /* of explore_now(); 0: none */
  bool *late;              /* set when that ends it; or NULL */
  uint64_t max_states;     /* stateful; 0: none */
  uint64_t max_memory;     /* stateful: bytes; 0: none */
  uint64_t seed;           /* random */
  bool no_reduction;       /* stateful: every access is a branching point, and
                              all of a history matters */
  bool guards;             /* stateful: a critical section is one step where
                              that makes no difference (rt_guards); not for who
                              counts interleavings */
  bool no_real_time;       /* dpor: the order of calls and returns that do not
                              conflict plays no part */
  bool all;                /* go on after a bad execution: the judge counts,
                              and `bad` is the one with the fewest switches */
  volatile uint64_t *heartbeat; /* incremented now and then, or NULL */
  /* dfs, stateful, dpor: which part of the tree is done, from 0 to 1, when all
   * branches of a node are alike; written now and then, or NULL.  Of a parallel
   * search, what this member has done: their sum is the part. */
  volatile double *share;
  volatile uint64_t *work; /* executions, or states, so far; the same */
  /* Samplers: the number of the first execution; the others follow. */
  uint64_t first_execution;
  /* dfs: only what begins like this (a path of its choices), or NULL … */
  const path *below;
  /* … and, when the budget of executions ends it and this is not NULL, what
   * was not done: beginnings of paths, in the order of the search. */
  struct leftover *leftover;
  /* stateful: where the states that were entered are kept, which stays from
   * one search to the next, since it costs as much as a small search; {0} at
   * first.  NULL: the search has its own. */
  struct visited *visited;
  /* stateful: one of several processes that do it together, or NULL. */
  struct parallel_search *parallel;
  uint32_t member;
  bool graph; /* stateful: count the interleavings; with `all`, `bad` has the
                 fewest switches of all bad executions, not of those met */
  /* stateful, alone, with `graph`: is told of its steps; or NULL. */
  const struct explore_watch *watch;
  /* A copy of the steps so far that survives the process, or NULL. */
  struct live_path *live;
  /* out */
  path bad;
  uint32_t bad_switches;
  uint64_t executions, cut, steps, states, transitions, bad_count;
  /* stateful, when it ends with EXPLORE_ALL: how many complete executions its
   * graph holds (as many as dfs runs, if there is no_reduction), and how often
   * it came back to a state that it was in: those go on for ever. */
  uint64_t interleavings, circles;
  uint64_t bad_interleavings; /* those of them that are bad */
  uint64_t blocked;           /* dpor: executions that a sleep set cut */
  uint64_t left_out;          /* ended with RT_LEFT_OUT: nobody judges them */
  bool learnt; /* parallel: conflicts were found that the others do not know of;
                  begin again, with rt_knowledge of this process for all */
  const struct rt_log *log; /* dpor: of the execution that is being judged */

  /* all strategies: in */
  bool bound_preemptions; /* at most `preemptions` switches away from a */
  uint32_t preemptions;   /* thread that could go on */
  /* pct, dpct and pos: in */
  uint32_t depth;           /* of the bugs that pct and dpct look for; 0: 3 */
  const uint32_t *estimate; /* dpct: steps of each call of the client, by id */
  uint32_t nestimates;
  /* out: an execution of pct or dpct meets a given bug of this depth with at
   * least this probability, 1 / (threads * length^(depth - 1)) */
  double bound;
  uint64_t length; /* steps of the longest execution, or as estimated */
  uint32_t threads;
};

/* Beginnings of paths, one behind the other. */
struct leftover {
  path bytes;
  VEC(uint32_t) ends; /* where each ends in `bytes` */
  VEC(double)
  share; /* which part of the search each stands for, as in
            struct explore */
};
void leftover_free(struct leftover *l);

struct parallel_search;
struct graph;
struct visited;

/* Who looks on while states are searched (see step_graph.h). */
struct explore_watch {
  void *ctx;
  /* Of the threads that can step, those that may: a function of the state. */
  uint32_t (*may)(void *ctx, uint32_t enabled);
  /* The thread is about to make a step; the engine is where it begins … */
  void (*stepping)(void *ctx, uint8_t thread);
  /* … and it was made and noted, as the next edge of the log. */
  void (*stepped)(void *ctx, uint8_t thread, bool ended);
  void (*again)(void *ctx);                  /* the search begins anew */
  void (*graph)(void *ctx, struct graph *g); /* it is complete */
};

/* Where an execution is, for who looks from outside (see cli/worker.h). */
enum { LIVE_PATH_MAX = 1 << 16, LIVE_MARKS_MAX = 128 * PATH_MARK_BYTES };
struct live_path {
  volatile uint32_t len;
  volatile uint8_t only_choices; /* steps without an alternative are left out */
  /* The marks with which the execution began, as in a path: the last so many
   * bytes of `marks`, just before `at`.  There may be too many to keep. */
  volatile uint32_t nmarks;
  uint8_t marks[LIVE_MARKS_MAX];
  uint8_t at[LIVE_PATH_MAX];
};
/* Called before an execution whose marks may be others than the last one's. */
void live_begin(struct live_path *l);
/* The whole path, of a process that may have ended in ruins. */
const uint8_t *live_whole(const struct live_path *l, uint32_t *len);
void live_take(const struct live_path *l, path *out);

/* All interleavings, one after the other: the definition. */
enum explore_end explore_dfs(struct explore *x);

/* Depth-first over native states; equal states are entered once. */
enum explore_end explore_stateful(struct explore *x);

/* Each Mazurkiewicz trace once: optimal DPOR.  `blocked` stays 0. */
enum explore_end explore_dpor(struct explore *x);

/* max_executions random ones: at each step each enabled thread is as likely. */
enum explore_end explore_random(struct explore *x);

/*
 * The samplers below run max_executions (0: no limit).  Execution i of seed s
 * depends on the client, s and i only.
 */
/* Random priorities that change at depth - 1 random steps. */
enum explore_end explore_pct(struct explore *x);
/* The same; the number of steps is estimated, and again as it goes. */
enum explore_end explore_dpct(struct explore *x);
/* Partial-order sampling: random priorities of accesses, not of threads. */
enum explore_end explore_pos(struct explore *x);

double explore_now(void);                      /* seconds, monotonic */
bool explore_is_late(const struct explore *x); /* then tells x->late */

/* ---- for strategies ---- */

/*
 * Counts the execution that has ended, has it judged, and keeps the path of a
 * bad one, which `current` makes, when none with fewer switches is kept.
 * False: the search ends, *end says how.
 */
bool explore_judge(struct explore *x, enum rt_end how,
                   void (*current)(void *ctx, path *out), void *ctx,
                   enum explore_end *end);
/* The same for budgets; `work` counts up, and every 64th time the clock is
 * looked at. */
bool explore_budget(struct explore *x, uint64_t work, enum explore_end *end);
/* Forgets what was counted: the search begins again. */
void explore_again(struct explore *x);

/* ---- replay ---- */

/* A driver that follows a path and, behind its end or where a thread of the
 * path cannot step, stays with the current thread.  From replay_init to
 * replay_free the engine has the marks of the path, if it has any. */
struct replay {
  const uint8_t *at;
  uint32_t len, next;
  bool diverged;
  struct rt_driver driver;
  path taken;         /* what was done in fact */
  rt_mark_list found; /* marks from before, if has_marks */
  bool has_marks;
};
void replay_init(struct replay *r, const uint8_t *at, uint32_t len);
void replay_free(struct replay *r);

/*
 * The steps of a path that was found with the reduction on, as they are with
 * the reduction off: runs it once.  Accesses that were not steps then run just
 * before the first step of their call, or at once.
 */
void path_expand(const uint8_t *at, uint32_t len, path *out);

void path_to_schedule(const uint8_t *at, uint32_t len, struct schedule *out);
void schedule_to_path(const struct schedule *s, path *out);
uint32_t path_switches(const uint8_t *at, uint32_t len);

#endif
