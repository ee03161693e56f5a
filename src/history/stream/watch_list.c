/*
 * Watches a list that is appended to and read as a whole; each item is appended
 * once (monitor_list.c has the condition).
 *
 * The longest read fixes the order of its items.  Version v is the append of
 * the v-th item and the reads of length v.  Appends that no read shows belong
 * to the version after the last.  There is an order iff no operation of a later
 * version returned before an operation of an earlier version was called.  An
 * open append counts once a read shows its item.
 *   append(a)  append(b)  read() = [b, a]      wrong: a, version 2, was first
 *
 * Let f be the first return of a version.  An append that returns cannot break
 * the condition, since no call comes after its return.  So the watch looks at
 * each read that returns, of version v, called at c:
 * - it and the longest read must begin alike;
 * - no version after v has f < c;
 * - if it is the longest now: each new item was appended, once, and the appends
 *   of these items and of the unread ones are in order.  Calls need not be
 *   remembered: a version whose f is not known yet will get one that is later
 *   than all of them.
 *
 * Let `oldest` be the first call of an open read.  No open read may return less
 * than the last version with f < oldest: earlier versions are forgotten, except
 * for their items.  A version whose append is open stays until that returns,
 * since in the past each item has one append.
 */
#include "history/stream/watch.h"

#include <assert.h>
#include <string.h>

struct list_append {
  datum item;
  uint64_t call, ret; /* WATCH_NEVER: it did not return */
  bool crashed;
};

struct list_version {
  struct list_append append;
  uint64_t read_call, read_ret; /* of the first read; WATCH_NEVER: none */
};

struct list_watch {
  struct watch watch;
  datum longest;                  /* read, or what the list begins with */
  uint32_t start;                 /* length of the initial list */
  uint32_t base;                  /* versions before this are forgotten */
  VEC(struct list_version) live;  /* from `base` on */
  VEC(struct list_append) unread; /* in no order */
  struct value_map map;           /* items to 2 * place in `unread`, or to
                                     2 * version + 1 */
  uint32_t ninitial;              /* items of the initial list, in the map */
  uint32_t forget_at; /* number of live versions at which some are forgotten */
};

enum { FEW = 16 };

static uint32_t length(const struct list_watch *l) {
  return datum_box(l->longest)->len;
}

static uint64_t first_return(const struct list_version *v) {
  return v->append.ret < v->read_ret ? v->append.ret : v->read_ret;
}

static enum watch_end bad(struct list_watch *l, datum item, const char *why) {
  datum_print(item, &l->watch.why);
  buf_puts(&l->watch.why, why);
  return WATCH_BAD;
}

/* ---- appends ---- */

static enum watch_end called(struct watch *w, const struct watch_op *x) {
  struct list_watch *l = (struct list_watch *)w;
  if (x->t.role == ROLE_READ)
    return WATCH_GOOD;
  if (x->t.role != ROLE_APPEND ||
      value_map_get(&l->map, x->t.arg[0]) != WATCH_NONE)
    return WATCH_CANNOT;
  form_learn(&w->put, &x->op, &x->t);
  value_map_put(&l->map, x->t.arg[0], 2 * l->unread.len);
  vec_push(&l->unread,
           ((struct list_append){x->t.arg[0], x->call, WATCH_NEVER, false}));
  return WATCH_GOOD;
}

/* The append of an item; NULL: it is forgotten. */
static struct list_append *append_of(struct list_watch *l, datum item) {
  uint32_t id = value_map_get(&l->map, item);
  if (id % 2 == 0)
    return &l->unread.at[id / 2];
  return id / 2 < l->base ? NULL : &l->live.at[id / 2 - l->base].append;
}

static void take_unread(struct list_watch *l, uint32_t place) {
  struct list_append last = vec_pop(&l->unread);
  if (place == l->unread.len)
    return;
  l->unread.at[place] = last;
  value_map_put(&l->map, last.item, 2 * place);
}

static enum watch_end dropped(struct watch *w, const struct watch_op *x) {
  struct list_watch *l = (struct list_watch *)w;
  if (x->t.role == ROLE_READ)
    return WATCH_GOOD;
  uint32_t id = value_map_get(&l->map, x->t.arg[0]);
  if (id % 2)
    return bad(l, x->t.arg[0], " was read, but never appended");
  value_map_drop(&l->map, x->t.arg[0]);
  take_unread(l, id / 2);
  return WATCH_GOOD;
}

static void crashed(struct watch *w, const struct watch_op *x) {
  struct list_watch *l = (struct list_watch *)w;
  struct list_append *a =
      x->t.role == ROLE_APPEND ? append_of(l, x->t.arg[0]) : NULL;
  if (a)
    a->crashed = true;
}

/* ---- reads ---- */

/* A read called at `call` did not return the item.  Wrong if an operation that
 * shows the item had returned before. */
static enum watch_end lacks(struct list_watch *l, uint64_t ret, uint64_t call,
                            datum item) {
  if (ret > call)
    return WATCH_GOOD;
  return bad(l, item, " was in the list before this read was called");
}

static enum watch_end lacks_unread(struct list_watch *l, uint64_t call) {
  for (uint32_t i = 0; i < l->unread.len; i++)
    if (lacks(l, l->unread.at[i].ret, call, l->unread.at[i].item) == WATCH_BAD)
      return WATCH_BAD;
  return WATCH_GOOD;
}

static enum watch_end read_short(struct list_watch *l, uint32_t v,
                                 uint64_t call) {
  const datum *items = datum_box(l->longest)->items;
  if (v < l->base)
    return bad(l, items[l->base - 1],
               " was in the list before this read was called");
  for (uint32_t k = v + 1 - l->base; k < l->live.len; k++)
    if (lacks(l, first_return(&l->live.at[k]), call, items[l->base + k - 1]) ==
        WATCH_BAD)
      return WATCH_BAD;
  return lacks_unread(l, call);
}

/* Places the next item of a read that is longer than all before; *last is the
 * last call of the appends before it. */
static enum watch_end place(struct list_watch *l, datum item, uint64_t *last) {
  uint32_t id = value_map_get(&l->map, item);
  if (id == WATCH_NONE)
    return bad(l, item, " was not appended");
  if (id % 2)
    return bad(l, item, " was appended only once");
  struct list_version v = {l->unread.at[id / 2], WATCH_NEVER, WATCH_NEVER};
  if (v.append.ret < *last)
    return bad(l, item, " was appended before an item that stands ahead of it");
  if (v.append.call > *last)
    *last = v.append.call;
  take_unread(l, id / 2);
  vec_push(&l->live, v);
  value_map_put(&l->map, item, 2 * (l->base + l->live.len - 1) + 1);
  return WATCH_GOOD;
}

static enum watch_end read_long(struct list_watch *l, datum read,
                                uint64_t call) {
  const struct datum_box *b = datum_box(read);
  uint64_t last = 0;
  for (uint32_t i = length(l); i < b->len; i++)
    if (place(l, b->items[i], &last) == WATCH_BAD)
      return WATCH_BAD;
  l->longest = read;
  return lacks_unread(l, last > call ? last : call);
}

static enum watch_end read_returned(struct list_watch *l,
                                    const struct watch_op *x, datum read) {
  if (datum_kind(read) != DATUM_IS_LIST)
    return bad(l, read, " is not a list");
  const struct datum_box *b = datum_box(read), *all = datum_box(l->longest);
  uint32_t both = b->len < all->len ? b->len : all->len;
  if (b->len < l->start)
    return bad(l, l->watch.type->initial_value, " was in the list at first");
  for (uint32_t i = 0; i < both && read != l->longest; i++)
    if (b->items[i] != all->items[i])
      return bad(l, all->items[i], " was read at this position before");
  enum watch_end end = b->len > all->len ? read_long(l, read, x->call)
                                         : read_short(l, b->len, x->call);
  if (end == WATCH_BAD)
    return end;
  struct list_version *v = &l->live.at[b->len - l->base];
  if (v->read_ret == WATCH_NEVER) {
    v->read_call = x->call;
    v->read_ret = l->watch.now;
  }
  return WATCH_GOOD;
}

/* ---- forgetting ---- */

static void forget(struct list_watch *l) {
  const struct watch *w = &l->watch;
  uint64_t oldest = w->now;
  uint32_t n = l->live.len - 1;
  for (uint32_t i = 0; i < w->open.len; i++) {
    const struct watch_op *x = &w->open.at[i];
    if (!x->lost && x->t.role == ROLE_READ && x->call < oldest)
      oldest = x->call;
  }
  while (n && first_return(&l->live.at[n]) >= oldest)
    n--;
  for (uint32_t i = 0; i < w->open.len; i++) {
    const struct watch_op *x = &w->open.at[i];
    if (x->lost || x->t.role != ROLE_APPEND)
      continue;
    uint32_t id = value_map_get(&l->map, x->t.arg[0]);
    if (id % 2 && id / 2 >= l->base && id / 2 - l->base < n)
      n = id / 2 - l->base;
  }
  for (uint32_t i = n; i < l->live.len && n; i++)
    l->live.at[i - n] = l->live.at[i];
  l->live.len -= n;
  l->base += n;
  l->forget_at = 2 * l->live.len + FEW;
}

static enum watch_end returned(struct watch *w, const struct watch_op *x,
                               const struct type_op *t) {
  struct list_watch *l = (struct list_watch *)w;
  enum watch_end end = WATCH_GOOD;
  if (t->op->failed)
    return dropped(w, x);
  if (t->role == ROLE_APPEND) {
    struct list_append *a = append_of(l, t->arg[0]);
    if (a)
      a->ret = w->now;
  } else if (!t->any_result) {
    form_learn(&w->got, t->op, t);
    end = read_returned(l, x, t->result);
  }
  if (end == WATCH_GOOD && l->live.len >= l->forget_at)
    forget(l);
  return end;
}

/* Open reads make the watch remember versions, and so do open appends whose
 * item was read. */
static bool gives_up(struct watch *w, const struct watch_op *x) {
  struct list_watch *l = (struct list_watch *)w;
  return x->t.role == ROLE_READ || value_map_get(&l->map, x->t.arg[0]) % 2;
}

/* ---- the past ---- */

/* The forgotten items are appended in order, one an event from the first event
 * on: at least as many events came before the first return of a live version.
 */
static void forgotten_past(const struct list_watch *l, struct watch_past *p) {
  const datum *items = datum_box(l->longest)->items;
  for (uint32_t i = l->start; i + 1 < l->base; i++) {
    uint64_t time = (i - l->start) * (uint64_t)PAST_SCALE + 1;
    past_add(p, &l->watch.put, items[i], time, time + 1);
  }
}

static void append_past(const struct list_watch *l, const struct list_append *a,
                        struct watch_past *p) {
  if (a->ret != WATCH_NEVER)
    past_add(p, &l->watch.put, a->item, a->call * PAST_SCALE,
             a->ret * PAST_SCALE);
  else if (a->crashed)
    past_add(p, &l->watch.put, a->item, a->call * PAST_SCALE, WATCH_NEVER);
}

static bool past(struct watch *w, struct watch_past *p) {
  struct list_watch *l = (struct list_watch *)w;
  const datum *items = datum_box(l->longest)->items;
  bool known = true;
  forget(l);
  forgotten_past(l, p);
  for (uint32_t i = 0; i < l->live.len; i++) {
    const struct list_version *v = &l->live.at[i];
    if (l->base + i > l->start)
      append_past(l, &v->append, p);
    if (v->read_ret != WATCH_NEVER)
      past_add(p, &w->got, datum_list(items, l->base + i),
               v->read_call * PAST_SCALE, v->read_ret * PAST_SCALE);
  }
  for (uint32_t i = 0; i < l->unread.len; i++)
    append_past(l, &l->unread.at[i], p);
  for (uint32_t i = 0; i < w->open.len; i++)
    known &= !w->open.at[i].lost;
  return known;
}

static bool is_new(const struct watch *w) {
  const struct list_watch *l = (const struct list_watch *)w;
  return l->map.n == l->ninitial;
}

static uint64_t bytes(const struct watch *w) {
  const struct list_watch *l = (const struct list_watch *)w;
  return sizeof *l + watch_bytes(w) + l->live.cap * sizeof *l->live.at +
         l->unread.cap * sizeof *l->unread.at +
         l->map.size * sizeof *l->map.slots;
}

static void free_list(struct watch *w) {
  struct list_watch *l = (struct list_watch *)w;
  vec_free(&l->live);
  vec_free(&l->unread);
  free(l->map.slots);
  free(l);
}

static const struct watch_kind kind = {
    .called = called,
    .returned = returned,
    .dropped = dropped,
    .crashed = crashed,
    .gives_up = gives_up,
    .past = past,
    .is_new = is_new,
    .bytes = bytes,
    .free = free_list,
};

struct watch *watch_list(struct type *t) {
  if (datum_kind(t->initial_value) != DATUM_IS_LIST)
    return NULL;
  struct list_watch *l = xcalloc(1, sizeof *l);
  const struct datum_box *start = datum_box(t->initial_value);
  l->watch.kind = &kind;
  l->watch.type = t;
  l->longest = t->initial_value;
  l->start = l->base = start->len;
  for (uint32_t i = 0; i < start->len; i++)
    value_map_put(&l->map, start->items[i], 1);
  l->ninitial = l->map.n;
  l->forget_at = FEW;
  vec_push(&l->live, ((struct list_version){
                         .append = {.item = DATUM_NONE, .ret = 0},
                         .read_call = WATCH_NEVER,
                         .read_ret = WATCH_NEVER,
                     }));
  return &l->watch;
}
