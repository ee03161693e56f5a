/*
 * Watches a register.  No value is written while an equal one may still be
 * read.
 *
 * A group is a write and the reads of its value.  f is the first return and s
 * the last call of the operations of the group that returned.  A successful
 * compare-and-set begins the group that follows the group of its old value
 * directly.  Such groups form a chain, with F its first return and S its last
 * call.  Most chains are one group.  There is an order iff (monitor_register.c)
 *
 * (R1) No two chains are each before the other: not F(u) < S(v) and F(v) <
 *      S(u).
 *        write(1)  write(2)  read() = 1      wrong: 1 before 2 before 1
 * (R2) In a chain no group has f < s of a group that comes before it.
 *        write(1)  cas(1, 2)  read() = 1     wrong: f(2) < s(1)
 * (R3) No value was replaced twice, and each replaced value had been written.
 *        write(1)  cas(1, 2)  cas(1, 3)      wrong
 *
 * An open compare-and-set counts for nothing until its value is read or
 * replaced: then it took effect, and its group joins the chain of the value
 * that it replaced; if that was written by another open compare-and-set, that
 * one joins first.  So when a group joins a chain, its first return is the
 * event now or still to come.
 *
 * The first return of a chain cannot break R1 or R2, since no call comes after
 * it.  So the watch looks at each operation of a group v that returns, called
 * at c.  R2: does a group behind v have f < c?  R1: is there another chain u
 * with F(u) < c and F(v) < S(u)?  The greatest S of all chains with F < c
 * answers that.
 *
 * Let `oldest` be the first call of an open read or compare-and-set.  A chain v
 * is over if such a u has F(u) < oldest: no open operation may return its
 * value.  Of chains that are over and have F < oldest only the greatest S
 * matters.  So they are forgotten, except the two with the greatest S, and
 * chains whose write is open.  The other chains with F < oldest, but for one,
 * had open writes when the first of them returned: they are no more than
 * operations were open then.  In a chain, groups before a group with f < oldest
 * are forgotten.
 *
 * A value that is written again after its group was forgotten is a new value:
 * reads that returned before belong to the first write, later ones to the
 * second.
 *
 * A failed compare-and-set says that its old value was not there at some
 * moment.  Nothing follows from that if the value was not written yet when the
 * operation was called, or is over when it returns.  Otherwise search goes on.
 */
#include "history/stream/watch_register_int.h"

#include <assert.h>

enum { FEW = 8 };

/* ---- chains by first return ---- */

static void set_last(struct register_watch *r, uint32_t place, uint64_t last) {
  uint32_t i = r->size + place;
  r->tree[i] = last;
  for (i /= 2; i; i /= 2) {
    uint64_t a = r->tree[2 * i], b = r->tree[2 * i + 1];
    r->tree[i] = a > b ? a : b;
  }
}

/* The greatest S at places from … to - 1. */
static uint64_t greatest(const struct register_watch *r, uint32_t from,
                         uint32_t to) {
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

/* How many chains have their first return before a time. */
static uint32_t places_before(const struct register_watch *r, uint64_t time) {
  uint32_t lo = 0, hi = r->len;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (r->chains.at[r->order[mid]].first < time)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void set_size(struct register_watch *r, uint32_t size) {
  r->size = size;
  r->order = xrealloc(r->order, size * sizeof *r->order);
  r->tree = xrealloc(r->tree, 2ull * size * sizeof *r->tree);
}

static void rebuild(struct register_watch *r) {
  for (uint32_t i = 0; i < r->size; i++)
    r->tree[r->size + i] = i < r->len ? r->chains.at[r->order[i]].last : 0;
  for (uint32_t i = r->size; --i;) {
    uint64_t a = r->tree[2 * i], b = r->tree[2 * i + 1];
    r->tree[i] = a > b ? a : b;
  }
}

/* Whether another chain u with F(u) < c is certainly behind v: F(v) < S(u). */
static bool is_over(const struct register_watch *r, const struct reg_chain *v,
                    uint64_t c) {
  if (r->ngone && r->gone[0].last > v->first)
    return true;
  uint32_t until = places_before(r, c), own = places_before(r, v->first);
  if (own >= until)
    return greatest(r, 0, until) > v->first;
  return greatest(r, 0, own) > v->first ||
         greatest(r, own + 1, until) > v->first;
}

/* ---- forgetting ---- */

static void drop_group(struct register_watch *r, uint32_t id) {
  value_map_drop(&r->map, r->groups.at[id].value);
  vec_push(&r->free_groups, id);
}

static void drop_chain(struct register_watch *r, uint32_t id) {
  for (uint32_t g = r->chains.at[id].head; g != WATCH_NONE;
       g = r->groups.at[g].next)
    drop_group(r, g);
  vec_push(&r->free_chains, id);
}

/* most[0] and most[1]: the two chains with the greatest S, of those seen. */
static void keep_greatest(const struct reg_chain **most,
                          const struct reg_chain *v) {
  if (!most[0] || v->last > most[0]->last) {
    most[1] = most[0];
    most[0] = v;
  } else if (!most[1] || v->last > most[1]->last) {
    most[1] = v;
  }
}

/* Whether the write that the chain begins with is open.  (Open compare-and-sets
 * were called at or after `oldest`: their chains are not over.) */
static bool is_writing(const struct register_watch *r,
                       const struct reg_chain *v) {
  const struct reg_group *g = &r->groups.at[v->head];
  return g->open && !g->crashed && g->old == DATUM_NONE;
}

static uint64_t oldest_look(const struct register_watch *r) {
  uint64_t oldest = r->watch.now;
  for (uint32_t i = 0; i < r->watch.open.len; i++) {
    const struct watch_op *x = &r->watch.open.at[i];
    if (x->t.role != ROLE_WRITE && !x->lost && x->call < oldest)
      oldest = x->call;
  }
  return oldest;
}

/* Forgets groups at the beginning of a chain that no open operation may return:
 * a later group has f < oldest. */
static void cut_chain(struct register_watch *r, struct reg_chain *v,
                      uint64_t oldest) {
  uint32_t last = v->head;
  for (uint32_t g = v->head; g != WATCH_NONE; g = r->groups.at[g].next)
    if (r->groups.at[g].first < oldest)
      last = g;
  while (v->head != last && !is_writing(r, v)) {
    const struct reg_group *head = &r->groups.at[v->head];
    if (head->last > v->cut_last)
      v->cut_last = head->last;
    drop_group(r, v->head);
    v->head = head->next;
    v->cut = true;
  }
}

void reg_forget(struct register_watch *r) {
  const struct reg_chain *most[2] = {r->ngone ? &r->gone[0] : NULL,
                                     r->ngone > 1 ? &r->gone[1] : NULL};
  const struct reg_chain *left[2] = {most[0], most[1]};
  uint64_t oldest = oldest_look(r);
  uint32_t n = 0, until = places_before(r, oldest);
  for (uint32_t i = 0; i < until; i++)
    keep_greatest(most, &r->chains.at[r->order[i]]);
  for (uint32_t i = 0; i < r->len; i++) {
    uint32_t id = r->order[i];
    struct reg_chain *v = &r->chains.at[id];
    const struct reg_chain *other = most[most[0] == v];
    if (i >= until || !other || other->last < v->first || is_writing(r, v)) {
      r->order[n++] = id;
      cut_chain(r, v, oldest);
      continue;
    }
    keep_greatest(left, v);
    drop_chain(r, id);
  }
  struct reg_chain gone[2];
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
  r->forget_at = 2 * r->map.n + FEW;
}

/* ---- groups ---- */

static uint32_t add_chain(struct register_watch *r, struct reg_chain v) {
  uint32_t id = r->chains.len;
  if (r->free_chains.len)
    r->chains.at[id = vec_pop(&r->free_chains)] = v;
  else
    vec_push(&r->chains, v);
  return id;
}

static uint32_t add_group(struct register_watch *r, struct reg_group g) {
  uint32_t id = r->groups.len;
  if (r->free_groups.len)
    id = vec_pop(&r->free_groups);
  else
    vec_push(&r->groups, g);
  g.next = g.chain = WATCH_NONE;
  if (g.old == DATUM_NONE)
    g.chain = add_chain(r, (struct reg_chain){.call = g.call,
                                              .first = WATCH_NEVER,
                                              .last = g.call,
                                              .head = id});
  r->groups.at[id] = g;
  value_map_put(&r->map, g.value, id);
  return id;
}

/* The event now is the first return of the chain. */
static void take_first(struct register_watch *r, uint32_t id) {
  if (r->len == r->size)
    reg_forget(r);
  struct reg_chain *v = &r->chains.at[id];
  assert(!r->len ||
         r->chains.at[r->order[r->len - 1]].first <= r->watch.now); /* R4 */
  v->first = r->watch.now;
  r->order[r->len] = id;
  set_last(r, r->len++, v->last);
}

static enum watch_end bad(struct register_watch *r, datum value,
                          const char *why) {
  datum_print(value, &r->watch.why);
  buf_puts(&r->watch.why, why);
  return WATCH_BAD;
}

/* An operation of the chain, called at `call`, took effect.  False: (R1) fails.
 */
static bool take_last(struct register_watch *r, uint32_t id, uint64_t call) {
  struct reg_chain *v = &r->chains.at[id];
  if (call <= v->last)
    return true;
  if (v->first != WATCH_NEVER) {
    if (is_over(r, v, call))
      return false;
    set_last(r, places_before(r, v->first), call);
  }
  v->last = call;
  return true;
}

/* The compare-and-set took effect, and so did those that wrote the values
 * before it: all of them join the chain (R3).  A ring of compare-and-sets has
 * no beginning; it is found as a value that was replaced twice. */
static enum watch_end link_group(struct register_watch *r, uint32_t id) {
  uint32_t root = id;
  while (r->groups.at[root].chain == WATCH_NONE) {
    datum old = r->groups.at[root].old;
    uint32_t before = value_map_get(&r->map, old);
    if (before == WATCH_NONE)
      return bad(r, old, " was not written, or has been overwritten since");
    if (r->groups.at[before].next != WATCH_NONE)
      return bad(r, old, " was already replaced by another value");
    r->groups.at[before].next = root;
    root = before;
  }
  uint32_t chain = r->groups.at[root].chain;
  for (uint32_t k = r->groups.at[root].next; k != WATCH_NONE;
       k = r->groups.at[k].next) {
    r->groups.at[k].chain = chain;
    if (!take_last(r, chain, r->groups.at[k].call))
      return bad(r, r->groups.at[k].old,
                 " was overwritten before the compare-and-set that replaced it "
                 "was called");
  }
  return WATCH_GOOD;
}

/* An operation of the group returned. */
static enum watch_end take_return(struct register_watch *r, uint32_t id,
                                  uint64_t call) {
  if (r->groups.at[id].chain == WATCH_NONE && link_group(r, id) == WATCH_BAD)
    return WATCH_BAD;
  struct reg_group *g = &r->groups.at[id];
  for (uint32_t k = g->next; k != WATCH_NONE; k = r->groups.at[k].next)
    if (r->groups.at[k].first < call) /* R2 */
      return bad(r, g->value, " was replaced before this operation was called");
  if (!take_last(r, g->chain, call))
    return bad(r, g->value,
               " was overwritten before this operation was called");
  if (call > g->last)
    g->last = call;
  if (g->first == WATCH_NEVER)
    g->first = r->watch.now;
  if (r->chains.at[g->chain].first == WATCH_NEVER)
    take_first(r, g->chain);
  return WATCH_GOOD;
}

/* ---- events ---- */

static enum watch_end called(struct watch *w, const struct watch_op *x) {
  struct register_watch *r = (struct register_watch *)w;
  bool compares = x->t.role == ROLE_CAS;
  if (x->t.role == ROLE_READ)
    return WATCH_GOOD;
  if (x->t.role != ROLE_WRITE && !compares)
    return WATCH_CANNOT;
  datum value = x->t.arg[compares];
  if (value_map_get(&r->map, value) != WATCH_NONE || r->map.n >= r->forget_at) {
    reg_forget(r);
    if (value_map_get(&r->map, value) != WATCH_NONE)
      return WATCH_CANNOT;
  }
  form_learn(compares ? &w->getting : &w->put, &x->op, &x->t);
  add_group(r, (struct reg_group){.value = value,
                                  .old = compares ? x->t.arg[0] : DATUM_NONE,
                                  .call = x->call,
                                  .first = WATCH_NEVER,
                                  .last = x->call,
                                  .open = true});
  return WATCH_GOOD;
}

static enum watch_end read_returned(struct register_watch *r,
                                    const struct watch_op *x, datum value) {
  uint32_t id = value_map_get(&r->map, value);
  if (id == WATCH_NONE)
    return bad(r, value, " was not written, or has been overwritten since");
  return take_return(r, id, x->call);
}

/* The group of an open write or compare-and-set.  WATCH_NONE: it was forgotten,
 * because the operation had been given up. */
static uint32_t written_by(const struct register_watch *r,
                           const struct watch_op *x) {
  uint32_t id = value_map_get(&r->map, x->t.arg[x->t.role == ROLE_CAS]);
  bool found = id != WATCH_NONE && r->groups.at[id].call == x->call;
  assert(found || x->lost);
  return found ? id : WATCH_NONE;
}

static enum watch_end dropped(struct watch *w, const struct watch_op *x) {
  struct register_watch *r = (struct register_watch *)w;
  if (x->t.role == ROLE_READ)
    return WATCH_GOOD;
  uint32_t id = written_by(r, x), chain = r->groups.at[id].chain;
  if (x->t.role == ROLE_CAS ? chain != WATCH_NONE
                            : r->chains.at[chain].first != WATCH_NEVER)
    return bad(r, r->groups.at[id].value, " was seen, but never written");
  if (chain == WATCH_NONE)
    drop_group(r, id);
  else
    drop_chain(r, chain);
  return WATCH_GOOD;
}

/* Whether nothing follows from a compare-and-set that fails now: its old value
 * was certainly not there at some moment of its interval. */
static bool was_missing(const struct register_watch *r,
                        const struct watch_op *x) {
  uint32_t id = value_map_get(&r->map, x->t.arg[0]);
  if (id == WATCH_NONE || r->groups.at[id].call > x->call ||
      r->groups.at[id].next != WATCH_NONE)
    return true;
  uint32_t chain = r->groups.at[id].chain;
  return chain != WATCH_NONE && r->chains.at[chain].first != WATCH_NEVER &&
         is_over(r, &r->chains.at[chain], r->watch.now);
}

static enum watch_end returned(struct watch *w, const struct watch_op *x,
                               const struct type_op *t) {
  struct register_watch *r = (struct register_watch *)w;
  if (t->role == ROLE_CAS && t->result == DATUM_FALSE)
    return was_missing(r, x) ? dropped(w, x) : WATCH_CANNOT;
  if (t->op->failed)
    return dropped(w, x);
  if (t->role == ROLE_READ) {
    if (t->any_result)
      return WATCH_GOOD;
    form_learn(&w->got, t->op, t);
    return read_returned(r, x, t->result);
  }
  uint32_t id = written_by(r, x);
  r->groups.at[id].open = false;
  return take_return(r, id, x->call);
}

static void crashed(struct watch *w, const struct watch_op *x) {
  struct register_watch *r = (struct register_watch *)w;
  uint32_t id = x->t.role == ROLE_READ ? WATCH_NONE : written_by(r, x);
  if (id != WATCH_NONE)
    r->groups.at[id].crashed = true;
}

/* Only reads and compare-and-sets make the watch remember others. */
static bool gives_up(struct watch *w, const struct watch_op *x) {
  (void)w;
  return x->t.role != ROLE_WRITE;
}

static bool is_new(const struct watch *w) {
  (void)w;
  return false;
}

static uint64_t bytes(const struct watch *w) {
  const struct register_watch *r = (const struct register_watch *)w;
  return sizeof *r + r->map.size * sizeof *r->map.slots +
         r->groups.cap * sizeof *r->groups.at +
         r->chains.cap * sizeof *r->chains.at +
         (r->free_groups.cap + r->free_chains.cap) * 4ull +
         r->size * (sizeof *r->order + 2 * sizeof *r->tree) + watch_bytes(w);
}

static void free_reg(struct watch *w) {
  struct register_watch *r = (struct register_watch *)w;
  free(r->map.slots);
  vec_free(&r->groups);
  vec_free(&r->chains);
  vec_free(&r->free_groups);
  vec_free(&r->free_chains);
  free(r->order);
  free(r->tree);
  free(r);
}

static const struct watch_kind kind = {
    .called = called,
    .returned = returned,
    .dropped = dropped,
    .crashed = crashed,
    .gives_up = gives_up,
    .past = watch_register_past,
    .is_new = is_new,
    .bytes = bytes,
    .free = free_reg,
};

struct watch *watch_register(struct type *t) {
  struct register_watch *r = xcalloc(1, sizeof *r);
  r->watch.kind = &kind;
  r->watch.type = t;
  r->forget_at = FEW;
  set_size(r, FEW);
  rebuild(r);
  uint32_t id = add_group(r, (struct reg_group){.value = t->initial_value,
                                                .old = DATUM_NONE,
                                                .first = 0});
  take_first(r, r->groups.at[id].chain);
  return &r->watch;
}
