/*
 * Which accesses begin another round of a loop (model/loops.h).
 *
 * A step leads from an access to the next one of the same execution of a
 * function.  It goes back when its position is an earlier one, or when it comes
 * again to the same place (line, column, reading or writing) of one position.
 * A step back is another round of the innermost loop that has both lines.
 *
 *   12 read, 13 write | 12 read, 13 write     a loop over two lines
 *   12 read, 12 write | 12 read, 12 write     a[i] = a[i] + 1, all on one line
 *
 * Sources do not show all loops: some are made by macros, and a file of traces
 * has no sources.  What is executed twice in one execution of a function, at
 * one address, is in a loop as well, with all that comes in between.
 */
#include "locate/section.h"

enum { LOOK_BACK = 64 }; /* accesses in a round, of a loop that is learnt */

/* ---- loops that no source shows ---- */

static bool is_known(const struct section_frame *f) {
  return f->file && f->line;
}

/* Whether both are in one call that goes on, further inside. */
static bool has_not_moved(const struct section_trace *s, uint32_t a, uint32_t b,
                          uint32_t depth) {
  return depth + 1 < section_depth(s, a) && depth + 1 < section_depth(s, b) &&
         section_frames(s, a)[depth + 1].instance ==
             section_frames(s, b)[depth + 1].instance;
}

static bool is_innermost(const struct section_trace *s, uint32_t node,
                         uint32_t depth) {
  return depth + 1 == section_depth(s, node);
}

static bool is_again(const struct section_trace *s, uint32_t before,
                     uint32_t now, uint32_t depth) {
  const struct section_frame *x = &section_frames(s, before)[depth],
                             *y = &section_frames(s, now)[depth];
  return x->pc == y->pc && x->line == y->line &&
         is_innermost(s, before, depth) == is_innermost(s, now, depth) &&
         (!is_innermost(s, now, depth) || s->conflicts->nodes[before].writes ==
                                              s->conflicts->nodes[now].writes);
}

/* The lines since the same was executed last, if it was. */
static void learn_at(const struct section_trace *s, uint32_t node,
                     uint32_t depth, struct loops *loops) {
  const struct conflicts *c = s->conflicts;
  const struct node *n = &c->nodes[node];
  const struct section_frame *y = &section_frames(s, node)[depth];
  uint32_t first = y->line, last = y->line, after = node;
  for (uint32_t p = n->pos; --p && n->pos - p <= LOOK_BACK;) {
    uint32_t x = node_at(c, n->thread, p);
    if (depth >= section_depth(s, x) ||
        section_frames(s, x)[depth].instance != y->instance)
      return;
    const struct section_frame *f = &section_frames(s, x)[depth];
    first = f->line && f->line < first ? f->line : first;
    last = f->line > last ? f->line : last;
    bool moved = !has_not_moved(s, x, after, depth);
    after = x;
    if (!moved || !is_again(s, x, node, depth))
      continue;
    struct loops_file *of = loops_of_file(loops, y->file);
    if ((y->column || first < last) && !loops_around(of, first, last))
      loops_add(of, (struct loop){.first = first, .last = last});
    return;
  }
}

void section_learn_loops(const struct section_trace *s, struct loops *loops) {
  for (uint32_t n = 0; n < s->conflicts->nnodes; n++)
    for (uint32_t i = 0; i < section_depth(s, n); i++)
      if (is_known(&section_frames(s, n)[i]))
        learn_at(s, n, i, loops);
}

/* ---- rounds ---- */

/* What was executed at one position, since control came to it. */
struct position_seen {
  VEC(uint64_t) places;
  uint64_t copy, entry; /* the inlined function that control is in, and its
                           first access there; 0: none */
};

struct round_finder {
  struct section_trace *s;
  struct loops *loops;
  const char *file; /* whose loops were looked up last */
  const struct loops_file *of;
  VEC(struct position_seen) seen; /* of the thread, by depth */
};

static const struct loops_file *loops_here(struct round_finder *r,
                                           const char *file) {
  if (r->file != file) {
    r->file = file;
    r->of = loops_of_file(r->loops, file);
  }
  return r->of;
}

static bool has(const struct position_seen *v, uint64_t place) {
  for (uint32_t i = 0; i < v->places.len; i++)
    if (v->places.at[i] == place)
      return true;
  return false;
}

static uint64_t place_of(const struct round_finder *r, uint32_t node,
                         uint32_t depth) {
  const struct section_frame *f = &section_frames(r->s, node)[depth];
  bool writes =
      is_innermost(r->s, node, depth) && r->s->conflicts->nodes[node].writes;
  return (uint64_t)f->line << 32 | (uint64_t)(f->column & INT32_MAX) << 1 |
         writes;
}

/* The copy of an inlined function that the access is in, seen from the frame,
 * or 0. */
static uint64_t copy_in(const struct section_trace *s, uint32_t node,
                        uint32_t depth) {
  const struct section_frame *f = section_frames(s, node) + depth;
  return depth + 1 < section_depth(s, node) && f[1].pc == f->pc ? f[1].copy : 0;
}

/*
 * Whether control is in the same inlined function as before.  Where that has a
 * loop of its own it is not certain (N1: the instance is another one); but an
 * execution of it that is new begins where the last one did.
 */
static bool stays_in_copy(const struct section_trace *s,
                          struct position_seen *seen, uint32_t node,
                          uint32_t depth) {
  uint64_t copy = copy_in(s, node, depth);
  uint64_t pc = section_frames(s, node)[depth].pc;
  bool same = copy && copy == seen->copy && pc != seen->entry;
  if (!same) {
    seen->copy = copy;
    seen->entry = pc;
  }
  return same;
}

/* The step to `y`, a frame of node `now`, from the one before it. */
static void step(struct round_finder *r, uint32_t before, uint32_t now,
                 uint32_t depth) {
  const struct section_frame *x = &section_frames(r->s, before)[depth];
  struct section_frame *y = r->s->frames.at + r->s->at[now] + depth;
  struct position_seen *seen = &r->seen.at[depth];
  if (!is_known(x) || !is_known(y) || has_not_moved(r->s, before, now, depth) ||
      stays_in_copy(r->s, seen, now, depth))
    return;
  const struct loops_file *f = loops_here(r, y->file);
  uint64_t from = loops_position(f, x->line, x->column),
           to = loops_position(f, y->line, y->column);
  uint64_t place = place_of(r, now, depth);
  bool back = to < from || (to == from && y->column && has(seen, place));
  if (to != from || back)
    vec_clear(&seen->places);
  vec_push(&seen->places, place);
  const struct loop *l =
      !back ? NULL
            : loops_around(f, x->line < y->line ? x->line : y->line,
                           x->line < y->line ? y->line : x->line);
  if (l) {
    y->crossed_first = l->first;
    y->crossed_last = l->last;
  }
}

static void enter(struct round_finder *r, uint32_t node, uint32_t depth) {
  struct position_seen *seen = &r->seen.at[depth];
  vec_clear(&seen->places);
  vec_push(&seen->places, place_of(r, node, depth));
  seen->copy = copy_in(r->s, node, depth);
  seen->entry = section_frames(r->s, node)[depth].pc;
}

static void look_at(struct round_finder *r, uint32_t node) {
  const struct conflicts *c = r->s->conflicts;
  const struct node *n = &c->nodes[node];
  uint32_t before = n->pos > 1 ? node_at(c, n->thread, n->pos - 1) : node;
  uint32_t depth = section_depth(r->s, node);
  while (r->seen.len < depth)
    vec_push(&r->seen, (struct position_seen){0});
  for (uint32_t i = 0; i < depth; i++) {
    bool same = n->pos > 1 && i < section_depth(r->s, before) &&
                section_frames(r->s, before)[i].instance ==
                    section_frames(r->s, node)[i].instance;
    if (same)
      step(r, before, node, i);
    else
      enter(r, node, i);
  }
}

void section_find_rounds(struct section_trace *s, struct loops *loops) {
  struct round_finder r = {.s = s, .loops = loops};
  s->loops = loops;
  for (uint32_t i = 0; i < s->frames.len; i++)
    s->frames.at[i].crossed_first = s->frames.at[i].crossed_last = 0;
  for (uint32_t t = 0; t < s->conflicts->nthreads; t++)
    for (uint32_t p = 1; p <= thread_length(s->conflicts, t); p++)
      look_at(&r, node_at(s->conflicts, t, p));
  for (uint32_t i = 0; i < r.seen.len; i++)
    vec_free(&r.seen.at[i].places);
  vec_free(&r.seen);
}
