/* What workers answer, as bytes. */
#include "diagnose/diagnose_int.h"
#include "hunt/answer.h"
#include "mend/places.h"

#include "random_noun.h"

static void mend(struct random_nouns *r, const struct noun *n, void *noun) {
  (void)r;
  if (n == &noun_client) {
    struct client *c = noun;
    c->ncalls = c->ninit = c->nfinal = c->nthreads = 0;
  }
  if (n == &noun_cause)
    ((struct cause *)noun)->nblocks = 0;
  if (n == &noun_races_found)
    ((struct races_found *)noun)->drawing.nedges = 0;
  if (n == &noun_outcome)
    ((struct outcome *)noun)->results.len = 0;
  if (n == &noun_finding) {
    struct finding *f = noun;
    f->trace = (struct trace){0};
    f->near.found = false;
    f->refutations.len = f->waiting.len = 0;
    f->chain = 0;
    f->block = UINT32_MAX;
  }
}

static void try(const struct noun *n, uint64_t seed) {
  struct random_nouns r = {.rng = {seed}, .mend = mend};
  try_noun(&r, n, 100);
  arena_free(&r.arena);
}

TEST(of_a_hunt) { try(&noun_hunt_answer, 1); }
TEST(of_a_diagnosis) { try(&noun_diagnose_answer, 4); }
TEST(what_an_object_offers) { try(&noun_description, 2); }
TEST(where_else_data_is_used) { try(&noun_places, 3); }

TEST_MAIN
