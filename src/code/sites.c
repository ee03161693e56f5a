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
  bool writes;
  uint32_t call;   /* its instruction */
  int64_t covered; /* bytes, by the accesses below it */
  bool spoilt;     /* not by such as can be stopped at */
  bool stored;     /* the write that it speaks for was made */
};

struct site_search {
  site_list *out;
  struct site_code code;
  VEC(struct active_hook) hooks;
  VEC(struct site) found;
  VEC(uint32_t) owner; /* of each found: its hook + 1, or 0 */
  struct numbers n;
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
  s->code.wide = s->code.framed = false;
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
                          .call = call,
                          .spoilt =
                              size <= 8 || size > (1 << 20) || n->hook_atomic};
  if (size)
    vec_push(&s->hooks, h);
}

static bool covers(const struct active_hook *h, struct number at,
                   int64_t size) {
  return h->at.from == at.from && at.offset >= h->at.offset &&
         at.offset + size <= h->at.offset + h->size;
}

/* The youngest hook of these bytes.  That of a write speaks for a read as well
 * (of a bit field's neighbours), but not for one behind the write. */
static struct active_hook *hook_of(struct site_search *s, struct number at,
                                   int64_t size, bool writes) {
  for (uint32_t i = s->hooks.len; i--;) {
    struct active_hook *h = &s->hooks.at[i];
    if (covers(h, at, size) && (writes ? h->writes : !h->stored))
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
  for (uint32_t i = 0; i < s->hooks.len; i++)
    if (s->hooks.at[i].at.from != at.from)
      return true;
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
    int64_t size = s->n.reg[RCX].from == CONSTANT
                       ? s->n.reg[RCX].offset * kinds[k].size
                       : 0;
    struct number from = s->n.reg[RSI], to = s->n.reg[RDI];
    struct active_hook *r =
        kinds[k].copy ? hook_of(s, from, size, false) : NULL;
    struct active_hook *w = hook_of(s, to, size, true);
    if (r && size)
      r->covered += size;
    if (w && size)
      w->covered += size;
    bool private = numbers_on_stack(&s->n, to) &&
                   (!kinds[k].copy || numbers_on_stack(&s->n, from));
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
  struct number at = numbers_address(&s->n, n, op);
  if (numbers_on_stack(&s->n, at) || at.from == READ_ONLY)
    return;
  struct active_hook *h = hook_of(s, at, op->size, n->writes);
  if (h && n->writes && h->size <= 8)
    h->stored = true;
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
  if (!h && may_have_hook(s, at) && !is_behind(s, at, op->size))
    vec_last(&s->found).sure = false;
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
    else if (n->reads || n->writes)
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

bool sites_end(struct site_search *s) {
  s->odd = s->bare = false;
  s->found.len = s->owner.len = s->hooks.len = 0;
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
