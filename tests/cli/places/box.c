/* An object whose test is in another file. */
#include "box.h"
#include "atomics.h"
#include <stdlib.h>

struct box {
  atomic_int v;
};
struct box *box_new(void) { return calloc(1, sizeof(struct box)); }
void box_free(struct box *b) { free(b); }
int box_get(struct box *b) { return load(&b->v); }
void box_set(struct box *b, int v) { store(&b->v, v); }
int box_add(struct box *b, int by) {
  int v = load(&b->v); /* first */
#ifdef ADD
  store(&b->v, v + by); /* last */
#else
  while (!cas(&b->v, v, v + by))
    v = load(&b->v);
#endif
  return v;
}
