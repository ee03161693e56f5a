/*
 * Keys of thread-specific storage (pthread_key_create, tss_create), and the
 * threads' values for them.  hooks_thread.c has the functions.
 *
 * (K1) keys in use are below E.live.keys, and the last one below is in use.
 * (K2) E.live.free_key is the first key that is not in use.
 * (K3) values of threads outside E.live.keyed are never read.
 */
#ifndef RT_KEY_H
#define RT_KEY_H

#include "rt/attributes.h"

#include <stdbool.h>
#include <stdint.h>

enum { KEYS_MAX = 1024 };

struct specific_key {
  uint64_t used;
  void (*destructor)(void *);
};

/* At a thread's very end, on its own stack. */
void fl__run_key_destructors(void) FL_HIDDEN;
/* K1 and K2; for check_slow. */
bool fl__keys_check_invariants(void) FL_HIDDEN;

#endif
