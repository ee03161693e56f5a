/*
 * faultline atomicity on trace files: those of Faultline (docs/trace.md) and
 * those of RAPID (history/read/std.h).
 */
#include "cli/atomicity/int.h"

#include "atomicity/from_trace.h"
#include "atomicity/sc.h"
#include "atomicity/settled.h"
#include "atomicity/tso.h"
#include "history/read/std.h"
#include "model/trace_file.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  /* Most events for algorithms that look at all pairs. */
  PAIRS_MOST = 20000,
  ROBUST_MOST = 1500,
  KEPT_MOST = 2000000, /* events of a stream that are kept to show a cycle */
  TRACE_MOST = 500000, /* events of a trace without commits, for the search */
  SURE_MOST = 64       /* events of a trace that is searched to its end */
};
#define TRACE_STEPS UINT64_C(200000000)

/* A trace in memory, and how to put its events into words. */
struct subject {
  struct atomic_report *report;
  struct atomic_trace *trace;
  const struct txn_event *e;
  uint32_t n;
  bool commits, issues, split;
  void (*say)(void *subject, const struct txn_event *, struct cycle_event *);
  const void *ctx;
};

static void keep_cycle(struct subject *s, struct finding_about *f,
                       const char *of, struct conflict_cycle *c) {
  atomic_keep_cycle(s->report, f, of, c, s->e, s->say, s);
}

static struct finding_about because(const char *why) {
  return (struct finding_about){.answer = ANSWER_UNKNOWN, .why = why};
}
static struct finding_about decided(bool yes, const char *why) {
  return (struct finding_about){.answer = yes ? ANSWER_YES : ANSWER_NO,
                                .why = why};
}

/* ---- the questions ---- */

static void ask_sc(struct subject *s) {
  struct conflict_cycle c;
  if (s->issues) {
    s->trace->sc = because(
        "the trace has delayed stores, so it is not an execution under SC");
    return;
  }
  s->trace->sc = decided(sc_serializable(s->e, s->n, &c), NULL);
  keep_cycle(s, &s->trace->sc, "SC", &c);
}

static void ask_tso_execution(struct subject *s) {
  struct conflict_cycle c;
  s->trace->tso_s = decided(tso_serializable(s->e, s->n, &c), NULL);
  keep_cycle(s, &s->trace->tso_s, "TSO", &c);
  bool equivalent = txn_sc_equivalent(s->e, s->n, &c);
  s->trace->robust =
      equivalent
          ? because("this execution is equivalent to one under SC; others may "
                    "not be")
          : decided(false, "no execution under SC is equivalent to this one");
  keep_cycle(s, &s->trace->robust, "program order and memory", &c);
}

static const char *const by_theorem[] = {
    [TSO_THEOREM_2] =
        "SC-serializable, and no access conflicts with a store that may be in "
        "a buffer (Theorem 2 of docs/atomicity.md)",
    [TSO_THEOREM_3] = "not SC-serializable, and every transaction ends with a "
                      "fence (Theorem 3 of docs/atomicity.md)"};

static struct finding_about told_by(enum tso_theorem t) {
  return decided(t == TSO_THEOREM_2, by_theorem[t]);
}

static struct finding_about search_tso(struct subject *s,
                                       struct conflict_cycle *c) {
  struct tso_question how = {.keep_order = s->report->keep_order,
                             .most = s->n > SURE_MOST ? TRACE_STEPS : 0};
  const char *reading =
      how.keep_order ? "with the operations in the order of the trace" : NULL;
  switch (tso_trace_answer(s->e, s->n, &how, c)) {
  case TSO_YES:
    return decided(true, reading);
  case TSO_NO:
    return decided(false, reading);
  case TSO_UNKNOWN:
    break;
  }
  assert(s->n > SURE_MOST);
  return because("the search took too long");
}

static void ask_tso_trace(struct subject *s) {
  struct conflict_cycle c = {0};
  enum tso_theorem t = TSO_NO_THEOREM;
  if (!s->split)
    t = tso_trace_theorem(s->e, s->n, &c);
  if (s->split)
    s->trace->tso_s = because(
        "accesses of different sizes overlap, and there are no commits");
  else if (t)
    s->trace->tso_s = told_by(t);
  else if (s->n > TRACE_MOST)
    s->trace->tso_s = because("too many events for a trace without commits");
  else
    s->trace->tso_s = search_tso(s, &c);
  keep_cycle(s, &s->trace->tso_s, "TSO", &c);
}

static void ask_robust(struct subject *s) {
  struct conflict_cycle c = {0};
  if (s->issues)
    s->trace->robust = because(
        "without commits, the trace does not tell which values were read");
  else if (s->n > ROBUST_MOST)
    s->trace->robust = because("too many events");
  else if (tso_robust(s->e, s->n, &c))
    s->trace->robust = because("this execution shows no fault; others may");
  else
    s->trace->robust = decided(false, NULL);
  keep_cycle(s, &s->trace->robust, "program order and memory", &c);
}

static void ask(struct subject *s) {
  s->trace->events = s->n;
  ask_sc(s);
  if (s->commits && s->n > PAIRS_MOST) {
    s->trace->tso_s = s->trace->robust = because("too many events");
  } else if (s->commits) {
    ask_tso_execution(s);
  } else {
    ask_tso_trace(s);
    ask_robust(s);
  }
}

/* ---- our files ---- */

struct our_trace {
  const struct trace_file *file;
  const struct stored_trace *stored;
};

static void say_event(void *subject, const struct txn_event *e,
                      struct cycle_event *out) {
  const struct subject *s = subject;
  const struct our_trace *o = s->ctx;
  const struct event *ev = &o->stored->trace.events[e->at];
  struct arena *a = &s->report->arena;
  char text[160];
  *out = (struct cycle_event){.what = event_word[ev->kind],
                              .issued = ev->flags & EVENT_ISSUED};
  if (e->kind == TXN_COMMIT && out->issued)
    *out = (struct cycle_event){.what = "commit at the end"};
  snprintf(text, sizeof text, "%u", ev->thread);
  out->thread = arena_strdup(a, text);
  if (ev->call == EVENT_NO_CALL)
    snprintf(text, sizeof text, "transaction %" PRIu32, e->txn + 1);
  else if (ev->call < o->stored->about.nops &&
           o->stored->about.op_names[ev->call])
    snprintf(text, sizeof text, "operation %" PRIu32 " (%.100s)", ev->call,
             o->stored->about.op_names[ev->call]);
  else
    snprintf(text, sizeof text, "operation %" PRIu32, ev->call);
  size_t len = strlen(text);
  uint32_t block = txn_block(&o->stored->trace, e->at);
  if (block)
    snprintf(text + len, sizeof text - len, ", block %" PRIu32, block);
  out->txn = arena_strdup(a, text);
  if (ev->addr && ev->addr < UINT64_C(0xf000000000000000)) {
    snprintf(text, sizeof text, "0x%" PRIx64, ev->addr);
    out->object = arena_strdup(a, text);
  }
  const struct place *p = ev->pc && ev->pc <= o->file->nplaces
                              ? &o->file->places[ev->pc - 1]
                              : NULL;
  if (p) {
    out->file = p->file ? arena_strdup(a, p->file) : NULL;
    out->function = p->function ? arena_strdup(a, p->function) : NULL;
    out->line = p->line;
  }
}

static int read_ours(struct atomic_report *r, const char *path,
                     struct error *e) {
  struct trace_file f;
  int err = trace_file_read(&f, path, e);
  if (err)
    return err;
  for (uint32_t i = 0; i < f.ntraces; i++) {
    const struct stored_trace *stored = &f.traces[i];
    struct our_trace ours = {&f, stored};
    struct txn_list list;
    char line[32];
    struct buf name = {0};
    snprintf(line, sizeof line, ":%" PRIu32, stored->line);
    buf_printf(&name, "%s%s", path, f.ntraces > 1 ? line : "");
    txn_from_trace(&stored->trace, stored->about.tso, &list);
    if (list.commits)
      txn_commit_rest(&list);
    vec_push(&r->traces, ((struct atomic_trace){
                             .name = arena_strdup(&r->arena, buf_text(&name)),
                             .tso = stored->about.tso,
                             .txns = list.ntxns}));
    struct subject s = {.report = r,
                        .trace = &vec_last(&r->traces),
                        .e = list.e.at,
                        .n = list.e.len,
                        .commits = list.commits,
                        .issues = list.issues || stored->about.tso,
                        .split = list.split,
                        .say = say_event,
                        .ctx = &ours};
    ask(&s);
    txn_list_free(&list);
    buf_free(&name);
  }
  trace_file_free(&f);
  return 0;
}

/* ---- STD files ---- */

struct std_place {
  uint32_t at, len; /* in the texts */
};

struct std_trace {
  struct std_reader *reader;
  VEC(struct txn_event) e;
  VEC(struct std_place) place;
  struct buf texts;
};

static void say_std(void *subject, const struct txn_event *e,
                    struct cycle_event *out) {
  static const char *const words[] = {
      [TXN_READ] = "read", [TXN_WRITE] = "write", [TXN_RMW] = "lock or unlock",
      [TXN_FORK] = "fork", [TXN_JOIN] = "join",   [TXN_BEGIN] = "begin",
      [TXN_END] = "end"};
  const struct subject *s = subject;
  const struct std_trace *t = s->ctx;
  struct arena *a = &s->report->arena;
  char text[64];
  size_t i = (size_t)(e - s->e);
  *out = (struct cycle_event){.what = words[e->kind], .input_line = e->at};
  out->thread = arena_strdup(a, std_thread_name(t->reader, e->thread));
  snprintf(text, sizeof text, "transaction %" PRIu32, e->txn + 1);
  out->txn = arena_strdup(a, text);
  if (e->kind <= TXN_RMW)
    out->object = arena_strdup(a, std_object_name(t->reader, e->object));
  else if (e->kind <= TXN_JOIN)
    out->object = arena_strdup(a, std_thread_name(t->reader, e->object));
  if (t->place.at[i].len) {
    struct buf place = {0};
    buf_put(&place, t->texts.at + t->place.at[i].at, t->place.at[i].len);
    out->file = arena_strdup(a, buf_text(&place));
    buf_free(&place);
  }
}

/* Checks the trace while reading it, and keeps its events to show a cycle. */
static int read_std(struct atomic_report *r, const char *path,
                    struct error *e) {
  struct std_trace t = {.reader = std_open(path, e)};
  struct std_event ev;
  struct sc_monitor *m = sc_monitor_new();
  struct settled settled = {0};
  bool ok = true, keep = true;
  uint64_t events = 0, txns = 0;
  int got = -1;
  while (t.reader && (got = std_next(t.reader, &ev, e)) > 0) {
    events++;
    txns += ev.opens;
    if (ok)
      ok = sc_monitor_event(m, ev.kind, ev.thread, ev.object);
    settled_event(&settled, ev.kind, ev.thread, ev.object);
    if (keep && events > KEPT_MOST) {
      keep = false;
      vec_free(&t.e);
      vec_free(&t.place);
      buf_free(&t.texts);
    }
    if (!keep)
      continue;
    vec_push(&t.e, ((struct txn_event){.kind = (uint8_t)ev.kind,
                                       .thread = ev.thread,
                                       .object = ev.object,
                                       .at = (uint32_t)ev.line}));
    vec_push(&t.place, ((struct std_place){(uint32_t)t.texts.len,
                                           (uint32_t)ev.place_len}));
    buf_put(&t.texts, ev.place, ev.place_len);
  }
  if (!got && !events) {
    got = -1;
    error_set(e, ERR_INPUT, "%s: the file has no trace", path);
  }
  if (!got) {
    ok = ok && sc_monitor_finish(m);
    vec_push(&r->traces,
             ((struct atomic_trace){.name = arena_strdup(&r->arena, path),
                                    .events = events,
                                    .txns = txns}));
    struct atomic_trace *trace = &vec_last(&r->traces);
    if (keep) {
      txn_assign(t.e.at, t.e.len);
      struct subject s = {.report = r,
                          .trace = trace,
                          .e = t.e.at,
                          .n = t.e.len,
                          .say = say_std,
                          .ctx = &t};
      ask(&s);
      if ((trace->sc.answer == ANSWER_YES) != ok)
        die("%s: the monitor and the conflict graph differ", path);
    } else {
      trace->sc = decided(
          ok,
          ok ? NULL
             : "the cycle is not shown, since the trace has too many events");
      trace->tso_s = trace->robust = because("too many events");
      settled_finish(&settled);
      enum tso_theorem by = tso_theorem(ok, settled.met, !settled.unfenced);
      if (by)
        trace->tso_s = told_by(by);
    }
  }
  sc_monitor_free(m);
  settled_free(&settled);
  vec_free(&t.e);
  vec_free(&t.place);
  buf_free(&t.texts);
  if (t.reader)
    std_close(t.reader);
  return got < 0 ? ERR_INPUT : 0;
}

/* Decides by the first bytes.  A compressed file is STD, and so is a pipe,
 * which can be read only once. */
static bool is_std(const char *path) {
  char text[512];
  struct stat st;
  if (!strcmp(path, "-") ||
      (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
    return true;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false; /* the reader says why */
  ssize_t got = read(fd, text, sizeof text);
  size_t n = got > 0 ? (size_t)got : 0;
  close(fd);
  return (n >= 2 && !memcmp(text, "\x1f\x8b", 2)) || std_recognise(text, n);
}

int atomic_file(struct atomic_report *r, const char *path, struct error *e) {
  return is_std(path) ? read_std(r, path, e) : read_ours(r, path, e);
}
