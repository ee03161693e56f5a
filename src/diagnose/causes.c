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
  MOST_CAUSES = 1000,    /* kept while traces are combined */
  MOST_SINGLE = 64,      /* causes of single traces */
  PRICED_WITH = 100,     /* good traces, to tell which causes are kept */
  MOST_RANKED = 400000,  /* pairs of a cause and a trace */
  LEAST_RANKED = 64,     /* causes, however many traces there are */
  MOST_OUTCOMES = 8,     /* that are explained one by one */
  MOST_STEPS = 1000,     /* of an execution: longer ones go round for ever */
  CAUSES_SECONDS = 20,   /* for all of it */
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

static void free_located(struct located *l) {
  section_trace_free(&l->section);
  conflicts_free(&l->conflicts);
  causes_free(&l->causes);
  causes_free(&l->lines);
  free(l);
}

/* Is there anything to make atomic without the real-time order?  If not, it
 * is that order which the failing trace breaks. */
static bool has_cycle(const struct conflicts *c) {
  struct eliminators e = {0};
  eliminate(c, (struct eliminate_limits){.results = 1, .steps = 100000}, &e);
  bool some = eliminators_count(&e) != 0;
  eliminators_free(&e);
  return some;
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
  if ((fresh || turns) && from->bad && !has_cycle(&l->conflicts)) {
    conflicts_free(&l->conflicts);
    conflicts_init(&l->conflicts, accesses.at, accesses.len,
                   CONFLICTS_REAL_TIME);
  }
  section_trace_init(&l->section, c->scopes, &trace, &l->conflicts);
  l->bad = from->bad;
  bool told = from->bad && end != RT_FAULT; /* not all results, after that */
  l->outcome = told ? outcome_now(c) : UINT32_MAX;
  free(accesses.at);
  arena_free(&recording);
  if (known && !turns) {
    (*known)->mixed |= (*known)->bad && !from->bad;
    free_located(l);
    return;
  }
  if (turns) {
    l->mixed = true;
    free_located(*known);
    *known = l;
    if (*at < c->settled) /* its rounds are not told apart yet */
      c->settled = *at;
  } else {
    vec_push(&c->traces, l);
  }
}

#define ANY_OUTCOME UINT32_MAX

static bool is_asked(const struct located *l, uint32_t outcome) {
  return l->bad && (outcome == ANY_OUTCOME || l->outcome == outcome);
}

static void note_single(struct collector *c, const struct causes *of) {
  for (uint32_t i = 0; i < of->len; i++) {
    uint32_t k = 0;
    while (k < c->single.len && !cause_equal(c->single.at[k].cause, of->at[i]))
      k++;
    if (k == c->single.len && k < MOST_SINGLE)
      vec_push(&c->single,
               ((struct trace_cause){
                   cause_of(&c->own, of->at[i].blocks, of->at[i].nblocks), 0}));
    if (k < c->single.len)
      c->single.at[k].traces++;
  }
}

typedef VEC(struct rank_trace) rank_traces;

/* The good traces, at most so many. */
static void take_good(const struct collector *c, uint32_t most,
                      rank_traces *out) {
  for (uint32_t i = 0; i < c->traces.len && out->len < most; i++) {
    struct located *l = c->traces.at[i];
    if (!l->bad)
      vec_push(out, ((struct rank_trace){&l->conflicts, &l->section}));
  }
  for (uint32_t i = 0; i < c->given.traces.len && out->len < most; i++) {
    struct read_trace *t = c->given.traces.at[i];
    vec_push(out, ((struct rank_trace){&t->conflicts, &t->section}));
  }
}

static uint32_t price(void *ctx, struct cause c) { return rank_price(c, ctx); }

/* What repairs one failing trace. */
static void find_eliminators(struct collector *c, struct located *l) {
  struct eliminators e = {0};
  if (l->known)
    return;
  eliminate(&l->conflicts,
            (struct eliminate_limits){.results = 10000, .steps = 1000000}, &e);
  causes_of_trace(&e, section_block, &l->section, &c->own, &l->causes);
  causes_of_trace(&e, section_lines, &l->section, &c->own, &l->lines);
  l->cut = e.cut;
  l->known = true;
  eliminators_free(&e);
}

/* What repairs all failing traces, or those with one outcome; false: nothing
 * that has lines does. */
static bool combine(struct collector *c, uint32_t outcome, struct arena *a,
                    struct causes *all) {
  rank_traces good = {0};
  take_good(c, PRICED_WITH, &good);
  struct rank_input in = {
      .good = good.at, .ngood = good.len, .units = section_units};
  struct combine_limit limit = {MOST_CAUSES, price, &in};
  combine_begin(all);
  for (uint32_t i = 0; i < c->traces.len; i++) {
    struct located *l = c->traces.at[i];
    if (!is_asked(l, outcome))
      continue;
    find_eliminators(c, l);
    if (outcome == ANY_OUTCOME)
      note_single(c, &l->lines);
    c->cut |= !combine_add(all, &l->causes, limit, a) || l->cut;
    if (!all->len)
      break;
  }
  limit.most = MOST_RANKED / (c->traces.len + 1);
  if (limit.most < LEAST_RANKED)
    limit.most = LEAST_RANKED;
  c->cut |= !combine_cut(all, limit);
  vec_free(&good);
  return all->len;
}

static int more_frequent(const void *a, const void *b) {
  const struct trace_cause *x = a, *y = b;
  if (x->traces != y->traces)
    return x->traces < y->traces ? 1 : -1;
  return cause_compare(x->cause, y->cause);
}

static void share_single(struct collector *c, struct causes_found *out) {
  uint32_t n = out->nsingle = c->single.len;
  if (n)
    qsort(c->single.at, n, sizeof *c->single.at, more_frequent);
  out->single = arena_copy(c->shared, c->single.at, n * sizeof *out->single);
  for (uint32_t i = 0; i < n; i++)
    out->single[i].cause = cause_copy(c->shared, out->single[i].cause);
}

static void share_cause(struct ranked_cause *to, const struct ranked *from,
                        struct arena *a) {
  *to = (struct ranked_cause){.cause = cause_copy(a, from->cause),
                              .rank = from->rank,
                              .eliminates = from->eliminates,
                              .events = from->events,
                              .lines = from->lines};
}

struct ranking {
  struct ranked_cause *at;
  uint32_t len;
  uint64_t good, bad; /* traces */
};

static uint32_t longest_bad(const struct rank_input *in) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < in->nbad; i++)
    if (n < in->bad[i].conflicts->nnodes)
      n = in->bad[i].conflicts->nnodes;
  return n;
}

static bool repairs_all(const struct rank_input *in, struct cause r,
                        uint32_t *unit) {
  for (uint32_t i = 0; i < in->nbad; i++) {
    in->units(in->ctx, r, &in->bad[i], unit);
    if (!conflicts_cyclic(in->bad[i].conflicts, unit))
      return false;
  }
  return true;
}

static struct cause without(struct cause c, uint32_t at, struct arena *a) {
  struct code_block *left = arena_alloc(a, c.nblocks * sizeof *left);
  uint32_t n = 0;
  for (uint32_t i = 0; i < c.nblocks; i++)
    if (i != at)
      left[n++] = c.blocks[i];
  return (struct cause){left, n};
}

/*
 * Blocks were combined by their lines, without asking who calls whom: one in a
 * function that is only called from another block is superfluous, and so is
 * each whose traces the others happen to repair.
 */
static void spare_blocks(const struct causes *all, const struct rank_input *in,
                         struct arena *a, struct causes *out) {
  uint32_t *unit = xcalloc((size_t)longest_bad(in) + 1, sizeof *unit);
  for (uint32_t i = 0; i < all->len; i++) {
    struct cause c = all->at[i];
    for (uint32_t k = 0; c.nblocks > 1 && k < c.nblocks;) {
      struct cause fewer = without(c, k, a);
      if (repairs_all(in, fewer, unit))
        c = fewer;
      else
        k++;
    }
    causes_add(out, c);
  }
  free(unit);
}

static bool in_one_function(const struct code_block *a,
                            const struct code_block *b) {
  struct code_block x = *a, y = *b;
  x.first = x.last = y.first = y.last = 0;
  return a->function && !code_block_compare(&x, &y);
}

/* One block for all of a function; false: there is one only. */
static bool join(struct cause c, struct arena *a, struct cause *out) {
  struct code_block *to = arena_alloc(a, c.nblocks * sizeof *to);
  uint32_t n = 0;
  for (uint32_t i = 0; i < c.nblocks; i++) {
    uint32_t k = 0;
    while (k < n && !in_one_function(&to[k], &c.blocks[i]))
      k++;
    if (k == n)
      to[n++] = c.blocks[i];
    else if (to[k].last < c.blocks[i].last)
      to[k].last = c.blocks[i].last; /* they are sorted */
  }
  *out = cause_of(a, to, n);
  return n < c.nblocks;
}

static struct ranked rank_one(struct cause c, const struct rank_input *in) {
  struct causes one = {0};
  struct ranked r;
  vec_push(&one, c);
  rank_causes(&one, in, &r);
  causes_free(&one);
  return r;
}

/*
 * Two blocks of a function are less than one that holds both, but no answer for
 * the author, when the one takes away no more of the good traces: fewer blocks
 * rank before.  (A lock around the second half, say, and a look before it: the
 * smallest blocks end inside of the critical section.)
 */
static void join_blocks(struct causes *all, const struct rank_input *in,
                        struct arena *a) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < all->len; i++) {
    struct cause c = all->at[i], one;
    if (join(c, a, &one)) {
      struct ranked r = rank_one(one, in);
      if (!r.misses && r.eliminates <= rank_one(c, in).eliminates)
        c = one;
    }
    uint32_t k = 0;
    while (k < kept && !cause_equal(all->at[k], c))
      k++;
    if (k == kept)
      all->at[kept++] = c;
  }
  all->len = kept;
}

static struct ranking rank(const struct collector *c, uint32_t outcome,
                           const struct causes *from, struct arena *a) {
  rank_traces good = {0}, bad = {0};
  take_good(c, UINT32_MAX, &good);
  for (uint32_t i = 0; i < c->traces.len; i++) {
    struct located *l = c->traces.at[i];
    if (is_asked(l, outcome))
      vec_push(&bad, ((struct rank_trace){&l->conflicts, &l->section}));
  }
  struct ranking out = {.good = good.len, .bad = bad.len};
  struct rank_input in = {.good = good.at,
                          .ngood = good.len,
                          .bad = bad.at,
                          .nbad = bad.len,
                          .units = section_units};
  struct arena own = {0};
  struct causes all = {0};
  spare_blocks(from, &in, &own, &all);
  join_blocks(&all, &in, &own);
  struct ranked *ranked = xcalloc(all.len + 1, sizeof *ranked);
  rank_causes(&all, &in, ranked);
  out.at = arena_alloc(a, (all.len + 1) * sizeof *out.at);
  for (uint32_t i = 0; i < all.len; i++)
    if (ranked[i].cause.nblocks && !ranked[i].misses)
      share_cause(&out.at[out.len++], &ranked[i], a);
  free(ranked);
  causes_free(&all);
  arena_free(&own);
  vec_free(&good);
  vec_free(&bad);
  return out;
}

/* Whether that changes anything. */
static bool blame_tests(struct collector *c, bool tests) {
  bool changes = false;
  for (uint32_t i = 0; i < c->traces.len; i++) {
    struct located *l = c->traces.at[i];
    bool some =
        l->section.blames_tests != tests && section_has_tests(&l->section);
    l->section.blames_tests = tests;
    if (some)
      vec_clear(&l->causes);
    l->known &= !some;
    changes |= some;
  }
  return changes;
}

/* Code of the test is blamed only where nothing of the object's can be. */
static struct ranking causes_of(struct collector *c, uint32_t outcome,
                                struct arena *a) {
  struct arena own = {0};
  struct causes all = {0};
  struct ranking r = {0};
  blame_tests(c, false);
  bool found = combine(c, outcome, &own, &all);
  if (!found && blame_tests(c, true)) {
    if (outcome == ANY_OUTCOME)
      vec_clear(&c->single);
    found = combine(c, outcome, &own, &all);
  }
  if (found)
    r = rank(c, outcome, &all, a);
  causes_free(&all);
  arena_free(&own);
  return r;
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
    struct ranking r = causes_of(c, i, c->shared);
    out->by_outcome[i] = (struct outcome_causes){
        .results = c->failing.at[i].results,
        .nresults = c->first->ncalls,
        .bad = r.bad,
        .at = r.at,
        .len = r.len,
    };
  }
}

/* How large the failing traces are. */
static void measure(const struct collector *c, struct causes_found *out) {
  for (uint32_t i = 0; i < c->traces.len; i++) {
    const struct located *l = c->traces.at[i];
    if (!l->bad || l->conflicts.nnodes <= out->events)
      continue;
    struct conflict_edges edges = {0};
    conflict_edges(&l->conflicts, &edges);
    out->events = l->conflicts.nnodes;
    out->conflicts = edges.len;
    free(edges.at);
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
    causes_free(&l->causes);
    causes_free(&l->lines);
    l->known = false;
  }
}

static void conclude(struct collector *c, struct causes_found *out) {
  find_rounds(c);
  vec_clear(&c->single);
  c->cut = false;
  struct ranking r = causes_of(c, ANY_OUTCOME, c->shared);
  out->cut = c->cut;
  out->at = r.at;
  out->len = r.len;
  out->good = r.good;
  out->bad = r.bad;
  for (uint32_t i = 0; i < c->traces.len; i++)
    out->mixed += c->traces.at[i]->mixed;
  out->given = c->given.traces.len;
  out->foreign = count_foreign(c, out);
  share_single(c, out);
  split_by_outcome(c, out);
  measure(c, out);
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

/* The process lives as long as somebody asks, and its memory with it. */
int causes_item(void *arg, struct work *work, const struct buf *item,
                struct buf *answer) {
  struct causes_server *s = work->own;
  struct collector *c = s->collector;
  struct wire from = {.at = item->at, .len = item->len};
  struct diagnose_answer to = {0};
  double end = hunt_until(&s->h, CAUSES_SECONDS);
  (void)arg;
  rt_limit(MOST_STEPS);
  s->h.late = false;
  for (uint32_t n = wire_get_count(&from, 1); n--;) {
    struct blamed b = {.client = wire_get_text(&from)};
    size_t len;
    const uint8_t *path = wire_get_bytes(&from, &len);
    for (size_t i = 0; i < len; i++)
      vec_push(&b.path, path[i]);
    assert(b.client && !from.bad);
    take_client(s, &b, end);
    free(b.client);
    vec_free(&b.path);
  }
  to.causes.complete = !c->incomplete;
  to.causes.clients = c->clients.len;
  c->first = &s->first;
  conclude(c, &to.causes);
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
