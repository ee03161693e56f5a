/*
 * The machine code of an object, instruction by instruction, and what each one
 * calls.  Only what belongs to a function symbol is decoded: no padding, no
 * tables, no linker stubs.
 */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include "debug/lines_int.h"

struct code_insn {
  uint64_t pc;
  uint32_t size;
  const char *mnemonic, *operands;
  const char *symbol; /* the imported function (or variable) it refers to */
  bool reads, writes; /* memory that is not on the stack, and not constant or
                         the linker's */
  bool framed;        /* rbp is the frame of its function */
  bool constant;      /* lea of something that is never written */
  const void *raw;    /* capstone's cs_insn and csh */
  uintptr_t handle;
};

/* "[rsp + 8]": is that on the stack? */
bool code_is_stack(const struct code_insn *i, const char *bracket);

/* Called for each instruction of each function, in order of addresses. */
typedef void code_visit(void *ctx, const struct line_symbol *function,
                        const struct code_insn *i);

int code_walk(struct lines *l, code_visit *visit, void *ctx, struct error *e);

#endif
