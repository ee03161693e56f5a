/* Histories: their invariants and the digest under which verdicts are cached.
 */
#include "model/history.h"

#include "base/err.h"

#include <assert.h>
#include <stdlib.h>

void history_check_invariants(const struct history *h) {
  const struct client *c = h->client;
  uint32_t last[CLIENT_MAX_THREADS + 1];
  for (uint32_t t = 0; t <= CLIENT_MAX_THREADS; t++)
    last[t] = UINT32_MAX;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    const struct hop *o = &h->ops[i];
    assert(hop_called(o) || hop_pending(o));     /* H2 */
    assert(hop_pending(o) || o->call <= o->ret); /* H2 */
    uint32_t *before = &last[c->calls[i].thread];
    if (*before != UINT32_MAX && hop_called(o))
      assert(hop_before(&h->ops[*before], o)); /* H3 */
    *before = i;
  }
}

/*
 * The digest is taken of one record for each call: whether it was called and
 * returned, its result, and the set of calls that returned before it was
 * called.  That set is all that linearizability sees of the times.
 */
struct digest_record {
  uint64_t state; /* bit 0: called, bit 1: returned, bit 2: history is stuck */
  uint64_t kind, bits;
  uint64_t before[]; /* one bit a call */
};

static void fill_before(uint64_t *before, const struct history *h,
                        const struct hop *o, uint32_t n) {
  for (uint32_t base = 0; base < n; base += 64) {
    uint32_t end = n - base < 64 ? n - base : 64;
    uint64_t set = 0;
    for (uint32_t j = 0; j < end; j++)
      set |= (uint64_t)history_before(h, base + j, (uint32_t)(o - h->ops)) << j;
    before[base / 64] = set;
  }
}

/*
 * Of a long history the sets are too large to be written down for each call.
 * In their place is the sum of a hash of each member, which grows on the way
 * through the returns in order of time.
 */
enum { LONG = 128 };

struct timed_id {
  uint32_t time, id;
};

static int by_time(const void *x, const void *y) {
  const struct timed_id *a = x, *b = y;
  return a->time < b->time ? -1 : a->time > b->time;
}

struct long_record {
  uint64_t state, kind, bits;
  struct hash128 before;
};

static void add_member(struct hash128 *set, uint32_t id) {
  struct hash128 one = hash128(&id, sizeof id, 1);
  set->lo += one.lo;
  set->hi += one.hi;
}

static void sum_before(const struct history *h, struct long_record *all,
                       uint32_t n) {
  struct timed_id *calls = xmalloc(2 * n * sizeof *calls), *returns = calls + n;
  struct hash128 set = {0, 0};
  for (uint32_t i = 0; i < n; i++) {
    calls[i] = (struct timed_id){h->ops[i].call, i};
    returns[i] = (struct timed_id){h->ops[i].ret, i};
  }
  qsort(calls, n, sizeof *calls, by_time);
  qsort(returns, n, sizeof *returns, by_time);
  for (uint32_t i = 0, r = 0; i < n; i++) {
    const struct hop *o = &h->ops[calls[i].id];
    if (!hop_called(o))
      continue;
    for (; r < n && hop_before(&h->ops[returns[r].id], o); r++)
      add_member(&set, returns[r].id);
    all[calls[i].id].before = set;
  }
  free(calls);
}

static struct hash128 long_digest(const struct history *h, uint32_t n) {
  struct long_record *all = xcalloc(n, sizeof *all);
  for (uint32_t i = 0; i < n; i++) {
    const struct hop *o = &h->ops[i];
    bool called = hop_called(o), returned = !hop_pending(o);
    all[i].state =
        (uint64_t)called | (uint64_t)returned << 1 | (uint64_t)h->stuck << 2;
    all[i].kind = returned ? o->result.kind : 0;
    all[i].bits = returned ? o->result.bits : 0;
  }
  sum_before(h, all, n);
  struct hash128 digest = hash128(all, n * sizeof *all, 0);
  free(all);
  return digest;
}

struct hash128 history_digest(const struct history *h) {
  uint32_t n = h->client->ncalls;
  if (n > LONG)
    return long_digest(h, n);
  size_t words = (n + 63) / 64;
  size_t stride = sizeof(struct digest_record) / 8 + words;
  /* Executions come by the million and are short: no allocation for those. */
  uint64_t small[256];
  uint64_t *all = n * stride <= 256 ? small : xmalloc(n * stride * 8);
  for (uint32_t i = 0; i < n; i++) {
    const struct hop *o = &h->ops[i];
    struct digest_record *r = (struct digest_record *)(all + i * stride);
    bool called = hop_called(o), returned = !hop_pending(o);
    r->state =
        (uint64_t)called | (uint64_t)returned << 1 | (uint64_t)h->stuck << 2;
    r->kind = returned ? o->result.kind : 0;
    r->bits = returned ? o->result.bits : 0;
    if (called)
      fill_before(r->before, h, o, n);
    else
      for (size_t w = 0; w < words; w++)
        r->before[w] = 0;
  }
  struct hash128 digest = hash128(all, n * stride * 8, 0);
  if (all != small)
    free(all);
  return digest;
}
