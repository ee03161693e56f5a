/*
 * Aggressive dead code elimination (Cytron and others, TOPLAS 13(4), 1991, 7.1)
 * on the registers of one function: everything is dead at first but what has an
 * effect; what a live instruction needs becomes live, and so do the branches on
 * which it depends.
 *
 * A branch that stays dead goes straight to where its ways meet: by the shorter
 * of the two, so it cannot go round.
 */
#include "code/delays.h"

#include "base/text.h"
#include "code/code_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  FLAGS = GPRS, /* a register like the others */
  MOST = 1500,  /* instructions of a function: sets of them are compared */
  NOWHERE = 0x7fffffff,
};
#define CALLER_SAVED                                                           \
  (1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI | 0xfu << 8 |     \
   1u << FLAGS)
#define ARGUMENTS                                                              \
  (1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI | 7u << 8 |       \
   1u << RSP)
#define ALL ((1u << (FLAGS + 1)) - 1)

struct delay_insn {
  uint64_t pc, target;
  uint32_t uses, defs, kills; /* masks of registers; kills: all of it */
  uint32_t in, out;           /* live registers */
  uint32_t next[2];           /* instructions; NOWHERE */
  uint32_t meet;              /* of a branch: where its ways meet */
  uint8_t size, kind;         /* enum code_kind */
  bool live;                  /* it counts */
  bool waits;                 /* pause, yield, a back-off */
  bool pure;                  /* it only computes */
  bool counts;                /* changes a register by a constant */
  bool returns;               /* leaves the function */
  bool reached, ends;         /* from the entry; it can come to an end */
  int8_t through;             /* waits: by the address in a register; or -1 */
  bool loads;                 /* … which this instruction has put there */
  bool fills;                 /* a gap: no instruction leads to it */
};

struct delay_search {
  struct lines *lines;
  const uint64_t *backoffs;
  uint32_t nbackoffs;
  bool clock;
  const char *loaded[GPRS]; /* functions whose addresses registers hold */
  bool lost;                /* a jump that cannot be followed */
  bool waits;
  VEC(struct delay_insn) at;
};

struct delay_search *delays_new(const uint64_t *backoffs, uint32_t n,
                                bool clock, struct lines *l) {
  struct delay_search *s = xcalloc(1, sizeof *s);
  s->backoffs = backoffs;
  s->nbackoffs = n;
  s->clock = clock;
  s->lines = l;
  return s;
}

void delays_free(struct delay_search *s) {
  vec_free(&s->at);
  free(s);
}

/* ---- what instructions do ---- */

static bool only_computes(unsigned id) {
  static const unsigned list[] = {
      X86_INS_MOV,    X86_INS_MOVZX, X86_INS_MOVSX,  X86_INS_MOVSXD,
      X86_INS_LEA,    X86_INS_ADD,   X86_INS_SUB,    X86_INS_AND,
      X86_INS_OR,     X86_INS_XOR,   X86_INS_INC,    X86_INS_DEC,
      X86_INS_NEG,    X86_INS_NOT,   X86_INS_SHL,    X86_INS_SAL,
      X86_INS_SHR,    X86_INS_SAR,   X86_INS_CMP,    X86_INS_TEST,
      X86_INS_IMUL,   X86_INS_CDQE,  X86_INS_PAUSE,  X86_INS_CMOVA,
      X86_INS_CMOVAE, X86_INS_CMOVB, X86_INS_CMOVBE, X86_INS_CMOVE,
      X86_INS_CMOVNE, X86_INS_CMOVG, X86_INS_CMOVGE, X86_INS_CMOVL,
      X86_INS_CMOVLE, X86_INS_CMOVS, X86_INS_CMOVNS, X86_INS_MOVABS};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i] == id)
      return true;
  return false;
}

/* inc, dec and shifts leave some flags as they were. */
static bool sets_all_flags(unsigned id) {
  return id == X86_INS_CMP || id == X86_INS_TEST || id == X86_INS_SUB ||
         id == X86_INS_ADD || id == X86_INS_AND || id == X86_INS_OR ||
         id == X86_INS_XOR || id == X86_INS_NEG;
}

static bool is_conditional_move(unsigned id) {
  return id == X86_INS_CMOVA || id == X86_INS_CMOVAE || id == X86_INS_CMOVB ||
         id == X86_INS_CMOVBE || id == X86_INS_CMOVE || id == X86_INS_CMOVNE ||
         id == X86_INS_CMOVG || id == X86_INS_CMOVGE || id == X86_INS_CMOVL ||
         id == X86_INS_CMOVLE || id == X86_INS_CMOVS || id == X86_INS_CMOVNS;
}

/* add, sub, inc, dec or a shift to the right, of a register by a constant. */
static bool counts(const struct code_insn *i) {
  const cs_x86_op *by = code_operand(i, 1);
  switch (code_id(i)) {
  case X86_INS_INC:
  case X86_INS_DEC:
    return true;
  case X86_INS_ADD:
  case X86_INS_SUB:
  case X86_INS_SHR:
    return !by || (by->type == X86_OP_IMM && by->imm != 0);
  default:
    return false;
  }
}

/* The masks of an instruction; false: it touches more than general registers
 * and flags. */
static bool read_registers(const struct code_insn *i, struct delay_insn *to) {
  cs_regs reads, writes;
  uint8_t nreads, nwrites;
  bool all = true;
  int width;
  if (cs_regs_access((csh)i->handle, i->raw, reads, &nreads, writes, &nwrites))
    return to->uses = to->defs = ALL, false;
  for (int k = 0; k < nreads; k++) {
    int r =
        reads[k] == X86_REG_EFLAGS ? FLAGS : code_register(reads[k], &width);
    if (r < 0)
      all &= reads[k] == X86_REG_RIP;
    else
      to->uses |= 1u << r;
  }
  for (int k = 0; k < nwrites; k++) {
    bool flags = writes[k] == X86_REG_EFLAGS;
    int r = flags ? FLAGS : code_register(writes[k], &width);
    if (r < 0) {
      all = false;
      continue;
    }
    to->defs |= 1u << r;
    if (flags ? sets_all_flags(code_id(i)) : width >= 4)
      to->kills |= 1u << r;
    else
      to->uses |= flags ? 0 : 1u << r;
  }
  if (is_conditional_move(code_id(i)))
    to->uses |= to->defs, to->kills = 0;
  return all;
}

/* By its address, or by its name through a linker stub. */
static bool is_backoff(const struct delay_search *s,
                       const struct code_insn *i) {
  for (uint32_t n = 0; n < s->nbackoffs; n++) {
    const struct line_symbol *f =
        i->symbol ? lines_symbol_at(s->lines, s->backoffs[n], true) : NULL;
    if (i->symbol ? f && !strcmp(f->name, i->symbol)
                  : i->target && i->target == s->backoffs[n])
      return true;
  }
  return false;
}

static bool is_yield(const struct delay_search *s, const char *symbol) {
  static const char *const always[] = {"sched_yield", "pthread_yield",
                                       "thrd_yield", NULL};
  static const char *const asleep[] = {"usleep", "sleep", NULL};
  if (!symbol || !begins(symbol, "__wrap_"))
    return false;
  const char *name = symbol + strlen("__wrap_");
  for (int k = 0; always[k]; k++)
    if (!strcmp(name, always[k]))
      return true;
  for (int k = 0; !s->clock && asleep[k]; k++)
    if (!strcmp(name, asleep[k]))
      return true;
  return false;
}

/* rax has the number of vector registers, if the function takes any number of
 * arguments. */
static bool may_be_variadic(const char *symbol) {
  return !symbol || !(begins(symbol, "__tsan_") || begins(symbol, "__wrap_")) ||
         strstr(symbol, "printf") || strstr(symbol, "syscall") ||
         strstr(symbol, "open") || strstr(symbol, "ctl");
}

static void take_call(struct delay_search *s, const struct code_insn *i,
                      struct delay_insn *to) {
  const cs_x86_op *by = code_operand(i, 0);
  int width,
      r = by && by->type == X86_OP_REG ? code_register(by->reg, &width) : -1;
  to->waits = is_backoff(s, i) || is_yield(s, r < 0 ? i->symbol : s->loaded[r]);
  to->through = (int8_t)r;
  to->live = !to->waits;
  to->uses = to->waits ? 0 : ARGUMENTS;
  if (!may_be_variadic(i->symbol))
    to->uses &= ~(1u << RAX);
  to->defs = to->kills = CALLER_SAVED;
}

/* mov reg, [a function's address in the linker's table]: clang keeps it there
 * for several calls. */
static void note_load(struct delay_search *s, const struct code_insn *i,
                      struct delay_insn *to) {
  to->loads = i->symbol && code_id(i) == X86_INS_MOV && code_memory(i);
  for (int r = 0; r < GPRS; r++)
    if (to->defs >> r & 1)
      s->loaded[r] = to->loads ? i->symbol : NULL;
}

static void take_plain(struct delay_search *s, const struct code_insn *i,
                       struct delay_insn *to) {
  bool memory = code_memory(i) && code_id(i) != X86_INS_LEA;
  if (code_id(i) == X86_INS_NOP) {
    to->pure = to->fills = true;
    return;
  }
  bool all = read_registers(i, to);
  to->waits = code_id(i) == X86_INS_PAUSE;
  to->counts = counts(i);
  note_load(s, i, to);
  to->pure =
      all && !memory && !(to->defs >> RSP & 1) && only_computes(code_id(i));
  to->live = !to->pure;
}

void delays_visit(struct delay_search *s, const struct code_insn *i) {
  struct delay_insn to = {.pc = i->pc,
                          .target = i->target,
                          .size = (uint8_t)i->size,
                          .kind = (uint8_t)i->kind,
                          .through = -1,
                          .next = {NOWHERE, NOWHERE},
                          .meet = NOWHERE};
  if (s->at.len >= MOST)
    return;
  switch (i->kind) {
  case CODE_CALL:
    take_call(s, i, &to);
    break;
  case CODE_BRANCH:
    read_registers(i, &to);
    s->lost |= !i->target;
    to.live = to.uses != 1u << FLAGS; /* not of the flags: loop, jrcxz */
    break;
  case CODE_JUMP:
    s->lost |= !i->target && !i->symbol;
    break;
  case CODE_RETURN:
  case CODE_STOP:
    to.returns = to.live = true;
    to.uses = ALL;
    break;
  case CODE_PLAIN:
    take_plain(s, i, &to);
    break;
  }
  s->waits |= to.waits;
  vec_push(&s->at, to);
}

/* ---- the graph ---- */

static uint32_t at_pc(const struct delay_search *s, uint64_t pc) {
  uint32_t lo = 0, hi = s->at.len;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (s->at.at[mid].pc < pc)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < s->at.len && s->at.at[lo].pc == pc ? lo : NOWHERE;
}

/* The register of a wait has one address in the whole function. */
static void check_loads(struct delay_search *s) {
  for (uint32_t k = 0; k < s->at.len; k++) {
    struct delay_insn *call = &s->at.at[k];
    uint32_t loads = 0, others = 0;
    for (uint32_t n = 0; call->waits && call->through >= 0 && n < s->at.len;
         n++) {
      const struct delay_insn *i = &s->at.at[n];
      bool sets = i->kind == CODE_PLAIN && i->defs >> call->through & 1;
      loads += sets && i->loads;
      others += sets && !i->loads && !(i->defs >> RSP & 1); /* no pop */
    }
    if (others || loads > 1) {
      call->waits = false;
      call->live = true;
      call->uses = ARGUMENTS | 1u << call->through;
    }
  }
}

/* A jump out of the function is its end, as far as this function is
 * concerned: what is live there, is unknown. */
static void link_all(struct delay_search *s) {
  for (uint32_t k = 0; k < s->at.len; k++) {
    struct delay_insn *i = &s->at.at[k];
    uint32_t behind = k + 1 < s->at.len ? k + 1 : NOWHERE;
    if (i->kind == CODE_JUMP || i->kind == CODE_BRANCH)
      i->next[1] = at_pc(s, i->target);
    if (i->kind != CODE_JUMP && !i->returns)
      i->next[0] = behind;
    bool leaves = (i->kind == CODE_JUMP || i->kind == CODE_BRANCH) &&
                  i->next[1] == NOWHERE;
    if (leaves || (i->next[0] == NOWHERE && i->kind != CODE_JUMP)) {
      i->live = i->returns = true;
      i->uses = ALL;
    }
  }
}

/* What instructions lead to, from the entry; what leads to an end. */
static void find_reached(struct delay_search *s) {
  s->at.at[0].reached = true;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < s->at.len; k++) {
      struct delay_insn *i = &s->at.at[k];
      bool ends = i->returns;
      for (int n = 0; n < 2; n++) {
        struct delay_insn *to =
            i->next[n] == NOWHERE ? NULL : &s->at.at[i->next[n]];
        ends |= to && to->ends;
        more |= to && i->reached && !to->reached;
        if (to)
          to->reached |= i->reached;
      }
      more |= ends != i->ends;
      i->ends = ends;
    }
  }
}

/* ---- what is live ---- */

static void flow_back(struct delay_search *s) {
  for (bool more = true; more;) {
    /* No instruction leads to the code for an exception: any call does. */
    uint32_t pads = 0;
    for (uint32_t k = 0; k < s->at.len; k++)
      if (!s->at.at[k].reached && !s->at.at[k].fills)
        pads |= s->at.at[k].in;
    more = false;
    for (uint32_t k = s->at.len; k--;) {
      struct delay_insn *i = &s->at.at[k];
      uint32_t out = i->returns ? ALL : 0;
      for (int n = 0; n < 2; n++)
        if (i->next[n] != NOWHERE)
          out |= s->at.at[i->next[n]].in;
      if (i->kind == CODE_CALL)
        out |= pads;
      /* Dead ones too: if what they set were live, they would be. */
      uint32_t in = (out & ~i->kills) | (i->live ? i->uses : 0);
      more |= in != i->in || out != i->out;
      i->in = in;
      i->out = out;
    }
  }
}

/* The instructions that all ways from k come through: a row of bits for each,
 * with a virtual one behind the ends. */
struct delay_rows {
  uint64_t *bits;
  uint32_t words, n;
};
static uint64_t *row(const struct delay_rows *r, uint32_t k) {
  return r->bits + (size_t)k * r->words;
}

static bool meet_rows(const struct delay_search *s, struct delay_rows *r,
                      uint32_t k, uint64_t *now) {
  const struct delay_insn *i = &s->at.at[k];
  memset(now, i->returns ? 0 : 0xff, r->words * sizeof *now);
  for (int n = 0; n < 2; n++)
    if (i->next[n] != NOWHERE)
      for (uint32_t w = 0; w < r->words; w++)
        now[w] &= row(r, i->next[n])[w];
  now[k / 64] |= UINT64_C(1) << k % 64;
  bool changed = memcmp(now, row(r, k), r->words * sizeof *now) != 0;
  memcpy(row(r, k), now, r->words * sizeof *now);
  return changed;
}

/* Sets `meet` of the branches: the nearest instruction behind that all ways
 * come through. */
static void find_meets(struct delay_search *s) {
  uint32_t n = s->at.len;
  struct delay_rows r = {.n = n, .words = (n + 63) / 64};
  r.bits = xmalloc((size_t)(n + 1) * r.words * sizeof *r.bits);
  memset(r.bits, 0xff, (size_t)(n + 1) * r.words * sizeof *r.bits);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = n; k--;)
      more |= meet_rows(s, &r, k, row(&r, n));
  }
  for (uint32_t k = 0; k < n; k++) {
    if (s->at.at[k].kind != CODE_BRANCH || s->at.at[k].returns)
      continue;
    /* The nearest has all the others behind it. */
    uint32_t best = NOWHERE, most = 0;
    for (uint32_t m = 0; m < n; m++) {
      if (m == k || !(row(&r, k)[m / 64] >> m % 64 & 1))
        continue;
      uint32_t behind = 0;
      for (uint32_t w = 0; w < r.words; w++)
        behind += (uint32_t)__builtin_popcountll(row(&r, m)[w]);
      if (behind > most)
        best = m, most = behind;
    }
    s->at.at[k].meet = best;
  }
  free(r.bits);
}

/* The instructions between a branch and where its ways meet. */
static void mark_between(const struct delay_search *s, uint32_t branch,
                         bool *between, uint32_t *stack) {
  uint32_t n = 0;
  memset(between, 0, s->at.len * sizeof *between);
  for (int k = 0; k < 2; k++)
    stack[n++] = s->at.at[branch].next[k];
  while (n) {
    uint32_t k = stack[--n];
    if (k == NOWHERE || k == s->at.at[branch].meet || between[k])
      continue;
    between[k] = true;
    for (int m = 0; m < 2; m++)
      stack[n++] = s->at.at[k].next[m];
  }
}

/* Does a counter end the loop?  The flags come from an instruction that
 * changes a register by a constant, or look at such a register. */
static bool is_counted(const struct delay_search *s, uint32_t branch,
                       const bool *between) {
  uint32_t counters = 0, others = 0, flags = branch;
  bool waits = false;
  for (uint32_t k = 0; k < s->at.len; k++) {
    const struct delay_insn *i = &s->at.at[k];
    if (!between[k])
      continue;
    waits |= i->waits;
    uint32_t once = i->defs & ~(1u << FLAGS);
    others |= i->counts ? counters & once : once;
    counters |= i->counts ? once : 0;
  }
  do {
    if (!flags-- || !between[flags])
      return false;
  } while (!(s->at.at[flags].defs >> FLAGS & 1));
  const struct delay_insn *f = &s->at.at[flags];
  return waits && ((f->uses | f->defs) & counters & ~others) != 0;
}

/* Must the branch be taken as it is? */
static bool decides(const struct delay_search *s, uint32_t branch,
                    bool *between, uint32_t *stack) {
  const struct delay_insn *b = &s->at.at[branch];
  if (b->meet == NOWHERE)
    return true;
  mark_between(s, branch, between, stack);
  for (uint32_t k = 0; k < s->at.len; k++)
    if (between[k] && (s->at.at[k].live || !s->at.at[k].ends))
      return true;
  return between[branch] && !is_counted(s, branch, between);
}

static void mark_live(struct delay_search *s) {
  uint32_t n = s->at.len;
  bool *between = xcalloc(n + 1, sizeof *between);
  uint32_t *stack = xmalloc((2 * (size_t)n + 4) * sizeof *stack);
  for (bool more = true; more;) {
    more = false;
    flow_back(s);
    for (uint32_t k = 0; k < n; k++) {
      struct delay_insn *i = &s->at.at[k];
      if (i->live || i->kind == CODE_JUMP)
        continue;
      /* What a call leaves in other registers than rax nobody reads. */
      uint32_t defs = i->kind == CODE_CALL ? 1u << RAX : i->defs;
      bool needed = i->kind == CODE_BRANCH ? decides(s, k, between, stack)
                                           : (defs & i->out) != 0;
      more |= needed;
      i->live = needed;
    }
  }
  free(between);
  free(stack);
}

/* ---- the answer ---- */

/* Steps from k to `meet`, by any way; NOWHERE: none. */
static uint32_t distance(const struct delay_search *s, uint32_t k,
                         uint32_t meet, uint32_t *far) {
  for (uint32_t i = 0; i < s->at.len; i++)
    far[i] = NOWHERE;
  far[meet] = 0;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = s->at.len; i--;)
      for (int n = 0; n < 2; n++) {
        uint32_t next = s->at.at[i].next[n];
        if (next != NOWHERE && far[next] < NOWHERE && far[next] + 1 < far[i])
          far[i] = far[next] + 1, more = true;
      }
  }
  return k == NOWHERE ? NOWHERE : far[k];
}

static void put(site_list *out, const struct delay_insn *i,
                enum site_kind kind) {
  struct site s = {.pc = i->pc, .length = i->size, .kind = (uint8_t)kind};
  vec_push(out, s);
}

static void put_dead(const struct delay_search *s, site_list *out) {
  uint32_t *far = xmalloc((s->at.len + 1) * sizeof *far);
  for (uint32_t k = 0; k < s->at.len; k++) {
    const struct delay_insn *i = &s->at.at[k];
    if (i->live)
      continue;
    if (i->kind == CODE_BRANCH) {
      uint32_t behind = distance(s, i->next[0], i->meet, far);
      uint32_t there = distance(s, i->next[1], i->meet, far);
      put(out, i, behind <= there ? SITE_DEAD : SITE_GOTO);
    } else if (i->kind == CODE_PLAIN && i->defs & ~(1u << FLAGS)) {
      put(out, i, SITE_DEAD);
    }
  }
  free(far);
}

void delays_end(struct delay_search *s, site_list *out) {
  bool dead_branch = false;
  if (s->waits && !s->lost && s->at.len < MOST) {
    check_loads(s);
    link_all(s);
    find_reached(s);
    find_meets(s);
    mark_live(s);
    for (uint32_t k = 0; k < s->at.len; k++)
      dead_branch |= s->at.at[k].kind == CODE_BRANCH && !s->at.at[k].live;
    bool sleeps = false; /* for as long as a dead value says */
    for (uint32_t k = 0; k < s->at.len; k++)
      sleeps |= s->at.at[k].kind == CODE_CALL && s->at.at[k].waits;
    if (dead_branch || sleeps)
      put_dead(s, out);
  }
  vec_clear(&s->at);
  memset(s->loaded, 0, sizeof s->loaded);
  s->lost = s->waits = false;
}
