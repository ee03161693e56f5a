/*
 * All sequences of classes: of the calls that are left, each set that could
 * come next and whose results explain each other.  Nothing clever.
 */
#include "oracle/together.h"

#include "check/order.h"

struct classes {
  const struct history *h;
  enum criterion criterion;
  const struct together *t;
  uint32_t used;
};

static bool has(uint32_t set, uint32_t i) { return set >> i & 1; }

static bool is_left(const struct classes *k, uint32_t i) {
  const struct hop *o = &k->h->ops[i];
  return !has(k->used, i) && hop_called(o) && !(k->h->stuck && hop_pending(o));
}

/* Nothing that is left has to come before one of them. */
static bool is_next(const struct classes *k, uint32_t set) {
  for (uint32_t i = 0; i < k->h->client->ncalls; i++)
    for (uint32_t j = 0; j < k->h->client->ncalls; j++)
      if (has(set, i) &&
          (!is_left(k, i) ||
           (is_left(k, j) && order_precedes(k->h, k->criterion, j, i))))
        return false;
  return true;
}

/* Calls of different threads, and none of the initial and final ones? */
static bool may_meet(const struct client *c, uint32_t set) {
  uint64_t threads = 1;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    if (!has(set, i))
      continue;
    if (threads >> c->calls[i].thread & 1)
      return false;
    threads |= 1ull << c->calls[i].thread;
  }
  return true;
}

/* What the call returned, or `otherwise` if it has not. */
static uint64_t got(const struct classes *k, uint32_t i, uint64_t otherwise) {
  const struct hop *o = &k->h->ops[i];
  return hop_pending(o) ? otherwise : o->result.bits;
}

static uint64_t brings(const struct classes *k, uint32_t i) {
  return (uint64_t)k->h->client->calls[i].args[0];
}

static bool explains_two(const struct classes *k, uint32_t a, uint32_t b) {
  const struct call *calls = k->h->client->calls;
  if (k->t->type == TOGETHER_EXCHANGER)
    return got(k, a, brings(k, b)) == brings(k, b) &&
           got(k, b, brings(k, a)) == brings(k, a);
  uint32_t put = calls[a].op ? b : a, take = calls[a].op ? a : b;
  return calls[a].op != calls[b].op && got(k, put, 1) == 1 &&
         got(k, take, brings(k, put)) == brings(k, put);
}

static bool explains_barrier(const struct classes *k, uint32_t set) {
  uint32_t n = 0, leaders = 0, others = 0;
  for (uint32_t i = 0; i < k->h->client->ncalls; i++)
    if (has(set, i)) {
      n++;
      leaders += !hop_pending(&k->h->ops[i]) && k->h->ops[i].result.bits;
      others += !hop_pending(&k->h->ops[i]) && !k->h->ops[i].result.bits;
    }
  return n == k->t->parties &&
         (k->t->leader ? leaders <= 1 && others < n : !leaders);
}

/* Are these the results of calls that take effect together? */
static bool explains(const struct classes *k, uint32_t set) {
  uint32_t n = (uint32_t)__builtin_popcount(set);
  uint32_t a = (uint32_t)__builtin_ctz(set);
  if (n > 1 || (k->t->type == TOGETHER_BARRIER && k->t->parties > 1))
    if (!may_meet(k->h->client, set))
      return false;
  if (k->t->type == TOGETHER_BARRIER)
    return explains_barrier(k, set);
  if (n == 1)
    return !k->t->waits && !got(k, a, 0);
  return n == 2 && explains_two(k, a, (uint32_t)__builtin_ctz(set & (set - 1)));
}

/* Nobody who is still inside could have gone on. */
static bool all_wait(struct classes *k) {
  const struct history *h = k->h;
  uint32_t inside = 0;
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    if (hop_called(&h->ops[i]) && hop_pending(&h->ops[i]))
      inside |= 1u << i;
  bool alone =
      k->t->type == TOGETHER_BARRIER ? k->t->parties == 1 : !k->t->waits;
  if (inside && alone)
    return false;
  for (uint32_t set = inside; set; set = (set - 1) & inside)
    if ((set & (set - 1)) && explains(k, set))
      return false;
  return true;
}

static bool extend(struct classes *k) {
  const struct history *h = k->h;
  uint32_t n = h->client->ncalls;
  bool complete = true;
  for (uint32_t i = 0; i < n; i++)
    complete &= !is_left(k, i) || hop_pending(&h->ops[i]);
  if (complete && (!h->stuck || all_wait(k)))
    return true;
  for (uint32_t set = 1; set < 1u << n; set++) {
    if ((set & k->used) || !is_next(k, set) || !explains(k, set))
      continue;
    k->used |= set;
    bool found = extend(k);
    k->used &= ~set;
    if (found)
      return true;
  }
  return false;
}

bool check_together(const struct history *h, enum criterion criterion,
                    const struct together *t) {
  struct classes k = {.h = h, .criterion = criterion, .t = t};
  return extend(&k);
}
