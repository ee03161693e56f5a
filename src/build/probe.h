/*
 * The probe inspects an object before a run for everything that would escape
 * the runtime, and warns about it once.
 */
#ifndef BUILD_PROBE_H
#define BUILD_PROBE_H

#include "base/buf.h"
#include "base/vec.h"
#include "debug/lines.h"
#include "model/part_store.h"
#include "model/site.h"

#include <stdbool.h>

struct probe {
  VEC(char *)
  unknown; /* imported functions that we do not model and
              that may block or access shared memory */
  VEC(char *)
  unseen;                    /* imported functions that access memory of
                                their caller without hooks */
  VEC(char *) inlined;       /* FL_BACKOFF functions with inlined copies */
  VEC(char *) unknown_hooks; /* __tsan_ functions that the runtime lacks */
  part_store_list part_stores;  /* by pc */
  site_list sites;              /* by pc */
  uint32_t hooks;               /* call sites of access hooks in the object */
  bool alien;                   /* compiled without us: nothing is hooked */
  bool has_tls, needs_libc_tls; /* thread-local variables; imports that may
                                   use errno or other state of the C library */
  bool uses_fenv;  /* may read or change the floating-point environment */
  bool uses_clock; /* reads a clock */
};

int probe_object(struct probe *p, const char *so, struct lines *l,
                 struct error *e);
void probe_free(struct probe *p);

/* Prints one warning for each kind of finding. */
void probe_print(const struct probe *p, struct buf *out);

#endif
