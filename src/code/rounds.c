/*
 * Counting the rounds of a loop.
 *
 * First the numbers that registers and places on the stack hold are followed
 * through the function, block by block, each block behind those that lead to
 * it.  Where ways meet, only what is equal on all of them stays known; at the
 * header of a loop, only what no round changes.  What a round changes is found
 * by doing it: as long as something differs behind a round, it is forgotten at
 * the header and all is done once more.
 *
 * Then a loop that has one way out is run: from the numbers that it is entered
 * with, round by round, until the condition of the way out holds.  That fails
 * as soon as the condition depends on anything but known numbers.
 *
 *     mov ebx, 0                entered with ebx = 0
 *     top: …; add ebx, 1        1, 2, 3, 4
 *     cmp ebx, 4; jne top       4 rounds
 *
 * (A) a number that is told is right, but for a place on the stack that other
 *     code changes through a pointer which points into the middle of it.
 *                                                    tests/unit/code/rounds.c
 */
#include "code/rounds.h"

#include "code/sites_int.h"

#include <assert.h>
#include <string.h>

enum {
  NONE = UINT32_MAX,
  ROUNDS_MAX = 1 << 14, /* rounds, and … */
  WORK_MAX = 1 << 18,   /* … instructions in all of them, that are run */
  PASSES = 50,
};

/* What is known at a place. */
struct rounds_state {
  bool reached;
  struct number reg[GPRS], frame;
  VEC(struct place_on_stack) slots;
};

/* What the rounds of a loop change, of its header. */
struct rounds_change {
  uint32_t regs;
  VEC(struct number) slots;
};

static int64_t narrow(struct number v, uint32_t width, bool is_signed) {
  if (width >= 8 || v.from != CONSTANT)
    return v.offset;
  uint32_t above = 64 - width * 8;
  uint64_t high = (uint64_t)v.offset << above;
  return is_signed ? (int64_t)high >> above : (int64_t)(high >> above);
}

/* What a conditional jump compares. */
struct comparison {
  bool known;
  bool result; /* with 0 the result of a sum, which may overflow */
  int carry;   /* of the sum; -1: who knows */
  struct number a, b;
  uint32_t width;
};

struct round_counter {
  const struct flow *f;
  const struct flow_graph *g;
  const uint8_t *dead;
  struct site_code code;
  struct numbers n;              /* of the place that is being followed */
  VEC(struct number) taken;      /* places on the stack with a known address */
  VEC(uint32_t) order;           /* blocks, behind those that lead to them */
  uint32_t *place;               /* by block: in `order`; NONE */
  struct rounds_state *at, *out; /* by block: its beginning, its end */
  struct rounds_change *change;  /* by block */
  struct comparison last;
  uint64_t work;
};

/* ---- states ---- */

static void keep(const struct round_counter *r, struct rounds_state *s) {
  memcpy(s->reg, r->n.reg, sizeof s->reg);
  s->frame = r->n.frame;
  vec_clear(&s->slots);
  for (uint32_t i = 0; i < r->n.slots.len; i++)
    vec_push(&s->slots, r->n.slots.at[i]);
  s->reached = true;
}

static void load_state(struct round_counter *r, const struct rounds_state *s) {
  memcpy(r->n.reg, s->reg, sizeof s->reg);
  r->n.frame = s->frame;
  vec_clear(&r->n.slots);
  for (uint32_t i = 0; i < s->slots.len; i++)
    vec_push(&r->n.slots, s->slots.at[i]);
}

static bool same(struct number a, struct number b) {
  return a.from == b.from && a.offset == b.offset;
}

/* What the state knows of a place on the stack; NULL: nothing. */
static const struct place_on_stack *slot_in(const struct rounds_state *s,
                                            const struct place_on_stack *p) {
  for (uint32_t i = 0; i < s->slots.len; i++)
    if (same(s->slots.at[i].at, p->at) && s->slots.at[i].size == p->size)
      return &s->slots.at[i];
  return NULL;
}

/* What is known as well on another way to the same place. */
static void meet(struct round_counter *r, const struct rounds_state *s) {
  for (int k = 0; k < GPRS; k++)
    if (!same(r->n.reg[k], s->reg[k]))
      r->n.reg[k] = numbers_unknown(&r->n);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < r->n.slots.len; i++) {
    const struct place_on_stack *p = &r->n.slots.at[i], *q = slot_in(s, p);
    if (q && same(p->holds, q->holds))
      r->n.slots.at[kept++] = *p;
  }
  r->n.slots.len = kept;
}

static bool is_changed(const struct rounds_change *c, struct number at) {
  for (uint32_t i = 0; i < c->slots.len; i++)
    if (same(c->slots.at[i], at))
      return true;
  return false;
}

static void forget_changed(struct round_counter *r, uint32_t header) {
  const struct rounds_change *c = &r->change[header];
  for (int k = 0; k < GPRS; k++)
    if (c->regs >> k & 1)
      r->n.reg[k] = numbers_unknown(&r->n);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < r->n.slots.len; i++)
    if (!is_changed(c, r->n.slots.at[i].at))
      r->n.slots.at[kept++] = r->n.slots.at[i];
  r->n.slots.len = kept;
}

/* ---- instructions ---- */

static const struct instruction *insn_at(const struct round_counter *r,
                                         uint64_t pc) {
  uint32_t lo = 0, hi = r->code.insns.len;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (r->code.insns.at[mid].pc < pc)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < r->code.insns.len && r->code.insns.at[lo].pc == pc
             ? &r->code.insns.at[lo]
             : NULL;
}

static bool is_taken(const struct round_counter *r, struct number at) {
  for (uint32_t i = 0; i < r->taken.len; i++)
    if (same(r->taken.at[i], at))
      return true;
  return false;
}

/* The user's code may change what it was given the address of. */
static void forget_taken(struct round_counter *r) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < r->n.slots.len; i++)
    if (!is_taken(r, r->n.slots.at[i].at))
      r->n.slots.at[kept++] = r->n.slots.at[i];
  r->n.slots.len = kept;
}

static void note_address(struct round_counter *r, const struct instruction *n) {
  if (n->id != X86_INS_LEA)
    return;
  struct number at = numbers_address(&r->n, n, &n->op[1]);
  if (numbers_on_stack(&r->n, at) && !is_taken(r, at))
    vec_push(&r->taken, at);
}

/* Does the sum of a and b carry?  -1: who knows. */
static int carries(const struct comparison *c) {
  if (c->a.from != CONSTANT || c->b.from != CONSTANT)
    return -1;
  struct number sum = c->a;
  sum.offset = (int64_t)((uint64_t)sum.offset + (uint64_t)c->b.offset);
  return (uint64_t)narrow(sum, c->width, false) <
         (uint64_t)narrow(c->a, c->width, false);
}

static void note_comparison(struct round_counter *r,
                            const struct instruction *n) {
  struct comparison c = {.known = true, .width = n->op[0].size, .carry = -1};
  switch (n->id) {
  case X86_INS_CMP:
  case X86_INS_SUB:
    c.a = numbers_operand(&r->n, n, &n->op[0]);
    c.b = numbers_operand(&r->n, n, &n->op[1]);
    break;
  case X86_INS_TEST:
    c.a = numbers_operand(&r->n, n, &n->op[0]);
    c.b = (struct number){CONSTANT, 0};
    c.known = n->op[0].type == X86_OP_REG && n->op[1].type == X86_OP_REG &&
              n->op[0].reg == n->op[1].reg;
    break;
  case X86_INS_ADD:
    c.a = numbers_operand(&r->n, n, &n->op[0]);
    c.b = numbers_operand(&r->n, n, &n->op[1]);
    c.carry = carries(&c);
    c.result = true;
    break;
  case X86_INS_INC:
  case X86_INS_DEC:
  case X86_INS_AND:
    c.result = true; /* c.a follows */
    break;
  default:
    c.known = false;
  }
  r->last = c;
}

static void follow(struct round_counter *r, const struct instruction *n) {
  bool flags = n->sets & SITE_FLAGS;
  if (n->call) {
    numbers_forget(&r->n, false);
    r->last.known = false;
    if (!n->hook)
      forget_taken(r);
    return;
  }
  if (n->ret || n->jump)
    return;
  note_address(r, n);
  if (flags && n->nops)
    note_comparison(r, n);
  else if (flags)
    r->last.known = false;
  numbers_follow(&r->n, n);
  if (flags && r->last.known && r->last.result) {
    r->last.a = numbers_operand(&r->n, n, &n->op[0]);
    r->last.b = (struct number){CONSTANT, 0};
  }
}

static void follow_block(struct round_counter *r, uint32_t block) {
  const struct flow_block *b = &r->g->blocks.at[block];
  r->last.known = false;
  for (uint32_t i = b->first; i < b->end; i++) {
    const struct instruction *n = insn_at(r, r->f->insns.at[i].pc);
    r->work++;
    if (n)
      follow(r, n);
    else /* a part of the function that stands elsewhere */
      numbers_forget(&r->n, true);
  }
}

/* ---- the function ---- */

static uint32_t nsucc(const struct round_counter *r, uint32_t b) {
  return r->g->blocks.at[b].nsucc;
}

static uint32_t succ(const struct round_counter *r, uint32_t b, uint32_t k) {
  return r->g->succs.at[r->g->blocks.at[b].succ + k];
}

/* Does control go forward from a to b, and not back to a loop's header? */
static bool is_forward(const struct round_counter *r, uint32_t a, uint32_t b) {
  return r->place[a] != NONE && r->place[b] != NONE &&
         r->place[a] < r->place[b];
}

static bool leads_to(const struct round_counter *r, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < nsucc(r, a); k++)
    if (succ(r, a, k) == b)
      return true;
  return false;
}

static void find_order(struct round_counter *r) {
  uint32_t n = r->g->blocks.len;
  uint32_t *next = xcalloc(n, sizeof *next);
  uint8_t *seen = xcalloc(n, 1);
  VEC(uint32_t) stack = {0};
  vec_push(&stack, 0);
  seen[0] = 1;
  while (stack.len) {
    uint32_t b = vec_last(&stack);
    if (next[b] == nsucc(r, b)) {
      vec_push(&r->order, b); /* behind all that it leads to */
      stack.len--;
      continue;
    }
    uint32_t to = succ(r, b, next[b]++);
    if (!seen[to] && !r->dead[to]) {
      seen[to] = 1;
      vec_push(&stack, to);
    }
  }
  for (uint32_t i = 0, k = r->order.len; i < k / 2; i++) {
    uint32_t other = r->order.at[i];
    r->order.at[i] = r->order.at[k - 1 - i];
    r->order.at[k - 1 - i] = other;
  }
  memset(r->place, 0xff, n * sizeof *r->place); /* NONE */
  for (uint32_t i = 0; i < r->order.len; i++)
    r->place[r->order.at[i]] = i;
  vec_free(&stack);
  free(seen);
  free(next);
}

/* The numbers where the block begins: from blocks of `in` (NULL: all) whose
 * ends are in `out`. */
static void enter(struct round_counter *r, uint32_t block, const uint8_t *in,
                  const struct rounds_state *out) {
  bool first = true;
  for (uint32_t i = 0; i < r->order.len; i++) {
    uint32_t b = r->order.at[i];
    if ((in && !in[b]) || !is_forward(r, b, block) || !leads_to(r, b, block) ||
        !out[b].reached)
      continue;
    if (first)
      load_state(r, &out[b]);
    else
      meet(r, &out[b]);
    first = false;
  }
  forget_changed(r, block);
}

static void pass(struct round_counter *r) {
  r->taken.len = 0;
  numbers_begin(&r->n, r->code.framed);
  for (uint32_t i = 0; i < r->order.len; i++) {
    uint32_t b = r->order.at[i];
    if (b)
      enter(r, b, NULL, r->out);
    else
      forget_changed(r, b);
    keep(r, &r->at[b]);
    follow_block(r, b);
    keep(r, &r->out[b]);
  }
}

/* What differs behind a round that ends with `latch`.  True: more than before.
 */
static bool note_changes(struct round_counter *r, uint32_t latch,
                         uint32_t header) {
  const struct rounds_state *at = &r->at[header], *out = &r->out[latch];
  struct rounds_change *c = &r->change[header];
  bool more = false;
  for (int k = 0; k < GPRS; k++)
    if (!(c->regs >> k & 1) && !same(at->reg[k], out->reg[k])) {
      c->regs |= 1u << k;
      more = true;
    }
  for (uint32_t i = 0; i < at->slots.len; i++) {
    const struct place_on_stack *p = &at->slots.at[i], *q = slot_in(out, p);
    if ((q && same(p->holds, q->holds)) || is_changed(c, p->at))
      continue;
    vec_push(&c->slots, p->at);
    more = true;
  }
  return more;
}

/* Until no round of any loop changes what is known at its header. */
static bool settle(struct round_counter *r) {
  for (int i = 0; i < PASSES; i++) {
    bool more = false;
    pass(r);
    for (uint32_t k = 0; k < r->order.len; k++)
      for (uint32_t j = 0, b = r->order.at[k]; j < nsucc(r, b); j++) {
        uint32_t to = succ(r, b, j);
        if (r->place[to] != NONE && !is_forward(r, b, to))
          more |= note_changes(r, b, to);
      }
    if (!more)
      return true;
  }
  return false;
}

static void add(void *ctx, const struct line_symbol *function,
                const struct code_insn *i) {
  struct round_counter *r = ctx;
  (void)function;
  site_code_add(&r->code, i);
}

struct round_counter *rounds_of(const struct flow *f,
                                const struct flow_graph *g,
                                const uint8_t *dead) {
  struct round_counter *r = xcalloc(1, sizeof *r);
  struct error e = {0};
  uint32_t n = g->blocks.len;
  *r = (struct round_counter){.f = f, .g = g, .dead = dead};
  r->place = xcalloc(n, sizeof *r->place);
  r->at = xcalloc(n, sizeof *r->at);
  r->out = xcalloc(n, sizeof *r->out);
  r->change = xcalloc(n, sizeof *r->change);
  uint32_t symbol = f->insns.at[g->blocks.at[0].first].symbol;
  if (code_walk_one(f->lines, &f->lines->symbols.at[symbol], add, r, &e))
    return r; /* no order: nothing is counted */
  site_code_end(&r->code);
  find_order(r);
  if (!settle(r))
    r->order.len = 0;
  return r;
}

void rounds_free(struct round_counter *r) {
  if (!r)
    return;
  for (uint32_t i = 0; i < r->g->blocks.len; i++) {
    vec_free(&r->at[i].slots);
    vec_free(&r->out[i].slots);
    vec_free(&r->change[i].slots);
  }
  free(r->at);
  free(r->out);
  free(r->change);
  free(r->place);
  numbers_free(&r->n);
  vec_free(&r->code.insns);
  vec_free(&r->taken);
  vec_free(&r->order);
  free(r);
}

/* ---- a loop ---- */

struct rounds_loop {
  const uint8_t *in; /* by block */
  uint32_t header;
  uint32_t exit;            /* the block whose jump is the one way out */
  bool taken;               /* the jump leads out; else what follows it does */
  struct rounds_state *now; /* by block: its end in this round */
};

/* The one way out; false: there are more. */
static bool find_exit(const struct round_counter *r, struct rounds_loop *l) {
  uint32_t ways = 0, out = NONE;
  for (uint32_t i = 0; i < r->order.len; i++)
    for (uint32_t k = 0, b = r->order.at[i]; l->in[b] && k < nsucc(r, b); k++) {
      uint32_t to = succ(r, b, k);
      if (l->in[to] || r->dead[to])
        continue;
      l->exit = b;
      out = to;
      ways++;
    }
  if (ways != 1)
    return false;
  const struct flow_insn *jump =
      &r->f->insns.at[r->g->blocks.at[l->exit].end - 1];
  const struct flow_block *to = &r->g->blocks.at[out];
  uint64_t pc = to->callee ? to->callee : r->f->insns.at[to->first].pc;
  l->taken = pc == jump->target;
  return jump->kind == FLOW_EITHER;
}

/* Does every round come by the way out?  Else a round may go by unseen. */
static bool is_always_met(const struct round_counter *r,
                          const struct rounds_loop *l) {
  if (l->exit == l->header)
    return true;
  bool met = true;
  uint8_t *reached = xcalloc(r->g->blocks.len, 1);
  reached[l->header] = 1;
  for (uint32_t i = r->place[l->header]; i < r->order.len && met; i++) {
    uint32_t b = r->order.at[i];
    for (uint32_t k = 0; reached[b] && b != l->exit && k < nsucc(r, b); k++) {
      uint32_t to = succ(r, b, k);
      if (to == l->header)
        met = false;
      if (l->in[to] && is_forward(r, b, to))
        reached[to] = 1;
    }
  }
  free(reached);
  return met;
}

/* Does the jump jump?  -1: who knows. */
static int jumps(const struct round_counter *r, unsigned id) {
  const struct comparison *c = &r->last;
  if (!c->known || c->a.from != c->b.from)
    return -1;
  int64_t a = narrow(c->a, c->width, true), b = narrow(c->b, c->width, true);
  uint64_t x = (uint64_t)narrow(c->a, c->width, false),
           y = (uint64_t)narrow(c->b, c->width, false);
  if (c->a.from != CONSTANT) { /* addresses: of one thing, so they compare as
                                  their offsets do */
    x ^= UINT64_C(1) << 63;
    y ^= UINT64_C(1) << 63;
  }
  switch (id) {
  case X86_INS_JE:
    return x == y;
  case X86_INS_JNE:
    return x != y;
  case X86_INS_JS: /* of a difference, when it does not overflow */
    return c->result || !b ? a < b : -1;
  case X86_INS_JNS:
    return c->result || !b ? a >= b : -1;
  default:
    break;
  }
  if (c->result && (id == X86_INS_JB || id == X86_INS_JAE))
    return c->carry < 0 ? -1 : c->carry == (id == X86_INS_JB);
  if (c->result)
    return -1;
  switch (id) {
  case X86_INS_JL:
    return a < b;
  case X86_INS_JLE:
    return a <= b;
  case X86_INS_JG:
    return a > b;
  case X86_INS_JGE:
    return a >= b;
  case X86_INS_JB:
    return x < y;
  case X86_INS_JBE:
    return x <= y;
  case X86_INS_JA:
    return x > y;
  case X86_INS_JAE:
    return x >= y;
  default:
    return -1;
  }
}

/* 1: the loop is left; 0: not in this round; -1: who knows. */
static int leaves(const struct round_counter *r, const struct rounds_loop *l) {
  uint32_t end = r->g->blocks.at[l->exit].end;
  const struct instruction *n = insn_at(r, r->f->insns.at[end - 1].pc);
  int answer = n ? jumps(r, n->id) : -1;
  return answer < 0 ? -1 : answer == l->taken;
}

/* One round from the current numbers, which are then those at its end. */
static int run_round(struct round_counter *r, struct rounds_loop *l) {
  int answer = -1;
  for (uint32_t i = 0; i < r->order.len; i++)
    l->now[r->order.at[i]].reached = false;
  for (uint32_t i = r->place[l->header]; i < r->order.len; i++) {
    uint32_t b = r->order.at[i];
    if (!l->in[b])
      continue;
    if (b != l->header)
      enter(r, b, l->in, l->now);
    follow_block(r, b);
    keep(r, &l->now[b]);
    if (b == l->exit && (answer = leaves(r, l)))
      return answer;
  }
  bool first = true;
  for (uint32_t i = 0; i < r->order.len; i++) {
    uint32_t b = r->order.at[i];
    if (!l->in[b] || !leads_to(r, b, l->header))
      continue;
    if (first)
      load_state(r, &l->now[b]);
    else
      meet(r, &l->now[b]);
    first = false;
  }
  return answer;
}

/* Is there a step before the way out?  Then the last round counts. */
static bool steps_before(const struct round_counter *r,
                         const struct rounds_loop *l) {
  for (uint32_t i = r->place[l->header]; i <= r->place[l->exit]; i++) {
    uint32_t block = r->order.at[i];
    const struct flow_block *b = &r->g->blocks.at[block];
    for (uint32_t k = b->first; l->in[block] && k < b->end; k++)
      if (r->f->insns.at[k].steps || r->f->insns.at[k].calls)
        return true;
  }
  return false;
}

/* The numbers with which the loop is entered. */
static void enter_loop(struct round_counter *r, const struct rounds_loop *l) {
  bool first = true;
  for (uint32_t i = 0; i < r->order.len; i++) {
    uint32_t b = r->order.at[i];
    if (l->in[b] || !leads_to(r, b, l->header))
      continue;
    if (first)
      load_state(r, &r->out[b]);
    else
      meet(r, &r->out[b]);
    first = false;
  }
  if (first) /* the function begins with the loop */
    numbers_forget(&r->n, true);
}

uint32_t rounds_count(struct round_counter *r, const uint8_t *in,
                      uint32_t header) {
  struct rounds_loop l = {.in = in, .header = header};
  if (!r->order.len || r->place[header] == NONE || !find_exit(r, &l) ||
      !is_always_met(r, &l))
    return 0;
  uint32_t rounds = 0, n = r->g->blocks.len;
  int left = 0;
  l.now = xcalloc(n, sizeof *l.now);
  enter_loop(r, &l);
  for (r->work = 0; !left && rounds < ROUNDS_MAX && r->work < WORK_MAX;
       rounds++)
    left = run_round(r, &l);
  for (uint32_t i = 0; i < n; i++)
    vec_free(&l.now[i].slots);
  free(l.now);
  if (left != 1)
    return 0;
  return steps_before(r, &l) ? rounds : rounds - 1;
}
