/* Registers operations and synchronises: the object is here, though it uses a
 * file with code of its own. */
#include <faultline.h>
#include <pthread.h>

#include "counts.h"

static struct counts c;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int take(void) {
  pthread_mutex_lock(&m);
  int n = counts_get(&c); /* first */
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  counts_set(&c, n + 1); /* last */
  pthread_mutex_unlock(&m);
  return n;
}

FL_OBJECT(counts)
FL_OP(int, take)
