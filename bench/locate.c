/*
 * Optimal eliminators of one trace, as traces get longer and have more threads.
 * Accesses are random: a share of them go to a few words that all threads use,
 * the others to words of their own.
 */
#include "base/clock.h"
#include "base/rng.h"
#include "locate/eliminate.h"
#include "search/explore.h"

#include <stdio.h>
#include <stdlib.h>

struct shape {
  uint32_t accesses, threads, words;
  uint32_t shared; /* one in so many accesses is to a word of all threads */
  uint32_t each;   /* an operation has about so many accesses */
};

static void make(struct rng *r, const struct shape *s, struct accesses *out) {
  uint32_t *op = xcalloc(s->threads, sizeof *op);
  for (uint32_t i = 0; i < s->accesses; i++) {
    uint32_t t = (uint32_t)rng_below(r, s->threads);
    if (!rng_below(r, s->each)) /* the next operation of the thread */
      op[t]++;
    bool common = !rng_below(r, s->shared);
    struct access a = {.kind = rng_below(r, 3) ? ACCESS_READ : ACCESS_WRITE,
                       .event = i,
                       .thread = t,
                       .op = t * 1000000 + op[t],
                       .size = 8};
    a.addr = 8 * (common ? rng_below(r, s->words)
                         : 1000 + 64 * t + rng_below(r, 64));
    a.addr += 4096;
    vec_push(out, a);
  }
  free(op);
}

static void measure(const struct shape *s) {
  enum { ROUNDS = 5 };
  double best = 1e9;
  uint32_t conflicts = 0, found = 0;
  struct rng r = {1};
  struct accesses a = {0};
  make(&r, s, &a);
  for (int i = 0; i < ROUNDS; i++) {
    struct conflicts c;
    struct eliminators e = {0};
    double begun = clock_now();
    conflicts_init(&c, a.at, a.len, 0);
    eliminate(&c, (struct eliminate_limits){.results = 10000}, &e);
    double took = clock_now() - begun;
    best = took < best ? took : best;
    found = eliminators_count(&e);
    if (!i && s->accesses <= 1000) {
      struct conflict_edges edges = {0};
      conflict_edges(&c, &edges);
      conflicts = edges.len;
      free(edges.at);
    }
    eliminators_free(&e);
    conflicts_free(&c);
    if (best > 1)
      break;
  }
  char edges[16] = "-"; /* there can be as many as pairs of accesses */
  if (conflicts)
    snprintf(edges, sizeof edges, "%u", conflicts);
  printf("  %8u %8u %10s %12u %12.3f\n", s->accesses, s->threads, edges, found,
         1000 * best);
  free(a.at);
}

int main(void) {
  static const struct shape shapes[] = {
      {150, 2, 8, 4, 20},       {150, 3, 8, 4, 20},
      {150, 4, 8, 4, 20},       {150, 6, 8, 4, 20},
      {1000, 2, 16, 8, 20},     {1000, 4, 16, 8, 20},
      {10000, 2, 64, 8, 20},    {10000, 4, 64, 16, 20},
      {100000, 2, 256, 8, 20},  {100000, 2, 2000, 1, 50},
      {100000, 4, 2000, 1, 50}, {10000, 8, 2000, 1, 50},
      {100000, 8, 2000, 1, 50},
  };
  printf("Optimal eliminators of one trace (at most 10,000), best of 5\n"
         "  accesses  threads  conflicts  eliminators           ms\n");
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    measure(&shapes[i]);
  return 0;
}
