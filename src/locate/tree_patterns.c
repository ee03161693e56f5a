/*
 * Which patterns do failing executions have, and how many has each?  Backwards
 * over the graph: the patterns of what is still to come.  A step in front of
 * them puts the letter of its race before each, or nothing.
 *
 * A state keeps its first K patterns only (R2).  That is enough for exact
 * counts of the root's first K: the same letter in front of two patterns does
 * not change their order, so that one that is not among the first K of a state
 * cannot come to be among the first K of one before it.
 */
#include "locate/tree_int.h"

#include <assert.h>
#include <string.h>

/* Patterns are shared from their ends on; 0 is the empty one. */
struct pattern_word {
  uint32_t rest;
  uint32_t before[RACE_COUNT]; /* with this letter in front; 0: not met yet */
  uint32_t len;
  uint8_t letter;
};

struct counted {
  uint64_t count;
  uint32_t word;
};

struct pattern_list { /* of a state */
  struct counted *at;
  uint32_t len;
};

struct sum {
  const struct tree *t;
  uint32_t most;
  VEC(struct pattern_word) words;
  struct pattern_list *lists; /* by state */
  uint32_t *wanted;    /* by state: steps into it that were not followed yet */
  uint64_t *ways;      /* by state: failing executions … */
  uint64_t *explained; /* … and those that have a pattern */
  VEC(struct counted) left, right, both; /* while lists are joined */
  bool cut;
};

static uint32_t with_letter(struct sum *m, enum race_kind k, uint32_t word) {
  if (k == RACE_NONE)
    return word;
  uint32_t *known = &m->words.at[word].before[k];
  if (*known)
    return *known;
  *known = m->words.len;
  struct pattern_word w = {
      .rest = word, .len = m->words.at[word].len + 1, .letter = (uint8_t)k};
  vec_push(&m->words, w);
  return m->words.len - 1;
}

static int compare(const struct sum *m, uint32_t a, uint32_t b) {
  const struct pattern_word *w = m->words.at;
  if (w[a].len != w[b].len)
    return w[a].len < w[b].len ? -1 : 1;
  while (a != b) {
    if (w[a].letter != w[b].letter)
      return w[a].letter < w[b].letter ? -1 : 1;
    a = w[a].rest;
    b = w[b].rest;
  }
  return 0;
}

/* Joins `right` into `left`. */
static void join(struct sum *m) {
  uint32_t i = 0, k = 0;
  vec_clear(&m->both);
  while (i < m->left.len || k < m->right.len) {
    int order = i == m->left.len ? 1
                : k == m->right.len
                    ? -1
                    : compare(m, m->left.at[i].word, m->right.at[k].word);
    struct counted next = order <= 0 ? m->left.at[i] : m->right.at[k];
    if (order == 0)
      next.count = tree_plus(next.count, m->right.at[k].count);
    i += order <= 0;
    k += order >= 0;
    if (m->both.len == m->most) {
      m->cut = true;
      break;
    }
    vec_push(&m->both, next);
  }
  vec_clear(&m->left);
  for (i = 0; i < m->both.len; i++)
    vec_push(&m->left, m->both.at[i]);
}

static void release(struct sum *m, uint32_t s) {
  if (--m->wanted[s] == 0) {
    free(m->lists[s].at);
    m->lists[s] = (struct pattern_list){0};
  }
}

/* What is behind one step of a state from which all is still open. */
static void add_step(struct sum *m, uint32_t s, const struct step_edge *e) {
  const struct tree *t = m->t;
  enum race_kind k = tree_race(t, s, (uint8_t)e->thread);
  vec_clear(&m->right);
  if (tree_decides(t, s, e)) {
    struct counted one = {m->ways[e->to], with_letter(m, k, 0)};
    m->explained[s] = tree_plus(m->explained[s], one.count);
    vec_push(&m->right, one);
  } else if (t->leads[e->to] == LEADS_BOTH) {
    const struct pattern_list *behind = &m->lists[e->to];
    m->explained[s] = tree_plus(m->explained[s], m->explained[e->to]);
    for (uint32_t i = 0; i < behind->len; i++) {
      struct counted c = behind->at[i];
      c.word = with_letter(m, k, c.word);
      vec_push(&m->right, c);
    }
  }
  if (m->right.len)
    join(m);
}

static void add_state(struct sum *m, uint32_t s) {
  const struct tree *t = m->t;
  const struct steps *g = t->g;
  bool open = t->leads[s] == LEADS_BOTH;
  vec_clear(&m->left);
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
    if (!tree_follows(t, s, e))
      continue;
    m->ways[s] = tree_plus(m->ways[s], m->ways[g->edges[e].to]);
    if (open)
      add_step(m, s, &g->edges[e]);
    release(m, g->edges[e].to);
  }
  if (!m->left.len)
    return;
  struct pattern_list *l = &m->lists[s];
  l->len = m->left.len;
  l->at = xmalloc(l->len * sizeof *l->at);
  memcpy(l->at, m->left.at, l->len * sizeof *l->at);
}

static void count_wanted(struct sum *m) {
  const struct tree *t = m->t;
  m->wanted[t->g->root] = 1;
  for (uint32_t i = 0; i < t->norder; i++) {
    uint32_t s = t->order[i];
    for (uint32_t e = t->g->first[s]; e < t->g->first[s + 1]; e++)
      if (tree_follows(t, s, e))
        m->wanted[t->g->edges[e].to]++;
  }
}

static void spell(const struct sum *m, const struct counted *c,
                  struct tree_pattern *out) {
  uint32_t w = c->word;
  *out = (struct tree_pattern){.len = m->words.at[w].len, .count = c->count};
  out->word = xmalloc(out->len + 1u);
  for (uint32_t i = 0; i < out->len; i++, w = m->words.at[w].rest)
    out->word[i] = m->words.at[w].letter;
}

void tree_patterns(const struct tree *t, uint32_t most,
                   struct tree_patterns *out) {
  uint32_t n = t->g->nstates, root = t->g->root;
  struct sum m = {.t = t, .most = most};
  struct pattern_word empty = {0};
  vec_push(&m.words, empty);
  m.lists = xcalloc(n, sizeof *m.lists);
  m.wanted = xcalloc(n, sizeof *m.wanted);
  m.ways = xcalloc(n, sizeof *m.ways);
  m.explained = xcalloc(n, sizeof *m.explained);
  m.ways[STEPS_BAD] = 1;
  count_wanted(&m);
  for (uint32_t i = 0; i < t->norder; i++)
    add_state(&m, t->order[i]);
  *out = (struct tree_patterns){
      .cut = m.cut, .failing = m.ways[root], .explained = m.explained[root]};
  for (uint32_t i = 0; i < m.lists[root].len; i++) {
    struct tree_pattern p;
    spell(&m, &m.lists[root].at[i], &p);
    assert(race_word_is_sound(p.word, p.len)); /* R1 */
    if (i) {
      const struct tree_pattern *before = &vec_last(&out->at);
      assert(race_word_compare(before->word, before->len, p.word, p.len) < 0);
    } /* R2 */
    vec_push(&out->at, p);
  }
  free(m.lists[root].at);
  free(m.lists);
  free(m.wanted);
  free(m.ways);
  free(m.explained);
  vec_free(&m.words);
  vec_free(&m.left);
  vec_free(&m.right);
  vec_free(&m.both);
}

void tree_patterns_free(struct tree_patterns *p) {
  for (uint32_t i = 0; i < p->at.len; i++)
    free(p->at.at[i].word);
  vec_free(&p->at);
}
