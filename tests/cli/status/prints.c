#include <faultline.h>
#include <stdio.h>
static int x;
static int get(void) {
  printf("hello %d\n", x);
  fflush(stdout);
  fprintf(stderr, "err\n");
  return ++x;
}
FL_OBJECT(thing)
FL_OP(int, get)
