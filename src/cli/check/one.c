/* Checks one recorded history: finds its type and the verdict, and reports. */
#include "base/clock.h"
#include "base/resident.h"
#include "cli/check/int.h"
#include "history/explain/explain_log.h"
#include "history/hitting/hitting.h"
#include "history/read/read.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds for an explanation without --time. */
static const double EXPLAIN_SECONDS = 10;
/* The same for finding an order of a history known to be linearizable. */
static const double WITNESS_SECONDS = 60;
static const uint64_t WITNESS_BYTES = 2ull << 30;
/* For the linearizability depth: about a second. */
static const uint64_t DEPTH_STEPS = 4000000;
/* For counting schedules. */
static const uint64_t COUNT_STEPS = 1000000;

void check_result_free(struct check_result *r) {
  buf_free(&r->text);
  buf_free(&r->json);
  buf_free(&r->html);
  buf_free(&r->order);
}

void check_type_free(struct check_type *t) {
  if (t->type)
    type_free(t->type);
  free(t->name);
  *t = (struct check_type){0};
}

/* ---- the type ---- */

/* 3, nil, true, "text"; every other word is a text, too. */
static datum read_datum(const char *text) {
  static const struct {
    const char *word;
    datum d;
  } words[] = {{"nil", DATUM_NIL},
               {"null", DATUM_NIL},
               {"true", DATUM_TRUE},
               {"false", DATUM_FALSE}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(text, words[i].word))
      return words[i].d;
  char *end;
  long long number = strtoll(text, &end, 10);
  if (*text && !*end)
    return datum_number(number);
  size_t len = strlen(text);
  if (len > 1 && text[0] == '"' && text[len - 1] == '"')
    return datum_text(text + 1, len - 2);
  return datum_text(text, len);
}

struct type *check_type_open(const struct check_settings *s, const char *name,
                             datum argument, const struct log *l,
                             struct check_type *cached, struct error *e) {
  if (s->argument)
    argument = read_datum(s->argument);
  else if (s->spec && name && strcmp(s->spec, name))
    argument = DATUM_NONE; /* the file's is for another type */
  if (s->spec)
    name = s->spec;
  else if (!name)
    name = l ? type_guess(l, e) : NULL;
  if (!name)
    return NULL;
  if (cached->type && !cached->type->cut && cached->argument == argument &&
      !strcmp(cached->name, name))
    return cached->type;
  check_type_free(cached);
  cached->type = check_is_harness(name) ? check_harness_type(argument, e)
                                        : type_open(name, argument, e);
  cached->name = xstrdup(name);
  cached->argument = argument;
  return cached->type;
}

/* Prepares the operations; an error names the place of the operation. */
static int prepare(const struct log *l, struct log_problem *p,
                   struct error *e) {
  p->ops = xmalloc((l->ops.len + 1) * sizeof *p->ops);
  p->nops = l->ops.len;
  struct error inner; /* large: its text is not cleared for every operation */
  inner.code = ERR_NONE;
  for (uint32_t i = 0; i < l->ops.len; i++) {
    if (!p->type->prepare(p->type, l, &l->ops.at[i], &p->ops[i], &inner))
      continue;
    if (l->source && l->ops.at[i].line &&
        strncmp(inner.text, l->source, strlen(l->source)))
      return error_set(e, inner.code, "%s:%u:%u: %s", l->source,
                       l->ops.at[i].line, l->ops.at[i].column, inner.text);
    return error_set(e, inner.code, "%s", inner.text);
  }
  return ERR_NONE;
}

/* ---- the verdict ---- */

const char *check_is_over(const struct check_settings *s, uint64_t operations) {
  /* Bytes that a monitor needs for an operation, beside the log. */
  enum { BYTES = sizeof(struct type_op) + 48 };
  if (s->deadline && clock_now() > s->deadline)
    return "time";
  return s->memory && resident_bytes() + operations * BYTES > s->memory
             ? "memory"
             : NULL;
}

/* The budget that --time and --memory leave: the log takes memory, too. */
static struct log_budget budget(const struct check_settings *s) {
  struct log_budget b = {.deadline = s->deadline};
  if (s->memory) {
    uint64_t used = resident_bytes();
    /* A tenth is for growing tables, of which there are two for a moment. */
    b.resident = s->memory - s->memory / 10;
    b.memory = used < b.resident ? b.resident - used : 1;
  }
  return b;
}

static struct log_budget witness_budget(const struct check_settings *s) {
  struct log_budget b = budget(s);
  if (!b.deadline)
    b.deadline = clock_now() + WITNESS_SECONDS;
  if (!b.memory)
    b.memory = WITNESS_BYTES;
  return b;
}

static bool is_monitor(const char *method) {
  return method && !strncmp(method, "monitor", 7);
}

/* Checks by a monitor only: the exact search after it may make one step. */
static void check_by_monitor(const struct log_problem *p,
                             const struct log_options *o,
                             struct log_answer *a) {
  struct log_options only = *o;
  const char *why = NULL;
  only.no_monitor = false;
  only.budget.steps = 1;
  check_log(p, &only, a);
  if (is_monitor(a->method))
    return;
  struct log_answer whole = {0};
  if (check_monitor(p, &whole, &why) || !why || p->type->by_key)
    why = "the monitor cannot decide the history of one of the keys";
  log_answer_free(&whole);
  log_answer_free(a);
  *a = (struct log_answer){
      .verdict = LOG_UNKNOWN, .method = "monitor", .limit = why};
  a->at = UINT32_MAX;
}

/* Finds the linearizability depth.  A history whose pending operations have to
 * take effect is known to be linearizable by it. */
static void find_depth(const struct check_settings *s,
                       const struct log_problem *p, const struct log_budget *b,
                       const struct hitting *h, struct log_report *r,
                       struct log_answer *a) {
  struct log_budget limited = *b;
  struct linear_depth d;
  limited.steps = DEPTH_STEPS;
  hitting_find_depth(p, (uint32_t)s->depth, h->witness, &limited, &d);
  if (d.depth && a->verdict == LOG_UNKNOWN) {
    a->verdict = LOG_LINEARIZABLE;
    for (uint32_t i = 0; i < d.order.len; i++)
      vec_push(&a->order, d.order.at[i]);
  }
  a->steps += d.steps;
  r->depth = (struct log_depth){a->verdict == LOG_LINEARIZABLE, d.depth,
                                d.beyond, d.limit};
  for (uint32_t i = 0; i < d.tuple.len; i++)
    vec_push(&r->depth.delayed, d.tuple.at[i]);
  for (uint32_t i = 0; i < d.completed.len; i++)
    vec_push(&r->depth.completed, d.completed.at[i]);
  linear_depth_free(&d);
}

static void count_schedules(const struct log_problem *p,
                            const struct log_budget *b, struct log_report *r) {
  struct log_budget limited = *b;
  struct hitting_counts counts;
  limited.steps = COUNT_STEPS;
  r->counted = hitting_count(p, &limited, &counts);
  r->schedules = counts.schedules;
  r->witnesses = counts.witnesses;
}

static void check_by_hitting(const struct check_settings *s,
                             const struct log_problem *p, bool all,
                             const struct log_budget *b, struct log_report *r,
                             struct log_answer *a) {
  struct hitting h;
  check_hitting(p, (uint32_t)s->depth, all, b, &h);
  *a = (struct log_answer){.verdict = h.verdict,
                           .method = "hitting",
                           .limit = h.limit,
                           .steps = h.steps,
                           .at = UINT32_MAX};
  r->witness = h.witness;
  for (uint32_t i = 0; i < h.order.len; i++)
    vec_push(&a->order, h.order.at[i]);
  for (uint32_t i = 0; i < h.depths.len; i++) {
    const struct hitting_depth *d = &h.depths.at[i];
    vec_push(&r->families, ((struct log_family){d->d, d->indices, d->distinct,
                                                d->whole, d->witness}));
  }
  if (p->nops && (h.witness || h.needs_pending))
    find_depth(s, p, b, &h, r, a);
  if (h.verdict != LOG_UNKNOWN && !all)
    count_schedules(p, b, r);
  hitting_free(&h);
}

static void decide(const struct check_settings *s, const struct log_problem *p,
                   struct log_report *r, struct log_answer *a) {
  struct log_options o = {.budget = budget(s),
                          .no_monitor = s->no_monitor,
                          .no_partition = s->no_partition,
                          .want_order = s->order != NULL,
                          .witness = witness_budget(s),
                          .jobs = (uint32_t)s->jobs};
  switch ((enum check_method)s->method) {
  case CHECK_AUTO:
    check_log(p, &o, a);
    break;
  case CHECK_EXACT:
    o.no_monitor = true;
    check_log(p, &o, a);
    break;
  case CHECK_FRONTIER:
    check_frontier(p, &o.budget, o.want_order, a);
    break;
  case CHECK_LINEARIZE:
    check_depth_first(p, &o.budget, o.want_order, a);
    break;
  case CHECK_MONITOR:
    check_by_monitor(p, &o, a);
    break;
  case CHECK_HITTING:
    check_by_hitting(s, p, false, &o.budget, r, a);
    break;
  case CHECK_ONLINE: /* never here: stream.c */
    break;
  }
}

/* ---- the tables of depths ---- */

static void measure(const struct check_settings *s, const struct log_problem *p,
                    struct log_report *r, struct log_answer *a,
                    struct check_depths *out) {
  struct hitting_shape shape = hitting_shape(p);
  struct log_answer by_families = {0};
  struct log_budget b = budget(s);
  snprintf(out->type, sizeof out->type, "%s", p->type->name);
  out->ops = shape.ops;
  out->level = shape.level;
  out->pairs = shape.pairs;
  out->linearizable = a->verdict == LOG_LINEARIZABLE;
  out->cut = a->verdict == LOG_UNKNOWN;
  if (!shape.pairs)
    return; /* a single schedule */
  check_by_hitting(s, p, true, &b, r, &by_families);
  for (uint32_t i = 0; i < r->families.len && i < CHECK_TABLE_DEPTHS; i++) {
    out->distinct[i] = r->families.at[i].distinct;
    out->witness[i] = r->families.at[i].witness;
    out->cut |= !r->families.at[i].whole;
    out->ndepths = i + 1;
  }
  out->depth = r->depth.depth;
  log_answer_free(&by_families);
}

/* ---- reports ---- */

/* Does the order have all operations that returned? */
static bool order_is_whole(const struct log_problem *p,
                           const struct log_answer *a) {
  uint32_t returned = 0, placed = 0;
  for (uint32_t i = 0; i < p->nops; i++)
    returned += p->ops[i].op->ret != LOG_PENDING;
  for (uint32_t i = 0; i < a->order.len; i++)
    placed += p->ops[a->order.at[i]].op->ret != LOG_PENDING;
  return placed == returned;
}

/* Writes the order as a sequential history. */
static void write_order(const struct log *l, const struct log_answer *a,
                        struct buf *out) {
  struct log seq = *l;
  memset(&seq.ops, 0, sizeof seq.ops);
  memset(&seq.notes, 0, sizeof seq.notes);
  for (uint32_t i = 0; i < a->order.len; i++) {
    struct log_op o = l->ops.at[a->order.at[i]];
    bool pending = o.ret == LOG_PENDING;
    o.call = 2 * i;
    o.ret = 2 * i + 1;
    if (pending)
      o.result = DATUM_NONE;
    vec_push(&seq.ops, o);
  }
  seq.end = 2 * a->order.len;
  log_write(&seq, out);
  vec_free(&seq.ops);
}

static void report(const struct check_settings *s, const struct log_problem *p,
                   struct log_report *r, struct log_answer *a,
                   struct check_result *out) {
  struct log_explained x = {0};
  bool shown = !s->quiet || s->json || s->html;
  if (a->verdict == LOG_VIOLATION && shown && !s->depth_table) {
    struct log_budget b = budget(s);
    double end = clock_now() + EXPLAIN_SECONDS;
    if (!b.deadline || b.deadline > end)
      b.deadline = end;
    explain_log(p, a, &b, &x);
    r->violation = &x;
  }
  r->wants_order = s->order != NULL;
  r->no_order =
      s->order && a->verdict == LOG_LINEARIZABLE && !order_is_whole(p, a);
  if (!s->depth_table)
    log_report_text(r, &s->style, &out->text);
  if (s->json)
    log_report_json(r, &out->json);
  if (s->html)
    log_report_html(r, &out->html);
  if (s->order && a->verdict == LOG_LINEARIZABLE && !r->no_order)
    write_order(p->log, a, &out->order);
  log_explained_free(&x);
}

static const char *const verdict_word[] = {"linearizable", "violation",
                                           "unknown"};

static void check_prepared(const struct check_settings *s,
                           const struct log_problem *p, bool several,
                           struct check_result *out) {
  struct log_answer a = {.at = UINT32_MAX};
  struct log_report r = {.log = p->log,
                         .source = p->log->source ? p->log->source : "-",
                         .several = several,
                         .spec = p->type->name,
                         .operations = p->nops,
                         .processes = p->log->nprocesses,
                         .reached = LOG_NO_OP};
  for (uint32_t i = 0; i < p->nops; i++)
    r.pending += p->log->ops.at[i].ret == LOG_PENDING;
  decide(s, p, &r, &a);
  r.verdict = verdict_word[a.verdict];
  r.method = a.method;
  r.limit = a.verdict == LOG_UNKNOWN ? a.limit : NULL;
  r.steps = a.steps;
  if (a.verdict == LOG_UNKNOWN && a.at < p->nops)
    r.reached = a.at;
  out->verdict = a.verdict;
  if (s->depth_table)
    measure(s, p, &r, &a, &out->depths);
  report(s, p, &r, &a, out);
  log_answer_free(&a);
  vec_free(&r.families);
  vec_free(&r.depth.delayed);
  vec_free(&r.depth.completed);
}

bool check_end(const struct check_settings *s, const struct check_end *end,
               struct check_type *cached, struct check_result *out) {
  struct error e = {0};
  struct log *l = end->log;
  assert(l);
  struct log_problem p = {.log = l};
  struct log_answer a = {.at = UINT32_MAX};
  struct log_budget b = budget(s);
  *out = (struct check_result){0};
  p.type = check_type_open(s, l->type, l->type_argument, l, cached, &e);
  if (p.type && !p.type->by_key)
    log_join_pairs(l);
  if (p.type && !prepare(l, &p, &e) &&
      explain_forget_beginning(l, &p, end->since))
    check_exact(&p, &b, false, &a);
  /* The whole history is linearizable before the return at `bad`.  The end
   * explains the violation if it fails at the same return. */
  bool known = a.verdict == LOG_VIOLATION && a.at != UINT32_MAX &&
               p.ops[a.at].op->ret == end->bad;
  if (known) {
    struct log_report r = {.log = l,
                           .source = l->source,
                           .spec = p.type->name,
                           .verdict = verdict_word[a.verdict],
                           .method = a.method,
                           .steps = end->steps + a.steps,
                           .operations = end->operations,
                           .processes = l->nprocesses,
                           .pending = (uint32_t)end->pending,
                           .reached = LOG_NO_OP};
    out->verdict = a.verdict;
    report(s, &p, &r, &a, out);
  }
  log_answer_free(&a);
  free(p.ops);
  return known;
}

/* The history was too long to be read or checked. */
static void report_stopped(const struct check_settings *s, const struct log *l,
                           const char *why, bool several,
                           struct check_result *out) {
  const char *spec = s->spec ? s->spec : l->type;
  struct log_report r = {.log = l,
                         .source = l->source ? l->source : "-",
                         .several = several,
                         .spec = spec ? spec : "",
                         .verdict = verdict_word[LOG_UNKNOWN],
                         .limit = why,
                         .operations = l->stopped ? l->stopped_at : l->ops.len,
                         .processes = l->nprocesses,
                         .reached = LOG_NO_OP};
  out->verdict = LOG_UNKNOWN;
  out->depths.cut = true;
  if (!s->depth_table)
    log_report_text(&r, &s->style, &out->text);
  if (s->json)
    log_report_json(&r, &out->json);
  if (s->html)
    log_report_html(&r, &out->html);
}

void check_one(const struct check_settings *s, struct log *l, bool several,
               struct check_type *cached, struct check_result *out) {
  struct error e = {0};
  struct log_problem p = {.log = l};
  *out = (struct check_result){0};
  const char *why = l->stopped ? l->stopped : check_is_over(s, l->ops.len);
  if (why) {
    report_stopped(s, l, why, several, out);
    return;
  }
  p.type = check_type_open(s, l->type, l->type_argument, l, cached, &e);
  if (p.type && !p.type->by_key)
    log_join_pairs(l);
  bool head = !p.type && l->type && l->type_line && !s->spec && !s->argument;
  if (p.type && !prepare(l, &p, &e))
    check_prepared(s, &p, several, out);
  free(p.ops);
  if (e.code) {
    out->error = e.code;
    if (l->source && strncmp(e.text, l->source, strlen(l->source))) {
      buf_printf(&out->text, "%s:", l->source);
      if (head)
        buf_printf(&out->text, "%u:%u:", l->type_line, l->type_column);
      buf_putc(&out->text, ' ');
    }
    buf_puts(&out->text, e.text);
  }
}
