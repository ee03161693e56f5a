#include "locate/decisions.h"

static struct hash128 key_of(uint64_t site, const uint64_t value[2],
                             uint64_t act) {
  uint64_t all[4] = {site, value[0], value[1], act};
  return hash128(all, sizeof all, 0);
}

/* Something that a decision may be about: not a read. */
static bool is_deed(const struct event *e) {
  switch (e->kind) {
  case EV_CALL:
  case EV_RETURN:
  case EV_STEP:
  case EV_READ:
  case EV_ATOMIC_READ:
  case EV_SHOW:
  case EV_FAULT:
    return false;
  default:
    return true;
  }
}

static bool is_look(const struct event *e) {
  return event_reads[e->kind] && e->call != EVENT_NO_CALL;
}

static bool same_call(const struct event *a, const struct event *b) {
  return a->thread == b->thread && a->call == b->call;
}

static void count(struct map128 *m, struct hash128 key) {
  bool fresh;
  ++*map128_put(m, key, &fresh);
}

static bool is_first(const struct kind_trace *t, uint32_t look, uint32_t at) {
  for (uint32_t i = look + 1; i < at; i++)
    if (same_call(&t->trace->events[i], &t->trace->events[look]) &&
        kind_site(t, i) == kind_site(t, at) && is_deed(&t->trace->events[i]))
      return false;
  return true;
}

/* What may follow a look, as a number: reads by themselves, since what follows
 * a look at one site of `n++` is its read as well as its write. */
static uint64_t act_of(const struct kind_trace *t, uint32_t event) {
  uint64_t site = kind_site(t, event);
  return is_deed(&t->trace->events[event]) ? site : ~site;
}

static void add_window(struct decisions *d, const struct kind_trace *t,
                       uint32_t look) {
  const struct event *from = &t->trace->events[look];
  uint64_t site = kind_site(t, look);
  for (uint32_t i = look + 1; i < t->trace->nevents; i++) {
    const struct event *e = &t->trace->events[i];
    if (!same_call(e, from))
      continue;
    if (e->kind == EV_RETURN || (is_look(e) && kind_site(t, i) == site)) {
      count(&d->windows, key_of(site, from->value, 0));
      return;
    }
    if (is_deed(e) ? is_first(t, look, i) : is_look(e))
      count(&d->followed, key_of(site, from->value, act_of(t, i)));
  }
}

/* ---- two numbers ---- */

bool decisions_is_count(const struct event *e) {
  return (e->kind == EV_READ || e->kind == EV_ATOMIC_READ) && e->size <= 8 &&
         !(e->flags & EVENT_NO_VALUE) && e->value[0] < 1u << 30;
}

int64_t decisions_distance(const struct kind_trace *t, uint32_t a, uint32_t b) {
  return (int64_t)t->trace->events[b].value[0] -
         (int64_t)t->trace->events[a].value[0];
}

uint32_t decisions_read_before(const struct kind_trace *t, uint32_t b) {
  const struct event *y = &t->trace->events[b];
  for (uint32_t a = b; a-- > 0;) {
    const struct event *x = &t->trace->events[a];
    if (!same_call(x, y) || x->kind == EV_CALL)
      continue;
    bool apart = x->addr + x->size <= y->addr || y->addr + y->size <= x->addr;
    return decisions_is_count(x) && x->size == y->size && apart ? a
                                                                : UINT32_MAX;
  }
  return UINT32_MAX;
}

enum { ANY = INT32_MAX }; /* no two counts are so far apart */

static struct hash128 apart_key(const struct kind_trace *t, uint32_t a,
                                uint32_t b, int64_t distance, bool writes) {
  uint64_t all[4] = {kind_site(t, a), kind_site(t, b), (uint64_t)distance,
                     writes};
  return hash128(all, sizeof all, 0);
}

static void add_distance(struct decisions *d, const struct kind_trace *t,
                         uint32_t b) {
  const struct event *from = &t->trace->events[b];
  uint32_t a = decisions_read_before(t, b);
  if (a == UINT32_MAX)
    return;
  int64_t distance = decisions_distance(t, a, b);
  for (uint32_t i = b + 1; i < t->trace->nevents; i++) {
    const struct event *e = &t->trace->events[i];
    bool ends = e->kind == EV_RETURN ||
                (is_look(e) && kind_site(t, i) == kind_site(t, b));
    if (!same_call(e, from) || !(ends || event_writes[e->kind]))
      continue;
    count(&d->apart, apart_key(t, a, b, distance, !ends));
    if (!ends)
      count(&d->apart, apart_key(t, a, b, ANY, true));
    return;
  }
}

void decisions_add(struct decisions *d, const struct kind_trace *t) {
  for (uint32_t i = 0; i < t->trace->nevents; i++)
    if (is_look(&t->trace->events[i]) &&
        !(t->trace->events[i].flags & EVENT_NO_VALUE))
      add_window(d, t, i);
  for (uint32_t i = 1; i < t->trace->nevents; i++)
    if (decisions_is_count(&t->trace->events[i]) &&
        t->trace->events[i].call != EVENT_NO_CALL)
      add_distance(d, t, i);
}

void decisions_free(struct decisions *d) {
  map128_free(&d->windows);
  map128_free(&d->followed);
  map128_free(&d->apart);
}

static uint32_t number(const struct map128 *m, struct hash128 key) {
  const uint32_t *n = map128_get(m, key);
  return n ? *n : 0;
}

bool decisions_never(const struct decisions *d, const struct kind_trace *t,
                     uint32_t look, const uint64_t value[2], uint32_t act) {
  uint64_t site = kind_site(t, look);
  return number(&d->windows, key_of(site, value, 0)) &&
         !number(&d->followed, key_of(site, value, act_of(t, act)));
}

bool decisions_always(const struct decisions *d, const struct kind_trace *t,
                      uint32_t look, const uint64_t value[2], uint32_t act) {
  uint64_t site = kind_site(t, look);
  uint32_t all = number(&d->windows, key_of(site, value, 0));
  return all &&
         number(&d->followed, key_of(site, value, act_of(t, act))) >= all;
}

bool decisions_refuses(const struct decisions *d, const struct kind_trace *t,
                       uint32_t a, uint32_t b) {
  int64_t distance = decisions_distance(t, a, b);
  return number(&d->apart, apart_key(t, a, b, distance, false)) &&
         !number(&d->apart, apart_key(t, a, b, distance, true)) &&
         number(&d->apart, apart_key(t, a, b, ANY, true));
}
