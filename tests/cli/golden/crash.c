/* A pointer is checked, then another thread takes it away. */
#include <faultline.h>
#include <stddef.h>

static int value = 1;
static int *volatile shared;

static void set(void) { shared = &value; }
static void clear(void) { shared = NULL; }
static int get(void) {
  if (!shared)
    return -1;
  return *shared; /* crash */
}

FL_OBJECT(box)
FL_OP(void, set)
FL_OP(void, clear)
FL_OP(int, get)
