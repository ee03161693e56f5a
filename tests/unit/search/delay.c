/* Walks that hold one thread up: how often, where, and what locks do to it. */
#include "sampled.h"

#include "search/delay.h"

enum { EXECUTIONS = 20000 };

/* Where the first thread was when the second one made its last step. */
struct overtaken {
  struct live_path live;
  uint64_t at[8];
};

static enum judgement note(void *ctx, enum rt_end end) {
  struct overtaken *o = ctx;
  uint32_t steps = 0, then = 0;
  (void)end;
  for (uint32_t i = 0; i < o->live.len; i++) {
    steps += o->live.at[i] == 1;
    if (o->live.at[i] == 2)
      then = steps;
  }
  o->at[then < 8 ? then : 7]++;
  o->live.len = 0;
  return JUDGE_GOOD;
}

static void everywhere(void *so) {
  engine_open(so, NULL);
  struct overtaken *o = xcalloc(1, sizeof *o);
  struct client c;
  engine_client(&c, "{s3()} || {s6(); s6(); s6()}");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct explore x = {
      .judge = {note, o}, .live = &o->live, .max_executions = EXECUTIONS};
  CHECK_INT(explore_delay(&x), EXPLORE_ALL);
  CHECK_INT(x.executions, EXECUTIONS);
  /* Somebody is held up in 3 of 4, the first in half of these, before one of
   * its three steps; 2500 each. */
  for (uint32_t i = 0; i < 3; i++)
    if (!CHECK(o->at[i] > 2300 && o->at[i] < 2800))
      printf("     held up before step %u: %u times\n", i + 1,
             (unsigned)o->at[i]);
  client_free(&c);
  free(o);
}

TEST(a_thread_is_held_up_before_each_step_alike) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(everywhere, so);
  free(so);
}

static uint64_t bad_of(const char *client, bool (*bad)(enum rt_end),
                       enum explore_end (*how)(struct explore *)) {
  struct sampled *s = sampled_new(client);
  s->bad = bad;
  s->x.max_executions = EXECUTIONS;
  CHECK_INT(how(&s->x), EXPLORE_ALL);
  uint64_t n = s->x.bad_count;
  sampled_free(s);
  return n;
}

/* Six increments between a call's load and its store are lost. */
static bool six_lost(enum rt_end end) {
  return end == RT_DONE && sampled_last_result() == 1;
}

static void overtaking(void *so) {
  static const char client[] =
      "{inc()} || {inc(); inc(); inc(); inc(); inc(); inc()}; get()";
  engine_open(so, NULL);
  uint64_t held = bad_of(client, six_lost, explore_delay);
  uint64_t walked = bad_of(client, six_lost, explore_random);
  CHECK(held > EXECUTIONS / 10);
  CHECK(walked < EXECUTIONS / 100);
}

TEST(a_call_is_overtaken_by_many) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(overtaking, so);
  free(so);
}

static const char section_text[] =
    "#include <faultline.h>\n"
    "#include <pthread.h>\n"
    "static volatile int x;\n"
    "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "static void change(void) {\n"
    "  pthread_mutex_lock(&m); x = 1; x = 2; pthread_mutex_unlock(&m);\n"
    "}\n"
    "static int look(void) { return x; }\n"
    "static void wait(void) {\n"
    "  pthread_mutex_lock(&m); while (x != 2) { pthread_mutex_unlock(&m);\n"
    "  pthread_mutex_lock(&m); } pthread_mutex_unlock(&m);\n"
    "}\n"
    "FL_OBJECT(section)\n"
    "FL_OP(void, change)\nFL_OP(int, look)\nFL_OP(void, wait, FL_BLOCKING)\n";

static bool saw_inside(enum rt_end end) {
  return end == RT_DONE && sampled_last_result() == 1;
}

static bool cut(enum rt_end end) { return end != RT_DONE; }

static void sections(void *so) {
  static const char client[] = "{change()} || {look()}";
  engine_open(so, NULL);
  uint64_t kept = bad_of(client, saw_inside, explore_delay);
  uint64_t walked = bad_of(client, saw_inside, explore_random);
  CHECK(walked > EXECUTIONS / 10);
  CHECK(kept > 0 && kept < walked / 3); /* seldom, not never */
}

TEST(critical_sections_are_seldom_left) {
  char *so = engine_build(section_text, NULL);
  engine_child(sections, so);
  free(so);
}

static void waiting(void *so) {
  engine_open(so, NULL);
  CHECK_INT(bad_of("{wait()} || {change()}", cut, explore_delay), 0);
}

TEST(who_is_waited_for_is_not_held_up_for_ever) {
  char *so = engine_build(section_text, NULL);
  engine_child(waiting, so);
  free(so);
}

static void seeds(void *so) {
  uint64_t hash[2][2];
  engine_open(so, NULL);
  for (int seed = 0; seed < 2; seed++)
    for (int again = 0; again < 2; again++) {
      struct sampled *s = sampled_new("{s3(); inc()} || {inc(); s2()}");
      s->x.seed = (uint64_t)seed;
      s->x.max_executions = 100;
      explore_delay(&s->x);
      hash[seed][again] = s->hash;
      sampled_free(s);
    }
  CHECK(hash[0][0] == hash[0][1] && hash[1][0] == hash[1][1]);
  CHECK(hash[0][0] != hash[1][0]);
}

TEST(a_seed_gives_the_same_executions_again) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(seeds, so);
  free(so);
}

TEST_MAIN
