/*
 * When do two steps of different threads depend on each other: when does their
 * order matter?  The one definition that dpor and its tests share.
 */
#ifndef SEARCH_DEPENDENCE_H
#define SEARCH_DEPENDENCE_H

#include "rt/rt.h"

#include <stdbool.h>
#include <stdint.h>

struct access {
  uint8_t thread, kind, flags; /* flags as in struct rt_logged */
  uint8_t unsure; /* those of RT_FAILED and RT_RETURNS that are not known */
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

#endif
