/* A second file with an object: its numbers begin at 0 too. */
#include <faultline.h>

static int ping(void) { return 1; }
static int pong(void) { return 2; }

FL_OBJECT(second)
FL_OP(int, ping)
FL_OP(int, pong)
