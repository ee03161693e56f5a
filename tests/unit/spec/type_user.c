/*
 * Types of the user's own, compiled into shared objects by the test.
 */
#include "test.h"

#include "unit/spec/type_calls.h"

#include <unistd.h>

/* The path of the compiled object, or NULL. */
static const char *compiled(const char *source) {
  static char path[200];
  char command[2000];
  const char *cc = getenv("CC"), *folder = getenv("SOURCE_DIR");
  snprintf(path, sizeof path, "/tmp/faultline-model-%d.so", (int)getpid());
  snprintf(command, sizeof command,
           "%s -Wall -Werror -shared -fPIC -I'%s/include' -o %s '%s/%s'",
           cc ? cc : "cc", folder ? folder : ".", path, folder ? folder : ".",
           source);
  return CHECK_INT(system(command), 0) ? path : NULL;
}

static bool open_model(struct subject *s, const char *source,
                       const char *argument) {
  const char *path = compiled(source);
  bool opened = path && subject_open(s, path, argument);
  if (path)
    unlink(path);
  if (path && !opened)
    fprintf(stderr, "%s\n", s->error.text);
  return opened;
}

static void prints(struct subject *s, const char *want) {
  struct buf b = {0};
  s->type->print_state(s->type, s->state, &b);
  CHECK_STR(buf_text(&b), want);
  buf_free(&b);
}

TEST(a_type_of_the_users_own_is_stepped) {
  struct subject s;
  if (!CHECK(open_model(&s, "tests/unit/spec/models/account.c", "10")))
    return;
  CHECK(subject_does(&s, "balance(1) = 10"));
  CHECK(subject_does(&s, "deposit(1, 5)"));
  uint32_t fifteen = s.state;
  CHECK(!subject_does(&s, "withdraw(1, 16) = true"));
  CHECK(subject_does(&s, "withdraw(1, 16) = false"));
  CHECK(subject_does(&s, "withdraw(1, 15) = true"));
  CHECK(subject_does(&s, "total = 30"));
  prints(&s, "10 0 10 10");
  CHECK(subject_does(&s, "deposit(1, 15) ?"));
  CHECK_INT(s.state, fifteen);
  uint32_t next[TYPE_NEXT];
  CHECK_INT(subject_try(&s, "steal(1, 2)", next), -1);
  CHECK_HAS(s.error.text, "it has deposit withdraw balance total");
  subject_close(&s);
}

TEST(its_keys_and_reads_are_told_apart) {
  struct subject s;
  if (!CHECK(open_model(&s, "tests/unit/spec/models/account.c", NULL)))
    return;
  struct log_op op = parse_call(&s.log, "balance(2) = 0");
  struct type_op prepared;
  CHECK(s.type->by_key);
  CHECK_INT(s.type->prepare(s.type, &s.log, &op, &prepared, &s.error), 0);
  CHECK(prepared.only_reads);
  CHECK(prepared.key == datum_number(2));
  op = parse_call(&s.log, "total = 0");
  CHECK_INT(s.type->prepare(s.type, &s.log, &op, &prepared, &s.error), 0);
  CHECK(prepared.key == DATUM_NONE);
  op = parse_call(&s.log, "deposit(2, 1)");
  CHECK_INT(s.type->prepare(s.type, &s.log, &op, &prepared, &s.error), 0);
  CHECK(!prepared.only_reads);
  subject_close(&s);
}

TEST(several_states_can_follow) {
  struct subject s;
  if (!CHECK(open_model(&s, "tests/unit/spec/models/bag.c", NULL)))
    return;
  CHECK(subject_does(&s, "put(3)"));
  CHECK(subject_does(&s, "put(5)"));
  CHECK(subject_does(&s, "put(5)"));
  uint32_t next[TYPE_NEXT];
  CHECK_INT(subject_try(&s, "take ?", next), 2);
  CHECK(next[0] != next[1]);
  CHECK_INT(subject_try(&s, "take = 4", next), 0);
  CHECK_INT(subject_try(&s, "take = 5", next), 1);
  CHECK(!s.type->cut);
  for (int i = 6; i < 16; i++) {
    char call[20];
    snprintf(call, sizeof call, "put(%d)", i);
    CHECK(subject_does(&s, call));
  }
  CHECK_INT(subject_try(&s, "take ?", next), TYPE_NEXT);
  CHECK(s.type->cut);
  subject_close(&s);
}

TEST(forgotten_states_are_freed_and_the_others_stay) {
  struct subject s;
  if (!CHECK(open_model(&s, "tests/unit/spec/models/bag.c", NULL)))
    return;
  for (int i = 0; i < 200; i++)
    CHECK(subject_does(&s, i % 2 ? "put(1)" : "put(2)"));
  uint64_t before = s.type->bytes(s.type);
  uint32_t keep[2] = {s.state, s.type->initial};
  s.type->forget(s.type, keep, 2);
  s.state = keep[0];
  CHECK(s.type->bytes(s.type) < before / 4);
  CHECK_INT(keep[1], s.type->initial);
  CHECK(subject_does(&s, "take = 2"));
  s.state = s.type->initial;
  CHECK(!subject_does(&s, "take = 2"));
  subject_close(&s);
}

TEST(an_object_without_a_model_is_refused) {
  struct subject s;
  CHECK(!open_model(&s, "tests/unit/spec/models/none.c", NULL));
  CHECK_HAS(s.error.text, "does not define fl_model");
  CHECK(!open_model(&s, "tests/unit/spec/models/account.c", ":a"));
  CHECK_HAS(s.error.text, "refuses the argument");
}

TEST_MAIN
