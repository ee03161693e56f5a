/*
 * Small types for tests of the checkers of logs, written straight from the
 * contract in spec/type.h, and a verifier of orders that shares nothing with
 * the checkers.
 *
 * Shapes and operations are those of random_log.h: register, cas-register,
 * queue, stack, set, counter, map.  Two have several next states: "bag", whose
 * deq takes any value, and "blurred", a register whose write(v) leaves v or
 * v + 1.  Values are 1 … 14, containers hold up to 14.
 */
#ifndef TESTS_LOG_TYPES_H
#define TESTS_LOG_TYPES_H

#include "base/map128.h"
#include "base/rng.h"
#include "history/log_check.h"

#include <assert.h>
#include <string.h>

struct toy {
  struct type type;
  VEC(uint64_t) states;
  struct map128 numbers;
  uint64_t state_bytes; /* what each is said to cost */
  uint32_t forgotten;   /* how often states were dropped */
};

enum toy_code {
  TOY_READ,
  TOY_WRITE,
  TOY_CAS,
  TOY_ENQ,
  TOY_DEQ,
  TOY_PEEK,
  TOY_PUSH,
  TOY_POP,
  TOY_TOP,
  TOY_ADD,
  TOY_REMOVE,
  TOY_CONTAINS,
  TOY_INC,
  TOY_DEC,
  TOY_PLUS,
  TOY_COUNT,
  TOY_GET,
  TOY_PUT,
  TOY_DELETE,
  TOY_MAP_CAS,
  TOY_TAKE,
  TOY_SPLIT,
};

struct toy_name {
  const char *shape, *name;
  enum toy_code code;
  bool only_reads;
};

static const struct toy_name toy_names[] = {
    {"register", "read", TOY_READ, true},
    {"register", "write", TOY_WRITE, false},
    {"cas-register", "read", TOY_READ, true},
    {"cas-register", "write", TOY_WRITE, false},
    {"cas-register", "cas", TOY_CAS, false},
    {"blurred", "read", TOY_READ, true},
    {"blurred", "write", TOY_SPLIT, false},
    {"queue", "enq", TOY_ENQ, false},
    {"queue", "deq", TOY_DEQ, false},
    {"queue", "peek", TOY_PEEK, true},
    {"bag", "enq", TOY_ENQ, false},
    {"bag", "deq", TOY_TAKE, false},
    {"bag", "peek", TOY_PEEK, true},
    {"stack", "push", TOY_PUSH, false},
    {"stack", "pop", TOY_POP, false},
    {"stack", "peek", TOY_TOP, true},
    {"set", "add", TOY_ADD, false},
    {"set", "remove", TOY_REMOVE, false},
    {"set", "contains", TOY_CONTAINS, true},
    {"counter", "inc", TOY_INC, false},
    {"counter", "dec", TOY_DEC, false},
    {"counter", "add", TOY_PLUS, false},
    {"counter", "get", TOY_COUNT, true},
    {"map", "get", TOY_GET, true},
    {"map", "put", TOY_PUT, false},
    {"map", "delete", TOY_DELETE, false},
    {"map", "cas", TOY_MAP_CAS, false},
};

static inline uint32_t toy_number(struct toy *t, uint64_t content) {
  struct rng r = {content};
  struct hash128 key = {rng_next(&r), content};
  bool fresh;
  uint32_t *at = map128_put(&t->numbers, key, &fresh);
  if (fresh) {
    *at = t->states.len;
    vec_push(&t->states, content);
  }
  return *at;
}

static inline int toy_prepare(struct type *type, const struct log *l,
                              const struct log_op *op, struct type_op *out,
                              struct error *e) {
  *out = (struct type_op){.op = op,
                          .any_result = op->ret == LOG_PENDING,
                          .key = DATUM_NONE,
                          .arg = {op->nargs ? op->arg[0] : DATUM_NONE,
                                  op->nargs > 1 ? op->arg[1] : DATUM_NONE},
                          .result = op->result};
  for (size_t i = 0; i < sizeof toy_names / sizeof *toy_names; i++)
    if (!strcmp(toy_names[i].shape, type->shape) &&
        !strcmp(toy_names[i].name, l->functions.at[op->f])) {
      out->code = toy_names[i].code;
      out->only_reads = toy_names[i].only_reads;
      if (out->code == TOY_WRITE || out->code == TOY_PUT)
        out->role = ROLE_WRITE;
      if (out->code == TOY_CAS || out->code == TOY_MAP_CAS)
        out->role = ROLE_CAS;
      if (out->code == TOY_ADD || out->code == TOY_REMOVE)
        out->role = out->code == TOY_ADD ? ROLE_INSERT : ROLE_DELETE;
      if (type->by_key)
        out->key = op->arg[0];
      if (!strcmp(type->shape, "map")) {
        out->arg[0] = out->arg[1];
        out->arg[1] = op->nargs > 2 ? op->arg[2] : DATUM_NONE;
      }
      return 0;
    }
  return error_set(e, ERR_INPUT, "no such operation");
}

static inline uint64_t toy_arg(const struct type_op *o, uint32_t i) {
  datum d = o->op->arg[i];
  return d == DATUM_NIL ? 0 : (uint64_t)datum_to_number(d);
}

/* Nothing is 0. */
static inline datum toy_datum(uint64_t v) {
  return v ? datum_number((int64_t)v) : DATUM_NIL;
}

/* A container is a number with a digit of four bits a value, behind a one. */
static inline uint32_t toy_digits(uint64_t s) {
  return (uint32_t)(63 - __builtin_clzll(s)) / 4;
}

/* A set of numbers up to 63; those above share the bits of others. */
static inline uint64_t toy_bit(uint64_t a) { return (uint64_t)1 << (a & 63); }

static inline uint64_t toy_without(uint64_t s, uint32_t digit) {
  uint64_t low = s & (((uint64_t)1 << 4 * digit) - 1);
  return s >> 4 * (digit + 1) << 4 * digit | low;
}

/* The next contents, each with what is returned. */
static inline uint32_t toy_apply(const struct type_op *o, uint64_t s,
                                 uint64_t next[TYPE_NEXT],
                                 datum result[TYPE_NEXT]) {
  uint32_t n;
  uint64_t a = o->op->nargs ? toy_arg(o, 0) : 0;
  uint64_t shift = 4 * (a & 15); /* keys above 15 share the digits of others */
  next[0] = s;
  result[0] = DATUM_NONE;
  switch ((enum toy_code)o->code) {
  case TOY_READ:
    result[0] = toy_datum(s);
    return 1;
  case TOY_WRITE:
    next[0] = a;
    return 1;
  case TOY_SPLIT:
    next[0] = a;
    next[1] = a + 1;
    result[1] = DATUM_NONE;
    return 2;
  case TOY_CAS:
    result[0] = datum_bool(s == a);
    next[0] = s == a ? toy_arg(o, 1) : s;
    return 1;
  case TOY_ENQ:
  case TOY_PUSH:
    assert(toy_digits(s) < 15);
    next[0] = s << 4 | a;
    return 1;
  case TOY_DEQ:
  case TOY_PEEK:
    n = toy_digits(s);
    result[0] = toy_datum(n ? s >> 4 * (n - 1) & 15 : 0);
    if (n && o->code == TOY_DEQ)
      next[0] = toy_without(s, n - 1) & ~((uint64_t)15 << 4 * (n - 1));
    if (n && o->code == TOY_DEQ)
      next[0] |= (uint64_t)1 << 4 * (n - 1);
    return 1;
  case TOY_TAKE:
    n = toy_digits(s);
    result[0] = DATUM_NIL;
    for (uint32_t i = 0; i < n && i < TYPE_NEXT; i++) {
      next[i] = toy_without(s, i);
      result[i] = toy_datum(s >> 4 * i & 15);
    }
    return n == 0 ? 1 : n < TYPE_NEXT ? n : TYPE_NEXT;
  case TOY_POP:
  case TOY_TOP:
    n = toy_digits(s);
    result[0] = toy_datum(n ? s & 15 : 0);
    if (n && o->code == TOY_POP)
      next[0] = s >> 4;
    return 1;
  case TOY_ADD:
    result[0] = datum_bool(!(s & toy_bit(a)));
    next[0] = s | toy_bit(a);
    return 1;
  case TOY_REMOVE:
    result[0] = datum_bool(s & toy_bit(a));
    next[0] = s & ~toy_bit(a);
    return 1;
  case TOY_CONTAINS:
    result[0] = datum_bool(s & toy_bit(a));
    return 1;
  case TOY_INC:
    next[0] = s + 1;
    return 1;
  case TOY_DEC:
    next[0] = s - 1;
    return 1;
  case TOY_PLUS:
    next[0] = s + a;
    return 1;
  case TOY_COUNT:
    result[0] = datum_number((int64_t)s);
    return 1;
  case TOY_GET:
    result[0] = toy_datum(s >> shift & 15);
    return 1;
  case TOY_PUT:
    next[0] = (s & ~((uint64_t)15 << shift)) | toy_arg(o, 1) << shift;
    return 1;
  case TOY_DELETE:
    next[0] = s & ~((uint64_t)15 << shift);
    return 1;
  case TOY_MAP_CAS:
    result[0] = datum_bool((s >> shift & 15) == toy_arg(o, 1));
    if (result[0] == DATUM_TRUE)
      next[0] = (s & ~((uint64_t)15 << shift)) | toy_arg(o, 2) << shift;
    return 1;
  }
  return 0;
}

static inline uint32_t toy_step(struct type *type, uint32_t state,
                                const struct type_op *op,
                                uint32_t next[TYPE_NEXT]) {
  struct toy *t = (struct toy *)type;
  uint64_t content[TYPE_NEXT];
  datum result[TYPE_NEXT];
  assert(state < t->states.len);
  uint32_t n = toy_apply(op, t->states.at[state], content, result), k = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!op->any_result && result[i] != op->op->result)
      continue;
    uint32_t number = toy_number(t, content[i]);
    bool twice = false;
    for (uint32_t j = 0; j < k; j++)
      twice |= next[j] == number;
    if (!twice)
      next[k++] = number;
  }
  return k;
}

/* All numbers change, so that none that was not kept goes on working. */
static inline void toy_forget(struct type *type, uint32_t *keep, uint32_t n) {
  struct toy *t = (struct toy *)type;
  VEC(uint64_t) old = {0};
  for (uint32_t i = 0; i < t->states.len; i++)
    vec_push(&old, t->states.at[i]);
  uint64_t initial = old.at[t->type.initial];
  t->states.len = 0;
  map128_clear(&t->numbers);
  for (uint32_t i = n; i-- > 0;)
    keep[i] = toy_number(t, old.at[keep[i]]);
  t->type.initial = toy_number(t, initial);
  t->forgotten++;
  vec_free(&old);
}

static inline uint64_t toy_bytes(const struct type *type) {
  const struct toy *t = (const struct toy *)type;
  return t->states.len * t->state_bytes;
}

static inline void toy_init(struct toy *t, const char *shape) {
  memset(t, 0, sizeof *t);
  t->type =
      (struct type){.name = shape,
                    .shape = shape,
                    .by_key = !strcmp(shape, "set") || !strcmp(shape, "map"),
                    .empty = DATUM_NIL,
                    .initial_value = DATUM_NIL,
                    .prepare = toy_prepare,
                    .step = toy_step,
                    .forget = toy_forget,
                    .bytes = toy_bytes};
  bool container = strstr("queue bag stack", shape) != NULL;
  t->state_bytes = 16;
  t->type.initial = toy_number(t, container ? 1 : 0);
}

static inline void toy_free(struct toy *t) {
  vec_free(&t->states);
  map128_free(&t->numbers);
}

/* All operations of a log, prepared; free p->ops. */
__attribute__((unused)) static bool log_problem_make(struct log_problem *p,
                                                     const struct log *l,
                                                     struct type *t,
                                                     struct error *e) {
  *p = (struct log_problem){.log = l, .type = t, .nops = l->ops.len};
  p->ops = xcalloc(l->ops.len + 1, sizeof *p->ops);
  for (uint32_t i = 0; i < l->ops.len; i++)
    if (t->prepare(t, l, &l->ops.at[i], &p->ops[i], e))
      return false;
  return true;
}

/* Whether the type explains the operations one after the other. */
static inline bool order_is_explained(const struct log_problem *p,
                                      const uint32_t *order, uint32_t n) {
  uint32_t states[256] = {p->type->initial}, nstates = 1;
  for (uint32_t i = 0; i < n && nstates; i++) {
    uint32_t some[256], nsome = 0;
    for (uint32_t k = 0; k < nstates; k++) {
      uint32_t next[TYPE_NEXT];
      uint32_t m = p->type->step(p->type, states[k], &p->ops[order[i]], next);
      for (uint32_t j = 0; j < m && nsome < 256; j++) {
        bool twice = false;
        for (uint32_t x = 0; x < nsome; x++)
          twice |= some[x] == next[j];
        if (!twice)
          some[nsome++] = next[j];
      }
    }
    memcpy(states, some, nsome * sizeof *some);
    nstates = nsome;
  }
  return nstates > 0;
}

/*
 * Verifies an order: no operation twice, consistent with real time and hints,
 * explained by the type.  `whole`: every operation that returned is in it;
 * otherwise it is a beginning, behind which all that is missing could come as
 * far as time and hints go.  NULL: it is right; else what is wrong.
 */
__attribute__((unused)) static const char *
order_fault(const struct log_problem *p, const uint32_t *order, uint32_t n,
            bool whole) {
  const char *fault = NULL;
  uint8_t *placed = xcalloc(p->nops + 1, 1);
  uint32_t last_call = 0;
  uint64_t hint = 0;
  for (uint32_t i = 0; i < n && !fault; i++) {
    if (order[i] >= p->nops || placed[order[i]]) {
      fault = "not an operation, or twice";
      break;
    }
    const struct log_op *o = p->ops[order[i]].op;
    placed[order[i]] = 1;
    if (o->ret < last_call)
      fault = "against real time";
    if (o->call > last_call)
      last_call = o->call;
    if (o->order != LOG_NO_HINT && o->order < hint)
      fault = "against a hint";
    if (o->order != LOG_NO_HINT)
      hint = o->order;
  }
  for (uint32_t i = 0; i < p->nops && !fault; i++) {
    const struct log_op *o = p->ops[i].op;
    if (placed[i] || o->ret == LOG_PENDING)
      continue;
    if (whole)
      fault = "one that returned is missing";
    else if (o->ret < last_call || (o->order != LOG_NO_HINT && o->order < hint))
      fault = "one that is missing had to come earlier";
  }
  if (!fault && !order_is_explained(p, order, n))
    fault = "not explained by the type";
  free(placed);
  return fault;
}

__attribute__((unused)) static uint32_t
order_completed(const struct log_problem *p, const struct log_answer *a) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->order.len; i++)
    n += p->ops[a->order.at[i]].op->ret != LOG_PENDING;
  return n;
}

#endif
