/*
 * When do two steps of different threads depend on each other: when does their
 * order matter?  The one definition that dpor and its tests share.
 */
#ifndef SEARCH_DEPENDENCE_H
#define SEARCH_DEPENDENCE_H

#include "rt/rt.h"

#include <stdbool.h>
#include <stdint.h>

enum { ANY_THREAD = 255, ACCESS_ANSWERS = 7 };

struct access {
  uint8_t thread, kind, flags; /* flags as in struct rt_logged */
  uint8_t joined;       /* as in struct rt_logged; ANY_THREAD: not known */
  uint8_t unsure;       /* those of the flags that are not known */
  uint8_t nanswers, of; /* choices in the step; alternatives of the last one */
  uint8_t answer[ACCESS_ANSWERS];
  uint64_t addr, size, other;
  uint64_t old, expected; /* as in struct rt_logged */
};

/*
 * Overlapping bytes with a write (a failed CAS is a read); operations on one
 * lock, condition variable or semaphore unless both only looked; with
 * `real_time`, a return and another thread's call.
 */
bool access_dependent(const struct access *a, const struct access *b,
                      bool real_time);
bool access_same(const struct access *a, const struct access *b);
/* The step `second` as it will be when it is made just where `first`, with
 * which it races, was made. */
struct access access_reversed(const struct access *first,
                              const struct access *second);
/* With what is unsure taken so that it depends on less, or on more. */
struct access access_least(const struct access *a);
struct access access_most(const struct access *a);
/* A step that lets others go on: unlock, signal, post. */
bool access_releases(const struct access *a);
/* A step that others may have to let go on. */
bool access_waits(uint8_t kind);

#endif
