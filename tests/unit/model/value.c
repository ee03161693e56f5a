#include "model/value.h"

#include "base/arena.h"
#include "test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *printed(struct value v) {
  static struct buf b;
  buf_clear(&b);
  value_print(v, &b);
  return buf_text(&b);
}

TEST(values_print_as_c_writes_them) {
  CHECK_STR(printed(value_void()), "");
  CHECK_STR(printed(value_int(-1)), "-1");
  CHECK_STR(printed(value_int(INT64_MIN)), "-9223372036854775808");
  CHECK_STR(printed(value_uint(UINT64_MAX)), "18446744073709551615");
  CHECK_STR(printed(value_bool(true)), "true");
  CHECK_STR(printed(value_bool(false)), "false");
  CHECK_STR(printed(value_null()), "NULL");
  CHECK_STR(printed(value_string(NULL)), "NULL");
  CHECK_STR(printed(value_string("a\"b\\\n\t\001"
                                 "2")),
            "\"a\\\"b\\\\\\n\\t\\0012\"");
}

TEST(pointers_print_by_the_name_of_their_block) {
  CHECK_STR(printed(value_block(3, 0, 0)), "&block 0 of call 3");
  CHECK_STR(printed(value_block(0, 2, 8)), "&block 2 of call 0 + 8");
  CHECK_STR(printed(value_block(UINT32_MAX, 1, 0)), "&block 1 outside calls");
  CHECK_STR(printed(value_global(0x40)), "&global+0x40");
  CHECK_STR(printed(value_global(0)), "&global+0x0");
  CHECK_STR(printed(value_address(0x7ffe10)), "0x7ffe10");
  CHECK_STR(printed(value_address(0)), "NULL");
}

TEST(pointers_have_the_documented_bits) {
  CHECK(value_block(3, 5, 7).bits ==
        (UINT64_C(1) << 56 | UINT64_C(4) << 40 | UINT64_C(5) << 24 | 7));
  CHECK(value_global(0x40).bits == (UINT64_C(2) << 56 | 0x40));
  CHECK(value_address(0x1234).bits == (UINT64_C(3) << 56 | 0x1234));
  CHECK(value_null().bits == 0);
}

TEST(fields_that_are_too_large_do_not_spill) {
  struct value v = value_block(70000, 1 << 20, UINT64_C(1) << 40);
  CHECK(v.bits >> 56 == VALUE_TAG_BLOCK);
  CHECK(value_equal(v, value_block(80000, 1 << 21, UINT64_C(1) << 41)));
  CHECK(!value_equal(v, value_block(1, 1 << 20, UINT64_C(1) << 40)));
}

TEST(kinds_are_different_values) {
  CHECK(!value_equal(value_int(1), value_uint(1)));
  CHECK(!value_equal(value_bool(true), value_int(1)));
  CHECK(value_equal(value_int(-5), value_int(-5)));
}

TEST(equal_texts_are_one_pointer) {
  char text[16];
  const char *kept[5000];
  for (int i = 0; i < 5000; i++) {
    snprintf(text, sizeof text, "s%d", i);
    kept[i] = value_intern(text);
    CHECK_STR(kept[i], text);
  }
  for (int i = 0; i < 5000; i++) {
    snprintf(text, sizeof text, "s%d", i);
    CHECK(value_intern(text) == kept[i]);
  }
  CHECK(value_equal(value_string("s1"), value_string("s1")));
  CHECK(!value_equal(value_string("s1"), value_string("s2")));
}

TEST(a_text_of_a_worker_can_be_printed_by_its_parent) {
  size_t size = 4096;
  char *region = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!CHECK(region != MAP_FAILED))
    return;
  struct value *slot = (struct value *)region;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    struct arena a;
    arena_init_fixed(&a, region + 64, size - 64);
    struct value v = value_string("made by the worker");
    _exit(value_copy(slot, v, &a) &&
                  value_equal(v, value_string("made by the worker"))
              ? 0
              : 1);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  CHECK_INT(status, 0);
  CHECK_STR(printed(*slot), "\"made by the worker\"");
  struct value here = value_string((const char *)(uintptr_t)slot->bits);
  CHECK(value_equal(here, value_string("made by the worker")));
  munmap(region, size);
}

TEST(a_full_arena_is_told) {
  char region[64];
  struct arena a;
  arena_init_fixed(&a, region, sizeof region);
  char text[200];
  memset(text, 'x', sizeof text);
  text[199] = '\0';
  struct value to;
  CHECK(!value_copy(&to, value_string(text), &a));
  CHECK(value_copy(&to, value_int(7), &a));
  CHECK(value_equal(to, value_int(7)));
}

TEST_MAIN
