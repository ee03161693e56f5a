/*
 * The execution, row by row: the words for each event, the parts of the
 * execution, and loops folded into one round.
 */
#include "report/story_int.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { LOOP_ROWS = 8 }; /* of a loop's body, for folding */

static const char *value_text(struct story *s, const struct story_namer *n,
                              uint32_t at, const uint64_t *value) {
  const struct event *e = &s->result->finding->trace.events[at];
  struct buf b = {0};
  if (e->size > 16)
    return NULL;
  if (story_is_fresh(s, at, value))
    return value == e->old ? "?" : "? (uninitialised)";
  if (e->size > 8)
    buf_putc(&b, '{');
  n->value(n->ctx, e, value[0], at, &b);
  if (e->size > 8) {
    buf_puts(&b, ", ");
    n->value(n->ctx, e, value[1], at, &b);
    buf_putc(&b, '}');
  }
  const char *text = story_keep(s, &b);
  buf_free(&b);
  return text;
}

/* `std::deque::size` of `std::deque<int, std::allocator<int> >::size`; an
 * operator keeps what it is called. */
static const char *without_templates(struct story *s, const char *name) {
  struct buf b = {0};
  uint32_t depth = 0;
  if (!strchr(name, '<') || strstr(name, "operator"))
    return name;
  for (const char *p = name; *p; p++) {
    depth += *p == '<';
    if (!depth)
      buf_putc(&b, *p);
    depth -= *p == '>' && depth;
  }
  const char *text = story_keep(s, &b);
  buf_free(&b);
  return text;
}

/* The function of a library that the user's line calls: of the frames around
 * the access, the one right inside of the place that is named. */
static const char *library_of(struct story *s, const struct story_namer *n,
                              const struct event *e,
                              const struct place *named) {
  const struct place *frames[NAMER_FRAMES];
  const char *name = NULL;
  if (!e->pc)
    return NULL;
  uint32_t len =
      namer_frames(n, &s->result->finding->trace, e->pc, e->chain, frames);
  for (uint32_t i = 0; i < len && frames[i] != named; i++)
    name = place_role(frames[i]) == PLACE_LIBRARY ? frames[i]->function : NULL;
  return name ? without_templates(s, name) : NULL;
}

static void tell_event(struct story *s, const struct story_namer *n,
                       uint32_t at) {
  const struct event *e = &s->result->finding->trace.events[at];
  struct story_event *t = &s->events[at];
  t->place = story_event_place(s, n, e);
  t->access = e->pc ? n->place(n->ctx, e->pc) : t->place;
  t->library = library_of(s, n, e, t->place);
  bool is_nowhere =
      e->kind == EV_JOIN || e->kind == EV_CREATE || e->kind == EV_CLOCK;
  if (e->addr && !is_nowhere) {
    struct buf b = {0};
    if (event_reads[e->kind] || event_writes[e->kind] || e->kind == EV_ALLOC)
      n->location(n->ctx, e->addr, e->size, at, &b);
    else
      story_put_lock(n, e->addr, e->size, at, &b);
    if (story_is_fresh_pointer(e->addr))
      buf_puts(&b, " (uninitialised)");
    t->location = story_keep(s, &b);
    buf_free(&b);
  }
  if (e->kind == EV_FREE || (!event_reads[e->kind] && !event_writes[e->kind]))
    return;
  if (!(e->flags & EVENT_NO_VALUE))
    t->value = value_text(s, n, at, e->value);
  if (event_writes[e->kind] && !(e->flags & EVENT_NO_OLD))
    t->old = value_text(s, n, at, e->old);
}

/* ---- parts ---- */

static void set_parts(struct story *s) {
  const struct finding *f = s->result->finding;
  const struct client *c = &f->client;
  bool begun = false;
  for (uint32_t i = 0; i < f->trace.nevents; i++) {
    const struct event *e = &f->trace.events[i];
    enum story_part *part = &s->events[i].part;
    if (e->thread != 0 || c->ncalls == 0) {
      *part = STORY_THREADS;
      begun = true;
    } else if (e->call < c->ncalls) {
      *part = e->call < c->ninit ? STORY_BEFORE : STORY_AFTER;
    } else {
      *part = begun ? STORY_AFTER : STORY_BEFORE;
    }
  }
}

/* ---- rows ---- */

static const char *tail_text(struct story *s, const struct event *e,
                             const struct story_event *t) {
  struct buf b = {0};
  bool access = event_reads[e->kind] || event_writes[e->kind];
  if (e->kind == EV_ALLOC || (access && e->size > 16 && !t->value))
    buf_printf(&b, " (%" PRIu64 " bytes)", e->size);
  else if (t->value && t->old)
    buf_printf(&b, ": %s -> %s", t->old, t->value);
  else if (t->value)
    buf_printf(&b, " = %s", t->value);
  else if (t->old) /* the end of the execution came first */
    buf_printf(&b, ": %s -> ?", t->old);
  else if (e->kind == EV_TRYLOCK)
    buf_puts(&b, e->value[0] ? " (got it)" : " (failed)");
  else if (e->kind == EV_WAKE_UP && e->value[0] == WAKE_UP_EINTR)
    buf_puts(&b, " (EINTR)");
  else if (e->kind == EV_CREATE || e->kind == EV_JOIN)
    buf_puts(&b, story_thread((uint8_t)e->value[0]));
  if (e->flags & EVENT_ISSUED)
    buf_puts(&b, " (buffered)");
  else if (e->flags & EVENT_FORWARDED)
    buf_puts(&b, " (own buffer)");
  const char *text = story_keep(s, &b);
  buf_free(&b);
  return text;
}

static const char *note_text(struct story *s, const struct event *e) {
  const struct finding *f = s->result->finding;
  const char *text = NULL;
  if (e->value[0] < f->trace.nnotes)
    text = f->trace.notes[e->value[0]];
  struct buf b = {0};
  if (e->kind == EV_FAULT && f->round) {
    buf_puts(&b, "and so on: the last ");
    if (f->round > 1)
      story_number(f->round, &b);
    buf_printf(&b, "%s again and again", f->round > 1 ? " steps" : "step");
    text = story_keep(s, &b);
    buf_free(&b);
    return text;
  }
  if (e->kind == EV_FAULT)
    return story_fault_words(f->fault);
  buf_puts(&b, text ? text : "");
  while (b.len && b.at[b.len - 1] == '\n')
    b.at[--b.len] = '\0';
  text = story_keep(s, &b);
  buf_free(&b);
  return text;
}

static const char *return_text(struct story *s, uint32_t call) {
  const char *result = s->results[call];
  if (!result || !*result)
    return "returns";
  struct buf b = {0};
  buf_printf(&b, "returns %s", result);
  const char *text = story_keep(s, &b);
  buf_free(&b);
  return text;
}

/* False when the event is not worth a row. */
static bool fill_row(struct story *s, uint32_t at, struct story_row *row) {
  const struct finding *f = s->result->finding;
  const struct event *e = &f->trace.events[at];
  const struct story_event *t = &s->events[at];
  bool of_call = e->call < f->client.ncalls;
  *row = (struct story_row){.kind = ROW_STEP,
                            .part = t->part,
                            .thread = e->thread,
                            .index = at,
                            .times = 1,
                            .call = e->call,
                            .place = t->place,
                            .library = t->library,
                            .word = "",
                            .what = "",
                            .tail = ""};
  switch (e->kind) {
  case EV_CALL:
    row->kind = ROW_CALL;
    row->place = &story_nowhere;
    row->what = of_call ? s->calls[e->call] : "";
    return of_call;
  case EV_RETURN:
    row->kind = ROW_RETURN;
    row->place = &story_nowhere;
    row->what = of_call ? return_text(s, e->call) : "";
    return of_call;
  case EV_STEP:
    return false;
  case EV_EXIT: /* a client's thread ends with its last call anyway */
    row->word = event_word[e->kind];
    return e->thread > f->client.nthreads;
  case EV_SHOW:
  case EV_FAULT:
    row->kind = e->kind == EV_FAULT ? ROW_FAULT : ROW_NOTE;
    row->what = note_text(s, e);
    return *row->what != '\0';
  default:
    row->word = event_word[e->kind];
    row->what = t->location ? t->location : "";
    row->tail = tail_text(s, e, t);
    return true;
  }
}

static bool same_row(const struct story_row *a, const struct story_row *b) {
  return a->kind == ROW_STEP && b->kind == ROW_STEP && a->thread == b->thread &&
         a->part == b->part && a->call == b->call &&
         a->place->line == b->place->line && a->word == b->word &&
         strcmp(a->what, b->what) == 0 && strcmp(a->tail, b->tail) == 0;
}

/* How often rows [at, at+len) are repeated by those right behind them. */
static uint32_t repeats(const struct story *s, uint32_t at, uint32_t len) {
  uint32_t times = 1, i = at + len;
  while (i + len <= s->rows.len) {
    for (uint32_t k = 0; k < len; k++)
      if (!same_row(&s->rows.at[at + k], &s->rows.at[i + k]))
        return times;
    times++;
    i += len;
  }
  return times;
}

static void fold_loops(struct story *s) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->rows.len;) {
    uint32_t len = 1, times = 1;
    for (uint32_t l = 1; l <= LOOP_ROWS && times == 1; l++) {
      times = repeats(s, i, l);
      len = times > 1 ? l : 1;
    }
    for (uint32_t k = 0; k < len; k++) {
      s->rows.at[kept] = s->rows.at[i + k];
      s->rows.at[kept++].times = times;
    }
    i += len * times;
  }
  s->rows.len = kept;
}

static void add_waiting(struct story *s, const struct story_namer *n) {
  for (uint32_t i = 0; i < s->waiting.len; i++) {
    const struct waiting *w = &s->waiting.at[i].is;
    struct buf b = {0};
    const char *what = "", *tail = "";
    if (w->kind == EV_JOIN) { /* addr is the thread */
      buf_printf(&b, "the end of %s", story_thread((uint8_t)w->addr));
      what = story_keep(s, &b);
    } else if (w->addr) {
      story_put_lock(n, w->addr, 0, story_last_event(s), &b);
      what = story_keep(s, &b);
    }
    if (w->holder != 255) {
      buf_printf(&b, ", held by %s", story_thread(w->holder));
      tail = story_keep(s, &b);
    }
    struct story_row row = {.kind = ROW_WAIT,
                            .part = STORY_THREADS,
                            .thread = w->thread,
                            .index = i,
                            .times = 1,
                            .call = w->call,
                            .place = s->waiting.at[i].place,
                            .word = w->spins ? *what ? "spins on" : "spins"
                                    : *what  ? "waits for"
                                             : "waits",
                            .what = what,
                            .tail = tail};
    vec_push(&s->rows, row);
    buf_free(&b);
  }
}

void story_make_rows(struct story *s, const struct story_namer *n) {
  const struct trace *t = &s->result->finding->trace;
  s->events = arena_alloc(&s->arena, (t->nevents + 1) * sizeof *s->events);
  set_parts(s);
  for (uint32_t i = 0; i < t->nevents; i++) {
    struct story_row row;
    tell_event(s, n, i);
    if (fill_row(s, i, &row))
      vec_push(&s->rows, row);
  }
  fold_loops(s);
  story_fold_drift(s);
  add_waiting(s, n);
  uint32_t group = 0;
  for (uint32_t i = 0; i < s->rows.len; i++) {
    struct story_row *row = &s->rows.at[i];
    assert(i == 0 || row->kind == ROW_WAIT ||
           s->rows.at[i - 1].index < row->index); /* S1 */
    assert(i == 0 || row->kind == ROW_WAIT ||
           s->rows.at[i - 1].kind != ROW_WAIT); /* S3 */
    assert(row->times && row->word && row->what && row->tail && row->place);
    if (i && s->rows.at[i - 1].thread != row->thread)
      group++;
    row->group = group; /* S2 */
    if (row->part == STORY_THREADS && row->thread < 32)
      s->threads |= 1u << row->thread;
  }
}
