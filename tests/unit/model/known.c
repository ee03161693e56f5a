/* Parts of clients, and faults that are known. */
#include "model/known.h"

#include "test.h"

static const char *const names_list[] = {"push", "pop", "peek"};
static const struct op_names names = {names_list, 3};
static const uint8_t nargs[] = {1, 0, 0};

static bool has(const char *client, const char *part) {
  struct client c, p;
  struct error e = {0};
  CHECK(!client_read(&c, client, &names, nargs, &e));
  CHECK(!client_read(&p, part, &names, nargs, &e));
  bool is = client_has_part_of(&c, &p, 1);
  client_free(&c);
  client_free(&p);
  return is;
}

TEST(a_part_has_the_same_operations_in_the_same_roles) {
  const char *part = "push(1); {push(2)} || {pop()}";
  CHECK(has("push(1); {push(2)} || {pop()}", part));
  CHECK(has("push(5); {peek(); pop()} || {push(1); peek()}", part));
  CHECK(has("peek(); push(1); {peek()} || {push(2)} || {pop()}; pop()", part));
  CHECK(!has("{push(2)} || {pop()}", part)); /* no initial call */
  CHECK(!has("push(1); {push(2); pop()} || {peek()}", part)); /* one thread */
  CHECK(!has("push(1); {peek()} || {pop()}; push(1)", part));
}

TEST(in_a_part_the_order_of_a_thread_matters) {
  CHECK(has("{pop(); peek(); push(1)} || {pop()}",
            "{pop(); push(1)} || {pop()}"));
  CHECK(!has("{push(1); pop()} || {pop()}", "{pop(); push(1)} || {pop()}"));
}

TEST(each_thread_of_a_part_is_another_one) {
  CHECK(has("{pop()} || {pop(); peek()}", "{pop(); peek()} || {pop()}"));
  CHECK(!has("{pop(); pop()} || {peek()}", "{pop()} || {pop()}"));
}

TEST(without_threads_operations_count_in_any_role) {
  CHECK(has("{pop()} || {push(1)}; peek()", "push(1); peek()"));
  CHECK(!has("{pop()} || {push(1)}", "push(1); peek()"));
}

static struct known_fault crash(uint16_t op, uint64_t pc) {
  return (struct known_fault){
      .kind = FAULT_CRASH, .op = op, .nplaces = 1, .places = {pc}};
}

TEST(a_fault_is_known_by_kind_operation_and_place) {
  struct known_fault list = crash(1, 8), now = crash(1, 8);
  CHECK(known_has(&list, 1, &now));
  now = crash(1, 9);
  CHECK(!known_has(&list, 1, &now));
  now = crash(0, 8);
  CHECK(!known_has(&list, 1, &now));
  now = crash(KNOWN_ANY_OP, 8);
  CHECK(known_has(&list, 1, &now));
  now.kind = FAULT_ABORT;
  CHECK(!known_has(&list, 1, &now));
}

TEST(a_deadlock_is_known_when_more_threads_wait) {
  struct waiting two[] = {{.pc = 8}, {.pc = 16}},
                 three[] = {{.pc = 16}, {.pc = 30}, {.pc = 8}};
  struct known_fault known, now;
  known_of(&known, FAULT_DEADLOCK, 8, 1, two, 2, NULL);
  known_of(&now, FAULT_DEADLOCK, 16, 1, three, 3, NULL);
  CHECK(known_has(&known, 1, &now));
  CHECK(!known_has(&now, 1, &known));
}

TEST_MAIN
