/*
 * How a block is said to become atomic: from traces made by hand, whose values
 * are chosen, and from recorded executions with locks and with Afek's stack.
 */
#include "engine.h"
#include "test.h"

#include "locate/realise.h"

/* ---- traces made by hand: pop() in stack.c, one activation a call ---- */

enum { MADE_EVENTS = 32 };

struct made {
  struct event events[MADE_EVENTS];
  struct trace trace;
  uint32_t call;
  bool good;
  struct section_trace section;
  struct conflicts conflicts;
  struct accesses accesses;
};

static struct made made[2];
static uint32_t nmade;

static void made_clear(void) {
  for (uint32_t i = 0; i < nmade; i++) {
    section_trace_free(&made[i].section);
    conflicts_free(&made[i].conflicts);
    vec_free(&made[i].accesses);
  }
  nmade = 0;
}

static struct made *made_new(void) {
  struct made *m = &made[nmade++];
  memset(m, 0, sizeof *m);
  m->trace.events = m->events;
  return m;
}

static struct event *event_add(struct made *m, enum event_kind kind,
                               unsigned thread) {
  assert(m->trace.nevents < MADE_EVENTS);
  struct event *e = &m->events[m->trace.nevents++];
  e->kind = (uint8_t)kind;
  e->thread = (uint8_t)thread;
  e->call = m->call;
  return e;
}

/* `line` is kept in the pc until the sections are made. */
static struct event *put(struct made *m, enum event_kind kind, unsigned thread,
                         uint32_t line, uint64_t addr, uint64_t value) {
  struct event *e = event_add(m, kind, thread);
  e->pc = line;
  e->addr = addr;
  e->size = 4;
  e->value[0] = value;
  return e;
}

static void returns(struct made *m, unsigned thread) {
  event_add(m, EV_RETURN, thread);
  m->call++;
}

/* A load on line 8 and a store on line 9. */
static void update(struct made *m, unsigned thread, uint64_t addr,
                   uint64_t from, uint64_t to) {
  put(m, EV_ATOMIC_READ, thread, 8, addr, from);
  put(m, EV_ATOMIC_WRITE, thread, 9, addr, to)->old[0] = from;
}

static void call_update(struct made *m, unsigned thread, uint64_t addr,
                        uint64_t from, uint64_t to) {
  update(m, thread, addr, from, to);
  returns(m, thread);
}

static void made_section(struct made *m) {
  accesses_from_trace(&m->trace, &m->accesses);
  conflicts_init(&m->conflicts, m->accesses.at, m->accesses.len, 0);
  struct section_trace *s = &m->section;
  s->conflicts = &m->conflicts;
  s->at = xcalloc(m->conflicts.nnodes + 1, sizeof *s->at);
  for (uint32_t i = 0; i < m->conflicts.nnodes; i++) {
    const struct event *e = &m->events[m->conflicts.nodes[i].event];
    struct section_frame f = {.file = "stack.c",
                              .function = "pop",
                              .copy = 1,
                              .line = (uint32_t)e->pc,
                              .instance = e->call};
    vec_push(&s->frames, f);
    s->at[i + 1] = s->frames.len;
  }
  section_trace_check_invariants(s);
}

static void name_item(void *ctx, const struct trace *t, uint64_t addr,
                      uint64_t size, struct buf *out) {
  (void)ctx;
  (void)t;
  (void)size;
  if (addr == 500)
    buf_puts(out, "range");
  else
    buf_printf(out, "items[%u]", (unsigned)(addr - 1000) / 4);
}

static struct code_block lines_8_to_9 = {"stack.c", "pop", 8, 9};

static void check_words(int line, struct realise_words words,
                        const char *want) {
  struct realise_trace t[2];
  struct buf out = {0};
  for (uint32_t i = 0; i < nmade; i++) {
    made_section(&made[i]);
    t[i] =
        (struct realise_trace){&made[i].trace, &made[i].section, made[i].good};
  }
  realise(&words, &lines_8_to_9, t, nmade, &out);
  test_str(__FILE__, line, buf_text(&out), want, "sentence");
  buf_free(&out);
  made_clear();
}

static void check_made(int line, realise_name_fn *name, const char *want) {
  check_words(line, (struct realise_words){.name = name}, want);
}
#define SAYS(want) check_made(__LINE__, name_item, want)

#define CAS_OF_ITEM "a compare-and-swap of items[0] in a loop would do"
#define IF_INDEPENDENT " if what is written does not depend on what was read"
#define ONE_LOCK                                                               \
  "one lock around these lines, and around every other place that touches "    \
  "the same data"

/* ---- what the author wrote ---- */

static const char *written; /* the statement of every write */

static bool quote_written(void *ctx, uint64_t pc, struct phrase_update *out) {
  struct ctext c;
  struct buf b = {0};
  (void)ctx;
  (void)pc;
  buf_printf(&b, "void f(void) { %s }", written);
  ctext_read(&c, b.at, b.len, NULL, NULL);
  bool ok = phrase_update(&c, 1, 0, out);
  ctext_free(&c);
  buf_free(&b);
  return ok;
}

static void check_quoted(int line, const char *statement, const char *want) {
  written = statement;
  check_words(
      line, (struct realise_words){.name = name_item, .update = quote_written},
      want);
}
#define QUOTES(statement, want) check_quoted(__LINE__, statement, want)

static void exchanges(void) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1000, 0, 0);
}

static void counts(uint64_t by) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 7 + by);
  call_update(m, 2, 1000, 7 + by, 7 + 2 * by);
}

TEST(an_instruction_is_written_as_its_author_would) {
  exchanges();
  QUOTES("s->items[i] = EMPTY;",
         "an atomic exchange would do: atomic_exchange(&s->items[i], EMPTY)");
  exchanges();
  QUOTES("*p = q(a, b);",
         "an atomic exchange would do: atomic_exchange(p, q(a, b))");
  exchanges();
  QUOTES("atomic_store_explicit(&s->top, 0, memory_order_release);",
         "an atomic exchange would do: atomic_exchange(&s->top, 0)");
  counts(1);
  QUOTES("counter++;",
         "a fetch-and-add would do: atomic_fetch_add(&counter, 1)");
  counts((uint64_t)-1);
  QUOTES("--counter;",
         "a fetch-and-add would do: atomic_fetch_sub(&counter, 1)");
  counts(3);
  QUOTES("c->n += step;",
         "a fetch-and-add would do: atomic_fetch_add(&c->n, step)");
  counts(3);
  QUOTES("c->n = old + 3;",
         "a fetch-and-add would do: atomic_fetch_add(&c->n, 3)");
  counts(3); /* 3 is what the clients said, and need not be what is meant */
  QUOTES("c->n = old + k;",
         "a fetch-and-add would do: atomic_fetch_add(&c->n, …)");
  counts(1);
  QUOTES("f(&counter);", "a fetch-and-add of items[0] would do");
}

/* C has no atomic operations on what is not declared so. */
TEST(a_plain_type_must_become_atomic) {
  struct made *m = made_new();
  put(m, EV_READ, 1, 8, 1000, 7);
  put(m, EV_WRITE, 1, 9, 1000, 8)->old[0] = 7;
  returns(m, 1);
  put(m, EV_READ, 2, 8, 1000, 8);
  put(m, EV_WRITE, 2, 9, 1000, 9)->old[0] = 8;
  returns(m, 2);
  QUOTES("counter++;", "a fetch-and-add would do: atomic_fetch_add(&counter, "
                       "1), once its type is atomic");
  m = made_new(); /* one plain access is enough */
  put(m, EV_ATOMIC_READ, 1, 8, 1000, 7);
  put(m, EV_WRITE, 1, 9, 1000, 3)->old[0] = 7;
  returns(m, 1);
  call_update(m, 2, 1000, 3, 9);
  SAYS(CAS_OF_ITEM ", once its type is atomic");
  m = made_new(); /* what is only read need not change */
  put(m, EV_READ, 1, 8, 1000, 1);
  put(m, EV_READ, 1, 9, 1000, 1);
  SAYS("read items[0] once");
}

TEST(a_constant_written_over_different_values_is_an_exchange) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1000, 0, 0);
  SAYS("an atomic exchange of items[0] would do");
}

TEST(all_traces_count) {
  call_update(made_new(), 1, 1000, 7, 0);
  call_update(made_new(), 1, 1000, 5, 0);
  SAYS("an atomic exchange of items[0] would do");
  call_update(made_new(), 1, 1000, 7, 0);
  call_update(made_new(), 1, 1000, 5, 3);
  SAYS(CAS_OF_ITEM);
}

TEST(without_names_the_sentence_has_none) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1000, 0, 0);
  check_made(__LINE__, NULL, "an atomic exchange would do");
  m = made_new();
  put(m, EV_READ, 1, 8, 1000, 1);
  put(m, EV_READ, 1, 9, 1000, 1);
  check_made(__LINE__, NULL, "read it once");
}

TEST(words_that_differ_in_an_index_are_named_together) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1048, 0, 0);
  SAYS("an atomic exchange of items[…] would do");
  m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 500, 0, 0);
  SAYS("an atomic exchange would do");
}

TEST(the_same_sum_added_to_different_values_is_a_fetch_and_add) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 0, 1);
  call_update(m, 2, 1000, 1, 2);
  SAYS("a fetch-and-add of items[0] would do");
  m = made_new(); /* over the end of four bytes */
  call_update(m, 1, 1000, 0xffffffff, 1);
  call_update(m, 2, 1000, 1, 3);
  SAYS("a fetch-and-add of items[0] would do");
}

TEST(anything_else_is_a_compare_and_swap) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 1, 2);
  call_update(m, 2, 1000, 2, 4);
  SAYS(CAS_OF_ITEM);
}

TEST(an_unknown_value_is_no_constant) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1000, 0, 0);
  m->events[1].flags = EVENT_NO_VALUE;
  SAYS(CAS_OF_ITEM);
  m = made_new(); /* nor is one that was not seen a different one */
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1000, 0, 0);
  m->events[0].flags = EVENT_NO_VALUE;
  SAYS(CAS_OF_ITEM ", or an atomic exchange" IF_INDEPENDENT);
}

TEST(equal_executions_do_not_tell_an_exchange_from_an_addition) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 1, 0);
  call_update(m, 2, 1000, 1, 0);
  SAYS(CAS_OF_ITEM ", or an atomic exchange" IF_INDEPENDENT);
}

TEST(a_write_that_is_made_sometimes_is_a_compare_and_swap) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1000, 5, 0);
  put(m, EV_ATOMIC_READ, 2, 8, 1000, 0);
  returns(m, 2);
  SAYS(CAS_OF_ITEM);
}

TEST(a_write_that_the_end_cut_off_does_not_count) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1000, 5, 0);
  put(m, EV_ATOMIC_READ, 2, 8, 1000, 0);
  SAYS("an atomic exchange of items[0] would do");
}

TEST(sixteen_bytes_are_compared_and_swapped) {
  struct made *m = made_new();
  call_update(m, 1, 1000, 7, 0);
  call_update(m, 2, 1000, 5, 0);
  for (uint32_t i = 0; i < m->trace.nevents; i++)
    m->events[i].size = 16;
  SAYS("a compare-and-swap of 16 bytes at items[0] in a loop would do");
}

TEST(a_word_read_twice_is_read_once) {
  struct made *m = made_new();
  put(m, EV_READ, 1, 8, 1000, 1);
  put(m, EV_ATOMIC_READ, 1, 9, 1000, 2);
  returns(m, 1);
  SAYS("read items[0] once");
}

TEST(nothing_is_said_when_nothing_is_known) {
  SAYS("");
  struct made *m = made_new(); /* no execution of the block */
  put(m, EV_READ, 1, 20, 1000, 1);
  put(m, EV_WRITE, 1, 21, 1000, 1);
  SAYS("");
  m = made_new(); /* one access */
  put(m, EV_READ, 1, 8, 1000, 1);
  SAYS("");
  m = made_new(); /* written, then read */
  put(m, EV_WRITE, 1, 8, 1000, 1);
  put(m, EV_READ, 1, 9, 1000, 1);
  SAYS("");
  m = made_new(); /* has the instruction already */
  put(m, EV_READ, 1, 8, 1000, 1);
  put(m, EV_CAS, 1, 9, 1000, 2);
  SAYS("");
}

TEST(several_words_want_a_lock) {
  struct made *m = made_new();
  put(m, EV_READ, 1, 8, 1000, 1);
  put(m, EV_WRITE, 1, 9, 1004, 1);
  SAYS(ONE_LOCK);
  m = made_new(); /* the same place, but not the same bytes */
  put(m, EV_READ, 1, 8, 1000, 1);
  put(m, EV_WRITE, 1, 9, 1000, 1)->size = 2;
  SAYS(ONE_LOCK);
  m = made_new(); /* no instruction reads and frees */
  put(m, EV_READ, 1, 8, 1000, 1);
  put(m, EV_FREE, 1, 9, 1000, 0);
  SAYS(ONE_LOCK);
}

TEST(the_rounds_of_a_loop_are_looked_at_one_by_one) {
  struct made *m = made_new();
  update(m, 1, 1008, 0, 0);
  update(m, 1, 1004, 5, 0);
  returns(m, 1);
  SAYS("an atomic exchange of items[…] would do");
}

/* Thread 2 comes between two rounds of thread 1: only the loop as a whole,
 * made atomic, forbids it. */
static struct made *between_rounds(void) {
  struct made *m = made_new();
  m->call = 1;
  update(m, 1, 1008, 0, 0);
  m->call = 2;
  put(m, EV_WRITE, 2, 20, 1008, 1);
  put(m, EV_WRITE, 2, 21, 1004, 2);
  m->call = 1;
  update(m, 1, 1004, 2, 0);
  return m;
}

TEST(rounds_do_not_do_when_the_fault_lies_between_them) {
  between_rounds();
  SAYS(ONE_LOCK ": lines 20, 21 in pop()");
}

TEST(a_good_trace_need_not_be_forbidden) {
  between_rounds()->good = true;
  SAYS("an atomic exchange of items[…] would do");
}

/* ---- recorded executions ---- */

static const char locks[] =
    "#include <faultline.h>\n"
    "#include <pthread.h>\n"
    "#define NOINLINE __attribute__((noinline))\n"
    "static volatile int a, b, c;\n"
    "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "NOINLINE static void lock(void) { pthread_mutex_lock(&m); }\n"
    "NOINLINE static void unlock(void) { pthread_mutex_unlock(&m); }\n"
    "#line 10\n"
    "static void late(void) {\n"
    "  int x = a;\n" /* 11 */
    "  pthread_mutex_lock(&m);\n"
    "  b = x;\n"
    "  c = x;\n"
    "  pthread_mutex_unlock(&m);\n"
    "}\n"
    "#line 20\n"
    "static void early(void) {\n"
    "  pthread_mutex_lock(&m);\n" /* 21 */
    "  int x = a;\n"
    "  pthread_mutex_unlock(&m);\n"
    "  b = x;\n"
    "}\n"
    "#line 30\n"
    "static void middle(void) {\n"
    "  int x = a;\n" /* 31 */
    "  lock();\n"
    "  b = x;\n"
    "  unlock();\n"
    "  c = x;\n" /* 35 */
    "}\n"
    "#line 40\n"
    "static void again(void) {\n"
    "  lock();\n"
    "  int x = a;\n" /* 42 */
    "  unlock();\n"
    "  lock();\n"
    "  b = x;\n" /* 45 */
    "  unlock();\n"
    "}\n"
    "#line 50\n"
    "NOINLINE static int get(void) {\n"
    "  pthread_mutex_lock(&m);\n"
    "  int x = a;\n"
    "  pthread_mutex_unlock(&m);\n"
    "  return x;\n"
    "}\n"
    "NOINLINE static void set(int x) {\n"
    "  pthread_mutex_lock(&m);\n"
    "  b = x;\n"
    "  pthread_mutex_unlock(&m);\n"
    "}\n"
    "#line 70\n"
    "static void calls(void) {\n"
    "  int x = get();\n" /* 71 */
    "  set(x);\n"
    "}\n"
    "#line 80\n"
    "NOINLINE static void inner(void) {\n"
    "  a = 1;\n" /* 81 */
    "  unlock();\n"
    "  b = 1;\n"
    "}\n"
    "static void given(void) {\n"
    "  lock();\n"
    "  inner();\n"
    "}\n"
    "#line 90\n"
    "static void held(void) {\n"
    "  lock();\n"
    "  a = 1;\n" /* 92 */
    "  b = 1;\n"
    "  unlock();\n"
    "}\n"
    "#line 100\n"
    "static void one_word(void) {\n"
    "  int x = a;\n" /* 101 */
    "  lock();\n"
    "  a = x + 1;\n"
    "  unlock();\n"
    "}\n"
    "static void nothing(void) { c = 0; }\n"
    "#line 110\n"
    "static void bare(void) {\n"
    "  int x = a;\n" /* 111 */
    "  b = x;\n"
    "}\n"
    "FL_OBJECT(object)\n"
    "FL_OP(void, late)\nFL_OP(void, early)\nFL_OP(void, middle)\n"
    "FL_OP(void, again)\nFL_OP(void, calls)\nFL_OP(void, given)\n"
    "FL_OP(void, held)\nFL_OP(void, one_word)\nFL_OP(void, nothing)\n"
    "FL_OP(void, bare)\n";

static struct scopes *scopes;

static bool open_object(char *so) {
  struct error e = {0};
  engine_open(so, NULL);
  struct lines *lines = lines_open(so, &e);
  struct flow *flow = lines ? flow_open(lines, &e) : NULL;
  if (!CHECK(flow))
    return false;
  scopes = scopes_open(lines, flow);
  return true;
}

struct recorded {
  struct arena arena;
  struct trace trace;
  struct accesses accesses;
  struct conflicts conflicts;
  struct section_trace section;
};

static void record(struct recorded *r, const uint8_t *path, uint32_t len) {
  engine_record_path(path, len, &r->arena, &r->trace, NULL);
  accesses_from_trace(&r->trace, &r->accesses);
  conflicts_init(&r->conflicts, r->accesses.at, r->accesses.len, 0);
  section_trace_init(&r->section, scopes, &r->trace, &r->conflicts);
}

static void recorded_free(struct recorded *r) {
  section_trace_free(&r->section);
  conflicts_free(&r->conflicts);
  vec_free(&r->accesses);
  arena_free(&r->arena);
}

static void check_lock(int line, const char *operation, const char *other,
                       const char *function, uint32_t first, uint32_t last,
                       const char *want) {
  struct recorded r = {0};
  struct client c;
  struct buf text = {0}, out = {0};
  struct code_block block = {"locks.c", function, first, last};
  struct realise_words words = {.scopes = scopes};
  buf_printf(&text, "{%s()} || {%s()}", operation, other);
  engine_client(&c, buf_text(&text));
  if (!CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE))
    return;
  record(&r, NULL, 0);
  struct realise_trace t = {&r.trace, &r.section};
  realise(&words, &block, &t, 1, &out);
  test_str(__FILE__, line, buf_text(&out), want, operation);
  buf_free(&out);
  buf_free(&text);
  recorded_free(&r);
}
#define LOCK(operation, function, first, last, want)                           \
  check_lock(__LINE__, operation, "nothing", function, first, last, want)
#define LOCK_BESIDE(operation, other, first, last, want)                       \
  check_lock(__LINE__, operation, other, operation, first, last, want)

static void check_locks(void *so) {
  if (!open_object(so))
    return;
  LOCK("late", "late", 11, 14, "move the lock of line 12 up to line 11");
  LOCK("early", "early", 22, 24, "hold the lock of line 21 until line 24");
  LOCK("middle", "middle", 31, 35,
       "move the lock of line 32 up to line 31 and hold it until line 35");
  LOCK("middle", "middle", 31, 33, "move the lock of line 32 up to line 31");
  LOCK("middle", "middle", 33, 35, "hold the lock of line 32 until line 35");
  LOCK("again", "again", 42, 45, "hold the lock of line 41 until line 45");
  LOCK("calls", "calls", 71, 72, ONE_LOCK); /* it would wait for itself */
  LOCK("given", "inner", 81, 83,
       "hold the lock that line 82 gives up until line 83");
  LOCK("held", "held", 92, 93, ONE_LOCK);
  LOCK("one_word", "one_word", 101, 103,
       "move the lock of line 102 up to line 101");
  LOCK_BESIDE("bare", "held", 111, 112,
              "take the lock of line 91 for these lines too: all others that "
              "touch the same data hold it");
  LOCK_BESIDE(
      "held", "bare", 92, 93,
      "take the lock of line 91 wherever else the same data is touched");
  LOCK_BESIDE("bare", "bare", 111, 112, ONE_LOCK);
  LOCK_BESIDE("held", "held", 92, 93, ONE_LOCK);
}

/* In a child for each compiler; what failed with one is not tried again. */
static void with_each_compiler(const char *source, void (*body)(void *)) {
  EACH_COMPILER(cc, opt) {
    engine_cc = cc;
    char *so = engine_build_file(source, opt);
    engine_child(body, so);
    free(so);
    if (test_errors) {
      fprintf(stderr, "with %s %s\n", cc, opt);
      break;
    }
  }
}

TEST(a_lock_that_is_held_in_part_is_named) {
  scratch_write("locks.c", locks);
  with_each_compiler("locks.c", check_locks);
}

/* Numbered as in figure 1 of the root-causing paper. */
static const char stack[] =
    "#include <faultline.h>\n"
    "#include <stdlib.h>\n"
    "struct stack { int range, items[8]; };\n"
    "static struct stack *new(void) {\n"
    "  return calloc(1, sizeof(struct stack));\n"
    "}\n"
    "static void push(struct stack *s, int x) {\n"
    "#line 2\n"
    "  int i = __atomic_fetch_add(&s->range, 1, __ATOMIC_SEQ_CST);\n"
    "  s->items[i] = x;\n"
    "}\n"
    "static int pop(struct stack *s) {\n"
    "#line 5\n"
    "  int t = s->range - 1;\n"
    "  int x = 0;\n"
    "  for (int i = t; i >= 0; i--) {\n"
    "    x = s->items[i];\n"
    "    s->items[i] = 0;\n"
    "    if (x) break;\n"
    "  }\n"
    "  return x;\n"
    "}\n"
    "FL_OBJECT(stack, new)\n"
    "FL_OP(void, push, FL_INT(1, 2))\n"
    "FL_OP(int, pop)\n";

static struct live_path live;
static VEC(path) paths;

static enum judgement keep_path(void *ctx, enum rt_end end) {
  path p = {0};
  (void)ctx;
  (void)end;
  for (uint32_t i = 0; i < live.len; i++)
    vec_push(&p, live.at[i]);
  vec_push(&paths, p);
  return JUDGE_GOOD;
}

static bool is_bad(struct spec *spec, const struct trace *t) {
  struct check check = {0};
  check_linearize(&t->history, spec, CRITERION_SEQUENTIAL, 0, &check);
  bool bad = check.answer == CHECK_NO;
  check_free(&check);
  return bad;
}

static void name_stack(void *ctx, const struct trace *t, uint64_t addr,
                       uint64_t size, struct buf *out) {
  (void)ctx;
  (void)size;
  for (uint32_t i = 0; i < t->nblocks; i++)
    if (addr >= t->blocks[i].base + 4 &&
        addr < t->blocks[i].base + t->blocks[i].size)
      buf_printf(out, "items[%u]",
                 (unsigned)(addr - t->blocks[i].base) / 4 - 1);
}

static void says_of_the_stack(const struct realise_trace *t, uint32_t n,
                              const char *function, uint32_t first,
                              uint32_t last, const char *want) {
  struct realise_words words = {.scopes = scopes, .name = name_stack};
  struct code_block block = {"stack.c", function, first, last};
  struct buf out = {0};
  realise(&words, &block, t, n, &out);
  CHECK_STR(buf_text(&out), want);
  buf_free(&out);
}

static void check_stack(void *so) {
  struct client c;
  if (!open_object(so))
    return;
  engine_client(&c, "{push(1)} || {push(2); pop()} || {pop()}");
  if (!CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE))
    return;
  struct explore x = {.judge = {keep_path, NULL},
                      .all = true,
                      .no_real_time = true,
                      .live = &live};
  CHECK_INT(explore_dpor(&x), EXPLORE_ALL);
  struct spec *spec = spec_implementation();
  spec_implementation_client(spec, &c);
  struct recorded *all = xcalloc(paths.len, sizeof *all);
  VEC(struct realise_trace) bad = {0}, every = {0};
  for (uint32_t i = 0; i < paths.len; i++) {
    record(&all[i], paths.at[i].at, paths.at[i].len);
    struct realise_trace t = {&all[i].trace, &all[i].section,
                              !is_bad(spec, &all[i].trace)};
    vec_push(&every, t);
    if (!t.good)
      vec_push(&bad, t);
  }
  CHECK(bad.len > 1);
  says_of_the_stack(bad.at, bad.len, "pop", 8, 9,
                    "an atomic exchange of items[…] would do, once its type "
                    "is atomic");
  says_of_the_stack(every.at, every.len, "pop", 8, 9,
                    "an atomic exchange of items[…] would do, once its type "
                    "is atomic");
  says_of_the_stack(bad.at, bad.len, "push", 2, 3,
                    ONE_LOCK ": lines 5, 8, 9 in pop()");
  vec_free(&every);
  vec_free(&bad);
  for (uint32_t i = 0; i < paths.len; i++)
    recorded_free(&all[i]);
  free(all);
  spec_free(spec);
}

TEST(afeks_pop_wants_an_exchange) {
  scratch_write("stack.c", stack);
  with_each_compiler("stack.c", check_stack);
}

TEST_MAIN
