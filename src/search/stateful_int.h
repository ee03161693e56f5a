/*
 * The search over states: what stateful.c, which searches, and
 * stateful_parallel.c, which shares the work among processes, have in common.
 *
 * (F1) nodes[0 … depth) are the states on the way to the current one, with at
 *      least one step between two of them: path_len ascends.
 * (F2) the state of the first node is held, so the search can go back from any.
 * (F3) a node with again == AGAIN_SAVED has its answers in `saved`; the answers
 *      of deeper nodes lie above those of shallower ones.
 * (F4) with is_at_top the engine is in the state of the top node.
 */
#ifndef SEARCH_STATEFUL_INT_H
#define SEARCH_STATEFUL_INT_H

#include "search/explore.h"
#include "search/graph.h"
#include "search/visited.h"

enum { NOBODY = 255 };
enum { AGAIN = 1, AGAIN_SAVED };

/* A state on the way to the one that is being looked at. */
struct stateful_node {
  struct snapshot state; /* empty: it is not kept */
  struct hash128 hash;
  uint32_t left; /* mask: threads whose step was not tried yet */
  uint32_t place;
  uint32_t path_len;
  uint32_t preempted; /* preemptions so far, when they are bounded */
  uint8_t stays;      /* leaving this thread is a preemption; or NOBODY */
  uint8_t thread;     /* whose step is being tried … */
  uint8_t again;      /* … once more, with other answers to its choices */
  double part;        /* of the whole tree, of each branch */
};

struct stateful {
  struct explore *x;
  VEC(struct stateful_node) nodes; /* nodes[0 … depth) are in use */
  uint32_t depth;
  bool is_at_top; /* F4 */
  bool learnt;    /* of a new conflict: the search so far is not valid */
  bool trivial;   /* the client has nothing to decide */
  bool last_bad;
  path path;
  uint32_t traced; /* how much of it was made again */
  /* answers to choices within the step in progress */
  uint8_t answer[GRAPH_ANSWERS], of[GRAPH_ANSWERS];
  uint32_t nanswers, known;
  VEC(uint8_t) saved; /* F3 */
  struct visited visited;
  uint32_t root;              /* place of the first state */
  VEC(struct snapshot) spare; /* to be used again */
  uint64_t held;              /* bytes of snapshots */
  struct {
    uint64_t *at;
    uint64_t len, cap;
    bool fixed; /* its memory cannot grow */
  } log;
  double done; /* part of the tree */
  /* parallel: what was added to the common sums so far */
  uint64_t added_states, added_executions, added_bytes;
};

/* A state that a step led to, and the threads to be tried there. */
struct stateful_arrival {
  struct hash128 hash;
  uint32_t enabled; /* mask */
  uint32_t preempted;
  uint8_t stays;
};
struct hash128 stateful_hash(const struct stateful *w, uint32_t preempted,
                             uint8_t stays);
void stateful_enter(struct stateful *w, const struct stateful_arrival *a,
                    uint32_t place, double part);

/* To the state in which executions begin; false: a conflict was learnt. */
bool stateful_begin(struct stateful *w, enum rt_end *how);
/* Makes the steps of w->path from byte `from` to byte `to` again; the engine is
 * where the first begins.  False: they cannot be made here. */
bool stateful_retrace(struct stateful *w, uint32_t from, uint32_t to);
/* Was a conflict found that makes the search so far invalid? */
bool stateful_learnt(const struct stateful *w);

/* Searches from the root; from the nodes that were entered. */
enum explore_end stateful_root(struct stateful *w);
enum explore_end stateful_search(struct stateful *w);
bool stateful_budget(struct stateful *w, enum explore_end *end);
uint64_t stateful_bytes(const struct stateful *w);
/* Counts and the best bad path, from the logs of all members. */
void stateful_conclude(struct stateful *w, const struct graph_log *logs,
                       uint32_t n, bool complete);

/* Asserts F1 to F3. */
void stateful_check_invariants(const struct stateful *w);

/* stateful_parallel.c */
enum explore_end stateful_together(struct stateful *w);
bool stateful_budget_together(struct stateful *w, enum explore_end *end);

#endif
