#include "oracle/history.h"

#include "base/arena.h"

#include <string.h>

static struct hop never(void) {
  return (struct hop){HISTORY_PENDING, HISTORY_PENDING, value_void()};
}

bool history_from_trace(const struct trace *t, struct arena *a,
                        struct history *out) {
  const struct client *c = t->history.client;
  *out = (struct history){.client = c, .stuck = t->history.stuck};
  if (!c)
    return true;
  out->ops = arena_alloc(a, (c->ncalls + 1) * sizeof *out->ops);
  if (!out->ops)
    return false;
  for (uint32_t i = 0; i < c->ncalls; i++)
    out->ops[i] = i < c->ninit ? t->history.ops[i] : never(); /* O3 */
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    if (e->call == EVENT_NO_CALL || e->call >= c->ncalls)
      continue;
    struct hop *o = &out->ops[e->call];
    if (e->kind == EV_CALL) {
      o->call = e->step;
    } else if (e->kind == EV_RETURN) {
      o->ret = e->step;
      o->result = (struct value){e->value[1], e->value[0]};
    }
  }
  return true;
}

static bool same_value(struct value a, struct value b) {
  if (a.kind == VALUE_STRING && b.kind == VALUE_STRING && a.bits && b.bits)
    return !strcmp((const char *)(uintptr_t)a.bits,
                   (const char *)(uintptr_t)b.bits);
  return value_equal(a, b);
}

bool history_equal(const struct history *a, const struct history *b) {
  if (a->client != b->client || a->stuck != b->stuck)
    return false;
  for (uint32_t i = 0; a->client && i < a->client->ncalls; i++) {
    const struct hop *x = &a->ops[i], *y = &b->ops[i];
    if (x->call != y->call || x->ret != y->ret)
      return false;
    if (!hop_pending(x) && !same_value(x->result, y->result))
      return false;
  }
  return true;
}

/* Steps of a call as its events tell them. */
struct span {
  uint32_t first, last; /* first > last: none seen */
};

static struct span span_of(const struct trace *t, uint32_t call) {
  struct span s = {UINT32_MAX, 0};
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    /* An allocation is local, and may come before the first step; a fault is
     * a note. */
    if (e->call != call || e->kind == EV_ALLOC || e->kind == EV_FAULT ||
        e->kind == EV_CALL || e->kind == EV_RETURN)
      continue;
    if (e->step < s.first)
      s.first = e->step;
    if (e->step > s.last)
      s.last = e->step;
  }
  return s;
}

bool trace_is_tight(const struct trace *t, uint32_t *call) {
  const struct client *c = t->history.client;
  for (uint32_t i = c ? c->ninit : 0; c && i < c->ncalls; i++) {
    const struct hop *o = &t->history.ops[i];
    struct span s = span_of(t, i);
    bool seen = s.first <= s.last;
    bool ok;
    if (!hop_called(o))
      ok = !seen;
    else if (!seen) /* a step of its own, and no event but call and return */
      ok = hop_pending(o) || o->call == o->ret;
    else
      ok = s.first == o->call && (hop_pending(o) || s.last == o->ret);
    if (!ok) {
      *call = i;
      return false;
    }
  }
  return true;
}
