#include "base/clock.h"
#include "base/slow.h"
#include "campaign/campaign_int.h"
#include "proc/phase.h"
#include "proc/pool_remote.h"

#include "search/parallel_search.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BATCH = 4,             /* clients in an item */
  AHEAD = 16,            /* items that wait to be merged, per slot, at most */
  BLOCK = 1000,          /* executions of an item, when one client is drawn */
  RANDOM = 10000,        /* executions, when one client is drawn */
  ANSWER_PART = 50,      /* of the time, for the answer of the one client */
  PARALLEL_FROM = 20000, /* states of one client; more: search in parallel */
};

/* ---- tasks ---- */

struct campaign_task *campaign_task(const struct item *i) {
  struct campaign_task *t = xcalloc(1, sizeof *t);
  t->item = *i;
  return t;
}

void campaign_append(struct campaign_plan *p, struct campaign_task *t) {
  assert(!*p->last && !t->next && t->state == TASK_WAITING); /* C3 */
  *p->last = t;
  p->last = &t->next;
  p->given++;
}

bool campaign_check_invariants(const struct campaign_plan *p) {
  uint64_t listed = 0;
  const struct campaign_task *t = p->first;
  struct campaign_task *const *last = &p->first;
  for (; t; last = &t->next, t = t->next, listed++)
    if (t->dropped || t->tries >= CAMPAIGN_TRIES ||
        (t->state == TASK_ANSWERED && !t->records.len && !t->died &&
         !t->item.parallel))
      return false;
  for (uint32_t slot = 0; slot < pool_slots(p->pool); slot++)
    if (p->at[slot] && p->at[slot]->state != TASK_GIVEN)
      return false;
  return listed == p->given && last == p->last;
}

static void free_death(struct pool_death *d) {
  free(d->client);
  free(d->path);
  *d = (struct pool_death){0};
}

void campaign_free_task(struct campaign_task *t) {
  for (uint32_t i = 0; i < t->records.len; i++)
    record_free(&t->records.at[i]);
  vec_free(&t->records);
  item_free(&t->item);
  free_death(&t->death);
  free(t);
}

void campaign_drop(struct campaign_plan *p) {
  for (struct campaign_task *t = p->first, *next; t; t = next) {
    next = t->next;
    if (t->state == TASK_GIVEN)
      t->dropped = true;
    else
      campaign_free_task(t);
  }
  p->first = NULL;
  p->last = &p->first;
  p->given = 0;
}

void campaign_finish(struct campaign_plan *p, enum campaign_end end) {
  if (end == CAMPAIGN_INTERRUPTED || end == CAMPAIGN_KILLED)
    p->c->totals.end = EXPLORE_STOPPED;
  p->over = true;
  p->end = end;
}

/* ---- giving ---- */

void campaign_give(struct campaign_plan *p, uint32_t slot,
                   struct campaign_task *t) {
  struct buf message = {0};
  assert(t->state == TASK_WAITING && !t->dropped);
  assert(slot < pool_slots(p->pool) && !p->at[slot]); /* C3 */
  t->state = TASK_GIVEN;
  p->at[slot] = t;
  if (p->c->deadline) {
    double left = p->c->deadline - clock_now();
    if (p->kind == ITEM_ONE) /* what its answer takes */
      left -= (p->c->deadline - p->begun) / ANSWER_PART;
    t->item.seconds = left > 0.001 ? left : 0.001;
  }
  item_write(&t->item, &message);
  pool_give(p->pool, slot, message.at, message.len);
  buf_free(&message);
}

/* The samplers take turns. */
static int drawing_search(const struct campaign_plan *p) {
  return p->next / BLOCK % 2 ? SEARCH_PCT : SEARCH_RANDOM;
}

/* Makes a task of the next item of the generator. */
static struct campaign_task *make_task(struct campaign_plan *p) {
  struct item i = {.kind = p->kind, .first = p->next};
  switch (p->kind) {
  case ITEM_DEEP:
    return campaign_deep_task(p);
  case ITEM_SWEEP:
  case ITEM_OBSERVE:
  case ITEM_VICTIM:
  case ITEM_RANDOM:
    i.count = p->next < BATCH * BATCH ? 1 : BATCH;
    i.max_executions = p->set->max_executions ? campaign_executions_left(p) : 0;
    p->next += i.count;
    break;
  case ITEM_ONE: /* a block of drawn executions */
    i.search = p->draws ? drawing_search(p) : p->set->search;
    i.max_executions = p->drawn - p->next < BLOCK ? p->drawn - p->next : BLOCK;
    p->next += i.max_executions;
    p->more = p->next < p->drawn;
    break;
  }
  struct campaign_task *t = campaign_task(&i);
  campaign_append(p, t);
  return t;
}

static struct campaign_task *next_task(struct campaign_plan *p) {
  for (struct campaign_task *t = p->first; t; t = t->next)
    if (t->state == TASK_WAITING)
      return t;
  bool far = p->given >= (uint64_t)AHEAD * pool_slots(p->pool);
  return p->more && !far ? make_task(p) : NULL;
}

/* Gives tasks to idle slots; true: some slot has a task. */
static bool give_tasks(struct campaign_plan *p) {
  bool busy = false;
  for (uint32_t slot = 0; slot < pool_slots(p->pool); slot++) {
    bool idle = !p->at[slot] && pool_usable(p->pool, slot);
    struct campaign_task *t = idle && !p->parallel.runs ? next_task(p) : NULL;
    if (t)
      campaign_give(p, slot, t);
    busy |= p->at[slot] != NULL;
  }
  return busy;
}

/* Begins the depth-first search of the one client, or begins it again with more
 * known conflicts. */
static void begin_dfs(struct campaign_plan *p, const struct buf *knowledge) {
  struct totals *t = &p->c->totals;
  struct item i = {.kind = ITEM_ONE,
                   .search = SEARCH_DFS,
                   .cut = true,
                   .share = 1,
                   .max_executions = CAMPAIGN_CHUNK};
  buf_put(&i.knowledge, knowledge->at, knowledge->len);
  p->share = 0;
  campaign_drop(p);
  /* A new conflict makes more interleavings: the totals so far are void. */
  struct totals fresh = {.program = t->program, .statistics.clients = 1};
  map128_free(&t->histories);
  *t = fresh;
  for (uint32_t k = 0; k < p->c->outcomes.len; k++)
    vec_free(&p->c->outcomes.at[k].results);
  vec_clear(&p->c->outcomes);
  record_free(&p->c->bad);
  campaign_append(p, campaign_task(&i));
}

/* ---- messages of the pool ---- */

static bool read_answer(struct campaign_plan *p, struct campaign_task *t,
                        const struct buf *answer) {
  struct wire w = {answer->at, answer->len, 0, false};
  while (w.next < w.len) {
    struct record r;
    if (!record_read(&r, &w)) {
      error_set(p->error, ERR_SYSTEM,
                "internal error: a worker's answer cannot be read");
      campaign_finish(p, CAMPAIGN_ERROR);
      return false;
    }
    vec_push(&t->records, r);
  }
  if (t->records.len)
    return true;
  error_set(p->error, ERR_SYSTEM, "internal error: an empty answer");
  campaign_finish(p, CAMPAIGN_ERROR);
  return false;
}

static void take_answer(struct campaign_plan *p, struct campaign_task *t,
                        const struct pool_message *m) {
  if (!read_answer(p, t, &m->answer))
    return;
  t->state = TASK_ANSWERED;
  if (t->item.parallel) {
    campaign_member_ended(p, t->records.at[0].learnt);
    return;
  }
  struct record *r = &t->records.at[0];
  if (campaign_wants_parallel(p, t)) {
    campaign_learn(&p->parallel.knowledge, r);
    if (r->kind == RECORD_BAD) /* whatever comes of the search in parallel */
      campaign_keep_bad(p, r);
    campaign_drop(p);
    campaign_begin_parallel(p);
  } else if (t->item.cut && r->learnt) {
    struct buf knowledge = {0};
    buf_put(&knowledge, t->item.knowledge.at, t->item.knowledge.len);
    campaign_learn(&knowledge, r);
    begin_dfs(p, &knowledge);
    buf_free(&knowledge);
  } else if (t->item.cut) {
    campaign_insert_leftover(p, t, r);
  }
}

static void take_kill(struct campaign_plan *p, struct campaign_task *t) {
  if (t->item.parallel) {
    p->parallel.killed = true;
    t->state = TASK_ANSWERED;
    campaign_member_ended(p, true);
  } else if (++t->tries >= CAMPAIGN_TRIES) {
    campaign_finish(p, CAMPAIGN_KILLED);
  } else {
    t->state = TASK_WAITING; /* C2 */
  }
}

static void take_end(struct campaign_plan *p, struct campaign_task *t,
                     const struct pool_message *m) {
  t->state = TASK_ANSWERED;
  t->died = true;
  t->hangs = m->news == POOL_HANGS;
  t->death = m->death;
  t->death.client = m->death.client ? xstrdup(m->death.client) : NULL;
  t->death.path = xmalloc(m->death.len + 1);
  memcpy(t->death.path, m->death.path ? m->death.path : (const uint8_t *)"",
         m->death.len);
  if (t->item.parallel)
    campaign_member_ended(p, true);
}

static void end_interrupted(struct campaign_plan *p) {
  campaign_finish(p, CAMPAIGN_INTERRUPTED);
  for (struct campaign_task *t = p->first; t; t = t->next)
    for (uint32_t i = 0; i < t->records.len; i++)
      if (t->records.at[i].kind == RECORD_BAD) { /* found, not yet merged */
        campaign_add_up(p, &t->records.at[i]);
        campaign_keep_bad(p, &t->records.at[i]);
        return;
      }
}

static void take_news(struct campaign_plan *p, const struct pool_message *m) {
  if (m->news == POOL_TICK)
    return;
  if (m->news == POOL_INTERRUPTED) {
    end_interrupted(p);
    return;
  }
  struct campaign_task *t = p->at[m->slot];
  assert(t && t->state == TASK_GIVEN); /* C3 */
  p->at[m->slot] = NULL;
  if (t->dropped) {
    campaign_free_task(t);
    return;
  }
  switch (m->news) {
  case POOL_ANSWER:
    take_answer(p, t, m);
    break;
  case POOL_KILLED:
    take_kill(p, t);
    break;
  case POOL_DIED:
  case POOL_HANGS:
    take_end(p, t, m);
    break;
  default:
    *p->error = m->error;
    campaign_finish(p, CAMPAIGN_ERROR);
  }
}

/* ---- progress ---- */

/* Is it one search, whose size can be estimated? */
static bool has_estimate(const struct campaign_plan *p) {
  return p->kind == ITEM_ONE && search_is_exhaustive(p->set->search);
}

/* Work done and share of the whole, including the tasks under way. */
static void measure_progress(struct campaign_plan *p, uint64_t *work,
                             double *share) {
  const struct statistics *s = &p->c->totals.statistics;
  *work = campaign_stateful(p) ? s->states : s->executions;
  *share = p->share;
  for (uint32_t i = 0; i < pool_local_slots(p->pool); i++) {
    const struct shared *at = p->at[i] ? pool_look(p->pool, i) : NULL;
    if (!at)
      continue;
    double part = at->share;
    *work += at->work;
    *share += part >= 0 && part <= 1 ? part : 0; /* the code may overwrite it */
  }
}

/* "part 2 of 3, 40 %": small clients, clients with one reader, larger clients.
 * The percentage is that of the part's budget of steps. */
static void put_part(const struct campaign_plan *p, struct buf *out) {
  uint64_t done = campaign_effort(p) - p->from, all = p->until - p->from;
  if (p->kind != ITEM_ONE && all)
    buf_printf(out, "part %d of 3, %.0f %%",
               p->kind < ITEM_VICTIM ? (int)p->kind + 1 : 3,
               100 * (double)(done < all ? done : all) / (double)all);
}

static void show_progress(struct campaign_plan *p) {
  uint64_t work;
  double share;
  if (clock_now() < p->look_again || (p->parallel.runs && p->parallel.answers))
    return; /* members that have answered no longer show their work */
  p->look_again = clock_now() + 0.1;
  measure_progress(p, &work, &share);
  if (has_estimate(p))
    estimate_add(&p->estimate, (double)work, share);
  if (!phase_due())
    return;
  struct buf words = {0};
  const struct statistics *s = &p->c->totals.statistics;
  const char *about = NULL;
  if (has_estimate(p)) {
    estimate_words(&p->estimate, "", &words);
    about = strstr(buf_text(&words), "about");
  }
  if (!about) {
    buf_clear(&words);
    if (p->c->deadline)
      buf_printf(&words, "%.0f of %.0f s", clock_now() - p->begun,
                 p->c->deadline - p->begun);
    else if (p->set->max_executions)
      buf_printf(&words, "%.0f %% of --max-executions",
                 100 * (double)statistics_runs(s) /
                     (double)p->set->max_executions);
    else
      put_part(p, &words);
    about = buf_text(&words);
  }
  bool states = has_estimate(p) && campaign_stateful(p);
  phase_units(NULL, states ? "state" : NULL);
  phase_show(s->clients, has_estimate(p) ? work : s->executions, about);
  phase_units(NULL, NULL);
  buf_free(&words);
}

/* ---- beginning ---- */

static void begin_one(struct campaign_plan *p) {
  const struct settings *set = p->set;
  p->kind = ITEM_ONE;
  p->c->totals.statistics.clients = 1;
  if (!search_is_exhaustive(set->search)) {
    p->drawn = set->max_executions ? set->max_executions
               : p->c->deadline    ? UINT64_MAX
                                   : RANDOM;
    p->more = true;
    return;
  }
  p->more = false;
  /* The parts of a tree may have graphs in common, which count once. */
  if (set->search == SEARCH_DFS && set->model != MODEL_C11) {
    begin_dfs(p, &(struct buf){0});
    return;
  }
  struct item i = {.kind = ITEM_ONE,
                   .search = set->search,
                   .max_executions = set->max_executions,
                   .max_states = set->max_states};
  if (p->parallel.search && i.max_states > PARALLEL_FROM)
    i.max_states = PARALLEL_FROM;
  campaign_append(p, campaign_task(&i));
}

/* Cores that this process may use; 1 in a cluster, whose machines have their
 * own. */
static uint32_t cores(void) {
  cpu_set_t set;
  if (remote_slots() || sched_getaffinity(0, sizeof set, &set))
    return 1;
  return (uint32_t)CPU_COUNT(&set);
}

/* What the workers are doing is lost, but not what they have answered. */
static void end_over_time(struct campaign_plan *p) {
  if (p->kind != ITEM_ONE) {
    campaign_finish(p, CAMPAIGN_PASS);
    return;
  }
  if (p->parallel.runs) {
    parallel_abort(p->parallel.search);
    campaign_merge_members(p);
  }
  p->c->totals.end = EXPLORE_TIME;
  campaign_end_one(p);
}

static void run(struct campaign_plan *p) {
  while (!p->over) {
    campaign_merge(p);
    if (p->over)
      break;
    if (!give_tasks(p) && !p->first) {
      if (p->kind == ITEM_ONE)
        campaign_end_one(p);
      else if (p->rounds)
        campaign_next_turn(p, p->next, false);
      else
        campaign_finish(p, CAMPAIGN_PASS);
      if (p->over)
        break;
      continue;
    }
    take_news(p, pool_wait(p->pool));
    check_slow(p->over || campaign_check_invariants(p));
    show_progress(p);
    if (!p->over && p->c->target->latest && clock_now() >= p->c->target->latest)
      campaign_finish(p, CAMPAIGN_LATE);
    if (!p->over && campaign_is_over_time(p))
      end_over_time(p);
  }
  phase_clear();
}

/* Compares results call by call; strings by their text. */
static int by_results(const void *x, const void *y) {
  const struct outcome *a = x, *b = y;
  for (uint32_t i = 0; i < a->results.len && i < b->results.len; i++) {
    struct value v = a->results.at[i], w = b->results.at[i];
    if (v.kind != w.kind)
      return v.kind < w.kind ? -1 : 1;
    if (v.bits == w.bits)
      continue;
    if (v.kind == VALUE_STRING && v.bits && w.bits)
      return strcmp((const char *)(uintptr_t)v.bits,
                    (const char *)(uintptr_t)w.bits);
    bool less = v.kind == VALUE_INT ? (int64_t)v.bits < (int64_t)w.bits
                                    : v.bits < w.bits;
    return less ? -1 : 1;
  }
  return 0;
}

enum campaign_end campaign_run(struct campaign *c, struct error *e) {
  const struct settings *set = c->target->settings;
  assert(set && c->target->so && c->bad.kind == RECORD_DONE);
  struct target target = *c->target;
  struct campaign_plan p = {.c = c,
                            .set = set,
                            .error = e,
                            .begun = clock_now(),
                            .until = target.trial ? CAMPAIGN_REPAIR_SWEEP_STEPS
                                                  : CAMPAIGN_SWEEP_STEPS,
                            .more = true};
  /* The sequences count towards the budget, unless they used most of it. */
  if (campaign_effort(&p) > p.until / 2)
    p.until += p.from = campaign_effort(&p);
  bool one = set->client || target.program;
  if (c->deadline && !target.trial && !one)
    campaign_begin_rounds(&p);
  uint64_t clients = c->totals.statistics.clients,
           executions = c->totals.statistics.executions;
  uint32_t jobs = set->jobs ? (uint32_t)set->jobs : cores();
  if (one && campaign_stateful(&p) && jobs > 1 && !set->max_executions &&
      set->model != MODEL_C11)
    p.parallel.search = parallel_map(jobs, set->max_states, set->memory);
  target.parallel = p.parallel.search;
  struct pool_job job = {
      .open = hunt_serve_open,
      .item = hunt_serve,
      .valid = answer_valid,
      .arg = &target,
      .show_output = set->show_output,
      .max_seconds = set->time > 0 ? (uint32_t)set->time + LATE_SECONDS : 0,
      .travel = target.regions || target.nfences || target.trial
                    ? NULL
                    : &target_travel};
  p.pool = pool_open(&job, jobs);
  p.at = xcalloc(pool_slots(p.pool), sizeof *p.at);
  p.last = &p.first;
  c->totals.all_full = true;
  c->totals.program = target.program;
  c->totals.apart = target.apart;
  if (one)
    begin_one(&p);
  run(&p);
  phase_count(c->totals.statistics.clients - clients,
              c->totals.statistics.executions - executions);
  c->lost = pool_lost(p.pool) ? xstrdup(pool_lost(p.pool)) : NULL;
  c->estimate = p.estimate;
  if (c->outcomes.len)
    qsort(c->outcomes.at, c->outcomes.len, sizeof *c->outcomes.at, by_results);
  for (uint32_t i = 0; i < pool_slots(p.pool); i++)
    if (p.at[i] && p.at[i]->dropped)
      campaign_free_task(p.at[i]);
  pool_close(p.pool);
  for (struct campaign_task *t = p.first; t; t = t->next)
    t->state = TASK_WAITING;
  campaign_drop(&p);
  free(p.at);
  vec_free(&p.unfinished);
  buf_free(&p.parallel.knowledge);
  if (p.parallel.search)
    parallel_unmap(p.parallel.search);
  return p.end;
}

void campaign_free(struct campaign *c) {
  record_free(&c->bad);
  free_death(&c->death);
  for (uint32_t i = 0; i < c->outcomes.len; i++)
    vec_free(&c->outcomes.at[i].results);
  vec_free(&c->outcomes);
  map128_free(&c->totals.histories);
  free(c->lost);
}
