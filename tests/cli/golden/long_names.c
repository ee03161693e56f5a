/* Names that are longer than a column, and values that must not be cut. */
#include <faultline.h>

struct a_structure_with_a_rather_long_name {
  struct {
    long number_of_elements_that_are_in_it_now;
  } the_part_that_is_shared_by_all_threads;
};

static struct a_structure_with_a_rather_long_name
    the_one_and_only_object_of_this_program;
#define COUNT                                                                  \
  the_one_and_only_object_of_this_program                                      \
      .the_part_that_is_shared_by_all_threads                                  \
      .number_of_elements_that_are_in_it_now

static long add_a_very_large_number_and_return_the_sum(void) {
  long before = COUNT;
  COUNT = before + 1234567890123456789;
  return before;
}

FL_OBJECT(object)
FL_OP(long, add_a_very_large_number_and_return_the_sum)
