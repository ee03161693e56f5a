/* A store that is too weak hands over a plain variable. */
#include <faultline.h>
#include <stdatomic.h>

static int value;
static atomic_int taken, ready;

static void publish(void) {
  if (atomic_exchange(&taken, 1))
    return;
  value = 42;
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
}

static int look(void) {
  return atomic_load_explicit(&ready, memory_order_relaxed) ? value : 0;
}

FL_OBJECT(publisher)
FL_OP(void, publish)
FL_OP(int, look)
