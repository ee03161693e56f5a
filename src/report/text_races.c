/*
 * The races that decide, in the terminal report: those of one failing execution
 * with the shortest pattern.
 */
#include "report/races.h"

#include "base/text.h"

#include <assert.h>

#include <inttypes.h>
#include <string.h>

void race_who(const struct story *story, const struct step *s,
              struct buf *out) {
  const struct finding *f = story->result->finding;
  if (s->call < f->client.ncalls)
    buf_printf(out, "%s of ", story->calls[s->call]);
  story_put_stepper(story, s->thread, out);
}

static const char *verb(uint8_t kind) {
  switch (kind) {
  case EV_READ:
  case EV_ATOMIC_READ:
    return "reads";
  case EV_WRITE:
  case EV_ATOMIC_WRITE:
    return "writes";
  case EV_COMMIT:
    return "commits";
  case EV_RMW:
    return "changes";
  case EV_CAS:
  case EV_CAS_FAIL:
    return "compares and swaps";
  case EV_FREE:
    return "frees";
  case EV_LOCK:
  case EV_WRLOCK:
  case EV_RDLOCK:
    return "locks";
  case EV_TRYLOCK:
    return "tries to lock";
  case EV_UNLOCK:
    return "unlocks";
  case EV_COND_WAIT:
    return "waits for";
  case EV_SIGNAL:
  case EV_BROADCAST:
    return "signals";
  }
  return NULL;
}

/* `T1, at line 12, reads s->top` */
static void put_rival(const struct story *story, const struct rival *r,
                      bool location, struct buf *b) {
  const char *does = verb(r->about.kind);
  race_who(story, &r->step, b);
  if (location && r->step.flags & STEP_CALLS)
    buf_puts(b, " begins and");
  buf_printf(b, " %s", does ? does : "goes on");
  if (location && does)
    buf_printf(b, " %s", r->location ? r->location : "memory");
  if (location && r->step.flags & STEP_RETURNS)
    buf_puts(b, " and returns");
  const struct place *own = place_own(r->place), *p = own ? own : r->place;
  if (p && story->file && p->file && !strcmp(story->file, p->file))
    buf_printf(b, " (line %" PRIu32 ")", p->line);
  else if (p && p->file)
    buf_printf(b, " (%s:%" PRIu32 ")", base_name(p->file), p->line);
}

/* The location that all of them are about, or NULL. */
static const char *common_location(const struct race *r) {
  for (uint32_t i = 0; i < r->len; i++)
    if (!r->at[i].location || strcmp(r->at[i].location, r->at[0].location))
      return NULL;
  return r->at[0].location;
}

/* Of a winner after which it can still go either way there is nothing to say:
 * the races that follow decide. */
static const char *consequence(enum race_leads leads) {
  switch (leads) {
  case LEADS_GOOD:
    return "nothing can go wrong any more";
  case LEADS_BAD:
    return "it fails whatever follows";
  default:
    return NULL;
  }
}

/* `. If T1 runs first, … ; if T2 does, …` */
static void put_consequences(const struct story *story, const struct race *r,
                             struct buf *b) {
  bool some = false;
  for (uint32_t i = 0; i < r->len; i++) {
    const char *then = consequence(r->at[i].leads);
    if (!then)
      continue;
    buf_puts(b, some ? "; if " : ". If ");
    story_put_stepper(story, r->at[i].step.thread, b);
    buf_printf(b, " %s, %s", some ? "does" : "runs first", then);
    some = true;
  }
}

static void put_race(struct screen *s, const struct story *story,
                     const struct race *r, uint32_t number) {
  struct buf b = {0};
  const char *common = common_location(r);
  buf_printf(&b, "%" PRIu32 ". ", number);
  if (common)
    buf_printf(&b, "%s: ", common);
  for (uint32_t i = 0; i < r->len; i++) {
    buf_puts(&b, !i                ? ""
                 : i == 1          ? ", before "
                 : i + 1 == r->len ? " and "
                                   : ", ");
    put_rival(story, &r->at[i], !common, &b);
  }
  put_consequences(story, r, &b);
  screen_paragraph(s, 2, 5, buf_text(&b));
  buf_free(&b);
}

enum { SHOWN_PATTERNS = 4 };

static void put_patterns(struct screen *s, const struct races_found *f) {
  struct buf b = {0};
  assert(f->shown < f->len);
  const struct cdrs *first = &f->at[f->shown];
  uint32_t more = 0;
  buf_printf(&b, "CDRS pattern %s: ", first->pattern);
  story_count(first->count, &b);
  buf_puts(&b, " of ");
  story_count(f->failing, &b);
  buf_printf(&b, " way%s to fail", f->failing == 1 ? "" : "s");
  if (f->sections)
    buf_puts(&b, ", with each critical section as one event");
  for (uint32_t i = 0; i < f->len && more < SHOWN_PATTERNS; i++)
    if (i != f->shown)
      buf_printf(&b, "%s%s", more++ ? ", " : "; others: ", f->at[i].pattern);
  if (f->len > more + 1 || f->cut)
    buf_puts(&b, ", ...");
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}

/* They were looked for, and the reason why they were not found. */
static void put_reason(struct screen *s, const char *reason) {
  struct buf b = {0};
  buf_printf(&b, "Not found: %s.", reason);
  screen_title(s, "The races that decide:");
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}

void screen_races(struct screen *s, const struct story *story) {
  const struct races_found *f = &story->result->finding->races;
  if (f->reason)
    put_reason(s, f->reason);
  if (!f->len || !f->at[f->shown].nraces)
    return;
  const struct cdrs *c = &f->at[f->shown];
  screen_title(s, c->nraces == 1 ? "The race that decides:"
                                 : "The races that decide:");
  for (uint32_t i = 0; i < c->nraces; i++)
    put_race(s, story, &c->races[i], i + 1);
  put_patterns(s, f);
}
