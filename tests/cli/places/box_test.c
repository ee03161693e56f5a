/* Wrappers: one changes an argument, one makes two calls of the object. */
#include "box.h"
#include <faultline.h>

static int add(struct box *b, int by) { return box_add(b, by + 1); }
static int swap(struct box *b, int v) {
  int old = box_get(b);
  box_set(b, v);
  return old;
}

FL_OBJECT(box, box_new, box_free)
FL_OP(int, add, FL_DATA(1, 2))
#ifdef SWAP
FL_OP(int, swap, FL_DATA(1, 2))
#else
FL_OP(int, box_get)
#endif
