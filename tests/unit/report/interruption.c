/* Where an operation was cut in two. */
#include "report/interruption.h"
#include "fixture.h"
#include "test.h"

TEST(an_operation_is_cut_where_both_sides_conflict) {
  struct fixture *f = fixture_violation();
  struct interruption in;
  CHECK(interruption_find(&f->finding, &in));
  CHECK(in.both);
  CHECK_INT(in.call, 2);
  CHECK_INT(in.before, 4);
  CHECK_INT(in.by, 6);
  CHECK_INT(in.after, 9);
  fixture_free(f);
}

TEST(reads_do_not_interrupt_reads) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
  struct interruption in;
  add(f, EV_READ, 1, 0, 100, TOP, 0, 1);
  add(f, EV_READ, 2, 1, 200, TOP, 0, 1);
  add(f, EV_READ, 1, 0, 300, TOP, 0, 1);
  CHECK(!interruption_find(&f->finding, &in));
  fixture_free(f);
}

TEST(neighbouring_bytes_do_not_conflict_and_overlapping_ones_do) {
  struct event a = {.kind = EV_WRITE, .thread = 1, .addr = 8, .size = 4};
  struct event b = {.kind = EV_READ, .thread = 2, .addr = 12, .size = 4};
  CHECK(!events_conflict(&a, &b) && !events_conflict(&b, &a));
  b.addr = 11;
  CHECK(events_conflict(&a, &b) && events_conflict(&b, &a));
  b.thread = 1;
  CHECK(!events_conflict(&a, &b));
}

TEST(one_side_is_enough_when_there_is_no_better) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
  struct interruption in;
  add(f, EV_READ, 1, 0, 100, TOP, 0, 1);
  add(f, EV_WRITE, 2, 1, 200, TOP, 0, 2);
  add(f, EV_READ, 1, 0, 300, ITEM, 0, 1);
  CHECK(interruption_find(&f->finding, &in));
  CHECK(!in.both);
  CHECK_INT(in.before, 0);
  CHECK_INT(in.by, 1);
  CHECK_INT(in.after, 2);
  fixture_free(f);
}

/* T1 cuts its own node off; T2 only looks at the place before it writes into
 * the node: that is what T1 reads. */
TEST(a_write_is_blamed_rather_than_a_read) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
  struct interruption in;
  add(f, EV_CAS, 1, 0, 100, TOP, 0, 1);
  add(f, EV_ATOMIC_READ, 2, 1, 200, TOP, 1, 1);
  add(f, EV_CAS, 2, 1, 201, TOP, 1, 2);
  add(f, EV_WRITE, 2, 1, 202, ITEM, 1, 2);
  add(f, EV_READ, 1, 0, 300, ITEM, 2, 2);
  CHECK(interruption_find(&f->finding, &in));
  CHECK(in.both);
  CHECK_INT(in.before, 0);
  CHECK_INT(in.by, 3);
  CHECK_INT(in.after, 4);
  fixture_free(f);

  f = fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
  add(f, EV_WRITE, 1, 0, 100, TOP, 0, 1);
  add(f, EV_READ, 2, 1, 200, TOP, 1, 1);
  add(f, EV_WRITE, 2, 1, 201, TOP, 1, 2);
  add(f, EV_WRITE, 1, 0, 300, ITEM, 2, 2);
  CHECK(interruption_find(&f->finding, &in));
  CHECK(!in.both);
  CHECK_INT(in.by, 2);
  fixture_free(f);
}

/* Two calls lose an update of each other; the one that disagrees is blamed. */
TEST(the_call_that_disagrees_is_preferred) {
  for (uint32_t blamed = 0; blamed < 2; blamed++) {
    struct fixture *f =
        fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
    struct interruption in;
    add(f, EV_READ, 1, 0, 100, TOP, 0, 1);
    add(f, EV_READ, 2, 1, 200, TOP, 0, 1);
    add(f, EV_WRITE, 1, 0, 300, TOP, 0, 2);
    add(f, EV_READ, 1, 0, 400, ITEM, 0, 2);
    add(f, EV_WRITE, 2, 1, 500, TOP, 0, 2);
    add(f, EV_READ, 1, 0, 600, TOP, 0, 2);
    refute(f, (uint32_t[]){!blamed, blamed}, 2, 0);
    CHECK(interruption_find(&f->finding, &in));
    CHECK(in.both);
    CHECK_INT(in.call, blamed);
    fixture_free(f);
  }
}

TEST(no_events_no_interruption) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
  struct interruption in;
  CHECK(!interruption_find(&f->finding, &in));
  fixture_free(f);
}

TEST_MAIN
