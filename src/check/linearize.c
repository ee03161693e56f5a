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
 * (R6) where some calls are relaxed, one order that explains the others is
 *      tried first.  If that is not enough (K5), all are, without the memo: in
 *      two orders that lead to one state the calls may change other things.
 *
 * (K4) operations of a chain have ascending ids, and are placed in their order.
 */
#include "check/choice.h"
#include "check/invariants.h"
#include "check/order.h"
#include "check/visible.h"

#include "base/map128.h"
#include "base/rng.h"

#include <assert.h>
#include <string.h>

typedef unsigned __int128 u128;

enum { SET_BITS = 96, STATE_BITS = 32, NO_CHAIN = UINT32_MAX };
enum { SETTLED = UINT32_MAX };
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
  uint32_t which; /* its alternative that is tried next; 0: it has no more;
                     SETTLED: nothing has, R1 applied */
  bool fresh;
  bool open; /* a class is not complete (K7): `horizon` is that before it */
};

struct check_work {
  VEC(struct op_chain) chains; /* initial, threads …, final */
  VEC(struct linearize_config) path;
  VEC(uint32_t) placed;    /* path without its root: ids of calls */
  VEC(uint32_t) fault;     /* the first sequential run that failed */
  VEC(struct hop) periods; /* order.h */
  VEC(uint32_t) states;    /* scratch: those of the path */
  struct map128 memo;
  struct expectation expectation; /* scratch */
  bool hashed;                    /* the set is a sum of random numbers */
};

/* One check. */
struct linearize_search {
  const struct history *h;
  struct spec *s;
  struct check_work *w;
  struct check *out;
  enum criterion criterion;
  const struct history *given; /* as it was, if `h` has other times */
  bool real_time;
  bool several;        /* a call may have more than one alternative */
  bool chained;        /* the calls of a thread keep their order */
  bool all_orders;     /* R6 */
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

/* The next call from `id` on that can be in an order (K5). */
static uint32_t ordered(const struct linearize_search *q, uint32_t id,
                        uint32_t end) {
  while (id < end && spec_is_relaxed(q->s, q->h->client, id))
    id++;
  return id;
}

static void add_chain(struct linearize_search *q, uint32_t from, uint32_t to,
                      unsigned *shift) {
  const struct hop *ops = q->h->ops;
  struct op_chain c = {.next = from, .end = from};
  while (c.end < to && hop_called(&ops[c.end])) {
    if (!hop_pending(&ops[c.end]) &&
        !spec_is_relaxed(q->s, q->h->client, c.end))
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
  c.next = ordered(q, c.next, c.end);
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
    for (end = i + 1; q->chained && end < final &&
                      c->calls[end].thread == c->calls[i].thread;
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

/* Of a partial history: nothing that is not placed is before it.  What comes
 * later in a chain is only before what its next operation is before. */
static bool is_least(const struct linearize_search *q, uint32_t chain) {
  uint32_t id = q->w->chains.at[chain].next;
  for (uint32_t i = 1; i + 1 < q->w->chains.len; i++) {
    const struct op_chain *c = &q->w->chains.at[i];
    if (i != chain && c->next < c->end && history_before(q->h, c->next, id))
      return false;
  }
  return true;
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
  if (q->h->partial && q->real_time)
    return is_least(q, chain);
  return q->h->ops[q->w->chains.at[chain].next].call <= horizon;
}

/* The next candidate of the frame by (return, chain), or NO_CHAIN; the same
 * again while it has alternatives. */
static uint32_t pick(const struct linearize_search *q,
                     struct linearize_config *f) {
  uint32_t found = NO_CHAIN, found_ret = 0;
  if (f->which)
    return f->which == SETTLED ? NO_CHAIN : f->tried_chain;
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
                              uint32_t id, uint32_t which, struct value *result,
                              uint32_t *next) {
  q->out->applied++;
  enum spec_answer a =
      q->several
          ? choice(q->h, q->s, q->criterion, state, id, which, result, next)
          : spec_apply(q->s, q->h->client, state, id, result, next);
  struct check_work *w = q->w;
  if (a == SPEC_FAULT && !w->fault.len) {
    for (uint32_t i = 0; i < w->placed.len; i++)
      vec_push(&w->fault, w->placed.at[i]);
    vec_push(&w->fault, id);
  }
  return a;
}

/* S7 */
static bool may_wait(struct linearize_search *q, uint32_t state, uint32_t id) {
  struct value result;
  uint32_t next, which = 0;
  enum spec_answer a;
  do
    a = apply(q, state, id, which++, &result, &next);
  while (a != SPEC_WAITS && a != SPEC_NONE && q->several);
  return a == SPEC_WAITS;
}

/* K2.  When not all of them may wait, *loose is one that may not. */
static bool all_wait(struct linearize_search *q, uint32_t state,
                     uint32_t *loose) {
  const struct history *h = q->h;
  for (uint32_t i = q->s->skips_init ? h->client->ninit : 0;
       i < h->client->ncalls; i++)
    if (hop_called(&h->ops[i]) && hop_pending(&h->ops[i]) &&
        !may_wait(q, state, i)) {
      *loose = i;
      return false;
    }
  return !pending_meet(h, q->s, state, loose);
}

/* K5. */
static bool is_relaxed(struct linearize_search *q, struct relaxed_miss *miss) {
  struct check_work *w = q->w;
  struct relaxed_order o = {.h = q->given,
                            .s = q->s,
                            .criterion = q->criterion,
                            .order = w->placed.at,
                            .n = w->placed.len,
                            .applied = &q->out->applied};
  assert(w->path.len == o.n + 1);
  vec_clear(&w->states);
  for (uint32_t i = 0; i <= o.n; i++)
    vec_push(&w->states, w->path.at[i].state);
  o.states = w->states.at;
  return order_is_relaxed(&o, miss);
}

static bool is_witness(struct linearize_search *q, uint32_t state) {
  uint32_t loose;
  struct relaxed_miss miss;
  return q->left == 0 && (!q->h->stuck || all_wait(q, state, &loose)) &&
         (!q->all_orders || is_relaxed(q, &miss));
}

static void copy_order(struct check *out, const uint32_t *ids, uint32_t n) {
  vec_clear(&out->order);
  vec_reserve(&out->order, n);
  if (n)
    memcpy(out->order.at, ids, n * sizeof *ids);
  out->order.len = n;
}

/* Everything is placed, and a relaxed call disagrees (K5); else false. */
static bool note_relaxed(struct linearize_search *q) {
  struct relaxed_miss miss;
  if (is_relaxed(q, &miss))
    return false;
  q->out->stuck_at = miss.call;
  q->out->expected = miss.expected;
  q->out->bound = miss.bound;
  return true;
}

/* All that could follow the path has been tried: keep it if it is the longest
 * so far, with the reason why it goes no further. */
static void note_dead_end(struct linearize_search *q,
                          const struct linearize_config *f) {
  struct check *out = q->out;
  if (q->left >= q->best || f->open)
    return;
  q->best = q->left;
  copy_order(out, q->w->placed.at, q->w->placed.len);
  out->waits = false;
  out->bound = BOUND_EXACT;
  vec_clear(&out->also);
  if (q->left == 0 && q->all_orders && note_relaxed(q))
    return;
  struct linearize_config again = *f;
  again.tried_chain = NO_CHAIN;
  again.which = 0;
  if (q->left == 0) {
    all_wait(q, f->state, &out->stuck_at);
  } else {
    uint32_t chain = pick(q, &again);
    assert(chain != NO_CHAIN); /* the earliest return always may come next */
    out->stuck_at = q->w->chains.at[chain].next;
  }
  struct expectation *e = &q->w->expectation;
  out->applied += expectation_add(e, q->h, q->s, f->state, out->stuck_at);
  expectation_take(e, &out->expected, &out->waits, &out->also);
  if (hop_pending(&q->h->ops[out->stuck_at]))
    out->waits = false; /* not so if others return with it */
}

static void enter(struct linearize_search *q, uint32_t state, uint32_t chain,
                  bool open) {
  struct linearize_config f = {.state = state,
                               .chain = chain,
                               .open = open,
                               .horizon = open ? vec_last(&q->w->path).horizon
                                               : horizon(q),
                               .tried_chain = NO_CHAIN,
                               .fresh = true};
  vec_push(&q->w->path, f);
}

static void place(struct linearize_search *q, uint32_t chain, uint32_t next,
                  bool open) {
  struct op_chain *c = &q->w->chains.at[chain];
  uint32_t id = c->next;
  c->next = ordered(q, id + 1, c->end);
  vec_push(&q->w->placed, id);
  q->left -= !hop_pending(&q->h->ops[id]);
  q->left_final -=
      chain + 1 == q->w->chains.len && !hop_pending(&q->h->ops[id]);
  enter(q, next, chain, open);
}

static void take_back(struct linearize_search *q) {
  uint32_t chain = vec_pop(&q->w->path).chain;
  uint32_t id = vec_pop(&q->w->placed);
  struct op_chain *c = &q->w->chains.at[chain];
  assert(id < c->next); /* K4 */
  c->next = id;
  q->set -= unit(q->w, c, id);
  q->left += !hop_pending(&q->h->ops[id]);
  q->left_final +=
      chain + 1 == q->w->chains.len && !hop_pending(&q->h->ops[id]);
}

static bool is_new(struct linearize_search *q, u128 set, uint32_t state) {
  bool fresh = true;
  if (!q->all_orders)
    map128_put(&q->w->memo, config_key(set, state), &fresh);
  return fresh;
}

/* Tries to place the next operation of `chain`. */
static void advance(struct linearize_search *q, uint32_t chain) {
  struct linearize_config *f = &vec_last(&q->w->path);
  const struct op_chain *c = &q->w->chains.at[chain];
  uint32_t id = c->next, next = 0, which = f->which;
  struct value result;
  enum spec_answer a = apply(q, f->state, id, which, &result, &next);
  if (q->several)
    f->which = a == SPEC_NONE ? 0 : which + 1;
  if (a != SPEC_RETURNS && a != SPEC_JOINS)
    return;
  /* One that fails without a reason (K6) may stand inside a class, too. */
  bool open = q->several && (a == SPEC_JOINS || (f->open && next == f->state));
  const struct hop *o = &q->h->ops[id];
  if (hop_pending(o)) {
    if (next == f->state) /* R2 */
      return;
  } else if (!value_equal(result, o->result)) {
    return;
  } else if (next == f->state && q->s->only_reads &&
             q->s->only_reads(q->s, q->h->client, id)) { /* R1 */
    f->which = SETTLED;
  }
  u128 set = q->set + unit(q->w, c, id);
  if (!is_new(q, set, next))
    return;
  q->set = set;
  place(q, chain, next, open);
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

/* A call of which not all alternatives are known might have helped. */
static bool has_guessed(const struct linearize_search *q) {
  bool pending = false;
  for (uint32_t i = 0; i < q->h->client->ncalls; i++)
    pending |= hop_called(&q->h->ops[i]) && hop_pending(&q->h->ops[i]);
  return q->s->guesses && pending;
}

/* All has been tried. */
static enum check_answer refused(struct linearize_search *q) {
  if (has_guessed(q)) { /* S8 */
    q->out->limit = "a call that has not returned";
    return CHECK_UNKNOWN;
  }
  return q->w->fault.len ? CHECK_SPEC_FAULT : CHECK_NO;
}

static enum check_answer search(struct linearize_search *q) {
  enter(q, q->s->initial, NO_CHAIN, false);
  for (;;) {
    struct linearize_config *f = &vec_last(&q->w->path);
    if (f->fresh && !f->open && is_witness(q, f->state)) {
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
      return refused(q);
    take_back(q);
  }
}

static enum check_answer search_anew(struct linearize_search *q) {
  struct check_work *w = q->w;
  vec_clear(&w->path);
  vec_clear(&w->placed);
  vec_clear(&w->fault);
  map128_clear(&w->memo);
  q->left = 0;
  q->set = 0;
  q->best = UINT32_MAX;
  make_chains(q);
  return search(q);
}

static bool has_relaxed(const struct linearize_search *q) {
  const struct client *c = q->h->client;
  bool found = false;
  for (uint32_t i = 0; q->s->relaxed && i < c->ncalls && !found; i++)
    found = spec_is_relaxed(q->s, c, i) && !hop_pending(&q->h->ops[i]);
  return found;
}

/* The history with the times that the criterion orders by. */
static struct history timed(struct check_work *w, const struct history *h,
                            enum criterion criterion) {
  struct history t = *h;
  if (criterion == CRITERION_QUIESCENT) {
    vec_reserve(&w->periods, h->client->ncalls + 1);
    order_periods(h, w->periods.at);
    t.ops = w->periods.at;
    t.partial = false;
  }
  return t;
}

void check_linearize(const struct history *h, struct spec *s,
                     enum criterion criterion, uint64_t budget,
                     struct check *out) {
  if (!out->work)
    out->work = xcalloc(1, sizeof *out->work);
  struct check_work *w = out->work;
  spec_make_room(s);
  vec_clear(&out->order);
  out->applied = 0;
  out->limit = NULL;
  out->waits = false;
  out->bound = BOUND_EXACT;
  out->stuck_at = 0;
  out->expected = value_void();
  vec_clear(&out->also);
  struct history t = timed(w, h, criterion);
  struct linearize_search q = {.h = &t,
                               .given = h,
                               .s = s,
                               .w = w,
                               .out = out,
                               .criterion = criterion,
                               .real_time =
                                   criterion == CRITERION_LINEARIZABLE ||
                                   criterion == CRITERION_QUIESCENT,
                               .several = choice_is_several(s),
                               .chained = criterion != CRITERION_QUIESCENT,
                               .budget = budget};
  out->answer = search_anew(&q);
  struct relaxed_miss miss;
  if (out->answer == CHECK_YES && has_relaxed(&q) && !is_relaxed(&q, &miss)) {
    q.all_orders = true;
    out->answer = search_anew(&q);
  }
  if (criterion == CRITERION_HAPPENS_BEFORE && !s->joins &&
      (out->answer == CHECK_NO || out->answer == CHECK_SPEC_FAULT)) {
    enum check_answer a = check_visible(h, s, budget, out);
    out->answer = a == CHECK_NO ? out->answer : a; /* K8 */
  }
  if (out->answer == CHECK_SPEC_FAULT)
    copy_order(out, w->fault.at, w->fault.len);
  check_slow(h->client->ncalls > CHECK_SLOW_CALLS ||
             (check_check_invariants(h, s, criterion, out), true));
}

void check_free(struct check *c) {
  vec_free(&c->order);
  vec_free(&c->also);
  if (c->work) {
    vec_free(&c->work->chains);
    vec_free(&c->work->path);
    vec_free(&c->work->placed);
    vec_free(&c->work->fault);
    vec_free(&c->work->expectation.results);
    vec_free(&c->work->periods);
    vec_free(&c->work->states);
    map128_free(&c->work->memo);
    free(c->work);
    c->work = NULL;
  }
}
