/*
 * What the parts of dpor share: dpor_order.c makes events of the engine's log
 * and orders them, dpor_wake.c reverses races into wakeup trees, dpor_look.c
 * runs a sequence to see how it turns out, dpor_bound.c counts preemptions,
 * dpor.c runs executions along the trees.
 *
 * (Q1) event k is number `no` of its thread t: places[t].at[no - 1] == k.
 * (Q2) an event's clock counts the event itself, and has the clock of every
 *      event that it counts: happens-before is transitive.
 * (Q3) races are sorted by `second`; first < second, or the race is of one step
 *      with another answer.
 * (Q4) level k is that of event k: its thread made the step.
 * (Q5) a node is in one wakeup tree or in the list of free nodes.
 * (Q6) kept states are sorted by level.
 */
#ifndef SEARCH_DPOR_INT_H
#define SEARCH_DPOR_INT_H

#include "search/dependence.h"
#include "search/explore.h"

#include <assert.h>
#include <string.h>

enum { THREADS = RT_MAX_THREADS, MOST_ANSWERS = ACCESS_ANSWERS };
#define NONE UINT32_MAX

struct dpor_event {
  struct step_access a;
  uint32_t no;      /* its number within its thread, from 1 */
  uint32_t enabled; /* mask: threads that could have stepped instead */
  /* One more than the number of the last event up to this one that creates, …;
   * 0: none. */
  uint32_t creates, joins, calls, returns;
};

struct wakeup_node { /* a node of a wakeup tree; siblings in order */
  struct step_access a;
  uint32_t child, next;
};

struct dpor_level {              /* one depth of the execution in progress */
  VEC(struct step_access) sleep; /* steps that need not be taken here */
  uint32_t todo;   /* the wakeup tree: branches still to be taken here */
  uint32_t done;   /* branches that were taken before this one */
  uint8_t thread;  /* that steps */
  uint8_t planned; /* so many answers are prescribed */
  uint8_t nanswers;
  uint8_t answer[MOST_ANSWERS], of[MOST_ANSWERS]; /* to choices in the step */
};

/*
 * Two steps that are to be made the other way round; or, when they are one
 * step, a step that is to be made with another answer.
 */
struct dpor_race {
  uint32_t first, second;
  uint8_t choice, value; /* one step: its answer number `choice` */
  bool open; /* it is not known whether `second` can be made before `first` */
  /* The reversal was run or will be, whatever comes behind `second`: the steps
   * up to `second` alone decided that (dpor_wake.c).  Not if a step behind
   * `first` has one of the `edges`. */
  bool settled;
  uint8_t edges;
  /* One more than the number, in `first`'s sleep set, of the step that covered
   * the reversal last time, since it depends on nothing in v; 0: none did. */
  uint32_t by;
};

/* The state before decision number `level`, so that the beginning of the next
 * execution need not be run again. */
struct dpor_kept {
  struct snapshot state;
  uint32_t level, log_len;
  uint32_t count[THREADS], moved[THREADS];
  VEC(uint32_t) now;
};

typedef VEC(uint32_t) indices;
typedef VEC(uint32_t) rows; /* `width` of each */

struct dpor {
  struct explore *x;
  bool real_time;
  VEC(struct dpor_level) levels;
  VEC(struct dpor_event) events;
  /* By event, then by thread: how many of the thread's events happen before it,
   * itself too (Q2). */
  rows clocks;
  rows before;             /* the same for events made before it … */
  rows arrived;            /* … and for events that happened before its thread
                              came there; with bound_preemptions only */
  uint32_t width;          /* of a clock: at least `nthreads` */
  indices places[THREADS]; /* by thread: its events (Q1) */
  uint32_t depth;          /* decisions made in this execution */
  uint32_t fixed;          /* so many are prescribed by the levels */
  uint32_t nthreads;
  VEC(struct wakeup_node) nodes;
  uint32_t free_nodes;
  VEC(struct dpor_race) races;
  struct rt_log log;
  uint32_t absorbed;               /* entries of the log that were read */
  uint32_t seen;                   /* steps absorbed in this execution */
  uint32_t count[THREADS];         /* by thread: events so far */
  uint32_t moved[THREADS];         /* by thread: the number of all events when
                                      it came to its next step */
  uint32_t now[THREADS * THREADS]; /* by thread, `width` of each: the clock of
                                      its last event, of the creation of the
                                      thread and of threads that it joined */
  uint32_t made; /* so many events were made; the others wait for ever */
  VEC(struct dpor_kept) kept;
  uint32_t nkept;   /* so many of them are valid */
  uint32_t keep_at; /* a level before which to keep the state, or NONE */

  /* dpor_wake.c: E'.v, where E' are the events before race.first */
  struct dpor_race race;
  indices v;              /* events, without race.second */
  bool has_v;             /* `v` is filled */
  uint32_t base[THREADS]; /* by thread: so many of its events are in E' or were
                             taken off v */
  bool used;              /* race.second was taken off v */
  indices trail;          /* nodes of the tree that v was led along */
  struct step_access elsewhere; /* race.second as it turns out in v */
  bool at_end;               /* it is made behind all of v, not where it was */
  uint8_t edges;             /* as in struct dpor_race */
  struct {                   /* dpor_look.c */
    path plan;               /* steps, … */
    struct step_access last; /* … and one more */
    const struct dpor_kept *from; /* where they begin; NULL: at the start */
    bool at_last;
    uint32_t step, asked;
    struct rt_log log;
    bool impossible;
    bool peeks;       /* there is no last step, … */
    uint32_t enabled; /* … but the threads that can step there */
    bool looked;      /* for this race */
  } look;
  uint64_t asking;            /* mask: kinds of steps that ever had a choice */
  uint32_t creators, joiners; /* threads that ever created, or joined */
  bool learnt;    /* of something that the search should have known before */
  bool again;     /* the search begins again */
  uint64_t runs;  /* executions, counted or not */
  indices linear; /* dpor_bound.c: the events in the order found */
  bool stuck;     /* a sleep set cut it, or the plan could not be followed */
  bool diverged;  /* steps that were run again were not those recorded */
  bool too_many;  /* answers in one step */
};

enum dpor_answer { NO, MAYBE, YES };

static inline const uint32_t *dpor_clock(const struct dpor *d, uint32_t i) {
  return &d->clocks.at[(size_t)i * d->width];
}
/* Is event i before event j (i < j) in the happens-before order? */
static inline bool dpor_before(const struct dpor *d, uint32_t i, uint32_t j) {
  const struct dpor_event *e = &d->events.at[i];
  return dpor_clock(d, j)[e->a.thread] >= e->no;
}

/* dpor.c */

/* The path so far, in memory that the parent sees: begins with so many of the
 * events … */
void dpor_begin_live(struct dpor *d, uint32_t steps);
/* … and goes on. */
static inline void dpor_note_live(struct dpor *d, uint8_t what) {
  struct live_path *live = d->x->live;
  if (live && live->len < LIVE_PATH_MAX)
    live->at[live->len++] = what;
}

/*
 * A step that is made elsewhere than it was recorded may have a choice (then
 * all answers must be tried), and its thread may create or join another behind
 * it.  Few kinds of steps have choices, and few threads create others.  So what
 * was never seen is taken to be impossible; when it is seen, the search begins
 * again.
 */
static inline void dpor_learn(struct dpor *d, const struct step_access *a) {
  bool asks = a->nanswers && !(d->asking >> a->kind & 1);
  bool creates = a->flags & RT_CREATES && !(d->creators >> a->thread & 1);
  bool joins = a->flags & RT_JOINS && !(d->joiners >> a->thread & 1);
  if (!asks && !creates && !joins)
    return;
  d->asking |= (uint64_t)asks << a->kind;
  d->creators |= (uint32_t)creates << a->thread;
  d->joiners |= (uint32_t)joins << a->thread;
  d->learnt |= d->runs > 0; /* before that nothing was built on it */
}

/* dpor_order.c */

static inline bool dpor_dependent(const struct dpor *d,
                                  const struct step_access *a,
                                  const struct step_access *b) {
  return a->thread == b->thread ||
         (access_may_depend(a, b) && access_dependent(a, b, d->real_time));
}
/* The same for steps that may turn out in several ways. */
enum dpor_answer dpor_depends(const struct dpor *d, const struct step_access *a,
                              const struct step_access *b);
/* Makes events of the log's new entries … */
void dpor_absorb(struct dpor *d);
/* … and, at the end, of the steps that wait for ever. */
void dpor_absorb_waiting(struct dpor *d);
/* Forgets the events from number n on, and their races. */
void dpor_forget(struct dpor *d, uint32_t n);

/* dpor_wake.c */

/* Are all steps of a's thread here asleep whose answers begin with a's? */
bool dpor_asleep(const struct dpor_level *l, const struct step_access *a);
/* How many nodes the list and the trees below it have. */
uint32_t dpor_count_nodes(const struct dpor *d, uint32_t list);
/* Frees a node with the tree below it. */
void dpor_free_node(struct dpor *d, uint32_t n);
/* Puts the reversed race into the wakeup tree, unless it was or will be run. */
void dpor_reverse(struct dpor *d, struct dpor_race *r);

/* dpor_look.c */

/* look.plan becomes E', the steps before this level. */
void dpor_plan(struct dpor *d, uint32_t level);
void dpor_plan_step(struct dpor *d, const struct step_access *a);
/* Runs look.plan and then `last`, whose thread and answers are prescribed;
 * *last becomes the step as it turned out.  False: it is impossible. */
bool dpor_look(struct dpor *d, struct step_access *last);
/* Runs look.plan; *enabled are the threads that can step then.  Returns how the
 * execution ended, if *enabled is 0. */
enum rt_end dpor_run_plan(struct dpor *d, uint32_t *enabled);

/* dpor_bound.c */

/* Has the trace, which ended like this, a linearization with few enough
 * preemptions?  Then `linear` has it, and the engine is at its end. */
bool dpor_within_bound(struct dpor *d, enum rt_end *how);

/* Asserts Q1 to Q6, after an execution that did not diverge. */
void dpor_check_invariants(const struct dpor *d);

#endif
