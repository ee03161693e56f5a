/*
 * Inside of code: an instruction as capstone decoded it.
 *
 * Registers are numbered as the processor does: rax is 0, rcx 1, … r15 15,
 * whatever the width of the name that an instruction uses.
 */
#ifndef CODE_CODE_INT_H
#define CODE_CODE_INT_H

#include "code/code.h"

#include <capstone/capstone.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, GPRS = 16 };

static inline unsigned code_id(const struct code_insn *i) {
  return ((const cs_insn *)i->raw)->id;
}

static inline const cs_x86 *code_x86(const struct code_insn *i) {
  return &((const cs_insn *)i->raw)->detail->x86;
}

/* The n-th operand; NULL: it has fewer. */
const cs_x86_op *code_operand(const struct code_insn *i, int n);

/* The first operand that is in memory, or NULL.  An address that is computed
 * and not used (lea) counts as well. */
const cs_x86_op *code_memory(const struct code_insn *i);

/* Does the instruction write to memory?  That is then its first operand. */
bool code_stores(const struct code_insn *i);

/* Is the operand on the stack? */
bool code_is_stack(const struct code_insn *i, const cs_x86_op *memory);

/* The address of memory that is relative to the instruction, or 0. */
uint64_t code_rip_target(const struct code_insn *i);

/* movs, stos and their like with a repeat prefix. */
bool code_repeats(const struct code_insn *i);

/* The number of a general register and its width in bytes; -1: it is none. */
int code_register(unsigned r, int *width);

#endif
