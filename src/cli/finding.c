#include "cli/finding.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void *in_arena(struct arena *a, const void *from, size_t size) {
  void *p = size ? arena_copy(a, from, size) : arena_alloc(a, 1);
  if (!p)
    die("the memory shared with the worker is full");
  return p;
}

void finding_share_client(struct client *to, const struct client *from,
                          struct arena *a) {
  *to = *from;
  to->calls = in_arena(a, from->calls, from->ncalls * sizeof *from->calls);
}

static void share_schedule(struct schedule *to, const uint8_t *at, uint32_t len,
                           struct arena *a) {
  struct schedule s = {0};
  path_to_schedule(at, len, &s);
  *to = (struct schedule){0};
  to->turns.at = in_arena(a, s.turns.at, s.turns.len * sizeof *s.turns.at);
  to->turns.len = s.turns.len;
  schedule_free(&s);
}

static void share_value(struct value *v, struct arena *a) {
  struct value from = *v;
  value_copy(v, from, a);
}

static void share_refutations(struct finding *f, struct jury *j,
                              const struct history *h, struct arena *a) {
  enum { MOST = 12 };
  refutation_list list = {0};
  check_refutations(h, j->spec, j->criterion, MOST, &list,
                    &f->more_refutations);
  f->refutations.at = arena_alloc(a, (list.len + 1) * sizeof *list.at);
  for (uint32_t i = 0; i < list.len; i++) {
    struct refutation *to = &f->refutations.at[f->refutations.len++];
    *to = list.at[i];
    to->order.at = in_arena(a, to->order.at, to->order.len * sizeof(uint32_t));
    share_value(&to->expected, a);
  }
  check_free_refutations(&list);
}

static uint32_t block_of(const struct trace *t, uint64_t addr) {
  for (uint32_t i = t->nblocks; i--;)
    if (addr - t->blocks[i].base < (t->blocks[i].size ? t->blocks[i].size : 1))
      return i;
  return UINT32_MAX;
}

static void share_waiting(struct finding *f, struct arena *a) {
  struct waiting w[RT_MAX_THREADS];
  uint32_t n = rt_waiting(w);
  f->waiting.at = in_arena(a, w, n * sizeof *w);
  f->waiting.len = n;
}

static void describe_fault(struct finding *f, struct arena *a) {
  const struct rt_fault *e = rt_fault();
  f->fault = e->kind;
  f->detail = arena_strdup(a, e->text);
  f->pc = e->pc;
  f->thread = e->thread;
  f->addr = e->addr;
  f->block = block_of(&f->trace, e->addr);
  for (uint32_t i = f->trace.nevents; i--;)
    if (f->trace.events[i].kind == EV_FAULT) {
      f->chain = f->trace.events[i].chain;
      break;
    }
  if (e->kind == FAULT_DEADLOCK || e->kind == FAULT_LIVELOCK)
    share_waiting(f, a);
}

/*
 * Addresses of the C library's own memory (a FILE, a locale) differ from one
 * execution to the next, since its allocator goes on; that is no news.
 */
static bool same_value(uint64_t a, uint64_t b) {
  const uint64_t lo = 0x550000000000, hi = 0x800000000000;
  return a == b || (a >= lo && a < hi && b >= lo && b < hi);
}

static bool same_event(const struct event *a, const struct event *b) {
  return a->kind == b->kind && a->thread == b->thread && a->pc == b->pc &&
         same_value(a->addr, b->addr) && a->size == b->size &&
         same_value(a->value[0], b->value[0]) && a->value[1] == b->value[1];
}

/* RETURN events hold addresses of strings, which differ: compare their pcs. */
static uint32_t first_difference(const struct trace *a, const struct trace *b) {
  uint32_t n = a->nevents < b->nevents ? a->nevents : b->nevents;
  for (uint32_t i = 0; i < n; i++) {
    const struct event *x = &a->events[i], *y = &b->events[i];
    bool text = x->kind == EV_RETURN && x->value[1] == VALUE_STRING;
    if (text ? y->kind != EV_RETURN : !same_event(x, y))
      return i;
  }
  return a->nevents == b->nevents ? UINT32_MAX : n;
}

/* A replay that is asked only where there is an alternative. */
struct chooser {
  struct replay *r;
  struct rt_driver inner;
};

static int pick_if_any(void *ctx, uint32_t enabled, int current) {
  struct chooser *c = ctx;
  if (enabled & (enabled - 1))
    return c->inner.pick(c->inner.ctx, enabled, current);
  int only = __builtin_ctz(enabled);
  vec_push(&c->r->taken, (uint8_t)only);
  return only;
}

static int choose_as_told(void *ctx, int n) {
  struct chooser *c = ctx;
  return c->inner.choose(c->inner.ctx, n);
}

static enum rt_end record(struct replay *r, bool only_choices, struct arena *a,
                          struct trace *t) {
  struct chooser c = {r, r->driver};
  struct rt_driver d = {pick_if_any, choose_as_told, &c, .every = true};
  return rt_run_recorded(only_choices ? &d : &r->driver, a, t);
}

struct finding *finding_make(struct jury *j, struct retrace *how,
                             struct shared *s) {
  struct arena *a = &s->arena;
  struct finding *f = arena_alloc(a, sizeof *f);
  struct replay r;
  s->trace = (struct trace){0};
  replay_init(&r, how->at, how->len);
  enum rt_end end = record(&r, how->only_choices, a, &s->trace);
  how->diverged = r.diverged;
  f->trace = s->trace;
  f->block = UINT32_MAX;
  if (j->client) {
    finding_share_client(&f->client, j->client, a);
    f->trace.history.client = &f->client;
  }
  share_schedule(&f->schedule, r.taken.at, r.taken.len, a);

  bool bad = false;
  if (end == RT_FAULT) {
    describe_fault(f, a);
    bad = true;
  } else if (end != RT_CUT && j->spec) {
    if (end == RT_STUCK) /* before the checker runs the object */
      share_waiting(f, a);
    /* Strings of the trace are copies: compare as the engine gave them. */
    struct history h = *rt_history();
    h.ops = in_arena(a, h.ops, h.client->ncalls * sizeof *h.ops);
    check_linearize(&h, j->spec, j->criterion, 0, &j->check);
    bad = j->check.answer == CHECK_NO || j->check.answer == CHECK_SPEC_FAULT;
    if (bad) {
      f->fault =
          h.client->nthreads == 1 ? FAULT_SEQUENTIAL : FAULT_NOT_LINEARIZABLE;
      share_refutations(f, j, &h, a);
    }
  } else if (end == RT_CUT) {
    f->detail = arena_strdup(a, "the execution was cut at --max-steps");
  }
  /* The same schedule gives the same trace, always. */
  struct trace second;
  struct replay again;
  replay_init(&again, r.taken.at, r.taken.len);
  rt_run_recorded(&again.driver, a, &second);
  uint32_t diff = first_difference(&f->trace, &second);
  if (diff != UINT32_MAX) {
    const struct event *e =
        diff < f->trace.nevents ? &f->trace.events[diff] : &second.events[diff];
    f->fault = FAULT_DIVERGENCE;
    f->pc = e->pc;
    f->thread = e->thread;
    f->chain = e->chain;
    f->detail = arena_strdup(
        a, "the same schedule did not give the same execution: the code "
           "depends on something that Faultline does not control, such as "
           "uninitialised memory, the real time or the environment");
    bad = true;
  }
  replay_free(&again);
  replay_free(&r);
  return bad || how->good_too ? f : NULL;
}

struct finding *finding_of_setup(const struct client *c, enum rt_end end,
                                 struct shared *s) {
  struct arena *a = &s->arena;
  struct finding *f = arena_alloc(a, sizeof *f);
  f->block = UINT32_MAX;
  if (c)
    finding_share_client(&f->client, c, a);
  assert(end == RT_FAULT); /* set-up is never cut */
  describe_fault(f, a);
  return f;
}
