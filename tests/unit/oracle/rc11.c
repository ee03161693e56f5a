/* The axioms of the C11 memory model against litmus tests of the literature
 * (tests/litmus/c11.txt), and the notation of their programs. */
#include "litmus_c11.h"
#include "test.h"

typedef void graphs_function(const struct rc11_program *,
                             const struct rc11_rules *, struct rc11_found *);

/* The next word of a list, as a text of its own, or NULL. */
static const char *next_word(const char **list) {
  static char word[64];
  while (**list == ' ')
    ++*list;
  size_t n = strcspn(*list, " ");
  if (!n || n >= sizeof word)
    return NULL;
  memcpy(word, *list, n);
  word[n] = '\0';
  *list += n;
  return word;
}

static bool fits(const char *pattern, const char *text) {
  while (*pattern && *text && (*pattern == '.' || *pattern == *text))
    pattern++, text++;
  return !*pattern && (!*text || *text == '/' || *text == ' ');
}

static bool some_fits(const char *pattern, const char *outcomes) {
  for (const char *at = outcomes; at; at = strchr(at, ' '))
    if (fits(pattern, at += *at == ' '))
      return true;
  return false;
}

/* A pattern that could never fit says nothing. */
static void check_pattern(const char *pattern, const char *outcomes) {
  size_t n = strcspn(outcomes, " /"), whole = strcspn(outcomes, " ");
  CHECK(strlen(pattern) == whole ||
        (strlen(pattern) == n && !strchr(pattern, '/')));
}

static void check_said(const struct litmus *t, const char *outcomes) {
  const char *word, *list = t->never ? t->never : "";
  while ((word = next_word(&list))) {
    check_pattern(word, outcomes);
    CHECK(!some_fits(word, outcomes));
  }
  for (list = t->allows ? t->allows : ""; (word = next_word(&list));)
    CHECK(some_fits(word, outcomes));
}

static void check_test(const struct litmus *t, graphs_function *graphs) {
  struct rc11_found f;
  struct buf outcomes = {0}, races = {0}, count = {0};
  unsigned before = test_errors;
  graphs(&t->program, NULL, &f);
  litmus_outcomes(t, &f, &outcomes);
  litmus_races(&f, &races);
  buf_printf(&count, "%u", f.graphs.len);
  CHECK_STR(buf_text(&races), t->races ? t->races : "");
  if (!t->races) {
    CHECK_STR(buf_text(&count), t->graphs);
    CHECK_STR(buf_text(&outcomes), t->outcomes);
    check_said(t, buf_text(&outcomes));
  }
  if (test_errors > before)
    fprintf(stderr, "  in %s\n", t->name);
  buf_free(&outcomes);
  buf_free(&races);
  buf_free(&count);
  rc11_free(&f);
}

TEST(the_axioms_give_what_is_published) {
  struct litmus_list l;
  litmus_read(&l);
  CHECK(l.tests.len > 100);
  for (uint32_t i = 0; i < l.tests.len; i++)
    check_test(&l.tests.at[i], rc11_graphs);
  litmus_free(&l);
}

TEST(and_so_do_steps) {
  struct litmus_list l;
  litmus_read(&l);
  for (uint32_t i = 0; i < l.tests.len; i++)
    check_test(&l.tests.at[i], rc11_steps);
  litmus_free(&l);
}

static uint32_t count(const char *text, const struct rc11_rules *rules) {
  struct rc11_program p;
  struct rc11_found f;
  struct error e = {0};
  if (rc11_read(&p, text, &e))
    die("%s", e.text);
  rc11_graphs(&p, rules, &f);
  uint32_t n = f.all ? f.graphs.len : 0;
  rc11_free(&f);
  return n;
}

/* n increments have n! orders, n threads of SB all results but one. */
TEST(counts_that_are_known_by_formulas) {
  CHECK_INT(count("{x.add(1).rlx} || {x.add(1).rlx} || {x.add(1).rlx} || "
                  "{x.add(1).rlx}",
                  NULL),
            24);
  CHECK_INT(count("{x.sc = 1; a = y.sc} || {y.sc = 1; b = z.sc} || {z.sc = 1; "
                  "c = w.sc} || {w.sc = 1; d = x.sc}",
                  NULL),
            15);
  CHECK_INT(
      count("{x.rlx = 1} || {x.rlx = 2} || {x.rlx = 3} || {x.rlx = 4}", NULL),
      24);
  CHECK_INT(count("{x.rlx = 1; x.rlx = 2} || {x.rlx = 3; x.rlx = 4}", NULL), 6);
}

TEST(a_bound_is_said) {
  struct rc11_rules rules = {.most = 2};
  CHECK_INT(count("{x.add(1).rlx} || {x.add(1).rlx}", &rules), 2);
  CHECK_INT(count("{x.rlx = 1} || {a = x.rlx; b = x.rlx}", &rules), 0);
}

/* A release sequence of C11 goes on with stores of its thread. */
TEST(the_old_release_sequences) {
  struct rc11_rules rules = {.old_sequences = true};
  static const char text[] =
      "{x.rlx = 1; y.rel = 1; y.rlx = 2} || {a = y.acq; b = x.rlx}";
  CHECK_INT(count(text, NULL), 5);
  CHECK_INT(count(text, &rules), 4);
}

TEST(a_failure_with_the_order_of_success) {
  struct rc11_rules rules = {.failure_as_success = true};
  static const char text[] =
      "{x.rlx = 1; y.rel = 1} || {a = y.cas(0, 2).acq.rlx; b = x.rlx}";
  CHECK_INT(count(text, NULL) - count(text, &rules), 1);
}

TEST(an_await_reads_what_ends_it) {
  CHECK_INT(count("{x.rel = 1} || {await x.acq == 1}", NULL), 1);
  CHECK_INT(count("{x.rel = 1} || {await x.acq == 2}", NULL), 0);
}

static void check_printed(const struct rc11_program *p) {
  struct rc11_program again;
  struct buf once = {0}, twice = {0};
  struct error e = {0};
  rc11_print(p, &once);
  if (!CHECK(!rc11_read(&again, buf_text(&once), &e)))
    fprintf(stderr, "  %s: %s\n", e.text, buf_text(&once));
  rc11_print(&again, &twice);
  CHECK_STR(buf_text(&twice), buf_text(&once));
  CHECK(!memcmp(p, &again, sizeof again));
  buf_free(&once);
  buf_free(&twice);
}

TEST(what_is_printed_can_be_read) {
  struct litmus_list l;
  litmus_read(&l);
  for (uint32_t i = 0; i < l.tests.len; i++)
    check_printed(&l.tests.at[i].program);
  litmus_free(&l);
}

static void check_refused(const char *text, const char *why) {
  struct rc11_program p;
  struct error e = {0};
  CHECK(rc11_read(&p, text, &e));
  CHECK_HAS(e.text, why);
}

TEST(wrong_programs_are_refused) {
  check_refused("{x.rlx = }", "column 10: a value");
  check_refused("{x.rlx 1}", "= is missing");
  check_refused("{a = x.add(1)}", "an order");
  check_refused("{fence}", "an order");
  check_refused("{x = b}", "register b is of another thread");
  check_refused("{a = x} || {y = a}", "register a is of another thread");
  check_refused("{x = 1", "} is missing");
  check_refused("{x = 1} {y = 1}", "the end");
}

/* A line of a text, counted from 1. */
static const char *line_of(const struct buf *text, unsigned line) {
  static char copy[200];
  const char *at = buf_text(text);
  while (--line)
    at = strchr(at, '\n') + 1;
  snprintf(copy, sizeof copy, "%.*s", (int)strcspn(at, "\n"), at);
  return copy;
}

TEST(a_program_as_c) {
  struct rc11_program p;
  struct buf c = {0};
  struct error e = {0};
  CHECK(!rc11_read(&p,
                   "x = 1; {a = y.cas(0, 2).acq.rlx; if (a == 1) {x = a + 1}} "
                   "|| {fence.sc; y.rel = 1}; b = x",
                   &e));
  rc11_c(&p, 7, &c);
  CHECK_STR(line_of(&c, rc11_c_line(&p, 0, 0)), "  PLAIN(x_7) = 1; NEXT");
  CHECK_STR(line_of(&c, rc11_c_line(&p, 1, 0)),
            "  a = CAS(y_7, 0, 2, acquire, relaxed); NEXT");
  CHECK_STR(line_of(&c, rc11_c_line(&p, 1, 2)), "  PLAIN(x_7) = a + 1; NEXT }");
  CHECK_STR(line_of(&c, rc11_c_line(&p, 2, 0)),
            "  atomic_thread_fence(ORDER(seq_cst)); NEXT");
  CHECK_STR(line_of(&c, rc11_c_line(&p, 2, 1)),
            "  atomic_store_explicit(&y_7, 1, ORDER(release)); NEXT");
  CHECK_STR(line_of(&c, rc11_c_line(&p, 3, 0)), "  b = PLAIN(x_7); NEXT");
  buf_clear(&c);
  rc11_client(&p, 7, &c);
  CHECK_STR(buf_text(&c), "first7(); {t1_7()} || {t2_7()}; end7()");
  buf_free(&c);
}

TEST_MAIN
