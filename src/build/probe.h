/*
 * What would escape the runtime?  Asked before every run, said once.
 */
#ifndef BUILD_PROBE_H
#define BUILD_PROBE_H

#include "base/buf.h"
#include "base/vec.h"
#include "debug/lines.h"
#include "model/part_store.h"
#include "model/site.h"

#include <stdbool.h>

struct probe_escape { /* a locked, exchange or fence instruction without hook */
  uint64_t pc;
  const char *instruction; /* "lock cmpxchg qword ptr [rdi], rsi" */
  const struct place *place;
};

struct probe {
  VEC(char *)
  uninstrumented; /* object files (or units) that have code and
                     no hook */
  VEC(char *)
  unknown; /* imported functions that we do not model and
              that could block or touch shared memory */
  VEC(char *)
  unseen;                    /* imported functions that touch their caller's
                                memory without hooks */
  VEC(char *) unknown_hooks; /* __tsan_ entry points that we do not export */
  VEC(struct probe_escape) escapes;
  part_store_list part_stores;  /* by pc */
  site_list sites;              /* by pc */
  uint32_t hooks;               /* call sites of access hooks in the object */
  bool has_tls, needs_libc_tls; /* thread-local variables; imports that may
                                   use errno or other state of the C library */
  bool uses_fenv;  /* may change the floating-point environment, or look */
  bool uses_clock; /* looks at a clock */
};

int probe_object(struct probe *p, const char *so, struct lines *l,
                 struct error *e);
void probe_free(struct probe *p);

/* One sentence for each kind of trouble, in the terminal's form; nothing when
 * all is well. */
void probe_print(const struct probe *p, struct buf *out);

#endif
