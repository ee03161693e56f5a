/*
 * From the steps of a search with the reduction to those without: the path is
 * run once, and the engine tells all accesses that were made on the way.
 *
 *     with the reduction    1 2          steps of locations that conflict
 *     without               1 1 1 2 2    with accesses between that do not
 */
#include "search/explore.h"

#include <assert.h>

struct expansion {
  const uint8_t *at;
  uint32_t len, next;
  struct rt_trail *trail;
  VEC(uint32_t) choice_at; /* trail positions of choices */
  VEC(uint8_t) choices;
};

static int follow(void *ctx, uint32_t enabled, int current) {
  struct expansion *e = ctx;
  if (e->next < e->len && !(e->at[e->next] & PATH_CHOICE))
    return e->at[e->next++];
  return enabled >> current & 1 ? current : __builtin_ctz(enabled);
}

static int follow_choice(void *ctx, int n) {
  struct expansion *e = ctx;
  (void)n;
  uint8_t k = 0;
  if (e->next < e->len && e->at[e->next] & PATH_CHOICE)
    k = e->at[e->next++] & (uint8_t)~PATH_CHOICE;
  vec_push(&e->choice_at, e->trail->len);
  vec_push(&e->choices, k);
  return k;
}

/* In a client the main thread makes the final calls only.  Nothing is decided
 * from there on, and no path has these steps. */
static bool begins_final(uint8_t thread) {
  return thread == 0 && rt_history()->client;
}

/* At the end of an execution: must the thread still make the early accesses of
 * its last call?  At a fault only the thread at fault: those of the others make
 * no difference. */
static bool must_end(enum rt_end end, uint8_t thread) {
  enum fault kind = end == RT_FAULT ? rt_fault()->kind : FAULT_NONE;
  return kind == FAULT_NONE || kind == FAULT_DEADLOCK ||
         kind == FAULT_LIVELOCK || rt_fault()->thread == thread;
}

/*
 * Early accesses of a call (before its first step) are held until that step;
 * other accesses of their thread come at once.  They commute with everything
 * between, since no thread conflicts with them.
 */
static void release(path *held, path *out) {
  for (uint32_t i = 0; i < held->len; i++)
    vec_push(out, held->at[i]);
  vec_clear(held);
}

/* Under TSO the commits of early stores are early too, if no thread waits for
 * them. */
static void unfold(const struct expansion *e, enum rt_end end, path *out) {
  path held[RT_MAX_THREADS] = {0};
  uint32_t c = 0;
  const struct rt_trail *r = e->trail;
  bool final = false;
  for (uint32_t i = 0; i < r->len; i++) {
    uint8_t t = r->at[i] & (RT_TRAIL_EMPTY - 1);
    path *own = &held[rt_owner(t)];
    final |= begins_final(t);
    if (!final && r->at[i] & RT_TRAIL_EARLY) {
      vec_push(own, t);
    } else if (!final) {
      bool empty = r->at[i] & RT_TRAIL_EMPTY && own->len;
      if (!rt_is_buffer(t))
        release(own, out);
      if (!empty)
        vec_push(out, t);
    }
    for (; c < e->choices.len && e->choice_at.at[c] <= i + 1; c++)
      vec_push(out, (uint8_t)(PATH_CHOICE | e->choices.at[c]));
  }
  for (uint8_t t = 0; t < RT_MAX_THREADS; t++) {
    if (must_end(end, t))
      release(&held[t], out);
    vec_free(&held[t]);
  }
}

void path_expand(const uint8_t *at, uint32_t len, path *out) {
  struct rt_trail trail = {0};
  struct expansion e = {.at = at, .len = len, .trail = &trail};
  struct rt_driver driver = {follow, follow_choice, &e, .every = true};
  rt_trail(&trail);
  enum rt_end end = rt_run(&driver);
  rt_trail(NULL);
  assert(e.choices.len == e.choice_at.len);
  unfold(&e, end, out);
  free(trail.at);
  vec_free(&e.choice_at);
  vec_free(&e.choices);
}
