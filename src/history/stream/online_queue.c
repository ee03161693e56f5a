/*
 * A queue for streams, in which the order of concurrent insertions stays open
 * until removals show it.  Otherwise any two concurrent insertions would double
 * the number of states for as long as both values are inside.
 *
 * A state is the set of values inside, each with the interval of its insertion.
 * (U1) A value may be removed if no insertion of another value inside returned
 *      before its own insertion was called (removable).
 *        put(1)  put(2)         only 1 may be removed
 *        a: put(1)…  put(2)     1 or 2 may be removed
 * (U2) A peek fixes which value is removed next (queue_state.front).
 * (U3) Of equal values that may be removed, the one whose insertion returned
 *      first is taken: only that one could stand in the way of others (choose).
 * These rules are the type itself; tests/agree/online.c compares it with a
 * queue.
 *
 * The type explains the same histories as a queue.  An order of a queue is an
 * order of this type: the value at the front has no earlier insertion behind
 * it. From an order of this type, one of a queue is made by moving insertions.
 * Take the values in the order of their removals.  Insert each at the latest of
 * the calls of the insertions up to its own and of the last moment before at
 * which nothing was inside.  That is before its removal, before the next moment
 * at which nothing is inside, and by (U1) before its insertion returned.
 *
 * Times are those of the part, which therefore must not begin again.
 */
#include "history/stream/online_int.h"

#include "spec/type_int.h"
#include "spec/type_tree.h"

struct queue_state {
  uint32_t values; /* tree: call of the insertion to the value */
  uint32_t rets;   /* tree: return of the insertion to 1 + call; without those
                      that did not return */
  uint64_t front;  /* U2: 1 + call; 0: no peek has returned it */
};

struct open_order_queue {
  struct type type;
  struct type *inner; /* knows the operations */
  struct trees trees;
  struct record_pool states;
};

/* A tree cannot hold the value 0, which is the datum of the number 0.  No datum
 * has this bit. */
static const uint64_t THERE = UINT64_C(1) << 32;

static struct queue_state *state_at(const struct open_order_queue *q,
                                    uint32_t state) {
  return pool_at(&q->states, state);
}

/* A failed insertion has no role: the same operation without its result shows
 * that it is one. */
static bool is_insertion(struct type *inner, const struct log *l,
                         const struct log_op *op) {
  struct log_op open = *op;
  struct error e = {0};
  struct type_op t;
  open.ret = LOG_PENDING;
  open.result = DATUM_NONE;
  return !inner->prepare(inner, l, &open, &t, &e) && t.role == ROLE_ADD;
}

static int prepare(struct type *t, const struct log *l, const struct log_op *op,
                   struct type_op *out, struct error *e) {
  struct type *inner = ((struct open_order_queue *)t)->inner;
  int err = inner->prepare(inner, l, op, out, e);
  if (err || out->code == CODE_NOTHING)
    return err;
  if (out->role == ROLE_OTHER && out->result == DATUM_FALSE &&
      is_insertion(inner, l, op))
    out->role = ROLE_ADD; /* impossible: there is always room */
  if (out->role != ROLE_ADD && out->role != ROLE_REMOVE &&
      out->role != ROLE_PEEK)
    return error_set(e, ERR_INPUT,
                     "%s concerns the whole %s: say that it is to be checked "
                     "as a whole",
                     l->functions.at[op->f], t->name);
  if (out->role == ROLE_PEEK && op->ret != LOG_PENDING && !out->any_result)
    out->only_reads = false; /* U2 */
  return ERR_NONE;
}

static uint32_t with_value(struct open_order_queue *q, struct queue_state s,
                           const struct log_op *op, datum value) {
  s.values =
      tree_put(&q->trees, s.values, datum_number(op->call), value | THERE);
  if (op->ret != LOG_PENDING)
    s.rets = tree_put(&q->trees, s.rets, datum_number(op->ret),
                      op->call + UINT64_C(1));
  return pool_intern(&q->states, &s);
}

/* The first return of an insertion whose value is inside. */
static uint64_t first_return(const struct open_order_queue *q,
                             const struct queue_state *s) {
  uint32_t node = tree_first(&q->trees, s->rets);
  return node ? (uint64_t)datum_to_number(tree_node(&q->trees, node)->key)
              : LOG_PENDING;
}

/* The return of an insertion; LOG_PENDING: none.  Walks over the few that
 * returned before it. */
static uint64_t return_of(const struct open_order_queue *q,
                          const struct queue_state *s, uint64_t call) {
  uint32_t node =
      tree_above(&q->trees, s->rets, datum_number((int64_t)call), false);
  while (node) {
    const struct tree_node *n = tree_node(&q->trees, node);
    if (n->value == call + 1)
      return (uint64_t)datum_to_number(n->key);
    node = tree_above(&q->trees, s->rets, n->key, false);
  }
  return LOG_PENDING;
}

static uint32_t without(struct open_order_queue *q, struct queue_state s,
                        uint64_t call) {
  uint64_t ret = return_of(q, &s, call);
  s.values = tree_put(&q->trees, s.values, datum_number((int64_t)call), 0);
  if (ret != LOG_PENDING)
    s.rets = tree_put(&q->trees, s.rets, datum_number((int64_t)ret), 0);
  s.front = 0;
  return pool_intern(&q->states, &s);
}

typedef VEC(uint64_t) call_vec;

/* (U1): the calls of the insertions whose values may be removed. */
static void removable(const struct open_order_queue *q,
                      const struct queue_state *s, call_vec *out) {
  vec_clear(out);
  if (s->front) {
    vec_push(out, s->front - 1);
    return;
  }
  uint64_t until = first_return(q, s);
  uint32_t node = tree_first(&q->trees, s->values);
  while (node) {
    datum call = tree_node(&q->trees, node)->key;
    if ((uint64_t)datum_to_number(call) > until)
      return;
    vec_push(out, (uint64_t)datum_to_number(call));
    node = tree_above(&q->trees, s->values, call, false);
  }
}

static datum value_of(const struct open_order_queue *q,
                      const struct queue_state *s, uint64_t call) {
  return (datum)tree_get(&q->trees, s->values, datum_number((int64_t)call));
}

/* (U3): the insertion whose value is removed.  False: there is none. */
static bool choose(const struct open_order_queue *q,
                   const struct queue_state *s, const call_vec *some,
                   datum value, uint64_t *call) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < some->len; i++) {
    if (value_of(q, s, some->at[i]) != value)
      continue;
    uint64_t ret = return_of(q, s, some->at[i]);
    if (ret < least) {
      least = ret;
      *call = some->at[i];
    }
  }
  return least != UINT64_MAX;
}

/* A removal whose result is not known may have taken any of them. */
static uint32_t remove_any(struct open_order_queue *q, struct queue_state s,
                           const call_vec *some, uint32_t next[TYPE_NEXT]) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < some->len; i++) {
    if (n == TYPE_NEXT) {
      q->type.cut = true; /* T4 */
      break;
    }
    next[n++] = without(q, s, some->at[i]);
  }
  return n;
}

static uint32_t take(struct open_order_queue *q, struct queue_state s,
                     const struct type_op *op, uint32_t next[TYPE_NEXT]) {
  call_vec some = {0};
  uint64_t call;
  uint32_t n = 0;
  removable(q, &s, &some);
  if (op->any_result) {
    n = remove_any(q, s, &some, next);
  } else if (choose(q, &s, &some, op->result, &call)) {
    n = 1;
    if (op->role == ROLE_REMOVE) {
      next[0] = without(q, s, call);
    } else {
      s.front = call + 1;
      next[0] = pool_intern(&q->states, &s);
    }
  }
  vec_free(&some);
  return n;
}

static uint32_t step(struct type *t, uint32_t state, const struct type_op *op,
                     uint32_t next[TYPE_NEXT]) {
  struct open_order_queue *q = (struct open_order_queue *)t;
  struct queue_state s = *state_at(q, state);
  next[0] = state;
  if (op->code == CODE_NOTHING || (op->any_result && op->only_reads))
    return 1;
  if (op->role == ROLE_ADD) {
    next[0] = with_value(q, s, op->op, op->arg[0]);
    return op->any_result || op->result == DATUM_TRUE;
  }
  if (!s.values)
    return op->any_result || op->result == t->empty;
  return take(q, s, op, next);
}

struct queue_printing {
  struct buf *out;
  bool any;
};

static bool print_value(void *with, datum call, uint64_t value) {
  struct queue_printing *p = with;
  (void)call;
  buf_puts(p->out, p->any ? ", " : "");
  datum_print((datum)value, p->out);
  p->any = true;
  return true;
}

static void print(struct type *t, uint32_t state, struct buf *out) {
  struct open_order_queue *q = (struct open_order_queue *)t;
  struct queue_printing p = {out, false};
  buf_putc(out, '[');
  tree_each(&q->trees, state_at(q, state)->values, print_value, &p);
  buf_putc(out, ']');
}

static void renumber(void *with, void *record, const uint32_t *new_number) {
  struct queue_state *s = record;
  const uint32_t *tree = with;
  (void)new_number;
  s->values = tree[s->values];
  s->rets = tree[s->rets];
}

static void forget(struct type *t, uint32_t *keep, uint32_t n) {
  struct open_order_queue *q = (struct open_order_queue *)t;
  uint32_t *trees = trees_marks(&q->trees);
  uint32_t *states = xcalloc(pool_len(&q->states) + 1, sizeof *states);
  states[t->initial] = 1;
  for (uint32_t i = 0; i < n; i++)
    states[keep[i]] = 1;
  for (uint32_t i = 1; i <= pool_len(&q->states); i++)
    if (states[i]) {
      tree_mark(&q->trees, state_at(q, i)->values, trees);
      tree_mark(&q->trees, state_at(q, i)->rets, trees);
    }
  trees_compact(&q->trees, trees, NULL, NULL);
  pool_compact(&q->states, states, renumber, trees);
  t->initial = states[t->initial];
  for (uint32_t i = 0; i < n; i++)
    keep[i] = states[keep[i]];
  free(trees);
  free(states);
}

static uint64_t bytes(const struct type *t) {
  const struct open_order_queue *q = (const struct open_order_queue *)t;
  return pool_bytes(&q->trees.nodes) + pool_bytes(&q->states);
}

static void free_queue(struct type *t) {
  struct open_order_queue *q = (struct open_order_queue *)t;
  trees_free(&q->trees);
  pool_free(&q->states);
  free(q);
}

struct type *online_queue(struct type *inner) {
  struct open_order_queue *q = xcalloc(1, sizeof *q);
  struct queue_state empty = {0};
  q->inner = inner;
  q->type = *inner;
  q->type.prepare = prepare;
  q->type.step = step;
  q->type.answer = NULL;
  q->type.print_state = print;
  q->type.forget = forget;
  q->type.bytes = bytes;
  q->type.free = free_queue;
  trees_init(&q->trees);
  q->states.size = sizeof(struct queue_state);
  q->type.initial = pool_intern(&q->states, &empty);
  return &q->type;
}
