/*
 * A parallel search: several processes that search the states of one client
 * together.  They share a table of visited states, offers of work, and a log of
 * the graph's edges, in memory that was mapped before they were forked.
 *
 * (N1) every state is entered by exactly one member, once: V1 of visited.h.
 * (N2) with the same knowledge of conflicts (rt_knowledge), the numbers of
 *      states, transitions, executions and interleavings, and the path with
 *      the fewest switches, are those of one process alone, unless a budget
 *      or a cut execution ends it early.   tests/agree/parallel_search.c
 * (N3) a member that dies leaves the others waiting: the process that watches
 *      them calls parallel_abort, and the search is begun again.
 * (N4) states are compared across processes: the object and the threads' stacks
 *      must lie at the same addresses in all members.  A member where they do
 *      not finds out, and all stop (parallel_differs).
 *
 * How it ends: all members return what one process would.  When a bad execution
 * ends it, the member that found it returns EXPLORE_BAD, the others
 * EXPLORE_STOPPED.
 */
#ifndef SEARCH_PARALLEL_SEARCH_H
#define SEARCH_PARALLEL_SEARCH_H

#include "base/hash.h"
#include "search/visited.h"

#include <stdbool.h>
#include <stdint.h>

struct parallel_search;

enum { PARALLEL_MOST = 64 };

/* For at most so many members; memory is reserved, not used.  NULL: there is
 * not enough address space. */
struct parallel_search *parallel_map(uint32_t members, uint64_t max_states,
                                     uint64_t max_memory);
void parallel_unmap(struct parallel_search *g);

/* Before a search, while no member is in it: empties it, for so many members.
 */
void parallel_reset(struct parallel_search *g, uint32_t members);

/* All members come back soon, with EXPLORE_STOPPED. */
void parallel_abort(struct parallel_search *g);

/* The last search was stopped since the members' states cannot be compared. */
bool parallel_differs(const struct parallel_search *g);

/* ---- for the search over states ---- */

/* What the members have done together. */
enum parallel_sum {
  PARALLEL_STATES,
  PARALLEL_EXECUTIONS,
  PARALLEL_BYTES,
  PARALLEL_SUMS
};
uint64_t parallel_add(struct parallel_search *g, enum parallel_sum what,
                      int64_t n);

/* The search ends for all, in this way; the first one counts. */
void parallel_stop(struct parallel_search *g, int end);
/* How it was ended, or -1. */
int parallel_stopped(const struct parallel_search *g);

struct visited parallel_visited(const struct parallel_search *g);

/* A member's log of edges: room for *most words. */
uint64_t *parallel_log(struct parallel_search *g, uint32_t member,
                       uint64_t *most);
/* What a member has written: a log of `len` words, then `bytes` of knowledge.
 */
struct parallel_written {
  uint64_t len, bytes;
};
struct parallel_written *parallel_written(struct parallel_search *g,
                                          uint32_t member);

/*
 * Branches of a search that another member can take over: nodes along one path,
 * each with the threads whose step was not tried.
 */
struct parallel_node {
  uint32_t path_len; /* the node comes behind so many bytes of the path */
  uint32_t left;
  uint32_t place;
  uint32_t preempted;
  uint8_t stays;
  double part; /* of the whole tree, of each branch */
};
enum { PARALLEL_PATH = 1 << 16, PARALLEL_NODES = 1 << 13 };
struct parallel_work {
  struct hash128 state; /* of the last node, when it was entered */
  uint32_t nnodes, path_len;
  struct parallel_node nodes[PARALLEL_NODES];
  uint8_t path[PARALLEL_PATH];
};

/* A member is in the search from its beginning to its end. */
void parallel_enter(struct parallel_search *g);
void parallel_leave(struct parallel_search *g);
uint32_t parallel_members(const struct parallel_search *g);
/* Is the caller the only member in it? */
bool parallel_alone(const struct parallel_search *g);

/* Does a member ask for work?  Then the memory to write its work into, which it
 * gets by parallel_give; NULL: none asks. */
struct parallel_work *parallel_asked(struct parallel_search *g, uint32_t *who);
void parallel_give(struct parallel_search *g, uint32_t who);
void parallel_keep(struct parallel_search *g,
                   uint32_t who); /* nothing to give */

/* This member asks for work: it has done its own, or had none yet. */
void parallel_ask(struct parallel_search *g, uint32_t member, bool had_work);
enum parallel_wait {
  PARALLEL_WORK,  /* *work is to be done; valid until the next parallel_ask */
  PARALLEL_OVER,  /* no member has work any more, or it was stopped */
  PARALLEL_AGAIN, /* nothing yet, after some milliseconds */
};
enum parallel_wait parallel_wait(struct parallel_search *g, uint32_t member,
                                 const struct parallel_work **work);
void parallel_nap(void); /* sleeps a little */

/* Another member's path leads to another state here (N4): stops all. */
void parallel_differ(struct parallel_search *g);

#endif
