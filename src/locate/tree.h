/*
 * The labelled tree of interleavings (Chen et al., model/races.h), on the graph
 * of states: what a node of the tree leads to depends on its state alone, so
 * labels are found once for each state, and patterns are counted by a sum over
 * the graph, not by going through the tree.
 *
 * Differs from the paper: any number of threads; a node is a race only for
 * those of its threads that lead to something else than another thread whose
 * step theirs conflicts with (struct tree_options has weaker conditions:
 * TREE_VARIABLES is the paper's Definition 5, TREE_ANY gives the labels of its
 * Definition 8); a node at which one thread can choose is no race.
 *
 * Circles.  An execution that goes round for ever is none: it leads nowhere.
 * Those that go round and then end are counted as the ones that do not: within
 * a strongly connected component, only steps that lead away from the root are
 * followed.
 *
 * (L1) labels and patterns are those of the naive tree. tests/agree/locate_tree
 * (L2) the sum of all counts is the number of failing executions, when any
 *      two threads race, and nothing is chosen in a step: the same test.
 * (L3) when steps race that conflict or are ordered by real time, there is a
 *      pattern whenever an execution fails and another does not: commute the
 *      step after which all is lost with those behind it until one depends on
 *      it.  (Of locks and of waiting, less is known than this takes.)
 * (L4) with TREE_VARIABLES, a node is a race of two threads exactly when they
 *      are among the events of a high-level data race on that set of variables
 *      and lead to something else: the same test.
 * L2 to L4 are not asserted: the naive tree of L1 has the same patterns.
 */
#ifndef LOCATE_TREE_H
#define LOCATE_TREE_H

#include "model/races.h"

/* Counts stay at this when they would grow beyond. */
#define TREE_MANY (UINT64_MAX - 1)

/*
 * Which steps of two threads that lead to different ends are a race?
 *
 * TREE_VARIABLES is Definition 5: both access a variable of a set, and both
 * orders of them are possible.  The definition leaves open whether both may be
 * reads; here one of them is not.  Locks are no variables; sections of one lock
 * are compared as wholes.
 * An example, the set being d[0] and d[1], which a call reads one by one:
 *
 *   T1 is about to write d[1], T2 to read d[0] again: a race on the set, but
 *   on no single variable
 */
enum tree_between {
  TREE_CONFLICTS, /* those that conflict */
  TREE_REAL_TIME, /* and a call with the end of another thread's call */
  TREE_ANY,
  TREE_VARIABLES,
};

struct tree_options {
  enum tree_between between;
  const bool *in_set; /* TREE_VARIABLES, by step: it accesses the set */
};

struct tree;
/* The graph must live as long as the tree. */
struct tree *tree_new(const struct steps *g, const struct tree_options *o);
void tree_free(struct tree *t);

/* What a state leads to, and what a step of this thread does from it. */
enum race_leads tree_leads(const struct tree *t, uint32_t state);
enum race_leads tree_leads_by(const struct tree *t, uint32_t state,
                              uint8_t thread);
/* The race that the state is when this thread wins. */
enum race_kind tree_race(const struct tree *t, uint32_t state, uint8_t thread);
/* Those who take part in the race, as a mask of threads; 0: it is none. */
uint32_t tree_rivals(const struct tree *t, uint32_t state);
/* Steps that the counts follow (see circles). */
bool tree_follows(const struct tree *t, uint32_t state, uint32_t edge);
bool tree_has_circles(const struct tree *t);

struct tree_pattern {
  uint8_t *word; /* enum race_kind, len of them */
  uint32_t len;
  uint64_t count;
};

struct tree_patterns {
  VEC(struct tree_pattern) at; /* R1, R2 of model/races.h */
  bool cut;                    /* there are more: these are the first */
  uint64_t failing;            /* executions, and those that have a pattern */
  uint64_t explained;
};
/* At most so many patterns; their counts are exact all the same. */
void tree_patterns(const struct tree *t, uint32_t most,
                   struct tree_patterns *out);
void tree_patterns_free(struct tree_patterns *p);

/*
 * The edges of the failing execution with this pattern and the fewest switches,
 * of these the shortest.  `effort` is how many places may still be looked at;
 * false: it was not enough, or there is none.
 */
typedef VEC(uint32_t) tree_path;
bool tree_example(const struct tree *t, const struct tree_pattern *p,
                  uint64_t *effort, tree_path *out);

/* What to draw, with at most so many nodes; in the arena. */
struct arena;
void tree_draw(const struct tree *t, const tree_path *way, uint32_t most,
               struct arena *a, struct drawing *out);

#endif
