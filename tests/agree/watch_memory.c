/*
 * Watches that forget all they can, at once, say the same after each event as
 * those that remember everything; so do those that forget as they use to.
 * Streams are longer here, and nearer to the edge, than search could get
 * through.  What happens when they hand over to search: tests/agree/watch.c.
 */
#include "history/stream/online.h"

#include "random_log.h"
#include "test.h"
#include "tighten.h"

enum { WATCHES = 3 };

struct some {
  struct type *types[WATCHES];
  struct online *at[WATCHES];
};

static struct some some_new(const struct log *l) {
  struct some s;
  struct error e = {0};
  for (int i = 0; i < WATCHES; i++) {
    struct online_options o = {.remembers = i == 0, .hastens = i == 1};
    s.types[i] = type_open(l->type, l->type_argument, &e);
    s.at[i] = online_new(s.types[i], &o);
  }
  return s;
}

static void some_free(struct some *s) {
  for (int i = 0; i < WATCHES; i++) {
    online_free(s->at[i]);
    type_free(s->types[i]);
  }
}

struct seen {
  uint32_t bad, unknown; /* streams */
};

/* False: they differ.  *over: nothing more will be said. */
static bool tell(struct some *s, const struct log_event *ev, bool *over) {
  struct error e = {0};
  struct online_answer a[WATCHES];
  for (int i = 0; i < WATCHES; i++) {
    if (!CHECK_INT(online_add(s->at[i], ev, &e), 0))
      return false;
    a[i] = online_answer(s->at[i]);
    *over |= a[i].verdict != LOG_LINEARIZABLE;
  }
  for (int i = 1; i < WATCHES; i++)
    if (a[i].verdict != LOG_UNKNOWN && a[0].verdict != LOG_UNKNOWN &&
        !CHECK_INT(a[i].verdict, a[0].verdict))
      return false;
  return true;
}

static bool agree_on(const struct log *l, uint64_t seed, struct seen *seen) {
  struct some some = some_new(l);
  struct stream s = stream_of(l);
  struct rng r = {seed};
  bool same = true, over = false;
  for (uint32_t time = 0; time < l->end && same && !over; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    same = tell(&some, &ev, &over);
    if (ev.kind == LOG_CALL && l->ops.at[s.at[time] / 2].ret == LOG_PENDING &&
        rng_below(&r, 2)) {
      ev.kind = LOG_INFO;
      same = same && tell(&some, &ev, &over);
    }
  }
  seen->bad += online_answer(some.at[0]).verdict == LOG_VIOLATION;
  seen->unknown += online_answer(some.at[0]).verdict == LOG_UNKNOWN;
  /* No value comes twice: none hands over. */
  for (int i = 0; i < WATCHES; i++)
    same &= CHECK_INT(online_watched(some.at[i]), online_parts(some.at[i]));
  some_free(&some);
  free(s.at);
  return same;
}

static void compare(const char *shape, uint64_t n, uint32_t longest,
                    bool crashes) {
  struct seen seen = {0};
  for (uint64_t seed = 0; seed < n; seed++) {
    struct rng r = {seed * 31};
    struct random_log want = {
        .shape = shape,
        .seed = seed,
        .operations = 8 + (uint32_t)rng_below(&r, longest),
        .processes = 2 + (uint32_t)rng_below(&r, 8),
        .removals = rng_below(&r, 2) ? 0 : 60,
        .reads = rng_below(&r, 2) ? 0 : 50,
        .no_empty = rng_below(&r, 4) == 0,
        .pending = rng_below(&r, 3) ? 0 : 1 + (uint32_t)rng_below(&r, 12)};
    if (crashes) {
      want.pending = 5 + (uint32_t)rng_below(&r, 25);
      want.removals = 80;
    }
    struct log l = random_log(&want);
    tighten(&l, &r, (uint32_t)rng_below(&r, 2 * want.operations));
    bool same = agree_on(&l, seed, &seen);
    log_free(&l);
    if (!same) {
      fprintf(stderr, "%s, seed %d\n", shape, (int)seed);
      return;
    }
  }
  CHECK(seen.bad > n / 20 && seen.bad < n - n / 20);
  CHECK(seen.unknown < n / 20);
}

TEST(of_queues) { compare("queue", 60000, 60, false); }
TEST(of_queues_of_crashing_processes) { compare("queue", 60000, 40, true); }
TEST(of_stacks) { compare("stack", 10000, 40, false); }
TEST(of_priority_queues) { compare("pqueue", 10000, 40, false); }

TEST_MAIN
