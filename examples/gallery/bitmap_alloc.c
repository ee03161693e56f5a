/*
 * Numbers (of files, of tags in a queue of a disk) from a bitmap: the lowest
 * one that is free.
 *
 * Wrong: the bit is set by fetch_or, which is atomic, but nobody looks whether
 * it was set already.  Two threads find the same bit free and get the same
 * number.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: find
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { IDS = 3, NONE = -1 };

static atomic_uint used;

static int lowest_free(unsigned map) {
  for (int i = 0; i < IDS; i++)
    if (!(map & 1u << i))
      return i;
  return NONE;
}

static int id_new(void) {
#ifdef WRONG
  int id = lowest_free(atomic_load(&used)); /* find */
  if (id != NONE)
    atomic_fetch_or(&used, 1u << id);
  return id;
#else
  unsigned map = atomic_load(&used);
  for (;;) {
    int id = lowest_free(map);
    if (id == NONE || atomic_compare_exchange_weak(&used, &map, map | 1u << id))
      return id;
  }
#endif
}

/* False: it is not in use. */
static bool id_free(int id) {
  return atomic_fetch_and(&used, ~(1u << id)) & 1u << id;
}

FL_OBJECT(ids)
FL_OP(int, id_new)
FL_OP(bool, id_free, FL_INT(0, 2))
