/*
 * The machine of the tests has the published behaviours of x86-TSO (Sewell et
 * al., "x86-TSO", CACM 53(7), 2010, and the litmus tests named there), and its
 * numbers of executions are those that can be counted by hand.
 */
#include "tso_machine.h"
#include "test.h"

enum { X, Y, Z };

static struct tso_result run(const struct tso_program *p, bool tso) {
  struct tso_result r;
  tso_enumerate(p, &(struct tso_options){.tso = tso}, &r);
  return r;
}

/* Whether the outcome is possible: bit 0 under SC, bit 1 under TSO. */
static int models(const struct tso_program *p, unsigned nregs, const int *reg,
                  unsigned nvars, const int *memory) {
  int m = 0;
  for (int tso = 0; tso < 2; tso++) {
    struct tso_result r = run(p, tso);
    m |= tso_possible(&r, nregs, reg, nvars, memory) << tso;
    tso_result_free(&r);
  }
  return m;
}
#define REGS(...)                                                              \
  sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]) { __VA_ARGS__ }
#define NO_MEMORY 0, NULL
enum { NEITHER, SC_ONLY, TSO_ONLY, BOTH };

TEST(store_buffering) {
  struct tso_program p = {2,
                          {{TSO_W(X, 1), TSO_R(Y)}, {TSO_W(Y, 1), TSO_R(X)}}};
  CHECK_INT(models(&p, REGS(0, 0), NO_MEMORY), TSO_ONLY);
  CHECK_INT(models(&p, REGS(0, 1), NO_MEMORY), BOTH);
  CHECK_INT(models(&p, REGS(1, 1), NO_MEMORY), BOTH);
  struct tso_result sc = run(&p, false), tso = run(&p, true);
  CHECK_INT((long long)sc.executions, 6);
  CHECK_INT(sc.noutcomes, 3);
  CHECK_INT(tso.noutcomes, 4);
  /* Each thread: issue, then read and commit in either order: 2 * 2 orders of
   * the threads' three events, C(6, 3) interleavings each. */
  CHECK_INT((long long)tso.executions, 80);
  tso_result_free(&sc);
  tso_result_free(&tso);
}

TEST(store_buffering_with_one_and_two_fences) {
  struct tso_program one = {
      2, {{TSO_W(X, 1), TSO_F, TSO_R(Y)}, {TSO_W(Y, 1), TSO_R(X)}}};
  struct tso_program two = {
      2, {{TSO_W(X, 1), TSO_F, TSO_R(Y)}, {TSO_W(Y, 1), TSO_F, TSO_R(X)}}};
  struct tso_program xchg = {
      2, {{TSO_SCW(X, 1), TSO_R(Y)}, {TSO_SCW(Y, 1), TSO_R(X)}}};
  struct tso_program rmw = {2,
                            {{TSO_X(X, 1), TSO_R(Y)}, {TSO_A(Y, 1), TSO_R(X)}}};
  CHECK_INT(models(&one, REGS(0, 0), NO_MEMORY), TSO_ONLY);
  CHECK_INT(models(&two, REGS(0, 0), NO_MEMORY), NEITHER);
  CHECK_INT(models(&xchg, REGS(0, 0), NO_MEMORY), NEITHER);
  CHECK_INT(models(&rmw, REGS(0, 0, 0, 0), NO_MEMORY), NEITHER);
  CHECK_INT(models(&rmw, REGS(0, 1, 0, 1), NO_MEMORY), BOTH);
}

TEST(message_passing_and_load_buffering_are_as_under_sc) {
  struct tso_program mp = {2,
                           {{TSO_W(X, 1), TSO_W(Y, 1)}, {TSO_R(Y), TSO_R(X)}}};
  struct tso_program lb = {2,
                           {{TSO_R(X), TSO_W(Y, 1)}, {TSO_R(Y), TSO_W(X, 1)}}};
  CHECK_INT(models(&mp, REGS(1, 0), NO_MEMORY), NEITHER);
  CHECK_INT(models(&lb, REGS(1, 1), NO_MEMORY), NEITHER);
}

TEST(iriw_is_forbidden) {
  struct tso_program p = {4,
                          {{TSO_W(X, 1)},
                           {TSO_W(Y, 1)},
                           {TSO_R(X), TSO_R(Y)},
                           {TSO_R(Y), TSO_R(X)}}};
  CHECK_INT(models(&p, REGS(1, 0, 1, 0), NO_MEMORY), NEITHER);
}

TEST(r_s_and_2_plus_2w) {
  struct tso_program r = {
      2, {{TSO_W(X, 1), TSO_W(Y, 1)}, {TSO_W(Y, 2), TSO_R(X)}}};
  struct tso_program s = {
      2, {{TSO_W(X, 2), TSO_W(Y, 1)}, {TSO_R(Y), TSO_W(X, 1)}}};
  struct tso_program w = {
      2, {{TSO_W(X, 1), TSO_W(Y, 2)}, {TSO_W(Y, 1), TSO_W(X, 2)}}};
  int y2[] = {-1, 2}, x2[] = {2}, x1y1[] = {1, 1};
  CHECK_INT(models(&r, REGS(0), 2, y2), TSO_ONLY);
  CHECK_INT(models(&s, REGS(1), 1, x2), NEITHER);
  CHECK_INT(models(&w, 0, NULL, 2, x1y1), NEITHER);
}

TEST(n5_and_n6) {
  struct tso_program n5 = {2,
                           {{TSO_W(X, 1), TSO_R(X)}, {TSO_W(X, 2), TSO_R(X)}}};
  struct tso_program n6 = {
      2, {{TSO_W(X, 1), TSO_R(X), TSO_R(Y)}, {TSO_W(Y, 2), TSO_W(X, 2)}}};
  int x1[] = {1};
  CHECK_INT(models(&n5, REGS(2, 1), NO_MEMORY), NEITHER);
  CHECK_INT(models(&n6, REGS(1, 0), 1, x1), TSO_ONLY);
}

TEST(coherence_and_forwarding) {
  struct tso_program corr = {2, {{TSO_W(X, 1)}, {TSO_R(X), TSO_R(X)}}};
  struct tso_program own = {1, {{TSO_W(X, 1), TSO_W(X, 2), TSO_R(X)}}};
  /* SB with a read of the own store in between, which may be forwarded. */
  struct tso_program rfi = {
      2,
      {{TSO_W(X, 1), TSO_R(X), TSO_R(Y)}, {TSO_W(Y, 1), TSO_R(Y), TSO_R(X)}}};
  CHECK_INT(models(&corr, REGS(1, 0), NO_MEMORY), NEITHER);
  CHECK_INT(models(&own, REGS(2), NO_MEMORY), BOTH);
  CHECK_INT(models(&own, REGS(1), NO_MEMORY), NEITHER);
  CHECK_INT(models(&rfi, REGS(1, 0, 1, 0), NO_MEMORY), TSO_ONLY);
}

TEST(an_rmw_is_one_step) {
  struct tso_program p = {2, {{TSO_A(X, 1)}, {TSO_A(X, 1)}}};
  int one[] = {1}, two[] = {2};
  CHECK_INT(models(&p, 0, NULL, 1, one), NEITHER);
  CHECK_INT(models(&p, 0, NULL, 1, two), BOTH);
  struct tso_result r = run(&p, true);
  CHECK_INT((long long)r.executions, 2);
  tso_result_free(&r);
}

TEST(a_bounded_buffer_makes_writes_wait) {
  struct tso_program p = {2,
                          {{TSO_W(X, 1), TSO_W(Z, 1), TSO_R(Y)},
                           {TSO_W(Y, 1), TSO_W(Z, 2), TSO_R(X)}}};
  struct tso_result free_, one;
  tso_enumerate(&p, &(struct tso_options){.tso = true}, &free_);
  tso_enumerate(&p, &(struct tso_options){.tso = true, .buffer = 1}, &one);
  CHECK(one.executions < free_.executions);
  CHECK(tso_possible(&free_, REGS(0, 0), NO_MEMORY));
  /* With room for one, x is in memory before y is read, and y before x. */
  CHECK(!tso_possible(&one, REGS(0, 0), NO_MEMORY));
  tso_result_free(&free_);
  tso_result_free(&one);
}

TEST(draining_at_once_gives_fewer_executions_and_the_same_outcomes) {
  struct tso_program p = {2,
                          {{TSO_W(X, 1), TSO_W(Z, 1), TSO_F, TSO_R(Y)},
                           {TSO_W(Y, 1), TSO_R(Z), TSO_X(X, 2)}}};
  struct tso_result by_steps, at_once;
  tso_enumerate(&p, &(struct tso_options){.tso = true}, &by_steps);
  tso_enumerate(&p, &(struct tso_options){.tso = true, .drain_at_once = true},
                &at_once);
  /* Draining may also be done by steps before. */
  CHECK(at_once.executions > by_steps.executions);
  CHECK_INT(at_once.noutcomes, by_steps.noutcomes);
  for (unsigned i = 0; i < by_steps.noutcomes; i++) {
    bool found = false;
    for (unsigned j = 0; j < at_once.noutcomes; j++)
      found |= !memcmp(&by_steps.outcome[i], &at_once.outcome[j],
                       sizeof by_steps.outcome[i]);
    CHECK(found);
  }
  tso_result_free(&by_steps);
  tso_result_free(&at_once);
}

struct seen {
  unsigned n, forwarded, wrong;
};

static void see(const struct tso_execution *x, void *arg) {
  struct seen *s = arg;
  int begun[TSO_THREADS] = {0};
  unsigned commits = 0, issues = 0;
  s->n++;
  for (unsigned i = 0; i < x->n; i++) {
    const struct tso_event *e = &x->event[i];
    begun[e->thread] += (e->kind == TSO_BEGIN) - (e->kind == TSO_END);
    issues += e->issued;
    s->forwarded += e->forwarded;
    if (e->kind != TSO_COMMIT)
      continue;
    const struct tso_event *w = &x->event[e->issue];
    commits++;
    if (e->issue >= i || !w->issued || w->thread != e->thread ||
        w->var != e->var || w->op != e->op)
      s->wrong++;
  }
  s->wrong += issues != commits || begun[0] || begun[1];
}

TEST(an_execution_is_a_list_of_events) {
  struct tso_program p = {
      2, {{TSO_B, TSO_W(X, 1), TSO_R(X), TSO_E}, {TSO_B, TSO_R(X), TSO_E}}};
  struct seen s = {0};
  struct tso_result r;
  tso_enumerate(&p, &(struct tso_options){.tso = true, .seen = see, .arg = &s},
                &r);
  CHECK_INT(s.n, (long long)r.executions);
  CHECK_INT(s.wrong, 0);
  /* issue, then read and commit in either order; the other read anywhere. */
  CHECK_INT(s.n, 2 * 4);
  CHECK_INT(s.forwarded, 4);
  tso_result_free(&r);
}

TEST(the_executions_of_one_trace_differ_in_commits_alone) {
  struct tso_program p = {2,
                          {{TSO_W(X, 1), TSO_R(Y)}, {TSO_W(Y, 1), TSO_R(X)}}};
  const uint8_t order[] = {0, 0, 1, 1};
  struct tso_result r;
  tso_enumerate(
      &p, &(struct tso_options){.tso = true, .order = order, .norder = 4}, &r);
  /* The commit of x at one of 4 places after its issue (the gaps), that of y at
   * one of 2; in the same gap (2 of them) in either order. */
  CHECK_INT((long long)r.executions, 4 * 2 + 2);
  tso_result_free(&r);
}

TEST_MAIN
