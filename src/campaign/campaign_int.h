/* Between the files of the campaign; nobody else includes this. */
#ifndef CAMPAIGN_CAMPAIGN_INT_H
#define CAMPAIGN_CAMPAIGN_INT_H

#include "campaign/campaign.h"

enum {
  /* Budgets without --time and --max-executions, in steps: about two seconds.
   */
  CAMPAIGN_SWEEP_STEPS = 1500000,   /* all small clients */
  CAMPAIGN_OBSERVE_STEPS = 500000,  /* one call that reads against several */
  CAMPAIGN_SAMPLE_STEPS = 10000000, /* random larger ones: drawn, so faster */
  /* The same with lines that are made atomic: there are several such runs. */
  CAMPAIGN_REPAIR_SWEEP_STEPS = 500000,
  CAMPAIGN_REPAIR_SAMPLE_STEPS = 200000,
  CAMPAIGN_CHUNK = 50000, /* executions of dfs, before it hands back the rest */
  CAMPAIGN_TRIES = 3,
};

enum campaign_task_state { TASK_WAITING, TASK_GIVEN, TASK_ANSWERED };

/* An item, in the list that is the order of merging. */
struct campaign_task {
  struct campaign_task *next;
  struct item item;
  enum campaign_task_state state;
  uint32_t tries;
  bool dropped; /* nobody wants its answer any more */
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
  struct campaign_task **at; /* by slot: what it does, or NULL */
  struct campaign_task *first, **last;
  enum item_kind kind;
  bool more;      /* the source has more items of this kind */
  uint64_t next;  /* … from here on */
  uint64_t given; /* tasks that are not merged yet */
  uint64_t until; /* effort that ends this kind; 0: no bound */
  uint64_t from;  /* effort when it began */
  double begun;   /* of clock_now() */
  uint64_t drawn; /* executions to be drawn of the one client; 0: none */
  double share;   /* of the one client: what tasks have done */
  bool over;
  enum campaign_end end;
  struct parallel_state parallel;
  struct estimate estimate;
  double look_again; /* when to look how far it is */
  struct error *error;
};

/* campaign.c */
struct campaign_task *
campaign_task(const struct item *i); /* takes what it holds */
void campaign_append(struct campaign_plan *p, struct campaign_task *t);
/* C3. */
bool campaign_check_invariants(const struct campaign_plan *p);
/* Forgets the tasks in the list; those that are being done, when they end. */
void campaign_drop(struct campaign_plan *p);
void campaign_free_task(struct campaign_task *t);
void campaign_give(struct campaign_plan *p, uint32_t slot,
                   struct campaign_task *t);
void campaign_finish(struct campaign_plan *p, enum campaign_end end);

/* campaign_merge.c */
bool campaign_stateful(const struct campaign_plan *p);
uint64_t campaign_executions_left(const struct campaign_plan *p);
uint64_t campaign_effort(const struct campaign_plan *p); /* steps so far */
void campaign_merge(struct campaign_plan *p); /* as far as there are answers */
void campaign_add_up(struct campaign_plan *p, const struct record *r);
void campaign_keep_bad(struct campaign_plan *p,
                       struct record *r); /* takes it */
void campaign_take_death(struct campaign_plan *p, struct campaign_task *t);
/* The one client is done, or what ends it has happened. */
void campaign_end_one(struct campaign_plan *p);
/* What dfs did not come to follows the task in the list. */
void campaign_insert_leftover(struct campaign_plan *p, struct campaign_task *t,
                              const struct record *r);

/* campaign_parallel.c */
/* Is this the first part of a client that is too large for one process? */
bool campaign_wants_parallel(const struct campaign_plan *p,
                             const struct campaign_task *t);
void campaign_learn(struct buf *to, const struct record *r);
void campaign_begin_parallel(struct campaign_plan *p);
/* A member's task has come to an end; `all`: the others must end too. */
void campaign_member_ended(struct campaign_plan *p, bool all);

#endif
