/*
 * Random recorded histories, for comparing checkers and for measuring them: an
 * object is simulated by the way, so that a log without a mutation is
 * linearizable by construction.
 *
 *   struct random_log want = {.shape = "queue", .seed = 7, .operations = 20};
 *   struct log l = random_log(&want);
 *   …
 *   log_free(&l);
 *
 * Shapes, their operations and results ("–": none, DATUM_NONE):
 *
 *   register      read() = v, write(v) –                  begins with nil
 *   cas-register  those, and cas(old, new) = true, false
 *   queue         enq(v) –, deq() = v or nil, peek() = v or nil
 *   stack         push(v) –, pop() = v or nil, peek() = v or nil
 *   pqueue        insert(v) –, delete_min() = v or nil, find_min() = v or nil
 *   set           add(v), remove(v) = whether it changed the set, contains(v)
 *   multiset      add(v) = true, remove(v) = whether one was there, contains(v)
 *   map           get(k) = v or nil, put(k, v) –, delete(k) –,
 *                 cas(k, old, new) = true, false
 *   kv            get(k) = text, put(k, text) –, append(k, text) –; a key that
 *                 was never put has the text ""
 *   counter       inc() –, dec() –, add(n) –, get() = n         begins with 0
 *   list-append   append(k, v) –, read(k) = all that was appended
 *
 * Values are numbers from 1 (texts for kv), keys numbers from 0.  The same
 * fields give the same log everywhere.
 */
#ifndef TESTS_RANDOM_LOG_H
#define TESTS_RANDOM_LOG_H

#include "base/rng.h"
#include "model/log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct random_log {
  const char *shape;
  uint64_t seed;
  uint32_t operations;
  uint32_t processes;   /* 0: 3 */
  uint32_t concurrency; /* at most so many open at once; 0: all processes */
  uint32_t values; /* drawn from 1 … values; 0: no two insertions or writes have
                      the same (of sets: from operations / 4 + 1) */
  uint32_t keys;   /* of map, kv and list-append; 0: 3 */
  /* Which keys: all alike; key k with a frequency of about 1 / (k + 1); or nine
   * of ten times key 0. */
  enum { RL_UNIFORM, RL_ZIPF, RL_HOT } distribution;
  /* Percent: operations that never return (a new process takes over, they may
   * have taken effect, may do so later, or never do); those that remove or
   * take out, 0: half; those that only look, 0: some. */
  uint32_t pending, removals, reads;
  uint32_t crash_rate; /* as pending, but per million */
  bool no_reads, no_removals;
  bool no_empty; /* removals and peeks come only when something is inside */
  uint32_t mutations; /* results and arguments that are changed afterwards: the
                         log may be linearizable all the same */
};

static const char *const random_log_shapes[] = {
    "register", "cas-register", "queue", "stack",   "pqueue",      "set",
    "multiset", "map",          "kv",    "counter", "list-append", NULL};

enum random_log_kind { /* what an operation is for the simulation */
                       RL_READ,
                       RL_ADD,
                       RL_TAKE,
                       RL_CAS,
                       RL_APPEND,
                       RL_DEC,
                       RL_INC,
};

struct random_log_function {
  const char *shape, *name;
  enum random_log_kind kind;
};

static const struct random_log_function random_log_functions[] = {
    {"register", "read", RL_READ},
    {"register", "write", RL_ADD},
    {"cas-register", "read", RL_READ},
    {"cas-register", "write", RL_ADD},
    {"cas-register", "cas", RL_CAS},
    {"queue", "enq", RL_ADD},
    {"queue", "deq", RL_TAKE},
    {"queue", "peek", RL_READ},
    {"stack", "push", RL_ADD},
    {"stack", "pop", RL_TAKE},
    {"stack", "peek", RL_READ},
    {"pqueue", "insert", RL_ADD},
    {"pqueue", "delete_min", RL_TAKE},
    {"pqueue", "find_min", RL_READ},
    {"set", "add", RL_ADD},
    {"set", "remove", RL_TAKE},
    {"set", "contains", RL_READ},
    {"multiset", "add", RL_ADD},
    {"multiset", "remove", RL_TAKE},
    {"multiset", "contains", RL_READ},
    {"map", "get", RL_READ},
    {"map", "put", RL_ADD},
    {"map", "delete", RL_TAKE},
    {"map", "cas", RL_CAS},
    {"kv", "get", RL_READ},
    {"kv", "put", RL_ADD},
    {"kv", "append", RL_APPEND},
    {"counter", "get", RL_READ},
    {"counter", "add", RL_ADD},
    {"counter", "dec", RL_DEC},
    {"counter", "inc", RL_INC},
    {"list-append", "read", RL_READ},
    {"list-append", "append", RL_APPEND},
};

struct random_log_open {
  uint32_t op;
  bool done; /* it has taken effect */
};

enum { RL_FUNCTIONS = 8 };

struct random_log_state {
  const struct random_log *want;
  struct log *log;
  struct rng rng;
  char shape; /* r c q s p e(set) m(multiset) a(map) k(kv) n(counter) l(list) */
  uint32_t nprocesses, concurrency, values, keys;
  VEC(uint32_t) idle;
  VEC(struct random_log_open) open, crashed;
  uint64_t fresh; /* values that were given out */
  const struct random_log_function *functions[RL_FUNCTIONS]; /* the shape's */
  uint32_t nfunctions;
  enum random_log_kind kinds[RL_FUNCTIONS]; /* of the log's functions */
  /* The object: a container, a register a key, counts, or a number. */
  VEC(int64_t) items;
  uint32_t head;
  datum *registers;
  uint32_t *counts;
  int64_t number;
};

static inline bool rl_chance(struct random_log_state *s, uint32_t percent) {
  return rng_below(&s->rng, 100) < percent;
}

static inline char rl_shape(const char *name) {
  static const char letters[] = "rcqspemaknl";
  for (uint32_t i = 0; random_log_shapes[i]; i++)
    if (!strcmp(random_log_shapes[i], name))
      return letters[i];
  assert(!"a shape of this list");
  return 0;
}

/* A binary heap in items, for the priority queue. */
static inline void rl_heap_add(struct random_log_state *s, int64_t v) {
  vec_push(&s->items, v);
  uint32_t i = s->items.len - 1;
  for (; i && s->items.at[(i - 1) / 2] > v; i = (i - 1) / 2)
    s->items.at[i] = s->items.at[(i - 1) / 2];
  s->items.at[i] = v;
}

static inline int64_t rl_heap_take(struct random_log_state *s) {
  int64_t least = s->items.at[0], v = vec_pop(&s->items);
  uint32_t i = 0, n = s->items.len;
  for (uint32_t c = 1; c < n; c = 2 * i + 1) {
    c += c + 1 < n && s->items.at[c + 1] < s->items.at[c];
    if (s->items.at[c] >= v)
      break;
    s->items.at[i] = s->items.at[c];
    i = c;
  }
  if (n)
    s->items.at[i] = v;
  return least;
}

static inline bool rl_is_empty(const struct random_log_state *s) {
  return s->items.len == s->head;
}

static inline datum rl_look(const struct random_log_state *s) {
  if (rl_is_empty(s))
    return DATUM_NIL;
  return datum_number(s->shape == 's' ? s->items.at[s->items.len - 1]
                                      : s->items.at[s->head]);
}

static inline datum rl_take(struct random_log_state *s) {
  datum v = rl_look(s);
  if (v == DATUM_NIL)
    return v;
  if (s->shape == 'q')
    s->head++;
  else if (s->shape == 's')
    s->items.len--;
  else
    rl_heap_take(s);
  return v;
}

static inline datum rl_joined(datum a, datum b) {
  struct buf t = {0};
  buf_put(&t, datum_box(a)->text, datum_box(a)->len);
  buf_put(&t, datum_box(b)->text, datum_box(b)->len);
  datum d = datum_text(buf_text(&t), t.len);
  buf_free(&t);
  return d;
}

static inline datum rl_longer(datum list, datum item) {
  const struct datum_box *b = datum_box(list);
  datum *items = xmalloc((b->len + 1) * sizeof *items);
  for (uint32_t i = 0; i < b->len; i++)
    items[i] = b->items[i];
  items[b->len] = item;
  datum d = datum_list(items, b->len + 1);
  free(items);
  return d;
}

static inline bool rl_is_keyed(const struct random_log_state *s) {
  return strchr("akl", s->shape) != NULL;
}

static inline datum rl_apply_keyed(struct random_log_state *s,
                                   enum random_log_kind kind,
                                   const struct log_op *o) {
  bool keyed = rl_is_keyed(s);
  datum *place = &s->registers[keyed ? datum_to_number(o->arg[0]) : 0];
  const datum *arg = o->arg + keyed;
  switch (kind) {
  case RL_READ:
    return *place;
  case RL_ADD:
    *place = arg[0];
    return DATUM_NONE;
  case RL_TAKE:
    *place = DATUM_NIL;
    return DATUM_NONE;
  case RL_APPEND:
    *place =
        s->shape == 'l' ? rl_longer(*place, arg[0]) : rl_joined(*place, arg[0]);
    return DATUM_NONE;
  default:
    if (*place != arg[0])
      return DATUM_FALSE;
    *place = arg[1];
    return DATUM_TRUE;
  }
}

static inline datum rl_apply_set(struct random_log_state *s,
                                 enum random_log_kind kind,
                                 const struct log_op *o) {
  uint32_t *count = &s->counts[datum_to_number(o->arg[0])];
  bool there = *count > 0;
  if (kind == RL_ADD) {
    *count += !there || s->shape == 'm';
    return datum_bool(!there || s->shape == 'm');
  }
  *count -= kind == RL_TAKE && there;
  return datum_bool(there);
}

static inline datum rl_apply_counter(struct random_log_state *s,
                                     enum random_log_kind kind,
                                     const struct log_op *o) {
  if (kind == RL_READ)
    return datum_number(s->number);
  s->number += kind == RL_ADD   ? datum_to_number(o->arg[0])
               : kind == RL_INC ? 1
                                : -1;
  return DATUM_NONE;
}

static inline datum rl_apply_container(struct random_log_state *s,
                                       enum random_log_kind kind,
                                       const struct log_op *o) {
  if (kind == RL_READ)
    return rl_look(s);
  if (kind == RL_TAKE)
    return rl_take(s);
  if (s->shape == 'p')
    rl_heap_add(s, datum_to_number(o->arg[0]));
  else
    vec_push(&s->items, datum_to_number(o->arg[0]));
  return DATUM_NONE;
}

/* The operation takes effect; its result is what it would return. */
static inline void rl_apply(struct random_log_state *s, uint32_t op) {
  struct log_op *o = &s->log->ops.at[op];
  enum random_log_kind kind = s->kinds[o->f];
  if (strchr("rcakl", s->shape))
    o->result = rl_apply_keyed(s, kind, o);
  else if (strchr("em", s->shape))
    o->result = rl_apply_set(s, kind, o);
  else if (s->shape == 'n')
    o->result = rl_apply_counter(s, kind, o);
  else
    o->result = rl_apply_container(s, kind, o);
}

static inline datum rl_value(struct random_log_state *s) {
  if (s->shape == 'n')
    return datum_number((int64_t)rng_below(&s->rng, 7) - 3);
  uint64_t v = s->values ? 1 + rng_below(&s->rng, s->values) : ++s->fresh;
  if (s->shape != 'k')
    return datum_number((int64_t)v);
  char text[32];
  int n = snprintf(text, sizeof text, "%" PRIu64 ";", v);
  return datum_text(text, (size_t)n);
}

/* Priorities in the order of insertion would leave a heap little to do. */
static inline datum rl_priority(struct random_log_state *s) {
  if (s->values)
    return rl_value(s);
  uint64_t v = ++s->fresh, high = rng_below(&s->rng, 1u << 20);
  return datum_number((int64_t)(high << 32 | v));
}

/* Of the powers of two one is drawn, then a key up to there. */
static inline uint64_t rl_zipf(struct random_log_state *s) {
  uint32_t powers = 0;
  while (s->keys >> powers > 1)
    powers++;
  uint64_t from = 1ull << rng_below(&s->rng, powers + 1);
  uint64_t key = from + rng_below(&s->rng, from) - 1;
  return key < s->keys ? key : rng_below(&s->rng, s->keys);
}

static inline datum rl_key(struct random_log_state *s) {
  if (s->want->distribution == RL_ZIPF)
    return datum_number((int64_t)rl_zipf(s));
  if (s->want->distribution == RL_HOT && rl_chance(s, 90))
    return datum_number(0);
  return datum_number((int64_t)rng_below(&s->rng, s->keys));
}

static inline void rl_arguments(struct random_log_state *s,
                                enum random_log_kind kind, struct log_op *o) {
  bool keyed = rl_is_keyed(s);
  if (keyed)
    o->arg[o->nargs++] = rl_key(s);
  if (kind == RL_CAS) {
    datum now = s->registers[keyed ? (uint32_t)datum_to_number(o->arg[0]) : 0];
    /* With values that are all distinct a guess would never be right. */
    bool guess = s->values && rl_chance(s, 50);
    o->arg[o->nargs++] = guess ? rl_value(s) : now;
    o->arg[o->nargs++] = rl_value(s);
  } else if (strchr("em", s->shape) || kind == RL_ADD || kind == RL_APPEND) {
    o->arg[o->nargs++] = s->shape == 'p' ? rl_priority(s) : rl_value(s);
  }
}

static inline bool rl_fits(const struct random_log_state *s,
                           enum random_log_kind kind) {
  const struct random_log *w = s->want;
  if ((kind == RL_READ && w->no_reads) || (kind == RL_TAKE && w->no_removals))
    return false;
  bool looks = strchr("qsp", s->shape) && (kind == RL_READ || kind == RL_TAKE);
  /* As many as are open may have emptied it by then. */
  return !(looks && w->no_empty &&
           s->items.len - s->head <= s->open.len + s->crashed.len);
}

static inline uint32_t rl_weight(const struct random_log *w,
                                 enum random_log_kind kind) {
  if (kind == RL_READ)
    return w->reads ? w->reads : 25;
  if (kind == RL_TAKE)
    return w->removals ? w->removals : 50;
  return 50;
}

static inline const struct random_log_function *
rl_function(struct random_log_state *s) {
  const struct random_log_function *some[RL_FUNCTIONS];
  uint32_t n = 0, sum = 0;
  for (uint32_t i = 0; i < s->nfunctions; i++) {
    const struct random_log_function *f = s->functions[i];
    if (!rl_fits(s, f->kind))
      continue;
    some[n++] = f;
    sum += rl_weight(s->want, f->kind);
  }
  assert(n);
  uint64_t at = rng_below(&s->rng, sum);
  for (uint32_t i = 0; i < n; i++) {
    if (at < rl_weight(s->want, some[i]->kind))
      return some[i];
    at -= rl_weight(s->want, some[i]->kind);
  }
  return some[n - 1];
}

static inline void rl_call(struct random_log_state *s) {
  uint32_t at = (uint32_t)rng_below(&s->rng, s->idle.len);
  struct log_op o = {.call = s->log->end++,
                     .ret = LOG_PENDING,
                     .process = s->idle.at[at],
                     .arg = {DATUM_NONE, DATUM_NONE, DATUM_NONE},
                     .result = DATUM_NONE,
                     .order = LOG_NO_HINT};
  s->idle.at[at] = vec_last(&s->idle);
  s->idle.len--;
  const struct random_log_function *f = rl_function(s);
  o.f = log_function(s->log, f->name, strlen(f->name));
  s->kinds[o.f] = f->kind;
  rl_arguments(s, f->kind, &o);
  vec_push(&s->log->ops, o);
  vec_push(&s->open, ((struct random_log_open){s->log->ops.len - 1, false}));
}

/* It never returns: it has had its effect, will have it later, or never. */
static inline void rl_crash(struct random_log_state *s,
                            struct random_log_open o) {
  vec_push(&s->idle, s->nprocesses);
  s->nprocesses++;
  if (!o.done && rl_chance(s, 50))
    vec_push(&s->crashed, o);
}

static inline void rl_late_effect(struct random_log_state *s) {
  if (!s->crashed.len || !rl_chance(s, 10))
    return;
  uint32_t at = (uint32_t)rng_below(&s->rng, s->crashed.len);
  struct random_log_open o = s->crashed.at[at];
  s->crashed.at[at] = vec_last(&s->crashed);
  s->crashed.len--;
  rl_apply(s, o.op);
  s->log->ops.at[o.op].result = DATUM_NONE;
}

static inline void rl_step(struct random_log_state *s) {
  uint32_t at = (uint32_t)rng_below(&s->rng, s->open.len);
  struct random_log_open *o = &s->open.at[at];
  if (!o->done && rl_chance(s, 80)) {
    rl_apply(s, o->op);
    o->done = true;
    if (rl_chance(s, 50))
      return;
  }
  uint32_t rate = s->want->crash_rate;
  bool crashes = rl_chance(s, s->want->pending) ||
                 (rate && rng_below(&s->rng, 1000000) < rate);
  if (!o->done && !crashes)
    return;
  struct log_op *op = &s->log->ops.at[o->op];
  if (crashes) {
    op->result = DATUM_NONE;
    rl_crash(s, *o);
  } else {
    op->ret = s->log->end++;
    vec_push(&s->idle, op->process);
  }
  /* rl_crash may not move the open ones. */
  s->open.at[at] = vec_last(&s->open);
  s->open.len--;
}

static inline bool rl_is_flag(datum d) {
  return d == DATUM_TRUE || d == DATUM_FALSE;
}

/* Another result than d, that some operation had if possible. */
static inline datum rl_other(struct random_log_state *s, datum d) {
  if (rl_is_flag(d))
    return d == DATUM_TRUE ? DATUM_FALSE : DATUM_TRUE;
  if (s->shape == 'n')
    return datum_number(datum_to_number(d) + (rl_chance(s, 50) ? 1 : -2));
  for (int i = 0; i < 4; i++) {
    const struct log_op *o =
        &s->log->ops.at[rng_below(&s->rng, s->log->ops.len)];
    datum other = o->result;
    if (other != d && other != DATUM_NONE && !rl_is_flag(other))
      return other;
  }
  return s->shape == 'k' ? datum_text("0;", 2) : DATUM_NIL;
}

/* Two of one kind exchange their results, or one gets another result or
 * another argument.  Nothing may come of it. */
static inline void rl_mutate(struct random_log_state *s) {
  uint32_t n = s->log->ops.len;
  struct log_op *a = &s->log->ops.at[rng_below(&s->rng, n)],
                *b = &s->log->ops.at[rng_below(&s->rng, n)];
  uint64_t how = rng_below(&s->rng, 4);
  if (how == 0 && a->f == b->f && a->ret != LOG_PENDING &&
      b->ret != LOG_PENDING) {
    datum r = a->result;
    a->result = b->result;
    b->result = r;
  } else if (how == 1 && a->f == b->f && a->nargs) {
    datum r = a->arg[a->nargs - 1];
    a->arg[a->nargs - 1] = b->arg[a->nargs - 1];
    b->arg[a->nargs - 1] = r;
  } else if (a->result != DATUM_NONE) {
    a->result = rl_other(s, a->result);
  }
}

static inline void rl_begin(struct random_log_state *s) {
  const struct random_log *w = s->want;
  s->rng = (struct rng){w->seed};
  s->shape = rl_shape(w->shape);
  s->nprocesses = w->processes ? w->processes : 3;
  s->concurrency = w->concurrency ? w->concurrency : s->nprocesses;
  s->keys = w->keys ? w->keys : 3;
  s->values = w->values;
  if (!s->values && strchr("em", s->shape))
    s->values = w->operations / 4 + 1;
  for (size_t i = 0;
       i < sizeof random_log_functions / sizeof *random_log_functions; i++)
    if (!strcmp(random_log_functions[i].shape, w->shape))
      s->functions[s->nfunctions++] = &random_log_functions[i];
  for (uint32_t p = 0; p < s->nprocesses; p++)
    vec_push(&s->idle, p);
  s->registers = xcalloc(s->keys, sizeof *s->registers);
  for (uint32_t k = 0; k < s->keys; k++)
    s->registers[k] = s->shape == 'k'   ? datum_text("", 0)
                      : s->shape == 'l' ? datum_list(NULL, 0)
                                        : DATUM_NIL;
  s->counts = xcalloc((size_t)s->values + 1, sizeof *s->counts);
  vec_reserve(&s->log->ops, w->operations);
}

static inline void rl_end(struct random_log_state *s) {
  vec_free(&s->idle);
  vec_free(&s->open);
  vec_free(&s->crashed);
  vec_free(&s->items);
  free(s->registers);
  free(s->counts);
}

/* The caller frees it with log_free. */
__attribute__((unused)) static struct log
random_log(const struct random_log *want) {
  struct log l = {.type = want->shape, .type_argument = DATUM_NONE};
  struct random_log_state s = {.want = want, .log = &l};
  rl_begin(&s);
  while (l.ops.len < want->operations || s.open.len) {
    bool can_call = l.ops.len < want->operations && s.idle.len &&
                    s.open.len < s.concurrency;
    if (can_call && (!s.open.len || rl_chance(&s, 50)))
      rl_call(&s);
    else
      rl_step(&s);
    rl_late_effect(&s);
  }
  l.nprocesses = s.nprocesses;
  for (uint32_t i = 0; l.ops.len && i < want->mutations; i++)
    rl_mutate(&s);
  rl_end(&s);
  return l;
}

#endif
