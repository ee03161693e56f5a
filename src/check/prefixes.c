/*
 * Just-in-time linearization (Lowe, Concurrency Comput. 29(4), 2017), depth
 * first: events in the order of time; at the return of an operation that has
 * not taken effect, open operations take effect until it has.  A configuration
 * is how far in the events, the state, and which open operations have taken
 * effect; none is entered twice.
 *
 * Differs: an open operation may take effect with another result than the one
 * that it returns later.  It leads nowhere behind that return, but the prefixes
 * in between may have no other witness.
 *
 * (R4) an operation that only reads and is explained takes effect at once and
 *      without alternatives.
 * (R5) one that will not return, or returns something else, does not take
 *      effect where it would change nothing.
 * Neither changes the answer: tests/agree/shrink_prefixes.c.
 */
#include "check/prefixes.h"

#include "check/choice.h"
#include "check/invariants.h"

#include "base/map128.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = CLIENT_MAX_THREADS + 1, NONE = UINT32_MAX };
enum { LOOK_EVERY = 256, ANY = 1 << 30 };

/* Of the open operation of a thread. */
enum effect { OPEN, TAKEN, TAKEN_WRONG };

/* An operation that took effect, behind what took effect before it. */
struct effect_node {
  uint32_t parent, call;
  uint32_t event; /* at which it was decided */
};

struct prefix_config {
  uint32_t event, state, node;
  uint32_t next;  /* candidate that is tried next … */
  uint32_t which; /* … and its alternative: see choose() */
  bool entered, settled;
  uint8_t effect[SLOTS];
};

struct prefix_search {
  const struct history *h;
  struct spec *s;
  struct prefixes *out;
  uint32_t nslots;
  uint32_t *open; /* by event and thread: the open operation before it */
  VEC(struct effect_node) nodes;
  VEC(struct prefix_config) path;
  struct map128 seen;
  uint32_t deepest, deepest_node;
  uint64_t look; /* calls of spec_apply until its limits are looked at */
  bool faulted;
};

/* ---- events ---- */

struct timed_event {
  uint32_t time;
  struct prefix_event event;
};

static int by_time(const void *x, const void *y) {
  const struct timed_event *a = x, *b = y;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  if (a->event.returns != b->event.returns)
    return a->event.returns ? 1 : -1;
  return a->event.call < b->event.call ? -1 : a->event.call > b->event.call;
}

static void add_serial(struct prefix_search *q, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to && hop_called(&q->h->ops[i]); i++) {
    vec_push(&q->out->events, ((struct prefix_event){i, false}));
    if (!hop_pending(&q->h->ops[i]))
      vec_push(&q->out->events, ((struct prefix_event){i, true}));
  }
}

static void list_events(struct prefix_search *q) {
  const struct client *c = q->h->client;
  VEC(struct timed_event) all = {0};
  for (uint32_t i = c->ninit; i < client_first_final(c); i++) {
    const struct hop *o = &q->h->ops[i];
    if (hop_called(o))
      vec_push(&all, ((struct timed_event){o->call, {i, false}}));
    if (!hop_pending(o))
      vec_push(&all, ((struct timed_event){o->ret, {i, true}}));
  }
  if (all.len)
    qsort(all.at, all.len, sizeof *all.at, by_time);
  vec_clear(&q->out->events);
  add_serial(q, q->s->skips_init ? c->ninit : 0, c->ninit);
  for (uint32_t i = 0; i < all.len; i++)
    vec_push(&q->out->events, all.at[i].event);
  add_serial(q, client_first_final(c), c->ncalls);
  vec_free(&all);
}

static uint32_t thread_of(const struct prefix_search *q, uint32_t call) {
  return q->h->client->calls[call].thread;
}

static void list_open(struct prefix_search *q) {
  uint32_t n = q->out->events.len;
  q->nslots = q->h->client->nthreads + 1;
  q->open = xmalloc((n + 1) * q->nslots * sizeof *q->open);
  for (uint32_t t = 0; t < q->nslots; t++)
    q->open[t] = NONE;
  for (uint32_t i = 0; i < n; i++) {
    const struct prefix_event *e = &q->out->events.at[i];
    uint32_t *now = q->open + i * q->nslots, *next = now + q->nslots;
    memcpy(next, now, q->nslots * sizeof *next);
    next[thread_of(q, e->call)] = e->returns ? NONE : e->call;
  }
}

/* ---- the search ---- */

static struct prefix_config *top(struct prefix_search *q) {
  return &vec_last(&q->path);
}

static bool is_new(struct prefix_search *q, const struct prefix_config *f) {
  struct {
    uint32_t event, state;
    uint8_t effect[SLOTS];
  } key = {f->event, f->state, {0}};
  memcpy(key.effect, f->effect, q->nslots);
  bool fresh;
  map128_put(&q->seen, hash128(&key, sizeof key, 0), &fresh);
  return fresh;
}

static enum spec_answer apply(struct prefix_search *q, uint32_t state,
                              uint32_t call, const struct value *wanted,
                              uint32_t which, struct value *result,
                              uint32_t *next) {
  q->out->applied++;
  enum spec_answer a =
      spec_choose(q->s, q->h->client, state, call, wanted, which, result, next);
  q->faulted |= a == SPEC_FAULT;
  return a;
}

/*
 * Alternative number `which` of an open operation: with the result that it
 * returns later, and when there are no more of these, those with any result,
 * from number ANY on.
 */
static enum spec_answer choose(struct prefix_search *q, uint32_t state,
                               uint32_t call, bool returning, uint32_t *which,
                               struct value *result, uint32_t *next) {
  const struct hop *o = &q->h->ops[call];
  if (!*which && hop_pending(o))
    *which = ANY;
  if (!*which && !returning &&
      order_excuses(q->h, q->s, CRITERION_LINEARIZABLE, call))
    *which = 1; /* K6: early enough when it returns */
  if (*which < ANY) {
    q->out->applied++;
    enum spec_answer a = choice(q->h, q->s, CRITERION_LINEARIZABLE, state, call,
                                *which, result, next);
    q->faulted |= a == SPEC_FAULT;
    if (a != SPEC_NONE || !q->s->choose)
      return a;
    *which = ANY;
  }
  return apply(q, state, call, NULL, *which - ANY, result, next);
}

static bool may_wait(struct prefix_search *q, uint32_t state, uint32_t call) {
  struct value result;
  uint32_t next, which = 0;
  enum spec_answer a;
  do
    a = apply(q, state, call, NULL, which++, &result, &next);
  while (a != SPEC_WAITS && a != SPEC_NONE && q->s->choose);
  return a == SPEC_WAITS;
}

/* K2: of a stuck history none of the pending has taken effect, and all wait. */
static bool may_end(struct prefix_search *q, const struct prefix_config *f) {
  const uint32_t *open = q->open + f->event * q->nslots;
  for (uint32_t t = 0; t < q->nslots && q->h->stuck; t++)
    if (open[t] != NONE &&
        (f->effect[t] != OPEN || !may_wait(q, f->state, open[t])))
      return false;
  return true;
}

/* Passes the events that decide nothing.  False: no way leads on. */
static bool pass_events(struct prefix_search *q, struct prefix_config *f) {
  for (;; f->event++) {
    if (f->event > q->deepest || !f->event) {
      q->deepest = f->event;
      q->deepest_node = f->node;
    }
    if (f->event == q->out->events.len)
      return true;
    const struct prefix_event *e = &q->out->events.at[f->event];
    uint8_t *effect = &f->effect[thread_of(q, e->call)];
    if (!e->returns)
      continue;
    if (*effect != TAKEN)
      return *effect == OPEN;
    *effect = OPEN;
  }
}

/* Lets the open operation of thread t take effect, in one of the ways that it
 * may; SPEC_NONE: there is no further way. */
static enum spec_answer take(struct prefix_search *q, uint32_t t) {
  struct prefix_config *f = top(q);
  uint32_t call = q->open[f->event * q->nslots + t], next = 0;
  uint32_t wanted = q->out->events.at[f->event].call;
  const struct hop *o = &q->h->ops[call];
  struct value result;
  enum spec_answer a =
      choose(q, f->state, call, call == wanted, &f->which, &result, &next);
  f->which++;
  if (a != SPEC_RETURNS)
    return a;
  bool right = hop_pending(o) || value_equal(result, o->result);
  if (!right && call == wanted)
    return a;
  if (next == f->state && (!right || hop_pending(o))) /* R5 */
    return a;
  if (next == f->state && q->s->only_reads &&
      q->s->only_reads(q->s, q->h->client, call)) /* R4 */
    f->settled = true;
  struct prefix_config to = *f;
  vec_push(&q->nodes, ((struct effect_node){f->node, call, f->event}));
  to.node = q->nodes.len - 1;
  to.state = next;
  to.next = to.which = 0;
  to.entered = to.settled = false;
  to.effect[t] = right ? TAKEN : TAKEN_WRONG;
  vec_push(&q->path, to);
  return a;
}

/* The candidates: first the operation that returns, then the others. */
static bool try_next(struct prefix_search *q) {
  struct prefix_config *f = top(q);
  uint32_t first = thread_of(q, q->out->events.at[f->event].call);
  uint32_t before = q->path.len;
  while (f->next < q->nslots && !f->settled) {
    uint32_t n = f->next;
    uint32_t t = n == 0 ? first : n <= first ? n - 1 : n;
    enum spec_answer a = SPEC_NONE;
    if (q->open[f->event * q->nslots + t] != NONE && f->effect[t] == OPEN)
      a = take(q, t);
    f = &q->path.at[before - 1];
    if (a == SPEC_NONE || !choice_is_several(q->s)) {
      f->next++;
      f->which = 0;
    }
    if (q->path.len > before)
      return true;
  }
  return false;
}

static bool is_over(struct prefix_search *q, uint64_t budget) {
  uint64_t applied = q->out->applied;
  if (budget && applied >= budget)
    return true;
  if (applied < q->look)
    return false;
  q->look = applied + (q->s->skips_init ? 1 : LOOK_EVERY);
  return spec_limit(q->s, map128_bytes(&q->seen));
}

static enum check_answer search(struct prefix_search *q, uint64_t budget) {
  struct prefix_config root = {.state = q->s->initial, .node = NONE};
  vec_push(&q->path, root);
  while (q->path.len) {
    struct prefix_config *f = top(q);
    if (is_over(q, budget))
      return CHECK_UNKNOWN;
    if (!f->entered) {
      f->entered = true;
      if (!pass_events(q, f) || !is_new(q, f)) {
        q->path.len--;
        continue;
      }
      if (f->event == q->out->events.len) {
        if (may_end(q, f)) {
          q->deepest_node = f->node;
          return CHECK_YES;
        }
        q->path.len--;
        continue;
      }
    }
    if (!try_next(q))
      q->path.len--;
  }
  return q->faulted ? CHECK_SPEC_FAULT : CHECK_NO;
}

/* ---- what was found ---- */

static void write_order(struct prefix_search *q) {
  struct prefixes *out = q->out;
  uint32_t n = 0;
  for (uint32_t i = q->deepest_node; i != NONE; i = q->nodes.at[i].parent)
    n++;
  vec_clear(&out->order);
  vec_clear(&out->size);
  vec_reserve(&out->order, n);
  vec_reserve(&out->size, q->deepest + 1);
  out->order.len = n;
  out->size.len = q->deepest + 1;
  uint32_t last = q->deepest + 1;
  for (uint32_t i = q->deepest_node; i != NONE; i = q->nodes.at[i].parent) {
    for (; last > q->nodes.at[i].event + 1; last--)
      out->size.at[last - 1] = n;
    out->order.at[--n] = q->nodes.at[i].call;
  }
  while (last)
    out->size.at[--last] = 0;
}

void check_prefixes(const struct history *h, struct spec *s, uint64_t budget,
                    struct prefixes *out) {
  struct prefix_search q = {.h = h, .s = s, .out = out, .deepest_node = NONE};
  out->applied = 0;
  spec_make_room(s);
  list_events(&q);
  list_open(&q);
  out->answer = search(&q, budget);
  out->end = q.deepest + 1;
  write_order(&q);
  check_slow(h->client->ncalls > CHECK_SLOW_CALLS ||
             (prefixes_check_invariants(h, s, out), true));
  free(q.open);
  vec_free(&q.nodes);
  vec_free(&q.path);
  map128_free(&q.seen);
}

void prefixes_free(struct prefixes *p) {
  vec_free(&p->events);
  vec_free(&p->order);
  vec_free(&p->size);
  *p = (struct prefixes){0};
}
