/*
 * Finds the neighbour: splits the failing execution into turns, then runs it
 * again with one switch moved, by one step, by two, …
 */
#include "search/neighbour.h"

#include <assert.h>

enum {
  MOST_ENDLESS = 2, /* runs in an endless loop: each takes a second */
  MOST_BEYOND = 32, /* steps of a thread that the failing execution left */
};

struct turn_of {
  uint8_t thread;
  bool interrupted;
  uint32_t steps;
};
typedef VEC(struct turn_of) turn_list;

struct turn_plan {
  turn_list turns;
  path choices[RT_MAX_THREADS]; /* answers, by the thread that asked */
};

static int last_thread(const turn_list *l) {
  return l->len ? vec_last(l).thread : 0;
}

/* ---- the failing execution as turns ---- */

struct turn_reader {
  struct replay r;
  struct turn_plan *plan;
};

static int read_pick(void *ctx, uint32_t enabled, int current) {
  struct turn_reader *d = ctx;
  turn_list *l = &d->plan->turns;
  int t = d->r.driver.pick(d->r.driver.ctx, enabled, current);
  if (l->len && vec_last(l).thread == t) {
    vec_last(l).steps++;
    return t;
  }
  if (l->len)
    vec_last(l).interrupted = enabled >> vec_last(l).thread & 1;
  vec_push(l, ((struct turn_of){.thread = (uint8_t)t, .steps = 1}));
  return t;
}

static int read_choose(void *ctx, int n) {
  struct turn_reader *d = ctx;
  int k = d->r.driver.choose(d->r.driver.ctx, n);
  vec_push(&d->plan->choices[last_thread(&d->plan->turns)], (uint8_t)k);
  return k;
}

static void read_plan(const struct neighbour_search *n, struct turn_plan *out) {
  struct turn_reader d = {.plan = out};
  replay_init(&d.r, n->at, n->len);
  struct rt_driver driver = {read_pick, read_choose, &d, .every = true};
  rt_run(&driver);
  replay_free(&d.r);
}

static void plan_free(struct turn_plan *p) {
  vec_free(&p->turns);
  for (uint32_t i = 0; i < RT_MAX_THREADS; i++)
    vec_free(&p->choices[i]);
}

/* ---- running other turns ---- */

struct turn_runner {
  const struct turn_plan *plan;
  const turn_list *turns;
  uint32_t turn, made; /* which one it is, and its steps so far */
  uint32_t stopped;    /* mask: whose turn has just been interrupted */
  uint32_t chosen[RT_MAX_THREADS];
  int thread;
  path taken;
  struct live_path *live;
};

static void took(struct turn_runner *r, uint8_t what) {
  vec_push(&r->taken, what);
  if (r->live && r->taken.len <= LIVE_PATH_MAX) {
    r->live->at[r->taken.len - 1] = what;
    r->live->len = r->taken.len;
  }
}

static int next_thread(struct turn_runner *r, uint32_t enabled, int current) {
  for (; r->turn < r->turns->len; r->turn++, r->made = 0) {
    const struct turn_of *t = &r->turns->at[r->turn];
    if (enabled >> t->thread & 1 && (!t->interrupted || r->made < t->steps)) {
      r->made++;
      return t->thread;
    }
    r->stopped = t->interrupted ? 1u << t->thread : 0;
  }
  /* An interrupted thread gives way here too. */
  uint32_t others = enabled & ~r->stopped;
  r->stopped = 0;
  enabled = others ? others : enabled;
  return enabled >> current & 1 ? current : __builtin_ctz(enabled);
}

static int run_pick(void *ctx, uint32_t enabled, int current) {
  struct turn_runner *r = ctx;
  r->thread = next_thread(r, enabled, current);
  took(r, (uint8_t)r->thread);
  return r->thread;
}

/* A thread gives the answers that it gave, in their order; then the first. */
static int run_choose(void *ctx, int n) {
  struct turn_runner *r = ctx;
  const path *known = &r->plan->choices[r->thread];
  uint32_t at = r->chosen[r->thread]++;
  int k = at < known->len && known->at[at] < n ? known->at[at] : 0;
  took(r, (uint8_t)(PATH_CHOICE | k));
  return k;
}

struct switch_mover {
  struct neighbour_search *n;
  struct turn_plan plan;
  turn_list turns; /* those that are tried */
  uint64_t steps;
  uint32_t endless;
};

static bool may_go_on(const struct switch_mover *s) {
  return s->n->runs < s->n->max_runs && s->steps < s->n->max_steps &&
         s->endless < MOST_ENDLESS;
}

/* The execution began with the marks that the failing one has. */
static void keep_path(struct neighbour_search *n, const path *taken) {
  uint32_t marks = path_marks(n->at, n->len);
  for (uint32_t i = 0; i < marks; i++)
    vec_push(&n->good, n->at[i]);
  for (uint32_t i = 0; i < taken->len; i++)
    vec_push(&n->good, taken->at[i]);
}

/* Runs the turns that are to be tried; true: that is a good execution. */
static bool is_good(struct switch_mover *s) {
  struct turn_runner r = {
      .plan = &s->plan, .turns = &s->turns, .live = s->n->live};
  struct rt_driver driver = {run_pick, run_choose, &r, .every = true};
  struct replay marks; /* for them alone */
  replay_init(&marks, s->n->at, s->n->len);
  if (r.live) {
    r.live->len = 0;
    r.live->only_choices = false;
    live_begin(r.live);
  }
  enum rt_end end = rt_run(&driver);
  s->n->runs++;
  s->steps += rt_steps();
  s->endless += end == RT_FAULT && rt_fault()->kind == FAULT_ENDLESS;
  bool good = (end == RT_DONE || end == RT_STUCK) &&
              s->n->judge.ended(s->n->judge.ctx, end) == JUDGE_GOOD;
  replay_free(&marks);
  if (good)
    keep_path(s->n, &r.taken); /* B1 */
  vec_free(&r.taken);
  return good;
}

/* ---- moving one switch ---- */

static struct turn_of *next_turn(turn_list *l, uint32_t turn) {
  for (uint32_t i = turn + 1; i < l->len; i++)
    if (l->at[i].thread == l->at[turn].thread)
      return &l->at[i];
  return NULL;
}

static void begin_move(struct switch_mover *s) {
  vec_clear(&s->turns);
  for (uint32_t i = 0; i < s->plan.turns.len; i++)
    vec_push(&s->turns, s->plan.turns.at[i]);
}

/* A turn that has to stop goes on until it has: what it makes earlier is not
 * made again. */
static bool move_later(struct switch_mover *s, uint32_t turn, uint32_t k) {
  begin_move(s);
  struct turn_of *next = next_turn(&s->turns, turn);
  assert(s->turns.at[turn].interrupted); /* else it could not go on */
  if (k > (next ? next->steps : MOST_BEYOND))
    return false;
  s->n->earlier = false;
  s->turns.at[turn].steps += k;
  if (next)
    next->steps -= k;
  return is_good(s);
}

static bool move_earlier(struct switch_mover *s, uint32_t turn, uint32_t k) {
  begin_move(s);
  struct turn_of *t = &s->turns.at[turn], *next = next_turn(&s->turns, turn);
  if (k > t->steps)
    return false;
  s->n->earlier = true;
  t->steps -= k;
  t->interrupted = true;
  if (next)
    next->steps += k;
  return is_good(s);
}

static uint32_t longest(const turn_list *l) {
  uint32_t most = MOST_BEYOND;
  for (uint32_t i = 0; i < l->len; i++)
    if (l->at[i].steps > most)
      most = l->at[i].steps;
  return most;
}

/* All switches behind turns that were `interrupted`, or behind the others. */
static bool move_one(struct switch_mover *s, bool interrupted) {
  const turn_list *l = &s->plan.turns;
  uint32_t most = longest(l);
  for (uint32_t k = 1; k <= most; k++)
    for (uint32_t i = l->len; i-- > 0;) {
      if (l->at[i].interrupted != interrupted)
        continue;
      if (!may_go_on(s))
        return false;
      s->n->moved = k;
      s->n->turn = i;
      if ((interrupted && move_later(s, i, k)) || move_earlier(s, i, k))
        return true;
    }
  return false;
}

bool neighbour_find(struct neighbour_search *n) {
  struct switch_mover s = {.n = n};
  n->runs = n->moved = 0;
  n->good = (path){0};
  read_plan(n, &s.plan);
  bool found = move_one(&s, true) || move_one(&s, false); /* B2, B3 */
  plan_free(&s.plan);
  vec_free(&s.turns);
  assert(!found || (n->good.len && n->moved && n->runs <= n->max_runs));
  return found;
}
