/*
 * The threads that wait for ever: in a deadlock, in a livelock, and at the end
 * of a history whose calls may wait (FL_BLOCKING) but not there.
 */
#include "report/story_int.h"

#include <assert.h>

uint32_t story_last_event(const struct story *s) {
  uint32_t n = s->result->finding->trace.nevents;
  return n ? n - 1 : 0;
}

/* The last thing that a thread did, or NULL. */
static const struct event *last_of(const struct trace *t, uint8_t thread) {
  for (uint32_t i = t->nevents; i-- > 0;)
    if (t->events[i].thread == thread && t->events[i].kind != EV_SHOW &&
        t->events[i].kind != EV_FAULT)
      return &t->events[i];
  return NULL;
}

static void add(struct story *s, const struct story_namer *n,
                const struct waiting *w, uint32_t chain) {
  struct story_waiting to = {*w, story_place(s, n, w->pc, chain)};
  vec_push(&s->waiting, to);
}

/* The calls that a waiting thread is nested in are known when the step that
 * made it wait was recorded. */
static uint32_t chain_of(const struct trace *t, const struct waiting *w) {
  const struct event *e = last_of(t, w->thread);
  return e && e->pc == w->pc ? e->chain : 0;
}

/* What a call that did not return was doing, as far as the trace tells. */
static void add_pending(struct story *s, const struct story_namer *n,
                        uint32_t call) {
  const struct finding *f = s->result->finding;
  uint8_t thread = f->client.calls[call].thread;
  const struct event *e = last_of(&f->trace, thread);
  struct waiting w = {
      .thread = thread, .kind = EV_STEP, .holder = 255, .call = call};
  if (e && e->call == call)
    w.pc = e->pc;
  if (e && (e->kind == EV_COND_WAIT || e->kind == EV_FUTEX_WAIT ||
            e->kind == EV_SEM_WAIT)) {
    w.kind = e->kind;
    w.addr = e->addr;
  }
  add(s, n, &w, e ? e->chain : 0);
}

void story_make_waiting(struct story *s, const struct story_namer *n) {
  const struct finding *f = s->result->finding;
  const struct history *h = &f->trace.history;
  for (uint32_t i = 0; i < f->waiting.len; i++)
    add(s, n, &f->waiting.at[i], chain_of(&f->trace, &f->waiting.at[i]));
  if (f->waiting.len || !h->stuck || !h->ops)
    return;
  for (uint32_t i = 0; i < f->client.ncalls; i++)
    if (hop_called(&h->ops[i]) && hop_pending(&h->ops[i]))
      add_pending(s, n, i);
}

/* ---- circles ---- */

static const struct story_waiting *waiting_of(const struct story *s,
                                              uint8_t thread) {
  for (uint32_t i = 0; i < s->waiting.len; i++)
    if (s->waiting.at[i].is.thread == thread)
      return &s->waiting.at[i];
  return NULL;
}

/* Follows "waits for what x holds" from `w`; the length of the circle that
 * comes back to it, or 0. */
static uint32_t circle(const struct story *s, const struct story_waiting *w) {
  const struct story_waiting *at = w;
  for (uint32_t n = 1; n <= s->waiting.len; n++) {
    if (at->is.holder == w->is.thread)
      return n;
    at = waiting_of(s, at->is.holder);
    if (!at)
      return 0;
  }
  return 0;
}

static const struct story_waiting *in_circle(const struct story *s,
                                             uint32_t *len) {
  for (uint32_t i = 0; i < s->waiting.len; i++)
    if ((*len = circle(s, &s->waiting.at[i])) != 0)
      return &s->waiting.at[i];
  return NULL;
}

static void put_circle(struct teller *t, const struct story_waiting *w,
                       uint32_t n) {
  if (n == 1) {
    buf_printf(&t->b, ": %s waits for a lock that it holds itself",
               story_thread(w->is.thread));
    return;
  }
  const struct story_waiting *at = w;
  for (uint32_t i = 0; i < n; i++) {
    assert(at); /* the circle was followed before */
    buf_puts(&t->b, i == 0 ? ": " : i + 1 < n ? ", " : " and ");
    buf_puts(&t->b, story_thread(at->is.thread));
    at = waiting_of(t->s, at->is.holder);
  }
  buf_puts(&t->b, n == 2 ? " wait for each other" : " wait in a circle");
}

/* ---- words ---- */

/* Was the condition variable signalled since the thread waits for it?  Another
 * thread may have been woken. */
static bool signalled(const struct trace *t, const struct waiting *w) {
  for (uint32_t i = t->nevents; i-- > 0;) {
    const struct event *e = &t->events[i];
    if (e->thread == w->thread && e->kind == EV_COND_WAIT)
      return false;
    if ((e->kind == EV_SIGNAL || e->kind == EV_BROADCAST) && e->addr == w->addr)
      return true;
  }
  return false;
}

/* What a thread waits for, as a verb: ` waits to lock m` */
static const char *waiting_words(const struct trace *t,
                                 const struct waiting *w) {
  if (w->spins)
    return "goes round a loop until";
  switch (w->kind) {
  case EV_LOCK:
  case EV_TRYLOCK:
    return "waits to lock";
  case EV_RDLOCK:
    return "waits to read-lock";
  case EV_WRLOCK:
    return "waits to write-lock";
  case EV_COND_WAIT:
  case EV_COND_WAKE:
  case EV_WAIT_OVER:
    return signalled(t, w) ? "waits on" : "waits for a signal of";
  case EV_SEM_WAIT:
    return "waits for the semaphore";
  case EV_BARRIER:
    return "waits at the barrier";
  case EV_FD_READ:
    return "waits to read from";
  case EV_FD_WRITE:
    return "waits to write to";
  case EV_FD_POLL:
    return "waits for an event of";
  default:
    return "waits for";
  }
}

static void note_waiting(struct teller *t, const struct story_waiting *at) {
  const struct waiting *w = &at->is;
  answer_put_actor(t, w->thread, w->call, &t->b);
  if (w->kind == EV_JOIN) {
    buf_printf(&t->b, " waits for the end of %s",
               story_thread((uint8_t)w->addr));
  } else if (w->addr) {
    buf_printf(&t->b, " %s ", waiting_words(&t->f->trace, w));
    story_put_lock(t->n, w->addr, 0, story_last_event(t->s), &t->b);
    buf_puts(&t->b, w->spins ? " changes" : "");
  } else {
    buf_puts(&t->b, w->spins ? " goes round a loop" : " waits");
  }
  if (w->holder != 255)
    buf_printf(&t->b, ", which %s holds", story_thread(w->holder));
  answer_note(t, at->place, &t->b);
}

static void note_all(struct teller *t) {
  for (uint32_t i = 0; i < t->s->waiting.len; i++)
    note_waiting(t, &t->s->waiting.at[i]);
}

void answer_waiting(struct teller *t) {
  const struct finding *f = t->f;
  struct story *s = t->s;
  uint32_t n = 0;
  const struct story_waiting *w = in_circle(s, &n);
  const struct story_waiting *first = w                ? w
                                      : s->waiting.len ? s->waiting.at
                                                       : NULL;
  s->place = first ? first->place : story_place(s, t->n, f->pc, f->chain);
  buf_puts(&t->b, fault_words[f->fault]);
  answer_put_where(t, s->place,
                   first ? first->is.call : answer_failing_call(t));
  if (f->fault == FAULT_LIVELOCK && s->waiting.len == 1)
    buf_printf(&t->b,
               ": %s goes round a loop that only another thread could end",
               story_thread(first->is.thread));
  else if (f->fault == FAULT_LIVELOCK)
    buf_puts(&t->b, ": every thread goes round a loop that only another one "
                    "could end");
  else if (w)
    put_circle(t, w, n);
  else
    buf_puts(&t->b, ": no thread can go on");
  s->message = story_keep(s, &t->b);
  note_all(t);
  if (f->client.nthreads == 1) {
    buf_puts(&t->b, "an operation that is meant to wait for another one is "
                    "declared with FL_BLOCKING");
    answer_note(t, &story_nowhere, &t->b);
  }
}

/* ---- histories ---- */

/* Some order explains every result, but would let this call return. */
static bool waits_wrongly(const struct finding *f, uint32_t call) {
  const struct history *h = &f->trace.history;
  if (!hop_called(&h->ops[call]) || !hop_pending(&h->ops[call]))
    return false;
  for (uint32_t i = 0; i < f->refutations.len; i++) {
    const struct refutation *r = &f->refutations.at[i];
    if (r->order.len && vec_last(&r->order) == call && !r->waits)
      return true;
  }
  return false;
}

static const struct place *place_of_call(const struct story *s, uint32_t call) {
  for (uint32_t i = 0; i < s->waiting.len; i++)
    if (s->waiting.at[i].is.call == call)
      return s->waiting.at[i].place;
  return &story_nowhere;
}

bool answer_stuck(struct teller *t) {
  const struct history *h = &t->f->trace.history;
  uint32_t n = 0, first = 0, last = 0, calls = t->f->client.ncalls;
  if (!h->stuck || !h->ops)
    return false;
  for (uint32_t i = 0; i < calls; i++)
    if (waits_wrongly(t->f, i)) {
      first = n++ ? first : i;
      last = i;
    }
  if (!n)
    return false;
  for (uint32_t i = first; i <= last; i++)
    if (waits_wrongly(t->f, i)) {
      buf_puts(&t->b, i == first ? "" : i == last ? " and " : ", ");
      story_operation(t->r, i, &t->b);
    }
  buf_printf(&t->b, " wait%s for ever: no order of the calls lets %s wait",
             n == 1 ? "s" : "",
             n == 1   ? "it"
             : n == 2 ? "both"
                      : "all of them");
  t->s->place = place_of_call(t->s, first);
  t->s->message = story_keep(t->s, &t->b);
  note_all(t);
  return true;
}
