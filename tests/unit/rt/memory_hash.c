/* When is what initial calls leave the same? */
#include "engine.h"

static const char text[] =
    "#include <faultline.h>\n"
    "#include <pthread.h>\n"
    "#include <stdlib.h>\n"
    "struct node { int value; struct node *next; };\n"
    "struct stack { struct node *top; pthread_mutex_t lock; };\n"
    "static int calls;\n"
    "static void *create(void) {\n"
    "  struct stack *s = calloc(1, sizeof *s);\n"
    "  pthread_mutex_init(&s->lock, 0);\n"
    "  return s;\n"
    "}\n"
    "static void push(struct stack *s, int v) {\n"
    "  struct node *n = malloc(sizeof *n);\n"
    "  pthread_mutex_lock(&s->lock);\n"
    "  n->value = v; n->next = s->top; s->top = n;\n"
    "  pthread_mutex_unlock(&s->lock);\n"
    "}\n"
    "static int pop(struct stack *s) {\n"
    "  int v = -1;\n"
    "  pthread_mutex_lock(&s->lock);\n"
    "  if (s->top) { v = s->top->value; s->top = s->top->next; }\n"
    "  pthread_mutex_unlock(&s->lock);\n"
    "  return v;\n"
    "}\n"
    "static int count(struct stack *s) { (void)s; return ++calls; }\n"
    "FL_OBJECT(stack, create, free)\n"
    "FL_OP(void, push, FL_INT(1, 3))\nFL_OP(int, pop)\nFL_OP(int, count)\n";

/* The hash after these initial calls. */
static struct hash128 after(const char *calls) {
  struct client c, init = {0};
  char *whole = xasprintf("%s {pop()}", calls);
  engine_client(&c, whole);
  for (uint32_t i = 0; i < c.ninit; i++)
    client_add_init(&init, c.calls[i]);
  CHECK_INT(rt_prepare(engine.suite, &init), RT_DONE);
  struct hash128 h = rt_hash_memory();
  client_free(&c);
  client_free(&init);
  free(whole);
  return h;
}

static bool same(const char *a, const char *b) {
  return hash128_equal(after(a), after(b));
}

static void body(void *so) {
  engine_open(so, NULL);
  CHECK(same("", ""));
  CHECK(same("", "pop();"));
  CHECK(!same("", "push(1);"));
  CHECK(!same("push(1);", "push(2);"));
  CHECK(!same("push(1);", "push(1); push(1);"));
  CHECK(!same("push(1);", "push(1); pop();"));
  CHECK(!same("", "push(1); pop();")); /* a node is left in the heap */
  CHECK(!same("", "count();"));        /* a variable of the file */
}

TEST(equal_where_a_call_changed_nothing) {
  char *so = engine_build(text, NULL);
  engine_child(body, so);
  free(so);
}

TEST_MAIN
