#include <faultline.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
static int x;
static int second; /* of a file that is locked through another descriptor */
__attribute__((constructor)) static void mk(void) {
  char name[] = "/tmp/faultline-hangs-XXXXXX";
  int first = mkstemp(name);
  second = open(name, O_RDONLY);
  unlink(name);
  flock(first, LOCK_EX);
}
static int get(void) {
  x++;
  if (x == 2)
    return flock(second, LOCK_EX);
  return x;
}
FL_OBJECT(thing)
FL_OP(int, get)
