/*
 * Gaps that become covered and never uncovered.  gaps_first is the first gap
 * from a given one on that is not covered, gaps_last the last one up to it.
 */
#ifndef HISTORY_MONITOR_MONITOR_GAPS_H
#define HISTORY_MONITOR_MONITOR_GAPS_H

#include "history/monitor/monitor_int.h"

struct gaps {
  uint32_t *next; /* by gap: itself, or a later one */
  uint32_t *prev; /* by gap + 1: itself, or an earlier one; 0 is none */
};

static inline struct gaps gaps_all(struct monitor *m) {
  size_t n = (size_t)m->end + 3;
  struct gaps g = {monitor_room(m, n, sizeof *g.next),
                   monitor_room(m, n, sizeof *g.prev)};
  for (uint32_t i = 0; i < n; i++)
    g.next[i] = g.prev[i] = i;
  return g;
}

static inline uint32_t gaps_find(uint32_t *link, uint32_t i) {
  for (; link[i] != i; i = link[i])
    link[i] = link[link[i]];
  return i;
}

static inline uint32_t gaps_first(const struct gaps *g, uint32_t from) {
  return gaps_find(g->next, from);
}

/* MONITOR_NONE: all of them are covered. */
static inline uint32_t gaps_last(const struct gaps *g, uint32_t up_to) {
  return gaps_find(g->prev, up_to + 1) - 1;
}

static inline void gaps_cover(struct gaps *g, uint32_t from, uint32_t to) {
  for (uint32_t i = gaps_first(g, from); i < to; i = gaps_first(g, i + 1)) {
    g->next[i] = i + 1;
    g->prev[i + 1] = i;
  }
}

static inline void gaps_cover_value(struct gaps *g, const struct monitor *m,
                                    const struct monitor_value *v) {
  gaps_cover(g, v->add_res, gap_from(m, v->rem_inv));
}

#endif
