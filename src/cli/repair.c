#include "cli/repair.h"

#include "build/region.h"
#include "cli/campaign.h"

#include <stdlib.h>
#include <string.h>

enum {
  ROUNDS = 4,             /* of searching with something atomic */
  VERIFY_STATES = 300000, /* of the one client */
};

struct repair {
  struct session *s;
  struct run *r;
  const struct hunt_order *order;
  struct settings settings; /* of the searches with something atomic */
  struct flow *flow;
  VEC(char *) clients; /* that fail */
  struct causes_found now;
};

static struct finding *finding_of(struct repair *p) {
  return p->r->result.finding;
}

/* What must be atomic for all clients so far; in the session's memory. */
static bool ask(struct repair *p) {
  struct hunt_order order = *p->order;
  struct worker w = {.show_output = p->s->settings->show_output};
  order.blame = (const char *const *)p->clients.at;
  order.nblame = p->clients.len;
  order.lines = p->s->lines;
  order.want_outcomes = false;
  bool ok = worker_run(&w, hunt_run, &order) == WORKER_DONE;
  p->now = (struct causes_found){0};
  if (ok) {
    const struct hunt_report *report = w.shared->other;
    const struct causes_found *from = &report->causes;
    struct arena *a = &p->s->arena;
    p->now = *from;
    p->now.at = arena_copy(a, from->at, from->len * sizeof *from->at);
    for (uint32_t i = 0; i < from->len; i++) {
      struct cause *c = &p->now.at[i].cause;
      p->now.at[i].fix = arena_strdup(a, from->at[i].fix);
      struct code_block *blocks =
          arena_copy(a, c->blocks, c->nblocks * sizeof *blocks);
      for (uint32_t k = 0; k < c->nblocks; k++) {
        blocks[k].file = arena_strdup(a, blocks[k].file);
        blocks[k].function = arena_strdup(a, blocks[k].function);
      }
      c->blocks = blocks;
    }
  }
  worker_release(&w);
  return ok && p->now.len;
}

static bool is_known(const struct repair *p, const char *client) {
  for (uint32_t i = 0; i < p->clients.len; i++)
    if (!strcmp(p->clients.at[i], client))
      return true;
  return false;
}

static void set_verified(struct repair *p, struct ranked_cause *c,
                         const struct campaign *k) {
  struct coverage v = {0};
  bool open = false;
  if (p->settings.client)
    coverage_of_one(&k->totals, &p->settings, &v, &open);
  else
    coverage_of_clients(&k->totals, &p->settings, k->deadline, &v);
  c->verified = !open;
  c->covered = arena_strdup(&p->s->arena, v.sentence);
  free(v.sentence);
  free(v.limit);
}

/* The smallest client that fails although the lines are atomic: the one that
 * was found, with calls taken away.  xmalloced. */
static char *smallest(struct repair *p, const struct hunt_order *as,
                      const struct record *bad, enum fault *fault) {
  struct hunt_order order = *as;
  struct conclusion found = {.client = bad->client,
                             .path = bad->bad.at,
                             .len = bad->bad.len,
                             .simplify = !p->settings.client};
  struct worker w = {.show_output = p->s->settings->show_output};
  struct buf b = {0};
  order.conclusion = &found;
  *fault = FAULT_NONE;
  if (worker_run(&w, hunt_run, &order) == WORKER_DONE &&
      w.shared->result.finding) {
    *fault = w.shared->result.finding->fault;
    client_print(&w.shared->result.finding->client, &p->r->result.names, &b);
  }
  worker_release(&w);
  char *text = xstrdup(b.len ? b.at : bad->client);
  buf_free(&b);
  return text;
}

/* Searches all clients with the cause's lines atomic; true: there is more to
 * be learnt from one that fails. */
static bool try_cause(struct repair *p, struct ranked_cause *c) {
  struct error e = {0};
  struct regions regions;
  struct session as = *p->s;
  struct hunt_order order = *p->order;
  if (regions_of_cause(p->flow, c->cause, &p->s->arena, &regions, &e))
    return false;
  as.settings = order.settings = &p->settings;
  order.regions = &regions;
  order.want_outcomes = false;
  struct campaign k = {.session = &as, .order = &order};
  enum campaign_end end = campaign_run(&k, &e);
  bool more = false;
  c->tried = end == CAMPAIGN_PASS || end == CAMPAIGN_BAD;
  c->waits = k.totals.left_out;
  if (end == CAMPAIGN_PASS) {
    set_verified(p, c, &k);
  } else if (end == CAMPAIGN_BAD && k.bad.client) {
    char *client = smallest(p, &order, &k.bad, &c->still_fault);
    c->still_bad = arena_strdup(&p->s->arena, client);
    more = c->still_fault == FAULT_NOT_LINEARIZABLE && !is_known(p, client);
    if (more)
      vec_push(&p->clients, client);
    else
      free(client);
  }
  campaign_free(&k);
  return more;
}

static void loop(struct repair *p) {
  struct causes_found *found = &finding_of(p)->causes;
  if (!ask(p))
    return;
  *found = p->now;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    bool more = try_cause(p, &p->now.at[0]);
    found->at[0] = p->now.at[0];
    if (!more)
      break;
    /* What it took to find out stays with the report: the new answer is one
     * for more clients. */
    struct ranked_cause refuted = p->now.at[0];
    if (!ask(p))
      break;
    *found = p->now;
    for (uint32_t i = 0; i < found->len; i++)
      if (cause_equal(found->at[i].cause, refuted.cause)) {
        found->at[i].tried = true;
        found->at[i].waits = refuted.waits;
        found->at[i].still_bad = refuted.still_bad;
        found->at[i].still_fault = refuted.still_fault;
      }
    if (found->at[0].still_bad)
      break; /* no progress */
  }
}

void repair(struct session *s, struct run *r, const struct hunt_order *order) {
  struct error ignored = {0};
  struct finding *f = r->result.finding;
  struct buf client = {0};
  struct repair p = {.s = s, .r = r, .order = order, .settings = *s->settings};
  /* A client whose outcomes are listed may fail in several ways. */
  bool asked = f->fault == FAULT_NOT_LINEARIZABLE ||
               (order->want_outcomes && f->fault != FAULT_SEQUENTIAL);
  if (!asked || order->program || f->client.nthreads < 2)
    return;
  p.flow = flow_open(s->lines, &ignored);
  if (!p.flow)
    return;
  p.settings.search = SEARCH_AUTO; /* dpor does not know of atomic lines */
  p.settings.no_real_time = false;
  p.settings.max_executions = 0;
  if (p.settings.max_states > VERIFY_STATES)
    p.settings.max_states = VERIFY_STATES;
  p.settings.time = 0;
  client_print(&f->client, &r->result.names, &client);
  vec_push(&p.clients, xstrdup(buf_text(&client)));
  buf_free(&client);
  loop(&p);
  for (uint32_t i = 0; i < p.clients.len; i++)
    free(p.clients.at[i]);
  vec_free(&p.clients);
  flow_close(p.flow);
}
