/* What mends waits for a condition. */
#include "test.h"

#include "source/waiting.h"

#include <stdlib.h>

static struct ctext text;
static struct edits edits;
static struct buf out, what;

static struct wait_line line_of(const char *function, uint32_t line) {
  struct wait_line w = {&text, NULL, line};
  for (uint32_t i = 0; i < text.functions.len; i++)
    if (ctext_is(&text, text.functions.at[i].name, function))
      w.f = &text.functions.at[i];
  CHECK(w.f && !w.f->broken);
  return w;
}

static void open_text(const char *source) {
  ctext_free(&text);
  edits_free(&edits);
  buf_free(&out);
  buf_free(&what);
  ctext_read(&text, source, strlen(source), NULL, NULL);
}

static const char *result(const char *source, bool done) {
  if (done)
    edits_apply(&edits, source, strlen(source), &out);
  else
    buf_puts(&out, "[none]");
  return buf_text(&out);
}

static const char *loop(const char *source, uint32_t line) {
  open_text(source);
  struct wait_line w = line_of("get", line);
  return result(source, waiting_loop(&w, &edits, &what));
}

#define GET                                                                    \
  "void get(struct q *q) {\n"                                                  \
  "  pthread_cond_wait(&q->some[at(q, 1)], &q->m);\n"                          \
  "}\n"

static const char *wake(const char *put, bool all) {
  char *source = NULL;
  CHECK(asprintf(&source, GET "%s", put) > 0);
  open_text(source);
  struct wait_line w = line_of("get", 2), change = line_of("put", 5);
  const char *r = result(source, waiting_wake(&w, &change, all, &edits, &what));
  free(source);
  return r + (*r == '[' ? 0 : strlen(GET));
}

TEST(an_if_around_a_wait_becomes_while) {
  CHECK_STR(loop("int get(void) {\n"
                 "  if (x)\n"
                 "    if (n == 0)\n"
                 "      cnd_wait(&c,\n"
                 "               &m);\n"
                 "  return n--;\n"
                 "}\n",
                 5),
            "int get(void) {\n"
            "  if (x)\n"
            "    while (n == 0)\n"
            "      cnd_wait(&c,\n"
            "               &m);\n"
            "  return n--;\n"
            "}\n");
  CHECK_STR(buf_text(&what), "writes while for if at line 3 in get()");
}

TEST(an_if_with_an_else_stays) {
  CHECK_STR(loop("int get(void) {\n"
                 "  if (n == 0) cnd_wait(&c, &m); else n--;\n"
                 "}\n",
                 2),
            "[none]");
}

TEST(a_wait_without_an_if_stays) {
  CHECK_STR(loop("int get(void) {\n"
                 "  if (n) return 0;\n"
                 "  cnd_wait(&c, &m);\n"
                 "}\n",
                 3),
            "[none]");
}

TEST(a_wake_up_behind_the_change) {
  CHECK_STR(wake("void put(struct q *q) {\n"
                 "  q->n++; /* one more */\n"
                 "  unlock(q);\n"
                 "}\n",
                 false),
            "void put(struct q *q) {\n"
            "  q->n++; /* one more */\n"
            "  pthread_cond_signal(&q->some[at(q, 1)]);\n"
            "  unlock(q);\n"
            "}\n");
  CHECK_STR(buf_text(&what), "adds pthread_cond_signal(&q->some[at(q, 1)]) "
                             "after line 5 in put()");
}

TEST(a_wake_up_for_all_in_braces) {
  CHECK_STR(wake("void put(struct q *q) { if (q)\n"
                 "    q->n++;\n"
                 "}\n",
                 true),
            "void put(struct q *q) { if (q) {\n"
            "    q->n++;\n"
            "    pthread_cond_broadcast(&q->some[at(q, 1)]);\n"
            "}\n"
            "}\n");
}

TEST(nothing_follows_a_return) {
  CHECK_STR(wake("int put(struct q *q) {\n"
                 "  return q->n++;\n"
                 "}\n",
                 false),
            "[none]");
}

TEST(a_post_for_who_waits_on_a_semaphore) {
  const char *source = "void get(void) { sem_wait(&s); }\n"
                       "void put(void) { n++; }\n";
  open_text(source);
  struct wait_line w = line_of("get", 1), change = line_of("put", 2);
  CHECK(!waiting_wake(&w, &change, true, &edits, &what));
  CHECK(!waiting_guard(&w, &change, 2, &edits, &what));
  CHECK(waiting_wake(&w, &change, false, &edits, &what));
  CHECK_HAS(result(source, true), "n++;\n  sem_post(&s); }\n");
}

TEST(a_signal_becomes_a_broadcast) {
  const char *source = "void put(void) {\n"
                       "  n++;\n"
                       "  cnd_signal(&c);\n"
                       "}\n";
  open_text(source);
  struct wait_line none = line_of("put", 2), signal = line_of("put", 3);
  CHECK(!waiting_wake_all(&none, &edits, &what));
  CHECK(waiting_wake_all(&signal, &edits, &what));
  CHECK_HAS(result(source, true), "  cnd_broadcast(&c);\n");
}

TEST(the_waiters_lock_around_change_and_signal) {
  const char *source = "void get(void) { cnd_wait(&c, &m[0]); }\n"
                       "void put(void) {\n"
                       "  n++;\n"
                       "  cnd_signal(&c);\n"
                       "  work();\n"
                       "}\n";
  open_text(source);
  struct wait_line w = line_of("get", 1), change = line_of("put", 3);
  CHECK(waiting_guard(&w, &change, 4, &edits, &what));
  CHECK_HAS(result(source, true), "  mtx_lock(&m[0]);\n"
                                  "  n++;\n"
                                  "  cnd_signal(&c);\n"
                                  "  mtx_unlock(&m[0]);\n"
                                  "  work();\n");
  CHECK_STR(buf_text(&what), "takes mtx_lock(&m[0]) around lines 3-4 in put()");
}

TEST_MAIN
