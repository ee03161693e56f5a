/*
 * Optimal DPOR against a search that is obviously right: depth-first with sleep
 * sets and nothing else.  It completes every Mazurkiewicz trace exactly once
 * (Godefroid, 1996); its other executions are cut where all who could step are
 * asleep.  DPOR must complete the same traces, each once, and be cut never.
 *
 * Both judge traces by the dependence of search/dependence.h.  That this is
 * the right one is what the comparison with dfs says: the same histories, up to
 * equal verdict.
 */
#include "engine_objects.h"

#include "search/dependence.h"

/* Sanitizers make it several times slower: less of the same then. */
#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 4, PROGRAMS = 6 };
#else
enum { CLIENTS = 12, PROGRAMS = 40 };
#endif
enum { MOST_TRACES = 4000, MOST_RUNS = 40000, MOST_NAMED = 60000 };
enum { MOST_ANSWERS = 8, NOBODY = 255 };

/* ---- traces ---- */

/* What a search has found of the prepared client. */
struct traces {
  bool real_time;
  struct map128 classes;   /* how often each was completed */
  struct map128 histories; /* up to equal verdict */
  uint64_t executions, blocked, cut;
  uint32_t faults; /* executions that a fault ended before their time */
  bool all;
};

static void traces_free(struct traces *t) {
  map128_free(&t->classes);
  map128_free(&t->histories);
}

static struct access access_of(const struct rt_logged *l) {
  return (struct access){.thread = l->thread,
                         .kind = l->kind,
                         .flags = l->flags,
                         .addr = l->addr,
                         .size = l->size,
                         .other = l->other,
                         .old = l->old,
                         .expected = l->expected};
}

struct trace_event {
  struct access a;
  uint32_t clock[RT_MAX_THREADS]; /* by thread: events before, itself too */
};

static void join(uint32_t *to, const uint32_t *from) {
  for (int t = 0; t < RT_MAX_THREADS; t++)
    if (from[t] > to[t])
      to[t] = from[t];
}

/*
 * Of program order and conflict order: a sum over the events, in any order, of
 * what each is and the set of events before it, which its clock tells.
 */
static struct hash128 trace_class(const struct rt_log *log, bool real_time) {
  static VEC(struct trace_event) events;
  uint32_t now[RT_MAX_THREADS][RT_MAX_THREADS] = {0};
  struct hash128 sum = {0};
  vec_clear(&events);
  for (uint32_t k = 0; k < log->len; k++) {
    const struct rt_logged *l = &log->at[k];
    if (l->flags & RT_LINK) {
      bool create = l->kind == EV_CREATE;
      join(now[create ? l->addr : l->thread],
           now[create ? l->thread : l->addr]);
      continue;
    }
    struct trace_event e = {.a = access_of(l)};
    memcpy(e.clock, now[l->thread], sizeof e.clock);
    for (uint32_t i = 0; i < events.len; i++)
      if (access_dependent(&events.at[i].a, &e.a, real_time))
        join(e.clock, events.at[i].clock);
    e.clock[l->thread]++;
    memcpy(now[l->thread], e.clock, sizeof e.clock);
    vec_push(&events, e);
    uint64_t what[5] = {l->thread, l->kind, l->flags & ~RT_WAITS, l->addr,
                        l->size};
    struct hash128 one = hash128_join(hash128(what, sizeof what, 0),
                                      hash128(e.clock, sizeof e.clock, 0));
    sum.lo += one.lo;
    sum.hi += one.hi;
  }
  return hash128(&sum, sizeof sum, 0);
}

/* Nobody could go on: as complete as any other end. */
static bool is_standstill(enum fault f) {
  return f == FAULT_DEADLOCK || f == FAULT_LIVELOCK;
}

static void note_history(struct traces *t, enum rt_end end) {
  uint64_t how[2] = {end, end == RT_FAULT ? rt_fault()->kind : 0};
  struct hash128 key =
      hash128_join(rt_history_hash(), hash128(how, sizeof how, 0));
  bool fresh;
  map128_put(&t->histories, key, &fresh);
  t->faults += end == RT_FAULT && !is_standstill(rt_fault()->kind);
}

static void note_trace(struct traces *t, const struct rt_log *log,
                       enum rt_end end) {
  bool fresh;
  ++*map128_put(&t->classes, trace_class(log, t->real_time), &fresh);
  note_history(t, end);
}

/* ---- the oracle: sleep sets only ---- */

struct answers {
  uint8_t n, at[MOST_ANSWERS], of[MOST_ANSWERS];
};

struct sleeper {
  struct access a;
  struct answers answers; /* a step with others is another step */
};

struct point {
  VEC(struct sleeper) sleep;
  uint32_t left; /* threads not tried yet */
  uint8_t thread;
  struct answers answers; /* in the step that is being tried */
  uint8_t known;          /* so many of them are prescribed */
};

struct oracle {
  struct traces *found;
  VEC(struct point) points;
  VEC(struct access) steps;
  struct rt_log log;
  uint32_t depth, fixed, absorbed;
  bool blocked;
};

static bool same_answers(const struct answers *a, const struct answers *b) {
  return a->n == b->n && !memcmp(a->at, b->at, a->n);
}

/* Was the step that has just been made here made before? */
static bool slept(const struct point *p) {
  for (uint32_t i = 0; i < p->sleep.len; i++)
    if (p->sleep.at[i].a.thread == p->thread &&
        same_answers(&p->sleep.at[i].answers, &p->answers))
      return true;
  return false;
}

static void oracle_absorb(struct oracle *o) {
  for (; o->absorbed < o->log.len; o->absorbed++)
    if (!(o->log.at[o->absorbed].flags & RT_LINK)) {
      vec_push(&o->steps, access_of(&o->log.at[o->absorbed]));
      o->blocked |= slept(&o->points.at[o->steps.len - 1]);
    }
}

static void oracle_enter(struct oracle *o, uint32_t enabled) {
  uint32_t k = o->depth, asleep = 0;
  if (k == o->points.len)
    vec_push(&o->points, (struct point){0});
  struct point *p = &o->points.at[k];
  vec_clear(&p->sleep);
  if (k)
    for (uint32_t i = 0; i < o->points.at[k - 1].sleep.len; i++) {
      struct sleeper *s = &o->points.at[k - 1].sleep.at[i];
      if (access_dependent(&s->a, &o->steps.at[k - 1], o->found->real_time))
        continue;
      vec_push(&p->sleep, *s);
      if (!s->answers.n) /* else it sleeps for these answers only */
        asleep |= 1u << s->a.thread;
    }
  p->left = enabled & ~asleep;
  p->thread = NOBODY;
  p->known = 0;
}

static bool oracle_next_thread(struct point *p) {
  if (!p->left)
    return false;
  p->thread = (uint8_t)__builtin_ctz(p->left);
  p->left &= p->left - 1;
  p->known = 0;
  return true;
}

static int oracle_pick(void *ctx, uint32_t enabled, int current) {
  struct oracle *o = ctx;
  (void)current;
  oracle_absorb(o);
  if (o->blocked)
    return RT_STOP;
  if (o->depth >= o->fixed) {
    oracle_enter(o, enabled);
    if (!oracle_next_thread(&o->points.at[o->depth])) {
      o->blocked = true;
      return RT_STOP;
    }
  }
  struct point *p = &o->points.at[o->depth++];
  p->answers.n = 0;
  return p->thread;
}

static int oracle_choose(void *ctx, int n) {
  struct oracle *o = ctx;
  struct point *p = &o->points.at[o->depth - 1];
  if (p->answers.n == MOST_ANSWERS)
    die("more answers in a step than the test foresees");
  uint8_t i = p->answers.n++;
  if (i >= p->known)
    p->answers.at[i] = 0;
  p->answers.of[i] = (uint8_t)n;
  return p->answers.at[i];
}

static bool oracle_next_answers(struct point *p) {
  struct answers *a = &p->answers;
  for (; a->n; a->n--)
    if (a->at[a->n - 1] + 1 < a->of[a->n - 1]) {
      a->at[a->n - 1]++;
      p->known = a->n;
      return true;
    }
  return false;
}

static bool oracle_backtrack(struct oracle *o) {
  for (uint32_t k = o->depth; k--;) {
    struct point *p = &o->points.at[k];
    if (!slept(p))
      vec_push(&p->sleep, ((struct sleeper){o->steps.at[k], p->answers}));
    if (oracle_next_answers(p) || oracle_next_thread(p)) {
      o->fixed = k + 1;
      return true;
    }
  }
  return false;
}

static void oracle_restart(struct oracle *o) {
  bool real_time = o->found->real_time;
  traces_free(o->found);
  *o->found = (struct traces){.real_time = real_time};
  o->fixed = o->depth = 0;
}

static void explore_sleep_sets(struct traces *found, uint64_t most) {
  struct oracle o = {.found = found};
  struct rt_driver driver = {oracle_pick, oracle_choose, &o, .every = true};
  bool again;
  do {
    again = false;
    o.depth = o.absorbed = o.log.len = 0;
    o.blocked = false;
    vec_clear(&o.steps);
    rt_log(&o.log);
    enum rt_end end = rt_run(&driver);
    rt_log(NULL);
    oracle_absorb(&o);
    if (rt_found_shared_stack()) {
      oracle_restart(&o);
      again = true;
      continue;
    }
    if (o.blocked) {
      found->blocked++;
    } else {
      found->cut += end == RT_CUT;
      found->executions += end != RT_CUT;
      note_trace(found, &o.log, end);
    }
    if (found->executions + found->blocked >= most)
      goto out;
  } while (again || oracle_backtrack(&o));
  found->all = true;
out:
  for (uint32_t i = 0; i < o.points.len; i++)
    vec_free(&o.points.at[i].sleep);
  vec_free(&o.points);
  vec_free(&o.steps);
  free(o.log.at);
}

/* ---- the others ---- */

struct dpor_judge {
  struct traces *found;
  struct explore *x;
};

static enum judgement note_dpor(void *ctx, enum rt_end end) {
  struct dpor_judge *j = ctx;
  if (j->x->executions + j->x->cut == 1) { /* the first, or begun again */
    bool real_time = j->found->real_time;
    traces_free(j->found);
    *j->found = (struct traces){.real_time = real_time};
  }
  note_trace(j->found, j->x->log, end);
  return JUDGE_GOOD;
}

static void explore_by_dpor(struct traces *found, uint64_t most) {
  struct explore x = {.max_executions = most,
                      .no_real_time = !found->real_time,
                      .all = true};
  struct dpor_judge j = {found, &x};
  x.judge = (struct judge){note_dpor, &j};
  found->all = explore_dpor(&x) == EXPLORE_ALL;
  found->executions = x.executions;
  found->blocked = x.blocked;
  found->cut = x.cut;
  vec_free(&x.bad);
}

static enum judgement note_dfs(void *ctx, enum rt_end end) {
  note_history(ctx, end);
  return JUDGE_GOOD;
}

static void explore_by_dfs(struct traces *found, uint64_t most) {
  struct explore x = {
      .max_executions = most, .all = true, .judge = {note_dfs, found}};
  found->all = explore_dfs(&x) == EXPLORE_ALL;
  found->executions = x.executions;
  found->cut = x.cut;
  vec_free(&x.bad);
}

/* ---- comparing ---- */

/* How many of a are not in b. */
static uint32_t missing(const struct map128 *a, const struct map128 *b) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->cap; i++)
    if (a->slots[i].epoch == a->epoch && !map128_get(b, a->slots[i].key))
      n++;
  return n;
}

struct agreement {
  uint32_t compared, skipped, faulty, with_dfs;
  uint64_t traces;
};

static bool compare_classes(const struct traces *oracle,
                            const struct traces *dpor) {
  bool ok = CHECK_INT(oracle->classes.len, oracle->executions);
  ok &= CHECK_INT(dpor->executions, oracle->executions);
  ok &= CHECK_INT(missing(&oracle->classes, &dpor->classes), 0);
  ok &= CHECK_INT(missing(&dpor->classes, &oracle->classes), 0);
  ok &= CHECK_INT(dpor->blocked, 0);
  return ok;
}

static bool compare_histories(const struct traces *dpor, uint64_t most,
                              struct agreement *sum) {
  struct traces dfs = {0};
  bool ok = true;
  explore_by_dfs(&dfs, most);
  if (dfs.all && !dfs.cut) {
    sum->with_dfs++;
    ok &= CHECK_INT(missing(&dfs.histories, &dpor->histories), 0);
    ok &= CHECK_INT(missing(&dpor->histories, &dfs.histories), 0);
  }
  traces_free(&dfs);
  return ok;
}

/*
 * A fault ends an execution in its middle: what would have raced later is not
 * seen, and nothing more is claimed than that a fault is found.
 */
static bool compare_mode(bool real_time, uint64_t most_dfs,
                         struct agreement *sum) {
  struct traces oracle = {.real_time = real_time};
  struct traces dpor = {.real_time = real_time};
  bool ok = true;
  explore_sleep_sets(&oracle, MOST_RUNS);
  explore_by_dpor(&dpor, oracle.all ? 0 : MOST_TRACES);
  if (oracle.faults || dpor.faults) {
    sum->faulty++;
    if (oracle.all)
      ok = CHECK(oracle.faults && dpor.faults);
  } else if (!oracle.all || oracle.cut) {
    sum->skipped++;
    ok = CHECK_INT(dpor.blocked, 0);
  } else {
    sum->compared++;
    sum->traces += oracle.executions;
    ok = compare_classes(&oracle, &dpor);
    if (ok && real_time)
      ok = compare_histories(&dpor, most_dfs, sum);
  }
  traces_free(&oracle);
  traces_free(&dpor);
  return ok;
}

/* Prepares the client and compares; false: they disagree. */
static bool compare(const struct client *c, uint64_t most_dfs,
                    struct agreement *sum) {
  bool ok = true;
  for (int real_time = 0; real_time < 2 && ok; real_time++) {
    if (rt_prepare(engine.suite, c) != RT_DONE) {
      sum->skipped++;
      break;
    }
    ok = compare_mode(real_time, most_dfs, sum);
    if (!ok)
      fprintf(stderr, "  client %s, real time %d\n", engine_text(c),
              real_time);
  }
  return ok;
}

static struct agreement compare_random(uint64_t seed, uint32_t clients) {
  struct agreement sum = {0};
  struct rng rng = {seed};
  struct gen_limits limits = {.threads = 3, .ops = 3, .init = 2};
  struct generator *g = generator_new(&engine.object, &limits);
  for (uint32_t i = 0; i < clients; i++) {
    struct client c;
    uint32_t threads = 2 + (uint32_t)rng_below(&rng, 2);
    uint32_t ops = 1 + (uint32_t)rng_below(&rng, threads == 2 ? 3 : 2);
    if (!generator_random(g, &rng, threads, ops, &c))
      break;
    bool ok = compare(&c, MOST_TRACES, &sum);
    client_free(&c);
    if (!ok)
      break;
  }
  generator_free(g);
  return sum;
}

/* ---- objects ---- */

static void compare_object(void *arg) {
  struct engine_object *o = arg;
  engine_open(o->so, &o->options);
  struct agreement sum = {0};
  if (o->client) {
    struct client c = {0};
    engine_client(&c, o->client);
    compare(&c, MOST_NAMED, &sum);
    client_free(&c);
  }
  sum = compare_random(1, CLIENTS);
  CHECK(sum.compared + sum.faulty >= CLIENTS / 2);
  if (test_errors || getenv("VERBOSE"))
    fprintf(stderr,
            "  object: %s (%u compared, %u with dfs, %u skipped, %u with "
            "faults, %llu traces)\n",
            o->name, sum.compared, sum.with_dfs, sum.skipped, sum.faulty,
            (unsigned long long)sum.traces);
}

TEST(they_agree_on_objects) {
  for (size_t i = 0; i < ENGINE_OBJECTS; i++) {
    struct engine_object *o = &engine_objects[i];
    o->so = engine_build(o->text, "-O1");
    engine_child(compare_object, o);
    free(o->so);
  }
}

TEST_MAIN
