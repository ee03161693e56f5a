#include "mend/places.h"

#include "base/pack_table.h"
#include "hunt/inside.h"
#include "locate/rivals.h"
#include "model/nouns.h"

#include <stdlib.h>
#include <string.h>

enum {
  EXECUTIONS = 40,   /* of each client */
  OTHERS = 4,        /* of each random one */
  MOST_STEPS = 1000, /* of one of them */
};

/* Locks by address. */
typedef VEC(uint64_t) lock_vec;

struct finder {
  const struct places_question *question;
  struct arena *arena; /* of the answer */
  struct scopes *scopes;
  struct live_path live;
  bool elsewhere; /* the client is a random one */
  VEC(path) paths;
  VEC(struct place_stack) found;
  lock_vec common;   /* of all accesses that conflict … */
  bool any_conflict; /* … if there is one */
  bool is_locked;    /* one inside is */
};

/* ---- locks ---- */

static void drop_lock(lock_vec *v, uint64_t addr) {
  for (uint32_t i = 0; i < v->len; i++)
    if (v->at[i] == addr) {
      v->at[i] = vec_pop(v);
      return;
    }
}

static bool has_lock(const lock_vec *v, uint64_t addr) {
  for (uint32_t i = 0; i < v->len; i++)
    if (v->at[i] == addr)
      return true;
  return false;
}

/* What a thread holds after an event.  (A shared lock is none: two may have
 * it.) */
static void follow(lock_vec *held, const struct event *e) {
  if (e->kind == EV_LOCK || e->kind == EV_WRLOCK ||
      (e->kind == EV_TRYLOCK && e->value[0] == 1))
    vec_push(held, e->addr);
  else if (e->kind == EV_UNLOCK)
    drop_lock(held, e->addr);
}

/* An access that conflicts with one inside. */
static void meet(struct finder *f, const lock_vec *held) {
  uint32_t kept = 0;
  for (uint32_t i = 0; !f->any_conflict && i < held->len; i++)
    vec_push(&f->common, held->at[i]);
  for (uint32_t i = 0; i < f->common.len; i++)
    if (has_lock(held, f->common.at[i]))
      f->common.at[kept++] = f->common.at[i];
  f->common.len = kept;
  f->any_conflict = true;
}

static void look_at_locks(struct finder *f, const struct trace *t,
                          const struct section_trace *s,
                          const struct rivals *r) {
  lock_vec *held = xcalloc(UINT8_MAX + 1, sizeof *held);
  const struct conflicts *c = s->conflicts;
  for (uint32_t i = 0, n = 0; i < t->nevents; i++) {
    lock_vec *mine = &held[t->events[i].thread];
    follow(mine, &t->events[i]);
    if (n >= c->nnodes || c->nodes[n].event != i)
      continue;
    if (r->inside[n])
      f->is_locked |= mine->len > 0;
    else if (r->of[n])
      meet(f, mine);
    n++;
  }
  for (uint32_t i = 0; i <= UINT8_MAX; i++)
    vec_free(&held[i]);
  free(held);
}

/* ---- critical sections ---- */

/* Where the thread of an event took its first lock, and gives the last back:
 * events; `none`: it has no lock. */
struct held_span {
  uint32_t begin, end;
};
enum { NONE = UINT32_MAX };

static struct held_span *find_spans(const struct trace *t) {
  struct held_span *spans = xcalloc(t->nevents + 1u, sizeof *spans);
  lock_vec *held = xcalloc(UINT8_MAX + 1, sizeof *held);
  uint32_t since[UINT8_MAX + 1];
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    bool before = held[e->thread].len;
    follow(&held[e->thread], e);
    bool now = held[e->thread].len;
    if (!before && now)
      since[e->thread] = i;
    spans[i] =
        (struct held_span){before || now ? since[e->thread] : NONE, NONE};
    for (uint32_t k = since[e->thread]; before && !now && k <= i; k++)
      if (t->events[k].thread == e->thread)
        spans[k].end = i;
  }
  for (uint32_t i = 0; i <= UINT8_MAX; i++)
    vec_free(&held[i]);
  free(held);
  return spans;
}

/* The place in `activation` that event `e` was at; 0: it was not in there. */
static uint64_t pc_within(const struct trace *t, const struct event *e,
                          uint32_t activation) {
  uint64_t pc = e->pc;
  uint32_t at = e->activation;
  while (at && at != activation) {
    pc = t->activations[at].call_pc;
    at = t->activations[at].parent;
  }
  return at ? pc : 0;
}

static bool equal(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

static bool same_scope(const struct scope *a, const struct scope *b) {
  return a->line && b->line && a->copy == b->copy &&
         equal(a->function, b->function) && equal(a->file, b->file);
}

/* The lines of the three events in the innermost function that has them. */
static struct code_block section_of(struct finder *f, const struct trace *t,
                                    const struct held_span *span, uint32_t at) {
  struct scope from[SCOPES_AT_MOST], mid[SCOPES_AT_MOST], to[SCOPES_AT_MOST];
  struct code_block none = {0};
  if (span->begin == NONE || span->end == NONE)
    return none;
  for (uint32_t a = t->events[at].activation; a; a = t->activations[a].parent) {
    uint64_t x = pc_within(t, &t->events[span->begin], a),
             y = pc_within(t, &t->events[at], a),
             z = pc_within(t, &t->events[span->end], a);
    if (!x || !y || !z)
      continue;
    uint32_t n = scopes_at(f->scopes, x, from),
             m = scopes_at(f->scopes, y, mid), k = scopes_at(f->scopes, z, to),
             i = 0;
    while (i < n && i < m && i < k && same_scope(&from[i], &mid[i]) &&
           same_scope(&from[i], &to[i]))
      i++;
    if (!i || !from[i - 1].function)
      return none;
    uint32_t first = from[i - 1].line, last = to[i - 1].line;
    return (struct code_block){.file = arena_strdup(f->arena, from[i - 1].file),
                               .function =
                                   arena_strdup(f->arena, from[i - 1].function),
                               .first = first < last ? first : last,
                               .last = first < last ? last : first};
  }
  return none;
}

/* ---- one trace ---- */

static bool same_stack(const struct place_stack *s,
                       const struct section_frame *f, uint32_t depth) {
  if (s->depth != depth)
    return false;
  for (uint32_t i = 0; i < depth; i++) {
    struct code_block place = {f[i].file, f[i].function, f[i].line, f[i].line};
    if (code_block_compare(&s->frames[i], &place))
      return false;
  }
  return true;
}

static void keep(struct finder *f, const struct section_trace *s, uint32_t node,
                 uint32_t inside, uint32_t conflicts,
                 struct code_block section) {
  const struct section_frame *from = section_frames(s, node);
  struct place_stack now = {.depth = section_depth(s, node),
                            .inside = inside,
                            .conflicts = conflicts,
                            .elsewhere = f->elsewhere,
                            .section = section};
  for (uint32_t i = 0; i < f->found.len; i++)
    if (same_stack(&f->found.at[i], from, now.depth)) {
      f->found.at[i].conflicts |= conflicts;
      f->found.at[i].elsewhere &= f->elsewhere;
      return;
    }
  now.frames = arena_alloc(f->arena, (now.depth + 1) * sizeof *now.frames);
  for (uint32_t i = 0; i < now.depth; i++)
    now.frames[i] = (struct code_block){
        arena_strdup(f->arena, from[i].file),
        arena_strdup(f->arena, from[i].function), from[i].line, from[i].line};
  vec_push(&f->found, now);
}

static void keep_all(struct finder *f, const struct trace *t,
                     const struct section_trace *s) {
  struct rivals r;
  struct held_span *spans = find_spans(t);
  rivals_find(&r, t, s, f->question->cause);
  look_at_locks(f, t, s, &r);
  for (uint32_t n = 0; n < s->conflicts->nnodes; n++) {
    uint32_t at = s->conflicts->nodes[n].event;
    uint8_t kind = t->events[at].kind;
    bool plain = kind == EV_READ || kind == EV_WRITE;
    uint32_t conflicts = f->elsewhere && !plain ? 0 : r.of[n];
    if (conflicts || r.inside[n])
      keep(f, s, n, r.inside[n], conflicts, section_of(f, t, &spans[at], at));
  }
  rivals_free(&r);
  free(spans);
}

static void look_at(struct finder *f, const path *p) {
  struct arena arena = {0};
  struct trace trace = {0};
  struct accesses accesses = {0};
  struct conflicts conflicts;
  struct section_trace section;
  struct replay r;
  replay_init(&r, p->at, p->len);
  rt_run_recorded(&r.driver, &arena, &trace);
  replay_free(&r);
  accesses_from_trace(&trace, &accesses);
  conflicts_init(&conflicts, accesses.at, accesses.len, 0);
  section_trace_init(&section, f->scopes, &trace, &conflicts);
  keep_all(f, &trace, &section);
  section_trace_free(&section);
  conflicts_free(&conflicts);
  free(accesses.at);
  arena_free(&arena);
}

/* ---- the clients ---- */

static enum judgement collect(void *ctx, enum rt_end end) {
  struct finder *f = ctx;
  path p = {0};
  if (end == RT_CUT)
    return JUDGE_GOOD;
  live_take(&f->live, &p);
  vec_push(&f->paths, p);
  return JUDGE_GOOD;
}

static void run_client(struct hunt *h, struct finder *f,
                       const struct client *client, uint64_t executions) {
  struct explore x;
  if (hunt_prepare(h, client) != RT_DONE)
    return;
  hunt_explore_init(h, &x);
  x.judge = (struct judge){.ended = collect, .ctx = f};
  x.live = &f->live;
  x.all = true;
  x.deadline = 0;
  x.max_executions = executions;
  explore_random(&x);
  vec_free(&x.bad);
  for (uint32_t i = 0; i < f->paths.len; i++) {
    look_at(f, &f->paths.at[i]);
    vec_free(&f->paths.at[i]);
  }
  vec_clear(&f->paths);
}

static void run_given(struct hunt *h, struct finder *f) {
  const struct places_question *q = f->question;
  for (uint32_t i = 0; i < q->nclients && !h->work->error.code; i++) {
    struct client client = {0};
    if (!hunt_read_client(h, q->clients[i], &client))
      return;
    run_client(h, f, &client, EXECUTIONS);
    client_free(&client);
  }
}

static void run_others(struct hunt *h, struct finder *f) {
  const struct target *t = f->question->target;
  struct gen_limits limits = {.threads = 2,
                              .ops = 4,
                              .init = 3,
                              .without = t->known,
                              .nwithout = t->nknown};
  struct generator *g = generator_new(&h->object.gen, &limits);
  struct rng rng = {h->set->seed};
  f->elsewhere = true;
  for (uint32_t i = 0; i < f->question->others; i++) {
    struct client client = {0};
    if (!generator_random(g, &rng, 2, 4, &client))
      break;
    run_client(h, f, &client, OTHERS);
    client_free(&client);
  }
  generator_free(g);
}

int places_find(void *arg, struct work *s) {
  const struct places_question *q = arg;
  struct hunt h;
  struct places *out = arena_alloc(&s->arena, sizeof *out);
  struct result result;
  int err = hunt_open(&h, q->target, s, &result);
  s->answer = out;
  if (err)
    return err;
  struct flow *flow = flow_open(q->target->lines, &s->error);
  if (!flow)
    return s->error.code;
  struct finder *f = xcalloc(1, sizeof *f);
  f->question = q;
  f->arena = &s->arena;
  f->scopes = scopes_open(q->target->lines, flow);
  rt_limit(MOST_STEPS);
  run_given(&h, f);
  if (!s->error.code)
    run_others(&h, f);
  out->at = arena_copy(&s->arena, f->found.at, f->found.len * sizeof *out->at);
  out->len = f->found.len;
  out->is_locked = f->is_locked;
  out->share_a_lock = f->common.len > 0;
  vec_free(&f->common);
  scopes_close(f->scopes);
  flow_close(flow);
  vec_free(&f->paths);
  vec_free(&f->found);
  free(f);
  return s->error.code;
}

/* ---- the answer ---- */

static const struct field stack_fields[] = {
    MANY(struct place_stack, frames, depth, noun_code_block),
    NUMBER(struct place_stack, inside),
    NUMBER(struct place_stack, conflicts),
    FLAG(struct place_stack, elsewhere),
    INSIDE(struct place_stack, section, noun_code_block),
};
static const struct noun noun_stack = {NOUN(struct place_stack, stack_fields)};

static const struct field places_fields[] = {
    MANY(struct places, at, len, noun_stack),
    FLAG(struct places, is_locked),
    FLAG(struct places, share_a_lock),
};
const struct noun noun_places = {NOUN(struct places, places_fields)};
