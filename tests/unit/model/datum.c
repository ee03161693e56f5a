#include "model/datum.h"

#include "base/rng.h"
#include "test.h"

#include <stdlib.h>

static datum text(const char *s) { return datum_text(s, strlen(s)); }
static datum symbol(const char *s) { return datum_symbol(s, strlen(s)); }

static const char *printed(datum d) {
  static struct buf b;
  buf_clear(&b);
  datum_print(d, &b);
  return buf_text(&b);
}

TEST(numbers_of_all_sizes_come_back) {
  static const int64_t some[] = {0,
                                 1,
                                 -1,
                                 INT64_MAX,
                                 INT64_MIN,
                                 INT32_MAX,
                                 INT32_MIN,
                                 1ll << 29,
                                 (1ll << 29) - 1,
                                 -(1ll << 29),
                                 -(1ll << 29) - 1,
                                 1ll << 60,
                                 -(1ll << 60),
                                 (1ll << 60) - 1,
                                 1ll << 59,
                                 1ll << 62,
                                 -(1ll << 61),
                                 (-(1ll << 60)) - 1};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    datum d = datum_number(some[i]);
    CHECK(datum_is_number(d));
    CHECK(datum_to_number(d) == some[i]);
    CHECK(d == datum_number(some[i]));
  }
  CHECK(datum_is_small(datum_number((1ll << 29) - 1)));
  CHECK(datum_is_small(datum_number(-(1ll << 29))));
  CHECK(!datum_is_small(datum_number(1ll << 29)));
  CHECK(!datum_is_small(datum_number(-(1ll << 29) - 1)));
}

TEST(equal_data_are_equal_words) {
  CHECK(text("abc") == text("abc"));
  CHECK(text("abc") != text("abd"));
  CHECK(text("abc") != symbol("abc"));
  CHECK(text("") == datum_text(NULL, 0));
  CHECK(datum_text("a\0b", 3) != datum_text("a\0c", 3));
  datum a[] = {datum_number(1), text("x")}, b[] = {datum_number(1), text("x")};
  CHECK(datum_list(a, 2) == datum_list(b, 2));
  CHECK(datum_list(a, 2) != datum_list(b, 1));
  CHECK(datum_list(a, 2) != datum_map(b, 1));
  CHECK(datum_list(NULL, 0) != datum_map(NULL, 0));
}

TEST(maps_forget_the_order_and_keep_the_last_value) {
  datum a[] = {text("k"), datum_number(1), datum_number(5),
               DATUM_NIL, text("k"),       datum_number(2)};
  datum b[] = {datum_number(5), DATUM_NIL, text("k"), datum_number(2)};
  datum m = datum_map(a, 3);
  CHECK(m == datum_map(b, 2));
  CHECK_INT(datum_box(m)->len, 4);
  CHECK_STR(printed(m), "{5: nil, \"k\": 2}");
}

TEST(data_print_as_one_reads_them) {
  datum list[] = {datum_number(1), DATUM_TRUE, text("a\"b\\\n\001")};
  CHECK_STR(printed(datum_list(list, 3)), "[1, true, \"a\\\"b\\\\\\n\\x01\"]");
  CHECK_STR(printed(DATUM_NONE), "");
  CHECK_STR(printed(DATUM_NIL), "nil");
  CHECK_STR(printed(DATUM_FALSE), "false");
  CHECK_STR(printed(symbol("timed-out")), "timed-out");
  CHECK_STR(printed(datum_number(INT64_MIN)), "-9223372036854775808");
}

TEST(the_hash_is_the_same_in_every_process) {
  datum list[] = {datum_number(1), text("a"), DATUM_NIL};
  datum m[] = {datum_number(1), datum_number(1ll << 62)};
  CHECK(datum_hash(datum_number(7)) == 0x63cbe1e459320dd7u);
  CHECK(datum_hash(datum_list(list, 3)) != datum_hash(datum_list(list, 2)));
  CHECK(datum_hash(text("a")) != datum_hash(symbol("a")));
  CHECK(datum_hash(DATUM_TRUE) != datum_hash(DATUM_FALSE));
  CHECK(datum_hash(datum_map(m, 1)) != datum_hash(datum_list(m, 2)));
}

static datum any(struct rng *rng, int depth) {
  static const datum others[] = {DATUM_NONE, DATUM_NIL, DATUM_FALSE,
                                 DATUM_TRUE};
  char bytes[3];
  datum items[6];
  uint32_t n = (uint32_t)rng_below(rng, 4);
  switch (rng_below(rng, depth ? 7 : 5)) {
  case 0:
    return datum_number((int64_t)rng_below(rng, 5) - 2);
  case 1:
    return datum_number((int64_t)(rng_below(rng, 3) << 61) - 1);
  case 2:
    return others[n];
  case 3:
  case 4:
    for (uint32_t i = 0; i < n && i < 3; i++)
      bytes[i] = (char)rng_below(rng, 3);
    n = n < 3 ? n : 3;
    return rng_below(rng, 2) ? datum_text(bytes, n) : datum_symbol(bytes, n);
  case 5:
    for (uint32_t i = 0; i < n; i++)
      items[i] = any(rng, depth - 1);
    return datum_list(items, n);
  default:
    n = n < 3 ? n : 3;
    for (uint32_t i = 0; i < 2 * n; i++)
      items[i] = any(rng, depth - 1);
    return datum_map(items, n);
  }
}

TEST(the_order_is_total_and_agrees_with_equality) {
  struct rng rng = {1};
  for (int i = 0; i < 100000; i++) {
    datum a = any(&rng, 2), b = any(&rng, 2), c = any(&rng, 2);
    CHECK_INT(datum_order(a, b), -datum_order(b, a));
    CHECK((datum_order(a, b) == 0) == (a == b));
    CHECK(a != b || datum_hash(a) == datum_hash(b));
    if (datum_order(a, b) <= 0 && datum_order(b, c) <= 0)
      CHECK(datum_order(a, c) <= 0);
    if (test_errors)
      return;
  }
  CHECK(datum_order(datum_number(9), text("")) < 0);
  CHECK(datum_order(datum_number(1ll << 61), datum_number(3)) > 0);
  CHECK(datum_order(text("b"), text("ab")) > 0);
}

TEST(many_large_numbers_stay_apart) {
  enum { N = 300000 };
  datum *all = xcalloc(N, sizeof *all);
  for (int64_t i = 0; i < N; i++)
    all[i] = datum_number((i << 40) - (i << 20) + (1ll << 30));
  for (int64_t i = 0; i < N; i++) {
    int64_t number = (i << 40) - (i << 20) + (1ll << 30);
    CHECK(datum_number(number) == all[i]);
    CHECK(datum_to_number(all[i]) == number);
    CHECK(datum_is_number(all[i]) && !datum_is_small(all[i]));
    if (test_errors)
      break;
  }
  free(all);
}

TEST(many_texts_stay_apart) {
  enum { N = 300000 };
  datum *all = xcalloc(N, sizeof *all);
  char s[16];
  for (int i = 0; i < N; i++)
    all[i] = datum_text(s, (size_t)snprintf(s, sizeof s, "t%d", i));
  for (int i = 0; i < N; i++) {
    size_t n = (size_t)snprintf(s, sizeof s, "t%d", i);
    if (!CHECK(datum_text(s, n) == all[i]) ||
        !CHECK_STR(datum_box(all[i])->text, s))
      break;
  }
  free(all);
}

TEST_MAIN
