/*
 * Data races of random small programs: the engine's clocks and notes under each
 * exhaustive search against all interleavings of a machine of the test's own,
 * judged by the definition (oracle/happens_before.h).  Either all find a race
 * or none does.
 */
#include "engine.h"

#include "oracle/happens_before.h"

enum { THREADS = 3, MOST_OPS = 5, LOCATIONS = 4, PROGRAMS = 20 };
#ifdef __SANITIZE_ADDRESS__
enum { OBJECTS = 3 };
#else
enum { OBJECTS = 12 };
#endif

/* ---- programs ---- */

enum op_kind { READ, WRITE, LOAD, STORE, ADD, CAS, FENCE, LOCK, UNLOCK };
struct op {
  enum op_kind kind;
  uint8_t at, order, fail_order;
  uint8_t value, expected;
  int8_t only; /* only if the last load got this; -1: always */
};
struct program {
  uint32_t nthreads, nops[THREADS];
  struct op ops[THREADS][MOST_OPS];
};

static uint8_t one_of(struct rng *r, const uint8_t *of, uint32_t n) {
  return of[rng_below(r, n)];
}

static uint8_t order_for(struct rng *r, enum op_kind kind) {
  static const uint8_t load[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
                                 __ATOMIC_ACQUIRE, __ATOMIC_SEQ_CST};
  static const uint8_t store[] = {__ATOMIC_RELAXED, __ATOMIC_RELEASE,
                                  __ATOMIC_RELEASE, __ATOMIC_SEQ_CST};
  static const uint8_t both[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
                                 __ATOMIC_RELEASE, __ATOMIC_ACQ_REL,
                                 __ATOMIC_SEQ_CST};
  static const uint8_t fence[] = {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE,
                                  __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
  return kind == LOAD    ? one_of(r, load, 4)
         : kind == STORE ? one_of(r, store, 4)
         : kind == FENCE ? one_of(r, fence, 4)
                         : one_of(r, both, 5);
}

static struct op random_op(struct rng *r) {
  static const uint8_t kinds[] = {READ, READ,  WRITE, WRITE, LOAD, LOAD,
                                  LOAD, STORE, STORE, ADD,   CAS,  FENCE};
  struct op o = {.kind = (enum op_kind)one_of(r, kinds, sizeof kinds),
                 .only = -1};
  bool plain = o.kind == READ || o.kind == WRITE;
  /* Now and then an access of the other sort. */
  o.at = (uint8_t)(rng_below(r, 2) + (plain == !rng_below(r, 12) ? 2 : 0));
  o.order = order_for(r, o.kind);
  o.fail_order = order_for(r, LOAD);
  o.value = (uint8_t)(1 + rng_below(r, 2));
  o.expected = (uint8_t)rng_below(r, 2);
  if (plain && rng_below(r, 3))
    o.only = (int8_t)rng_below(r, 3);
  return o;
}

static void random_program(struct program *p, struct rng *r) {
  *p = (struct program){.nthreads = 2 + (uint32_t)rng_below(r, 2)};
  for (uint32_t t = 0; t < p->nthreads; t++) {
    uint32_t most = p->nthreads == 2 ? MOST_OPS : 3;
    bool locks = !rng_below(r, 4);
    if (locks)
      p->ops[t][p->nops[t]++] = (struct op){.kind = LOCK, .only = -1};
    while (p->nops[t] < most - locks)
      p->ops[t][p->nops[t]++] = random_op(r);
    if (locks)
      p->ops[t][p->nops[t]++] = (struct op){.kind = UNLOCK, .only = -1};
  }
}

static void put_op(const struct op *o, struct buf *b) {
  if (o->only >= 0)
    buf_printf(b, "if (r == %d) ", o->only);
  switch (o->kind) {
  case READ:
    buf_printf(b, "s += v%d;\n", o->at);
    break;
  case WRITE:
    buf_printf(b, "v%d = %d;\n", o->at, o->value);
    break;
  case LOAD:
    buf_printf(b, "r = __atomic_load_n(&v%d, %d);\n", o->at, o->order);
    break;
  case STORE:
    buf_printf(b, "__atomic_store_n(&v%d, %d, %d);\n", o->at, o->value,
               o->order);
    break;
  case ADD:
    buf_printf(b, "%s__atomic_fetch_add(&v%d, 1, %d);\n",
               o->value == 1 ? "r = " : "", o->at, o->order);
    break;
  case CAS:
    buf_printf(
        b, "r = %d; __atomic_compare_exchange_n(&v%d, &r, %d, 0, %d, %d);\n",
        o->expected, o->at, o->value, o->order, o->fail_order);
    break;
  case FENCE:
    buf_printf(b, "__atomic_thread_fence(%d);\n", o->order);
    break;
  case LOCK:
    buf_puts(b, "pthread_mutex_lock(&m);\n");
    break;
  case UNLOCK:
    buf_puts(b, "pthread_mutex_unlock(&m);\n");
    break;
  }
}

static char *build_programs(const struct program *p) {
  struct buf b = {0}, ops = {0};
  buf_puts(&b, "#pragma GCC diagnostic ignored \"-Winvalid-memory-model\"\n"
               "#include <faultline.h>\n#include <pthread.h>\n"
               "static int v0, v1, v2, v3;\n"
               "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n");
  for (uint32_t i = 0; i < PROGRAMS; i++)
    for (uint32_t t = 0; t < p[i].nthreads; t++) {
      buf_printf(&b, "static int p%u_%u(void) {\nint r = 0, s = 0;\n", i, t);
      for (uint32_t k = 0; k < p[i].nops[t]; k++)
        put_op(&p[i].ops[t][k], &b);
      buf_puts(&b, "return r + s;\n}\n");
      buf_printf(&ops, "FL_OP(int, p%u_%u)\n", i, t);
    }
  buf_printf(&b, "FL_OBJECT(programs)\n%s", buf_text(&ops));
  char *so = engine_build(buf_text(&b), "-O0");
  buf_free(&b);
  buf_free(&ops);
  return so;
}

/* ---- the machine ---- */

struct machine {
  const struct program *p;
  uint32_t pc[THREADS];
  int r[THREADS];
  int value[LOCATIONS], writer[LOCATIONS];
  int holder; /* thread + 1 */
  struct hb_event events[HB_MOST];
  uint32_t n;
};

static void event(struct machine *m, uint32_t t, enum hb_kind kind, uint8_t at,
                  uint8_t order) {
  m->events[m->n++] = (struct hb_event){.kind = kind,
                                        .thread = (uint8_t)t,
                                        .at = at,
                                        .order = order,
                                        .from = m->writer[at]};
}

static void store(struct machine *m, uint8_t at, int value) {
  m->value[at] = value;
  m->writer[at] = (int)m->n - 1;
}

static void make(struct machine *m, uint32_t t) {
  const struct op *o = &m->p->ops[t][m->pc[t]++];
  if (o->only >= 0 && m->r[t] != o->only)
    return;
  int old = m->value[o->at];
  bool same = old == o->expected;
  switch (o->kind) {
  case READ:
    event(m, t, HB_READ, o->at, 0);
    break;
  case WRITE:
    event(m, t, HB_WRITE, o->at, 0);
    store(m, o->at, o->value);
    break;
  case LOAD:
    event(m, t, HB_ATOMIC_READ, o->at, o->order);
    m->r[t] = old;
    break;
  case STORE:
    event(m, t, HB_ATOMIC_WRITE, o->at, o->order);
    store(m, o->at, o->value);
    break;
  case ADD:
    event(m, t, HB_RMW, o->at, o->order);
    store(m, o->at, old + 1);
    if (o->value == 1) /* else nobody looks at it */
      m->r[t] = old;
    break;
  case CAS:
    event(m, t, same ? HB_RMW : HB_ATOMIC_READ, o->at,
          same ? o->order : o->fail_order);
    if (same)
      store(m, o->at, o->value);
    m->r[t] = old;
    break;
  case FENCE:
    event(m, t, HB_FENCE, o->at, o->order);
    break;
  case LOCK:
    event(m, t, HB_LOCK, o->at, 0);
    m->holder = (int)t + 1;
    break;
  case UNLOCK:
    event(m, t, HB_UNLOCK, o->at, 0);
    m->holder = 0;
    break;
  }
}

/* Has an execution that goes on from here a race? */
static bool races(const struct machine *m) {
  bool over = true;
  for (uint32_t t = 0; t < m->p->nthreads; t++) {
    if (m->pc[t] == m->p->nops[t])
      continue;
    over = false;
    if (m->p->ops[t][m->pc[t]].kind == LOCK && m->holder)
      continue;
    struct machine next = *m;
    make(&next, t);
    if (races(&next))
      return true;
  }
  return over && hb_has_race(m->events, m->n);
}

/* ---- the engine ---- */

static enum judgement is_race(void *ctx, enum rt_end end) {
  (void)ctx;
  return end == RT_FAULT && rt_fault()->kind == FAULT_DATA_RACE ? JUDGE_BAD
                                                                : JUDGE_GOOD;
}

enum { DFS, DPOR, STATEFUL, GUARDS, UNREDUCED, SEARCHES };
static const char *const search_names[] = {"dfs", "dpor", "stateful", "guards",
                                           "unreduced"};

static bool finds(int search) {
  struct explore x = {.judge = {is_race, NULL},
                      .guards = search == GUARDS,
                      .no_reduction = search == UNREDUCED};
  enum explore_end end = search == DFS    ? explore_dfs(&x)
                         : search == DPOR ? explore_dpor(&x)
                                          : explore_stateful(&x);
  vec_free(&x.bad);
  CHECK(end == EXPLORE_BAD || end == EXPLORE_ALL);
  return end == EXPLORE_BAD;
}

static void print_program(const struct program *p) {
  struct buf b = {0};
  for (uint32_t t = 0; t < p->nthreads; t++) {
    buf_printf(&b, "T%u:\n", t + 1);
    for (uint32_t k = 0; k < p->nops[t]; k++)
      put_op(&p->ops[t][k], &b);
  }
  fputs(buf_text(&b), stderr);
  buf_free(&b);
}

static uint32_t with, without;

struct batch {
  struct program p[PROGRAMS];
  bool races[PROGRAMS];
  char *so;
};

static void run_batch(void *arg) {
  const struct batch *b = arg;
  engine_open(b->so, &(struct rt_options){.races = true});
  for (uint32_t i = 0; i < PROGRAMS; i++) {
    const struct program *p = &b->p[i];
    char text[128];
    struct client c = {0};
    int len = 0;
    for (uint32_t t = 0; t < p->nthreads; t++)
      len += snprintf(text + len, sizeof text - (size_t)len, "%s{p%u_%u()}",
                      t ? " || " : "", i, t);
    engine_client(&c, text);
    for (int s = 0; s < SEARCHES; s++) {
      CHECK(rt_prepare(engine.suite, &c) == RT_DONE);
      bool found = finds(s);
      if (found != b->races[i]) {
        fprintf(stderr, "%s: %s\n", search_names[s],
                found ? "a race that is none" : "misses the race");
        print_program(p);
      }
      CHECK(found == b->races[i]);
    }
    client_free(&c);
  }
}

static void judge_batch(struct batch *b) {
  for (uint32_t i = 0; i < PROGRAMS; i++) {
    struct machine m = {.p = &b->p[i]};
    for (int at = 0; at < LOCATIONS; at++)
      m.writer[at] = -1;
    b->races[i] = races(&m);
    b->races[i] ? with++ : without++;
  }
  b->so = build_programs(b->p);
  engine_child(run_batch, b);
  free(b->so);
}

/*
 * Both orders of the additions lead to the same memory, and only one of them
 * orders the accesses to v0, which are never made side by side: a search that
 * takes these states for equal misses the race.
 */
TEST(equal_memory_with_different_clocks_hides_no_race) {
  static struct batch b;
  static const uint8_t orders[] = {__ATOMIC_RELEASE, __ATOMIC_ACQ_REL,
                                   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED};
  for (uint32_t i = 0; i < PROGRAMS; i++) {
    struct op write = {.kind = WRITE, .value = 1, .only = -1};
    struct op read = {.kind = READ, .only = 2};
    struct op add = {.kind = ADD, .at = 2, .order = orders[i % 4], .only = -1};
    struct op look = {.kind = LOAD, .at = 2, .only = -1};
    uint32_t first = i / 4 % 2; /* which thread is the writer */
    b.p[i] = (struct program){.nthreads = 2, .nops = {2, 4}};
    if (first)
      b.p[i] = (struct program){.nthreads = 2, .nops = {4, 2}};
    add.value = 2;
    memcpy(b.p[i].ops[first], (struct op[]){write, add}, 2 * sizeof write);
    add.order = __ATOMIC_ACQUIRE;
    /* Its call has begun before the other one ends: equal histories. */
    struct op begin = {.kind = LOAD, .at = 3, .only = -1};
    memcpy(b.p[i].ops[!first], (struct op[]){begin, add, look, read},
           4 * sizeof write);
  }
  judge_batch(&b);
  CHECK(with == PROGRAMS);
  with = without = 0;
}

TEST(all_searches_find_the_races_of_the_definition) {
  struct rng r = {20260419};
  for (int k = 0; k < OBJECTS; k++) {
    static struct batch b;
    for (uint32_t i = 0; i < PROGRAMS; i++)
      random_program(&b.p[i], &r);
    judge_batch(&b);
  }
  printf("%u programs with a race, %u without\n", with, without);
  CHECK(with > OBJECTS * PROGRAMS / 5 && without > OBJECTS * PROGRAMS / 5);
}

TEST_MAIN
