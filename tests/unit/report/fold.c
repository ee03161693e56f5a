/* Folding keeps every row in one line, the decisive ones alone. */
#include "fixture.h"
#include "report/fold.h"
#include "test.h"

/* Three threads that take turns, with events of all weights. */
static struct story *story_of(struct fixture *f, uint64_t seed) {
  uint64_t x = seed * 2654435761u + 1;
  for (int i = 0; i < 120; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    uint8_t thread = (uint8_t)(1 + (x >> 40) % 3);
    uint64_t at = (x >> 50) % 2 ? TOP : NODE + 64u * thread;
    add(f, (x >> 33) % 3 ? EV_READ : EV_WRITE, thread, thread - 1u,
        (uint64_t)(i + 1) * 100, at, 0, (uint64_t)i);
  }
  struct story *s = story_new(&f->result, &f->namer);
  for (uint32_t i = 0; i < s->rows.len; i += 29)
    s->rows.at[i].weight = WEIGHT_DECISIVE;
  return s;
}

TEST(every_row_is_in_one_line_and_decisive_ones_stay) {
  for (uint64_t seed = 1; seed < 50; seed++)
    for (uint32_t most = 12; most < 60; most += 16) {
      struct fixture *f =
          fixture_new("{pop()} || {pop()} || {pop()}", FAULT_INVARIANT);
      struct story *s = story_of(f, seed);
      fold_list lines = {0};
      fold_rows(s, most, &lines);
      const struct story_row *next = s->rows.at;
      for (uint32_t i = 0; i < lines.len; i++) {
        const struct fold_line *l = &lines.at[i];
        CHECK(l->row == next); /* F1 */
        next = l->row + l->rows;
        for (uint32_t k = 0; k < l->rows && l->rows > 1; k++)
          CHECK(l->row[k].weight != WEIGHT_DECISIVE); /* F2 */
      }
      CHECK(next == s->rows.at + s->rows.len);
      CHECK(lines.len <= most);
      vec_free(&lines);
      story_free(s);
      fixture_free(f);
    }
}

TEST_MAIN
