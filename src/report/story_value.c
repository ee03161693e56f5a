/*
 * Results and other values that no event has, in the words that the rows of the
 * execution use: a pointer by the name of its block, and memory that was never
 * written as what it is.
 */
#include "report/story_int.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Fresh memory of the engine's heap has this in all bytes. */
enum { FRESH = 0xbe, FRESH_MIN = 4 /* shorter ones could be a value */ };
#define FRESH_WORD UINT64_C(0xbebebebebebebebe)

/* ---- memory that was never written ---- */

/* Were these bytes written since the block was allocated, as far as the trace
 * knows? */
static bool is_written(const struct trace *t, const struct block *b,
                       uint32_t at) {
  const struct event *e = &t->events[at];
  if (b->alloc_event == UINT32_MAX)
    return true; /* perhaps */
  for (uint32_t i = b->alloc_event; i < at; i++) {
    const struct event *w = &t->events[i];
    if (event_writes[w->kind] && w->addr < e->addr + e->size &&
        e->addr < w->addr + w->size)
      return true;
  }
  return false;
}

bool story_is_fresh(const struct story *s, uint32_t at, const uint64_t *value) {
  const struct trace *t = &s->result->finding->trace;
  const struct event *e = &t->events[at];
  bool stored = event_writes[e->kind] && value != e->old;
  if (!e->size || e->size > 16 || (e->size < FRESH_MIN && stored))
    return false;
  for (uint64_t i = 0; i < e->size; i++)
    if ((value[i / 8] >> 8 * (i % 8) & 0xff) != FRESH)
      return false;
  if (e->size >= FRESH_MIN)
    return true;
  for (uint32_t i = 0; i < t->nblocks; i++) {
    const struct block *b = &t->blocks[i];
    if (e->addr - b->base < b->size && !is_written(t, b, at))
      return true;
  }
  return false;
}

bool story_is_fresh_pointer(uint64_t addr) {
  return addr >> 16 == FRESH_WORD >> 16;
}

/* The last access of the failing thread, if it is the one that crashed. */
static const struct event *last_access(const struct finding *f) {
  const struct trace *t = &f->trace;
  for (uint32_t i = t->nevents; i--;) {
    const struct event *e = &t->events[i];
    if (e->thread == f->thread &&
        (event_reads[e->kind] || event_writes[e->kind]))
      return e->flags & EVENT_NO_VALUE ? e : NULL;
  }
  return NULL;
}

/* Where the failing thread read the pointer from; NULL: not in the trace. */
static const char *read_from(const struct story *s) {
  const struct finding *f = s->result->finding;
  for (uint32_t i = f->trace.nevents; i--;) {
    const struct event *e = &f->trace.events[i];
    if (e->thread == f->thread && event_reads[e->kind] && e->size == 8 &&
        !(e->flags & EVENT_NO_VALUE) && e->value[0] == FRESH_WORD)
      return s->events[i].location;
  }
  return NULL;
}

bool story_put_fresh_pointer(const struct story *s, struct buf *out) {
  const struct finding *f = s->result->finding;
  const struct event *e = last_access(f);
  if (f->fault != FAULT_CRASH || !(story_is_fresh_pointer(f->addr) ||
                                   (e && story_is_fresh_pointer(e->addr))))
    return false;
  const char *from = read_from(s);
  buf_puts(out, "uninitialised memory used as a pointer");
  if (from)
    buf_printf(out, ": nothing had written %s", from);
  return true;
}

/*
 * A number that is a small multiple of fresh memory plus a little, which by
 * chance one number of 100,000 is: `uninitialised + 1`.
 */
static bool put_fresh_number(struct value v, struct buf *out) {
  enum { MOST_TIMES = 3, MOST_PLUS = 1000 };
  int64_t small = (int32_t)(uint32_t)v.bits;
  bool word = v.bits >> 32 == 0 || (uint64_t)small == v.bits;
  for (uint32_t times = 1; times <= MOST_TIMES; times++) {
    int64_t plus =
        word ? (int32_t)((uint32_t)v.bits - times * (uint32_t)FRESH_WORD)
             : (int64_t)(v.bits - times * FRESH_WORD);
    if (plus < -MOST_PLUS || plus > MOST_PLUS)
      continue;
    if (times == 1 && !plus) {
      buf_puts(out, "? (uninitialised)");
      return true;
    }
    value_print(v, out);
    buf_puts(out, " (uninitialised");
    if (times > 1)
      buf_printf(out, " * %" PRIu32, times);
    if (plus)
      buf_printf(out, " %c %" PRId64, plus < 0 ? '-' : '+',
                 plus < 0 ? -plus : plus);
    buf_puts(out, ")");
    return true;
  }
  return false;
}

/* ---- pointers ---- */

/*
 * The block that a canonical pointer (model/value.h) leads into; NULL when the
 * trace does not have it or more than one could be meant.  Blocks of a call are
 * counted by it, those outside of calls by each thread.
 */
static const struct block *block_of(const struct story *s, uint64_t bits) {
  const struct trace *t = &s->result->finding->trace;
  uint64_t owner = bits >> 40 & 0xffff, ordinal = bits >> 24 & 0xffff;
  const struct block *found = NULL;
  for (uint32_t i = 0; i < t->nblocks; i++) {
    const struct block *b = &t->blocks[i];
    if (b->alloc_call != owner)
      continue;
    if (!owner && b->alloc_thread)
      return NULL;
    if (!ordinal--)
      found = b;
  }
  return found;
}

static void put_address(const struct story *s, uint64_t addr, struct buf *out) {
  const struct story_namer *n = &s->namer;
  struct event e = {.kind = EV_READ, .size = 8};
  size_t start = out->len;
  n->value(n->ctx, &e, addr, story_last_event(s), out);
  if (out->len > start && out->at[start] != '&')
    out->len = start;
}

/* `&block 2 of T1's get()` */
static void put_unknown_block(const struct story *s, uint64_t bits,
                              struct buf *out) {
  const struct client *c = &s->result->finding->client;
  uint64_t owner = bits >> 40 & 0xffff, ordinal = bits >> 24 & 0xffff;
  buf_printf(out, "&block %" PRIu64, ordinal + 1);
  if (owner && owner <= c->ncalls && c->calls[owner - 1].thread)
    buf_printf(out, " of %s's %s", story_thread(c->calls[owner - 1].thread),
               s->calls[owner - 1]);
  else if (owner && owner <= c->ncalls)
    buf_printf(out, " of %s", s->calls[owner - 1]);
  else
    buf_puts(out, " outside calls");
  if (bits & 0xffffff)
    buf_printf(out, "+%" PRIu64, bits & 0xffffff);
}

/* Outcomes can be those of another client than the finding's. */
static bool is_of_finding(const struct story *s) {
  struct buf b = {0};
  bool same = s->result->finding != NULL;
  if (same && s->outcomes && s->outcomes->client) {
    client_print(s->outcomes->client, &s->result->names, &b);
    same = !strcmp(buf_text(&b), s->client);
  }
  buf_free(&b);
  return same;
}

void story_put_value(const struct story *s, struct value v, struct buf *out) {
  size_t start = out->len;
  bool number = v.kind == VALUE_INT || v.kind == VALUE_UINT;
  if (number && put_fresh_number(v, out))
    return;
  if (v.kind == VALUE_POINTER && is_of_finding(s)) {
    uint64_t tag = v.bits >> 56;
    const struct block *b = tag == VALUE_TAG_BLOCK ? block_of(s, v.bits) : NULL;
    if (b)
      put_address(s, b->base + (v.bits & 0xffffff), out);
    else if (tag == VALUE_TAG_GLOBAL)
      put_address(s, s->result->base + (v.bits & 0xffffffffffff), out);
    if (tag == VALUE_TAG_BLOCK && out->len == start)
      put_unknown_block(s, v.bits, out);
    if (tag == VALUE_TAG_OTHER &&
        (v.bits & 0xffffffffffff) >> 16 == (uint32_t)FRESH_WORD)
      buf_puts(out, "? (uninitialised)");
  }
  if (out->len == start)
    value_print(v, out);
}
