/*
 * The parts of a stream: their operations, stages and memory.  They are in
 * lists by hash, not in a TABLE of base/table.h, since a part is taken out as
 * soon as it is as at the beginning.
 */
#include "history/stream/online_int.h"

#include "base/rng.h"

#include <assert.h>

enum { FEW_OPS = 64, FEW_SPARE = 64, FORGET_BYTES = 1 << 18 };

uint64_t part_hash(datum key) {
  struct rng r = {key};
  return rng_next(&r);
}

struct online_part *part_find(const struct online *o, datum key) {
  if (!o->nbuckets)
    return NULL;
  struct online_part *p = o->buckets[part_hash(key) & (o->nbuckets - 1)];
  while (p && p->key != key)
    p = p->next;
  return p;
}

static void grow_buckets(struct online *o) {
  uint32_t n = o->nbuckets ? o->nbuckets * 2 : 16;
  struct online_part **buckets = xcalloc(n, sizeof *buckets);
  for (uint32_t i = 0; i < o->nbuckets; i++)
    for (struct online_part *p = o->buckets[i], *next; p; p = next) {
      next = p->next;
      p->next = buckets[p->hash & (n - 1)];
      buckets[p->hash & (n - 1)] = p;
    }
  free(o->buckets);
  o->buckets = buckets;
  o->nbuckets = n;
}

struct online_part *part_new(struct online *o, datum key) {
  if (o->nparts >= o->nbuckets)
    grow_buckets(o);
  struct online_part *p = xcalloc(1, sizeof *p);
  p->key = key;
  p->hash = part_hash(key);
  p->problem.log = &o->log;
  p->problem.type = o->type;
  if (!o->options.search && (!o->type->by_key || !o->options.whole))
    p->watch = watch_new(o->type);
  if (p->watch) {
    p->watch->remembers = o->options.remembers;
    p->watch->hastens = o->options.hastens;
  }
  if (!p->watch)
    stage_init(&p->tip, o->type->initial);
  struct online_part **head = &o->buckets[p->hash & (o->nbuckets - 1)];
  p->next = *head;
  *head = p;
  o->nparts++;
  return p;
}

void part_free(struct online *o, struct online_part *p) {
  struct online_part **link = &o->buckets[p->hash & (o->nbuckets - 1)];
  while (*link != p)
    link = &(*link)->next;
  *link = p->next;
  o->nparts--;
  o->held -= p->bytes;
  for (uint32_t i = 0; i < p->open.len; i++)
    stage_free(&p->open.at[i].before);
  vec_free(&p->open);
  watch_free(p->watch);
  stage_free(&p->tip);
  free(p->problem.ops);
  free(p->logged);
  free(p);
}

struct frontier_stage stage_spare(struct online *o) {
  return o->spare.len ? vec_pop(&o->spare) : (struct frontier_stage){0};
}

void stage_recycle(struct online *o, struct frontier_stage *s) {
  if (o->spare.len < FEW_SPARE)
    vec_push(&o->spare, *s);
  else
    stage_free(s);
  *s = (struct frontier_stage){0};
}

static void each_stage(struct online_part *p,
                       void (*visit)(struct online_part *,
                                     struct frontier_stage *, void *),
                       void *data) {
  for (uint32_t i = 0; i < p->open.len; i++)
    if (p->open.at[i].staged)
      visit(p, &p->open.at[i].before, data);
  visit(p, &p->tip, data);
}

/* Operations have moved; `data` is their new places, or NULL. */
static void rebind(struct online_part *p, struct frontier_stage *g,
                   void *data) {
  const uint32_t *to = data;
  if (to)
    g->next_call = to[g->next_call];
  for (uint32_t i = 0; i < g->slots.len; i++) {
    struct frontier_slot *s = &g->slots.at[i];
    if (!s->op)
      continue;
    if (to)
      s->id = to[s->id];
    assert(s->id < p->problem.nops); /* O3: no stage lost an operation */
    s->op = &p->problem.ops[s->id];
  }
}

static void resize(struct online_part *p, uint32_t cap) {
  assert(cap >= p->problem.nops);
  p->cap = cap;
  p->problem.ops = xrealloc(p->problem.ops, (cap + 1) * sizeof *p->problem.ops);
  p->logged = xrealloc(p->logged, (cap + 1) * sizeof *p->logged);
  for (uint32_t i = 0; i < p->problem.nops; i++)
    p->problem.ops[i].op = &p->logged[i];
  each_stage(p, rebind, NULL);
}

void part_add_op(struct online_part *p, const struct log_op *op,
                 const struct type_op *prepared) {
  if (p->problem.nops == p->cap)
    resize(p, p->cap ? p->cap * 2 : 4);
  uint32_t i = p->problem.nops++;
  assert(!i || p->logged[i - 1].call <= op->call); /* by call */
  p->logged[i] = *op;
  p->problem.ops[i] = *prepared;
  p->problem.ops[i].op = &p->logged[i];
}

static struct frontier_stage *first_stage(struct online_part *p) {
  for (uint32_t i = 0; i < p->open.len; i++)
    if (p->open.at[i].staged)
      return &p->open.at[i].before;
  return &p->tip;
}

/* The new place of each operation; UINT32_MAX: it is forgotten (O3).  Returns
 * how many stay. */
static uint32_t new_places(struct online_part *p, uint32_t *to) {
  const struct frontier_stage *first = first_stage(p);
  uint32_t n = 0, nops = p->problem.nops;
  for (uint32_t i = 0; i <= nops; i++)
    to[i] = i >= first->next_call ? 0 : UINT32_MAX;
  for (uint32_t i = 0; i < first->slots.len; i++)
    if (first->slots.at[i].op)
      to[first->slots.at[i].id] = 0;
  for (uint32_t i = 0; i < p->open.len; i++)
    to[p->open.at[i].op] = 0;
  for (uint32_t i = 0; i <= nops; i++)
    if (to[i] != UINT32_MAX)
      to[i] = n++;
  return n - 1; /* without the end, which is at nops */
}

/* Times begin again from the first operation that stays; crashed ones before it
 * keep their order. */
static void renumber_times(struct online_part *p, uint32_t from) {
  uint32_t start = from < p->problem.nops ? p->logged[from].call : p->time;
  uint32_t shift = start - from;
  for (uint32_t i = 0; i < p->problem.nops; i++) {
    struct log_op *op = &p->logged[i];
    op->call = i < from ? i : op->call - shift;
    if (op->ret != LOG_PENDING)
      op->ret -= shift;
  }
  p->time -= shift;
}

static bool is_late(const struct online *o, const struct online_part *p) {
  return !o->own && p->time >= o->options.late;
}

static void compact(const struct online *o, struct online_part *p) {
  uint32_t *to = xmalloc((p->problem.nops + 1ull) * sizeof *to);
  uint32_t n = new_places(p, to), old = p->problem.nops;
  for (uint32_t i = 0; i < old; i++)
    if (to[i] != UINT32_MAX) {
      p->logged[to[i]] = p->logged[i];
      p->problem.ops[to[i]] = p->problem.ops[i];
    }
  p->problem.nops = n;
  for (uint32_t i = 0; i < n; i++)
    p->problem.ops[i].op = &p->logged[i];
  each_stage(p, rebind, to);
  for (uint32_t i = 0; i < p->open.len; i++)
    p->open.at[i].op = to[p->open.at[i].op];
  free(to);
  if (is_late(o, p))
    renumber_times(p, first_stage(p)->next_call);
  if (p->cap > FEW_OPS && n < p->cap / 4)
    resize(p, n + FEW_OPS);
}

static bool is_as_at_first(const struct online *o,
                           const struct online_part *p) {
  const struct frontier_stage *g = &p->tip;
  if (p->open.len || g->set.len != 1 ||
      config_at(&g->set, 0)->state != o->type->initial)
    return false;
  for (uint32_t i = 0; i < g->slots.len; i++)
    if (g->slots.at[i].op)
      return false;
  return true;
}

static void add_bytes(struct online_part *p, struct frontier_stage *g,
                      void *data) {
  (void)p;
  *(uint64_t *)data += stage_bytes(g);
}

static void count_bytes(struct online *o, struct online_part *p,
                        uint64_t bytes) {
  o->held += bytes - p->bytes;
  p->bytes = bytes;
}

static void tidy_watched(struct online *o, struct online_part *p) {
  struct watch *w = p->watch;
  if (!w->open.len && o->type->by_key) /* of many keys most are idle */
    vec_free(&w->open);
  if (!w->open.len && w->kind->is_new(w))
    part_free(o, p);
  else
    count_bytes(o, p, sizeof *p + w->kind->bytes(w));
}

void part_tidy(struct online *o, struct online_part *p) {
  if (p->watch) {
    tidy_watched(o, p);
    return;
  }
  uint32_t first = first_stage(p)->next_call;
  if (is_as_at_first(o, p)) {
    part_free(o, p);
    return;
  }
  if ((first >= FEW_OPS && first >= p->problem.nops / 2) || is_late(o, p))
    compact(o, p);
  uint64_t bytes = sizeof *p + p->open.cap * sizeof *p->open.at;
  bytes += p->cap * (uint64_t)(sizeof *p->problem.ops + sizeof *p->logged);
  each_stage(p, add_bytes, &bytes);
  count_bytes(o, p, bytes);
}

static void note_states(struct online_part *p, struct frontier_stage *g,
                        void *data) {
  (void)p;
  struct online *o = data;
  for (uint32_t i = 0; i < g->set.len; i++) {
    struct frontier_config *c = config_at(&g->set, i);
    if (c->state < BLIND_STATE)
      vec_push(&o->states, &c->state);
    if (c->prev < BLIND_STATE)
      vec_push(&o->states, &c->prev);
  }
}

void online_forget(struct online *o) {
  if (!o->type->forget || type_bytes(o->type) < o->forget_at)
    return;
  vec_clear(&o->states);
  vec_clear(&o->kept);
  for (uint32_t i = 0; i < o->nbuckets; i++)
    for (struct online_part *p = o->buckets[i]; p; p = p->next)
      each_stage(p, note_states, o);
  for (uint32_t i = 0; i < o->states.len; i++)
    vec_push(&o->kept, *o->states.at[i]);
  o->type->forget(o->type, o->kept.at, o->kept.len);
  for (uint32_t i = 0; i < o->states.len; i++)
    *o->states.at[i] = o->kept.at[i];
  vec_free(&o->states);
  vec_free(&o->kept);
  rows_clear(o->engine);
  o->forget_at = 2 * type_bytes(o->type) + FORGET_BYTES;
}
