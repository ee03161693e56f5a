/* Roles one by one, a line each where that is enough. */
/* clang-format off */
#include "oracle/roles.h"

#include <assert.h>
#include <string.h>

#define ROLE(name)                                                             \
  static enum naive_end name(struct naive_object *o, const int64_t *a,         \
                             int64_t *value)
#define UNUSED (void)o, (void)a, (void)value

static void insert(struct naive_object *o, uint32_t i, int64_t word) {
  assert(o->len < NAIVE_WORDS);
  memmove(o->at + i + 1, o->at + i, (o->len++ - i) * sizeof *o->at);
  o->at[i] = word;
}

static void drop(struct naive_object *o, uint32_t i) {
  memmove(o->at + i, o->at + i + 1, (--o->len - i) * sizeof *o->at);
}

static enum naive_end give(int64_t *value, int64_t v) {
  *value = v;
  return NAIVE_VALUE;
}

/* ---- containers ---- */

static enum naive_end add_at(struct naive_object *o, uint32_t i, int64_t word) {
  if (o->len >= o->capacity)
    return NAIVE_FULL;
  insert(o, i, word);
  return NAIVE_DONE;
}

static enum naive_end look(struct naive_object *o, bool last, bool take,
                           int64_t *value) {
  if (!o->len)
    return NAIVE_NONE;
  uint32_t i = last ? o->len - 1 : 0;
  *value = o->at[i];
  if (take)
    drop(o, i);
  return NAIVE_VALUE;
}

ROLE(push_first) { UNUSED; return add_at(o, 0, a[0]); }
ROLE(push_last) { UNUSED; return add_at(o, o->len, a[0]); }
ROLE(pop_first) { UNUSED; return look(o, false, true, value); }
ROLE(pop_last) { UNUSED; return look(o, true, true, value); }
ROLE(first) { UNUSED; return look(o, false, false, value); }
ROLE(last) { UNUSED; return look(o, true, false, value); }
ROLE(size) { UNUSED; return give(value, o->len); }
ROLE(pairs) { UNUSED; return give(value, o->len / 2); }
ROLE(drain) { UNUSED; *value = o->len; o->len = 0; return NAIVE_VALUE; }
ROLE(drain_pairs) { UNUSED; *value = o->len / 2; o->len = 0; return NAIVE_VALUE; }
ROLE(is_empty) { UNUSED; return give(value, o->len == 0); }
ROLE(clear) { UNUSED; o->len = 0; return NAIVE_DONE; }

ROLE(add_sorted) {
  UNUSED;
  uint32_t i = 0;
  while (i < o->len && o->at[i] < a[0])
    i++;
  return add_at(o, i, a[0]);
}

/* ---- sets and maps: the first place whose key is not smaller ---- */

static uint32_t place(const struct naive_object *o, uint32_t step, int64_t key,
                      bool *there) {
  uint32_t i = 0;
  while (i < o->len && o->at[i] < key)
    i += step;
  *there = i < o->len && o->at[i] == key;
  return i;
}

ROLE(set_add) {
  bool there;
  uint32_t i = place(o, 1, a[0], &there);
  if (!there)
    insert(o, i, a[0]);
  return give(value, !there);
}

ROLE(set_remove) {
  bool there;
  uint32_t i = place(o, 1, a[0], &there);
  if (there)
    drop(o, i);
  return give(value, there);
}

ROLE(set_contains) {
  bool there;
  place(o, 1, a[0], &there);
  return give(value, there);
}

static enum naive_end count(const struct naive_object *o, uint32_t step,
                            const int64_t *a, int64_t *value) {
  *value = 0;
  for (uint32_t i = 0; i < o->len; i += step)
    *value += a[0] <= o->at[i] && o->at[i] <= a[1];
  return NAIVE_VALUE;
}
ROLE(set_range) { return count(o, 1, a, value); }
ROLE(map_range) { return count(o, 2, a, value); }

ROLE(map_get) {
  bool there;
  uint32_t i = place(o, 2, a[0], &there);
  return there ? give(value, o->at[i + 1]) : NAIVE_NONE;
}

ROLE(map_contains) {
  bool there;
  place(o, 2, a[0], &there);
  return give(value, there);
}

ROLE(map_exchange) {
  bool there;
  uint32_t i = place(o, 2, a[0], &there);
  if (!there) {
    insert(o, i, a[1]);
    insert(o, i, a[0]);
    return NAIVE_NONE;
  }
  *value = o->at[i + 1];
  o->at[i + 1] = a[1];
  return NAIVE_VALUE;
}

ROLE(map_take) {
  bool there;
  uint32_t i = place(o, 2, a[0], &there);
  if (!there)
    return NAIVE_NONE;
  *value = o->at[i + 1];
  drop(o, i);
  drop(o, i);
  return NAIVE_VALUE;
}

ROLE(map_put) { return give(value, map_exchange(o, a, value) == NAIVE_NONE); }
ROLE(map_put_if_absent) {
  return map_get(o, a, value) == NAIVE_NONE ? map_put(o, a, value)
                                            : give(value, false);
}
ROLE(map_get_or_add) {
  if (map_get(o, a, value) == NAIVE_NONE)
    map_put(o, a, value);
  return map_get(o, a, value);
}
ROLE(map_replace) {
  return map_get(o, a, value) == NAIVE_NONE
             ? give(value, false)
             : give(value, !(map_put(o, a, value), *value));
}
ROLE(map_remove) { return give(value, map_take(o, a, value) == NAIVE_VALUE); }
ROLE(map_cas) {
  bool hit = map_get(o, a, value) == NAIVE_VALUE && *value == a[1];
  if (hit)
    map_put(o, (int64_t[]){a[0], a[2]}, value);
  return give(value, hit);
}

/* ---- cells ---- */

static int64_t swap(struct naive_object *o, int64_t word) {
  int64_t old = o->at[0];
  o->at[0] = word;
  return old;
}

static int64_t sum(int64_t x, int64_t y) {
  return (int64_t)((uint64_t)x + (uint64_t)y);
}
static int64_t less(int64_t x, int64_t y) {
  return (int64_t)((uint64_t)x - (uint64_t)y);
}

ROLE(reads) { UNUSED; return give(value, o->at[0]); }
ROLE(writes) { UNUSED; swap(o, a[0]); return NAIVE_DONE; }
ROLE(resets) { UNUSED; swap(o, o->initial); return NAIVE_DONE; }
ROLE(exchanges) { UNUSED; return give(value, swap(o, a[0])); }
ROLE(cas_fetch) {
  *value = o->at[0];
  if (*value == a[0])
    o->at[0] = a[1];
  return NAIVE_VALUE;
}
ROLE(cas) { return give(value, (cas_fetch(o, a, value), *value == a[0])); }
ROLE(inc) { UNUSED; swap(o, sum(o->at[0], 1)); return NAIVE_DONE; }
ROLE(dec) { UNUSED; swap(o, less(o->at[0], 1)); return NAIVE_DONE; }
ROLE(add) { UNUSED; swap(o, sum(o->at[0], a[0])); return NAIVE_DONE; }
ROLE(sub) { UNUSED; swap(o, less(o->at[0], a[0])); return NAIVE_DONE; }
ROLE(fetch_inc) { UNUSED; return give(value, swap(o, sum(o->at[0], 1))); }
ROLE(fetch_dec) { UNUSED; return give(value, swap(o, less(o->at[0], 1))); }
ROLE(fetch_add) { UNUSED; return give(value, swap(o, sum(o->at[0], a[0]))); }
ROLE(fetch_sub) { UNUSED; return give(value, swap(o, less(o->at[0], a[0]))); }
ROLE(inc_fetch) { inc(o, a, value); return give(value, o->at[0]); }
ROLE(dec_fetch) { dec(o, a, value); return give(value, o->at[0]); }
ROLE(add_fetch) { add(o, a, value); return give(value, o->at[0]); }
ROLE(sub_fetch) { sub(o, a, value); return give(value, o->at[0]); }

#define CONTAINER(type, size)                                                  \
  {type, "size", 0, 'n', size}, {type, "is_empty", 0, 'f', is_empty}, {        \
    type, "clear", 0, 's', clear                                               \
  }

const struct naive_role naive_roles[] = {
    {"stack", "push", 1, 's', push_last},
    {"stack", "pop", 0, 'd', pop_last},
    {"stack", "top", 0, 'd', last},
    {"stack", "drain", 0, 'n', drain},
    CONTAINER("stack", size),
    {"queue", "enqueue", 1, 's', push_last},
    {"queue", "dequeue", 0, 'd', pop_first},
    {"queue", "front", 0, 'd', first},
    {"queue", "drain", 0, 'n', drain},
    CONTAINER("queue", size),
    {"deque", "push_left", 1, 's', push_first},
    {"deque", "push_right", 1, 's', push_last},
    {"deque", "pop_left", 0, 'd', pop_first},
    {"deque", "pop_right", 0, 'd', pop_last},
    {"deque", "left", 0, 'd', first},
    {"deque", "right", 0, 'd', last},
    {"deque", "drain", 0, 'n', drain},
    CONTAINER("deque", size),
    {"set", "add", 1, 'f', set_add},
    {"set", "remove", 1, 'f', set_remove},
    {"set", "contains", 1, 'f', set_contains},
    {"set", "count_range", 2, 'n', set_range},
    {"set", "drain", 0, 'n', drain},
    CONTAINER("set", size),
    {"map", "put", 2, 'f', map_put},
    {"map", "get", 1, 'd', map_get},
    {"map", "remove", 1, 'f', map_remove},
    {"map", "contains", 1, 'f', map_contains},
    {"map", "put_if_absent", 2, 'f', map_put_if_absent},
    {"map", "replace", 2, 'f', map_replace},
    {"map", "exchange", 2, 'd', map_exchange},
    {"map", "take", 1, 'd', map_take},
    {"map", "cas", 3, 'f', map_cas},
    {"map", "get_or_add", 2, 'd', map_get_or_add},
    {"map", "count_range", 2, 'n', map_range},
    {"map", "drain", 0, 'n', drain_pairs},
    CONTAINER("map", pairs),
    {"register", "read", 0, 'd', reads},
    {"register", "write", 1, 's', writes},
    {"register", "cas", 2, 'f', cas},
    {"register", "exchange", 1, 'd', exchanges},
    {"register", "cas_fetch", 2, 'd', cas_fetch},
    {"counter", "inc", 0, 's', inc},
    {"counter", "dec", 0, 's', dec},
    {"counter", "add", 1, 's', add},
    {"counter", "sub", 1, 's', sub},
    {"counter", "get", 0, 'n', reads},
    {"counter", "reset", 0, 's', resets},
    {"counter", "fetch_inc", 0, 'n', fetch_inc},
    {"counter", "fetch_dec", 0, 'n', fetch_dec},
    {"counter", "fetch_add", 1, 'n', fetch_add},
    {"counter", "fetch_sub", 1, 'n', fetch_sub},
    {"counter", "inc_fetch", 0, 'n', inc_fetch},
    {"counter", "dec_fetch", 0, 'n', dec_fetch},
    {"counter", "add_fetch", 1, 'n', add_fetch},
    {"counter", "sub_fetch", 1, 'n', sub_fetch},
    {"pqueue", "insert", 1, 's', add_sorted},
    {"pqueue", "remove_min", 0, 'd', pop_first},
    {"pqueue", "min", 0, 'd', first},
    {"pqueue", "remove_max", 0, 'd', pop_last},
    {"pqueue", "max", 0, 'd', last},
    {"pqueue", "drain", 0, 'n', drain},
    CONTAINER("pqueue", size),
    {NULL, NULL, 0, 0, NULL},
};
