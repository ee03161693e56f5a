/*
 * Wing and Gong, J. Parallel Distrib. Comput. 17, 1993, with the memo of Lowe,
 * Concurrency Comput. 29(4), 2017: depth-first search for a witness that never
 * visits a pair of (set of linearized operations, state) twice.
 *
 * Differs: operations of one thread are ordered, so the linearized set is a
 * number a thread, of a few bits, instead of a bit an operation, and one
 * comparison a thread tells what may come next.  The pair is packed
 * into 128 bits and stored exactly; where 96 bits do not hold all positions
 * (31 threads with 8 calls each), it is a sum of random numbers instead.
 *
 * (R1) an operation that only reads and is explained is placed at once and
 *      without alternatives: wherever else it fits, it fits here.  A write of
 *      the present value is no such operation: it may be needed later.
 *          T1 |-write(1)-| |----write(2)----|   behind write(1) the read is
 *          T2              |-read()=1-|         placed; write(2) is not tried
 * (R2) a pending operation is not placed where it would change nothing.
 * (R3) candidates are tried in the order of their returns, pending ones last.
 * None of these changes the answer: tests/agree/linearize_brute.c.
 *
 * (K4) operations of a chain have consecutive ids, and are placed in their
 *      order.
 */
#include "check/invariants.h"

#include "base/map128.h"
#include "base/rng.h"

#include <assert.h>
#include <string.h>

typedef unsigned __int128 u128;

enum { SET_BITS = 96, STATE_BITS = 32, NO_CHAIN = UINT32_MAX };
enum { LOOK_EVERY = 256 };

/*
 * Operations that come one after the other: the initial calls, those of one
 * thread, the final calls (K4).
 */
struct op_chain {
  uint32_t next, end; /* id of the first one not placed; behind the last */
  u128 unit;          /* what placing one of them adds to the set */
};

/* A configuration on the path, and which candidates have been tried there. */
struct linearize_config {
  uint32_t state;
  uint32_t chain;   /* of the operation that led here */
  uint32_t horizon; /* the earliest return of what is not placed: nothing that
                       was called later can be next */
  uint32_t tried_ret, tried_chain; /* the last candidate */
  bool fresh, settled;             /* settled: R1 applied */
};

struct check_work {
  VEC(struct op_chain) chains; /* initial, threads …, final */
  VEC(struct linearize_config) path;
  VEC(uint32_t) placed; /* path without its root: ids of calls */
  VEC(uint32_t) fault;  /* the first sequential run that failed */
  struct map128 memo;
  bool hashed; /* the set is a sum of random numbers */
};

/* One check. */
struct linearize_search {
  const struct history *h;
  struct spec *s;
  struct check_work *w;
  struct check *out;
  bool real_time;
  uint32_t left;       /* operations that returned and are not placed … */
  uint32_t left_final; /* … of which final calls */
  uint32_t best;       /* the smallest `left` that was reached */
  u128 set;
  uint64_t budget;
  uint64_t look; /* calls of spec_apply until its limits are looked at */
};

static u128 random_unit(uint32_t id) {
  struct rng r = {id};
  u128 high = rng_next(&r);
  return (high << 64 | rng_next(&r)) & (((u128)1 << SET_BITS) - 1);
}

static u128 unit(const struct check_work *w, const struct op_chain *c,
                 uint32_t id) {
  return w->hashed ? random_unit(id) : c->unit;
}

/* A bijection that mixes, as the table wants it. */
static struct hash128 config_key(u128 set, uint32_t state) {
  u128 key = set << STATE_BITS | state;
  struct rng hi = {(uint64_t)(key >> 64)};
  uint64_t b = rng_next(&hi);
  struct rng lo = {(uint64_t)key ^ b};
  return (struct hash128){rng_next(&lo), b};
}

static void add_chain(struct linearize_search *q, uint32_t from, uint32_t to,
                      unsigned *shift) {
  const struct hop *ops = q->h->ops;
  struct op_chain c = {.next = from, .end = from};
  while (c.end < to && hop_called(&ops[c.end])) {
    if (!hop_pending(&ops[c.end]))
      q->left++;
    c.end++;
  }
  if (q->h->stuck && c.end > from && hop_pending(&ops[c.end - 1]))
    c.end--; /* K2: it is looked at only in the end */
  unsigned bits =
      c.end == from ? 0 : 32 - (unsigned)__builtin_clz(c.end - from);
  if (*shift + bits > SET_BITS)
    q->w->hashed = true;
  else
    c.unit = (u128)1 << *shift;
  *shift += bits;
  vec_push(&q->w->chains, c);
}

static void make_chains(struct linearize_search *q) {
  const struct client *c = q->h->client;
  uint32_t final = client_first_final(c);
  unsigned shift = 0;
  q->w->hashed = false;
  vec_clear(&q->w->chains);
  add_chain(q, q->s->skips_init ? c->ninit : 0, c->ninit, &shift);
  for (uint32_t i = c->ninit, end; i < final; i = end) {
    for (end = i + 1; end < final && c->calls[end].thread == c->calls[i].thread;
         end++)
      ;
    add_chain(q, i, end, &shift);
  }
  uint32_t before = q->left;
  add_chain(q, final, c->ncalls, &shift);
  q->left_final = q->left - before;
}

/* The earliest return among the operations of threads that are not placed. */
static uint32_t horizon(const struct linearize_search *q) {
  uint32_t min = HISTORY_PENDING;
  if (!q->real_time)
    return min;
  for (uint32_t i = 1; i + 1 < q->w->chains.len; i++) {
    const struct op_chain *c = &q->w->chains.at[i];
    if (c->next < c->end && q->h->ops[c->next].ret < min)
      min = q->h->ops[c->next].ret;
  }
  return min;
}

/* Whether the next operation of the chain may come next.  Initial calls are
 * first and final calls last, whatever their times. */
static bool in_turn(const struct linearize_search *q, uint32_t chain,
                    uint32_t horizon) {
  const struct op_chain *init = &q->w->chains.at[0];
  if (chain == 0)
    return true;
  if (init->next < init->end && !hop_pending(&q->h->ops[init->next]))
    return false;
  if (chain + 1 == q->w->chains.len)
    return q->left == q->left_final;
  return q->h->ops[q->w->chains.at[chain].next].call <= horizon;
}

/* The next candidate of the frame by (return, chain), or NO_CHAIN. */
static uint32_t pick(const struct linearize_search *q,
                     struct linearize_config *f) {
  uint32_t found = NO_CHAIN, found_ret = 0;
  if (f->settled)
    return NO_CHAIN;
  for (uint32_t i = 0; i < q->w->chains.len; i++) {
    const struct op_chain *c = &q->w->chains.at[i];
    if (c->next == c->end)
      continue;
    const struct hop *o = &q->h->ops[c->next];
    if (found != NO_CHAIN && o->ret >= found_ret)
      continue;
    bool tried = f->tried_chain != NO_CHAIN &&
                 (o->ret < f->tried_ret ||
                  (o->ret == f->tried_ret && i <= f->tried_chain));
    if (!tried && in_turn(q, i, f->horizon)) {
      found = i;
      found_ret = o->ret;
    }
  }
  f->tried_ret = found_ret;
  f->tried_chain = found;
  return found;
}

static enum spec_answer apply(struct linearize_search *q, uint32_t state,
                              uint32_t id, struct value *result,
                              uint32_t *next) {
  q->out->applied++;
  enum spec_answer a = spec_apply(q->s, q->h->client, state, id, result, next);
  struct check_work *w = q->w;
  if (a == SPEC_FAULT && !w->fault.len) {
    for (uint32_t i = 0; i < w->placed.len; i++)
      vec_push(&w->fault, w->placed.at[i]);
    vec_push(&w->fault, id);
  }
  return a;
}

/* K2.  When not all of them wait, *loose is one that does not. */
static bool all_wait(struct linearize_search *q, uint32_t state,
                     uint32_t *loose, struct value *result) {
  const struct history *h = q->h;
  uint32_t next;
  for (uint32_t i = q->s->skips_init ? h->client->ninit : 0;
       i < h->client->ncalls; i++)
    if (hop_called(&h->ops[i]) && hop_pending(&h->ops[i]) &&
        apply(q, state, i, result, &next) != SPEC_WAITS) {
      *loose = i;
      return false;
    }
  return true;
}

static bool is_witness(struct linearize_search *q, uint32_t state) {
  uint32_t loose;
  struct value result;
  return q->left == 0 && (!q->h->stuck || all_wait(q, state, &loose, &result));
}

static void copy_order(struct check *out, const uint32_t *ids, uint32_t n) {
  vec_clear(&out->order);
  vec_reserve(&out->order, n);
  if (n)
    memcpy(out->order.at, ids, n * sizeof *ids);
  out->order.len = n;
}

/* All that could follow the path has been tried: keep it if it is the longest
 * so far, with the reason why it goes no further. */
static void note_dead_end(struct linearize_search *q,
                          const struct linearize_config *f) {
  struct check *out = q->out;
  if (q->left >= q->best)
    return;
  q->best = q->left;
  copy_order(out, q->w->placed.at, q->w->placed.len);
  out->waits = false;
  out->expected = value_void();
  if (q->left == 0) {
    all_wait(q, f->state, &out->stuck_at, &out->expected);
    return;
  }
  struct linearize_config again = *f;
  again.settled = false;
  again.tried_chain = NO_CHAIN;
  uint32_t next, chain = pick(q, &again);
  assert(chain != NO_CHAIN); /* the earliest return always may come next */
  out->stuck_at = q->w->chains.at[chain].next;
  enum spec_answer a = apply(q, f->state, out->stuck_at, &out->expected, &next);
  out->waits = a == SPEC_WAITS;
  if (a != SPEC_RETURNS)
    out->expected = value_void();
}

static void enter(struct linearize_search *q, uint32_t state, uint32_t chain) {
  struct linearize_config f = {.state = state,
                               .chain = chain,
                               .horizon = horizon(q),
                               .tried_chain = NO_CHAIN,
                               .fresh = true};
  vec_push(&q->w->path, f);
}

static void place(struct linearize_search *q, uint32_t chain, uint32_t next) {
  struct op_chain *c = &q->w->chains.at[chain];
  uint32_t id = c->next++;
  vec_push(&q->w->placed, id);
  q->left -= !hop_pending(&q->h->ops[id]);
  q->left_final -=
      chain + 1 == q->w->chains.len && !hop_pending(&q->h->ops[id]);
  enter(q, next, chain);
}

static void take_back(struct linearize_search *q) {
  uint32_t chain = vec_pop(&q->w->path).chain;
  uint32_t id = vec_pop(&q->w->placed);
  struct op_chain *c = &q->w->chains.at[chain];
  c->next--;
  assert(c->next == id); /* K4 */
  q->set -= unit(q->w, c, id);
  q->left += !hop_pending(&q->h->ops[id]);
  q->left_final +=
      chain + 1 == q->w->chains.len && !hop_pending(&q->h->ops[id]);
}

/* Tries to place the next operation of `chain`. */
static void advance(struct linearize_search *q, uint32_t chain) {
  struct linearize_config *f = &vec_last(&q->w->path);
  const struct op_chain *c = &q->w->chains.at[chain];
  uint32_t id = c->next, next = 0;
  struct value result;
  if (apply(q, f->state, id, &result, &next) != SPEC_RETURNS)
    return;
  const struct hop *o = &q->h->ops[id];
  if (hop_pending(o)) {
    if (next == f->state) /* R2 */
      return;
  } else if (!value_equal(result, o->result)) {
    return;
  } else if (next == f->state && q->s->only_reads &&
             q->s->only_reads(q->s, q->h->client, id)) { /* R1 */
    f->settled = true;
  }
  bool fresh;
  u128 set = q->set + unit(q->w, c, id);
  map128_put(&q->w->memo, config_key(set, next), &fresh);
  if (!fresh)
    return;
  q->set = set;
  place(q, chain, next);
}

static bool is_over(struct linearize_search *q) {
  struct check *out = q->out;
  if (q->budget && out->applied >= q->budget)
    out->limit = "the budget";
  if (out->applied < q->look)
    return out->limit;
  q->look = out->applied + (q->s->skips_init ? 1 : LOOK_EVERY);
  if (!out->limit)
    out->limit = spec_limit(q->s, map128_bytes(&q->w->memo));
  return out->limit;
}

static enum check_answer search(struct linearize_search *q) {
  enter(q, q->s->initial, NO_CHAIN);
  for (;;) {
    struct linearize_config *f = &vec_last(&q->w->path);
    if (f->fresh && is_witness(q, f->state)) {
      copy_order(q->out, q->w->placed.at, q->w->placed.len);
      return CHECK_YES;
    }
    f->fresh = false;
    if (is_over(q)) {
      note_dead_end(q, f);
      return CHECK_UNKNOWN;
    }
    uint32_t chain = pick(q, f);
    if (chain != NO_CHAIN) {
      advance(q, chain);
      continue;
    }
    note_dead_end(q, f);
    if (q->w->path.len == 1)
      return q->w->fault.len ? CHECK_SPEC_FAULT : CHECK_NO;
    take_back(q);
  }
}

void check_linearize(const struct history *h, struct spec *s,
                     enum criterion criterion, uint64_t budget,
                     struct check *out) {
  if (!out->work)
    out->work = xcalloc(1, sizeof *out->work);
  struct check_work *w = out->work;
  spec_make_room(s);
  vec_clear(&w->path);
  vec_clear(&w->placed);
  vec_clear(&w->fault);
  map128_clear(&w->memo);
  vec_clear(&out->order);
  out->applied = 0;
  out->limit = NULL;
  out->waits = false;
  out->stuck_at = 0;
  out->expected = value_void();
  struct linearize_search q = {.h = h,
                               .s = s,
                               .w = w,
                               .out = out,
                               .real_time = criterion == CRITERION_LINEARIZABLE,
                               .best = UINT32_MAX,
                               .budget = budget};
  make_chains(&q);
  out->answer = search(&q);
  if (out->answer == CHECK_SPEC_FAULT)
    copy_order(out, w->fault.at, w->fault.len);
  check_slow(h->client->ncalls > CHECK_SLOW_CALLS ||
             (check_check_invariants(h, s, criterion, out), true));
}

void check_free(struct check *c) {
  vec_free(&c->order);
  if (c->work) {
    vec_free(&c->work->chains);
    vec_free(&c->work->path);
    vec_free(&c->work->placed);
    vec_free(&c->work->fault);
    map128_free(&c->work->memo);
    free(c->work);
    c->work = NULL;
  }
}
