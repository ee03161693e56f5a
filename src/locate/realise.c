/* How lines could be made atomic: a lock, or one instruction. */
#include "locate/realise_int.h"

#include "locate/rivals.h"

#include <string.h>

/* ---- executions and rounds ---- */

/* The frame in which a node is in the block: the outermost, as in section.h. */
const struct section_frame *realise_frame(const struct code_block *b,
                                          const struct section_trace *s,
                                          uint32_t node) {
  const struct section_frame *f = section_frames(s, node);
  for (uint32_t i = 0, n = section_depth(s, node); i < n; i++)
    if (covers(b, f[i].file, f[i].function, f[i].line))
      return &f[i];
  return NULL;
}

static bool is_innermost(const struct section_trace *s, uint32_t node,
                         const struct section_frame *f) {
  return f == section_frames(s, node) + section_depth(s, node) - 1;
}

/* Whether control is back where the round began. */
static bool begins_again(const struct code_block *b, const struct run *round,
                         uint32_t node) {
  const struct section_trace *s = round->t->section;
  uint32_t first = node_of(round, 0);
  uint32_t before = node_of(round, length(round) - 1);
  const struct section_frame *f = realise_frame(b, s, first),
                             *g = realise_frame(b, s, before),
                             *h = realise_frame(b, s, node);
  if (!f || !g || !h)
    return false;
  if (h->line <= f->line && h->line < g->line)
    return true;
  return is_innermost(s, first, f) && is_innermost(s, node, h) &&
         event_of(round->t, first)->pc &&
         event_of(round->t, first)->pc == event_of(round->t, node)->pc;
}

/* Cuts one execution; the rounds' nodes get units of their own. */
static void cut(struct realise_subject *s, const struct run *r,
                uint32_t *unit) {
  struct run round = {r->t, r->from, r->from};
  for (uint32_t i = 0; i < length(r); i++) {
    uint32_t node = node_of(r, i);
    if (length(&round) && begins_again(s->block, &round, node)) {
      vec_push(&s->rounds, round);
      round.from = round.to;
    }
    round.to++;
    unit[node] = s->rounds.len + 1;
  }
  vec_push(&s->rounds, round);
}

static void find_executions(struct realise_subject *s,
                            const struct realise_trace *t) {
  const struct conflicts *c = conflicts_of(t);
  struct rank_trace rank = {c, t->section};
  uint32_t *unit = xcalloc((size_t)c->nnodes + 1, sizeof *unit);
  uint32_t before = s->executions.len;
  section_units(NULL, (struct cause){s->block, 1}, &rank, unit);
  for (uint32_t i = 0, to; i < c->nnodes; i = to) {
    uint32_t u = unit[c->by_thread[i]];
    for (to = i + 1; to < c->nnodes && unit[c->by_thread[to]] == u;)
      to++;
    if (u != UNIT_ALONE)
      vec_push(&s->executions, ((struct run){t, i, to}));
  }
  bool forbidden = !t->good && conflicts_cyclic(c, unit);
  for (uint32_t i = before; i < s->executions.len; i++)
    cut(s, &s->executions.at[i], unit);
  if (forbidden && !conflicts_cyclic(c, unit))
    s->rounds_are_enough = false;
  free(unit);
}

static bool has_pairs(const run_vec *v) {
  for (uint32_t i = 0; i < v->len; i++)
    if (length(&v->at[i]) > 1)
      return true;
  return false;
}

/* ---- a lock that is not there yet ---- */

enum { MOST_PLACES = 6 };

typedef VEC(struct code_block) place_vec;

/* Where an access is in the block's file, seen from the inside, or NULL. */
static const struct section_frame *place_in_file(const struct code_block *b,
                                                 const struct section_trace *s,
                                                 uint32_t node) {
  const struct section_frame *f = section_frames(s, node);
  for (uint32_t i = section_depth(s, node); i-- > 0;)
    if (b->file && f[i].file && f[i].function && !strcmp(b->file, f[i].file))
      return &f[i];
  return NULL;
}

static void add_place(place_vec *v, const struct section_frame *f) {
  struct code_block place = {f->file, f->function, f->line, f->line};
  uint32_t i = v->len;
  for (uint32_t k = 0; k < v->len; k++)
    if (!code_block_compare(&v->at[k], &place))
      return;
  vec_push(v, place);
  for (; i && code_block_compare(&v->at[i - 1], &place) > 0; i--)
    v->at[i] = v->at[i - 1];
  v->at[i] = place;
}

static void find_places(struct cause c, const struct realise_trace *t,
                        place_vec *v) {
  struct rivals r;
  rivals_find(&r, t->trace, t->section, c);
  for (uint32_t i = 0; i < conflicts_of(t)->nnodes; i++) {
    const struct section_frame *f =
        r.of[i] && !r.inside[i] ? place_in_file(&c.blocks[0], t->section, i)
                                : NULL;
    if (f)
      add_place(v, f);
  }
  rivals_free(&r);
}

/* "line 35 in push(); lines 61, 63 in get()" */
static void put_places(const place_vec *v, struct buf *out) {
  for (uint32_t i = 0, to; i < v->len; i = to) {
    const char *in = v->at[i].function;
    for (to = i + 1; to < v->len && !strcmp(v->at[to].function, in);)
      to++;
    buf_printf(out, "%s line%s ", i ? ";" : ":", to > i + 1 ? "s" : "");
    for (uint32_t k = i; k < to; k++)
      buf_printf(out, "%s%u", k > i ? ", " : "", v->at[k].first);
    buf_printf(out, " in %s()", in);
  }
}

void realise_new_lock(struct cause blocks, const struct realise_trace *t,
                      uint32_t n, struct buf *out) {
  place_vec v = {0};
  for (uint32_t i = 0; i < n; i++)
    find_places(blocks, &t[i], &v);
  buf_puts(out, "one lock around these lines, and around every other place "
                "that touches the same data");
  if (v.len <= MOST_PLACES)
    put_places(&v, out);
  vec_free(&v);
}

bool realise_alone(const struct realise_words *w, const struct code_block *b,
                   const struct realise_trace *t, uint32_t n, struct buf *out) {
  bool known = true;
  struct realise_subject s = {
      .words = w, .block = b, .rounds_are_enough = true};
  for (uint32_t i = 0; i < n; i++)
    find_executions(&s, &t[i]);
  const run_vec *v =
      s.rounds_are_enough && has_pairs(&s.rounds) ? &s.rounds : &s.executions;
  if (has_pairs(v) && !realise_lock(&s, out) &&
      !realise_others(&s, t, n, out)) {
    known = realise_is_word(v);
    if (known)
      realise_word(&s, v, out);
  }
  vec_free(&s.executions);
  vec_free(&s.rounds);
  return known;
}

void realise(const struct realise_words *w, const struct code_block *b,
             const struct realise_trace *t, uint32_t n, struct buf *out) {
  if (!realise_alone(w, b, t, n, out))
    realise_new_lock((struct cause){b, 1}, t, n, out);
}
