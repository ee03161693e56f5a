/*
 * Histories of simulated objects: the type is guessed, understands each call,
 * and exact search with it finds them linearizable.
 */
#include "test.h"

#include "history/log_check.h"
#include "random_log.h"
#include "spec/type.h"

#include <stdlib.h>

/* Shapes of the generator that are called otherwise here; and no history can
 * tell a multiset from a set by its names. */
static const char *type_of(const char *shape) {
  return strcmp(shape, "map") ? shape : "kv";
}

static bool linearizable(const struct log *l, const char *name) {
  struct error e = {0};
  struct type *t = type_open(name, DATUM_NONE, &e);
  struct type_op *ops = xcalloc(l->ops.len + 1, sizeof *ops);
  for (uint32_t i = 0; i < l->ops.len; i++)
    if (!CHECK_INT(t->prepare(t, l, &l->ops.at[i], &ops[i], &e), 0))
      fprintf(stderr, "%s\n", e.text);
  struct log_problem p = {l, t, ops, l->ops.len};
  struct log_budget none = {0};
  struct log_answer answer = {0};
  check_depth_first(&p, &none, false, &answer);
  bool yes = answer.verdict == LOG_LINEARIZABLE;
  log_answer_free(&answer);
  free(ops);
  type_free(t);
  return yes;
}

/* How many of 200 histories, each with so many changed results, are
 * linearizable. */
static int accepted(const char *shape, uint32_t mutations) {
  int yes = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct random_log want = {.shape = shape,
                              .seed = seed,
                              .operations = 12,
                              .values = seed % 3 ? 3 : 0,
                              .pending = seed % 2 ? 10 : 0,
                              .mutations = mutations};
    struct log l = random_log(&want);
    yes += linearizable(&l, type_of(shape));
    log_free(&l);
  }
  return yes;
}

TEST(simulated_objects_are_linearizable_and_mutated_ones_often_not) {
  for (const char *const *s = random_log_shapes; *s; s++) {
    if (!CHECK_INT(accepted(*s, 0), 200) || !CHECK(accepted(*s, 8) < 170))
      fprintf(stderr, "shape %s\n", *s);
  }
}

TEST(their_types_are_guessed) {
  for (const char *const *s = random_log_shapes; *s; s++) {
    struct random_log want = {.shape = *s, .seed = 3, .operations = 60};
    struct log l = random_log(&want);
    l.type_argument = DATUM_NONE;
    struct error e = {0};
    bool multiset = !strcmp(*s, "multiset");
    if (!CHECK_STR(type_guess(&l, &e), multiset ? "set" : type_of(*s)))
      fprintf(stderr, "%s\n", e.text);
    log_free(&l);
  }
}

TEST_MAIN
