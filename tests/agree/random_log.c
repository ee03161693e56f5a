/*
 * Random logs (random_log.h) against the definition: without a mutation every
 * one is linearizable, with mutations both answers are frequent.
 */
#include "random_log.h"
#include "oracle/log_brute.h"

#include "history/log_check.h"
#include "test.h"

static enum log_verdict verdict(const struct log *l) {
  struct error e = {0};
  struct log_answer a = {0};
  struct type *t = type_open(l->type, l->type_argument, &e);
  struct type_op *ops = xcalloc(l->ops.len, sizeof *ops);
  if (!CHECK(t))
    return LOG_UNKNOWN;
  for (uint32_t i = 0; i < l->ops.len; i++)
    CHECK_INT(t->prepare(t, l, &l->ops.at[i], &ops[i], &e), 0);
  struct log_problem p = {l, t, ops, l->ops.len};
  check_log_brute(&p, &a);
  enum log_verdict v = a.verdict;
  log_answer_free(&a);
  free(ops);
  type_free(t);
  return v;
}

static struct random_log wanted(const char *shape, uint64_t seed) {
  return (struct random_log){.shape = shape,
                             .seed = seed,
                             .operations = 3 + seed % 6,
                             .processes = 2 + seed % 3,
                             .values = seed % 4,
                             .distribution = seed % 3,
                             .no_empty = seed % 5 == 0,
                             .pending = seed % 3 ? 0 : 20};
}

TEST(without_a_mutation_they_are_linearizable) {
  for (uint32_t s = 0; random_log_shapes[s]; s++)
    for (uint64_t seed = 0; seed < 2000; seed++) {
      struct random_log want = wanted(random_log_shapes[s], seed);
      struct log l = random_log(&want);
      if (!CHECK_INT(verdict(&l), LOG_LINEARIZABLE)) {
        fprintf(stderr, "%s, seed %d\n", want.shape, (int)seed);
        return;
      }
      log_free(&l);
    }
}

TEST(with_mutations_both_answers_are_frequent) {
  enum { N = 1000 };
  for (uint32_t s = 0; random_log_shapes[s]; s++) {
    uint32_t bad = 0;
    for (uint64_t seed = 0; seed < N; seed++) {
      struct random_log want = wanted(random_log_shapes[s], seed);
      want.mutations = 2;
      struct log l = random_log(&want);
      bad += verdict(&l) == LOG_VIOLATION;
      log_free(&l);
    }
    if (!CHECK(bad > N / 10) || !CHECK(bad < N - N / 10))
      fprintf(stderr, "%s: %u of %d\n", random_log_shapes[s], bad, N);
  }
}

TEST_MAIN
