/*
 * What the parts of dpor share: dpor_order.c makes events of the engine's log
 * and orders them, dpor_wake.c reverses races into wakeup trees,
 * dpor_look.c runs a sequence to see how it turns out, dpor_bound.c counts
 * preemptions, dpor.c runs executions along the trees.
 */
#ifndef SEARCH_DPOR_INT_H
#define SEARCH_DPOR_INT_H

#include "search/dependence.h"
#include "search/explore.h"

#include <string.h>

enum { THREADS = RT_MAX_THREADS, MOST_ANSWERS = ACCESS_ANSWERS };
#define NONE UINT32_MAX

struct dpor_event {
  struct step_access a;
  uint32_t no;      /* its number within its thread, from 1 */
  uint32_t enabled; /* who could have stepped instead */
  /* Behind the last event up to this one that creates, …; 0: none. */
  uint32_t creates, joins, calls, returns;
};

struct wakeup_node { /* a node of a wakeup tree; siblings in order */
  struct step_access a;
  uint32_t child, next;
};

struct dpor_level {              /* one depth of the execution in progress */
  VEC(struct step_access) sleep; /* steps that need not be taken here */
  uint32_t todo;   /* the wakeup tree: what is still to be taken here */
  uint32_t done;   /* branches that were taken before this one */
  uint8_t thread;  /* who steps */
  uint8_t planned; /* so many answers are prescribed */
  uint8_t nanswers;
  uint8_t answer[MOST_ANSWERS], of[MOST_ANSWERS]; /* to choices in the step */
};

/*
 * Two steps that are to be made the other way round; or, when they are one, a
 * step that is to be made with another answer.
 */
struct dpor_race {
  uint32_t first, second;
  uint8_t choice, value; /* one step: its answer number `choice` */
  bool open; /* whether `second` could have been made there is not known */
  /* It is settled whatever comes behind `second`: a sequence that begins with
   * one of the steps up to `second` was run or will be.  Not if a step behind
   * `first` has one of the `edges`. */
  bool settled;
  uint8_t edges;
  /* Behind the step of `first`'s sleep set that covered it last time, because
   * it depends on nothing in v; 0: none did. */
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
  /* By event: by thread, how many of its events are before it, itself too. */
  rows clocks;
  rows before;             /* the same of what was made before it … */
  rows arrived;            /* … and of what was before it when its thread came
                              there; with bound_preemptions only */
  uint32_t width;          /* of a clock: at least `nthreads` */
  indices places[THREADS]; /* by thread: where its events are */
  uint32_t depth;          /* decisions made in this execution */
  uint32_t fixed;          /* so many are prescribed, by the levels */
  uint32_t nthreads;
  VEC(struct wakeup_node) nodes;
  uint32_t free_nodes;
  VEC(struct dpor_race) races;
  struct rt_log log;
  uint32_t absorbed;               /* entries of the log that are events now */
  uint32_t seen;                   /* steps absorbed in this execution */
  uint32_t count[THREADS];         /* by thread: events so far */
  uint32_t moved[THREADS];         /* by thread: so many events (of all)
                                      when it came to its next step */
  uint32_t now[THREADS * THREADS]; /* by thread, `width` of each: clock of its
                                      last event, and of who created it or was
                                      joined */
  uint32_t made; /* so many events were made, the others wait for ever */
  VEC(struct dpor_kept) kept;
  uint32_t nkept;   /* of them are valid */
  uint32_t keep_at; /* a level before which to keep the state, or NONE */

  /* dpor_wake.c: E'.v, where E' are the events before race.first */
  struct dpor_race race;
  indices v;              /* events, but for race.second, which is … */
  bool has_v;             /* is it there? */
  uint32_t base[THREADS]; /* by thread: so many of its events are in E', or
                             were taken off v */
  bool used;              /* race.second was taken off v */
  indices trail;          /* nodes of the tree that v was led along */
  struct step_access elsewhere;   /* … made as far as is known how … */
  bool at_end;                    /* … behind the others, not where it was */
  uint8_t edges;                  /* as in struct dpor_race */
  struct {                        /* dpor_look.c */
    path plan;                    /* steps, … */
    struct step_access last;      /* … and one more */
    const struct dpor_kept *from; /* where they begin; NULL: at the start */
    bool at_last;
    uint32_t step, asked;
    struct rt_log log;
    bool impossible;
    bool peeks;       /* there is no last one … */
    uint32_t enabled; /* … but who can step then */
    bool looked;      /* for this race */
  } look;
  uint64_t asking; /* kinds of steps in which something was ever asked */
  uint32_t creators, joiners; /* threads that ever created, or joined */
  bool learnt;    /* something that should have been known from the start */
  bool again;     /* begin from there */
  uint64_t runs;  /* executions, counted or not */
  indices linear; /* dpor_bound.c: the events in the order that it found */
  bool stuck;     /* a sleep set cut it, or the plan could not be kept */
  bool diverged;  /* what was run again was not what was recorded */
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

/* The path so far, for who looks from outside: begins with so many of the
 * events … */
void dpor_begin_live(struct dpor *d, uint32_t steps);
/* … and goes on. */
static inline void dpor_note_live(struct dpor *d, uint8_t what) {
  struct live_path *live = d->x->live;
  if (live && live->len < LIVE_PATH_MAX)
    live->at[live->len++] = what;
}

/*
 * Of a step that is to be made elsewhere than it was, it is not known whether
 * something will be asked in it (then all answers must be tried), or whether
 * its thread will create or join another behind it.  Few kinds of steps ask,
 * few threads create others, if any: what was never seen is taken to be
 * impossible, and when it is seen the search begins again.
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
/* The same for steps of which it is not known how they will turn out. */
enum dpor_answer dpor_depends(const struct dpor *d, const struct step_access *a,
                              const struct step_access *b);
/* Makes events of what the engine has logged since … */
void dpor_absorb(struct dpor *d);
/* … and, at the end, of what waits for ever. */
void dpor_absorb_waiting(struct dpor *d);
/* Forgets the events from number n on, and their races. */
void dpor_forget(struct dpor *d, uint32_t n);

/* dpor_wake.c */

/* Are all ways asleep in which a's thread can make its step here, with answers
 * that begin with a's? */
bool dpor_asleep(const struct dpor_level *l, const struct step_access *a);
/* With the tree below it. */
void dpor_free_node(struct dpor *d, uint32_t n);
/* Sees to it that the race is run the other way round. */
void dpor_reverse(struct dpor *d, struct dpor_race *r);

/* dpor_look.c */

/* Makes look.plan E', the steps before this level. */
void dpor_plan(struct dpor *d, uint32_t level);
void dpor_plan_step(struct dpor *d, const struct step_access *a);
/* Runs look.plan and then `last`, of which thread and answers are prescribed:
 * as it turned out.  False: it is impossible. */
bool dpor_look(struct dpor *d, struct step_access *last);
/* Runs look.plan: who can step then?  How it ended, if *enabled is 0. */
enum rt_end dpor_run_plan(struct dpor *d, uint32_t *enabled);

/* dpor_bound.c */

/* Has the trace, which ended like this, a linearization with few enough
 * preemptions?  Then that is in `linear`, and the engine at its end. */
bool dpor_within_bound(struct dpor *d, enum rt_end *how);

#endif
