/* With its signals blocked, a crash cannot be caught: the process dies. */
#include <faultline.h>
#include <signal.h>
static int x;
static int *volatile nowhere;
static int get(void) {
  if (++x == 3) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    *nowhere = 1;
  }
  return x;
}
FL_OBJECT(thing)
FL_OP(int, get)
