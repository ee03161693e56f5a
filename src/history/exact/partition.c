/*
 * check_log, the whole job.  An object of independent parts is linearizable if
 * each part is (Herlihy and Wing, TOPLAS 12(3), 1990), so a history is split by
 * key.  An operation without a key concerns all keys: then nothing is split.
 * Keys whose operations have hints are not split either, since neither part
 * would know a given order between operations of two keys.
 */
#include "history/exact/partition_int.h"

#include "base/table.h"

#include <assert.h>
#include <string.h>

static bool is_whole(const struct log_problem *p) {
  if (!p->type->by_key)
    return true;
  for (uint32_t i = 0; i < p->nops; i++)
    if (p->ops[i].key == DATUM_NONE && !op_is_idle(&p->ops[i]))
      return true;
  return false;
}

struct key_slot {
  datum key;
  uint32_t part; /* plus one; 0: free */
};

static bool keys_is_free(const struct key_slot *s) { return !s->part; }
static bool keys_has(void *ctx, const struct key_slot *s, datum key) {
  (void)ctx;
  return s->key == key;
}
static uint32_t keys_hash(void *ctx, datum key) {
  (void)ctx;
  return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}
static uint32_t keys_rehash(void *ctx, const struct key_slot *s) {
  return keys_hash(ctx, s->key);
}
TABLE(keys, struct key_slot, datum, 2)

/* The part of a key; a new key gets the part `fresh`. */
static inline uint32_t part_of(struct keys *t, datum key, uint32_t fresh) {
  struct key_slot *s = keys_put(t, NULL, key);
  if (!s->part) {
    *s = (struct key_slot){key, fresh + 1};
    t->len++;
  }
  return s->part - 1;
}

/* Finds the part of each operation; returns how many parts there are.  All keys
 * with hints are one part, the first. */
static uint32_t number_parts(const struct log_problem *p, uint32_t *part) {
  struct keys keys = {0};
  uint32_t n = 1;
  for (uint32_t i = 0; i < p->nops && !p->log->no_hints; i++)
    if (op_has_hint(&p->ops[i]))
      part_of(&keys, p->ops[i].key, 0);
  for (uint32_t i = 0; i < p->nops; i++) {
    part[i] = part_of(&keys, p->ops[i].key, n);
    n += part[i] == n;
  }
  free(keys.slots);
  return n;
}

static void split(const struct log_problem *p, struct parts *s) {
  uint32_t *part = xmalloc((p->nops + 1) * sizeof *part);
  uint32_t n = number_parts(p, part);
  uint32_t *at = xcalloc(n + 1, sizeof *at);
  for (uint32_t i = 0; i < p->nops; i++)
    at[part[i] + 1]++;
  uint32_t largest = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (at[k + 1] > largest)
      largest = at[k + 1];
    at[k + 1] += at[k];
    if (at[k + 1] > at[k])
      vec_push(&s->parts, ((struct key_part){at[k], at[k + 1]}));
  }
  s->ops = xmalloc(((size_t)largest + 1) * sizeof *s->ops);
  s->present = UINT32_MAX;
  s->ids = xmalloc((p->nops + 1) * sizeof *s->ids);
  s->times = xmalloc((p->nops + 1) * sizeof *s->times);
  for (uint32_t i = 0; i < p->nops; i++) {
    uint32_t k = at[part[i]]++;
    s->ids[k] = i;
    s->times[k] = (struct op_times){p->ops[i].op->call, p->ops[i].op->ret};
  }
  free(at);
  free(part);
}

/* Monitors know nothing of hints. */
static bool has_hints(const struct log_problem *p) {
  for (uint32_t i = 0; i < p->nops && !p->log->no_hints; i++)
    if (op_has_hint(&p->ops[i]))
      return true;
  return false;
}

/* A monitor has said "linearizable" without an order: search may find one. */
static void add_witness(const struct log_problem *p,
                        const struct log_options *o, struct log_answer *out) {
  struct log_answer searched = {0};
  check_exact(p, &o->witness, true, &searched);
  out->steps += searched.steps;
  assert(searched.verdict != LOG_VIOLATION);
  if (searched.verdict == LOG_LINEARIZABLE)
    for (uint32_t i = 0; i < searched.order.len; i++)
      vec_push(&out->order, searched.order.at[i]);
  log_answer_free(&searched);
}

/* `times` as for check_monitor_part. */
static void check_part(const struct log_problem *p,
                       const struct op_times *times,
                       const struct log_options *o, bool hints,
                       struct log_answer *out) {
  const char *why;
  log_answer_free(out);
  *out = (struct log_answer){.at = UINT32_MAX};
  if (o->no_monitor || (hints && has_hints(p)) ||
      (!check_monitor_part(p, times, o->want_order, out, &why) &&
       !check_watched(p, &o->budget, out))) {
    check_exact(p, &o->budget, o->want_order, out);
    return;
  }
  if (o->want_order && out->verdict == LOG_LINEARIZABLE && !out->order.len)
    add_witness(p, o, out);
}

static int by_point(const void *x, const void *y) {
  const struct merge *a = x, *b = y;
  if (a->point != b->point)
    return a->point < b->point ? -1 : 1;
  return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Each operation takes effect as early as it can: at its call, or with the one
 * before it.  No two parts share such a point. */
static void add_order(const struct log_problem *p, const uint32_t *ids,
                      const struct log_answer *a, merge_vec *all) {
  uint32_t point = 0;
  for (uint32_t i = 0; i < a->order.len; i++) {
    uint32_t id = ids[a->order.at[i]], call = p->ops[id].op->call;
    if (call > point)
      point = call;
    vec_push(all, ((struct merge){point, i, id}));
  }
}

/* Merges the orders of the parts.  Real time allows the result: an operation
 * that returned before another was called has an earlier point. */
static void merge_orders(merge_vec *all, uint32_t until,
                         struct log_answer *out) {
  if (all->len)
    qsort(all->at, all->len, sizeof *all->at, by_point);
  vec_clear(&out->order);
  for (uint32_t i = 0; i < all->len && all->at[i].point < until; i++)
    vec_push(&out->order, all->at[i].id);
}

static void map_ids(const uint32_t *ids, uint32_t *at, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    at[i] = ids[at[i]];
}

/* Makes the answer about a part the answer about the whole. */
static void take_answer(struct log_answer *whole, struct log_answer *a,
                        const uint32_t *ids) {
  uint64_t steps = whole->steps, bytes = whole->bytes;
  log_answer_free(whole);
  *whole = *a;
  *a = (struct log_answer){0};
  whole->steps = steps;
  whole->bytes = bytes;
  map_ids(ids, whole->order.at, whole->order.len);
  map_ids(ids, whole->core.at, whole->core.len);
  if (whole->at != UINT32_MAX)
    whole->at = ids[whole->at];
}

static uint32_t return_at(const struct log_problem *p, uint32_t op) {
  return op == UINT32_MAX ? UINT32_MAX : p->ops[op].op->ret;
}

/* The first return of an operation that the order of the part does not have. */
static uint32_t first_missing(const struct log_problem *p,
                              const struct log_answer *a) {
  uint32_t least = UINT32_MAX;
  uint8_t *placed = xcalloc(p->nops + 1, 1);
  for (uint32_t i = 0; i < a->order.len; i++)
    placed[a->order.at[i]] = 1;
  for (uint32_t i = 0; i < p->nops; i++)
    if (!placed[i] && p->ops[i].op->ret < least)
      least = p->ops[i].op->ret;
  free(placed);
  return least;
}

static void account(struct part_job *j, struct log_answer *whole,
                    const struct log_answer *a) {
  whole->steps += a->steps;
  if (a->bytes > whole->bytes)
    whole->bytes = a->bytes;
  if (!j->method)
    j->method = a->method;
  else if (a->method && strcmp(j->method, a->method))
    j->method = "several";
}

static void combine(struct part_job *j, struct log_answer *whole,
                    struct log_answer *a, const struct key_part *part) {
  const uint32_t *ids = j->s->ids + part->begin;
  account(j, whole, a);
  if (a->verdict == LOG_VIOLATION) {
    j->unsure |= a->at == UINT32_MAX;
    uint32_t at = a->at == UINT32_MAX ? UINT32_MAX : ids[a->at];
    if (whole->verdict != LOG_VIOLATION ||
        return_at(j->p, at) < return_at(j->p, whole->at))
      take_answer(whole, a, ids);
  } else if (a->verdict == LOG_UNKNOWN) {
    uint32_t at = a->at == UINT32_MAX ? 0 : return_at(j->p, ids[a->at]);
    if (at < j->unknown_at)
      j->unknown_at = at;
    if (whole->verdict == LOG_LINEARIZABLE)
      take_answer(whole, a, ids);
  }
}

static struct log_budget rest_of(const struct log_budget *b, uint64_t steps) {
  struct log_budget rest = *b;
  if (b->steps)
    rest.steps = b->steps > steps ? b->steps - steps : 1;
  return rest;
}

static void take_order(struct part_job *j, const struct log_problem *q,
                       struct log_answer *a, const struct key_part *part) {
  if (a->verdict == LOG_UNKNOWN)
    vec_clear(&a->order);
  if (a->verdict != LOG_LINEARIZABLE) {
    uint32_t missing = first_missing(q, a);
    if (missing < j->until)
      j->until = missing;
  }
  add_order(j->p, j->s->ids + part->begin, a, &j->orders);
}

struct log_problem part_problem(const struct part_job *j, uint32_t k) {
  struct log_problem q = *j->p;
  struct parts *s = j->s;
  const struct key_part *part = &s->parts.at[k];
  q.ops = s->ops;
  q.nops = part->end - part->begin;
  if (s->present != k)
    for (uint32_t i = 0; i < q.nops; i++)
      q.ops[i] = j->p->ops[s->ids[part->begin + i]];
  s->present = k;
  return q;
}

void part_check(struct part_job *j, const struct log_answer *whole, uint32_t k,
                struct log_answer *out) {
  struct log_problem q = part_problem(j, k);
  struct log_options o = *j->o;
  o.budget = rest_of(&j->o->budget, whole->steps);
  if (whole->verdict == LOG_VIOLATION)
    /* Operations called after the known fault do not matter. */
    while (q.nops && q.ops[q.nops - 1].op->call > return_at(j->p, whole->at))
      q.nops--;
  check_part(&q, j->s->times + j->s->parts.at[k].begin, &o, j->hints, out);
  if (j->p->type->forget && type_bytes(j->p->type) > 1 << 20)
    j->p->type->forget(j->p->type, NULL, 0);
}

void part_combine(struct part_job *j, struct log_answer *whole, uint32_t k,
                  struct log_answer *a) {
  const struct key_part *part = &j->s->parts.at[k];
  if (j->o->want_order) {
    struct log_problem q = part_problem(j, k);
    take_order(j, &q, a, part);
  }
  combine(j, whole, a, part);
}

static void one_part(struct part_job *j, struct log_answer *whole, uint32_t k) {
  struct log_answer a = {0};
  part_check(j, whole, k, &a);
  part_combine(j, whole, k, &a);
  log_answer_free(&a);
}

static void check_parts(const struct log_problem *p,
                        const struct log_options *o, struct parts *s,
                        struct log_answer *out) {
  struct part_job j = {.p = p,
                       .o = o,
                       .s = s,
                       .hints = has_hints(p),
                       .unknown_at = UINT32_MAX,
                       .until = UINT32_MAX};
  struct part_done *done = parts_by_processes(&j);
  for (uint32_t k = 0; k < s->parts.len; k++)
    if (done && done[k].linearizable)
      part_combine(&j, out, k, &done[k].answer);
    else
      one_part(&j, out, k);
  parts_done_free(done, s->parts.len);
  if (out->verdict == LOG_LINEARIZABLE)
    out->method = j.method;
  if (o->want_order && out->verdict != LOG_UNKNOWN)
    merge_orders(&j.orders, j.until, out);
  if (out->verdict == LOG_VIOLATION &&
      (j.unsure || j.unknown_at < return_at(p, out->at)))
    out->at = UINT32_MAX;
  vec_free(&j.orders);
}

static void parts_free(struct parts *s) {
  vec_free(&s->parts);
  free(s->ops);
  free(s->ids);
  free(s->times);
}

void mark_suspects(const struct log_problem *p, const struct log_options *o,
                   uint8_t *marks) {
  struct parts s = {0};
  const struct log_answer nothing = {.at = UINT32_MAX};
  memset(marks, 1, p->nops);
  if (o->no_partition || is_whole(p))
    return;
  split(p, &s);
  struct part_job j = {.p = p, .o = o, .s = &s, .hints = has_hints(p)};
  for (uint32_t k = 0; k < s.parts.len; k++) {
    struct log_answer a = {0};
    part_check(&j, &nothing, k, &a);
    for (uint32_t i = s.parts.at[k].begin; i < s.parts.at[k].end; i++)
      marks[s.ids[i]] = a.verdict != LOG_LINEARIZABLE;
    log_answer_free(&a);
  }
  parts_free(&s);
}

void check_log(const struct log_problem *p, const struct log_options *o,
               struct log_answer *out) {
  struct parts s = {0};
  log_answer_free(out);
  *out = (struct log_answer){.at = UINT32_MAX};
  if (o->no_partition || is_whole(p)) {
    check_part(p, NULL, o, true, out);
    return;
  }
  split(p, &s);
  if (s.parts.len <= 1)
    check_part(p, NULL, o, true, out);
  else
    check_parts(p, o, &s, out);
  parts_free(&s);
}
