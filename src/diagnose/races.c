#include "diagnose/races.h"

#include "base/text.h"
#include "debug/namer.h"
#include "diagnose/diagnose_int.h"
#include "hunt/inside.h"
#include "locate/tree.h"
#include "model/nouns.h"
#include "search/step_graph.h"

#include <string.h>

enum {
  MOST_PATTERNS = 64,
  MOST_EXAMPLES = 16, /* patterns whose races are told */
  MOST_DRAWN = 200,   /* nodes */
  TIMES_STATES = 2,   /* of --max-states: there is only this one client */
  RACES_SECONDS = 30, /* for the graph */
};
#define EXAMPLE_EFFORT 4000000
#define IMAGE_MOST (1ull << 30)

static const char *const steps_name[] = {"conflicting", "shared", "all"};
static const char *const between_name[] = {"conflicts", "real-time", "any",
                                           "variables"};

/* ---- in the worker ---- */

static void *in_arena(struct arena *a, size_t size) {
  return arena_alloc(a, size ? size : 1);
}

static enum tree_between first_between(const struct settings *set) {
  return set->race_variables.len ? TREE_VARIABLES
         : set->race_independent ? TREE_ANY
                                 : TREE_CONFLICTS;
}

static double patience(const struct hunt *h) {
  double most = h->set->time;
  return most > 0 && most < RACES_SECONDS ? most : RACES_SECONDS;
}

static enum explore_end draw(struct hunt *h, struct step_graph *whole,
                             const struct races_found *how) {
  struct explore x;
  struct step_graph_kind order = {(enum step_graph_steps)h->set->races,
                                  how->sections};
  order.guards = order.steps == STEP_GRAPH_CONFLICTING && !how->sections &&
                 checker_is_strict(&h->checker) && /* step_graph.c */
                 !h->set->race_independent &&      /* within sections, too */
                 !h->set->race_variables.len;
  hunt_explore_init(h, &x);
  x.deadline = hunt_until(h, patience(h));
  x.max_states = TIMES_STATES * h->set->max_states;
  x.max_memory = h->set->memory;
  x.bound_preemptions = false;
  x.share = NULL;
  enum explore_end end = step_graph_build(whole, &x, &order);
  vec_free(&x.bad);
  return end;
}

static void put_reason(const struct hunt *h, const struct step_graph *whole,
                       enum explore_end end, struct buf *b) {
  unsigned long long states = whole->states;
  switch (end) {
  case EXPLORE_ALL:
    buf_puts(b, whole->cut ? "executions were cut (--max-steps)"
                           : "the client has only one interleaving");
    return;
  case EXPLORE_STATES:
    buf_printf(b, "there are more than %llu states (--max-states)", states);
    return;
  case EXPLORE_MEMORY:
    buf_printf(b, "%llu states took all memory (--memory)", states);
    return;
  case EXPLORE_TIME:
    buf_printf(b, "%.3g seconds were not enough: there were %llu states",
               patience(h), states);
    return;
  default:
    buf_puts(b, "the search did not end");
  }
}

static bool is_about_data(const struct step *s) {
  return event_reads[s->kind] || event_writes[s->kind];
}

/* What two critical sections compete for, rather than their locks. */
static void find_clash(const struct steps *g, uint32_t a, uint32_t b,
                       struct rival *x, struct rival *y) {
  step_list p = {0}, q = {0};
  if (!g->sections && (is_about_data(&x->step) || is_about_data(&y->step)))
    return; /* one access each is all that is at stake */
  steps_section(g, a, &p);
  steps_section(g, b, &q);
  bool found = false;
  for (uint32_t i = 0; i < p.len && !found; i++)
    for (uint32_t k = 0; k < q.len && !found; k++) {
      const struct step *s = &g->steps.at[p.at[i]], *t = &g->steps.at[q.at[k]];
      found = is_about_data(s) && is_about_data(t) && steps_conflict(s, t);
      if (found) {
        x->about = *s;
        y->about = *t;
      }
    }
  vec_free(&p);
  vec_free(&q);
}

static void tell_rival(const struct tree *t, const struct steps *g, uint32_t s,
                       uint32_t edge, struct rival *out) {
  uint8_t thread = (uint8_t)g->edges[edge].thread;
  *out = (struct rival){.step = g->steps.at[g->edges[edge].step],
                        .leads = tree_leads_by(t, s, thread)};
  out->about = out->step;
}

/* The winner first, then the others by thread. */
static void tell_race(const struct tree *t, const struct steps *g, uint32_t s,
                      uint32_t taken, struct race *out, struct arena *a) {
  uint32_t rivals = tree_rivals(t, s);
  uint8_t winner = (uint8_t)g->edges[taken].thread;
  out->kind = tree_race(t, s, winner);
  out->at = in_arena(a, (size_t)__builtin_popcount(rivals) * sizeof *out->at);
  tell_rival(t, g, s, taken, &out->at[out->len]);
  out->at[out->len++].wins = true;
  rivals &= ~(1u << winner);
  for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
    if (rivals >> g->edges[e].thread & 1) {
      rivals &= ~(1u << g->edges[e].thread);
      tell_rival(t, g, s, e, &out->at[out->len]);
      find_clash(g, taken, e, &out->at[0], &out->at[out->len++]);
    }
}

static void tell_races(const struct tree *t, const struct steps *g,
                       const tree_path *way, struct cdrs *out,
                       struct arena *a) {
  uint32_t s = g->root;
  for (uint32_t i = 0; i < way->len; i++) {
    const struct step_edge *e = &g->edges[way->at[i]];
    if (tree_leads(t, s) == LEADS_BOTH &&
        tree_race(t, s, (uint8_t)e->thread) != RACE_NONE)
      tell_race(t, g, s, way->at[i], &out->races[out->nraces++], a);
    s = e->to;
  }
}

static char *spell(const struct tree_pattern *p, struct arena *a) {
  struct buf b = {0};
  for (uint32_t i = 0; i < p->len; i++)
    buf_puts(&b, race_letter[p->word[i]]);
  char *text = arena_strdup(a, buf_text(&b));
  buf_free(&b);
  return text;
}

static bool is_clearer(const struct tree_pattern *a,
                       const struct tree_pattern *b) {
  bool x = a->word[a->len - 1] == RACE_G, y = b->word[b->len - 1] == RACE_G;
  return a->len == b->len && (x != y ? x : a->count > b->count);
}

static uint32_t clearest(const struct tree_patterns *p) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < p->at.len; i++)
    if (is_clearer(&p->at.at[i], &p->at.at[best]))
      best = i;
  return best;
}

/* The patterns, and executions that have them. */
static void tell(const struct hunt *h, const struct tree *t,
                 const struct steps *g, const struct tree_patterns *p,
                 struct races_found *out) {
  struct arena *a = &h->work->arena;
  uint64_t effort = EXAMPLE_EFFORT;
  tree_path way = {0};
  out->at = in_arena(a, p->at.len * sizeof *out->at);
  out->shown = p->at.len ? clearest(p) : 0;
  for (uint32_t i = 0; i < p->at.len; i++) {
    const struct tree_pattern *from = &p->at.at[i];
    struct cdrs *c = &out->at[out->len++];
    *c = (struct cdrs){.pattern = spell(from, a), .count = from->count};
    if ((i >= MOST_EXAMPLES && i != out->shown) ||
        !tree_example(t, from, &effort, &way))
      continue;
    c->races = in_arena(a, from->len * sizeof *c->races);
    tell_races(t, g, &way, c, a);
    if (i == out->shown && h->set->dot)
      tree_draw(t, &way, MOST_DRAWN, a, &out->drawing);
  }
  vec_free(&way);
}

/* What the step accesses, where the object is loaded at `to`, not `from`. */
static uint64_t addr_in(const struct step *step, uint64_t from, uint64_t to) {
  bool moved = step->addr - from < IMAGE_MOST;
  return moved ? step->addr + (to - from) : step->addr;
}

static void put_unused(const struct opt_words *names, const bool *used,
                       struct buf *reason) {
  for (uint32_t i = 0; i < names->len; i++)
    if (!used[i])
      buf_printf(reason, "%s%s", reason->len ? ", " : "no access is to ",
                 names->at[i]);
  if (reason->len)
    buf_puts(reason, " (--race-variables)");
}

/* By step: does it access one of the variables of --race-variables?  In
 * `reason`, names that nothing has. */
static bool *find_in_set(const struct hunt *h, const struct steps *g,
                         const struct race_names *n, struct buf *reason) {
  const struct opt_words *names = &h->set->race_variables;
  bool *in_set = xcalloc(g->steps.len + 1u, sizeof *in_set);
  bool *used = xcalloc(names->len, sizeof *used);
  struct buf name = {0};
  for (uint32_t i = 0; i < g->steps.len; i++) {
    const struct step *s = &g->steps.at[i];
    if (!is_about_data(s))
      continue;
    buf_clear(&name);
    n->namer->location(n->namer->ctx, addr_in(s, rt_base(), n->base), s->size,
                       n->at, &name);
    for (uint32_t k = 0; k < names->len; k++)
      if (fits(buf_text(&name), names->at[k]))
        in_set[i] = used[k] = true;
  }
  put_unused(names, used, reason);
  buf_free(&name);
  free(used);
  return in_set;
}

/* Races between steps that conflict are the clearest; if they do not tell, what
 * the failure depends on is something else. */
static void analyse(const struct hunt *h, const struct step_graph *whole,
                    const bool *in_set, struct races_found *out) {
  const struct steps *g = &whole->graph;
  struct tree_options o = {.in_set = in_set};
  o.between = first_between(h->set);
  for (bool done = false; !done; o.between++) {
    struct tree_patterns p;
    struct tree *t = tree_new(g, &o);
    tree_patterns(t, MOST_PATTERNS, &p);
    done = p.at.len || o.between >= TREE_ANY;
    if (done) {
      tell(h, t, g, &p, out);
      out->circles = tree_has_circles(t);
      out->between = between_name[o.between];
      out->cut = p.cut;
      out->failing = p.failing;
      out->explained = p.explained;
    }
    tree_free(t);
    tree_patterns_free(&p);
  }
  if (in_set && !out->len)
    out->reason = arena_strdup(&h->work->arena,
                               "no race on these variables (--race-variables) "
                               "decides a failure");
}

static void find(struct hunt *h, const struct race_names *names,
                 struct races_found *out) {
  struct step_graph whole;
  struct buf reason = {0};
  bool *in_set = NULL;
  bool all = h->set->no_reduction || h->target->partial;
  out->sections = h->set->race_sections;
  out->steps = steps_name[all ? RACES_ALL : h->set->races];
  out->between = between_name[first_between(h->set)];
  out->base = rt_base();
  enum explore_end end = draw(h, &whole, out);
  out->states = whole.states;
  if (!whole.complete)
    put_reason(h, &whole, end, &reason);
  else if (h->set->race_variables.len)
    in_set = find_in_set(h, &whole.graph, names, &reason);
  if (reason.len)
    out->reason = arena_strdup(&h->work->arena, reason.at);
  else
    analyse(h, &whole, in_set, out);
  free(in_set);
  buf_free(&reason);
  step_graph_free(&whole);
}

void hunt_races(struct hunt *h, const char *text,
                const struct race_names *names, struct races_found *out) {
  struct client client = {0};
  if (hunt_read_client(h, text, &client) && hunt_prepare(h, &client) == RT_DONE)
    find(h, names, out);
  client_free(&client);
}

/* ---- in the parent ---- */

struct telling {
  struct arena *arena;
  struct story_namer *namer;
  uint64_t from, to; /* where the object is loaded there, and here */
  uint32_t at;       /* the last event of the finding's trace */
  const struct trace *trace;
};

static uint64_t addr_here(const struct telling *t, const struct step *step) {
  return addr_in(step, t->from, t->to);
}

/* Under the names that the finding's interleaving has; NULL: it has none. */
static char *location_of(struct telling *t, const struct step *step) {
  struct buf b = {0};
  if (!step->addr)
    return NULL;
  t->namer->location(t->namer->ctx, addr_here(t, step), step->size, t->at, &b);
  char *text = strncmp(buf_text(&b), "0x", 2)
                   ? arena_strdup(t->arena, buf_text(&b))
                   : NULL;
  buf_free(&b);
  return text;
}

/*
 * Of a step the calls that led to it are not known, but those of the same
 * access in the finding's trace are; NULL: it has none, or by several ways.
 */
static const struct place *place_in_trace(struct telling *t,
                                          const struct step *step) {
  const struct place *found = NULL;
  for (uint32_t i = 0; i < t->trace->nevents; i++) {
    const struct event *e = &t->trace->events[i];
    if (e->pc != step->pc || e->call != step->call ||
        e->addr != addr_here(t, step))
      continue;
    const struct place *p = namer_place(t->namer, t->trace, e->pc, e->chain);
    if (found && found != p)
      return NULL;
    found = p;
  }
  return found;
}

static const struct place *place_of(struct telling *t,
                                    const struct step *step) {
  if (!step->pc)
    return NULL;
  const struct place *p = place_in_trace(t, step);
  if (!p)
    p = t->namer->place(t->namer->ctx, step->pc);
  return p->line ? p : NULL;
}

static void name_race(struct telling *t, struct race *r) {
  r->at = arena_copy(t->arena, r->at, r->len * sizeof *r->at);
  for (uint32_t i = 0; i < r->len; i++) {
    r->at[i].place = place_of(t, &r->at[i].about);
    r->at[i].location = location_of(t, &r->at[i].about);
  }
}

static void name_drawing(struct telling *t, struct drawing *d) {
  struct arena *a = t->arena;
  d->nodes = arena_copy(a, d->nodes, d->nnodes * sizeof *d->nodes);
  d->edges = arena_copy(a, d->edges, d->nedges * sizeof *d->edges);
  for (uint32_t i = 0; i < d->nedges; i++) {
    d->edges[i].place = place_of(t, &d->edges[i].step);
    d->edges[i].location = location_of(t, &d->edges[i].step);
  }
}

/* Out of the worker's answer into memory that stays. */
static void take_over(struct telling *t, struct races_found *f) {
  struct arena *a = t->arena;
  f->at = arena_copy(a, f->at, f->len * sizeof *f->at);
  f->between = arena_strdup(a, f->between);
  f->steps = arena_strdup(a, f->steps);
  f->reason = arena_strdup(a, f->reason);
  for (uint32_t i = 0; i < f->len; i++) {
    struct cdrs *c = &f->at[i];
    c->pattern = arena_strdup(a, c->pattern);
    c->races = arena_copy(a, c->races, c->nraces * sizeof *c->races);
    for (uint32_t k = 0; k < c->nraces; k++)
      name_race(t, &c->races[k]);
  }
  name_drawing(t, &f->drawing);
}

/* Would anybody read it? */
static bool is_asked(const struct settings *set) {
  return set->races != RACES_OFF && (!set->quiet || set->json || set->dot);
}

void races(struct built *b, struct object_run *r, const struct target *t) {
  struct finding *f = r->result.finding;
  struct worker w = {0};
  struct namer namer;
  struct story_namer names;
  if (!is_asked(t->settings) || !diagnose_has_states(b, f, t))
    return;
  namer_open(&namer, b->lines, &r->result, namer_beside(&r->result), &names);
  uint32_t at = f->trace.nevents - 1;
  struct race_names known = {&names, r->result.base, at};
  if (diagnose_client(&w, r, t, DIAGNOSE_RACES, &known) &&
      races_fit(&diagnose_answer(&w)->races, &f->client)) {
    const struct races_found *found = &diagnose_answer(&w)->races;
    struct telling telling = {&b->arena,      &names, found->base,
                              r->result.base, at,     &f->trace};
    f->races = *found;
    take_over(&telling, &f->races);
  }
  namer_close(&namer);
  worker_release(&w);
}
