/* Streams of sets, lists and compare-and-sets: that they stay watched, in which
 * memory, and what becomes of operations that are open for long. */
#include "history/stream/online.h"

#include "random_log.h"
#include "stream.h"
#include "test.h"

struct told {
  struct type *type;
  struct online *online;
};

static struct told told_new(const char *name, uint32_t window) {
  struct error e = {0};
  struct online_options how = {.window = window};
  struct told t = {.type = type_open(name, DATUM_NONE, &e)};
  t.online = online_new(t.type, &how);
  return t;
}

static void told_free(struct told *t) {
  online_free(t->online);
  type_free(t->type);
}

static void call(struct told *t, uint32_t process, const char *f, datum a,
                 datum b) {
  struct error e = {0};
  struct log_event ev = {.kind = LOG_CALL,
                         .process = process,
                         .f = f,
                         .flen = (uint32_t)strlen(f),
                         .nargs =
                             (uint8_t)((a != DATUM_NONE) + (b != DATUM_NONE)),
                         .arg = {a, b, DATUM_NONE},
                         .result = DATUM_NONE,
                         .order = LOG_NO_HINT};
  CHECK_INT(online_add(t->online, &ev, &e), 0);
}

static void ret(struct told *t, uint32_t process, datum result) {
  struct error e = {0};
  struct log_event ev = {.kind = LOG_OK,
                         .process = process,
                         .result = result,
                         .order = LOG_NO_HINT};
  CHECK_INT(online_add(t->online, &ev, &e), 0);
}

static enum log_verdict verdict(const struct told *t) {
  return online_answer(t->online).verdict;
}

static datum n(int v) { return datum_number(v); }

/* What sixty busy processes make the checker hold. */
static uint64_t most_of_sixty(const char *shape, uint32_t values,
                              uint32_t operations, uint32_t crash_rate) {
  struct random_log want = {.shape = shape,
                            .seed = 5,
                            .operations = operations,
                            .processes = 60,
                            .values = values,
                            .crash_rate = crash_rate};
  struct log l = random_log(&want);
  for (uint32_t i = 0; i < l.ops.len; i++) {
    struct log_op *o = &l.ops.at[i];
    if (!values && o->ret != LOG_PENDING && o->result == DATUM_FALSE) {
      o->f = log_function(&l, "read", 4); /* what fails is for search */
      o->nargs = 0;
      o->result = DATUM_NONE;
    }
  }
  struct told t = told_new(shape, 0);
  struct stream s = stream_of(&l);
  struct error e = {0};
  uint64_t most = 0;
  for (uint32_t time = 0; time < l.end; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    CHECK_INT(online_add(t.online, &ev, &e), 0);
    if (l.ops.at[s.at[time] / 2].ret == LOG_PENDING) {
      ev.kind = LOG_INFO;
      CHECK_INT(online_add(t.online, &ev, &e), 0);
    }
    if (online_bytes(t.online) > most)
      most = online_bytes(t.online);
  }
  CHECK_INT(verdict(&t), LOG_LINEARIZABLE);
  CHECK_INT(online_watched(t.online), online_parts(t.online));
  free(s.at);
  told_free(&t);
  log_free(&l);
  return most;
}

TEST(sixty_on_one_key_are_watched_in_little_memory) {
  for (uint32_t crash_rate = 0; crash_rate <= 100; crash_rate += 100) {
    CHECK(most_of_sixty("set", 1, 50000, crash_rate) < 1 << 15);
    uint64_t few = most_of_sixty("cas-register", 0, 5000, crash_rate);
    uint64_t many = most_of_sixty("cas-register", 0, 50000, crash_rate);
    CHECK(many < 2 * few && many < 1 << 18);
  }
}

/* One chain, of which the last groups are enough. */
TEST(a_register_that_is_only_compared_is_forgotten_too) {
  struct told t = told_new("cas-register", 0);
  for (int i = 0; i < 20000; i++) {
    call(&t, 1, "cas", i ? n(i) : DATUM_NIL, n(i + 1));
    ret(&t, 1, DATUM_TRUE);
  }
  CHECK_INT(verdict(&t), LOG_LINEARIZABLE);
  CHECK_INT(online_watched(t.online), 1);
  CHECK(online_bytes(t.online) < 1 << 15);
  call(&t, 1, "cas", n(19999), n(1));
  ret(&t, 1, DATUM_TRUE);
  CHECK_INT(verdict(&t), LOG_VIOLATION);
  CHECK_HAS(online_answer(t.online).text, "19999");
  told_free(&t);
}

TEST(a_compare_and_set_that_is_open_for_long_is_given_up) {
  struct told t = told_new("cas-register", 100);
  call(&t, 9, "cas", n(3), n(1000000));
  for (int i = 1; i <= 5000; i++) {
    call(&t, 1, "write", n(i), DATUM_NONE);
    ret(&t, 1, DATUM_NONE);
  }
  CHECK_INT(verdict(&t), LOG_LINEARIZABLE);
  CHECK(online_bytes(t.online) < 1 << 16);
  ret(&t, 9, DATUM_TRUE);
  CHECK_INT(verdict(&t), LOG_UNKNOWN);
  CHECK_STR(online_answer(t.online).limit, "window");
  call(&t, 2, "read", DATUM_NONE, DATUM_NONE);
  ret(&t, 2, n(4000));
  CHECK_INT(verdict(&t), LOG_VIOLATION);
  told_free(&t);
}

/* Its value was seen, replaced and forgotten before it is given up. */
TEST(a_compare_and_set_that_was_seen_is_given_up) {
  struct told t = told_new("cas-register", 100);
  call(&t, 9, "cas", DATUM_NIL, n(1));
  for (int i = 1; i <= 5000; i++) {
    call(&t, 1, "cas", n(i), n(i + 1));
    ret(&t, 1, DATUM_TRUE);
  }
  CHECK_INT(verdict(&t), LOG_LINEARIZABLE);
  CHECK(online_bytes(t.online) < 1 << 16);
  call(&t, 1, "write", n(5001), DATUM_NONE); /* twice: for search */
  CHECK_INT(online_watched(t.online), 0);
  ret(&t, 1, DATUM_NONE);
  ret(&t, 9, DATUM_TRUE);
  CHECK_INT(verdict(&t), LOG_UNKNOWN);
  call(&t, 2, "read", DATUM_NONE, DATUM_NONE);
  ret(&t, 2, n(5000));
  CHECK_INT(verdict(&t), LOG_VIOLATION);
  told_free(&t);
}

/* Search goes on where two of it may be inside, and not before. */
TEST(an_element_of_a_multiset_comes_again) {
  struct told t = told_new("multiset", 0);
  call(&t, 2, "contains", n(7), DATUM_NONE); /* or it would be forgotten */
  for (int i = 0; i < 100; i++) {
    call(&t, 1, "add", n(7), DATUM_NONE);
    ret(&t, 1, DATUM_TRUE);
    CHECK_INT(online_watched(t.online), 1);
    call(&t, 1, "remove", n(7), DATUM_NONE);
    ret(&t, 1, DATUM_TRUE);
  }
  ret(&t, 2, DATUM_TRUE);
  CHECK_INT(online_parts(t.online), 0);
  call(&t, 1, "add", n(7), DATUM_NONE);
  call(&t, 2, "add", n(7), DATUM_NONE);
  CHECK_INT(online_watched(t.online), 0);
  told_free(&t);
}

static datum items_until(int last) {
  datum items[8];
  for (int i = 1; i <= last; i++)
    items[i - 1] = n(i);
  return datum_list(items, (uint32_t)last);
}

/* An append that was read and a read are open while others come and go. */
TEST(a_list_gives_up_what_holds_its_versions) {
  struct told t = told_new("list-append", 20);
  call(&t, 8, "append", n(0), n(1));
  call(&t, 9, "read", n(0), DATUM_NONE);
  for (int i = 1; i < 8; i++) {
    for (int k = 0; k < 10; k++) {
      call(&t, 1, "read", n(0), DATUM_NONE);
      ret(&t, 1, items_until(i));
    }
    call(&t, 1, "append", n(0), n(i + 1));
    ret(&t, 1, DATUM_NONE);
  }
  CHECK_INT(verdict(&t), LOG_LINEARIZABLE);
  CHECK_INT(online_watched(t.online), 1);
  call(&t, 1, "append", n(0), n(3)); /* twice: for search */
  CHECK_INT(online_watched(t.online), 0);
  CHECK_INT(verdict(&t), LOG_UNKNOWN);
  CHECK_STR(online_answer(t.online).limit, "window");
  call(&t, 2, "read", n(0), DATUM_NONE);
  ret(&t, 2, items_until(6));
  CHECK_INT(verdict(&t), LOG_VIOLATION);
  told_free(&t);
}

TEST_MAIN
