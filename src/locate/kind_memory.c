/* Words that come back, memory that is handed out too early or kept too long.
 */
#include "locate/kinds_int.h"

/* ---- ABA ---- */

/* The read that the compare-and-swap at `swap` goes back to. */
static uint32_t read_for(const struct kind_query *q, uint32_t swap) {
  const struct event *c = event_at(q, swap);
  for (uint32_t i = swap; i-- > 0;) {
    const struct event *e = event_at(q, i);
    if (!same_call(e, c))
      continue;
    if (e->kind == EV_CALL)
      return KIND_NO_EVENT;
    if (same_spot(e, c) && event_reads[e->kind])
      return is_known_read(e) && !event_writes[e->kind] &&
                     equal_values(e->value, c->old)
                 ? i
                 : KIND_NO_EVENT;
  }
  return KIND_NO_EVENT;
}

/* What the call read since `read` and another thread changed before `swap`. */
static bool stale_read(const struct kind_query *q, uint32_t read, uint32_t swap,
                       uint32_t *stale, uint32_t *change) {
  const struct event *c = event_at(q, swap);
  for (uint32_t i = read + 1; i < swap; i++) {
    const struct event *e = event_at(q, i);
    if (!same_call(e, c) || !is_plain_read(e) || overlaps(e, c))
      continue;
    uint32_t x = last_foreign_write(q, e, e->thread, i, swap);
    if (x == KIND_NO_EVENT || equal_values(event_at(q, x)->value, e->value))
      continue;
    *stale = i;
    *change = x;
    return true;
  }
  return false;
}

/*
 * A compare-and-swap succeeds though the word changed since it was read: it has
 * the old value again.  Something that was read in between, by which the new
 * value was chosen, is out of date.
 *
 *     T1 24 load head = 1;  31 load next[0] = 2
 *     T2 36 cas head: 1 -> 2                       changes away
 *     T2 44 store next[0]: 2 -> 3;  50 cas head: 3 -> 1     and comes back
 *     T1 36 cas head: 1 -> 2                       2 is in use
 */
void match_aba(const struct kind_query *q) {
  for (uint32_t swap = 0; swap < events_of(q); swap++) {
    const struct event *c = event_at(q, swap);
    uint32_t stale, change, away = KIND_NO_EVENT;
    if (c->kind != EV_CAS || !is_concurrent(c))
      continue;
    uint32_t read = read_for(q, swap);
    if (read == KIND_NO_EVENT)
      continue;
    for (uint32_t i = read + 1; i < swap && away == KIND_NO_EVENT; i++)
      if (is_write(event_at(q, i)) && same_spot(event_at(q, i), c) &&
          !equal_values(event_at(q, i)->value, c->old))
        away = i;
    uint32_t back = last_foreign_write(q, c, c->thread, read, swap);
    if (away == KIND_NO_EVENT || back == KIND_NO_EVENT || back <= away ||
        !equal_values(event_at(q, back)->value, c->old) ||
        !stale_read(q, read, swap, &stale, &change))
      continue;
    add_match(q, &(struct kind_found){
                     .kind = KIND_ABA,
                     .marks = {read, away, back, swap, stale, change}});
  }
}

/* ---- publication ---- */

/* The block that `value` points into and that was alive at event `at`. */
static const struct block *block_of(const struct kind_query *q, uint64_t value,
                                    uint32_t at) {
  const struct trace *t = q->t->trace;
  for (uint32_t i = t->nblocks; i-- > 0;) {
    const struct block *b = &t->blocks[i];
    if (value - b->base < b->size &&
        (b->alloc_event == UINT32_MAX || b->alloc_event < at) &&
        (b->free_event == UINT32_MAX || b->free_event > at))
      return b;
  }
  return NULL;
}

static bool inside(const struct block *b, const struct event *e) {
  return e->addr >= b->base && e->addr + e->size <= b->base + b->size;
}

static bool written_before(const struct kind_query *q, const struct block *b,
                           const struct event *spot, uint32_t before) {
  for (uint32_t i = b->alloc_event; i < before; i++)
    if (is_write(event_at(q, i)) && overlaps(event_at(q, i), spot))
      return true;
  return false;
}

/* The first write to the spot after `read`, if the publisher's call makes it.
 */
static uint32_t fill_after(const struct kind_query *q, uint32_t read,
                           uint32_t store) {
  for (uint32_t i = read + 1; i < events_of(q); i++)
    if (is_write(event_at(q, i)) && overlaps(event_at(q, i), event_at(q, read)))
      return same_call(event_at(q, i), event_at(q, store)) ? i : KIND_NO_EVENT;
  return KIND_NO_EVENT;
}

/* A node of zeros has no neighbours: a pointer to another block that is written
 * later links that one, and initialises nothing. */
static bool links(const struct kind_query *q, uint32_t read, uint32_t fill) {
  return !event_at(q, read)->value[0] && fill != KIND_NO_EVENT &&
         block_of(q, event_at(q, fill)->value[0], events_of(q));
}

static bool returned(const struct kind_query *q, uint32_t of, uint32_t before) {
  for (uint32_t i = of + 1; i < before; i++)
    if (event_at(q, i)->kind == EV_RETURN &&
        same_call(event_at(q, i), event_at(q, of)))
      return true;
  return false;
}

/*
 * A call stores a pointer to a block that it has allocated outside of that
 * block; then another thread reads a field of the block that was never written;
 * then the call writes it, or the execution has ended before it could.
 *
 *     T1 25 alloc conf#1;  27 store instance: NULL -> &conf#1
 *     T2 16 load instance = &conf#1
 *     T2 42 read conf#1.a = ?
 *     T1 28 write conf#1.a: ? -> 1
 *
 * Only the first store of the pointer counts, and the reader must not be a
 * thread that knew the block otherwise: it read the pointer.
 */
static void match_store(const struct kind_query *q, uint32_t store) {
  const struct event *s = event_at(q, store);
  if (!is_write(s) || !is_concurrent(s) || s->size != 8 ||
      s->flags & EVENT_NO_VALUE)
    return;
  const struct block *b = block_of(q, s->value[0], store);
  if (!b || b->alloc_event >= events_of(q) || inside(b, s) ||
      !same_call(event_at(q, b->alloc_event), s))
    return;
  uint32_t knows = 0; /* threads that have read the pointer */
  for (uint32_t i = store + 1; i < events_of(q); i++) {
    const struct event *e = event_at(q, i);
    if (e->thread == s->thread || e->thread >= 32)
      continue;
    if (is_known_read(e) && e->size == 8 && value_read(e)[0] == s->value[0])
      knows |= 1u << e->thread;
    if (!(e->kind == EV_READ || e->kind == EV_ATOMIC_READ) || !inside(b, e) ||
        !(knows >> e->thread & 1) || written_before(q, b, e, i))
      continue;
    uint32_t fill = fill_after(q, i, store);
    bool cut = fill == KIND_NO_EVENT && !b->elem_size &&
               !returned(q, store, i) && !returned(q, store, events_of(q));
    if ((fill == KIND_NO_EVENT && !cut) || links(q, i, fill))
      continue;
    add_match(q, &(struct kind_found){.kind = KIND_EARLY_PUBLICATION,
                                      .marks = {store, i, fill}});
    return;
  }
}

/* Whether the call ever writes the spot of its event `of`. */
static bool writes_it(const struct kind_query *q, uint32_t of) {
  for (uint32_t i = 0; i < events_of(q); i++)
    if (is_write(event_at(q, i)) &&
        same_call(event_at(q, i), event_at(q, of)) &&
        overlaps(event_at(q, i), event_at(q, of)))
      return true;
  return false;
}

/* The last write to the spot before event `at`. */
static uint32_t write_before(const struct kind_query *q,
                             const struct event *spot, uint32_t at) {
  while (at-- > 0)
    if (is_write(event_at(q, at)) && overlaps(event_at(q, at), spot))
      return at;
  return KIND_NO_EVENT;
}

static bool wrote_before(const struct kind_query *q, uint32_t store,
                         const struct event *spot) {
  for (uint32_t i = store; i-- > 0;) {
    const struct event *e = event_at(q, i);
    if (!same_call(e, event_at(q, store)))
      continue;
    if (e->kind == EV_CALL)
      return false;
    if (is_write(e) && overlaps(e, spot))
      return true;
  }
  return false;
}

/*
 * A call sets a number that tells others that something is there; another one
 * sees it and reads, and only then the first writes what was read.  Calls that
 * see the number as it was before do not read.
 *
 *     T1 32 store cell[0].turn: 0 -> 1
 *     T2 47 load cell[0].turn = 1
 *     T2 50 read cell[0].value = 0
 *     T1 33 write cell[0].value: 0 -> 7
 *
 * One that writes there too may do so too late: that is another fault.
 */
static void match_flag(const struct kind_query *q, uint32_t store) {
  const struct event *s = event_at(q, store);
  if (!is_write(s) || !is_concurrent(s) ||
      s->flags & (EVENT_NO_VALUE | EVENT_NO_OLD) ||
      equal_values(s->value, s->old) || block_of(q, s->value[0], store))
    return;
  uint32_t look = KIND_NO_EVENT; /* of the thread that reads */
  for (uint32_t i = store + 1; i < events_of(q); i++) {
    const struct event *e = event_at(q, i);
    if (e->thread == s->thread || !is_plain_read(e) || !is_concurrent(e))
      continue;
    if (same_spot(e, s)) {
      look = write_before(q, s, i) == store ? i : KIND_NO_EVENT;
      continue;
    }
    if (look == KIND_NO_EVENT || !same_call(e, event_at(q, look)) ||
        overlaps(e, s) || kind_site(q->t, i) == kind_site(q->t, look) ||
        wrote_before(q, store, e) || writes_it(q, i) ||
        !decisions_never(q->d, q->t, look, s->old, i))
      continue;
    uint32_t fill = fill_after(q, i, store);
    if (fill == KIND_NO_EVENT)
      continue;
    add_match(q, &(struct kind_found){.kind = KIND_EARLY_PUBLICATION,
                                      .marks = {store, i, fill}});
    return;
  }
}

void match_early_publication(const struct kind_query *q) {
  for (uint32_t i = 0; i < events_of(q); i++) {
    match_store(q, i);
    match_flag(q, i);
  }
}

/* ---- use after free ---- */

static const struct block *freed_block(const struct kind_query *q,
                                       uint32_t use) {
  const struct trace *t = q->t->trace;
  const struct event *e = event_at(q, use);
  for (uint32_t i = t->nblocks; i-- > 0;) {
    const struct block *b = &t->blocks[i];
    if (inside(b, e) && (b->alloc_event == UINT32_MAX || b->alloc_event < use))
      return b->free_event < use ? b : NULL;
  }
  return NULL;
}

/* The last time that the call read a pointer into the block, outside of it. */
static uint32_t pointer_read(const struct kind_query *q, const struct block *b,
                             uint32_t use) {
  const struct event *u = event_at(q, use);
  for (uint32_t i = use; i-- > 0;) {
    const struct event *e = event_at(q, i);
    if (!same_call(e, u))
      continue;
    if (e->kind == EV_CALL)
      return KIND_NO_EVENT;
    if (is_known_read(e) && e->size == 8 && !inside(b, e) &&
        value_read(e)[0] - b->base < b->size)
      return i;
  }
  return KIND_NO_EVENT;
}

/*
 * A call reads a pointer, another thread frees the block, the call uses it; it
 * has not read the pointer again since.  Nothing told the other thread that the
 * block is in use, and nothing told the call that it is not there any more.
 *
 *     T1 20 load top = &node#1
 *     T2 30 free node#1
 *     T1 22 read node#1.next        use after free
 */
void match_unprotected(const struct kind_query *q) {
  for (uint32_t use = 0; use < events_of(q); use++) {
    const struct event *e = event_at(q, use);
    bool access = event_reads[e->kind] || event_writes[e->kind];
    if (!access || !is_concurrent(e))
      continue;
    const struct block *b = freed_block(q, use);
    if (!b || b->free_event >= use ||
        event_at(q, b->free_event)->thread == e->thread ||
        !is_concurrent(event_at(q, b->free_event)))
      continue;
    uint32_t read = pointer_read(q, b, use);
    if (read == KIND_NO_EVENT || read > b->free_event)
      continue;
    add_match(q, &(struct kind_found){.kind = KIND_UNPROTECTED,
                                      .marks = {read, b->free_event, use}});
    return;
  }
}
