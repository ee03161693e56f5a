/*
 * Kinds of fault that are decisions on what is not so any more, or never was,
 * in traces that have their pattern and in traces that look similar.
 */
#include "kind_script.h"
#include "test.h"

TEST(an_act_on_what_is_not_so_any_more) {
  struct script s = {0};
  reads(&s, 1, 9, A, 0);
  writes(&s, 2, 12, A, 0, 1);
  writes(&s, 1, 12, A, 1, 1);
  knows(&s, 9, 1, 0);
  CHECK_INT(match(&s, KIND_CHECK_THEN_SET, NULL), 1);
}

TEST(an_increment_is_no_check) {
  struct script s = {0};
  reads(&s, 1, 9, A, 0);
  writes(&s, 2, 12, A, 0, 1);
  writes(&s, 1, 12, A, 1, 1);
  knows(&s, 9, 1, 12); /* with 1 as well */
  CHECK_INT(match(&s, KIND_CHECK_THEN_SET, NULL), 0);
}

TEST(an_act_of_which_nothing_else_is_known) {
  struct script s = {0};
  reads(&s, 1, 9, A, 0);
  writes(&s, 2, 12, A, 0, 1);
  writes(&s, 1, 12, A, 1, 1);
  CHECK_INT(match(&s, KIND_CHECK_THEN_SET, NULL), 0);
}

TEST(two_that_both_find_that_they_are_the_last) {
  struct script s = {0};
  put(&s, EV_RMW, 2, 27, A, 2, 1);
  put(&s, EV_RMW, 1, 27, A, 1, 0);
  reads(&s, 1, 28, A, 0);
  reads(&s, 2, 28, A, 0);
  CHECK_INT(match(&s, KIND_DOUBLE_SUCCESS, NULL), 1);
}

TEST(only_one_finds_that_it_is_the_last) {
  struct script s = {0};
  put(&s, EV_RMW, 2, 27, A, 2, 1);
  reads(&s, 2, 28, A, 1);
  put(&s, EV_RMW, 1, 27, A, 1, 0);
  reads(&s, 1, 28, A, 0);
  CHECK_INT(match(&s, KIND_DOUBLE_SUCCESS, NULL), 0);
}

TEST(a_copy_that_is_cut_in_two) {
  struct script s = {0};
  reads(&s, 1, 12, A, 0);
  writes(&s, 2, 8, A, 0, 1);
  writes(&s, 2, 8, A + 8, 0, 1);
  reads(&s, 1, 12, A + 8, 1);
  CHECK_INT(match(&s, KIND_TORN, NULL), 1);
}

TEST(one_part_is_read_before_and_the_other_written_after) {
  struct script s = {0};
  reads(&s, 1, 33, A + 8, 2);
  writes(&s, 2, 68, A, 2, 3);
  writes(&s, 2, 68, A + 8, 2, 3);
  writes(&s, 1, 68, A, 3, 4); /* under a lock, but what it read is old */
  CHECK_INT(match(&s, KIND_TORN, NULL), 0);
}

TEST(two_words_that_are_read_one_after_the_other_are_no_copy) {
  struct script s = {0};
  reads(&s, 1, 12, A, 0);
  writes(&s, 2, 8, A, 0, 1);
  writes(&s, 2, 8, A + 8, 0, 1);
  reads(&s, 1, 13, A + 8, 1);
  CHECK_INT(match(&s, KIND_TORN, NULL), 0);
}

TEST(a_loop_over_counters_is_no_copy) {
  struct script s = {0};
  reads(&s, 1, 12, A, 0);
  writes(&s, 2, 8, A, 0, 1);
  writes(&s, 2, 9, A + 8, 0, 1);
  reads(&s, 1, 12, A + 8, 1);
  CHECK_INT(match(&s, KIND_TORN, NULL), 0);
}

/* T1 reads A = 1 and B = 1; in between A becomes 2, then B becomes 1. */
static void two_indices(struct script *s, bool other_order) {
  reads(s, 1, 30, A, 1);
  if (other_order) {
    writes(s, 2, 22, B, 0, 1);
    writes(s, 2, 12, A, 1, 2);
  } else {
    writes(s, 2, 12, A, 1, 2);
    writes(s, 2, 22, B, 0, 1);
  }
  reads(s, 1, 31, B, 1);
  returns(s, 1);
}

TEST(two_indices_that_were_never_equal) {
  struct script s = {0};
  two_indices(&s, false);
  CHECK_INT(match(&s, KIND_FALSE_STATE, NULL), 1);
}

TEST(two_indices_that_were_equal_for_a_moment) {
  struct script s = {0};
  two_indices(&s, true);
  CHECK_INT(match(&s, KIND_FALSE_STATE, NULL), 0);
}

TEST(two_indices_that_were_equal_with_other_values) {
  struct script s = {0};
  reads(&s, 1, 30, A, 1);
  writes(&s, 2, 12, B, 2, 1); /* 1 and 1: they were */
  writes(&s, 2, 22, A, 1, 2);
  writes(&s, 2, 12, B, 1, 3);
  writes(&s, 2, 12, B, 3, 1);
  reads(&s, 1, 31, B, 1);
  returns(&s, 1);
  CHECK_INT(match(&s, KIND_FALSE_STATE, NULL), 0);
}

/* Another execution: a call reads x and y there, and goes on, or not. */
static void knows_two(struct script *s, uint64_t x, uint64_t y, bool goes_on) {
  struct script other = {0};
  reads(&other, 1, 30, A, x);
  reads(&other, 1, 31, B, y);
  if (goes_on)
    swaps(&other, 1, 32, B, y, y + 1);
  returns(&other, 1);
  struct trace t = {.events = other.events.at, .nevents = other.events.len};
  decisions_add(&s->decisions, &(struct kind_trace){&t, NULL});
  vec_free(&other.events);
}

/* T1 reads A = 0 and B = 2; A was 1 before B became 2. */
static void full(struct script *s, bool was) {
  reads(s, 1, 30, A, 0);
  writes(s, 2, was ? 12 : 22, was ? B : A, was ? 1 : 0, was ? 2 : 1);
  writes(s, 3, was ? 22 : 12, was ? A : B, was ? 0 : 1, was ? 1 : 2);
  reads(s, 1, 31, B, 2);
  returns(s, 1);
}

TEST(two_indices_that_were_never_so_far_apart) {
  struct script s = {0};
  full(&s, false);
  knows_two(&s, 3, 4, true);
  CHECK_INT(match(&s, KIND_FALSE_STATE, NULL), 1);
}

TEST(two_indices_that_were_so_far_apart) {
  struct script s = {0};
  full(&s, true);
  knows_two(&s, 3, 4, true);
  CHECK_INT(match(&s, KIND_FALSE_STATE, NULL), 0);
}

TEST(two_numbers_that_decide_nothing) {
  struct script s = {0};
  full(&s, false);
  knows_two(&s, 3, 4, false); /* with no distance does it go on */
  CHECK_INT(match(&s, KIND_FALSE_STATE, NULL), 0);
  s = (struct script){0};
  full(&s, false);
  knows_two(&s, 3, 4, true);
  knows_two(&s, 3, 5, true); /* nor does it stop with this one */
  CHECK_INT(match(&s, KIND_FALSE_STATE, NULL), 0);
}

TEST_MAIN
