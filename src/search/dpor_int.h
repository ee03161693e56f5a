/*
 * What the parts of dpor share: dpor_order.c makes events of the engine's log
 * and orders them, dpor_wake.c reverses races into wakeup trees, dpor.c runs
 * executions along the trees.
 */
#ifndef SEARCH_DPOR_INT_H
#define SEARCH_DPOR_INT_H

#include "search/dependence.h"
#include "search/explore.h"

enum { THREADS = RT_MAX_THREADS, MOST_ANSWERS = ACCESS_ANSWERS };
#define NONE UINT32_MAX

struct dpor_event {
  struct access a;
  uint32_t enabled;        /* who could have stepped instead */
  uint32_t no;             /* its number within its thread, from 1 */
  uint32_t clock[THREADS]; /* by thread: how many of its events are before */
};

struct wake { /* a node of a wakeup tree; siblings in order */
  struct access a;
  uint32_t child, next;
};

struct level {              /* one depth of the execution in progress */
  VEC(struct access) sleep; /* steps that need not be taken here */
  uint32_t root;            /* of the wakeup tree; its first child is taken */
  uint8_t answer[MOST_ANSWERS], of[MOST_ANSWERS]; /* to choices in the step */
  uint8_t nanswers;
};

struct race {
  uint32_t first, second;
  bool open; /* whether `second` could have been made there is not known */
};

struct dpor {
  struct explore *x;
  bool real_time;
  VEC(struct level) levels;
  VEC(struct dpor_event) events;
  uint32_t depth; /* decisions made in this execution */
  uint32_t fixed; /* so many are prescribed, by the first children */
  uint32_t nthreads;
  VEC(struct wake) nodes;
  uint32_t free_nodes;
  VEC(struct race) races;
  struct rt_log log;
  uint32_t absorbed;              /* entries of the log that are events now */
  uint32_t seen;                  /* steps absorbed in this execution */
  uint32_t count[THREADS];        /* by thread: events so far */
  uint32_t moved[THREADS];        /* by thread: so many events (of all)
                                     when it came to its next step */
  uint32_t now[THREADS][THREADS]; /* by thread: clock of its last event,
                                     and of who created or was joined */
  uint32_t made;     /* so many events were made, the others wait for ever */
  VEC(uint32_t) v;   /* a wakeup sequence: indices of events … */
  uint32_t reversed; /* … the last of which is made elsewhere than it was … */
  struct access elsewhere; /* … as far as is known how */
  struct {                 /* a look at how E'.v turns out */
    VEC(uint32_t) plan;    /* events */
    uint32_t step, answer;
    const struct access *last; /* whose answers the last step gets, or NULL */
    struct rt_log log;
    bool impossible, shared_stack;
  } look;
  bool again; /* begin from the start */
  bool stuck; /* a sleep set cut it, or the plan could not be kept */
};

enum answer { NO, MAYBE, YES };

/* dpor_order.c */

bool dpor_dependent(const struct dpor *d, const struct access *a,
                    const struct access *b);
/* The same for steps of which it is not known how they will turn out. */
enum answer dpor_depends(const struct dpor *d, const struct access *a,
                         const struct access *b);
/* Is event i before event j (i < j) in the happens-before order? */
bool dpor_before(const struct dpor *d, uint32_t i, uint32_t j);
struct access dpor_access_of(const struct rt_logged *l);
void dpor_take_answers(struct access *a, const struct level *l);
bool dpor_same_step(const struct access *a, const struct access *b);
bool dpor_sleeps(const struct level *l, const struct access *a);
/* Makes events of what the engine has logged since … */
void dpor_absorb(struct dpor *d);
/* … and, at the end, of what waits for ever. */
void dpor_absorb_waiting(struct dpor *d);

uint32_t dpor_new_node(struct dpor *d, const struct access *a);
void dpor_free_node(struct dpor *d, uint32_t n);
void dpor_append_child(struct dpor *d, uint32_t parent, uint32_t fresh);

/* dpor_wake.c */

/* Puts what runs the race the other way round into the tree of its level. */
void dpor_reverse(struct dpor *d, struct race r);
void dpor_look_at_alternatives(struct dpor *d, uint32_t k);

#endif
