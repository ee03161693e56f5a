/*
 * Watches say after each event what search says, on many more histories than
 * the definition can be asked about (tests/agree/online.c does), also of those
 * that they leave to search on the way.
 */
#include "check/online.h"

#include "random_log.h"
#include "test.h"
#include "tighten.h"

/* Search of stacks explodes now and then. */
enum { MOST_STEPS = 100000 };

struct two {
  struct type *types[2];
  struct online *at[2]; /* with watches, and without */
};

static struct two two_new(const struct log *l, uint64_t seed) {
  struct two t;
  struct error e = {0};
  for (int i = 0; i < 2; i++) {
    struct online_options o = {.search = i == 1,
                               .hastens = seed % 3 == 1,
                               .late = seed % 4 == 1 ? 5 : 0};
    if (o.search)
      o.budget.steps = MOST_STEPS;
    t.types[i] = type_open(l->type, l->type_argument, &e);
    t.at[i] = online_new(t.types[i], &o);
  }
  return t;
}

static void two_free(struct two *t) {
  for (int i = 0; i < 2; i++) {
    online_free(t->at[i]);
    type_free(t->types[i]);
  }
}

/* False: they differ, or one does not take it. */
static bool tell(struct two *t, const struct log_event *ev) {
  struct error e = {0};
  if (!CHECK_INT(online_add(t->at[1], ev, &e), 0))
    return false;
  /* A watch may know what search does not. */
  struct online_answer b = online_answer(t->at[1]);
  if (b.verdict == LOG_UNKNOWN)
    return true;
  if (!CHECK_INT(online_add(t->at[0], ev, &e), 0))
    return false;
  struct online_answer a = online_answer(t->at[0]);
  return CHECK_INT(a.verdict, b.verdict) && CHECK_INT(a.event, b.event);
}

struct seen {
  uint32_t bad, watched, left; /* histories */
  uint32_t unknown;            /* … that search did not get through */
};

/* Somebody puts a value for which the watch gives way to search if it is there,
 * and then has not done so. */
static bool hand_over(struct two *t, const struct log *l, struct rng *r) {
  const struct log_op *op = &l->ops.at[rng_below(r, l->ops.len)];
  const char *name = l->functions.at[op->f];
  struct log_event ev = {.kind = LOG_CALL,
                         .nargs = op->nargs,
                         .process = 1000,
                         .f = name,
                         .flen = (uint32_t)strlen(name),
                         .order = LOG_NO_HINT};
  memcpy(ev.arg, op->arg, sizeof ev.arg);
  if (!op->nargs || !tell(t, &ev))
    return !op->nargs;
  ev.kind = LOG_DROP;
  return tell(t, &ev);
}

/* Some operations are dropped, and some that never return say so. */
static bool agree_on(const struct log *l, uint64_t seed, bool drops,
                     struct seen *seen) {
  struct two t = two_new(l, seed);
  struct stream s = stream_of(l);
  struct rng r = {seed};
  bool same = true;
  uint64_t over = seed % 5 < 2 ? rng_below(&r, l->end) : UINT64_MAX;
  for (uint32_t time = 0; time < l->end && same; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    if (ev.kind != LOG_CALL && drops && !rng_below(&r, 8))
      ev.kind = LOG_DROP;
    same = tell(&t, &ev);
    for (int i = 0; i < 8 && same && time == over; i++)
      same = hand_over(&t, l, &r);
    if (ev.kind == LOG_CALL && l->ops.at[s.at[time] / 2].ret == LOG_PENDING &&
        rng_below(&r, 2)) {
      ev.kind = LOG_INFO;
      same = same && tell(&t, &ev);
    }
  }
  seen->unknown += online_answer(t.at[1]).verdict == LOG_UNKNOWN;
  seen->bad += online_answer(t.at[0]).verdict == LOG_VIOLATION;
  bool watched = online_watched(t.at[0]) == online_parts(t.at[0]);
  seen->watched += watched;
  seen->left += !watched;
  two_free(&t);
  free(s.at);
  return same;
}

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
