/*
 * The tree of interleavings written out, in which every execution is a leaf of
 * its own: what labels, races, patterns and counts mean (locate/tree.h).
 */
#ifndef ORACLE_PLAIN_TREE_H
#define ORACLE_PLAIN_TREE_H

#include "locate/tree.h"

struct branch {
  uint32_t thread, child;
  struct step step;
};

struct plain_node {
  VEC(struct branch) branches; /* by thread */
  uint32_t end;                /* STEPS_…; STEPS_ENDS: none */
  unsigned leads;
};

struct plain_tree {
  VEC(struct plain_node) nodes;
  bool sections;
  enum tree_between between;
  uint64_t set; /* TREE_VARIABLES: see plain_in_set */
  bool too_large;
  /* of each pattern: its letters, how many executions, fewest switches */
  VEC(char *) words;
  VEC(uint64_t) counts;
  VEC(uint32_t) switches;
  uint64_t failing, ends;
};

/* A node, at first without branches; at most so many are written. */
enum { PLAIN_NODES = 40000 };
uint32_t plain_node_new(struct plain_tree *t, uint32_t end);
void plain_tree_free(struct plain_tree *t);

/* Sets of variables for tests: a bit for every eighth byte of 512. */
bool plain_in_set(uint64_t set, const struct step *s);

/* Labels the nodes, and goes down to every leaf. */
void plain_patterns(struct plain_tree *t, enum tree_between between);

#endif
