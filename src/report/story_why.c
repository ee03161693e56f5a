/*
 * Two sentences that the answer needs beside it: why the results are wrong, by
 * the order of the calls that explains most of them, and what to do.
 *     No order of the calls explains their results: after push(1), pop() should
 *     return 1, but it returned 0.
 *     Make lines 41-42 in pop() atomic: replace the read of line 41 …
 */
#include "report/story_int.h"

#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- why ---- */

void story_put_result(const struct story *s, uint32_t call, struct buf *out) {
  const struct history *h = &s->result->finding->trace.history;
  buf_puts(out, s->calls[call]);
  if (s->results[call]) {
    if (*s->results[call])
      buf_printf(out, " = %s", s->results[call]);
  } else if (h->ops && hop_called(&h->ops[call])) {
    buf_puts(out, " (does not return)");
  } else {
    buf_puts(out, " (not called)");
  }
}

/* ` 2`, ` 2, 3 or 4`, or nothing for a void operation. */
static void put_results(const struct story *s, const struct refutation *r,
                        struct buf *b) {
  for (uint32_t i = 0; i <= r->also.len; i++) {
    struct buf value = {0};
    story_put_value(s, i ? r->also.at[i - 1] : r->expected, &value);
    buf_puts(b, !i ? "" : i < r->also.len ? "," : " or");
    buf_printf(b, "%s%s", value.len ? " " : "", buf_text(&value));
    buf_free(&value);
  }
}

/* `return 2`, `return at most 2`, `return`, `wait`; `return something else`
 * where only what was returned is known to be wrong (FL_SPEC(relation, …)) */
static void put_expected(const struct story *s, const struct refutation *r,
                         const char *had, struct buf *b) {
  if (r->waits) {
    buf_puts(b, "wait");
    return;
  }
  buf_puts(b, r->bound == BOUND_EXACT   ? "return"
              : r->bound == BOUND_LEAST ? "return at least"
                                        : "return at most");
  put_results(s, r, b);
  if (r->expected.kind == VALUE_VOID && !r->also.len && had && *had)
    buf_puts(b, " something else");
}

void story_put_refutation(const struct story *s, const struct refutation *r,
                          struct buf *out) {
  assert(r->order.len);
  uint32_t last = r->order.at[r->order.len - 1];
  for (uint32_t i = 0; i + 1 < r->order.len; i++) {
    story_put_result(s, r->order.at[i], out);
    buf_puts(out, "; ");
  }
  buf_printf(out, "%s %s should ", r->order.len > 1 ? "then" : "first",
             s->calls[last]);
  const char *had = s->results[last];
  put_expected(s, r, had, out);
  if (had)
    buf_printf(out, ", returned %s", *had ? had : "nothing");
  else
    buf_puts(out, ", did not return");
  if (r->alone) {
    buf_puts(out, ", alone");
  } else if (had && r->reading != READING_NONE &&
             r->reading != READING_TOGETHER) {
    buf_puts(out, ", against ");
    story_put_reading(r, out);
  }
}

/* The order that explains the most calls; NULL: there is none. */
static const struct refutation *furthest(const struct finding *f) {
  const struct refutation *best = NULL;
  for (uint32_t i = 0; i < f->refutations.len; i++) {
    const struct refutation *r = &f->refutations.at[i];
    if (r->order.len && (!best || r->order.len > best->order.len))
      best = r;
  }
  return best;
}

void story_put_reading(const struct refutation *r, struct buf *b) {
  static const char *const words[] = {
      [READING_NONE] = "",
      [READING_RELAXED] = "FL_RELAXED",
      [READING_OUT_OF_ORDER] = "FL_OUT_OF_ORDER",
      [READING_PER_PRODUCER] = "FL_PER_PRODUCER",
      [READING_TOGETHER] = "together"};
  buf_puts(b, words[r->reading]);
  if (r->reading == READING_OUT_OF_ORDER)
    buf_printf(b, "(%" PRIu32 ")", r->reach);
}

static void put_reading(const struct refutation *r, struct buf *b) {
  if (r->reading != READING_NONE && r->reading != READING_TOGETHER) {
    buf_puts(b, ", which ");
    story_put_reading(r, b);
    buf_puts(b, " does not allow");
  }
}

enum { NAMED = 8 }; /* calls before the one that is wrong */

/* `after push(1) and push(2), pop() should return 2, but it returned 1` */
static void put_order(const struct story *s, const struct refutation *r,
                      struct buf *b) {
  uint32_t before = (uint32_t)r->order.len - 1, last = r->order.at[before];
  uint32_t from = before > NAMED ? before - NAMED : 0;
  buf_puts(b, before ? "after " : "");
  if (from) {
    story_number(from, b);
    buf_printf(b, " call%s, ", from == 1 ? "" : "s");
  }
  for (uint32_t i = from; i < before; i++) {
    buf_puts(b, i == from ? "" : i + 1 < before ? ", " : " and ");
    story_put_result(s, r->order.at[i], b);
  }
  buf_puts(b, before ? ", " : "");
  buf_printf(b, "%s should ", s->calls[last]);
  const char *had = s->results[last];
  put_expected(s, r, had, b);
  if (r->reading == READING_TOGETHER)
    buf_puts(b, ", alone or with calls that overlap it");
  if (had)
    buf_printf(b, ", but it returned %s", *had ? had : "nothing");
  else
    buf_puts(b, ", but it did not return");
  if (r->alone)
    buf_puts(b, ", which FL_MAY_FAIL allows only if another call overlaps it");
  else if (had)
    put_reading(r, b);
}

const char story_only_late[] =
    "By happens-before, the default under tso, these results are right: "
    "nothing "
    "in the client makes one thread wait for the other's store.";

static const char *make_why(struct story *s) {
  const struct finding *f = s->result->finding;
  const struct refutation *r = furthest(f);
  enum criterion criterion = criterion_named(s->result->criterion);
  struct buf b = {0};
  if (!r)
    return NULL;
  if (f->fault == FAULT_SEQUENTIAL) {
    put_order(s, r, &b);
    if (b.at[0] == 'a' && r->order.len > 1)
      b.at[0] = 'A';
  } else {
    bool strict = criterion == CRITERION_LINEARIZABLE;
    buf_printf(&b, "no order of the calls%s%s explains their results: ",
               strict ? "" : " ",
               strict ? "" : criterion_words[criterion].orders);
    put_order(s, r, &b);
    b.at[0] = 'N';
  }
  buf_puts(&b, ".");
  if (f->only_late)
    buf_printf(&b, " %s", story_only_late);
  const char *text = story_keep(s, &b);
  buf_free(&b);
  return text;
}

/* ---- what to do ---- */

/* The file, if the first block is in a library. */
static const char *in_library(const struct cause *c) {
  const char *file = c->blocks[0].file;
  return file && place_is_system(file) ? file : NULL;
}

/* `lines 8-9 in push() and line 20 in pop()` */
static void put_lines(const struct story *s, const struct cause *c,
                      struct buf *b) {
  for (uint32_t i = 0; i < c->nblocks; i++) {
    const struct code_block *k = &c->blocks[i];
    buf_puts(b, !i ? "" : i + 1 < c->nblocks ? ", " : " and ");
    story_put_lines(k, b);
    if (k->file && s->file && strcmp(k->file, s->file) != 0)
      buf_printf(b, " of %s", base_name(k->file));
    if (k->function)
      buf_printf(b, " in %s()", k->function);
  }
}

/* Whether an access is made from lines of the cause. */
static bool is_inside(const struct story *s, const struct cause *c,
                      const struct event *e) {
  const struct place *at[NAMER_FRAMES];
  uint32_t n = e->pc ? namer_frames(&s->namer, &s->result->finding->trace,
                                    e->pc, e->chain, at)
                     : 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < c->nblocks; k++)
      if (code_block_has_line(&c->blocks[k], at[i]->file, at[i]->function,
                              at[i]->line))
        return true;
  return false;
}

/* The user's line that led into the library: it may be right. */
static void put_caller(const struct story *s, const struct cause *c,
                       struct buf *b) {
  const struct trace *t = &s->result->finding->trace;
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    const struct place *p = &story_nowhere;
    if (is_inside(s, c, e))
      p = story_place_in(t, &s->namer, e->pc, e->chain);
    if (!p->line || place_role(p) == PLACE_LIBRARY)
      continue;
    buf_printf(b, ", called from line %" PRIu32, p->line);
    if (p->file && s->place->file && strcmp(p->file, s->place->file))
      buf_printf(b, " of %s", base_name(p->file));
    if (p->function)
      buf_printf(b, " in %s()", p->function);
    return;
  }
}

/* What is known of it, unless the advice says that. */
static void put_proof(const struct ranked_cause *c, struct buf *b) {
  const char *them = c->lines > 1 || c->cause.nblocks > 1 ? "them" : "it";
  if (c->verified && !c->fix)
    buf_puts(b, ". Verified: with a lock there, compiled and searched again, "
                "no fault was found");
  else if (!c->verified)
    buf_printf(b, ". Searched again without interrupting %s: no fault", them);
}

static void put_cause(const struct story *s, const struct ranked_cause *c,
                      struct buf *b) {
  const char *library = in_library(&c->cause);
  if (library) { /* nobody changes that */
    buf_puts(b, "The fault is in a library: ");
    story_put_lines(&c->cause.blocks[0], b);
    buf_printf(b, " of %s", library);
    put_caller(s, &c->cause, b);
  } else if (c->carried_fails) {
    buf_puts(b, "No change was found that passes. Without interruptions of ");
    put_lines(s, &c->cause, b);
    buf_printf(b,
               " no fault is left%s, but a lock in exactly these lines fails",
               c->waits ? " where no thread has to wait inside" : "");
    return;
  } else {
    buf_puts(b, "Make ");
    put_lines(s, &c->cause, b);
    buf_puts(b, " atomic");
    if (c->fix)
      buf_printf(b, ": %s", c->fix);
  }
  put_proof(c, b);
}

/* A lock that lets two in is mended, not what it fails to protect. */
const struct cause *story_broken_lock(const struct finding *f) {
  const struct kind_found *k = &f->kind;
  if (!k->lock.nblocks || !k->held.nblocks ||
      (f->causes.len && cause_equal(f->causes.at[0].cause, k->lock)))
    return NULL;
  return &k->lock;
}

static void put_lock(const struct story *s, const struct kind_found *k,
                     struct buf *b) {
  bool many =
      k->lock.nblocks > 1 || k->lock.blocks[0].first < k->lock.blocks[0].last;
  bool enough = cause_equal(k->lock, k->held);
  buf_puts(b, enough ? "Mend the lock: make " : "Mend the lock, ");
  put_lines(s, &k->lock, b);
  if (enough)
    buf_printf(b, " atomic. With %s atomic, this client passes",
               many ? "them" : "it");
  else if (k->lock_fails)
    buf_printf(b, ". %s two in even when nobody interrupts %s",
               many ? "They let" : "It lets", many ? "them" : "it");
}

/* The advice is all that there is to say. */
static void put_advice(const char *fix, struct buf *b) {
  size_t from = b->len;
  buf_puts(b, fix);
  b->at[from] = (char)toupper((unsigned char)b->at[from]);
}

/* Nobody is told to make a test atomic. */
static void put_composition(const struct story *s, struct buf *b) {
  buf_puts(b, "No lines of the object are known that would prevent this by "
              "being atomic. ");
  buf_puts(b, s->composition);
  if (s->result->finding->fault == FAULT_NOT_LINEARIZABLE)
    buf_puts(b, ": each of these calls may be right by itself, and only the "
                "test takes them for one operation");
}

static void put_fences(const struct fences_found *f, struct buf *b) {
  buf_puts(b, "Add ");
  for (uint32_t i = 0; i < f->len; i++) {
    buf_puts(b, i ? ", and " : "");
    story_fence(&f->at[i], b);
    buf_printf(b, " of %s()", f->at[i].function);
  }
  buf_printf(b,
             ", with atomic_thread_fence(memory_order_seq_cst). With %s, a "
             "second search finds no fault",
             f->len > 1 ? "them" : "it");
}

/* A wait is to be repeated until what it waits for is so. */
static void put_loop(const struct story *s, struct buf *b) {
  const uint32_t *marks = s->result->finding->kind.marks;
  const struct event *events = s->result->finding->trace.events;
  uint8_t wait = events[marks[IF_WAIT]].kind;
  uint32_t line = s->events[marks[IF_LOOK]].place->line;
  if (wait == EV_SEM_WAIT)
    buf_printf(b,
               "Call sem_wait() at line %" PRIu32 " again while it returns "
               "-1 with errno EINTR (not tried). Where no signal is handled, "
               "--spurious-wakeups=off",
               line);
  else
    buf_printf(b,
               "Wait in a loop: after the wait, look again at what line "
               "%" PRIu32 " looks at (not tried)",
               line);
}

/* No reader may be inside while something is written. */
static void put_exclusive(const struct story *s, struct buf *b) {
  const uint32_t *marks = s->result->finding->kind.marks;
  buf_printf(b,
             "Take the lock of line %" PRIu32 " exclusively, since line "
             "%" PRIu32 " writes (not tried)",
             s->events[marks[SHARED_WRITE_LOCK]].place->line,
             s->events[marks[SHARED_WRITE]].place->line);
}

static const char *make_fix(struct story *s) {
  const struct finding *f = s->result->finding;
  struct buf b = {0};
  if (f->kind.fix)
    put_advice(f->kind.fix, &b);
  else if (s->composition)
    put_composition(s, &b);
  else if (fences_come_first(&f->fences))
    put_fences(&f->fences, &b);
  else if (story_broken_lock(f))
    put_lock(s, &f->kind, &b);
  else if (f->kind.kind == KIND_IF_FOR_WHILE)
    put_loop(s, &b);
  else if (f->kind.kind == KIND_SHARED_LOCK)
    put_exclusive(s, &b);
  else if (f->causes.len && f->causes.at[0].cause.nblocks &&
           f->causes.at[0].enforced && cause_is_enough(&f->causes.at[0]))
    put_cause(s, &f->causes.at[0], &b);
  if (!b.len)
    return NULL;
  if (b.at[b.len - 1] != '.')
    buf_puts(&b, ".");
  const char *text = story_keep(s, &b);
  buf_free(&b);
  return text;
}

void story_make_why(struct story *s) {
  s->why = make_why(s);
  s->fix = make_fix(s);
}
