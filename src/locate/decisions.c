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
    if (is_deed(e) && is_first(t, look, i))
      count(&d->followed, key_of(site, from->value, kind_site(t, i)));
  }
}

void decisions_add(struct decisions *d, const struct kind_trace *t) {
  for (uint32_t i = 0; i < t->trace->nevents; i++)
    if (is_look(&t->trace->events[i]) &&
        !(t->trace->events[i].flags & EVENT_NO_VALUE))
      add_window(d, t, i);
}

void decisions_free(struct decisions *d) {
  map128_free(&d->windows);
  map128_free(&d->followed);
}

static uint32_t number(const struct map128 *m, struct hash128 key) {
  const uint32_t *n = map128_get(m, key);
  return n ? *n : 0;
}

bool decisions_never(const struct decisions *d, const struct kind_trace *t,
                     uint32_t look, const uint64_t value[2], uint32_t act) {
  uint64_t site = kind_site(t, look);
  return number(&d->windows, key_of(site, value, 0)) &&
         !number(&d->followed, key_of(site, value, kind_site(t, act)));
}

bool decisions_always(const struct decisions *d, const struct kind_trace *t,
                      uint32_t look, const uint64_t value[2], uint32_t act) {
  uint64_t site = kind_site(t, look);
  uint32_t all = number(&d->windows, key_of(site, value, 0));
  return all &&
         number(&d->followed, key_of(site, value, kind_site(t, act))) >= all;
}
