/* Filling in what a report needs of a fault, and leaving with it. */
#include "rt/fault.h"

#include "rt/park.h"
#include "rt/reference_int.h"

#include <assert.h>
#include <stdio.h>

static void fill(int thread, enum fault kind, uint64_t pc, uint64_t addr,
                 const char *format, va_list ap) {
  assert(thread >= 0 && thread < RT_MAX_THREADS && kind != FAULT_NONE);
  E.fault = (struct rt_fault){.kind = kind,
                              .pc = fl__offset(pc),
                              .addr = addr,
                              .thread = (uint8_t)thread};
  vsnprintf(E.fault.text, sizeof E.fault.text, format, ap);
}

void fl__fill_fault(enum fault kind, uint64_t pc, uint64_t addr,
                    const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  fill((int)(E.self - E.fiber), kind, pc ? pc : E.self->pc, addr, format, ap);
  va_end(ap);
}

void fl__fill_fault_of(int thread, enum fault kind, uint64_t addr,
                       const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  fill(thread, kind, E.fiber[thread].pc, addr, format, ap);
  va_end(ap);
}

_Noreturn void fl__faulted(void) {
  assert(E.fault.kind != FAULT_NONE);
  fl__leave(FAULTED);
  __builtin_unreachable();
}

_Noreturn void fl__fault(enum fault kind, uint64_t pc, uint64_t addr,
                         const char *format, ...) {
  if (E.reference) {
    va_list why;
    va_start(why, format);
    fl__reference_vfails(pc, format, why);
  }
  if (!E.in_fiber)
    die("%s while the object was being loaded", fault_words[kind]);
  va_list ap;
  va_start(ap, format);
  fill((int)(E.self - E.fiber), kind, pc ? pc : E.self->pc, addr, format, ap);
  va_end(ap);
  fl__faulted();
}
