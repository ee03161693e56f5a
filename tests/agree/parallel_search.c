/*
 * Several processes that search the states of a client together, against one:
 * the same numbers, the same outcomes, the same path with the fewest switches.
 * What is known of conflicts is found on the way, as in the tool.
 */
#include "base/clock.h"
#include "engine_inputs.h"
#include "engine_objects.h"
#include "random_program.h"

#include "search/parallel_search.h"

#include <signal.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 2, PROGRAMS = 2 };
#else
enum { CLIENTS = 4, PROGRAMS = 8 };
#endif
enum {
  MOST_MEMBERS = 4,
  MOST_STATES = 100000,
  MOST_ROUNDS = 200,
  MOST_OUTCOMES = 1 << 14,
  ROOM = 1 << 20,
};

/* What a member leaves, in memory that is shared. */
struct done {
  enum explore_end end;
  bool learnt;
  uint64_t states, transitions, executions, cut, bad_count;
  uint64_t interleavings, circles;
  double share;
  uint32_t bad_switches, bad_len, noutcomes;
  uint8_t bad[ROOM / 16];
  uint64_t outcomes[MOST_OUTCOMES];
  size_t known;
  char knowledge[ROOM];
};

struct shared {
  struct done members[MOST_MEMBERS];
  volatile uint64_t beats[MOST_MEMBERS];
};

static struct shared *shared;
static struct parallel_search *several;

static void open_shared(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  several = parallel_map(MOST_MEMBERS, MOST_STATES, 0);
  CHECK(several != NULL);
}

/* About every fourth outcome is bad. */
static enum judgement ended(void *ctx, enum rt_end end) {
  struct done *d = ctx;
  struct engine_record r = {.history = *rt_history(), .end = end};
  if (end == RT_FAULT)
    r.fault = rt_fault()->kind;
  uint64_t o = engine_outcome(&r).lo;
  uint32_t i = 0;
  while (i < d->noutcomes && d->outcomes[i] != o)
    i++;
  if (i == d->noutcomes && i < MOST_OUTCOMES)
    d->outcomes[d->noutcomes++] = o;
  return o % 4 == 0 ? JUDGE_BAD : JUDGE_GOOD;
}

struct how {
  bool no_reduction, guards, bound, all;
  uint32_t preemptions;
  uint64_t max_states, max_memory, max_executions;
  double seconds;
};

static void search(struct done *d, const struct how *how, uint32_t members,
                   uint32_t member) {
  volatile double share = 0;
  struct explore x = {
      .judge = {ended, d},
      .max_states = how->max_states ? how->max_states : MOST_STATES,
      .max_memory = how->max_memory,
      .max_executions = how->max_executions,
      .deadline = how->seconds ? clock_now() + how->seconds : 0,
      .no_reduction = how->no_reduction,
      .guards = how->guards,
      .bound_preemptions = how->bound,
      .preemptions = how->preemptions,
      .all = how->all,
      .graph = !how->guards,
      .heartbeat = &shared->beats[member],
      .share = &share,
      .parallel = members ? several : NULL,
      .member = member};
  d->noutcomes = 0;
  d->end = explore_stateful(&x);
  d->learnt = x.learnt;
  d->states = x.states;
  d->transitions = x.transitions;
  d->executions = x.executions;
  d->cut = x.cut;
  d->bad_count = x.bad_count;
  d->interleavings = x.interleavings;
  d->circles = x.circles;
  d->share = share;
  d->bad_switches = x.bad_switches;
  d->bad_len = x.bad.len;
  if (x.bad.len)
    memcpy(d->bad, x.bad.at, x.bad.len);
  struct buf known = {0};
  rt_knowledge(&known);
  CHECK(known.len <= ROOM);
  if (known.len)
    memcpy(d->knowledge, known.at, known.len);
  d->known = known.len;
}

static pid_t start(const struct how *how, uint32_t members, uint32_t member,
                   const struct buf *knowledge) {
  pid_t pid = fork();
  if (pid)
    return pid;
  test_errors = 0;
  if (knowledge->len)
    CHECK(rt_learn(knowledge));
  search(&shared->members[member], how, members, member);
  fflush(NULL);
  _exit(test_errors != 0);
}

static void wait_for(pid_t pid) {
  int status;
  waitpid(pid, &status, 0);
  CHECK_INT(status, 0);
}

/* One search by so many processes; true: somebody has learnt something. */
static bool try_together(const struct how *how, uint32_t members,
                         struct buf *knowledge) {
  pid_t pids[MOST_MEMBERS];
  parallel_reset(several, members);
  for (uint32_t i = 0; i < members; i++)
    pids[i] = start(how, members, i, knowledge);
  for (uint32_t i = 0; i < members; i++)
    wait_for(pids[i]);
  CHECK(!parallel_differs(several));
  for (uint32_t i = 0; i < members; i++) {
    const struct done *d = &shared->members[i];
    if (!d->learnt)
      continue;
    buf_clear(knowledge);
    buf_put(knowledge, d->knowledge, d->known);
    return true;
  }
  return false;
}

static int compare_numbers(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void sort_outcomes(struct done *d) {
  qsort(d->outcomes, d->noutcomes, sizeof *d->outcomes, compare_numbers);
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->noutcomes; i++)
    if (!i || d->outcomes[i] != d->outcomes[n - 1])
      d->outcomes[n++] = d->outcomes[i];
  d->noutcomes = n;
}

static void add(struct done *sum, const struct done *d) {
  sum->states += d->states;
  sum->transitions += d->transitions;
  sum->executions += d->executions;
  sum->cut += d->cut;
  sum->bad_count += d->bad_count;
  sum->share += d->share;
  for (uint32_t i = 0; i < d->noutcomes && sum->noutcomes < MOST_OUTCOMES; i++)
    sum->outcomes[sum->noutcomes++] = d->outcomes[i];
}

/* The whole search: once more as long as something is learnt. */
static struct done *together(const struct how *how, uint32_t members,
                             uint32_t *rounds) {
  struct buf knowledge = {0};
  *rounds = 1;
  while (try_together(how, members, &knowledge) && *rounds < MOST_ROUNDS)
    ++*rounds;
  struct done *sum = xmalloc(sizeof *sum);
  *sum = shared->members[0]; /* who sums up */
  for (uint32_t i = 1; i < members; i++) {
    CHECK_INT(shared->members[i].end, sum->end);
    add(sum, &shared->members[i]);
  }
  sort_outcomes(sum);
  buf_free(&knowledge);
  return sum;
}

static struct done *alone(const struct how *how) {
  struct buf nothing = {0};
  wait_for(start(how, 0, 0, &nothing));
  struct done *d = xmalloc(sizeof *d);
  *d = shared->members[0];
  sort_outcomes(d);
  return d;
}

static bool same(const struct done *a, const struct done *b, bool graph) {
  bool ok = CHECK_INT(a->end, b->end);
  if (a->end != EXPLORE_ALL || a->cut)
    return ok;
  ok &= CHECK_INT((long long)a->states, (long long)b->states);
  ok &= CHECK_INT((long long)a->transitions, (long long)b->transitions);
  ok &= CHECK_INT((long long)a->executions, (long long)b->executions);
  ok &= CHECK_INT((long long)a->interleavings, (long long)b->interleavings);
  ok &= CHECK_INT((long long)a->circles, (long long)b->circles);
  ok &= CHECK_INT((long long)a->bad_count, (long long)b->bad_count);
  ok &= CHECK(a->share > 0.999 && a->share < 1.001);
  ok &= CHECK(b->share > 0.999 && b->share < 1.001);
  ok &= !graph || (CHECK_INT(a->bad_len, b->bad_len) &&
                   CHECK(!memcmp(a->bad, b->bad, a->bad_len)));
  ok &= CHECK_INT(a->noutcomes, b->noutcomes) &&
        CHECK(!memcmp(a->outcomes, b->outcomes, 8 * a->noutcomes));
  return ok;
}

static bool compare(const struct client *c, const struct how *how) {
  if (rt_prepare(engine.suite, c) != RT_DONE)
    return true;
  struct done *one = alone(how);
  bool ok = true;
  for (uint32_t members = 1; ok && members <= MOST_MEMBERS; members *= 2) {
    uint32_t rounds;
    struct done *all = together(how, members, &rounds);
    ok = same(all, one, !how->guards);
    if (!ok)
      fprintf(stderr, "  %u members, reduction %d, bound %d: %s\n", members,
              !how->no_reduction, how->bound, engine_text(c));
    free(all);
  }
  free(one);
  return ok;
}

static void compare_random(uint64_t seed) {
  open_shared();
  struct engine_draw d = engine_draw_begin(seed, 2, 3, 2);
  for (uint32_t i = 0; i < CLIENTS && !test_errors && engine_draw(&d); i++) {
    struct how how = {.all = true,
                      .no_reduction = rng_below(&d.rng, 3) == 0,
                      .guards = i % 2,
                      .bound = rng_below(&d.rng, 3) == 0,
                      .preemptions = (uint32_t)rng_below(&d.rng, 4)};
    compare(&d.client, &how);
  }
  engine_draw_end(&d);
}

static void compare_object(const struct engine_object *o) {
  (void)o;
  compare_random(7);
}

TEST(members_agree_with_one_on_objects) {
  engine_each_object("-O1", compare_object);
}

TEST(members_agree_with_one_on_random_programs) {
  engine_each_program(
      &(struct engine_programs){.count = PROGRAMS, .compare = compare_random});
}

/* ---- processes that have opened the object on their own ---- */

static const char threads_text[] =
    "#include <faultline.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
    "static atomic_int n;\n"
    "static void *body(void *p) { (void)p; atomic_fetch_add(&n, 1);\n"
    "  atomic_fetch_add(&n, 2); return 0; }\n"
    "static int run(void) { pthread_t t, u; pthread_create(&t, 0, body, 0);\n"
    "  pthread_create(&u, 0, body, 0); int v = atomic_load(&n);\n"
    "  pthread_join(t, 0); pthread_join(u, 0); return v; }\n"
    "FL_OBJECT(runner)\nFL_OP(int, run)\n";

/* Member 1 has something else in its memory when `shift`. */
static void open_apart(const char *so, bool shift) {
  pid_t pids[2];
  parallel_reset(several, 2);
  shared->beats[0] = shared->beats[1] = 0;
  for (uint32_t i = 0; i < 2; i++) {
    pids[i] = fork();
    if (pids[i])
      continue;
    test_errors = 0;
    for (int k = 0; shift && i && k < 3000; k++) /* no hole is left */
      mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    engine_open(so, NULL);
    struct client c = {0};
    engine_client(&c, "{run()} || {run()}");
    CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
    shared->beats[i] = 1;
    while (!shared->beats[1 - i]) /* both begin together */
      usleep(100);
    search(&shared->members[i],
           &(struct how){.all = true, .no_reduction = true}, 2, i);
    fflush(NULL);
    _exit(test_errors != 0);
  }
  wait_for(pids[0]);
  wait_for(pids[1]);
}

TEST(states_of_other_addresses_are_noticed) {
  char *so = engine_build(threads_text, NULL);
  open_shared();
  open_apart(so, false);
  CHECK(!parallel_differs(several));
  for (int i = 0; i < 2; i++) {
    CHECK_INT(shared->members[i].end, EXPLORE_ALL);
    CHECK(shared->members[i].states > 0);
  }
  open_apart(so, true);
  CHECK(parallel_differs(several));
  for (int i = 0; i < 2; i++)
    CHECK_INT(shared->members[i].end, EXPLORE_STOPPED);
  parallel_unmap(several);
  free(so);
}

/* ---- large enough that work is given away many times ---- */

static const char *large_client =
    "{push(1); pop()} || {push(2); pop()} || {push(1); pop()}";

static void large(void *so) {
  engine_open(so, NULL);
  open_shared();
  struct client c = {0};
  engine_client(&c, large_client);
  struct how how = {.all = true};
  CHECK(compare(&c, &how));
  CHECK(shared->members[0].states > 1000);
  uint32_t rounds;
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  free(together(&how, 2, &rounds));
  CHECK(rounds > 1); /* conflicts were found, and told */
  CHECK(shared->members[1].states > 0);
  client_free(&c);
}

TEST(members_share_a_large_search) {
  char *so = engine_build(engine_objects[0].text, NULL);
  engine_child(large, so);
  free(so);
}

/* ---- ends ---- */

static void stopping(void *so) {
  engine_open(so, NULL);
  open_shared();
  struct client c = {0};
  engine_client(&c, large_client);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct how how = {.all = false};
  uint32_t rounds;
  struct buf knowledge = {0};
  for (rounds = 0; try_together(&how, 4, &knowledge); rounds++)
    ;
  uint32_t found = 0;
  for (uint32_t i = 0; i < 4; i++) {
    const struct done *d = &shared->members[i];
    found += d->end == EXPLORE_BAD;
    CHECK(d->end == EXPLORE_BAD || d->end == EXPLORE_STOPPED);
    CHECK(d->end != EXPLORE_BAD || d->bad_len);
  }
  CHECK(found >= 1);
  buf_free(&knowledge);
  client_free(&c);
}

TEST(a_bad_execution_stops_all) {
  char *so = engine_build(engine_objects[0].text, NULL);
  engine_child(stopping, so);
  free(so);
}

/* Every budget ends it for all, and not long after it is used up. */
static void spend(const struct how *how, enum explore_end end) {
  for (uint32_t members = 1; members <= 3; members += 2) {
    uint32_t rounds;
    struct done *sum = together(how, members, &rounds);
    CHECK_INT(sum->end, end);
    CHECK(!how->max_states || (sum->states >= how->max_states &&
                               sum->states < how->max_states + 500));
    CHECK(!how->max_executions ||
          (sum->executions >= how->max_executions &&
           sum->executions < how->max_executions + 200));
    free(sum);
  }
  struct done *one = alone(how);
  CHECK_INT(one->end, end);
  free(one);
}

static void budgets(void *so) {
  engine_open(so, NULL);
  open_shared();
  struct client c = {0};
  engine_client(&c, large_client);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  spend(&(struct how){.all = true, .max_states = 1000}, EXPLORE_STATES);
  spend(&(struct how){.all = true, .max_executions = 60}, EXPLORE_EXECUTIONS);
  spend(&(struct how){.all = true, .max_memory = 200000}, EXPLORE_MEMORY);
  spend(&(struct how){.all = true, .no_reduction = true, .seconds = 1e-9},
        EXPLORE_TIME);
  client_free(&c);
}

TEST(budgets_end_it_for_all) {
  char *so = engine_build(engine_objects[0].text, NULL);
  engine_child(budgets, so);
  free(so);
}

/* A member is killed in the middle: the others come back when they are told,
 * and show that they are alive until then. */
static void killing(void *so) {
  engine_open(so, NULL);
  open_shared();
  struct client c = {0};
  engine_client(&c, large_client);
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct how how = {.all = true, .no_reduction = true};
  struct done *one = alone(&how);
  struct buf nothing = {0};
  for (uint32_t victim = 0; victim < 3; victim++) {
    pid_t pids[3];
    parallel_reset(several, 3);
    for (uint32_t i = 0; i < 3; i++) {
      shared->beats[i] = 0;
      pids[i] = start(&how, 3, i, &nothing);
    }
    while (shared->beats[victim] < 3)
      usleep(200);
    kill(pids[victim], SIGKILL);
    int status;
    waitpid(pids[victim], &status, 0);
    uint32_t other = (victim + 1) % 3;
    uint64_t beats = shared->beats[other];
    while (WIFSIGNALED(status) && shared->beats[other] < beats + 3)
      usleep(200);
    parallel_abort(several);
    for (uint32_t i = 0; i < 3; i++)
      if (i != victim) {
        wait_for(pids[i]);
        CHECK_INT(shared->members[i].end, EXPLORE_STOPPED);
      }
    uint32_t rounds;
    struct done *again = together(&how, 3, &rounds);
    CHECK(same(again, one, true));
    free(again);
  }
  free(one);
  client_free(&c);
}

TEST(a_killed_member_costs_one_more_search) {
  char *so = engine_build(engine_objects[0].text, NULL);
  engine_child(killing, so);
  free(so);
}

TEST_MAIN
