#include "model/history.h"
#include "model/trace.h"

#include "base/arena.h"
#include "base/rng.h"
#include "model/result.h"
#include "test.h"

#include <string.h>

#include <stdlib.h>

/* A client of n threads with one call each. */
static struct client wide(uint32_t n) {
  struct client c = {0};
  for (uint32_t t = 1; t <= n; t++)
    client_add(&c, t, (struct call){.op = 0});
  return c;
}

static bool same(const struct history *a, const struct history *b) {
  return hash128_equal(history_digest(a), history_digest(b));
}

TEST(only_the_order_of_returns_and_calls_counts) {
  struct client c = wide(2);
  struct hop a[2] = {{1, 2, value_int(1)}, {3, 4, value_int(2)}};
  struct hop b[2] = {{1, 5, value_int(1)}, {9, 9, value_int(2)}};
  struct hop overlap[2] = {{1, 3, value_int(1)}, {3, 4, value_int(2)}};
  struct history x = {&c, a, false}, y = {&c, b, false};
  struct history z = {&c, overlap, false};
  history_check_invariants(&x);
  CHECK(same(&x, &y));
  CHECK(!same(&x, &z));
  client_free(&c);
}

TEST(results_calls_and_being_stuck_count) {
  struct client c = wide(2);
  uint32_t never = HISTORY_PENDING;
  struct hop base[2] = {{1, 2, value_int(1)}, {1, never, value_int(0)}};
  struct hop result[2] = {{1, 2, value_int(2)}, {1, never, value_int(0)}};
  struct hop kind[2] = {{1, 2, value_uint(1)}, {1, never, value_int(0)}};
  struct hop uncalled[2] = {{1, 2, value_int(1)}, {never, never, value_int(0)}};
  struct hop junk[2] = {{1, 2, value_int(1)}, {1, never, value_int(42)}};
  struct history h = {&c, base, false};
  CHECK(!same(&h, &(struct history){&c, result, false}));
  CHECK(!same(&h, &(struct history){&c, kind, false}));
  CHECK(!same(&h, &(struct history){&c, uncalled, false}));
  CHECK(!same(&h, &(struct history){&c, base, true}));
  CHECK(same(&h, &(struct history){&c, junk, false})); /* never returned */
  client_free(&c);
}

/* What the digest stands for, spelled out. */
static bool same_slowly(const struct history *a, const struct history *b) {
  uint32_t n = a->client->ncalls;
  for (uint32_t i = 0; i < n; i++) {
    const struct hop *x = &a->ops[i], *y = &b->ops[i];
    if (hop_called(x) != hop_called(y) || hop_pending(x) != hop_pending(y))
      return false;
    if (!hop_pending(x) && !value_equal(x->result, y->result))
      return false;
    for (uint32_t j = 0; j < n && hop_called(x); j++)
      if (hop_before(&a->ops[j], x) != hop_before(&b->ops[j], y))
        return false;
  }
  return true;
}

static void randomize(struct hop *ops, uint32_t n, struct rng *r) {
  for (uint32_t i = 0; i < n; i++) {
    ops[i].call = (uint32_t)rng_below(r, 4);
    ops[i].ret = ops[i].call + (uint32_t)rng_below(r, 3);
    ops[i].result = value_int((int64_t)rng_below(r, 2));
    if (rng_below(r, 6) == 0)
      ops[i].ret = HISTORY_PENDING;
    if (rng_below(r, 12) == 0)
      ops[i].call = ops[i].ret = HISTORY_PENDING;
  }
}

TEST(digests_agree_with_the_definition) {
  struct rng r = {1};
  unsigned equal = 0;
  for (int round = 0; round < 60000; round++) {
    struct client c = wide(1 + round % 3);
    struct hop a[3], b[3];
    randomize(a, c.ncalls, &r);
    randomize(b, c.ncalls, &r);
    struct history x = {&c, a, false}, y = {&c, b, false};
    bool is = same_slowly(&x, &y);
    equal += is;
    CHECK_INT(same(&x, &y), is);
    client_free(&c);
  }
  CHECK(equal > 100);
}

TEST(long_histories_have_digests_too) {
  struct client c = {0};
  enum { N = 200 };
  struct hop ops[N];
  for (uint32_t i = 0; i < N; i++) {
    client_add(&c, 1, (struct call){.op = 0});
    ops[i] = (struct hop){2 * i, 2 * i + 1, value_int(i)};
  }
  struct history h = {&c, ops, false};
  history_check_invariants(&h);
  struct hash128 before = history_digest(&h);
  for (uint32_t i = 0; i < N; i++)
    ops[i].call += 100, ops[i].ret += 100;
  CHECK(hash128_equal(before, history_digest(&h)));
  ops[N - 1].call = ops[N - 2].ret; /* no longer ordered */
  CHECK(!hash128_equal(before, history_digest(&h)));
  client_free(&c);
}

/* Few times for many calls, and two histories that differ in one call only. */
TEST(digests_of_long_histories_agree_with_the_definition) {
  enum { N = 130 };
  struct rng r = {1};
  struct client c = {0};
  struct hop a[N], b[N];
  unsigned equal = 0;
  for (uint32_t i = 0; i < N; i++)
    client_add(&c, 1, (struct call){.op = 0});
  for (int round = 0; round < 2000; round++) {
    randomize(a, N, &r);
    memcpy(b, a, sizeof b);
    randomize(&b[rng_below(&r, N)], 1, &r);
    struct history x = {&c, a, false}, y = {&c, b, false};
    bool is = same_slowly(&x, &y);
    equal += is;
    CHECK_INT(same(&x, &y), is);
  }
  CHECK(equal > 20 && equal < 1980);
  client_free(&c);
}

TEST(a_trace_is_copied_whole) {
  struct client c = wide(2);
  struct hop ops[2] = {{0, 0, value_string("text")},
                       {0, HISTORY_PENDING, value_void()}};
  struct event events[3] = {{.kind = EV_READ, .pc = 7}, {.kind = EV_CAS}};
  struct frame frames[1] = {{0, 0}};
  struct block blocks[1] = {{.base = 64, .size = 8}};
  const char *notes[] = {"note"};
  struct activation activations[2] = {{0, 0}, {9, 0}};
  struct trace t = {.events = events,
                    .nevents = 3,
                    .frames = frames,
                    .nframes = 1,
                    .activations = activations,
                    .nactivations = 2,
                    .blocks = blocks,
                    .nblocks = 1,
                    .notes = notes,
                    .nnotes = 1,
                    .history = {&c, ops, false},
                    .truncated = true};
  struct arena a = {0};
  struct trace u;
  CHECK(trace_copy(&u, &t, &a));
  CHECK(u.events != events && u.events[0].pc == 7);
  CHECK(u.activations != activations && u.activations[1].call_pc == 9);
  CHECK(u.blocks != blocks && u.blocks[0].base == 64);
  CHECK(u.notes != notes && u.notes[0] != notes[0]);
  CHECK_STR(u.notes[0], "note");
  CHECK(u.history.client != &c && client_equal(u.history.client, &c));
  CHECK(u.history.ops != ops && u.truncated);
  CHECK_STR((const char *)(uintptr_t)u.history.ops[0].result.bits, "text");
  struct trace none = {0};
  CHECK(trace_copy(&u, &none, &a));
  CHECK(u.events == NULL);
  arena_free(&a);
  client_free(&c);

  char region[256];
  arena_init_fixed(&a, region, sizeof region);
  CHECK(!trace_copy(&u, &t, &a));
}

TEST(a_result_gives_everything_back) {
  struct result r = {.spec = xstrdup("stack"), .reason = xstrdup("because")};
  r.coverage.sentence = xstrdup("all");
  r.finding = xcalloc(1, sizeof *r.finding);
  r.finding->client = wide(3);
  r.finding->detail = xstrdup("detail");
  schedule_add_step(&r.finding->schedule, 1);
  struct refutation f = {0};
  vec_push(&f.order, 1);
  vec_push(&r.finding->refutations, f);
  result_release(&r); /* the leak check of the asan preset is the judge */
  CHECK(r.finding == NULL && r.spec == NULL && r.coverage.sentence == NULL);
  result_release(&r);
}

TEST(tables_have_no_holes) {
  for (int i = 0; i < EV_COUNT; i++)
    CHECK(event_word[i] && *event_word[i]);
  for (int i = 0; i < FAULT_COUNT; i++)
    CHECK(fault_id[i] && fault_words[i] && !strchr(fault_id[i], ' '));
  CHECK_STR(verdict_name[VERDICT_UNKNOWN], "unknown");
  CHECK_STR(verdict_name[VERDICT_PASS], "pass");
  CHECK_STR(fault_id[FAULT_NOT_LINEARIZABLE], "not-linearizable");
  CHECK_STR(event_word[EV_FAULT], "fault");
  CHECK(event_reads[EV_RMW] && event_writes[EV_RMW]);
  CHECK(event_reads[EV_CAS_FAIL] && !event_writes[EV_CAS_FAIL]);
  CHECK(!event_reads[EV_LOCK] && !event_writes[EV_LOCK]);
}

TEST_MAIN
