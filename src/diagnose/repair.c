#include "diagnose/repair.h"

#include "campaign/campaign.h"
#include "code/region.h"
#include "diagnose/diagnose_int.h"
#include "diagnose/enforce.h"
#include "model/nouns.h"
#include "proc/phase.h"
#include "source/loops_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROUNDS = 16,            /* of searching with something atomic */
  COUNTED = 5,            /* causes that the one client is counted with */
  VERIFY_STATES = 300000, /* of the one client, */
  KNOWN_STATES = 60000,   /* of one of those that fail */
};

struct repair {
  struct built *b;
  struct object_run *r;
  struct target target;
  struct settings settings; /* of the searches with something atomic */
  struct flow *flow;
  struct loops loops;
  VEC(struct blamed) clients; /* that fail */
  uint32_t asked;             /* so many of them were asked about */
  struct causes_asker asker;
  VEC(struct ranked_cause) refuted;
  struct cause beside; /* lines of other faults, which are atomic meanwhile */
  struct causes_found *found;
};

/* ---- asking a worker ---- */

/* What must be atomic for all clients so far; in memory that stays. */
static bool ask(struct repair *p, struct causes_found *out) {
  phase_begin("causes");
  const struct causes_found *found =
      causes_ask(&p->asker, p->clients.at + p->asked, p->clients.len - p->asked,
                 &p->b->arena);
  p->asked = p->clients.len;
  if (!found || !causes_fit(found, &p->r->result.finding->client))
    return false;
  *out = *found;
  return out->len;
}

/* The executions of the first client. */
static struct tally count(struct repair *p, const struct regions *regions) {
  struct target target = p->target;
  struct worker w = {.show_output = p->settings.show_output};
  struct diagnose_question q = {.target = &target,
                                .kind = DIAGNOSE_COUNT,
                                .client = p->clients.at[0].client};
  struct tally t = {0};
  target.regions = enforced_too(&target, regions, &p->b->arena);
  if (diagnose_worker(&w, &q) == WORKER_DONE)
    t = diagnose_answer(&w)->tally;
  worker_release(&w);
  return t;
}

/* ---- searching with something atomic ---- */

static bool regions_of(struct repair *p, struct cause c, struct regions *out) {
  struct error ignored = {0};
  return !regions_of_cause(p->flow, c, &p->loops, &p->b->arena, out, &ignored);
}

struct repair_trial {
  struct settings settings;
  struct target target;
  struct campaign campaign;
};

static enum campaign_end run_trial(struct repair *p, struct repair_trial *t,
                                   const struct regions *regions,
                                   const char *client) {
  struct error ignored = {0};
  t->settings = p->settings;
  if (client) {
    t->settings.client = client;
    if (t->settings.max_states > KNOWN_STATES)
      t->settings.max_states = KNOWN_STATES;
  }
  t->target = p->target;
  t->target.settings = &t->settings;
  t->target.trial = true;
  t->target.regions = enforced_too(&p->target, regions, &p->b->arena);
  t->campaign = (struct campaign){.target = &t->target};
  return campaign_run(&t->campaign, &ignored);
}

static void set_enforced(struct repair *p, struct ranked_cause *c,
                         const struct campaign *k) {
  struct coverage v = {0};
  bool open = false;
  if (p->settings.client) {
    coverage_of_one(&k->totals, &p->settings, &v, &open);
    open |= !k->totals.statistics.executions;
  } else {
    coverage_of_clients(&k->totals, &p->settings, k->deadline, &v);
  }
  c->enforced = !open && !k->totals.all_left_out;
  struct buf covered = {0};
  buf_printf(&covered, "%s", v.sentence ? v.sentence : "");
  if (p->beside.nblocks) {
    buf_puts(&covered, "; with ");
    cause_print(p->beside, &covered);
    buf_puts(&covered, " atomic, for another fault");
  }
  c->covered = arena_strdup(&p->b->arena, buf_text(&covered));
  buf_free(&covered);
  free(v.sentence);
  free(v.limit);
}

/* The smallest client that fails although the lines are atomic: the one that
 * was found, with calls taken away. */
static struct blamed smallest(const struct repair_trial *t,
                              const struct op_names *n, enum fault *fault) {
  const struct record *bad = &t->campaign.bad;
  struct hunt_question q = {.target = &t->target,
                            .kind = HUNT_CONCLUDE,
                            .conclude = {.client = bad->client,
                                         .path = bad->bad.at,
                                         .len = bad->bad.len,
                                         .simplify = !t->settings.client}};
  struct worker w = {.show_output = t->settings.show_output};
  struct blamed out = {0};
  struct buf b = {0};
  *fault = FAULT_NONE;
  const struct finding *f = hunt_worker(&w, &q) == WORKER_DONE
                                ? hunt_answer(&w)->result.finding
                                : NULL;
  if (f && client_fits(&f->client, n)) {
    *fault = f->fault;
    client_print(&f->client, n, &b);
    schedule_to_path(&f->schedule, &out.path);
  }
  worker_release(&w);
  out.client = xstrdup(b.len ? b.at : bad->client);
  buf_free(&b);
  return out;
}

static void take_bad(struct repair *p, struct ranked_cause *c,
                     const struct repair_trial *t) {
  if (!t->campaign.bad.client)
    return;
  struct blamed bad = smallest(t, &p->r->result.names, &c->still_fault);
  c->still_bad = arena_strdup(&p->b->arena, bad.client);
  vec_push(&p->clients, bad);
}

/*
 * Searches the clients that fail, and then all, with the cause's lines atomic.
 * A failing execution joins those that are to be repaired.
 */
static void try_cause(struct repair *p, struct ranked_cause *c) {
  assert(!c->tried && !c->still_bad && c->cause.nblocks);
  phase_begin("verify");
  struct regions regions;
  uint32_t known = p->settings.client ? 0 : p->clients.len;
  if (!regions_of(p, c->cause, &regions))
    return;
  c->tried = true;
  for (uint32_t i = 0; i <= known && c->tried && !c->still_bad; i++) {
    struct repair_trial t;
    enum campaign_end end =
        run_trial(p, &t, &regions, i < known ? p->clients.at[i].client : NULL);
    c->tried = end == CAMPAIGN_PASS || end == CAMPAIGN_BAD;
    c->waits |= t.campaign.totals.left_out;
    if (end == CAMPAIGN_BAD)
      take_bad(p, c, &t);
    else if (end == CAMPAIGN_PASS && i == known)
      set_enforced(p, c, &t.campaign);
    campaign_free(&t.campaign);
  }
}

/* ---- smaller ones ---- */

/* Whether the lines hold or miss each loop of the file as a whole. */
static bool cuts_no_loop(struct repair *p, const struct code_block *b) {
  uint32_t first = b->first, last = b->last;
  loops_close(loops_of_file(&p->loops, b->file), &first, &last);
  return first == b->first && last == b->last;
}

/* Each round of the loop instead of all of it, if the block is a loop. */
static bool take_rounds(struct repair *p, struct code_block *b) {
  const struct loop *l =
      loops_around(loops_of_file(&p->loops, b->file), b->first, b->last);
  if (!b->whole_loop || !l || l->first != b->first || l->last != b->last ||
      l->first == b->loop_first)
    return false;
  b->loop_first = l->first;
  b->loop_last = l->last;
  b->whole_loop = false;
  return true;
}

/* The block with the accesses of its first or last line left out. */
static bool shrink_block(struct repair *p, struct code_block *b, bool at_end) {
  struct regions regions;
  struct cause one = {b, 1};
  if (take_rounds(p, b))
    return !at_end;
  if (!regions_of(p, one, &regions))
    return false;
  uint32_t before = regions.at[0].npcs;
  b->whole_loop = false;
  while (b->first < b->last) {
    if (at_end)
      b->last--;
    else
      b->first++;
    if (!cuts_no_loop(p, b))
      continue;
    if (!regions_of(p, one, &regions) || !regions.at[0].npcs)
      return false;
    if (regions.at[0].npcs < before)
      return true;
  }
  return false;
}

/* With fewer lines atomic, one of the clients fails. */
static bool is_refuted(struct repair *p, struct cause c,
                       struct smaller_cause *out) {
  struct regions regions;
  if (!regions_of(p, c, &regions))
    return false;
  for (uint32_t i = 0; i < p->clients.len; i++) {
    struct repair_trial t;
    enum campaign_end end = run_trial(p, &t, &regions, p->clients.at[i].client);
    campaign_free(&t.campaign);
    if (end != CAMPAIGN_BAD)
      continue;
    *out = (struct smaller_cause){
        .cause = c,
        .still_bad = arena_strdup(&p->b->arena, p->clients.at[i].client),
        .still_fault = FAULT_NOT_LINEARIZABLE};
    return true;
  }
  return false;
}

/* The cause with block i smaller at one end, or, if it has one line only,
 * without it. */
static bool smaller(struct repair *p, struct cause from, uint32_t i,
                    bool at_end, struct cause *out) {
  *out = cause_copy(&p->b->arena, from);
  struct code_block *blocks = (struct code_block *)out->blocks;
  if (shrink_block(p, &blocks[i], at_end))
    return true;
  if (at_end || from.nblocks < 2)
    return false;
  memmove(&blocks[i], &blocks[i + 1], (from.nblocks - i - 1) * sizeof *blocks);
  out->nblocks--;
  return true;
}

static void show_smaller(struct repair *p, struct ranked_cause *c) {
  phase_begin("smaller blocks");
  uint32_t n = c->cause.nblocks;
  c->smaller = arena_alloc(&p->b->arena, (2 * n + 1) * sizeof *c->smaller);
  c->smallest = true;
  for (uint32_t i = 0; i < 2 * n; i++) {
    struct cause less;
    if (!smaller(p, c->cause, i / 2, i % 2, &less))
      continue;
    if (is_refuted(p, less, &c->smaller[c->nsmaller]))
      c->nsmaller++;
    else
      c->smallest = false;
  }
}

/* ---- the loop ---- */

/* What was tried stays with the report: a new answer is one for more
 * clients. */
static void remember(struct repair *p) {
  for (uint32_t i = 0; i < p->refuted.len; i++)
    for (uint32_t k = 0; k < p->found->len; k++) {
      struct ranked_cause *c = &p->found->at[k];
      const struct ranked_cause *r = &p->refuted.at[i];
      if (!cause_equal(c->cause, r->cause))
        continue;
      c->tried = true;
      c->waits = r->waits;
      c->still_bad = r->still_bad;
      c->still_fault = r->still_fault;
    }
}

/* The best that is not known to be too little. */
static struct ranked_cause *best(const struct repair *p) {
  for (uint32_t i = 0; i < p->found->len; i++)
    if (!p->found->at[i].still_bad)
      return &p->found->at[i];
  return NULL;
}

/* Whether the last client of those that fail was among them before. */
static bool is_old(const struct repair *p) {
  uint32_t last = p->clients.len - 1, i = 0;
  while (i < last &&
         strcmp(p->clients.at[i].client, p->clients.at[last].client))
    i++;
  return i < last;
}

/*
 * Tries what ranks best.  A client that fails all the same is one more that is
 * to be repaired: the causes are found anew, unless its traces were all known.
 */
static void loop(struct repair *p) {
  struct ranked_cause *c;
  for (uint32_t round = 1; round <= ROUNDS && (c = best(p)); round++) {
    uint32_t known = p->clients.len;
    if (!c->tried)
      try_cause(p, c);
    if (!c->still_bad)
      return; /* enforced, or it could not be tried */
    vec_push(&p->refuted, *c);
    struct causes_found next = {0};
    if (p->clients.len == known || (is_old(p) && p->found->complete))
      continue;
    if (!ask(p, &next))
      return;
    *p->found = next;
    remember(p);
  }
}

/* What is known to be too little comes last, whatever it costs. */
static void rank_again(struct causes_found *found) {
  for (uint32_t i = 1; i < found->len; i++)
    for (uint32_t k = i;
         k && !found->at[k].still_bad && found->at[k - 1].still_bad; k--) {
      struct ranked_cause better = found->at[k];
      found->at[k] = found->at[k - 1];
      found->at[k - 1] = better;
    }
  uint32_t before = 0;
  for (uint32_t i = 0; i < found->len; i++) {
    bool same = i && found->at[i].rank == before &&
                !found->at[i].still_bad == !found->at[i - 1].still_bad;
    before = found->at[i].rank;
    found->at[i].rank = same ? found->at[i - 1].rank : i + 1;
  }
}

/* The first client, as it is and with each of the causes atomic. */
static void count_all(struct repair *p) {
  phase_begin("count");
  struct causes_found *found = p->found;
  found->schedules = count(p, NULL);
  if (!found->schedules.all)
    return;
  for (uint32_t i = 0; i < found->len && i < COUNTED; i++) {
    struct regions regions;
    if (regions_of(p, found->at[i].cause, &regions))
      found->at[i].schedules = count(p, &regions);
    if (found->at[i].schedules.bad) /* the search was cut before it saw that */
      found->at[i].enforced = false;
  }
}

static void answer(struct repair *p) {
  struct causes_found *found = p->found;
  if (!ask(p, found))
    return;
  loop(p);
  rank_again(found);
  if (found->at[0].enforced)
    show_smaller(p, &found->at[0]);
  count_all(p);
}

static void forget_clients(struct repair *p, uint32_t from) {
  for (uint32_t i = from; i < p->clients.len; i++) {
    free(p->clients.at[i].client);
    vec_free(&p->clients.at[i].path);
  }
  p->clients.len = from;
}

/* The blocks of a cause that another one does not have. */
static struct cause difference(struct arena *a, struct cause c,
                               struct cause less) {
  struct code_block *left = arena_alloc(a, c.nblocks * sizeof *left);
  uint32_t n = 0;
  for (uint32_t i = 0; i < c.nblocks; i++) {
    bool there = false;
    for (uint32_t k = 0; k < less.nblocks; k++)
      there |= !code_block_compare(&c.blocks[i], &less.blocks[k]);
    if (!there)
      left[n++] = c.blocks[i];
  }
  return (struct cause){left, n};
}

/* From now on these lines are atomic in all searches. */
static bool set_beside(struct repair *p, struct cause c) {
  struct regions *regions = arena_alloc(&p->b->arena, sizeof *regions);
  p->beside = c;
  if (c.nblocks && !regions_of(p, c, regions))
    return false;
  if (c.nblocks)
    p->target.regions = enforced_too(&p->target, regions, &p->b->arena);
  return true;
}

/*
 * Other faults are going to be looked for (--keep-going), and the best cause
 * has lines that the first client does not need: those of another fault.  With
 * them atomic, what is to be repaired is this fault alone.
 */
static void answer_alone(struct repair *p) {
  const struct target with_others = p->target;
  struct causes_found joint = *p->found;
  const struct ranked_cause *best = joint.len ? &joint.at[0] : NULL;
  struct cause own;
  if (!best || !best->enforced || best->waits || best->cause.nblocks < 2 ||
      !enforce_own(p->b, p->r, &p->target, best->cause, &own) ||
      own.nblocks == best->cause.nblocks)
    return;
  if (!set_beside(p, difference(&p->b->arena, best->cause, own)))
    return;
  forget_clients(p, 1);
  vec_clear(&p->refuted);
  p->asked = 0;
  causes_ask_close(&p->asker);
  causes_ask_open(&p->asker, &p->target);
  *p->found = (struct causes_found){0};
  answer(p);
  p->found->beside = p->beside;
  if (p->found->len && p->found->at[0].enforced)
    return;
  *p->found = joint;
  p->target = with_others;
}

static void add_first(struct repair *p, const struct finding *f) {
  struct blamed first = {0};
  struct buf text = {0};
  client_print(&f->client, &p->r->result.names, &text);
  first.client = xstrdup(buf_text(&text));
  buf_free(&text);
  schedule_to_path(&f->schedule, &first.path);
  vec_push(&p->clients, first);
}

/* Can it come from lines that are not atomic? */
static bool is_race(enum fault f) {
  return f != FAULT_SEQUENTIAL && !fault_is_doubt(f);
}

/* False: there are no lines to look for.  Closed by close_repair all the same.
 */
static bool open_repair(struct repair *p, struct built *b, struct object_run *r,
                        const struct target *t) {
  struct error ignored = {0};
  struct finding *f = r->result.finding;
  *p = (struct repair){.b = b,
                       .r = r,
                       .target = *t,
                       .settings = *t->settings,
                       .loops.read = loops_read_source,
                       .found = &f->causes};
  if (!is_race(f->fault) || t->program || f->client.nthreads < 2)
    return false;
  p->flow = flow_open(b->lines, &ignored);
  if (!p->flow)
    return false;
  p->target.want_outcomes = false;
  p->settings.search = SEARCH_AUTO; /* dpor does not know of atomic lines */
  p->settings.no_real_time = false;
  p->settings.max_executions = 0;
  if (p->settings.max_states > VERIFY_STATES)
    p->settings.max_states = VERIFY_STATES;
  p->settings.time = 0;
  add_first(p, f);
  causes_ask_open(&p->asker, &p->target);
  return true;
}

static void close_repair(struct repair *p) {
  if (p->flow) {
    causes_ask_close(&p->asker);
    flow_close(p->flow);
  }
  forget_clients(p, 0);
  vec_free(&p->clients);
  vec_free(&p->refuted);
  loops_free(&p->loops);
}

void repair(struct built *b, struct object_run *r, const struct target *t) {
  struct repair p;
  if (open_repair(&p, b, r, t)) {
    answer(&p);
    if (p.settings.keep_going && !p.settings.client)
      answer_alone(&p);
  }
  close_repair(&p);
}

bool repair_again(struct built *b, struct object_run *r, const struct target *t,
                  char *const *clients, uint32_t n) {
  struct repair p;
  struct regions regions;
  struct causes_found *found = &r->result.finding->causes;
  if (!n || !found->len || !found->at[0].enforced)
    return false;
  bool open = open_repair(&p, b, r, t) && set_beside(&p, found->beside) &&
              regions_of(&p, found->at[0].cause, &regions);
  phase_begin("verify");
  for (uint32_t i = 0; open && i < n; i++) {
    struct repair_trial trial;
    struct ranked_cause ignored = {0};
    if (run_trial(&p, &trial, &regions, clients[i]) == CAMPAIGN_BAD)
      take_bad(&p, &ignored, &trial);
    campaign_free(&trial.campaign);
  }
  bool fails = p.clients.len > 1;
  if (fails) {
    *found = (struct causes_found){0};
    answer(&p);
    found->beside = p.beside;
  }
  close_repair(&p);
  return fails;
}
