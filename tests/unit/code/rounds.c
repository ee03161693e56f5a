/*
 * Rounds of loops, read from machine code: what the source says, whatever
 * compilers make of it.  A loop that was unrolled has fewer rounds of more
 * steps: what counts is the sum.
 */
#include "scratch.h"

#include "code/flow.h"

static const char source[] =
    "#include <assert.h>\n"
    "volatile int a, b, d[16];\n"
    "int four(void) { int s = 0; for (int i = 0; i < 4; i++) s += d[i & 1]; "
    "return s; }\n"
    "void to_nine(void) { for (int i = 0; i <= 9; i++) a = i; }\n"
    "void down(void) { for (int i = 7; i > 0; i--) a = i; }\n"
    "void down_unsigned(void) { for (unsigned i = 6; i--;) a = i; }\n"
    "void by_three(void) { for (long i = 0; i < 20; i += 3) a = i; }\n"
    "void until(void) { for (int i = 3; i != 15; i += 4) a = i; }\n"
    "void doubling(void) { for (unsigned i = 1; i < 100; i *= 2) a = i; }\n"
    "void elements(void) { for (volatile int *p = d; p < d + 12; p++) *p = 1; "
    "}\n"
    "void of_pointer(volatile int *p) { volatile int *q = p + 5; while (p != "
    "q) "
    "*p++ = 1; }\n"
    "void at_end(void) { int i = 0; do { a = i; b = i; } while (++i < 5); }\n"
    "void twice(void) { for (int i = 0; i < 3; i++) { a = i; for (int k = 0; k "
    "< 4; k++) b = k; } }\n"
    "void uneven(int n) { for (int i = 0; i < 6; i++) if (n >> i & 1) a = i; "
    "}\n"
    "void sure(int n) { for (int i = 0; i < 8; i++) { assert(n != i); a = i; } "
    "}\n"
    "void one(void) { for (int i = 0; i < 1; i++) a = i; }\n"
    "void many(void) { for (int i = 0; i < 10000; i++) a = i; }\n"
    "void starts_unknown(int n) { for (int i = n; i < 9; i++) a = i; }\n"
    "void ends_unknown(int n) { for (int i = 0; i < n; i++) a = i; }\n"
    "void inner_unknown(int n) { for (int i = 0; i < 3; i++) { a = i; for (int "
    "k = 0; k < n; k++) b = k; } }\n"
    "void depends(void) { for (int i = 0; i < 3; i++) for (int k = 0; k < i; "
    "k++) { a = k; b = i; } }\n"
    "void search(int n) { for (int i = 0; i < 4; i++) if (d[i] == n) { b = 1; "
    "break; } }\n"
    "void spin(void) { while (a) ; }\n"
    "void changed(int *n);\n"
    "void given(void) { for (int i = 0; i < 4; i++) { a = i; changed(&i); } }\n"
    "__attribute__((noinline)) void changed(int *n) { if (*n > 2) *n -= b; }\n";

/* Sums of all executions: with loops that are not known going round once, and
 * a hundred times. */
static const struct rounds_want {
  const char *function;
  uint32_t once, often; /* 0: not looked at, compilers differ too much */
  uint32_t least;       /* of `often` */
} wanted[] = {
    {"four", 4, 4, 0},           {"to_nine", 10, 10, 0},
    {"down", 7, 7, 0},           {"down_unsigned", 6, 6, 0},
    {"by_three", 7, 7, 0},       {"until", 3, 3, 0},
    {"doubling", 7, 7, 0},       {"elements", 12, 12, 0},
    {"of_pointer", 5, 5, 0},     {"at_end", 10, 10, 0},
    {"twice", 15, 15, 0},        {"uneven", 6, 6, 0},
    {"sure", 8, 8, 0},           {"one", 1, 1, 0},
    {"many", 10000, 10000, 0},   {"starts_unknown", 0, 0, 100},
    {"ends_unknown", 0, 0, 100}, {"inner_unknown", 0, 0, 303},
    {"search", 0, 0, 0},         {"spin", 0, 0, 100},
    {"given", 0, 0, 100},
};

static void check_one(struct flow *f, const struct rounds_want *w,
                      const char *cc, const char *opt) {
  struct flow_tree t;
  if (!CHECK(flow_tree_of(f, flow_find(f, w->function), &t)))
    return;
  flow_check_invariants(&t);
  uint32_t once = flow_sum(&t, 1), often = flow_sum(&t, 100);
  bool right = (!w->once || CHECK_INT(once, w->once)) &
               (!w->often || CHECK_INT(often, w->often)) &
               CHECK(often >= w->least);
  if (!right) {
    struct buf text = {0};
    flow_brief(&t, &text);
    fprintf(stderr, "  %s %s, %s: %s\n", cc, opt, w->function, buf_text(&text));
    buf_free(&text);
  }
  flow_tree_free(&t);
}

TEST(a_loop_counts_as_often_as_it_goes_round) {
  scratch_write("rounds.c", source);
  EACH_COMPILER(cc, opt) {
    struct error error = {0};
    char *so = scratch_build(cc, opt, "rounds.c", NULL);
    if (!CHECK(so != NULL))
      continue;
    struct lines *l = scratch_lines(so);
    struct flow *f = flow_open(l, &error);
    if (CHECK(f != NULL))
      for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        check_one(f, &wanted[i], cc, opt);
    flow_close(f);
    lines_close(l);
    free(so);
  }
}

TEST_MAIN
