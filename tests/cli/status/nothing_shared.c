#include <faultline.h>
static int one(void) { return 1; }
FL_OBJECT(thing)
FL_OP(int, one)
