/* The library, as a program sees it. */
#include "faultline/check.h"

#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static struct fl_check *opened(const char *spec, bool online) {
  struct fl_check_options o = {
      .size = sizeof o, .spec = spec, .online = online};
  char error[300] = "";
  struct fl_check *c = fl_check_new(&o, error, sizeof error);
  if (!CHECK(c))
    fprintf(stderr, "%s\n", error);
  return c;
}

static int begin(struct fl_check *c, uint32_t process, const char *name,
                 int64_t arg) {
  struct fl_datum d = fl_number(arg);
  return fl_check_begin(c, process, name, &d, arg ? 1 : 0);
}

static int call(struct fl_check *c, const char *name, int64_t arg,
                int64_t result) {
  int code = begin(c, 1, name, arg);
  if (code < 0)
    return code;
  return fl_check_end(c, 1, result ? fl_number(result) : fl_none());
}

static enum fl_check_verdict verdict(struct fl_check *c) {
  struct fl_check_result r = fl_check_result_init();
  CHECK_INT(fl_check_result(c, &r), FL_CHECK_OK);
  return r.verdict;
}

TEST(a_right_history_is_linearizable) {
  struct fl_check *c = opened("queue", false);
  CHECK_INT(call(c, "enqueue", 1, 0), FL_CHECK_OK);
  begin(c, 1, "enqueue", 2);
  begin(c, 2, "dequeue", 0);
  CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE); /* while two are open */
  fl_check_end(c, 2, fl_number(1));
  fl_check_end(c, 1, fl_none());
  CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE);
  fl_check_free(c);
}

TEST(a_violation_is_explained) {
  struct fl_check *c = opened("queue", false);
  struct fl_check_result r = fl_check_result_init();
  call(c, "enqueue", 1, 0);
  call(c, "enqueue", 2, 0);
  call(c, "dequeue", 0, 2);
  call(c, "enqueue", 3, 0);
  CHECK_INT(fl_check_result(c, &r), FL_CHECK_OK);
  CHECK_INT(r.verdict, FL_CHECK_VIOLATION);
  CHECK_INT(r.event, 6);
  CHECK_HAS(r.text, "dequeue() = 2 by process 1");
  CHECK_HAS(r.text, "violation: ");
  CHECK(!strstr(r.text, "enqueue(3)"));
  fl_check_free(c);
}

TEST(online_the_first_violation_is_told_at_once) {
  struct fl_check *c = opened("stack", true);
  struct fl_check_result r = fl_check_result_init();
  CHECK_INT(call(c, "push", 1, 0), FL_CHECK_OK);
  CHECK_INT(call(c, "push", 2, 0), FL_CHECK_OK);
  CHECK_INT(call(c, "pop", 0, 1), FL_CHECK_BAD);
  CHECK_INT(call(c, "pop", 0, 2), FL_CHECK_BAD);
  CHECK_INT(fl_check_result(c, &r), FL_CHECK_OK);
  CHECK_INT(r.verdict, FL_CHECK_VIOLATION);
  CHECK_INT(r.event, 6);
  CHECK_STR(r.method, "online");
  CHECK_HAS(r.text, "pop() = 1 by process 1");
  CHECK_HAS(r.text, "2, which was added later, was inside all the time");
  fl_check_free(c);
}

TEST(whole_operations_come_with_times) {
  struct fl_datum one = fl_number(1), two = fl_number(2);
  struct fl_check_op ops[] = {
      {.size = sizeof(struct fl_check_op),
       .process = 2,
       .name = "read",
       .result = two,
       .call = 30,
       .ret = 40},
      {.size = sizeof(struct fl_check_op),
       .process = 1,
       .name = "write",
       .args = &one,
       .nargs = 1,
       .call = 10,
       .ret = 20},
      {.size = sizeof(struct fl_check_op),
       .process = 3,
       .name = "write",
       .args = &two,
       .nargs = 1,
       .call = 5,
       .ret = FL_CHECK_NEVER},
  };
  for (int online = 0; online < 2; online++) {
    struct fl_check *c = opened("register", online);
    CHECK_INT(fl_check_add(c, ops, 3), FL_CHECK_OK);
    CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE);
    fl_check_free(c);
    ops[2].call = 50;
    c = opened("register", online);
    CHECK_INT(fl_check_add(c, ops, 3), online ? FL_CHECK_BAD : FL_CHECK_OK);
    CHECK_INT(verdict(c), FL_CHECK_VIOLATION);
    fl_check_free(c);
    ops[2].call = 5;
  }
}

TEST(equal_times_are_concurrent) {
  struct fl_datum one = fl_number(1);
  struct fl_check_op ops[] = {
      {.size = sizeof(struct fl_check_op),
       .process = 1,
       .name = "write",
       .args = &one,
       .nargs = 1,
       .call = 1,
       .ret = 5},
      {.size = sizeof(struct fl_check_op),
       .process = 2,
       .name = "read",
       .result = fl_nil(),
       .call = 5,
       .ret = 6},
  };
  struct fl_check *c = opened("register", false);
  CHECK_INT(fl_check_add(c, ops, 2), FL_CHECK_OK);
  CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE);
  fl_check_free(c);
}

TEST(a_known_order_is_kept) {
  struct fl_datum one = fl_number(1), two = fl_number(2);
  struct fl_check_op ops[] = {
      {.size = sizeof(struct fl_check_op),
       .process = 1,
       .name = "write",
       .args = &one,
       .nargs = 1,
       .call = 1,
       .ret = 9,
       .order = 2},
      {.size = sizeof(struct fl_check_op),
       .process = 2,
       .name = "write",
       .args = &two,
       .nargs = 1,
       .call = 2,
       .ret = 8,
       .order = 1},
      {.size = sizeof(struct fl_check_op),
       .process = 3,
       .name = "read",
       .result = two,
       .call = 20,
       .ret = 21},
  };
  struct fl_check *c = opened("register", false);
  CHECK_INT(fl_check_add(c, ops, 3), FL_CHECK_OK);
  CHECK_INT(verdict(c), FL_CHECK_VIOLATION);
  fl_check_free(c);
  c = opened("register", true);
  CHECK_INT(fl_check_add(c, ops, 3), FL_CHECK_ERROR);
  CHECK_HAS(fl_check_error(c), "a given order of operations cannot");
  fl_check_free(c);
}

TEST(dropped_and_crashed_operations) {
  for (int online = 0; online < 2; online++) {
    struct fl_check *c = opened("register", online);
    begin(c, 1, "write", 1);
    fl_check_drop(c, 1);
    begin(c, 2, "write", 2);
    fl_check_crash(c, 2);
    begin(c, 3, "read", 0);
    CHECK_INT(fl_check_end(c, 3, fl_number(2)), FL_CHECK_OK);
    CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE);
    begin(c, 3, "read", 0);
    fl_check_end(c, 3, fl_number(1));
    CHECK_INT(verdict(c), FL_CHECK_VIOLATION);
    fl_check_free(c);
  }
}

TEST(a_failed_compare_and_set_saw_another_value) {
  for (int online = 0; online < 2; online++) {
    struct fl_check *c = opened("cas-register", online);
    struct fl_datum args[] = {fl_number(1), fl_number(2)};
    call(c, "write", 1, 0);
    CHECK_INT(fl_check_begin(c, 1, "cas", args, 2), FL_CHECK_OK);
    fl_check_end_failed(c, 1, fl_none()); /* though 1 was there all the time */
    CHECK_INT(verdict(c), FL_CHECK_VIOLATION);
    fl_check_free(c);
  }
}

TEST(a_history_that_is_kept_takes_memory) {
  struct fl_check *c = opened("counter", false);
  uint64_t before = fl_check_bytes(c);
  for (int i = 0; i < 1000; i++)
    call(c, "increment", 0, 0);
  CHECK(fl_check_bytes(c) > before + 1000);
  CHECK_INT(fl_check_bytes(NULL), 0);
  fl_check_free(c);
}

TEST(mistakes_are_told_and_change_nothing) {
  for (int online = 0; online < 2; online++) {
    struct fl_check *c = opened("queue", online);
    CHECK_INT(begin(c, 1, "fly", 1), FL_CHECK_ERROR);
    CHECK_HAS(fl_check_error(c), "has no operation 'fly'");
    CHECK_INT(fl_check_end(c, 1, fl_none()), FL_CHECK_ERROR);
    CHECK_HAS(fl_check_error(c), "has called nothing");
    CHECK_INT(begin(c, 1, "enqueue", 1), FL_CHECK_OK);
    CHECK_STR(fl_check_error(c), "");
    CHECK_INT(begin(c, 1, "enqueue", 2), FL_CHECK_ERROR);
    CHECK_HAS(fl_check_error(c), "process 1 calls enqueue before");
    struct fl_datum odd = {.kind = (enum fl_datum_kind)77};
    CHECK_INT(fl_check_end(c, 1, odd), FL_CHECK_ERROR);
    CHECK_INT(fl_check_end(c, 1, fl_none()), FL_CHECK_OK);
    CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE);
    fl_check_free(c);
  }
  struct fl_check_options o = {.size = sizeof o, .spec = "nonesuch"};
  char error[300];
  CHECK(!fl_check_new(&o, error, sizeof error));
  CHECK_HAS(error, "there is no type 'nonesuch'");
  o.spec = NULL;
  CHECK(!fl_check_new(&o, error, sizeof error));
  CHECK_HAS(error, "needs a specification");
}

TEST(a_queue_without_bounds_has_room) {
  for (int whole = 0; whole < 2; whole++) {
    struct fl_check_options o = {
        .size = sizeof o, .spec = "queue", .online = true, .whole = whole};
    struct fl_check *c = fl_check_new(&o, NULL, 0);
    CHECK_INT(begin(c, 1, "size", 0), whole ? FL_CHECK_OK : FL_CHECK_ERROR);
    begin(c, 2, "enqueue", 1);
    CHECK_INT(fl_check_end(c, 2, fl_bool(false)), FL_CHECK_BAD);
    fl_check_free(c);
  }
}

TEST(keys_are_checked_by_themselves_or_as_a_whole) {
  struct fl_check_options o = {.size = sizeof o, .spec = "set", .online = true};
  struct fl_check *c = fl_check_new(&o, NULL, 0);
  CHECK_INT(begin(c, 1, "size", 0), FL_CHECK_ERROR);
  CHECK_HAS(fl_check_error(c), "concerns all keys");
  fl_check_free(c);
  o.whole = true;
  c = fl_check_new(&o, NULL, 0);
  begin(c, 1, "add", 5);
  CHECK_INT(fl_check_end(c, 1, fl_bool(true)), FL_CHECK_OK);
  begin(c, 1, "size", 0);
  CHECK_INT(fl_check_end(c, 1, fl_number(2)), FL_CHECK_BAD);
  fl_check_free(c);
}

TEST(a_queue_for_each_key) {
  struct fl_check *c = opened("keyed-queue", true);
  for (int64_t key = 1; key <= 2; key++)
    for (int64_t i = 1; i <= 3; i++) {
      struct fl_datum args[] = {fl_number(key), fl_number(10 * key + i)};
      fl_check_begin(c, (uint32_t)i, "enqueue", args, 2);
      if (i == 3)
        for (uint32_t p = 1; p <= 3; p++) /* all three at once */
          CHECK_INT(fl_check_end(c, p, fl_none()), FL_CHECK_OK);
    }
  struct fl_datum one = fl_number(1), two = fl_number(2);
  fl_check_begin(c, 1, "dequeue", &two, 1);
  CHECK_INT(fl_check_end(c, 1, fl_number(23)), FL_CHECK_OK);
  fl_check_begin(c, 1, "front", &one, 1);
  CHECK_INT(fl_check_end(c, 1, fl_number(12)), FL_CHECK_OK);
  fl_check_begin(c, 1, "dequeue", &one, 1); /* 12 is at its front */
  CHECK_INT(fl_check_end(c, 1, fl_number(11)), FL_CHECK_BAD);
  fl_check_free(c);
}

/* A model of our own: an account that never has less than nothing. */
static void *account_init(const struct fl_datum *argument) {
  int64_t *s = malloc(sizeof *s);
  *s = argument->kind == FL_DATUM_NUMBER ? argument->number : 0;
  return s;
}
static size_t account_apply(const void *state, const struct fl_operation *op,
                            void **next, size_t max) {
  int64_t have = *(const int64_t *)state;
  int64_t by = op->nargs ? op->args[0].number : 0;
  (void)max;
  if (!strcmp(op->name, "withdraw"))
    by = -by;
  if (have + by < 0 || (!strcmp(op->name, "balance") && !op->pending &&
                        op->result.number != have))
    return 0;
  int64_t *s = malloc(sizeof *s);
  *s = have + by;
  next[0] = s;
  return 1;
}
static uint64_t account_hash(const void *s) {
  return (uint64_t) * (const int64_t *)s;
}
static bool account_equal(const void *a, const void *b) {
  return *(const int64_t *)a == *(const int64_t *)b;
}
static void account_print(const void *s, char *text, size_t size) {
  snprintf(text, size, "%lld", (long long)*(const int64_t *)s);
}
static const struct fl_model account = {.version = FL_MODEL_VERSION,
                                        .operations =
                                            "deposit withdraw balance",
                                        .init = account_init,
                                        .apply = account_apply,
                                        .hash = account_hash,
                                        .equal = account_equal,
                                        .print = account_print,
                                        .release = free};

TEST(a_model_of_ones_own) {
  for (int online = 0; online < 2; online++) {
    struct fl_datum ten = fl_number(10);
    struct fl_check_options o = {.size = sizeof o,
                                 .model = &account,
                                 .argument = &ten,
                                 .online = online};
    struct fl_check *c = fl_check_new(&o, NULL, 0);
    call(c, "deposit", 5, 0);
    call(c, "withdraw", 12, 0);
    CHECK_INT(call(c, "balance", 0, 3), FL_CHECK_OK);
    CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE);
    call(c, "withdraw", 4, 0);
    CHECK_INT(verdict(c), FL_CHECK_VIOLATION);
    fl_check_free(c);
  }
}

TEST(values_of_every_kind) {
  struct fl_datum items[] = {fl_text("a", 1), fl_number(INT64_MIN), fl_nil(),
                             fl_bool(true)};
  struct fl_datum list = {.kind = FL_DATUM_LIST, .items = items, .len = 4};
  struct fl_datum map = {.kind = FL_DATUM_MAP, .items = items, .len = 4};
  struct fl_datum odd = {.kind = FL_DATUM_MAP, .items = items, .len = 3};
  struct fl_check *c = opened("register", true);
  fl_check_begin(c, 1, "write", &list, 1);
  fl_check_end(c, 1, fl_none());
  fl_check_begin(c, 1, "read", NULL, 0);
  CHECK_INT(fl_check_end(c, 1, list), FL_CHECK_OK);
  CHECK_INT(fl_check_begin(c, 1, "write", &odd, 1), FL_CHECK_ERROR);
  CHECK_HAS(fl_check_error(c), "is odd");
  fl_check_begin(c, 1, "read", NULL, 0);
  CHECK_INT(fl_check_end(c, 1, map), FL_CHECK_BAD);
  fl_check_free(c);
}

TEST(files_are_read) {
  char path[] = "/tmp/faultline-lib-XXXXXX";
  const char *text = "{\"type\":\"history\",\"spec\":\"queue\"}\n"
                     "{\"type\":\"call\",\"process\":1,\"name\":\"enq\","
                     "\"args\":[1]}\n"
                     "{\"type\":\"return\",\"process\":1}\n"
                     "{\"type\":\"note\",\"text\":\"start\"}\n"
                     "{\"type\":\"call\",\"process\":2,\"name\":\"deq\"}\n"
                     "{\"type\":\"return\",\"process\":2,\"result\":2}\n";
  int fd = mkstemp(path);
  CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  for (int online = 0; online < 2; online++) {
    struct fl_check *c = opened("queue", online);
    CHECK_INT(fl_check_add_file(c, path), online ? FL_CHECK_BAD : FL_CHECK_OK);
    CHECK_INT(verdict(c), FL_CHECK_VIOLATION);
    CHECK_INT(fl_check_add_file(c, "/nonesuch"), FL_CHECK_ERROR);
    CHECK_HAS(fl_check_error(c), "/nonesuch");
    fl_check_free(c);
  }
  unlink(path);
}

TEST(limits_end_it) {
  struct fl_check_options o = {
      .size = sizeof o, .spec = "counter", .steps = 50};
  for (int online = 0; online < 2; online++) {
    struct fl_check_result r = fl_check_result_init();
    o.online = online;
    struct fl_check *c = fl_check_new(&o, NULL, 0);
    for (uint32_t i = 0; i < 12; i++)
      begin(c, i, "add", i + 1);
    begin(c, 99, "get", 0);
    CHECK_INT(fl_check_end(c, 99, fl_number(1000)), FL_CHECK_OK);
    CHECK_INT(fl_check_result(c, &r), FL_CHECK_OK);
    CHECK_INT(r.verdict, FL_CHECK_UNKNOWN);
    CHECK_STR(r.limit, "steps");
    CHECK_HAS(r.text, "the limit of steps");
    fl_check_free(c);
  }
}

/* Blocks that are not freed, counted; the address sanitizer does it itself. */
static _Atomic long live;
#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);
void *malloc(size_t n) {
  live++;
  return __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
  live++;
  return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
  live += !p;
  return __libc_realloc(p, n);
}
void free(void *p) {
  live -= p != NULL;
  __libc_free(p);
}
#endif

TEST(everything_is_freed) {
  for (int online = 0; online < 2; online++) {
    long before = live;
    struct fl_check *c = opened("kv", online), *other = opened("set", !online);
    for (int i = 0; i < 200; i++) {
      char text[32];
      int n = snprintf(text, sizeof text, "value %d", i);
      struct fl_datum args[] = {fl_number(i % 3), fl_text(text, (size_t)n)};
      fl_check_begin(c, 1, "put", args, 2);
      fl_check_end(c, 1, fl_none());
      fl_check_begin(c, 2, "get", args, 1);
      CHECK_INT(fl_check_end(c, 2, args[1]), FL_CHECK_OK);
    }
    CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE);
    fl_check_begin(c, 1, "get", (struct fl_datum[]){fl_number(1)}, 1);
    fl_check_end(c, 1, fl_number(5));
    CHECK_INT(verdict(c), FL_CHECK_VIOLATION);
    fl_check_free(c);
    CHECK_INT(verdict(other), FL_CHECK_LINEARIZABLE);
    fl_check_free(other);
    CHECK_INT(live, before);
  }
}

static void *count_up(void *arg) {
  struct fl_check *c = arg;
  static _Atomic uint32_t threads;
  uint32_t me = threads++;
  static _Atomic int64_t number;
  for (int i = 0; i < 2000; i++) {
    fl_check_begin(c, me, "fetch_inc", NULL, 0);
    int64_t was = number++;
    if (fl_check_end(c, me, fl_number(was)) != FL_CHECK_OK)
      return arg;
  }
  return NULL;
}

TEST(threads_may_tell_what_they_do) {
  struct fl_check *c = opened("counter", true);
  pthread_t t[4];
  void *bad;
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, count_up, c);
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], &bad);
    CHECK(!bad);
  }
  CHECK_INT(verdict(c), FL_CHECK_LINEARIZABLE);
  fl_check_free(c);
}

/* Two threads whose mistakes differ.  Each reads its text when the other one
 * has made its own: barriers decide that, not luck. */
static pthread_barrier_t both;

static void *make_a_mistake(void *arg) {
  struct fl_check *c = arg;
  static _Atomic uint32_t threads;
  uint32_t me = threads++;
  void *bad = NULL;
  pthread_barrier_wait(&both);
  if (me) /* the second to err is thread 1 */
    pthread_barrier_wait(&both);
  if (begin(c, me, me ? "swim" : "fly", 1) != FL_CHECK_ERROR)
    bad = arg;
  if (!me)
    pthread_barrier_wait(&both);
  pthread_barrier_wait(&both); /* both have erred */
  if (!strstr(fl_check_error(c), me ? "'swim'" : "'fly'"))
    bad = arg;
  pthread_barrier_wait(&both);
  if (me && begin(c, 5, "increment", 0) != FL_CHECK_OK)
    bad = arg;
  pthread_barrier_wait(&both); /* a success of thread 1 clears its own only */
  if ((*fl_check_error(c) == 0) != me)
    bad = arg;
  return bad;
}

TEST(the_error_text_is_that_of_the_thread) {
  struct fl_check *c = opened("counter", true);
  struct fl_check *other = opened("counter", true);
  pthread_t t[2];
  void *bad;
  pthread_barrier_init(&both, NULL, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, make_a_mistake, c);
  for (int i = 0; i < 2; i++) {
    pthread_join(t[i], &bad);
    CHECK(!bad);
  }
  pthread_barrier_destroy(&both);
  CHECK_STR(fl_check_error(c), ""); /* this thread made none */
  begin(c, 1, "fly", 1);
  CHECK_STR(fl_check_error(other), "");
  CHECK_HAS(fl_check_error(c), "'fly'");
  fl_check_free(other);
  fl_check_free(c);
}

TEST_MAIN
