/*
 * Between the files of sites; nobody else includes this.
 *
 * sites_read.c reads one function's instructions, sites_numbers.c follows what
 * the registers hold, and sites.c finds the accesses that have no hook.
 */
#ifndef CODE_SITES_INT_H
#define CODE_SITES_INT_H

#include "base/map128.h"
#include "code/code_int.h"
#include "code/sites.h"

enum { OPERANDS = 4, NOT_SPECIAL = 255 };

struct instruction {
  uint64_t pc;
  unsigned id;
  uint8_t length, nops, relative;
  cs_x86_op op[OPERANDS];
  uint64_t uses, sets; /* registers, as in struct site.keep */
  uint64_t kills;      /* those of which nothing is left */
  bool reads, writes, constant;
  bool call, jump, ret, target;
  bool landing;   /* computed jumps may lead here */
  bool entered;   /* target of a jump from above */
  uint32_t last;  /* the last jump to here */
  uint32_t to;    /* where this one jumps to; UINT32_MAX: it does not, or
                     elsewhere */
  bool hook, odd; /* odd: cannot be moved elsewhere */
  bool string;
  uint8_t repeat;  /* enum site_repeat */
  uint8_t special; /* enum site_kind, or NOT_SPECIAL */
  bool by_bit; /* the memory is that of a bit whose number is in a register */
  char name[16];
  bool slot; /* reads the linker's table */
  uint8_t hook_size;
  bool hook_writes, hook_range, hook_atomic, copies;
};

/*
 * The instructions of one function, in order of addresses.  What is known only
 * when all of them are there (target, entered, last) is set by
 * site_code_end.
 */
struct site_code {
  VEC(struct instruction) insns;
  bool wide;     /* some instruction uses registers wider than xmm … */
  bool widest;   /* … or wider than ymm, or those of AVX-512 alone */
  bool framed;   /* rbp is the frame's base wherever it matters */
  bool computed; /* some jump could lead anywhere */
  bool bare;     /* no hook: calls may keep to rules of their own */
};

/* Sets of general registers are bit masks, as in struct site.keep. */
#define R(n) (UINT64_C(1) << (n))
#define SAVED_BY_CALLEE                                                        \
  (R(RBX) | R(RSP) | R(RBP) | R(12) | R(13) | R(14) | R(15))

void site_code_add(struct site_code *c, const struct code_insn *i);

/* The function is complete: finds the targets of its jumps. */
void site_code_end(struct site_code *c);

/* keep[i]: the registers that a stop at instruction i must preserve, without
 * those that any call preserves. */
void site_code_keep(const struct site_code *c, uint64_t *keep);

/* ---- numbers ---- */

/* A value that the code computes: an offset from something that has a name. */
struct number {
  uint32_t from;
  int64_t offset;
};
enum { CONSTANT, STACK, IMAGE, READ_ONLY, FIRST_NAME };

struct number_name {
  uint64_t weight;
  uint8_t width; /* bytes; those above them are zero */
  bool on_stack;
};

struct place_on_stack {
  struct number at, holds;
  uint32_t size;
};

struct numbers {
  struct number reg[GPRS];
  VEC(struct place_on_stack) slots;
  VEC(struct number_name) names;
  struct map128 ids;
  bool framed;
  struct number frame; /* what rbp holds then */
};

void numbers_begin(struct numbers *s, bool framed); /* a function */
void numbers_free(struct numbers *s);

/* At a call: what it may change; or everything. */
void numbers_forget(struct numbers *s, bool all);
/* The beginning of a loop: what no round of it changes is still known. */
void numbers_enter_loop(struct numbers *s, const struct site_code *c,
                        uint32_t at);
void numbers_follow(struct numbers *s, const struct instruction *n);

struct number numbers_address(struct numbers *s, const struct instruction *n,
                              const cs_x86_op *op);
bool numbers_on_stack(const struct numbers *s, struct number v);
/* The value of an operand before the instruction, with zeros above it. */
struct number numbers_operand(struct numbers *s, const struct instruction *n,
                              const cs_x86_op *op);
struct number numbers_unknown(struct numbers *s);

#endif
