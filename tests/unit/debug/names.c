#define _GNU_SOURCE

#include "scratch.h"

static const char *const source =
    "#include <stdlib.h>\n"
    "#include <stdint.h>\n"
    "enum state { FREE, BUSY };\n"
    "struct node { int value; char tag; struct node *next; };\n"
    "typedef struct { struct node *top; uint32_t count; long size;\n"
    "  int *items; enum state state; double load; } stack;\n"
    "struct pad { char bytes[40]; };\n" /* as large as a stack */
    "struct text { int len; char at[]; };\n"
    "stack *global; struct node *head;\n"
    "void *xmalloc(size_t n) { void *p = malloc(n);"
    " if (!p) abort(); return p; }\n"
    "stack *stack_new(void) {\n"
    "  stack *s = calloc(1, sizeof(*s));\n"
    "  return s;\n"
    "}\n"
    "void push(stack *s, int v) {\n"
    "  struct node *n = malloc(sizeof *n);\n"
    "  n->value = v; n->next = s->top; s->top = n;\n"
    "}\n"
    "void later(stack *s, struct pad *p) {\n"
    "  struct node *n;\n"
    "  n = malloc(sizeof(struct node));\n"
    "  n->value = 1; n->next = 0; s->top = n; p->bytes[0] = 1;\n"
    "}\n"
    "void direct(stack *s) {\n"
    "  s->top = malloc(sizeof(struct node));\n"
    "}\n"
    "void grow(stack *s, int n) {\n"
    "  s->items = malloc(n * sizeof(int));\n"
    "}\n"
    "int *numbers(int n) {\n"
    "  int *list = calloc(n, sizeof *list);\n"
    "  list[1] = 2; return list;\n"
    "}\n"
    "struct node *nodes(int n) {\n"
    "  struct node *all = malloc(n * sizeof *all);\n"
    "  all[n - 1].next = 0; return all;\n"
    "}\n"
    "struct text *text(int n) {\n"
    "  struct text *t = malloc(sizeof *t + n);\n"
    "  t->len = n; return t;\n"
    "}\n"
    "void wrapped(stack *s) {\n"
    "  struct node *n = xmalloc(sizeof *n);\n"
    "  n->next = 0; s->top = n;\n"
    "}\n"
    "void unknown(void **p) {\n"
    "  *p = malloc(123);\n"
    "}\n"
    "int (*handler)(int); stack whole; char letter;\n";

struct world { /* an object, and a trace with one block */
  struct lines *l;
  struct trace t;
  struct block blocks[3];
  struct frame frames[2];
};

enum { BASE = 0x10000000, HEAP = 0x50000000 };

/* A block that `function` gets by its call of `allocator`. */
static void one_block(struct world *w, const char *function,
                      const char *allocator, uint64_t size, uint64_t elem) {
  w->t = (struct trace){0};
  w->blocks[0] = (struct block){.base = HEAP,
                                .size = size,
                                .elem_size = elem,
                                .alloc_event = UINT32_MAX,
                                .free_event = UINT32_MAX};
  w->blocks[0].alloc_pc = scratch_call(w->l, function, allocator, 0);
  CHECK(w->blocks[0].alloc_pc != 0);
  w->t.blocks = w->blocks;
  w->t.nblocks = 1;
  w->t.frames = w->frames;
  w->t.nframes = 1;
}

static void check_name(struct world *w, uint64_t offset, uint64_t size,
                       const char *want) {
  struct names *n = names_new(w->l, &w->t, NULL);
  struct buf b = {0};
  names_location(n, BASE, HEAP + offset, size, 0, &b);
  CHECK_STR(buf_text(&b), want);
  buf_free(&b);
  names_free(n);
}

static struct world open_world(const char *cc, const char *opt) {
  struct world w = {0};
  scratch_write("n.c", source);
  char *so = scratch_build(cc, opt, "n.c", NULL);
  w.l = scratch_lines(so);
  free(so);
  return w;
}

TEST(blocks_are_called_after_their_types) {
  EACH_COMPILER(cc, opt) {
    struct world w = open_world(cc, opt);
    one_block(&w, "stack_new", "__wrap_calloc", 48, 48);
    check_name(&w, 0, 8, "stack.top");
    check_name(&w, 8, 4, "stack.count");
    check_name(&w, 0, 48, "stack");
    one_block(&w, "push", "__wrap_malloc", 16, 0);
    check_name(&w, 0, 4, "node.value");
    check_name(&w, 8, 8, "node.next");
    check_name(&w, 20, 4, "node+20");
    one_block(&w, "later", "__wrap_malloc", 16, 0);
    check_name(&w, 8, 8, "node.next");
    one_block(&w, "direct", "__wrap_malloc", 16, 0);
    check_name(&w, 8, 8, "node.next");
    one_block(&w, "unknown", "__wrap_malloc", 123, 0);
    check_name(&w, 8, 4, "block#1+8");
    check_name(&w, 0, 4, "block#1");
    lines_close(w.l);
  }
}

TEST(arrays_are_called_after_what_keeps_them) {
  EACH_COMPILER(cc, opt) {
    struct world w = open_world(cc, opt);
    one_block(&w, "grow", "__wrap_malloc", 40, 0);
    check_name(&w, 12, 4, "items[3]");
    one_block(&w, "numbers", "__wrap_calloc", 40, 4);
    check_name(&w, 0, 4, "list[0]");
    check_name(&w, 0, 40, "list");
    check_name(&w, 40, 4, "list[10]");
    one_block(&w, "nodes", "__wrap_malloc", 64, 0);
    check_name(&w, 40, 8, "node[2].next");
    one_block(&w, "text", "__wrap_malloc", 15, 0);
    check_name(&w, 0, 4, "text.len");
    check_name(&w, 6, 1, "text.at[2]");
    lines_close(w.l);
  }
}

/* The macro atomic_store() has a pointer of its own, __atomic_store_ptr, on the
 * line of the allocation. */
TEST(blocks_are_not_called_after_temporaries_of_macros) {
  scratch_write("n.c", "#include <stdatomic.h>\n#include <stdlib.h>\n"
                       "struct cell { atomic_int locked; };\n"
                       "struct pair { int both; };\n"
                       "_Thread_local struct cell *mine; struct pair whole;\n"
                       "void lock(void) { mine = malloc(sizeof *mine);"
                       " atomic_store(&mine->locked, 1); }\n");
  EACH_COMPILER(cc, opt) {
    struct world w = {0};
    char *so = scratch_build(cc, opt, "n.c", NULL);
    w.l = scratch_lines(so);
    free(so);
    one_block(&w, "lock", "__wrap_malloc", 4, 0);
    check_name(&w, 0, 4, "cell.locked");
    lines_close(w.l);
  }
}

/* What a vector allocates is called after its elements; members of the library
 * lose their prefix, and what an element is stored in is the element. */
TEST(blocks_of_containers) {
  scratch_write("n.cc", "#include <list>\n#include <memory>\n"
                        "int *ints(std::allocator<int> &a) {\n"
                        "  return a.allocate(10); }\n"
                        "std::_List_node<int> *node() {\n"
                        "  return new std::_List_node<int>; }\n");
  struct world w = {0};
  char *so = scratch_build("gcc", "-O1", "n.cc", NULL);
  w.l = scratch_lines(so);
  free(so);
  one_block(&w, "_Z4intsRSaIiE", "__wrap__Znwm", 40, 0);
  check_name(&w, 12, 4, "int#1[3]");
  one_block(&w, "_Z4nodev", "__wrap__Znwm", 24, 0);
  check_name(&w, 8, 8, "node.prev");
  check_name(&w, 16, 4, "node");
  lines_close(w.l);
}

TEST(members_of_containers) {
  scratch_write("n.cc", "#include <atomic>\n#include <map>\n#include <mutex>\n"
                        "#include <vector>\n"
                        "class cache {\n public:\n  std::mutex m;\n"
                        "  std::vector<int> v;\n  std::atomic<int> hits;\n"
                        "  std::map<int, int> all;\n"
                        "  struct entry { int key, value; } own;\n"
                        "  void *add() {\n"
                        "    return new entry{1, 2}; }\n};\n"
                        "cache *make() {\n  return new cache; }\n"
                        "void *entry(cache *c) { return c->add(); }\n");
  struct world w = {0};
  char *so = scratch_build("gcc", "-O1", "n.cc", NULL);
  w.l = scratch_lines(so);
  free(so);
  one_block(&w, "_Z4makev", "__wrap__Znwm", 128, 0);
  check_name(&w, 0, 4, "cache.m");
  check_name(&w, 40, 8, "cache.v.start");
  check_name(&w, 48, 8, "cache.v.finish");
  check_name(&w, 64, 4, "cache.hits");
  check_name(&w, 112, 8, "cache.all.node_count");
  one_block(&w, "_Z5entryP5cache", "__wrap__Znwm", 8, 0);
  check_name(&w, 4, 4, "entry.value");
  lines_close(w.l);
}

/* Whose pointer is on the line need not be whose block it is. */
TEST(blocks_with_pointers_of_several_types) {
  scratch_write(
      "n.c",
      "#include <stdlib.h>\n"
      "struct array { size_t size; int at[]; };\n"
      "struct slot { long seq, value; };\n"
      "struct queue { struct slot *slots; long head, tail, mask; };\n"
      "struct base { int refs; };\n"
      "struct item { struct base base; int value; };\n"
      "static inline __attribute__((always_inline)) void *get(size_t n) {\n"
      "  char *p = malloc(n);\n"
      "  if (!p) abort();\n"
      "  return p;\n}\n"
      "struct array *flexible(int n) {\n"
      "  struct array *a = malloc(sizeof *a + n * sizeof(int));\n"
      "  a->size = n; return a;\n}\n"
      "void inner(struct queue *q) {\n"
      "  q->slots = malloc(2 * sizeof(struct slot));\n}\n"
      "struct base *derived(void) {\n"
      "  struct base *b = malloc(sizeof(struct item));\n"
      "  b->refs = 1; return b;\n}\n"
      "int value(struct base *b) {\n"
      "  struct item *i = (struct item *)b; return i->value; }\n"
      "void *untyped(void) {\n"
      "  void *p = malloc(sizeof(struct slot));\n"
      "  return p;\n}\n"
      "char *text(int n) {\n"
      "  char *s = malloc(n);\n"
      "  s[0] = 0; return s;\n}\n"
      "struct slot *by_char(void) {\n"
      "  struct slot *s = get(sizeof *s);\n"
      "  s->seq = 1; return s;\n}\n");
  EACH_COMPILER(cc, opt) {
    struct world w = {0};
    char *so = scratch_build(cc, opt, "n.c", NULL);
    w.l = scratch_lines(so);
    free(so);
    one_block(&w, "flexible", "__wrap_malloc", 16, 0); /* two arrays long */
    check_name(&w, 0, 8, "array.size");
    check_name(&w, 8, 4, "array.at[0]");
    check_name(&w, 12, 4, "array.at[1]");
    one_block(&w, "inner", "__wrap_malloc", 32, 0); /* as large as a queue */
    check_name(&w, 24, 8, "slot[1].value");
    one_block(&w, "derived", "__wrap_malloc", 8, 0);
    check_name(&w, 0, 4, "item.base.refs");
    check_name(&w, 4, 4, "item.value");
    one_block(&w, "untyped", "__wrap_malloc", 16, 0);
    check_name(&w, 8, 8, "slot.value");
    one_block(&w, "text", "__wrap_malloc", 10, 0);
    check_name(&w, 2, 1, "s[2]");
    one_block(&w, "by_char", "__wrap_malloc", 16, 0);
    check_name(&w, 8, 8, "slot.value");
    lines_close(w.l);
  }
}

TEST(the_only_block_of_a_type_has_no_number) {
  struct world w = open_world("gcc", "-O1");
  one_block(&w, "push", "__wrap_malloc", 16, 0);
  w.blocks[1] = w.blocks[0];
  w.blocks[1].base += 4096;
  struct trace beside = w.t; /* two of them there */
  beside.nblocks = 2;
  struct names *alone = names_new(w.l, &w.t, &w.t);
  struct names *with = names_new(w.l, &w.t, &beside);
  struct buf b = {0};
  names_block(alone, 0, &b);
  CHECK_STR(buf_text(&b), "node");
  buf_clear(&b);
  names_block(with, 0, &b);
  CHECK_STR(buf_text(&b), "node#1");
  buf_free(&b);
  names_free(alone);
  names_free(with);
  lines_close(w.l);
  /* unless a variable is called so */
  scratch_write("n.c", "#include <stdlib.h>\n"
                       "struct pair { int a, b; } pair;\n"
                       "struct pair *get(void) {\n"
                       "  struct pair *p = malloc(sizeof *p);\n"
                       "  p->a = pair.a; return p;\n}\n");
  char *so = scratch_build("gcc", "-O1", "n.c", NULL);
  w.l = scratch_lines(so);
  free(so);
  one_block(&w, "get", "__wrap_malloc", 8, 0);
  check_name(&w, 4, 4, "pair#1.b");
  lines_close(w.l);
}

TEST(a_wrapper_of_malloc_is_looked_through) {
  EACH_COMPILER(cc, opt) {
    struct world w = open_world(cc, opt);
    uint64_t call = scratch_call(w.l, "wrapped", "__wrap_malloc", 0);
    one_block(&w, call ? "wrapped" : "xmalloc", "__wrap_malloc", 16, 0);
    if (!call) { /* not inlined: the caller is in the chain */
      for (uint32_t i = 0; i < w.l->symbols.len; i++)
        if (!strcmp(w.l->symbols.at[i].name, "wrapped")) {
          /* the first instruction of line "struct node *n = xmalloc…" that is
           * followed by another line's is inside the call's statement */
          const struct line_symbol *f = &w.l->symbols.at[i];
          for (uint64_t pc = f->addr; pc < f->addr + f->size; pc++) {
            const struct place *p = lines_place(w.l, pc);
            if (p->line == 43 && p->column > 15)
              w.frames[1].call_pc = pc + 1;
          }
        }
      CHECK(w.frames[1].call_pc != 0);
      w.t.nframes = 2;
      w.blocks[0].alloc_chain = 1;
    }
    check_name(&w, 8, 8, "node.next");
    lines_close(w.l);
  }
}

TEST(blocks_are_numbered_by_type_and_known_by_time) {
  struct world w = open_world("gcc", "-O1");
  one_block(&w, "push", "__wrap_malloc", 16, 0);
  w.blocks[0].free_event = 5;
  w.blocks[1] = w.blocks[0]; /* the same address, used again */
  w.blocks[1].alloc_event = 7;
  w.blocks[1].free_event = UINT32_MAX;
  w.blocks[2] = w.blocks[1];
  w.blocks[2].base = HEAP + 4096;
  w.blocks[2].alloc_event = 9;
  w.t.nblocks = 3;
  struct names *n = names_new(w.l, &w.t, NULL);
  static const struct {
    uint64_t addr;
    uint32_t at;
    const char *name;
  } cases[] = {{HEAP + 8, 2, "node#1.next"},
               {HEAP + 8, 6, "node#1.next"}, /* use after free */
               {HEAP + 8, 7, "node#2.next"},
               {HEAP + 4096, 9, "node#3.value"},
               {HEAP + 4096, 8, "0x50001000"},
               {HEAP - 8, 8, "node#2-8"},
               {0x1234, 8, "0x1234"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct buf b = {0};
    names_location(n, BASE, cases[i].addr, 4 + 4 * (cases[i].addr % 16 == 8),
                   cases[i].at, &b);
    CHECK_STR(buf_text(&b), cases[i].name);
    buf_free(&b);
  }
  names_free(n);
  lines_close(w.l);
}

static uint64_t address(struct lines *l, const char *name) {
  for (uint32_t i = 0; i < l->symbols.len; i++)
    if (!strcmp(l->symbols.at[i].name, name))
      return BASE + l->symbols.at[i].addr;
  return 0;
}

static void check_value(struct world *w, struct names *n, uint64_t addr,
                        uint64_t size, uint64_t value, const char *want) {
  struct event e = {.kind = EV_READ, .addr = addr, .size = size};
  struct buf b = {0};
  (void)w;
  names_value(n, BASE, &e, value, 0, &b);
  CHECK_STR(buf_text(&b), want);
  buf_free(&b);
}

TEST(values_are_printed_by_their_type) {
  EACH_COMPILER(cc, opt) {
    struct world w = open_world(cc, opt);
    one_block(&w, "push", "__wrap_malloc", 16, 0);
    struct names *n = names_new(w.l, &w.t, NULL);
    uint64_t whole = address(w.l, "whole");
    check_value(&w, n, HEAP, 4, 0xffffffff, "-1");
    check_value(&w, n, HEAP + 4, 1, 'x', "'x'");
    check_value(&w, n, HEAP + 4, 1, 1, "1");
    check_value(&w, n, HEAP + 8, 8, 0, "NULL");
    check_value(&w, n, HEAP + 8, 8, HEAP, "&node");
    check_value(&w, n, HEAP + 8, 8, HEAP + 8, "&node.next");
    check_value(&w, n, HEAP + 8, 8, HEAP + 1, "&node+1");
    check_value(&w, n, HEAP + 8, 8, 0x77, "0x77");
    check_value(&w, n, address(w.l, "head"), 8, HEAP, "&node");
    check_value(&w, n, address(w.l, "global"), 8, whole, "&whole");
    check_value(&w, n, address(w.l, "handler"), 8, address(w.l, "push"),
                "push");
    check_value(&w, n, whole + 8, 4, 0xffffffff, "4294967295");
    check_value(&w, n, whole + 16, 8, (uint64_t)-7, "-7");
    check_value(&w, n, whole + 16, 8, HEAP, "&node");
    check_value(&w, n, whole + 32, 4, 1, "BUSY");
    check_value(&w, n, whole + 32, 4, 9, "9");
    check_value(&w, n, whole + 40, 8, 0x3ff8000000000000, "1.5");
    check_value(&w, n, 0x1234, 8, 0, "0"); /* of no known type */
    check_value(&w, n, 0x1234, 2, 0xfffe, "-2");
    names_free(n);
    lines_close(w.l);
  }
}

TEST_MAIN
