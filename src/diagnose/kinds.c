#include "diagnose/kinds.h"

#include "campaign/campaign.h"
#include "campaign/coverage.h"
#include "code/region.h"
#include "debug/lines.h"
#include "diagnose/diagnose_int.h"
#include "hunt/inside.h"
#include "locate/conflict.h"
#include "locate/kinds.h"
#include "model/loops.h"
#include "model/nouns.h"
#include "model/wake.h"
#include "proc/phase.h"
#include "source/loops_read.h"

#include <string.h>

enum {
  MOST_TRACES = 2000, /* of dpor, and as many at random when there are more */
  MOST_STEPS = 1000,  /* of an execution: longer ones go round for ever */
  KINDS_SECONDS = 8,
  MOST_HOLDS = 4,       /* patterns whose lines are held */
  HOLD_STATES = 100000, /* of the client with lines held */
};

/* ---- in the worker ---- */

/* How an execution ends: a fault; FAULT_COUNT: calls that wait wrongly. */
struct kind_path {
  path path;
  enum fault end;
};

struct kind_tally {
  uint64_t same, bad, good; /* same: failing as the finding does */
};

struct kind_count {
  struct hunt *hunt;
  struct judge judge;
  struct live_path live;
  VEC(struct kind_path) paths;
  struct decisions decisions;
  struct map128 known;                   /* orders that were counted */
  struct kind_matches first[KIND_COUNT]; /* of the finding's execution … */
  enum fault end;                        /* … which ends so */
  struct kind_tally with[KIND_COUNT], all;
};

/* A number for the line and column of each event. */
static uint64_t *sites_of(const struct hunt *h, const struct trace *t) {
  uint64_t *sites = xcalloc(t->nevents + 1u, sizeof *sites);
  for (uint32_t i = 0; i < t->nevents; i++) {
    uint64_t pc = t->events[i].pc;
    const struct place *p = pc ? lines_place(h->target->lines, pc - 1) : NULL;
    const struct place *own = p ? place_own(p) : NULL;
    p = own ? own : p;
    uint64_t at[3] = {p && p->file ? hash64(p->file, strlen(p->file), 0) : 0,
                      p ? p->line : 0, p ? p->column : 0};
    sites[i] = p && p->line ? hash64(at, sizeof at, 0) : pc;
  }
  return sites;
}

struct kind_run {
  struct arena arena;
  struct trace trace;
  struct kind_trace view;
};

static enum rt_end run_again(const struct hunt *h, const path *p,
                             struct kind_run *r) {
  struct replay replay;
  *r = (struct kind_run){0};
  replay_init(&replay, p->at, p->len);
  enum rt_end end = rt_run_recorded(&replay.driver, &r->arena, &r->trace);
  replay_free(&replay);
  r->view = (struct kind_trace){&r->trace, sites_of(h, &r->trace)};
  return end;
}

static void run_free(struct kind_run *r) {
  free((void *)r->view.sites);
  arena_free(&r->arena);
}

static enum fault fault_of(enum rt_end end) {
  return end == RT_FAULT   ? rt_fault()->kind
         : end == RT_STUCK ? FAULT_COUNT
                           : FAULT_NOT_LINEARIZABLE;
}

static enum judgement collect(void *ctx, enum rt_end end) {
  struct kind_count *c = ctx;
  bool bad = c->judge.ended(c->judge.ctx, end) == JUDGE_BAD;
  struct kind_path one = {.end = bad ? fault_of(end) : FAULT_NONE};
  if (end == RT_CUT)
    return JUDGE_GOOD;
  live_take(&c->live, &one.path);
  vec_push(&c->paths, one);
  return JUDGE_GOOD;
}

static void again(void *ctx) {
  struct kind_count *c = ctx;
  for (uint32_t i = 0; i < c->paths.len; i++)
    vec_free(&c->paths.at[i].path);
  vec_clear(&c->paths);
}

static enum explore_end collect_by(struct kind_count *c,
                                   enum explore_end (*search)(struct explore *),
                                   double end, bool *cut) {
  struct explore x;
  hunt_explore_init(c->hunt, &x);
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

/* Two executions are one order when conflicting accesses come in the same order
 * and both end in the same way. */
static bool is_new_order(struct kind_count *c, const struct trace *t,
                         enum fault end) {
  struct accesses accesses = {0};
  struct conflicts conflicts;
  bool fresh;
  accesses_from_trace(t, &accesses);
  conflicts_init(&conflicts, accesses.at, accesses.len, 0);
  struct hash128 order = conflicts_digest(&conflicts);
  order.lo ^= end;
  map128_put(&c->known, order, &fresh);
  conflicts_free(&conflicts);
  free(accesses.at);
  return fresh;
}

static void learn(struct kind_count *c, const path *p) {
  struct kind_run r;
  run_again(c->hunt, p, &r);
  decisions_add(&c->decisions, &r.view);
  run_free(&r);
}

static void tally_add(struct kind_tally *t, enum fault end, enum fault same) {
  t->good += end == FAULT_NONE;
  t->bad += end != FAULT_NONE;
  t->same += end == same;
}

static void count_kinds(struct kind_count *c, const struct kind_path *p) {
  struct kind_run r;
  struct kind_matches m;
  run_again(c->hunt, &p->path, &r);
  if (is_new_order(c, &r.trace, p->end)) {
    tally_add(&c->all, p->end, c->end);
    for (enum kind k = KIND_NONE + 1; k < KIND_COUNT; k++) {
      if (!c->first[k].len)
        continue;
      kinds_match(k, &r.view, &c->decisions, &m);
      if (m.len)
        tally_add(&c->with[k], p->end, c->end);
    }
  }
  run_free(&r);
}

static void match_first(struct kind_count *c, const path *p) {
  struct kind_run r;
  c->end = fault_of(run_again(c->hunt, p, &r));
  for (enum kind k = KIND_NONE + 1; k < KIND_COUNT; k++)
    kinds_match(k, &r.view, &c->decisions, &c->first[k]);
  run_free(&r);
}

/* Every order that fails so has it, and good ones have it at most half as
 * often.  A lock that lets two in does harm only when they meet inside, and so
 * does a shared one. */
static bool explains(const struct kind_count *c, enum kind k) {
  const struct kind_tally *w = &c->with[k], *all = &c->all;
  if (!w->same || w->same < all->same)
    return false;
  if (k == KIND_CHECK_THEN_ACT)
    return 4 * w->good <= all->good;
  return k == KIND_BROKEN_LOCK || k == KIND_BROKEN_FLAGS ||
         k == KIND_SHARED_LOCK || 2 * w->good <= all->good;
}

static void share(const struct kind_count *c, bool complete, struct arena *a,
                  struct kinds_found *out) {
  out->at = arena_alloc(a, KIND_COUNT * KINDS_MOST * sizeof *out->at);
  for (enum kind k = KIND_NONE + 1; k < KIND_COUNT; k++)
    for (uint32_t i = 0; explains(c, k) && i < c->first[k].len; i++) {
      struct kind_found *f = &out->at[out->len++];
      *f = c->first[k].at[i];
      bool all = c->with[k].bad == c->all.bad;
      f->same = all ? c->all.bad : c->all.same;
      f->bad = c->all.bad;
      f->good_with = c->with[k].good;
      f->good = c->all.good;
      f->complete = complete;
    }
}

static void find_kinds(struct kind_count *c, const path *known,
                       struct kinds_found *out) {
  double end = hunt_until(c->hunt, KINDS_SECONDS);
  bool cut;
  rt_limit(MOST_STEPS);
  bool complete = collect_by(c, explore_dpor, end, &cut) == EXPLORE_ALL && !cut;
  if (!complete)
    collect_by(c, explore_random, end, &cut);
  uint32_t n = c->paths.len;
  learn(c, known);
  for (uint32_t i = 0; i < n; i++)
    learn(c, &c->paths.at[i].path);
  match_first(c, known);
  count_kinds(c, &(struct kind_path){*known, c->end});
  for (uint32_t i = 0; i < n; i++)
    count_kinds(c, &c->paths.at[i]);
  share(c, complete, &c->hunt->work->arena, out);
}

void hunt_kinds(struct hunt *h, const char *text, const path *failing,
                struct kinds_found *out) {
  struct client client = {0};
  struct kind_count *c = xcalloc(1, sizeof *c);
  c->hunt = h;
  c->judge = checker_judge(&h->checker);
  if (hunt_read_client(h, text, &client) && hunt_prepare(h, &client) == RT_DONE)
    find_kinds(c, failing, out);
  again(c);
  vec_free(&c->paths);
  decisions_free(&c->decisions);
  map128_free(&c->known);
  client_free(&client);
  free(c);
}

/* ---- in the parent ---- */

struct kind_naming {
  struct built *b;
  struct object_run *r;
  const struct target *target;
  struct flow *flow;
  struct loops loops;
  const char *client;
  uint32_t holds;
};

enum { FRAMES = 24 };
struct kind_frames {
  const struct place *at[FRAMES]; /* from the innermost outwards */
  uint32_t n;
};

static void frames_of(const struct kind_naming *p, uint32_t event,
                      struct kind_frames *f) {
  const struct trace *t = &p->r->result.finding->trace;
  const struct event *e = &t->events[event];
  uint64_t pc = e->pc;
  f->n = 0;
  for (uint32_t chain = e->chain; pc;) {
    for (const struct place *at = lines_place(p->b->lines, pc - 1);
         at && f->n < FRAMES; at = at->next)
      f->at[f->n++] = at;
    if (!chain || chain >= t->nframes)
      break;
    pc = t->frames[chain].call_pc;
    chain = t->frames[chain].parent;
  }
}

static bool same_function(const struct place *a, const struct place *b) {
  return a->function && b->function && !strcmp(a->function, b->function);
}

/* What the call does in between belongs to the block too, as far as it is in
 * the same function, `depth` frames from the outermost. */
static void cover(const struct kind_naming *p, uint32_t from, uint32_t to,
                  uint32_t inner, struct code_block *k) {
  const struct trace *t = &p->r->result.finding->trace;
  struct kind_frames f;
  frames_of(p, from, &f);
  uint32_t depth = f.n - inner;
  uint32_t last = from < to ? to : from;
  for (uint32_t i = from < to ? from : to; i < last; i++) {
    if (t->events[i].thread != t->events[from].thread ||
        t->events[i].call != t->events[from].call || !t->events[i].pc)
      continue;
    frames_of(p, i, &f);
    if (f.n < depth)
      continue;
    const struct place *at = f.at[f.n - depth];
    if (!at->line || !at->function || !k->function ||
        strcmp(at->function, k->function))
      continue;
    k->first = at->line < k->first ? at->line : k->first;
    k->last = at->line > k->last ? at->line : k->last;
  }
}

/* A loop belongs to the block as a whole, or the block to each round of it;
 * `rounds`: it goes from one round to the next. */
static void close_loops(struct kind_naming *p, struct code_block *k,
                        bool rounds) {
  const struct loops_file *f = loops_of_file(&p->loops, k->file);
  const struct loop *l = loops_around(f, k->first, k->last);
  if (rounds && l) {
    k->first = l->first;
    k->last = l->last;
  }
  loops_close(f, &k->first, &k->last);
  l = loops_beyond(f, k->first, k->last);
  k->loop_first = l ? l->first : 0;
  k->loop_last = l ? l->last : 0;
}

/* The lines from one event to the other, in the innermost function that both
 * are in. */
static bool block_between(struct kind_naming *p, uint32_t from, uint32_t to,
                          struct code_block *out) {
  struct kind_frames x, y;
  frames_of(p, from, &x);
  frames_of(p, to, &y);
  uint32_t i = 0;
  while (i < x.n && i < y.n &&
         same_function(x.at[x.n - 1 - i], y.at[y.n - 1 - i]))
    i++;
  if (!i)
    return false;
  const struct place *a = x.at[x.n - i], *b = y.at[y.n - i];
  if (!a->line || !b->line || !a->file)
    return false;
  *out = (struct code_block){.file = a->file,
                             .function = a->function,
                             .first = a->line < b->line ? a->line : b->line,
                             .last = a->line < b->line ? b->line : a->line};
  cover(p, from, to, x.n - i, out);
  close_loops(p, out, a->line > b->line);
  return true;
}

/* Runs the client with lines atomic, or with a wake-up added: 1 it passes, 0 it
 * fails, -1 it could not be seen. */
static int run_changed(struct kind_naming *p, const struct regions *regions,
                       const struct added_wake *wake) {
  struct error ignored = {0};
  struct settings set = *p->target->settings;
  struct target target = *p->target;
  struct coverage v = {0};
  bool open = false;
  set.search = SEARCH_AUTO;
  set.no_real_time = false;
  set.max_executions = 0;
  set.time = 0;
  set.client = p->client;
  if (set.max_states > HOLD_STATES)
    set.max_states = HOLD_STATES;
  target.settings = &set;
  target.native = NULL;
  target.want_outcomes = false;
  target.regions = regions;
  target.wake = wake;
  target.trial = true;
  struct campaign campaign = {.target = &target};
  enum campaign_end end = campaign_run(&campaign, &ignored);
  coverage_of_one(&campaign.totals, &set, &v, &open);
  open |=
      !campaign.totals.statistics.executions || campaign.totals.all_left_out;
  free(v.sentence);
  free(v.limit);
  campaign_free(&campaign);
  return end == CAMPAIGN_BAD ? 0 : end == CAMPAIGN_PASS && !open ? 1 : -1;
}

static int run_held(struct kind_naming *p, struct cause held) {
  struct error ignored = {0};
  struct regions regions;
  if (regions_of_cause(p->flow, held, &p->loops, &p->b->arena, &regions,
                       &ignored))
    return -1;
  return run_changed(p, &regions, NULL);
}

/* Is it a wake-up that is missing?  One that came before the wait would not be
 * heard either. */
static bool is_lost(struct kind_naming *p, struct kind_found *f) {
  const struct event *e = p->r->result.finding->trace.events;
  const struct event *wait = &e[f->marks[LOST_WAIT]];
  const struct event *look = &e[f->marks[LOST_LOOK]];
  if (f->marks[LOST_SIGNAL] < f->marks[LOST_WAIT])
    return true;
  if (p->holds++ >= MOST_HOLDS)
    return false;
  struct added_wake wake = {look->addr, look->size, wait->addr, wait->kind,
                            p->r->result.base};
  int passes = run_changed(p, p->target->regions, &wake);
  f->woken = passes == 1;
  return passes != 0;
}

/* The lines between marks, in memory that stays; no blocks: not known. */
static struct cause lines_between(struct kind_naming *p,
                                  const struct kind_found *f,
                                  const uint32_t *from, const uint32_t *to,
                                  uint32_t n) {
  struct code_block k[KINDS_HELD];
  for (uint32_t i = 0; i < n; i++)
    if (!block_between(p, f->marks[from[i]], f->marks[to[i]], &k[i]))
      return (struct cause){0};
  return cause_of(&p->b->arena, k, n);
}

/* The lines of the lock; whether the client passes with them atomic. */
static bool try_lock(struct kind_naming *p, struct kind_found *f) {
  uint32_t from[KINDS_HELD], to[KINDS_HELD];
  uint32_t n = kinds_lock(f, from, to);
  for (uint32_t i = 0; i < n; i++)
    if (f->marks[from[i]] == KIND_NO_EVENT || f->marks[to[i]] == KIND_NO_EVENT)
      return false;
  f->lock = n ? lines_between(p, f, from, to, n) : (struct cause){0};
  if (!f->lock.nblocks || p->holds++ >= MOST_HOLDS)
    return false;
  int passes = run_held(p, f->lock);
  f->lock_fails = passes == 0;
  f->held = passes == 1 ? f->lock : (struct cause){0};
  return passes == 1;
}

/* The user's line of an event. */
static bool spot_of(const struct kind_naming *p, uint32_t event,
                    struct code_block *out) {
  struct kind_frames f;
  if (event == KIND_NO_EVENT)
    return false;
  frames_of(p, event, &f);
  for (uint32_t i = 0; i < f.n; i++) {
    const struct place *at = f.at[i];
    if (!at->file || !at->line || place_role(at) == PLACE_LIBRARY)
      continue;
    *out = (struct code_block){.file = at->file,
                               .function = at->function,
                               .first = at->line,
                               .last = at->line};
    return true;
  }
  return false;
}

/* Where this kind is mended in the sources. */
static void find_spots(struct kind_naming *p, struct kind_found *f) {
  const uint32_t *m = f->marks;
  struct code_block *at = f->spots, signal;
  switch (f->kind) {
  case KIND_COUPLING:
    if (!block_between(p, m[COUPLE_UNLOCK], m[COUPLE_LOCK], &at[SPOT_GAP]))
      at[SPOT_GAP] = (struct code_block){0};
    break;
  case KIND_IF_FOR_WHILE:
    spot_of(p, m[IF_WAIT], &at[SPOT_WAIT]);
    break;
  case KIND_SHARED_LOCK: /* in a function of readers it would lock them all */
    if (!spot_of(p, m[SHARED_WRITE_LOCK], &at[SPOT_LOCK]) ||
        !spot_of(p, m[SHARED_WRITE], &signal) || !signal.function ||
        !at[SPOT_LOCK].function ||
        strcmp(signal.function, at[SPOT_LOCK].function))
      at[SPOT_LOCK] = (struct code_block){0};
    break;
  case KIND_LOST_WAKEUP:
    spot_of(p, m[LOST_WAIT], &at[SPOT_WAIT]);
    if (!spot_of(p, m[LOST_CHANGE], &at[SPOT_CHANGE]) ||
        !spot_of(p, m[LOST_SIGNAL], &signal))
      break;
    if (m[LOST_SIGNAL] > m[LOST_WAIT])
      at[SPOT_SIGNAL] = signal;
    else if (code_block_has_line(&at[SPOT_CHANGE], signal.file, signal.function,
                                 at[SPOT_CHANGE].first) &&
             signal.first > at[SPOT_CHANGE].last)
      at[SPOT_CHANGE].last = signal.first;
    break;
  default:
    break;
  }
}

static bool covers_event(const struct kind_naming *p, const struct cause *c,
                         uint32_t event) {
  struct kind_frames f;
  frames_of(p, event, &f);
  for (uint32_t i = 0; i < f.n; i++)
    for (uint32_t k = 0; k < c->nblocks; k++)
      if (code_block_has_line(&c->blocks[k], f.at[i]->file, f.at[i]->function,
                              f.at[i]->line))
        return true;
  return false;
}

/* Lines that have the use and not the read of the pointer are enough: until
 * then the block was protected, by a count of its users, say. */
static bool is_protected_so_far(const struct kind_naming *p,
                                const struct kind_found *f) {
  const struct causes_found *all = &p->r->result.finding->causes;
  if (f->kind != KIND_UNPROTECTED || !all->len || !all->at[0].enforced ||
      all->at[0].waits)
    return false;
  return covers_event(p, &all->at[0].cause, f->marks[UNPROTECTED_USE]) &&
         !covers_event(p, &all->at[0].cause, f->marks[UNPROTECTED_READ]);
}

/* Can it be this one, as far as it can be tried? */
static bool stands(struct kind_naming *p, struct kind_found *f) {
  if (f->kind == KIND_LOST_WAKEUP)
    return is_lost(p, f);
  if (is_protected_so_far(p, f))
    return false;
  if (try_lock(p, f))
    return true;
  uint32_t from[KINDS_HELD], to[KINDS_HELD];
  uint32_t n = kinds_hold(f, from, to);
  for (uint32_t i = 0; i < n; i++)
    if (f->marks[from[i]] == KIND_NO_EVENT || f->marks[to[i]] == KIND_NO_EVENT)
      return true; /* the execution ended before */
  if (!n)
    return true;
  if (p->holds++ >= MOST_HOLDS)
    return false;
  struct cause held = lines_between(p, f, from, to, n);
  if (!held.nblocks)
    return false;
  int passes = run_held(p, held);
  f->held = passes == 1 ? held : (struct cause){0};
  return passes != 0;
}

static bool marks_fit(const struct kind_found *f, const struct trace *t) {
  for (uint32_t i = 0; i < kind_marks[f->kind]; i++)
    if (f->marks[i] != KIND_NO_EVENT && f->marks[i] >= t->nevents)
      return false;
  return f->kind != KIND_NONE && f->same; /* Y2 */
}

static void name_kind(struct kind_naming *p, const struct kinds_found *found) {
  struct finding *f = p->r->result.finding;
  for (uint32_t i = 0; i < found->len; i++) {
    struct kind_found one = found->at[i];
    if (!marks_fit(&one, &f->trace) || !stands(p, &one))
      continue;
    find_spots(p, &one);
    f->kind = one;
    return;
  }
}

void kinds(struct built *b, struct object_run *r, const struct target *t) {
  struct finding *f = r->result.finding;
  struct error ignored = {0};
  struct worker w = {0};
  struct buf client = {0};
  if (!diagnose_has_states(b, f, t) || t->settings->model ||
      !f->schedule.turns.len)
    return;
  phase_begin("kind");
  client_print(&f->client, &r->result.names, &client);
  struct kind_naming p = {.b = b,
                          .r = r,
                          .target = t,
                          .flow = flow_open(b->lines, &ignored),
                          .loops.read = loops_read_source,
                          .client = buf_text(&client)};
  if (p.flow && diagnose_client(&w, r, t, DIAGNOSE_KINDS, NULL))
    name_kind(&p, &diagnose_answer(&w)->kinds);
  worker_release(&w);
  loops_free(&p.loops);
  if (p.flow)
    flow_close(p.flow);
  buf_free(&client);
}
