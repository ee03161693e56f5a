/*
 * Zhang, Wu, Zhang, Localization of Linearizability Faults on the
 * Coarse-grained Level; we keep their names.
 *
 * Differs: the walks of lines 4 and 11 leap.  An execution with a longer serial
 * start is one of the client with a shorter start, too, and an execution with
 * fewer concurrent calls one of the client with more; so whether a client can
 * fail is monotone on both walks, and doubling followed by halving finds what
 * the walk finds, with a logarithm of its checks.
 *
 * H tries, for each call `a` from the last to the first, the two clients in
 * which a call stands alone: a beside all that overlaps it, and the first call
 * b that began during a beside all that overlaps b.  Of what overlaps, a few
 * are then tried alone, fewest first (as lines 11 to 17 do).
 */
#include "shrink/coarse.h"

#include <stdlib.h>
#include <string.h>

/* Where a call goes. */
enum part { PART_NONE, PART_S, PART_C, PART_R };

struct coarse_work {
  struct coarse *c;
  const struct past *p;
  uint8_t *part; /* by id */
};

void candidate_free(struct candidate *c) {
  client_free(&c->client);
  vec_free(&c->from);
}

static void add_part(const struct coarse_work *w, enum part part,
                     struct candidate *out) {
  const struct call *calls = w->p->history->client->calls;
  for (uint32_t i = 0; i < w->p->order.len; i++) {
    uint32_t id = w->p->order.at[i];
    if (w->part[id] != part)
      continue;
    if (part == PART_S)
      client_add_init(&out->client, calls[id]);
    else
      client_add_final(&out->client, calls[id]);
    vec_push(&out->from, id);
  }
}

static void add_threads(const struct coarse_work *w, struct candidate *out) {
  const struct client *c = w->p->history->client;
  uint32_t last = 0;
  for (uint32_t id = c->ninit; id < client_first_final(c); id++) {
    if (w->part[id] != PART_C)
      continue;
    uint32_t t = c->calls[id].thread;
    client_add(&out->client, out->client.nthreads + (t != last), c->calls[id]);
    vec_push(&out->from, id);
    last = t;
  }
}

static void build(const struct coarse_work *w, struct candidate *out) {
  *out = (struct candidate){0};
  add_part(w, PART_S, out);
  add_threads(w, out);
  add_part(w, PART_R, out);
}

static bool goes_on(const struct coarse_work *w) {
  return !w->c->goes_on || w->c->goes_on(w->c->ctx);
}

/* CHECK of the client that `part` describes; one that fails is kept. */
static bool fails(struct coarse_work *w, bool probe) {
  struct candidate now;
  build(w, &now);
  if (probe && w->c->probe)
    w->c->probe(w->c->ctx, &now.client);
  bool bad = false;
  if (now.client.nthreads > 1) {
    w->c->checks++;
    bad = w->c->fails(w->c->ctx, &now);
  }
  if (bad) {
    candidate_free(&w->c->found);
    w->c->found = now;
  } else {
    candidate_free(&now);
  }
  return bad;
}

static bool is_final(const struct coarse_work *w, uint32_t id) {
  return id >= client_first_final(w->p->history->client);
}

/* ---- Algorithm 1 ---- */

/* Ps is the witness of that size; all that is left is concurrent. */
static void start_with(struct coarse_work *w, uint32_t size) {
  for (uint32_t i = 0; i < w->p->order.len; i++) {
    uint32_t id = w->p->order.at[i];
    w->part[id] = i < size ? PART_S : is_final(w, id) ? PART_R : PART_C;
  }
}

/* Lines 4 to 10: the start from the `back`-th witness, counted from the
 * longest. */
static bool fails_from(struct coarse_work *w, uint32_t back) {
  start_with(w, w->p->sizes.at[w->p->sizes.len - 1 - back]);
  return fails(w, false);
}

/* Lines 11 to 17: the first j calls of Pc stay, the others follow as Pr. */
static bool fails_with(struct coarse_work *w, uint32_t j, uint32_t size) {
  uint32_t n = 0;
  start_with(w, size);
  for (uint32_t i = 0; i < w->p->calls.len; i++) {
    uint32_t id = w->p->calls.at[i];
    if (w->part[id] == PART_C && ++n > j)
      w->part[id] = PART_R;
  }
  return fails(w, false);
}

/*
 * The smallest number from `first` to `last` for which `test` holds, if it
 * holds for all that are larger than one for which it does; else some such
 * number whose predecessor that was tried fails.  False: none was found.
 */
struct coarse_walk {
  struct coarse_work *w;
  bool (*test)(struct coarse_work *w, uint32_t n, uint32_t arg);
  uint32_t arg, first, last;
  uint32_t at; /* out */
};

static bool walk_linear(struct coarse_walk *k) {
  for (uint32_t n = k->first; n <= k->last && goes_on(k->w); n++)
    if (k->test(k->w, n, k->arg)) {
      k->at = n;
      return true;
    }
  return false;
}

static bool walk_leaps(struct coarse_walk *k) {
  uint32_t no = k->first - 1, step = 1, yes = 0;
  bool found = false;
  for (uint32_t n = k->first; goes_on(k->w); n = no + step, step *= 2) {
    if (n > k->last)
      n = k->last;
    if (k->test(k->w, n, k->arg)) {
      yes = n;
      found = true;
      break;
    }
    no = n;
    if (n == k->last)
      break;
  }
  while (found && yes - no > 1 && goes_on(k->w)) {
    uint32_t middle = no + (yes - no) / 2;
    *(k->test(k->w, middle, k->arg) ? &yes : &no) = middle;
  }
  k->at = yes;
  return found;
}

static bool walk(struct coarse_walk *k) {
  if (k->first > k->last)
    return false;
  return k->w->c->linear ? walk_linear(k) : walk_leaps(k);
}

static bool from_back(struct coarse_work *w, uint32_t back, uint32_t arg) {
  (void)arg;
  return fails_from(w, back - 1);
}

static bool localize(struct coarse_work *w) {
  struct coarse_walk start = {w, from_back, 0, 1, w->p->sizes.len};
  if (!walk(&start))
    return false;
  uint32_t size = w->p->sizes.at[w->p->sizes.len - start.at], n = 0;
  start_with(w, size);
  for (uint32_t i = 0; i < w->p->calls.len; i++)
    n += w->part[w->p->calls.at[i]] == PART_C;
  struct coarse_walk most = {w, fails_with, size, 2, n - 1};
  walk(&most); /* if none fails, that of the first walk is it */
  return true;
}

/* ---- H ---- */

static bool overlap(const struct coarse_work *w, uint32_t a, uint32_t b) {
  const struct hop *ops = w->p->history->ops;
  const struct call *calls = w->p->history->client->calls;
  return calls[a].thread != calls[b].thread && !hop_before(&ops[a], &ops[b]) &&
         !hop_before(&ops[b], &ops[a]);
}

static uint32_t rest_length(const struct coarse_work *w) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->p->order.len; i++)
    n += w->part[w->p->order.at[i]] == PART_R;
  return n;
}

/* A rest that is too long: of it the failing call alone. */
static void forget_rest(struct coarse_work *w) {
  for (uint32_t i = 0; i < w->p->order.len; i++) {
    uint32_t id = w->p->order.at[i];
    if (w->part[id] == PART_R && id != w->p->failing)
      w->part[id] = PART_NONE;
  }
}

/* Which client H tries. */
struct coarse_choice {
  uint32_t one;    /* the call that stands alone, … */
  uint32_t first;  /* … number of the first call that is not serial, … */
  uint32_t skip;   /* … how many that overlap are serial as well, … */
  uint32_t beside; /* … how many behind them are concurrent, at most … */
  bool whole_rest; /* … and whether all that comes later follows */
};

/* A thread's calls that come before its concurrent ones are serial. */
static bool fails_alone(struct coarse_work *w, struct coarse_choice k) {
  const struct past *p = w->p;
  const struct call *calls = p->history->client->calls;
  bool begun[CLIENT_MAX_THREADS + 1] = {false};
  uint32_t one = k.one, skip = 0, beside = 0;
  for (uint32_t i = 0; i < p->order.len; i++) {
    uint32_t id = p->order.at[i];
    w->part[id] = calls[id].thread || is_final(w, id) ? PART_R : PART_S;
  }
  for (uint32_t i = 0; i < k.first; i++)
    w->part[p->calls.at[i]] = PART_S;
  for (uint32_t i = k.first; i < p->calls.len; i++) {
    uint32_t id = p->calls.at[i], t = calls[id].thread;
    bool in = id == one;
    if (!in && overlap(w, one, id) && skip < k.skip) {
      w->part[id] = PART_S;
      skip++;
      continue;
    }
    in |= overlap(w, one, id) && beside++ < k.beside;
    if (in)
      w->part[id] = PART_C;
    else if (!begun[t] && p->history->ops[id].call < p->history->ops[one].call)
      w->part[id] = PART_S;
    begun[t] |= in;
  }
  if (!k.whole_rest)
    forget_rest(w);
  else if (rest_length(w) > w->c->max_rest)
    return false;
  return fails(w, !k.whole_rest);
}

/* The client, and when it fails the smallest with fewer calls beside. */
static bool try_choice(struct coarse_work *w, uint32_t one, uint32_t first,
                       bool whole_rest) {
  struct coarse_choice k = {one, first, 0, UINT32_MAX, whole_rest};
  if (!fails_alone(w, k))
    return false;
  const struct client *c = &w->c->found.client;
  uint32_t most = client_first_final(c) - c->ninit - 1;
  for (k.beside = 1; k.beside < most; k.beside++)
    for (k.skip = 0; k.skip + k.beside <= most && goes_on(w); k.skip++)
      if (fails_alone(w, k))
        return true;
  return true;
}

static uint32_t first_inside(const struct coarse_work *w, uint32_t at) {
  const uint32_t *calls = w->p->calls.at;
  for (uint32_t i = at + 1; i < w->p->calls.len; i++)
    if (overlap(w, calls[at], calls[i]))
      return i;
  return at;
}

static bool alone(struct coarse_work *w, bool whole_rest) {
  for (uint32_t i = w->p->calls.len; i-- && goes_on(w);) {
    uint32_t inside = first_inside(w, i);
    if (inside == i)
      continue;
    if (try_choice(w, w->p->calls.at[i], i, whole_rest) ||
        try_choice(w, w->p->calls.at[inside], i, whole_rest))
      return true;
  }
  return false;
}

/* ---- */

bool coarse_localize(struct coarse *c) {
  struct coarse_work w = {.c = c, .p = c->past};
  w.part = xcalloc(c->past->history->client->ncalls + 1, 1);
  bool h = c->version == COARSE_H || c->version == COARSE_BEST;
  bool found = h && (alone(&w, false) || alone(&w, true));
  if (!found && c->version != COARSE_H)
    found = localize(&w);
  free(w.part);
  return found;
}
