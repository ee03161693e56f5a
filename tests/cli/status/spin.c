#include <faultline.h>
static volatile int flag;
static int wait_for(void) {
  while (!flag)
    ;
  return flag;
}
FL_OBJECT(thing)
FL_OP(int, wait_for)
