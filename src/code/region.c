/*
 * The code of a block of lines: the places in it, and from which of them
 * control reaches which without leaving the block.
 */
#include "code/region.h"

#include "base/text.h"
#include "code/code.h"
#include "code/flow_int.h"
#include "code/scope.h"
#include "code/sites.h"
#include "code/within.h"
#include "model/loops.h"

#include <stdlib.h>
#include <string.h>

struct region_step {
  uint64_t pc;   /* behind it */
  uint64_t what; /* the same number: the same kind of access, the same callee */
};
typedef VEC(struct region_step) place_vec;

/* ---- places ---- */

/* Calls that are no steps of the user's: entry and exit of functions. */
static bool is_bookkeeping(const char *symbol) {
  return symbol &&
         (begins(symbol, "__tsan_func_") || !strcmp(symbol, "__tsan_init"));
}

struct place_gatherer {
  place_vec places;
  struct site_search *search;
  site_list sites;
  const struct line_symbol *function;
};

static void take_place(void *ctx, const struct line_symbol *function,
                       const struct code_insn *i) {
  struct place_gatherer *g = ctx;
  if (g->function != function)
    sites_end(g->search);
  g->function = function;
  sites_visit(g->search, i);
  if (i->kind != CODE_CALL || is_bookkeeping(i->symbol))
    return;
  struct region_step one = {i->pc + i->size, 0};
  if (i->symbol)
    one.what = hash64(i->symbol, strlen(i->symbol), 0);
  vec_push(&g->places, one);
}

static int by_address(const void *a, const void *b) {
  const struct region_step *x = a, *y = b;
  return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* All places of the object, sorted. */
static int gather_places(struct lines *l, place_vec *out, struct error *e) {
  struct place_gatherer g = {0};
  g.search = sites_new(&g.sites);
  int err = code_walk(l, take_place, &g, e);
  sites_end(g.search);
  for (uint32_t i = 0; i < g.sites.len; i++) {
    const struct site *k = &g.sites.at[i];
    if (k->kind != SITE_HOOK)
      vec_push(&g.places, ((struct region_step){k->pc + k->length, k->kind}));
  }
  if (g.places.len)
    qsort(g.places.at, g.places.len, sizeof *g.places.at, by_address);
  sites_free(g.search);
  vec_free(&g.sites);
  *out = g.places;
  return err;
}

/* ---- blocks ---- */

static bool equal(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

static bool on_lines(const struct scope *s, const struct code_block *b) {
  return code_block_has_line(b, s->file, s->function, s->line);
}

struct region_place { /* a place in the block */
  uint64_t pc, copy, what;
  uint64_t callee; /* the copy of an inlined function that it is in, or 0 */
  uint32_t line, column;
  uint64_t begins; /* the lowest address of those that the source has as one */
  uint64_t entry;  /* the lowest address in the callee */
};
typedef VEC(struct region_place) inside_vec;

/* In which copy of its function the place lies in the block: the outermost, if
 * the function was inlined into itself. */
static bool find_place(struct scopes *s, const struct code_block *b,
                       const struct region_step *step,
                       struct region_place *out) {
  struct scope at[SCOPES_AT_MOST];
  uint32_t n = scopes_at(s, step->pc, at);
  for (uint32_t i = 0; i < n; i++)
    if (on_lines(&at[i], b)) {
      *out = (struct region_place){.pc = step->pc,
                                   .copy = at[i].copy,
                                   .what = step->what,
                                   .callee = i + 1 < n ? at[i + 1].copy : 0,
                                   .line = at[i].line,
                                   .column = at[i].column,
                                   .begins = step->pc,
                                   .entry = step->pc};
      return true;
    }
  return false;
}

struct block_chooser {
  struct lines *lines;
  struct scopes *scopes;
  const struct code_block *block;
  struct loops *loops;
  uint64_t copy;
};

static bool mentions(const struct place *p, const char *function) {
  while (p && !equal(p->function, function))
    p = p->next;
  return p != NULL;
}

/* Compilers put off what only the block needs: `int top = key % 2 + 1;` before
 * a loop is computed in each of its rounds.  No loop leads back there. */
static bool is_sunk(const struct block_chooser *c, const struct scope *s) {
  const struct code_block *b = c->block;
  if (!equal(s->file, b->file) || s->line >= b->first)
    return false;
  const struct loops_file *f = loops_of_file(c->loops, b->file);
  return f->nlines >= b->last && !loops_around(f, s->line, b->last);
}

static enum within in_block(void *ctx, uint64_t pc) {
  const struct block_chooser *c = ctx;
  struct scope at[SCOPES_AT_MOST];
  if (!mentions(lines_place(c->lines, pc), c->block->function))
    return WITHIN_NOT; /* most of the code; the rest costs more */
  uint32_t n = scopes_at(c->scopes, pc + 1, at);
  for (uint32_t i = 0; i < n; i++)
    if (at[i].copy == c->copy)
      return !at[i].line                  ? WITHIN_UNKNOWN
             : on_lines(&at[i], c->block) ? WITHIN_YES
             : is_sunk(c, &at[i])         ? WITHIN_SUNK
                                          : WITHIN_NOT;
  return WITHIN_NOT;
}

/* Unrolling makes several places of one in the source.  By their first copies
 * it is known which of a line comes first: the read or the write of `n++`. */
static void find_beginnings(inside_vec *in) {
  for (uint32_t i = 0; i < in->len; i++)
    for (uint32_t k = 0; k < in->len; k++) {
      const struct region_place *p = &in->at[k];
      if (p->callee == in->at[i].callee && p->pc < in->at[i].entry)
        in->at[i].entry = p->pc;
      if (p->line == in->at[i].line && p->column == in->at[i].column &&
          p->what == in->at[i].what && p->pc < in->at[i].begins)
        in->at[i].begins = p->pc;
    }
}

/* Whether the loop around the block has gone on to another round. */
static bool begins_round(const struct block_chooser *c,
                         const struct region_place *from,
                         const struct region_place *to) {
  if (!c->block->loop_first)
    return false;
  const struct loops_file *f = loops_of_file(c->loops, c->block->file);
  bool down = from->line < to->line;
  const struct loop *in = loops_around(f, down ? from->line : to->line,
                                       down ? to->line : from->line);
  if (in &&
      (in->first > c->block->loop_first || in->last < c->block->loop_last))
    return false; /* of a loop inside of the block */
  if (from->callee && from->callee == to->callee)
    return to->pc == to->entry &&
           !scopes_stayed(c->scopes, from->callee, from->pc, to->pc);
  uint64_t before = loops_position(f, from->line, from->column),
           now = loops_position(f, to->line, to->column);
  return before == now ? to->begins <= from->begins : now < before;
}

static void fill_row(struct within_code *w, const struct block_chooser *c,
                     const inside_vec *in, uint32_t from, uint8_t *row) {
  within_walk(w, in->at[from].pc);
  for (uint32_t to = 0; to < in->len; to++)
    row[to] = in->at[to].copy == in->at[from].copy &&
              within_reached(w, within_insn(w->f, in->at[to].pc)) &&
              !begins_round(c, &in->at[from], &in->at[to]);
}

/* Copy by copy: from one into another, control has left the block. */
static void fill_stays(struct flow *f, struct block_chooser *c,
                       const inside_vec *in, uint8_t *stays) {
  uint8_t *done = xcalloc(in->len, 1);
  for (uint32_t i = 0; i < in->len; i++) {
    struct within_code w;
    if (done[i])
      continue;
    c->copy = in->at[i].copy;
    within_init(&w, f, in_block, c);
    within_take_late(&w);
    for (uint32_t k = i; k < in->len; k++)
      if (in->at[k].copy == c->copy) {
        fill_row(&w, c, in, k, stays + (size_t)k * in->len);
        done[k] = 1;
      }
    within_free(&w);
  }
  free(done);
}

static struct region region_of(struct flow *f, struct scopes *s,
                               const struct code_block *b, struct loops *loops,
                               const place_vec *places, struct arena *a) {
  struct block_chooser c = {
      .lines = f->lines, .scopes = s, .block = b, .loops = loops};
  inside_vec in = {0};
  struct region_place one;
  for (uint32_t i = 0; i < places->len; i++)
    if (find_place(s, b, &places->at[i], &one))
      vec_push(&in, one);
  find_beginnings(&in);
  uint64_t *pcs = arena_alloc(a, (in.len + 1) * sizeof *pcs);
  uint8_t *stays = arena_alloc(a, (size_t)in.len * in.len + 1);
  for (uint32_t i = 0; i < in.len; i++)
    pcs[i] = in.at[i].pc;
  fill_stays(f, &c, &in, stays);
  struct region r = {in.len, pcs, stays};
  vec_free(&in);
  return r;
}

int regions_of_cause(struct flow *f, struct cause c, struct loops *loops,
                     struct arena *a, struct regions *out, struct error *e) {
  place_vec places;
  *out = (struct regions){0};
  if (gather_places(f->lines, &places, e)) {
    vec_free(&places);
    return e->code;
  }
  struct scopes *s = scopes_open(f->lines, f);
  struct region *at = arena_alloc(a, (c.nblocks + 1) * sizeof *at);
  for (uint32_t i = 0; i < c.nblocks; i++)
    at[i] = region_of(f, s, &c.blocks[i], loops, &places, a);
  *out = (struct regions){at, c.nblocks};
  scopes_close(s);
  vec_free(&places);
  return ERR_NONE;
}
