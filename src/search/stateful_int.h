/* The search over states, by one process and by several. */
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
  uint32_t left; /* threads whose step was not tried yet */
  uint32_t place;
  uint32_t path_len;
  uint32_t preempted; /* preemptions so far, when they are bounded */
  uint8_t stays;      /* whom to leave would be one more */
  uint8_t thread;     /* whose step is being tried … */
  uint8_t again;      /* … once more, with other answers to its choices */
  double part;        /* of the tree, that each branch is */
};

struct stateful {
  struct explore *x;
  VEC(struct stateful_node) nodes; /* nodes[0 … depth) are in use */
  uint32_t depth;
  bool is_at_top; /* the engine is in the state of the top node */
  bool learnt;    /* what was done is not valid */
  bool trivial;   /* nothing was to be decided */
  bool last_bad;
  path path;
  uint32_t traced; /* how far of it was made again */
  /* answers to choices within the step in progress */
  uint8_t answer[GRAPH_ANSWERS], of[GRAPH_ANSWERS];
  uint32_t nanswers, known;
  VEC(uint8_t) saved; /* those of nodes below the top */
  struct visited visited;
  uint32_t root;              /* its place */
  VEC(struct snapshot) spare; /* to be used again */
  uint64_t held;              /* bytes of snapshots */
  struct {
    uint64_t *at;
    uint64_t len, cap;
    bool fixed; /* it cannot grow */
  } log;
  double done; /* part of the tree */
  /* parallel: what was added to the common sums so far */
  uint64_t added_states, added_executions, added_bytes;
};

/* A state that was come to, and what can be done there. */
struct stateful_arrival {
  struct hash128 hash;
  uint32_t enabled; /* … and is to be tried */
  uint32_t preempted;
  uint8_t stays;
};
struct hash128 stateful_hash(const struct stateful *w, uint32_t preempted,
                             uint8_t stays);
void stateful_enter(struct stateful *w, const struct stateful_arrival *a,
                    uint32_t place, double part);

/* To the state in which executions begin; false: something was learnt. */
bool stateful_begin(struct stateful *w, enum rt_end *how);
/* The steps of a piece of w->path, from where it begins. */
bool stateful_retrace(struct stateful *w, uint32_t from, uint32_t to);
/* Is there news that make what was done invalid? */
bool stateful_learnt(const struct stateful *w);

/* From the root; from the nodes that were entered. */
enum explore_end stateful_root(struct stateful *w);
enum explore_end stateful_search(struct stateful *w);
bool stateful_budget(struct stateful *w, enum explore_end *end);
uint64_t stateful_bytes(const struct stateful *w);
/* What there is to say of the graph; for one who has all logs. */
void stateful_conclude(struct stateful *w, const struct graph_log *logs,
                       uint32_t n, bool complete);

/* stateful_parallel.c */
enum explore_end stateful_together(struct stateful *w);
bool stateful_budget_together(struct stateful *w, enum explore_end *end);

#endif
