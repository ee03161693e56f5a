#include "hunt/finding.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void *in_arena(struct arena *a, const void *from, size_t size) {
  return size ? arena_copy(a, from, size) : arena_alloc(a, 1);
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

void finding_share_results(expected_list *to, const expected_list *from,
                           struct arena *a) {
  *to = (expected_list){0};
  to->at = arena_alloc(a, (from->len + 1) * sizeof *to->at);
  for (uint32_t i = 0; i < from->len; i++)
    value_copy(&to->at[to->len++], from->at[i], a);
}

static void share_refutations(struct finding *f, struct checker *j,
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
    finding_share_results(&to->also, &list.at[i].also, a);
  }
  check_free_refutations(&list);
}

/* Is it only that a store was not visible when its call returned? */
static bool is_only_late(struct checker *j, const struct history *h) {
  enum { EFFORT = 1000000 };
  struct check weaker = {0};
  if (!rt_tso() || j->criterion != CRITERION_LINEARIZABLE)
    return false;
  check_linearize(h, j->spec, CRITERION_HAPPENS_BEFORE, EFFORT, &weaker);
  bool is = weaker.answer == CHECK_YES;
  check_free(&weaker);
  return is;
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

/* The access that races with the one at fault, in the trace. */
static uint32_t event_of_race(const struct trace *t, const struct rt_fault *e) {
  for (uint32_t i = t->nevents; i--;) {
    const struct event *v = &t->events[i];
    if (v->thread == e->race.thread && v->pc == e->race.pc && v->size &&
        v->addr <= e->addr && e->addr < v->addr + v->size)
      return i + 1;
  }
  return 0;
}

/* A thread that can make a step only goes round, or makes too many. */
static void drop_enabled(struct finding *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->waiting.len; i++)
    if (!(rt_enabled() >> f->waiting.at[i].thread & 1) &&
        f->waiting.at[i].thread)
      f->waiting.at[n++] = f->waiting.at[i];
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
  f->round = e->round;
  for (uint32_t i = f->trace.nevents; i--;)
    if (f->trace.events[i].kind == EV_FAULT) {
      f->chain = f->trace.events[i].chain;
      break;
    }
  if (e->kind == FAULT_DATA_RACE)
    f->other = event_of_race(&f->trace, e);
  if (e->kind == FAULT_DEADLOCK || e->kind == FAULT_LIVELOCK ||
      e->kind == FAULT_PROGRESS)
    share_waiting(f, a);
  if (e->kind == FAULT_PROGRESS)
    drop_enabled(f);
}

/*
 * Are the values equal, or both addresses of the C library's own memory (a
 * FILE, a locale)?  Those differ from one execution to the next, since the
 * library's allocator is not reset.
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

/* A RETURN of a string holds its address, which differs from run to run. */
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

static void put_event(struct buf *b, const struct trace *t, uint32_t i) {
  if (i >= t->nevents) {
    buf_puts(b, "is at its end");
    return;
  }
  const struct event *e = &t->events[i];
  buf_printf(b, e->thread ? "has T%u" : "has main", (unsigned)e->thread);
  buf_printf(b, " %s", event_word[e->kind]);
  if (e->addr)
    buf_printf(b, " %#llx: %#llx", (unsigned long long)e->addr,
               (unsigned long long)e->value[0]);
}

static char *describe_difference(const struct trace *first,
                                 const struct trace *second, uint32_t at,
                                 struct arena *a) {
  struct buf b = {0};
  buf_puts(&b, "the same schedule did not give the same execution: where the "
               "first run ");
  put_event(&b, first, at);
  buf_puts(&b, ", the second ");
  put_event(&b, second, at);
  buf_puts(&b, "; the code depends on something that Faultline does not "
               "control, such as uninitialised memory, the real time or the "
               "environment");
  char *text = arena_strdup(a, buf_text(&b));
  buf_free(&b);
  return text;
}

/* Replays a path that leaves out the steps without an alternative. */
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

static int choose_inner(void *ctx, int n) {
  struct chooser *c = ctx;
  return c->inner.choose(c->inner.ctx, n);
}

/* Records the execution, into memory that outlives the worker if there is
 * some. */
static enum rt_end record(struct replay *r, bool only_choices, struct work *s,
                          struct trace *out) {
  struct chooser c = {r, r->driver};
  struct rt_driver d = {pick_if_any, choose_inner, &c, .every = true};
  const struct rt_driver *driver = only_choices ? &d : &r->driver;
  if (!s->recording)
    return rt_run_recorded(driver, &s->arena, out);
  struct arena room;
  arena_init_fixed(&room, s->recording->room, sizeof s->recording->room);
  enum rt_end end = rt_run_recorded(driver, &room, &s->recording->trace);
  *out = s->recording->trace;
  return end;
}

static bool is_plain(const struct event *e) {
  return (e->kind == EV_READ || e->kind == EV_WRITE) && e->size;
}

static bool are_racing(const struct event *a, const struct event *b) {
  return a->thread != b->thread && is_plain(a) && is_plain(b) &&
         (a->kind == EV_WRITE || b->kind == EV_WRITE) &&
         a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static bool synchronises(const struct event *e) {
  return event_reads[e->kind] || event_writes[e->kind] ? !is_plain(e)
                                                       : e->addr != 0;
}

/* Did the thread exist before event k? */
static bool begun_before(const struct trace *t, uint8_t thread, uint32_t k) {
  for (uint32_t i = 0; i < t->nevents; i++)
    if (t->events[i].kind == EV_CREATE && t->events[i].value[0] == thread)
      return i < k;
  return true;
}

/* Do two threads conflict by plain accesses that nothing but creating and
 * joining threads could order? */
static bool has_data_race(const struct trace *t) {
  uint64_t joined = 0;
  bool found = false;
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    if (e->kind == EV_JOIN)
      joined |= 1ull << e->value[0] % 64;
    else if (synchronises(e))
      return false;
    for (uint32_t k = 0; k < i && !found; k++)
      found = are_racing(&t->events[k], e) &&
              !(joined >> t->events[k].thread % 64 & 1) &&
              begun_before(t, e->thread, k) &&
              begun_before(t, t->events[k].thread, k);
  }
  return found;
}

/*
 * The object is its own specification, and a client with one thread has two
 * results: they depend on threads that the operation itself creates.  If those
 * race, the race is the fault.  Else both results may be intended, and the
 * object is no specification.
 */
static void explain_own_threads(struct finding *f, struct arena *a) {
  bool race = has_data_race(&f->trace);
  if (!race)
    f->fault = FAULT_DIVERGENCE;
  f->detail = arena_strdup(
      a, race ? "run alone, it does not always return the same, since it races "
                "with a thread that it creates"
              : "run alone, it does not always return the same: that depends "
                "on the order in which its own threads run. The object itself, "
                "run sequentially, is no specification then: write one "
                "(FL_SPEC)");
}

struct finding *finding_make(struct checker *j, struct retrace *how,
                             struct work *s) {
  struct arena *a = &s->arena;
  struct finding *f = arena_alloc(a, sizeof *f);
  struct replay r;
  replay_init(&r, how->at, how->len);
  enum rt_end end = record(&r, how->only_choices, s, &f->trace);
  how->diverged = r.diverged;
  f->block = UINT32_MAX;
  if (j->client) {
    finding_share_client(&f->client, j->client, a);
    f->trace.history.client = &f->client;
  }
  share_schedule(&f->schedule, r.taken.at, r.taken.len, a);

  bool bad = false, beginning = checker_judges_beginning(j, end);
  if (end == RT_FAULT && !beginning) {
    describe_fault(f, a);
    bad = true;
  } else if ((end != RT_CUT || beginning) && j->spec) {
    if (end == RT_STUCK) /* now: the check may run the object */
      share_waiting(f, a);
    /* The engine's history, since the strings of the trace are copies. */
    struct history h = *rt_history();
    h.ops = in_arena(a, h.ops, h.client->ncalls * sizeof *h.ops);
    check_linearize(&h, j->spec, j->criterion, 0, &j->check);
    bad = j->check.answer == CHECK_NO ||
          (j->check.answer == CHECK_SPEC_FAULT && !beginning);
    if (bad) {
      f->fault =
          h.client->nthreads == 1 ? FAULT_SEQUENTIAL : FAULT_NOT_LINEARIZABLE;
      share_refutations(f, j, &h, a);
      f->only_late = is_only_late(j, &h);
      if (f->fault == FAULT_SEQUENTIAL && j->implementation &&
          j->check.answer == CHECK_NO)
        explain_own_threads(f, a);
    }
  } else if (end == RT_CUT) {
    f->detail = arena_strdup(a, "the execution was cut at --max-steps");
  }
  /* The same schedule must give the same trace. */
  struct trace second;
  struct replay again;
  replay_init(&again, r.taken.at, r.taken.len);
  rt_run_recorded(&again.driver, a, &second);
  uint32_t diff = first_difference(&f->trace, &second);
  if (diff != UINT32_MAX) {
    const struct event *e =
        diff < f->trace.nevents ? &f->trace.events[diff] : &second.events[diff];
    f->fault = FAULT_DIVERGENCE;
    f->again = second;
    f->again.history.client = f->trace.history.client; /* a copy */
    f->pc = e->pc;
    f->thread = e->thread;
    f->chain = e->chain;
    f->detail = describe_difference(&f->trace, &second, diff, a);
    bad = true;
  }
  replay_free(&again);
  replay_free(&r);
  return bad || how->good_too ? f : NULL;
}

struct finding *finding_of_setup(const struct client *c, enum rt_end end,
                                 struct work *s) {
  struct arena *a = &s->arena;
  struct finding *f = arena_alloc(a, sizeof *f);
  f->block = UINT32_MAX;
  if (c)
    finding_share_client(&f->client, c, a);
  assert(end == RT_FAULT); /* set-up is never cut */
  describe_fault(f, a);
  return f;
}
