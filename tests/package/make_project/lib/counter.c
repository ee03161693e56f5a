#include "counter.h"

#include <stdlib.h>

struct counter {
  int value;
};

struct counter *counter_new(void) { return calloc(1, sizeof(struct counter)); }

void counter_free(struct counter *c) { free(c); }

int counter_next(struct counter *c) {
  if (c->value < counter_limit())
    c->value++; /* race */
  return c->value;
}
