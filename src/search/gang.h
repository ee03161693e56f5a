/*
 * A gang: several processes that search the states of one client together.
 * They share a table of visited states, offers of work, and a log of the
 * graph's edges, in memory that was mapped before they were forked.
 *
 * (N1) every state is entered by exactly one member, once.
 * (N2) with the same knowledge of conflicts (rt_knowledge), the numbers of
 *      states, transitions, executions and interleavings, and the path with
 *      the fewest switches, are those of one process alone, unless a budget
 *      or a cut execution ends it early.
 * (N3) a member that dies leaves the others waiting: whoever watches calls
 *      gang_abort, and the search is begun again.
 * (N4) states are compared across processes: what the object and the threads'
 *      stacks hold must lie at the same addresses in all members.  A member
 *      where they do not finds out, and all stop (gang_differs).
 *
 * How it ends: all members return what one process would, but when a bad
 * execution ends it: then who found it returns EXPLORE_BAD, the others
 * EXPLORE_STOPPED.
 */
#ifndef SEARCH_GANG_H
#define SEARCH_GANG_H

#include "base/hash.h"
#include "search/visited.h"

#include <stdbool.h>
#include <stdint.h>

struct gang;

enum { GANG_MOST = 64 };

/* For at most so many members; memory is only reserved.  NULL: there is not
 * enough address space. */
struct gang *gang_map(uint32_t members, uint64_t max_states,
                      uint64_t max_memory);
void gang_unmap(struct gang *g);

/* Before a search, when no member is in it: empty, for so many members. */
void gang_reset(struct gang *g, uint32_t members);

/* All members come back soon, with EXPLORE_STOPPED. */
void gang_abort(struct gang *g);

/* The last search was stopped since the members' states cannot be compared. */
bool gang_differs(const struct gang *g);

/* ---- for the search over states ---- */

/* What the members have done together. */
enum gang_sum { GANG_STATES, GANG_EXECUTIONS, GANG_BYTES, GANG_SUMS };
uint64_t gang_add(struct gang *g, enum gang_sum what, int64_t n);

/* The search ends for all, in this way; the first one counts. */
void gang_stop(struct gang *g, int end);
/* How it was ended, or -1. */
int gang_stopped(const struct gang *g);

struct visited gang_visited(const struct gang *g);

/* A member's log of edges: room for *most words. */
uint64_t *gang_log(struct gang *g, uint32_t member, uint64_t *most);
/* What it has written: a log of `len` words, then `bytes` of knowledge. */
struct gang_written {
  uint64_t len, bytes;
};
struct gang_written *gang_written(struct gang *g, uint32_t member);

/*
 * Branches of a search that another member can take over: of nodes along one
 * path, those threads whose step was not tried.
 */
struct gang_node {
  uint32_t path_len; /* the node is behind so many bytes of the path */
  uint32_t left;
  uint32_t place;
  uint32_t preempted;
  uint8_t stays;
  double part; /* of the whole tree, of each branch */
};
enum { GANG_PATH = 1 << 16, GANG_NODES = 1 << 13 };
struct gang_work {
  struct hash128 state; /* of the last node, when it was entered */
  uint32_t nnodes, path_len;
  struct gang_node nodes[GANG_NODES];
  uint8_t path[GANG_PATH];
};

/* From the beginning of a search to its end a member is in it. */
void gang_enter(struct gang *g);
void gang_leave(struct gang *g);
uint32_t gang_members(const struct gang *g);
/* Nobody else is. */
bool gang_alone(const struct gang *g);

/* Is somebody without work?  Then where to write what it is to do, which it
 * gets with gang_give; NULL: nobody is. */
struct gang_work *gang_asked(struct gang *g, uint32_t *who);
void gang_give(struct gang *g, uint32_t who);
void gang_keep(struct gang *g, uint32_t who); /* there is nothing to give */

/* This member has nothing to do, any more or (member 1 …, at first) yet. */
void gang_ask(struct gang *g, uint32_t member, bool had_work);
enum gang_wait {
  GANG_WORK,  /* *work is to be done; it stays there until more is asked for */
  GANG_OVER,  /* nobody has any more, or it was stopped */
  GANG_AGAIN, /* nothing yet, after some milliseconds */
};
enum gang_wait gang_wait(struct gang *g, uint32_t member,
                         const struct gang_work **work);
void gang_nap(void); /* sleeps a little */

/* What another member's path leads to is another state here (N4): stops all. */
void gang_differ(struct gang *g);

#endif
