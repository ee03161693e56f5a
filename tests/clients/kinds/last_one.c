/*
 * The last one who lets go frees.  Letting go and looking in two steps: two may
 * find that they were the last.  Looking first is another fault.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DLOOKS_AFTER
 * KIND: double-success
 * OUTPUT: T[12] and T[12] both find box.users = 0 at line 32 of let_go\(\), \
 *     after both have changed it at line 31
 * RUN: %s -- -DLOOKS_BEFORE
 * VERDICT: error
 * KIND: none
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
  atomic_int users;
  int *data;
} box;

static void set_up(void) {
  atomic_init(&box.users, 2);
  box.data = malloc(sizeof(int));
}

static void let_go(void) {
#ifdef LOOKS_AFTER
  atomic_fetch_sub(&box.users, 1);
  if (atomic_load(&box.users) == 0)
    free(box.data);
#elif defined LOOKS_BEFORE
  int was = atomic_load(&box.users);
  atomic_fetch_sub(&box.users, 1);
  if (was == 1)
    free(box.data);
#else
  if (atomic_fetch_sub(&box.users, 1) == 1)
    free(box.data);
#endif
}

FL_OBJECT(box, set_up)
FL_OP(void, let_go)
