/*
 * Exact search, depth first: Wing and Gong, J. Parallel Distrib. Comput. 17,
 * 1993, with the memo of Lowe, Concurrency Comput. 29(4), 2017.
 *
 * Differs: a configuration is a layer, the placed operations that are open
 * there, and the state.  Layer k means that the first k operations to return
 * are placed and the next one is not.  So an entry of the memo has a few words,
 * however long the history is.  With up to 64 operations open at once the key
 * is exact; with more it is a sum of random numbers.
 *
 * The rules (A) to (C) of frontier.c hold here, too, but not domination: the
 * memo only knows equal configurations.  Operations are tried in the order of
 * their returns, crashed ones last.
 */
#include "history/log_engine.h"

#include "base/map128.h"
#include "base/rng.h"

#include <assert.h>
#include <string.h>

#define NO_STATE UINT32_MAX
#define NO_OP UINT32_MAX

/* Open operations that are not placed are in three circular lists, by kind; the
 * heads come after the operations.  An operation that is taken out keeps its
 * links, and is put back in reverse order. */
enum link_kind { EFFECTS, READS, CRASHED, KINDS };

struct depth_first_link {
  uint32_t prev, next;
};

struct placed {
  uint32_t op, layer; /* the layer before it was placed */
  uint64_t max_hint;  /* that before it was placed */
};

struct depth_first_frame {
  uint32_t state, prev;
  uint32_t base;   /* length of the path before the frame's operation */
  uint32_t cursor; /* the operation that was tried last */
  uint32_t again;  /* which of its next states is tried next; 0: none is left */
};

struct depth_first {
  const struct log_problem *p;
  struct type *type;
  struct meter *m;
  uint32_t n, *returns, nreturns;
  uint32_t *slot, *print;
  struct depth_first_link *links;
  uint8_t *is_placed;
  VEC(uint32_t)
  like;       /* pairs, by operation: a crashed one, and the last one
                 before that is like it */
  bool exact; /* slots fit one word */
  bool one_key;
  uint32_t others; /* operations in the lists that neither read nor write */
  struct hints hints;
  uint32_t hinted; /* placed operations that return and have a hint */
  uint64_t max_hint;

  uint32_t called, layer, furthest;
  uint32_t completed; /* placed operations that return */
  struct hash128 set; /* placed operations that are open */
  VEC(struct placed) path;
  VEC(struct depth_first_frame) frames;
  struct map128 memo;
  VEC(uint32_t) best;
  uint32_t most, same; /* completed in `best`; where `best` and `path` part */
};

static const struct log_op *op_at(const struct depth_first *q, uint32_t op) {
  return q->p->ops[op].op;
}

static enum link_kind kind_of(const struct depth_first *q, uint32_t op) {
  const struct type_op *o = &q->p->ops[op];
  if (op_is_pending(o))
    return CRASHED;
  return op_only_reads(o) && !(op_has_hint(o) && q->hints.pending) ? READS
                                                                   : EFFECTS;
}

static bool is_other(const struct depth_first *q, uint32_t op) {
  return !op_is_blind(&q->p->ops[op]) && kind_of(q, op) != READS;
}

static void take_out(struct depth_first *q, uint32_t op) {
  struct depth_first_link l = q->links[op];
  q->others -= is_other(q, op);
  q->links[l.prev].next = l.next;
  q->links[l.next].prev = l.prev;
}

static void put_back(struct depth_first *q, uint32_t op) {
  struct depth_first_link l = q->links[op];
  q->others += is_other(q, op);
  q->links[l.prev].next = op;
  q->links[l.next].prev = op;
}

static void put_in(struct depth_first *q, uint32_t op) {
  enum link_kind kind = kind_of(q, op);
  uint32_t head = q->n + kind, at = q->links[head].prev;
  if (kind == EFFECTS)
    while (at != head && op_at(q, at)->ret > op_at(q, op)->ret)
      at = q->links[at].prev;
  q->links[op] = (struct depth_first_link){at, q->links[at].next};
  put_back(q, op);
}

/* Gives each operation a slot, which is used again after its return. */
static void give_slots(struct depth_first *q) {
  VEC(uint32_t) spare = {0};
  uint32_t most = 0, k = 0;
  for (uint32_t i = 0; i < q->n; i++) {
    for (; k < q->nreturns && op_at(q, q->returns[k])->ret < op_at(q, i)->call;
         k++)
      vec_push(&spare, q->slot[q->returns[k]]);
    if (op_is_idle(&q->p->ops[i]))
      continue;
    q->slot[i] = spare.len ? vec_pop(&spare) : most++;
  }
  q->exact = most <= 64;
  vec_free(&spare);
}

/* For each crashed operation, finds the last one before that is like it. */
static void find_likes(struct depth_first *q) {
  struct map128 last = {0};
  for (uint32_t i = 0; i < q->n; i++) {
    bool fresh;
    q->print[i] = op_print(&q->p->ops[i]);
    if (kind_of(q, i) != CRASHED || op_has_hint(&q->p->ops[i]))
      continue;
    struct rng r = {q->print[i]};
    uint64_t lo = rng_next(&r), hi = rng_next(&r);
    uint32_t *at = map128_put(&last, (struct hash128){lo, hi}, &fresh);
    if (!fresh && op_is_like(&q->p->ops[*at], &q->p->ops[i])) {
      vec_push(&q->like, i);
      vec_push(&q->like, *at);
    }
    *at = i;
  }
  map128_free(&last);
}

static uint32_t like_before(const struct depth_first *q, uint32_t op) {
  uint32_t lo = 0, hi = q->like.len / 2;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (q->like.at[2 * mid] < op)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < q->like.len / 2 && q->like.at[2 * lo] == op
             ? q->like.at[2 * lo + 1]
             : NO_OP;
}

/* The operation joins or leaves the set of placed open ones. */
static void flip(struct depth_first *q, uint32_t op) {
  if (q->exact) {
    q->set.lo ^= (uint64_t)1 << q->slot[op];
    return;
  }
  struct rng r = {op};
  q->set.lo ^= rng_next(&r);
  q->set.hi ^= rng_next(&r);
}

static void enter_calls(struct depth_first *q) {
  uint32_t bound = q->layer < q->nreturns
                       ? op_at(q, q->returns[q->layer])->ret
                       : 0; /* the end: later calls do not matter */
  for (; q->called < q->n && op_at(q, q->called)->call < bound; q->called++)
    if (!op_is_idle(&q->p->ops[q->called]))
      put_in(q, q->called);
}

static void leave_calls(struct depth_first *q) {
  uint32_t bound = op_at(q, q->returns[q->layer])->ret;
  for (; q->called && op_at(q, q->called - 1)->call > bound; q->called--)
    if (!op_is_idle(&q->p->ops[q->called - 1]))
      take_out(q, q->called - 1);
}

static void place(struct depth_first *q, uint32_t op) {
  const struct type_op *o = &q->p->ops[op];
  vec_push(&q->path, ((struct placed){op, q->layer, q->max_hint}));
  take_out(q, op);
  q->is_placed[op] = 1;
  flip(q, op);
  q->completed += !op_is_pending(o);
  if (op_has_hint(o)) {
    q->hinted += !op_is_pending(o);
    if (o->op->order > q->max_hint)
      q->max_hint = o->op->order;
  }
  while (q->layer < q->nreturns && q->is_placed[q->returns[q->layer]]) {
    flip(q, q->returns[q->layer]);
    q->layer++;
    enter_calls(q);
  }
  if (q->layer > q->furthest)
    q->furthest = q->layer;
}

static void take_back(struct depth_first *q) {
  struct placed last = vec_pop(&q->path);
  const struct type_op *o = &q->p->ops[last.op];
  while (q->layer > last.layer) {
    q->layer--;
    leave_calls(q);
    flip(q, q->returns[q->layer]);
  }
  if (op_has_hint(o))
    q->hinted -= !op_is_pending(o);
  q->max_hint = last.max_hint;
  q->completed -= !op_is_pending(o);
  flip(q, last.op);
  q->is_placed[last.op] = 0;
  put_back(q, last.op);
}

static void take_back_to(struct depth_first *q, uint32_t len) {
  while (q->path.len > len)
    take_back(q);
  if (len < q->same)
    q->same = len;
}

static bool hint_allows(const struct depth_first *q, uint32_t op) {
  uint64_t hint = op_at(q, op)->order;
  if (hint == LOG_NO_HINT)
    return true;
  return hint >= q->max_hint &&
         (q->hinted == q->hints.len || hint <= q->hints.at[q->hinted]);
}

static uint32_t step(struct depth_first *q, uint32_t state, uint32_t op,
                     uint32_t next[TYPE_NEXT]) {
  q->m->steps++;
  return q->type->step(q->type, state, &q->p->ops[op], next);
}

/* (A): places all reads that the state explains.  Returns whether there was
 * one. Layers that are passed put more reads at the end of the list.  With
 * hints, a read may have to wait for another one. */
static bool settle(struct depth_first *q, uint32_t state) {
  uint32_t next[TYPE_NEXT], head = q->n + READS, before = q->path.len, len;
  do {
    len = q->path.len;
    for (uint32_t at = head, i; (i = q->links[at].next) != head;)
      if (hint_allows(q, i) && step(q, state, i, next))
        place(q, i);
      else
        at = i;
  } while (q->hints.len && q->path.len > len);
  return q->path.len > before;
}

/* A bijection that mixes the bits: the table uses them as they are. */
static struct hash128 mix(uint64_t lo, uint64_t hi) {
  struct rng h = {hi};
  uint64_t b = rng_next(&h);
  struct rng l = {lo ^ b};
  return (struct hash128){rng_next(&l), b};
}

static struct hash128 key(const struct depth_first *q, uint32_t state,
                          uint32_t prev) {
  uint64_t where = (uint64_t)q->layer << 32 | state;
  if (q->exact && prev == NO_STATE)
    return mix(where, q->set.lo);
  uint64_t all[] = {where, q->set.lo, q->set.hi, prev};
  return hash128(all, sizeof all, 0);
}

/* (C) of frontier.c */
static bool leads_to(struct depth_first *q, uint32_t state, uint32_t op,
                     uint32_t to) {
  uint32_t next[TYPE_NEXT], n = step(q, state, op, next);
  for (uint32_t i = 0; i < n; i++)
    if (next[i] == to)
      return true;
  return false;
}

static void advance(struct depth_first *q, uint32_t op, uint32_t next) {
  const struct depth_first_frame *f = &vec_last(&q->frames);
  bool crashed = op_is_pending(&q->p->ops[op]), fresh;
  uint32_t base = q->path.len, prev = crashed ? f->state : NO_STATE;
  if (crashed && next == f->state)
    return;
  if (f->prev != NO_STATE && leads_to(q, f->prev, op, next))
    return;
  place(q, op);
  if (settle(q, next))
    prev = NO_STATE;
  if (prev != NO_STATE && q->one_key && !q->others &&
      op_is_blind(&q->p->ops[op])) {
    take_back_to(q, base); /* only writes could come next */
    return;
  }
  map128_put(&q->memo, key(q, next, prev), &fresh);
  if (fresh)
    vec_push(&q->frames,
             ((struct depth_first_frame){next, prev, base, NO_OP, 0}));
  else
    take_back_to(q, base);
}

/* (B): whether one that is like it and returns earlier is not placed. */
static bool must_wait(const struct depth_first *q, uint32_t op) {
  if (op_is_pending(&q->p->ops[op])) {
    uint32_t before = like_before(q, op);
    return before != NO_OP && !q->is_placed[before];
  }
  for (uint32_t i = q->links[op].prev; i < q->n; i = q->links[i].prev)
    if (q->print[i] == q->print[op] &&
        op_is_like(&q->p->ops[i], &q->p->ops[op]))
      return true;
  return false;
}

/* The candidate behind the cursor, or NO_OP. */
static uint32_t pick(const struct depth_first *q, uint32_t cursor) {
  uint32_t at = q->links[cursor == NO_OP ? q->n + EFFECTS : cursor].next;
  for (;; at = q->links[at].next) {
    if (at == q->n + EFFECTS)
      at = q->links[q->n + CRASHED].next;
    if (at == q->n + CRASHED)
      return NO_OP;
    if (hint_allows(q, at) && !must_wait(q, at))
      return at;
  }
}

static void note_dead_end(struct depth_first *q) {
  if (q->completed <= q->most)
    return;
  q->most = q->completed;
  vec_reserve(&q->best, q->path.len);
  for (uint32_t i = q->same; i < q->path.len; i++)
    q->best.at[i] = q->path.at[i].op;
  q->same = q->best.len = q->path.len;
}

static uint64_t search_bytes(const struct depth_first *q) {
  return map128_bytes_soon(&q->memo) + q->path.cap * sizeof *q->path.at +
         q->frames.cap * sizeof *q->frames.at + q->best.cap * 4ull +
         q->n * 21ull;
}

static void try_next(struct depth_first *q) {
  struct depth_first_frame *f = &vec_last(&q->frames);
  uint32_t next[TYPE_NEXT], turn = f->again;
  if (!turn)
    f->cursor = pick(q, f->cursor);
  if (f->cursor == NO_OP) {
    note_dead_end(q);
    take_back_to(q, vec_pop(&q->frames).base);
    return;
  }
  uint32_t n = step(q, f->state, f->cursor, next);
  f->again = turn + 1 < n ? turn + 1 : 0;
  if (turn < n)
    advance(q, f->cursor, next[turn]);
}

static enum log_verdict search(struct depth_first *q, uint64_t stop,
                               uint64_t other_bytes) {
  uint32_t state = q->type->initial;
  enter_calls(q);
  settle(q, state);
  vec_push(&q->frames,
           ((struct depth_first_frame){state, NO_STATE, 0, NO_OP, 0}));
  while (q->frames.len) {
    if (q->layer == q->nreturns)
      return LOG_LINEARIZABLE;
    if (q->m->steps >= stop ||
        (meter_is_due(q->m) &&
         !meter_look(q->m, q->type, search_bytes(q) + other_bytes)))
      return LOG_UNKNOWN;
    q->m->steps++;
    try_next(q);
  }
  return LOG_VIOLATION;
}

static void search_init(struct depth_first *q) {
  uint32_t n = q->n = q->p->nops;
  q->returns = ops_by_return(q->p, &q->nreturns);
  q->slot = xcalloc(n + 1, sizeof *q->slot);
  q->print = xcalloc(n + 1, sizeof *q->print);
  q->links = xcalloc(n + KINDS, sizeof *q->links);
  q->is_placed = xcalloc(n + 1, 1);
  for (uint32_t k = 0; k < KINDS; k++)
    q->links[n + k] = (struct depth_first_link){n + k, n + k};
  hints_collect(&q->hints, q->p, LOG_PENDING - 1);
  q->one_key = ops_have_one_key(q->p);
  give_slots(q);
  find_likes(q);
}

static void search_free(struct depth_first *q) {
  free(q->returns);
  free(q->slot);
  free(q->print);
  free(q->links);
  free(q->is_placed);
  hints_free(&q->hints);
  vec_free(&q->like);
  vec_free(&q->path);
  vec_free(&q->frames);
  vec_free(&q->best);
  map128_free(&q->memo);
}

static void answer(struct depth_first *q, bool want_order,
                   struct log_answer *out) {
  uint32_t stuck =
      q->furthest < q->nreturns ? q->returns[q->furthest] : UINT32_MAX;
  out->method = "linearize";
  out->limit = q->m->limit;
  out->at = UINT32_MAX;
  if (out->verdict == LOG_UNKNOWN) {
    out->at = stuck;
  } else if (out->verdict == LOG_VIOLATION) {
    vec_reserve(&out->order, q->best.len);
    if (q->best.len)
      memcpy(out->order.at, q->best.at, q->best.len * sizeof *q->best.at);
    out->order.len = q->best.len;
    answer_core(q->p, q->hints.len ? LOG_PENDING : op_at(q, stuck)->ret, out);
    out->at = first_bad_return(q->p, op_at(q, stuck)->ret, q->m);
    answer_check_cut(q->p, out);
  } else if (want_order) {
    for (uint32_t i = 0; i < q->path.len; i++)
      vec_push(&out->order, q->path.at[i].op);
  }
  out->steps = q->m->steps;
  out->bytes = q->m->bytes;
}

void depth_first_run(const struct log_problem *p, struct meter *m,
                     uint64_t stop, bool want_order, uint64_t other_bytes,
                     struct log_answer *out) {
  struct depth_first q = {.p = p, .type = p->type, .m = m};
  log_answer_free(out);
  *out = (struct log_answer){0};
  search_init(&q);
  m->look = m->steps;
  out->verdict = search(&q, stop, other_bytes);
  meter_look(m, p->type, search_bytes(&q) + other_bytes);
  answer(&q, want_order, out);
  search_free(&q);
}

void check_depth_first(const struct log_problem *p, const struct log_budget *b,
                       bool want_order, struct log_answer *out) {
  struct meter m = {.budget = b};
  depth_first_run(p, &m, UINT64_MAX, want_order, 0, out);
}
