#include <faultline.h>
static int x;
static int get(void) { return __atomic_fetch_add(&x, 1, 5); }
FL_OBJECT(good)
FL_OP(int, get)
FL_EXPECT_FAULT
