/*
 * An instruction that touches memory without a hook.  The compilers put none
 * before the copy of a struct that is passed or returned by value, before
 * memory functions that they expand themselves, before what the user writes
 * in assembly, and into functions that are not to have any.  The engine stops
 * at such an instruction as if it had a hook, and at some that touch no memory.
 *
 * A hook of a whole struct is no hook of its words: where all instructions
 * below it are known, they are sites and the hook is one of kind SITE_HOOK,
 * which is taken out.  What only decides how long a thread waits is taken out,
 * too, though it touches no memory.
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
  SITE_ATOMIC,  /* locked, or an exchange */
  SITE_CAS,     /* locked: compares rax, or rdx:rax, and exchanges */
  SITE_COMPARE, /* cmps: rcx elements from rsi and rdi while … */
  SITE_SCAN,    /* scas: the same of rax and those from rdi */
  SITE_FENCE,
  SITE_PAUSE,
  SITE_CLOCK,          /* rdtsc, rdtscp */
  SITE_CALL,           /* of the system */
  SITE_CALL_BY,        /* a call of what an address in memory says … */
  SITE_JUMP_BY,        /* … a jump there */
  SITE_REFUSED,        /* what it does is not modelled … */
  SITE_REFUSED_MEMORY, /* … if others can see the memory */
  SITE_DEAD, /* is left out: it only decides how long a thread waits … */
  SITE_GOTO, /* … and so does this branch, which is always taken (delays.h) */
  SITE_BACKOFF, /* the entry of an FL_BACKOFF function of `displacement` bytes:
                   it returns at once, and nobody misses its hooks */
};

/* Of a string instruction. */
enum site_repeat { SITE_ONCE, SITE_WHILE_EQUAL, SITE_WHILE_NOT };

/* Registers by their number in the processor's encoding. */
enum { SITE_RIP = 254, SITE_NONE = 255 };
#define SITE_XMM(n) (UINT64_C(1) << (16 + (n)))
#define SITE_FLAGS (UINT64_C(1) << 32)

struct site {
  uint64_t pc;   /* of the instruction, from the object's base */
  uint64_t keep; /* registers that a call may change and that matter here */
  int64_t displacement;
  uint8_t length, kind;
  uint8_t span; /* with those behind it that can be executed elsewhere, as far
                   as a jump needs their room */
  uint8_t size; /* of the access */
  uint8_t base, index, scale;
  uint8_t bit;    /* the register that has the number of a bit, or SITE_NONE */
  uint8_t repeat; /* enum site_repeat */
  uint8_t relative; /* where in the instruction its distance from rip stands */
  bool sure;        /* false: the last hook may be its own */
  bool wide;        /* its function uses the registers ymm */
  bool leaf;        /* its function may use the memory below its stack */
  char name[15];    /* of what is refused */
};
typedef VEC(struct site) site_list;

/* Does the site only change the code?  Else threads can be stopped there. */
static inline bool site_is_change(const struct site *s) {
  return s->kind == SITE_HOOK || s->kind >= SITE_DEAD;
}

#endif
