/*
 * A parallel search: several processes that search the states of one client
 * together. They share a table of visited states, offers of work, and a log of
 * the graph's edges, in memory that was mapped before they were forked.
 *
 * (N1) every state is entered by exactly one member, once.
 * (N2) with the same knowledge of conflicts (rt_knowledge), the numbers of
 *      states, transitions, executions and interleavings, and the path with
 *      the fewest switches, are those of one process alone, unless a budget
 *      or a cut execution ends it early.
 * (N3) a member that dies leaves the others waiting: whoever watches calls
 *      parallel_abort, and the search is begun again.
 * (N4) states are compared across processes: what the object and the threads'
 *      stacks hold must lie at the same addresses in all members.  A member
 *      where they do not finds out, and all stop (parallel_differs).
 *
 * How it ends: all members return what one process would, but when a bad
 * execution ends it: then who found it returns EXPLORE_BAD, the others
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

/* For at most so many members; memory is only reserved.  NULL: there is not
 * enough address space. */
struct parallel_search *parallel_map(uint32_t members, uint64_t max_states,
                                     uint64_t max_memory);
void parallel_unmap(struct parallel_search *g);

/* Before a search, when no member is in it: empty, for so many members. */
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
/* What it has written: a log of `len` words, then `bytes` of knowledge. */
struct parallel_written {
  uint64_t len, bytes;
};
struct parallel_written *parallel_written(struct parallel_search *g,
                                          uint32_t member);

/*
 * Branches of a search that another member can take over: of nodes along one
 * path, those threads whose step was not tried.
 */
struct parallel_node {
  uint32_t path_len; /* the node is behind so many bytes of the path */
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

/* From the beginning of a search to its end a member is in it. */
void parallel_enter(struct parallel_search *g);
void parallel_leave(struct parallel_search *g);
uint32_t parallel_members(const struct parallel_search *g);
/* Nobody else is. */
bool parallel_alone(const struct parallel_search *g);

/* Is somebody without work?  Then where to write what it is to do, which it
 * gets with parallel_give; NULL: nobody is. */
struct parallel_work *parallel_asked(struct parallel_search *g, uint32_t *who);
void parallel_give(struct parallel_search *g, uint32_t who);
void parallel_keep(struct parallel_search *g,
                   uint32_t who); /* there is nothing to give */

/* This member has nothing to do, any more or (member 1 …, at first) yet. */
void parallel_ask(struct parallel_search *g, uint32_t member, bool had_work);
enum parallel_wait {
  PARALLEL_WORK,  /* *work is to be done; it stays there until more is asked for
                   */
  PARALLEL_OVER,  /* nobody has any more, or it was stopped */
  PARALLEL_AGAIN, /* nothing yet, after some milliseconds */
};
enum parallel_wait parallel_wait(struct parallel_search *g, uint32_t member,
                                 const struct parallel_work **work);
void parallel_nap(void); /* sleeps a little */

/* What another member's path leads to is another state here (N4): stops all. */
void parallel_differ(struct parallel_search *g);

#endif
