/* The plan of a campaign, private to campaign*.c. */
#ifndef CAMPAIGN_CAMPAIGN_INT_H
#define CAMPAIGN_CAMPAIGN_INT_H

#include "campaign/campaign.h"

enum {
  /* Budgets in steps without --time and --max-executions: about two seconds. */
  CAMPAIGN_SWEEP_STEPS = 1500000,   /* all small clients */
  CAMPAIGN_OBSERVE_STEPS = 500000,  /* one reading call beside several calls */
  CAMPAIGN_SAMPLE_STEPS = 10000000, /* random larger clients: many a second */
  /* The same while a repair is tested, which takes several campaigns. */
  CAMPAIGN_REPAIR_SWEEP_STEPS = 500000,
  CAMPAIGN_REPAIR_SAMPLE_STEPS = 200000,
  /* With --time: in the first round; the next has twice as many. */
  CAMPAIGN_VICTIM_STEPS = 1000000,
  CAMPAIGN_RANDOM_STEPS = 2000000,
  CAMPAIGN_DEEP_STEPS = 1000000,
  CAMPAIGN_DEEP_STATES = 80000, /* of a client, when it is tried again … */
  CAMPAIGN_DEEPER = 4,          /* … and so many times more, then */
  CAMPAIGN_CHUNK = 50000, /* executions of a dfs item; it hands back the rest */
  CAMPAIGN_TRIES = 3,
};

enum campaign_task_state { TASK_WAITING, TASK_GIVEN, TASK_ANSWERED };

/* An item in the list of items to merge. */
struct campaign_task {
  struct campaign_task *next;
  struct item item;
  enum campaign_task_state state;
  uint32_t tries;
  bool dropped; /* its answer is not wanted any more */
  bool died, hangs;
  struct pool_death death;
  VEC(struct record) records;
};

struct parallel_state {
  struct parallel_search *search;
  bool runs, aborted, killed;
  uint32_t members, answers, tries;
  struct buf knowledge;
  bool learnt;
};

struct campaign_plan {
  struct campaign *c;
  const struct settings *set;
  struct pool *pool;
  struct campaign_task **at; /* by slot: its task, or NULL */
  struct campaign_task *first, **last;
  enum item_kind kind;
  bool more;      /* there are more items of this kind … */
  uint64_t next;  /* … from this client or execution on */
  uint64_t given; /* tasks that are not merged yet */
  uint64_t until; /* effort that ends this kind of items; 0: no bound */
  uint64_t from;  /* effort when this kind began */
  double begun;   /* by clock_now() */
  /* With --time, kinds of items take turns (campaign_rounds.c). */
  bool rounds;
  uint32_t round;
  uint64_t next_of[ITEM_ONE]; /* where each kind goes on … */
  bool done[ITEM_ONE];        /* … unless it has no more */
  VEC(uint64_t) unfinished;   /* numbers of clients of the sweep, ascending */
  uint32_t deep;              /* index into them, of the next item */
  uint64_t deep_states;
  bool draws;     /* the one client, which has too many states */
  uint64_t drawn; /* executions to draw of the one client; 0: none */
  double share;   /* of the one client: part that is done */
  bool over;
  enum campaign_end end;
  struct parallel_state parallel;
  struct estimate estimate;
  double look_again; /* clock_now() of the next look at the progress */
  struct error *error;
};

/* campaign.c */
struct campaign_task *
campaign_task(const struct item *i); /* takes its buffers */
void campaign_append(struct campaign_plan *p, struct campaign_task *t);
/* C3. */
bool campaign_check_invariants(const struct campaign_plan *p);
/* Frees the tasks in the list; a task that a slot works on is freed when it
 * ends. */
void campaign_drop(struct campaign_plan *p);
void campaign_free_task(struct campaign_task *t);
void campaign_give(struct campaign_plan *p, uint32_t slot,
                   struct campaign_task *t);
void campaign_finish(struct campaign_plan *p, enum campaign_end end);

/* campaign_merge.c */
void campaign_begin_kind(struct campaign_plan *p, enum item_kind kind,
                         uint64_t first, uint64_t steps);
bool campaign_stateful(const struct campaign_plan *p);
uint64_t campaign_executions_left(const struct campaign_plan *p);
uint64_t campaign_effort(const struct campaign_plan *p); /* steps so far */
/* Merges answers, up to the first task without one. */
void campaign_merge(struct campaign_plan *p);
void campaign_add_up(struct campaign_plan *p, const struct record *r);
void campaign_keep_bad(struct campaign_plan *p,
                       struct record *r); /* empties *r */
void campaign_take_death(struct campaign_plan *p, struct campaign_task *t);
/* Ends the search of the one client. */
void campaign_end_one(struct campaign_plan *p);
/* dfs: inserts tasks for the paths that were not searched, after the task. */
void campaign_insert_leftover(struct campaign_plan *p, struct campaign_task *t,
                              const struct record *r);

/* campaign_rounds.c */
void campaign_begin_rounds(struct campaign_plan *p);
/* The budget of this kind's turn is used up, before the item `number`; `none`:
 * it has no more. */
void campaign_next_turn(struct campaign_plan *p, uint64_t number, bool none);
struct campaign_task *campaign_deep_task(struct campaign_plan *p);
void campaign_merge_deep(struct campaign_plan *p, struct record *r,
                         uint64_t number);
/* The time is over, whatever the workers do. */
bool campaign_is_over_time(const struct campaign_plan *p);
/* The one client has too many states: the rest of the time goes to random
 * executions of it.  False: there is no time. */
bool campaign_begin_drawing(struct campaign_plan *p);

/* campaign_parallel.c */
/* Is the client too large for one process, as this first task shows? */
bool campaign_wants_parallel(const struct campaign_plan *p,
                             const struct campaign_task *t);
/* Adds the conflicts that the record found. */
void campaign_learn(struct buf *to, const struct record *r);
void campaign_begin_parallel(struct campaign_plan *p);
/* A member's task has ended; `all`: the other members must end, too. */
void campaign_member_ended(struct campaign_plan *p, bool all);
/* What members have answered, as if all had. */
void campaign_merge_members(struct campaign_plan *p);

#endif
