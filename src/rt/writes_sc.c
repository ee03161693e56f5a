/*
 * SC under C11: psc = psc_base ∪ psc_F of RC11 has no circle.
 *
 *   scb      = sb ∪ sb|≠loc;hb;sb|≠loc ∪ hb|loc ∪ mo ∪ rb
 *   psc_base = ([Esc] ∪ [Fsc];hb?) ; scb ; ([Esc] ∪ hb?;[Fsc])
 *   psc_F    = [Fsc] ; (hb ∪ hb;eco;hb) ; [Fsc]
 *
 * An event comes when all that it depends on is there: nothing is hb-behind it,
 * and the only edges that lead away from it go along mo and rb, to what others
 * wrote later in mo.  So its edges, and those that lead through it from SC
 * fences before it, are known when it comes.  Edges never go away, so a circle
 * is found at the first event that closes it; the newest write and the last
 * place close none (V4).
 *
 * A thread's plain accesses between two other events are one event.  Unless all
 * are to one place it counts as one of another location in sb|≠loc.
 */
#include "rt/writes_int.h"

#include <string.h>

enum { WORDS = C11_SC / 64 };
typedef uint64_t matrix[C11_SC][WORDS];

static void put(matrix m, uint32_t a, uint32_t b) {
  m[a][b / 64] |= UINT64_C(1) << b % 64;
}
static bool has(matrix m, uint32_t a, uint32_t b) {
  return m[a][b / 64] >> b % 64 & 1;
}

static bool reads(const struct c11_event *e) {
  return e->at != C11_NONE && e->kind & C11_READ;
}
static bool writes(const struct c11_event *e) {
  return e->at != C11_NONE && e->kind & C11_WRITE;
}
static uint32_t read_place(const struct c11_event *e) {
  return 2 * G.write[e->from].place;
}
static uint32_t write_place(const struct c11_event *e) {
  return 2 * G.write[e->write].place;
}

static const struct c11_event *sc_event(uint32_t i) {
  return &G.event[G.sc[i]];
}
static bool is_fence(uint32_t i) { return sc_event(i)->kind == C11_FENCE; }

/* mo or rb from x to y, of one location. */
static bool is_overwritten(const struct c11_event *x,
                           const struct c11_event *y) {
  if (x == y || !writes(y))
    return false;
  return (writes(x) && write_place(x) < write_place(y)) ||
         (reads(x) && read_place(x) < write_place(y));
}

/* eco from x to y, of one location. */
static bool is_eco(const struct c11_event *x, const struct c11_event *y) {
  if (x == y)
    return false;
  uint32_t from = writes(x) ? write_place(x) : read_place(x);
  if (writes(y))
    return write_place(y) > from || is_overwritten(x, y);
  return writes(x) ? read_place(y) >= from : read_place(y) > from;
}

/* ---- edges to a candidate ---- */

static bool is_at(const struct c11_event *e, uint16_t at) {
  if (at == C11_NONE)
    return false;
  const struct c11_location *l = &G.location[at];
  return e->kind != C11_PLAIN ? e->at == at
                              : e->size && e->addr < l->addr + l->size &&
                                    l->addr < e->addr + e->size;
}

/* The last event of the thread that is not of this location. */
static const struct c11_event *other_before(int thread, uint16_t at) {
  for (uint32_t i = G.nevents; i--;)
    if (G.event[i].thread == thread && !is_at(&G.event[i], at))
      return &G.event[i];
  return NULL;
}

/* sb|≠loc ; hb ; sb|≠loc from SC event a to the candidate. */
static bool goes_around(uint32_t a, const struct c11_candidate *c) {
  const struct c11_event *x = sc_event(a);
  const struct c11_event *end = other_before(c->thread, c->at);
  if (!end || x->thread == c->thread)
    return false;
  for (uint32_t i = G.sc[a] + 1u; i < G.nevents; i++) {
    const struct c11_event *e = &G.event[i];
    if (e->thread == x->thread && !is_at(e, x->at))
      return c11_hb(e, end->seen);
  }
  return false;
}

/* From x, which scb leads from to the candidate, to psc's sources. */
static void sources(matrix m, uint32_t to, const struct c11_event *x) {
  if (x->sc != C11_NONE)
    put(m, x->sc, to);
  for (uint32_t a = 0; a < G.nsc; a++)
    if (is_fence(a) && c11_hb(sc_event(a), x->seen))
      put(m, a, to);
}

static void to_access(matrix m, uint32_t to, const struct c11_candidate *c) {
  for (uint32_t a = 0; a < G.nsc; a++) {
    const struct c11_event *x = sc_event(a);
    if (x->thread == c->thread || goes_around(a, c) ||
        (is_fence(a) && c11_hb(x, c->before)))
      put(m, a, to);
  }
  for (uint16_t i = G.location[c->at].events; i != C11_NONE;
       i = G.event[i].before) {
    const struct c11_event *x = &G.event[i];
    bool over =
        c->kind & C11_WRITE && ((writes(x) && write_place(x) < c->writes) ||
                                (reads(x) && read_place(x) < c->writes));
    if (over || c11_hb(x, c->seen))
      sources(m, to, x);
  }
}

/* eco to y from what an SC fence is before; mo and rb from SC accesses. */
static void to_fence_by(matrix m, uint32_t to, const struct c11_event *y) {
  for (uint16_t i = G.location[y->at].events; i != C11_NONE;
       i = G.event[i].before) {
    const struct c11_event *x = &G.event[i];
    if (x->sc != C11_NONE && is_overwritten(x, y))
      put(m, x->sc, to);
    if (!is_eco(x, y))
      continue;
    for (uint32_t a = 0; a < G.nsc; a++)
      if (is_fence(a) && c11_hb(sc_event(a), x->seen))
        put(m, a, to);
  }
}

static void to_fence(matrix m, uint32_t to, const struct c11_candidate *c) {
  for (uint32_t a = 0; a < G.nsc; a++)
    if (c11_hb(sc_event(a), c->seen))
      put(m, a, to);
  for (uint32_t i = 0; i < G.nevents; i++) {
    const struct c11_event *y = &G.event[i];
    if ((reads(y) || writes(y)) && c11_hb(y, c->seen))
      to_fence_by(m, to, y);
  }
}

/* ---- edges from and through it ---- */

/* From all SC fences before the candidate to b. */
static void from_fences(matrix m, const struct c11_candidate *c, uint32_t b) {
  for (uint32_t a = 0; a < G.nsc; a++)
    if (is_fence(a) && c11_hb(sc_event(a), c->seen))
      put(m, a, b);
}

static void lead_away(matrix m, const struct c11_candidate *c, bool is_sc,
                      uint32_t self) {
  bool wr = c->kind & C11_WRITE;
  uint32_t from = wr ? c->writes : c->reads;
  for (uint16_t i = G.location[c->at].events; i != C11_NONE;
       i = G.event[i].before) {
    const struct c11_event *y = &G.event[i];
    bool direct = writes(y) && write_place(y) > from;
    bool eco = direct || (reads(y) && read_place(y) > from);
    if (direct && y->sc != C11_NONE) {
      if (is_sc)
        put(m, self, y->sc);
      from_fences(m, c, y->sc);
    }
    for (uint32_t b = 0; eco && b < G.nsc; b++)
      if (is_fence(b) && c11_hb(y, sc_event(b)->seen)) {
        if (is_sc && direct)
          put(m, self, b);
        from_fences(m, c, b);
      }
  }
}

static void edges(matrix m, const struct c11_candidate *c, bool is_sc,
                  uint32_t self) {
  if (is_sc && c->kind == C11_FENCE)
    to_fence(m, self, c);
  else if (is_sc)
    to_access(m, self, c);
  if (c->kind & (C11_READ | C11_WRITE) && c->kind <= C11_RMW)
    lead_away(m, c, is_sc, self);
}

/* ---- circles ---- */

enum colour { WHITE, GREY, BLACK };

static bool circle_from(matrix m, uint32_t n, uint32_t a, uint8_t *colour) {
  colour[a] = GREY;
  for (uint32_t w = 0; w * 64 < n; w++)
    for (uint64_t left = m[a][w]; left; left &= left - 1) {
      uint32_t b = w * 64 + (uint32_t)__builtin_ctzll(left);
      if (colour[b] == GREY ||
          (colour[b] == WHITE && circle_from(m, n, b, colour)))
        return true;
    }
  colour[a] = BLACK;
  return false;
}

bool fl__c11_sc_allows(const struct c11_candidate *c) {
  static matrix m;
  bool is_sc = c->order == __ATOMIC_SEQ_CST;
  uint32_t n = G.nsc + is_sc;
  if (!G.nsc || n > C11_SC)
    return true;
  memcpy(m, G.edge, G.nsc * sizeof *m);
  if (is_sc)
    memset(m[G.nsc], 0, sizeof *m);
  edges(m, c, is_sc, G.nsc);
  uint8_t colour[C11_SC] = {WHITE};
  for (uint32_t a = 0; a < n; a++)
    if (has(m, a, a) || (colour[a] == WHITE && circle_from(m, n, a, colour)))
      return false;
  return true;
}

int fl__c11_sc_add(const struct c11_candidate *c) {
  bool is_sc = c->order == __ATOMIC_SEQ_CST;
  if (!is_sc && !G.nsc)
    return C11_NONE;
  if (is_sc && G.nsc == C11_SC)
    return -1;
  if (is_sc)
    memset(G.edge[G.nsc], 0, sizeof *G.edge);
  edges(G.edge, c, is_sc, G.nsc);
  if (!is_sc)
    return C11_NONE;
  G.sc[G.nsc] = (uint16_t)G.nevents;
  return (int)G.nsc++;
}
