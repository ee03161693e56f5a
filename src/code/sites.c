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
#include "code/sites_int.h"

#include <stdlib.h>
#include <string.h>

struct active_hook { /* a hook since the last call */
  struct number at;
  int64_t size;
  bool writes, atomic;
  uint32_t call;         /* its instruction */
  int64_t covered;       /* bytes, by the accesses below it */
  bool spoilt;           /* not by such as can be stopped at */
  bool stored;           /* the write that it speaks for was made */
  uint8_t reads, stores; /* of up to 8 bytes: those that were moved already */
};

struct site_search {
  site_list *out;
  struct site_code code;
  VEC(struct active_hook) hooks;
  VEC(struct site) found;
  VEC(uint32_t) owner; /* of each found: its hook + 1, or 0 */
  struct numbers n;
  bool sure;
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
  s->code.wide = s->code.widest = s->code.framed = false;
}

void sites_free(struct site_search *s) {
  if (!s)
    return;
  vec_free(&s->code.insns);
  vec_free(&s->hooks);
  vec_free(&s->found);
  vec_free(&s->owner);
  numbers_free(&s->n);
  free(s);
}

/* ---- hooks and accesses ---- */

static void add_hook(struct site_search *s, uint32_t call) {
  const struct instruction *n = &s->code.insns.at[call];
  int64_t size = n->hook_size;
  if (n->hook_range)
    size =
        s->n.reg[RSI].from == CONSTANT ? s->n.reg[RSI].offset : INT64_MAX / 4;
  struct active_hook h = {.at = s->n.reg[RDI],
                          .size = size,
                          .writes = n->hook_writes,
                          .atomic = n->hook_atomic,
                          .call = call,
                          .spoilt = size <= 8 || size > (1 << 20) ||
                                    n->hook_atomic || s->code.widest};
  if (size)
    vec_push(&s->hooks, h);
}

static bool covers(const struct active_hook *h, struct number at,
                   int64_t size) {
  return h->at.from == at.from && at.offset >= h->at.offset &&
         at.offset + size <= h->at.offset + h->size;
}

static uint8_t bytes_of(const struct active_hook *h, struct number at,
                        int64_t size) {
  return (uint8_t)(((1u << size) - 1) << (at.offset - h->at.offset));
}

/* Were the bytes moved once already?  A hook speaks for one move; a second one
 * is the user's, in assembly. */
static bool is_used(const struct active_hook *h, struct number at, int64_t size,
                    bool writes) {
  uint8_t bytes = bytes_of(h, at, size);
  return h->size <= 8 && !h->atomic &&
         ((writes ? h->stores : h->reads) & bytes) == bytes;
}

/* The youngest hook of these bytes.  That of a write speaks for a read as well
 * (of a bit field's neighbours), but not for one behind the write. */
static struct active_hook *hook_of(struct site_search *s, struct number at,
                                   int64_t size, bool writes) {
  for (uint32_t i = s->hooks.len; i--;) {
    struct active_hook *h = &s->hooks.at[i];
    if (covers(h, at, size) && (writes ? h->writes : !h->stored) &&
        !is_used(h, at, size, writes))
      return h;
  }
  return NULL;
}

/* Is there one, but of a write that was made? */
static bool is_behind(const struct site_search *s, struct number at,
                      int64_t size) {
  for (uint32_t i = 0; i < s->hooks.len; i++)
    if (s->hooks.at[i].stored && covers(&s->hooks.at[i], at, size))
      return true;
  return false;
}

/* Nothing that follows belongs to these hooks any more. */
static void end_region(struct site_search *s) {
  for (uint32_t i = 0; i < s->hooks.len; i++) {
    struct active_hook *h = &s->hooks.at[i];
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
  struct number n = s->n.reg[RDX];
  if (n.from != CONSTANT)
    return;
  for (int k = 0; k < 2; k++) {
    struct number at = s->n.reg[k ? RSI : RDI];
    struct active_hook *h = hook_of(s, at, n.offset, !k);
    if (h && !h->spoilt && h->writes == !k && h->at.offset == at.offset &&
        h->size == n.offset)
      h->covered = h->size;
  }
}

/* Could one of the hooks be about this address under another name? */
static bool may_have_hook(const struct site_search *s, struct number at) {
  for (uint32_t i = 0; i < s->hooks.len; i++) {
    const struct active_hook *h = &s->hooks.at[i];
    bool used = h->writes ? h->stored : h->reads != 0;
    if (h->at.from != at.from && !(used && h->size <= 8))
      return true;
  }
  return false;
}

static uint8_t number_of(unsigned r) {
  int width, n = code_register(r, &width);
  return r == X86_REG_RIP ? SITE_RIP : n < 0 ? SITE_NONE : (uint8_t)n;
}

static void add_site(struct site_search *s, const struct instruction *n,
                     uint64_t keep, const cs_x86_op *op, enum site_kind kind,
                     const struct active_hook *h) {
  struct site x = {.pc = n->pc,
                   .keep = keep,
                   .length = n->length,
                   .kind = (uint8_t)kind,
                   .sure = s->sure || h || s->code.bare,
                   .base = SITE_NONE,
                   .index = SITE_NONE,
                   .bit = SITE_NONE,
                   .repeat = n->repeat,
                   .wide = s->code.wide};
  memcpy(x.name, n->name, sizeof x.name - 1);
  if (op) {
    x.size = op->size;
    x.base = number_of(op->mem.base);
    x.index = number_of(op->mem.index);
    x.scale = (uint8_t)op->mem.scale;
    x.displacement = op->mem.disp;
    x.relative = n->relative;
    if (n->by_bit)
      x.bit = number_of(n->op[1].reg);
  }
  /* The engine does not keep the widest registers. */
  if (s->code.widest)
    x.kind = op ? SITE_REFUSED_MEMORY : SITE_REFUSED;
  vec_push(&s->found, x);
  vec_push(&s->owner, h ? (uint32_t)(h - s->hooks.at) + 1 : 0);
}

static bool can_size(uint32_t n) {
  return n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
}

/* movs, cmps; rep movs and rep stos, of which the count must be known for a
 * hook; rep cmps and rep scas.  Nobody writes rep lods. */
static void string_access(struct site_search *s, const struct instruction *n,
                          uint64_t keep) {
  static const struct {
    unsigned id;
    uint8_t size, kind;
  } kinds[] = {
      {X86_INS_MOVSB, 1, SITE_COPY},    {X86_INS_MOVSW, 2, SITE_COPY},
      {X86_INS_MOVSD, 4, SITE_COPY},    {X86_INS_MOVSQ, 8, SITE_COPY},
      {X86_INS_STOSB, 1, SITE_FILL},    {X86_INS_STOSW, 2, SITE_FILL},
      {X86_INS_STOSD, 4, SITE_FILL},    {X86_INS_STOSQ, 8, SITE_FILL},
      {X86_INS_CMPSB, 1, SITE_COMPARE}, {X86_INS_CMPSW, 2, SITE_COMPARE},
      {X86_INS_CMPSD, 4, SITE_COMPARE}, {X86_INS_CMPSQ, 8, SITE_COMPARE},
      {X86_INS_SCASB, 1, SITE_SCAN},    {X86_INS_SCASW, 2, SITE_SCAN},
      {X86_INS_SCASD, 4, SITE_SCAN},    {X86_INS_SCASQ, 8, SITE_SCAN}};
  uint64_t registers = R(RCX) | R(RSI) | R(RDI) | R(RAX);
  struct number from = s->n.reg[RSI], to = s->n.reg[RDI], times = s->n.reg[RCX];
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (kinds[k].id != n->id)
      continue;
    bool copy = kinds[k].kind == SITE_COPY, fill = kinds[k].kind == SITE_FILL;
    bool scan = kinds[k].kind == SITE_SCAN;
    if (n->repeat == SITE_ONCE)
      times = (struct number){CONSTANT, 1};
    int64_t size = times.from == CONSTANT ? times.offset * kinds[k].size : 0;
    struct active_hook *r = size && copy ? hook_of(s, from, size, false) : NULL;
    struct active_hook *w =
        size && (copy || fill) ? hook_of(s, to, size, true) : NULL;
    if (r)
      r->covered += size;
    if (w)
      w->covered += size;
    bool private = numbers_on_stack(&s->n, to) &&
                   (fill || scan || numbers_on_stack(&s->n, from));
    if (private)
      return;
    add_site(s, n, keep | registers, NULL, kinds[k].kind, NULL);
    vec_last(&s->found).size = kinds[k].size;
    vec_last(&s->found).sure = true;
    return;
  }
  add_site(s, n, keep | registers, NULL, SITE_REFUSED, NULL);
}

/* A lock, an exchange, a fence …: what no hook stands for, but that of an
 * atomic, behind which clang may leave the access itself. */
static void special_access(struct site_search *s, const struct instruction *n,
                           uint64_t keep, const cs_x86_op *op) {
  if (op && (n->special == SITE_ATOMIC || n->special == SITE_CAS)) {
    struct number at = numbers_address(&s->n, n, op);
    for (uint32_t i = s->hooks.len; i--;) {
      struct active_hook *h = &s->hooks.at[i];
      if (h->atomic && !h->stored && covers(h, at, op->size)) {
        h->stored = true;
        return;
      }
    }
    bool own = op->mem.segment == X86_REG_FS; /* the thread's own: a fence */
    add_site(s, n, keep | R(RAX), op,
             own                  ? SITE_FENCE
             : can_size(op->size) ? (enum site_kind)n->special
                                  : SITE_REFUSED_MEMORY,
             NULL);
  } else {
    add_site(s, n, keep | n->uses, NULL, (enum site_kind)n->special, NULL);
  }
  vec_last(&s->found).sure = true;
}

static void access_of(struct site_search *s, const struct instruction *n,
                      uint64_t keep) {
  const cs_x86_op *op = NULL;
  for (int k = 0; k < n->nops && !op; k++)
    if (n->op[k].type == X86_OP_MEM)
      op = &n->op[k];
  if (n->special != NOT_SPECIAL)
    special_access(s, n, keep, op);
  if (n->special != NOT_SPECIAL || !op || !(n->reads || n->writes))
    return;
  struct number at = numbers_address(&s->n, n, op);
  if (!n->by_bit && (numbers_on_stack(&s->n, at) || at.from == READ_ONLY))
    return;
  struct active_hook *h = hook_of(s, at, op->size, n->writes);
  if (h && n->writes && h->size <= 8)
    h->stored = true;
  enum site_kind kind = !n->writes  ? SITE_READ
                        : !n->reads ? SITE_WRITE
                                    : SITE_UPDATE;
  if (h && h->size <= 8 && kind == SITE_READ)
    h->reads |= bytes_of(h, at, op->size);
  if (h && h->size <= 8 && kind == SITE_WRITE)
    h->stores |= bytes_of(h, at, op->size);
  if (h && (h->spoilt || kind == SITE_UPDATE || h->writes != n->writes)) {
    h->spoilt = true;
    return;
  }
  bool can =
      !n->odd && can_size(op->size) && op->mem.segment == X86_REG_INVALID;
  if (h && !can) {
    h->spoilt = true;
    return;
  }
  if (h)
    h->covered += op->size;
  add_site(s, n, keep, op, can ? kind : SITE_REFUSED_MEMORY, h);
  if (!h && may_have_hook(s, at) && !is_behind(s, at, op->size))
    vec_last(&s->found).sure = false;
}

/* call [mem], jmp [mem]: the compiler puts a hook before it, but for tables of
 * virtual functions, which nobody changes. */
static void address_access(struct site_search *s, const struct instruction *n,
                           uint64_t keep) {
  const cs_x86_op *op = n->nops ? &n->op[0] : NULL;
  if (n->slot || n->constant || !op || op->type != X86_OP_MEM ||
      op->mem.segment != X86_REG_INVALID || op->size != 8)
    return;
  struct number at = numbers_address(&s->n, n, op);
  bool has_hook = !s->code.bare && (op->mem.base != X86_REG_RIP ||
                                    hook_of(s, at, op->size, false));
  if (!has_hook && !numbers_on_stack(&s->n, at) && at.from != READ_ONLY)
    add_site(s, n, keep, op, n->call ? SITE_CALL_BY : SITE_JUMP_BY, NULL);
}

static void search(struct site_search *s, const uint64_t *keep) {
  s->sure = true;
  numbers_begin(&s->n, s->code.framed);
  for (uint32_t i = 0; i < s->code.insns.len; i++) {
    const struct instruction *n = &s->code.insns.at[i];
    bool apart = i && s->code.insns.at[i - 1].ret;
    if (n->target || apart) {
      end_region(s);
      if (n->entered || apart)
        numbers_forget(&s->n, true);
      else
        numbers_enter_loop(&s->n, &s->code, i);
      s->sure = false;
    }
    if (n->call || n->jump)
      address_access(s, n, keep[i]);
    if (n->call) {
      if (n->copies)
        library_copy(s);
      if (n->hook)
        add_hook(s, i);
      else
        end_region(s);
      s->sure = true;
      numbers_forget(&s->n, false);
      continue;
    }
    if (n->ret || n->jump)
      continue;
    if (n->string && (n->reads || n->writes))
      string_access(s, n, keep[i]);
    else
      access_of(s, n, keep[i]);
    numbers_follow(&s->n, n);
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

/* Does nothing refer to the place of the instruction, nor it to its own? */
static bool can_move(const struct instruction *n) {
  if (n->target || n->call || n->jump || n->landing ||
      (n->ret && n->id != X86_INS_RET))
    return false;
  for (int k = 0; k < n->nops; k++)
    if (n->op[k].type == X86_OP_MEM && n->op[k].mem.base == X86_REG_RIP)
      return false;
  return true;
}

enum { JUMP = 5 };

/* How much room is there for a jump to elsewhere? */
static void find_spans(struct site_search *s, struct site *at, uint32_t n) {
  const struct site_code *c = &s->code;
  for (uint32_t k = 0, i = 0; k < n; k++) {
    while (c->insns.at[i].pc < at[k].pc)
      i++;
    at[k].span = at[k].length;
    if (at[k].kind == SITE_CALL_BY) /* it returns to the next one */
      continue;
    uint64_t most = k + 1 < n ? at[k + 1].pc : UINT64_MAX;
    for (uint32_t j = i + 1; at[k].span < JUMP && !c->computed; j++) {
      if (j == c->insns.len || c->insns.at[j].pc == most ||
          c->insns.at[j - 1].ret || !can_move(&c->insns.at[j]))
        break;
      at[k].span += c->insns.at[j].length;
    }
  }
}

/* A pause is a hint, and not worth a trap (rt/x86_64/sites.c). */
static void drop_pauses(site_list *all, uint32_t first) {
  uint32_t n = first;
  for (uint32_t k = first; k < all->len; k++)
    if (all->at[k].kind != SITE_PAUSE || all->at[k].span >= JUMP)
      all->at[n++] = all->at[k];
  all->len = n;
}

void sites_end(struct site_search *s) {
  s->found.len = s->owner.len = s->hooks.len = 0;
  uint64_t *keep = xcalloc(s->code.insns.len + 1, sizeof *keep);
  site_code_end(&s->code);
  site_code_keep(&s->code, keep);
  search(s, keep);
  bool leaf = is_leaf(s);
  uint32_t first = s->out->len;
  for (uint32_t k = 0; k < s->found.len; k++) {
    struct site *x = &s->found.at[k];
    if (!x->length)
      continue;
    x->leaf = leaf;
    vec_push(s->out, *x);
  }
  if (s->out->len > first)
    qsort(s->out->at + first, s->out->len - first, sizeof *s->out->at, by_pc);
  find_spans(s, s->out->at + first, s->out->len - first);
  drop_pauses(s->out, first);
  free(keep);
  sites_drop(s);
}
