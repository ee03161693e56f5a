/* Partial-order sampling against probabilities that follow from its rule. */
#include "sampled.h"

static bool late_first(enum rt_end end) {
  return end == RT_DONE && sampled_last_result() == 1;
}

static void check_share(const char *what, uint64_t n, uint64_t total,
                        double p) {
  double off = (double)n - p * (double)total;
  if (!CHECK(off * off <= 25 * (double)total * p * (1 - p)))
    fprintf(stderr, "  %s: %llu of %llu, expected %.1f\n", what,
            (unsigned long long)n, (unsigned long long)total,
            p * (double)total);
}

static uint64_t late_firsts(enum explore_end (*how)(struct explore *),
                            uint64_t executions) {
  struct sampled *s = sampled_new("{late()} || {soon()}");
  s->bad = late_first;
  s->x.max_executions = executions;
  CHECK_INT(how(&s->x), EXPLORE_ALL);
  uint64_t n = s->x.bad_count;
  sampled_free(s);
  return n;
}

/* soon() keeps its priority while late() draws nine times. */
static void long_way(void *so) {
  engine_open(so, NULL);
  enum { MANY = 40000 };
  check_share("pos", late_firsts(explore_pos, MANY), MANY, 1 / 10.);
  check_share("random", late_firsts(explore_random, MANY), MANY, 1 / 512.);
}

TEST(accesses_without_a_race_do_not_decide_who_is_first) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(long_way, so);
  free(so);
}

/* Writes of one location: every order of them is as likely. */
static void orders(void *so) {
  engine_open(so, NULL);
  enum { MANY = 24000 };
  struct sampled *s = sampled_new("{s1()} || {s1()} || {s1()}");
  s->x.max_executions = MANY;
  CHECK_INT(explore_pos(&s->x), EXPLORE_ALL);
  static const uint32_t codes[] = {0x1b, 0x1e, 0x27, 0x2d, 0x36, 0x39};
  for (size_t i = 0; i < 6; i++)
    check_share("order", s->count[codes[i]], MANY, 1 / 6.);
  CHECK_INT(s->x.threads, 3);
  sampled_free(s);
  /* Two racing writes each: new priorities after each, as a random walk. */
  s = sampled_new("{s2()} || {s2()}");
  s->x.max_executions = MANY;
  CHECK_INT(explore_pos(&s->x), EXPLORE_ALL);
  check_share("1122", s->count[0x5a], MANY, 1 / 4.);
  check_share("1212", s->count[0x66], MANY, 1 / 8.);
  check_share("1221", s->count[0x69], MANY, 1 / 8.);
  check_share("2112", s->count[0x96], MANY, 1 / 8.);
  sampled_free(s);
}

TEST(racing_accesses_are_ordered_by_even_chances) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(orders, so);
  free(so);
}

/* A lock's waiters race with the unlock: all orders of three are met. */
static void locks(void *so) {
  engine_open(so, NULL);
  uint64_t hash[2];
  for (int again = 0; again < 2; again++) {
    struct sampled *s = sampled_new("{locked()} || {locked()} || {locked()}");
    s->x.max_executions = 600;
    CHECK_INT(explore_pos(&s->x), EXPLORE_ALL);
    CHECK_INT(s->x.executions, 600);
    CHECK_INT(s->x.cut, 0);
    uint32_t orders = 0;
    for (uint32_t c = 0; c < SAMPLED_CODES; c++)
      orders += s->count[c] != 0;
    CHECK_INT(orders, 6);
    hash[again] = s->hash;
    sampled_free(s);
  }
  CHECK(hash[0] == hash[1]);
}

TEST(locks_take_part_and_seeds_repeat) {
  char *so = engine_build(sampled_text, NULL);
  engine_child(locks, so);
  free(so);
}

TEST_MAIN
