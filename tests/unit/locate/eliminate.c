/* Eliminators and cycles of traces whose answer is known. */
#include "test.h"

#include "base/vec.h"
#include "locate/cycles.h"
#include "model/trace_file.h"

static struct accesses a;

static void add(uint32_t thread, uint32_t op, enum access_kind kind,
                uint64_t location) {
  struct access x = {.kind = (uint8_t)kind,
                     .event = a.len,
                     .thread = thread,
                     .op = op,
                     .addr = 8 * location,
                     .size = 8};
  vec_push(&a, x);
}
#define READ(thread, op, location) add(thread, op, ACCESS_READ, location)
#define WRITE(thread, op, location) add(thread, op, ACCESS_WRITE, location)

static bool go_on(void *ctx, const struct cycle *cycle) {
  (void)cycle;
  if (ctx)
    ++*(uint64_t *)ctx;
  return true;
}

static bool count_chordless(void *ctx, const struct cycle *cycle) {
  struct conflicts *c = ((void **)ctx)[0];
  *(uint64_t *)((void **)ctx)[1] += !cycle_has_chord(c, cycle);
  return true;
}

/* Of the trace `a`, which it empties: "{[0,5]} {[0,2],[3,4]} ", by events. */
static const char *eliminators_text(struct eliminators *keep) {
  static char text[4096];
  struct conflicts c;
  struct eliminators e;
  conflicts_init(&c, a.at, a.len, 0);
  eliminate(&c, (struct eliminate_limits){0}, &e);
  eliminators_sort(&e);
  char *at = text;
  *at = 0;
  for (uint32_t i = 0; i < eliminators_count(&e) && at < text + 4000; i++) {
    at += sprintf(at, "{");
    for (uint32_t k = 0; k < eliminator_size(&e, i); k++) {
      struct segment s = eliminator_segments(&e, i)[k];
      at +=
          sprintf(at, "[%u,%u]", c.nodes[s.first].event, c.nodes[s.last].event);
    }
    at += sprintf(at, "} ");
  }
  conflicts_free(&c);
  vec_clear(&a);
  if (keep)
    *keep = e;
  else
    eliminators_free(&e);
  return text;
}

/* Cycles of the trace `a`, which stays. */
static uint64_t cycles(bool chordless) {
  struct conflicts c;
  uint64_t n = 0;
  conflicts_init(&c, a.at, a.len, 0);
  void *ctx[] = {&c, &n};
  uint64_t found = chordless ? cycles_each(&c, count_chordless, ctx)
                             : cycles_each(&c, go_on, &n);
  CHECK(chordless || found == n);
  conflicts_free(&c);
  return n;
}

enum { X, Y, Z, P, Q, R };

/* The paper's figure 3; its events e1 … e8 are marked. */
static void figure_3(void) {
  WRITE(1, 1, X); /* e1 */
  READ(2, 2, P);  /* e5 */
  READ(2, 2, X);  /* e6 */
  READ(2, 3, Q);  /* e7 */
  WRITE(2, 3, Y); /* e8 */
  READ(1, 1, R);  /* e2 */
  READ(1, 1, Y);  /* e3 */
  READ(1, 1, Y);  /* e4 */
}

TEST(figure_3_leaves_one_segment) {
  figure_3();
  CHECK_INT(cycles(false), 2); /* e1→e6, e8→e3 and e1→e6, e8→e4 */
  CHECK_STR(eliminators_text(NULL), "{[0,6]} ");
}

/*
 * The paper's figure 4: n threads in a ring, k conflict edges from each to the
 * next, all sources before all targets.  Location of edge j of thread i:
 * i × k + j.  With `middle`, another thread comes between two accesses of the
 * first thread that lie between its sources and its targets.
 */
static void figure_4(uint32_t n, uint32_t k, bool middle) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < k; j++)
      WRITE(i, i, i * k + j);
  if (middle) {
    READ(0, 0, 1000);
    WRITE(n, n, 1000);
    READ(0, 0, 1000);
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < k; j++)
      READ(i, i, (i + n - 1) % n * k + j);
}

static uint64_t power(uint64_t k, uint32_t n) {
  return n ? k * power(k, n - 1) : 1;
}

TEST(figure_4_has_k_to_the_n_cycles_and_as_many_eliminators) {
  static const struct {
    uint32_t n, k;
  } sizes[] = {{2, 1}, {2, 3}, {3, 2}, {3, 3}, {4, 3}, {5, 2}, {8, 2}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint32_t n = sizes[i].n, k = sizes[i].k;
    struct eliminators e;
    figure_4(n, k, false);
    CHECK_INT(cycles(false), power(k, n));
    CHECK_INT(cycles(true), power(k, n));
    eliminators_text(&e);
    CHECK_INT(eliminators_count(&e), power(k, n));
    for (uint32_t j = 0; j < eliminators_count(&e); j++)
      CHECK_INT(eliminator_size(&e, j), n);
    eliminators_free(&e);
  }
}

TEST(figure_4_with_8_threads_and_4_edges_is_listed) {
  struct eliminators e;
  figure_4(8, 4, false);
  eliminators_text(&e);
  CHECK_INT(eliminators_count(&e), 65536);
  eliminators_free(&e);
}

TEST(cycles_around_a_smaller_eliminator_are_not_walked) {
  struct eliminators e;
  figure_4(8, 4, true);
  CHECK_STR(eliminators_text(&e), "{[32,34]} ");
  CHECK(e.steps < 200);
  eliminators_free(&e);
}

TEST(a_ring_that_does_not_close_is_not_walked) {
  struct eliminators e;
  figure_4(8, 4, false);
  for (uint32_t i = 32; i < 36; i++)
    a.at[i].addr += 8000; /* thread 0 reads what nobody wrote */
  CHECK_STR(eliminators_text(&e), "");
  CHECK(e.steps < 200);
  eliminators_free(&e);
}

TEST(a_limit_is_kept_and_said) {
  struct conflicts c;
  struct eliminators e;
  figure_4(6, 4, false);
  conflicts_init(&c, a.at, a.len, 0);
  eliminate(&c, (struct eliminate_limits){.results = 10}, &e);
  CHECK_INT(eliminators_count(&e), 10);
  CHECK(e.cut);
  eliminators_free(&e);
  eliminate(&c, (struct eliminate_limits){.steps = 10}, &e);
  CHECK(e.cut);
  CHECK_INT(e.steps, 10);
  eliminators_free(&e);
  conflicts_free(&c);
  vec_clear(&a);
}

/*
 * The paper's figure 2: push(a) || push(b); pop() || pop() of Afek's stack,
 * range is X, items[0] and items[1] are Y and Z.
 */
TEST(afeks_stack_has_the_repairs_of_figure_2) {
  WRITE(2, 2, X); /* 0: push(b), line 2 */
  WRITE(2, 2, Y); /* 1: line 3 */
  WRITE(1, 1, X); /* 2: push(a), line 2 */
  READ(2, 3, X);  /* 3: pop, line 5 */
  READ(2, 3, Z);  /* 4: line 8 */
  WRITE(2, 3, Z); /* 5: line 9 */
  READ(2, 3, Y);  /* 6: line 8 */
  READ(3, 4, X);  /* 7: pop, line 5 */
  READ(3, 4, Z);  /* 8: line 8 */
  WRITE(3, 4, Z); /* 9: line 9 */
  READ(3, 4, Y);  /* 10: line 8 */
  WRITE(2, 3, Y); /* 11: line 9 */
  WRITE(3, 4, Y); /* 12: line 9 */
  WRITE(1, 1, Z); /* 13: push(a), line 3 */
  /* Lines 2-3 of push, and lines 8-9 of each pop; that of thread 2 begins in
   * the iteration before. */
  CHECK_STR(eliminators_text(NULL), "{[2,13]} {[5,11]} {[10,12]} ");
}

TEST(a_trace_of_whole_operations_has_none) {
  READ(1, 1, X);
  WRITE(1, 1, X);
  READ(2, 2, X);
  WRITE(2, 2, X);
  CHECK_INT(cycles(false), 0);
  CHECK_STR(eliminators_text(NULL), "");
}

TEST(a_lost_update_blames_both_sides) {
  READ(1, 1, X);
  READ(2, 2, X);
  WRITE(1, 1, X);
  WRITE(2, 2, X);
  /* 1 → 2 → 3: the second counter was interrupted by the first's write; and
   * both together, which is subsumed. */
  CHECK_STR(eliminators_text(NULL), "{[1,3]} ");
}

TEST(an_interruption_between_two_operations_is_harmless) {
  READ(1, 1, X);
  WRITE(2, 2, X);
  READ(1, 3, X);
  CHECK_STR(eliminators_text(NULL), "");
}

TEST(an_empty_trace_has_none) {
  CHECK_INT(cycles(false), 0);
  CHECK_STR(eliminators_text(NULL), "");
}

TEST(conflicts_of_bytes_not_of_addresses) {
  add(1, 1, ACCESS_READ, 0);
  add(2, 2, ACCESS_WRITE, 0);
  add(1, 1, ACCESS_READ, 0);
  a.at[1].addr += 7; /* the last byte of what the others read */
  a.at[1].size = 1;
  CHECK_STR(eliminators_text(NULL), "{[0,2]} ");
  add(1, 1, ACCESS_READ, 0);
  add(2, 2, ACCESS_WRITE, 0);
  add(1, 1, ACCESS_READ, 0);
  a.at[1].addr += 8;
  CHECK_STR(eliminators_text(NULL), "");
}

TEST(accesses_in_different_lives_do_not_conflict) {
  add(1, 1, ACCESS_READ, 0);
  add(2, 2, ACCESS_FRESH, 0);
  add(2, 2, ACCESS_WRITE, 0);
  add(1, 1, ACCESS_READ, 0);
  CHECK_STR(eliminators_text(NULL), "");
  add(1, 1, ACCESS_READ, 0);
  add(2, 2, ACCESS_FRESH, 1);
  add(2, 2, ACCESS_WRITE, 0);
  add(1, 1, ACCESS_READ, 0);
  CHECK_STR(eliminators_text(NULL), "{[0,3]} ");
}

/*
 * Thread 1 fills a node (X) and publishes it (Y); thread 2 finds it and reads
 * it, in one operation that thread 1 interrupts.
 */
TEST(initialisation_before_publication_is_not_blamed) {
  READ(2, 2, Y);
  WRITE(1, 1, X);
  WRITE(1, 1, Y);
  READ(2, 2, Y);
  READ(2, 2, X);
  WRITE(2, 2, Y);
  WRITE(1, 1, Z);
  CHECK_STR(eliminators_text(NULL), "{[0,3]} ");
}

TEST(real_time_orders_what_conflicts_do_not) {
  /* A long operation of thread 1 around one of thread 2 and a later one of
   * thread 3: nothing but their order in time joins those two. */
  WRITE(1, 1, X);
  READ(2, 2, X);
  add(2, 2, ACCESS_RETURN, 0);
  WRITE(3, 3, Y);
  add(3, 3, ACCESS_RETURN, 0);
  READ(1, 1, Y);
  for (unsigned flags = 0; flags <= CONFLICTS_REAL_TIME; flags++) {
    struct conflicts c;
    struct eliminators e;
    conflicts_init(&c, a.at, a.len, flags);
    eliminate(&c, (struct eliminate_limits){0}, &e);
    CHECK_INT(eliminators_count(&e), flags ? 1 : 0);
    if (flags && eliminators_count(&e) == 1) {
      CHECK_INT(c.nodes[e.segments.at[0].first].event, 0);
      CHECK_INT(c.nodes[e.segments.at[0].last].event, 5);
    }
    eliminators_free(&e);
    conflicts_free(&c);
  }
  vec_clear(&a);
}

TEST(accesses_are_read_off_a_recorded_trace) {
  struct event events[] = {
      {.kind = EV_CALL, .thread = 1, .call = 4},
      {.kind = EV_ALLOC, .thread = 1, .call = 4, .addr = 64, .size = 16},
      {.kind = EV_LOCK, .thread = 1, .call = 4, .addr = 32, .size = 40},
      {.kind = EV_CAS_FAIL, .thread = 1, .call = 4, .addr = 64, .size = 8},
      {.kind = EV_RMW, .thread = 1, .call = 4, .addr = 72, .size = 4},
      {.kind = EV_FREE, .thread = 2, .call = 5, .addr = 64, .size = 16},
      {.kind = EV_RETURN, .thread = 1, .call = 4},
  };
  struct trace t = {.events = events, .nevents = 7};
  accesses_from_trace(&t, &a);
  static const struct {
    uint32_t event;
    enum access_kind kind;
  } want[] = {{1, ACCESS_FRESH},
              {3, ACCESS_READ},
              {4, ACCESS_WRITE},
              {5, ACCESS_WRITE},
              {6, ACCESS_RETURN}};
  if (!CHECK_INT(a.len, 5))
    return;
  for (uint32_t i = 0; i < 5; i++) {
    CHECK_INT(a.at[i].event, want[i].event);
    CHECK_INT(a.at[i].kind, want[i].kind);
  }
  vec_clear(&a);
}

/* The example of docs/trace.md. */
TEST(a_trace_file_is_explained) {
  static const char text[] =
      "{\"type\":\"trace\",\"version\":1,\"verdict\":\"violation\"}\n"
      "{\"type\":\"read\",\"thread\":1,\"op\":0,\"var\":\"n\"}\n"
      "{\"type\":\"read\",\"thread\":2,\"op\":1,\"var\":\"n\"}\n"
      "{\"type\":\"write\",\"thread\":1,\"op\":0,\"var\":\"n\"}\n"
      "{\"type\":\"write\",\"thread\":2,\"op\":1,\"var\":\"n\"}\n";
  struct trace_file f;
  struct error e = {0};
  if (!CHECK_INT(trace_file_parse(&f, text, sizeof text - 1, "t", &e), 0))
    return;
  accesses_from_trace(&f.traces[0].trace, &a);
  trace_file_free(&f);
  CHECK_STR(eliminators_text(NULL), "{[1,3]} ");
}

TEST_MAIN
