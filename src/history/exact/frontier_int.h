/*
 * Inside the frontier.
 *
 * An open operation has a slot, a number that is used again after its return.
 * A configuration is a state, and which of the open operations have been placed
 * on the way to it, one bit a slot.  All operations that returned are placed.
 *   a: enq(1)…  b: enq(2)…      configurations: (), (a), (b), (a b), (b a)
 *
 * An open operation is of one of three kinds:
 *   effects  it returns later, and may change the state;
 *   reads    it returns, and changes nothing: placed as soon as the state
 *            explains it, since that can only help;
 *   crashed  it never returns: it may be placed or not.
 *
 * A blind write leaves the same state behind whatever was there; its order must
 * not be known by a hint.  It need not be placed before that matters: when
 * another write is placed, all blind writes that are open may count as placed
 * just before it, or as not placed.  A configuration with such "maybe" bits
 * stands for all these choices.
 *
 * (F1) A mask has bits of open slots only; maybe bits are blind and not placed.
 * (F2) No set holds a configuration that another one in it dominates.
 * set_check_invariants checks both after each return.
 */
#ifndef HISTORY_EXACT_FRONTIER_INT_H
#define HISTORY_EXACT_FRONTIER_INT_H

#include "history/log_engine.h"

#include "base/table.h"

#include <string.h>

#define NO_SLOT UINT32_MAX
#define NO_STATE UINT32_MAX
#define MANY_STATES (UINT32_MAX - 1)
#define BLIND_STATE (UINT32_MAX - 2)
#define NO_NODE UINT32_MAX

typedef VEC(uint64_t) word_vec;

static inline bool bit_of(const uint64_t *mask, uint32_t i) {
  return mask[i >> 6] >> (i & 63) & 1;
}
static inline void bit_set(uint64_t *mask, uint32_t i) {
  mask[i >> 6] |= (uint64_t)1 << (i & 63);
}
static inline void bit_clear(uint64_t *mask, uint32_t i) {
  mask[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

struct frontier_slot {
  const struct type_op *op; /* NULL: free */
  uint32_t id;              /* index into the problem's ops */
  uint32_t before;          /* the one like it that is placed first (B); or
                               NO_SLOT */
  uint32_t print;           /* op_print() */
};

struct frontier_config {
  uint32_t state;
  uint32_t prev;   /* the operation placed last is crashed, and has made no
                      difference yet: the state before it.  It is blind, and no
                      operation has seen it yet: BLIND_STATE.  Else NO_STATE */
  uint32_t node;   /* the last of the operations that led to it */
  uint32_t next;   /* in its bucket; index + 1, 0: none */
  uint64_t mask[]; /* placed slots; then as many words of maybe bits */
};

/* Configurations, found by state and placed effects. */
struct config_set {
  uint64_t *at;
  uint32_t len, cap, stride; /* stride in words */
  uint32_t live;
  struct bucket {
    uint32_t head, epoch;
  } * buckets;
  uint32_t nbuckets, used, epoch;
};

static inline struct frontier_config *config_at(const struct config_set *s,
                                                uint32_t i) {
  return (struct frontier_config *)(s->at + (size_t)i * s->stride);
}

/* A point of the sweep over time: all that is needed to go on from there. */
struct frontier_stage {
  uint32_t words;      /* of a mask */
  uint32_t next_call;  /* the operations before it have been called */
  uint32_t returned;   /* how many returned */
  uint32_t hinted;     /* … of which had a hint */
  uint32_t horizon;    /* the last return of an open operation; 0: none is open
                          that returns */
  uint64_t taken_hint; /* the largest hint of a crashed operation that every
                          configuration has placed */
  bool has_taken_hint;
  VEC(struct frontier_slot) slots;
  VEC(uint32_t) returns; /* slots of open operations: a heap by return */
  /* Masks of slots: the three kinds; operations with hints; writes; writes that
   * are effects without a hint (blind). */
  uint64_t *effects, *reads, *crashed, *hints, *writes, *blind;
  struct config_set set;
};

/* The orders that led to the configurations: a tree of placed operations.  The
 * beginning that all have in common moves to the trunk. */
struct frontier_node {
  uint32_t op, parent; /* op | OVERWRITTEN: it was placed just before the last
                          write on the path to here */
};
#define OVERWRITTEN ((uint32_t)1 << 31)
struct frontier_growth {
  VEC(struct frontier_node) nodes;
  VEC(uint32_t) trunk;
  uint32_t collect_at;
};

/* The type's answers about a state, for each open slot. */
struct frontier_row {
  uint32_t state;
  uint32_t seen; /* frontier.nopened then: slots opened since are not known */
};
TABLE_STRUCT(row_numbers, uint32_t); /* row + 1; 0: free */
/* By state and crashed slot: the slots that it makes a difference to. */
struct difference {
  uint32_t state, slot;
  uint32_t seen;
  uint32_t mask; /* number + 1; 0: free */
};
TABLE_STRUCT(differences, struct difference);
struct frontier_rows {
  uint64_t *at; /* rows of `stride` words: row, known, explained, next states */
  uint32_t len, cap, stride, words;
  struct row_numbers numbers; /* by state */
  struct differences differences;
  word_vec masks; /* of differences, `words` each */
};
enum { OPENED = 64 };

struct frontier {
  const struct log_problem *p;
  struct type *type;
  struct hints hints;
  uint32_t cut;       /* operations that return later are pending */
  uint32_t until;     /* the sweep pauses before this time */
  bool order;         /* orders are kept (growth) */
  bool one_key;       /* all operations concern the same part of the object */
  uint64_t forget_at; /* bytes of the type; UINT64_MAX: never */
  struct arena made;  /* operations that the cut made pending */
  struct meter *m;

  struct frontier_stage now;
  /* Two earlier stages; all operations open at `older` have returned by now. */
  struct frontier_stage old, older;
  struct config_set work, done;
  VEC(uint32_t)
  levels;                /* by number of crashed operations placed: the first
                            configuration of `work` to be expanded */
  VEC(uint32_t) waiting; /* the next one of the same level; index + 1 */
  VEC(uint32_t) kept;    /* frontier_forget: states in use */
  uint64_t *from, *to; /* the configuration that is expanded, and the new one */
  uint64_t *settled;   /* reads that were placed along with it */
  bool unseen;         /* of `from`: an open operation that is no write is not
                          placed */
  bool uncovered;      /* of `from`: a blind write is open that no write has
                          overwritten */
  struct frontier_growth growth;
  struct frontier_rows rows;
  uint32_t opened[OPENED]; /* the last slots that were opened, a ring */
  uint32_t nopened;

  bool lacking; /* the type does not take an operation of the cut */
  bool busy;    /* paused inside a return: `work` is partly expanded */
  bool decided, violated;
  uint32_t stuck; /* slot of the operation that returns now */
};

static inline uint64_t *maybe_of(const struct frontier_stage *g,
                                 struct frontier_config *c) {
  return c->mask + g->words;
}
static inline struct frontier_config *frontier_from(struct frontier *f) {
  return (struct frontier_config *)f->from;
}
static inline struct frontier_config *frontier_to(struct frontier *f) {
  return (struct frontier_config *)f->to;
}

/* frontier.c */
/* The sweep goes on from *g, a stage of this problem or of another one of the
 * same type; *g becomes the stage that was left. */
void frontier_swap(struct frontier *f, const struct log_problem *p,
                   struct frontier_stage *g);

/* frontier_set.c */
void set_clear(struct config_set *s, uint32_t words, uint32_t expected);
/* Adds a copy of *c, unless one of the set dominates it; those that it
 * dominates go (their state becomes NO_STATE).  Returns its index, or
 * UINT32_MAX. */
uint32_t set_add(struct config_set *s, const struct frontier_stage *g,
                 const struct frontier_config *c);
/* Called after states or masks were changed from outside. */
void set_reindex(struct config_set *s, const struct frontier_stage *g);
void set_compact(struct config_set *s);
bool set_check_invariants(const struct config_set *s,
                          const struct frontier_stage *g); /* F1, F2 */
void set_copy(struct config_set *to, const struct config_set *from);
void set_widen(struct config_set *s, uint32_t words, uint32_t to_words);
uint64_t set_bytes(const struct config_set *s);
void set_free(struct config_set *s);

/* frontier_stage.c */
void stage_init(struct frontier_stage *g, uint32_t initial);
uint32_t stage_open(struct frontier_stage *g, const struct type_op *op,
                    uint32_t id, bool pending_hints, bool blind);
void stage_close(struct frontier_stage *g, uint32_t slot);
/* The slot of the next return; NO_SLOT: no open operation returns. */
uint32_t stage_next_return(const struct frontier_stage *g);
void stage_copy(struct frontier_stage *to, const struct frontier_stage *from);
uint64_t stage_bytes(const struct frontier_stage *g);
void stage_free(struct frontier_stage *g);

/* frontier_rows.c */
void rows_clear(struct frontier *f);
uint64_t rows_bytes(const struct frontier_rows *r);
void rows_free(struct frontier_rows *r);
/* The row of a state; valid until the next call. */
struct frontier_row *row_of(struct frontier *f, uint32_t state);
/* The state after the slot's operation, NO_STATE or MANY_STATES. */
uint32_t row_next(struct frontier *f, struct frontier_row *r, uint32_t slot);
/* *out: the reads of `asked` that the state explains. */
void row_explained(struct frontier *f, struct frontier_row *r,
                   const uint64_t *asked, uint64_t *out);
/* The open slots whose operations behave differently once the crashed operation
 * is placed; NULL: it changes nothing, or cannot be placed.  *next: the state
 * after it; MANY_STATES: the mask says nothing. */
const uint64_t *row_difference(struct frontier *f, uint32_t state,
                               uint32_t slot, uint32_t *next);

/* frontier_expand.c */
/* frontier_wait: configuration i of `work` is to be expanded.  frontier_take:
 * the next one, with the fewest crashed operations, or UINT32_MAX. */
void frontier_wait(struct frontier *f, uint32_t i);
uint32_t frontier_take(struct frontier *f);
/* Adds the configurations that follow to `work` or, if the operation that
 * returns now is placed in them, to `done`. */
void frontier_expand(struct frontier *f, uint32_t i);
/* A read was just called: it is placed where the state explains it. */
void frontier_settle(struct frontier *f, uint32_t slot);
uint64_t frontier_hint(const struct frontier_stage *g, uint32_t slot);

/* frontier_growth.c */
uint32_t growth_add(struct frontier *f, uint32_t parent, uint32_t op);
void growth_collect(struct frontier *f);
void growth_order(const struct frontier *f, uint32_t node,
                  struct log_answer *out);

#endif
