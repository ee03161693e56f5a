/*
 * Each kind of fault in a trace that has its pattern, and in traces that look
 * similar: without one part of it, nothing is named.  Decisions are in
 * kinds_look.c.
 */
#include "kind_script.h"
#include "test.h"

/* ---- lost wake-ups ---- */

TEST(a_change_that_nobody_signals_is_a_lost_wakeup) {
  struct script s = {0};
  struct kind_found f = {0};
  reads(&s, 1, 41, A, 0);
  uint32_t wait = does(&s, 1, 43, EV_COND_WAIT, C);
  uint32_t change = writes(&s, 2, 53, A, 0, 1);
  returns(&s, 2);
  knows(&s, 41, 1, 0);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, &f), 1);
  CHECK_INT(f.marks[LOST_WAIT], wait);
  CHECK_INT(f.marks[LOST_CHANGE], change);
  CHECK_INT(f.marks[LOST_SIGNAL], KIND_NO_EVENT);
}

TEST(of_changes_that_nobody_signals_the_first_is_named) {
  struct script s = {0};
  struct kind_found f = {0};
  reads(&s, 1, 41, A, 0);
  does(&s, 1, 43, EV_COND_WAIT, C);
  writes(&s, 2, 38, A, 0, 1);
  does(&s, 2, 39, EV_SIGNAL, C); /* wakes T3 */
  uint32_t change = writes(&s, 2, 38, A, 1, 2);
  writes(&s, 3, 27, A, 2, 1); /* which takes one of the two */
  knows(&s, 41, 1, 0);
  knows(&s, 41, 2, 0);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, &f), 1);
  CHECK_INT(f.marks[LOST_CHANGE], change);
  CHECK_INT(f.marks[LOST_SIGNAL], KIND_NO_EVENT);
}

TEST(a_wait_for_what_did_not_come_is_no_lost_wakeup) {
  struct script s = {0};
  reads(&s, 1, 41, A, 0);
  does(&s, 1, 43, EV_COND_WAIT, C);
  writes(&s, 2, 53, A, 0, 1);
  writes(&s, 2, 54, A, 1, 0); /* and back */
  returns(&s, 2);
  knows(&s, 41, 1, 0);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, NULL), 0);
}

TEST(a_change_that_would_not_end_the_wait_is_no_lost_wakeup) {
  struct script s = {0};
  reads(&s, 1, 41, A, 0);
  does(&s, 1, 43, EV_COND_WAIT, C);
  writes(&s, 2, 53, A, 0, 1); /* while (n < 2): with 1, too, it waits */
  returns(&s, 2);
  knows(&s, 41, 1, 43);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, NULL), 0);
}

TEST(a_signal_before_the_wait_is_lost) {
  struct script s = {0};
  struct kind_found f = {0};
  reads(&s, 1, 41, A, 0);
  writes(&s, 2, 53, A, 0, 1);
  uint32_t signal = does(&s, 2, 61, EV_SIGNAL, C);
  returns(&s, 2);
  does(&s, 1, 43, EV_COND_WAIT, C);
  knows(&s, 41, 1, 0);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, &f), 1);
  CHECK_INT(f.marks[LOST_SIGNAL], signal);
}

TEST(a_futex_word_that_changes_without_a_wake) {
  struct script s = {0};
  put(&s, EV_FUTEX_WAIT, 1, 31, A, 0, 2);
  writes(&s, 2, 37, A, 2, 0);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, NULL), 1);
  s = (struct script){0};
  put(&s, EV_FUTEX_WAIT, 1, 31, A, 0, 2);
  writes(&s, 2, 37, A, 2, 0);
  does(&s, 2, 38, EV_FUTEX_WAKE, A);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, NULL), 0);
}

/* T1 sleeps on the semaphore at C, although T2 changed what it looked at. */
static void sleep_on_semaphore(struct script *s, bool to_the_end) {
  reads(s, 1, 41, A, 0);
  writes(s, 2, 53, A, 0, 1);
  uint32_t wait = does(s, 1, 43, EV_SEM_WAIT, C);
  if (to_the_end)
    s->events.at[wait].flags = EVENT_NO_VALUE;
  knows(s, 41, 1, 0);
}

TEST(a_change_after_which_nobody_posts_is_a_lost_wakeup) {
  struct script s = {0};
  struct kind_found f = {0};
  sleep_on_semaphore(&s, true);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, &f), 1);
  CHECK_INT(f.marks[LOST_WAIT], 2);
  CHECK_INT(f.marks[LOST_SIGNAL], KIND_NO_EVENT);
}

TEST(a_semaphore_that_was_got_is_no_sleep) {
  struct script s = {0};
  sleep_on_semaphore(&s, false);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, NULL), 0);
}

TEST(what_is_posted_is_kept) {
  struct script s = {0};
  sleep_on_semaphore(&s, true);
  does(&s, 2, 54, EV_SEM_POST, C);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, NULL), 0);
}

/* T1 looks at A and is to wait for `stale`, which A is again when it waits. */
static void wait_for_stale(struct script *s, bool again) {
  reads(s, 1, 31, A, 1);
  reads(s, 1, 32, A, 0);
  writes(s, 2, 37, A, 0, 1);
  does(s, 2, 38, EV_FUTEX_WAKE, A);
  if (again)
    reads(s, 1, 33, A, 1);
  put(s, EV_FUTEX_WAIT, 1, 34, A, 0, again ? 0 : 1);
}

TEST(a_futex_that_compares_with_an_older_look) {
  struct script s = {0};
  struct kind_found f = {0};
  wait_for_stale(&s, false);
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, &f), 1);
  CHECK_INT(f.marks[LOST_LOOK], 1);
  CHECK_INT(f.marks[LOST_SIGNAL], 3);
}

TEST(a_futex_that_compares_with_the_last_look) {
  struct script s = {0};
  put(&s, EV_FUTEX_WAIT, 1, 34, A, 0, 0); /* nobody changes it after that */
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, NULL), 0);
  s = (struct script){0};
  reads(&s, 1, 32, A, 1);
  writes(&s, 2, 37, A, 0, 1);
  does(&s, 2, 38, EV_FUTEX_WAKE, A);
  put(&s, EV_FUTEX_WAIT, 1, 34, A, 0, 1); /* as it was looked at */
  CHECK_INT(match(&s, KIND_LOST_WAKEUP, NULL), 0);
}

/* ---- waits without a loop ---- */

/* T1 waits since A was 0; A is 0 again when it wakes up. */
static void wake_up(struct script *s) {
  reads(s, 1, 32, A, 0);
  does(s, 1, 33, EV_COND_WAIT, C);
  writes(s, 2, 53, A, 0, 1);
  does(s, 2, 61, EV_SIGNAL, C);
  writes(s, 3, 47, A, 1, 0);
  does(s, 1, 33, EV_COND_WAKE, C);
}

TEST(a_use_without_a_second_look) {
  struct script s = {0};
  wake_up(&s);
  writes(&s, 1, 47, A, 0, 7);
  returns(&s, 1);
  CHECK_INT(match(&s, KIND_IF_FOR_WHILE, NULL), 1);
}

TEST(a_second_look_is_what_a_loop_does) {
  struct script s = {0};
  wake_up(&s);
  reads(&s, 1, 32, A, 0);
  does(&s, 1, 33, EV_COND_WAIT, C);
  CHECK_INT(match(&s, KIND_IF_FOR_WHILE, NULL), 0);
}

TEST(a_spurious_wake_up_without_a_second_look) {
  struct script s = {0};
  reads(&s, 1, 32, A, 0);
  does(&s, 1, 33, EV_COND_WAIT, C);
  does(&s, 1, 33, EV_WAKE_UP, C);
  does(&s, 1, 33, EV_LOCK, B);
  writes(&s, 1, 47, A, 0, 7);
  returns(&s, 1);
  CHECK_INT(match(&s, KIND_IF_FOR_WHILE, NULL), 1);
}

TEST(a_spurious_wake_up_and_what_it_waits_for_has_come) {
  struct script s = {0};
  reads(&s, 1, 32, A, 0);
  does(&s, 1, 33, EV_COND_WAIT, C);
  does(&s, 1, 33, EV_WAKE_UP, C);
  writes(&s, 2, 53, A, 0, 1);
  does(&s, 1, 33, EV_LOCK, B);
  writes(&s, 1, 47, A, 1, 7);
  returns(&s, 1);
  CHECK_INT(match(&s, KIND_IF_FOR_WHILE, NULL), 0);
}

TEST(a_spurious_wake_up_and_another_wait) {
  struct script s = {0};
  reads(&s, 1, 32, A, 0);
  does(&s, 1, 33, EV_COND_WAIT, C);
  does(&s, 1, 33, EV_WAKE_UP, C);
  does(&s, 1, 33, EV_LOCK, B);
  does(&s, 1, 33, EV_COND_WAIT, C);
  CHECK_INT(match(&s, KIND_IF_FOR_WHILE, NULL), 0);
}

/* ---- ABA ---- */

/* T1 reads A = 1 and B = 2; A goes to 3 and back; B becomes `next`. */
static uint32_t aba(struct script *s, uint64_t next) {
  reads(s, 1, 24, A, 1);
  reads(s, 1, 31, B, 2);
  swaps(s, 2, 36, A, 1, 3);
  writes(s, 2, 44, B, 2, next);
  swaps(s, 2, 50, A, 3, 1);
  return swaps(s, 1, 36, A, 1, 2);
}

TEST(a_word_that_comes_back_with_something_out_of_date) {
  struct script s = {0};
  struct kind_found f = {0};
  uint32_t swap = aba(&s, 3);
  CHECK_INT(match(&s, KIND_ABA, &f), 1);
  CHECK_INT(f.marks[ABA_SWAP], swap);
  CHECK_INT(f.marks[ABA_STALE], 1);
}

TEST(a_word_that_comes_back_to_the_same_state_is_no_fault) {
  struct script s = {0};
  aba(&s, 2);
  CHECK_INT(match(&s, KIND_ABA, NULL), 0);
}

TEST(a_word_that_did_not_change_is_no_aba) {
  struct script s = {0};
  reads(&s, 1, 24, A, 1);
  reads(&s, 1, 31, B, 2);
  writes(&s, 2, 44, B, 2, 3);
  swaps(&s, 1, 36, A, 1, 2);
  CHECK_INT(match(&s, KIND_ABA, NULL), 0);
}

/* ---- publication ---- */

/* T1 has a block at M and stores its address to A; T2 reads it and a field. */
static void publish(struct script *s, bool filled) {
  does(s, 1, 25, EV_ALLOC, M);
  s->block = (struct block){.base = M,
                            .size = 64,
                            .free_event = UINT32_MAX,
                            .alloc_event = s->events.len - 1};
  if (filled)
    writes(s, 1, 26, M + 8, 0, 1);
  writes(s, 1, 27, A, 0, M);
  reads(s, 2, 16, A, M);
  reads(s, 2, 42, M + 8, filled);
}

TEST(a_field_that_is_written_after_another_thread_has_read_it) {
  struct script s = {0};
  publish(&s, false);
  writes(&s, 1, 28, M + 8, 0, 1);
  returns(&s, 1);
  CHECK_INT(match(&s, KIND_EARLY_PUBLICATION, NULL), 1);
}

TEST(a_field_that_is_changed_after_it_was_filled_in) {
  struct script s = {0};
  publish(&s, true);
  writes(&s, 1, 28, M + 8, 1, 2);
  returns(&s, 1);
  CHECK_INT(match(&s, KIND_EARLY_PUBLICATION, NULL), 0);
}

TEST(a_link_that_a_zeroed_node_gets_later) {
  struct script s = {0};
  publish(&s, false);
  writes(&s, 1, 28, M + 8, 0, M + 16); /* any block: here itself */
  returns(&s, 1);
  CHECK_INT(match(&s, KIND_EARLY_PUBLICATION, NULL), 0);
}

/* T1 sets A, T2 sees that at line 47 and reads B at line 49; T1 writes B last,
 * or first.  Nobody who sees A = 0 reads B, unless `always`. */
static void flag(struct script *s, bool filled, bool always) {
  if (filled)
    writes(s, 1, 33, B, 0, 7);
  writes(s, 1, 32, A, 0, 1);
  reads(s, 2, 47, A, 1);
  reads(s, 2, 49, B, 0);
  if (!filled)
    writes(s, 1, 33, B, 0, 7);
  reads(s, 3, 47, A, 0);
  if (always)
    reads(s, 3, 49, B, 0);
  returns(s, 3);
}

TEST(a_flag_that_is_set_before_the_data) {
  struct script s = {0};
  struct kind_found f = {0};
  flag(&s, false, false);
  CHECK_INT(match(&s, KIND_EARLY_PUBLICATION, &f), 1);
  CHECK_INT(f.marks[EARLY_STORE], 0);
  CHECK_INT(f.marks[EARLY_READ], 2);
  CHECK_INT(f.marks[EARLY_FILL], 3);
}

TEST(a_flag_that_is_set_behind_the_data) {
  struct script s = {0};
  flag(&s, true, false);
  writes(&s, 1, 34, B, 7, 8);
  CHECK_INT(match(&s, KIND_EARLY_PUBLICATION, NULL), 0);
}

TEST(a_number_that_decides_nothing_is_no_flag) {
  struct script s = {0};
  flag(&s, false, true); /* a sum of two counters, say */
  CHECK_INT(match(&s, KIND_EARLY_PUBLICATION, NULL), 0);
}

TEST(a_reader_that_writes_there_too_may_be_what_is_late) {
  struct script s = {0};
  flag(&s, false, false);
  writes(&s, 2, 50, B, 7, 0);
  CHECK_INT(match(&s, KIND_EARLY_PUBLICATION, NULL), 0);
}

/* ---- locks ---- */

/* T2 finds L free; T1 takes it, -1, and T2 counts itself in all the same. */
static void readers_lock(struct script *s, bool took) {
  reads(s, 2, 9, L, 0);
  if (took)
    put(s, EV_RMW, 2, 10, L, 0, 1);
  swaps(s, 1, 21, L, took ? 1 : 0, (uint64_t)-1);
  put(s, EV_RMW, 2, 10, L, (uint64_t)-1, 0);
  writes(s, 1, 32, A, 0, 1);
  reads(s, 2, 38, A, 1);
  put(s, EV_RMW, 1, 25, L, 0, 1);
  put(s, EV_RMW, 2, 15, L, 1, 0);
}

TEST(a_lock_of_readers_that_lets_a_writer_in) {
  struct script s = {0};
  readers_lock(&s, false);
  CHECK_INT(match(&s, KIND_BROKEN_LOCK, NULL), 1);
}

TEST(a_lock_that_is_given_back_is_not_set) {
  struct script s = {0};
  readers_lock(&s, true);
  CHECK_INT(match(&s, KIND_BROKEN_LOCK, NULL), 0);
}

/* Both find L free and set it. */
static void both_enter(struct script *s) {
  reads(s, 1, 6, L, 0);
  reads(s, 2, 6, L, 0);
  writes(s, 2, 8, L, 0, 1);
  writes(s, 1, 8, L, 1, 1);
  writes(s, 1, 9, A, 0, 1);
  writes(s, 2, 9, A, 1, 1);
}

TEST(a_lock_that_lets_two_in) {
  struct script s = {0};
  both_enter(&s);
  writes(&s, 1, 10, L, 1, 0);
  writes(&s, 2, 10, L, 0, 0);
  CHECK_INT(match(&s, KIND_BROKEN_LOCK, NULL), 1);
}

TEST(a_flag_that_is_never_set_back_is_no_lock) {
  struct script s = {0};
  both_enter(&s);
  CHECK_INT(match(&s, KIND_BROKEN_LOCK, NULL), 0);
}

/* Each sets a word of its own, L or M, and looks at the other's; `late`: T2
 * only when T1 has set its own back. */
static void flags(struct script *s, bool looks, bool late) {
  if (looks)
    reads(s, 1, 8, M, 0);
  if (looks && !late)
    reads(s, 2, 8, L, 0);
  writes(s, 1, 9, L, 0, 1);
  writes(s, 2, 9, M, 0, 1);
  writes(s, 1, 10, A, 0, 1);
  if (late) {
    writes(s, 1, 11, L, 1, 0);
    reads(s, 2, 8, L, 0);
  }
  writes(s, 2, 10, A, 1, 1);
  if (!late)
    writes(s, 1, 11, L, 1, 0);
  writes(s, 2, 11, M, 1, 0);
}

TEST(a_lock_of_two_words_that_lets_two_in) {
  struct script s = {0};
  struct kind_found f = {0};
  flags(&s, true, false);
  CHECK_INT(match(&s, KIND_BROKEN_FLAGS, &f), 1);
  CHECK_INT(f.marks[BROKEN_TEST], 0);
  CHECK_INT(f.marks[BROKEN_SET], 2);
  CHECK_INT(f.marks[BROKEN_RESET], 6);
  CHECK_INT(f.marks[BROKEN_RESET_OTHER], 7);
  uint32_t from[KINDS_HELD], to[KINDS_HELD];
  CHECK_INT(kinds_hold(&f, from, to), 2);
  CHECK_INT(from[0], BROKEN_TEST); /* it comes before the set */
  CHECK_INT(to[0], BROKEN_RESET);
}

TEST(a_lock_of_two_words_that_holds) {
  struct script s = {0};
  flags(&s, true, true);
  CHECK_INT(match(&s, KIND_BROKEN_FLAGS, NULL), 0);
}

TEST(marks_that_nobody_looks_at_are_no_lock) {
  struct script s = {0};
  flags(&s, false, false);
  CHECK_INT(match(&s, KIND_BROKEN_FLAGS, NULL), 0);
}

TEST(words_that_are_never_set_back_are_no_lock) {
  struct script s = {0};
  flags(&s, true, false);
  s.events.len -= 2;
  CHECK_INT(match(&s, KIND_BROKEN_FLAGS, NULL), 0);
}

/* T1 writes A and B under L, T2 reads them under `lock`. */
static void sections(struct script *s, uint64_t lock) {
  does(s, 1, 1, EV_LOCK, L);
  writes(s, 1, 2, A, 0, 1);
  if (lock == L)
    does(s, 1, 3, EV_UNLOCK, L);
  does(s, 2, 11, EV_LOCK, lock);
  reads(s, 2, 12, A, 1);
  reads(s, 2, 13, B, 0);
  does(s, 2, 14, EV_UNLOCK, lock);
  if (lock == L)
    does(s, 1, 4, EV_LOCK, L);
  writes(s, 1, 5, B, 0, 1);
  does(s, 1, 6, EV_UNLOCK, L);
}

TEST(data_under_two_locks) {
  struct script s = {0};
  struct kind_found f = {0};
  sections(&s, M);
  CHECK(match(&s, KIND_TWO_LOCKS, &f) > 0);
  CHECK_INT(f.marks[TWO_FIRST_LOCK], 0);
  CHECK_INT(f.marks[TWO_SECOND_LOCK], 2);
}

TEST(data_under_one_lock_that_is_given_back) {
  struct script s = {0};
  sections(&s, L);
  CHECK_INT(match(&s, KIND_TWO_LOCKS, NULL), 0);
}

TEST(sections_of_two_locks_one_after_the_other) {
  struct script s = {0};
  does(&s, 1, 1, EV_LOCK, L);
  writes(&s, 1, 2, A, 0, 1);
  does(&s, 1, 3, EV_UNLOCK, L);
  does(&s, 2, 11, EV_LOCK, M);
  reads(&s, 2, 12, A, 1);
  does(&s, 2, 13, EV_UNLOCK, M);
  CHECK_INT(match(&s, KIND_TWO_LOCKS, NULL), 0);
}

/* T1 writes A under L; T2 reads it under L too, meanwhile or `later`. */
static void readers(struct script *s, uint8_t lock, bool later) {
  does(s, 1, 1, lock, L);
  writes(s, 1, 2, A, 0, 1);
  if (later)
    does(s, 1, 3, EV_UNLOCK, L);
  does(s, 2, 11, EV_RDLOCK, L);
  reads(s, 2, 12, A, 1);
  if (!later)
    does(s, 1, 3, EV_UNLOCK, L);
  does(s, 2, 13, EV_UNLOCK, L);
}

TEST(a_write_under_a_shared_lock) {
  struct script s = {0};
  struct kind_found f = {0};
  readers(&s, EV_RDLOCK, false);
  CHECK_INT(match(&s, KIND_SHARED_LOCK, &f), 1);
  CHECK_INT(f.marks[SHARED_WRITE], 1);
  CHECK_INT(f.marks[SHARED_WRITE_LOCK], 0);
  CHECK_INT(f.marks[SHARED_OTHER_LOCK], 2);
}

TEST(a_write_under_an_exclusive_lock) {
  struct script s = {0};
  readers(&s, EV_WRLOCK, false);
  CHECK_INT(match(&s, KIND_SHARED_LOCK, NULL), 0);
}

TEST(shared_sections_one_after_the_other) {
  struct script s = {0};
  readers(&s, EV_RDLOCK, true);
  CHECK_INT(match(&s, KIND_SHARED_LOCK, NULL), 0);
}

/* ---- hand over hand ---- */

/* T1 reads the pointer to M at A under L; the lock at M + 8 is the next. */
static void couples(struct script *s, bool next_first, bool change) {
  s->block = (struct block){.base = M,
                            .size = 64,
                            .alloc_event = UINT32_MAX,
                            .free_event = UINT32_MAX};
  does(s, 1, 1, EV_LOCK, L);
  reads(s, 1, 2, A, M);
  if (next_first)
    does(s, 1, 4, EV_LOCK, M + 8);
  does(s, 1, 3, EV_UNLOCK, L);
  if (change)
    writes(s, 2, 12, A, M, 0);
  if (!next_first)
    does(s, 1, 4, EV_LOCK, M + 8);
}

TEST(a_lock_that_is_given_back_before_the_next_is_taken) {
  struct script s = {0};
  struct kind_found f = {0};
  couples(&s, false, true);
  CHECK_INT(match(&s, KIND_COUPLING, &f), 1);
  CHECK_INT(f.marks[COUPLE_READ], 1);
  CHECK_INT(f.marks[COUPLE_UNLOCK], 2);
  CHECK_INT(f.marks[COUPLE_CHANGE], 3);
  CHECK_INT(f.marks[COUPLE_LOCK], 4);
}

TEST(the_next_lock_is_taken_first) {
  struct script s = {0};
  couples(&s, true, true);
  CHECK_INT(match(&s, KIND_COUPLING, NULL), 0);
}

TEST(nobody_changes_the_pointer_between_two_locks) {
  struct script s = {0};
  couples(&s, false, false);
  CHECK_INT(match(&s, KIND_COUPLING, NULL), 0);
}

/* ---- use after free ---- */

/* The block at M is freed by T2 and used by T1, which has its address from A;
 * read again after the free: somebody left a pointer there. */
static void use(struct script *s, bool again) {
  reads(s, 1, 20, A, M);
  uint32_t gone = does(s, 2, 30, EV_FREE, M);
  s->block = (struct block){
      .base = M, .size = 64, .alloc_event = UINT32_MAX, .free_event = gone};
  if (again)
    reads(s, 1, 21, A, M);
  reads(s, 1, 22, M + 8, 0);
}

TEST(a_block_that_is_freed_between_its_pointer_and_its_use) {
  struct script s = {0};
  use(&s, false);
  CHECK_INT(match(&s, KIND_UNPROTECTED, NULL), 1);
}

TEST(a_pointer_that_was_left_behind_is_another_fault) {
  struct script s = {0};
  use(&s, true);
  CHECK_INT(match(&s, KIND_UNPROTECTED, NULL), 0);
}

TEST_MAIN
