/* What is quoted from a source. */
#include "test.h"

#include "source/phrase.h"

static const char *update_at(const char *statement, uint32_t column) {
  static struct buf out;
  struct ctext c;
  struct phrase_update u;
  struct buf b = {0};
  buf_printf(&b, "void f(void) {\n%s\n}\n", statement);
  ctext_read(&c, b.at, b.len, NULL, NULL);
  buf_clear(&out);
  if (phrase_update(&c, 2, column, &u))
    buf_printf(&out, "%s|%s|%s", buf_text(&u.target), buf_text(&u.by),
               buf_text(&u.value));
  else
    buf_puts(&out, "?");
  phrase_update_free(&u);
  ctext_free(&c);
  buf_free(&b);
  return buf_text(&out);
}

TEST(finds_what_is_written) {
  CHECK_STR(update_at("s->items[i] = EMPTY;", 0), "s->items[i]|=|EMPTY");
  CHECK_STR(update_at("a[x == 1 ? 2 : 3]   += g(1, 2);", 0),
            "a[x == 1 ? 2 : 3]|+=|g(1, 2)");
  CHECK_STR(update_at("counter++;", 0), "counter|++|");
  CHECK_STR(update_at("--p->n;", 0), "p->n|--|");
  CHECK_STR(update_at("atomic_store(&s->top, n);", 0), "s->top|=|n");
  CHECK_STR(update_at("atomic_store(top, n);", 0), "*top|=|n");
  CHECK_STR(update_at("*p = 0;", 0), "*p|=|0");
}

TEST(finds_what_an_atomic_call_changes) {
  CHECK_STR(update_at("atomic_fetch_add(&c->slot[k].refs, 1);", 0),
            "c->slot[k].refs|+=|1");
  CHECK_STR(update_at("return atomic_fetch_sub(&c->refs, 1) - 1;", 0),
            "c->refs|-=|1");
  CHECK_STR(update_at("int old = atomic_exchange(p, g(1, 2));", 0),
            "*p|=|g(1, 2)");
  CHECK_STR(update_at("x = atomic_fetch_or(&c->bits, m);", 5), "c->bits||=|m");
  CHECK_STR(update_at("x = atomic_fetch_or(&c->bits, m);", 3),
            "x|=|atomic_fetch_or(&c->bits, m)");
  CHECK_STR(update_at("x = atomic_fetch_or(&c->bits, m);", 0), "?");
  CHECK_STR(
      update_at("return atomic_exchange(&a, 1) + atomic_exchange(&b, 1);", 0),
      "?");
  CHECK_STR(update_at("return x;", 0), "?");
}

TEST(the_column_tells_statements_of_a_line_apart) {
  CHECK_STR(update_at("a = 1; b = 2;", 0), "?");
  CHECK_STR(update_at("a = 1; b = 2;", 3), "a|=|1");
  CHECK_STR(update_at("a = 1; b = 2;", 8), "b|=|2");
  CHECK_STR(update_at("a = 1; b = 2;", 99), "?");
}

TEST(what_is_not_certain_is_not_said) {
  CHECK_STR(update_at("int x = s->top;", 0), "?");
  CHECK_STR(update_at("struct node *n = s->top;", 0), "?");
  CHECK_STR(update_at("node *n = s->top;", 0), "?");
  CHECK_STR(update_at("g(&x);", 0), "?");
  CHECK_STR(update_at("if (x) ;", 0), "?");
  CHECK_STR(update_at("x = 1 /* why */ + 2;", 0), "?");
  CHECK_STR(update_at("x = a_long_name_of_a_function(with_one_argument, "
                      "and_another_one);",
                      0),
            "?");
  CHECK_STR(update_at("", 0), "?");
}

TEST(quotes_a_call) {
  struct ctext c;
  struct buf out = {0};
  static const char text[] = "void f(void) {\n"
                             "  pthread_mutex_lock(\n      &l->lock);\n"
                             "  x = lock(l);\n"
                             "  a(); b();\n"
                             "}\n";
  ctext_read(&c, text, strlen(text), NULL, NULL);
  CHECK(phrase_call(&c, 2, &out));
  CHECK_STR(buf_text(&out), "pthread_mutex_lock( &l->lock)");
  CHECK(!phrase_call(&c, 4, &out));
  CHECK(!phrase_call(&c, 5, &out));
  CHECK(!phrase_call(&c, 6, &out));
  ctext_free(&c);
  buf_free(&out);
}

static bool moves(const char *before, const char *call) {
  struct ctext c;
  struct buf b = {0};
  buf_printf(&b, "void f(struct list *l, int k) {\n%s\n%s\n}\n", before, call);
  ctext_read(&c, b.at, b.len, NULL, NULL);
  bool yes = phrase_moves(&c, 3, 2);
  ctext_free(&c);
  buf_free(&b);
  return yes;
}

TEST(a_call_moves_up_while_its_names_mean_the_same) {
  CHECK(moves("if (l->count == k) return;", "lock(&l->lock);"));
  CHECK(moves("l->lock_count = 1;", "lock(&l->lock);"));
  CHECK(moves("p = l->head;", "lock(&l->lock);"));
  CHECK(
      moves("if (find(l, k) && atomic_load(&l->n)) {}", "lock(&l->lock[k]);"));
  CHECK(!moves("p = l->head;", "lock(&p->lock);"));
  CHECK(!moves("locate(l, k, &p);", "lock(&p->lock);"));
  CHECK(!moves("struct node *p = l->head;", "lock(&p->lock);"));
  CHECK(!moves("k++;", "lock(&l->lock[k]);"));
  CHECK(!moves("", "x = lock(l), 1; b();"));
}

TEST_MAIN
