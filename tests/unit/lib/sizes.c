/* Programs that were compiled with another version of the header: their structs
 * are shorter or longer than ours. */
#include "faultline/check.h"

#include "test.h"

#include <stddef.h>

/* The options of a version to come: ours, and something behind. */
struct longer_options {
  struct fl_check_options known;
  uint64_t unknown;
};

static char error[300];

static struct fl_check *opened(const void *options) {
  *error = 0;
  return fl_check_new(options, error, sizeof error);
}

TEST(the_initializers_set_the_size) {
  CHECK_INT(fl_check_options_init().size, sizeof(struct fl_check_options));
  CHECK_INT(fl_check_op_init().size, sizeof(struct fl_check_op));
  CHECK_INT(fl_check_result_init().size, sizeof(struct fl_check_result));
  CHECK(!fl_check_options_init().spec);
}

/* A field behind the size is not looked at: the limit of one step would give
 * the verdict "unknown". */
TEST(shorter_options_are_filled_up_with_zeros) {
  for (int cut = 0; cut < 2; cut++) {
    struct fl_check_options o = fl_check_options_init();
    struct fl_check_result r = fl_check_result_init();
    o.spec = "counter";
    o.steps = 1;
    if (cut)
      o.size = offsetof(struct fl_check_options, steps);
    struct fl_check *c = opened(&o);
    CHECK(c);
    for (uint32_t i = 0; i < 4; i++)
      fl_check_begin(c, i, "increment", NULL, 0);
    fl_check_begin(c, 9, "get", NULL, 0);
    CHECK_INT(fl_check_end(c, 9, fl_number(3)), FL_CHECK_OK);
    CHECK_INT(fl_check_result(c, &r), FL_CHECK_OK);
    CHECK_INT(r.verdict, cut ? FL_CHECK_LINEARIZABLE : FL_CHECK_UNKNOWN);
    fl_check_free(c);
  }
}

TEST(longer_options_are_taken_if_the_rest_is_zero) {
  struct longer_options o = {.known = fl_check_options_init()};
  o.known.size = sizeof o;
  o.known.spec = "queue";
  struct fl_check *c = opened(&o);
  CHECK(c);
  fl_check_free(c);
  o.unknown = 1;
  CHECK(!opened(&o));
  CHECK_HAS(error, "struct fl_check_options: this version of the library");
  CHECK_STR(fl_check_error(NULL), error);
}

TEST(a_size_that_was_not_set_is_refused) {
  struct fl_check_options o = {.spec = "queue"};
  CHECK(!opened(&o));
  CHECK_HAS(error, "the size is 0; fl_check_options_init() sets it");
  static const size_t odd[] = {8, 17, 1 << 20, SIZE_MAX, SIZE_MAX - 7};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    o.size = odd[i];
    CHECK(!opened(&o));
    CHECK_HAS(error, "the size is");
  }
  CHECK(!opened(NULL));
  CHECK_HAS(error, "null pointer");
}

static struct fl_check *queue(void) {
  struct fl_check_options o = fl_check_options_init();
  o.spec = "queue";
  return opened(&o);
}

/* Two operations of 24 bytes more than ours. */
struct longer_op {
  struct fl_check_op known;
  uint64_t unknown[3];
};

TEST(operations_lie_as_far_apart_as_their_size_says) {
  struct fl_datum one = fl_number(1);
  struct longer_op ops[2] = {{.known = fl_check_op_init()},
                             {.known = fl_check_op_init()}};
  ops[0].known.name = "enqueue";
  ops[0].known.args = &one;
  ops[0].known.nargs = 1;
  ops[0].known.call = 1, ops[0].known.ret = 2;
  ops[1].known.name = "dequeue";
  ops[1].known.result = fl_number(2);
  ops[1].known.call = 3, ops[1].known.ret = 4;
  ops[0].known.size = ops[1].known.size = sizeof *ops;
  struct fl_check_result r = fl_check_result_init();
  struct fl_check *c = queue();
  CHECK_INT(fl_check_add(c, &ops[0].known, 2), FL_CHECK_OK);
  CHECK_INT(fl_check_result(c, &r), FL_CHECK_OK);
  CHECK_INT(r.verdict, FL_CHECK_VIOLATION);
  fl_check_free(c);

  c = queue();
  ops[1].unknown[2] = 1;
  CHECK_INT(fl_check_add(c, &ops[0].known, 2), FL_CHECK_ERROR);
  CHECK_HAS(fl_check_error(c), "struct fl_check_op");
  ops[1].unknown[2] = 0;
  ops[1].known.size -= 8;
  CHECK_INT(fl_check_add(c, &ops[0].known, 2), FL_CHECK_ERROR);
  CHECK_HAS(fl_check_error(c), "operation 2 has another size");
  ops[0].known.size = 0;
  CHECK_INT(fl_check_add(c, &ops[0].known, 2), FL_CHECK_ERROR);
  CHECK_INT(fl_check_add(c, NULL, 1), FL_CHECK_ERROR);
  CHECK_INT(fl_check_add(c, NULL, 0), FL_CHECK_OK);
  fl_check_free(c);
}

/* As an older program sees it: without the last field. */
TEST(a_shorter_result_is_not_written_behind_its_end) {
  struct fl_check_result r = fl_check_result_init();
  struct fl_check *c = queue();
  fl_check_begin(c, 1, "dequeue", NULL, 0);
  fl_check_end(c, 1, fl_number(1));
  r.size = offsetof(struct fl_check_result, event);
  r.event = 77;
  CHECK_INT(fl_check_result(c, &r), FL_CHECK_OK);
  CHECK_INT(r.verdict, FL_CHECK_VIOLATION);
  CHECK_INT(r.event, 77);
  CHECK_INT(r.size, offsetof(struct fl_check_result, event));
  r.size = sizeof r;
  CHECK_INT(fl_check_result(c, &r), FL_CHECK_OK);
  CHECK_INT(r.event, 2);
  fl_check_free(c);
}

TEST(a_longer_result_ends_with_zeros) {
  struct {
    struct fl_check_result known;
    uint64_t unknown[2];
  } r = {.known = fl_check_result_init(), .unknown = {5, 5}};
  struct fl_check *c = queue();
  r.known.size = sizeof r;
  CHECK_INT(fl_check_result(c, &r.known), FL_CHECK_OK);
  CHECK_INT(r.known.verdict, FL_CHECK_LINEARIZABLE);
  CHECK_INT(r.known.size, sizeof r);
  CHECK_INT(r.unknown[0] + r.unknown[1], 0);
  r.known.size = 3;
  CHECK_INT(fl_check_result(c, &r.known), FL_CHECK_ERROR);
  CHECK_HAS(fl_check_error(c), "struct fl_check_result: the size is 3");
  CHECK_INT(fl_check_result(c, NULL), FL_CHECK_ERROR);
  fl_check_free(c);
}

TEST_MAIN
