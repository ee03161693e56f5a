/* Sums, prints and checks structure trees. */
#include "code/tree.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static uint32_t times_of(const struct flow_node *n, uint32_t theta) {
  return n->rounds ? n->rounds : theta;
}

static uint64_t sum(const struct flow_tree *t, uint32_t at, uint32_t theta) {
  const struct flow_node *n = &t->nodes.at[at];
  if (n->type == FLOW_SEQUENCE)
    return n->num;
  uint64_t value = 0;
  for (uint32_t c = n->first; c; c = t->nodes.at[c].next) {
    uint64_t of_child = sum(t, c, theta);
    if (n->type != FLOW_SELECTION)
      value += of_child;
    else if (of_child > value)
      value = of_child;
  }
  if (n->type == FLOW_LOOP)
    value *= times_of(n, theta);
  return value < UINT32_MAX ? value : UINT32_MAX;
}

uint32_t flow_sum(const struct flow_tree *t, uint32_t theta) {
  return t->nodes.len ? (uint32_t)sum(t, 0, theta) : 0;
}

bool flow_has_open_loop(const struct flow_tree *t) {
  for (uint32_t i = 0; i < t->nodes.len; i++)
    if (t->nodes.at[i].type == FLOW_LOOP && !t->nodes.at[i].rounds)
      return true;
  return false;
}

static void brief(const struct flow_tree *t, uint32_t at, struct buf *out) {
  const struct flow_node *n = &t->nodes.at[at];
  buf_putc(out, "RSLCB"[n->type]);
  if (n->type == FLOW_SEQUENCE) {
    buf_printf(out, "%" PRIu32, n->num);
    return;
  }
  if (n->rounds)
    buf_printf(out, "*%" PRIu32, n->rounds);
  buf_putc(out, '(');
  for (uint32_t c = n->first; c; c = t->nodes.at[c].next) {
    if (c != n->first)
      buf_putc(out, ' ');
    brief(t, c, out);
  }
  buf_putc(out, ')');
}

void flow_brief(const struct flow_tree *t, struct buf *out) {
  if (t->nodes.len)
    brief(t, 0, out);
}

static void print_places(const struct flow_node *n, struct lines *l,
                         struct buf *out) {
  const struct place *a = lines_place(l, n->pc), *b = lines_place(l, n->end);
  if (!a->line)
    return;
  buf_printf(out, "  %s:%" PRIu32, a->file, a->line);
  bool same = a->function && b->function && !strcmp(a->function, b->function);
  if (b->line > a->line && same) /* not across a call */
    buf_printf(out, "-%" PRIu32, b->line);
}

static void print(const struct flow_tree *t, uint32_t at, uint32_t depth,
                  struct lines *l, uint32_t theta, struct buf *out) {
  static const char *const words[] = {"root", "sequence", "loop", "selection",
                                      "branch"};
  const struct flow_node *n = &t->nodes.at[at];
  uint64_t value = sum(t, at, theta);
  size_t start = out->len;
  buf_spaces(out, 2 * (size_t)depth);
  buf_puts(out, words[n->type]);
  size_t used = out->len - start;
  buf_spaces(out, used < 32 ? 32 - used : 1);
  buf_printf(out, "%4" PRIu64, value);
  if (n->type == FLOW_SEQUENCE)
    print_places(n, l, out);
  if (n->type == FLOW_LOOP) {
    uint32_t rounds = times_of(n, theta);
    buf_printf(out, "  %" PRIu32 " times %" PRIu64 "%s%s", rounds,
               rounds ? value / rounds : 0,
               n->rounds ? "" : ", rounds unknown",
               n->irregular ? ", can be entered at several places" : "");
  }
  if (n->type == FLOW_SELECTION)
    buf_printf(out, "  the longest of %" PRIu32, n->num);
  buf_putc(out, '\n');
  for (uint32_t c = n->first; c; c = t->nodes.at[c].next)
    print(t, c, depth + 1, l, theta, out);
}

void flow_print(const struct flow_tree *t, struct lines *l, uint32_t theta,
                struct buf *out) {
  if (!t->nodes.len)
    return;
  print(t, 0, 0, l, theta, out);
  if (t->recursion)
    buf_puts(out, "not counted: recursive calls\n");
  if (t->indirect)
    buf_puts(out, "not counted: calls through pointers\n");
  if (t->unknown)
    buf_puts(out, "not counted: jumps to computed places\n");
  if (t->truncated)
    buf_puts(out, "not counted: the rest of a very large function\n");
}

void flow_check_invariants(const struct flow_tree *t) {
  for (uint32_t i = 0; i < t->nodes.len; i++) {
    const struct flow_node *n = &t->nodes.at[i];
    uint32_t children = 0;
    for (uint32_t c = n->first, before = 0; c; c = t->nodes.at[c].next) {
      uint8_t type = t->nodes.at[c].type;
      assert((type == FLOW_BRANCH) == (n->type == FLOW_SELECTION));
      assert(!before || type != FLOW_SEQUENCE ||
             t->nodes.at[before].type != FLOW_SEQUENCE); /* T2 */
      before = c;
      children++;
    }
    assert(!i || n->num);                                   /* T1 */
    assert(n->type == FLOW_SEQUENCE || n->num == children); /* T1 */
    assert(n->type != FLOW_BRANCH || n->num != 1 ||
           t->nodes.at[n->first].type != FLOW_SELECTION); /* T4 */
  }
}

void flow_tree_free(struct flow_tree *t) { vec_free(&t->nodes); }
