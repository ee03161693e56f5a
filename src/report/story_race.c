/*
 * The answer to a data race: both accesses, and the atomic accesses between
 * them that would order them if they were a release and an acquire.
 *
 *   T1: x = 1 (a), store f relaxed (w)   T2: load f acquire (r), x (b)
 *   r has read what w wrote: w must be a release
 */
#include "report/story_int.h"

#include <string.h>

static bool overlap(const struct event *a, const struct event *b) {
  return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static bool is_access(const struct event *e) {
  return event_reads[e->kind] || event_writes[e->kind];
}

static bool is_atomic(const struct event *e) {
  return e->kind == EV_ATOMIC_READ || e->kind == EV_ATOMIC_WRITE ||
         e->kind == EV_RMW || e->kind == EV_CAS || e->kind == EV_CAS_FAIL;
}

/* The access that was refused; nevents: it is not in the trace. */
static uint32_t second_access(const struct finding *f) {
  for (uint32_t i = f->trace.nevents; i--;) {
    const struct event *e = &f->trace.events[i];
    if (e->thread == f->thread && is_access(e) && e->addr <= f->addr &&
        f->addr < e->addr + e->size)
      return i;
  }
  return f->trace.nevents;
}

/* The write that the atomic read `at` has read from, or `at`. */
static uint32_t write_of(const struct trace *t, uint32_t at) {
  for (uint32_t i = at; i--;)
    if (event_writes[t->events[i].kind] &&
        overlap(&t->events[i], &t->events[at]))
      return is_atomic(&t->events[i]) ? i : at;
  return at;
}

static bool is_release(uint8_t order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}

static bool is_acquire(uint8_t order) {
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

/* A write of a's thread behind a that b's thread has read before b; the last
 * such read. */
static bool find_pair(const struct trace *t, uint32_t a, uint32_t b,
                      uint32_t *write, uint32_t *read) {
  for (uint32_t i = b; i-- > a + 1;) {
    const struct event *e = &t->events[i];
    if (e->thread != t->events[b].thread || !is_atomic(e) ||
        !event_reads[e->kind])
      continue;
    uint32_t w = write_of(t, i);
    if (w > a && w < i && t->events[w].thread == t->events[a].thread) {
      *write = w;
      *read = i;
      return true;
    }
  }
  return false;
}

static const char *name_of_order(uint8_t order) {
  static const char *const name[] = {"relaxed", "consume", "acquire",
                                     "release", "acq_rel", "seq_cst"};
  return order < sizeof name / sizeof *name ? name[order] : "plain";
}

static void put_event(const struct teller *t, uint32_t at, struct buf *b) {
  const struct event *e = &t->f->trace.events[at];
  const struct place *p = t->s->events[at].place;
  answer_put_actor(t, e->thread, e->call, b);
  buf_printf(b, " %s it",
             e->kind == EV_FREE       ? "frees"
             : !event_writes[e->kind] ? "reads"
             : event_reads[e->kind]   ? "changes"
                                      : "writes");
  if (is_atomic(e))
    buf_puts(b, " atomically");
  if (p && p->line)
    buf_printf(b, " (line %u)", p->line);
}

static void note_orders(struct teller *t, uint32_t a, uint32_t b) {
  const struct trace *tr = &t->f->trace;
  uint32_t w, r;
  if (!find_pair(tr, a, b, &w, &r))
    return;
  const struct event *write = &tr->events[w], *read = &tr->events[r];
  bool weak_write = !is_release(write->order);
  bool weak_read = !is_acquire(read->order);
  if (!weak_write && !weak_read)
    return; /* the orders are there, and something between them is not */
  if (weak_write) {
    buf_printf(&t->b, "with memory_order_release here (%s now)",
               name_of_order(write->order));
    const struct place *p = t->s->events[r].place;
    if (p && p->line)
      buf_printf(&t->b, " and memory_order_acquire at line %u%s", p->line,
                 weak_read ? " (relaxed now)" : "");
    buf_puts(&t->b, " the two would be ordered");
    answer_note(t, t->s->events[w].place, &t->b);
  } else {
    buf_printf(&t->b,
               "with memory_order_acquire here (%s now) the two would be "
               "ordered",
               name_of_order(read->order));
    answer_note(t, t->s->events[r].place, &t->b);
  }
  vec_push(&t->s->decisive, w);
  vec_push(&t->s->decisive, r);
}

void answer_race(struct teller *t) {
  const struct finding *f = t->f;
  uint32_t n = f->trace.nevents, b = second_access(f), a = f->other - 1;
  buf_puts(&t->b, "data race");
  if (b >= n || !f->other) {
    if (f->detail)
      buf_printf(&t->b, ": %s", f->detail);
    t->s->message = story_keep(t->s, &t->b);
    return;
  }
  t->s->place = t->s->events[b].place ? t->s->events[b].place : &story_nowhere;
  if (t->s->events[b].location)
    buf_printf(&t->b, " on %s", t->s->events[b].location);
  buf_puts(&t->b, ": ");
  put_event(t, b, &t->b);
  buf_puts(&t->b, ", ");
  put_event(t, a, &t->b);
  buf_puts(&t->b, ", and nothing orders the two");
  t->s->message = story_keep(t->s, &t->b);
  const struct event *first = &f->trace.events[a];
  buf_printf(&t->b, "%s here by ",
             event_writes[first->kind] ? "written" : "read");
  answer_put_actor(t, first->thread, first->call, &t->b);
  if (t->s->events[a].place)
    answer_note(t, t->s->events[a].place, &t->b);
  else
    buf_clear(&t->b);
  note_orders(t, a, b);
  vec_push(&t->s->decisive, a);
  vec_push(&t->s->decisive, b);
}
