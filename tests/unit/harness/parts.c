/* What a call with texts, output parameters and printers gets and gives. */
#include "harness/parts.h"

#include "model/client.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const char *const keys[] = {"a", "ab"}, *const more[] = {"b", "a"};
static long long seen[4];

/* bool f(void *object, const char *key, int *out, int how) */
static bool take(void *object, const char *key, int *out, int how) {
  seen[0] = (long long)(uintptr_t)object;
  seen[1] = key[1];
  seen[2] = how;
  if (how & 1)
    *out = -7;
  return how & 2;
}

static void fill(char *text) { strcpy(text, "x\"y"); }
static void count(unsigned char *out) { *out = 200; }

struct pair {
  long a, b, c;
};
static struct pair both(long a, struct pair *out) {
  *out = (struct pair){a, a + 1, a + 2};
  return (struct pair){-a, 0, a};
}
static void call_both(void *to, void (*f)(void), const long long *w) {
  *(struct pair *)to = ((struct pair(*)(long long, long long))f)(w[0], w[1]);
}
static void print(const struct pair *p, char *text, size_t size) {
  snprintf(text, size, "<%ld %ld %ld>", p->a, p->b, p->c);
}

#define TEXTS(list)                                                            \
  { .kind = FL_ITEM_STRING, .count = 2, .text = (const char *)(list) }
#define OUT(type_, size, flat, printer)                                        \
  {                                                                            \
    .kind = FL_ITEM_OUT, .lo = type_, .hi = flat, .count = size,               \
    .text = (const char *)(printer)                                            \
  }

static const struct fl_item take_items[] = {TEXTS(keys),
                                            OUT(FL_TYPE_INT, 4, 0, NULL),
                                            {.kind = FL_ITEM_RANGE, .hi = 3}};
static const struct fl_item fill_items[] = {OUT(FL_TYPE_STRING, 8, 1, NULL)};
static const struct fl_item count_items[] = {OUT(FL_TYPE_UINT, 1, 0, NULL),
                                             TEXTS(more)};
static const struct fl_item both_items[] = {
    {.kind = FL_ITEM_RANGE, .lo = 5, .hi = 5},
    OUT(FL_TYPE_OTHER, sizeof(struct pair), 0, print),
    {.kind = FL_ITEM_RESULT, .text = (const char *)print}};

static struct fl_op ops[] = {{.name = "take",
                              .type = FL_TYPE_BOOL,
                              .size = 1,
                              .items = take_items,
                              .nitems = 3,
                              .returns = FL_TYPE_BOOL,
                              .returned = 1,
                              .function = (void (*)(void))take,
                              .next = &ops[1]},
                             {.name = "fill",
                              .items = fill_items,
                              .nitems = 1,
                              .function = (void (*)(void))fill,
                              .next = &ops[2]},
                             {.name = "count",
                              .items = count_items,
                              .nitems = 2,
                              .function = (void (*)(void))count,
                              .next = &ops[3]},
                             {.name = "both",
                              .type = FL_TYPE_OTHER,
                              .size = sizeof(struct pair),
                              .items = both_items,
                              .nitems = 3,
                              .returns = FL_TYPE_OTHER,
                              .returned = sizeof(struct pair),
                              .into = call_both,
                              .function = (void (*)(void))both}};
static struct fl_suite suite = {.abi = FL_ABI, .ops = ops};

static uint64_t name(uint64_t address) { return address; }

static const char *text_of(const struct fl_op *o, const int64_t *args,
                           bool object) {
  static char text[PARTS_TEXT];
  struct parts_call c = {.suite = &suite,
                         .op = o,
                         .function = o->function,
                         .takes_object = object,
                         .object = &suite,
                         .args = args,
                         .name = name};
  return parts_call(&c, text) == (long long)(uintptr_t)text ? text : "?";
}

TEST(types_are_those_of_all_results) {
  parts_settle(&suite);
  parts_settle(&suite); /* once more makes no difference */
  CHECK_INT(ops[0].type, FL_TYPE_STRING);
  CHECK_INT(ops[1].type, FL_TYPE_STRING);
  CHECK_INT(ops[2].type, FL_TYPE_UINT);
  CHECK_INT(ops[2].size, 1);
  CHECK_INT(ops[3].type, FL_TYPE_STRING);
  for (int i = 0; i < 4; i++)
    CHECK(parts_trouble(&ops[i]) == NULL);
  CHECK(parts_beside(&ops[0]) == &take_items[1]);
  CHECK(parts_beside(&ops[3]) == NULL);
  uint32_t pointers;
  CHECK_INT(parts_parameters(&ops[0], &pointers), 3);
  CHECK_INT(pointers, 3);
  CHECK_INT(parts_arguments(&ops[0]), 2);
}

TEST(equal_texts_have_equal_numbers) {
  int64_t a = parts_number(&suite, "a"), b = parts_number(&suite, "b");
  CHECK_INT(a, CLIENT_TEXTS);
  CHECK_INT(parts_number(&suite, "ab"), CLIENT_TEXTS + 1);
  CHECK_STR(parts_text(&suite, a), "a");
  CHECK_STR(parts_text(&suite, b), "b");
  CHECK(parts_text(&suite, 1) == NULL);
  CHECK(parts_text(&suite, parts_number(&suite, "none")) == NULL);
}

TEST(results_are_named_one_after_the_other) {
  int64_t args[2] = {parts_number(&suite, "ab"), 3};
  CHECK_STR(text_of(&ops[0], args, true), "true, -7");
  CHECK_INT(seen[0], (long long)(uintptr_t)&suite);
  CHECK_INT(seen[1], 'b');
  CHECK_INT(seen[2], 3);
  args[1] = 2; /* P2 */
  CHECK_STR(text_of(&ops[0], args, true), "true");
  args[1] = 1; /* P1 */
  CHECK_STR(text_of(&ops[0], args, true), "false");
  CHECK_STR(text_of(&ops[1], NULL, false), "\"x\\\"y\"");
  args[0] = 5;
  CHECK_STR(text_of(&ops[3], args, false), "<-5 0 5>, <5 6 7>");
}

TEST(one_output_parameter_is_the_result) {
  int64_t args[1] = {parts_number(&suite, "b")};
  char text[PARTS_TEXT];
  struct parts_call c = {.suite = &suite,
                         .op = &ops[2],
                         .function = ops[2].function,
                         .args = args,
                         .name = name};
  CHECK_INT(parts_call(&c, text), 200);
}

TEST_MAIN
