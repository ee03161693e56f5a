/* The events of a stack or priority queue: watch_box_int.h has the conditions.
 */
#include "history/stream/watch_box_int.h"

#include "base/slow.h"

#include <assert.h>
#include <string.h>

static enum watch_end bad(struct box_watch *b, datum value, const char *why) {
  if (value != DATUM_NONE)
    datum_print(value, &b->watch.why);
  buf_puts(&b->watch.why, why);
  return WATCH_BAD;
}

/* ---- values ---- */

static void add_value(struct box_watch *b, const struct watch_op *x) {
  datum priority = x->t.arg[1] != DATUM_NONE ? x->t.arg[1] : x->t.arg[0];
  struct box_value v = {.value = x->t.arg[0],
                        .rank = b->stack ? DATUM_NONE : priority,
                        .call = x->call,
                        .came = WATCH_NEVER,
                        .last = x->call,
                        .left = WATCH_NEVER,
                        .by = WATCH_NEVER,
                        .open = true};
  uint32_t id = b->values.len;
  if (b->free.len)
    b->values.at[id = vec_pop(&b->free)] = v;
  else
    vec_push(&b->values, v);
  value_map_put(&b->map, v.value, id);
  vec_push(&b->coming, id);
}

static void remove_id(uint32_t *at, uint32_t *len, uint32_t i) {
  --*len;
  memmove(at + i, at + i + 1, (*len - i) * sizeof *at);
}

static void remove_from(uint32_t *at, uint32_t *len, uint32_t id) {
  for (uint32_t i = 0; i < *len; i++)
    if (at[i] == id) {
      remove_id(at, len, i);
      return;
    }
}

void box_drop(struct box_watch *b, uint32_t id) {
  struct box_value *v = box_at(b, id);
  if (value_map_get(&b->map, v->value) == id)
    value_map_drop(&b->map, v->value);
  b->look_bytes -= v->looks.cap * sizeof *v->looks.at;
  vec_free(&v->looks);
  vec_push(&b->free, id);
}

/* The place of the value in `inside`, or the place where it belongs. */
static uint32_t place_inside(const struct box_watch *b, uint32_t id) {
  const struct box_value *v = box_at(b, id);
  uint32_t lo = 0, hi = b->inside.len;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    const struct box_value *x = box_at(b, b->inside.at[mid]);
    if (b->stack ? x->came < v->came : box_better(b, v->rank, x->rank))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* The first operation on the value returns. */
static void come(struct box_watch *b, uint32_t id) {
  box_at(b, id)->came = b->watch.now;
  remove_from(b->coming.at, &b->coming.len, id);
  uint32_t at = place_inside(b, id);
  vec_push(&b->inside, id);
  memmove(b->inside.at + at + 1, b->inside.at + at,
          (b->inside.len - 1 - at) * sizeof *b->inside.at);
  b->inside.at[at] = id;
}

static void leave(struct box_watch *b, uint32_t id) {
  struct box_value *v = box_at(b, id);
  uint32_t at = place_inside(b, id);
  while (b->inside.at[at] != id)
    at++;
  remove_id(b->inside.at, &b->inside.len, at);
  if (v->looking)
    remove_from(b->lookers.at, &b->lookers.len, id);
  if (v->by != WATCH_NEVER)
    remove_from(b->taken.at, &b->taken.len, id);
  v->looking = false;
  v->by = WATCH_NEVER;
}

/* ---- open operations ---- */

static uint32_t taker_of(const struct box_watch *b, uint64_t call) {
  uint32_t i = b->takers.len;
  while (i && b->takers.at[i - 1].call != call)
    i--;
  return i - 1; /* WATCH_NONE: a look that was given up */
}

static void close_taker(struct box_watch *b, uint64_t call) {
  uint32_t at = taker_of(b, call);
  if (at == WATCH_NONE)
    return;
  for (uint32_t i = at + 1; i < b->takers.len; i++)
    b->takers.at[i - 1] = b->takers.at[i];
  b->takers.len--;
}

bool box_may_be_seen(const struct box_watch *b, const struct box_value *v) {
  for (uint32_t i = 0; i < b->takers.len && b->takers.at[i].call < v->left; i++)
    if (b->takers.at[i].looks)
      return true;
  return false;
}

bool box_has_needs(const struct box_value *v) {
  for (uint32_t i = 0; i < v->looks.len; i++)
    if (!v->looks.at[i].settled)
      return true;
  return v->left != WATCH_NEVER && !v->settled;
}

/* ---- crashed removals ---- */

/* The first return before which x must have been gone, whatever open removals
 * took; or WATCH_NEVER.
 *   put(x)  peek() = empty      x was gone before peek returned */
static uint64_t gone_before(const struct box_watch *b,
                            const struct box_value *x) {
  uint64_t least = WATCH_NEVER;
  for (uint32_t i = 0; i < b->misses.len; i++)
    if (x->came <= b->misses.at[i].call && b->misses.at[i].ret < least)
      least = b->misses.at[i].ret;
  for (uint32_t i = 0; i < b->gone.len; i++) {
    const struct box_value *v = box_at(b, b->gone.at[i]);
    bool hinders = b->stack ? v->came <= x->call
                            : !v->settled && box_better(b, x->rank, v->rank);
    if (hinders && x->came <= v->last && v->left < least)
      least = v->left;
  }
  return least;
}

/* Whether all other values inside, or with open insertions, have their last
 * call after this time. */
static bool all_others_after(const struct box_watch *b,
                             const struct box_value *x, uint64_t time) {
  for (uint32_t i = 0; i < b->inside.len + b->coming.len; i++) {
    const struct box_value *y =
        box_at(b, i < b->inside.len ? b->inside.at[i]
                                    : b->coming.at[i - b->inside.len]);
    if (y != x && y->last < time)
      return false;
  }
  return true;
}

/* A crashed removal, called before `before`, that can be said to have taken x
 * without loss for other values; or WATCH_NONE.  All removals called before
 * then must have crashed. */
static uint32_t crashed_taker(const struct box_watch *b,
                              const struct box_value *x, uint64_t before) {
  uint32_t first = WATCH_NONE, last = WATCH_NONE;
  for (uint32_t i = 0; i < b->takers.len && b->takers.at[i].call < before;
       i++) {
    if (b->takers.at[i].looks)
      continue;
    if (!b->takers.at[i].crashed)
      return WATCH_NONE;
    first = first == WATCH_NONE ? i : first;
    last = i;
  }
  if (first == last || b->takers.at[last].call <= x->last)
    return last;
  return all_others_after(b, x, b->takers.at[last].call) ? first : WATCH_NONE;
}

/* A value that only crashed removals can have taken counts as removed by one of
 * them, which returned when the value must have been gone. */
static void give_to_crashed(struct box_watch *b) {
  for (uint32_t i = b->taken.len; i-- > 0;) {
    uint32_t id = b->taken.at[i];
    struct box_value *x = box_at(b, id);
    uint64_t before = gone_before(b, x);
    uint32_t k = crashed_taker(b, x, before);
    if (before == WATCH_NEVER || k == WATCH_NONE)
      continue;
    leave(b, id);
    x->taking = b->takers.at[k].call;
    x->left = before;
    x->guessed = true;
    x->last = x->last > x->taking ? x->last : x->taking;
    vec_push(&b->gone, id);
    close_taker(b, x->taking);
  }
}

/* ---- events ---- */

static bool is_inside_sorted(const struct box_watch *b, uint32_t i) {
  const struct box_value *x = box_at(b, b->inside.at[i - 1]);
  const struct box_value *y = box_at(b, b->inside.at[i]);
  return b->stack ? x->came <= y->came : !box_better(b, x->rank, y->rank);
}

bool box_check_invariants(const struct box_watch *b) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < b->inside.len; i++) {
    if (i && !is_inside_sorted(b, i))
      return false; /* B4 */
    taken += box_at(b, b->inside.at[i])->by != WATCH_NEVER;
  }
  if (taken != b->taken.len)
    return false; /* B5 */
  for (uint32_t i = 1; i < b->takers.len; i++)
    if (b->takers.at[i].call <= b->takers.at[i - 1].call)
      return false; /* B6 */
  for (uint32_t i = 1; i < b->shut.len; i++)
    if (b->shut.at[i].from <= b->shut.at[i - 1].to)
      return false; /* B7 */
  return true;
}

/* A check of each event would make long streams quadratic. */
static bool is_time_to_check(const struct box_watch *b) {
  return b->inside.len + b->shut.len < 64 || b->watch.now % 1024 == 0;
}

static enum watch_end decide(struct box_watch *b, datum value,
                             const char *why) {
  box_settle(b);
  enum watch_end end = box_decide(b);
  if (end == WATCH_BAD)
    return bad(b, value, why);
  if (end == WATCH_GOOD) {
    give_to_crashed(b);
    box_forget(b);
  }
  check_slow(!is_time_to_check(b) || box_check_invariants(b));
  return end;
}

/* Whether u was above v, or better than v, in all gaps from `from` to `to`,
 * whatever open removals took. */
static bool was_in_the_way(const struct box_watch *b, const struct box_value *u,
                           const struct box_value *v, uint64_t from,
                           uint64_t to) {
  uint64_t until = u->last, first = box_first_removal(b);
  if (u->left == WATCH_NEVER && first > until)
    until = first;
  if (u->came > from || until < to)
    return false;
  return b->stack ? v->came <= u->call : box_better(b, u->rank, v->rank);
}

/* A removal or look in one of these gaps returned the value. */
static enum watch_end decide_value(struct box_watch *b, uint32_t id,
                                   uint64_t from, uint64_t to) {
  datum value = box_at(b, id)->value;
  enum watch_end end =
      decide(b, value,
             b->stack ? " cannot have been on top: pending removals cannot "
                        "have taken all values above it"
                      : " cannot have been the first: pending removals cannot "
                        "have taken all values that come before it");
  for (uint32_t i = 0; end == WATCH_BAD && i < b->inside.len + b->gone.len;
       i++) {
    const struct box_value *u = box_at(
        b, i < b->inside.len ? b->inside.at[i] : b->gone.at[i - b->inside.len]);
    if (!was_in_the_way(b, u, box_at(b, id), from, to))
      continue;
    buf_clear(&b->watch.why);
    return bad(b, u->value,
               b->stack ? ", which was added later, was inside all the time"
                        : ", which comes first, was inside all the time");
  }
  return end;
}

/* Whether every later mention of the value means the new one. */
static bool can_put(const struct box_watch *b, datum value) {
  uint32_t id = value_map_get(&b->map, value);
  if (id == WATCH_NONE)
    return value != b->watch.type->empty;
  const struct box_value *v = box_at(b, id);
  return v->left != WATCH_NEVER && (!v->open || v->crashed) &&
         !box_may_be_seen(b, v);
}

static enum watch_end called(struct watch *w, const struct watch_op *x) {
  struct box_watch *b = (struct box_watch *)w;
  if (x->t.role == ROLE_ADD) {
    if (!can_put(b, x->t.arg[0]))
      return WATCH_CANNOT;
    form_learn(&w->put, &x->op, &x->t);
    add_value(b, x);
    return WATCH_GOOD;
  }
  bool looks = x->t.role == ROLE_PEEK;
  if (!looks && x->t.role != ROLE_REMOVE)
    return WATCH_CANNOT;
  if (!looks)
    form_learn(&w->getting, &x->op, &x->t);
  vec_push(&b->takers, ((struct box_taker){.call = x->call, .looks = looks}));
  return WATCH_GOOD;
}

static enum watch_end took(struct box_watch *b, const struct watch_op *x,
                           datum value) {
  uint32_t id = value_map_get(&b->map, value);
  close_taker(b, x->call);
  if (id == WATCH_NONE || box_at(b, id)->left != WATCH_NEVER)
    return bad(b, value,
               " was not inside: it was not added, or it was removed");
  struct box_value *v = box_at(b, id);
  if (v->came == WATCH_NEVER) {
    v->came = b->watch.now;
    remove_from(b->coming.at, &b->coming.len, id);
  } else {
    leave(b, id);
  }
  v->taking = x->call;
  v->left = b->watch.now;
  v->last = v->last > x->call ? v->last : x->call;
  vec_push(&b->gone, id);
  return decide_value(b, id, v->last, v->left);
}

static enum watch_end saw(struct box_watch *b, const struct watch_op *x,
                          datum value) {
  uint32_t id = value_map_get(&b->map, value);
  close_taker(b, x->call);
  if (id == WATCH_NONE || box_at(b, id)->left < x->call)
    return bad(b, value,
               " was not inside: it was not added, or it was removed");
  if (box_at(b, id)->came == WATCH_NEVER)
    come(b, id);
  struct box_value *v = box_at(b, id);
  v->last = v->last > x->call ? v->last : x->call;
  b->look_bytes -= v->looks.cap * sizeof *v->looks.at;
  vec_push(&v->looks, ((struct box_look){x->call, b->watch.now, false}));
  b->look_bytes += v->looks.cap * sizeof *v->looks.at;
  v->again = 0;
  if (v->left == WATCH_NEVER && !v->looking) {
    v->looking = true;
    vec_push(&b->lookers, id);
  }
  return decide_value(b, id, x->call > v->call ? x->call : v->call,
                      b->watch.now < v->left ? b->watch.now : v->left);
}

static enum watch_end missed(struct box_watch *b, const struct watch_op *x,
                             bool looks) {
  close_taker(b, x->call);
  vec_push(&b->misses, ((struct box_miss){x->call, b->watch.now, looks}));
  return decide(b, DATUM_NONE, "some value was inside at every moment");
}

static void put_returned(struct box_watch *b, datum value) {
  uint32_t id = value_map_get(&b->map, value);
  assert(id != WATCH_NONE);
  struct box_value *v = box_at(b, id);
  v->open = false;
  v->put = b->watch.now;
  if (v->over)
    box_drop(b, id);
  else if (v->came == WATCH_NEVER)
    come(b, id);
}

/* Some removals wait while the box is empty: they never return "empty". */
static bool can_miss(struct type *type, const struct type_op *t) {
  uint32_t next[TYPE_NEXT];
  return type->step(type, type->initial, t, next) > 0;
}

static enum watch_end taker_returned(struct box_watch *b,
                                     const struct watch_op *x,
                                     const struct type_op *t) {
  struct watch *w = &b->watch;
  bool looks = t->role == ROLE_PEEK;
  if (t->any_result && !looks)
    return WATCH_CANNOT;
  if (t->any_result) { /* a look whose result is not known */
    close_taker(b, x->call);
    return WATCH_GOOD;
  }
  if (t->result != w->type->empty) {
    form_learn(looks ? &b->looked : &w->got, t->op, t);
    return looks ? saw(b, x, t->result) : took(b, x, t->result);
  }
  if (!can_miss(w->type, t))
    return WATCH_CANNOT;
  form_learn(looks ? &b->missed_look : &w->missed, t->op, t);
  return missed(b, x, looks);
}

static enum watch_end returned(struct watch *w, const struct watch_op *x,
                               const struct type_op *t) {
  struct box_watch *b = (struct box_watch *)w;
  if (t->op->failed || t->role != x->t.role)
    return WATCH_CANNOT;
  if (t->role != ROLE_ADD)
    return taker_returned(b, x, t);
  if (!t->any_result && t->result != DATUM_TRUE && t->result != DATUM_NONE)
    return WATCH_CANNOT;
  put_returned(b, t->arg[0]);
  return WATCH_GOOD;
}

static enum watch_end dropped(struct watch *w, const struct watch_op *x) {
  struct box_watch *b = (struct box_watch *)w;
  if (x->t.role != ROLE_ADD) {
    close_taker(b, x->call);
    return x->t.role == ROLE_PEEK
               ? WATCH_GOOD
               : decide(b, DATUM_NONE,
                        "a value is gone, but no operation removed it");
  }
  uint32_t id = value_map_get(&b->map, x->t.arg[0]);
  if (box_at(b, id)->came != WATCH_NEVER)
    return bad(b, x->t.arg[0], " was seen, but nobody added it");
  remove_from(b->coming.at, &b->coming.len, id);
  box_drop(b, id);
  return WATCH_GOOD;
}

static void crashed(struct watch *w, const struct watch_op *x) {
  struct box_watch *b = (struct box_watch *)w;
  if (x->t.role == ROLE_PEEK) {
    close_taker(b, x->call);
  } else if (x->t.role == ROLE_REMOVE) {
    b->takers.at[taker_of(b, x->call)].crashed = true;
  } else {
    uint32_t id = value_map_get(&b->map, x->t.arg[0]);
    box_at(b, id)->crashed = true;
    if (box_at(b, id)->over)
      box_drop(b, id);
  }
}

/* A look that is given up counts as if it had not been called.  A removal may
 * still take effect; a stack remembers nothing for its sake. */
static bool gives_up(struct watch *w, const struct watch_op *x) {
  struct box_watch *b = (struct box_watch *)w;
  if (x->t.role == ROLE_ADD || (b->stack && x->t.role == ROLE_REMOVE))
    return false;
  if (x->t.role == ROLE_PEEK)
    close_taker(b, x->call);
  else
    b->takers.at[taker_of(b, x->call)].lost = true;
  return true;
}

static bool is_new(const struct watch *w) {
  const struct box_watch *b = (const struct box_watch *)w;
  return !b->map.n && !b->takers.len && !b->gone.len && !b->misses.len;
}

static uint64_t bytes(const struct watch *w) {
  const struct box_watch *b = (const struct box_watch *)w;
  uint64_t ids = b->coming.cap + b->free.cap + b->inside.cap + b->gone.cap +
                 b->taken.cap + b->lookers.cap;
  return sizeof *b + b->map.size * sizeof *b->map.slots +
         b->values.cap * sizeof *b->values.at + ids * 4 +
         b->takers.cap * sizeof *b->takers.at +
         b->misses.cap * sizeof *b->misses.at +
         b->shut.cap * sizeof *b->shut.at + b->look_bytes + watch_bytes(w);
}

static void free_box(struct watch *w) {
  struct box_watch *b = (struct box_watch *)w;
  for (uint32_t i = 0; i < b->values.len; i++)
    vec_free(&b->values.at[i].looks);
  free(b->map.slots);
  vec_free(&b->values);
  vec_free(&b->free);
  vec_free(&b->inside);
  vec_free(&b->gone);
  vec_free(&b->coming);
  vec_free(&b->taken);
  vec_free(&b->lookers);
  vec_free(&b->takers);
  vec_free(&b->misses);
  vec_free(&b->shut);
  free(b);
}

static const struct watch_kind kind = {
    .called = called,
    .returned = returned,
    .dropped = dropped,
    .crashed = crashed,
    .gives_up = gives_up,
    .past = watch_box_past,
    .is_new = is_new,
    .bytes = bytes,
    .free = free_box,
};

struct watch *watch_box(struct type *t) {
  struct box_watch *b = xcalloc(1, sizeof *b);
  b->watch.kind = &kind;
  b->watch.type = t;
  b->stack = !strcmp(t->shape, "stack");
  b->largest = !strcmp(t->shape, "max-pqueue");
  return &b->watch;
}
