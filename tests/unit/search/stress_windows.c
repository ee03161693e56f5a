/* Windows of histories: which calls they begin with, and their clients. */
#include "search/stress_windows.h"
#include "base/rng.h"
#include "test.h"

#include <assert.h>

enum { ROUNDS = 2000, MOST_THREADS = 4, MOST_CALLS = 5, MOST = 32 };

struct made {
  struct client client;
  struct hop ops[MOST];
  struct history history;
  uint32_t order[MOST];
  struct hint hint;
};

static void add_op(struct made *m, uint32_t *time, struct rng *r, bool last) {
  struct hop *o = &m->ops[m->client.ncalls - 1];
  o->call = *time += 1 + (uint32_t)rng_below(r, 3);
  o->ret = o->call + (uint32_t)rng_below(r, 4);
  *time = o->ret;
  if (last && !rng_below(r, 4))
    o->ret = HISTORY_PENDING;
}

/* Arguments tell the calls apart: each has its id. */
static struct call numbered(const struct made *m) {
  return (struct call){.nargs = 1, .args = {m->client.ncalls}};
}

/* What had returned before the end, as it returned (an order that keeps that
 * of each thread). */
static void find_order(struct made *m) {
  struct hint *h = &m->hint;
  for (uint32_t time = 0; time < h->end; time++)
    for (uint32_t i = 0; i < client_first_final(&m->client); i++)
      if (m->ops[i].ret == time)
        m->order[h->len++] = i;
  h->order = m->order;
}

static void make(struct made *m, struct rng *r) {
  *m = (struct made){0};
  uint32_t begin = 0, last = 0;
  for (uint64_t n = rng_below(r, 3); n--;) {
    client_add_init(&m->client, numbered(m));
    add_op(m, &begin, r, false);
  }
  uint32_t nthreads = 1 + (uint32_t)rng_below(r, MOST_THREADS);
  for (uint32_t t = 1; t <= nthreads; t++) {
    uint32_t time = begin;
    for (uint64_t n = 1 + rng_below(r, MOST_CALLS); n--;) {
      client_add(&m->client, t, numbered(m));
      add_op(m, &time, r, n == 0);
    }
    last = time > last ? time : last;
  }
  if (rng_below(r, 2)) {
    client_add_final(&m->client, numbered(m));
    add_op(m, &last, r, false);
  }
  m->history = (struct history){.client = &m->client, .ops = m->ops};
  history_check_invariants(&m->history);
  m->hint.history = &m->history;
  m->hint.end = begin + 1 + (uint32_t)rng_below(r, last + 1);
  find_order(m);
}

static bool is_concurrent(const struct made *m, uint32_t i) {
  return m->client.calls[i].thread && m->ops[i].call <= m->hint.end;
}

static bool overlap(const struct made *m, uint32_t a, uint32_t b) {
  return is_concurrent(m, a) && is_concurrent(m, b) &&
         m->client.calls[a].thread != m->client.calls[b].thread &&
         !hop_before(&m->ops[a], &m->ops[b]) &&
         !hop_before(&m->ops[b], &m->ops[a]);
}

TEST(windows_are_the_calls_that_overlap_last_ones_first) {
  struct rng r = {1};
  uint64_t pairs = 0;
  for (unsigned n = 0; n < ROUNDS; n++) {
    struct made m;
    window_list all = {0};
    bool found[MOST][MOST] = {0};
    make(&m, &r);
    windows_find(&m.hint, &all);
    uint32_t before = UINT32_MAX;
    for (uint32_t i = 0; i < all.len; i++) {
      struct window w = all.at[i];
      CHECK(!found[w.first][w.second] && !found[w.second][w.first]);
      CHECK(m.ops[w.first].call <= m.ops[w.second].call);
      CHECK(m.ops[w.second].call <= before); /* W2 */
      before = m.ops[w.second].call;
      found[w.first][w.second] = true;
    }
    for (uint32_t a = 0; a < m.client.ncalls; a++)
      for (uint32_t b = a + 1; b < m.client.ncalls; b++)
        CHECK_INT(found[a][b] || found[b][a], overlap(&m, a, b));
    pairs += all.len;
    vec_free(&all);
    client_free(&m.client);
  }
  CHECK(pairs > ROUNDS);
}

/* W1, and how many calls there are of a thread. */
static void check_thread(const struct made *m, const struct client *c,
                         uint32_t thread, struct window w, uint32_t width,
                         bool init) {
  uint32_t next = UINT32_MAX, concurrent = 0, last = 0;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    uint32_t id = (uint32_t)c->calls[i].args[0];
    if (m->client.calls[id].thread != thread)
      continue;
    CHECK(next == UINT32_MAX || id == next);
    bool first = !id || m->client.calls[id - 1].thread != thread;
    CHECK(next != UINT32_MAX || !init || first);
    next = id + 1;
    concurrent += i >= c->ninit;
    last = id;
  }
  bool own = thread == m->client.calls[w.first].thread ||
             thread == m->client.calls[w.second].thread;
  CHECK(concurrent <= width);
  CHECK(concurrent || !own);
  CHECK(!concurrent || own || width > 1);
  /* Fewer than `width` only where the thread had no more of them. */
  if (concurrent && concurrent < width && last + 1 < m->client.ncalls &&
      m->client.calls[last + 1].thread == thread)
    CHECK(!is_concurrent(m, last + 1));
}

TEST(a_window_s_client_has_each_thread_s_calls_in_order) {
  struct rng r = {2};
  for (unsigned n = 0; n < ROUNDS; n++) {
    struct made m;
    window_list all = {0};
    make(&m, &r);
    windows_find(&m.hint, &all);
    for (uint32_t i = 0; i < all.len; i++)
      for (uint32_t width = 1; width <= 4; width++)
        for (int init = 0; init < 2; init++) {
          struct client c;
          window_client(&m.hint, all.at[i], width, init, &c);
          client_check_invariants(&c);
          CHECK(c.nthreads >= 2);
          CHECK(init || !c.ninit);
          CHECK_INT(c.nfinal, 0);
          for (uint32_t t = 1; t <= m.client.nthreads; t++)
            check_thread(&m, &c, t, all.at[i], width, init);
          for (uint32_t k = 0; init && k < m.client.ninit; k++)
            CHECK_INT(c.calls[k].args[0], k);
          client_free(&c);
        }
    vec_free(&all);
    client_free(&m.client);
  }
}

TEST_MAIN
