/*
 * A table that is replaced under a lock, and read without one.  A read of what
 * was freed ends the execution before the new table is stored: what the other
 * thread was about to do then belongs to the block.
 *
 * RUN: explore %s -v --width=400 --client '{replace()} || {look()}'
 * FAULT: use-after-free
 * OUTPUT: 1\. line 33 of cut_off.c, in look\(\); and lines 26-27 in replace\(\)
 * OUTPUT: take the lock of other code, pthread_mutex_lock\(&lock\), around \
 *     line 33 \(look\) \(tried: compiled and searched, no fault
 */
#include <faultline.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;

static void setup(void) { table = calloc(1, sizeof *table); }

static void replace(void) {
  pthread_mutex_lock(&lock);
  int *now = malloc(sizeof *now);
  now[0] = table[0] + 1;

  free(table);
  table = now;
  pthread_mutex_unlock(&lock);
}

static int look(void) {
  /* the lock should be taken here */
  return table[0];
}

FL_OBJECT(table, setup)
FL_OP(void, replace)
FL_OP(int, look)
