/*
 * A typed vector: `VEC(int) v = {0}; vec_push(&v, 3); v.at[0]; v.len`.
 * Elements are at `at[0 .. len)`; out of memory dies.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/err.h"

#include <stdint.h>
#include <stdlib.h>

#define VEC(T)                                                                 \
  struct {                                                                     \
    T *at;                                                                     \
    uint32_t len, cap;                                                         \
  }

#define vec_reserve(v, n)                                                      \
  do {                                                                         \
    if ((v)->cap < (uint32_t)(n)) {                                            \
      uint32_t vec_cap_ = (v)->cap ? (v)->cap : 8;                             \
      while (vec_cap_ < (uint32_t)(n))                                         \
        vec_cap_ *= 2;                                                         \
      (v)->at = xrealloc((v)->at, vec_cap_ * sizeof *(v)->at);                 \
      (v)->cap = vec_cap_;                                                     \
    }                                                                          \
  } while (0)

#define vec_push(v, x)                                                         \
  do {                                                                         \
    vec_reserve(v, (v)->len + 1);                                              \
    (v)->at[(v)->len++] = (x);                                                 \
  } while (0)

#define vec_pop(v) ((v)->at[--(v)->len])
#define vec_last(v) ((v)->at[(v)->len - 1])
#define vec_clear(v) ((void)((v)->len = 0))
#define vec_free(v)                                                            \
  do {                                                                         \
    free((v)->at);                                                             \
    (v)->at = NULL;                                                            \
    (v)->len = (v)->cap = 0;                                                   \
  } while (0)

#endif
