/* Accesses and the lines around them: from segments to blocks. */
#include "locate/section.h"

#include <assert.h>
#include <string.h>

static bool equal(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

/* ---- frames ---- */

/* One real function on the way to an access. */
struct section_level {
  uint32_t activation;
  uint32_t inner;    /* activation of the next one inwards, or 0 */
  uint64_t pc;       /* the place in it */
  uint32_t first, n; /* its frames */
};

typedef VEC(struct section_level) level_vec;

struct section_builder {
  struct section_trace *s;
  struct scopes *scopes;
  const struct trace *t;
  level_vec *last; /* of each thread: the levels of its last node */
  level_vec now;
  uint32_t instances;
};

static void find_levels(struct section_builder *b, const struct event *e) {
  struct section_level l = {.activation = e->activation, .pc = e->pc};
  vec_clear(&b->now);
  while (l.activation) { /* from the inside out */
    vec_push(&b->now, l);
    l = (struct section_level){.activation =
                                   b->t->activations[l.activation].parent,
                               .inner = l.activation,
                               .pc = b->t->activations[l.activation].call_pc};
  }
  for (uint32_t i = 0, n = b->now.len; i < n / 2; i++) {
    struct section_level other = b->now.at[i];
    b->now.at[i] = b->now.at[n - 1 - i];
    b->now.at[n - 1 - i] = other;
  }
}

static uint32_t scopes_of(struct section_builder *b, uint64_t pc,
                          struct scope *out) {
  if (pc)
    return scopes_at(b->scopes, pc, out);
  *out = (struct scope){.role = PLACE_UNKNOWN};
  return 1;
}

/* Whether copy `i` of level `now` is being executed as it was before. */
static bool same_copy(const struct section_builder *b,
                      const struct section_level *before,
                      const struct section_level *now, uint32_t i,
                      uint64_t copy) {
  if (i >= before->n || b->s->frames.at[before->first + i].copy != copy)
    return false;
  return (now->inner && now->inner == before->inner) ||
         scopes_stayed(b->scopes, copy, before->pc, now->pc);
}

/* Of a function in two parts, the second goes on in the frame of the first. */
static bool goes_on(struct section_builder *b, uint32_t level,
                    const struct scope *c) {
  struct section_frame *last;
  if (!level || !c->rest)
    return false;
  last = &vec_last(&b->s->frames);
  if (!equal(last->function, c->function) || !equal(last->file, c->file))
    return false;
  last->line = c->line;
  last->column = c->column;
  return true;
}

/* Adds the frames of one level; `before` is the thread's last, NULL when the
 * activation is a new one.  Whether all are of the same instances. */
static bool add_level(struct section_builder *b, uint32_t level,
                      const struct section_level *before) {
  struct section_level *now = &b->now.at[level];
  struct scope scopes[SCOPES_AT_MOST];
  bool same = before != NULL;
  uint32_t n = scopes_of(b, now->pc, scopes);
  uint32_t skip = goes_on(b, level, &scopes[0]);
  now->first = b->s->frames.len;
  now->n = n - skip;
  for (uint32_t i = 0; i < now->n; i++) {
    const struct scope *c = &scopes[i + skip];
    bool real = i + skip == 0;
    same = same && (real || same_copy(b, before, now, i, c->copy));
    struct section_frame f = {.file = c->file,
                              .function = c->function,
                              .copy = c->copy,
                              .pc = now->pc,
                              .line = c->line,
                              .column = c->column,
                              .role = c->role};
    f.instance =
        same ? b->s->frames.at[before->first + i].instance : b->instances++;
    vec_push(&b->s->frames, f);
  }
  return same;
}

static void add_node(struct section_builder *b, uint32_t node) {
  const struct node *n = &b->s->conflicts->nodes[node];
  level_vec *last = &b->last[n->thread];
  bool same = true;
  find_levels(b, &b->t->events[n->event]);
  for (uint32_t i = 0; i < b->now.len; i++) {
    const struct section_level *before =
        same && i < last->len &&
                last->at[i].activation == b->now.at[i].activation
            ? &last->at[i]
            : NULL;
    same = add_level(b, i, before);
  }
  level_vec other = *last;
  *last = b->now;
  b->now = other;
}

void section_trace_init(struct section_trace *s, struct scopes *scopes,
                        const struct trace *t, const struct conflicts *c) {
  struct section_builder b = {.s = s, .scopes = scopes, .t = t};
  *s = (struct section_trace){.conflicts = c};
  s->at = xcalloc((size_t)c->nnodes + 1, sizeof *s->at);
  b.last = xcalloc((size_t)c->nthreads + 1, sizeof *b.last);
  s->plain = xcalloc((size_t)c->nnodes + 1, sizeof *s->plain);
  for (uint32_t i = 0; i < c->nnodes; i++) {
    uint8_t kind = t->events[c->nodes[i].event].kind;
    s->plain[i] = kind == EV_READ || kind == EV_WRITE || kind == EV_FREE;
    add_node(&b, i);
    s->at[i + 1] = s->frames.len;
  }
  for (uint32_t i = 0; i < c->nthreads; i++)
    vec_free(&b.last[i]);
  free(b.last);
  vec_free(&b.now);
}

void section_trace_free(struct section_trace *s) {
  vec_free(&s->frames);
  free(s->at);
  free(s->plain);
}

/* How many frames, from the outside, are of the same instances. */
static uint32_t shared(const struct section_trace *s, uint32_t a, uint32_t b) {
  const struct section_frame *x = section_frames(s, a),
                             *y = section_frames(s, b);
  uint32_t n = 0;
  while (n < section_depth(s, a) && n < section_depth(s, b) &&
         x[n].instance == y[n].instance)
    n++;
  return n;
}

/* An instance that two accesses have is had by all between them (N1). */
static void check_between(const struct section_trace *s, uint32_t t,
                          uint32_t from, uint32_t to) {
  const struct conflicts *c = s->conflicts;
  uint32_t a = node_at(c, t, from), b = node_at(c, t, to);
  uint32_t n = shared(s, a, b);
  for (uint32_t i = n; i < section_depth(s, a); i++)
    for (uint32_t k = n; k < section_depth(s, b); k++)
      assert(section_frames(s, a)[i].instance !=
             section_frames(s, b)[k].instance); /* N2 */
  for (uint32_t i = 0; i + 1 < n; i++)
    assert(section_frames(s, a)[i].line ==
           section_frames(s, b)[i].line); /* N2 */
  for (uint32_t p = from; p < to; p++)
    assert(shared(s, a, node_at(c, t, p)) >= n); /* N1 */
}

void section_trace_check_invariants(const struct section_trace *s) {
  const struct conflicts *c = s->conflicts;
  for (uint32_t t = 0; t < c->nthreads; t++)
    for (uint32_t from = 1; from <= thread_length(c, t); from++)
      for (uint32_t to = from; to <= thread_length(c, t); to++)
        check_between(s, t, from, to);
}

/* ---- blocks ---- */

/* The lines of the segment in frame `depth`; false when they are not all
 * known, or not all of one function in one file. */
static bool lines_at(const struct section_trace *s, struct segment g,
                     uint32_t depth, struct code_block *out) {
  const struct conflicts *c = s->conflicts;
  const struct node *from = &c->nodes[g.first], *to = &c->nodes[g.last];
  const struct section_frame *f = &section_frames(s, g.first)[depth];
  enum place_role role = f->role;
  *out = (struct code_block){.file = f->file,
                             .function = f->function,
                             .first = f->line,
                             .last = f->line};
  for (uint32_t p = from->pos; p <= to->pos; p++) {
    f = &section_frames(s, node_at(c, from->thread, p))[depth];
    if (!f->file || !f->function || !f->line || f->role != role ||
        !equal(f->file, out->file) || !equal(f->function, out->function))
      return false;
    out->first = f->line < out->first ? f->line : out->first;
    out->last = f->line > out->last ? f->line : out->last;
  }
  return true;
}

/*
 * Inside of one operation of a library, made of atomic accesses only: what
 * promises to be atomic there is the library's.  (A container's plain accesses
 * promise nothing: its user has to.)
 */
static bool is_librarys(const struct section_trace *s, struct segment g,
                        const struct section_frame *inner) {
  const struct conflicts *c = s->conflicts;
  const struct node *from = &c->nodes[g.first], *to = &c->nodes[g.last];
  if (inner->role != PLACE_LIBRARY || g.first == g.last || !s->plain)
    return false;
  for (uint32_t p = from->pos; p <= to->pos; p++)
    if (s->plain[node_at(c, from->thread, p)])
      return false;
  return true;
}

static bool is_test(enum place_role r) {
  return r == PLACE_TEST || r == PLACE_EITHER;
}

/* The frame that is chosen of the `n` outermost ones; how many there are with
 * it, 0: none. */
static uint32_t choose(const struct section_trace *s,
                       const struct section_frame *f, uint32_t n) {
  enum place_role *roles = xcalloc((size_t)n + 1, sizeof *roles);
  for (uint32_t i = 0; i < n; i++)
    roles[i] = f[n - 1 - i].role;
  uint32_t at = place_choose(roles, n);
  bool is = at < n && (!is_test(roles[at]) || s->blames_tests);
  free(roles);
  return is ? n - at : 0;
}

/* The lines of the loops that the segment goes round; false: of none. */
static bool crossed(const struct section_trace *s, struct segment g,
                    uint32_t depth, uint32_t *first, uint32_t *last) {
  const struct conflicts *c = s->conflicts;
  const struct node *from = &c->nodes[g.first], *to = &c->nodes[g.last];
  bool some = false;
  for (uint32_t p = from->pos + 1; p <= to->pos; p++) {
    const struct section_frame *f =
        &section_frames(s, node_at(c, from->thread, p))[depth];
    if (!f->crossed_first)
      continue;
    *first = some && *first < f->crossed_first ? *first : f->crossed_first;
    *last = some && *last > f->crossed_last ? *last : f->crossed_last;
    some = true;
  }
  return some;
}

/* Makes a block of the lines of a segment: it cuts no loop in two, holds those
 * that the segment goes round, and ends with each round of the next. */
static void fit_into_loops(const struct section_trace *s, struct segment g,
                           uint32_t depth, struct code_block *b) {
  uint32_t first = 0, last = 0;
  if (!s->loops)
    return;
  const struct loops_file *f = loops_of_file(s->loops, b->file);
  if (crossed(s, g, depth, &first, &last)) {
    b->first = first < b->first ? first : b->first;
    b->last = last > b->last ? last : b->last;
  }
  loops_close(f, &b->first, &b->last);
  b->whole_loop = first && b->first == first && b->last == last;
  const struct loop *around = loops_around(f, b->first, b->last);
  if (around && first <= around->first && around->last <= last)
    around = loops_beyond(f, b->first, b->last);
  b->loop_first = around ? around->first : 0;
  b->loop_last = around ? around->last : 0;
}

/* The frame to blame, and its lines; what loops make of them is not asked. */
static uint32_t blame_lines(const struct section_trace *s, struct segment g,
                            struct code_block *out) {
  assert(s->conflicts->nodes[g.first].op == s->conflicts->nodes[g.last].op);
  const struct section_frame *f = section_frames(s, g.first);
  uint32_t n = shared(s, g.first, g.last);
  bool librarys =
      n && is_librarys(s, g, &f[n - 1]) && lines_at(s, g, n - 1, out);
  if (!librarys)
    while ((n = choose(s, f, n)) && !lines_at(s, g, n - 1, out))
      n--;
  return n;
}

static uint32_t blame(const struct section_trace *s, struct segment g,
                      struct code_block *out) {
  uint32_t n = blame_lines(s, g, out);
  if (n)
    fit_into_loops(s, g, n - 1, out);
  return n;
}

bool section_has_tests(const struct section_trace *s) {
  for (uint32_t i = 0; i < s->frames.len; i++)
    if (is_test(s->frames.at[i].role))
      return true;
  return false;
}

uint32_t section_common(const struct section_trace *s, struct segment g) {
  struct code_block block;
  return blame(s, g, &block);
}

bool section_block(void *ctx, struct segment g, struct code_block *out) {
  return blame(ctx, g, out) != 0;
}

bool section_lines(void *ctx, struct segment g, struct code_block *out) {
  return blame_lines(ctx, g, out) != 0;
}

/* ---- executions of blocks ---- */

/* The outermost frame of a node in one of the blocks, or NULL. */
static const struct section_frame *frame_in(const struct section_trace *s,
                                            uint32_t node, struct cause r,
                                            uint32_t *block) {
  const struct section_frame *f = section_frames(s, node);
  for (uint32_t i = 0, n = section_depth(s, node); i < n; i++)
    for (uint32_t b = 0; b < r.nblocks; b++) {
      const struct code_block *k = &r.blocks[b];
      if (code_block_has_line(k, f[i].file, f[i].function, f[i].line)) {
        *block = b;
        return &f[i];
      }
    }
  return NULL;
}

/* Whether the access begins another round of the loop around the block. */
static bool begins_round(const struct section_frame *f,
                         const struct code_block *b) {
  return f->crossed_first && b->loop_first &&
         f->crossed_first <= b->loop_first && b->loop_last <= f->crossed_last;
}

void section_units(void *ctx, struct cause r, const struct rank_trace *t,
                   uint32_t *unit) {
  const struct section_trace *s = t->data;
  const struct conflicts *c = t->conflicts;
  const struct section_frame *before = NULL;
  uint32_t units = 0, block_before = 0;
  (void)ctx;
  for (uint32_t i = 0; i < c->nnodes; i++) {
    uint32_t node = c->by_thread[i], block = 0;
    const struct section_frame *f = frame_in(s, node, r, &block);
    bool same = f && before && f->instance == before->instance &&
                block == block_before && !begins_round(f, &r.blocks[block]);
    unit[node] = !f ? UNIT_ALONE : same ? units : ++units;
    before = f;
    block_before = block;
  }
}
