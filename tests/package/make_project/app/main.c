#include "counter.h"

int main(void) {
  struct counter *c = counter_new();
  int first = counter_next(c);
  counter_free(c);
  return first != 1;
}
