#include <faultline.h>
static int x, *p;
__attribute__((constructor)) static void boom(void) { *p = 3; }
static int get(void) { return x++; }
FL_OBJECT(thing)
FL_OP(int, get)
