/* Built-in types: what each role returns, and in which form. */
#include "spec/builtin.h"
#include "suites.h"
#include "test.h"

#define LEN(A) (sizeof(A) / sizeof *(A))
#define INT FL_TYPE_INT, 4
#define BOOL FL_TYPE_BOOL, 1
#define VOID FL_TYPE_VOID, 0

/* A specification and one state that calls change. */
struct run {
  struct suite suite;
  struct error e;
  struct spec *s;
  uint32_t state;
};

static void begin(struct run *r, const char *type, const char *roles,
                  const struct suite_op *ops, uint32_t nops) {
  memset(r, 0, sizeof *r);
  r->s =
      spec_builtin(suite_make(&r->suite, type, roles, ops, nops, 1, 3), &r->e);
  CHECK_STR(r->e.text, "");
  r->state = r->s ? r->s->initial : 0;
}

static void end(struct run *r) { spec_free(r->s); }

/* Makes the call and gives its result as text: "waits", "void", "3", … */
static const char *call(struct run *r, const char *name, int64_t a, int64_t b,
                        int64_t c) {
  static struct buf out;
  struct call k = {.args = {a, b, c}};
  struct client client = {.calls = &k, .ncalls = 1};
  struct value result;
  while (k.op < r->suite.nops && strcmp(r->suite.ops[k.op].name, name))
    k.op++;
  if (!r->s || !CHECK(k.op < r->suite.nops))
    return "";
  buf_clear(&out);
  uint32_t next, again;
  enum spec_answer answer =
      spec_apply(r->s, &client, r->state, 0, &result, &next);
  if (answer == SPEC_WAITS)
    return "waits";
  struct value same;
  CHECK_INT(spec_apply(r->s, &client, r->state, 0, &same, &again), answer);
  CHECK(value_equal(result, same) && next == again); /* S2 */
  r->state = next;
  if (result.kind == VALUE_VOID)
    return "void";
  value_print(result, &out);
  return buf_text(&out);
}

static const char *state(struct run *r) {
  static struct buf out;
  buf_clear(&out);
  struct type *t = &((struct builtin *)r->s)->type->type;
  t->print_state(t, r->state, &out);
  return buf_text(&out);
}

static const struct suite_op stack_ops[] = {
    {"s_push", VOID, 1, 0}, {"s_pop", INT, 0, 0},   {"s_top", INT, 0, 0},
    {"s_size", INT, 0, 0},  {"s_none", BOOL, 0, 0},
};

TEST(a_stack_gives_back_the_last) {
  struct run r;
  begin(&r, "stack",
        "push = s_push, pop = s_pop, top=s_top, size = s_size, "
        "is_empty = s_none, empty = -1",
        stack_ops, LEN(stack_ops));
  uint32_t start = r.state;
  CHECK_STR(call(&r, "s_none", 0, 0, 0), "true");
  CHECK_STR(call(&r, "s_pop", 0, 0, 0), "-1");
  CHECK_STR(call(&r, "s_top", 0, 0, 0), "-1");
  CHECK_STR(call(&r, "s_push", 1, 0, 0), "void");
  CHECK_STR(call(&r, "s_push", 2, 0, 0), "void");
  CHECK_STR(state(&r), "[1, 2]");
  CHECK_STR(call(&r, "s_size", 0, 0, 0), "2");
  CHECK_STR(call(&r, "s_top", 0, 0, 0), "2");
  CHECK_STR(call(&r, "s_pop", 0, 0, 0), "2");
  CHECK_STR(call(&r, "s_none", 0, 0, 0), "false");
  CHECK_STR(call(&r, "s_pop", 0, 0, 0), "1");
  CHECK_INT(r.state, start); /* S1 */
  end(&r);
}

TEST(without_empty_a_pop_waits) {
  struct run r;
  begin(&r, "stack", "push=s_push,pop=s_pop", stack_ops, 2);
  CHECK_STR(call(&r, "s_pop", 0, 0, 0), "waits");
  CHECK_STR(call(&r, "s_push", 7, 0, 0), "void");
  CHECK_STR(call(&r, "s_pop", 0, 0, 0), "7");
  CHECK_STR(call(&r, "s_pop", 0, 0, 0), "waits");
  end(&r);
}

TEST(a_blocking_operation_waits_beside_one_that_does_not) {
  static const struct suite_op ops[] = {
      {"put", VOID, 1, 0}, {"get", INT, 0, 1}, {"try_get", INT, 0, 0}};
  struct run r;
  begin(&r, "queue", "enqueue = put, dequeue = get, dequeue = try_get, empty=0",
        ops, LEN(ops));
  CHECK_STR(call(&r, "get", 0, 0, 0), "waits");
  CHECK_STR(call(&r, "try_get", 0, 0, 0), "0");
  end(&r);
}

TEST(a_queue_gives_back_the_first) {
  static const struct suite_op ops[] = {
      {"enq", VOID, 1, 0}, {"deq", INT, 0, 0}, {"peek", INT, 0, 0}};
  struct run r;
  begin(&r, "queue", "enq = enq, deq = deq, front = peek, empty = (-1)", ops,
        LEN(ops));
  for (int i = 1; i <= 3; i++)
    call(&r, "enq", i, 0, 0);
  CHECK_STR(state(&r), "[1, 2, 3]");
  CHECK_STR(call(&r, "peek", 0, 0, 0), "1");
  CHECK_STR(call(&r, "deq", 0, 0, 0), "1");
  CHECK_STR(call(&r, "deq", 0, 0, 0), "2");
  CHECK_STR(call(&r, "deq", 0, 0, 0), "3");
  CHECK_STR(call(&r, "deq", 0, 0, 0), "-1");
  end(&r);
}

TEST(a_full_container_says_so_or_waits) {
  static const struct suite_op says[] = {{"enq", BOOL, 1, 0},
                                         {"deq", INT, 0, 0}};
  static const struct suite_op counts[] = {{"enq", INT, 1, 0},
                                           {"deq", INT, 0, 0}};
  static const struct suite_op silent[] = {{"enq", VOID, 1, 0},
                                           {"deq", INT, 0, 0}};
  struct run r;
  begin(&r, "queue", "enq = enq, deq = deq, capacity = 1", says, 2);
  CHECK_STR(call(&r, "enq", 1, 0, 0), "true");
  CHECK_STR(call(&r, "enq", 2, 0, 0), "false");
  CHECK_STR(call(&r, "deq", 2, 0, 0), "1");
  end(&r);
  begin(&r, "queue", "enq=enq,deq=deq,capacity=1,ok=0,full=-1", counts, 2);
  CHECK_STR(call(&r, "enq", 1, 0, 0), "0");
  CHECK_STR(call(&r, "enq", 2, 0, 0), "-1");
  CHECK_STR(state(&r), "[1]");
  end(&r);
  begin(&r, "queue", "enq = enq, deq = deq, capacity = 0x1", silent, 2);
  CHECK_STR(call(&r, "enq", 1, 0, 0), "void");
  CHECK_STR(call(&r, "enq", 2, 0, 0), "waits");
  end(&r);
}

TEST(a_deque_has_two_ends) {
  static const struct suite_op ops[] = {{"pl", VOID, 1, 0}, {"pr", VOID, 1, 0},
                                        {"l", INT, 0, 0},   {"r", INT, 0, 0},
                                        {"f", INT, 0, 0},   {"b", INT, 0, 0}};
  struct run r;
  begin(&r, "deque",
        "push_left = pl, push_right = pr, pop_left = l, pop_right = r, "
        "front = f, back = b, empty = -1",
        ops, LEN(ops));
  call(&r, "pl", 1, 0, 0);
  call(&r, "pl", 2, 0, 0);
  call(&r, "pr", 3, 0, 0);
  CHECK_STR(state(&r), "[2, 1, 3]");
  CHECK_STR(call(&r, "f", 0, 0, 0), "2");
  CHECK_STR(call(&r, "b", 0, 0, 0), "3");
  CHECK_STR(call(&r, "r", 0, 0, 0), "3");
  CHECK_STR(call(&r, "l", 0, 0, 0), "2");
  CHECK_STR(call(&r, "l", 0, 0, 0), "1");
  CHECK_STR(call(&r, "r", 0, 0, 0), "-1");
  end(&r);
}

TEST(a_set_has_each_key_once) {
  static const struct suite_op ops[] = {{"add", BOOL, 1, 0},
                                        {"del", INT, 1, 0},
                                        {"has", BOOL, 1, 0},
                                        {"size", FL_TYPE_UINT, 8, 0, 0}};
  struct run r;
  begin(&r, "set", "add = add, remove = del, contains = has, size = size", ops,
        LEN(ops));
  CHECK_STR(call(&r, "add", 3, 0, 0), "true");
  CHECK_STR(call(&r, "add", 1, 0, 0), "true");
  uint32_t there = r.state;
  CHECK_STR(call(&r, "add", 3, 0, 0), "false");
  CHECK_INT(r.state, there);
  CHECK_STR(state(&r), "[1, 3]");
  CHECK_STR(call(&r, "has", 2, 0, 0), "false");
  CHECK_STR(call(&r, "has", 3, 0, 0), "true");
  CHECK_STR(call(&r, "size", 0, 0, 0), "2");
  CHECK_STR(call(&r, "del", 2, 0, 0), "0");
  CHECK_STR(call(&r, "del", 3, 0, 0), "1");
  CHECK_STR(call(&r, "add", 3, 0, 0), "true");
  CHECK_INT(r.state, there); /* the order of adding is forgotten */
  end(&r);
}

TEST(a_map_keeps_a_value_for_each_key) {
  static const struct suite_op ops[] = {
      {"put", BOOL, 2, 0}, {"get", INT, 1, 0},  {"del", BOOL, 1, 0},
      {"has", BOOL, 1, 0}, {"new", BOOL, 2, 0}, {"cas", BOOL, 3, 0},
      {"xchg", INT, 2, 0}, {"take", INT, 1, 0}, {"upd", BOOL, 2, 0},
      {"size", INT, 0, 0}};
  struct run r;
  begin(&r, "map",
        "put = put, get = get, remove = del, contains = has, "
        "put_if_absent = new, cas = cas, exchange = xchg, take = take, "
        "replace = upd, size = size, absent = -1",
        ops, LEN(ops));
  CHECK_STR(call(&r, "get", 2, 0, 0), "-1");
  CHECK_STR(call(&r, "put", 2, 20, 0), "true");
  CHECK_STR(call(&r, "put", 2, 21, 0), "false");
  CHECK_STR(call(&r, "new", 2, 9, 0), "false");
  CHECK_STR(call(&r, "new", 1, 10, 0), "true");
  CHECK_STR(state(&r), "{1: 10, 2: 21}");
  CHECK_STR(call(&r, "size", 0, 0, 0), "2");
  CHECK_STR(call(&r, "cas", 2, 20, 22), "false");
  CHECK_STR(call(&r, "cas", 2, 21, 22), "true");
  CHECK_STR(call(&r, "get", 2, 0, 0), "22");
  CHECK_STR(call(&r, "xchg", 2, 23, 0), "22");
  CHECK_STR(call(&r, "xchg", 3, 30, 0), "-1");
  CHECK_STR(call(&r, "upd", 4, 40, 0), "false");
  CHECK_STR(call(&r, "upd", 3, 31, 0), "true");
  CHECK_STR(call(&r, "take", 3, 0, 0), "31");
  CHECK_STR(call(&r, "take", 3, 0, 0), "-1");
  CHECK_STR(call(&r, "del", 2, 0, 0), "true");
  CHECK_STR(call(&r, "del", 2, 0, 0), "false");
  CHECK_STR(call(&r, "has", 1, 0, 0), "true");
  CHECK_STR(state(&r), "{1: 10}");
  end(&r);
}

#define TEXT FL_TYPE_STRING, 8

/* In the order in which they would have been removed. */
static void drained(const char *type, const char *add, const char *remove,
                    const char *all) {
  static const struct suite_op ops[] = {
      {"in", VOID, 1, 0}, {"out", INT, 0, 0}, {"all", TEXT, 0, 0}};
  char *roles =
      xasprintf("%s = in, %s = out, drain = all, empty = -1", add, remove);
  struct run r;
  begin(&r, type, roles, ops, LEN(ops));
  CHECK_STR(call(&r, "all", 0, 0, 0), "\"\"");
  for (int v = 0; v < 3; v++)
    call(&r, "in", (int[]){3, -1, 2}[v], 0, 0);
  uint32_t full = r.state;
  CHECK_STR(call(&r, "all", 0, 0, 0), all);
  CHECK_STR(call(&r, "out", 0, 0, 0), "-1");
  r.state = full;
  struct buf b = {0};
  for (int i = 0; i < 3; i++)
    buf_printf(&b, "%s%s", i ? " " : "\"", call(&r, "out", 0, 0, 0));
  buf_puts(&b, "\"");
  CHECK_STR(buf_text(&b), all);
  buf_free(&b);
  end(&r);
  free(roles);
}

TEST(what_is_drained_may_be_a_text) {
  drained("stack", "push", "pop", "\"2 -1 3\"");
  drained("queue", "enqueue", "dequeue", "\"3 -1 2\"");
  drained("deque", "push_right", "pop_left", "\"3 -1 2\"");
  drained("pqueue", "insert", "remove_min", "\"-1 2 3\"");
}

TEST(a_register_has_one_value) {
  static const struct suite_op ops[] = {{"rd", INT, 0, 0},
                                        {"wr", VOID, 1, 0},
                                        {"cas", BOOL, 2, 0},
                                        {"xchg", INT, 1, 0},
                                        {"casf", INT, 2, 0}};
  struct run r;
  begin(&r, "register",
        "read = rd, write = wr, cas = cas, exchange = xchg, cas_fetch = casf, "
        "initial = 5",
        ops, LEN(ops));
  CHECK_STR(call(&r, "rd", 0, 0, 0), "5");
  CHECK_STR(call(&r, "wr", 1, 0, 0), "void");
  CHECK_STR(call(&r, "cas", 2, 3, 0), "false");
  CHECK_STR(call(&r, "cas", 1, 3, 0), "true");
  CHECK_STR(call(&r, "xchg", 4, 0, 0), "3");
  CHECK_STR(call(&r, "casf", 4, 6, 0), "4");
  CHECK_STR(call(&r, "casf", 4, 7, 0), "6");
  CHECK_STR(state(&r), "6");
  end(&r);
}

TEST(a_counter_returns_the_old_or_the_new_number) {
  static const struct suite_op ops[] = {{"inc", VOID, 0, 0},
                                        {"dec", VOID, 0, 0},
                                        {"add", VOID, 1, 0},
                                        {"get", INT, 0, 0},
                                        {"old", INT, 0, 0},
                                        {"new", INT, 0, 0},
                                        {"byte", FL_TYPE_UINT, 1, 0, 0},
                                        {"faa", INT, 1, 0}};
  struct run r;
  begin(&r, "counter",
        "inc = inc, dec = dec, add = add, get = get, fetch_inc = old, "
        "inc_fetch = new, dec_fetch = byte, fetch_add = faa",
        ops, LEN(ops));
  CHECK_STR(call(&r, "inc", 0, 0, 0), "void");
  CHECK_STR(call(&r, "old", 0, 0, 0), "1");
  CHECK_STR(call(&r, "new", 0, 0, 0), "3");
  CHECK_STR(call(&r, "add", 10, 0, 0), "void");
  CHECK_STR(call(&r, "faa", -13, 0, 0), "13");
  CHECK_STR(call(&r, "byte", 0, 0, 0), "255");
  CHECK_STR(call(&r, "get", 0, 0, 0), "-1");
  CHECK_STR(call(&r, "dec", 0, 0, 0), "void");
  CHECK_STR(state(&r), "-2");
  end(&r);
}

TEST(a_priority_queue_gives_back_the_smallest) {
  static const struct suite_op ops[] = {{"ins", VOID, 1, 0},
                                        {"pop", INT, 0, 0},
                                        {"min", INT, 0, 0},
                                        {"max", INT, 0, 0}};
  struct run r;
  begin(&r, "pqueue",
        "insert = ins, remove_min = pop, min = min, remove_max = max, "
        "empty = INT_MIN",
        ops, LEN(ops));
  static const int in[] = {3, 1, 2, 1};
  for (unsigned i = 0; i < LEN(in); i++)
    call(&r, "ins", in[i], 0, 0);
  CHECK_STR(state(&r), "[1, 1, 2, 3]");
  CHECK_STR(call(&r, "pop", 0, 0, 0), "1");
  CHECK_STR(call(&r, "max", 0, 0, 0), "3");
  CHECK_STR(call(&r, "min", 0, 0, 0), "1");
  CHECK_STR(call(&r, "pop", 0, 0, 0), "1");
  CHECK_STR(call(&r, "pop", 0, 0, 0), "2");
  CHECK_STR(call(&r, "pop", 0, 0, 0), "-2147483648");
  end(&r);
}

TEST(results_have_the_declared_type) {
  static const struct {
    enum fl_type type;
    unsigned size;
    const char *empty, *of_empty, *of_7;
  } rows[] = {
      {FL_TYPE_INT, 4, "-1", "-1", "7"},
      {FL_TYPE_INT, 1, "0xff", "-1", "7"},
      {FL_TYPE_UINT, 4, "-1", "4294967295", "7"},
      {FL_TYPE_UINT, 8, "(size_t)-1", "18446744073709551615", "7"},
      {FL_TYPE_UINT, 2, "UINT16_MAX", "65535", "7"},
      {FL_TYPE_INT, 4, "'\\n'", "10", "7"},
      {FL_TYPE_BOOL, 1, "false", "false", "true"},
      {FL_TYPE_POINTER, 8, "NULL", "NULL", NULL},
      {FL_TYPE_POINTER, 8, "((void *)0)", "NULL", NULL},
      {FL_TYPE_STRING, 8, "\"none, at all\"", "\"none, at all\"", "\"7\""},
      {FL_TYPE_STRING, 8, "NULL", "NULL", "\"7\""},
  };
  for (unsigned i = 0; i < LEN(rows); i++) {
    struct suite_op ops[] = {{"push", VOID, 1, 0},
                             {"pop", rows[i].type, rows[i].size, 0, 0}};
    char *roles =
        xasprintf("push = push, empty = %s, pop = pop", rows[i].empty);
    struct run r;
    begin(&r, "stack", roles, ops, 2);
    CHECK_STR(call(&r, "pop", 0, 0, 0), rows[i].of_empty);
    call(&r, "push", 7, 0, 0);
    const char *seven = call(&r, "pop", 0, 0, 0);
    if (rows[i].of_7)
      CHECK_STR(seven, rows[i].of_7);
    else
      CHECK(strcmp(seven, "NULL"));
    end(&r);
    free(roles);
  }
}

TEST(many_states_keep_their_numbers) {
  struct run r;
  begin(&r, "stack", "push = s_push, pop = s_pop", stack_ops, 2);
  enum { N = 3000 };
  static uint32_t seen[N + 1];
  for (uint32_t i = 0; i < N; i++) {
    seen[i] = r.state;
    call(&r, "s_push", i % 5, 0, 0);
  }
  for (uint32_t i = N; i-- > 0;) {
    call(&r, "s_pop", 0, 0, 0);
    if (!CHECK_INT(r.state, seen[i]))
      break;
  }
  end(&r);
}

TEST_MAIN
