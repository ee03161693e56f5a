/*
 * Where fences are missing, when a client fails under TSO and passes under SC.
 * A fence belongs between two lines of one function: that of a store (0: it is
 * not in this function) and that of a load that was made while the store was in
 * the buffer.
 */
#ifndef MODEL_FENCES_H
#define MODEL_FENCES_H

#include <stdbool.h>
#include <stdint.h>

struct missing_fence {
  const char *file, *function;
  uint32_t store_line, load_line, column; /* load_line 0: behind the store, at
                                             the function's end */
};

struct fences_found {
  struct missing_fence *at; /* the smallest set; of the arena */
  uint32_t len;
  uint32_t executions_tried; /* failing ones that showed what is needed */
  bool verified;             /* with them no fault was found, … */
  const char *covered;       /* … in these clients */
};

#endif
