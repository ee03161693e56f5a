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
enum { CLIENTS = 8, PROGRAMS = 24 };
#endif
enum {
  MOST_BOUNDED = 3000,
  MOST_TRACES = 4000,
  MOST_RUNS = 8000,
  MOST_NAMED = 60000
};
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
  bool chose; /* there were other choices than who steps */
};

static void traces_free(struct traces *t) {
  map128_free(&t->classes);
  map128_free(&t->histories);
}

struct trace_event {
  struct step_access a;
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
    uint64_t what[6] = {l->thread, l->kind, l->flags & ~RT_WAITS,
                        l->addr,   l->size, l->answers};
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
  struct step_access a;
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
  bool plain;     /* no sleep sets: all interleavings … */
  uint32_t bound; /* … of which those count with so few preemptions */
  VEC(struct point) points;
  VEC(struct step_access) steps;
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
      o->blocked |= !o->plain && slept(&o->points.at[o->steps.len - 1]);
    }
}

static void oracle_enter(struct oracle *o, uint32_t enabled) {
  uint32_t k = o->depth, asleep = 0;
  if (k == o->points.len)
    vec_push(&o->points, (struct point){0});
  struct point *p = &o->points.at[k];
  vec_clear(&p->sleep);
  if (k && !o->plain)
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
  o->found->chose = true;
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

/* Switches away from a thread that could go on. */
static uint32_t preemptions(const struct rt_log *log) {
  uint32_t n = 0;
  uint8_t current = 0;
  for (uint32_t k = 0; k < log->len; k++) {
    const struct rt_logged *l = &log->at[k];
    if (l->flags & RT_LINK || l->kind == EV_COMMIT)
      continue;
    n += l->thread != current && l->enabled >> current & 1;
    current = l->thread;
  }
  return n;
}

static void run_oracle(struct oracle *, uint64_t most);

static void explore_sleep_sets(struct traces *found, uint64_t most) {
  struct oracle o = {.found = found};
  run_oracle(&o, most);
}

/* The traces of all interleavings that have few enough preemptions. */
static void explore_bounded(struct traces *found, uint32_t bound,
                            uint64_t most) {
  struct oracle o = {.found = found, .plain = true, .bound = bound};
  run_oracle(&o, most);
}

static void run_oracle(struct oracle *oracle, uint64_t most) {
  struct oracle o = *oracle;
  struct traces *found = o.found;
  struct rt_driver driver = {oracle_pick, oracle_choose, &o, .every = true};
  bool again, awaits = rt_awaits(true);
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
      if (!o.plain || preemptions(&o.log) <= o.bound)
        note_trace(found, &o.log, end);
    }
    if (found->executions + found->blocked >= most)
      goto out;
  } while (again || oracle_backtrack(&o));
  found->all = true;
out:
  rt_awaits(awaits);
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

static void run_dpor(struct traces *found, struct explore x) {
  x.no_real_time = !found->real_time;
  x.all = true;
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

static void explore_by_dpor(struct traces *found, uint64_t most) {
  run_dpor(found, (struct explore){.max_executions = most});
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
  uint32_t compared, skipped, faulty, with_dfs, bounded;
  uint64_t traces;
};

static bool compare_classes(const struct traces *oracle,
                            const struct traces *dpor) {
  bool ok = CHECK_INT(missing(&oracle->classes, &dpor->classes), 0);
  ok &= CHECK_INT(missing(&dpor->classes, &oracle->classes), 0);
  ok &= CHECK_INT(oracle->classes.len, oracle->executions);
  ok &= CHECK_INT(dpor->executions, oracle->executions);
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

/* With few preemptions: exactly the traces that have such an interleaving. */
static bool compare_bounded(bool real_time, struct agreement *sum) {
  bool ok = true;
  for (uint32_t bound = 0; bound < 3 && ok; bound++) {
    struct traces oracle = {.real_time = real_time};
    struct traces dpor = {.real_time = real_time};
    explore_bounded(&oracle, bound, MOST_BOUNDED);
    if (oracle.all && !oracle.cut) {
      sum->bounded++;
      run_dpor(&dpor, (struct explore){.bound_preemptions = true,
                                       .preemptions = bound});
      ok &= CHECK_INT(missing(&oracle.classes, &dpor.classes), 0);
      ok &= CHECK_INT(missing(&dpor.classes, &oracle.classes), 0);
      ok &= CHECK_INT(dpor.executions, oracle.classes.len);
    }
    traces_free(&oracle);
    traces_free(&dpor);
  }
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
    ok = ok && compare_bounded(real_time, sum);
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
      fprintf(stderr, "  client %s, real time %d\n", engine_text(c), real_time);
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
            "  object: %s (%u compared, %u with dfs, %u bounded, %u skipped, "
            "%u with faults, %llu traces)\n",
            o->name, sum.compared, sum.with_dfs, sum.bounded, sum.skipped,
            sum.faulty, (unsigned long long)sum.traces);
}

TEST(they_agree_on_objects) {
  for (size_t i = 0; i < ENGINE_OBJECTS; i++) {
    struct engine_object *o = &engine_objects[i];
    o->so = engine_build(o->text, "-O1");
    engine_child(compare_object, o);
    free(o->so);
  }
}

/* ---- random programs ---- */

enum { FUNCTIONS = 4, PROGRAM_CLIENTS = 6 };

static const char *const statements[] = {
    "r += a;",
    "a = r;",
    "a = a + 1;",
    "b = a;",
    "r += atomic_load(&x);",
    "atomic_store(&x, r & 3);",
    "r += atomic_fetch_add(&x, 1);",
    "if (atomic_load(&x) == k) return r;",
    "{ int e = 0; if (atomic_compare_exchange_strong(&y, &e, 1)) r += 4; }",
    "{ int e = 1; if (atomic_compare_exchange_strong(&y, &e, 0)) return r; }",
    "{ int e = 0; if (atomic_compare_exchange_weak(&x, &e, 1)) r += 32; }",
    "{ int e = 0; if (!atomic_compare_exchange_weak(&y, &e, 2)) return r; }",
    "r += atomic_exchange(&y, 0);",
    "own[k] = r;",
    "pthread_mutex_lock(&m); a += 2; r += a; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_mutex_lock(&n); b++;\n"
    "  pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
    "if (!pthread_mutex_trylock(&m)) { r += 8; pthread_mutex_unlock(&m); }",
    "if (!pthread_mutex_trylock(&n)) { b = r; pthread_mutex_unlock(&n); }",
    "pthread_rwlock_rdlock(&w); r += b; pthread_rwlock_unlock(&w);",
    "pthread_rwlock_wrlock(&w); b++; pthread_rwlock_unlock(&w);",
    "sem_post(&s);",
    "sem_wait(&s);",
    "if (!sem_trywait(&s)) r += 16;",
    "while (atomic_flag_test_and_set(&l)); r++; atomic_flag_clear(&l);",
    "while (atomic_load(&y));",
    "while (atomic_load(&y) && !atomic_load(&x));",
    "while (atomic_load(&x) > 1 || atomic_load(&y) == 2);",
    "while (atomic_load(&x) && !atomic_exchange(&y, 0)) r = 1;",
    "pthread_mutex_lock(&m); if (!b) pthread_cond_wait(&c, &m);\n"
    "  pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); b = 1; pthread_cond_signal(&c);\n"
    "  pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m);\n"
    "  pthread_mutex_unlock(&m);",
    "pthread_cond_signal(&c);",
    "pthread_cond_broadcast(&c);",
    "bytes[k & 1] = (unsigned char)r; r += *(short *)bytes;",
    "{ pthread_t t; pthread_create(&t, 0, body, 0); r += a;\n"
    "  pthread_join(t, 0); }",
    "pthread_once(&o, first);",
    "r += b; pthread_once(&o, first); b = r;",
    "pthread_once(&q, second); r += a;",
    "if (k) r += pthread_barrier_wait(&g) ? 1 : 2;",
    "if (!pthread_mutex_timedlock(&m, &soon)) {\n"
    "    b += 2; pthread_mutex_unlock(&m); }",
    "if (!sem_timedwait(&s, &soon)) r += 64;",
    "pthread_mutex_lock(&m); r += pthread_cond_timedwait(&c, &m, &soon) != 0;\n"
    "  pthread_mutex_unlock(&m);",
    "if (!pthread_rwlock_tryrdlock(&w)) { r += b; pthread_rwlock_unlock(&w); }",
    "if (!pthread_rwlock_trywrlock(&w)) { b++; pthread_rwlock_unlock(&w); }",
    "pthread_spin_lock(&z); b++; pthread_spin_unlock(&z);",
    "tl = r; atomic_store(&there, &tl);",
    "tl++; tl += 2;",
    "{ volatile int *t = atomic_load(&there); if (t) r += *t; }",
    "{ volatile int v = 0; pthread_t t; pthread_create(&t, 0, add, (int "
    "*)&v);\n"
    "  v = r; pthread_join(t, 0); r += v; }",
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

static void write_program(struct rng *rng, struct buf *out) {
  buf_puts(out, HEAD
           "static int a, b;\nstatic long own[4];\n"
           "static atomic_int x, y;\n"
           "static _Alignas(8) unsigned char bytes[8];\n"
           "static atomic_flag l = ATOMIC_FLAG_INIT;\nstatic sem_t s;\n"
           "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
           "static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;\n"
           "static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;\n"
           "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
           "static pthread_once_t o = PTHREAD_ONCE_INIT;\n"
           "static pthread_once_t q = PTHREAD_ONCE_INIT;\n"
           "static pthread_barrier_t g;\n"
           "static pthread_spinlock_t z;\n"
           "static const struct timespec soon = {1, 0};\n"
           "static _Thread_local volatile int tl;\n"
           "static _Atomic(volatile int *) there;\n"
           "static void first(void) { a++; }\n"
           "static void second(void) { pthread_mutex_lock(&m); b++;\n"
           "  pthread_mutex_unlock(&m); }\n"
           "static void *add(void *p) { ++*(volatile int *)p; return p; }\n"
           "static void *body(void *p) { a++; return p; }\n"
           "static void set_up(void) { pthread_barrier_init(&g, 0, 2);\n"
           "  pthread_spin_init(&z, 0); }\n"
           "FL_OBJECT(random, set_up)\n");
  for (int f = 0; f < FUNCTIONS; f++) {
    buf_printf(out, "static int f%d(int k) {\n  int r = 0;\n  (void)k;\n", f);
    uint64_t n = 1 + rng_below(rng, 3);
    while (n--)
      buf_printf(out, "  %s\n", statements[rng_below(rng, STATEMENTS)]);
    buf_printf(
        out, "  return r;\n}\nFL_OP(int, f%d, FL_INT(0, 3), FL_BLOCKING)\n", f);
  }
}

struct program {
  char *so;
  uint64_t seed;
  const char *text;
};

static void compare_program(void *arg) {
  struct program *p = arg;
  /* Half of them with weak compare-and-swaps that fail for no reason, half with
   * waits that end for none. */
  engine_open(p->so, &(struct rt_options){.spurious_cas = p->seed / 2 % 2,
                                          .wake_ups = p->seed % 2});
  struct agreement sum = compare_random(p->seed, PROGRAM_CLIENTS);
  CHECK(sum.compared > 0);
  if (test_errors)
    fprintf(stderr, "  seed %llu of\n%s\n", (unsigned long long)p->seed,
            p->text);
}

TEST(they_agree_on_random_programs) {
  const char *more = getenv("PROGRAMS"); /* to search for longer by hand */
  uint64_t programs = more ? strtoull(more, NULL, 10) : PROGRAMS;
  const char *from = getenv("FIRST_PROGRAM");
  uint64_t seed = from ? strtoull(from, NULL, 10) : 1;
  for (; seed <= programs && !test_errors; seed++) {
    struct rng rng = {seed};
    struct buf text = {0};
    write_program(&rng, &text);
    struct program p = {.seed = seed, .text = buf_text(&text)};
    p.so = engine_build(p.text, seed % 2 ? "-O1" : "-O2");
    engine_child(compare_program, &p);
    free(p.so);
    buf_free(&text);
  }
}

/* ---- numbers that are known ---- */

struct counted {
  const char *file, *defines;
  uint64_t traces;
  bool by_oracle; /* it takes longer: small ones only */
  char *so;
};

/* Two other model checkers, one of which counts execution graphs and one of
 * which is an optimal DPOR, agree on these numbers. */
static struct counted counts[] = {
    {"treiber", "#define PUSHERS 2\n#define POPPERS 2\n", 164, true, NULL},
    {"treiber", "#define PUSHERS 0\n#define POPPERS 0\n#define BOTH 2\n", 40,
     true, NULL},
    {"treiber", "#define PUSHERS 0\n#define POPPERS 0\n#define BOTH 3\n", 25680,
     false, NULL},
    {"michael_scott", "#define PUTTERS 2\n#define GETTERS 2\n", 11198, false,
     NULL},
    {"michael_scott", "#define PUTTERS 1\n#define GETTERS 1\n", 4, true, NULL},
    {"michael_scott", "#define PUTTERS 1\n#define GETTERS 2\n", 67, true, NULL},
    {"michael_scott", "#define PUTTERS 2\n#define GETTERS 1\n", 188, true,
     NULL},
    {"two_locks", "#define PUTTERS 2\n#define GETTERS 2\n", 16, true, NULL},
    {"two_locks", "#define PUTTERS 3\n#define GETTERS 3\n", 288, true, NULL},
    {"harris", "#define PRESENT 1\n", 8, true, NULL},
    {"harris", "#define ADDERS 2\n", 38, true, NULL},
    {"harris", "#define LOOKERS 1\n#define PRESENT 1\n", 102, true, NULL},
};

static void count_traces(void *arg) {
  struct counted *c = arg;
  engine_open(c->so, NULL);
  CHECK_INT(rt_prepare(NULL, NULL), RT_DONE);
  struct traces dpor = {0}, oracle = {0};
  explore_by_dpor(&dpor, 0);
  CHECK(dpor.all);
  CHECK_INT(dpor.executions, c->traces);
  CHECK_INT(dpor.classes.len, c->traces);
  CHECK_INT(dpor.blocked, 0);
  if (c->by_oracle) {
    explore_sleep_sets(&oracle, UINT64_MAX);
    CHECK_INT(oracle.executions, c->traces);
  }
  if (test_errors)
    fprintf(stderr, "  program: %s with\n%s", c->file, c->defines);
  traces_free(&dpor);
  traces_free(&oracle);
}

TEST(the_numbers_of_traces_of_known_programs_are_right) {
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    struct counted *c = &counts[i];
    struct buf text = {0};
    buf_printf(&text, "%s#include \"%s/../tests/clients/dpor/%s.c\"\n",
               c->defines, FL_SOURCE_INCLUDE, c->file);
    c->so = engine_build(buf_text(&text), "-O1");
    engine_child(count_traces, c);
    free(c->so);
    buf_free(&text);
  }
}

/*
 * The same with real time.  A word of the call's own is written before and
 * after the operation, so that its call and its return are steps of their own.
 */
struct counted_client {
  const char *text, *client;
  uint64_t traces;
  char *so;
};

#define ENTER                                                                  \
  "static atomic_int own[8];\n#define ENTER atomic_store(&own[k], 1)\n"
#define LEAVE "#define LEAVE atomic_store(&own[k], 2)\n"

static struct counted_client counted_clients[] = {
    {HEAD ENTER LEAVE
     "struct node { int v; struct node *next; };\n"
     "static struct node pool[8];\nstatic _Atomic(struct node *) top;\n"
     "static void push(int k) { ENTER; struct node *n = &pool[k];\n"
     "  n->v = k; n->next = atomic_load(&top);\n"
     "  struct node *t = n->next;\n"
     "  while (!atomic_compare_exchange_strong(&top, &t, n)) n->next = t;\n"
     "  LEAVE; }\n"
     "static int pop(int k) { ENTER; struct node *n = atomic_load(&top);\n"
     "  while (n && !atomic_compare_exchange_strong(&top, &n, n->next));\n"
     "  int v = n ? n->v : -1; LEAVE; return v; }\n"
     "FL_OBJECT(stack)\nFL_OP(void, push, FL_INT(0, 7))\n"
     "FL_OP(int, pop, FL_INT(0, 7))\n",
     "{push(1)} || {push(2)} || {pop(3)} || {pop(4)}", 2634, NULL},
    {HEAD ENTER LEAVE
     "struct node { int v; _Atomic(struct node *) next; };\n"
     "static struct node pool[8];\n"
     "static _Atomic(struct node *) head = pool, tail = pool;\n"
     "static void put(int k) { ENTER; struct node *n = &pool[k];\n"
     "  for (;;) { struct node *t = atomic_load(&tail);\n"
     "    struct node *s = atomic_load(&t->next);\n"
     "    if (t != atomic_load(&tail)) continue;\n"
     "    if (s) atomic_compare_exchange_strong(&tail, &t, s);\n"
     "    else if (atomic_compare_exchange_strong(&t->next, &s, n)) {\n"
     "      atomic_compare_exchange_strong(&tail, &t, n); break; } }\n"
     "  LEAVE; }\n"
     "static int get(int k) { ENTER; int v = -1;\n"
     "  for (;;) { struct node *h = atomic_load(&head);\n"
     "    struct node *t = atomic_load(&tail);\n"
     "    struct node *s = atomic_load(&h->next);\n"
     "    if (h != atomic_load(&head)) continue;\n"
     "    if (h == t) { if (!s) break;\n"
     "      atomic_compare_exchange_strong(&tail, &t, s); continue; }\n"
     "    v = s->v; if (atomic_compare_exchange_strong(&head, &h, s)) break;\n"
     "    v = -1; }\n"
     "  LEAVE; return v; }\n"
     "FL_OBJECT(queue)\nFL_OP(void, put, FL_INT(0, 7))\n"
     "FL_OP(int, get, FL_INT(0, 7))\n",
     "{put(1)} || {put(2)} || {get(3)}", 380, NULL},
};

static void count_with_real_time(void *arg) {
  struct counted_client *p = arg;
  engine_open(p->so, NULL);
  struct client c = {0};
  engine_client(&c, p->client);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct traces dpor = {.real_time = true}, oracle = {.real_time = true};
  explore_by_dpor(&dpor, 0);
  explore_sleep_sets(&oracle, UINT64_MAX);
  CHECK_INT(oracle.executions, p->traces);
  CHECK_INT(dpor.executions, p->traces);
  CHECK_INT(dpor.classes.len, p->traces);
  CHECK_INT(dpor.blocked, 0);
  traces_free(&dpor);
  traces_free(&oracle);
  client_free(&c);
}

TEST(the_numbers_with_calls_and_returns_are_right) {
  for (size_t i = 0; i < 2; i++) {
    counted_clients[i].so = engine_build(counted_clients[i].text, "-O1");
    engine_child(count_with_real_time, &counted_clients[i]);
    free(counted_clients[i].so);
  }
}

/* ---- what it says of itself ---- */

struct progress {
  volatile double share;
  double most;
  uint32_t looks;
};

static enum judgement watch_share(void *ctx, enum rt_end end) {
  struct progress *p = ctx;
  (void)end;
  CHECK(p->share >= 0 && p->share <= 1);
  p->most = p->share > p->most ? p->share : p->most;
  p->looks++;
  return JUDGE_GOOD;
}

static void follow_progress(void *so) {
  engine_open(so, NULL);
  CHECK_INT(rt_prepare(NULL, NULL), RT_DONE);
  struct progress p = {0};
  struct explore x = {.judge = {watch_share, &p}, .share = &p.share};
  CHECK_INT(explore_dpor(&x), EXPLORE_ALL);
  CHECK(p.looks > 1000);
  CHECK(p.most > 0.5 && p.most < 1); /* it went up on the way … */
  CHECK(p.share == 1);               /* … and is all at the end */
}

TEST(the_share_that_is_done_goes_up_to_1) {
  struct buf text = {0};
  buf_printf(&text,
             "#define PUTTERS 2\n#define GETTERS 2\n"
             "#include \"%s/../tests/clients/dpor/michael_scott.c\"\n",
             FL_SOURCE_INCLUDE);
  char *so = engine_build(buf_text(&text), "-O1");
  engine_child(follow_progress, so);
  free(so);
  buf_free(&text);
}

static enum judgement always_good(void *ctx, enum rt_end end) {
  (void)ctx, (void)end;
  return JUDGE_GOOD;
}

static void diverge(void *so) {
  engine_open(so, NULL);
  struct client c = {0};
  engine_client(&c, "{f()} || {f(); f()}");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct explore x = {.judge = {always_good, NULL}};
  CHECK_INT(explore_dpor(&x), EXPLORE_DIVERGED);
  client_free(&c);
}

/* Memory that the engine does not restore counts the executions. */
TEST(what_is_run_again_and_goes_another_way_ends_the_search) {
  char *so = engine_build(
      HEAD "#include <sys/mman.h>\n"
           "static atomic_int x, y;\nstatic int *count;\n"
           "static void new(void) {\n"
           "  count = mmap((void *)0x300000000000, 4096,\n"
           "               PROT_READ | PROT_WRITE,\n"
           "               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); }\n"
           "static void f(void) {\n"
           "  atomic_store(++*count % 7 ? &x : &y, 1); }\n"
           "FL_OBJECT(counter, new)\nFL_OP(void, f)\n",
      NULL);
  engine_child(diverge, so);
  free(so);
}

/* ---- the real-time order ---- */

static uint32_t unexplained(const struct client *c, const char *search) {
  struct engine_found f = {.client = c};
  struct explore x = {.judge = {engine_note, &f}, .all = true};
  if (!strcmp(search, "dfs"))
    CHECK_INT(explore_dfs(&x), EXPLORE_ALL);
  else if (!strcmp(search, "stateful"))
    CHECK_INT(explore_stateful(&x), EXPLORE_ALL);
  else {
    x.no_real_time = !strcmp(search, "dpor without real time");
    CHECK_INT(explore_dpor(&x), EXPLORE_ALL);
    CHECK_INT(x.blocked, 0);
  }
  uint32_t bad = engine_check(&f);
  engine_free(&f);
  vec_free(&x.bad);
  return bad;
}

/*
 * both() reads y, then x.  It may see a and not b although b had returned when
 * a was called, which is in no location and no sequence explains.  The one
 * execution of this trace that dpor runs without real time is a, both, b.
 */
static void real_time_alone(void *so) {
  engine_open(so, NULL);
  struct client c = {0};
  engine_client(&c, "{a()} || {both()} || {b()}");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  CHECK(unexplained(&c, "dfs") > 0);
  CHECK(unexplained(&c, "stateful") > 0);
  CHECK(unexplained(&c, "dpor") > 0);
  CHECK_INT(unexplained(&c, "dpor without real time"), 0);
  client_free(&c);
}

TEST(a_violation_of_the_real_time_order_alone_needs_real_time) {
  char *so = NULL;
  for (size_t i = 0; i < ENGINE_OBJECTS; i++)
    if (strstr(engine_objects[i].name, "only the real-time order"))
      so = engine_build(engine_objects[i].text, NULL);
  engine_child(real_time_alone, so);
  free(so);
}

TEST_MAIN
