/*
 * The search over states against the definition, all interleavings:
 *
 * without the reduction, the same histories up to equal verdict;
 * with it, only histories that dfs finds too, and for each that dfs finds one
 * of the same results whose real-time order is at least as strict.  What was
 * left out is then explained whenever what was kept is.
 */
#include "engine_inputs.h"

/* Sanitizers make it several times slower: less of the same then. */
#ifdef __SANITIZE_ADDRESS__
enum { CLIENTS = 6, PROGRAMS = 4 };
#else
enum { CLIENTS = 20, PROGRAMS = 12 };
#endif
enum { MOST_EXECUTIONS = 5000, MOST_NAMED = 60000 };

/* ---- comparing ---- */

static bool order_within(const struct history *a, const struct history *b) {
  uint32_t n = a->client->ncalls;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      if (hop_called(&a->ops[k]) && hop_before(&a->ops[i], &a->ops[k]) &&
          !(hop_called(&b->ops[k]) && hop_before(&b->ops[i], &b->ops[k])))
        return false;
  return true;
}

/* What was going on when a fault ended an execution is not compared: with the
 * reduction, calls may have begun that were not stamped yet. */
static bool has_fault(const struct engine_found *f,
                      const struct engine_record *r) {
  for (uint32_t i = 0; i < f->at.len; i++)
    if (f->at.at[i].end == RT_FAULT && f->at.at[i].fault == r->fault)
      return true;
  return false;
}

static bool has_stricter(const struct engine_found *f,
                         const struct engine_record *r) {
  if (r->end == RT_FAULT)
    return has_fault(f, r);
  for (uint32_t i = 0; i < f->at.len; i++)
    if (hash128_equal(f->at.at[i].outcome, r->outcome) &&
        order_within(&r->history, &f->at.at[i].history))
      return true;
  return false;
}

static bool has_digest(const struct engine_found *f,
                       const struct engine_record *r) {
  return map128_get(&f->index, r->digest) != NULL;
}

static bool has_same(const struct engine_found *f,
                     const struct engine_record *r) {
  return r->end == RT_FAULT ? has_fault(f, r) : has_digest(f, r);
}

static void show(const char *what, const struct engine_record *r) {
  struct buf b = {0};
  for (uint32_t i = r->history.client->ninit; i < r->history.client->ncalls;
       i++) {
    const struct hop *o = &r->history.ops[i];
    buf_printf(&b, " %u:[%d,%d]=", i, (int)o->call, (int)o->ret);
    if (!hop_pending(o))
      value_print(o->result, &b);
  }
  fprintf(stderr, "  %s: end %d, fault %s,%s\n", what, r->end,
          fault_id[r->fault], buf_text(&b));
  buf_free(&b);
}

static bool is_subset(const char *what, const struct engine_found *a,
                      const struct engine_found *b,
                      bool (*has)(const struct engine_found *,
                                  const struct engine_record *)) {
  for (uint32_t i = 0; i < a->at.len; i++)
    if (!has(b, &a->at.at[i])) {
      show(what, &a->at.at[i]);
      return false;
    }
  return true;
}

struct agreement {
  uint32_t compared, skipped, unexplained, faulty;
  uint32_t fewer; /* of which the guards take states away */
};

/* Prepares the client and compares the searches; false: they disagree. */
static bool compare(const struct client *c, uint64_t most,
                    struct agreement *sum) {
  if (rt_prepare(engine.suite, c) != RT_DONE) {
    sum->skipped++;
    return true;
  }
  struct engine_found dfs, plain = {0}, reduced = {0}, guards = {0};
  engine_explore(&dfs, c, ENGINE_DFS, most);
  if (dfs.end != EXPLORE_ALL || dfs.cut) {
    sum->skipped++;
    engine_free(&dfs);
    return true;
  }
  engine_explore(&plain, c, ENGINE_UNREDUCED, 0);
  engine_explore(&reduced, c, ENGINE_STATEFUL, 0);
  rt_prepare(engine.suite, c); /* what was found out is forgotten */
  engine_explore(&guards, c, ENGINE_GUARDS, 0);
  bool ok =
      is_subset("dfs only, not without reduction", &dfs, &plain, has_digest) &
      is_subset("without reduction only", &plain, &dfs, has_digest) &
      is_subset("with reduction only", &reduced, &dfs, has_same) &
      is_subset("dfs only, not with reduction", &dfs, &reduced, has_stricter) &
      is_subset("with guards only", &guards, &dfs, has_same) &
      is_subset("dfs only, not with guards", &dfs, &guards, has_stricter);
  uint32_t bad[4] = {engine_check(&dfs), engine_check(&plain),
                     engine_check(&reduced), engine_check(&guards)};
  ok &= !bad[0] == !bad[1] && !bad[0] == !bad[2] && !bad[0] == !bad[3];
  ok &= guards.states <= reduced.states;
  sum->fewer += guards.states < reduced.states;
  for (uint32_t i = 0; i < dfs.at.len; i++)
    sum->faulty += dfs.at.at[i].end == RT_FAULT;
  sum->compared++;
  sum->unexplained += bad[0] != 0;
  if (!ok)
    fprintf(stderr, "  client %s\n", engine_text(c));
  engine_free(&dfs);
  engine_free(&plain);
  engine_free(&reduced);
  engine_free(&guards);
  return ok;
}

static struct agreement compare_random(uint64_t seed, uint32_t clients) {
  struct agreement sum = {0};
  struct engine_draw d = engine_draw_begin(seed, 2, 3, 2);
  for (uint32_t i = 0; i < clients && !test_errors && engine_draw(&d); i++)
    CHECK(compare(&d.client, MOST_EXECUTIONS, &sum));
  engine_draw_end(&d);
  return sum;
}

/* ---- objects ---- */

static void compare_object(const struct engine_object *o) {
  struct agreement sum = {0};
  if (o->client) {
    struct client c = {0};
    engine_client(&c, o->client);
    CHECK(compare(&c, MOST_NAMED, &sum));
    CHECK_INT(sum.compared, 1);
    client_free(&c);
  }
  uint32_t bad = sum.unexplained;
  sum = compare_random(1, CLIENTS);
  CHECK(sum.compared >= CLIENTS / 4);
  if (!strcmp(o->name, "a queue with two locks"))
    CHECK(sum.fewer > 0); /* else nothing is compared */
  CHECK_INT((bad + sum.unexplained) != 0, o->faulty);
}

static void compare_objects(const char *cc, const char *opt) {
  if (cc && !scratch_has(cc))
    return;
  engine_cc = cc;
  for (size_t i = 0; i < ENGINE_OBJECTS; i++) {
    struct engine_object *o = &engine_objects[i];
    if (cc && o->options.spurious_cas) /* clang's hooks do not say "weak" */
      continue;
    engine_one_object(o, opt, compare_object);
  }
  engine_cc = NULL;
}

TEST(they_agree_on_objects) { compare_objects(NULL, "-O1"); }
/* Other code leaves other dead bytes on the stacks: states that one compiler
 * makes different by chance are equal with another. */
TEST(they_agree_on_objects_of_clang) { compare_objects("clang", "-O2"); }

/* The order of a() and b() is in no location: both() sees b without a. */
static void real_time(void *so) {
  engine_open(so, NULL);
  struct client c = {0};
  engine_client(&c, "{both()} || {a(); b()}");
  struct agreement sum = {0};
  CHECK(compare(&c, MOST_NAMED, &sum));
  CHECK_INT(sum.unexplained, 0); /* one thread: a before b, always seen so */
  client_free(&c);
  engine_client(&c, "{both()} || {a()} || {b()}");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  for (int how = ENGINE_DFS; how <= ENGINE_UNREDUCED; how++) {
    struct engine_found f;
    engine_explore(&f, &c, how, 0);
    CHECK(engine_check(&f) > 0);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < f.at.len; i++)
      if (!f.at.at[i].explained) {
        const struct hop *o = f.at.at[i].history.ops;
        CHECK(hop_before(&o[1], &o[2]) || hop_before(&o[2], &o[1]));
        wrong++;
      }
    CHECK(wrong > 0);
    engine_free(&f);
  }
  client_free(&c);
}

TEST(a_violation_of_the_real_time_order_alone_is_found) {
  char *so = NULL;
  for (size_t i = 0; i < ENGINE_OBJECTS; i++)
    if (strstr(engine_objects[i].name, "only the real-time order"))
      so = engine_build(engine_objects[i].text, NULL);
  engine_child(real_time, so);
  free(so);
}

/* Initial calls count as calls: there may be many. */
static void many_calls(void *so) {
  engine_open(so, NULL);
  struct buf text = {0};
  for (int i = 0; i < 70; i++)
    buf_puts(&text, "nothing(); ");
  buf_puts(&text, "{both()} || {a()} || {b()}");
  struct client c = {0};
  engine_client(&c, buf_text(&text));
  struct agreement sum = {0};
  CHECK(compare(&c, MOST_NAMED, &sum));
  CHECK_INT(sum.compared, 1);
  CHECK_INT(sum.unexplained, 1);
  client_free(&c);
  buf_free(&text);
}

TEST(it_is_found_behind_many_initial_calls) {
  char *so =
      engine_build("#include <faultline.h>\n"
                   "static int x, y;\n"
                   "static void a(void) { x = 1; }\n"
                   "static void b(void) { y = 1; }\n"
                   "static int both(void) { int s = y; return s + 2 * x; }\n"
                   "static void nothing(void) {}\n"
                   "FL_OBJECT(pair)\nFL_OP(void, a)\nFL_OP(void, b)\n"
                   "FL_OP(int, both)\nFL_OP(void, nothing)\n",
                   NULL);
  engine_child(many_calls, so);
  free(so);
}

/* ---- random programs ---- */

enum { PROGRAM_CLIENTS = 12 };

static void compare_program(uint64_t seed) {
  CHECK(compare_random(seed, PROGRAM_CLIENTS).compared > 0);
}

/* All clients may be too long. */
static void compare_sections(uint64_t seed) {
  compare_random(seed, PROGRAM_CLIENTS);
}

TEST(they_agree_on_random_programs) {
  engine_each_program(
      &(struct engine_programs){.count = PROGRAMS, .compare = compare_program});
}

TEST(they_agree_on_random_critical_sections) {
  engine_each_program(&(struct engine_programs){
      .count = PROGRAMS, .write = random_locks, .compare = compare_sections});
}

TEST_MAIN
