/*
 * An instruction that touches memory without a hook.  The compilers put none
 * before the copy of a struct that is passed or returned by value, before
 * memory functions that they expand themselves, and before what the user writes
 * in assembly.  The engine stops at such an instruction as if it had a hook.
 *
 * A hook of a whole struct is no hook of its words: where all instructions
 * below it are known, they are sites and the hook is one of kind SITE_HOOK,
 * which is taken out.
 */
#ifndef MODEL_SITE_H
#define MODEL_SITE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum site_kind {
  SITE_READ,
  SITE_WRITE,
  SITE_UPDATE, /* reads and writes, not atomically */
  SITE_COPY,   /* rep movs: rcx elements of `size` bytes from rsi to rdi */
  SITE_FILL,   /* rep stos: the same of rax to rdi */
  SITE_HOOK,
};

/* Registers by their number in the processor's encoding. */
enum { SITE_RIP = 254, SITE_NONE = 255 };
#define SITE_XMM(n) (UINT64_C(1) << (16 + (n)))
#define SITE_FLAGS (UINT64_C(1) << 32)

struct site {
  uint64_t pc;   /* of the instruction, from the object's base */
  uint64_t keep; /* registers that a call may change and that matter here */
  int64_t displacement;
  uint8_t length, kind;
  uint8_t size; /* of the access */
  uint8_t base, index, scale;
  uint8_t relative; /* where in the instruction its distance from rip stands */
  bool sure;        /* false: the last hook may be its own */
  bool leaf;        /* its function may use the memory below its stack */
};
typedef VEC(struct site) site_list;

#endif
