/* Strongly connected components: the search. */
#include "base/scc.h"

#include "base/slow.h"

#include <assert.h>

void scc_init(struct scc *s, uint32_t nodes) {
  s->low = xcalloc(nodes, sizeof *s->low);
  s->place = xcalloc(nodes, sizeof *s->place);
}

void scc_leave_out(struct scc *s, uint32_t node) {
  s->low[node] = SCC_COMPLETE;
}

void scc_free(struct scc *s) {
  free(s->low);
  free(s->place);
  vec_free(&s->calls);
  vec_free(&s->begun);
  vec_free(&s->open);
}

static void enter(struct scc *s, uint32_t node) {
  assert(!s->low[node]); /* G1 */
  s->low[node] = ++s->met;
  vec_push(&s->calls, node);
  vec_push(&s->begun, s->met);
  vec_push(&s->open, node);
}

/* G2, for the component that begins at open.at[first]. */
static bool leads_to_complete(struct scc *s, uint32_t first) {
  for (uint32_t i = first; i < s->open.len; i++)
    for (uint32_t at = 0, to; s->next(s->ctx, s->open.at[i], &at, &to);) {
      bool inside = false;
      for (uint32_t k = first; k < s->open.len; k++)
        inside |= s->open.at[k] == to;
      if (!inside && !scc_is_complete(s, to))
        return false;
    }
  return true;
}

/* All that `node`, the first of its component, leads to was searched. */
static void close_component(struct scc *s, uint32_t node) {
  uint32_t first = s->open.len;
  while (s->open.at[--first] != node) /* G3 */
    ;
  check_slow(s->open.len - first > 64 || leads_to_complete(s, first));
  s->complete(s->ctx, s->open.at + first, s->open.len - first);
  for (uint32_t i = first; i < s->open.len; i++)
    s->low[s->open.at[i]] = SCC_COMPLETE;
  s->open.len = first;
}

static void leave(struct scc *s) {
  uint32_t node = vec_pop(&s->calls), begun = vec_pop(&s->begun);
  uint32_t low = s->low[node];
  assert(low && low <= begun);
  if (low == begun)
    close_component(s, node);
  else if (low < s->low[vec_last(&s->calls)])
    s->low[vec_last(&s->calls)] = low;
}

void scc_from(struct scc *s, uint32_t root) {
  enter(s, root);
  while (s->calls.len) {
    uint32_t node = vec_last(&s->calls), to;
    if (!s->next(s->ctx, node, &s->place[node], &to))
      leave(s);
    else if (!s->low[to])
      enter(s, to);
    else if (s->low[to] < s->low[node])
      s->low[node] = s->low[to];
  }
  assert(!s->open.len); /* G1 */
}
