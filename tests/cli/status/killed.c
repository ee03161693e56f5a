#include <faultline.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
static int x;
static int get(void) {
  if (++x == 3) {
    kill(getpid(), 9);
  }
  return x;
}
FL_OBJECT(thing)
FL_OP(int, get)
