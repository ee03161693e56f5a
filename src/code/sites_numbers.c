/*
 * What registers and places on the stack hold, in numbers.
 *
 * A sum is known by its terms: each name that no sum made has a random weight,
 * and a sum weighs what its terms do, times their factors, modulo 2^64 as the
 * processor computes it.  So p + 8 * i is one number, however the code gets
 * there:
 *
 *   lea rdx, [8 * rax]; add rdx, rdi        and        [rdi + 8 * rax]
 */
#include "code/sites_int.h"

#include "base/hash.h"

#include <string.h>

/* The kinds of results that are no instruction's: first words of keys. */
enum { SUM = -1, LOW = -2, SIGNED = -3, SLOT = -4 };

static uint32_t new_name(struct numbers *s, uint64_t weight, bool on_stack) {
  struct number_name n = {weight, 8, on_stack};
  vec_push(&s->names, n);
  return s->names.len - 1;
}

static uint32_t fresh_name(struct numbers *s, bool on_stack) {
  uint32_t i = s->names.len;
  return new_name(s, hash64(&i, sizeof i, 1), on_stack);
}

static struct number unknown(struct numbers *s) {
  return (struct number){fresh_name(s, false), 0};
}

/* The name of a result: equal for equal operations on equal operands. */
static uint32_t name_of(struct numbers *s, const uint64_t *key, size_t n) {
  bool fresh;
  uint32_t *id = map128_put(&s->ids, hash128(key, n * sizeof *key, 0), &fresh);
  if (fresh)
    *id = fresh_name(s, false);
  return *id;
}

bool numbers_on_stack(const struct numbers *s, struct number v) {
  return s->names.at[v.from].on_stack;
}

void numbers_begin(struct numbers *s, bool framed) {
  s->names.len = 0;
  s->framed = framed;
  s->frame = (struct number){CONSTANT, 0};
  map128_clear(&s->ids);
  for (uint32_t k = 0; k < FIRST_NAME; k++)
    new_name(s, k == CONSTANT ? 0 : hash64(&k, sizeof k, 1), k == STACK);
  for (int r = 0; r < GPRS; r++)
    s->reg[r] = unknown(s);
  numbers_forget(s, true);
}

void numbers_free(struct numbers *s) {
  vec_free(&s->names);
  vec_free(&s->slots);
  map128_free(&s->ids);
}

void numbers_forget(struct numbers *s, bool all) {
  static const uint64_t lost =
      R(RAX) | R(RCX) | R(RDX) | R(RSI) | R(RDI) | R(8) | R(9) | R(10) | R(11);
  for (int r = 0; r < GPRS; r++)
    if (all ? r != RSP : lost >> r & 1)
      s->reg[r] = unknown(s);
  if (!all)
    return;
  if (s->framed && numbers_on_stack(s, s->frame))
    s->reg[RBP] = s->frame;
  s->reg[RSP] = (struct number){fresh_name(s, true), 0};
  s->slots.len = 0;
}

void numbers_enter_loop(struct numbers *s, const struct site_code *c,
                        uint32_t at) {
  uint64_t set = R(RSP);
  struct number had[GPRS];
  memcpy(had, s->reg, sizeof had);
  for (uint32_t i = at; i <= c->insns.at[at].last; i++)
    set |= c->insns.at[i].call ? ~SAVED_BY_CALLEE : c->insns.at[i].sets;
  numbers_forget(s, true);
  for (int r = 0; r < GPRS; r++)
    if (!(set >> r & 1))
      s->reg[r] = had[r];
}

/* ---- results ---- */

static struct number sum(struct numbers *s, struct number a, struct number b,
                         int64_t scale) {
  struct number v = {a.from, (int64_t)((uint64_t)a.offset +
                                       (uint64_t)b.offset * (uint64_t)scale)};
  const struct number_name *x = &s->names.at[a.from], *y = &s->names.at[b.from];
  uint64_t weight = x->weight + y->weight * (uint64_t)scale;
  bool stack = x->on_stack || (scale == 1 && y->on_stack), fresh;
  if (b.from == CONSTANT)
    return v;
  if (a.from == CONSTANT && scale == 1)
    v.from = b.from;
  else if (a.from == READ_ONLY || (b.from == READ_ONLY && scale == 1))
    v.from = READ_ONLY; /* an element of a constant table is one */
  else if (!weight)
    v.from = CONSTANT;
  else {
    uint64_t key[] = {(uint64_t)SUM, weight};
    uint32_t *id = map128_put(&s->ids, hash128(key, sizeof key, 0), &fresh);
    if (fresh)
      *id = new_name(s, weight, stack);
    v.from = *id;
  }
  return v;
}

/* The lowest `width` bytes, and zeros above them. */
static struct number low(struct numbers *s, struct number v, uint32_t width) {
  if (width >= 8 || (!v.offset && s->names.at[v.from].width <= width))
    return v;
  if (v.from == CONSTANT) {
    v.offset &= (int64_t)((UINT64_C(1) << width * 8) - 1);
    return v;
  }
  uint64_t key[] = {(uint64_t)LOW, v.from, (uint64_t)v.offset, width};
  v = (struct number){name_of(s, key, 4), 0};
  s->names.at[v.from].width = (uint8_t)width;
  return v;
}

static struct number sign_extended(struct numbers *s, struct number v,
                                   uint32_t width) {
  if (v.from == CONSTANT) {
    uint32_t above = 64 - width * 8;
    v.offset = (int64_t)((uint64_t)v.offset << above) >> above;
    return v;
  }
  uint64_t key[] = {(uint64_t)SIGNED, v.from, (uint64_t)v.offset, width};
  return (struct number){name_of(s, key, 4), 0};
}

struct number numbers_unknown(struct numbers *s) {
  return unknown(s);
}

struct number numbers_address(struct numbers *s, const struct instruction *n,
                              const cs_x86_op *op) {
  int width;
  struct number v = {CONSTANT, 0};
  if (op->mem.segment != X86_REG_INVALID)
    return unknown(s);
  if (op->mem.base == X86_REG_RIP)
    v = (struct number){n->constant ? READ_ONLY : IMAGE,
                        (int64_t)(n->pc + n->length)};
  else if (op->mem.base != X86_REG_INVALID) {
    int r = code_register(op->mem.base, &width);
    v = r < 0 || width < 8 ? unknown(s) : s->reg[r];
  }
  if (op->mem.index != X86_REG_INVALID) {
    int r = code_register(op->mem.index, &width);
    v = r < 0 || width < 8 ? unknown(s) : sum(s, v, s->reg[r], op->mem.scale);
  }
  v.offset += op->mem.disp;
  return v;
}

static struct number load(struct numbers *s, struct number at, uint32_t size) {
  for (uint32_t i = 0; i < s->slots.len; i++) {
    const struct place_on_stack *k = &s->slots.at[i];
    if (k->at.from == at.from && k->at.offset == at.offset && k->size == size)
      return k->holds;
  }
  struct place_on_stack k = {at, unknown(s), size};
  if (size < 8)
    s->names.at[k.holds.from].width = (uint8_t)size;
  vec_push(&s->slots, k);
  return k.holds;
}

static void store(struct numbers *s, struct number at, uint32_t size,
                  struct number v) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->slots.len; i++) {
    const struct place_on_stack *k = &s->slots.at[i];
    bool apart = k->at.from != at.from || k->at.offset + k->size <= at.offset ||
                 at.offset + size <= k->at.offset;
    if (apart)
      s->slots.at[kept++] = *k;
  }
  s->slots.len = kept;
  struct place_on_stack k = {at, low(s, v, size), size};
  vec_push(&s->slots, k);
}

/* The value of an operand, with zeros above it. */
static struct number operand(struct numbers *s, const struct instruction *n,
                             const cs_x86_op *op) {
  int width;
  if (op->type == X86_OP_IMM)
    return (struct number){CONSTANT, op->imm};
  if (op->type == X86_OP_REG) {
    int r = code_register(op->reg, &width);
    bool second = op->reg == X86_REG_AH || op->reg == X86_REG_BH ||
                  op->reg == X86_REG_CH || op->reg == X86_REG_DH;
    return r < 0 || second ? unknown(s) : low(s, s->reg[r], (uint32_t)width);
  }
  struct number at = numbers_address(s, n, op);
  if (n->slot) {
    uint64_t key[] = {(uint64_t)SLOT, (uint64_t)at.offset};
    return (struct number){name_of(s, key, 2), 0};
  }
  return numbers_on_stack(s, at) ? load(s, at, op->size) : unknown(s);
}

struct number numbers_operand(struct numbers *s, const struct instruction *n,
                              const cs_x86_op *op) {
  return operand(s, n, op);
}

/* inc, dec, and a shift by one, whose second operand is not written. */
static bool is_by_one(const struct instruction *n) {
  return n->id == X86_INS_INC || n->id == X86_INS_DEC ||
         (n->id == X86_INS_SHL && n->nops == 1);
}

/* Of constants: what the processor computes. */
static bool fold(struct numbers *s, const struct instruction *n,
                 struct number *out) {
  bool by_one = is_by_one(n);
  if (n->nops != 2 - by_one)
    return false;
  struct number a = operand(s, n, &n->op[0]), b = {CONSTANT, 1};
  if (!by_one)
    b = operand(s, n, &n->op[1]);
  if (a.from != CONSTANT || b.from != CONSTANT)
    return false;
  uint64_t x = (uint64_t)a.offset, y = (uint64_t)b.offset;
  switch (n->id) {
  case X86_INS_ADD:
  case X86_INS_INC:
    x += y;
    break;
  case X86_INS_SUB:
  case X86_INS_DEC:
    x -= y;
    break;
  case X86_INS_AND:
    x &= y;
    break;
  case X86_INS_OR:
    x |= y;
    break;
  case X86_INS_XOR:
    x ^= y;
    break;
  case X86_INS_IMUL:
    x *= y;
    break;
  case X86_INS_SHL:
    x <<= y & (n->op[0].size == 8 ? 63 : 31);
    break;
  default:
    return false;
  }
  *out = low(s, (struct number){CONSTANT, (int64_t)x}, n->op[0].size);
  return true;
}

/* A result that depends on nothing but its operands. */
static struct number computed(struct numbers *s, const struct instruction *n) {
  uint64_t key[2 + 2 * OPERANDS] = {n->id, n->nops ? n->op[0].size : 0};
  size_t k = 2;
  struct number known;
  if (n->uses & SITE_FLAGS)
    return unknown(s);
  if (fold(s, n, &known))
    return known;
  for (int i = 0; i < n->nops; i++) {
    struct number v = operand(s, n, &n->op[i]);
    key[k++] = v.from;
    key[k++] = (uint64_t)v.offset;
  }
  return (struct number){name_of(s, key, k), 0};
}

/* Of additions and multiplications by a constant, in 64 bits. */
static struct number linear(struct numbers *s, const struct instruction *n) {
  const cs_x86_op *to = &n->op[0], *from = &n->op[1];
  const struct number zero = {CONSTANT, 0};
  if (to->size != 8)
    return computed(s, n);
  if (n->id == X86_INS_ADD || n->id == X86_INS_SUB)
    return sum(s, operand(s, n, to), operand(s, n, from),
               n->id == X86_INS_ADD ? 1 : -1);
  if (n->id == X86_INS_INC || n->id == X86_INS_DEC)
    return sum(s, operand(s, n, to), (struct number){CONSTANT, 1},
               n->id == X86_INS_INC ? 1 : -1);
  if (is_by_one(n)) /* a shift */
    return sum(s, zero, operand(s, n, to), 2);
  if (n->id == X86_INS_SHL && from->type == X86_OP_IMM && from->imm < 63)
    return sum(s, zero, operand(s, n, to), INT64_C(1) << from->imm);
  if (n->id == X86_INS_IMUL && n->nops == 3 && n->op[2].type == X86_OP_IMM)
    return sum(s, zero, operand(s, n, from), n->op[2].imm);
  return computed(s, n);
}

static struct number result(struct numbers *s, const struct instruction *n) {
  const cs_x86_op *to = &n->op[0], *from = &n->op[1];
  switch (n->id) {
  case X86_INS_MOV:
  case X86_INS_MOVABS:
  case X86_INS_MOVZX:
    return operand(s, n, from);
  case X86_INS_MOVSX:
  case X86_INS_MOVSXD:
    return sign_extended(s, operand(s, n, from), from->size);
  case X86_INS_LEA:
    return numbers_address(s, n, from);
  case X86_INS_XOR:
    if (from->type == X86_OP_REG && to->reg == from->reg)
      return (struct number){CONSTANT, 0};
    return computed(s, n);
  case X86_INS_SUB:
    if (from->type == X86_OP_REG && to->reg == from->reg)
      return (struct number){CONSTANT, 0};
    return linear(s, n);
  default:
    return linear(s, n);
  }
}

/* ---- following the code ---- */

static void push(struct numbers *s, const struct instruction *n) {
  struct number v = operand(s, n, &n->op[0]);
  s->reg[RSP].offset -= 8;
  store(s, s->reg[RSP], 8, v);
}

static void pop(struct numbers *s, const struct instruction *n) {
  int width, r = code_register(n->op[0].reg, &width);
  struct number v = load(s, s->reg[RSP], 8);
  s->reg[RSP].offset += 8;
  if (r >= 0)
    s->reg[r] = v;
}

/* The register that gets the instruction's result; -1: none does. */
static int destination(const struct instruction *n, int *width) {
  int r;
  if (n->nops < 2 - is_by_one(n) || n->op[0].type != X86_OP_REG ||
      n->id == X86_INS_CMP || n->id == X86_INS_TEST || n->id == X86_INS_XCHG ||
      (r = code_register(n->op[0].reg, width)) < 0)
    return -1;
  return *width >= 4 && (n->kills & R(r)) ? r : -1;
}

static void lose(struct numbers *s, uint64_t set) {
  for (int k = 0; k < GPRS; k++)
    if (set >> k & 1)
      s->reg[k] =
          k == RSP ? (struct number){fresh_name(s, true), 0} : unknown(s);
}

/* Of an instruction whose result goes to memory. */
static struct number stored(struct numbers *s, const struct instruction *n) {
  switch (n->id) {
  case X86_INS_MOV:
    return n->nops == 2 ? operand(s, n, &n->op[1]) : unknown(s);
  case X86_INS_ADD:
  case X86_INS_SUB:
  case X86_INS_INC:
  case X86_INS_DEC:
  case X86_INS_SHL:
    return linear(s, n);
  default:
    return unknown(s);
  }
}

void numbers_follow(struct numbers *s, const struct instruction *n) {
  int width, r;
  if (n->id == X86_INS_PUSH) {
    push(s, n);
  } else if (n->id == X86_INS_POP && n->op[0].type == X86_OP_REG) {
    pop(s, n);
  } else if (n->id == X86_INS_LEAVE) {
    s->reg[RSP] = (struct number){fresh_name(s, true), 0};
    s->reg[RBP] = unknown(s);
  } else if (n->id == X86_INS_CDQE) {
    s->reg[RAX] = sign_extended(s, low(s, s->reg[RAX], 4), 4);
  } else if ((r = destination(n, &width)) >= 0) {
    struct number v = low(s, result(s, n), (uint32_t)width);
    lose(s, n->sets & ~R(r) & ~R(RSP));
    s->reg[r] = v;
    if (r == RBP)
      s->frame = v;
  } else {
    lose(s, n->sets);
    if (!n->nops || n->op[0].type != X86_OP_MEM || n->id == X86_INS_CMP ||
        n->id == X86_INS_TEST)
      return;
    struct number at = numbers_address(s, n, &n->op[0]);
    if (numbers_on_stack(s, at))
      store(s, at, n->op[0].size, stored(s, n));
  }
}
