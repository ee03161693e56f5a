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

enum { THREADS = RT_MAX_THREADS, MOST_ANSWERS = 16 };
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

struct level { /* one depth of the execution in progress */
  VEC(struct access) sleep; /* steps that need not be taken here */
  uint32_t root;            /* of the wakeup tree; its first child is taken */
  uint8_t answer[MOST_ANSWERS], of[MOST_ANSWERS]; /* to choices in the step */
  uint8_t nanswers, known_answers;
};

struct race {
  uint32_t first, second;
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
  uint32_t absorbed; /* entries of the log that are events now */
  uint32_t seen;     /* steps absorbed in this execution */
  uint32_t count[THREADS];             /* by thread: events so far */
  uint32_t now[THREADS][THREADS];      /* by thread: clock of its last event,
                                          and of who created or was joined */
  VEC(uint32_t) v;   /* a wakeup sequence: indices of events … */
  uint32_t reversed; /* … the last of which is made elsewhere than it was … */
  struct access elsewhere; /* … as far as is known how */
  bool again;        /* begin from the start */
  bool stuck;        /* a sleep set cut it, or the plan could not be kept */
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
 * Did i enable j, which had to wait?  When j's thread stood before j already,
 * the engine has told; when it did not, kinds decide.
 */
static bool enables(const struct dpor *d, uint32_t i, uint32_t j) {
  const struct dpor_event *a = &d->events.at[i], *b = &d->events.at[j];
  if (!(b->a.flags & RT_WAITS))
    return false;
  bool stood = true;
  for (uint32_t k = i + 1; k < j && stood; k++)
    stood = d->events.at[k].a.thread != b->a.thread;
  if (stood)
    return !(a->enabled >> b->a.thread & 1);
  return access_releases(&a->a);
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
    join(d, e->clock, o->clock);
    if (enables(d, i, j))
      continue;
    join(d, free_clock, o->clock);
    vec_push(&d->races, ((struct race){i, j}));
  }
  e->clock[e->a.thread] = e->no;
}

static void link_threads(struct dpor *d, const struct rt_logged *l) {
  uint32_t other = (uint32_t)l->addr;
  if (l->kind == EV_CREATE)
    join(d, d->now[other], d->now[l->thread]);
  else
    join(d, d->now[l->thread], d->now[other]);
}

static void grow_threads(struct dpor *d, uint32_t n) {
  if (n > d->nthreads)
    d->nthreads = n;
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
    struct access a = {.thread = l->thread,
                       .kind = l->kind,
                       .flags = l->flags,
                       .addr = l->addr,
                       .size = l->size,
                       .other = l->other,
                       .old = l->old,
                       .expected = l->expected};
    uint32_t j = d->seen++;
    uint32_t no = ++d->count[l->thread];
    if (j < d->events.len) { /* replayed: must be what was recorded */
      const struct dpor_event *e = &d->events.at[j];
      assert(e->no == no && access_same(&e->a, &a));
    } else {
      struct dpor_event e = {.a = a, .enabled = l->enabled, .no = no};
      vec_push(&d->events, e);
      order(d, j);
      /* The branch that is being taken, as it turned out. */
      d->nodes.at[d->nodes.at[d->levels.at[j].root].child].a = a;
    }
    memcpy(d->now[l->thread], d->events.at[j].clock, sizeof d->now[0]);
  }
}

/* ---- wakeup trees ---- */

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
  return *k != NONE ? is_initial(d, a, *k) : independent_of_v(d, a);
}

static void remove_item(struct dpor *d, uint32_t k) {
  memmove(&d->v.at[k], &d->v.at[k + 1], (d->v.len - k - 1) * sizeof *d->v.at);
  d->v.len--;
}

/*
 * insert_[E'](v, wut(E')).  Where it is not known whether v belongs into a
 * branch it gets one of its own, and is not led into a later one: there the
 * earlier branch's thread sleeps, and v could be lost.
 */
static void insert(struct dpor *d, uint32_t root) {
  uint32_t n = root, k;
  while (d->v.len) {
    uint32_t c = d->nodes.at[n].child;
    if (c == NONE && n != root)
      return; /* a leaf: what it leads to is equivalent */
    enum answer fits = NO;
    while (c != NONE && (fits = weak_initial(d, &d->nodes.at[c].a, &k)) == NO)
      c = d->nodes.at[c].next;
    if (fits != YES)
      break;
    if (k != NONE)
      remove_item(d, k);
    n = c;
  }
  for (k = 0; k < d->v.len; k++) { /* a branch of its own */
    struct access a = *item(d, k);
    uint32_t fresh = new_node(d, &a);
    append_child(d, n, fresh);
    n = fresh;
  }
}

static void reverse(struct dpor *d, struct race r) {
  struct level *l = &d->levels.at[r.first];
  vec_clear(&d->v);
  for (uint32_t k = r.first + 1; k < d->events.len; k++)
    if (!before(d, r.first, k))
      vec_push(&d->v, k);
  vec_push(&d->v, r.second);
  d->reversed = r.second;
  d->elsewhere = access_reversed(&d->events.at[r.first].a,
                                 &d->events.at[r.second].a);
  uint32_t k;
  for (uint32_t i = 0; i < l->sleep.len; i++)
    if (weak_initial(d, &l->sleep.at[i], &k) == YES)
      return; /* was or will be done otherwise */
  insert(d, l->root);
}

/* ---- one execution ---- */

static struct level *enter_level(struct dpor *d, uint32_t k) {
  if (k == d->levels.len)
    vec_push(&d->levels, (struct level){.root = NONE});
  struct level *l = &d->levels.at[k];
  vec_clear(&l->sleep);
  l->nanswers = l->known_answers = 0;
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
  for (uint32_t i = 0; i < l->sleep.len; i++)
    mask |= 1u << l->sleep.at[i].thread;
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
  uint8_t i = l->nanswers++;
  if (i >= l->known_answers)
    l->answer[i] = 0;
  l->of[i] = (uint8_t)n;
  return l->answer[i];
}

static bool next_answers(struct level *l) {
  for (; l->nanswers; l->nanswers--) {
    uint8_t i = (uint8_t)(l->nanswers - 1);
    if (l->answer[i] + 1 < l->of[i]) {
      l->answer[i]++;
      l->known_answers = l->nanswers;
      return true;
    }
  }
  l->known_answers = 0;
  return false;
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
    if (made && next_answers(l)) {
      hand_down(d, k);
      d->events.len = k;
      d->fixed = k + 1;
      return true;
    }
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
static void current_path(const struct dpor *d, path *out) {
  for (uint32_t k = 0; k < d->events.len; k++) {
    vec_push(out, d->events.at[k].a.thread);
    for (uint8_t i = 0; i < d->levels.at[k].nanswers; i++)
      vec_push(out, (uint8_t)(PATH_CHOICE | d->levels.at[k].answer[i]));
  }
}

static void keep_bad(struct dpor *d) {
  struct explore *x = d->x;
  path p = {0};
  current_path(d, &p);
  uint32_t switches = path_switches(p.at, p.len);
  if (x->bad_count == 1 || switches < x->bad_switches) {
    vec_free(&x->bad);
    x->bad = p;
    x->bad_switches = switches;
  } else {
    vec_free(&p);
  }
}

static enum rt_end run(struct dpor *d, const struct rt_driver *driver) {
  d->depth = d->absorbed = d->seen = 0;
  d->log.len = 0;
  d->stuck = false;
  memset(d->count, 0, sizeof d->count);
  memset(d->now, 0, sizeof d->now);
  vec_clear(&d->races);
  rt_log(&d->log);
  enum rt_end how = rt_run(driver);
  rt_log(NULL);
  absorb(d);
  for (uint32_t i = 0; i < d->races.len; i++)
    reverse(d, d->races.at[i]);
  return how;
}

static void dpor_free(struct dpor *d) {
  for (uint32_t i = 0; i < d->levels.len; i++)
    vec_free(&d->levels.at[i].sleep);
  vec_free(&d->levels);
  vec_free(&d->events);
  vec_free(&d->nodes);
  vec_free(&d->races);
  vec_free(&d->v);
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
    x->steps += rt_steps();
    if (rt_found_shared_stack()) { /* more steps than we knew of: once more */
      for (uint32_t k = 0; k < d.levels.len; k++)
        drop_level(&d, k);
      d.events.len = d.fixed = d.depth = 0;
      x->executions = x->cut = x->blocked = x->bad_count = 0;
      vec_clear(&x->bad);
      end = EXPLORE_ALL;
      drop_level(&d, 0);
      d.again = true;
      continue;
    }
    d.again = false;
    if (d.stuck) {
      x->blocked++;
      continue;
    }
    if (how == RT_CUT)
      x->cut++;
    else
      x->executions++;
    x->log = &d.log;
    enum judgement j = x->judge.ended(x->judge.ctx, how);
    x->log = NULL;
    if (j == JUDGE_STOP) {
      end = EXPLORE_STOPPED;
      break;
    }
    if (j == JUDGE_BAD) {
      x->bad_count++;
      keep_bad(&d);
      if (!x->all) {
        end = EXPLORE_BAD;
        break;
      }
    }
    uint64_t ran = x->executions + x->cut;
    if (x->max_executions && ran >= x->max_executions) {
      end = EXPLORE_EXECUTIONS;
      break;
    }
    if (ran % 64 == 0) {
      if (x->heartbeat)
        ++*x->heartbeat;
      if (x->deadline && explore_now() > x->deadline) {
        end = EXPLORE_TIME;
        break;
      }
    }
  } while (d.again || backtrack(&d));
  dpor_free(&d);
  return end;
}
