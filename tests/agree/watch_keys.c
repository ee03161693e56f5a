/*
 * Watches of one key say after each event what search says: an element of a set
 * or a multiset, on which all processes collide, and a list.
 */
#include "two_streams.h"

/* Some do not say whether they changed it, and some took no effect. */
static void blur(struct log *l, struct rng *r) {
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    if (o->ret == LOG_PENDING)
      continue;
    if (!rng_below(r, 6))
      o->result = DATUM_NONE;
    else if (!rng_below(r, 12))
      o->failed = true;
  }
}

/* Elements that come again, or not. */
static void compare_sets(const char *shape, uint64_t n) {
  struct seen seen = {0};
  for (uint64_t seed = 0; seed < n; seed++) {
    struct random_log want = {.shape = shape,
                              .seed = seed,
                              .operations = 3 + seed % 17,
                              .processes = 2 + seed % 5,
                              .values = 1 + seed % 11 / 9 * 4,
                              .removals = seed % 3 ? 0 : 90,
                              .reads = seed % 4 ? 0 : 5,
                              .pending = seed % 5 ? 0 : 20,
                              .mutations = seed % 2};
    struct log l = random_log(&want);
    struct rng r = {seed};
    if (seed % 7 == 3)
      blur(&l, &r);
    bool same = agree_on(&l, seed, seed % 13 == 0, &seen);
    log_free(&l);
    if (!same) {
      fprintf(stderr, "%s, seed %d\n", shape, (int)seed);
      return;
    }
  }
  CHECK(seen.bad > n / 20 && seen.bad < n / 2);
  CHECK(seen.watched > n / 20);
  CHECK(seen.left > n / 20);
  CHECK_INT(seen.unknown, 0);
}

/* An operation has a key before its element: then a key is a whole set. */
static void give_key(struct log *l) {
  l->type = "keyed-set";
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    o->arg[o->nargs++] = o->arg[0];
    o->arg[0] = DATUM_TRUE;
  }
}

TEST(of_sets_by_key) {
  struct seen seen = {0};
  for (uint64_t seed = 0; seed < 3000; seed++) {
    struct random_log want = {.shape = "set",
                              .seed = seed,
                              .operations = 3 + seed % 9,
                              .processes = 2 + seed % 3,
                              .values = 1 + seed % 3,
                              .mutations = seed % 2};
    struct log l = random_log(&want);
    give_key(&l);
    bool same = agree_on(&l, seed, false, &seen);
    log_free(&l);
    if (!CHECK(same))
      return;
  }
  CHECK(seen.bad && seen.left && seen.watched);
}

/* Some items come again, and some operations took no effect. */
static void compare_lists(uint64_t n) {
  struct seen seen = {0};
  for (uint64_t seed = 0; seed < n; seed++) {
    struct random_log want = {.shape = "list-append",
                              .seed = seed,
                              .operations = 3 + seed % 13,
                              .processes = 2 + seed % 4,
                              .values = seed % 4 ? 0 : 4 + seed % 9,
                              .keys = 1 + seed % 9 / 8,
                              .reads = 20 + seed % 60,
                              .pending = seed % 5 ? 0 : 20,
                              .mutations = seed % 2 * (1 + seed % 3)};
    struct log l = random_log(&want);
    struct rng r = {seed};
    if (seed % 7 == 3)
      blur(&l, &r);
    bool same = agree_on(&l, seed, seed % 13 == 0, &seen);
    log_free(&l);
    if (!same) {
      fprintf(stderr, "list, seed %d\n", (int)seed);
      return;
    }
  }
  CHECK(seen.bad > n / 20 && seen.bad < n / 2);
  CHECK(seen.watched > n / 20);
  CHECK(seen.left > n / 20);
  CHECK(seen.unknown < n / 20);
}

static void compare_long(const char *shape, uint64_t n) {
  struct seen seen = {0};
  bool lists = !strcmp(shape, "list-append");
  for (uint64_t seed = 0; seed < n; seed++) {
    struct random_log want = {.shape = shape,
                              .seed = seed,
                              .operations = 300,
                              .processes = 3 + seed % 6,
                              .values = lists ? 0 : 1 + seed % 2,
                              .keys = 2,
                              .reads = lists ? 60 : 0,
                              .pending = seed % 5 ? 0 : 2,
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
  CHECK(seen.unknown < (lists ? n / 4 : 1));
}

/* Most compare-and-sets that fail do so because of what is certain; if `kept`
 * the others are there, too, and some values come again. */
static void compare_cas(uint64_t n, bool kept) {
  struct seen seen = {0};
  for (uint64_t seed = 0; seed < n; seed++) {
    struct random_log want = {.shape = "cas-register",
                              .seed = seed + kept * n,
                              .operations = 3 + seed % 17,
                              .processes = 2 + seed % 5,
                              .values =
                                  kept && seed % 3 == 0 ? 3 + seed % 7 : 0,
                              .reads = seed % 4 ? 0 : 60,
                              .pending = seed % 5 ? 0 : 20,
                              .mutations = seed % 2};
    struct log l = random_log(&want);
    struct rng r = {seed};
    for (uint32_t i = 0; i < l.ops.len && !kept; i++)
      if (l.ops.at[i].result == DATUM_FALSE && rng_below(&r, 4)) {
        l.ops.at[i].f = log_function(&l, "read", 4);
        l.ops.at[i].nargs = 0;
        l.ops.at[i].result = DATUM_NONE;
      }
    bool same = agree_on(&l, seed, seed % 13 == 0, &seen);
    log_free(&l);
    if (!same) {
      fprintf(stderr, "cas, seed %d\n", (int)seed);
      return;
    }
  }
  CHECK(seen.bad > n / 20 && seen.bad < n / 2);
  CHECK(seen.watched > n / 20);
  CHECK(seen.left > n / 20);
  CHECK_INT(seen.unknown, 0);
}

/* f(arg, arg2) = result, from event to event; 0: none, or never. */
struct row {
  const char *f;
  int arg, arg2, result;
  uint32_t call, ret;
};

static datum number_or(int v, datum otherwise) {
  return v ? datum_number(v) : otherwise;
}

/* The last return is wrong for a reason that search must be told of. */
static void is_bad(const struct row *rows, uint32_t n) {
  struct log l = {.type = "cas-register", .type_argument = DATUM_NONE};
  struct seen seen = {0};
  for (uint32_t i = 0; i < n; i++) {
    struct log_op o = {.call = rows[i].call,
                       .ret = rows[i].ret ? rows[i].ret : LOG_PENDING,
                       .process = i,
                       .f = log_function(&l, rows[i].f, strlen(rows[i].f)),
                       .nargs = (uint8_t)(!!rows[i].arg + !!rows[i].arg2),
                       .arg = {number_or(rows[i].arg, DATUM_NONE),
                               number_or(rows[i].arg2, DATUM_NONE), DATUM_NONE},
                       .result = number_or(rows[i].result, DATUM_NONE),
                       .order = LOG_NO_HINT};
    if (rows[i].arg2)
      o.result = DATUM_TRUE;
    vec_push(&l.ops, o);
    l.end = o.ret != LOG_PENDING && o.ret >= l.end ? o.ret + 1 : l.end;
  }
  CHECK(agree_on(&l, 4, false, &seen));
  CHECK_INT(seen.bad, 1);
  CHECK_INT(seen.left, 1);
  log_free(&l);
}
#define ROWS(...)                                                              \
  (const struct row[]){__VA_ARGS__},                                           \
      sizeof((const struct row[]){__VA_ARGS__}) / sizeof(struct row)

/* 3 was there before 1, which was before the first 2; then 2 comes again. */
TEST(a_forgotten_chain_ends_another_one) {
  is_bad(ROWS({"write", 1, 0, 0, 2, 5}, {"write", 3, 0, 0, 3, 0},
              {"read", 0, 0, 3, 4, 9}, {"write", 2, 0, 0, 8, 12},
              {"read", 0, 0, 1, 10, 13}, {"write", 2, 0, 0, 20, 0},
              {"read", 0, 0, 3, 21, 22}));
}

/* 9 was there before 1, which was read behind the call of what replaced it. */
TEST(what_is_cut_from_a_chain_was_called_late) {
  is_bad(ROWS({"write", 1, 0, 0, 1, 4}, {"write", 9, 0, 0, 2, 0},
              {"read", 0, 0, 9, 3, 6}, {"cas", 1, 2, 0, 5, 10},
              {"read", 0, 0, 1, 7, 8}, {"write", 2, 0, 0, 11, 0},
              {"read", 0, 0, 9, 12, 13}));
}

enum { MANY = 100000 };

TEST(of_sets) { compare_sets("set", MANY); }
TEST(of_multisets) { compare_sets("multiset", MANY); }
TEST(of_compare_and_sets) {
  compare_cas(MANY, false);
  compare_cas(MANY, true);
}
TEST(of_lists) { compare_lists(MANY); }
TEST(long_ones) {
  compare_long("set", 600);
  compare_long("list-append", 100);
}

TEST_MAIN
