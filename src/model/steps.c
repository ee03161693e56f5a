/* Steps of a graph of states: which conflict, which belong together. */
#include "model/steps.h"

#include "model/event.h"

#include <assert.h>

void steps_free(struct steps *g) {
  free(g->first);
  free(g->edges);
  vec_free(&g->steps);
  *g = (struct steps){0};
}

void steps_check_invariants(const struct steps *g) {
  assert(g->root < g->nstates && !g->first[STEPS_ENDS]); /* N1 */
  for (uint32_t s = 0; s < g->nstates; s++) {
    assert(g->first[s] <= g->first[s + 1]); /* N2 */
    for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++) {
      assert(g->edges[e].to < g->nstates);
      assert(g->edges[e].step < g->steps.len);
      assert(e == g->first[s] || g->edges[e - 1].thread <= g->edges[e].thread);
    }
  }
}

bool step_only_reads(const struct step *s) {
  return event_reads[s->kind] && !event_writes[s->kind];
}

static bool overlap(const struct step *a, const struct step *b) {
  return a->addr && b->addr && a->addr < b->addr + (b->size ? b->size : 1) &&
         b->addr < a->addr + (a->size ? a->size : 1);
}

bool steps_conflict(const struct step *a, const struct step *b) {
  return overlap(a, b) && !(step_only_reads(a) && step_only_reads(b));
}

bool step_is_same(const struct step *a, const struct step *b) {
  return a->pc == b->pc && a->addr == b->addr && a->size == b->size &&
         a->call == b->call && a->thread == b->thread && a->kind == b->kind;
}

bool steps_timed(const struct step *a, const struct step *b) {
  return (a->flags & STEP_RETURNS && b->flags & STEP_CALLS) ||
         (b->flags & STEP_RETURNS && a->flags & STEP_CALLS);
}

bool step_locks(const struct step *s) {
  return s->kind == EV_LOCK || s->kind == EV_WRLOCK || s->kind == EV_RDLOCK;
}

bool step_guards(const struct step *s) {
  return step_locks(s) || s->kind == EV_UNLOCK;
}

enum { MOST_STEPS = 4096 }; /* of a section that is looked at */

static uint32_t next_of(const struct steps *g, uint32_t state,
                        uint32_t thread) {
  uint32_t e = g->first[state];
  while (e < g->first[state + 1] && g->edges[e].thread != thread)
    e++;
  return e;
}

/* The edge of the last of these steps. */
static uint32_t follow_section(const struct steps *g, uint32_t edge,
                               step_list *out) {
  uint32_t e = edge, before = out->len;
  for (;;) {
    uint32_t s = g->edges[e].to, next = next_of(g, s, g->edges[e].thread);
    uint32_t step = g->edges[e].step, last = step + g->steps.at[step].more;
    for (; step <= last; step++)
      vec_push(out, step);
    if (next == g->first[s + 1] || out->len - before >= MOST_STEPS ||
        !(g->steps.at[g->edges[next].step].flags & STEP_INSIDE))
      return e;
    e = next;
  }
}

void steps_section(const struct steps *g, uint32_t edge, step_list *out) {
  follow_section(g, edge, out);
}

uint32_t steps_section_end(const struct steps *g, uint32_t edge) {
  step_list steps = {0};
  uint32_t last = follow_section(g, edge, &steps);
  vec_free(&steps);
  return g->edges[last].to;
}

const struct step *steps_about(const struct steps *g, uint32_t edge) {
  const struct step *s = &g->steps.at[g->edges[edge].step];
  for (uint32_t i = 1; step_locks(s) && i <= s->more; i++)
    if (event_reads[s[i].kind] || event_writes[s[i].kind])
      return &s[i];
  return s;
}
