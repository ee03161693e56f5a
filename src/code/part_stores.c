/*
 * Finds the stores to bit fields, by following what registers and places on the
 * stack hold from one instruction to the next.
 */
#include "code/part_stores.h"
#include "code/code_int.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what registers hold ---- */

static struct code_value unknown(struct part_search *s) {
  return (struct code_value){++s->names, 0};
}

static void forget_all(struct part_search *s) {
  for (int r = 0; r < GPRS; r++)
    s->value[r] = unknown(s);
  s->nslots = 0;
}

/* What a call leaves of the registers. */
static void forget_callers(struct part_search *s) {
  static const int lost[] = {RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11};
  for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
    s->value[lost[i]] = unknown(s);
}

/* What lies at a place of the stack, or of the linker's table; the same until
 * it is written. */
static struct code_value *slot_at(struct part_search *s,
                                  struct code_address at) {
  for (uint32_t i = 0; i < s->nslots; i++)
    if (!memcmp(&s->slot[i].at, &at, sizeof at))
      return &s->slot[i].value;
  if (s->nslots == CODE_SLOTS)
    s->nslots = 0;
  struct code_slot *new = &s->slot[s->nslots++];
  *new = (struct code_slot){at, unknown(s)};
  return &new->value;
}

/* ---- operands ---- */

static struct code_address place_of(const cs_x86_op *op) {
  struct code_address at;
  memset(&at, 0, sizeof at); /* is compared byte by byte */
  at.segment = op->mem.segment;
  at.base = op->mem.base;
  at.index = op->mem.index;
  at.scale = (uint32_t)op->mem.scale;
  at.displacement = op->mem.disp;
  return at;
}

static struct code_address table_place(uint64_t address) {
  struct code_address at;
  memset(&at, 0, sizeof at);
  at.displacement = (int64_t)address;
  return at;
}

/* [rbx + 4] or [rip - 16]; nothing is known of others. */
static struct code_value address_of(struct part_search *s, const cs_x86_op *op,
                                    const struct code_insn *i) {
  struct code_value v;
  int width, r = code_register(op->mem.base, &width);
  if (op->mem.segment != X86_REG_INVALID || op->mem.index != X86_REG_INVALID)
    return unknown(s);
  if (op->mem.base == X86_REG_RIP) /* all fixed places have one name */
    v = (struct code_value){UINT32_MAX, (int64_t)(i->pc + i->size)};
  else if (r >= 0 && width == 8)
    v = s->value[r];
  else
    return unknown(s);
  v.offset += op->mem.disp;
  return v;
}

static uint32_t width_of(const cs_x86_op *op) {
  return op->size <= 8 ? op->size : 0;
}

/* The register that an operand is; -1: it is none. */
static int register_of(const cs_x86_op *op, int *width) {
  return op && op->type == X86_OP_REG ? code_register(op->reg, width) : -1;
}

/* ---- following the code ---- */

/* The value that the instruction puts into its first operand. */
static struct code_value result_of(struct part_search *s,
                                   const struct code_insn *i) {
  const cs_x86_op *to = code_operand(i, 0), *from = code_operand(i, 1);
  int width, wide;
  int source = register_of(from, &width), r = register_of(to, &wide);
  bool memory = from && from->type == X86_OP_MEM;
  bool number = from && from->type == X86_OP_IMM && r >= 0 && wide == 8;
  switch (code_id(i)) {
  case X86_INS_MOV:
    if (source >= 0 && width == 8)
      return s->value[source];
    if (memory && code_is_stack(i, from))
      return *slot_at(s, place_of(from));
    if (memory && from->mem.base == X86_REG_RIP)
      return *slot_at(s, table_place(code_rip_target(i)));
    break;
  case X86_INS_LEA:
    if (!code_is_stack(i, from))
      return address_of(s, from, i);
    break;
  case X86_INS_ADD:
  case X86_INS_SUB:
    if (number) {
      struct code_value v = s->value[r];
      v.offset += code_id(i) == X86_INS_ADD ? from->imm : -from->imm;
      return v;
    }
    break;
  default:
    break;
  }
  return unknown(s);
}

static void follow(struct part_search *s, const struct code_insn *i) {
  const cs_x86_op *to = code_operand(i, 0);
  cs_regs uses, sets;
  uint8_t nuses = 0, nsets = 0;
  int width, r = register_of(to, &width);
  struct code_value v = result_of(s, i);
  if (to && to->type == X86_OP_MEM && code_is_stack(i, to) && code_stores(i))
    *slot_at(s, place_of(to)) = v;
  if (cs_regs_access((csh)i->handle, i->raw, uses, &nuses, sets, &nsets)) {
    forget_all(s);
    return;
  }
  for (int k = 0; k < nsets; k++) {
    int one = code_register(sets[k], &width);
    if (one >= 0)
      s->value[one] = one == r ? v : unknown(s);
  }
}

/* The hook says how many bytes it is about; 0: it has an argument for that. */
static bool is_write_hook(const char *symbol, uint32_t *width) {
  if (!begins(symbol, "__tsan_"))
    return false;
  const char *p = symbol + strlen("__tsan_");
  if (begins(p, "unaligned_"))
    p += strlen("unaligned_");
  if (begins(p, "volatile_"))
    p += strlen("volatile_");
  if (!begins(p, "write"))
    return false;
  p += strlen("write");
  *width = (uint32_t)strtoul(p, NULL, 10);
  return *width || !strcmp(p, "_range");
}

static void found(struct part_search *s, struct code_value address,
                  uint32_t width) {
  int64_t offset = address.offset - s->hooked.offset;
  bool known = address.from == s->hooked.from && offset >= 0 && width &&
               (!s->width || offset + width <= s->width);
  if (known) {
    s->store.offset = (uint32_t)offset;
    s->store.size = width;
  }
  vec_push(s->out, s->store);
  s->pending = false;
}

/* Memory that is read here, with no hook but that of the write. */
static void after_hook(struct part_search *s, const struct code_insn *i) {
  const cs_x86_op *op = code_memory(i);
  if (!op || (!i->reads && !i->writes))
    return;
  struct code_value at = address_of(s, op, i);
  struct code_address place = place_of(op);
  uint32_t width = width_of(op);
  if (i->reads && i->writes) {
    found(s, at, width);
  } else if (i->reads) {
    s->has_read = true;
    s->read = at;
    s->read_width = width;
    s->read_place = place;
  } else if (s->has_read && width == s->read_width &&
             ((at.from == s->read.from && at.offset == s->read.offset) ||
              !memcmp(&s->read_place, &place, sizeof place))) {
    found(s, at, width);
  } else {
    s->pending = false; /* its store, of all its bytes */
  }
}

void part_stores_visit(struct part_search *s, const struct line_symbol *f,
                       const struct code_insn *i) {
  if (s->function != f) {
    s->function = f;
    s->pending = false;
    forget_all(s);
  }
  if (i->kind != CODE_PLAIN) {
    uint32_t width;
    bool call = i->kind == CODE_CALL;
    s->pending = call && i->symbol && is_write_hook(i->symbol, &width);
    if (s->pending) {
      s->store = (struct part_store){.pc = i->pc + i->size};
      s->hooked = s->value[RDI];
      s->width = width;
      s->has_read = false;
    }
    if (call)
      forget_callers(s);
    return;
  }
  if (s->pending)
    after_hook(s, i);
  follow(s, i);
}
