/*
 * From a function's instructions to its accesses without a hook.
 *
 * A number is a value that the code computes, known as an offset from a name;
 * equal operations on equal operands have the same name.  A region is the code
 * from one call that is no hook, or one jump target, to the next: a hook speaks
 * for accesses of its own region only.
 *
 * The code is followed once, in order, with a number for each register and each
 * place on the stack.  An access belongs to a hook of its region that was
 * called with the same number and covers its bytes.  Any other access of memory
 * that is neither constant nor on this function's stack is a site.  A hook of
 * more than 8 bytes is replaced by its accesses, if these cover all of it.
 *
 *   lea  rdi, [rbx + 8]     rdi = (name of rbx) + 8
 *   call __tsan_write4      a hook of 4 bytes at (name of rbx) + 8
 *   mov  [rbx + 8], eax     has that hook
 *   mov  [rbx + 12], eax    has none: a site
 */
#include "build/sites_int.h"

#include "base/hash.h"
#include "base/map128.h"

#include <stdlib.h>
#include <string.h>

/* An offset from something that has no name but a number. */
struct number {
  uint32_t from;
  int64_t offset;
};
enum { CONSTANT, STACK, IMAGE, READ_ONLY, FIRST_NAME };

struct place_on_stack {
  struct number at, holds;
  uint32_t size;
};

struct active { /* a hook since the last call */
  struct number at;
  int64_t size;
  bool writes;
  uint32_t call;   /* its instruction */
  int64_t covered; /* bytes, by the accesses below it */
  bool spoilt;     /* not by such as can be stopped at */
};

struct site_search {
  site_list *out;
  struct site_code code;
  VEC(struct place_on_stack) slots;
  VEC(struct active) hooks;
  VEC(struct site) found;
  VEC(uint32_t) owner; /* of each found: its hook + 1, or 0 */
  struct map128 ids;
  VEC(uint8_t) on_stack; /* by name */
  struct number reg[GPRS];
  bool sure, odd;
  bool bare; /* some access has no hook */
};

struct site_search *sites_new(site_list *out) {
  struct site_search *s = xcalloc(1, sizeof *s);
  s->out = out;
  return s;
}

void sites_visit(struct site_search *s, const struct code_insn *i) {
  site_code_add(&s->code, i);
}

void sites_drop(struct site_search *s) {
  s->code.insns.len = 0;
  s->code.wide = false;
}

void sites_free(struct site_search *s) {
  if (!s)
    return;
  vec_free(&s->code.insns);
  vec_free(&s->slots);
  vec_free(&s->hooks);
  vec_free(&s->found);
  vec_free(&s->owner);
  vec_free(&s->on_stack);
  map128_free(&s->ids);
  free(s);
}

/* ---- what registers hold ---- */

static uint32_t new_name(struct site_search *s, bool on_stack) {
  vec_push(&s->on_stack, (uint8_t)on_stack);
  return s->on_stack.len - 1;
}

static struct number unknown(struct site_search *s) {
  return (struct number){new_name(s, false), 0};
}

/* The name of a result: equal for equal operations on equal operands. */
static uint32_t name_of(struct site_search *s, const uint64_t *key, size_t n,
                        bool on_stack) {
  bool fresh;
  uint32_t *id = map128_put(&s->ids, hash128(key, n * sizeof *key, 0), &fresh);
  if (fresh)
    *id = new_name(s, on_stack);
  return *id;
}

static bool on_stack(const struct site_search *s, struct number v) {
  return s->on_stack.at[v.from];
}

static void forget(struct site_search *s, bool all) {
  static const uint64_t lost =
      R(RAX) | R(RCX) | R(RDX) | R(RSI) | R(RDI) | R(8) | R(9) | R(10) | R(11);
  for (int r = 0; r < GPRS; r++)
    if (all ? r != RSP : lost >> r & 1)
      s->reg[r] = unknown(s);
  if (!all)
    return;
  s->reg[RSP] = (struct number){new_name(s, true), 0};
  s->slots.len = 0;
}

/* The beginning of a loop: what no round of it changes is still known. */
static void enter_loop(struct site_search *s, uint32_t at) {
  uint64_t set = R(RSP);
  struct number had[GPRS];
  memcpy(had, s->reg, sizeof had);
  for (uint32_t i = at; i <= s->code.insns.at[at].last; i++)
    set |=
        s->code.insns.at[i].call ? ~SAVED_BY_CALLEE : s->code.insns.at[i].sets;
  forget(s, true);
  for (int r = 0; r < GPRS; r++)
    if (!(set >> r & 1))
      s->reg[r] = had[r];
}

static struct number sum(struct site_search *s, struct number a,
                         struct number b, int64_t scale) {
  if (b.from == CONSTANT) {
    a.offset += b.offset * scale;
    return a;
  }
  if (a.from == CONSTANT && scale == 1)
    return (struct number){b.from, a.offset + b.offset};
  bool swap = scale == 1 && b.from < a.from;
  uint64_t key[] = {UINT64_MAX, swap ? b.from : a.from, swap ? a.from : b.from,
                    (uint64_t)scale};
  bool stack = on_stack(s, a) || (scale == 1 && on_stack(s, b));
  /* An element of a constant table is one. */
  uint32_t from = a.from == READ_ONLY || (b.from == READ_ONLY && scale == 1)
                      ? READ_ONLY
                      : name_of(s, key, 4, stack);
  return (struct number){from, a.offset + b.offset * scale};
}

static struct number address_of(struct site_search *s,
                                const struct instruction *n,
                                const cs_x86_op *op) {
  int width;
  struct number v = {CONSTANT, 0};
  if (op->mem.segment != X86_REG_INVALID)
    return unknown(s);
  if (op->mem.base == X86_REG_RIP)
    v = (struct number){n->constant ? READ_ONLY : IMAGE,
                        (int64_t)(n->pc + n->length)};
  else if (op->mem.base != X86_REG_INVALID) {
    int r = site_register(op->mem.base, &width);
    v = r < 0 || width < 8 ? unknown(s) : s->reg[r];
  }
  if (op->mem.index != X86_REG_INVALID) {
    int r = site_register(op->mem.index, &width);
    v = r < 0 || width < 8 ? unknown(s) : sum(s, v, s->reg[r], op->mem.scale);
  }
  v.offset += op->mem.disp;
  return v;
}

static struct number *slot_at(struct site_search *s, struct number at,
                              uint32_t size) {
  for (uint32_t i = 0; i < s->slots.len; i++) {
    struct place_on_stack *k = &s->slots.at[i];
    if (k->at.from == at.from && k->at.offset == at.offset && k->size == size)
      return &k->holds;
  }
  return NULL;
}

static struct number load(struct site_search *s, struct number at,
                          uint32_t size) {
  struct number *known = slot_at(s, at, size);
  if (known)
    return *known;
  struct place_on_stack k = {at, unknown(s), size};
  vec_push(&s->slots, k);
  return k.holds;
}

static void store(struct site_search *s, struct number at, uint32_t size,
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
  struct place_on_stack k = {at, v, size};
  vec_push(&s->slots, k);
}

/* The value of an operand as a whole; 32 bits are another name than 64. */
static struct number operand(struct site_search *s, const struct instruction *n,
                             const cs_x86_op *op) {
  int width;
  if (op->type == X86_OP_IMM)
    return (struct number){CONSTANT, op->imm};
  if (op->type == X86_OP_REG) {
    int r = site_register(op->reg, &width);
    if (r < 0)
      return unknown(s);
    if (width == 8 || s->reg[r].from == CONSTANT)
      return s->reg[r];
    uint64_t key[] = {UINT64_MAX - 1, s->reg[r].from,
                      (uint64_t)s->reg[r].offset, (uint64_t)width};
    return (struct number){name_of(s, key, 4, false), 0};
  }
  struct number at = address_of(s, n, op);
  if (n->slot) {
    uint64_t key[] = {UINT64_MAX - 2, (uint64_t)at.offset};
    return (struct number){name_of(s, key, 2, false), 0};
  }
  return on_stack(s, at) ? load(s, at, op->size) : unknown(s);
}

/* A result that depends on nothing but its operands. */
static struct number computed(struct site_search *s,
                              const struct instruction *n) {
  uint64_t key[2 + 2 * OPERANDS] = {n->id, n->nops ? n->op[0].size : 0};
  size_t k = 2;
  if (n->uses & SITE_FLAGS)
    return unknown(s);
  for (int i = 0; i < n->nops; i++) {
    struct number v = operand(s, n, &n->op[i]);
    key[k++] = v.from;
    key[k++] = (uint64_t)v.offset;
  }
  return (struct number){name_of(s, key, k, false), 0};
}

static struct number result(struct site_search *s,
                            const struct instruction *n) {
  const cs_x86_op *to = &n->op[0], *from = &n->op[1];
  switch (n->id) {
  case X86_INS_MOV:
  case X86_INS_MOVABS:
    return operand(s, n, from);
  case X86_INS_LEA:
    return address_of(s, n, from);
  case X86_INS_XOR:
  case X86_INS_SUB:
    if (from->type == X86_OP_REG && to->reg == from->reg)
      return (struct number){CONSTANT, 0};
    if (n->id == X86_INS_SUB && from->type == X86_OP_IMM && to->size == 8) {
      struct number v = operand(s, n, to);
      v.offset -= from->imm;
      return v;
    }
    return computed(s, n);
  case X86_INS_ADD:
    if (to->size == 8)
      return sum(s, operand(s, n, to), operand(s, n, from), 1);
    return computed(s, n);
  default:
    return computed(s, n);
  }
}

static void push(struct site_search *s, const struct instruction *n) {
  struct number v = operand(s, n, &n->op[0]);
  s->reg[RSP].offset -= 8;
  store(s, s->reg[RSP], 8, v);
}

static void follow(struct site_search *s, const struct instruction *n) {
  int width, r;
  if (n->id == X86_INS_PUSH) {
    push(s, n);
    return;
  }
  if (n->id == X86_INS_POP && n->op[0].type == X86_OP_REG) {
    struct number v = load(s, s->reg[RSP], 8);
    s->reg[RSP].offset += 8;
    if ((r = site_register(n->op[0].reg, &width)) >= 0)
      s->reg[r] = v;
    return;
  }
  if (n->id == X86_INS_LEAVE) {
    s->reg[RSP] = (struct number){new_name(s, true), 0};
    s->reg[RBP] = unknown(s);
    return;
  }
  if (n->id == X86_INS_CDQE) {
    uint64_t key[] = {n->id, s->reg[RAX].from, (uint64_t)s->reg[RAX].offset};
    s->reg[RAX] = (struct number){name_of(s, key, 3, false), 0};
    return;
  }
  bool to_register = n->nops >= 2 && n->op[0].type == X86_OP_REG &&
                     (r = site_register(n->op[0].reg, &width)) >= 0;
  if (to_register && n->id != X86_INS_CMP && n->id != X86_INS_TEST &&
      width >= 4 && (n->kills & R(r)) && n->id != X86_INS_XCHG) {
    struct number v = result(s, n);
    uint64_t others = n->sets & ~R(r);
    for (int k = 0; k < GPRS; k++)
      if (others >> k & 1 && k != RSP)
        s->reg[k] = unknown(s);
    s->reg[r] = v;
    return;
  }
  for (int k = 0; k < GPRS; k++)
    if (n->sets >> k & 1)
      s->reg[k] = k == RSP ? (struct number){new_name(s, true), 0} : unknown(s);
  if (n->nops && n->op[0].type == X86_OP_MEM && n->id != X86_INS_CMP &&
      n->id != X86_INS_TEST) {
    struct number at = address_of(s, n, &n->op[0]);
    bool plain = n->id == X86_INS_MOV && n->nops == 2;
    if (on_stack(s, at))
      store(s, at, n->op[0].size,
            plain ? operand(s, n, &n->op[1]) : unknown(s));
  }
}

/* ---- hooks and accesses ---- */

static void add_hook(struct site_search *s, uint32_t call) {
  const struct instruction *n = &s->code.insns.at[call];
  int64_t size = n->hook_size;
  if (n->hook_range)
    size = s->reg[RSI].from == CONSTANT ? s->reg[RSI].offset : INT64_MAX / 4;
  struct active h = {.at = s->reg[RDI],
                     .size = size,
                     .writes = n->hook_writes,
                     .call = call,
                     .spoilt = size <= 8 || size > (1 << 20) || n->hook_atomic};
  if (size)
    vec_push(&s->hooks, h);
}

/* The youngest hook of these bytes. */
static struct active *hook_of(struct site_search *s, struct number at,
                              int64_t size, bool writes) {
  for (uint32_t i = s->hooks.len; i--;) {
    struct active *h = &s->hooks.at[i];
    if (h->at.from == at.from && at.offset >= h->at.offset &&
        at.offset + size <= h->at.offset + h->size && (!writes || h->writes))
      return h;
  }
  return NULL;
}

/* Nothing that follows belongs to these hooks any more. */
static void end_region(struct site_search *s) {
  for (uint32_t i = 0; i < s->hooks.len; i++) {
    struct active *h = &s->hooks.at[i];
    bool replaced = !h->spoilt && h->covered == h->size;
    const struct instruction *n = &s->code.insns.at[h->call];
    for (uint32_t k = 0; k < s->found.len; k++)
      if (s->owner.at[k] == i + 1) {
        if (replaced)
          s->owner.at[k] = 0;
        else
          s->found.at[k].kind = SITE_HOOK, s->found.at[k].length = 0;
      }
    if (replaced) {
      struct site hook = {.pc = n->pc, .length = n->length, .kind = SITE_HOOK};
      vec_push(&s->found, hook);
      vec_push(&s->owner, 0);
    }
  }
  for (uint32_t k = 0; k < s->owner.len; k++)
    s->owner.at[k] = 0;
  s->hooks.len = 0;
}

/* A copy by the library is made of steps: the hooks before it say no more. */
static void library_copy(struct site_search *s) {
  struct number n = s->reg[RDX];
  if (n.from != CONSTANT)
    return;
  for (int k = 0; k < 2; k++) {
    struct number at = s->reg[k ? RSI : RDI];
    struct active *h = hook_of(s, at, n.offset, !k);
    if (h && !h->spoilt && h->writes == !k && h->at.offset == at.offset &&
        h->size == n.offset)
      h->covered = h->size;
  }
}

/* Could one of the hooks be about this address under another name? */
static bool may_have_hook(const struct site_search *s, struct number at) {
  for (uint32_t i = 0; i < s->hooks.len; i++)
    if (s->hooks.at[i].at.from != at.from)
      return true;
  return false;
}

static uint8_t number_of(unsigned r) {
  int width, n = site_register(r, &width);
  return r == X86_REG_RIP ? SITE_RIP : n < 0 ? SITE_NONE : (uint8_t)n;
}

static void add_site(struct site_search *s, const struct instruction *n,
                     uint64_t keep, const cs_x86_op *op, enum site_kind kind,
                     const struct active *h) {
  struct site x = {.pc = n->pc,
                   .keep = keep,
                   .length = n->length,
                   .kind = (uint8_t)kind,
                   .sure = s->sure || h,
                   .base = SITE_NONE,
                   .index = SITE_NONE};
  if (op) {
    x.size = op->size;
    x.base = number_of(op->mem.base);
    x.index = number_of(op->mem.index);
    x.scale = (uint8_t)op->mem.scale;
    x.displacement = op->mem.disp;
    x.relative = n->relative;
  }
  s->bare |= !h;
  vec_push(&s->found, x);
  vec_push(&s->owner, h ? (uint32_t)(h - s->hooks.at) + 1 : 0);
}

static bool can_size(uint32_t n) {
  return n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
}

/* rep movs and rep stos, of which the count must be known for a hook. */
static void string_access(struct site_search *s, const struct instruction *n,
                          uint64_t keep) {
  static const struct {
    unsigned id;
    uint8_t size;
    bool copy;
  } kinds[] = {{X86_INS_MOVSB, 1, true},  {X86_INS_MOVSW, 2, true},
               {X86_INS_MOVSD, 4, true},  {X86_INS_MOVSQ, 8, true},
               {X86_INS_STOSB, 1, false}, {X86_INS_STOSW, 2, false},
               {X86_INS_STOSD, 4, false}, {X86_INS_STOSQ, 8, false}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (kinds[k].id != n->id || !n->rep)
      continue;
    int64_t size =
        s->reg[RCX].from == CONSTANT ? s->reg[RCX].offset * kinds[k].size : 0;
    struct number from = s->reg[RSI], to = s->reg[RDI];
    struct active *r = kinds[k].copy ? hook_of(s, from, size, false) : NULL;
    struct active *w = hook_of(s, to, size, true);
    if (r && size)
      r->covered += size;
    if (w && size)
      w->covered += size;
    bool private = on_stack(s, to) && (!kinds[k].copy || on_stack(s, from));
    if (private)
      return;
    add_site(s, n, keep | R(RCX) | R(RSI) | R(RDI) | R(RAX), NULL,
             kinds[k].copy ? SITE_COPY : SITE_FILL, NULL);
    vec_last(&s->found).size = kinds[k].size;
    vec_last(&s->found).sure = true;
    return;
  }
  s->odd = true;
}

static void access_of(struct site_search *s, const struct instruction *n,
                      uint64_t keep) {
  const cs_x86_op *op = NULL;
  for (int k = 0; k < n->nops && !op; k++)
    if (n->op[k].type == X86_OP_MEM)
      op = &n->op[k];
  if (!op)
    return;
  struct number at = address_of(s, n, op);
  if (on_stack(s, at) || at.from == READ_ONLY)
    return;
  struct active *h = hook_of(s, at, op->size, n->writes);
  enum site_kind kind = !n->writes  ? SITE_READ
                        : !n->reads ? SITE_WRITE
                                    : SITE_UPDATE;
  if (h && (h->spoilt || kind == SITE_UPDATE || h->writes != n->writes)) {
    h->spoilt = true;
    return;
  }
  if (n->odd || !can_size(op->size) || op->mem.segment != X86_REG_INVALID) {
    s->odd |= !h && !n->told;
    if (h)
      h->spoilt = true;
    return;
  }
  if (h)
    h->covered += op->size;
  add_site(s, n, keep, op, kind, h);
  if (!h && may_have_hook(s, at))
    vec_last(&s->found).sure = false;
}

static void search(struct site_search *s, const uint64_t *keep) {
  s->sure = true;
  forget(s, true);
  for (uint32_t i = 0; i < s->code.insns.len; i++) {
    const struct instruction *n = &s->code.insns.at[i];
    bool apart = i && s->code.insns.at[i - 1].ret;
    if (n->target || apart) {
      end_region(s);
      if (n->entered || apart)
        forget(s, true);
      else
        enter_loop(s, i);
      s->sure = false;
    }
    if (n->call) {
      if (n->copies)
        library_copy(s);
      if (n->hook)
        add_hook(s, i);
      else
        end_region(s);
      s->sure = true;
      forget(s, false);
      continue;
    }
    if (n->ret || n->jump)
      continue;
    if (n->string && (n->reads || n->writes))
      string_access(s, n, keep[i]);
    else if (n->reads || n->writes)
      access_of(s, n, keep[i]);
    follow(s, n);
  }
  end_region(s);
}

static bool is_leaf(const struct site_search *s) {
  for (uint32_t i = 0; i < s->code.insns.len; i++)
    if (s->code.insns.at[i].call)
      return false;
  return true;
}

static int by_pc(const void *a, const void *b) {
  const struct site *x = a, *y = b;
  return x->pc < y->pc ? -1 : x->pc > y->pc;
}

bool sites_end(struct site_search *s) {
  s->odd = s->bare = false;
  s->found.len = s->owner.len = s->hooks.len = 0;
  s->on_stack.len = 0;
  map128_free(&s->ids);
  s->ids = (struct map128){0};
  for (int k = 0; k < FIRST_NAME; k++)
    new_name(s, k == STACK);
  uint64_t *keep = xcalloc(s->code.insns.len + 1, sizeof *keep);
  site_code_end(&s->code);
  site_code_keep(&s->code, keep);
  search(s, keep);
  /* The engine keeps no wider registers. */
  bool leaf = is_leaf(s), all = !s->odd && !(s->code.wide && s->bare);
  uint32_t first = s->out->len;
  for (uint32_t k = 0; k < s->found.len && !s->code.wide; k++)
    if (s->found.at[k].length) {
      s->found.at[k].leaf = leaf;
      vec_push(s->out, s->found.at[k]);
    }
  if (s->out->len > first)
    qsort(s->out->at + first, s->out->len - first, sizeof *s->out->at, by_pc);
  free(keep);
  sites_drop(s);
  return all;
}
