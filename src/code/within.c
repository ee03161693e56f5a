/* A part of the code, and where control goes inside of it: see code/within.h.
 */
#include "code/within.h"

#include "base/vec.h"
#include "code/flow_int.h"
#include "debug/lines_int.h"

#include <string.h>

enum { NONE = UINT32_MAX, STAYED = 1, LEFT = 2, MOVES = 8 };

/* ---- choosing ---- */

static void lead(const struct flow *f, uint8_t *leader, uint64_t pc) {
  uint32_t at = flow_insn_at(f, pc);
  if (at != NONE)
    leader[at] = 1;
}

/* Where basic blocks begin. */
static uint8_t *find_leaders(const struct flow *f) {
  uint8_t *leader = xcalloc((size_t)f->insns.len + 1, 1);
  for (uint32_t i = 0; i < f->insns.len; i++) {
    const struct flow_insn *n = &f->insns.at[i];
    if (!i || n[-1].kind != FLOW_PLAIN || n[-1].symbol != n->symbol)
      leader[i] = 1;
    if (n->kind == FLOW_JUMP || n->kind == FLOW_EITHER)
      lead(f, leader, n->target);
    for (uint32_t k = 0; k < n->ntargets; k++)
      lead(f, leader, f->targets.at[n->targets + k]);
  }
  return leader;
}

static bool is_call(const struct flow_insn *n) {
  return n->steps || n->calls || n->indirect;
}

/* Whether instruction `at` is on the line of what stands before its basic
 * block, which is where compilers put what has no line. */
static bool inherits(const struct flow *f, uint32_t leader, uint32_t at) {
  const struct flow_insn *n = f->insns.at;
  const struct line_row *r = lines_row_at(f->lines, n[at].pc);
  const struct line_row *before =
      leader ? lines_row_at(f->lines, n[leader - 1].pc) : NULL;
  return !r || (before && before->line == r->line && before->file == r->file);
}

/* Takes in what stands between the beginning of a basic block and its first
 * chosen instruction, if it is a move or two of the compiler's own. */
static void fill_start(struct within_code *w, uint32_t leader, uint32_t first) {
  if (first - leader > MOVES)
    return;
  for (uint32_t i = leader; i < first; i++)
    if (is_call(&w->f->insns.at[i]) || !inherits(w->f, leader, i))
      return;
  memset(w->part + leader, WITHIN_YES, first - leader);
}

/* Takes in what lies between chosen instructions of one basic block. */
static void fill_gaps(struct within_code *w, const uint8_t *leaders) {
  uint32_t last = NONE, leader = NONE; /* of the basic block */
  for (uint32_t i = 0; i < w->f->insns.len; i++) {
    if (leaders[i]) {
      leader = i;
      last = NONE;
    }
    if (w->part[i] != WITHIN_YES) {
      if (is_call(&w->f->insns.at[i]))
        leader = last = NONE;
      continue;
    }
    if (last != NONE)
      memset(w->part + last, WITHIN_YES, i - last);
    else if (leader != NONE)
      fill_start(w, leader, i);
    last = i;
  }
}

void within_init(struct within_code *w, const struct flow *f, within_fn *choose,
                 void *ctx) {
  size_t n = (size_t)f->insns.len + 1;
  *w = (struct within_code){f, xcalloc(n, 1), xcalloc(n, 1),
                            xcalloc(2 * n, sizeof *w->todo)};
  for (uint32_t i = 0; i < f->insns.len; i++) {
    w->part[i] = (uint8_t)choose(ctx, f->insns.at[i].pc);
    if (w->part[i] == WITHIN_SUNK)
      w->part[i] = is_call(&f->insns.at[i]) ? WITHIN_NOT : WITHIN_UNKNOWN;
  }
  uint8_t *leader = find_leaders(f);
  fill_gaps(w, leader);
  free(leader);
}

static bool is_earlier(const struct flow *f, uint32_t at, uint32_t than) {
  const struct flow_insn *n = f->insns.at;
  const struct line_row *r = lines_row_at(f->lines, n[at].pc);
  const struct line_row *other = lines_row_at(f->lines, n[than].pc);
  return r && other && r->file == other->file && r->line < other->line;
}

/* Where what was put off ends that begins behind `before`; `before` + 1: there
 * is nothing of the kind. */
static uint32_t end_of_late(const struct within_code *w, uint32_t before) {
  enum { MOST = 2 };
  const struct flow_insn *n = w->f->insns.at;
  uint32_t i = before + 1;
  while (i < w->f->insns.len && i - before <= MOST &&
         w->part[i] == WITHIN_NOT && n[i].kind == FLOW_PLAIN &&
         n[i].symbol == n[before].symbol && !is_call(&n[i]) &&
         is_earlier(w->f, i, before))
    i++;
  bool goes_on = i < w->f->insns.len && w->part[i] == WITHIN_YES &&
                 n[i].symbol == n[before].symbol && is_earlier(w->f, i - 1, i);
  return goes_on ? i : before + 1;
}

void within_take_late(struct within_code *w) {
  for (uint32_t i = 0; i + 1 < w->f->insns.len; i++) {
    enum flow_kind k = w->f->insns.at[i].kind;
    if (w->part[i] != WITHIN_YES || (k != FLOW_PLAIN && k != FLOW_EITHER))
      continue;
    uint32_t end = end_of_late(w, i);
    memset(w->part + i + 1, WITHIN_YES, end - i - 1);
  }
}

void within_free(struct within_code *w) {
  free(w->part);
  free(w->reached);
  free(w->todo);
}

uint32_t within_insn(const struct flow *f, uint64_t place) {
  uint32_t lo = 0, hi = f->insns.len; /* how many begin before the place */
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (f->insns.at[mid].pc < place)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (!lo || f->insns.at[lo - 1].pc + f->insns.at[lo - 1].size != place)
    return NONE;
  return lo - 1;
}

/* ---- walking ---- */

/*
 * Each instruction is reached at most twice: by control that has stayed, and by
 * control that has left, which stays so.
 */
struct within_search {
  struct within_code *w;
  uint32_t ntodo;
  uint32_t stop[2]; /* goes no further behind these */
  bool leaves;      /* follows control that has left */
};

static void reach(struct within_search *k, uint64_t pc, uint8_t how) {
  uint32_t at = flow_insn_at(k->w->f, pc);
  if (at == NONE)
    return;
  if (k->w->part[at] == WITHIN_NOT)
    how = LEFT;
  if (k->w->reached[at] & how || (how == LEFT && !k->leaves))
    return;
  k->w->reached[at] |= how;
  k->w->todo[k->ntodo++] = at << 1 | (how == LEFT);
}

static void go_on(struct within_search *k, uint32_t at, uint8_t how) {
  const struct flow *f = k->w->f;
  const struct flow_insn *n = &f->insns.at[at];
  if (n->kind == FLOW_PLAIN || n->kind == FLOW_EITHER)
    reach(k, n->pc + n->size, how);
  if (n->kind == FLOW_JUMP || n->kind == FLOW_EITHER)
    reach(k, n->target, how);
  for (uint32_t i = 0; i < n->ntargets; i++)
    reach(k, f->targets.at[n->targets + i], how);
}

static void walk(struct within_search *k, uint64_t from) {
  memset(k->w->reached, 0, k->w->f->insns.len);
  reach(k, from, STAYED);
  while (k->ntodo) {
    uint32_t next = k->w->todo[--k->ntodo], at = next >> 1;
    if (at != k->stop[0] && at != k->stop[1])
      go_on(k, at, next & 1 ? LEFT : STAYED);
  }
}

void within_walk(struct within_code *w, uint64_t from) {
  struct within_search k = {.w = w, .stop = {NONE, NONE}};
  walk(&k, from);
}

bool within_reached(const struct within_code *w, uint32_t insn) {
  return insn != NONE && w->reached[insn] & STAYED;
}

bool within_left(struct within_code *w, uint64_t from, uint64_t to) {
  uint32_t a = within_insn(w->f, from), b = within_insn(w->f, to);
  struct within_search k = {.w = w, .stop = {a, b}, .leaves = true};
  if (a == NONE || b == NONE)
    return true;
  walk(&k, from);
  return w->reached[b] & LEFT || !(w->reached[b] & STAYED);
}
