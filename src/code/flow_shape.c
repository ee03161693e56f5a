/*
 * From a graph of blocks to a structure tree.
 *
 * Loops are found as strongly connected components, inner ones by taking away
 * the edges to the header (Steensgaard's loop forest): for graphs with one way
 * into each loop these are the natural loops.  What is entered at several
 * places (a goto into a loop) becomes one loop whose header is the first of
 * them.  With loops taken as one node, the rest has no cycles; where it parts,
 * the ways meet again at the immediate postdominator, and what lies between is
 * a selection.  Code that several branches share stands in each of them.
 *
 * (A) the way out of a loop is no branch: `while (c) x;` is L(c x).
 * (B) ways on which the function never returns (a failed assertion) are left
 *     out where there is another one.
 * (C) a selection without an access is left out, and so are branches without
 *     one: `if (c) x;` is C(B(x)), and so is `if (!c) return; x;`.
 * (D) C(B(L(…))) is L(…): a loop can be left before its first round, which is
 *     what compilers make of `while` when they test at the end.
 */
#include "base/scc.h"
#include "base/slow.h"
#include "code/flow_int.h"
#include "code/rounds.h"
#include "debug/lines_int.h"

#include <assert.h>
#include <string.h>

enum { WORK_MAX = 1 << 20, NONE = UINT32_MAX, END = -1 };

struct call_chain { /* functions that are being called */
  uint64_t entry;
  const struct call_chain *up;
};

struct flow_shaper {
  struct flow *f;
  struct flow_tree *t;
  const struct flow_graph *g;
  const struct call_chain *chain;
  uint8_t *dead;         /* by block: never returns, and there is another way */
  struct round_counter *rounds; /* NULL: no loop was met */
  uint32_t *work;        /* by all functions: blocks visited */
};

/* ---- growing the tree ---- */

static uint32_t new_node(struct flow_tree *t, uint8_t type) {
  struct flow_node n = {.type = type};
  vec_push(&t->nodes, n);
  return t->nodes.len - 1;
}

/* Gives back a node without children, and what was thrown away behind it. */
static bool drop_empty(struct flow_tree *t, uint32_t n) {
  if (t->nodes.at[n].num)
    return false;
  t->nodes.len = n;
  return true;
}

static void append(struct flow_tree *t, uint32_t parent, uint32_t child) {
  struct flow_node *p = &t->nodes.at[parent], *c = &t->nodes.at[child];
  if (!p->num++)
    p->first = child, p->pc = c->pc;
  else
    t->nodes.at[p->last].next = child;
  p->last = child;
  p->end = c->end;
  c->next = FLOW_NONE;
}

static void append_steps(struct flow_tree *t, uint32_t parent, uint32_t steps,
                         uint64_t pc, uint64_t end) {
  if (!steps)
    return;
  uint32_t last = t->nodes.at[parent].last;
  if (last && t->nodes.at[last].type == FLOW_SEQUENCE) { /* T2 */
    t->nodes.at[last].num += steps;
    t->nodes.at[last].end = t->nodes.at[parent].end = end;
    return;
  }
  uint32_t n = new_node(t, FLOW_SEQUENCE);
  t->nodes.at[n].num = steps;
  t->nodes.at[n].pc = pc;
  t->nodes.at[n].end = end;
  append(t, parent, n);
}

/* All children of `from` become the last ones of `to`. */
static void append_children(struct flow_tree *t, uint32_t to, uint32_t from) {
  for (uint32_t c = t->nodes.at[from].first, next; c; c = next) {
    struct flow_node n = t->nodes.at[c];
    next = n.next;
    if (n.type == FLOW_SEQUENCE)
      append_steps(t, to, n.num, n.pc, n.end);
    else
      append(t, to, c);
  }
}

static uint32_t line_of(const struct flow_shaper *s, uint64_t pc) {
  const struct line_row *r = lines_row_at(s->f->lines, pc);
  return r ? r->line : 0;
}

static bool before(const struct flow_shaper *s, uint32_t a, uint32_t b) {
  uint64_t x = s->t->nodes.at[a].pc, y = s->t->nodes.at[b].pc;
  uint32_t i = line_of(s, x), j = line_of(s, y);
  return i != j ? i < j : x < y;
}

/* Adds a branch at its place (T3). */
static void add_branch(struct flow_shaper *s, uint32_t selection,
                       uint32_t branch) {
  struct flow_tree *t = s->t;
  uint32_t after = FLOW_NONE;
  for (uint32_t c = t->nodes.at[selection].first; c && !before(s, branch, c);
       c = t->nodes.at[c].next)
    after = c;
  struct flow_node *p = &t->nodes.at[selection];
  uint32_t next = after ? t->nodes.at[after].next : p->first;
  t->nodes.at[branch].next = next;
  *(after ? &t->nodes.at[after].next : &p->first) = branch;
  if (!next)
    p->last = branch;
  p->num++;
  p->pc = t->nodes.at[p->first].pc;
  p->end = t->nodes.at[p->last].end;
}

/* T3, of the branches of a selection. */
static bool branches_in_order(const struct flow_shaper *s, uint32_t selection) {
  const struct flow_tree *t = s->t;
  for (uint32_t c = t->nodes.at[selection].first; c && t->nodes.at[c].next;
       c = t->nodes.at[c].next)
    if (before(s, t->nodes.at[c].next, c))
      return false;
  return true;
}

static void close_branch(struct flow_shaper *s, uint32_t selection,
                         uint32_t branch) {
  struct flow_tree *t = s->t;
  if (drop_empty(t, branch))
    return; /* C */
  const struct flow_node *b = &t->nodes.at[branch];
  uint32_t only = b->first;
  if (b->num > 1 || t->nodes.at[only].type != FLOW_SELECTION) {
    add_branch(s, selection, branch);
    return;
  }
  for (uint32_t c = t->nodes.at[only].first, next; c; c = next) { /* T4 */
    next = t->nodes.at[c].next;
    add_branch(s, selection, c);
  }
}

static void close_selection(struct flow_shaper *s, uint32_t parent,
                            uint32_t n) {
  struct flow_tree *t = s->t;
  if (drop_empty(t, n))
    return; /* C */
  check_slow(branches_in_order(s, n));
  const struct flow_node *b = &t->nodes.at[t->nodes.at[n].first];
  if (t->nodes.at[n].num == 1 && b->num == 1 &&
      t->nodes.at[b->first].type == FLOW_LOOP)
    append(t, parent, b->first); /* D */
  else
    append(t, parent, n);
}

/* ---- a region: the function, or the body of a loop ---- */

struct flow_part { /* a node of the region without cycles: a block or a loop */
  uint32_t header;
  bool loop, irregular;
  bool ends; /* a way leaves the region here */
  int post;  /* immediate postdominator, a part; END */
  uint32_t succ, nsucc;
};

struct flow_region {
  struct flow_shaper *s;
  const uint8_t *in;           /* by block: belongs to the region */
  uint32_t header;             /* of a loop's body; NONE: the function */
  uint32_t *part_of;           /* by block */
  VEC(struct flow_part) parts; /* behind their successors */
  VEC(uint32_t) succs;
};

/* Edges inside of the region: not back to the header, not to dead ends. */
static bool inside(const struct flow_region *r, uint32_t to) {
  return r->in[to] && to != r->header && !r->s->dead[to];
}

static bool next_block(void *ctx, uint32_t v, uint32_t *at, uint32_t *to) {
  const struct flow_region *r = ctx;
  const struct flow_graph *g = r->s->g;
  const struct flow_block *b = &g->blocks.at[v];
  while (*at < b->nsucc) {
    *to = g->succs.at[b->succ + (*at)++];
    if (inside(r, *to))
      return true;
  }
  return false;
}

static void add_part(void *ctx, const uint32_t *blocks, uint32_t n) {
  struct flow_region *r = ctx;
  /* The header is the block that the search came to first. */
  struct flow_part p = {.header = blocks[0], .loop = n > 1};
  for (uint32_t i = 0; i < n; i++)
    r->part_of[blocks[i]] = r->parts.len;
  vec_push(&r->parts, p);
}

static void find_parts(struct flow_region *r, uint32_t entry) {
  uint32_t n = r->s->g->blocks.len;
  struct scc scc = {.ctx = r, .next = next_block, .complete = add_part};
  r->part_of = xcalloc(n, sizeof *r->part_of);
  memset(r->part_of, 0xff, n * sizeof *r->part_of);
  scc_init(&scc, n);
  scc_from(&scc, entry);
  scc_free(&scc);
}

static void add_way(struct flow_region *r, uint32_t from, uint32_t to) {
  struct flow_part *p = &r->parts.at[from];
  for (uint32_t i = 0; i < p->nsucc; i++)
    if (r->succs.at[p->succ + i] == to)
      return;
  vec_push(&r->succs, to);
  p->nsucc++;
}

/* The ways out of one block: to other parts, or out of the region. */
static void add_ways(struct flow_region *r, uint32_t v) {
  const struct flow_graph *g = r->s->g;
  const struct flow_block *b = &g->blocks.at[v];
  uint32_t from = r->part_of[v];
  for (uint32_t i = 0; i < b->nsucc; i++) {
    uint32_t w = g->succs.at[b->succ + i];
    struct flow_part *p = &r->parts.at[from];
    if (inside(r, w)) {
      uint32_t to = r->part_of[w];
      if (to != from)
        add_way(r, from, to);
      else if (w == v)
        p->loop = true; /* a block that goes to itself */
      if (to != from && w != r->parts.at[to].header)
        r->parts.at[to].irregular = true;
    } else if (w == r->header) {
      p->ends = true; /* the next round; leaving the loop is no branch (A) */
    }
  }
  if (!b->nsucc)
    r->parts.at[from].ends = true;
}

static int meet(const struct flow_region *r, int a, int b) {
  while (a != b) /* postdominators have smaller numbers, END the smallest */
    if (a > b)
      a = r->parts.at[a].post;
    else
      b = r->parts.at[b].post;
  return a;
}

static void connect_parts(struct flow_region *r) {
  uint32_t nblocks = r->s->g->blocks.len;
  for (uint32_t i = 0; i < r->parts.len; i++) {
    r->parts.at[i].succ = r->succs.len;
    for (uint32_t v = 0; v < nblocks; v++)
      if (r->part_of[v] == i)
        add_ways(r, v);
    struct flow_part *p = &r->parts.at[i];
    p->post = END;
    for (uint32_t k = 0; k < p->nsucc; k++) {
      int to = (int)r->succs.at[p->succ + k];
      assert(to < (int)i);
      p->post = k ? meet(r, p->post, to) : to;
    }
    if (p->ends)
      p->post = END;
  }
}

static void shape_region(struct flow_shaper *s, const uint8_t *in,
                         uint32_t header, uint32_t entry, uint32_t parent);
static bool shape_function(struct flow *f, struct flow_tree *t, uint64_t entry,
                           const struct call_chain *up, uint32_t *work,
                           uint32_t parent);

static void shape_call(struct flow_shaper *s, uint64_t callee, uint64_t pc,
                       uint32_t parent) {
  for (const struct call_chain *c = s->chain; c; c = c->up)
    if (c->entry == callee) {
      s->t->recursion = true;
      return;
    }
  uint32_t root = new_node(s->t, FLOW_ROOT);
  if (!shape_function(s->f, s->t, callee, s->chain, s->work, root) ||
      drop_empty(s->t, root))
    return;
  /* Its place among branches is that of the call. */
  uint64_t at = s->t->nodes.at[parent].num ? s->t->nodes.at[parent].pc : pc;
  append_children(s->t, parent, root);
  if (s->t->nodes.at[parent].num)
    s->t->nodes.at[parent].pc = at;
}

static void shape_block(struct flow_shaper *s, uint32_t v, uint32_t parent) {
  const struct flow_block *b = &s->g->blocks.at[v];
  if (b->callee)
    shape_call(s, b->callee, b->callee, parent);
  for (uint32_t i = b->first; i < b->end; i++) {
    const struct flow_insn *n = &s->f->insns.at[i];
    append_steps(s->t, parent, n->steps, n->pc, n->pc);
    s->t->indirect |= n->indirect;
    if (n->calls)
      shape_call(s, n->target, n->pc, parent);
  }
}

static void shape_part(struct flow_region *r, uint32_t part, uint32_t parent) {
  const struct flow_part *p = &r->parts.at[part];
  struct flow_shaper *s = r->s;
  if (!p->loop) {
    shape_block(s, p->header, parent);
    return;
  }
  uint32_t n = s->g->blocks.len, loop = new_node(s->t, FLOW_LOOP);
  uint8_t *in = xcalloc(n, 1);
  for (uint32_t v = 0; v < n; v++)
    in[v] = r->part_of[v] == part;
  s->t->nodes.at[loop].irregular = p->irregular;
  if (!p->irregular) {
    if (!s->rounds)
      s->rounds = rounds_of(s->f, s->g, s->dead);
    s->t->nodes.at[loop].rounds = rounds_count(s->rounds, in, p->header);
  }
  shape_region(s, in, p->header, p->header, loop);
  if (!drop_empty(s->t, loop))
    append(s->t, parent, loop);
  free(in);
}

/* From part `at` up to part `stop`. */
static void shape_ways(struct flow_region *r, int at, int stop,
                       uint32_t parent) {
  struct flow_tree *t = r->s->t;
  while (at != stop && at != END) {
    if (++*r->s->work > WORK_MAX || t->nodes.len > FLOW_MAX_NODES) {
      t->truncated = true;
      return;
    }
    shape_part(r, (uint32_t)at, parent);
    const struct flow_part *p = &r->parts.at[at];
    if (p->nsucc > 1 || (p->nsucc && p->ends)) {
      uint32_t selection = new_node(t, FLOW_SELECTION);
      for (uint32_t i = 0; i < p->nsucc; i++) {
        uint32_t branch = new_node(t, FLOW_BRANCH);
        shape_ways(r, (int)r->succs.at[p->succ + i], p->post, branch);
        close_branch(r->s, selection, branch);
      }
      close_selection(r->s, parent, selection);
    }
    at = p->post;
  }
}

static void shape_region(struct flow_shaper *s, const uint8_t *in,
                         uint32_t header, uint32_t entry, uint32_t parent) {
  struct flow_region r = {.s = s, .in = in, .header = header};
  find_parts(&r, entry);
  connect_parts(&r);
  shape_ways(&r, (int)r.part_of[entry], END, parent);
  free(r.part_of);
  vec_free(&r.parts);
  vec_free(&r.succs);
}

/* ---- a function ---- */

/* Which blocks never reach a return (B)?  None, when all do not. */
static void find_dead(const struct flow_graph *g, uint8_t *dead) {
  uint32_t n = g->blocks.len;
  memset(dead, 1, n);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t v = n; v--;) {
      const struct flow_block *b = &g->blocks.at[v];
      bool back = b->returns;
      for (uint32_t i = 0; i < b->nsucc; i++)
        back |= !dead[g->succs.at[b->succ + i]];
      if (back && dead[v]) {
        dead[v] = 0;
        more = true;
      }
    }
  }
  if (dead[0])
    memset(dead, 0, n);
}

static bool shape_function(struct flow *f, struct flow_tree *t, uint64_t entry,
                           const struct call_chain *up, uint32_t *work,
                           uint32_t parent) {
  struct flow_graph g;
  if (!flow_graph_of(f, entry, &g))
    return false;
  struct call_chain chain = {entry, up};
  struct flow_shaper s = {f,    t,   &g, &chain, xcalloc(g.blocks.len, 1),
                          NULL, work};
  uint8_t *in = xcalloc(g.blocks.len, 1);
  memset(in, 1, g.blocks.len);
  t->unknown |= g.unknown;
  find_dead(&g, s.dead);
  shape_region(&s, in, NONE, 0, parent);
  free(in);
  rounds_free(s.rounds);
  free(s.dead);
  flow_graph_free(&g);
  return true;
}

/* What was thrown away while the tree grew is left out. */
static uint32_t copy(const struct flow_tree *from, uint32_t at,
                     struct flow_tree *to) {
  uint32_t n = to->nodes.len, last = FLOW_NONE;
  vec_push(&to->nodes, from->nodes.at[at]);
  to->nodes.at[n].first = to->nodes.at[n].next = FLOW_NONE;
  for (uint32_t c = from->nodes.at[at].first; c; c = from->nodes.at[c].next) {
    uint32_t k = copy(from, c, to);
    *(last ? &to->nodes.at[last].next : &to->nodes.at[n].first) = k;
    last = k;
  }
  to->nodes.at[n].last = last;
  return n;
}

bool flow_tree_of(struct flow *f, uint64_t entry, struct flow_tree *out) {
  struct flow_tree grown = {.entry = entry};
  uint32_t work = 0, root = new_node(&grown, FLOW_ROOT);
  bool found = shape_function(f, &grown, entry, NULL, &work, root);
  *out = grown;
  out->nodes.at = NULL;
  out->nodes.len = out->nodes.cap = 0;
  if (found)
    copy(&grown, root, out);
  check_slow((flow_check_invariants(out), true));
  flow_tree_free(&grown);
  return found;
}
