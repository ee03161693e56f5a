/*
 * When do two steps of different threads depend on each other, so that their
 * order matters?  The one definition that dpor and its tests share.
 *     write x, write x   yes        read x, read x     no
 *     CAS x (failed), read x   no   return, call       yes: real-time order
 */
#ifndef SEARCH_DEPENDENCE_H
#define SEARCH_DEPENDENCE_H

#include "rt/rt.h"

#include <stdbool.h>
#include <stdint.h>

enum { ANY_THREAD = 255, ACCESS_ANSWERS = 8 };

struct step_access {
  uint8_t thread, kind, flags; /* flags as in struct rt_logged */
  uint8_t joined;   /* as in struct rt_logged; ANY_THREAD: not known */
  uint8_t unsure;   /* those of the flags that are not known */
  uint8_t nanswers; /* choices in the step … */
  uint16_t set;     /* as in struct rt_logged */
  uint8_t answer[ACCESS_ANSWERS], of[ACCESS_ANSWERS]; /* … of so many each */
  bool drains;     /* as in struct rt_logged … */
  uint32_t stores; /* … */
  uint64_t addr, size, other;
  uint64_t old, expected;     /* as in struct rt_logged */
  struct rt_span own, theirs; /* the same … */
  bool intrudes;              /* … */
};

/* The flags by which steps depend on each other without a common location. */
enum { ACCESS_EDGES = RT_CALLS | RT_RETURNS | RT_CREATES | RT_JOINS };

/*
 * Dependent are: accesses to overlapping bytes, one of which writes (a failed
 * CAS is a read); operations on one lock, condition variable or semaphore,
 * unless both only looked; an await and a step that changes one of its
 * locations; an access to a stack and a step that begins or ends to use it;
 * with `real_time`, a return and another thread's call.  A store that goes into
 * a buffer touches nothing else, and a commit does not change what its own
 * thread reads.
 */
bool access_dependent(const struct step_access *a, const struct step_access *b,
                      bool real_time);

static inline bool access_overlap(uint64_t a, uint64_t an, uint64_t b,
                                  uint64_t bn) {
  return a < b + (bn ? bn : 1) && b < a + (an ? an : 1);
}

/* Does a touch another thread's stack where b begins or ends to use it?  In one
 * of the two orders it may be a use after return. */
static inline bool access_of_stack(const struct step_access *a,
                                   const struct step_access *b) {
  uint64_t end = a->addr + (a->size ? a->size : 1);
  return a->intrudes && ((a->addr < b->own.hi && b->own.lo < end) ||
                         (a->addr < b->theirs.hi && b->theirs.lo < end));
}

/* A quick test for steps of different threads: false when they do not depend.
 */
static inline bool access_may_depend(const struct step_access *a,
                                     const struct step_access *b) {
  return (a->thread ^ b->thread) == RT_BUFFERS ||
         (a->flags & ACCESS_EDGES && b->flags & ACCESS_EDGES) || a->other ||
         b->other || a->set || b->set || access_of_stack(a, b) ||
         access_of_stack(b, a) ||
         access_overlap(a->addr, a->size, b->addr, b->size);
}

/* Is the order of a thread's step and its buffer's commit forced?  A commit
 * comes behind its store, and before a store that needs its room and a step
 * that needs the buffer empty. */
bool access_forced(const struct step_access *a, const struct step_access *b);

struct step_access access_of(const struct rt_logged *l);
/* Do both have the same answers? */
bool access_same_answers(const struct step_access *a,
                         const struct step_access *b);
/* The step `second` as it will be when it is made just where `first`, with
 * which it races, was made.  Flags that cannot be known are in `unsure`. first:
 * x = 1, second: CAS(x, 1, 2) succeeded    reversed: it fails */
struct step_access access_reversed(const struct step_access *first,
                                   const struct step_access *second);
/* With unsure flags taken so that it depends on less, or on more. */
struct step_access access_least(const struct step_access *a);
struct step_access access_most(const struct step_access *a);
/*
 * `now` is the step `then`, recorded behind `first`, as it is without `first`.
 * *edges are those of ACCESS_EDGES by which it may depend on steps that are
 * independent of `then` and of `first`.  False: it may depend on them by its
 * location too.
 */
bool access_no_stronger(const struct step_access *first,
                        const struct step_access *then,
                        const struct step_access *now, uint8_t *edges);
/* Does the step let others go on: unlock, signal, post? */
bool access_releases(const struct step_access *a);
/* May the step have to wait for another thread? */
bool access_waits(uint8_t kind);

#endif
