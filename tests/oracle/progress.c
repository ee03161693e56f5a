/*
 * By closures: which state leads to which, by all steps and by those of one
 * thread; and by counting on, from edge to edge, until nothing changes.
 */
#include "oracle/progress.h"

#include "rt/rt.h"

#include <assert.h>
#include <string.h>

enum { MOST = 64 };

static const struct step *of(const struct steps *g, uint32_t e) {
  return &g->steps.at[g->edges[e].step];
}

static bool matters(const struct steps *g, const struct progress_question *q,
                    uint32_t e) {
  return of(g, e)->call < q->ncalls && !q->may_wait[of(g, e)->call];
}

/* to[s] has the states that s leads to by at least one step; of any thread, or
 * of this one. */
static void close_over(const struct steps *g, int thread, uint64_t to[MOST]) {
  memset(to, 0, MOST * sizeof *to);
  for (uint32_t round = 0; round < g->nstates; round++)
    for (uint32_t s = 0; s < g->nstates; s++)
      for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
        if (thread < 0 || g->edges[e].thread == (uint32_t)thread)
          to[s] |= 1ull << g->edges[e].to | to[g->edges[e].to];
}

static bool has_circle(const struct steps *g, const struct progress_question *q,
                       int thread, uint64_t reached) {
  uint64_t to[MOST];
  close_over(g, thread, to);
  for (uint32_t s = 0; s < g->nstates; s++)
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
      if (reached >> s & 1 && matters(g, q, e) &&
          (thread < 0 || g->edges[e].thread == (uint32_t)thread) &&
          (g->edges[e].to == s || to[g->edges[e].to] >> s & 1))
        return true;
  return false;
}

static bool has_long_call(const struct steps *g,
                          const struct progress_question *q, uint32_t call) {
  uint32_t made[MOST] = {0}; /* + 1; 0: not reached */
  made[g->root] = 1;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t s = 0; s < g->nstates; s++)
      for (uint32_t e = g->first[s]; made[s] && e < g->first[s + 1]; e++) {
        uint32_t n = made[s] + (of(g, e)->call == call);
        if (n > q->steps + 1)
          return true;
        more |= n > made[g->edges[e].to];
        made[g->edges[e].to] =
            n > made[g->edges[e].to] ? n : made[g->edges[e].to];
      }
  }
  return false;
}

bool progress_fails_slow(const struct steps *g,
                         const struct progress_question *q) {
  assert(g->nstates <= MOST);
  uint64_t to[MOST];
  close_over(g, -1, to);
  uint64_t reached = to[g->root] | 1ull << g->root;
  if (reached >> STEPS_BAD & 1)
    return true;
  if (q->condition == FL_PROGRESS_obstruction_free) {
    for (int t = 0; t < RT_MAX_THREADS; t++)
      if (has_circle(g, q, t, reached))
        return true;
    return false;
  }
  if (has_circle(g, q, -1, reached))
    return true;
  for (uint32_t c = 0; q->condition == FL_PROGRESS_wait_free && c < q->ncalls;
       c++)
    if (!q->may_wait[c] && has_long_call(g, q, c))
      return true;
  return false;
}
