/*
 * The answer to a violation whose lines are known: those of the best cause.
 *
 * That they must be atomic is said when the search with them atomic found no
 * fault any more; when it could not be seen, only what this execution shows,
 * that they can be interrupted; and nothing of them when they are known not to
 * be enough.
 *     pop() is not atomic: lines 41-42 can be interrupted
 *     pop() is not linearizable: lines 41-42 can be interrupted
 */
#include "base/text.h"
#include "report/interruption.h"
#include "report/source.h"
#include "report/story_int.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_OTHERS = 2 }; /* blocks beside the one that is shown */

static bool is_in(const struct place *p, const struct code_block *k,
                  uint32_t first, uint32_t last) {
  return p->line >= first && p->line <= last && p->file && k->file &&
         !strcmp(p->file, k->file) && p->function && k->function &&
         !strcmp(p->function, k->function);
}

/*
 * Where the event was on lines of the block: at the access, or at a call that
 * led to it, which may be one that was inlined.  NULL: nowhere.  *activation
 * becomes that of the block's function, if the trace has them.
 */
static const struct place *place_within(const struct teller *t,
                                        const struct event *e,
                                        const struct code_block *k,
                                        uint32_t first, uint32_t last,
                                        uint32_t *activation) {
  const struct trace *tr = &t->f->trace;
  uint64_t pc = e->pc;
  *activation = e->activation;
  for (uint32_t chain = e->chain; pc; chain = tr->frames[chain].parent) {
    for (const struct place *p = t->n->place(t->n->ctx, pc); p; p = p->next)
      if (is_in(p, k, first, last))
        return p;
    if (!chain || chain >= tr->nframes)
      return NULL;
    pc = tr->frames[chain].call_pc;
    *activation = *activation < tr->nactivations
                      ? tr->activations[*activation].parent
                      : 0;
  }
  return NULL;
}

/* The place of a line of the block: that of event `at`, if it is on the line;
 * or that of another event; or as the source has it. */
static const struct place *end_of(struct teller *t, const struct code_block *k,
                                  uint32_t line, uint32_t at) {
  const struct trace *tr = &t->f->trace;
  uint32_t ignored;
  const struct place *p = NULL;
  if (at < tr->nevents)
    p = place_within(t, &tr->events[at], k, line, line, &ignored);
  for (uint32_t i = 0; i < tr->nevents && !p; i++)
    p = place_within(t, &tr->events[i], k, line, line, &ignored);
  if (p)
    return p;
  struct place *own = arena_alloc(&t->s->arena, sizeof *own);
  *own = (struct place){.file = k->file, .function = k->function, .line = line};
  own->column = source_first_column(own);
  return own;
}

/* Numbers the executions of the block: of one call and one activation, with
 * no access elsewhere between.  Returns how many there are. */
static uint32_t number_executions(const struct teller *t,
                                  const struct code_block *k, uint32_t *unit) {
  const struct trace *tr = &t->f->trace;
  struct {
    uint32_t unit, call, activation;
  } last[32] = {{0}};
  uint32_t n = 0;
  for (uint32_t i = 0; i < tr->nevents; i++) {
    const struct event *e = &tr->events[i];
    uint32_t activation;
    if (!e->pc || e->thread >= 32 || e->call >= t->f->client.ncalls)
      continue;
    if (!place_within(t, e, k, k->first, k->last, &activation)) {
      last[e->thread].unit = 0;
      continue;
    }
    if (!last[e->thread].unit || last[e->thread].call != e->call ||
        last[e->thread].activation != activation)
      last[e->thread].unit = ++n;
    last[e->thread].call = e->call;
    last[e->thread].activation = activation;
    unit[i] = last[e->thread].unit;
  }
  return n;
}

static bool interrupted_inside(const struct teller *t,
                               const struct code_block *k,
                               struct interruption *out) {
  uint32_t *unit = xcalloc(t->f->trace.nevents + 1, sizeof *unit);
  uint32_t n = number_executions(t, k, unit);
  bool found = interruption_within(t->f, unit, n, out);
  free(unit);
  return found;
}

/* A block of the cause that is interrupted in this execution, on both sides if
 * there is one; UINT32_MAX: none is. */
static uint32_t shown_block(const struct teller *t, const struct cause *c,
                            struct interruption *in) {
  uint32_t shown = UINT32_MAX;
  struct interruption one;
  for (uint32_t i = 0; i < c->nblocks; i++)
    if (interrupted_inside(t, &c->blocks[i], &one) &&
        (shown == UINT32_MAX || (one.both && !in->both))) {
      shown = i;
      *in = one;
    }
  return shown;
}

/* `pop() is not atomic: lines 8-9 can be interrupted, and line 2 of push()` */
static void put_enforced(struct teller *t, const struct cause *c,
                         uint32_t shown) {
  const struct code_block *k = &c->blocks[shown];
  if (k->function)
    buf_printf(&t->b, "%s()", k->function);
  else
    buf_puts(&t->b, t->r->object);
  buf_puts(&t->b, " is not atomic: ");
  story_put_lines(k, &t->b);
  buf_puts(&t->b, " can be interrupted");
  uint32_t left = c->nblocks - 1, most = left > MOST_OTHERS ? 1 : left;
  for (uint32_t i = 0; i < c->nblocks && most; i++) {
    if (i == shown)
      continue;
    left--;
    most--;
    buf_puts(&t->b, ", and ");
    story_put_lines(&c->blocks[i], &t->b);
    if (c->blocks[i].function)
      buf_printf(&t->b, " of %s()", c->blocks[i].function);
  }
  if (left)
    buf_printf(&t->b, ", and %" PRIu32 " more blocks", left);
}

/* `pop() is not linearizable: lines 8-9 of take() can be interrupted` */
static void put_seen(struct teller *t, const struct code_block *k,
                     uint32_t call) {
  size_t len = k->function ? strlen(k->function) : 0;
  struct buf op = {0};
  story_operation(t->r, call, &op);
  buf_printf(&t->b, "%s is not %s: ", buf_text(&op), answer_property(t->r));
  story_put_lines(k, &t->b);
  if (len && (strncmp(op.at, k->function, len) != 0 || op.at[len] != '('))
    buf_printf(&t->b, " of %s()", k->function);
  buf_puts(&t->b, " can be interrupted");
  buf_free(&op);
}

/* The block of the best cause to show: one that is interrupted here, or the
 * first of those that hold; NULL: none. */
static const struct code_block *best_block(const struct teller *t,
                                           struct interruption *in) {
  const struct causes_found *found = &t->f->causes;
  if (!found->len || !found->at[0].cause.nblocks)
    return NULL;
  if (!cause_is_enough(&found->at[0]))
    return NULL;
  uint32_t shown = shown_block(t, &found->at[0].cause, in);
  if (shown == UINT32_MAX && !cause_is_enforced(&found->at[0]))
    return NULL;
  return &found->at[0].cause.blocks[shown == UINT32_MAX ? 0 : shown];
}

/* `lines 8-9 of take() can be interrupted`; the function, unless it is the
 * place's. */
static void put_lines_of(struct teller *t, const struct code_block *k) {
  const struct place *p = t->s->place;
  story_put_lines(k, &t->b);
  if (k->file && p->file && strcmp(k->file, p->file))
    buf_printf(&t->b, " of %s", base_name(k->file));
  if (k->function && (!p->function || strcmp(k->function, p->function)))
    buf_printf(&t->b, " in %s()", k->function);
  buf_puts(&t->b, " can be interrupted");
}

void answer_put_lines(struct teller *t) {
  struct interruption in;
  const struct code_block *k = best_block(t, &in);
  if (!k || t->s->composition)
    return;
  buf_puts(&t->b, strstr(buf_text(&t->b), ": ") ? "; " : ": ");
  put_lines_of(t, k);
}

/* The user's line that the library was called from in event `at`, or NULL. */
static const struct place *caller_of(const struct teller *t, uint32_t at) {
  const struct trace *tr = &t->f->trace;
  if (at >= tr->nevents || !tr->events[at].pc)
    return NULL;
  const struct place *p =
      story_place_in(tr, t->n, tr->events[at].pc, tr->events[at].chain);
  return place_role(p) == PLACE_LIBRARY ? NULL : p;
}

void answer_in_library(struct teller *t) {
  struct interruption in = {.before = UINT32_MAX, .after = UINT32_MAX};
  const struct code_block *k = best_block(t, &in);
  if (!k || !t->n->role ||
      t->n->role(t->n->ctx, k->file, k->function) != PLACE_LIBRARY)
    return;
  const struct place *from = caller_of(t, in.before);
  buf_printf(&t->b, "%s", t->s->message);
  t->s->place = end_of(t, k, k->first, in.before);
  t->s->until = end_of(t, k, k->last, in.after);
  if (!strstr(t->s->message, "can be interrupted")) {
    buf_puts(&t->b, strstr(buf_text(&t->b), ": ") ? "; " : ": ");
    put_lines_of(t, k);
  }
  t->s->message = story_keep(t->s, &t->b);
  if (from) {
    buf_puts(&t->b, "called from here");
    answer_note(t, from, &t->b);
  }
}

/* `swap() is not linearizable: it calls get() (line 11), then …` */
static bool answer_composition(struct teller *t) {
  struct buf calls = {0};
  const struct code_block *k;
  struct interruption in = {.before = UINT32_MAX, .after = UINT32_MAX};
  bool is = story_composition(t->s, t->n, &k, &calls);
  if (is) {
    bool seen = interrupted_inside(t, k, &in);
    t->s->place = end_of(t, k, k->first, in.before);
    t->s->until = end_of(t, k, k->last, in.after);
    buf_printf(&t->b, "%s() is not %s: it%s, and can be interrupted in between",
               k->function, answer_property(t->r),
               calls.at + strlen(k->function) + 2);
    t->s->message = story_keep(t->s, &t->b);
    if (seen) {
      buf_puts(&t->b, "here by ");
      answer_put_intruder(t, &in);
      answer_note(t, t->s->events[in.by].place, &t->b);
    }
  }
  buf_free(&calls);
  return is;
}

bool answer_cause(struct teller *t) {
  const struct causes_found *found = &t->f->causes;
  if (!found->len || !found->at[0].cause.nblocks)
    return false;
  if (answer_composition(t))
    return true;
  if (!cause_is_enough(&found->at[0]))
    return false;
  const struct cause *c = &found->at[0].cause;
  struct interruption in = {.before = UINT32_MAX, .after = UINT32_MAX};
  uint32_t shown = shown_block(t, c, &in);
  assert(shown == UINT32_MAX || shown < c->nblocks);
  bool seen = shown != UINT32_MAX;
  if (!seen && !cause_is_enforced(&found->at[0]))
    return false;
  const struct code_block *k = &c->blocks[seen ? shown : 0];
  t->s->place = end_of(t, k, k->first, in.before);
  t->s->until = end_of(t, k, k->last, in.after);
  if (cause_is_enforced(&found->at[0]))
    put_enforced(t, c, seen ? shown : 0);
  else
    put_seen(t, k, in.call);
  t->s->message = story_keep(t->s, &t->b);
  if (seen) {
    buf_puts(&t->b, "here by ");
    answer_put_intruder(t, &in);
    answer_note(t, t->s->events[in.by].place, &t->b);
  }
  return true;
}
