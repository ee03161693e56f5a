/*
 * Which hooks of writes stand before a store to a bit field?  Found in the
 * machine code: behind such a hook, and before the next call or jump, memory is
 * read that is then written.  Every other read has a hook of its own.
 */
#ifndef CODE_PART_STORES_H
#define CODE_PART_STORES_H

#include "code/code.h"
#include "model/part_store.h"

/* An address as far as the code tells: an offset from something
 * that has no name but this number; 0: nothing is known. */
struct code_value {
  uint32_t from;
  int64_t offset;
};

/* Memory as an instruction names it: capstone's registers and numbers. */
struct code_address {
  uint32_t segment, base, index, scale;
  int64_t displacement;
};

enum { CODE_REGISTERS = 16, CODE_SLOTS = 32 };

struct part_search {
  part_store_list *out;
  const struct line_symbol *function;
  uint32_t names; /* given so far */
  struct code_value value[CODE_REGISTERS];
  struct code_slot { /* of the stack, or of the linker */
    struct code_address at;
    struct code_value value;
  } slot[CODE_SLOTS];
  uint32_t nslots;
  /* the last hook of a write, while its store has not come yet */
  bool pending;
  struct part_store store;
  struct code_value hooked; /* its address */
  uint32_t width;           /* that it names; 0: not known */
  bool has_read;
  struct code_value read;
  uint32_t read_width;
  struct code_address read_place;
};

/* Called for each instruction in order (code_walk). */
void part_stores_visit(struct part_search *s, const struct line_symbol *f,
                       const struct code_insn *i);

#endif
