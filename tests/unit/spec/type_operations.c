/*
 * Each operation of each type for histories: what it may return, in the forms
 * that files use.
 */
#include "test.h"

#include "unit/spec/type_calls.h"

/* All calls are accepted one after the other, except those behind a '-', which
 * cannot come next there, and those behind a '#', which are no calls at all. */
static void runs(int line, const char *type, const char *argument,
                 const char *const *calls) {
  struct subject s;
  if (!subject_open(&s, type, argument)) {
    test_bool(__FILE__, line, 0, s.error.text);
    return;
  }
  for (; *calls; calls++) {
    bool refused = **calls == '#', rejected = **calls == '-';
    const char *call = *calls + (refused || rejected);
    uint32_t next[TYPE_NEXT];
    int n = subject_try(&s, call, next);
    if (n != (refused ? -1 : rejected ? 0 : 1)) {
      fprintf(stderr, "%s: %s gives %d: %s\n", type, *calls, n, s.error.text);
      test_bool(__FILE__, line, 0, "as expected");
    } else if (n == 1) {
      s.state = next[0];
    }
  }
  subject_close(&s);
}

#define RUN(type, argument, ...)                                               \
  runs(__LINE__, type, argument, (const char *const[]){__VA_ARGS__, NULL})

static void prints(int line, struct subject *s, const char *want) {
  struct buf b = {0};
  s->type->print_state(s->type, s->state, &b);
  test_str(__FILE__, line, buf_text(&b), want, "state");
  buf_free(&b);
}
#define PRINTS(s, want) prints(__LINE__, s, want)

TEST(a_register_gives_what_was_written) {
  RUN("register", NULL, "read = nil", "-read = 0", "write(1)", "read = 1",
      "-read = nil", "read() = 1", "get = 1", "load = 1", "r = 1", "w(2)",
      "read = \"2\"", "set(3) = 3", "put(4) = true", "write(5) = nil",
      "store(6) = :ok", "read(nil) = 6", "read(6) = 6", "#read(7) = 6",
      "#cas(1, 2)", "#write(1) = 17", "#write", "#write(1, 2)", "write(true)",
      "read = true", "read = \"true\"", "write([1 2])", "read = [1 2]",
      "write(\"x\")", "-read = :x", "read = \"x\"", "read", "-read = 5",
      "read ?", "write(9) !", "read = \"x\"", "write(9) ?", "read = 9");
  RUN("register", "7", "read = 7", "-read = nil", "write(nil)", "read = nil");
  RUN("register", "\"7\"", "read = 7");
}

TEST(a_cas_tells_whether_it_wrote) {
  RUN("cas-register", NULL, "cas(nil, 1)", "read = 1", "cas([1 2])", "read = 2",
      "cas(1, 3) = false", "-cas(2, 3) = false", "cas(1, 5) !", "-cas(2, 5) !",
      "-cas(1, 5)", "cas([2 3]) = [2 3]", "read = 3", "cas(3, 4) = true",
      "cas(4, 5) = 1", "cas(4, 6) = 0", "read = 5", "cas(5, 6) ?", "read = 6",
      "cas(5, 7) ?", "read = 6", "compare_and_set(6, 7) = \"true\"",
      "compareAndSet(6, 8) = \"false\"", "exchange(9) = 7", "-swap(10) = 7",
      "read = 9", "#cas(1)", "#cas([1 2 3])", "#cas(1, 2) = 17");
}

TEST(registers_by_key_are_independent) {
  RUN("registers", NULL, "write(1, 10)", "read(1) = 10", "read(2) = nil",
      "write([2 20])", "write([2 21]) = [2 21]", "read([2 nil]) = [2 21]",
      "-read([1 nil]) = [1 21]", "read([1 nil]) = 10", "#read", "#cas(1, 2, 3)",
      "write([:a [1 2]])", "read([:a nil]) = [:a [1 2]]");
  RUN("cas-registers", "0", "cas(1, 0, 5)", "cas([1 [5 6]])",
      "cas([1 [6 7]]) = [1 [6 7]]", "read(1) = 7", "cas([1 [6 8]]) !",
      "-cas([1 [7 8]]) !", "cas(1, [7 8])", "read(1) = 8");
  struct subject s;
  subject_open(&s, "registers", NULL);
  subject_does(&s, "write(2, 20)");
  subject_does(&s, "write(1, 10)");
  PRINTS(&s, "{1: 10, 2: 20}");
  subject_close(&s);
}

TEST(a_key_value_store_appends_texts) {
  RUN("kv", NULL, "get(\"a\") = \"\"", "get(\"a\") = nil",
      "append(\"a\", \"x\")", "append(\"a\", \"yz\")", "get(\"a\") = \"xyz\"",
      "-get(\"a\") = \"xy\"", "-get(\"a\") = nil", "get(\"b\") = \"\"",
      "put(\"a\", \"xy\")", "append(\"a\", \"z\")", "get(\"a\") = \"xyz\"",
      "put(\"b\", 5)", "get(\"b\") = 5", "-get(\"b\") = \"5\"",
      "cas(\"b\", 5, 6)", "cas(\"b\", 5, 7) = false", "get(\"b\") = 6",
      "delete(\"b\")", "get(\"b\") = nil", "delete(\"b\") = false",
      "-delete(\"a\") = false", "cas(\"a\", \"xyz\", \"w\") = true",
      "get(\"a\") = \"w\"", "append(\"a\", \"\")", "get(\"a\") = \"w\"",
      "-append(\"a\", 5)", "read(\"a\")");
  RUN("kv", "0", "get(1) = 0", "-get(1) = nil", "put(1, 2)", "delete(1) = true",
      "get(1) = 0");
}

TEST(a_text_is_one_state_however_it_was_pieced_together) {
  struct subject s;
  subject_open(&s, "kv", NULL);
  subject_does(&s, "append(1, \"ab\")");
  subject_does(&s, "append(1, \"c\")");
  uint32_t appended = s.state;
  s.state = s.type->initial;
  subject_does(&s, "put(1, \"abc\")");
  CHECK_INT(s.state, appended);
  subject_does(&s, "put(1, \"\")");
  CHECK_INT(s.state, s.type->initial);
  subject_does(&s, "append(1, \"a\")");
  subject_does(&s, "append(1, \"bc\")");
  CHECK_INT(s.state, appended);
  PRINTS(&s, "{1: \"abc\"}");
  struct buf b = {0};
  struct log_op op = parse_call(&s.log, "get(1) = \"ab\"");
  struct type_op prepared;
  CHECK_INT(s.type->prepare(s.type, &s.log, &op, &prepared, &s.error), 0);
  CHECK(s.type->answer(s.type, s.state, &prepared, &b));
  CHECK_STR(buf_text(&b), "\"abc\"");
  buf_free(&b);
  subject_close(&s);
}

TEST(lists_by_key_grow_at_their_end) {
  RUN("list-append", NULL, "read(1) = []", "read(1) = nil", "append(1, 5)",
      "append([1 6]) = [1 6]", "read([1 nil]) = [1 [5 6]]", "read(1) = [5 6]",
      "-read(1) = [6 5]", "-read(1) = [5]", "append(2, 7)", "r(2) = [7]",
      "append(1, \"5\")", "-read(1) = [5 6 5]", "read(1) = [5 6 \"5\"]");
}

TEST(a_counter_returns_nothing_or_a_value) {
  RUN("counter", NULL, "get = 0", "inc", "inc = 2", "-inc = 4", "dec = nil",
      "get = 1", "add(5)", "add(5) = 5", "read = 11", "add(2) = 13",
      "sub(3) = :ok", "value = 10", "fetch_add(5) = 10", "get = 15",
      "-add_fetch(5) = 15", "add_fetch(5) = 20", "getAndIncrement = 20",
      "incrementAndGet = 22", "fetch_dec = 22", "dec_fetch = 20",
      "fetch_sub(1) = 20", "sub_fetch(1) = 18", "inc(2)", "get = 20", "reset",
      "get = 0", "reset(4)", "get = 4", "dec(5) = -1", "#add(\"x\")", "#add");
  RUN("counter", "3", "get = 3");
}

TEST(a_queue_is_first_in_first_out) {
  RUN("queue", NULL, "deq = nil", "deq = :empty", "poll = \"null\"",
      "dequeue = false", "-deq = 1", "enq(1)", "enqueue(2) = true",
      "offer(3) = 3", "-deq = :empty", "-deq = 2", "peek = 1", "front = 1",
      "size = 3", "isEmpty = false", "contains(2) = true",
      "contains(7) = false", "toArray = [1 2 3]", "-toArray = [1 3 2]",
      "deq = 1", "take = 2", "poll = \"3\"", "deq = nil", "is_empty = true",
      "add(1)", "put(2)", "drain = [1 2]", "deq = nil", "push(1)", "clear",
      "pop = nil", "-enq(1) = false", "enq(1) ?", "deq ?", "deq = nil",
      "enq(2) !", "deq = nil", "deq", "#write(1)", "#enq", "#enq(1) = 17");
  RUN("bounded-queue", "2", "enq(1)", "enq(2)", "-enq(3)", "-enq(3) ?",
      "enq(3) = false", "deq = 1", "-enq(3) = false", "enq(3) = true",
      "toArray = [2 3]");
}

TEST(what_often_means_nothing_can_be_a_value) {
  RUN("queue", NULL, "deq = false", "enq(false)", "deq = false", "enq(true)",
      "-deq = false", "deq = true", "-deq = false", "deq = nil");
  RUN("stack", NULL, "pop = \"none\"", "push(\"none\")", "-pop = nil",
      "pop = \"none\"", "-pop = \"none\"", "pop = nil");
}

TEST(a_stack_is_last_in_first_out) {
  RUN("stack", NULL, "pop = nil", "push(1)", "push(2)", "peek = 2", "top = 2",
      "-pop = 1", "pop = 2", "pop = 1", "pop = \"empty\"", "-pop = 1");
}

TEST(a_deque_has_two_ends) {
  RUN("deque", NULL, "pushFront(1)", "push_back(2)", "addFirst(0)",
      "toArray = [0 1 2]", "peekFirst = 0", "peek_back = 2", "popBack = 2",
      "pop_right = 1", "pop_right = 0", "popFront = nil", "push_left(1)",
      "push_left(2)", "steal = 2", "push_bottom(5)", "take = 5", "take = 1",
      "take = nil");
}

TEST(a_priority_queue_gives_the_smallest) {
  RUN("pqueue", NULL, "delete_min = nil", "insert(5)", "add(3)", "insert(4)",
      "insert(3)", "find_min = 3", "-deleteMin = 4", "deleteMin = 3",
      "poll = 3", "deleteMax = 5", "size = 1", "read = [4]", "pop = 4",
      "isEmpty = true", "remove = :empty");
  RUN("pqueue", NULL, "insert(\"a\", 2)", "insert(\"b\", 1)",
      "insert(\"c\", 1)", "insert(\"b\", 1)", "-poll = \"a\"", "poll = \"c\"",
      "poll = \"b\"", "poll = \"b\"", "poll = \"a\"", "poll = nil");
  RUN("max-pqueue", NULL, "insert(5)", "insert(7, 1)", "peek = 5", "poll = 5",
      "poll = 7");
}

TEST(of_equal_priorities_any_may_have_gone) {
  struct subject s;
  subject_open(&s, "pqueue", NULL);
  subject_does(&s, "insert(10, 1)");
  subject_does(&s, "insert(11, 1)");
  subject_does(&s, "insert(11, 1)");
  subject_does(&s, "insert(12, 2)");
  uint32_t next[TYPE_NEXT];
  CHECK_INT(subject_try(&s, "poll ?", next), 2);
  CHECK(!s.type->cut);
  s.state = next[0];
  PRINTS(&s, "[11, 11, 12]");
  s.state = next[1];
  PRINTS(&s, "[10, 11, 12]");
  for (int i = 0; i < 9; i++) {
    char call[40];
    snprintf(call, sizeof call, "insert(%d, 0)", i);
    CHECK(subject_does(&s, call));
  }
  CHECK_INT(subject_try(&s, "poll ?", next), TYPE_NEXT);
  CHECK(s.type->cut);
  subject_close(&s);
}

TEST(a_set_tells_whether_it_changed) {
  RUN("set", NULL, "contains(1) = false", "add(1) = true", "add(1) = false",
      "-add(1) = true", "add(1)", "insert(2) = 2", "contains(2) = true",
      "size = 2", "read = [2 1]", "-read = [1 2 2]", "-read = [1]",
      "-read = [1 2 3]", "remove(3) = false", "delete(1) = true",
      "-delete(1) = true", "has(1) = \"false\"", "clear", "read = []",
      "read = nil", "isEmpty = true", "#read = 5");
  RUN("multiset", NULL, "add(1) = true", "add(1)", "-add(1) = false",
      "count(1) = 2", "size = 2", "read = [1 1]", "-read = [1]",
      "remove(1) = true", "contains(1) = true", "remove(1) = true",
      "remove(1) = false", "contains(1) = false");
}

TEST(a_lock_belongs_to_a_process) {
  RUN("lock", NULL, "1: acquire", "-2: acquire", "-1: acquire",
      "2: trylock = false", "-2: release", "2: release = false",
      "isLocked = true", "1: release", "2: lock = true", "2: unlock = true",
      "-2: unlock", "3: acquire ?", "-2: acquire", "3: release", "2: acquire !",
      "1: acquire(nil) = nil");
  RUN("mutex", NULL, "1: acquire", "-2: acquire", "2: release", "-2: release");
}

TEST(a_snapshot_is_scanned_at_once) {
  RUN("snapshot", NULL, "scan = []", "update(1, 5)", "scan = [nil 5]",
      "-scan = [5]", "scan = [nil 5 nil]", "write([0 6])", "scan = [6 5]",
      "read(1) = 5", "update(1, nil)", "scan = [6]", "#update(:a, 1)");
  RUN("snapshot", "2", "scan = [nil nil]", "-scan = []", "update(1, 5)",
      "scan = [nil 5]", "#update(2, 1)");
  RUN("snapshot", "[0 0]", "scan = [0 0]", "update(0, 1)", "scan = [1 0]");
}

TEST(any_type_can_be_had_by_key) {
  RUN("keyed-queue", NULL, "enq(1, 5)", "enq([1 6])", "enq(2, 7)", "deq(2) = 7",
      "deq([1 nil]) = [1 5]", "-deq(1) = 5", "deq(1) = 6", "deq(1) = nil");
  struct subject s;
  CHECK(!subject_open(&s, "keyed-kv", NULL));
  CHECK_HAS(s.error.text, "there is no type 'keyed-kv'");
}

TEST(classes_of_java_answer_as_java_prints) {
  RUN("java.util.concurrent.ArrayBlockingQueue", "3", "offer(1) = \"true\"",
      "addAll([2 3]) = \"true\"", "offer(4) = \"false\"",
      "toString = \"[1, 2, 3]\"", "toArray = \"[1,2,3]\"",
      "remainingCapacity = \"0\"", "peek = \"1\"", "remove(2) = \"true\"",
      "addAll([8 9]) = \"java.lang.IllegalStateException\"",
      "toString = \"[1, 3, 8]\"", "-put(1)", "removeAll([1 8]) = \"true\"",
      "removeAll([1 8]) = \"false\"", "retainAll([3 3]) = \"false\"",
      "containsAll([3 3]) = \"true\"", "containsAll([3 1]) = \"false\"",
      "contains(3) = \"true\"", "size = \"1\"", "poll = \"3\"",
      "poll = \"null\"", "peek = \"null\"", "isEmpty = \"true\"", "clear",
      "remove = \"java.util.NoSuchElementException\"", "-take = 1",
      "add(1) = true", "element = 1", "remove = 1", "toString = \"[]\"");
  RUN("LBQ", NULL, "remainingCapacity = \"2147483647\"", "offer(1) = \"true\"",
      "remainingCapacity = \"2147483646\"", "retainAll([2]) = \"true\"");
  RUN("ConcurrentLinkedQueue", NULL, "#remainingCapacity = 1",
      "#offerFirst(1)");
  RUN("ConcurrentLinkedDeque", NULL,
      "getLast = \"java.util.NoSuchElementException\"",
      "removeLast = \"java.util.NoSuchElementException\"", "addFirst(1)",
      "offerLast(2) = \"true\"", "offerFirst(2) = \"true\"",
      "toString = \"[2, 1, 2]\"", "removeLastOccurrence(2) = \"true\"",
      "toArray = \"[2,1]\"", "removeFirstOccurrence(7) = \"false\"",
      "peekLast = \"1\"", "pollLast = \"1\"", "getFirst = \"2\"",
      "removeLast = \"2\"", "pollFirst = \"null\"");
  RUN("PriorityBlockingQueue", NULL, "offer(2) = \"true\"",
      "offer(1) = \"true\"", "offer(0) = \"true\"", "toString = \"[0, 2, 1]\"",
      "addAll([3 0]) = \"true\"", "toString = \"[0, 0, 1, 2, 3]\"",
      "-toString = \"[0, 0, 1, 3, 2]\"", "remove(0) = \"true\"",
      "toArray = \"[0,2,1,3]\"", "poll = \"0\"", "toArray = \"[1,2,3]\"",
      "retainAll([3 2]) = \"true\"", "toArray = \"[2,3]\"",
      "remainingCapacity = \"2147483647\"", "peek = \"2\"", "clear",
      "peek = \"null\"");
  RUN("ConcurrentHashMap", NULL, "put(1, 2) = \"null\"", "put(1, 3) = \"2\"",
      "putAll({\"0\" 5, \"2\" 3})", "toString = \"{0=5, 1=3, 2=3}\"",
      "entrySet = \"[0=5, 1=3, 2=3]\"", "keySet = \"[0, 1, 2]\"",
      "values = \"[5, 3, 3]\"", "keys = \"[0,1,2]\"", "elements = \"[5,3,3]\"",
      "contains(3) = \"true\"", "containsValue(4) = \"false\"",
      "containsKey(2) = \"true\"", "get(7) = \"null\"", "remove(0) = \"5\"",
      "remove(0) = \"null\"", "size = \"2\"", "mappingCount = \"2\"", "clear",
      "isEmpty = \"true\"", "toString = \"{}\"", "#firstKey");
  RUN("ConcurrentSkipListMap", NULL,
      "firstKey = \"java.util.NoSuchElementException\"",
      "pollLastEntry = \"null\"", "putAll({\"0\" 1, \"2\" 2, \"4\" 3})",
      "firstKey = \"0\"", "lastKey = \"4\"", "ceilingKey(1) = \"2\"",
      "ceilingKey(2) = \"2\"", "higherKey(2) = \"4\"",
      "higherKey(4) = \"null\"", "floorKey(1) = \"0\"",
      "lowerKey(0) = \"null\"", "headMap(2) = \"{0=1}\"",
      "tailMap(2) = \"{2=2, 4=3}\"", "subMap(0, 4) = \"{0=1, 2=2}\"",
      "subMap(2, 2) = \"{}\"",
      "subMap(2, 0) = \"java.lang.IllegalArgumentException\"",
      "pollFirstEntry = \"0=1\"", "pollLastEntry = \"4=3\"",
      "-pollLastEntry = \"4=3\"", "toString = \"{2=2}\"");
  RUN("ConcurrentSkipListSet", NULL,
      "first = \"java.util.NoSuchElementException\"", "add(1) = \"true\"",
      "add(1) = \"false\"", "addAll([1 3]) = \"true\"",
      "addAll([1 3]) = \"false\"", "toString = \"[1, 3]\"",
      "tailSet(2) = \"[3]\"", "headSet(3) = \"[1]\"", "subSet(1, 3) = \"[1]\"",
      "subSet(2, 0) = \"java.lang.IllegalArgumentException\"",
      "floor(2) = \"1\"", "lower(1) = \"null\"", "ceiling(2) = \"3\"",
      "higher(3) = \"null\"", "containsAll([1 3]) = \"true\"",
      "retainAll([1 1]) = \"true\"", "removeAll([0 0]) = \"false\"",
      "contains(3) = \"false\"", "remove(1) = \"true\"",
      "remove(1) = \"false\"", "pollFirst = \"null\"", "toArray = \"[]\"",
      "add(5) = true", "pollLast = \"5\"");
}

static void refuses(const char *type, const char *argument, const char *why) {
  struct subject s;
  CHECK(!subject_open(&s, type, argument));
  CHECK_HAS(s.error.text, why);
}

TEST(what_does_not_exist_is_told) {
  refuses("quue", NULL, "did you mean queue?");
  refuses("nonesuch", NULL, "cas-register");
  refuses("bounded-queue", NULL, "its capacity is missing");
  refuses("ABQ", NULL, "its capacity is missing");
  refuses("queue", ":a", "is a capacity");
  refuses("CLQ", "5", "it takes no argument");
  refuses("counter", "\"x\"", "a number");
  refuses("./no-such.so", NULL, "no-such.so");
  struct subject s;
  subject_open(&s, "queue", NULL);
  uint32_t next[TYPE_NEXT];
  s.log.source = "some.edn";
  CHECK_INT(subject_try(&s, "frobnicate(1)", next), -1);
  CHECK_HAS(s.error.text, "a queue has no operation 'frobnicate'");
  CHECK_HAS(s.error.text, "dequeue");
  CHECK_INT(subject_try(&s, "enq(1, 2)", next), -1);
  CHECK_HAS(s.error.text, "1 argument expected");
  subject_close(&s);
}

/* What `faultline specs` lists is understood by the type. */
TEST(the_list_of_types_is_true) {
  for (const struct type_info *i = type_infos; i->name; i++) {
    struct subject s;
    const char *argument =
        strstr(i->name, "ounded") || *i->name == 'A' ? "5" : NULL;
    if (!CHECK(subject_open(&s, i->name, argument)))
      continue;
    const char *at = i->operations;
    while (*at) {
      char call[80] = "";
      size_t len = strcspn(at, " (");
      memcpy(call, at, len);
      at += len;
      if (*at == '(')
        at += strcspn(at, ")") + 1;
      at += strspn(at, " ");
      uint32_t next[TYPE_NEXT];
      subject_try(&s, call, next);
      if (strstr(s.error.text, "has no operation")) {
        fprintf(stderr, "%s: %s\n", i->name, s.error.text);
        CHECK(false);
      }
    }
    subject_close(&s);
  }
}

static const char *guess(const char *const *calls) {
  struct log l = {.type_argument = DATUM_NONE};
  for (; *calls; calls++)
    vec_push(&l.ops, parse_call(&l, *calls));
  struct error e = {0};
  static char text[2100];
  const char *name = type_guess(&l, &e);
  snprintf(text, sizeof text, "%s", name ? name : e.text);
  log_free(&l);
  return text;
}
#define GUESS(want, ...)                                                       \
  CHECK_STR(guess((const char *const[]){__VA_ARGS__, NULL}), want)

TEST(a_type_is_guessed_from_its_operations) {
  GUESS("register", "read = 1", "write(1)");
  GUESS("cas-register", "read(nil) = 1", "write(1)", "cas([1 2])");
  GUESS("registers", "read([1 nil]) = [1 2]", "write([1 2])");
  GUESS("cas-registers", "read([1 nil]) = [1 2]", "cas([1 [2 3]])");
  GUESS("kv", "get(1) = 2", "put(1, 2)");
  GUESS("kv", "get(\"a\")", "append(\"a\", \"b\")", "put(\"a\", \"b\")");
  GUESS("list-append", "read(1) = [2]", "append(1, 2)");
  GUESS("queue", "enq(1)", "deq = 1");
  GUESS("queue", "enqueue(1)", "dequeue = 1", "front");
  GUESS("stack", "push(1)", "pop = 1");
  GUESS("deque", "push_left(1)", "pop_right = 1");
  GUESS("pqueue", "insert(1)", "delete_min = 1", "find_min = 1");
  GUESS("pqueue", "insert(1)", "delete_max = 1");
  GUESS("set", "add(1) = true", "remove(1) = true", "contains(1) = false");
  GUESS("set", "add(1)", "read = [1]");
  GUESS("counter", "add(1)", "read = 1");
  GUESS("counter", "inc", "get = 1");
  GUESS("lock", "acquire", "release");
  GUESS("snapshot", "update(0, 1)", "scan = [1]");
  CHECK_HAS(guess((const char *const[]){"put(1)", "take = 1", NULL}),
            "fit several types: queue, stack");
  CHECK_HAS(guess((const char *const[]){"frob", NULL}), "no type has all");
}

TEST_MAIN
