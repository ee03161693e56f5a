/* Every node and every leaf of the tree of interleavings. */
#include "oracle/plain_tree.h"

#include "base/buf.h"
#include "model/event.h"

#include <string.h>

uint32_t plain_node_new(struct plain_tree *t, uint32_t end) {
  t->too_large |= t->nodes.len >= PLAIN_NODES;
  t->ends += end < STEPS_ENDS;
  vec_push(&t->nodes, ((struct plain_node){.end = end}));
  return t->nodes.len - 1;
}

static void forget_patterns(struct plain_tree *t) {
  for (uint32_t i = 0; i < t->words.len; i++)
    free(t->words.at[i]);
  vec_clear(&t->words);
  vec_clear(&t->counts);
  vec_clear(&t->switches);
  t->failing = 0;
}

void plain_tree_free(struct plain_tree *t) {
  forget_patterns(t);
  for (uint32_t i = 0; i < t->nodes.len; i++)
    vec_free(&t->nodes.at[i].branches);
  vec_free(&t->nodes);
  vec_free(&t->words);
  vec_free(&t->counts);
  vec_free(&t->switches);
}

static unsigned label(struct plain_tree *t, uint32_t n) {
  unsigned leads = t->nodes.at[n].end == STEPS_GOOD  ? LEADS_GOOD
                   : t->nodes.at[n].end == STEPS_BAD ? LEADS_BAD
                                                     : LEADS_NOWHERE;
  for (uint32_t i = 0; i < t->nodes.at[n].branches.len; i++)
    leads |= label(t, t->nodes.at[n].branches.at[i].child);
  return t->nodes.at[n].leads = leads;
}

static unsigned leads_by(const struct plain_tree *t, uint32_t n,
                         uint32_t thread) {
  const struct plain_node *p = &t->nodes.at[n];
  unsigned leads = 0;
  for (uint32_t i = 0; i < p->branches.len; i++)
    if (p->branches.at[i].thread == thread)
      leads |= t->nodes.at[p->branches.at[i].child].leads;
  return leads;
}

typedef VEC(struct step) some_steps;

static void section(const struct plain_tree *t, const struct branch *b,
                    some_steps *out) {
  const struct plain_node *p = &t->nodes.at[b->child];
  vec_push(out, b->step);
  for (uint32_t i = 0; i < p->branches.len; i++)
    if (p->branches.at[i].thread == b->thread) {
      if (p->branches.at[i].step.flags & STEP_INSIDE)
        section(t, &p->branches.at[i], out);
      return;
    }
}

static bool are_timed(const struct plain_tree *t, const struct step *a,
                      const struct step *b) {
  return t->between == TREE_REAL_TIME && steps_timed(a, b);
}

static bool sections_depend(const struct plain_tree *t, const struct branch *a,
                            const struct branch *b) {
  some_steps x = {0}, y = {0};
  bool some = false, nested = false;
  section(t, a, &x);
  section(t, b, &y);
  for (uint32_t i = 1; i < x.len; i++)
    nested |= step_locks(&x.at[i]);
  for (uint32_t i = 1; i < y.len; i++)
    nested |= step_locks(&y.at[i]);
  for (uint32_t i = 0; i < x.len; i++)
    for (uint32_t k = 0; k < y.len; k++)
      some |= are_timed(t, &x.at[i], &y.at[k]) ||
              (steps_conflict(&x.at[i], &y.at[k]) &&
               (nested || !step_guards(&x.at[i]) || !step_guards(&y.at[k])));
  vec_free(&x);
  vec_free(&y);
  return some;
}

static bool branches_depend(const struct plain_tree *t, const struct branch *a,
                            const struct branch *b) {
  const struct step *s = &a->step, *u = &b->step;
  if (t->sections || (step_locks(s) && step_locks(u) && s->addr == u->addr))
    return sections_depend(t, a, b);
  return steps_conflict(s, u) || are_timed(t, s, u);
}

/* ---- high-level data races: Definition 5, by trying all sets of events ----
 */

enum { MOST_EVENTS = 8 };

struct events {
  const struct branch *at[MOST_EVENTS];
  uint32_t len;
  bool sections; /* an event is what its thread does until it has no lock */
};

bool plain_in_set(uint64_t set, const struct step *s) {
  bool accesses = event_reads[s->kind] || event_writes[s->kind];
  return accesses && set >> s->addr / 8 % 64 & 1;
}

static bool compete(const struct plain_tree *t, const struct step *a,
                    const struct step *b) {
  return plain_in_set(t->set, a) && plain_in_set(t->set, b) &&
         !(step_only_reads(a) && step_only_reads(b));
}

static bool events_compete(const struct plain_tree *t, const struct events *m,
                           uint32_t a, uint32_t b) {
  some_steps x = {0}, y = {0};
  bool some = false;
  if (!m->sections)
    return compete(t, &m->at[a]->step, &m->at[b]->step);
  section(t, m->at[a], &x);
  section(t, m->at[b], &y);
  for (uint32_t i = 0; i < x.len; i++)
    for (uint32_t k = 0; k < y.len; k++)
      some |= compete(t, &x.at[i], &y.at[k]);
  vec_free(&x);
  vec_free(&y);
  return some;
}

/* The node behind a critical section. */
static uint32_t behind(const struct plain_tree *t, const struct branch *b) {
  const struct plain_node *p = &t->nodes.at[b->child];
  for (uint32_t i = 0; i < p->branches.len; i++)
    if (p->branches.at[i].thread == b->thread)
      return p->branches.at[i].step.flags & STEP_INSIDE
                 ? behind(t, &p->branches.at[i])
                 : b->child;
  return b->child;
}

/* Do these events, in this order, begin an execution from here? */
static bool is_beginning(const struct plain_tree *t, uint32_t n,
                         const struct events *order, uint32_t done) {
  const struct plain_node *p = &t->nodes.at[n];
  bool some = done == order->len;
  for (uint32_t i = 0; i < p->branches.len && !some; i++) {
    const struct branch *b = &p->branches.at[i];
    some = b->thread == order->at[done]->thread &&
           step_is_same(&b->step, &order->at[done]->step) &&
           is_beginning(t, order->sections ? behind(t, b) : b->child, order,
                        done + 1);
  }
  return some;
}

/* Is each order of these events the beginning of an execution? */
static bool all_orders_begin(const struct plain_tree *t, uint32_t n,
                             struct events *m, uint32_t from) {
  if (from == m->len)
    return is_beginning(t, n, m, 0);
  bool all = true;
  for (uint32_t i = from; i < m->len && all; i++) {
    const struct branch *first = m->at[from];
    m->at[from] = m->at[i];
    m->at[i] = first;
    all = all_orders_begin(t, n, m, from + 1);
    m->at[i] = m->at[from];
    m->at[from] = first;
  }
  return all;
}

static bool is_high_level_race(const struct plain_tree *t, uint32_t n,
                               const struct events *m) {
  struct events own = *m;
  if (own.len < 2)
    return false;
  const struct step *a = &own.at[0]->step, *b = &own.at[1]->step;
  own.sections = t->sections || (own.len == 2 && step_locks(a) &&
                                 step_locks(b) && a->addr == b->addr);
  for (uint32_t i = 0; i < own.len; i++)
    for (uint32_t k = 0; k < i; k++)
      if (!events_compete(t, &own, i, k))
        return false;
  return all_orders_begin(t, n, &own, 0);
}

/* Is some set of events, these and one of each of some threads from `thread`
 * on, a race that has x and y? */
static bool some_race(const struct plain_tree *t, uint32_t n, struct events *m,
                      uint32_t thread, uint32_t x, uint32_t y) {
  const struct plain_node *p = &t->nodes.at[n];
  if (thread == MOST_EVENTS)
    return is_high_level_race(t, n, m);
  bool some =
      thread != x && thread != y && some_race(t, n, m, thread + 1, x, y);
  for (uint32_t i = 0; i < p->branches.len && !some; i++)
    if (p->branches.at[i].thread == thread &&
        t->nodes.at[p->branches.at[i].child].leads) {
      m->at[m->len++] = &p->branches.at[i];
      some = some_race(t, n, m, thread + 1, x, y);
      m->len--;
    }
  return some;
}

static bool are_in_high_level_race(const struct plain_tree *t, uint32_t n,
                                   uint32_t x, uint32_t y) {
  struct events m = {0};
  return some_race(t, n, &m, 0, x, y);
}

/* ---- races and patterns ---- */

/* Do two threads decide something between them? */
static bool meet(const struct plain_tree *t, uint32_t n, uint32_t x,
                 uint32_t y) {
  const struct plain_node *p = &t->nodes.at[n];
  unsigned a = leads_by(t, n, x), b = leads_by(t, n, y);
  if (x == y || !a || !b || a == b)
    return false;
  if (t->between == TREE_VARIABLES)
    return are_in_high_level_race(t, n, x, y);
  bool some = t->between == TREE_ANY;
  for (uint32_t i = 0; i < p->branches.len; i++)
    for (uint32_t k = 0; k < p->branches.len; k++) {
      const struct branch *c = &p->branches.at[i], *d = &p->branches.at[k];
      if (c->thread == x && d->thread == y && t->nodes.at[c->child].leads &&
          t->nodes.at[d->child].leads)
        some |= branches_depend(t, c, d);
    }
  return some;
}

/* The letter of a node when this thread wins. */
static const char *letter(const struct plain_tree *t, uint32_t n,
                          uint32_t thread) {
  bool part = false, seen[4] = {0}, any[4] = {0};
  for (uint32_t x = 0; x < 8; x++) {
    any[leads_by(t, n, x)] = true;
    for (uint32_t y = 0; y < 8; y++)
      if (meet(t, n, x, y)) {
        part |= x == thread;
        seen[leads_by(t, n, x)] = true;
      }
  }
  if (!part)
    return "";
  if (seen[LEADS_GOOD] && seen[LEADS_BAD])
    return any[LEADS_BOTH] ? "WBg" : "G";
  return seen[LEADS_GOOD] ? "Wg" : "Bg";
}

static void note_pattern(struct plain_tree *t, const char *word,
                         uint32_t switches) {
  uint32_t i = 0;
  while (i < t->words.len && strcmp(t->words.at[i], word))
    i++;
  if (i == t->words.len) {
    vec_push(&t->words, xstrdup(word));
    vec_push(&t->counts, 0);
    vec_push(&t->switches, UINT32_MAX);
  }
  t->counts.at[i]++;
  if (switches < t->switches.at[i])
    t->switches.at[i] = switches;
}

/* Goes down to every leaf; `decided`: a race has taken all hope. */
static void read_paths(struct plain_tree *t, uint32_t n, struct buf *word,
                       bool decided, int last, uint32_t switches) {
  const struct plain_node *p = &t->nodes.at[n];
  if (p->end == STEPS_BAD) {
    t->failing++;
    if (decided)
      note_pattern(t, buf_text(word), switches);
  }
  for (uint32_t i = 0; i < p->branches.len; i++) {
    const struct branch *b = &p->branches.at[i];
    size_t len = word->len;
    bool falls =
        p->leads == LEADS_BOTH && t->nodes.at[b->child].leads == LEADS_BAD;
    const char *l = p->leads == LEADS_BOTH ? letter(t, n, b->thread) : "";
    bool ok = !falls || (leads_by(t, n, b->thread) == LEADS_BAD && *l);
    buf_puts(word, l);
    read_paths(t, b->child, word, falls ? ok : decided, (int)b->thread,
               switches + (last >= 0 && last != (int)b->thread));
    word->len = len;
    if (word->at)
      word->at[len] = 0;
  }
}

void plain_patterns(struct plain_tree *t, enum tree_between between) {
  struct buf word = {0};
  forget_patterns(t);
  t->between = between;
  label(t, 0);
  read_paths(t, 0, &word, false, -1, 0);
  buf_free(&word);
}
