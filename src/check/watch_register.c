/*
 * Watches a register to which no value is written while it may still be seen
 * (monitor_register.c has the condition): a group is a write and the reads of
 * its value, f is the first return and s the last call of what returned of it.
 * There is an order iff no two groups are each before the other:
 *
 *     f(u) < s(v) and f(v) < s(u), for no u, v.
 *
 * A first return cannot break that, since no call lies behind it.  So what is
 * looked at is a read of v that was called at c: is there another group u, with
 * f(u) < c, and f(v) < s(u)?  The greatest s of all groups with f < c tells.
 *
 * Let `oldest` be the first call of what is open and reads.  A group that such
 * a u with f(u) < oldest stands behind is over: nobody may see its value any
 * more.  Of groups that are over and have f < oldest only the greatest s
 * matters: they are forgotten, but for two of them that have it and those that
 * are still being written.  Of the others
 * with f < oldest all but one were being written when the first of them
 * returned: there are no more than operations were open then.
 *
 * A value that is written again when its group has been forgotten is another
 * one: what read it before belongs to the first write, and what reads it later
 * to the second.
 */
#include "check/watch.h"

#include <assert.h>

struct group {
  datum value;
  uint64_t call;  /* of its write; 0: the initial value */
  uint64_t first; /* f; WATCH_NEVER: nothing returned */
  uint64_t last;  /* s */
  bool open;      /* the write has not returned */
  bool crashed;   /* … and will not */
};

struct reg {
  struct watch watch;
  struct value_map map; /* to groups */
  VEC(struct group) groups;
  VEC(uint32_t) free;
  /* Groups with a first return, in its order, and a tree of the greatest s: the
   * node i has the nodes 2i and 2i + 1, the leaves are from `size` on. */
  uint32_t *order;
  uint64_t *tree;
  uint32_t len, size;
  struct group gone[2]; /* forgotten ones with the greatest s, that first */
  uint32_t ngone;
};

enum { FEW = 8 };

static void set_last(struct reg *r, uint32_t place, uint64_t last) {
  uint32_t i = r->size + place;
  r->tree[i] = last;
  for (i /= 2; i; i /= 2) {
    uint64_t a = r->tree[2 * i], b = r->tree[2 * i + 1];
    r->tree[i] = a > b ? a : b;
  }
}

/* The greatest s at places from … to - 1. */
static uint64_t greatest(const struct reg *r, uint32_t from, uint32_t to) {
  uint64_t most = 0;
  uint32_t lo = from + r->size, hi = to + r->size;
  for (; lo < hi; lo /= 2, hi /= 2) {
    if (lo & 1) {
      most = r->tree[lo] > most ? r->tree[lo] : most;
      lo++;
    }
    if (hi & 1) {
      hi--;
      most = r->tree[hi] > most ? r->tree[hi] : most;
    }
  }
  return most;
}

/* How many groups have their first return before a time. */
static uint32_t places_before(const struct reg *r, uint64_t time) {
  uint32_t lo = 0, hi = r->len;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (r->groups.at[r->order[mid]].first < time)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void set_size(struct reg *r, uint32_t size) {
  r->size = size;
  r->order = xrealloc(r->order, size * sizeof *r->order);
  r->tree = xrealloc(r->tree, 2ull * size * sizeof *r->tree);
}

static void rebuild(struct reg *r) {
  for (uint32_t i = 0; i < r->size; i++)
    r->tree[r->size + i] = i < r->len ? r->groups.at[r->order[i]].last : 0;
  for (uint32_t i = r->size; --i;) {
    uint64_t a = r->tree[2 * i], b = r->tree[2 * i + 1];
    r->tree[i] = a > b ? a : b;
  }
}

/* Keeps the two with the greatest s. */
static void keep_greatest(const struct group **most, const struct group *g) {
  if (!most[0] || g->last > most[0]->last) {
    most[1] = most[0];
    most[0] = g;
  } else if (!most[1] || g->last > most[1]->last) {
    most[1] = g;
  }
}

static uint64_t oldest_read(const struct reg *r) {
  uint64_t oldest = r->watch.now;
  for (uint32_t i = 0; i < r->watch.open.len; i++) {
    const struct watch_op *x = &r->watch.open.at[i];
    if (x->t.role == ROLE_READ && !x->lost && x->call < oldest)
      oldest = x->call;
  }
  return oldest;
}

static void forget(struct reg *r) {
  const struct group *most[2] = {r->ngone ? &r->gone[0] : NULL,
                                 r->ngone > 1 ? &r->gone[1] : NULL};
  const struct group *left[2] = {most[0], most[1]};
  uint64_t oldest = oldest_read(r);
  uint32_t n = 0, until = places_before(r, oldest);
  for (uint32_t i = 0; i < until; i++)
    keep_greatest(most, &r->groups.at[r->order[i]]);
  for (uint32_t i = 0; i < r->len; i++) {
    uint32_t id = r->order[i];
    struct group *g = &r->groups.at[id];
    const struct group *other = most[most[0] == g];
    bool writing = g->open && !g->crashed;
    if (i >= until || writing || !other || other->last < g->first) {
      r->order[n++] = id;
      continue;
    }
    keep_greatest(left, g);
    value_map_drop(&r->map, g->value);
    vec_push(&r->free, id);
  }
  struct group gone[2];
  r->ngone = 0;
  for (int k = 0; k < 2 && left[k]; k++)
    gone[r->ngone++] = *left[k];
  for (uint32_t k = 0; k < r->ngone; k++)
    r->gone[k] = gone[k];
  r->len = n;
  if (n > r->size / 2)
    set_size(r, r->size * 2);
  else if (r->size > FEW && n < r->size / 8)
    set_size(r, r->size / 2);
  rebuild(r);
}

/* The group's first return is the last event. */
static void take_first(struct reg *r, uint32_t id) {
  if (r->len == r->size)
    forget(r);
  struct group *g = &r->groups.at[id];
  g->first = r->watch.now;
  r->order[r->len] = id;
  set_last(r, r->len++, g->last);
}

static uint32_t add_group(struct reg *r, struct group g) {
  uint32_t id = r->groups.len;
  if (r->free.len)
    r->groups.at[id = vec_pop(&r->free)] = g;
  else
    vec_push(&r->groups, g);
  value_map_put(&r->map, g.value, id);
  return id;
}

static enum watch_end called(struct watch *w, const struct watch_op *x) {
  struct reg *r = (struct reg *)w;
  if (x->t.role == ROLE_READ)
    return WATCH_GOOD;
  if (x->t.role != ROLE_WRITE)
    return WATCH_CANNOT;
  datum value = x->t.arg[0];
  if (value_map_get(&r->map, value) != WATCH_NONE) {
    forget(r);
    if (value_map_get(&r->map, value) != WATCH_NONE)
      return WATCH_CANNOT;
  }
  form_learn(&w->put, &x->op, &x->t);
  add_group(r, (struct group){.value = value,
                              .call = x->call,
                              .first = WATCH_NEVER,
                              .last = x->call,
                              .open = true});
  return WATCH_GOOD;
}

static enum watch_end bad(struct reg *r, datum value, const char *why) {
  datum_print(value, &r->watch.why);
  buf_puts(&r->watch.why, why);
  return WATCH_BAD;
}

/* Another value is certainly behind this one, and was there before c. */
static bool is_over(const struct reg *r, const struct group *g, uint64_t c) {
  if (r->ngone && r->gone[0].last > g->first)
    return true;
  uint32_t until = places_before(r, c), own = places_before(r, g->first);
  if (own >= until)
    return greatest(r, 0, until) > g->first;
  return greatest(r, 0, own) > g->first ||
         greatest(r, own + 1, until) > g->first;
}

static enum watch_end read_returned(struct reg *r, const struct watch_op *x,
                                    datum value) {
  uint32_t id = value_map_get(&r->map, value);
  if (id == WATCH_NONE)
    return bad(r, value, " was not written, or has been overwritten since");
  struct group *g = &r->groups.at[id];
  bool later = x->call > g->last;
  if (later)
    g->last = x->call;
  if (g->first == WATCH_NEVER) {
    take_first(r, id);
  } else if (later) {
    if (is_over(r, g, x->call))
      return bad(r, value, " had been overwritten before it was called");
    set_last(r, places_before(r, g->first), g->last);
  }
  return WATCH_GOOD;
}

static enum watch_end returned(struct watch *w, const struct watch_op *x,
                               const struct type_op *t) {
  struct reg *r = (struct reg *)w;
  if (t->op->failed || t->role != x->t.role)
    return WATCH_CANNOT;
  if (t->role == ROLE_READ) {
    if (t->any_result)
      return WATCH_GOOD;
    form_learn(&w->got, t->op, t);
    return read_returned(r, x, t->result);
  }
  uint32_t id = value_map_get(&r->map, t->arg[0]);
  assert(r->groups.at[id].call == x->call);
  r->groups.at[id].open = false;
  if (r->groups.at[id].first == WATCH_NEVER)
    take_first(r, id);
  return WATCH_GOOD;
}

static enum watch_end dropped(struct watch *w, const struct watch_op *x) {
  struct reg *r = (struct reg *)w;
  if (x->t.role == ROLE_READ)
    return WATCH_GOOD;
  uint32_t id = value_map_get(&r->map, x->t.arg[0]);
  if (r->groups.at[id].first != WATCH_NEVER)
    return bad(r, x->t.arg[0], " was seen, but never written");
  value_map_drop(&r->map, x->t.arg[0]);
  vec_push(&r->free, id);
  return WATCH_GOOD;
}

static void crashed(struct watch *w, const struct watch_op *x) {
  struct reg *r = (struct reg *)w;
  if (x->t.role == ROLE_WRITE)
    r->groups.at[value_map_get(&r->map, x->t.arg[0])].crashed = true;
}

/* One write and one or two reads have the same f and s. */
static void group_past(struct reg *r, const struct group *g, struct past *p) {
  const struct watch *w = &r->watch;
  uint64_t call = g->call * PAST_SCALE, first = g->first * PAST_SCALE;
  if (g->call && !g->open)
    past_add(p, &w->put, g->value, call, first);
  if (g->crashed)
    past_add(p, &w->put, g->value, call, WATCH_NEVER);
  if (g->open && g->first != WATCH_NEVER)
    past_add(p, &w->got, g->value, call + 1, first);
  if (g->last > g->call)
    past_add(p, &w->got, g->value, g->last * PAST_SCALE + 1, p->end++);
}

static bool past(struct watch *w, struct past *p) {
  struct reg *r = (struct reg *)w;
  forget(r);
  for (uint32_t i = 0; i < r->ngone; i++)
    group_past(r, &r->gone[i], p);
  for (uint32_t i = 0; i < r->map.size; i++)
    if (r->map.slots[i].id != WATCH_NONE)
      group_past(r, &r->groups.at[r->map.slots[i].id], p);
  return true;
}

static bool is_new(const struct watch *w) {
  (void)w;
  return false;
}

static uint64_t bytes(const struct watch *w) {
  const struct reg *r = (const struct reg *)w;
  return sizeof *r + r->map.size * sizeof *r->map.slots +
         r->groups.cap * sizeof *r->groups.at + r->free.cap * 4ull +
         r->size * (sizeof *r->order + 2 * sizeof *r->tree) + watch_bytes(w);
}

static void free_reg(struct watch *w) {
  struct reg *r = (struct reg *)w;
  free(r->map.slots);
  vec_free(&r->groups);
  vec_free(&r->free);
  free(r->order);
  free(r->tree);
  free(r);
}

static const struct watch_kind kind = {
    .called = called,
    .returned = returned,
    .dropped = dropped,
    .crashed = crashed,
    .past = past,
    .is_new = is_new,
    .bytes = bytes,
    .free = free_reg,
};

struct watch *watch_register(struct type *t) {
  struct reg *r = xcalloc(1, sizeof *r);
  r->watch.kind = &kind;
  r->watch.type = t;
  set_size(r, FEW);
  rebuild(r);
  struct group first = {.value = t->initial_value, .first = WATCH_NEVER};
  take_first(r, add_group(r, first));
  return &r->watch;
}
