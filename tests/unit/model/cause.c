/* Blocks and causes: what covers what, what is one block, how they print. */
#include "test.h"

#include "base/arena.h"
#include "model/cause.h"

static struct arena a;

static struct code_block block(const char *function, uint32_t first,
                               uint32_t last) {
  return (struct code_block){"x.c", function, first, last};
}

static const char *text(struct cause c) {
  static struct buf b;
  buf_clear(&b);
  cause_print(c, &b);
  return buf_text(&b);
}

#define CAUSE(...)                                                             \
  cause_of(&a, (struct code_block[]){__VA_ARGS__},                             \
           sizeof(struct code_block[]){__VA_ARGS__} /                          \
               sizeof(struct code_block))

TEST(blocks_that_share_a_line_are_one) {
  CHECK_STR(text(CAUSE(block("f", 450, 451), block("f", 436, 450))),
            "x.c:436-451");
  CHECK_STR(text(CAUSE(block("f", 1, 3), block("f", 4, 6))),
            "x.c:1-3, x.c:4-6");
  CHECK_STR(text(CAUSE(block("f", 1, 9), block("f", 8, 8), block("f", 9, 12))),
            "x.c:1-12");
  CHECK_STR(text(CAUSE(block("f", 7, 7), block("f", 7, 7))), "x.c:7");
}

TEST(blocks_of_different_functions_stay_apart) {
  struct cause c = CAUSE(block("g", 1, 9), block("f", 3, 4));
  CHECK_INT(c.nblocks, 2);
  CHECK_STR(c.blocks[0].function, "f");
  CHECK(!cause_covers(CAUSE(block("g", 1, 9)), CAUSE(block("f", 3, 4))));
}

TEST(names_are_compared_by_their_letters) {
  char other[] = "f";
  CHECK(cause_equal(CAUSE(block("f", 1, 2)), CAUSE(block(other, 1, 2))));
  CHECK(!cause_equal(CAUSE(block("f", 1, 2)), CAUSE(block(NULL, 1, 2))));
  CHECK(cause_equal(CAUSE(block(NULL, 1, 2)), CAUSE(block(NULL, 1, 2))));
}

TEST(a_cause_covers_what_lies_inside_its_blocks) {
  struct cause two = CAUSE(block("f", 1, 5), block("f", 10, 15));
  CHECK(cause_covers(two, CAUSE(block("f", 2, 5))));
  CHECK(cause_covers(two, CAUSE(block("f", 2, 3), block("f", 4, 5))));
  CHECK(cause_covers(two, two));
  CHECK(!cause_covers(two, CAUSE(block("f", 5, 10))));
  CHECK(!cause_covers(CAUSE(block("f", 1, 5)), two));
  CHECK(cause_covers(two, (struct cause){0}));
  CHECK_INT(cause_lines(two), 11);
}

TEST(a_set_keeps_the_smallest) {
  struct causes s = {0};
  CHECK(causes_add(&s, CAUSE(block("f", 1, 9))));
  CHECK(!causes_add(&s, CAUSE(block("f", 1, 9))));
  CHECK(!causes_add(&s, CAUSE(block("f", 1, 9), block("g", 1, 1))));
  CHECK(causes_add(&s, CAUSE(block("g", 1, 9))));
  CHECK_INT(s.len, 2);
  CHECK(causes_add(&s, CAUSE(block("f", 2, 3))));
  CHECK_INT(s.len, 2);
  causes_check_invariants(&s);
  causes_sort(&s);
  CHECK_STR(text(s.at[0]), "x.c:2-3");
  causes_free(&s);
}

TEST_MAIN
