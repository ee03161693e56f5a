#include <faultline.h>
static int x, y;
static int get(void) { return __atomic_fetch_add(&x, 1, 5); }
static int bad(void) { return y++; }
FL_OBJECT(good)
FL_OP(int, get)
FL_OBJECT(broken)
FL_OP(int, bad)
