#include <faultline.h>
#include <stdio.h>
#include <stdlib.h>
static int x;
__attribute__((constructor)) static void c(void) {
  puts("bye");
  exit(0);
}
static int get(void) { return x++; }
FL_OBJECT(thing)
FL_OP(int, get)
