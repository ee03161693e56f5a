#include "happens_before.h"

#include <assert.h>
#include <string.h>

static bool releases(uint8_t order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}
static bool acquires(uint8_t order) {
  return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}

static bool is_atomic(const struct hb_event *e) {
  return e->kind == HB_ATOMIC_READ || e->kind == HB_ATOMIC_WRITE ||
         e->kind == HB_RMW;
}
static bool reads(const struct hb_event *e) {
  return e->kind == HB_READ || e->kind == HB_ATOMIC_READ || e->kind == HB_RMW;
}
static bool writes(const struct hb_event *e) {
  return e->kind == HB_WRITE || e->kind == HB_ATOMIC_WRITE || e->kind == HB_RMW;
}

static bool before[HB_MOST][HB_MOST];

/* `from` on the releasing side (or a fence before it), `to` on the other. */
static void synchronise(const struct hb_event *e, uint32_t n, uint32_t from,
                        uint32_t to) {
  for (uint32_t f = 0; f <= from; f++) {
    bool source = f == from ? releases(e[f].order)
                            : e[f].kind == HB_FENCE &&
                                  e[f].thread == e[from].thread &&
                                  releases(e[f].order);
    for (uint32_t t = to; source && t < n; t++)
      if (t == to ? acquires(e[t].order)
                  : e[t].kind == HB_FENCE && e[t].thread == e[to].thread &&
                        acquires(e[t].order))
        before[f][t] = true;
  }
}

bool hb_has_race(const struct hb_event *e, uint32_t n) {
  assert(n <= HB_MOST);
  memset(before, 0, sizeof before);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = i + 1; k < n; k++)
      before[i][k] = e[i].thread == e[k].thread ||
                     (e[i].kind == HB_UNLOCK && e[k].kind == HB_LOCK &&
                      e[i].at == e[k].at);
  for (uint32_t r = 0; r < n; r++) {
    if (!is_atomic(&e[r]) || !reads(&e[r]))
      continue;
    for (int w = e[r].from; w >= 0 && is_atomic(&e[w]);
         w = e[w].kind == HB_RMW ? e[w].from : -1)
      synchronise(e, n, (uint32_t)w, r);
  }
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j < n; j++)
        before[i][j] |= before[i][k] && before[k][j];
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = i + 1; k < n; k++)
      if ((reads(&e[i]) || writes(&e[i])) && (reads(&e[k]) || writes(&e[k])) &&
          e[i].at == e[k].at && e[i].thread != e[k].thread &&
          (writes(&e[i]) || writes(&e[k])) &&
          !(is_atomic(&e[i]) && is_atomic(&e[k])) && !before[i][k])
        return true;
  return false;
}
