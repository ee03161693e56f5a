/* Effort, facts about operations, and answers, for the exact engines. */
#include "history/log_engine.h"

#include "base/clock.h"
#include "base/resident.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

enum {
  LOOK_EVERY = 2048,
  ASK_EVERY = 8, /* checks between two questions to the system */
};

/* Of the type's bytes half count: its tables grow in turns, and a growing table
 * is there twice for a while. */
static bool is_too_large(struct meter *m, const struct type *t,
                         uint64_t bytes) {
  const struct log_budget *b = m->budget;
  if (b->memory && bytes + type_bytes(t) / 2 > b->memory)
    return true;
  return b->resident && m->looks++ % ASK_EVERY == 0 &&
         resident_is_above(b->resident);
}

bool meter_look(struct meter *m, const struct type *t, uint64_t bytes) {
  const struct log_budget *b = m->budget;
  bytes += type_bytes(t);
  if (bytes > m->bytes)
    m->bytes = bytes;
  if (b->steps && m->steps >= b->steps)
    m->limit = "steps";
  else if (is_too_large(m, t, bytes))
    m->limit = "memory";
  else if (b->deadline > 0 && clock_now() > b->deadline)
    m->limit = "time";
  m->look = m->steps + LOOK_EVERY;
  if (b->steps && b->steps < m->look)
    m->look = b->steps;
  return !m->limit;
}

bool ops_have_one_key(const struct log_problem *p) {
  for (uint32_t i = 1; i < p->nops; i++)
    if (p->ops[i].key != p->ops[0].key)
      return false;
  return true;
}

/* All that a step of the type depends on. */
struct identity {
  datum key, arg[2], result;
  uint32_t aux;
  uint16_t code;
  uint16_t any_result;
};

static struct identity identity(const struct type_op *o) {
  return (struct identity){.key = o->key,
                           .arg = {o->arg[0], o->arg[1]},
                           .result = o->result,
                           .aux = o->aux,
                           .code = o->code,
                           .any_result = o->any_result};
}

bool op_is_like(const struct type_op *a, const struct type_op *b) {
  struct identity x = identity(a), y = identity(b);
  return !op_has_hint(a) && !op_has_hint(b) && !memcmp(&x, &y, sizeof x);
}

uint32_t op_print(const struct type_op *o) {
  struct identity i = identity(o);
  return (uint32_t)hash64(&i, sizeof i, 1);
}

static void sort_pass(uint32_t *to, const uint32_t *from, uint32_t n,
                      const struct log_problem *p, unsigned shift) {
  uint32_t start[2049] = {0};
  for (uint32_t i = 0; i < n; i++)
    start[(p->ops[from[i]].op->ret >> shift & 2047) + 1]++;
  for (uint32_t i = 0; i < 2048; i++)
    start[i + 1] += start[i];
  for (uint32_t i = 0; i < n; i++)
    to[start[p->ops[from[i]].op->ret >> shift & 2047]++] = from[i];
}

static void sort_insert(uint32_t *at, uint32_t n, const struct log_problem *p) {
  for (uint32_t i = 1; i < n; i++) {
    uint32_t x = at[i], ret = p->ops[x].op->ret, k = i;
    for (; k && p->ops[at[k - 1]].op->ret > ret; k--)
      at[k] = at[k - 1];
    at[k] = x;
  }
}

uint32_t *ops_by_return(const struct log_problem *p, uint32_t *n) {
  uint32_t *a = xmalloc((p->nops + 1) * sizeof *a), len = 0, last = 0;
  for (uint32_t i = 0; i < p->nops; i++) {
    if (op_is_pending(&p->ops[i]))
      continue;
    a[len++] = i;
    if (p->ops[i].op->ret > last)
      last = p->ops[i].op->ret;
  }
  *n = len;
  if (len < 64) {
    sort_insert(a, len, p);
    return a;
  }
  uint32_t *b = xmalloc(len * sizeof *b);
  for (unsigned shift = 0; shift < 32 && last >> shift; shift += 11) {
    sort_pass(b, a, len, p, shift);
    uint32_t *t = a;
    a = b;
    b = t;
  }
  free(b);
  return a;
}

static int compare64(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

static int compare32(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return a < b ? -1 : a > b;
}

void hints_collect(struct hints *h, const struct log_problem *p,
                   uint32_t until) {
  VEC(uint64_t) v = {0};
  h->pending = false;
  for (uint32_t i = 0; i < p->nops && p->ops[i].op->call <= until; i++) {
    if (!op_has_hint(&p->ops[i]))
      continue;
    if (p->ops[i].op->ret > until || op_is_pending(&p->ops[i]))
      h->pending = true;
    else
      vec_push(&v, p->ops[i].op->order);
  }
  if (v.len)
    qsort(v.at, v.len, sizeof *v.at, compare64);
  h->at = v.at;
  h->len = v.len;
}

void hints_free(struct hints *h) {
  free(h->at);
  h->at = NULL;
}

const struct type_op *op_made_pending(const struct log_problem *p,
                                      const struct type_op *o,
                                      struct arena *arena) {
  struct error e = {0};
  struct log_op *copy = arena_copy(arena, o->op, sizeof *copy);
  struct type_op *made = arena_alloc(arena, sizeof *made);
  copy->ret = LOG_PENDING;
  copy->result = DATUM_NONE;
  copy->failed = 0;
  if (p->type->prepare(p->type, p->log, copy, made, &e))
    return NULL;
  made->op = copy;
  return made;
}

uint32_t *returns_from(const struct log_problem *p, uint32_t from,
                       uint32_t bound, uint32_t *n) {
  VEC(uint32_t) v = {0};
  for (uint32_t i = 0; i < p->nops && p->ops[i].op->call < bound; i++)
    if (!op_is_pending(&p->ops[i]) && p->ops[i].op->ret >= from)
      vec_push(&v, p->ops[i].op->ret);
  if (v.len)
    qsort(v.at, v.len, sizeof *v.at, compare32);
  *n = v.len;
  return v.at;
}

uint32_t op_returned_at(const struct log_problem *p, uint32_t ret) {
  for (uint32_t i = 0; i < p->nops; i++)
    if (p->ops[i].op->ret == ret)
      return i;
  assert(!"a return of this history");
  return UINT32_MAX;
}

void answer_core(const struct log_problem *p, uint32_t until,
                 struct log_answer *out) {
  for (uint32_t i = 0; i < p->nops && p->ops[i].op->call < until; i++)
    if (!op_is_pending(&p->ops[i]))
      vec_push(&out->core, i);
}

void answer_check_cut(const struct log_problem *p, struct log_answer *out) {
  if (out->verdict != LOG_VIOLATION || !p->type->cut)
    return;
  out->verdict = LOG_UNKNOWN;
  out->limit = "next states";
  vec_clear(&out->core);
}

void log_answer_free(struct log_answer *a) {
  vec_free(&a->order);
  vec_free(&a->core);
  free(a->reason);
  a->reason = NULL;
}
