/*
 * Watches say after each event what search says, on many more histories than
 * the definition can be asked about (tests/agree/online.c does), also of those
 * that they leave to search on the way.
 */
#include "two_streams.h"

/* Priorities of which some are equal, in the order of the values; and the same
 * upside down. */
static void give_priorities(struct log *l, bool turned) {
  int64_t sign = turned ? -1 : 1;
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    if (o->nargs && datum_is_number(o->arg[0])) {
      int64_t v = datum_to_number(o->arg[0]);
      o->arg[0] = datum_number(v * sign);
      o->arg[o->nargs++] = datum_number(sign * (v >> 32 ? v >> 49 : v / 2));
    } else if (datum_is_number(o->result)) {
      o->result = datum_number(datum_to_number(o->result) * sign);
    }
  }
  for (uint32_t i = 0; i < l->functions.len && turned; i++) {
    const char **name = &l->functions.at[i];
    *name = !strcmp(*name, "delete_min") ? "delete_max"
            : !strcmp(*name, "find_min") ? "find_max"
                                         : *name;
  }
  if (turned)
    l->type = "max-pqueue";
}

static void compare(const char *shape, uint64_t n) {
  struct seen seen = {0};
  for (uint64_t seed = 0; seed < n; seed++) {
    struct random_log want = {.shape = shape,
                              .seed = seed,
                              .operations = 3 + seed % 13,
                              .processes = 2 + seed % 4,
                              .values = seed % 3 ? 0 : 2 + seed % 7,
                              .keys = 2,
                              .removals = seed % 7 ? 0 : 70,
                              .no_reads =
                                  !strcmp(shape, "queue") && seed % 4 == 3,
                              .no_empty = seed % 11 == 0,
                              .pending = seed % 5 ? 0 : 20,
                              .mutations = seed % 5 == 1 || seed % 5 == 3};
    struct log l = random_log(&want);
    struct rng r = {seed * 31};
    if (seed % 2)
      tighten(&l, &r, (uint32_t)rng_below(&r, 2ull * want.operations));
    if (!strcmp(shape, "pqueue") && seed % 6 < 4)
      give_priorities(&l, seed % 6 < 2);
    bool same = agree_on(&l, seed, seed % 13 == 0, &seen);
    log_free(&l);
    if (!same) {
      fprintf(stderr, "%s, seed %d\n", shape, (int)seed);
      return;
    }
  }
  /* Neither answer is rare, nor is that search goes on. */
  CHECK(seen.bad > n / 20 && seen.bad < n / 2);
  CHECK(seen.watched > n / 20);
  CHECK(seen.left > n / 20);
  CHECK(seen.unknown < n / 20);
}

/* Long ones with more processes: what was forgotten was not needed. */
static void compare_long(const char *shape, uint64_t n) {
  struct seen seen = {0};
  for (uint64_t seed = 0; seed < n; seed++) {
    struct random_log want = {.shape = shape,
                              .seed = seed,
                              .operations = 300,
                              .processes = 3 + seed % 3,
                              .removals = seed % 2 ? 60 : 0,
                              .no_reads =
                                  !strcmp(shape, "queue") && seed % 4 == 3,
                              .pending = seed % 5 ? 0 : 1,
                              .mutations = seed % 3 > 0};
    struct log l = random_log(&want);
    bool same = agree_on(&l, seed, false, &seen);
    log_free(&l);
    if (!same) {
      fprintf(stderr, "%s, seed %d\n", shape, (int)seed);
      return;
    }
  }
  CHECK(seen.bad > n / 10);
  CHECK(seen.unknown < n / 2);
}

enum { MANY = 60000 };

TEST(of_registers) { compare("register", MANY); }
TEST(of_queues) { compare("queue", MANY); }
TEST(of_stacks) { compare("stack", MANY); }
TEST(of_priority_queues) { compare("pqueue", MANY); }
TEST(of_maps) { compare("map", MANY / 4); }
TEST(long_ones) {
  compare_long("register", 300);
  compare_long("queue", 300);
  compare_long("stack", 300);
  compare_long("pqueue", 300);
}

TEST_MAIN
