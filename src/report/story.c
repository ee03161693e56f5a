/* Stories: calls and results, and what the files of a story share. */
#include "report/story_int.h"

#include "base/text.h"

#include <assert.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct place story_nowhere = {0};

const char *story_keep(struct story *s, struct buf *b) {
  const char *text = arena_strdup(&s->arena, buf_text(b));
  buf_clear(b);
  return text;
}

const struct place *story_place_in(const struct trace *t,
                                   const struct story_namer *n, uint64_t pc,
                                   uint32_t chain) {
  return pc ? namer_place(n, t, pc, chain) : &story_nowhere;
}

static bool is_file_of(const struct cause *c, const struct place *p) {
  for (uint32_t i = 0; p->line && p->file && i < c->nblocks; i++)
    if (c->blocks[i].file && !strcmp(c->blocks[i].file, p->file))
      return true;
  return false;
}

/* The C++ library's own primitives: who calls them is the algorithm. */
static bool is_atomic_primitive(const struct place *p) {
  return p->file && begins(base_name(p->file), "atomic_base");
}

/* The innermost line of a library; `own`: only if the stack is in a file of the
 * cause.  NULL: there is none. */
static const struct place *library_place(const struct story *s,
                                         const struct story_namer *n,
                                         uint64_t pc, uint32_t chain,
                                         bool own) {
  const struct place *frames[NAMER_FRAMES], *found = NULL;
  uint32_t len = namer_frames(n, &s->result->finding->trace, pc, chain, frames);
  for (uint32_t i = 0; i < len; i++) {
    own &= !is_file_of(s->library, frames[i]);
    if (!found && place_role(frames[i]) == PLACE_LIBRARY &&
        !is_atomic_primitive(frames[i]))
      found = frames[i];
  }
  return own ? NULL : found;
}

const struct place *story_place(const struct story *s,
                                const struct story_namer *n, uint64_t pc,
                                uint32_t chain) {
  const struct place *p =
      s->library && pc ? library_place(s, n, pc, chain, true) : NULL;
  return p ? p : story_place_in(&s->result->finding->trace, n, pc, chain);
}

/* What is accessed from the files of the cause is the library's. */
void story_find_library_data(struct story *s, const struct story_namer *n) {
  const struct trace *t = &s->result->finding->trace;
  for (uint32_t i = 0; s->library && i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    if (e->pc && e->addr && (event_reads[e->kind] || event_writes[e->kind]) &&
        library_place(s, n, e->pc, e->chain, true))
      vec_push(&s->library_data, e->addr);
  }
}

const struct place *story_event_place(const struct story *s,
                                      const struct story_namer *n,
                                      const struct event *e) {
  bool known = false;
  for (uint32_t i = 0; i < s->library_data.len && !known; i++)
    known = e->addr == s->library_data.at[i];
  const struct place *p =
      known && e->pc ? library_place(s, n, e->pc, e->chain, false) : NULL;
  return p ? p : story_place(s, n, e->pc, e->chain);
}

static const struct cause *library_cause(const struct finding *f,
                                         const struct story_namer *n) {
  const struct ranked_cause *best = f->causes.len ? f->causes.at : NULL;
  if (!best || !n->role || !cause_is_enough(best))
    return NULL;
  for (uint32_t i = 0; i < best->cause.nblocks; i++)
    if (n->role(n->ctx, best->cause.blocks[i].file,
                best->cause.blocks[i].function) == PLACE_LIBRARY)
      return &best->cause;
  return NULL;
}

void story_put_lock(const struct story_namer *n, uint64_t addr, uint64_t size,
                    uint32_t at, struct buf *out) {
  static const char *const inside[] = {".__", "._M_"};
  size_t start = out->len;
  n->location(n->ctx, addr, size, at, out);
  for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
    char *cut = out->len > start ? strstr(out->at + start, inside[i]) : NULL;
    if (cut && cut > out->at + start) {
      out->len = (size_t)(cut - out->at);
      *cut = '\0';
    }
  }
}

uint8_t story_stepper(const struct story *s, uint8_t thread, bool *buffer) {
  const char *model = s->result->memory_model;
  *buffer = model && !strcmp(model, "tso") && thread >= 16;
  return *buffer ? thread - 16 : thread;
}

void story_put_stepper(const struct story *s, uint8_t thread, struct buf *out) {
  bool buffer;
  buf_puts(out, story_thread(story_stepper(s, thread, &buffer)));
  buf_puts(out, buffer ? "'s store buffer" : "");
}

const char *story_thread(uint8_t thread) {
  static const char *const name[] = {
      "main", "T1",  "T2",  "T3",  "T4",  "T5",  "T6",  "T7",
      "T8",   "T9",  "T10", "T11", "T12", "T13", "T14", "T15",
      "T16",  "T17", "T18", "T19", "T20", "T21", "T22", "T23",
      "T24",  "T25", "T26", "T27", "T28", "T29", "T30", "T31",
  };
  return thread < sizeof name / sizeof *name ? name[thread] : "T?";
}

const char *story_fault_words(enum fault f) {
  /* The code ran without a step, or slept: the detail says which. */
  return f == FAULT_ENDLESS ? "endless loop or wait" : fault_words[f];
}

void story_number(uint64_t n, struct buf *out) { put_number(out, n); }

void story_count(uint64_t n, struct buf *out) {
  if (n >= UINT64_MAX - 1)
    buf_puts(out, "more than 10^19");
  else
    put_rough_number(out, n);
}

void story_put_lines(const struct code_block *b, struct buf *out) {
  if (b->first == b->last)
    buf_printf(out, "line %" PRIu32, b->first);
  else
    buf_printf(out, "lines %" PRIu32 "-%" PRIu32, b->first, b->last);
}

void story_put_loop(const struct code_block *b, struct buf *out) {
  struct code_block loop = {.first = b->loop_first, .last = b->loop_last};
  if (b->whole_loop)
    buf_puts(out, " (the whole loop)");
  if (b->loop_first == b->first && b->loop_last == b->last) {
    buf_puts(out, ", in each round of this loop");
  } else if (b->loop_first) {
    buf_puts(out, ", in each round of the loop in ");
    story_put_lines(&loop, out);
  }
}

void story_fence(const struct missing_fence *f, struct buf *b) {
  if (!f->load_line)
    buf_printf(b, "a fence after line %" PRIu32 ", before the return",
               f->store_line);
  else if (f->store_line && f->store_line != f->load_line)
    buf_printf(b, "a fence between line %" PRIu32 " and line %" PRIu32,
               f->store_line, f->load_line);
  else
    buf_printf(b, "a fence before the load in line %" PRIu32, f->load_line);
}

void story_operation(const struct result *r, uint32_t call, struct buf *out) {
  const struct client *c = &r->finding->client;
  if (call >= c->ncalls || c->calls[call].op >= r->names.count) {
    buf_puts(out, "the program");
    return;
  }
  buf_printf(out, "%s()", r->names.name[c->calls[call].op]);
}

/* `push(1)` for each call, and what it returned. */
static void tell_calls(struct story *s) {
  const struct finding *f = s->result->finding;
  const struct client *c = &f->client;
  const struct history *h = &f->trace.history;
  struct buf b = {0};
  client_print(c, &s->result->names, &b);
  s->client = story_keep(s, &b);
  s->calls = arena_alloc(&s->arena, (c->ncalls + 1) * sizeof *s->calls);
  s->results = arena_alloc(&s->arena, (c->ncalls + 1) * sizeof *s->results);
  for (uint32_t i = 0; i < c->ncalls; i++) {
    call_print(&c->calls[i], &s->result->names, &b);
    s->calls[i] = story_keep(s, &b);
    if (!h->ops || !hop_called(&h->ops[i]) || hop_pending(&h->ops[i]))
      continue;
    story_put_value(s, h->ops[i].result, &b);
    s->results[i] = story_keep(s, &b);
  }
  buf_free(&b);
}

static const struct place *no_place(void *ctx, uint64_t pc) {
  (void)ctx, (void)pc;
  return &story_nowhere;
}

static void raw_location(void *ctx, uint64_t addr, uint64_t size, uint32_t at,
                         struct buf *out) {
  (void)ctx, (void)size, (void)at;
  buf_printf(out, "0x%" PRIx64, addr);
}

static void raw_value(void *ctx, const struct event *e, uint64_t value,
                      uint32_t at, struct buf *out) {
  (void)ctx, (void)e, (void)at;
  buf_printf(out, "0x%" PRIx64, value);
}

static const struct story_namer plain = {
    .place = no_place, .location = raw_location, .value = raw_value};

/* The file of all rows' places, if there is only one. */
static const char *only_file(const struct story *s) {
  const char *file = NULL;
  for (uint32_t i = 0; i < s->rows.len; i++) {
    const struct place *p = s->rows.at[i].place;
    if (!p->line || !p->file)
      continue;
    if (file && strcmp(file, p->file) != 0)
      return NULL;
    file = p->file;
  }
  return file;
}

/* The faults before it were kept out of the run. */
static void note_atomic(struct story *s) {
  const struct cause *c = &s->result->atomic;
  for (uint32_t i = 0; s->result->finding && i < c->nblocks; i++) {
    struct place *at = arena_alloc(&s->arena, sizeof *at);
    struct buf b = {0};
    *at = (struct place){.file = c->blocks[i].file,
                         .function = c->blocks[i].function,
                         .line = c->blocks[i].first};
    buf_puts(&b, "another fault: this one was found with ");
    story_put_lines(&c->blocks[i], &b);
    buf_puts(&b, " atomic");
    struct story_note note = {at, story_keep(s, &b)};
    vec_push(&s->notes, note);
    buf_free(&b);
  }
}

struct story *story_new(const struct result *r, const struct story_namer *n) {
  struct story *s = xcalloc(1, sizeof *s);
  s->result = r;
  s->place = &story_nowhere;
  s->message = s->client = "";
  if (!n)
    n = &plain;
  s->namer = *n;
  if (r->finding) {
    s->library = library_cause(r->finding, n);
    story_find_library_data(s, n);
    tell_calls(s);
    story_make_waiting(s, n);
    story_make_rows(s, n);
    story_make_memory(s, n);
    s->file = only_file(s);
    story_make_nearest(s, n);
    s->finding_whole = !r->finding->trace.truncated;
  }
  story_make_answer(s, n);
  note_atomic(s);
  if (r->finding) {
    story_weigh(s);
    story_make_why(s);
  }
  assert(s->message && s->place); /* every report reads them */
  return s;
}

void story_free(struct story *s) {
  if (!s)
    return;
  vec_free(&s->rows);
  vec_free(&s->waiting);
  vec_free(&s->notes);
  vec_free(&s->library_data);
  vec_free(&s->decisive);
  arena_free(&s->arena);
  free(s);
}
