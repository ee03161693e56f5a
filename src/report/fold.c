/*
 * Folding, one thing after the other until the lines are few enough: passive
 * steps, all steps that decide nothing, calls without a decisive step, whatever
 * a thread does between two decisive steps; at last what is furthest from one
 * is cut.
 */
#include "report/fold.h"

#include <assert.h>
#include <string.h>

/* What the threads do; what the main thread does, when it fails or when there
 * is nothing else. */
static bool shown(const struct story *s, const struct story_row *r) {
  if (r->part == STORY_THREADS || s->threads == 0)
    return true;
  const struct finding *f = s->result->finding;
  bool main_fails = f->fault > FAULT_INVARIANT && f->thread == 0;
  return r->kind == ROW_FAULT || r->kind == ROW_NOTE ||
         (main_fails && s->waiting.len == 0);
}

void fold_none(const struct story *s, fold_list *out) {
  for (uint32_t i = 0; i < s->rows.len; i++)
    if (shown(s, &s->rows.at[i])) {
      struct fold_line l = {LINE_ROW, &s->rows.at[i], 1};
      vec_push(out, l);
    }
}

/* ---- what goes together ---- */

static const struct story_row *last_row(const struct fold_line *l) {
  return l->row + l->rows - 1;
}

/* Is b right behind a, of the same call? */
static bool adjoins(const struct fold_line *a, const struct fold_line *b) {
  return last_row(a) + 1 == b->row && a->row->thread == b->row->thread &&
         a->row->call == b->row->call && a->row->part == b->row->part;
}

static bool is_quiet_step(const struct fold_line *l, enum story_weight least) {
  return (l->kind == LINE_LIBRARY || l->kind == LINE_STEPS ||
          (l->kind == LINE_ROW && l->row->kind == ROW_STEP)) &&
         l->row->weight >= least;
}

static bool same_library_call(const struct fold_line *a,
                              const struct fold_line *b) {
  const struct place *p = a->row->place, *q = b->row->place;
  return a->row->library && b->row->library && p->line == q->line && p->file &&
         q->file && !strcmp(p->file, q->file) &&
         !strcmp(a->row->library, b->row->library);
}

/* How many lines from `at` on become one line of `kind`; 1: none. */
static uint32_t run_of(const fold_list *l, uint32_t at, enum fold_kind kind,
                       enum story_weight least) {
  uint32_t end = at;
  while (end < l->len && is_quiet_step(&l->at[end], least) &&
         (end == at || (adjoins(&l->at[end - 1], &l->at[end]) &&
                        (kind != LINE_LIBRARY ||
                         same_library_call(&l->at[at], &l->at[end])))))
    end++;
  if (kind == LINE_LIBRARY && end > at && !l->at[at].row->library)
    return 1;
  return end > at ? end - at : 1;
}

/* A call from its first row to its return, with nothing decisive inside. */
static uint32_t call_of(const fold_list *l, uint32_t at) {
  if (l->at[at].row->kind != ROW_CALL)
    return 1;
  for (uint32_t end = at + 1; end < l->len; end++) {
    if (!adjoins(&l->at[end - 1], &l->at[end]) ||
        (l->at[end].row->kind != ROW_RETURN &&
         !is_quiet_step(&l->at[end], WEIGHT_SHARED)))
      return 1;
    if (l->at[end].row->kind == ROW_RETURN)
      return end + 1 - at;
  }
  return 1;
}

static bool is_quiet(const struct fold_line *l) {
  return is_quiet_step(l, WEIGHT_SHARED) || l->kind == LINE_CALL ||
         l->row->kind == ROW_CALL || l->row->kind == ROW_RETURN;
}

/* What one thread does without interruption, with nothing decisive inside. */
static uint32_t stretch_of(const fold_list *l, uint32_t at) {
  uint32_t end = at;
  while (end < l->len && is_quiet(&l->at[end]) &&
         (end == at || (last_row(&l->at[end - 1]) + 1 == l->at[end].row &&
                        l->at[end].row->thread == l->at[at].row->thread &&
                        l->at[end].row->part == l->at[at].row->part)))
    end++;
  return end > at ? end - at : 1;
}

/* How many lines from `at` on become one. */
static uint32_t lines_to_fold(const fold_list *l, uint32_t at,
                              enum fold_kind kind, enum story_weight least) {
  if (kind != LINE_CALL)
    return run_of(l, at, kind, least);
  return least == WEIGHT_DECISIVE ? stretch_of(l, at) : call_of(l, at);
}

/* The longest run; 0: there is none. */
static uint32_t longest(const fold_list *l, enum fold_kind kind,
                        enum story_weight least, uint32_t *at) {
  uint32_t best = 0;
  for (uint32_t i = 0, n; i < l->len; i += n) {
    n = lines_to_fold(l, i, kind, least);
    if (n > 1 && n > best) {
      best = n;
      *at = i;
    }
  }
  return best;
}

/* Runs become lines, the longest first, until there are at most `most`. */
static void fold(fold_list *l, enum fold_kind kind, enum story_weight least,
                 uint32_t most) {
  uint32_t at, n;
  while (l->len > most && (n = longest(l, kind, least, &at)) != 0) {
    for (uint32_t k = 1; k < n; k++)
      l->at[at].rows += l->at[at + k].rows;
    l->at[at].kind = kind;
    memmove(&l->at[at + 1], &l->at[at + n], (l->len - at - n) * sizeof *l->at);
    l->len -= n - 1;
  }
}

/* ---- the last resort ---- */

/* How far each line is from a decisive one; if there is none, from an end. */
static uint32_t *distances(const fold_list *l) {
  uint32_t *d = xcalloc(l->len + 1, sizeof *d);
  bool some = false;
  for (uint32_t i = 0; i < l->len; i++)
    some |= l->at[i].row->weight == WEIGHT_DECISIVE;
  uint32_t last = some ? UINT32_MAX / 2 : 0;
  for (uint32_t i = 0; i < l->len; i++) {
    last = l->at[i].row->weight == WEIGHT_DECISIVE ? 0 : last + 1;
    d[i] = last;
  }
  last = some ? UINT32_MAX / 2 : 0;
  for (uint32_t i = l->len; i-- > 0;) {
    last = l->at[i].row->weight == WEIGHT_DECISIVE ? 0 : last + 1;
    d[i] = d[i] < last ? d[i] : last;
  }
  return d;
}

/* The lines within `most` of a decisive one, the rest cut; returns how many
 * lines that makes, and writes them unless `out` is NULL. */
static uint32_t cut(const fold_list *l, const uint32_t *d, uint32_t most,
                    fold_list *out) {
  uint32_t lines = 0;
  for (uint32_t i = 0, n; i < l->len; i += n) {
    struct fold_line one = l->at[i];
    n = 1;
    while (d[i] > most && i + n < l->len && d[i + n] > most)
      one.rows = (uint32_t)(last_row(&l->at[i + n++]) - one.row + 1);
    if (n > 1)
      one.kind = LINE_CUT;
    if (out)
      vec_push(out, one);
    lines++;
  }
  return lines;
}

static void cut_far(fold_list *l, uint32_t most) {
  uint32_t *d = distances(l), near = 0;
  fold_list out = {0};
  while (near < l->len && cut(l, d, near + 1, NULL) <= most)
    near++;
  cut(l, d, near, &out);
  vec_free(l);
  *l = out;
  free(d);
}

void fold_rows(const struct story *s, uint32_t most, fold_list *out) {
  assert(most >= 1);
  fold_none(s, out);
  fold(out, LINE_LIBRARY, WEIGHT_SHARED, 1);
  fold(out, LINE_STEPS, WEIGHT_PASSIVE, most);
  fold(out, LINE_STEPS, WEIGHT_SHARED, most);
  fold(out, LINE_CALL, WEIGHT_SHARED, most);   /* whole calls */
  fold(out, LINE_CALL, WEIGHT_DECISIVE, most); /* up to a decisive step */
  if (out->len > most)
    cut_far(out, most);
  for (uint32_t i = 0; i < out->len; i++) {
    const struct fold_line *l = &out->at[i];
    assert(i == 0 || l->row > last_row(l - 1)); /* F1 */
    for (uint32_t k = 0; k < l->rows && l->rows > 1; k++)
      assert(l->row[k].weight != WEIGHT_DECISIVE || !shown(s, &l->row[k]) ||
             out->len > most); /* F2 */
  }
}

void fold_put_count(const struct story *s, const struct story_row *rows,
                    uint32_t n, struct buf *out) {
  const struct event *events = s->result->finding->trace.events;
  uint64_t steps = 0;
  bool only_accesses = true;
  for (uint32_t i = 0; i < n; i++) {
    if (rows[i].kind != ROW_STEP)
      continue;
    uint8_t kind = events[rows[i].index].kind;
    steps += rows[i].times;
    only_accesses &= event_reads[kind] || event_writes[kind];
  }
  if (!steps)
    return;
  story_number(steps, out);
  buf_printf(out, " %s%s", only_accesses ? "access" : "step",
             steps == 1      ? ""
             : only_accesses ? "es"
                             : "s");
}
