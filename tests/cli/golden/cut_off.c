/*
 * exit() in the middle of an operation: the write before it did happen.  optind
 * is data of the C library, outside of the object.
 */
#include <faultline.h>
#include <stdlib.h>
#include <unistd.h>

static int x;

static int count(void) {
  int most = optind;
  if (++x > most)
    exit(3);
  return x;
}

FL_OBJECT(counter)
FL_OP(int, count)
