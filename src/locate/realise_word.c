/* A block about one word: an atomic instruction. */
#include "locate/realise_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one word ---- */

struct word_value {
  uint64_t lo, hi;
  bool known;
};

static uint64_t mask_of(uint64_t size) {
  return size >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

static struct word_value value_of(const struct event *e, const uint64_t v[2],
                                  bool known) {
  return (struct word_value){v[0] & mask_of(e->size), e->size > 8 ? v[1] : 0,
                             known};
}

static struct word_value value_read(const struct event *e) {
  if (event_writes[e->kind])
    return value_of(e, e->old, !(e->flags & EVENT_NO_OLD));
  return value_of(e, e->value, !(e->flags & EVENT_NO_VALUE));
}

static struct word_value value_written(const struct event *e) {
  return value_of(e, e->value, !(e->flags & EVENT_NO_VALUE));
}

/* Whether several values are the same. */
struct same {
  struct word_value v; /* the first that is known */
  bool unknown;        /* one is not */
  bool differ;         /* two that are known */
};

static void same_add(struct same *s, struct word_value v) {
  if (!v.known)
    s->unknown = true;
  else if (!s->v.known)
    s->v = v;
  else if (v.lo != s->v.lo || v.hi != s->v.hi)
    s->differ = true;
}

static bool is_same(const struct same *s) { return !s->unknown && !s->differ; }

/* What the executions of a block did to their words. */
struct uses {
  uint32_t updates; /* read, then wrote */
  uint32_t looks;   /* only read, and were not cut off */
  bool looks_again; /* one only read, more than once */
  bool stores;      /* one wrote without a look */
  bool senseless;   /* one wrote, then went on; or compares and swaps already */
  bool plain;       /* one access is not atomic, so the word's type is not */
  struct same read, written, added;
  uint64_t size;
};

static bool is_word(const struct event *e) {
  uint64_t n = e->size;
  return e->kind != EV_FREE &&
         (n == 1 || n == 2 || n == 4 || n == 8 || n == 16);
}

static bool on_one_word(const struct run *r) {
  const struct event *first = access_of(r, 0);
  for (uint32_t i = 0; i < length(r); i++) {
    const struct event *e = access_of(r, i);
    if (!is_word(e) || e->addr != first->addr || e->size != first->size)
      return false;
  }
  return true;
}

bool realise_is_word(const run_vec *v) {
  for (uint32_t i = 0; i < v->len; i++)
    if (!on_one_word(&v->at[i]) ||
        access_of(&v->at[i], 0)->size != access_of(&v->at[0], 0)->size)
      return false;
  return true;
}

/* Whether the trace ends, for this thread, before its call returned. */
static bool is_cut_off(const struct run *r) {
  const struct conflicts *c = conflicts_of(r->t);
  const struct node *last = &c->nodes[node_of(r, length(r) - 1)];
  const struct trace *t = r->t->trace;
  if (last->pos != thread_length(c, last->thread))
    return false;
  for (uint32_t i = last->event; i < t->nevents; i++)
    if (t->events[i].kind == EV_RETURN &&
        t->events[i].call == t->events[last->event].call)
      return false;
  return true;
}

static void add_update(struct uses *u, const struct event *first,
                       const struct event *last_write) {
  struct word_value old = value_read(first), new = value_written(last_write);
  u->updates++;
  same_add(&u->read, old);
  same_add(&u->written, new);
  new.lo = (new.lo - old.lo) & mask_of(first->size);
  new.known &= old.known;
  same_add(&u->added, new);
}

static void add_use(struct uses *u, const struct run *r) {
  const struct event *first = access_of(r, 0), *last_write = NULL;
  for (uint32_t i = 0; i < length(r); i++) {
    const struct event *e = access_of(r, i);
    u->senseless |= e->kind == EV_CAS || e->kind == EV_CAS_FAIL;
    u->plain |= e->kind == EV_READ || e->kind == EV_WRITE;
    if (event_writes[e->kind])
      last_write = e;
  }
  u->size = first->size;
  if (!event_reads[first->kind]) {
    u->stores = true;
    u->senseless |= length(r) > 1;
    same_add(&u->written, value_written(first));
  } else if (last_write) {
    add_update(u, first, last_write);
  } else {
    u->looks += !is_cut_off(r);
    u->looks_again |= length(r) > 1;
  }
}

/* ---- names ---- */

/* a[0] and a[3] are a[…]; false when the names have no such form. */
static bool merge_names(struct buf *have, const char *other) {
  const char *a = buf_text(have);
  size_t from = 0, na = strlen(a), nb = strlen(other), back = 0;
  if (!strcmp(a, other))
    return true;
  while (from < na && from < nb && a[from] == other[from])
    from++;
  while (from && a[from - 1] != '[')
    from--;
  while (back < na && back < nb && a[na - 1 - back] == other[nb - 1 - back])
    back++;
  while (back && a[na - back] != ']')
    back--;
  if (!from || !back || from + back > na || from + back > nb)
    return false;
  struct buf merged = {0};
  buf_put(&merged, a, from);
  buf_puts(&merged, "…");
  buf_puts(&merged, a + na - back);
  buf_free(have);
  *have = merged;
  return true;
}

/* The name of the words of all runs; empty when they have none in common. */
static void name_words(const struct realise_subject *s, const run_vec *v,
                       struct buf *out) {
  struct buf one = {0};
  if (!s->words->name)
    return;
  for (uint32_t i = 0; i < v->len; i++) {
    const struct event *e = access_of(&v->at[i], 0);
    buf_clear(&one);
    s->words->name(s->words->ctx, v->at[i].t->trace, e->addr, e->size, &one);
    if (i == 0)
      buf_puts(out, buf_text(&one));
    else if (!one.len || !merge_names(out, buf_text(&one)))
      buf_clear(out);
    if (!out->len)
      break;
  }
  buf_free(&one);
}

/* ---- the sentence about one word ---- */

/* What the author wrote where a run writes for the last time. */
static bool quote_run(const struct realise_subject *s, const struct run *r,
                      struct phrase_update *out) {
  for (uint32_t i = length(r); i-- > 0;)
    if (event_writes[access_of(r, i)->kind])
      return s->words->update(s->words->ctx, access_of(r, i)->pc, out);
  return true; /* it only reads */
}

static void keep_common(struct buf *have, const struct buf *other) {
  if (strcmp(buf_text(have), buf_text(other)))
    buf_clear(have);
}

/* The same of all runs; without a target when they differ. */
static void quote(const struct realise_subject *s, const run_vec *v,
                  struct phrase_update *out) {
  bool first = true;
  *out = (struct phrase_update){0};
  for (uint32_t i = 0; i < v->len && s->words->update; i++) {
    struct phrase_update one = {0};
    bool known = quote_run(s, &v->at[i], &one);
    if (known && !one.target.len)
      continue;
    if (known && first) {
      *out = one;
      first = false;
      continue;
    }
    if (!known)
      buf_clear(&one.target);
    keep_common(&out->target, &one.target);
    keep_common(&out->value, &one.value);
    keep_common(&out->by, &one.by);
    phrase_update_free(&one);
    if (!known || !out->target.len)
      break;
  }
}

/* The address of what is written: `&x`, and `p` of `*p`. */
static void put_address(const struct phrase_update *p, struct buf *out) {
  const char *target = buf_text(&p->target);
  buf_printf(out, "%s%s", *target == '*' ? "" : "&", target + (*target == '*'));
}

static void put_exchange(const struct phrase_update *p, struct buf *out) {
  bool plain = !strcmp(buf_text(&p->by), "=") && p->value.len;
  buf_puts(out, ": atomic_exchange(");
  put_address(p, out);
  buf_printf(out, ", %s)", plain ? buf_text(&p->value) : "…");
}

/* How much is added, in the author's words if they say so. */
static void put_added(const struct phrase_update *p, const struct uses *u,
                      struct buf *out) {
  uint64_t sign = UINT64_C(1) << (8 * u->size - 1), v = u->added.v.lo;
  bool less = v & sign;
  uint64_t n = less ? (0 - v) & mask_of(u->size) : v;
  const char *by = buf_text(&p->by);
  char number[24];
  snprintf(number, sizeof number, "%" PRIu64, n);
  bool said = by[0] == by[1] || strstr(buf_text(&p->value), number);
  buf_printf(out, ": atomic_fetch_%s(", less ? "sub" : "add");
  put_address(p, out);
  if (by[0] && by[1] == '=' && p->value.len)
    buf_printf(out, ", %s)", p->value.at);
  else
    buf_printf(out, ", %s)", said ? number : "…");
}

static void put_instruction(const struct uses *u, const char *name,
                            const struct phrase_update *p, struct buf *out) {
  const char *of = *name ? " of " : "";
  bool quoted = p->target.len;
  bool always = !u->looks && u->size <= 8;
  bool constant = always && is_same(&u->written);
  bool adds = always && !u->stores && is_same(&u->added) && u->added.v.lo;
  if (constant && u->read.differ) {
    buf_printf(out, "an atomic exchange%s%s would do", quoted ? "" : of,
               quoted ? "" : name);
    if (quoted)
      put_exchange(p, out);
  } else if (adds && u->read.differ) {
    buf_printf(out, "a fetch-and-add%s%s would do", quoted ? "" : of,
               quoted ? "" : name);
    if (quoted)
      put_added(p, u, out);
  } else if (constant)
    buf_printf(out,
               "a compare-and-swap%s%s in a loop would do, or an atomic "
               "exchange if what is written does not depend on what was read",
               of, name);
  else
    buf_printf(out, "a compare-and-swap%s%s%s in a loop would do",
               u->size == 16 ? " of 16 bytes" : "",
               u->size == 16 && *of ? " at " : of, name);
  if (u->plain) /* atomic_fetch_add() of an int does not compile */
    buf_puts(out, ", once its type is atomic");
}

/* A bit field: one place in the code reads and writes it, or the location has
 * the names of several. */
static bool is_bit_field(const run_vec *v, const struct buf *name) {
  for (uint32_t k = 0; k < v->len; k++)
    for (uint32_t i = 0; i + 1 < length(&v->at[k]); i++) {
      const struct event *e = access_of(&v->at[k], i);
      const struct event *next = access_of(&v->at[k], i + 1);
      if (e->kind == EV_READ && next->kind == EV_WRITE && e->pc == next->pc)
        return true;
    }
  return name->len && strchr(name->at, '/');
}

void realise_word(const struct realise_subject *s, const run_vec *v,
                  struct buf *out) {
  struct uses u = {0};
  struct buf name = {0};
  struct phrase_update said = {0};
  for (uint32_t i = 0; i < v->len; i++)
    add_use(&u, &v->at[i]);
  if (u.senseless)
    return;
  name_words(s, v, &name);
  quote(s, v, &said);
  if ((u.updates || u.stores) && is_bit_field(v, &name))
    buf_printf(out,
               "make %s a variable of its own, or take one lock for all bit "
               "fields that share its bytes",
               said.target.len ? said.target.at : buf_text(&name));
  else if (u.updates)
    put_instruction(&u, said.target.len ? said.target.at : buf_text(&name),
                    &said, out);
  else if (u.looks_again && !u.stores)
    buf_printf(out, "read %s once", name.len ? buf_text(&name) : "it");
  phrase_update_free(&said);
  buf_free(&name);
}
