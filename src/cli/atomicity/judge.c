#include "cli/atomicity/judge.h"

#include "atomicity/from_trace.h"
#include "atomicity/sc.h"
#include "atomicity/tso.h"
#include "model/trace_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Most events of an execution for algorithms that look at all pairs. */
enum { MONITOR_EVENTS = 1500, PAIRS_EVENTS = 4000 };

void client_judge_init(struct client_judge *j, struct atomic_report *r,
                       const struct built *b, const struct object *o) {
  *j = (struct client_judge){.report = r, .built = b, .object = o};
}

void client_judge_begin(struct client_judge *j, struct atomic_trace *t,
                        const struct client *c) {
  client_judge_init(j, j->report, j->built, j->object);
  j->trace = t;
  j->client = c;
  j->fenced = true;
}

void client_judge_end(struct client_judge *j) {
  for (int i = 0; i < ABOUTS; i++)
    buf_free(&j->text[i]);
}

void client_judge_model(struct client_judge *j, bool tso) {
  j->tso = tso;
  j->incomplete = false;
}

void client_judge_again(struct client_judge *j) { j->incomplete = false; }

void client_judge_ran(struct client_judge *j, uint64_t executions,
                      const char *missing) {
  j->model[j->tso].ran = true;
  j->model[j->tso].missing = missing;
  *(j->tso ? &j->trace->tso_executions : &j->trace->sc_executions) = executions;
}

bool client_judge_done(const struct client_judge *j) {
  return j->tso_no && (j->tso ? j->equivalent_no : j->sc_no && j->monitor_no);
}

/* ---- words ---- */

static void say(void *judge, const struct txn_event *e,
                struct cycle_event *out) {
  struct client_judge *j = judge;
  const struct event *ev = &j->now->events[e->at];
  struct arena *a = &j->report->arena;
  struct buf b = {0};
  *out = (struct cycle_event){.what = event_word[ev->kind],
                              .issued = ev->flags & EVENT_ISSUED};
  if (e->kind == TXN_COMMIT && out->issued)
    *out = (struct cycle_event){.what = "commit at the end"};
  buf_printf(&b, "%u", ev->thread);
  out->thread = arena_strdup(a, buf_text(&b));
  buf_clear(&b);
  if (ev->call < j->client->ncalls)
    buf_printf(&b, "call %" PRIu32 " (%s)", ev->call + 1,
               j->object->names.name[j->client->calls[ev->call].op]);
  else
    buf_printf(&b, "transaction %" PRIu32, e->txn + 1);
  uint32_t block = txn_block(j->now, e->at);
  if (block)
    buf_printf(&b, ", block %" PRIu32, block);
  out->txn = arena_strdup(a, buf_text(&b));
  buf_clear(&b);
  struct names *names = names_new(j->built->lines, j->now, NULL);
  names_location(names, rt_base(), ev->addr, ev->size, e->at, &b);
  names_free(names);
  out->object = arena_strdup(a, buf_text(&b));
  const struct place *p =
      ev->pc ? lines_place(j->built->lines, ev->pc - 1) : NULL;
  if (p && p->file) {
    out->file = arena_strdup(a, p->file);
    out->function = p->function ? arena_strdup(a, p->function) : NULL;
    out->line = p->line;
  }
  buf_free(&b);
}

static const struct place *place_at(void *lines, uint64_t pc) {
  return pc ? lines_place(lines, pc - 1) : NULL;
}

static void print_trace(struct client_judge *j, struct buf *out) {
  const struct client *c = j->client;
  const char **names = xcalloc(c->ncalls + 1, sizeof *names);
  for (uint32_t i = 0; i < c->ncalls; i++)
    names[i] = j->object->names.name[c->calls[i].op];
  struct trace_about about = {j->object->suite->name, VERDICT_UNKNOWN, names,
                              c->ncalls, j->tso};
  struct trace_places places = {place_at, j->built->lines};
  trace_file_print(j->now, &about, &places, out);
  free(names);
}

/* A cycle means "no": keeps it and, for the first one, the execution. */
static void keep_cycle(struct client_judge *j, int about,
                       const struct txn_event *e, struct conflict_cycle *c) {
  static const char *const of[] = {"SC", "TSO", "program order and memory"};
  struct finding_about *to[] = {&j->trace->sc, &j->trace->tso_s,
                                &j->trace->robust};
  if (c->edges.len && !j->text[about].len)
    print_trace(j, &j->text[about]);
  atomic_keep_cycle(j->report, to[about], of[about], c, e, say, j);
}

/* ---- one execution ---- */

/* Drops initial and final calls.  They are in no cycle: initial calls come
 * before all others and final calls after them, and buffers are empty in
 * between. */
static uint32_t drop_main(struct txn_list *l) {
  uint32_t n = 0, *place = xcalloc((size_t)l->e.len + 1, sizeof *place);
  for (uint32_t i = 0; i < l->e.len; i++) {
    place[i] = n;
    if (!l->e.at[i].thread)
      continue;
    l->e.at[n] = l->e.at[i];
    if (l->e.at[n].kind == TXN_COMMIT)
      l->e.at[n].issue = place[l->e.at[n].issue];
    n++;
  }
  free(place);
  return n;
}

/* A TSO execution made of an SC execution: every store is committed at once. */
struct committed {
  struct txn_event *at;
  uint32_t len, cap;
};

static void put_commits(const struct txn_event *e, uint32_t n,
                        struct committed *w) {
  for (uint32_t i = 0; i < n; i++) {
    struct txn_event c = e[i];
    vec_push(w, c);
    c.kind = TXN_COMMIT;
    c.issue = w->len - 1;
    if (e[i].kind == TXN_WRITE)
      vec_push(w, c);
  }
}

static void judge_sc(struct client_judge *j, const struct txn_event *e,
                     uint32_t n, bool split) {
  struct conflict_cycle c;
  bool blind = split || n > MONITOR_EVENTS;
  j->fenced &= tso_transaction_fenced(e, n);
  j->blind |= blind;
  if (!j->sc_no) {
    j->sc_no = !sc_serializable(e, n, &c);
    keep_cycle(j, ABOUT_SC, e, &c);
  }
  if (!j->tso_no && n <= MONITOR_EVENTS) {
    struct committed w = {0};
    put_commits(e, n, &w);
    j->tso_no = !tso_serializable(w.at, w.len, &c);
    keep_cycle(j, ABOUT_TSO, w.at, &c);
    vec_free(&w);
  }
  if (!j->monitor_no && !blind) {
    j->monitor_no = !tso_robust(e, n, &c);
    keep_cycle(j, ABOUT_ROBUST, e, &c);
  }
}

static void judge_tso(struct client_judge *j, const struct txn_event *e,
                      uint32_t n) {
  struct conflict_cycle c;
  if (n > PAIRS_EVENTS) {
    j->incomplete = true;
    return;
  }
  if (!j->tso_no) {
    j->tso_no = !tso_serializable(e, n, &c);
    keep_cycle(j, ABOUT_TSO, e, &c);
  }
  if (!j->equivalent_no) {
    j->equivalent_no = !txn_sc_equivalent(e, n, &c);
    if (j->equivalent_no) { /* prefer this cycle to that of the monitor */
      j->trace->robust.ncycle = 0;
      buf_clear(&j->text[ABOUT_ROBUST]);
    }
    keep_cycle(j, ABOUT_ROBUST, e, &c);
  }
}

/* Was a store buffer full? */
static bool was_full(const struct trace *t) {
  uint32_t waiting[RT_MAX_THREADS] = {0};
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    waiting[e->thread] -= e->kind == EV_COMMIT;
    waiting[e->thread] += (e->flags & EVENT_ISSUED) != 0;
    if (waiting[e->thread] >= rt_buffer_size())
      return true;
  }
  return false;
}

void client_judge_execution(struct client_judge *j, const struct trace *t) {
  struct txn_list l;
  assert(j->trace && j->client); /* after client_judge_begin */
  txn_from_trace(t, j->tso, &l);
  if (j->tso)
    txn_commit_rest(&l);
  uint32_t n = drop_main(&l);
  j->now = t;
  j->trace->events += n;
  j->trace->txns = l.ntxns;
  j->incomplete |= t->truncated;
  if (j->tso) {
    j->full |= was_full(t);
    judge_tso(j, l.e.at, n);
  } else {
    judge_sc(j, l.e.at, n, l.split);
  }
  j->now = NULL;
  txn_list_free(&l);
}

/* ---- the answers ---- */

static bool all_ran(const struct client_judge *j, bool tso) {
  return j->model[tso].ran && !j->model[tso].missing;
}

static enum answer answer(bool no, bool all) {
  return no ? ANSWER_NO : all ? ANSWER_YES : ANSWER_UNKNOWN;
}

static enum answer by_monitor(const struct client_judge *j) {
  return answer(j->monitor_no, all_ran(j, false) && !j->blind);
}

static enum answer sc_answer(const struct client_judge *j) {
  return answer(j->sc_no, all_ran(j, false));
}

/* By Theorem 3, which includes Theorem 2; ANSWER_UNKNOWN: neither applies. */
static enum answer by_theorem(const struct client_judge *j, bool fenced) {
  enum answer sc = sc_answer(j), robust = by_monitor(j);
  if (sc == ANSWER_YES && robust == ANSWER_YES)
    return ANSWER_YES;
  return fenced && all_ran(j, false) && (j->sc_no || j->monitor_no)
             ? ANSWER_NO
             : ANSWER_UNKNOWN;
}

bool client_judge_wants_tso(const struct client_judge *j, bool all) {
  if (all)
    return true;
  bool settled = by_monitor(j) != ANSWER_UNKNOWN &&
                 (j->tso_no || by_theorem(j, j->fenced) != ANSWER_UNKNOWN);
  return !settled || (j->trace->tso && !j->fenced);
}

static void set(struct finding_about *f, enum answer a, const char *why) {
  f->answer = a;
  f->why = why;
}

static const char *bounded(struct client_judge *j) {
  struct buf b = {0};
  buf_printf(&b, "with at most %" PRIu32 " stores in a buffer (--buffer)",
             rt_buffer_size());
  const char *text = arena_strdup(&j->report->arena, buf_text(&b));
  buf_free(&b);
  return text;
}

static void conclude_robust(struct client_judge *j) {
  struct atomic_trace *t = j->trace;
  const char *missing = j->model[j->blind || j->model[1].ran].missing;
  t->by_monitor = by_monitor(j);
  t->by_executions = answer(j->equivalent_no, all_ran(j, true));
  if (j->monitor_no || j->equivalent_no)
    set(&t->robust, ANSWER_NO, NULL);
  else if (t->by_monitor == ANSWER_YES)
    set(&t->robust, ANSWER_YES, NULL);
  else if (t->by_executions == ANSWER_YES)
    set(&t->robust, ANSWER_YES, j->full ? bounded(j) : NULL);
  else
    set(&t->robust, ANSWER_UNKNOWN, missing);
}

static void conclude_tso(struct client_judge *j) {
  struct atomic_trace *t = j->trace;
  enum answer known = by_theorem(j, j->fenced);
  if (j->tso_no)
    set(&t->tso_s, ANSWER_NO, NULL);
  else if (known == ANSWER_YES)
    set(&t->tso_s, ANSWER_YES,
        all_ran(j, true)
            ? NULL
            : "robust and SC-serializable (Theorem 2 of docs/atomicity.md)");
  else if (all_ran(j, true))
    set(&t->tso_s, ANSWER_YES, j->full ? bounded(j) : NULL);
  else if (known == ANSWER_NO)
    set(&t->tso_s, ANSWER_NO,
        "all transactions end with a fence, and it is not both robust and "
        "SC-serializable (Theorem 3 of docs/atomicity.md)");
  else
    set(&t->tso_s, ANSWER_UNKNOWN, j->model[j->model[1].ran].missing);
}

void client_judge_conclude(struct client_judge *j, struct buf *traces) {
  struct atomic_trace *t = j->trace;
  assert(j->model[0].ran);
  set(&t->sc, sc_answer(j), j->sc_no ? NULL : j->model[0].missing);
  conclude_robust(j);
  conclude_tso(j);
  int order[] = {t->tso ? ABOUT_TSO : ABOUT_SC, t->tso ? ABOUT_SC : ABOUT_TSO,
                 ABOUT_ROBUST};
  for (int i = 0; traces && i < ABOUTS; i++)
    if (j->text[order[i]].len) {
      buf_put(traces, buf_text(&j->text[order[i]]), j->text[order[i]].len);
      break;
    }
}
