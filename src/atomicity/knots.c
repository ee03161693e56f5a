/*
 * Knots: two searches, forwards and back (Kosaraju), over intervals of lists.
 * base/scc.h would need the edges one by one, of which there are too many.
 */
#include "atomicity/knots.h"

#include <string.h>

#define NOTHING UINT32_MAX
enum knot_role { AS_A, AS_B };

/* Lists of events, one a bucket or one a chain, one behind the other, each with
 * a place at its end that is no event. */
struct knot_lists {
  uint32_t *first; /* of list i; of the one behind the last */
  uint32_t *event; /* by place */
  uint32_t *place; /* by event */
  uint32_t *next;  /* by place: towards the next that was not visited */
  uint32_t total;
};

struct knot_frame {
  uint32_t event, list;
  enum knot_role role;
};

struct knot_search {
  const struct chains *c;
  struct knot_lists buckets, chains;
  bool back;           /* against the edges: second pass */
  VEC(uint32_t) ended; /* nodes of the first pass, 2 * event + role */
  uint32_t *knot;      /* by node, in the second pass */
  VEC(struct knot_frame) stack;
};

/* ---- lists ---- */

static uint32_t list_of(const struct chains *c, bool chains, uint32_t bucket) {
  return chains ? c->buckets.at[bucket].chain : bucket;
}

static void lists_init(struct knot_lists *l, const struct chains *c,
                       bool chains) {
  uint32_t n = chains ? c->nchains : c->buckets.len;
  l->first = xcalloc((size_t)n + 2, sizeof *l->first);
  l->place = xmalloc(((size_t)c->n + 1) * sizeof *l->place);
  memset(l->place, 0xff, ((size_t)c->n + 1) * sizeof *l->place);
  for (uint32_t k = 0; k < c->buckets.len; k++)
    l->first[list_of(c, chains, k) + 1] += c->buckets.at[k].events.len;
  for (uint32_t i = 0; i < n; i++)
    l->first[i + 1] += l->first[i] + 1;
  l->total = l->first[n];
  l->event = xmalloc(((size_t)l->total + 1) * sizeof *l->event);
  memset(l->event, 0xff, ((size_t)l->total + 1) * sizeof *l->event);
  l->next = xmalloc(((size_t)l->total + 1) * sizeof *l->next);
  uint32_t *at = xmalloc(((size_t)n + 1) * sizeof *at);
  memcpy(at, l->first, n * sizeof *at);
  /* In the order of the trace, which is that of chains. */
  uint32_t *bucket = xmalloc(((size_t)c->n + 1) * sizeof *bucket);
  memset(bucket, 0xff, ((size_t)c->n + 1) * sizeof *bucket);
  for (uint32_t k = 0; k < c->buckets.len; k++)
    for (uint32_t i = 0; i < c->buckets.at[k].events.len; i++)
      bucket[c->buckets.at[k].events.at[i]] = k;
  for (uint32_t e = 0; e < c->n; e++)
    if (bucket[e] != NOTHING) {
      l->place[e] = at[list_of(c, chains, bucket[e])]++;
      l->event[l->place[e]] = e;
    }
  free(at);
  free(bucket);
}

static void lists_free(struct knot_lists *l) {
  free(l->first);
  free(l->event);
  free(l->place);
  free(l->next);
}

static void lists_begin(struct knot_lists *l) {
  for (uint32_t i = 0; i <= l->total; i++)
    l->next[i] = i;
}

static uint32_t not_visited(struct knot_lists *l, uint32_t place) {
  while (l->next[place] != place) {
    l->next[place] = l->next[l->next[place]];
    place = l->next[place];
  }
  return place;
}

/* ---- intervals ---- */

/* Of list i, the first place whose event is at or behind index of the chain. */
static uint32_t chain_from(const struct knot_search *s, uint32_t i,
                           uint32_t index) {
  const struct knot_lists *l = &s->chains;
  uint32_t from = l->first[i], to = l->first[i + 1] - 1;
  while (from < to) {
    uint32_t mid = from + (to - from) / 2;
    if (s->c->index[l->event[mid]] < index)
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}

/* Of list l, the first place between the two whose event does not lead to b. */
static uint32_t not_leading(const struct chains *c, const struct knot_lists *l,
                            uint32_t from, uint32_t to, uint32_t b) {
  while (from < to) {
    uint32_t mid = from + (to - from) / 2;
    if (txn_before(c, l->event[mid], b))
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}

/* Places of the neighbours of a node in the list that its frame is at. */
static void interval(const struct knot_search *s, const struct knot_frame *f,
                     uint32_t *from, uint32_t *to) {
  const struct chains *c = s->c;
  uint32_t i = f->list, e = f->event;
  if (f->role == AS_A && !s->back) { /* the b that it leads to */
    uint32_t index = c->txn_row[(size_t)c->e[e].txn * c->nchains + i];
    *to = s->chains.first[i + 1] - 1;
    *from = index == NOTHING ? *to : chain_from(s, i, index);
    return;
  }
  if (f->role == AS_B && s->back) { /* the a that lead to it */
    *from = s->chains.first[i];
    *to = not_leading(c, &s->chains, *from, s->chains.first[i + 1] - 1, e);
    return;
  }
  uint32_t bucket = c->on[c->e[e].object].buckets.at[i];
  const struct chain_bucket *k = &c->buckets.at[bucket];
  uint32_t base = s->buckets.first[bucket];
  event_chains_window(c, e, k, from, to);
  *from += base;
  *to += base;
  if (f->role == AS_B) { /* a that do not lead to it */
    *from = not_leading(c, &s->buckets, *from, *to, e);
  } else if (*from < *to) { /* b that it does not lead to */
    uint32_t index = c->txn_row[(size_t)c->e[e].txn * c->nchains + k->chain];
    uint32_t led = index == NOTHING ? *to : base + bucket_from(c, k, index);
    *to = led < *to ? led : *to;
  }
}

static bool through_chains(const struct knot_search *s, enum knot_role role) {
  return (role == AS_A) != s->back;
}

static uint32_t nlists(const struct knot_search *s,
                       const struct knot_frame *f) {
  return through_chains(s, f->role)
             ? s->c->nchains
             : s->c->on[s->c->e[f->event].object].buckets.len;
}

/* ---- the two passes ---- */

/* The lists in which those are that a node of this role has edges to. */
static struct knot_lists *targets(struct knot_search *s, enum knot_role role) {
  return through_chains(s, role) ? &s->chains : &s->buckets;
}

/* Visits what is reached from the node; knot: its number, of the second pass.
 */
static void visit(struct knot_search *s, uint32_t event, enum knot_role role,
                  uint32_t knot) {
  /* A node is in the lists of those that have edges to it, of the other role.
   */
  struct knot_lists *own = targets(s, !role);
  own->next[own->place[event]] = own->place[event] + 1;
  vec_push(&s->stack, ((struct knot_frame){event, 0, role}));
  while (s->stack.len) {
    struct knot_frame *f = &vec_last(&s->stack);
    if (f->list == nlists(s, f)) {
      if (s->back)
        s->knot[2 * (size_t)f->event + f->role] = knot;
      else
        vec_push(&s->ended, 2 * f->event + f->role);
      s->stack.len--;
      continue;
    }
    uint32_t from, to;
    struct knot_lists *l = targets(s, f->role);
    interval(s, f, &from, &to);
    uint32_t place = from < to ? not_visited(l, from) : to;
    if (place >= to) {
      f->list++;
      continue;
    }
    l->next[place] = place + 1;
    struct knot_frame next = {l->event[place], 0, !f->role}; /* f may move */
    vec_push(&s->stack, next);
  }
}

static bool visited(struct knot_search *s, uint32_t event,
                    enum knot_role role) {
  struct knot_lists *own = targets(s, !role);
  return own->next[own->place[event]] != own->place[event];
}

static uint32_t find_parts(struct knot_search *s) {
  const struct chains *c = s->c;
  uint32_t n = 0;
  lists_begin(&s->buckets);
  lists_begin(&s->chains);
  for (uint32_t e = 0; e < c->n; e++)
    for (enum knot_role r = AS_A; s->chains.place[e] != NOTHING && r <= AS_B;
         r++)
      if (!visited(s, e, r))
        visit(s, e, r, 0);
  s->back = true;
  lists_begin(&s->buckets);
  lists_begin(&s->chains);
  for (uint32_t i = s->ended.len; i-- > 0;) {
    uint32_t e = s->ended.at[i] / 2;
    enum knot_role r = s->ended.at[i] % 2 ? AS_B : AS_A;
    if (!visited(s, e, r))
      visit(s, e, r, n++);
  }
  return n;
}

/* ---- those to keep ---- */

/* The b of each part, sorted by chain and index: at[first[p] .. first[p + 1]).
 */
struct by_part {
  uint32_t *first, *at;
};

static struct by_part sort_b(const struct knot_search *s, uint32_t nparts) {
  const struct knot_lists *l = &s->chains;
  struct by_part b = {xcalloc((size_t)nparts + 2, sizeof *b.first),
                      xmalloc(((size_t)l->total + 1) * sizeof *b.at)};
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t i = 0; i < l->total; i++) {
      if (l->event[i] == NOTHING)
        continue;
      uint32_t p = s->knot[2 * (size_t)l->event[i] + AS_B];
      if (fill)
        b.at[b.first[p + 1]++] = l->event[i];
      else
        b.first[p + 2]++;
    }
    for (uint32_t p = 0; !fill && p < nparts; p++)
      b.first[p + 2] += b.first[p + 1];
  }
  return b;
}

/* Whether some b of the part is led to by e otherwise than as an event. */
static bool special(const struct chains *c, const struct by_part *b,
                    uint32_t part, uint32_t e) {
  const uint32_t *txn = c->txn_row + (size_t)c->e[e].txn * c->nchains;
  const uint32_t *event = c->event_row + (size_t)e * c->nchains;
  for (uint32_t k = 0; k < c->nchains; k++) {
    if (txn[k] >= event[k])
      continue;
    uint32_t from = b->first[part], to = b->first[part + 1], end = to;
    while (from < to) {
      uint32_t mid = from + (to - from) / 2, at = b->at[mid];
      if (c->chain[at] < k || (c->chain[at] == k && c->index[at] < txn[k]))
        from = mid + 1;
      else
        to = mid;
    }
    if (from < end && c->chain[b->at[from]] == k &&
        c->index[b->at[from]] < event[k])
      return true;
  }
  return false;
}

static void keep(const struct knot_search *s, const bool *wanted,
                 uint32_t nparts, struct knots *k) {
  uint32_t *count = xcalloc((size_t)nparts + 2, sizeof *count), n = 0;
  for (uint32_t p = 0; p <= nparts; p++)
    count[p] = NOTHING;
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t e = 0; e < s->c->n; e++) {
      if (s->chains.place[e] == NOTHING)
        continue;
      uint32_t a = s->knot[2 * (size_t)e + AS_A];
      uint32_t b = s->knot[2 * (size_t)e + AS_B];
      for (int i = 0; i < (a == b ? 1 : 2); i++) {
        uint32_t p = i ? b : a;
        if (!wanted[p])
          continue;
        if (count[p] == NOTHING) {
          count[p] = k->first.len;
          vec_push(&k->first, 0);
        }
        if (fill)
          k->events.at[k->first.at[count[p]]++] = e;
        else
          k->first.at[count[p]]++, n++;
      }
    }
    if (fill)
      break;
    vec_reserve(&k->events, n + 1);
    k->events.len = n;
    uint32_t sum = 0; /* from lengths to beginnings */
    for (uint32_t i = 0; i < k->first.len; i++) {
      uint32_t len = k->first.at[i];
      k->first.at[i] = sum;
      sum += len;
    }
  }
  /* Filling moved each to the beginning of the next. */
  vec_push(&k->first, 0);
  for (uint32_t i = k->first.len - 1; i > 0; i--)
    k->first.at[i] = k->first.at[i - 1];
  k->first.at[0] = 0;
  free(count);
}

void knots_find(const struct chains *c, struct knots *k) {
  struct knot_search s = {.c = c};
  *k = (struct knots){0};
  lists_init(&s.buckets, c, false);
  lists_init(&s.chains, c, true);
  s.knot = xmalloc((2 * (size_t)c->n + 2) * sizeof *s.knot);
  uint32_t nparts = find_parts(&s);
  struct by_part b = sort_b(&s, nparts);
  bool *wanted = xcalloc((size_t)nparts + 1, sizeof *wanted);
  for (uint32_t e = 0; e < c->n; e++) {
    if (s.chains.place[e] == NOTHING)
      continue;
    uint32_t p = s.knot[2 * (size_t)e + AS_A];
    if (!wanted[p])
      wanted[p] = special(c, &b, p, e);
  }
  keep(&s, wanted, nparts, k);
  free(wanted);
  free(b.first);
  free(b.at);
  free(s.knot);
  vec_free(&s.ended);
  vec_free(&s.stack);
  lists_free(&s.buckets);
  lists_free(&s.chains);
}

void knots_free(struct knots *k) {
  vec_free(&k->events);
  vec_free(&k->first);
}
