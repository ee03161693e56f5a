/*
 * Coverage is what a run searched: of which clients all interleavings, of which
 * some, and what ended it.
 */
#ifndef MODEL_COVERAGE_H
#define MODEL_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

struct coverage {
  uint32_t threads, ops;       /* all clients up to threads × ops calls … */
  uint32_t init;               /* … after up to so many initial calls */
  uint64_t exhaustive_clients; /* clients of which all interleavings ran */
  uint64_t sampled_clients;
  bool one_client; /* --client: only this one */
  bool exhaustive; /* everything that was planned ran completely */
  char *sentence;  /* "all 31 clients up to 2x2 calls, every
                      interleaving; 500 larger ones at random" */
  char *limit;     /* the budget that ended the search, or NULL … */
  char *estimate;  /* … and how far it was then, or NULL */
};

/*
 * What an execution that was drawn by priorities is worth: it meets a given bug
 * of this depth with at least the probability 1/(threads * steps^(depth-1)).
 * Of several clients, the one with the smallest.
 */
struct chance {
  uint32_t depth; /* 0: nothing was drawn so */
  uint32_t threads;
  uint64_t steps; /* of the longest execution */
  double bound;
};

#endif
