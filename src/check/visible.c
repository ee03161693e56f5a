/*
 * Happens-before (K8): one order for the calls that change something, and each
 * of the others may have missed what did not happen before it.
 *
 * An order is extended by the next change of any thread.  What the thread
 * called since its last change was calls that change nothing; these are looked
 * at when all is placed.  tests/oracle/brute.c tries all sets and orders.
 */
#include "check/visible.h"

#include "check/choice.h"
#include "check/order.h"

#include <assert.h>
#include <string.h>

enum { NOT_PLACED = UINT32_MAX };

struct changer {
  uint32_t next, end;      /* calls of the thread; the next one to look at */
  uint32_t first, changes; /* the first of all; so many are in the order */
};

struct visible_search {
  const struct history *h;
  struct spec *s;
  uint64_t budget;
  struct check *out;
  struct changer *threads;
  uint32_t nthreads;
  uint32_t *order, *states, n; /* the states: one more */
  uint32_t *at;                /* by call: its place in the order … */
  uint32_t *nth;  /* … and how many changes of its thread come before it */
  uint32_t *seen; /* by thread: how many of its changes are seen */
  const char *limit;
};

static bool is_over(struct visible_search *q) {
  if (q->budget && q->out->applied >= q->budget)
    q->limit = "the budget";
  if (!q->limit && q->out->applied % 256 == 0)
    q->limit = spec_limit(q->s, 0);
  return q->limit;
}

static bool same_state(struct spec *s, uint32_t a, uint32_t b) {
  struct hash128 (*contents)(struct spec *, uint32_t) =
      s->contents ? s->contents : s->digest;
  if (a == b || !contents)
    return a == b;
  struct hash128 x = contents(s, a), y = contents(s, b);
  return x.lo == y.lo && x.hi == y.hi;
}

/* Number `which` of what call `id` may have done there; false: there is none.
 * Else *next is the state behind it, or NOT_PLACED: it did not do that. */
static bool may_have_done(struct visible_search *q, uint32_t state, uint32_t id,
                          uint32_t which, uint32_t *next) {
  struct value result;
  const struct hop *o = &q->h->ops[id];
  q->out->applied++;
  enum spec_answer a = choice(q->h, q->s, CRITERION_HAPPENS_BEFORE, state, id,
                              which, &result, next);
  if (a != SPEC_RETURNS || (!hop_pending(o) && !value_equal(result, o->result)))
    *next = NOT_PLACED;
  return a != SPEC_NONE;
}

/* ---- calls that change nothing ---- */

static uint32_t thread_of(const struct visible_search *q, uint32_t id) {
  for (uint32_t t = 0; t < q->nthreads; t++)
    if (id < q->threads[t].end)
      return t;
  return q->nthreads;
}

/* Has call `look`, which changes nothing, seen this change?  Of threads a call
 * of a thread has seen as much as was chosen. */
static bool is_seen(const struct visible_search *q, uint32_t id,
                    uint32_t look) {
  uint32_t ninit = q->h->client->ninit,
           final = client_first_final(q->h->client);
  if (id < ninit || id >= final || look < ninit || look >= final)
    return id < look;
  return q->nth[id] < q->seen[thread_of(q, id)];
}

/* The changes that are seen, in the order, from its place i on; then the call,
 * which changes nothing. */
static bool explains(struct visible_search *q, uint32_t state, uint32_t i,
                     uint32_t id) {
  while (i < q->n && !is_seen(q, q->order[i], id))
    i++;
  uint32_t next, call = i < q->n ? q->order[i] : id;
  for (uint32_t which = 0;
       !is_over(q) && may_have_done(q, state, call, which, &next); which++) {
    if (next == NOT_PLACED)
      continue;
    if (i == q->n ? same_state(q->s, state, next)
                  : explains(q, next, i + 1, id))
      return true;
  }
  return false;
}

/* The next change of thread t behind call id, or NOT_PLACED. */
static uint32_t change_behind(const struct visible_search *q, uint32_t t,
                              uint32_t id) {
  while (++id < q->threads[t].end)
    if (q->at[id] != NOT_PLACED)
      return id;
  return NOT_PLACED;
}

/* Nothing is seen that comes, in the order, behind the thread's next change. */
static bool is_in_time(const struct visible_search *q, uint32_t t,
                       uint32_t id) {
  uint32_t next = change_behind(q, t, id);
  if (next == NOT_PLACED)
    return true;
  for (uint32_t i = q->at[next]; i < q->n; i++)
    if (is_seen(q, q->order[i], id))
      return false;
  return true;
}

/* The first call in [id, end) that changes nothing. */
static uint32_t look_behind(const struct visible_search *q, uint32_t id,
                            uint32_t end) {
  while (id < end && (q->at[id] != NOT_PLACED || hop_pending(&q->h->ops[id]) ||
                      spec_is_relaxed(q->s, q->h->client, id)))
    id++;
  return id;
}

static bool looks_are_explained(struct visible_search *q, uint32_t t,
                                uint32_t id);

/* Sees more and more of threads `of` on, before it makes the look. */
static bool sees(struct visible_search *q, uint32_t t, uint32_t id,
                 uint32_t of) {
  if (is_over(q))
    return false;
  if (of == q->nthreads)
    return is_in_time(q, t, id) && explains(q, q->states[0], 0, id) &&
           looks_are_explained(q, t, id + 1);
  if (of == t) {
    uint32_t was = q->seen[t];
    q->seen[t] = q->nth[id];
    bool ok = sees(q, t, id, of + 1);
    q->seen[t] = was;
    return ok;
  }
  uint32_t least = q->seen[of];
  bool ok = false;
  for (; q->seen[of] <= q->threads[of].changes && !ok; q->seen[of]++)
    ok = sees(q, t, id, of + 1);
  q->seen[of] = least;
  return ok;
}

/* The calls of thread t from `id` on that change nothing. */
static bool looks_are_explained(struct visible_search *q, uint32_t t,
                                uint32_t id) {
  id = look_behind(q, id, q->threads[t].end);
  return id == q->threads[t].end || sees(q, t, id, 0);
}

/* How many changes of its own thread come before each call. */
static void count_changes(struct visible_search *q) {
  for (uint32_t t = 0; t < q->nthreads; t++) {
    struct changer *c = &q->threads[t];
    c->changes = 0;
    for (uint32_t id = c->first; id < c->end; id++) {
      q->nth[id] = c->changes;
      c->changes += q->at[id] != NOT_PLACED;
    }
  }
}

/* Those of the initial or final calls, which have no choice. */
static bool fixed_are_explained(struct visible_search *q, uint32_t from,
                                uint32_t to) {
  for (uint32_t id = look_behind(q, from, to); id < to;
       id = look_behind(q, id + 1, to))
    if (!explains(q, q->states[0], 0, id))
      return false;
  return true;
}

static bool all_looks_are_explained(struct visible_search *q) {
  const struct client *c = q->h->client;
  count_changes(q);
  if (!fixed_are_explained(q, q->s->skips_init ? c->ninit : 0, c->ninit) ||
      !fixed_are_explained(q, client_first_final(c), c->ncalls))
    return false;
  for (uint32_t t = 0; t < q->nthreads; t++) {
    memset(q->seen, 0, q->nthreads * sizeof *q->seen);
    if (!looks_are_explained(q, t, q->threads[t].first))
      return false;
  }
  return true;
}

/* ---- the order ---- */

static bool may_wait(struct visible_search *q, uint32_t state, uint32_t id) {
  state_list before = {0}, waiting = {0};
  vec_push(&before, state);
  q->out->applied += states_waiting(&before, q->h, q->s, id, &waiting);
  bool may = waiting.len;
  vec_free(&before);
  vec_free(&waiting);
  return may;
}

static bool all_wait(struct visible_search *q, uint32_t state) {
  for (uint32_t i = 0; q->h->stuck && i < q->h->client->ncalls; i++)
    if (hop_called(&q->h->ops[i]) && hop_pending(&q->h->ops[i]) &&
        !(q->s->skips_init && i < q->h->client->ninit) &&
        !may_wait(q, state, i))
      return false;
  return true;
}

static bool relaxed_agree(struct visible_search *q) {
  struct relaxed_miss miss;
  return !q->s->relaxed ||
         order_is_relaxed(&(struct relaxed_order){q->h, q->s,
                                                  CRITERION_HAPPENS_BEFORE,
                                                  q->order, q->states, q->n,
                                                  &q->out->applied},
                          &miss);
}

static bool extend(struct visible_search *q, uint32_t id);

/* Puts the call behind the order, in each way in which it changes something;
 * then `then`. */
static bool put(struct visible_search *q, uint32_t id,
                bool (*then)(struct visible_search *q, uint32_t id)) {
  uint32_t state = q->states[q->n], next;
  for (uint32_t which = 0;
       !is_over(q) && may_have_done(q, state, id, which, &next); which++) {
    if (next == NOT_PLACED || same_state(q->s, state, next))
      continue;
    q->at[id] = q->n;
    q->order[q->n++] = id;
    q->states[q->n] = next;
    if (then(q, id + 1))
      return true;
    q->n--;
    q->at[id] = NOT_PLACED;
  }
  return false;
}

/* Can the call be in the order at all? */
static bool may_change(const struct visible_search *q, uint32_t id) {
  return hop_called(&q->h->ops[id]) &&
         !(q->h->stuck && hop_pending(&q->h->ops[id])) &&
         !spec_is_relaxed(q->s, q->h->client, id);
}

/* Final calls from `id` on; then the order is there. */
static bool end_with(struct visible_search *q, uint32_t id) {
  if (is_over(q))
    return false;
  if (id < q->h->client->ncalls)
    return (may_change(q, id) && put(q, id, end_with)) || end_with(q, id + 1);
  return all_wait(q, q->states[q->n]) && all_looks_are_explained(q) &&
         relaxed_agree(q);
}

/* All ways to go on: with a change of a thread, behind any number of its calls
 * that change nothing; or with the final calls. */
static bool extend(struct visible_search *q, uint32_t id) {
  (void)id;
  for (uint32_t t = 0; t < q->nthreads; t++) {
    struct changer *c = &q->threads[t];
    uint32_t was = c->next;
    for (uint32_t k = was; k < c->end; k++) {
      if (!may_change(q, k))
        continue;
      c->next = k + 1;
      bool ok = put(q, k, extend);
      c->next = was;
      if (ok)
        return true;
    }
  }
  return end_with(q, client_first_final(q->h->client));
}

static bool begin_with(struct visible_search *q, uint32_t id) {
  if (id == q->h->client->ninit)
    return extend(q, id);
  return (may_change(q, id) && put(q, id, begin_with)) || begin_with(q, id + 1);
}

static void make_threads(struct visible_search *q) {
  const struct client *c = q->h->client;
  uint32_t final = client_first_final(c);
  for (uint32_t i = c->ninit, end; i < final; i = end) {
    for (end = i + 1; end < final && c->calls[end].thread == c->calls[i].thread;
         end++)
      ;
    q->threads[q->nthreads++] =
        (struct changer){.next = i, .first = i, .end = end};
  }
}

enum check_answer check_visible(const struct history *h, struct spec *s,
                                uint64_t budget, struct check *out) {
  uint32_t n = h->client->ncalls;
  struct visible_search q = {.h = h, .s = s, .budget = budget, .out = out};
  q.threads = xcalloc(n + 1, sizeof *q.threads);
  q.order = xcalloc(5 * ((size_t)n + 1), sizeof *q.order);
  q.states = q.order + n + 1;
  q.at = q.states + n + 1;
  q.nth = q.at + n + 1;
  q.seen = q.nth + n + 1;
  memset(q.at, 0xff, (n + 1) * sizeof *q.at); /* NOT_PLACED */
  q.states[0] = s->initial;
  make_threads(&q);
  bool found = begin_with(&q, s->skips_init ? h->client->ninit : 0);
  if (found) {
    vec_clear(&out->order);
    for (uint32_t i = 0; i < q.n; i++)
      vec_push(&out->order, q.order[i]);
  }
  out->limit = found ? NULL : q.limit;
  free(q.threads);
  free(q.order);
  return found ? CHECK_YES : q.limit ? CHECK_UNKNOWN : CHECK_NO;
}
