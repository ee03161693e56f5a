#include "model/client.h"

#include "test.h"

static const char *const names_list[] = {"push", "pop", "list::add"};
static const struct op_names names = {names_list, 3};
static const uint8_t nargs[] = {1, 0, 2};

static struct call push(int64_t v) {
  return (struct call){.op = 0, .nargs = 1, .args = {v}};
}
static struct call pop(void) { return (struct call){.op = 1}; }

static const char *printed(const struct client *c) {
  static struct buf b;
  buf_clear(&b);
  client_print(c, &names, &b);
  return buf_text(&b);
}

/* push(1); {push(2)} || {pop(); pop()}; pop() */
static struct client sample(void) {
  struct client c = {0};
  client_add_init(&c, push(1));
  client_add(&c, 1, push(2));
  client_add(&c, 2, pop());
  client_add(&c, 2, pop());
  client_add_final(&c, pop());
  client_check_invariants(&c);
  return c;
}

TEST(a_client_prints_in_the_papers_notation) {
  struct client c = sample();
  CHECK_STR(printed(&c), "push(1); {push(2)} || {pop(); pop()}; pop()");
  CHECK_INT(c.ncalls, 5);
  CHECK_INT(c.ninit, 1);
  CHECK_INT(c.nfinal, 1);
  CHECK_INT(c.nthreads, 2);
  CHECK_INT(client_first_final(&c), 4);
  client_free(&c);
  CHECK_INT(c.ncalls, 0);
}

TEST(a_copy_is_equal_and_independent) {
  struct client c = sample(), d;
  client_copy(&d, &c);
  CHECK(client_equal(&c, &d));
  d.calls[0].args[0] = 9;
  CHECK(!client_equal(&c, &d));
  CHECK_INT(c.calls[0].args[0], 1);
  client_free(&c);
  client_free(&d);
}

TEST(arguments_that_are_not_there_do_not_matter) {
  struct client a = {0}, b = {0};
  struct call junk = pop();
  junk.args[3] = 77;
  client_add_init(&a, pop());
  client_add_init(&b, junk);
  CHECK(client_equal(&a, &b));
  client_free(&a);
  client_free(&b);
}

TEST(each_call_can_be_taken_out) {
  static const char *const want[] = {
      "{push(2)} || {pop(); pop()}; pop()",
      "push(1); {pop(); pop()}; pop()",
      "push(1); {push(2)} || {pop()}; pop()",
      "push(1); {push(2)} || {pop()}; pop()",
      "push(1); {push(2)} || {pop(); pop()}",
  };
  struct client c = sample();
  for (uint32_t i = 0; i < c.ncalls; i++) {
    struct client d;
    client_without(&d, &c, i);
    client_check_invariants(&d);
    CHECK_STR(printed(&d), want[i]);
    client_free(&d);
  }
  client_free(&c);
}

TEST(a_thread_in_the_middle_disappears) {
  struct client c = {0}, d;
  client_add(&c, 1, push(1));
  client_add(&c, 2, push(2));
  client_add(&c, 3, push(3));
  client_without(&d, &c, 1);
  CHECK_STR(printed(&d), "{push(1)} || {push(3)}");
  CHECK_INT(d.nthreads, 2);
  CHECK_INT(d.calls[1].thread, 2);
  client_free(&c);
  client_free(&d);
}

/* ---- reading ---- */

/* What is printed after reading, or the error's text. */
static const char *reread(const char *text) {
  static struct error e;
  struct client c;
  e = (struct error){0};
  int code = client_read(&c, text, &names, nargs, &e);
  if (code) {
    CHECK_INT(code, ERR_USAGE);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(c.calls == NULL && c.ncalls == 0);
    return e.text;
  }
  client_check_invariants(&c);
  const char *s = printed(&c);
  client_free(&c);
  return s;
}

TEST(what_is_printed_reads_as_the_same) {
  static const char *const all[] = {
      "push(1); {push(2)} || {pop(); pop()}; pop()",
      "{push(-1)} || {pop()}",
      "push(1); push(2)",
      "{push(1)}",
      "push(1); {}; pop()",
      "{}; pop()",
      "{list::add(1, -9223372036854775808)}; list::add(3, 4)",
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    CHECK_STR(reread(all[i]), all[i]);
}

TEST(spaces_braces_and_semicolons_are_free) {
  CHECK_STR(reread("push(1)||pop()"), "{push(1)} || {pop()}");
  CHECK_STR(reread("push(1);push(2)||pop();pop()"),
            "push(1); {push(2)} || {pop()}; pop()");
  CHECK_STR(reread(" ;; push ( 1 ) ;\n{ ;pop( );; } || {push(3);} ; ;"),
            "push(1); {pop()} || {push(3)}");
  CHECK_STR(reread("push(1) {pop()} || {pop()} pop()"),
            "push(1); {pop()} || {pop()}; pop()");
  CHECK_STR(reread("{pop()} || {} || push(4)"), "{pop()} || {push(4)}");
}

TEST(arguments_have_the_forms_of_c) {
  CHECK_STR(reread("push(0x10)"), "push(16)");
  CHECK_STR(reread("push(-0X1f)"), "push(-31)");
  CHECK_STR(reread("push(true); push(false)"), "push(1); push(0)");
  CHECK_STR(reread("push(0xffffffffffffffff)"), "push(-1)");
  CHECK_STR(reread("push(9223372036854775807)"), "push(9223372036854775807)");
  CHECK_STR(reread("push(-9223372036854775808)"), "push(-9223372036854775808)");
  CHECK_HAS(reread("push(9223372036854775808)"), "does not fit 64 bits");
  CHECK_HAS(reread("push(-9223372036854775809)"), "does not fit 64 bits");
  CHECK_HAS(reread("push(0x10000000000000000)"), "does not fit 64 bits");
}

TEST(an_unknown_operation_is_shown_with_what_exists) {
  CHECK_STR(reread("push(1); {psh(2)} || {pop()}"),
            "client, column 11: no operation 'psh'; did you mean 'push'?\n"
            "  push(1); {psh(2)} || {pop()}\n"
            "            ^\n"
            "operations: push(_), pop(), list::add(_, _)");
  CHECK_HAS(reread("add(1, 2)"), "did you mean 'list::add'?");
  CHECK_HAS(reread("enqueue(1)"), "column 1: no operation 'enqueue'\n");
  CHECK_HAS(reread("pushx(1)"), "did you mean 'push'?");
}

TEST(a_wrong_number_of_arguments_is_told) {
  CHECK_HAS(reread("{pop(1)}"), "column 2: pop takes 0 arguments, not 1\n");
  CHECK_HAS(reread("push()"), "column 1: push takes 1 argument, not 0\n");
  CHECK_HAS(reread("push(1,2,3,4,5,6,7,8,9)"), "takes 1 argument, not 9\n");
}

TEST(what_is_missing_is_told) {
  CHECK_HAS(reread(""), "column 1: a client makes at least one call");
  CHECK_HAS(reread("{} || {}"), "a client makes at least one call");
  CHECK_HAS(reread("push"), "column 5: expected '(', found the end");
  CHECK_HAS(reread("push(1"), "column 7: expected ',' or ')', found the end");
  CHECK_HAS(reread("push(1,)"), "column 8: expected an argument, found ')'");
  CHECK_HAS(reread("push(-)"), "column 7: expected a digit, found ')'");
  CHECK_HAS(reread("push(0x)"), "column 8: expected a digit, found ')'");
  CHECK_HAS(reread("push(x)"), "column 6: expected a number, true or false");
  CHECK_HAS(reread("pop() pop()"), "column 7: expected ';' or '||', found 'p'");
  CHECK_HAS(reread("pop() | pop()"),
            "column 7: expected ';' or '||', found '|'");
  CHECK_HAS(reread("pop() || pop() pop()"), "column 16: expected ';' or '||'");
  CHECK_HAS(reread("{pop() pop()}"),
            "column 8: expected ';' or '}', found 'p'");
  CHECK_HAS(reread("pop(); {pop()"), "column 8: this '{' is not closed");
  CHECK_HAS(reread("pop() ||"),
            "column 9: expected an operation, found the end");
  CHECK_HAS(reread("}"), "column 1: expected an operation, found '}'");
  CHECK_HAS(reread("{pop()}; {pop()}"), "column 10: only one part has threads");
  CHECK_HAS(reread("a||b;\001"), "no operation 'a'");
  CHECK_HAS(reread("pop();\001"), "found an unexpected byte");
}

TEST(columns_count_characters) {
  CHECK_HAS(reread("pop(); \xc3\xa4()"), "column 8: no operation '\xc3\xa4'");
  CHECK_HAS(reread("\xc3\xa4 x"), "column 1: no operation");
  CHECK_HAS(reread("pop(); \xe2\x88\xa8"), "column 8: no operation");
}

TEST(a_long_client_is_shown_around_the_caret) {
  struct buf b = {0};
  for (int i = 0; i < 100; i++)
    buf_puts(&b, "push(1); ");
  size_t at = b.len;
  buf_puts(&b, "bad(); ");
  for (int i = 0; i < 100; i++)
    buf_puts(&b, "pop(); ");
  const char *text = reread(buf_text(&b));
  CHECK_HAS(text, "column 901: no operation 'bad'");
  CHECK_INT(at, 900);
  const char *line = strchr(text, '\n') + 1;
  const char *caret = strchr(line, '\n') + 1;
  size_t width = (size_t)(caret - line) - 1;
  CHECK(width <= 80);
  CHECK(strncmp(line, "  ...", 5) == 0);
  CHECK_INT(strstr(line, "bad") - line, strchr(caret, '^') - caret);
  buf_free(&b);
}

TEST(sizes_are_limited) {
  struct buf b = {0};
  for (int i = 0; i < 1000; i++)
    buf_puts(&b, "pop(); ");
  struct client c;
  struct error e = {0};
  CHECK_INT(client_read(&c, buf_text(&b), &names, nargs, &e), 0);
  CHECK_INT(c.ncalls, 1000);
  client_free(&c);
  buf_puts(&b, "pop()");
  CHECK_HAS(reread(buf_text(&b)), "more than 1000 calls");

  buf_clear(&b);
  buf_puts(&b, "pop()");
  for (int i = 1; i < 31; i++)
    buf_puts(&b, " || pop()");
  CHECK_INT(client_read(&c, buf_text(&b), &names, nargs, &e), 0);
  CHECK_INT(c.nthreads, 31);
  client_free(&c);
  buf_puts(&b, " || pop()");
  CHECK_HAS(reread(buf_text(&b)), "more than 31 threads");
  buf_free(&b);
}

TEST(names_can_have_any_characters) {
  static const char *const odd[] = {"q<int, 3>::add", "q", "operator()", "add"};
  static const uint8_t none[] = {0, 0, 0, 0};
  struct op_names n = {odd, 4};
  struct client c;
  struct error e = {0};
  const char *text = "q<int, 3>::add(); q(); operator()(); add()";
  CHECK_INT(client_read(&c, text, &n, none, &e), 0);
  CHECK_STR(e.text, "");
  if (CHECK_INT(c.ncalls, 4))
    for (uint32_t i = 0; i < 4; i++)
      CHECK_INT(c.calls[i].op, i);
  client_free(&c);
}

TEST(arguments_can_be_texts) {
  static const char *const put[] = {"put"};
  static const char *const texts[] = {"a", "ab", "a", "q\"\n", ""};
  static const uint8_t one[] = {1};
  struct op_names n = {put, 1, 5, texts};
  struct client c;
  struct error e = {0};
  struct buf b = {0};
  const char *text = "{put(\"ab\")} || {put(\"a\"); put(\"q\\\"\\n\"); "
                     "put(\"\"); put(7)}";
  CHECK_INT(client_read(&c, text, &n, one, &e), 0);
  client_print(&c, &n, &b);
  CHECK_STR(buf_text(&b), text);
  if (CHECK_INT(c.ncalls, 5)) {
    CHECK_INT(c.calls[0].args[0], CLIENT_TEXTS + 1);
    CHECK_INT(c.calls[1].args[0], CLIENT_TEXTS); /* the first that is equal */
    CHECK_INT(c.calls[2].args[0], CLIENT_TEXTS + 3);
    CHECK_INT(c.calls[4].args[0], 7);
  }
  client_free(&c);
  CHECK(client_read(&c, "{put(\"b\")}", &n, one, &e));
  CHECK_HAS(e.text, "column 6: no FL_STRING has this text");
  buf_free(&b);
}

TEST_MAIN
