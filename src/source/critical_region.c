/* Regions: from lines to statements. */
#include "source/critical_int.h"

#include <stdlib.h>

static bool touches(const struct ctext *c, uint32_t first, uint32_t last,
                    uint32_t from, uint32_t to) {
  for (uint32_t t = first; t <= last; t++)
    if (c->tokens.at[t].line <= to && ctext_last_line(c, t) >= from)
      return true;
  return false;
}

/* Whether the lines have something of a statement that is in no child. */
static bool touches_itself(const struct ctext *c, uint32_t s, uint32_t from,
                           uint32_t to) {
  uint32_t at = cstmt_of(c, s)->first;
  for (uint32_t k = cstmt_of(c, s)->child; k != CTEXT_NONE;
       k = cstmt_of(c, k)->next) {
    const struct cstmt *child = cstmt_of(c, k);
    if (child->first > at && touches(c, at, child->first - 1, from, to))
      return true;
    at = child->last + 1;
  }
  return at <= cstmt_of(c, s)->last &&
         touches(c, at, cstmt_of(c, s)->last, from, to);
}

/* The children that the lines touch. */
static bool touched(const struct ctext *c, uint32_t s, uint32_t from,
                    uint32_t to, uint32_t *first, uint32_t *last) {
  *first = *last = CTEXT_NONE;
  for (uint32_t k = cstmt_of(c, s)->child; k != CTEXT_NONE;
       k = cstmt_of(c, k)->next) {
    const struct cstmt *child = cstmt_of(c, k);
    if (!touches(c, child->first, child->last, from, to))
      continue;
    if (*first == CTEXT_NONE)
      *first = k;
    *last = k;
  }
  return *first != CTEXT_NONE;
}

static void pass_labels(const struct ctext *c, struct cregion *r) {
  while (r->first != r->last && cstmt_is_label(c, r->first))
    r->first = cstmt_of(c, r->first)->next;
}

bool cregion_of_lines(const struct ctext *c, const struct cfunction *f,
                      uint32_t first, uint32_t last, struct cregion *out,
                      const char **why) {
  uint32_t s = f->body, from, to;
  *out = (struct cregion){f, CTEXT_NONE, CTEXT_NONE};
  if (f->broken) {
    *why = f->broken;
    return false;
  }
  while (touched(c, s, first, last, &from, &to)) {
    bool siblings = cstmt_is_compound(c, s);
    if (!siblings && (from != to || touches_itself(c, s, first, last)))
      break;
    if (siblings || !cstmt_is_compound(c, from))
      *out = (struct cregion){f, from, to};
    if (from != to)
      break;
    s = from;
    if (!cstmt_is_compound(c, s) && touches_itself(c, s, first, last))
      break;
  }
  if (out->first == CTEXT_NONE) {
    *why = "there is no statement on these lines";
    return false;
  }
  pass_labels(c, out);
  if (cstmt_is_label(c, out->first)) {
    *why = "there is only a label on these lines";
    return false;
  }
  return true;
}

bool cregion_loop(const struct ctext *c, struct cregion *r) {
  for (uint32_t s = cstmt_of(c, r->first)->parent; s != CTEXT_NONE;
       s = cstmt_of(c, s)->parent)
    if (cstmt_of(c, s)->kind == CSTMT_LOOP) {
      r->first = r->last = s;
      return true;
    }
  return false;
}

bool cregion_body(const struct ctext *c, const struct cfunction *f,
                  struct cregion *out) {
  uint32_t s = cstmt_of(c, f->body)->child;
  *out = (struct cregion){f, s, s};
  if (s == CTEXT_NONE || f->broken)
    return false;
  while (cstmt_of(c, out->last)->next != CTEXT_NONE)
    out->last = cstmt_of(c, out->last)->next;
  return true;
}

static int by_place(const void *x, const void *y) {
  const struct cregion *a = x, *b = y;
  if (a->function != b->function) /* both of one list, in the text's order */
    return a->function < b->function ? -1 : 1;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  return (a->last < b->last) - (a->last > b->last);
}

/* Whether b can be made a part of a. */
static bool join(const struct ctext *c, struct cregion *a,
                 const struct cregion *b) {
  if (a->function != b->function)
    return false;
  if (cregion_has(c, a, b->first) && cregion_has(c, a, b->last))
    return true;
  uint32_t parent = cstmt_of(c, a->first)->parent;
  if (cstmt_of(c, b->first)->parent != parent || !cstmt_is_compound(c, parent))
    return false;
  if (!cregion_has(c, a, b->first) && cstmt_of(c, a->last)->next != b->first)
    return false;
  a->last = b->last;
  return true;
}

uint32_t cregions_merge(const struct ctext *c, struct cregion *at, uint32_t n) {
  uint32_t kept = 0;
  if (n)
    qsort(at, n, sizeof *at, by_place);
  for (uint32_t i = 0; i < n; i++)
    if (!kept || !join(c, &at[kept - 1], &at[i]))
      at[kept++] = at[i];
  return kept;
}
