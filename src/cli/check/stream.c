/*
 * Checks histories while reading them.  Memory grows with the number of open
 * operations and the size of the object, not with the history.  A violation is
 * reported with its line; the history is not kept, so there is no explanation
 * by its operations.
 */
#include "base/clock.h"
#include "cli/check/unreturned.h"
#include "history/stream/online.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct stream {
  const struct check_settings *s;
  const char *path;
  struct reader *reader;
  struct check_type type;
  struct online *online;
  uint64_t operations, returned;
  uint32_t index; /* of the history, from 1 */
  uint32_t line;  /* of the last event */
  bool late;      /* --time has ended it */
  bool several;
  struct unreturned unreturned;
};

/* The error of a missing or wrong type, with the line of the file that names
 * it. */
static int refuse_type(const struct stream *t, const struct log_event *head,
                       const struct error *why, struct error *e) {
  if (!why->code)
    return error_set(e, ERR_INPUT,
                     "%s: --method=online needs --spec, since the file does "
                     "not name the type of its object",
                     t->path);
  if (t->s->spec || t->s->argument || !head)
    return error_set(e, why->code, "%s: %s", t->path, why->text);
  return error_set(e, why->code, "%s:%u:%u: %s", t->path, head->line,
                   head->column, why->text);
}

static int begin(struct stream *t, const struct log_event *head,
                 struct error *e) {
  char *name = NULL;
  datum argument = DATUM_NONE;
  if (head && head->text)
    name = xstrndup(head->text, head->tlen);
  if (head)
    argument = head->type_argument;
  /* Frees the states of the last history. */
  check_type_free(&t->type);
  struct error why = {0};
  struct type *type =
      check_type_open(t->s, name, argument, NULL, &t->type, &why);
  free(name);
  if (!type)
    return refuse_type(t, head, &why, e);
  struct online_options o = {.budget.memory = t->s->memory,
                             .budget.deadline = t->s->deadline,
                             .whole = t->s->no_partition,
                             .search = t->s->no_monitor,
                             .lookahead = true};
  t->online = online_new(type, &o);
  t->operations = t->returned = 0;
  t->index++;
  return ERR_NONE;
}

static int feed(struct stream *t, const struct log_event *ev, struct error *e) {
  struct error inner; /* large: its text is not cleared for every event */
  inner.code = ERR_NONE;
  if (ev->kind == LOG_NOTE || ev->kind == LOG_HEAD)
    return ERR_NONE;
  t->line = ev->line;
  t->operations += ev->kind == LOG_CALL;
  t->operations -= ev->kind == LOG_DROP;
  t->returned += ev->kind == LOG_OK || ev->kind == LOG_FAIL;
  if (online_add(t->online, ev, &inner))
    return error_set(e, inner.code, "%s:%u:%u: %s", t->path, ev->line,
                     ev->column, inner.text);
  return ERR_NONE;
}

static void report(struct stream *t, struct check_result *out) {
  static const char *const words[] = {"linearizable", "violation", "unknown"};
  assert(t->online && t->type.type);
  online_end(t->online);
  struct online_answer a = online_answer(t->online);
  struct log_explained x = {
      .stuck = LOG_NO_OP, .prefix = LOG_NO_OP, .since = LOG_NO_OP};
  struct log nothing = {.index = t->index};
  struct log_report r = {.log = &nothing,
                         .source = t->path,
                         .several = t->several,
                         .spec = t->type.type->name,
                         .verdict = words[a.verdict],
                         .method = "online",
                         .limit = a.verdict == LOG_UNKNOWN ? a.limit : NULL,
                         .reached = LOG_NO_OP,
                         .operations = t->operations,
                         .steps = online_steps(t->online)};
  if (t->late && a.verdict == LOG_LINEARIZABLE) {
    a.verdict = LOG_UNKNOWN;
    r.verdict = words[LOG_UNKNOWN];
    r.limit = "time";
  }
  if (t->late)
    nothing.stopped = "time";
  if (a.verdict == LOG_UNKNOWN)
    r.reached_line = t->line;
  if (a.verdict == LOG_VIOLATION) {
    x.reason = xasprintf("line %u: %s", a.line, a.text);
    r.violation = &x;
  }
  *out = (struct check_result){.verdict = a.verdict};
  log_report_text(&r, &t->s->style, &out->text);
  if (t->s->json)
    log_report_json(&r, &out->json);
  if (t->s->html)
    log_report_html(&r, &out->html);
  log_explained_free(&x);
}

static void finish(struct stream *t, check_sink *sink, void *ctx) {
  struct check_result r;
  if (!t->online)
    return;
  report(t, &r);
  sink(ctx, &r);
  check_result_free(&r);
  online_free(t->online);
  t->online = NULL;
}

/* Jepsen's files do not say whether the object has keys: it is known before the
 * first event only if --spec names the type. */
static struct reader *open_reader(const struct check_settings *s,
                                  const char *path, struct error *e) {
  struct reader *r = reader_open(path, (enum read_format)s->format, e);
  struct check_type type = {0};
  struct error why = {0}; /* begin() reports it */
  if (r && s->spec && check_type_open(s, NULL, DATUM_NONE, NULL, &type, &why) &&
      !type.type->by_key)
    reader_has_no_keys(r);
  check_type_free(&type);
  return r;
}

/* Marks the open operation of the process as one that never returns. */
static int mark_unreturned(struct stream *t, uint32_t process,
                           const struct log_event *at, struct error *e) {
  struct log_event ev = {.kind = LOG_INFO,
                         .process = process,
                         .line = at->line,
                         .column = at->column};
  return feed(t, &ev, e);
}

static int end_unreturned(struct stream *t, const struct log_event *ev,
                          uint64_t event, struct error *e) {
  struct unreturned *u = &t->unreturned;
  int err = ERR_NONE;
  if (!unreturned_follow(u, ev, event, t->path, t->s))
    return ev->kind == LOG_CALL && unreturned_has(u, event)
               ? mark_unreturned(t, ev->process, ev, e)
               : ERR_NONE;
  for (uint32_t i = 0; i < u->open.at.len && !err; i++)
    if (unreturned_has(u, u->open.at.at[i].event))
      err = mark_unreturned(t, u->open.at.at[i].process, ev, e);
  return err;
}

static bool is_late(const struct stream *t, uint64_t event) {
  enum { EVENTS = 64 }; /* between two looks at the clock */
  return t->s->deadline && event % EVENTS == 0 && clock_now() > t->s->deadline;
}

void check_stream(const struct check_settings *s, const char *path,
                  check_sink *sink, void *ctx, struct error *e) {
  /* `path` is for messages; the reader gets the real one. */
  struct stream t = {.s = s,
                     .path = strcmp(path, "-") ? path : "standard input"};
  struct log_event ev;
  uint64_t events = 0;
  int got = 0, err = 0;
  t.reader = open_reader(s, path, e);
  if (!t.reader)
    return;
  while (!err && !t.late && (got = reader_next(t.reader, &ev, e)) == 1) {
    if (ev.kind == LOG_HEAD && t.online) {
      t.several = true;
      finish(&t, sink, ctx);
    }
    if (!t.online)
      err = begin(&t, ev.kind == LOG_HEAD ? &ev : NULL, e);
    if (!err)
      err = feed(&t, &ev, e);
    if (!err)
      err = end_unreturned(&t, &ev, ++events, e);
    t.late = is_late(&t, events);
  }
  if (!err && got >= 0) {
    if (!t.index)
      error_set(e, ERR_INPUT, "%s: the file has no history", t.path);
    finish(&t, sink, ctx);
  }
  if (t.online)
    online_free(t.online);
  check_type_free(&t.type);
  unreturned_free(&t.unreturned);
  reader_close(t.reader);
}

/* ---- long files of a register ---- */

enum {
  LONG_FILE = 16 << 20, /* bytes: a shorter history fits into memory */
  FIRST = 2000,         /* events in which a value must repeat */
  MOST_STEPS = 200 /* of an event, on average; more: another method is better */
};
static const uint64_t SMALL_MEMORY = UINT64_C(64) << 20;

struct seen_events {
  datum value[FIRST];
  uint32_t n;
};

/* Has the last argument of the call, the value that it writes, come before? */
static bool repeats(struct seen_events *s, const struct log_event *ev) {
  if (ev->kind != LOG_CALL || !ev->nargs || ev->nargs > LOG_ARGS)
    return false;
  datum value = ev->arg[ev->nargs - 1];
  if (!datum_is_number(value))
    return false;
  for (uint32_t i = 0; i < s->n; i++)
    if (s->value[i] == value)
      return true;
  s->value[s->n++] = value; /* there are at most FIRST events */
  return false;
}

/* A register whose values repeat: it has few states, and no monitor decides
 * it. */
static bool is_worth_it(struct stream *t) {
  struct log_event ev;
  struct error e = {0};
  struct seen_events *seen = xcalloc(1, sizeof *seen);
  bool worth = false;
  t->reader = open_reader(t->s, t->path, &e);
  for (int i = 0; t->reader && !worth && i < FIRST; i++) {
    if (reader_next(t->reader, &ev, &e) != 1)
      break;
    if (!t->online && begin(t, ev.kind == LOG_HEAD ? &ev : NULL, &e))
      break;
    const struct type *type = t->type.type;
    if (type->by_key || strcmp(type->shape, "register"))
      break;
    worth = repeats(seen, &ev);
  }
  free(seen);
  if (t->online)
    online_free(t->online);
  t->online = NULL;
  t->index = 0;
  if (t->reader)
    reader_close(t->reader);
  return worth;
}

/* Are the steps few enough? */
static bool goes_well(struct stream *t, uint64_t events) {
  enum { EVENTS = 4096 };
  return events % EVENTS || online_steps(t->online) < MOST_STEPS * events;
}

/* Reads the file to its end or until --time ends it.  True: it is one history,
 * and the answer is known, or the time is over. */
static bool stream_one(struct stream *t) {
  struct log_event ev;
  struct error e = {0};
  uint64_t events = 0;
  int got = 0;
  t->reader = open_reader(t->s, t->path, &e);
  if (!t->reader)
    return false;
  bool ok = true;
  while (ok && (got = reader_next(t->reader, &ev, &e)) == 1) {
    ok = t->online ? ev.kind != LOG_HEAD
                   : !begin(t, ev.kind == LOG_HEAD ? &ev : NULL, &e);
    ok = ok && !feed(t, &ev, &e) && goes_well(t, ++events);
    if (ok && (t->late = is_late(t, events)))
      break;
  }
  reader_close(t->reader);
  if (!ok || got < 0 || !t->online)
    return false;
  if (t->late)
    return true;
  online_end(t->online);
  return online_answer(t->online).verdict != LOG_UNKNOWN;
}

/* Not with --json, whose numbers of operations are those of the whole
 * history. */
static bool explain(struct stream *t, const struct check_settings *s,
                    check_sink *sink, void *ctx) {
  struct online_answer a = online_answer(t->online);
  struct check_end end = {.operations = t->operations,
                          .pending = t->operations - t->returned,
                          .steps = online_steps(t->online)};
  struct check_type type = {0};
  struct check_result r;
  if (s->json || !check_late(s, t->path, &a, &end, &type, &r)) {
    check_type_free(&type);
    return false;
  }
  sink(ctx, &r);
  check_result_free(&r);
  check_type_free(&type);
  return true;
}

bool check_stream_first(const struct check_settings *s, const char *path,
                        check_sink *sink, void *ctx) {
  struct check_settings small = *s;
  struct stream t = {.s = &small, .path = path};
  struct stat st;
  if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size < LONG_FILE)
    return false;
  if (!small.memory || small.memory > SMALL_MEMORY)
    small.memory = SMALL_MEMORY;
  bool done = is_worth_it(&t) && stream_one(&t);
  if (done && !t.late && online_answer(t.online).verdict == LOG_VIOLATION)
    done = explain(&t, s, sink, ctx);
  else if (done)
    finish(&t, sink, ctx);
  if (t.online)
    online_free(t.online);
  check_type_free(&t.type);
  return done;
}
