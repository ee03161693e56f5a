/*
 * Watches one element of a set: a bit (monitor_set.c has the condition).
 *
 * The bit is flipped as late as possible: when an operation returns that saw
 * the other value.  Unless that operation flipped it itself, some pending add
 * or remove did.  Such a flip by an unknown operation is a slot, of which only
 * the time is remembered.
 *   a: add()…  contains() = true      a slot for an add at the return
 *
 * (W1) Each slot can be filled: before each slot for an add (remove), at least
 *      as many pending adds (removes) were called as there are slots up to it.
 *
 * When an add or remove returns, its result says what it was:
 *
 * - It changed the set.  Then it fills the first slot after its call.  (W1)
 *   still holds: after that slot both numbers are one less, and earlier slots
 *   lie before its call.  A later slot would be no better, since the operation
 *   that fills the first slot was called before the later one, too.  If there
 *   is no slot it flips the bit now; if the bit has that value already, another
 *   operation flips it back first.
 *     a: add()…  contains() = true  a: … = true      a fills the slot
 * - It did not change the set.  It fills no slot, and (W1) is checked again.
 *   If that fails there is no order, since each flip came as late as possible.
 *   And it needs a moment at which the bit had the value that it saw: now, or
 *   before the last flip if that came after its call; otherwise the bit is
 *   flipped now.
 *     a: add()…  contains() = true  a: … = false     wrong: nobody else added
 *
 * An add or remove whose result is not known is left to search.
 *
 * A crashed operation stays pending.  Slots before the first open call belong
 * to crashed operations: both are forgotten, and the number of crashed
 * operations that are left is `spare`.
 *
 * An element of a multiset is treated like one of a set: it may be added again
 * only when all that was added before has certainly been removed.
 */
#include "history/stream/watch.h"

#include <assert.h>
#include <string.h>

struct flipper {
  uint64_t call;
  bool crashed;
};

/* Operations that can flip the bit to one value: adds, or removes. */
struct flips {
  VEC(struct flipper) pending; /* by call */
  VEC(uint64_t) slots;         /* by time */
  uint64_t spare; /* crashed ones that were called before all of `pending` */
};

struct set_watch {
  struct watch watch;
  bool multiset;
  datum element;         /* DATUM_NONE: nothing was called yet */
  bool bit;              /* the element is in the set */
  uint64_t last;         /* time of the last flip */
  struct flips flips[2]; /* by the bit that they leave behind */
  /* Multiset: adds that were called, less removals that succeeded. */
  uint64_t added;
};

static bool flips(const struct type_op *t) {
  return t->role == ROLE_INSERT || t->role == ROLE_DELETE;
}

/* The bit that the operation leaves behind. */
static bool leaves(const struct type_op *t) { return t->role == ROLE_INSERT; }

static enum watch_end bad(struct set_watch *s, const char *why) {
  datum_print(s->element, &s->watch.why);
  buf_puts(&s->watch.why, why);
  return WATCH_BAD;
}

static enum watch_end called(struct watch *w, const struct watch_op *x) {
  struct set_watch *s = (struct set_watch *)w;
  if (!flips(&x->t) && x->t.role != ROLE_CONTAINS)
    return WATCH_CANNOT;
  if (s->element != DATUM_NONE && s->element != x->t.arg[0])
    return WATCH_CANNOT; /* a key of a keyed-set */
  if (s->multiset && x->t.role == ROLE_INSERT && s->added)
    return WATCH_CANNOT;
  s->element = x->t.arg[0];
  s->added += s->multiset && x->t.role == ROLE_INSERT;
  form_learn(x->t.role == ROLE_INSERT   ? &w->put
             : x->t.role == ROLE_DELETE ? &w->getting
                                        : &w->got,
             &x->op, &x->t);
  if (flips(&x->t))
    vec_push(&s->flips[leaves(&x->t)].pending,
             ((struct flipper){x->call, false}));
  return WATCH_GOOD;
}

/* Forgets slots and crashed operations before the first open call. */
static void forget(struct flips *f) {
  uint32_t n = 0, full = 0;
  while (n < f->pending.len && f->pending.at[n].crashed)
    n++;
  uint64_t oldest = n < f->pending.len ? f->pending.at[n].call : WATCH_NEVER;
  while (full < f->slots.len && f->slots.at[full] < oldest)
    full++;
  assert(f->spare + n >= full); /* W1 */
  f->spare = f->spare + n - full;
  for (uint32_t i = n; i < f->pending.len && n; i++)
    f->pending.at[i - n] = f->pending.at[i];
  for (uint32_t i = full; i < f->slots.len && full; i++)
    f->slots.at[i - full] = f->slots.at[i];
  f->pending.len -= n;
  f->slots.len -= full;
  if (!f->pending.len) { /* most of many elements are idle */
    vec_free(&f->pending);
    vec_free(&f->slots);
  }
}

/* Searches from the end: crashed operations may pile up behind one that stays
 * open. */
static uint32_t place_of(const struct flips *f, uint64_t call) {
  uint32_t i = f->pending.len - 1;
  while (f->pending.at[i].call != call)
    i--;
  return i;
}

/* The operation called at `call` is not pending any more. */
static void leave(struct flips *f, uint64_t call) {
  uint32_t i = place_of(f, call);
  f->pending.len--;
  for (; i < f->pending.len; i++)
    f->pending.at[i] = f->pending.at[i + 1];
}

/* Fills the first slot after `call`.  False: there is none. */
static bool fill_slot(struct flips *f, uint64_t call) {
  uint32_t i = f->slots.len;
  while (i && f->slots.at[i - 1] > call)
    i--;
  if (i == f->slots.len)
    return false;
  f->slots.len--;
  for (; i < f->slots.len; i++)
    f->slots.at[i] = f->slots.at[i + 1];
  return true;
}

/* (W1), after the operation called at `call` has left: slots before that did
 * not depend on it. */
static bool can_be_filled(const struct flips *f, uint64_t call) {
  uint32_t called = f->pending.len;
  for (uint32_t i = f->slots.len; i && f->slots.at[i - 1] > call; i--) {
    while (called && f->pending.at[called - 1].call > f->slots.at[i - 1])
      called--;
    if (f->spare + called < i)
      return false;
  }
  return true;
}

static void flip(struct set_watch *s) {
  s->bit = !s->bit;
  s->last = s->watch.now;
}

/* Some pending operation flips the bit now.  False: none can. */
static bool flip_somehow(struct set_watch *s) {
  struct flips *f = &s->flips[!s->bit];
  if (f->spare + f->pending.len <= f->slots.len)
    return false;
  vec_push(&f->slots, s->watch.now);
  flip(s);
  return true;
}

static enum watch_end cannot_flip(struct set_watch *s) {
  return bad(s, s->bit ? " was there, and nobody can have removed it"
                       : " was not there, and nobody can have added it");
}

/* An operation called at `call` returns now and saw this bit. */
static enum watch_end saw(struct set_watch *s, bool bit, uint64_t call) {
  if (s->bit == bit || s->last > call || flip_somehow(s))
    return WATCH_GOOD;
  return cannot_flip(s);
}

/* An operation called at `call` returns now and changed the bit to this. */
static enum watch_end set_it(struct set_watch *s, bool bit, uint64_t call) {
  if (fill_slot(&s->flips[bit], call))
    return WATCH_GOOD;
  if (s->bit == bit && !flip_somehow(s))
    return cannot_flip(s);
  flip(s);
  return WATCH_GOOD;
}

/* The operation took no effect. */
static enum watch_end dropped(struct watch *w, const struct watch_op *x) {
  struct set_watch *s = (struct set_watch *)w;
  if (!flips(&x->t))
    return WATCH_GOOD;
  bool bit = leaves(&x->t);
  s->added -= s->multiset && x->t.role == ROLE_INSERT;
  leave(&s->flips[bit], x->call);
  if (!can_be_filled(&s->flips[bit], x->call))
    return bad(s, bit ? " was seen, but nobody else can have added it"
                      : " was not seen, but nobody else can have removed it");
  return WATCH_GOOD;
}

static enum watch_end flipper_returned(struct set_watch *s,
                                       const struct watch_op *x,
                                       const struct type_op *t) {
  bool bit = leaves(t);
  leave(&s->flips[bit], x->call);
  if (t->result == DATUM_TRUE) {
    s->added -= t->role == ROLE_DELETE && s->multiset;
    return set_it(s, bit, x->call);
  }
  if (s->multiset && bit)
    return bad(s, " can always be added");
  if (!can_be_filled(&s->flips[bit], x->call))
    return bad(s, bit ? " was seen, but nobody else can have added it"
                      : " was not seen, but nobody else can have removed it");
  return saw(s, bit, x->call);
}

static enum watch_end returned(struct watch *w, const struct watch_op *x,
                               const struct type_op *t) {
  struct set_watch *s = (struct set_watch *)w;
  enum watch_end end = WATCH_GOOD;
  if (flips(t) && t->any_result)
    return WATCH_CANNOT;
  if (t->op->failed)
    end = dropped(w, x);
  else if (flips(t))
    end = flipper_returned(s, x, t);
  else if (!t->any_result)
    end = saw(s, t->result == DATUM_TRUE, x->call);
  if (end == WATCH_GOOD) {
    forget(&s->flips[0]);
    forget(&s->flips[1]);
  }
  return end;
}

static void crashed(struct watch *w, const struct watch_op *x) {
  struct set_watch *s = (struct set_watch *)w;
  if (!flips(&x->t))
    return;
  struct flips *f = &s->flips[leaves(&x->t)];
  f->pending.at[place_of(f, x->call)].crashed = true;
  forget(f);
}

/* No open operation makes the watch remember others. */
static bool gives_up(struct watch *w, const struct watch_op *x) {
  (void)w, (void)x;
  return false;
}

/* ---- the past: a history with the same bit, last flip and slots ---- */

struct set_telling {
  const struct set_watch *s;
  struct watch_past *out;
  bool bit;
  uint64_t last; /* flip */
  uint64_t time; /* of the next event */
};

/* Adds an operation that overlaps no other one. */
static void tell(struct set_telling *g, const struct watch_form *f,
                 bool result) {
  assert(f->known);
  past_add(g->out, f, DATUM_NONE, g->time, g->time + 1);
  struct watch_past_op *x = &vec_last(&g->out->ops);
  x->op.result = x->t.result = datum_bool(result);
  x->t.any_result = false;
  g->time += 2;
}

static void tell_flip(struct set_telling *g) {
  tell(g, g->bit ? &g->s->watch.getting : &g->s->watch.put, true);
  g->bit = !g->bit;
}

/* Adds an operation that saw the bit after a pending one had flipped it. */
static void tell_sight(struct set_telling *g) {
  const struct watch *w = &g->s->watch;
  if (w->got.known) {
    tell(g, &w->got, !g->bit);
  } else if (g->bit || !g->s->multiset) {
    tell(g, g->bit ? &w->getting : &w->put, false);
  } else { /* an add to a multiset never fails */
    tell(g, &w->getting, true);
    tell(g, &w->put, true);
  }
  g->bit = !g->bit;
}

/* A slot; no two slots have the same time. */
static void tell_slot(struct set_telling *g, uint64_t at, bool bit) {
  g->time = at * PAST_SCALE + 1;
  g->last = at;
  if (g->bit == bit)
    tell_flip(g);
  tell_sight(g);
}

static void tell_slots(struct set_telling *g) {
  const struct flips *out = &g->s->flips[0], *in = &g->s->flips[1];
  uint32_t i = 0, k = 0;
  while (i < out->slots.len || k < in->slots.len)
    if (k == in->slots.len ||
        (i < out->slots.len && out->slots.at[i] < in->slots.at[k]))
      tell_slot(g, out->slots.at[i++], false);
    else
      tell_slot(g, in->slots.at[k++], true);
}

/* The crashed operations; at least `spare` events came before the first slot.
 */
static void tell_crashed(const struct flips *f, const struct watch_form *form,
                         bool bit, struct watch_past *out) {
  for (uint64_t i = 0; i < f->spare; i++)
    past_add(out, form, DATUM_NONE, i * PAST_SCALE + PAST_SCALE / 2 + bit,
             WATCH_NEVER);
  for (uint32_t i = 0; i < f->pending.len; i++)
    if (f->pending.at[i].crashed)
      past_add(out, form, DATUM_NONE, f->pending.at[i].call * PAST_SCALE,
               WATCH_NEVER);
}

static bool past(struct watch *w, struct watch_past *out) {
  struct set_watch *s = (struct set_watch *)w;
  struct set_telling g = {.s = s, .out = out};
  tell_slots(&g);
  if (g.last != s->last) {
    g.time = s->last * PAST_SCALE + 1;
    if (g.bit == s->bit)
      tell_flip(&g);
    tell_flip(&g);
  } else if (g.bit != s->bit) {
    tell_flip(&g);
  }
  tell_crashed(&s->flips[0], &w->getting, false, out);
  tell_crashed(&s->flips[1], &w->put, true, out);
  return true;
}

static bool is_unused(const struct flips *f) {
  return !f->spare && !f->pending.len;
}

static bool is_new(const struct watch *w) {
  const struct set_watch *s = (const struct set_watch *)w;
  return !s->bit && !s->added && is_unused(&s->flips[0]) &&
         is_unused(&s->flips[1]);
}

static uint64_t bytes(const struct watch *w) {
  const struct set_watch *s = (const struct set_watch *)w;
  uint64_t sum = sizeof *s + watch_bytes(w);
  for (int b = 0; b < 2; b++)
    sum += s->flips[b].pending.cap * sizeof *s->flips[b].pending.at +
           s->flips[b].slots.cap * sizeof *s->flips[b].slots.at;
  return sum;
}

static void free_set(struct watch *w) {
  struct set_watch *s = (struct set_watch *)w;
  for (int b = 0; b < 2; b++) {
    vec_free(&s->flips[b].pending);
    vec_free(&s->flips[b].slots);
  }
  free(s);
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
    .free = free_set,
};

struct watch *watch_set(struct type *t) {
  struct set_watch *s = xcalloc(1, sizeof *s);
  s->watch.kind = &kind;
  s->watch.type = t;
  s->multiset = !strcmp(t->shape, "multiset");
  s->element = DATUM_NONE;
  return &s->watch;
}
