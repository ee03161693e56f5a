/*
 * Inside the frontier.
 *
 * Open operations have slots, numbers that are given again when they are free.
 * A configuration is a state and which of the open operations have been placed
 * on the way to it, a bit a slot; all that returned have been.
 *
 * An open operation is of one of three kinds:
 *   effects  returned (later), and may change the state,
 *   reads    returned, and changes nothing: placed as soon as the state
 *            explains it, since that can only help,
 *   crashed  never returned: an option.
 *
 * Writes that leave the same behind whatever was there ("blind" ones, unless
 * their order is known) need not be placed before it matters: once another
 * write has been placed, all that were open then may count as placed just
 * before it, or as not placed.  A configuration with such "maybe" bits stands
 * for all choices.
 *
 * (F1) a mask has bits of open slots only; maybe bits are blind and not placed.
 * (F2) no set holds a configuration that another one in it dominates.
 */
#ifndef HISTORY_EXACT_FRONTIER_INT_H
#define HISTORY_EXACT_FRONTIER_INT_H

#include "history/log_engine.h"

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
  uint32_t before;          /* one that is like it and comes first; NO_SLOT */
  uint32_t print;
};

struct frontier_config {
  uint32_t state;
  uint32_t prev;   /* the state before, when the last one that was placed had
                      crashed and made no difference yet; BLIND_STATE, when it
                      was blind and nobody has seen it yet; else NO_STATE */
  uint32_t node;   /* how it came about */
  uint32_t next;   /* in its bucket; index + 1, 0: none */
  uint64_t mask[]; /* placed; behind it as many words of maybe bits */
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

/* Where the sweep over time is: all that is needed to go on from there. */
struct frontier_stage {
  uint32_t words;      /* of a mask */
  uint32_t next_call;  /* the operations before it have been called */
  uint32_t returned;   /* how many returned */
  uint32_t hinted;     /* … of which had a hint */
  uint32_t horizon;    /* the last return of what is open, without crashed ones;
                          0: nothing is open */
  uint64_t taken_hint; /* the largest of the crashed ones that every
                          configuration has taken */
  bool has_taken_hint;
  VEC(struct frontier_slot) slots;
  VEC(uint32_t) returns; /* slots of open operations: a heap by return */
  /* Masks: the kinds of slots; what has hints; writes, and those of them that
   * are effects without a hint. */
  uint64_t *effects, *reads, *crashed, *hints, *writes, *blind;
  struct config_set set;
};

/*
 * How configurations came about: a tree of placed operations.  What all of
 * them have in common moves to the trunk.
 */
struct frontier_node {
  uint32_t op, parent; /* op with OVERWRITTEN: it was placed before the last
                          write in front of it */
};
#define OVERWRITTEN ((uint32_t)1 << 31)
struct frontier_growth {
  VEC(struct frontier_node) nodes;
  VEC(uint32_t) trunk;
  uint32_t collect_at;
};

/* What the type said of a state, for each open slot. */
struct frontier_row {
  uint32_t state;
  uint32_t seen; /* slots opened since then are not known */
};
struct frontier_rows {
  uint64_t *at; /* rows of `stride` words: row, known, explained, next states */
  uint32_t len, cap, stride, words;
  uint32_t *table; /* row + 1 by state */
  uint32_t ntable;
  /* (state, crashed slot): what that one makes a difference to */
  struct difference {
    uint32_t state, slot;
    uint32_t seen, used;
  } * differences;
  uint64_t *difference_masks;
  uint32_t ndifferences, used_differences;
};
enum { OPENED = 64 };

struct frontier {
  const struct log_problem *p;
  struct type *type;
  struct hints hints;
  uint32_t cut;       /* what returns later is pending */
  uint32_t until;     /* events from this time on have to wait */
  bool order;         /* nodes are kept */
  bool one_key;       /* all operations concern the same part of the object */
  uint64_t forget_at; /* bytes of the type; UINT64_MAX: never */
  struct arena made;  /* operations that the cut made pending */
  struct meter *m;

  struct frontier_stage now;
  /* Two earlier ones; all that was open at `older` has returned by now. */
  struct frontier_stage old, older;
  struct config_set work, done;
  VEC(uint32_t) levels;  /* first of `work` to be expanded, by crashed ones */
  VEC(uint32_t) waiting; /* the next one of the same level; index + 1 */
  VEC(uint32_t) kept;    /* states, while others are dropped */
  uint64_t *from, *to;   /* two configurations that are being made */
  uint64_t *settled;     /* reads that were placed along with it */
  bool unseen;           /* of `from`: something that is no write is open and
                            not placed */
  bool uncovered;        /* … blind ones are open that no write has covered */
  struct frontier_growth growth;
  struct frontier_rows rows;
  uint32_t opened[OPENED]; /* the last slots that were opened, a ring */
  uint32_t nopened;

  bool lacking; /* the type does not take an operation of the cut */
  bool busy;    /* stopped inside a return: work is half expanded */
  bool decided, violated;
  uint32_t stuck; /* slot of the return that is being made */
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
/* Goes on from another stage, of this problem or of another one of the same
 * type; *g is then the one that was left. */
void frontier_swap(struct frontier *f, const struct log_problem *p,
                   struct frontier_stage *g);

/* frontier_set.c */
void set_clear(struct config_set *s, uint32_t words, uint32_t expected);
/* Adds a copy unless one that is there dominates it; those that it dominates
 * go (their state becomes NO_STATE).  Its index, or UINT32_MAX. */
uint32_t set_add(struct config_set *s, const struct frontier_stage *g,
                 const struct frontier_config *c);
/* States or masks were changed from outside. */
void set_reindex(struct config_set *s, const struct frontier_stage *g);
void set_compact(struct config_set *s);
void set_copy(struct config_set *to, const struct config_set *from);
void set_widen(struct config_set *s, uint32_t words, uint32_t to_words);
uint64_t set_bytes(const struct config_set *s);
void set_free(struct config_set *s);

/* frontier_stage.c */
void stage_init(struct frontier_stage *g, uint32_t initial);
uint32_t stage_open(struct frontier_stage *g, const struct type_op *op,
                    uint32_t id, bool pending_hints, bool blind);
void stage_close(struct frontier_stage *g, uint32_t slot);
/* The slot of the next return; NO_SLOT: nothing is open that returns. */
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
/* Those of `asked` (reads) that the state explains. */
void row_explained(struct frontier *f, struct frontier_row *r,
                   const uint64_t *asked, uint64_t *out);
/* The open slots whose operations do something else once the crashed one has
 * been placed; NULL: it changes nothing, or cannot be placed.  *next is the
 * state behind it, MANY_STATES: the mask says nothing. */
const uint64_t *row_difference(struct frontier *f, uint32_t state,
                               uint32_t slot, uint32_t *next);

/* frontier_expand.c */
/* A configuration of `work` is to be expanded; the next one that is, with the
 * fewest crashed operations, or UINT32_MAX. */
void frontier_wait(struct frontier *f, uint32_t i);
uint32_t frontier_take(struct frontier *f);
/* Adds to `work` and, where what is stuck has been placed, to `done`. */
void frontier_expand(struct frontier *f, uint32_t i);
/* A read that was called just now. */
void frontier_settle(struct frontier *f, uint32_t slot);
uint64_t frontier_hint(const struct frontier_stage *g, uint32_t slot);

/* frontier_growth.c */
uint32_t growth_add(struct frontier *f, uint32_t parent, uint32_t op);
void growth_collect(struct frontier *f);
void growth_order(const struct frontier *f, uint32_t node,
                  struct log_answer *out);

#endif
