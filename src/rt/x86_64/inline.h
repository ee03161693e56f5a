/* The inline half of the port to x86-64 (rt/port.h). */
#ifndef RT_X86_64_INLINE_H
#define RT_X86_64_INLINE_H

#include <linux/audit.h>

enum { PORT_PAGE = 4096 };

/* Six registers and the place to return to (switch.S). */
enum { PORT_SAVED_WORDS = 7 };

/* Calls of the x32 ABI have a bit of their own. */
#define PORT_AUDIT_ARCH AUDIT_ARCH_X86_64
#define PORT_OTHER_CALLS 0x40000000

struct float_state {
  uint32_t mxcsr;
  uint16_t x87_control, x87_met;
};
#define FLOAT_DEFAULT ((struct float_state){0x1f80, 0x37f, 0})

/* The engine's context is the frame pointer and the place to go on, on its own
 * stack; the compiler saves what else it needs.  switch.S has the way back. */
FL_INLINE void fl__enter_fiber(void *fiber_sp, void **engine_sp) {
  __asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
                   "pushq %%rax\n\t"
                   "pushq %%rbp\n\t"
                   "movq %%rsp, %[engine]\n\t"
                   "movq %[fiber], %%rsp\n\t"
                   "popq %%r15\n\t"
                   "popq %%r14\n\t"
                   "popq %%r13\n\t"
                   "popq %%r12\n\t"
                   "popq %%rbx\n\t"
                   "popq %%rbp\n\t"
                   "ret\n"
                   "1:"
                   : [fiber] "+D"(fiber_sp), [engine] "=m"(*engine_sp)
                   :
                   : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10",
                     "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
                     "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                     "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
                     "memory", "cc");
}

/* The System V ABI: six general registers are saved, the rest is on the
 * stack. */
static inline const char **fl__next_pointer(va_list ap) {
  enum { SAVED_BYTES = 6 * 8 };
  return ap->gp_offset < SAVED_BYTES
             ? (const char **)((char *)ap->reg_save_area + ap->gp_offset)
             : (const char **)ap->overflow_arg_area;
}

#endif
