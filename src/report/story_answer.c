/*
 * The answer: one sentence at one place of the source, and notes at others.
 * It says what was found in this execution and no more.
 */
#include "report/interruption.h"
#include "report/story_int.h"

#include <inttypes.h>
#include <string.h>

struct teller {
  struct story *s;
  const struct story_namer *n;
  const struct result *r;
  const struct finding *f;
  struct buf b; /* the sentence in the making */
};

static const struct place *place_of(const struct teller *t, uint64_t pc,
                                    uint32_t chain) {
  return story_place(t->s, t->n, pc, chain);
}

static const struct place *fault_place(const struct teller *t) {
  return place_of(t, t->f->pc, t->f->chain);
}

static uint32_t last_event(const struct teller *t) {
  return t->f->trace.nevents ? t->f->trace.nevents - 1 : 0;
}

static void note(struct teller *t, const struct place *place, struct buf *b) {
  struct story_note n = {place, story_keep(t->s, b)};
  vec_push(&t->s->notes, n);
}

/* `T2 in push(2)`, `main` */
static void put_actor(const struct teller *t, uint8_t thread, uint32_t call,
                      struct buf *b) {
  buf_puts(b, story_thread(thread));
  if (call < t->f->client.ncalls)
    buf_printf(b, " in %s", t->s->calls[call]);
}

/* The call that the failing thread was in, or EVENT_NO_CALL. */
static uint32_t failing_call(const struct teller *t) {
  const struct trace *tr = &t->f->trace;
  for (uint32_t i = tr->nevents; i-- > 0;)
    if (tr->events[i].thread == t->f->thread && tr->events[i].kind != EV_SHOW)
      return tr->events[i].call;
  return EVENT_NO_CALL;
}

/* ` in find(), called from list_remove()` */
static void put_where(struct teller *t, const struct place *p, uint32_t call) {
  struct buf op = {0};
  bool known = call < t->f->client.ncalls;
  const char *function = p->function;
  if (function && strncmp(function, "fl__", 4) == 0)
    function = NULL; /* what a macro of faultline.h made */
  if (known)
    story_operation(t->r, call, &op);
  if (function)
    buf_printf(&t->b, " in %s()", function);
  else if (known)
    buf_printf(&t->b, " in %s", buf_text(&op));
  size_t len = function ? strlen(function) : 0;
  if (known && function && strncmp(buf_text(&op), function, len) != 0)
    buf_printf(&t->b, ", called from %s", buf_text(&op));
  buf_free(&op);
}

/* ---- violations ---- */

static const char *property(const struct result *r) {
  bool sequential = r->criterion && strncmp(r->criterion, "seq", 3) == 0;
  return sequential ? "sequentially consistent" : "linearizable";
}

static void put_lines(struct buf *b, const struct place *p,
                      const struct place *q) {
  bool same = p->file && q->file && strcmp(p->file, q->file) == 0;
  if (same && p->line == q->line)
    buf_printf(b, "interrupted within line %" PRIu32, p->line);
  else if (same)
    buf_printf(b, "interrupted between lines %" PRIu32 " and %" PRIu32, p->line,
               q->line);
  else
    buf_printf(b, "interrupted between %s:%" PRIu32 " and %s:%" PRIu32,
               p->file ? story_base_name(p->file) : "?", p->line,
               q->file ? story_base_name(q->file) : "?", q->line);
}

static void say_interrupted(struct teller *t, const struct interruption *in) {
  struct story *s = t->s;
  const struct place *p = s->events[in->before].place;
  const struct place *q = s->events[in->after].place;
  s->place = p;
  s->until = q;
  story_operation(t->r, in->call, &t->b);
  buf_printf(&t->b, " is not %s: ", property(t->r));
  if (p->line && q->line)
    put_lines(&t->b, p, q);
  else
    buf_puts(&t->b, "interrupted by another thread");
  s->message = story_keep(s, &t->b);

  const struct event *by = &t->f->trace.events[in->by];
  const struct story_event *e = &s->events[in->by];
  buf_puts(&t->b, "in between comes ");
  put_actor(t, by->thread, by->call, &t->b);
  buf_printf(&t->b, ": %s %s", event_word[by->kind],
             e->location ? e->location : "");
  if (e->value && e->old)
    buf_printf(&t->b, ": %s -> %s", e->old, e->value);
  else if (e->value)
    buf_printf(&t->b, " = %s", e->value);
  note(t, e->place, &t->b);
}

/* A call that disagrees with every order that was tried, or EVENT_NO_CALL. */
static uint32_t disagreeing(const struct finding *f) {
  for (uint32_t i = 0; i < f->refutations.len; i++)
    if (f->refutations.at[i].order.len)
      return vec_last(&f->refutations.at[i].order);
  return EVENT_NO_CALL;
}

static const struct place *first_place(const struct teller *t, uint32_t call) {
  for (uint32_t i = 0; i < t->f->trace.nevents; i++)
    if (t->f->trace.events[i].call == call && t->s->events[i].place->line)
      return t->s->events[i].place;
  return &story_nowhere;
}

static void say_violation(struct teller *t) {
  struct interruption in;
  if (interruption_find(t->f, &in)) {
    say_interrupted(t, &in);
    return;
  }
  uint32_t call = disagreeing(t->f);
  if (call < t->f->client.ncalls) {
    t->s->place = first_place(t, call);
    story_operation(t->r, call, &t->b);
    buf_printf(&t->b, " is not %s: no order of the calls explains its result",
               property(t->r));
  } else {
    buf_printf(&t->b,
               "%s is not %s: no order of the calls explains their "
               "results",
               t->r->object, property(t->r));
  }
  t->s->message = story_keep(t->s, &t->b);
}

static void say_sequential(struct teller *t) {
  uint32_t call = disagreeing(t->f);
  if (call >= t->f->client.ncalls)
    call = failing_call(t);
  t->s->place = t->f->pc ? fault_place(t) : first_place(t, call);
  if (call < t->f->client.ncalls)
    story_operation(t->r, call, &t->b);
  else
    buf_puts(&t->b, t->r->object);
  buf_puts(&t->b, " is wrong without concurrency");
  if (t->f->detail)
    buf_printf(&t->b, ": %s", t->f->detail);
  else if (t->r->spec)
    buf_printf(&t->b, ": it does not behave like %s", t->r->spec);
  t->s->message = story_keep(t->s, &t->b);
}

/* ---- memory ---- */

/* The one that the fault names, or else the last one given at its address. */
static const struct block *fault_block(const struct finding *f) {
  const struct trace *t = &f->trace;
  if (f->block < t->nblocks)
    return &t->blocks[f->block];
  for (uint32_t i = t->nblocks; i-- > 0;)
    if (f->addr - t->blocks[i].base < t->blocks[i].size)
      return &t->blocks[i];
  return NULL;
}

static void put_block(const struct teller *t, const struct block *k,
                      struct buf *b) {
  uint32_t at = k->alloc_event < t->f->trace.nevents ? k->alloc_event : 0;
  t->n->location(t->n->ctx, k->base, k->size, at, b);
}

static void note_site(struct teller *t, const char *done, uint64_t pc,
                      uint32_t chain, uint8_t thread, uint32_t event) {
  const struct trace *tr = &t->f->trace;
  if (!pc && event >= tr->nevents)
    return;
  buf_printf(&t->b, "%s here by ", done);
  put_actor(t, thread,
            event < tr->nevents ? tr->events[event].call : EVENT_NO_CALL,
            &t->b);
  if (!pc) {
    pc = tr->events[event].pc;
    chain = tr->events[event].chain;
  }
  note(t, place_of(t, pc, chain), &t->b);
}

static void say_memory(struct teller *t) {
  const struct finding *f = t->f;
  const struct block *k = fault_block(f);
  struct story *s = t->s;
  uint32_t call = failing_call(t);
  s->place = fault_place(t);
  buf_puts(&t->b, fault_words[f->fault]);
  if (k) {
    buf_puts(&t->b, " of ");
    put_block(t, k, &t->b);
  } else if (f->addr) {
    buf_puts(&t->b, " at ");
    t->n->location(t->n->ctx, f->addr, 1, last_event(t), &t->b);
  }
  if (f->fault != FAULT_LEAK)
    put_where(t, s->place, call);
  if (f->detail && (!k || f->fault == FAULT_OUT_OF_BOUNDS))
    buf_printf(&t->b, ": %s", f->detail);
  s->message = story_keep(s, &t->b);
  if (!k)
    return;
  if (f->fault == FAULT_LEAK && !s->place->line)
    s->place = place_of(t, k->alloc_pc, k->alloc_chain);
  note_site(t, "allocated", k->alloc_pc, k->alloc_chain, k->alloc_thread,
            k->alloc_event);
  if (k->free_event != UINT32_MAX || k->free_pc)
    note_site(t, "freed", k->free_pc, k->free_chain, k->free_thread,
              k->free_event);
}

/* ---- waiting ---- */

static const struct waiting *waiting_of(const struct finding *f,
                                        uint8_t thread) {
  for (uint32_t i = 0; i < f->waiting.len; i++)
    if (f->waiting.at[i].thread == thread)
      return &f->waiting.at[i];
  return NULL;
}

/* Follows "waits for what x holds" from `w`; the length of the circle that
 * comes back to it, or 0. */
static uint32_t circle(const struct finding *f, const struct waiting *w) {
  const struct waiting *at = w;
  for (uint32_t n = 1; n <= f->waiting.len; n++) {
    if (at->holder == w->thread)
      return n;
    at = waiting_of(f, at->holder);
    if (!at)
      return 0;
  }
  return 0;
}

static const struct waiting *in_circle(const struct finding *f, uint32_t *len) {
  for (uint32_t i = 0; i < f->waiting.len; i++)
    if ((*len = circle(f, &f->waiting.at[i])) != 0)
      return &f->waiting.at[i];
  return NULL;
}

static void put_circle(struct teller *t, const struct waiting *w, uint32_t n) {
  if (n == 1) {
    buf_printf(&t->b, ": %s waits for a lock that it holds itself",
               story_thread(w->thread));
    return;
  }
  const struct waiting *at = w;
  for (uint32_t i = 0; i < n; i++) {
    buf_puts(&t->b, i == 0 ? ": " : i + 1 < n ? ", " : " and ");
    buf_puts(&t->b, story_thread(at->thread));
    at = waiting_of(t->f, at->holder);
  }
  buf_puts(&t->b, n == 2 ? " wait for each other" : " wait in a circle");
}

/* What a thread waits for, as a verb: ` waits to lock m` */
static const char *waiting_words(const struct waiting *w) {
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
    return "waits for a signal of";
  case EV_COND_WAKE:
    return "was signalled and waits for the mutex of";
  case EV_SEM_WAIT:
    return "waits for the semaphore";
  case EV_BARRIER:
    return "waits at the barrier";
  default:
    return "waits for";
  }
}

static void note_waiting(struct teller *t, const struct waiting *w) {
  put_actor(t, w->thread, w->call, &t->b);
  if (w->kind == EV_JOIN) {
    buf_printf(&t->b, " waits for the end of %s",
               story_thread((uint8_t)w->addr));
  } else if (w->addr) {
    buf_printf(&t->b, " %s ", waiting_words(w));
    story_put_lock(t->n, w->addr, 0, last_event(t), &t->b);
    buf_puts(&t->b, w->spins ? " changes" : "");
  } else {
    buf_puts(&t->b, w->spins ? " goes round a loop" : " waits");
  }
  if (w->holder != 255)
    buf_printf(&t->b, ", which %s holds", story_thread(w->holder));
  note(t, place_of(t, w->pc, 0), &t->b);
}

static void say_waiting(struct teller *t) {
  const struct finding *f = t->f;
  uint32_t n = 0;
  const struct waiting *w = in_circle(f, &n);
  const struct waiting *first = w ? w : f->waiting.len ? f->waiting.at : NULL;
  t->s->place = first ? place_of(t, first->pc, 0) : fault_place(t);
  buf_puts(&t->b, fault_words[f->fault]);
  put_where(t, t->s->place, first ? first->call : failing_call(t));
  if (f->fault == FAULT_LIVELOCK && f->waiting.len == 1)
    buf_printf(&t->b,
               ": %s goes round a loop that only another thread could end",
               story_thread(first->thread));
  else if (f->fault == FAULT_LIVELOCK)
    buf_puts(&t->b, ": every thread goes round a loop that only another one "
                    "could end");
  else if (w)
    put_circle(t, w, n);
  else
    buf_puts(&t->b, ": no thread can go on");
  t->s->message = story_keep(t->s, &t->b);
  for (uint32_t i = 0; i < f->waiting.len; i++)
    note_waiting(t, &f->waiting.at[i]);
  if (f->client.nthreads == 1) {
    buf_puts(&t->b, "an operation that is meant to wait for another one is "
                    "declared with FL_BLOCKING");
    note(t, &story_nowhere, &t->b);
  }
}

/* ---- the rest ---- */

static bool concurrent(const struct finding *f) {
  return f->client.nthreads > 1 || f->client.ncalls == 0;
}

static void say_fault(struct teller *t) {
  const struct finding *f = t->f;
  t->s->place = fault_place(t);
  buf_puts(&t->b, story_fault_words(f->fault));
  put_where(t, t->s->place, failing_call(t));
  if (f->detail)
    buf_printf(&t->b, ": %s", f->detail);
  else if (f->addr)
    buf_printf(&t->b, ": at address 0x%" PRIx64, f->addr);
  t->s->message = story_keep(t->s, &t->b);
}

static void say_nothing_found(struct teller *t) {
  const struct result *r = t->r;
  if (r->verdict == VERDICT_UNKNOWN) {
    buf_puts(&t->b, "inconclusive");
    if (r->reason)
      buf_printf(&t->b, ": %s", r->reason);
    else if (r->coverage.limit)
      buf_printf(&t->b, ", stopped by %s", r->coverage.limit);
  } else if (r->verdict != VERDICT_PASS) {
    buf_puts(&t->b, r->reason ? r->reason : "a fault was found");
  } else if (t->f) { /* a replay */
    buf_printf(&t->b, "passes: this execution ends without a fault%s",
               t->f->client.ncalls ? ", and an order of its calls explains "
                                     "their results"
                                   : "");
  } else if (r->expect_fault) {
    buf_puts(&t->b,
             "a fault was expected (FL_EXPECT_FAULT) and none was found");
  }
  t->s->message = story_keep(t->s, &t->b);
}

void story_make_answer(struct story *s, const struct story_namer *n) {
  struct teller t = {.s = s, .n = n, .r = s->result, .f = s->result->finding};
  if (!t.f) {
    say_nothing_found(&t);
    buf_free(&t.b);
    return;
  }
  switch (t.f->fault) {
  case FAULT_NONE:
    say_nothing_found(&t);
    break;
  case FAULT_NOT_LINEARIZABLE:
    say_violation(&t);
    break;
  case FAULT_SEQUENTIAL:
    say_sequential(&t);
    break;
  case FAULT_USE_AFTER_FREE:
  case FAULT_DOUBLE_FREE:
  case FAULT_BAD_FREE:
  case FAULT_OUT_OF_BOUNDS:
  case FAULT_LEAK:
    say_memory(&t);
    break;
  case FAULT_DEADLOCK:
  case FAULT_LIVELOCK:
    say_waiting(&t);
    break;
  default:
    say_fault(&t);
    break;
  }
  if (t.f->fault > FAULT_SEQUENTIAL && !concurrent(t.f)) {
    buf_printf(&t.b, "%s (one thread is enough)", s->message);
    s->message = story_keep(s, &t.b);
  }
  buf_free(&t.b);
}
