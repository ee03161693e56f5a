/* Memory of a stream that is checked, by counting; operations that stay open.
 */
#include "history/stream/online.h"

#include "random_log.h"
#include "stream.h"
#include "test.h"

#include <malloc.h>

struct use {
  uint64_t said; /* by the checker, at most */
  size_t heap;   /* by malloc, at most */
  enum log_verdict verdict;
};

static struct use use_of(const char *shape, uint32_t operations,
                         uint32_t values) {
  struct random_log want = {.shape = shape,
                            .seed = 3,
                            .operations = operations,
                            .processes = 4,
                            .values = values,
                            .keys = 20,
                            .removals = 90};
  struct log l = random_log(&want);
  struct stream s = stream_of(&l);
  struct error e = {0};
  struct use u = {0};
  size_t before = mallinfo2().uordblks;
  struct type *t = type_open(shape, DATUM_NONE, &e);
  struct online_options none = {0};
  struct online *o = online_new(t, &none);
  for (uint32_t time = 0; time < l.end; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    CHECK_INT(online_add(o, &ev, &e), 0);
    if (time % 64)
      continue;
    if (online_bytes(o) > u.said)
      u.said = online_bytes(o);
    if (mallinfo2().uordblks - before > u.heap)
      u.heap = mallinfo2().uordblks - before;
  }
  u.verdict = online_answer(o).verdict;
  online_free(o);
  type_free(t);
  free(s.at);
  log_free(&l);
  return u;
}

/* Ten times as long, and no more memory: the history itself has 4 MB. */
static void is_bounded(const char *shape, uint32_t values) {
  struct use few = use_of(shape, 5000, values);
  struct use many = use_of(shape, 50000, values);
  CHECK_INT(few.verdict, LOG_LINEARIZABLE);
  CHECK_INT(many.verdict, LOG_LINEARIZABLE);
  if (!CHECK(many.heap < 2 * few.heap + (1 << 20)) ||
      !CHECK(many.said < 2 * few.said + (1 << 20)))
    fprintf(stderr, "%s: %zu, then %zu bytes\n", shape, few.heap, many.heap);
  if (!many.heap)
    return; /* a sanitizer's malloc, which does not count */
  /* What it says of itself is about right. */
  if (!CHECK(many.heap < 2 * many.said + (1 << 18)) ||
      !CHECK(many.said < 2 * many.heap + (1 << 18)))
    fprintf(stderr, "%s: %zu, said %zu bytes\n", shape, many.heap,
            (size_t)many.said);
}

TEST(memory_does_not_grow_with_the_length) {
  is_bounded("register", 0);
  is_bounded("register", 5);
  is_bounded("cas-register", 5);
  is_bounded("queue", 0);
  is_bounded("stack", 0);
  is_bounded("pqueue", 0);
  is_bounded("set", 30);
  is_bounded("map", 0);
  is_bounded("counter", 0);
}

/* Twenty busy processes, who look and find nothing too; some crash. */
static uint64_t most_of_twenty(const char *shape, uint32_t operations,
                               uint32_t crash_rate) {
  struct random_log want = {.shape = shape,
                            .seed = 9,
                            .operations = operations,
                            .processes = 20,
                            .removals = 60,
                            .crash_rate = crash_rate};
  struct log l = random_log(&want);
  struct stream s = stream_of(&l);
  struct error e = {0};
  struct type *t = type_open(shape, DATUM_NONE, &e);
  struct online_options none = {0};
  struct online *o = online_new(t, &none);
  uint64_t most = 0;
  for (uint32_t time = 0; time < l.end; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    CHECK_INT(online_add(o, &ev, &e), 0);
    if (l.ops.at[s.at[time] / 2].ret == LOG_PENDING) {
      ev.kind = LOG_INFO;
      CHECK_INT(online_add(o, &ev, &e), 0);
    }
    if (online_bytes(o) > most)
      most = online_bytes(o);
  }
  CHECK_INT(online_answer(o).verdict, LOG_LINEARIZABLE);
  CHECK_INT(online_watched(o), online_parts(o));
  online_free(o);
  type_free(t);
  free(s.at);
  log_free(&l);
  return most;
}

TEST(busy_stacks_and_priority_queues_are_watched_in_little_memory) {
  const char *const shapes[] = {"stack", "pqueue"};
  for (int i = 0; i < 2; i++)
    for (uint32_t crash_rate = 0; crash_rate <= 100; crash_rate += 100) {
      uint64_t few = most_of_twenty(shapes[i], 5000, crash_rate);
      uint64_t many = most_of_twenty(shapes[i], 50000, crash_rate);
      if (!CHECK(many < 2 * few + (1 << 15)) || !CHECK(many < 1 << 17))
        fprintf(stderr, "%s: %d, then %d bytes\n", shapes[i], (int)few,
                (int)many);
    }
}

/* Concurrent insertions whose order nobody knows, a hundred at once inside. */
TEST(a_long_queue_has_few_states) {
  struct random_log want = {.shape = "queue",
                            .seed = 5,
                            .operations = 3000,
                            .processes = 3,
                            .removals = 40};
  struct log l = random_log(&want);
  struct stream s = stream_of(&l);
  struct error e = {0};
  struct type *t = type_open("queue", DATUM_NONE, &e);
  struct online_options o = {.budget = {.steps = 3000 * 1000}};
  struct online *x = online_new(t, &o);
  for (uint32_t time = 0; time < l.end; time++) {
    struct log_event ev;
    if (stream_event(&s, time, &ev))
      CHECK_INT(online_add(x, &ev, &e), 0);
  }
  CHECK_INT(online_answer(x).verdict, LOG_LINEARIZABLE);
  online_free(x);
  type_free(t);
  free(s.at);
  log_free(&l);
}

static int tell(struct online *o, enum log_event_kind kind, uint32_t process,
                const char *f, datum x) {
  struct error e = {0};
  struct log_event ev = {.kind = kind,
                         .process = process,
                         .f = f,
                         .flen = f ? (uint32_t)strlen(f) : 0,
                         .nargs = kind == LOG_CALL && x != DATUM_NONE,
                         .arg = {x, DATUM_NONE, DATUM_NONE},
                         .result = x,
                         .order = LOG_NO_HINT};
  int err = online_add(o, &ev, &e);
  if (err)
    fprintf(stderr, "%s\n", e.text);
  return err;
}

/* Twelve values at once, of which two open removals take some. */
static struct online_answer twelve(bool search, bool returns) {
  enum { MANY = 12 };
  struct error e = {0};
  struct online_options how = {.search = search};
  struct type *t = type_open("queue", DATUM_NONE, &e);
  struct online *o = online_new(t, &how);
  for (uint32_t i = 1; i <= MANY; i++)
    tell(o, LOG_CALL, i, "enqueue", datum_number(i));
  for (uint32_t i = 1; i <= MANY; i++)
    tell(o, LOG_OK, i, NULL, DATUM_NONE);
  tell(o, LOG_CALL, 20, "dequeue", DATUM_NONE);
  tell(o, LOG_CALL, 21, "dequeue", DATUM_NONE);
  tell(o, LOG_OK, 21, NULL, datum_number(3));
  if (returns)
    tell(o, LOG_OK, 20, NULL, datum_number(5));
  CHECK_INT(online_answer(o).verdict, LOG_LINEARIZABLE);
  tell(o, LOG_CALL, 21, "dequeue", DATUM_NONE);
  tell(o, LOG_OK, 21, NULL, datum_number(99));
  struct online_answer a = online_answer(o);
  a.text = NULL;
  online_free(o);
  type_free(t);
  return a;
}

/* More values than an open removal may choose from: what it took is known
 * when it returns, and then all is certain again.  A watch need not choose. */
TEST(what_was_left_out_is_looked_at_again) {
  CHECK_INT(twelve(true, true).verdict, LOG_VIOLATION);
  CHECK_INT(twelve(true, false).verdict, LOG_UNKNOWN);
  CHECK_STR(twelve(true, false).limit, "next states");
  CHECK_INT(twelve(false, true).verdict, LOG_VIOLATION);
  CHECK_INT(twelve(false, false).verdict, LOG_VIOLATION);
}

/* 3 was inside when process 10 found nothing; before and after that open
 * removals may have taken all there was, which is not known at the same time.
 */
TEST(what_explains_an_empty_queue_is_not_joined_too_early) {
  struct error e = {0};
  for (int search = 0; search < 2; search++) {
    struct online_options how = {.search = search == 1};
    struct type *t = type_open("queue", DATUM_NONE, &e);
    struct online *o = online_new(t, &how);
    tell(o, LOG_CALL, 1, "dequeue", DATUM_NONE);
    tell(o, LOG_CALL, 3, "enqueue", datum_number(3));
    tell(o, LOG_CALL, 2, "enqueue", datum_number(2));
    tell(o, LOG_OK, 2, NULL, DATUM_NONE);
    tell(o, LOG_CALL, 2, "dequeue", DATUM_NONE);
    tell(o, LOG_OK, 3, NULL, DATUM_NONE);
    tell(o, LOG_CALL, 10, "dequeue", DATUM_NONE);
    tell(o, LOG_OK, 10, NULL, DATUM_NIL);
    tell(o, LOG_CALL, 3, "dequeue", DATUM_NONE);
    CHECK_INT(online_answer(o).verdict, LOG_LINEARIZABLE);
    tell(o, LOG_OK, 3, NULL, datum_number(3));
    CHECK_INT(online_answer(o).verdict, LOG_VIOLATION);
    online_free(o);
    type_free(t);
  }
}

TEST(keys_that_are_as_at_first_are_forgotten) {
  struct error e = {0};
  struct online_options none = {0};
  struct type *t = type_open("set", DATUM_NONE, &e);
  struct online *o = online_new(t, &none);
  for (int i = 0; i < 1000; i++) {
    tell(o, LOG_CALL, 1, "add", datum_number(i));
    tell(o, LOG_OK, 1, NULL, DATUM_TRUE);
    tell(o, LOG_CALL, 1, "remove", datum_number(i));
    CHECK_INT(online_parts(o), 1);
    tell(o, LOG_OK, 1, NULL, DATUM_TRUE);
    CHECK_INT(online_parts(o), 0);
  }
  CHECK_INT(online_answer(o).verdict, LOG_LINEARIZABLE);
  online_free(o);
  type_free(t);
}

/* A read is open while many writes come and go; then it returns or does not. */
static struct online_answer long_open(struct online *o, bool returns,
                                      uint64_t *most) {
  tell(o, LOG_CALL, 9, "read", DATUM_NONE);
  for (int i = 0; i < 5000; i++) {
    tell(o, LOG_CALL, 1, "write", datum_number(i));
    tell(o, LOG_OK, 1, NULL, DATUM_NONE);
    if (online_bytes(o) > *most)
      *most = online_bytes(o);
  }
  if (returns)
    tell(o, LOG_OK, 9, NULL, datum_number(7));
  return online_answer(o);
}

TEST(what_stays_open_for_too_long_is_given_up) {
  for (int returns = 0; returns < 2; returns++) {
    struct error e = {0};
    uint64_t small = 0, large = 0;
    struct online_options narrow = {.window = 100}, wide = {0};
    struct type *t = type_open("register", DATUM_NONE, &e);
    struct online *o = online_new(t, &narrow);
    struct online_answer a = long_open(o, returns, &small);
    CHECK_INT(a.verdict, returns ? LOG_UNKNOWN : LOG_LINEARIZABLE);
    CHECK_STR(a.limit, returns ? "window" : NULL);
    /* A violation is one all the same. */
    tell(o, LOG_CALL, 1, "read", DATUM_NONE);
    tell(o, LOG_OK, 1, NULL, datum_number(1));
    CHECK_INT(online_answer(o).verdict, LOG_VIOLATION);
    online_free(o);
    o = online_new(t, &wide);
    CHECK_INT(long_open(o, returns, &large).verdict, LOG_LINEARIZABLE);
    CHECK(large > 2 * small);
    online_free(o);
    type_free(t);
  }
}

static void one(struct online *o, const char *f, datum x, datum result) {
  tell(o, LOG_CALL, 1, f, x);
  tell(o, LOG_OK, 1, NULL, result);
}

/* A look, or a removal, is open while values come and go. */
static struct online_answer long_look(struct online *o, const char *f,
                                      datum returns) {
  one(o, "push", datum_number(5000), DATUM_NONE);
  tell(o, LOG_CALL, 9, f, DATUM_NONE);
  for (int i = 0; i < 2000; i++) {
    one(o, "push", datum_number(i), DATUM_NONE);
    one(o, "pop", DATUM_NONE, datum_number(i));
  }
  CHECK(online_bytes(o) < 1 << 16);
  if (returns != DATUM_NONE)
    tell(o, LOG_OK, 9, NULL, returns);
  return online_answer(o);
}

static void look_for_long(const char *type, const char *f, bool returns) {
  struct error e = {0};
  struct online_options narrow = {.window = 100};
  struct type *t = type_open(type, DATUM_NONE, &e);
  struct online *o = online_new(t, &narrow);
  struct online_answer a =
      long_look(o, f, returns ? datum_number(7) : DATUM_NONE);
  CHECK_INT(a.verdict, returns ? LOG_UNKNOWN : LOG_LINEARIZABLE);
  CHECK_STR(a.limit, returns ? "window" : NULL);
  /* A removal may have taken one of these, but not both. */
  one(o, "push", datum_number(-2), DATUM_NONE);
  one(o, "pop", DATUM_NONE, datum_number(5000));
  CHECK_INT(online_answer(o).verdict,
            strcmp(f, "pop") ? LOG_VIOLATION : a.verdict);
  one(o, "push", datum_number(-3), DATUM_NONE);
  one(o, "pop", DATUM_NONE, DATUM_NIL);
  CHECK_INT(online_answer(o).verdict, LOG_VIOLATION);
  online_free(o);
  type_free(t);
}

TEST(what_looks_for_too_long_is_given_up) {
  for (int returns = 0; returns < 2; returns++) {
    look_for_long("stack", "peek", returns);
    look_for_long("pqueue", "peek", returns);
    look_for_long("pqueue", "pop", returns);
  }
}

TEST(a_removal_from_a_stack_is_not_given_up) {
  for (int right = 0; right < 2; right++) {
    struct error e = {0};
    struct online_options narrow = {.window = 100};
    struct type *t = type_open("stack", DATUM_NONE, &e);
    struct online *o = online_new(t, &narrow);
    CHECK_INT(long_look(o, "pop", datum_number(right ? 5000 : 7)).verdict,
              right ? LOG_LINEARIZABLE : LOG_VIOLATION);
    online_free(o);
    type_free(t);
  }
}

TEST(a_limit_of_memory_holds) {
  struct error e = {0};
  struct online_options little = {.budget = {.memory = 200000}};
  struct type *t = type_open("counter", DATUM_NONE, &e);
  struct online *o = online_new(t, &little);
  for (uint32_t i = 0; i < 20; i++)
    tell(o, LOG_CALL, i, "add", datum_number(1 << i));
  tell(o, LOG_CALL, 50, "get", DATUM_NONE);
  tell(o, LOG_OK, 50, NULL, datum_number(-1));
  CHECK_INT(online_answer(o).verdict, LOG_UNKNOWN);
  CHECK_STR(online_answer(o).limit, "memory");
  CHECK_INT(tell(o, LOG_OK, 3, NULL, DATUM_NONE), 0); /* and it goes on */
  online_free(o);
  type_free(t);
}

TEST_MAIN
