/*
 * Containers against arrays: on random calls a type accepts what the array
 * answers and nothing else, and two states have one number exactly when the
 * arrays are equal; also after states were forgotten.
 */
#include "test.h"

#include "base/rng.h"
#include "unit/spec/type_calls.h"

enum { ROUNDS = 60, CALLS = 300, MOST = 400 };

/* What the object holds: `at` in the order that the state prints. */
struct content {
  int at[MOST], n;
};

static void insert_at(struct content *c, int i, int v) {
  memmove(c->at + i + 1, c->at + i, (size_t)(c->n++ - i) * sizeof *c->at);
  c->at[i] = v;
}

static int remove_at(struct content *c, int i) {
  int v = c->at[i];
  memmove(c->at + i, c->at + i + 1, (size_t)(--c->n - i) * sizeof *c->at);
  return v;
}

static int find(const struct content *c, int v) {
  for (int i = 0; i < c->n; i++)
    if (c->at[i] == v)
      return i;
  return -1;
}

/* Where v stands or would stand in the sorted array. */
static int place(const struct content *c, int v) {
  int i = 0;
  while (i < c->n && c->at[i] < v)
    i++;
  return i;
}

static void say(char *out, int v) { sprintf(out, "%d", v); }
static void say_bool(char *out, bool b) { strcpy(out, b ? "true" : "false"); }
static void say_item(char *out, struct content *c, int i, bool remove) {
  if (c->n == 0)
    strcpy(out, "nil");
  else
    say(out, remove ? remove_at(c, i) : c->at[i]);
}
static void say_all(char *out, const struct content *c) {
  out += sprintf(out, "[");
  for (int i = 0; i < c->n; i++)
    out += sprintf(out, "%s%d", i ? ", " : "", c->at[i]);
  sprintf(out, "]");
}

/* A call of the naive object: its answer; "" for void. */
typedef void naive_call(struct content *c, int v, char *answer);

static void add_last(struct content *c, int v, char *out) {
  insert_at(c, c->n, v);
  say_bool(out, true);
}
static void add_first(struct content *c, int v, char *out) {
  insert_at(c, 0, v);
  say_bool(out, true);
}
static void add_up_to_3(struct content *c, int v, char *out) {
  say_bool(out, c->n < 3);
  if (c->n < 3)
    insert_at(c, c->n, v);
}
static void take_first(struct content *c, int v, char *out) {
  (void)v;
  say_item(out, c, 0, true);
}
static void take_last(struct content *c, int v, char *out) {
  (void)v;
  say_item(out, c, c->n - 1, true);
}
static void see_first(struct content *c, int v, char *out) {
  (void)v;
  say_item(out, c, 0, false);
}
static void see_last(struct content *c, int v, char *out) {
  (void)v;
  say_item(out, c, c->n - 1, false);
}
static void size(struct content *c, int v, char *out) {
  (void)v;
  say(out, c->n);
}
static void is_empty(struct content *c, int v, char *out) {
  (void)v;
  say_bool(out, c->n == 0);
}
static void clear(struct content *c, int v, char *out) {
  (void)v;
  c->n = 0;
  *out = 0;
}
static void contains(struct content *c, int v, char *out) {
  say_bool(out, find(c, v) >= 0);
}
static void all(struct content *c, int v, char *out) {
  (void)v;
  say_all(out, c);
}
static void drain(struct content *c, int v, char *out) {
  all(c, v, out);
  c->n = 0;
}
static void set_add(struct content *c, int v, char *out) {
  say_bool(out, find(c, v) < 0);
  if (find(c, v) < 0)
    insert_at(c, place(c, v), v);
}
static void bag_add(struct content *c, int v, char *out) {
  say_bool(out, true);
  insert_at(c, place(c, v), v);
}
static void drop_first(struct content *c, int v, char *out) {
  int i = find(c, v);
  say_bool(out, i >= 0);
  if (i >= 0)
    remove_at(c, i);
}
static void drop_last(struct content *c, int v, char *out) {
  int i = c->n - 1;
  while (i >= 0 && c->at[i] != v)
    i--;
  say_bool(out, i >= 0);
  if (i >= 0)
    remove_at(c, i);
}
static void count(struct content *c, int v, char *out) {
  int n = 0;
  for (int i = 0; i < c->n; i++)
    n += c->at[i] == v;
  say(out, n);
}
static void cell_write(struct content *c, int v, char *out) {
  c->n = 1;
  c->at[0] = v;
  *out = 0;
}

/* The heap of a PriorityBlockingQueue, as an array. */
static void sift_up(int *a, int k, int x) {
  for (; k > 0 && x < a[(k - 1) / 2]; k = (k - 1) / 2)
    a[k] = a[(k - 1) / 2];
  a[k] = x;
}
static void sift_down(int *a, int k, int x, int n) {
  while (k < n / 2) {
    int child = 2 * k + 1;
    if (child + 1 < n && a[child] > a[child + 1])
      child++;
    if (x <= a[child])
      break;
    a[k] = a[child];
    k = child;
  }
  a[k] = x;
}
static void heap_add(struct content *c, int v, char *out) {
  say_bool(out, true);
  sift_up(c->at, c->n, v);
  c->n++;
}
static void heap_drop_at(struct content *c, int i) {
  int moved = c->at[--c->n];
  if (i == c->n)
    return;
  sift_down(c->at, i, moved, c->n);
  if (c->at[i] == moved)
    sift_up(c->at, i, moved);
}
static void heap_take(struct content *c, int v, char *out) {
  see_first(c, v, out);
  if (c->n)
    heap_drop_at(c, 0);
}
static void heap_drop(struct content *c, int v, char *out) {
  int i = find(c, v);
  say_bool(out, i >= 0);
  if (i >= 0)
    heap_drop_at(c, i);
}
static void heap_retain_small(struct content *c, int v, char *out) {
  (void)v;
  int kept = 0;
  for (int i = 0; i < c->n; i++)
    if (c->at[i] < 2)
      c->at[kept++] = c->at[i];
  say_bool(out, kept != c->n);
  bool changed = kept != c->n;
  c->n = kept;
  for (int i = kept / 2 - 1; changed && i >= 0; i--)
    sift_down(c->at, i, c->at[i], kept);
}

struct naive_op {
  const char *name; /* %d is the value */
  naive_call *call;
};

struct naive_type {
  const char *name, *argument;
  struct naive_op ops[16];
};

#define COMMON                                                                 \
  {"size", size}, {"isEmpty", is_empty}, {"clear", clear}, {                   \
    "contains(%d)", contains                                                   \
  }

static const struct naive_type types[] = {
    {"queue",
     NULL,
     {{"enq(%d)", add_last},
      {"enq(%d)", add_last},
      {"deq", take_first},
      {"front", see_first},
      {"toArray", all},
      {"drain", drain},
      COMMON}},
    {"bounded-queue",
     "3",
     {{"enq(%d)", add_up_to_3},
      {"deq", take_first},
      {"peek", see_first},
      COMMON}},
    {"stack",
     NULL,
     {{"push(%d)", add_last},
      {"push(%d)", add_last},
      {"pop", take_last},
      {"top", see_last},
      {"toArray", all},
      COMMON}},
    {"deque",
     NULL,
     {{"pushFront(%d)", add_first},
      {"pushBack(%d)", add_last},
      {"popFront", take_first},
      {"popBack", take_last},
      {"peekFront", see_first},
      {"peekBack", see_last},
      {"toArray", all},
      COMMON}},
    {"set",
     NULL,
     {{"add(%d)", set_add},
      {"add(%d)", set_add},
      {"remove(%d)", drop_first},
      {"read", all},
      COMMON}},
    {"multiset",
     NULL,
     {{"add(%d)", bag_add},
      {"add(%d)", bag_add},
      {"remove(%d)", drop_first},
      {"count(%d)", count},
      {"read", all},
      COMMON}},
    {"pqueue",
     NULL,
     {{"insert(%d)", bag_add},
      {"insert(%d)", bag_add},
      {"deleteMin", take_first},
      {"deleteMax", take_last},
      {"findMin", see_first},
      {"peek", see_first},
      {"findMax", see_last},
      {"size", size},
      {"isEmpty", is_empty},
      {"toArray", all},
      {"clear", clear}}},
    {"max-pqueue",
     NULL,
     {{"insert(%d)", bag_add},
      {"insert(%d)", bag_add},
      {"poll", take_last},
      {"peek", see_last},
      {"deleteMin", take_first}}},
    {"list-append", NULL, {{"append(7, %d)", add_last}, {"read(7)", all}}},
    {"keyed-queue",
     NULL,
     {{"enq(7, %d)", add_last},
      {"enq(7, %d)", add_last},
      {"deq(7)", take_first}}},
    {"registers", NULL, {{"write(7, %d)", cell_write}, {"read(7)", see_first}}},
    {"LinkedBlockingDeque",
     NULL,
     {{"offerFirst(%d)", add_first},
      {"offerLast(%d)", add_last},
      {"pollFirst", take_first},
      {"pollLast", take_last},
      {"peekFirst", see_first},
      {"peekLast", see_last},
      {"removeFirstOccurrence(%d)", drop_first},
      {"removeLastOccurrence(%d)", drop_last},
      {"offer(%d)", add_last},
      {"poll", take_first},
      {"toString", all},
      COMMON}},
    {"PriorityBlockingQueue",
     NULL,
     {{"offer(%d)", heap_add},
      {"offer(%d)", heap_add},
      {"offer(%d)", heap_add},
      {"poll", heap_take},
      {"peek", see_first},
      {"remove(%d)", heap_drop},
      {"retainAll([0 1])", heap_retain_small},
      {"toArray", all},
      COMMON}},
    {"ConcurrentSkipListSet",
     NULL,
     {{"add(%d)", set_add},
      {"remove(%d)", drop_first},
      {"pollFirst", take_first},
      {"pollLast", take_last},
      {"toString", all},
      COMMON}},
};
enum { NTYPES = sizeof types / sizeof *types };

/* The states that were met: each content has one number, each number one
 * content. */
struct met {
  struct content content;
  uint32_t state;
};
static struct met met[ROUNDS * CALLS];
static uint32_t nmet;

static bool same_content(const struct content *a, const struct content *b) {
  return a->n == b->n && !memcmp(a->at, b->at, (size_t)a->n * sizeof *a->at);
}

static void meet(const struct content *c, uint32_t state) {
  for (uint32_t i = 0; i < nmet; i++)
    if (same_content(&met[i].content, c) != (met[i].state == state)) {
      CHECK_INT(met[i].state, state);
      return;
    } else if (met[i].state == state) {
      return;
    }
  met[nmet++] = (struct met){*c, state};
}

/* Keeps a few states, which get new numbers, and drops the rest. */
static void forget(struct subject *s, struct rng *r) {
  uint32_t keep[8], which[8], n = 0;
  keep[n++] = s->state;
  for (; n < 8 && nmet > 1; n++) {
    which[n] = (uint32_t)rng_below(r, nmet);
    keep[n] = met[which[n]].state;
  }
  struct met kept[8];
  for (uint32_t i = 1; i < n; i++)
    kept[i] = met[which[i]];
  s->type->forget(s->type, keep, n);
  s->state = keep[0];
  nmet = 0;
  for (uint32_t i = 1; i < n; i++)
    meet(&kept[i].content, keep[i]);
}

/* A result that is not the right one. */
static const char *wrong(const char *answer, struct rng *r) {
  static const char *const others[] = {"0",   "1",     "2",   "3",
                                       "nil", "false", "true"};
  for (;;) {
    const char *w = others[rng_below(r, 7)];
    /* nil and false both say that there is nothing. */
    bool nothing = !strcmp(w, "nil") || !strcmp(w, "false");
    bool says_nothing = !strcmp(answer, "nil") || !strcmp(answer, "false");
    if (strcmp(w, answer) && !(nothing && says_nothing))
      return w;
  }
}

static const struct naive_op *any_op(const struct naive_type *t,
                                     struct rng *r) {
  uint32_t n = 0;
  while (n < 16 && t->ops[n].name)
    n++;
  return &t->ops[rng_below(r, n)];
}

static void one_call(struct subject *s, const struct naive_type *t,
                     struct content *c, struct rng *r) {
  const struct naive_op *op = any_op(t, r);
  int v = (int)rng_below(r, 4);
  char name[64], answer[MOST * 4], call[MOST * 5];
  snprintf(name, sizeof name, op->name, v);
  op->call(c, v, answer);
  uint32_t next[TYPE_NEXT];
  bool value = *answer && *answer != '[';
  /* Where numbers are bools and a void result says nothing, a wrong one of
   * these kinds may be right. */
  bool flag = !strcmp(answer, "true") || !strcmp(answer, "false");
  if (value && !flag) {
    snprintf(call, sizeof call, "%s = %s", name, wrong(answer, r));
    CHECK(subject_try(s, call, next) < 1);
  } else if (flag) {
    snprintf(call, sizeof call, "%s = %s", name,
             *answer == 't' ? "false" : "true");
    CHECK(subject_try(s, call, next) < 1);
  }
  snprintf(call, sizeof call, "%s ?", name);
  /* A pending enqueue on a full queue waits. */
  bool waits = t->argument && !strcmp(answer, "false") && *name == 'e';
  next[0] = s->state;
  CHECK_INT(subject_try(s, call, next), !waits);
  uint32_t pending = next[0];
  bool text = *answer == '[' && s->type->name[0] < 'a';
  snprintf(call, sizeof call, text ? "%s = \"%s\"" : "%s = %s", name, answer);
  if (!*answer)
    snprintf(call, sizeof call, "%s", name);
  if (!CHECK(subject_does(s, call)))
    fprintf(stderr, "%s: %s\n", t->name, call);
  CHECK_INT(pending, s->state);
  meet(c, s->state);
}

static void prints_its_content(struct subject *s, const struct content *c) {
  struct buf have = {0};
  char want[MOST * 4];
  say_all(want, c);
  s->type->print_state(s->type, s->state, &have);
  if (!s->type->by_key || s->type->shape[0] == 's')
    CHECK_STR(buf_text(&have), want);
  buf_free(&have);
}

static void compare(const struct naive_type *t, uint64_t seed) {
  struct rng r = {seed};
  struct subject s;
  if (!CHECK(subject_open(&s, t->name, t->argument)))
    return;
  nmet = 0;
  for (int round = 0; round < ROUNDS && !test_errors; round++) {
    struct content c = {0};
    s.state = s.type->initial;
    int calls = (int)rng_below(&r, 12) ? 12 : CALLS;
    for (int i = 0; i < calls && !test_errors; i++)
      one_call(&s, t, &c, &r);
    if (strcmp(t->name, "multiset"))
      prints_its_content(&s, &c);
    if (rng_below(&r, 4) == 0)
      forget(&s, &r);
  }
  if (test_errors)
    fprintf(stderr, "%s, seed %llu\n", t->name, (unsigned long long)seed);
  subject_close(&s);
}

TEST(types_agree_with_arrays) {
  for (uint32_t t = 0; t < NTYPES; t++)
    for (uint64_t seed = 1; seed <= 40 && !test_errors; seed++)
      compare(&types[t], seed);
}

/* Bytes that `calls` calls of two kinds, in turn, add to the type. */
static uint64_t growth(struct subject *s, const char *add, const char *take,
                       int calls) {
  uint64_t before = s->type->bytes(s->type);
  char call[64];
  uint32_t next[TYPE_NEXT];
  for (int i = 0; i < calls; i++) {
    snprintf(call, sizeof call, add, i + 1000000);
    CHECK(subject_does(s, call));
    CHECK_INT(subject_try(s, take, next), 1);
    s->state = next[0];
  }
  return s->type->bytes(s->type) - before;
}

static void fill(struct subject *s, const char *add, int n) {
  char call[64];
  for (int i = 0; i < n; i++) {
    snprintf(call, sizeof call, add, i);
    subject_does(s, call);
  }
}

/* A step on a large object adds little, whatever its size. */
static void steps_are_small(const char *type, const char *add, const char *take,
                            uint64_t most) {
  struct subject s;
  enum { LARGE = 50000, STEPS = 20000 };
  subject_open(&s, type, NULL);
  fill(&s, add, LARGE);
  uint64_t bytes = growth(&s, add, take, STEPS);
  if (!CHECK(bytes < most * STEPS))
    fprintf(stderr, "%s: %llu bytes a step\n", type,
            (unsigned long long)bytes / STEPS);
  subject_close(&s);
}

TEST(large_objects_share_what_their_states_have_in_common) {
  steps_are_small("queue", "enq(%d)", "deq ?", 400);
  steps_are_small("stack", "push(%d)", "pop ?", 400);
  steps_are_small("deque", "pushFront(%d)", "popBack ?", 400);
  steps_are_small("pqueue", "insert(%d)", "deleteMin ?", 6000);
  steps_are_small("set", "add(%d)", "remove(5) ?", 4000);
  steps_are_small("kv", "append(1, \"%d\")", "get(1) ?", 400);
  steps_are_small("list-append", "append(1, %d)", "read(1) ?", 400);
}

/* Long histories run in constant memory when states are dropped. */
static void stays_small(const char *type, const char *add, const char *take) {
  struct subject s;
  subject_open(&s, type, NULL);
  fill(&s, add, 100);
  uint64_t most = 0;
  for (int i = 0; i < 40; i++) {
    growth(&s, add, take, 2000);
    s.type->forget(s.type, &s.state, 1);
    uint64_t bytes = s.type->bytes(s.type);
    most = bytes > most ? bytes : most;
  }
  if (!CHECK(most < 200000))
    fprintf(stderr, "%s: %llu bytes\n", type, (unsigned long long)most);
  subject_close(&s);
}

TEST(forgetting_gives_memory_back) {
  stays_small("queue", "enq(%d)", "deq ?");
  stays_small("stack", "push(%d)", "pop ?");
  stays_small("pqueue", "insert(%d)", "deleteMin ?");
  stays_small("register", "write(%d)", "read ?");
  stays_small("registers", "write(5, %d)", "read(5) ?");
  stays_small("keyed-queue", "enq(5, %d)", "deq(5) ?");
}

TEST_MAIN
