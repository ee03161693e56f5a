/* Keeps edits in order, applies them, and writes the difference. */
#include "source/edit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 3 };

bool edits_add(struct edits *e, size_t at, size_t cut, const char *text) {
  uint32_t i = e->list.len;
  while (i && (e->list.at[i - 1].at > at ||
               (e->list.at[i - 1].at == at && e->list.at[i - 1].cut && !cut)))
    i--; /* what is put where a cut begins comes before it */
  for (uint32_t k = 0; k < e->list.len; k++) {
    const struct edit *o = &e->list.at[k];
    bool inside = at > o->at && at < o->at + o->cut;
    bool around = o->at > at && o->at < at + cut;
    if (inside || around || (cut && o->cut && at == o->at))
      return false; /* E2 */
  }
  vec_push(&e->list, ((struct edit){0}));
  memmove(e->list.at + i + 1, e->list.at + i,
          (e->list.len - 1 - i) * sizeof *e->list.at);
  e->list.at[i] = (struct edit){at, cut, xstrdup(text)};
  assert(!i || e->list.at[i - 1].at <= at);                   /* E1 */
  assert(i + 1 == e->list.len || at <= e->list.at[i + 1].at); /* E1 */
  return true;
}

void edits_free(struct edits *e) {
  for (uint32_t i = 0; i < e->list.len; i++)
    free(e->list.at[i].text);
  vec_free(&e->list);
}

/* The text [from, to) with the edits [first, last). */
static void apply(const struct edits *e, uint32_t first, uint32_t last,
                  const char *text, size_t from, size_t to, struct buf *out) {
  for (uint32_t i = first; i < last; i++) {
    const struct edit *d = &e->list.at[i];
    assert(d->at >= from && d->at + d->cut <= to); /* E1, E2 */
    buf_put(out, text + from, d->at - from);
    buf_puts(out, d->text);
    from = d->at + d->cut;
  }
  buf_put(out, text + from, to - from);
}

void edits_apply(const struct edits *e, const char *text, size_t len,
                 struct buf *out) {
  apply(e, 0, e->list.len, text, 0, len, out);
}

/* ---- lines ---- */

struct lines_of {
  const char *text;
  VEC(size_t) at; /* where each begins, and the end of the text */
};

static void split(struct lines_of *l, const char *text, size_t len) {
  l->text = text;
  for (size_t i = 0; i < len; i++)
    if (i == 0 || text[i - 1] == '\n')
      vec_push(&l->at, i);
  vec_push(&l->at, len);
}

static uint32_t count(const struct lines_of *l) { return l->at.len - 1; }

/* The line that a place is in; the number of lines at the end of a text whose
 * last line has an end. */
static uint32_t line_of(const struct lines_of *l, size_t at) {
  uint32_t low = 0, high = count(l);
  size_t len = vec_last(&l->at);
  if (at >= len)
    return len && l->text[len - 1] != '\n' ? count(l) - 1 : count(l);
  while (high - low > 1) {
    uint32_t mid = low + (high - low) / 2;
    if (l->at.at[mid] <= at)
      low = mid;
    else
      high = mid;
  }
  return low;
}

static bool is_line_start(const struct lines_of *l, size_t at) {
  return at == 0 || l->text[at - 1] == '\n';
}

/* Whole lines that change: [first, last) of the old text, edits [from, to). */
struct edit_change {
  uint32_t first, last, from, to;
};
typedef VEC(struct edit_change) change_vec;

static struct edit_change change_of(const struct lines_of *l,
                                    const struct edits *e, uint32_t i) {
  const struct edit *d = &e->list.at[i];
  size_t n = strlen(d->text), end = d->at + d->cut;
  bool whole = is_line_start(l, d->at) && is_line_start(l, end) &&
               (n ? d->text[n - 1] == '\n' : d->cut > 0);
  uint32_t first = line_of(l, d->at), last = line_of(l, end);
  if (!whole && last < count(l))
    last++;
  return (struct edit_change){first, last, i, i + 1};
}

static void find_changes(const struct lines_of *l, const struct edits *e,
                         change_vec *out) {
  for (uint32_t i = 0; i < e->list.len; i++) {
    struct edit_change c = change_of(l, e, i);
    if (out->len && c.first <= vec_last(out).last) {
      struct edit_change *before = &vec_last(out);
      before->last = before->last > c.last ? before->last : c.last;
      before->to = c.to;
    } else {
      vec_push(out, c);
    }
  }
}

/* ---- the difference ---- */

static void put_line(struct buf *out, char mark, const char *line, size_t n) {
  buf_putc(out, mark);
  buf_put(out, line, n);
  if (!n || line[n - 1] != '\n')
    buf_puts(out, "\n\\ No newline at end of file\n");
}

static void put_old(struct buf *out, char mark, const struct lines_of *l,
                    uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++)
    put_line(out, mark, l->text + l->at.at[i], l->at.at[i + 1] - l->at.at[i]);
}

/* The lines that come out of a change; how many. */
static uint32_t put_new(struct buf *out, const struct lines_of *l,
                        const struct edits *e, const struct edit_change *c) {
  struct buf now = {0};
  struct lines_of fresh = {0};
  apply(e, c->from, c->to, l->text, l->at.at[c->first], l->at.at[c->last],
        &now);
  split(&fresh, buf_text(&now), now.len);
  uint32_t n = count(&fresh);
  if (out)
    put_old(out, '+', &fresh, 0, n);
  vec_free(&fresh.at);
  buf_free(&now);
  return n;
}

static void put_range(struct buf *out, uint32_t first, uint32_t n) {
  /* Of no lines, the one before is named. */
  buf_printf(out, "%u,%u", n ? first + 1 : first, n);
}

/* Changes [from, to) with what stands around them; `shift` is by how much
 * lines moved before.  Returns what it is behind them. */
static int64_t put_hunk(struct buf *out, const struct lines_of *l,
                        const struct edits *e, const struct edit_change *c,
                        uint32_t n, int64_t shift) {
  struct buf body = {0};
  uint32_t first = c[0].first > AROUND ? c[0].first - AROUND : 0;
  uint32_t last = c[n - 1].last + AROUND, at = first;
  int64_t grown = 0;
  if (last > count(l))
    last = count(l);
  for (uint32_t i = 0; i < n; i++) {
    put_old(&body, ' ', l, at, c[i].first);
    put_old(&body, '-', l, c[i].first, c[i].last);
    grown += put_new(&body, l, e, &c[i]);
    grown -= c[i].last - c[i].first;
    at = c[i].last;
  }
  put_old(&body, ' ', l, at, last);
  buf_puts(out, "@@ -");
  put_range(out, first, last - first);
  buf_puts(out, " +");
  put_range(out, (uint32_t)(first + shift), (uint32_t)(last - first + grown));
  buf_puts(out, " @@\n");
  buf_put(out, body.at, body.len);
  buf_free(&body);
  return shift + grown;
}

void edits_diff(const struct edits *e, const char *text, size_t len,
                const char *name, struct buf *out) {
  struct lines_of l = {0};
  change_vec changes = {0};
  int64_t shift = 0;
  split(&l, text, len);
  find_changes(&l, e, &changes);
  if (changes.len)
    buf_printf(out, "--- a/%s\n+++ b/%s\n", name, name);
  for (uint32_t i = 0, to; i < changes.len; i = to) {
    for (to = i + 1;
         to < changes.len &&
         changes.at[to].first - changes.at[to - 1].last <= 2 * AROUND;)
      to++;
    shift = put_hunk(out, &l, e, &changes.at[i], to - i, shift);
  }
  vec_free(&changes);
  vec_free(&l.at);
}
