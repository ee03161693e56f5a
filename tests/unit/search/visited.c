/* The set of visited states: against a map, full, and by several processes. */
#include "test.h"

#include "base/map128.h"
#include "base/rng.h"
#include "base/vec.h"
#include "search/visited.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hash128 draw(struct rng *rng, uint64_t values) {
  uint64_t v = rng_below(rng, values);
  return hash128(&v, sizeof v, 0);
}

TEST(each_hash_is_fresh_once_and_stays_in_its_place) {
  struct rng rng = {1};
  struct visited v;
  struct map128 map = {0};
  visited_map(&v, 0);
  for (int round = 0; round < 3; round++) {
    uint64_t values = round == 1 ? 200000 : 3000;
    for (uint64_t i = 0; i < 2 * values; i++) {
      struct hash128 h = draw(&rng, values);
      bool fresh, first;
      uint32_t place = visited_put(&v, h, &fresh);
      uint32_t *known = map128_put(&map, h, &first);
      if (!CHECK(place < 1u << VISITED_BITS) || !CHECK_INT(fresh, first))
        return;
      if (!first && !CHECK_INT(place, *known))
        return;
      *known = place;
    }
    visited_check_invariants(&v);
    visited_clear(&v);
    map128_clear(&map);
  }
  map128_free(&map);
  visited_unmap(&v);
}

TEST(zero_is_a_hash_like_others) {
  struct visited v;
  bool fresh;
  visited_map(&v, 100);
  visited_put(&v, (struct hash128){0, 0}, &fresh);
  CHECK(fresh);
  visited_put(&v, (struct hash128){0, 0}, &fresh);
  CHECK(!fresh);
  visited_put(&v, (struct hash128){0, 1}, &fresh);
  CHECK(fresh);
  visited_unmap(&v);
}

TEST(places_are_all_different) {
  struct rng rng = {2};
  struct visited v;
  visited_map(&v, 0);
  struct map128 places = {0};
  for (int i = 0; i < 100000; i++) {
    bool fresh, first;
    uint64_t place = visited_put(
        &v, (struct hash128){rng_next(&rng), rng_next(&rng)}, &fresh);
    map128_put(&places, hash128(&place, sizeof place, 0), &first);
    if (!CHECK(fresh && first))
      break;
  }
  map128_free(&places);
  visited_unmap(&v);
}

TEST(a_full_table_says_so_and_forgets_nothing) {
  struct rng rng = {3};
  struct visited v;
  visited_map(&v, 1);
  VEC(struct hash128) in = {0};
  uint32_t full = 0;
  for (int i = 0; i < 5000; i++) {
    struct hash128 h = {rng_next(&rng), rng_next(&rng)};
    bool fresh;
    if (visited_put(&v, h, &fresh) == VISITED_FULL)
      full++;
    else
      vec_push(&in, h);
  }
  CHECK(full > 3000);
  CHECK(in.len >= 900);
  for (uint32_t i = 0; i < in.len; i++) {
    bool fresh;
    CHECK(visited_put(&v, in.at[i], &fresh) != VISITED_FULL && !fresh);
  }
  vec_free(&in);
  visited_unmap(&v);
}

enum { PROCESSES = 4, VALUES = 49999 }; /* a prime */

/* Each puts all values, in its own order. */
TEST(of_several_processes_one_is_first) {
  size_t span = visited_span(0);
  void *memory = mmap(NULL, span, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  uint32_t(*places)[VALUES] =
      mmap(NULL, PROCESSES * sizeof *places, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  uint32_t *fresh = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct visited v;
  visited_at(&v, memory, 0);
  pid_t pids[PROCESSES];
  for (uint32_t p = 0; p < PROCESSES; p++) {
    pids[p] = fork();
    if (pids[p])
      continue;
    for (uint64_t i = 0; i < VALUES; i++) {
      uint64_t k = (i * (2 * p + 1) * 7 + p) % VALUES;
      bool first;
      places[p][k] = visited_put(&v, hash128(&k, sizeof k, 0), &first);
      fresh[p] += first;
    }
    _exit(0);
  }
  uint32_t sum = 0;
  for (uint32_t p = 0; p < PROCESSES; p++) {
    waitpid(pids[p], NULL, 0);
    sum += fresh[p];
  }
  CHECK_INT(sum, VALUES);
  for (uint32_t k = 0; k < VALUES; k++)
    for (uint32_t p = 1; p < PROCESSES; p++)
      if (!CHECK_INT(places[p][k], places[0][k]))
        return;
  CHECK(visited_bytes(&v, VALUES) >= VALUES * sizeof(struct hash128));
  visited_clear(&v);
  bool first;
  uint64_t k = 0;
  visited_put(&v, hash128(&k, sizeof k, 0), &first);
  CHECK(first);
}

TEST_MAIN
