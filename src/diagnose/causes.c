/*
 * From failing clients to the lines that must be atomic: every trace of each
 * client (dpor), which of them fail, what eliminates those (locate/), and how
 * many of the good ones it would take away.
 */
#include "diagnose/causes_int.h"

#include "base/clock.h"
#include "base/wire.h"
#include "source/loops_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_TRACES = 4000,    /* of dpor */
  MOST_OUTCOMES = 8,     /* that are explained one by one */
  MOST_STEPS = 1000,     /* of an execution: longer ones go round for ever */
  CAUSES_SECONDS = 20,   /* for all of it */
  PART = 1 << 20,        /* of the text of traces, for one answer */
  COUNT_STATES = 200000, /* of the client whose executions are counted */
  COUNT_SECONDS = 10,
};

static enum judgement collect(void *ctx, enum rt_end end) {
  struct collector *c = ctx;
  struct collected one = {.bad =
                              c->judge.ended(c->judge.ctx, end) == JUDGE_BAD};
  if (end == RT_CUT)
    return JUDGE_GOOD;
  live_take(&c->live, &one.path);
  vec_push(&c->paths, one);
  return JUDGE_GOOD;
}

static void again(void *ctx) {
  struct collector *c = ctx;
  for (uint32_t i = 0; i < c->paths.len; i++)
    vec_free(&c->paths.at[i].path);
  vec_clear(&c->paths);
}

static bool has_cycle(const struct conflicts *c) {
  struct eliminators e = {0};
  eliminate(c, (struct eliminate_limits){.results = 1, .steps = 100000}, &e);
  bool some = eliminators_count(&e) != 0;
  eliminators_free(&e);
  return some;
}

/*
 * Without a cycle of conflicts there is nothing to make atomic.  A fault may
 * have ended the execution in the middle of one: what the others were about to
 * do is added then.
 *
 *     T1 23 free arr#1
 *     T2 36 read vec.arr = &arr#1;  36 read arr#1    the fault
 *     T1 23 write vec.arr                            was to come
 *
 * Or it is the real-time order that the trace breaks.
 */
static void find_cycle(struct located *l, struct trace *t,
                       struct accesses *accesses) {
  if (has_cycle(&l->conflicts))
    return;
  uint32_t enough = accesses->len;
  if (t->nnext) {
    t->nevents += t->nnext;
    accesses->len = 0;
    accesses_from_trace(t, accesses);
    conflicts_free(&l->conflicts);
    conflicts_init(&l->conflicts, accesses->at, accesses->len, 0);
    if (has_cycle(&l->conflicts))
      return;
    accesses->len = enough;
  }
  conflicts_free(&l->conflicts);
  conflicts_init(&l->conflicts, accesses->at, enough, CONFLICTS_REAL_TIME);
}

/* The results of the execution that has just ended, as one of those that fail
 * in the first client. */
static uint32_t outcome_now(struct collector *c) {
  const struct history *h = rt_history();
  uint32_t n = c->first ? c->first->ncalls : 0;
  if (!c->first)
    return UINT32_MAX;
  struct value *results = xcalloc(n + 1, sizeof *results);
  for (uint32_t i = 0; i < n; i++)
    if (!hop_pending(&h->ops[i]))
      results[i] = h->ops[i].result;
  struct hash128 hash = hash128(results, n * sizeof *results, 0);
  uint32_t i = 0;
  while (i < c->failing.len && !hash128_equal(c->failing.at[i].hash, hash))
    i++;
  if (i == c->failing.len) {
    struct value *copy = arena_alloc(c->shared, (n + 1) * sizeof *copy);
    for (uint32_t k = 0; k < n; k++)
      value_copy(&copy[k], results[k], c->shared);
    vec_push(&c->failing, ((struct failing){hash, copy}));
  }
  free(results);
  return i;
}

static uint32_t count_calls(const struct trace *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->nevents; i++)
    n += t->events[i].kind == EV_CALL || t->events[i].kind == EV_RETURN;
  return n;
}

static void locate(struct collector *c, const struct collected *from) {
  struct replay r;
  struct accesses accesses = {0};
  struct arena recording = {0};
  struct trace trace;
  struct located *l = xcalloc(1, sizeof *l);
  bool fresh;
  replay_init(&r, from->path.at, from->path.len);
  enum rt_end end = rt_run_recorded(&r.driver, &recording, &trace);
  replay_free(&r);
  accesses_from_trace(&trace, &accesses);
  conflicts_init(&l->conflicts, accesses.at, accesses.len, 0);
  struct hash128 class = conflicts_digest(&l->conflicts);
  class.lo ^= c->number; /* two clients' traces are never equal */
  uint32_t *at = map128_put(&c->known, class, &fresh);
  if (fresh)
    *at = c->traces.len;
  struct located **known = fresh ? NULL : &c->traces.at[*at];
  /* The same order of conflicts can fail or not, by which calls overlap. */
  bool turns = known && from->bad && !(*known)->bad;
  if ((fresh || turns) && from->bad)
    find_cycle(l, &trace, &accesses);
  section_trace_init(&l->section, c->scopes, &trace, &l->conflicts);
  l->bad = from->bad;
  l->calls = count_calls(&trace);
  bool told = from->bad && end != RT_FAULT; /* not all results, after that */
  l->outcome = told ? outcome_now(c) : ANY_OUTCOME;
  free(accesses.at);
  arena_free(&recording);
  if (known && !turns) {
    (*known)->mixed |= (*known)->bad && !from->bad;
    located_free(l);
    return;
  }
  struct kept kept = {.failed = end == RT_FAULT};
  for (uint32_t i = 0; i < from->path.len; i++)
    vec_push(&kept.path, from->path.at[i]);
  if (turns) {
    l->mixed = true;
    located_free(*known);
    *known = l;
    vec_free(&c->kept.at[*at].path);
    c->kept.at[*at] = kept;
    if (*at < c->settled) /* its rounds are not told apart yet */
      c->settled = *at;
  } else {
    vec_push(&c->traces, l);
    vec_push(&c->kept, kept);
  }
}

/* Each failing outcome by itself: different bugs may hide in one client. */
static void split_by_outcome(struct collector *c, struct causes_found *out) {
  uint32_t n = c->failing.len, first = 0;
  for (uint32_t i = 0; i < c->traces.len; i++)
    first += c->traces.at[i]->bad && c->traces.at[i]->outcome == 0;
  if (!n || n > MOST_OUTCOMES || first == out->bad)
    return;
  out->by_outcome = arena_alloc(c->shared, n * sizeof *out->by_outcome);
  out->noutcomes = n;
  for (uint32_t i = 0; i < n; i++) {
    struct ranking r;
    blame_all(&c->blame, i, c->shared, &r);
    out->by_outcome[i] = (struct outcome_causes){
        .results = c->failing.at[i].results,
        .nresults = c->first->ncalls,
        .bad = r.bad,
        .at = r.at,
        .len = r.len,
    };
  }
}

/* The execution that the client is known by: all others may be too many. */
static void collect_known(struct collector *c, const struct blamed *b) {
  struct collected one = {.bad = true};
  if (!b->path.len)
    return;
  one.path = b->path;
  locate(c, &one);
}

static enum explore_end collect_by(struct hunt *h, struct collector *c,
                                   enum explore_end (*search)(struct explore *),
                                   double end, bool *cut) {
  struct explore x;
  hunt_explore_init(h, &x);
  x.judge = (struct judge){collect, c, again};
  x.live = &c->live;
  x.all = true;
  x.max_executions = MOST_TRACES;
  x.deadline = end;
  enum explore_end how = search(&x);
  *cut = x.cut != 0;
  vec_free(&x.bad);
  return how;
}

/*
 * All traces of one client; false: not all.  If there are too many, those that
 * dpor comes to first are much alike; random ones beside them are not.
 */
static bool collect_client(struct hunt *h, struct collector *c, double end) {
  bool cut, complete = collect_by(h, c, explore_dpor, end, &cut) == EXPLORE_ALL;
  complete &= !cut;
  if (!complete)
    collect_by(h, c, explore_random, end, &cut);
  uint32_t done = 0;
  while (done < c->paths.len && clock_now() < end)
    locate(c, &c->paths.at[done++]);
  h->late |= done < c->paths.len;
  complete &= done == c->paths.len;
  again(c);
  return complete;
}

/* The client's number: the first that was asked about is 0. */
static uint32_t number_of(struct collector *c, const char *client,
                          bool *fresh) {
  uint32_t i = 0;
  while (i < c->clients.len && strcmp(c->clients.at[i], client))
    i++;
  *fresh = i == c->clients.len;
  if (*fresh)
    vec_push(&c->clients, xstrdup(client));
  return i;
}

static bool comes_to(const struct section_trace *s, const char *file) {
  for (uint32_t i = 0; file && i < s->frames.len; i++)
    if (s->frames.at[i].file && !strcmp(s->frames.at[i].file, file))
      return true;
  return false;
}

/* Given traces that never come to a file that is named: of other sources, or
 * with other names for them. */
static uint32_t count_foreign(const struct collector *c,
                              const struct causes_found *found) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->given.traces.len; i++) {
    const struct section_trace *s = &c->given.traces.at[i]->section;
    bool known = false;
    for (uint32_t k = 0; k < found->len; k++)
      for (uint32_t b = 0; b < found->at[k].cause.nblocks && !known; b++)
        known = comes_to(s, found->at[k].cause.blocks[b].file);
    n += !known;
  }
  return n;
}

static uint32_t count_loops(const struct loops *l) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->files.len; i++)
    n += l->files.at[i]->loops.len;
  return n;
}

/* Loops are learnt from all traces before rounds are told apart in any; a loop
 * that only the last ones show counts for the others, too. */
static void find_rounds(struct collector *c) {
  for (uint32_t i = c->settled; i < c->traces.len; i++)
    section_learn_loops(&c->traces.at[i]->section, &c->loops);
  trace_set_find_rounds(&c->given, &c->loops);
  if (count_loops(&c->loops) != c->nloops)
    c->settled = 0;
  c->nloops = count_loops(&c->loops);
  for (; c->settled < c->traces.len; c->settled++) {
    struct located *l = c->traces.at[c->settled];
    section_find_rounds(&l->section, &c->loops);
    located_forget(l);
  }
}

/* Of each answer, what the calls of the first client returned. */
static void tell_results(const struct collector *c, struct causes_found *out) {
  for (uint32_t i = 0; i < out->nanswers; i++) {
    struct trace_answer *t = &out->answers[i];
    if (t->outcome == ANY_OUTCOME)
      continue;
    t->results = c->failing.at[t->outcome].results;
    t->nresults = c->first->ncalls;
  }
}

static void take_all(struct collector *c) {
  vec_clear(&c->blame.traces);
  for (uint32_t i = 0; i < c->traces.len; i++)
    vec_push(&c->blame.traces, c->traces.at[i]);
  for (uint32_t i = 0; i < c->given.traces.len; i++)
    vec_push(&c->blame.traces, c->given.traces.at[i]);
}

static void conclude(struct collector *c, struct causes_found *out) {
  double begun = clock_now();
  struct ranking r;
  find_rounds(c);
  take_all(c);
  blame_all(&c->blame, ANY_OUTCOME, c->shared, &r);
  out->cut = r.cut;
  out->at = r.at;
  out->len = r.len;
  out->good = r.good;
  out->bad = r.bad;
  for (uint32_t i = 0; i < c->traces.len; i++)
    out->mixed += c->traces.at[i]->mixed;
  out->given = c->given.traces.len;
  out->foreign = count_foreign(c, out);
  blame_each(&c->blame, c->shared, out);
  tell_results(c, out);
  split_by_outcome(c, out);
  out->eliminate_seconds = clock_now() - begun;
  out->extract_seconds = c->seconds;
  blame_measure(&c->blame, out);
}

/* The traces of one more client, or of one more execution of a known one. */
static void take_client(struct causes_server *s, const struct blamed *b,
                        double end) {
  struct collector *c = s->collector;
  struct client client = {0};
  bool fresh;
  if (!hunt_read_client(&s->h, b->client, &client))
    return;
  c->number = number_of(c, b->client, &fresh);
  c->first = c->number ? NULL : &client;
  bool ready = hunt_prepare(&s->h, &client) == RT_DONE;
  if (ready)
    collect_known(c, b);
  if (fresh)
    c->incomplete |= !ready || !collect_client(&s->h, c, end);
  c->first = NULL;
  if (!c->number && fresh)
    s->first = client;
  else
    client_free(&client);
}

/* The files could be read when the settings were. */
static void read_given(struct collector *c, const struct settings *s) {
  struct error ignored = {0};
  for (uint32_t i = 0; i < s->good_traces.len; i++)
    trace_set_read(&c->given, s->good_traces.at[i], true, &ignored);
}

int causes_open(void *arg, struct work *work) {
  struct causes_server *s = xcalloc(1, sizeof *s);
  const struct target *t = arg;
  work->own = s;
  if (hunt_open(&s->h, t, work, &s->result))
    return work->error.code;
  struct flow *flow = flow_open(t->lines, &work->error);
  if (!flow)
    return work->error.code;
  struct collector *c = s->collector = xcalloc(1, sizeof *c);
  c->judge = checker_judge(&s->h.checker);
  c->scopes = scopes_open(t->lines, flow);
  c->lines = t->lines;
  c->loops.read = loops_read_source;
  c->shared = &work->arena;
  read_given(c, t->settings);
  return ERR_NONE;
}

/* ---- questions ---- */

static void get_client(struct wire *from, struct blamed *b) {
  size_t len;
  *b = (struct blamed){.client = wire_get_text(from)};
  const uint8_t *path = wire_get_bytes(from, &len);
  for (size_t i = 0; i < len; i++)
    vec_push(&b->path, path[i]);
  assert(b->client && !from->bad);
}

static void take_one(struct causes_server *s, struct wire *from, double end) {
  struct blamed b;
  double begun = clock_now();
  get_client(from, &b);
  take_client(s, &b, end);
  s->collector->seconds += clock_now() - begun;
  free(b.client);
  vec_free(&b.path);
}

static void answer_causes(struct causes_server *s, struct wire *from,
                          double end, struct causes_found *out) {
  struct collector *c = s->collector;
  for (uint32_t n = wire_get_count(from, 1); n--;)
    take_one(s, from, end);
  out->complete = !c->incomplete;
  out->clients = c->clients.len;
  c->first = &s->first;
  conclude(c, out);
}

static const struct place *place_of(void *lines, uint64_t pc) {
  return pc ? lines_place(lines, pc - 1) : NULL;
}

/* Runs the execution of a class once more. */
static void print_trace(struct causes_server *s, uint32_t i, struct buf *out) {
  struct collector *c = s->collector;
  const struct client *client = &s->first;
  const struct op_names *names = &s->h.object.names;
  const char **ops = xcalloc(client->ncalls + 1, sizeof *ops);
  struct arena recording = {0};
  struct trace trace;
  struct replay r;
  for (uint32_t k = 0; k < client->ncalls; k++)
    ops[k] = names->name[client->calls[k].op];
  enum verdict failed =
      c->kept.at[i].failed ? VERDICT_ERROR : VERDICT_VIOLATION;
  struct trace_about about = {.object = s->h.object.suite->name,
                              .verdict =
                                  c->traces.at[i]->bad ? failed : VERDICT_PASS,
                              .op_names = ops,
                              .nops = client->ncalls};
  struct trace_places places = {place_of, c->lines};
  replay_init(&r, c->kept.at[i].path.at, c->kept.at[i].path.len);
  rt_run_recorded(&r.driver, &recording, &trace);
  replay_free(&r);
  trace_file_print(&trace, &about, &places, out);
  arena_free(&recording);
  free(ops);
}

static void answer_traces(struct causes_server *s, struct wire *from,
                          double end, struct traces_part *out) {
  struct collector *c = s->collector;
  struct buf text[TRACE_KINDS] = {{0}};
  uint32_t next = (uint32_t)wire_get(from);
  if (!next)
    take_one(s, from, end);
  bool ready = hunt_prepare(&s->h, &s->first) == RT_DONE;
  assert(ready || !c->traces.len);
  for (; next < c->traces.len && text[0].len + text[1].len < PART; next++)
    print_trace(s, next,
                &text[c->traces.at[next]->bad ? TRACE_FAILING : TRACE_GOOD]);
  out->next = next < c->traces.len ? next : 0;
  out->complete = !c->incomplete;
  for (int i = 0; i < TRACE_KINDS; i++) {
    if (text[i].len)
      out->text[i] = arena_strdup(c->shared, buf_text(&text[i]));
    buf_free(&text[i]);
  }
}

/* The process lives as long as somebody asks, and its memory with it. */
int causes_item(void *arg, struct work *work, const struct buf *item,
                struct buf *answer) {
  struct causes_server *s = work->own;
  struct wire from = {.at = item->at, .len = item->len};
  struct diagnose_answer to = {0};
  double end = hunt_until(&s->h, CAUSES_SECONDS);
  (void)arg;
  rt_limit(MOST_STEPS);
  s->h.late = false;
  if (wire_get(&from) == ASK_TRACES)
    answer_traces(s, &from, end, &to.traces);
  else
    answer_causes(s, &from, end, &to.causes);
  to.late = s->h.late;
  noun_pack(&noun_diagnose_answer, &to, answer);
  return ERR_NONE;
}

void hunt_count(struct hunt *h, const char *text, struct tally *out) {
  struct client client = {0};
  struct explore x;
  if (!hunt_read_client(h, text, &client))
    return;
  if (hunt_prepare(h, &client) == RT_DONE) {
    hunt_explore_init(h, &x);
    /* Without the reduction: what is a step must not depend on what is
     * atomic, or the counts could not be compared. */
    x.no_reduction = x.all = x.graph = true;
    x.max_states = COUNT_STATES;
    x.max_executions = 0;
    x.deadline = hunt_until(h, COUNT_SECONDS);
    if (hunt_explore(h, &x, SEARCH_STATEFUL) == EXPLORE_ALL && !x.cut)
      *out = (struct tally){x.interleavings, x.bad_interleavings, x.states};
    vec_free(&x.bad);
  }
  client_free(&client);
}
