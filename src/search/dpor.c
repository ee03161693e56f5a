/*
 * Optimal DPOR: Abdulla, Aronis, Jonsson, Sagonas, J.ACM 64(4), 2017; we keep
 * their names: sleep sets, wakeup trees, notdep, weak initials.
 *
 * Differs: races are reversed when an execution has ended.  A thread that waits
 * (for a lock, a signal) is never asked to step where it could not: the step
 * that enabled it is not reversed with it, but whoever took the lock before is.
 * A return and another thread's call are dependent, since linearizability sees
 * their order (explore.no_real_time leaves that out).
 *
 * (A) every Mazurkiewicz trace is run.                 tests/agree/dpor_dfs.c
 * (B) none is run twice, none is cut by a sleep set.   tests/agree/dpor_dfs.c
 */
#include "search/dependence.h"
#include "search/explore.h"

#include <assert.h>
#include <string.h>

enum { THREADS = RT_MAX_THREADS, MOST_ANSWERS = ACCESS_ANSWERS };
#define NONE UINT32_MAX

struct dpor_event {
  struct access a;
  uint32_t enabled;        /* who could have stepped instead */
  uint32_t no;             /* its number within its thread, from 1 */
  uint32_t clock[THREADS]; /* by thread: how many of its events are before */
};

struct wake { /* a node of a wakeup tree; siblings in order */
  struct access a;
  uint32_t child, next;
};

struct level {              /* one depth of the execution in progress */
  VEC(struct access) sleep; /* steps that need not be taken here */
  uint32_t root;            /* of the wakeup tree; its first child is taken */
  uint8_t answer[MOST_ANSWERS], of[MOST_ANSWERS]; /* to choices in the step */
  uint8_t nanswers;
};

struct race {
  uint32_t first, second;
  bool open; /* whether `second` could have been made there is not known */
};

struct dpor {
  struct explore *x;
  bool real_time;
  VEC(struct level) levels;
  VEC(struct dpor_event) events;
  uint32_t depth; /* decisions made in this execution */
  uint32_t fixed; /* so many are prescribed, by the first children */
  uint32_t nthreads;
  VEC(struct wake) nodes;
  uint32_t free_nodes;
  VEC(struct race) races;
  struct rt_log log;
  uint32_t absorbed;              /* entries of the log that are events now */
  uint32_t seen;                  /* steps absorbed in this execution */
  uint32_t count[THREADS];        /* by thread: events so far */
  uint32_t moved[THREADS];        /* by thread: so many events (of all)
                                     when it came to its next step */
  uint32_t now[THREADS][THREADS]; /* by thread: clock of its last event,
                                     and of who created or was joined */
  uint32_t made;     /* so many events were made, the others wait for ever */
  VEC(uint32_t) v;   /* a wakeup sequence: indices of events … */
  uint32_t reversed; /* … the last of which is made elsewhere than it was … */
  struct access elsewhere; /* … as far as is known how */
  struct {                 /* a look at how E'.v turns out */
    VEC(uint32_t) plan;    /* events */
    uint32_t step, answer;
    const struct access *last; /* whose answers the last step gets, or NULL */
    struct rt_log log;
    bool impossible, shared_stack;
  } look;
  bool again; /* begin from the start */
  bool stuck; /* a sleep set cut it, or the plan could not be kept */
};

/* ---- events and their order ---- */

static bool dependent(const struct dpor *d, const struct access *a,
                      const struct access *b) {
  return access_dependent(a, b, d->real_time);
}

enum answer { NO, MAYBE, YES };

/* The same for steps of which it is not known how they will turn out. */
static enum answer depends(const struct dpor *d, const struct access *a,
                           const struct access *b) {
  if (!a->unsure && !b->unsure)
    return dependent(d, a, b) ? YES : NO;
  struct access a0 = access_least(a), a1 = access_most(a);
  struct access b0 = access_least(b), b1 = access_most(b);
  if (dependent(d, &a0, &b0))
    return YES;
  return dependent(d, &a1, &b1) ? MAYBE : NO;
}

/* Is event i before event j (i < j) in the happens-before order? */
static bool before(const struct dpor *d, uint32_t i, uint32_t j) {
  const struct dpor_event *e = &d->events.at[i];
  return d->events.at[j].clock[e->a.thread] >= e->no;
}

static void join(struct dpor *d, uint32_t *to, const uint32_t *from) {
  for (uint32_t t = 0; t < d->nthreads; t++)
    if (from[t] > to[t])
      to[t] = from[t];
}

/*
 * Did i enable j, which had to wait: could j not be made before i?  When j's
 * thread stood before j already, the engine has told whether it could go on
 * (also of threads that wait in a loop), but what let it go on may be another
 * step than i, unless both are about the one thing that j waited for.  When it
 * did not stand there, kinds decide: whoever unlocks a mutex had it, but a
 * semaphore may have been above 0 before, and a lock free for another reader.
 */
static enum answer enables(const struct dpor *d, uint32_t i, uint32_t j) {
  const struct dpor_event *a = &d->events.at[i], *b = &d->events.at[j];
  bool waits = b->a.flags & RT_WAITS;
  bool same = waits && access_dependent(&a->a, &b->a, false);
  if (i < d->moved[b->a.thread]) {
    if (!same)
      return waits ? MAYBE : NO;
    if (!access_releases(&a->a))
      return NO;
    return b->a.kind == EV_LOCK || b->a.kind == EV_COND_WAKE ? YES : MAYBE;
  }
  if (a->enabled >> b->a.thread & 1)
    return NO;
  return same ? YES : MAYBE;
}

/*
 * The clock of event j and the races that it ends: its immediate predecessors
 * in other threads.  Two clocks: all that is before j, and what is before it
 * by other ways than steps that enabled it; an earlier step that is only
 * before j because of those (the lock's previous owner taking it) is a race.
 */
static void order(struct dpor *d, uint32_t j) {
  struct dpor_event *e = &d->events.at[j];
  uint32_t free_clock[THREADS];
  memcpy(e->clock, d->now[e->a.thread], sizeof e->clock);
  memcpy(free_clock, e->clock, sizeof free_clock);
  for (uint32_t i = j; i--;) {
    const struct dpor_event *o = &d->events.at[i];
    if (o->a.thread == e->a.thread || free_clock[o->a.thread] >= o->no ||
        !dependent(d, &o->a, &e->a))
      continue;
    enum answer enabled = enables(d, i, j);
    bool open = enabled == MAYBE || e->clock[o->a.thread] >= o->no;
    join(d, e->clock, o->clock);
    if (enabled == NO)
      join(d, free_clock, o->clock);
    if (enabled != YES)
      vec_push(&d->races, ((struct race){i, j, open}));
  }
  e->clock[e->a.thread] = e->no;
}

static void link_threads(struct dpor *d, const struct rt_logged *l) {
  uint32_t other = (uint32_t)l->addr;
  d->moved[l->kind == EV_CREATE ? other : l->thread] = d->seen;
  if (l->kind == EV_CREATE)
    join(d, d->now[other], d->now[l->thread]);
  else
    join(d, d->now[l->thread], d->now[other]);
}

static void grow_threads(struct dpor *d, uint32_t n) {
  if (n > d->nthreads)
    d->nthreads = n;
}

static struct access access_of(const struct rt_logged *l) {
  return (struct access){.thread = l->thread,
                         .kind = l->kind,
                         .flags = l->flags,
                         .joined = l->joined,
                         .addr = l->addr,
                         .size = l->size,
                         .other = l->other,
                         .old = l->old,
                         .expected = l->expected};
}

static uint32_t new_node(struct dpor *d, const struct access *a) {
  uint32_t n = d->free_nodes;
  if (n != NONE) {
    d->free_nodes = d->nodes.at[n].next;
  } else {
    n = d->nodes.len;
    vec_push(&d->nodes, (struct wake){0});
  }
  d->nodes.at[n] = (struct wake){*a, NONE, NONE};
  return n;
}

static void free_node(struct dpor *d, uint32_t n) {
  for (uint32_t c = d->nodes.at[n].child, next; c != NONE; c = next) {
    next = d->nodes.at[c].next;
    free_node(d, c);
  }
  d->nodes.at[n].next = d->free_nodes;
  d->free_nodes = n;
}

static void append_child(struct dpor *d, uint32_t parent, uint32_t fresh) {
  uint32_t last = d->nodes.at[parent].child;
  if (last == NONE) {
    d->nodes.at[parent].child = fresh;
    return;
  }
  while (d->nodes.at[last].next != NONE)
    last = d->nodes.at[last].next;
  d->nodes.at[last].next = fresh;
}

static void take_answers(struct access *a, const struct level *l) {
  a->nanswers = l->nanswers;
  memcpy(a->answer, l->answer, l->nanswers);
  a->of = l->nanswers ? l->of[l->nanswers - 1] : 0;
}

static bool same_step(const struct access *a, const struct access *b) {
  return a->thread == b->thread && a->nanswers == b->nanswers &&
         !memcmp(a->answer, b->answer, a->nanswers);
}

static bool sleeps(const struct level *l, const struct access *a) {
  for (uint32_t i = 0; i < l->sleep.len; i++)
    if (same_step(&l->sleep.at[i], a))
      return true;
  return false;
}

/* Steps of one thread with other answers are other steps. */
static void add_alternatives(struct dpor *d, uint32_t k, uint8_t prescribed) {
  const struct level *l = &d->levels.at[k];
  for (uint8_t i = prescribed; i < l->nanswers; i++)
    for (uint8_t v = (uint8_t)(l->answer[i] + 1); v < l->of[i]; v++) {
      struct access a = d->events.at[k].a;
      a.nanswers = (uint8_t)(i + 1);
      a.of = l->of[i];
      a.answer[i] = v;
      a.unsure = RT_FAILED | RT_RETURNS | RT_CREATES | RT_JOINS;
      if (!sleeps(l, &a))
        append_child(d, l->root, new_node(d, &a));
    }
}

/* Makes events of what the engine has logged since. */
static void absorb(struct dpor *d) {
  for (; d->absorbed < d->log.len; d->absorbed++) {
    const struct rt_logged *l = &d->log.at[d->absorbed];
    grow_threads(d, l->thread + 1u);
    if (l->flags & RT_LINK) {
      grow_threads(d, (uint32_t)l->addr + 1);
      link_threads(d, l);
      continue;
    }
    struct access a = access_of(l);
    uint32_t j = d->seen++;
    take_answers(&a, &d->levels.at[j]);
    uint32_t no = ++d->count[l->thread];
    if (j < d->events.len) { /* replayed: must be what was recorded */
      const struct dpor_event *e = &d->events.at[j];
      assert(e->no == no && access_same(&e->a, &a));
    } else {
      struct dpor_event e = {.a = a, .enabled = l->enabled, .no = no};
      vec_push(&d->events, e);
      order(d, j);
      /* The branch that is being taken, as it turned out. */
      uint32_t c = d->nodes.at[d->levels.at[j].root].child;
      uint8_t prescribed = d->nodes.at[c].a.nanswers;
      d->nodes.at[c].a = a;
      add_alternatives(d, j, prescribed);
    }
    memcpy(d->now[l->thread], d->events.at[j].clock, sizeof d->now[0]);
    d->moved[l->thread] = d->seen;
  }
}

/*
 * The execution has ended and some wait for ever.  The steps that they could
 * not make race with those that took away what they wait for.
 */
static void absorb_waiting(struct dpor *d) {
  struct waiting who[THREADS];
  uint32_t n = rt_waiting(who);
  for (uint32_t i = 0; i < n; i++) {
    struct rt_access next;
    uint8_t t = who[i].thread;
    rt_pending(t, &next);
    if (!access_waits(next.kind))
      continue;
    struct dpor_event e = {.a = {.thread = t,
                                 .kind = next.kind,
                                 .flags = RT_WAITS,
                                 .unsure = RT_CALLS | RT_RETURNS,
                                 .addr = next.addr,
                                 .size = next.size},
                           .no = d->count[t] + 1};
    vec_push(&d->events, e);
    order(d, d->events.len - 1);
  }
}

/* ---- wakeup trees ---- */

/* An item of v.  The reversed one is to be made where it was not. */
static const struct access *item(const struct dpor *d, uint32_t k) {
  return d->v.at[k] == d->reversed ? &d->elsewhere
                                   : &d->events.at[d->v.at[k]].a;
}

/* Where in v the thread's first event is; NONE: nowhere. */
static uint32_t first_of(const struct dpor *d, uint8_t thread) {
  for (uint32_t k = 0; k < d->v.len; k++)
    if (d->events.at[d->v.at[k]].a.thread == thread)
      return k;
  return NONE;
}

static enum answer independent_of_v(const struct dpor *d,
                                    const struct access *a) {
  enum answer worst = NO;
  for (uint32_t k = 0; k < d->v.len && worst != YES; k++) {
    enum answer one = depends(d, a, item(d, k));
    if (one > worst)
      worst = one;
  }
  return YES - worst;
}

/*
 * Can item k of v come first: is nothing in v before it?  What was before the
 * reversed one may have been so because of steps that are not in v.
 */
static enum answer is_initial(const struct dpor *d, const struct access *a,
                              uint32_t k) {
  enum answer worst = NO;
  for (uint32_t i = 0; i < k && worst != YES; i++) {
    enum answer one = d->v.at[k] == d->reversed ? depends(d, item(d, i), a)
                      : before(d, d->v.at[i], d->v.at[k]) ? YES
                                                          : NO;
    if (one > worst)
      worst = one;
  }
  return YES - worst;
}

/* Is the thread, whose next step is `a`, a weak initial of v? */
static enum answer weak_initial(const struct dpor *d, const struct access *a,
                                uint32_t *k) {
  *k = first_of(d, a->thread);
  if (*k == NONE)
    return independent_of_v(d, a);
  return d->v.at[*k] != d->reversed && !same_step(a, item(d, *k))
             ? NO
             : is_initial(d, a, *k);
}

static void remove_item(struct dpor *d, uint32_t k) {
  memmove(&d->v.at[k], &d->v.at[k + 1], (d->v.len - k - 1) * sizeof *d->v.at);
  d->v.len--;
}

/*
 * insert_[E'](v, wut(E')).  False: what to do depends on how the reversed step
 * turns out, which is not known; nothing was done.
 */
static bool insert(struct dpor *d, uint32_t root) {
  uint32_t n = root, k;
  while (d->v.len) {
    uint32_t c = d->nodes.at[n].child;
    if (c == NONE && n != root)
      return true; /* a leaf: what it leads to is equivalent */
    enum answer fits = NO;
    for (; c != NONE; c = d->nodes.at[c].next) {
      fits = weak_initial(d, &d->nodes.at[c].a, &k);
      if (k == NONE && d->nodes.at[c].a.nanswers)
        fits = NO; /* v is about its other answers too */
      if (fits != NO)
        break;
    }
    if (fits == MAYBE)
      return false;
    if (fits == NO)
      break;
    if (k != NONE)
      remove_item(d, k);
    n = c;
  }
  if (d->v.len && d->elsewhere.unsure) /* what the tree holds is known */
    return false;
  for (k = 0; k < d->v.len; k++) { /* a branch of its own */
    struct access a = *item(d, k);
    if (d->v.at[k] == d->reversed)
      a.nanswers = 0; /* whatever is asked there */
    uint32_t fresh = new_node(d, &a);
    append_child(d, n, fresh);
    n = fresh;
  }
  return true;
}

static void make_v(struct dpor *d, struct race r) {
  vec_clear(&d->v);
  for (uint32_t k = r.first + 1; k < d->made; k++)
    if (!before(d, r.first, k))
      vec_push(&d->v, k);
  vec_push(&d->v, r.second);
  d->reversed = r.second;
}

static int look_pick(void *ctx, uint32_t enabled, int current) {
  struct dpor *d = ctx;
  (void)current;
  if (d->look.step == d->look.plan.len)
    return RT_STOP;
  uint8_t t = d->events.at[d->look.plan.at[d->look.step]].a.thread;
  if (!(enabled >> t & 1)) {
    d->look.impossible = true;
    return RT_STOP;
  }
  d->look.step++;
  d->look.answer = 0;
  return t;
}

static int look_choose(void *ctx, int n) {
  struct dpor *d = ctx;
  uint32_t k = d->look.plan.at[d->look.step - 1], i = d->look.answer++;
  const struct level *l = &d->levels.at[k];
  if (d->look.last && d->look.step == d->look.plan.len)
    return i < d->look.last->nanswers ? d->look.last->answer[i] : 0;
  return k < d->made && i < l->nanswers && l->answer[i] < n ? l->answer[i] : 0;
}

/*
 * Runs E'.v to see how its last step turns out; false: it cannot be made.
 * Whether a call returns in a step that sees something else than it did is in
 * no record: it is up to the code.
 */
static bool look_at_plan(struct dpor *d, struct access *out) {
  struct rt_driver driver = {look_pick, look_choose, d, .every = true};
  d->look.step = d->look.log.len = 0;
  d->look.impossible = false;
  rt_log(&d->look.log);
  rt_run(&driver);
  rt_log(NULL);
  d->look.shared_stack |= rt_found_shared_stack();
  if (d->look.impossible || d->look.step < d->look.plan.len)
    return false;
  uint32_t k = d->look.log.len;
  do
    k--;
  while (d->look.log.at[k].flags & RT_LINK);
  *out = access_of(&d->look.log.at[k]);
  return true;
}

static bool look(struct dpor *d, struct race r) {
  vec_clear(&d->look.plan);
  for (uint32_t k = 0; k < r.first; k++)
    vec_push(&d->look.plan, k);
  for (uint32_t k = 0; k < d->v.len; k++)
    vec_push(&d->look.plan, d->v.at[k]);
  d->look.last = NULL;
  return look_at_plan(d, &d->elsewhere);
}

/* How a step turns out with other answers. */
static void look_at_alternatives(struct dpor *d, uint32_t k) {
  uint32_t c = d->nodes.at[d->levels.at[k].root].child;
  for (; c != NONE; c = d->nodes.at[c].next) {
    struct access *a = &d->nodes.at[c].a, known;
    if (!a->unsure)
      continue;
    vec_clear(&d->look.plan);
    for (uint32_t i = 0; i <= k; i++)
      vec_push(&d->look.plan, i);
    d->look.last = a;
    if (!look_at_plan(d, &known))
      continue;
    known.nanswers = a->nanswers;
    known.of = a->of;
    memcpy(known.answer, a->answer, sizeof known.answer);
    *a = known;
  }
}

/* Was or will v be run otherwise, because of who sleeps? */
static enum answer is_covered(struct dpor *d, const struct level *l) {
  enum answer best = NO;
  uint8_t answers[THREADS] = {0};
  uint32_t k;
  for (uint32_t i = 0; i < l->sleep.len && best != YES; i++) {
    const struct access *a = &l->sleep.at[i];
    enum answer one = weak_initial(d, a, &k);
    bool any = k == NONE || d->v.at[k] == d->reversed; /* answers */
    if (one != NO && any && a->nanswers &&
        (a->nanswers > 1 || ++answers[a->thread] < a->of))
      continue; /* by this and all its other answers, or not */
    if (one > best)
      best = one;
  }
  return best;
}

static void reverse(struct dpor *d, struct race r) {
  struct level *l = &d->levels.at[r.first];
  make_v(d, r);
  d->elsewhere =
      access_reversed(&d->events.at[r.first].a, &d->events.at[r.second].a);
  r.open |= r.second >= d->made;
  if (!r.open) {
    enum answer covered = is_covered(d, l);
    if (covered == YES || (covered == NO && insert(d, l->root)))
      return;
    make_v(d, r); /* now it matters */
  }
  if (look(d, r) && is_covered(d, l) == NO)
    insert(d, l->root);
}

/* ---- one execution ---- */

static struct level *enter_level(struct dpor *d, uint32_t k) {
  if (k == d->levels.len)
    vec_push(&d->levels, (struct level){.root = NONE});
  struct level *l = &d->levels.at[k];
  vec_clear(&l->sleep);
  l->nanswers = 0;
  if (l->root == NONE) /* else it was left here by the level above */
    l->root = new_node(d, &(struct access){0});
  if (k) {
    const struct level *up = &d->levels.at[k - 1];
    const struct access *a = &d->events.at[k - 1].a;
    for (uint32_t i = 0; i < up->sleep.len; i++)
      if (!dependent(d, &up->sleep.at[i], a))
        vec_push(&l->sleep, up->sleep.at[i]);
  }
  return l;
}

static uint32_t asleep(const struct level *l) {
  uint32_t mask = 0;
  uint8_t answers[THREADS] = {0};
  for (uint32_t i = 0; i < l->sleep.len; i++) {
    const struct access *a = &l->sleep.at[i];
    if (!a->nanswers || (a->nanswers == 1 && ++answers[a->thread] == a->of))
      mask |= 1u << a->thread;
  }
  return mask;
}

/* What hangs under the first child of level k becomes the tree of k + 1. */
static void hand_down(struct dpor *d, uint32_t k) {
  uint32_t c = d->nodes.at[d->levels.at[k].root].child;
  if (k + 1 == d->levels.len)
    vec_push(&d->levels, (struct level){.root = NONE});
  struct level *l = &d->levels.at[k + 1];
  assert(l->root == NONE);
  l->root = new_node(d, &(struct access){0});
  d->nodes.at[l->root].child = d->nodes.at[c].child;
  d->nodes.at[c].child = NONE;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct dpor *d = ctx;
  absorb(d);
  uint32_t k = d->depth++;
  struct level *l;
  if (k < d->fixed) {
    l = &d->levels.at[k];
  } else {
    l = enter_level(d, k);
    if (d->nodes.at[l->root].child == NONE) {
      uint32_t awake = enabled & ~asleep(l);
      if (!awake) {
        d->stuck = true;
        return RT_STOP;
      }
      int t = awake >> current & 1 ? current : __builtin_ctz(awake);
      uint32_t fresh = new_node(d, &(struct access){.thread = (uint8_t)t});
      append_child(d, l->root, fresh);
    }
    hand_down(d, k);
    l = &d->levels.at[k];
  }
  uint8_t t = d->nodes.at[d->nodes.at[l->root].child].a.thread;
  l->nanswers = 0;
  if (!(enabled >> t & 1)) { /* cannot be: the tree holds possible steps */
    d->stuck = true;
    return RT_STOP;
  }
  struct live_path *live = d->x->live;
  if (live && k < LIVE_PATH_MAX) {
    live->at[k] = t;
    live->len = k + 1;
  }
  return t;
}

static int choose(void *ctx, int n) {
  struct dpor *d = ctx;
  struct level *l = &d->levels.at[d->depth - 1];
  if (l->nanswers == MOST_ANSWERS)
    return 0;
  const struct access *plan = &d->nodes.at[d->nodes.at[l->root].child].a;
  uint8_t i = l->nanswers++;
  l->of[i] = (uint8_t)n;
  if (i < plan->nanswers) {
    l->answer[i] = plan->answer[i];
    return l->answer[i];
  }
  struct access a = {.thread = plan->thread};
  l->answer[i] = 0;
  for (take_answers(&a, l); sleeps(l, &a) && l->answer[i] + 1 < n;
       take_answers(&a, l))
    l->answer[i]++;
  return l->answer[i];
}

static void drop_level(struct dpor *d, uint32_t k) {
  if (k < d->levels.len && d->levels.at[k].root != NONE) {
    free_node(d, d->levels.at[k].root);
    d->levels.at[k].root = NONE;
  }
}

/* To the deepest level with something left to do; false: done. */
static bool backtrack(struct dpor *d) {
  drop_level(d, d->depth); /* handed down and not used */
  for (uint32_t k = d->depth; k--;) {
    struct level *l = &d->levels.at[k];
    bool made = k < d->events.len;
    uint32_t c = d->nodes.at[l->root].child;
    if (made)
      vec_push(&l->sleep, d->events.at[k].a);
    if (c != NONE) {
      d->nodes.at[l->root].child = d->nodes.at[c].next;
      free_node(d, c);
    }
    if (d->nodes.at[l->root].child != NONE) {
      hand_down(d, k);
      if (d->events.len > k)
        d->events.len = k;
      d->fixed = k + 1;
      return true;
    }
    drop_level(d, k);
  }
  return false;
}

/* The path of the execution that has just ended. */
static void current_path(void *ctx, path *out) {
  const struct dpor *d = ctx;
  for (uint32_t k = 0; k < d->events.len; k++) {
    vec_push(out, d->events.at[k].a.thread);
    for (uint8_t i = 0; i < d->levels.at[k].nanswers; i++)
      vec_push(out, (uint8_t)(PATH_CHOICE | d->levels.at[k].answer[i]));
  }
}

static enum rt_end run(struct dpor *d, const struct rt_driver *driver) {
  d->depth = d->absorbed = d->seen = 0;
  d->log.len = 0;
  d->stuck = false;
  memset(d->count, 0, sizeof d->count);
  memset(d->now, 0, sizeof d->now);
  memset(d->moved, 0, sizeof d->moved);
  /* Races within the part that is run again are reversed again: what comes
   * behind them is other now, and so is v. */
  while (d->races.len && vec_last(&d->races).second >= d->events.len)
    d->races.len--;
  rt_log(&d->log);
  enum rt_end how = rt_run(driver);
  rt_log(NULL);
  absorb(d);
  d->made = d->events.len;
  if (how == RT_STUCK || how == RT_FAULT)
    absorb_waiting(d);
  return how;
}

/* When the judge has seen the execution: this may run others. */
static void reverse_races(struct dpor *d) {
  for (uint32_t k = d->fixed ? d->fixed - 1 : 0; k < d->made; k++)
    if (d->events.at[k].a.nanswers)
      look_at_alternatives(d, k);
  for (uint32_t i = 0; i < d->races.len; i++)
    reverse(d, d->races.at[i]);
  d->events.len = d->made;
}

/* More steps are visible than we knew of: from the start. */
static void begin_again(struct dpor *d) {
  for (uint32_t k = 0; k < d->levels.len; k++)
    drop_level(d, k);
  d->events.len = d->fixed = d->depth = 0;
  explore_again(d->x);
  d->look.shared_stack = false;
  vec_clear(&d->races);
  d->again = true;
}

static void dpor_free(struct dpor *d) {
  for (uint32_t i = 0; i < d->levels.len; i++)
    vec_free(&d->levels.at[i].sleep);
  vec_free(&d->levels);
  vec_free(&d->events);
  vec_free(&d->nodes);
  vec_free(&d->races);
  vec_free(&d->v);
  vec_free(&d->look.plan);
  free(d->look.log.at);
  free(d->log.at);
}

enum explore_end explore_dpor(struct explore *x) {
  struct dpor d = {.x = x, .real_time = !x->no_real_time, .free_nodes = NONE};
  struct rt_driver driver = {pick, choose, &d, .every = true};
  enum explore_end end = EXPLORE_ALL;
  if (x->live)
    x->live->only_choices = false;
  do {
    enum rt_end how = run(&d, &driver);
    if (rt_found_shared_stack()) {
      begin_again(&d);
      continue;
    }
    d.again = false;
    if (d.stuck) {
      x->blocked++;
      reverse_races(&d);
      continue;
    }
    x->log = &d.log;
    bool goes_on = explore_judge(x, how, current_path, &d, &end);
    x->log = NULL;
    if (!goes_on)
      break;
    reverse_races(&d);
    if (d.look.shared_stack)
      begin_again(&d);
    else if (!explore_budget(x, x->executions, &end))
      break;
  } while (d.again || backtrack(&d));
  dpor_free(&d);
  return end;
}
