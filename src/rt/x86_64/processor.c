/*
 * The registers that belong to a thread: stack pointer, FS base, modes of the
 * floating-point unit, and all of them as a signal finds them (rt/port.h).
 */
#include "rt/port.h"

#include <asm/prctl.h>
#include <assert.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static bool has_wrfsbase;

void fl__port_open(void) {
  has_wrfsbase = getauxval(AT_HWCAP2) & 2; /* HWCAP2_FSGSBASE */
}

void *fl__first_frame(uint64_t top, void (*body)(void)) {
  assert(top % 16 == 0);
  uint64_t *sp = (uint64_t *)top;
  *--sp = 0; /* where body would return to: ends backtraces */
  *--sp = (uint64_t)(uintptr_t)body;
  for (int i = 1; i < PORT_SAVED_WORDS; i++)
    *--sp = 0;
  return sp;
}

/* ---- the FS base ---- */

uintptr_t fl__thread_pointer(void) {
  unsigned long fs;
  syscall(SYS_arch_prctl, ARCH_GET_FS, &fs);
  return fs;
}

void fl__set_thread_pointer(uintptr_t to) {
  assert(to);
  if (has_wrfsbase)
    __asm__ volatile("wrfsbase %0" ::"r"(to) : "memory");
  else
    syscall(SYS_arch_prctl, ARCH_SET_FS, to);
}

/* ---- the floating-point unit ---- */

struct float_state fl__float_now(void) {
  struct float_state s;
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
                   : "=m"(s.mxcsr), "=m"(s.x87_control), "=a"(s.x87_met));
  s.x87_met &= 0x3f;
  return s;
}

/* The x87 unit's stack is empty: the compiler leaves it so before a call. */
void fl__float_set(struct float_state s) {
  struct float_state now = fl__float_now();
  if (s.mxcsr != now.mxcsr)
    __asm__ volatile("ldmxcsr %0" ::"m"(s.mxcsr));
  uint32_t x87[7] = {s.x87_control, s.x87_met, 0xffff /* all are empty */};
  if (s.x87_control != now.x87_control || s.x87_met != now.x87_met)
    __asm__ volatile("fldenv %0" ::"m"(x87));
}

/* ---- signals ---- */

void fl__switch_in(void) FL_HIDDEN; /* switch.S */

uint64_t fl__context_pc(const void *context) {
  const ucontext_t *uc = context;
  return (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
}

uint64_t fl__context_sp(const void *context) {
  const ucontext_t *uc = context;
  return (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
}

void fl__context_set_pc(void *context, uint64_t pc) {
  ucontext_t *uc = context;
  uc->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

uint64_t fl__context_argument(const void *context) {
  const ucontext_t *uc = context;
  return (uint64_t)uc->uc_mcontext.gregs[REG_RDI];
}

static void reset_modes(ucontext_t *uc) {
  enum { DIRECTION = 1 << 10, ALIGNMENT = 1 << 18 };
  uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)(DIRECTION | ALIGNMENT);
  fpregset_t fp = uc->uc_mcontext.fpregs;
  if (!fp)
    return;
  fp->mxcsr = FLOAT_DEFAULT.mxcsr;
  fp->cwd = FLOAT_DEFAULT.x87_control;
  fp->swd = fp->ftw = 0;
}

void fl__context_leave(void *context, void *engine_sp) {
  ucontext_t *uc = context;
  assert(engine_sp);
  reset_modes(uc);
  uc->uc_mcontext.gregs[REG_RSP] = (greg_t)engine_sp;
  uc->uc_mcontext.gregs[REG_RIP] = (greg_t)fl__switch_in;
}
