/*
 * Regions that are not to be interrupted, against their definition: of all
 * executions without regions, recorded, those in which a thread that was inside
 * of a region and could have gone on was never passed over.  Who is inside is
 * computed from the traces: places and activations of a thread's accesses.
 *
 * Regions are sets of places that occur, with random relations of staying
 * inside: the engine has no idea of what a block is, and needs none.
 *
 * The histories of the executions that are left are those of dfs with the
 * regions set; the search over states finds the same, and with the reduction
 * what stateful_dfs.c asks for.
 */
#include "engine_objects.h"
#include "random_program.h"

#include "model/region.h"

#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 1, PROGRAMS = 3 };
#else
enum { CLIENTS = 2, PROGRAMS = 12 };
#endif
enum { SETS = 5, MOST_EXECUTIONS = 500 };

/* ---- all executions, recorded ---- */

struct choice {
  uint32_t left; /* not tried yet */
  uint32_t of;   /* who or what could be chosen */
  uint32_t step; /* its number */
  uint8_t taken;
  bool is_data;
};

struct every {
  VEC(struct choice) stack;
  uint32_t depth;
  struct arena arena;
};

static int decide(struct every *x, uint32_t of, bool is_data) {
  if (x->depth == x->stack.len) {
    struct choice c = {.left = of & (of - 1),
                       .of = of,
                       .step = rt_steps() + 1,
                       .taken = (uint8_t)__builtin_ctz(of),
                       .is_data = is_data};
    vec_push(&x->stack, c);
  }
  return x->stack.at[x->depth++].taken;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  (void)current;
  return decide(ctx, enabled, false);
}

static int choose(void *ctx, int n) { return decide(ctx, (1u << n) - 1, true); }

static bool backtrack(struct every *x) {
  for (; x->stack.len; x->stack.len--) {
    struct choice *c = &vec_last(&x->stack);
    if (c->left) {
      c->taken = (uint8_t)__builtin_ctz(c->left);
      c->left &= c->left - 1;
      return true;
    }
  }
  return false;
}

/* ---- what a trace says ---- */

static bool is_access(const struct event *e) {
  switch (e->kind) {
  case EV_CALL:
  case EV_RETURN:
  case EV_ALLOC:
  case EV_FENCE:
  case EV_CREATE:
  case EV_EXIT:
  case EV_SHOW:
  case EV_FAULT:
    return false;
  }
  return true;
}

/* Where activation `a` was when the event was made; 0: it was not active.
 * *inner: the activation that it had called, 0 if the event was its own. */
static uint64_t place_in(const struct trace *t, const struct event *e,
                         uint32_t a, uint32_t *inner) {
  uint64_t at = e->pc;
  *inner = 0;
  for (uint32_t i = e->activation; i; i = t->activations[i].parent) {
    if (i == a)
      return at;
    at = t->activations[i].call_pc;
    *inner = i;
  }
  return 0;
}

static int index_in(const struct region *r, uint64_t pc) {
  for (uint32_t i = 0; i < r->npcs; i++)
    if (r->pcs[i] == pc)
      return (int)i;
  return -1;
}

/* A wait is two or three steps in one call. */
static bool is_one_call(const struct event *a, const struct event *b) {
  return (a->kind == EV_COND_WAIT &&
          (b->kind == EV_COND_WAKE || b->kind == EV_WAIT_OVER)) ||
         a->kind == EV_WAIT_OVER;
}

static bool stays_in_activation(const struct trace *t, const struct region *r,
                                const struct event *a, const struct event *b,
                                uint32_t activation) {
  uint32_t inner[2];
  int from = index_in(r, place_in(t, a, activation, &inner[0]));
  int to = index_in(r, place_in(t, b, activation, &inner[1]));
  if (from < 0 || to < 0)
    return false;
  if (inner[0] ? inner[0] == inner[1] : !inner[1] && is_one_call(a, b))
    return true;
  return r->stays[(uint32_t)from * r->npcs + (uint32_t)to];
}

/* Whether a thread whose last access is a and whose next one is b is inside. */
static bool is_inside(const struct trace *t, const struct regions *set,
                      const struct event *a, const struct event *b) {
  for (uint32_t i = a->activation; i; i = t->activations[i].parent)
    for (uint32_t k = 0; k < set->len; k++)
      if (stays_in_activation(t, &set->at[k], a, b, i))
        return true;
  return false;
}

/* Who is inside when step number `step` is chosen. */
static uint32_t inside_at(const struct trace *t, const struct regions *set,
                          uint32_t step) {
  const struct event *last[RT_MAX_THREADS] = {0};
  uint32_t known = 0, inside = 0;
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    if (!is_access(e))
      continue;
    if (e->step < step) {
      last[e->thread] = e;
    } else if (!(known >> e->thread & 1)) {
      known |= 1u << e->thread;
      if (last[e->thread] && is_inside(t, set, last[e->thread], e))
        inside |= 1u << e->thread;
    }
  }
  return inside;
}

/* Whether the regions allow the execution: no step of it was made while another
 * thread was inside. */
static bool is_allowed(const struct every *x, const struct trace *t,
                       const struct regions *set) {
  for (uint32_t i = 0; i < x->stack.len; i++) {
    const struct choice *c = &x->stack.at[i];
    if (!c->is_data && inside_at(t, set, c->step) & ~(1u << c->taken))
      return false;
  }
  return true;
}

/* ---- random regions ---- */

struct set {
  struct region region[2];
  struct regions regions;
  struct map128 done;         /* digests of the executions that it allows … */
  uint32_t ndone, executions; /* … which are so many */
};

static void note_place(struct map128 *known, uint64_t **at, uint32_t *n,
                       uint64_t pc) {
  bool fresh;
  map128_put(known, hash128(&pc, sizeof pc, 0), &fresh);
  if (!fresh || !pc)
    return;
  *at = xrealloc(*at, (*n + 1) * sizeof **at);
  uint32_t i = (*n)++;
  for (; i && (*at)[i - 1] > pc; i--)
    (*at)[i] = (*at)[i - 1];
  (*at)[i] = pc;
}

static void make_region(struct region *r, const uint64_t *places, uint32_t n,
                        struct rng *rng) {
  static const uint32_t percent[] = {30, 70, 100};
  uint32_t some = percent[rng_below(rng, 3)], stay = percent[rng_below(rng, 3)];
  uint64_t *pcs = xcalloc(n + 1, sizeof *pcs);
  r->npcs = 0;
  for (uint32_t i = 0; i < n; i++)
    if (rng_below(rng, 100) < some)
      pcs[r->npcs++] = places[i];
  uint8_t *stays = xcalloc(r->npcs * r->npcs + 1, 1);
  for (uint32_t i = 0; i < r->npcs * r->npcs; i++)
    stays[i] = rng_below(rng, 100) < stay;
  r->pcs = pcs;
  r->stays = stays;
}

static void make_set(struct set *s, const uint64_t *places, uint32_t n,
                     struct rng *rng) {
  *s = (struct set){.regions.len = 1 + (uint32_t)rng_below(rng, 2)};
  s->regions.at = s->region;
  for (uint32_t i = 0; i < s->regions.len; i++)
    make_region(&s->region[i], places, n, rng);
}

static void free_set(struct set *s) {
  for (uint32_t i = 0; i < s->regions.len; i++) {
    free((void *)s->region[i].pcs);
    free((void *)s->region[i].stays);
  }
  map128_free(&s->done);
}

/* ---- the definition ---- */

/* As engine_note makes it. */
static struct hash128 digest_of(enum rt_end end) {
  uint64_t how[2] = {end, 0};
  return hash128_join(history_digest(rt_history()),
                      hash128(how, sizeof how, 0));
}

struct whole {
  uint32_t executions;
  bool complete, faults;
};

/* Runs everything, and calls `each` for what comes to its end. */
static void run_every(struct whole *w, uint32_t most,
                      void (*each)(void *ctx, const struct every *x,
                                   const struct trace *t),
                      void *ctx) {
  struct every x = {0};
  struct rt_driver driver = {pick, choose, &x, .every = true};
  bool again;
  *w = (struct whole){0};
  do {
    struct trace t;
    arena_reset(&x.arena);
    x.depth = 0;
    enum rt_end end = rt_run_recorded(&driver, &x.arena, &t);
    again = rt_found_shared_stack();
    if (again) { /* there are more steps than we knew of */
      vec_clear(&x.stack);
      w->executions = 0;
      continue;
    }
    if (w->executions++ == most)
      goto out;
    w->faults |= end != RT_DONE;
    if (end == RT_DONE)
      each(ctx, &x, &t);
  } while (again || backtrack(&x));
  w->complete = true;
out:
  vec_free(&x.stack);
  arena_free(&x.arena);
}

struct places {
  struct map128 known;
  uint64_t *at;
  uint32_t n;
};

static void note_places(void *ctx, const struct every *x,
                        const struct trace *t) {
  struct places *p = ctx;
  (void)x;
  for (uint32_t i = 0; i < t->nevents; i++)
    if (is_access(&t->events[i]))
      note_place(&p->known, &p->at, &p->n, t->events[i].pc);
  for (uint32_t i = 1; i < t->nactivations; i++)
    note_place(&p->known, &p->at, &p->n, t->activations[i].call_pc);
}

static void note_allowed(void *ctx, const struct every *x,
                         const struct trace *t) {
  struct set *sets = ctx;
  for (uint32_t i = 0; i < SETS; i++) {
    struct set *s = &sets[i];
    bool fresh;
    if (!is_allowed(x, t, &s->regions))
      continue;
    s->executions++;
    map128_put(&s->done, digest_of(RT_DONE), &fresh);
    s->ndone += fresh;
  }
}

/* ---- comparing ---- */

static uint32_t count_done(const struct engine_found *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->at.len; i++)
    n += f->at.at[i].end == RT_DONE;
  return n;
}

static bool same_done(const struct set *s, const struct engine_found *f) {
  for (uint32_t i = 0; i < f->at.len; i++)
    if (f->at.at[i].end == RT_DONE && !map128_get(&s->done, f->at.at[i].digest))
      return false;
  return s->ndone == count_done(f);
}

static bool order_within(const struct history *a, const struct history *b) {
  uint32_t n = a->client->ncalls;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      if (hop_called(&a->ops[k]) && hop_before(&a->ops[i], &a->ops[k]) &&
          !(hop_called(&b->ops[k]) && hop_before(&b->ops[i], &b->ops[k])))
        return false;
  return true;
}

static bool has_stricter(const struct engine_found *f,
                         const struct engine_record *r) {
  for (uint32_t i = 0; i < f->at.len; i++)
    if (r->end == RT_FAULT
            ? f->at.at[i].end == RT_FAULT && f->at.at[i].fault == r->fault
            : hash128_equal(f->at.at[i].outcome, r->outcome) &&
                  order_within(&r->history, &f->at.at[i].history))
      return true;
  return false;
}

static bool has_all_stricter(const struct engine_found *a,
                             const struct engine_found *b) {
  for (uint32_t i = 0; i < a->at.len; i++)
    if (!has_stricter(b, &a->at.at[i]))
      return false;
  return true;
}

struct sum {
  uint32_t compared, narrowed, left_out;
};

static bool compare_set(const struct client *c, const struct whole *w,
                        const struct set *s, struct sum *sum) {
  struct engine_found dfs, plain, reduced;
  rt_atomic(&s->regions);
  rt_left_out();
  engine_explore(&dfs, c, ENGINE_DFS, 0);
  bool left_out = rt_left_out();
  engine_explore(&plain, c, ENGINE_UNREDUCED, 0);
  bool plain_left_out = rt_left_out();
  engine_explore(&reduced, c, ENGINE_STATEFUL, 0);
  rt_atomic(NULL);
  bool ok = CHECK(same_done(s, &dfs)) & CHECK(same_done(s, &plain)) &
            CHECK(has_all_stricter(&dfs, &reduced)) &
            CHECK(has_all_stricter(&reduced, &dfs)) &
            CHECK_INT(plain_left_out, left_out);
  if (!w->faults) { /* then nothing is left out of what was computed */
    ok &= CHECK_INT(dfs.executions, s->executions);
    ok &= CHECK_INT(count_done(&dfs), dfs.at.len);
  }
  sum->compared++;
  sum->narrowed += dfs.executions < w->executions;
  sum->left_out += left_out;
  if (!ok)
    fprintf(stderr,
            "  client %s: %u executions, %u allowed with %u histories; dfs %u "
            "with %u, by states %u\n",
            engine_text(c), w->executions, s->executions, s->ndone,
            (uint32_t)dfs.executions, count_done(&dfs), count_done(&plain));
  engine_free(&dfs);
  engine_free(&plain);
  engine_free(&reduced);
  return ok;
}

static bool compare(const struct client *c, struct rng *rng, struct sum *sum) {
  struct whole w;
  struct places places = {0};
  struct set sets[SETS];
  bool ok = true;
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return true;
  run_every(&w, MOST_EXECUTIONS, note_places, &places);
  if (w.complete) {
    for (uint32_t i = 0; i < SETS; i++)
      make_set(&sets[i], places.at, places.n, rng);
    run_every(&w, MOST_EXECUTIONS, note_allowed, sets);
    for (uint32_t i = 0; i < SETS; i++) {
      ok = ok && compare_set(c, &w, &sets[i], sum);
      free_set(&sets[i]);
    }
  }
  map128_free(&places.known);
  free(places.at);
  return ok;
}

static struct sum compare_random(uint64_t seed, uint32_t clients) {
  struct sum sum = {0};
  struct rng rng = {seed};
  struct gen_limits limits = {.threads = 3, .ops = 2, .init = 1};
  struct generator *g = generator_new(&engine.object, &limits);
  bool ok = true;
  for (uint32_t i = 0; i < clients && ok; i++) {
    struct client c;
    uint32_t threads = rng_below(&rng, 4) ? 2 : 3;
    uint32_t ops = threads == 2 ? 1 + (uint32_t)rng_below(&rng, 2) : 1;
    if (!generator_random(g, &rng, threads, ops, &c))
      break;
    ok = compare(&c, &rng, &sum);
    client_free(&c);
  }
  generator_free(g);
  return sum;
}

/* ---- objects ---- */

static struct sum *total; /* shared with the children */

static void add_up(const struct sum *sum) {
  total->compared += sum->compared;
  total->narrowed += sum->narrowed;
  total->left_out += sum->left_out;
}

static void check_total(bool waits) {
  if (getenv("VERBOSE"))
    fprintf(stderr, "%u compared, %u narrowed, %u left out\n", total->compared,
            total->narrowed, total->left_out);
  CHECK(total->compared >= 10);
  CHECK(total->narrowed >= total->compared / 4);
  CHECK(total->left_out < total->compared && (total->left_out || !waits));
  *total = (struct sum){0};
}

static void compare_object(void *arg) {
  struct engine_object *o = arg;
  engine_open(o->so, &o->options);
  struct sum sum = compare_random(1, CLIENTS);
  add_up(&sum);
  if (test_errors)
    fprintf(stderr, "  object: %s\n", o->name);
}

TEST(they_agree_on_objects) {
  for (size_t i = 0; i < ENGINE_OBJECTS; i++) {
    struct engine_object *o = &engine_objects[i];
    o->so = engine_build(o->text, "-O1");
    engine_child(compare_object, o);
    free(o->so);
  }
  check_total(true);
}

/* ---- deadlocks ---- */

static const char two_orders[] =
    HEAD "#include <pthread.h>\n"
         "static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
         "static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;\n"
         "static int n;\n"
         "static void give(void) {\n"
         "  pthread_mutex_lock(&a); pthread_mutex_lock(&b); n++;\n"
         "  pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); }\n"
         "static void take(void) {\n"
         "  pthread_mutex_lock(&b); pthread_mutex_lock(&a); n--;\n"
         "  pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); }\n"
         "FL_OBJECT(o)\nFL_OP(void, give)\nFL_OP(void, take)\n";

/* Everything that `of` does is one region. */
static void make_whole(struct set *s, const char *of) {
  struct client c;
  struct whole w;
  struct places p = {0};
  engine_client(&c, of);
  *s = (struct set){.regions.len = 1};
  s->regions.at = s->region;
  if (CHECK(rt_prepare(engine.suite, &c) == RT_DONE))
    run_every(&w, MOST_EXECUTIONS, note_places, &p);
  uint8_t *stays = xcalloc(p.n * p.n + 1, 1);
  memset(stays, 1, p.n * p.n);
  s->region[0].pcs = p.at;
  s->region[0].npcs = p.n;
  s->region[0].stays = stays;
  map128_free(&p.known);
  client_free(&c);
}

static bool has_deadlock(const struct engine_found *f) {
  for (uint32_t i = 0; i < f->at.len; i++)
    if (f->at.at[i].end == RT_FAULT && f->at.at[i].fault == FAULT_DEADLOCK)
      return true;
  return false;
}

static void deadlocks_of(void *arg) {
  struct client c;
  struct set give, both;
  engine_open(arg, NULL);
  make_whole(&give, "{give()} || {give()}");
  make_whole(&both, "{give()} || {take()}");
  engine_client(&c, "{give()} || {take()}");
  for (int how = 0; how < 3; how++) {
    static const enum engine_search by[] = {ENGINE_DFS, ENGINE_UNREDUCED,
                                            ENGINE_STATEFUL};
    struct engine_found f;
    CHECK(rt_prepare(engine.suite, &c) == RT_DONE);
    rt_atomic(&give.regions); /* take() has a lock, give() waits inside */
    engine_explore(&f, &c, by[how], 0);
    CHECK(has_deadlock(&f));
    engine_free(&f);
    rt_atomic(&both.regions); /* nobody waits */
    engine_explore(&f, &c, by[how], 0);
    CHECK(!has_deadlock(&f));
    CHECK(count_done(&f));
    engine_free(&f);
    rt_atomic(NULL);
  }
  client_free(&c);
  free_set(&give);
  free_set(&both);
}

TEST(a_deadlock_is_not_left_out) {
  char *so = engine_build(two_orders, "-O1");
  engine_child(deadlocks_of, so);
  free(so);
}

/* ---- random programs ---- */

struct program {
  char *so;
  uint64_t seed;
  const char *text;
};

static void compare_program(void *arg) {
  struct program *p = arg;
  engine_open(p->so, NULL);
  struct sum sum = compare_random(p->seed, 2 * CLIENTS);
  add_up(&sum);
  if (test_errors)
    fprintf(stderr, "  seed %llu of\n%s\n", (unsigned long long)p->seed,
            p->text);
}

/* Functions that call each other, beside those of random_program. */
static void add_callers(struct buf *text) {
  buf_puts(text, "static __attribute__((noinline)) int both(int k) {\n"
                 "  int r = f0(k);\n  a = r;\n  return r + f1(k);\n}\n"
                 "FL_OP(int, both, FL_INT(0, 1))\n"
                 "static int twice(int k) {\n"
                 "  int r = 0;\n"
                 "  for (int i = 0; i < 2; i++) r += both(k) + b;\n"
                 "  return r;\n}\n"
                 "FL_OP(int, twice, FL_INT(0, 1))\n");
}

TEST(they_agree_on_random_programs) {
  const char *more = getenv("PROGRAMS"); /* to search for longer by hand */
  uint64_t programs = more ? strtoull(more, NULL, 10) : PROGRAMS;
  for (uint64_t seed = 1; seed <= programs && !test_errors; seed++) {
    struct rng rng = {seed};
    struct buf text = {0};
    random_program(&rng, &text);
    add_callers(&text);
    struct program p = {.seed = seed, .text = buf_text(&text)};
    p.so = engine_build(p.text, seed % 2 ? "-O1" : "-O0");
    engine_child(compare_program, &p);
    free(p.so);
    buf_free(&text);
  }
  check_total(false); /* locks are rare there */
}

int main(void) {
  total = mmap(NULL, sizeof *total, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return test_run_all();
}
