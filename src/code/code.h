/*
 * The machine code of an object, instruction by instruction, and what each one
 * does, calls and touches.  Only what belongs to a function symbol is decoded:
 * no padding, no tables, no linker stubs.
 */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include "debug/lines_int.h"

enum code_kind {
  CODE_PLAIN, /* goes on behind itself */
  CODE_CALL,
  CODE_JUMP,
  CODE_BRANCH, /* a jump that depends on a condition */
  CODE_RETURN,
  CODE_STOP, /* a trap */
};

struct code_insn {
  uint64_t pc;
  uint32_t size;
  enum code_kind kind;
  uint64_t target;    /* of a call, jump or branch; 0: it is computed */
  const char *symbol; /* the imported function (or variable) it refers to */
  bool reads, writes; /* memory that is not on the stack, and not constant or
                         the linker's */
  bool locked;   /* or an exchange, or a fence: no hook stands for it */
  bool fenv;     /* floating-point control words or exceptions */
  bool framed;   /* rbp is the frame of its function */
  bool constant; /* lea of something that is never written */
  const char *mnemonic, *operands; /* for people */
  const void *raw;                 /* capstone's cs_insn: see code_int.h */
  uintptr_t handle;                /* … and csh */
};

/* Called for each instruction of each function, in order of addresses. */
typedef void code_visit(void *ctx, const struct line_symbol *function,
                        const struct code_insn *i);

int code_walk(struct lines *l, code_visit *visit, void *ctx, struct error *e);
/* Of one function only: one of the symbols of `l`. */
int code_walk_one(struct lines *l, const struct line_symbol *function,
                  code_visit *visit, void *ctx, struct error *e);

#endif
