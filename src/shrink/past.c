/* The past of a failing history, from its prefixes. */
#include "shrink/past.h"

#include "base/slow.h"

#include <stdlib.h>

/* P1, but for who is last. */
static bool order_is_sound(const struct past *p) {
  const struct client *c = p->history->client;
  uint32_t finals = c->ncalls - c->nfinal;
  bool *has = xcalloc(c->ncalls + 1, sizeof *has), sound = true;
  uint32_t last[CLIENT_MAX_THREADS + 1] = {
      0}; /* by thread: its last, plus one */
  for (uint32_t i = 0; i < p->order.len && sound; i++) {
    uint32_t id = p->order.at[i], before = i ? p->order.at[i - 1] : 0;
    uint32_t *of_thread = &last[c->calls[id].thread];
    sound = !has[id] && *of_thread <= id && (i < c->ninit) == (id < c->ninit) &&
            (before < finals || id >= finals);
    has[id] = true;
    *of_thread = id + 1;
  }
  free(has);
  return sound;
}

/* The first n events, as calls. */
static void list_calls(struct past *p, const struct prefixes *x, uint32_t n) {
  const struct client *c = p->history->client;
  for (uint32_t i = 0; i < n; i++) {
    const struct prefix_event *e = &x->events.at[i];
    if (!e->returns && c->calls[e->call].thread)
      vec_push(&p->calls, e->call);
  }
}

static void add_once(struct past *p, bool *has, uint32_t id) {
  if (!has[id])
    vec_push(&p->order, id);
  has[id] = true;
}

/* Behind the witness: what has not taken effect, the failing call last. */
static void list_order(struct past *p, const struct prefixes *x, uint32_t n) {
  const struct client *c = p->history->client;
  bool *has = xcalloc(c->ncalls + 1, sizeof *has);
  for (uint32_t i = 0; i < c->ninit; i++)
    add_once(p, has, i);
  for (uint32_t i = 0; i < x->order.len; i++)
    add_once(p, has, x->order.at[i]);
  uint32_t skipped = p->order.len - x->order.len; /* calls of no witness */
  for (uint32_t i = 0; i < x->size.len; i++) {
    uint32_t size = skipped + x->size.at[i];
    if (size < c->ninit)
      size = c->ninit;
    if (!p->sizes.len || size > vec_last(&p->sizes))
      vec_push(&p->sizes, size);
  }
  for (uint32_t i = 0; i < n; i++)
    if (x->events.at[i].call != p->failing)
      add_once(p, has, x->events.at[i].call);
  if (p->failing < c->ncalls)
    add_once(p, has, p->failing);
  free(has);
}

bool past_find(struct past *p, const struct history *failing, struct spec *s,
               uint64_t budget, bool anyway) {
  struct prefixes x = {0};
  *p = (struct past){.history = failing, .failing = UINT32_MAX};
  check_prefixes(failing, s, budget, &x);
  bool bad = x.answer == CHECK_NO || x.answer == CHECK_SPEC_FAULT;
  uint32_t n = x.events.len;
  if (bad && x.end <= n) {
    n = x.end;
    p->failing = x.events.at[n - 1].call;
    p->exact = true;
  }
  if (bad || x.answer == CHECK_UNKNOWN || anyway) {
    list_calls(p, &x, n);
    list_order(p, &x, n);
    check_slow(order_is_sound(p)); /* P1 */
  }
  prefixes_free(&x);
  return p->order.len;
}

void past_free(struct past *p) {
  vec_free(&p->order);
  vec_free(&p->sizes);
  vec_free(&p->calls);
  *p = (struct past){0};
}
