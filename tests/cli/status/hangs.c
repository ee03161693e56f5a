#include <faultline.h>
#include <unistd.h>
static int x;
static int fds[2];
__attribute__((constructor)) static void mk(void) {
  if (pipe(fds))
    return;
}
static int get(void) {
  char c;
  x++;
  if (x == 2)
    return (int)read(fds[0], &c, 1);
  return x;
}
FL_OBJECT(thing)
FL_OP(int, get)
