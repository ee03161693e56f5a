/*
 * Code that is to run without interruption, as the engine knows it: program
 * counters instead of lines.  An activation of the block's function is inside
 * a region while the place it has come to (the access that it is about to make,
 * or the call that it is in) is one of `pcs`.  From one access to the next it
 * stays inside the same execution of the block when control can go from the
 * one place to the other without leaving the block; else it has left, and may
 * be interrupted, even if it comes back at once.
 */
#ifndef MODEL_REGION_H
#define MODEL_REGION_H

#include <stdbool.h>
#include <stdint.h>

struct region {
  uint32_t npcs;
  const uint64_t *pcs;  /* module offsets behind accesses and calls; sorted */
  const uint8_t *stays; /* npcs × npcs: [from * npcs + to] */
};

struct regions {
  const struct region *at;
  uint32_t len;
};

#endif
