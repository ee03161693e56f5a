/*
 * A pointer that is checked and then read again: SIGSEGV when it is cleared
 * in between.  The tool lives on and shows the interleaving.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: crash
 * CLIENT: use\(\).*clear\(\)|clear\(\).*use\(\)
 * LINE: again
 */
#include <faultline.h>
#include <stdatomic.h>

static int cell = 7;
static _Atomic(int *) pointer = &cell;

static int use(void) {
  if (!atomic_load(&pointer))
    return 0;
  int *p = atomic_load(&pointer); /* again */
  return *p;
}

static void clear(void) { atomic_store(&pointer, NULL); }

FL_OBJECT(pointer)
FL_OP(int, use)
FL_OP(void, clear)
