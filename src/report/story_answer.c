/*
 * The answer: one sentence at one place of the source, and notes at others.  It
 * says what was found in this execution and no more.
 *     stack.c:41:9: error: pop() is not linearizable: interrupted between lines
 *         41 and 52 by push()
 *     stack.c:30:3: note: in between comes T2 in push(2): write top: 0 -> 1
 */
#include "base/text.h"
#include "report/interruption.h"
#include "report/story_int.h"

#include <inttypes.h>
#include <string.h>

static const struct place *place_of(const struct teller *t, uint64_t pc,
                                    uint32_t chain) {
  return story_place(t->s, t->n, pc, chain);
}

static const struct place *fault_place(const struct teller *t) {
  return place_of(t, t->f->pc, t->f->chain);
}

void answer_note(struct teller *t, const struct place *place, struct buf *b) {
  struct story_note n = {place, story_keep(t->s, b)};
  vec_push(&t->s->notes, n);
}

/* `T2 in push(2)`, `main` */
void answer_put_actor(const struct teller *t, uint8_t thread, uint32_t call,
                      struct buf *b) {
  buf_puts(b, story_thread(thread));
  if (call < t->f->client.ncalls)
    buf_printf(b, " in %s", t->s->calls[call]);
}

/* The call that the failing thread was in, or EVENT_NO_CALL. */
uint32_t answer_failing_call(const struct teller *t) {
  const struct trace *tr = &t->f->trace;
  for (uint32_t i = tr->nevents; i-- > 0;)
    if (tr->events[i].thread == t->f->thread && tr->events[i].kind != EV_SHOW)
      return tr->events[i].call;
  return EVENT_NO_CALL;
}

/* ` in find(), called from list_remove()` */
void answer_put_where(struct teller *t, const struct place *p, uint32_t call) {
  struct buf op = {0};
  bool known = call < t->f->client.ncalls;
  const char *function = p->function;
  if (function && begins(function, "fl__"))
    function = NULL; /* a macro of faultline.h made it */
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

const char *answer_property(const struct result *r) {
  return criterion_words[criterion_named(r->criterion)].property;
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
               p->file ? base_name(p->file) : "?", p->line,
               q->file ? base_name(q->file) : "?", q->line);
}

/* The first access in between that conflicts with the one before, and the last
 * that conflicts with the one after, are what the operation does not notice and
 * what it meets. */
static void mark_decisive(struct teller *t, const struct interruption *in) {
  const struct event *e = t->f->trace.events;
  uint32_t first = in->by, last = in->by;
  for (uint32_t i = in->before + 1; i < in->after; i++) {
    if (e[i].thread == e[in->before].thread)
      continue;
    if (first == in->by && events_conflict(&e[i], &e[in->before]))
      first = i;
    if (events_conflict(&e[i], &e[in->after]))
      last = i;
  }
  const uint32_t all[] = {in->before, in->by, in->after, first, last};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    vec_push(&t->s->decisive, all[i]);
}

void answer_put_intruder(struct teller *t, const struct interruption *in) {
  const struct event *by = &t->f->trace.events[in->by];
  const struct story_event *e = &t->s->events[in->by];
  mark_decisive(t, in);
  answer_put_actor(t, by->thread, by->call, &t->b);
  buf_printf(&t->b, ": %s %s", event_word[by->kind],
             e->location ? e->location : "");
  if (e->value && e->old)
    buf_printf(&t->b, ": %s -> %s", e->old, e->value);
  else if (e->value)
    buf_printf(&t->b, " = %s", e->value);
}

static void say_interrupted(struct teller *t, const struct interruption *in) {
  struct story *s = t->s;
  const struct place *p = s->events[in->before].place;
  const struct place *q = s->events[in->after].place;
  s->place = p;
  s->until = q;
  story_operation(t->r, in->call, &t->b);
  buf_printf(&t->b, " is not %s: ", answer_property(t->r));
  if (p->line && q->line)
    put_lines(&t->b, p, q);
  else
    buf_puts(&t->b, "interrupted");
  const struct event *by = &t->f->trace.events[in->by];
  buf_puts(&t->b, " by ");
  if (by->call < t->f->client.ncalls)
    story_operation(t->r, by->call, &t->b);
  else
    buf_puts(&t->b, story_thread(by->thread));
  s->message = story_keep(s, &t->b);
  buf_puts(&t->b, "in between comes ");
  answer_put_intruder(t, in);
  answer_note(t, s->events[in->by].place, &t->b);
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
  bool interrupted = interruption_find(t->f, &in);
  if (answer_stuck(t)) {
    if (interrupted) {
      answer_put_actor(t, t->f->trace.events[in.before].thread, in.call, &t->b);
      buf_puts(&t->b, " is interrupted here by ");
      answer_put_intruder(t, &in);
      answer_note(t, t->s->events[in.before].place, &t->b);
    }
    return;
  }
  if (answer_cause(t))
    return;
  if (interrupted) {
    say_interrupted(t, &in);
    return;
  }
  uint32_t call = disagreeing(t->f);
  if (call < t->f->client.ncalls) {
    t->s->place = first_place(t, call);
    story_operation(t->r, call, &t->b);
    buf_printf(&t->b, " is not %s: no order of the calls explains its result",
               answer_property(t->r));
  } else {
    buf_printf(&t->b,
               "%s is not %s: no order of the calls explains their "
               "results",
               t->r->object, answer_property(t->r));
  }
  t->s->message = story_keep(t->s, &t->b);
}

static void say_sequential(struct teller *t) {
  uint32_t call = disagreeing(t->f);
  if (call >= t->f->client.ncalls)
    call = answer_failing_call(t);
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

/* The block that the fault names, or else the last one that was allocated at
 * its address. */
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
  buf_puts(b, t->s->blocks[k - t->f->trace.blocks]);
}

/* A block's call is known even when the trace does not have its allocation:
 * that was before the thread's first visible access. */
static void note_site(struct teller *t, const char *done, uint64_t pc,
                      uint32_t chain, uint8_t thread, uint32_t event,
                      uint32_t call) {
  const struct trace *tr = &t->f->trace;
  if (!pc && event >= tr->nevents)
    return;
  if (event < tr->nevents)
    call = tr->events[event].call;
  buf_printf(&t->b, "%s here by ", done);
  answer_put_actor(t, thread, call, &t->b);
  if (!pc) {
    pc = tr->events[event].pc;
    chain = tr->events[event].chain;
  }
  answer_note(t, place_of(t, pc, chain), &t->b);
}

static void say_memory(struct teller *t) {
  const struct finding *f = t->f;
  const struct block *k = fault_block(f);
  struct story *s = t->s;
  uint32_t call = answer_failing_call(t);
  s->place = fault_place(t);
  buf_puts(&t->b, fault_words[f->fault]);
  if (k) {
    buf_puts(&t->b, " of ");
    put_block(t, k, &t->b);
  } else if (f->addr) {
    buf_puts(&t->b, " at ");
    t->n->location(t->n->ctx, f->addr, 1, story_last_event(t->s), &t->b);
  }
  if (f->fault != FAULT_LEAK)
    answer_put_where(t, s->place, call);
  if (f->detail && (!k || f->fault == FAULT_OUT_OF_BOUNDS))
    buf_printf(&t->b, ": %s", f->detail);
  answer_put_lines(t);
  s->message = story_keep(s, &t->b);
  if (!k)
    return;
  if (f->fault == FAULT_LEAK && !s->place->line)
    s->place = place_of(t, k->alloc_pc, k->alloc_chain);
  note_site(t, "allocated", k->alloc_pc, k->alloc_chain, k->alloc_thread,
            k->alloc_event, k->alloc_call - 1); /* 0 is no call */
  if (k->free_event != UINT32_MAX || k->free_pc)
    note_site(t, "freed", k->free_pc, k->free_chain, k->free_thread,
              k->free_event, EVENT_NO_CALL);
}

/* ---- the rest ---- */

static bool concurrent(const struct finding *f) {
  return f->client.nthreads > 1 || f->client.ncalls == 0;
}

static void say_fault(struct teller *t) {
  const struct finding *f = t->f;
  t->s->place = fault_place(t);
  if (f->fault != FAULT_UNMODELLED) /* the verdict says that already */
    buf_puts(&t->b, story_fault_words(f->fault));
  answer_put_where(t, t->s->place, answer_failing_call(t));
  struct buf fresh = {0};
  if (f->fault == FAULT_UNMODELLED && t->s->drift)
    buf_printf(&t->b, ": %s", t->s->drift);
  if (story_put_fresh_pointer(t->s, &fresh))
    buf_printf(&t->b, ": %s", fresh.at);
  else if (f->detail)
    buf_printf(&t->b, ": %s", f->detail);
  else if (f->addr)
    buf_printf(&t->b, ": at address 0x%" PRIx64, f->addr);
  buf_free(&fresh);
  answer_put_lines(t);
  const char *text = story_keep(t->s, &t->b);
  t->s->message = text + strspn(text, ": ");
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

/* The client passes under SC: a fence is missing. */
static void say_fence(struct teller *t) {
  const struct fences_found *f = &t->f->fences;
  struct place *at = arena_alloc(&t->s->arena, sizeof *at);
  *at = (struct place){.file = f->at[0].file,
                       .function = f->at[0].function,
                       .line = f->at[0].store_line ? f->at[0].store_line
                                                   : f->at[0].load_line,
                       .column = f->at[0].column};
  t->s->place = at;
  for (uint32_t i = 0; i < f->len; i++) {
    buf_puts(&t->b, i ? ", and " : "");
    buf_printf(&t->b, "%s() needs ", f->at[i].function);
    story_fence(&f->at[i], &t->b);
  }
  buf_puts(&t->b, " (store buffers)");
  t->s->message = story_keep(t->s, &t->b);
}

void story_make_answer(struct story *s, const struct story_namer *n) {
  struct teller t = {.s = s, .n = n, .r = s->result, .f = s->result->finding};
  const struct code_block *tests;
  if (!t.f) {
    say_nothing_found(&t);
    buf_free(&t.b);
    return;
  }
  if (story_composition(s, n, &tests, &t.b))
    s->composition = story_keep(s, &t.b);
  if (fences_come_first(&t.f->fences) && t.f->fault != FAULT_NONE) {
    say_fence(&t);
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
  case FAULT_DATA_RACE:
    answer_race(&t);
    break;
  case FAULT_DEADLOCK:
  case FAULT_LIVELOCK:
    answer_waiting(&t);
    break;
  default:
    say_fault(&t);
    break;
  }
  answer_kind(&t);
  answer_in_library(&t);
  if (t.f->fault > FAULT_SEQUENTIAL && !concurrent(t.f)) {
    buf_printf(&t.b, "%s (one thread is enough)", s->message);
    s->message = story_keep(s, &t.b);
  }
  buf_free(&t.b);
}
