#include "diagnose/fences.h"

#include "campaign/campaign.h"
#include "campaign/coverage.h"
#include "diagnose/diagnose_int.h"

#include <assert.h>

#include <string.h>

enum { MOST_PLACES = 32, MOST_FENCES = 4, ROUNDS = 24, STATES = 400000 };

/* A place for a fence: before the loads of one line of one function, or at the
 * end of an operation. */
struct spot {
  struct missing_fence fence;
  VEC(uint64_t) pcs; /* as rt_fences wants them */
};

struct fencing {
  struct built *b;
  struct object_run *r;
  const struct target *target;
  struct spot spots[MOST_PLACES];
  uint32_t nspots;
  VEC(uint32_t) failing; /* executions: masks of spots */
};

/* ---- where a load overtook a store ---- */

enum { FRAMES = 24 };
struct frames {
  const struct place *at[FRAMES]; /* from the innermost outwards */
  uint32_t n, own; /* so many of them are of the function with the access */
};

static void frames_of(const struct fencing *p, const struct trace *t,
                      const struct event *e, struct frames *f) {
  uint64_t pc = e->pc;
  f->n = f->own = 0;
  for (uint32_t chain = e->chain; pc;) {
    const struct place *at = lines_place(p->b->lines, pc - 1);
    for (; at && f->n < FRAMES; at = at->next)
      f->at[f->n++] = at;
    if (!f->own)
      f->own = f->n;
    if (!chain)
      break;
    pc = t->frames[chain].call_pc;
    chain = t->frames[chain].parent;
  }
}

static bool same_function(const struct place *a, const struct place *b) {
  return a->function && b->function && !strcmp(a->function, b->function);
}

/* The innermost function that both are in, as far as the load's pc tells. */
static void name_spot(const struct frames *store, const struct frames *load,
                      struct missing_fence *out) {
  uint32_t i = 0;
  while (i < store->n && i < load->n &&
         same_function(store->at[store->n - 1 - i], load->at[load->n - 1 - i]))
    i++;
  const struct place *at = load->at[0], *from = NULL;
  if (i && load->n - i < load->own) {
    at = load->at[load->n - i];
    from = store->at[store->n - i];
  }
  *out = (struct missing_fence){.file = at->file,
                                .function = at->function ? at->function : "?",
                                .store_line = from ? from->line : 0,
                                .load_line = at->line,
                                .column = from ? from->column : at->column};
}

static uint32_t spot_of(struct fencing *p, const struct missing_fence *f,
                        uint64_t pc) {
  uint32_t i = 0;
  for (; i < p->nspots; i++)
    if (p->spots[i].fence.load_line == f->load_line &&
        !strcmp(p->spots[i].fence.function, f->function))
      break;
  if (i == MOST_PLACES)
    return 0;
  if (i == p->nspots) {
    p->spots[i] = (struct spot){.fence = *f};
    p->nspots++;
  }
  struct spot *s = &p->spots[i];
  /* The store that is next to the load, or to the end, is named. */
  if ((!f->load_line || f->store_line < f->load_line) &&
      f->store_line > s->fence.store_line) {
    s->fence.store_line = f->store_line;
    s->fence.column = f->column;
  }
  for (uint32_t k = 0; k < s->pcs.len; k++)
    if (s->pcs.at[k] == pc)
      return 1u << i;
  vec_push(&s->pcs, pc);
  return 1u << i;
}

static uint32_t commit_of(const struct trace *t, uint32_t store) {
  for (uint32_t k = store + 1; k < t->nevents; k++)
    if (t->events[k].kind == EV_COMMIT && t->events[k].issue == store)
      return k;
  return t->nevents;
}

/* The call returned before its store at i was committed, at `end`. */
static bool returned_before(const struct trace *t, uint32_t i, uint32_t end) {
  for (uint32_t k = i + 1; k < end; k++)
    if (t->events[k].kind == EV_RETURN &&
        t->events[k].call == t->events[i].call)
      return true;
  return false;
}

/* A fence at the end of the operation, whose function is the outermost one. */
static uint32_t spot_at_return(struct fencing *p, const struct client *c,
                               const struct frames *store, uint32_t call) {
  const struct place *at = store->n ? store->at[store->n - 1] : NULL;
  if (!at || !at->function || call >= c->ncalls)
    return 0;
  return spot_of(p,
                 &(struct missing_fence){.file = at->file,
                                         .function = at->function,
                                         .store_line = at->line,
                                         .column = at->column},
                 RT_FENCE_RETURN(c->calls[call].op));
}

/* Notes a failing execution; false: no fence can make it impossible. */
static bool add_execution(struct fencing *p, const struct client *c,
                          const struct trace *t) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *store = &t->events[i];
    if (!(store->flags & EVENT_ISSUED))
      continue;
    uint32_t end = commit_of(t, i);
    struct frames a, b;
    frames_of(p, t, store, &a);
    if (returned_before(t, i, end))
      mask |= spot_at_return(p, c, &a, store->call);
    for (uint32_t k = i + 1; k < end; k++) {
      const struct event *load = &t->events[k];
      if (load->thread != store->thread || !load->pc ||
          (load->kind != EV_READ && load->kind != EV_ATOMIC_READ))
        continue;
      struct missing_fence f;
      frames_of(p, t, load, &b);
      if (!a.n || !b.n)
        continue;
      name_spot(&a, &b, &f);
      mask |= spot_of(p, &f, load->pc);
    }
  }
  vec_push(&p->failing, mask);
  return mask != 0;
}

/* ---- the smallest set ---- */

static bool hits_all(const struct fencing *p, uint32_t set) {
  for (uint32_t i = 0; i < p->failing.len; i++)
    if (!(p->failing.at[i] & set))
      return false;
  return true;
}

static bool choose(const struct fencing *p, const uint8_t *order, uint32_t from,
                   uint32_t left, uint32_t set, uint32_t *out) {
  if (hits_all(p, set)) {
    *out = set;
    return true;
  }
  for (uint32_t i = from; left && i < p->nspots; i++)
    if (choose(p, order, i + 1, left - 1, set | 1u << order[i], out))
      return true;
  return false;
}

/* Rather before a load than at the end of an operation. */
static bool smallest(const struct fencing *p, uint32_t *set) {
  uint8_t order[MOST_PLACES], n = 0;
  for (int at_return = 0; at_return < 2; at_return++)
    for (uint32_t i = 0; i < p->nspots; i++)
      if ((p->spots[i].fence.load_line == 0) == at_return)
        order[n++] = (uint8_t)i;
  for (uint32_t most = 1; most <= MOST_FENCES; most++)
    if (choose(p, order, 0, most, 0, set))
      return true;
  return false;
}

/* ---- trying ---- */

struct fence_trial {
  struct settings settings;
  struct target target;
  struct campaign campaign;
};

static enum campaign_end try(const struct fencing *p, struct fence_trial *t,
                             const char *client, int model, const uint64_t *pcs,
                             uint32_t n) {
  struct error ignored = {0};
  t->settings = *p->target->settings;
  t->settings.search = SEARCH_AUTO;
  t->settings.no_real_time = false;
  t->settings.max_executions = 0;
  t->settings.time = 0;
  t->settings.model = model;
  if (client)
    t->settings.client = client;
  if (t->settings.max_states > STATES)
    t->settings.max_states = STATES;
  t->target = *p->target;
  t->target.want_outcomes = false;
  t->target.settings = &t->settings;
  t->target.trial = true;
  t->target.fences = pcs;
  t->target.nfences = n;
  t->campaign = (struct campaign){.target = &t->target};
  return campaign_run(&t->campaign, &ignored);
}

/* Every interleaving of the one client was run? */
static bool is_complete(const struct fence_trial *t, char **sentence) {
  struct coverage v = {0};
  bool open = false;
  if (t->settings.client) {
    coverage_of_one(&t->campaign.totals, &t->settings, &v, &open);
    open |= !t->campaign.totals.statistics.executions;
  } else {
    coverage_of_clients(&t->campaign.totals, &t->settings, t->campaign.deadline,
                        &v);
  }
  if (sentence)
    *sentence = v.sentence;
  else
    free(v.sentence);
  free(v.limit);
  return !open;
}

static bool passes_under_sc(const struct fencing *p, const char *client) {
  struct fence_trial t;
  bool ok =
      try(p, &t, client, 0, NULL, 0) == CAMPAIGN_PASS && is_complete(&t, NULL);
  campaign_free(&t.campaign);
  return ok;
}

/* The bad execution of a trial, recorded. */
static bool add_bad(struct fencing *p, const struct fence_trial *t) {
  const struct record *bad = &t->campaign.bad;
  struct hunt_question q = {.target = &t->target,
                            .kind = HUNT_CONCLUDE,
                            .conclude = {.client = bad->client,
                                         .path = bad->bad.at,
                                         .len = bad->bad.len}};
  struct worker w = {.show_output = t->settings.show_output};
  const struct finding *f = bad->client && hunt_worker(&w, &q) == WORKER_DONE
                                ? hunt_answer(&w)->result.finding
                                : NULL;
  bool ok = f && add_execution(p, &f->client, &f->trace);
  worker_release(&w);
  return ok;
}

/* The executions of the client that fails, with these fences. */
static struct tally count(const struct fencing *p, const uint64_t *pcs,
                          uint32_t n) {
  struct target target = *p->target;
  struct worker w = {0};
  struct tally t = {0};
  target.trial = true;
  target.fences = pcs;
  target.nfences = n;
  if (diagnose_client(&w, p->r, &target, DIAGNOSE_COUNT, NULL))
    t = diagnose_answer(&w)->tally;
  worker_release(&w);
  return t;
}

static void keep(struct fencing *p, uint32_t set, const char *covered) {
  assert(hits_all(p, set) && __builtin_popcount(set) <= MOST_FENCES);
  struct fences_found *out = &p->r->result.finding->fences;
  struct arena *a = &p->b->arena;
  out->at = arena_alloc(a, MOST_FENCES * sizeof *out->at);
  for (uint32_t i = 0; i < p->nspots; i++)
    if (set >> i & 1)
      out->at[out->len++] = p->spots[i].fence;
  out->executions_tried = p->failing.len;
  out->covered = arena_strdup(a, covered ? covered : "");
  out->verified = true;
}

/* 1: no fault with these fences; 0: another execution fails; -1: not known. */
static int try_set(struct fencing *p, uint32_t set) {
  VEC(uint64_t) pcs = {0};
  struct fence_trial t;
  char *sentence = NULL;
  int answer = -1;
  for (uint32_t i = 0; i < p->nspots; i++)
    for (uint32_t k = 0; set >> i & 1 && k < p->spots[i].pcs.len; k++)
      vec_push(&pcs, p->spots[i].pcs.at[k]);
  enum campaign_end end = try(p, &t, NULL, 1, pcs.at, pcs.len);
  if (end == CAMPAIGN_BAD)
    answer = add_bad(p, &t) ? 0 : -1;
  else if (end == CAMPAIGN_PASS && is_complete(&t, &sentence))
    answer = 1;
  if (answer == 1) {
    struct fences_found *out = &p->r->result.finding->fences;
    keep(p, set, sentence);
    out->schedules = count(p, NULL, 0);
    if (out->schedules.all)
      out->left = count(p, pcs.at, pcs.len);
    if (!out->left.all || out->left.bad)
      out->schedules = out->left = (struct tally){0};
  }
  free(sentence);
  campaign_free(&t.campaign);
  vec_free(&pcs);
  return answer;
}

static bool find(struct fencing *p) {
  const struct finding *f = p->r->result.finding;
  struct buf client = {0};
  client_print(&f->client, &p->r->result.names, &client);
  bool go_on = passes_under_sc(p, buf_text(&client)) &&
               add_execution(p, &f->client, &f->trace);
  buf_free(&client);
  int answer = 0;
  for (uint32_t round = 0; go_on && !answer && round < ROUNDS; round++) {
    uint32_t set;
    answer = smallest(p, &set) ? try_set(p, set) : -1;
  }
  return answer == 1;
}

bool fences(struct built *b, struct object_run *r, const struct target *t) {
  struct finding *f = r->result.finding;
  if (t->settings->model != MODEL_TSO || t->program || f->client.nthreads < 2 ||
      f->fault == FAULT_SEQUENTIAL || fault_is_doubt(f->fault))
    return false;
  struct fencing *p = xcalloc(1, sizeof *p);
  *p = (struct fencing){.b = b, .r = r, .target = t};
  bool found = find(p);
  for (uint32_t i = 0; i < p->nspots; i++)
    vec_free(&p->spots[i].pcs);
  vec_free(&p->failing);
  free(p);
  return found;
}

bool fences_weigh(struct finding *f) {
  struct fences_found *x = &f->fences;
  const struct ranked_cause *c = f->causes.len ? &f->causes.at[0] : NULL;
  assert(x->verified);
  if (c && (!cause_is_enforced(c) || !c->schedules.all))
    c = NULL;
  x->dearer = c && x->left.all && x->left.all < c->schedules.all;
  if (x->dearer)
    return false;
  x->instead = c;
  f->causes = (struct causes_found){0};
  return true;
}
