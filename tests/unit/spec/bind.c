/* FL_SPEC: what is accepted, and what is said about the rest. */
#include "spec/spec.h"
#include "suites.h"
#include "test.h"

#define LEN(A) (sizeof(A) / sizeof *(A))
#define INT FL_TYPE_INT, 4
#define VOID FL_TYPE_VOID, 0

static const struct suite_op ops[] = {{"s_push", VOID, 1, 0},
                                      {"s_pop", INT, 0, 0}};

/* The error of binding these roles, or "". */
static const char *error_of(const char *type, const char *roles,
                            const struct suite_op *o, uint32_t n) {
  static struct error e;
  struct suite suite;
  e = (struct error){0};
  struct spec *s =
      spec_builtin(suite_make(&suite, type, roles, o, n, 1, 3), &e);
  CHECK(!s == !!e.code);
  CHECK(!e.code || e.code == ERR_INPUT);
  spec_free(s);
  return e.text;
}

TEST(a_suite_without_spec_has_none) {
  struct suite suite;
  struct error e = {0};
  CHECK(!spec_builtin(suite_make(&suite, NULL, NULL, ops, 2, 1, 3), &e));
  CHECK_INT(e.code, 0);
  CHECK(!spec_arg_is_data(&suite.suite, 0, 0));
}

TEST(the_text_may_be_written_in_many_ways) {
  static const char *const good[] = {
      "push = s_push, pop = s_pop, empty = -1",
      "push=s_push,pop=s_pop,empty=-1",
      " pop = & s_pop ,\n push = (s_push) , empty = ( - 1 ) ,",
      "empty = (int)-1, push = (&s_push), pop = s_pop",
      "push = s_push, pop = s_pop, empty = (-2147483647 - 1)",
      "push = s_push, pop = s_pop, empty = 1 << 4 | 3",
      "push = s_push, pop = s_pop, empty = ','",
      "push = s_push, pop = s_pop, empty = '\\''",
      "push = s_push, pop = s_pop, empty = ~0u",
      "push = s_push, pop = s_pop, empty = (enum e)3",
  };
  for (unsigned i = 0; i < LEN(good); i++)
    CHECK_STR(error_of("stack", good[i], ops, 2), "");
}

TEST(what_does_not_exist_is_told_with_what_does) {
  const char *t = error_of("stak", "", ops, 2);
  CHECK_HAS(t, "h.c:99: FL_SPEC(stak): there is no such type; types: stack,");
  CHECK_HAS(t, "pqueue");
  t = error_of("stack", "push = s_push, plop = s_pop", ops, 2);
  CHECK_HAS(t,
            "h.c:99: FL_SPEC(stack): there is no role plop; roles: push pop");
  CHECK_HAS(t, "settings: empty");
  t = error_of("stack", "push = s_push, pop = s_plop", ops, 2);
  CHECK_HAS(t, "pop = s_plop: there is no such FL_OP; operations: s_push, ");
}

TEST(an_operation_without_role_is_named_at_its_line) {
  CHECK_HAS(error_of("stack", "push = s_push", ops, 2),
            "h.c:11: FL_SPEC(stack): operation s_pop has no role; roles: push");
  CHECK_HAS(error_of("stack", NULL, ops, 2),
            "h.c:10: FL_SPEC(stack): operation");
}

TEST(wrong_text_is_told) {
  static const struct {
    const char *roles, *why;
  } rows[] = {
      {"push", "expected `role = function`"},
      {"push s_push", "expected `role = function`"},
      {"= s_push", "expected `role = function`"},
      {"push = , pop = s_pop", "nothing follows `push =`"},
      {"push = (s_push, pop = s_pop", "do not match"},
      {"push = s_push), pop = s_pop", "do not match"},
      {"empty = \"abc", "do not match"},
      {"push = 3, pop = s_pop", "expected the name of an operation"},
      {"push = s_push, pop = s_pop, pop = s_push", "s_push has two roles"},
      {"push = s_push, pop = s_pop, empty = EMPTY", "not a constant"},
      {"push = s_push, pop = s_pop, empty = 1 +", "not a constant"},
      {"push = s_push, pop = s_pop, empty = 1.5", "not a constant"},
      {"push = s_push, pop = s_pop, empty = 1 / 0", "not a constant"},
      {"push = s_push, pop = s_pop, empty = ''", "not a constant"},
      {"push = s_push, pop = s_pop, empty = 99999999999999999999",
       "not a constant"},
      {"push = s_push, pop = s_pop, empty = 1, empty = 2", "set twice"},
      {"empty = \"x\", push = s_push, pop = s_pop", "is a string, but s_pop"},
      {"push = s_push, pop = s_pop, capacity = 0", "is out of range"},
      {"push = s_push, pop = s_pop, capacity = \"a\"", "not a number"},
      {"push = s_push, pop = s_pop, initial = 1", "there is no role initial"},
      {"push = s_pop, pop = s_push", "s_pop takes 0 arguments, but push takes"},
  };
  for (unsigned i = 0; i < LEN(rows); i++)
    CHECK_HAS(error_of("stack", rows[i].roles, ops, 2), rows[i].why);
}

TEST(nesting_without_end_is_no_constant) {
  static char roles[40000];
  strcpy(roles, "push = s_push, pop = s_pop, empty = ");
  size_t n = strlen(roles);
  memset(roles + n, '-', 30000);
  strcpy(roles + n + 30000, "1");
  CHECK_HAS(error_of("stack", roles, ops, 2), "not a constant");
}

TEST(a_return_type_that_cannot_be_is_told) {
  static const struct suite_op number[] = {{"push", INT, 1, 0},
                                           {"pop", INT, 0, 0}};
  static const struct suite_op counter[] = {{"inc", INT, 0, 0}};
  static const struct suite_op set[] = {{"add", FL_TYPE_POINTER, 8, 1, 0}};
  static const struct suite_op map[] = {{"get", INT, 1, 0}};
  static const struct suite_op size[] = {{"size", FL_TYPE_STRING, 8, 0, 0}};
  CHECK_HAS(error_of("stack", "push = push, pop = pop", number, 2),
            "h.c:10: FL_SPEC(stack): push returns an integer: say what");
  CHECK_STR(error_of("stack", "push = push, pop = pop, ok = 0", number, 2), "");
  CHECK_HAS(error_of("counter", "inc = inc", counter, 1), "use fetch_inc");
  CHECK_HAS(error_of("set", "add = add", set, 1),
            "add returns a pointer, but add");
  CHECK_HAS(error_of("map", "get = get", map, 1), "with `absent = value`");
  CHECK_HAS(error_of("stack", "size = size", size, 1), "returns an integer");
}

TEST(the_table_names_roles_that_exist) {
  unsigned roles = 0;
  for (const struct spec_type_info *t = spec_types; t->type; t++) {
    char *list = xstrdup(t->roles);
    for (char *w = strtok(list, " "); w; w = strtok(NULL, " "), roles++) {
      bool found = false;
      char *text = xasprintf("%s = f%s", w,
                             strcmp(t->type, "barrier") ? "" : ", parties = 2");
      for (unsigned n = 0; n <= 3; n++) {
        struct suite_op f = {"f", VOID, n, 0};
        found |= !*error_of(t->type, text, &f, 1);
      }
      if (!CHECK(found))
        fprintf(stderr, "%s has no role %s\n", t->type, w);
      free(text);
    }
    list = (free(list), xstrdup(t->settings));
    for (char *w = strtok(list, " "); w; w = strtok(NULL, " ")) {
      char *text = xasprintf("%s = 1", w);
      CHECK_STR(error_of(t->type, text, NULL, 0), "");
      free(text);
    }
    CHECK(*t->meaning);
    free(list);
  }
  CHECK(roles > 50);
}

static bool data(const char *type, const char *roles, const struct suite_op *o,
                 uint32_t n, uint32_t op, uint32_t arg) {
  struct suite s;
  return spec_arg_is_data(suite_make(&s, type, roles, o, n, 1, 3), op, arg);
}

TEST(what_is_only_stored_is_data) {
  static const struct suite_op reg[] = {
      {"rd", INT, 0, 0}, {"wr", VOID, 1, 0}, {"cas", FL_TYPE_BOOL, 1, 2, 0}};
  static const struct suite_op map[] = {{"put", VOID, 2, 0},
                                        {"get", INT, 1, 0}};
  static const struct suite_op set[] = {{"add", VOID, 1, 0}};
  static const struct suite_op pq[] = {{"in", VOID, 1, 0}, {"out", INT, 0, 0}};
  static const struct suite_op byte[] = {{"in", VOID, 1, 0},
                                         {"out", FL_TYPE_UINT, 1, 0, 0}};
  const char *stack = "push = s_push, pop = s_pop, empty = -1";
  CHECK(data("stack", stack, ops, 2, 0, 0));
  CHECK(!data("stack", stack, ops, 2, 0, 1)); /* no such argument */
  CHECK(!data("stack", stack, ops, 2, 1, 0));
  CHECK(!data("stack", stack, ops, 2, 9, 0)); /* no such operation */
  CHECK(data("stack", "push = s_push, pop = s_pop", ops, 2, 0, 0));
  CHECK(!data("stack", "push = s_push, pop = s_pop, empty = 2", ops, 2, 0, 0));
  CHECK(!data("stack", "push = nobody", ops, 2, 0, 0));
  CHECK(data("queue", "enq = in, deq = out, empty = 255", byte, 2, 0, 0));
  CHECK(!data("queue", "enq = in, deq = out, empty = 258", byte, 2, 0, 0));
  CHECK(data("register", "read = rd, write = wr", reg, 2, 1, 0));
  CHECK(!data("register", "read = rd, write = wr, initial = 3", reg, 2, 1, 0));
  CHECK(!data("register", "read = rd, write = wr, cas = cas", reg, 3, 1, 0));
  CHECK(data("map", "put = put, get = get, absent = -1", map, 2, 0, 1));
  CHECK(!data("map", "put = put, get = get, absent = -1", map, 2, 0, 0));
  CHECK(!data("map", "put = put, get = get, absent = 1", map, 2, 0, 1));
  CHECK(!data("set", "add = add", set, 1, 0, 0));
  CHECK(!data("pqueue", "insert = in, remove_min = out", pq, 2, 0, 0));
}

TEST_MAIN
