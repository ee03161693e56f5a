/* The lock of the library, and the jump of die() out of it. */
#include "lib/guard.h"

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The way out of the thread that holds the lock. */
static struct {
  bool inside;
  jmp_buf way_out;
  struct error *error;
} guard;

/* Called by die(), which would end the process if this returned. */
static void jump_out(const char *text) {
  if (!guard.inside)
    return;
  guard.error->code = ERR_NONE; /* this one counts, not an earlier one */
  error_set(guard.error, ERR_SYSTEM, "%s", text);
  longjmp(guard.way_out, 1);
}

int guarded(int (*body)(void *arg, struct error *e), void *arg,
            struct error *e) {
  volatile int err = ERR_SYSTEM;
  pthread_mutex_lock(&lock);
  assert(!guard.inside);
  die_by(jump_out);
  guard.inside = true;
  guard.error = e;
  if (!setjmp(guard.way_out))
    err = body(arg, e);
  guard.inside = false;
  pthread_mutex_unlock(&lock);
  return err;
}
