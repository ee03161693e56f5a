/*
 * Exploring one prepared client: a strategy runs executions, a judge looks at
 * each, budgets end the search.  A strategy knows nothing of specifications, a
 * judge nothing of schedules.
 *
 * (X1) EXPLORE_ALL means that every interleaving of visible steps was run, or
 *      shown equal to one that was run.  Executions that were cut (`cut`) count
 *      up to where they were cut.
 * (X2) results depend on the client, the strategy and the seed only.
 * Both are claims about whole searches: tests/agree compares the strategies
 * with dfs, which is the definition, and with themselves.
 */
#ifndef SEARCH_EXPLORE_H
#define SEARCH_EXPLORE_H

#include "base/map128.h"
#include "base/vec.h"
#include "model/schedule.h"
#include "rt/rt.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A path is an execution as the sequence of its steps: a byte for the thread
 * that steps, then a byte for each answer to a choice within that step.
 *     1 1 2 80 1    T1 steps twice, T2 steps and gets answer 0, T1 steps
 */
enum { PATH_CHOICE = 0x80 };
typedef VEC(uint8_t) path;

/*
 * Which accesses are steps depends on the marks with which the execution began
 * (rt_marks).  They come before the steps, PATH_MARK_BYTES each: PATH_MARK +
 * whose, then two numbers of three times 7 bits, the least first.
 */
enum { PATH_MARK = 0x40, PATH_MARK_BYTES = 7 };
/* How many bytes of a path are marks. */
uint32_t path_marks(const uint8_t *at, uint32_t len);
struct rt_mark path_mark(const uint8_t *at); /* the mark that begins there */
/* Puts the present marks before the steps. */
void path_put_marks(path *p);

enum judgement { JUDGE_GOOD, JUDGE_BAD, JUDGE_STOP };

struct judge {
  /* Called after each execution, with the engine at its end. */
  enum judgement (*ended)(void *ctx, enum rt_end end);
  void *ctx;
  /* The search begins again, so counts begin again too; or NULL. */
  void (*again)(void *ctx);
  /*
   * What matters of the history so far, in the middle of an execution.  Two
   * states with equal memory and equal *out have continuations that are judged
   * alike.  The engine is left as it was.  False: the judge cannot tell.  NULL:
   * everything may matter.
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
  EXPLORE_DIVERGED, /* dpor: steps that were run again went another way: our
                       bug, or code that the engine does not control */
};

struct explore {
  /* in */
  struct judge judge;
  uint64_t max_executions; /* of this call; 0: none */
  double deadline;         /* of clock_now(); 0: none */
  bool *late;              /* set when the deadline ends it; or NULL */
  uint64_t max_states;     /* stateful; 0: none */
  uint64_t max_memory;     /* stateful: bytes; 0: none */
  uint64_t seed;           /* random */
  bool no_reduction;       /* stateful: every access is a branching point, and
                              all of a history matters */
  bool guards;             /* stateful: a critical section is one step where
                              that makes no difference (rt_guards); not when
                              interleavings are counted */
  bool no_real_time;       /* dpor: the order of calls and returns that do not
                              conflict plays no part */
  bool all;                /* go on after a bad execution: the judge counts,
                              and `bad` is the one with the fewest switches */
  volatile uint64_t *heartbeat; /* incremented now and then, or NULL */
  /* dfs, stateful, dpor: which part of the tree is done, from 0 to 1, as if all
   * branches of a node were equally large; written now and then, or NULL.  Of a
   * parallel search, what this member has done: the sum of all is the part. */
  volatile double *share;
  volatile uint64_t *work; /* executions or states so far, or NULL */
  /* Samplers: the number of the first execution; the others follow. */
  uint64_t first_execution;
  const struct dice *dice; /* … and what answers in place of chance, or NULL */
  /* dfs: only executions that begin like this (a path of its choices), or NULL.
   */
  const path *below;
  /* dfs: when the budget ends the search, the parts of the tree that were not
   * searched: beginnings of paths, in the order of the search; or NULL. */
  struct leftover *leftover;
  /* stateful: the set of entered states, which the caller keeps from one search
   * to the next, since to make one costs as much as a small search; {0} at
   * first.  NULL: the search makes its own. */
  struct visited *visited;
  /* stateful: this process is a member of a parallel search, or NULL. */
  struct parallel_search *parallel;
  uint32_t member;
  bool graph; /* stateful: count the interleavings; with `all`, `bad` has the
                 fewest switches of all bad executions, not of those met */
  /* stateful, alone, with `graph`: sees every step; or NULL. */
  const struct explore_watch *watch;
  /* A copy of the steps so far that survives the process, or NULL. */
  struct live_path *live;
  /* out */
  path bad;
  uint32_t bad_switches;
  uint64_t executions, cut, steps, states, transitions, bad_count;
  /* stateful, when it ends with EXPLORE_ALL: how many complete executions the
   * graph holds (with no_reduction, as many as dfs runs), and how many steps
   * lie on circles: executions that go round one never end. */
  uint64_t interleavings, circles;
  uint64_t bad_interleavings; /* those of them that are bad */
  /* dfs, stateful, under C11: executions with a graph that was met before.
   * Nobody judges them, and `executions` counts graphs. */
  uint64_t repeated;
  struct map128 graphs; /* those met; of the strategy */
  bool by_graph;
  uint64_t blocked;           /* dpor: executions that a sleep set cut */
  uint64_t left_out;          /* ended with RT_LEFT_OUT: nobody judges them */
  bool learnt; /* parallel: conflicts were found that the others do not know:
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
   * least this probability, 1 / (threads * length^(depth - 1)); 0: dpct cannot
   * tell, since an execution was longer than estimated */
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

/* Answers where a sampler asks chance: a test goes through all answers. */
struct dice {
  uint64_t (*below)(void *ctx, uint64_t n); /* one of [0, n) */
  bool (*one_in)(void *ctx, uint64_t n);    /* true with probability 1/n */
  void *ctx;
};

struct parallel_search;
struct graph;
struct visited;

/* An observer of the search over states (see step_graph.h). */
struct explore_watch {
  void *ctx;
  /* Those of the enabled threads that may step: a function of the state. */
  uint32_t (*may)(void *ctx, uint32_t enabled);
  /* The thread is about to make a step; the engine is where it begins … */
  void (*stepping)(void *ctx, uint8_t thread);
  /* … and then it was made, and is the next edge of the log. */
  void (*stepped)(void *ctx, uint8_t thread, bool ended);
  void (*again)(void *ctx);                  /* the search begins anew */
  void (*graph)(void *ctx, struct graph *g); /* it is complete */
};

/* Where an execution is, in memory that the parent process sees, too (see
 * proc/worker.h): when this process dies, the parent knows the path. */
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
/* The whole path; the process may have written anything over it. */
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
/* The same; the number of steps is estimated, and again as the execution goes.
 */
enum explore_end explore_dpct(struct explore *x);
/* Partial-order sampling: random priorities of accesses, not of threads. */
enum explore_end explore_pos(struct explore *x);

bool explore_is_late(const struct explore *x); /* sets *x->late if it is */

/* ---- for strategies ---- */

/*
 * Counts the execution that has ended, has it judged, and keeps the path of a
 * bad one, which `current` makes, unless the kept path has fewer switches.
 * `current` may be NULL: no path is kept.  False: the search ends, *end says
 * how.
 */
bool explore_judge(struct explore *x, enum rt_end how,
                   void (*current)(void *ctx, path *out), void *ctx,
                   enum explore_end *end);
/* False: a budget ends the search, *end says which.  `work` counts up, and
 * every 64th time the clock is looked at. */
bool explore_budget(struct explore *x, uint64_t work, enum explore_end *end);
/* The search counts graphs from here on, if the memory model has them; and
 * forgets them. */
void explore_begin_graphs(struct explore *x);
void explore_end_graphs(struct explore *x);
/* Forgets what was counted: the search begins again. */
void explore_again(struct explore *x);

/* ---- replay ---- */

/* A driver that follows a path and, behind its end or where a thread of the
 * path cannot step, stays with the current thread.  From replay_init to
 * replay_free the engine has the marks of the path, if it has any, and watches
 * whether operations make progress (FL_PROGRESS). */
struct replay {
  const uint8_t *at;
  uint32_t len, next;
  bool diverged;
  struct rt_driver driver;
  path taken;         /* the steps that were made */
  rt_mark_list found; /* marks from before, if has_marks */
  bool has_marks;
  bool watched; /* before */
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
