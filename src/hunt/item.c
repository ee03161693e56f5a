#include "hunt/item.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ---- items ---- */

void item_write(const struct item *i, struct buf *out) {
  assert(i->kind <= ITEM_ONE && (i->kind == ITEM_ONE || i->count));
  assert(!(i->cut && i->parallel));
  wire_put(out, i->kind);
  wire_put(out, i->first);
  wire_put(out, i->count);
  wire_put_real(out, i->seconds);
  wire_put(out, i->max_executions);
  wire_put(out, (uint64_t)i->search);
  wire_put(out, i->max_states);
  wire_put(out, i->cut);
  wire_put_bytes(out, i->below.at, i->below.len);
  wire_put_real(out, i->share);
  wire_put(out, i->parallel);
  wire_put(out, i->member);
  wire_put_bytes(out, i->knowledge.at, i->knowledge.len);
}

static void get_buf(struct wire *w, struct buf *out) {
  size_t n;
  const void *at = wire_get_bytes(w, &n);
  buf_put(out, at, n);
}

bool item_read(struct item *i, const struct buf *from) {
  struct wire w = {from->at, from->len, 0, false};
  *i = (struct item){.kind = (enum item_kind)wire_get(&w)};
  i->first = wire_get(&w);
  i->count = wire_get(&w);
  i->seconds = wire_get_real(&w);
  i->max_executions = wire_get(&w);
  i->search = (int)wire_get(&w);
  i->max_states = wire_get(&w);
  i->cut = wire_get(&w);
  get_buf(&w, &i->below);
  i->share = wire_get_real(&w);
  i->parallel = wire_get(&w);
  i->member = (uint32_t)wire_get(&w);
  get_buf(&w, &i->knowledge);
  if (w.bad || w.next != w.len)
    item_free(i);
  return !w.bad && w.next == w.len;
}

void item_free(struct item *i) {
  buf_free(&i->below);
  buf_free(&i->knowledge);
}

/* ---- records ---- */

static uint64_t get_below(struct wire *w, uint64_t bound) {
  uint64_t n = wire_get(w);
  w->bad |= n >= bound;
  return w->bad ? 0 : n;
}

static double get_part(struct wire *w) {
  double d = wire_get_real(w);
  w->bad |= !isfinite(d) || d < 0;
  return w->bad ? 0 : d;
}

static void put_value(struct buf *out, struct value v) {
  wire_put(out, v.kind);
  if (v.kind == VALUE_STRING)
    wire_put_text(out, (const char *)(uintptr_t)v.bits);
  else
    wire_put(out, v.bits);
}

static struct value get_value(struct wire *w) {
  uint64_t kind = wire_get(w);
  if (kind > VALUE_STRING)
    w->bad = true;
  if (kind != VALUE_STRING)
    return (struct value){kind, wire_get(w)};
  char *text = wire_get_text(w);
  struct value v = value_string(text);
  free(text);
  return v;
}

static void put_outcomes(struct buf *out, const outcome_list *o) {
  wire_put(out, o->len);
  for (uint32_t i = 0; i < o->len; i++) {
    wire_put(out, o->at[i].executions);
    wire_put(out, o->at[i].allowed);
    wire_put(out, o->at[i].results.len);
    for (uint32_t k = 0; k < o->at[i].results.len; k++)
      put_value(out, o->at[i].results.at[k]);
  }
}

static void get_outcomes(struct wire *w, outcome_list *o) {
  for (uint32_t n = wire_get_count(w, 24); n--;) {
    struct outcome one = {.executions = wire_get(w)};
    one.allowed = wire_get(w);
    for (uint32_t k = wire_get_count(w, 16); k--;)
      vec_push(&one.results, get_value(w));
    vec_push(o, one);
  }
}

static void put_seen(struct buf *out, const struct record *r) {
  wire_put(out, r->seen.len);
  for (uint32_t i = 0; i < r->seen.len; i++) {
    wire_put(out, r->seen.at[i].hash.lo);
    wire_put(out, r->seen.at[i].hash.hi);
    wire_put(out, r->seen.at[i].undecided);
  }
}

static void get_seen(struct wire *w, struct record *r) {
  for (uint32_t n = wire_get_count(w, 24); n--;) {
    struct checked_history s = {.hash.lo = wire_get(w)};
    s.hash.hi = wire_get(w);
    s.undecided = wire_get(w);
    vec_push(&r->seen, s);
  }
}

static void get_path(struct wire *w, path *out) {
  size_t n;
  const uint8_t *at = wire_get_bytes(w, &n);
  for (size_t i = 0; i < n; i++)
    vec_push(out, at[i]);
}

static void put_leftover(struct buf *out, const struct leftover *l) {
  wire_put_bytes(out, l->bytes.at, l->bytes.len);
  wire_put(out, l->ends.len);
  for (uint32_t i = 0; i < l->ends.len; i++) {
    wire_put(out, l->ends.at[i]);
    wire_put_real(out, i < l->share.len ? l->share.at[i] : 0);
  }
}

static void get_leftover(struct wire *w, struct leftover *l) {
  uint32_t last = 0;
  get_path(w, &l->bytes);
  for (uint32_t n = wire_get_count(w, 16); n--;) {
    uint64_t end = wire_get(w);
    vec_push(&l->share, get_part(w));
    if (end < last || end > l->bytes.len)
      w->bad = true;
    last = (uint32_t)end;
    vec_push(&l->ends, last);
  }
}

#define NUMBERS(_)                                                             \
  _(executions)                                                                \
  _(cut)                                                                       \
  _(blocked)                                                                   \
  _(steps)                                                                     \
  _(states)                                                                    \
  _(transitions) _(interleavings) _(circles) _(faults) _(histories) _(undecided)

void record_write(const struct record *r, struct buf *out) {
  wire_put(out, r->kind);
  wire_put(out, r->end);
  wire_put(out, r->exhaustive);
  wire_put(out, r->touched);
  wire_put(out, r->left_out);
  wire_put(out, r->progress);
  wire_put(out, r->calls);
  wire_put(out, r->init);
#define PUT(name) wire_put(out, r->name);
  NUMBERS(PUT)
#undef PUT
  put_seen(out, r);
  put_outcomes(out, &r->outcomes);
  wire_put(out, r->chance.depth);
  wire_put(out, r->chance.threads);
  wire_put(out, r->chance.steps);
  wire_put_real(out, r->chance.bound);
  wire_put_text(out, r->client);
  wire_put_bytes(out, r->bad.at, r->bad.len);
  wire_put(out, r->switches);
  put_leftover(out, &r->leftover);
  wire_put(out, r->learnt);
  wire_put_bytes(out, r->knowledge.at, r->knowledge.len);
}

bool record_read(struct record *r, struct wire *w) {
  *r = (struct record){
      .kind = (enum record_kind)get_below(w, RECORD_NO_CLIENT + 1)};
  r->end = (enum explore_end)get_below(w, EXPLORE_DIVERGED + 1);
  r->exhaustive = wire_get(w);
  r->touched = wire_get(w);
  r->left_out = wire_get(w);
  r->progress = wire_get(w);
  r->calls = (uint32_t)wire_get(w);
  r->init = (uint32_t)wire_get(w);
#define GET(name) r->name = wire_get(w);
  NUMBERS(GET)
#undef GET
  get_seen(w, r);
  get_outcomes(w, &r->outcomes);
  r->chance.depth = (uint32_t)wire_get(w);
  r->chance.threads = (uint32_t)wire_get(w);
  r->chance.steps = wire_get(w);
  r->chance.bound = get_part(w);
  r->client = wire_get_text(w);
  get_path(w, &r->bad);
  r->switches = (uint32_t)wire_get(w);
  get_leftover(w, &r->leftover);
  r->learnt = wire_get(w);
  get_buf(w, &r->knowledge);
  if (w->bad)
    record_free(r);
  return !w->bad;
}

bool answer_valid(const struct buf *answer) {
  struct wire w = {answer->at, answer->len, 0, false};
  struct record r;
  while (w.next < w.len && record_read(&r, &w))
    record_free(&r);
  return !w.bad && w.len;
}

void record_free(struct record *r) {
  for (uint32_t i = 0; i < r->outcomes.len; i++)
    vec_free(&r->outcomes.at[i].results);
  vec_free(&r->outcomes);
  vec_free(&r->seen);
  free(r->client);
  vec_free(&r->bad);
  leftover_free(&r->leftover);
  buf_free(&r->knowledge);
  *r = (struct record){0};
}

bool record_better(const struct record *a, const struct record *than) {
  if (a->switches != than->switches)
    return a->switches < than->switches;
  uint32_t n = a->bad.len < than->bad.len ? a->bad.len : than->bad.len;
  int order = n ? memcmp(a->bad.at, than->bad.at, n) : 0;
  return order ? order < 0 : a->bad.len < than->bad.len;
}
