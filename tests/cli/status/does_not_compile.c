#include <faultline.h>
static int x
int f(void) { return x; }
FL_OBJECT(thing)
FL_OP(int, f)
