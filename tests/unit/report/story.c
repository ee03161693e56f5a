/* What a story says of a result: sentences, rows, folding. */
#include "fixture.h"
#include "test.h"

static struct story *tell(struct fixture *f) {
  return story_new(&f->result, &f->namer);
}

TEST(a_spin_loop_is_told_once) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_LIVELOCK);
  add_call(f, 0);
  for (int i = 0; i < 50; i++) {
    add(f, EV_ATOMIC_READ, 1, 0, 500, TOP, 0, 1);
    add(f, EV_YIELD, 1, 0, 600, 0, 0, 0);
  }
  add(f, EV_ATOMIC_READ, 1, 0, 500, TOP, 0, 0);
  struct story *s = tell(f);
  CHECK_INT(s->rows.len, 4);
  CHECK_INT(s->rows.at[1].times, 50);
  CHECK_STR(s->rows.at[1].tail, " = 1");
  CHECK_INT(s->rows.at[2].times, 50);
  CHECK_INT(s->rows.at[3].times, 1);
  story_free(s);
  fixture_free(f);
}

TEST(rounds_with_another_thread_in_between_are_not_folded) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_LIVELOCK);
  add(f, EV_READ, 1, 0, 500, TOP, 0, 1);
  add(f, EV_READ, 2, 1, 500, TOP, 0, 1);
  add(f, EV_READ, 1, 0, 500, TOP, 0, 1);
  struct story *s = tell(f);
  CHECK_INT(s->rows.len, 3);
  CHECK_INT(s->rows.at[0].group, 0);
  CHECK_INT(s->rows.at[1].group, 1);
  CHECK_INT(s->rows.at[2].group, 2);
  story_free(s);
  fixture_free(f);
}

TEST(equal_calls_are_not_a_loop) {
  struct fixture *f = fixture_new("{pop(); pop()}", FAULT_LIVELOCK);
  add_call(f, 0);
  add_return(f, 0, INT(-1));
  add_call(f, 1);
  add_return(f, 1, INT(-1));
  struct story *s = tell(f);
  CHECK_INT(s->rows.len, 4);
  CHECK_STR(s->rows.at[3].what, "returns -1");
  story_free(s);
  fixture_free(f);
}

TEST(a_write_tells_what_it_overwrites_and_a_read_only_what_is_there) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_CRASH);
  add(f, EV_WRITE, 1, 0, 500, TOP, 0, 1);
  add(f, EV_READ, 2, 1, 500, TOP, 1, 1);
  add(f, EV_CAS_FAIL, 2, 1, 500, TOP, 1, 1);
  add(f, EV_WRITE, 2, 1, 500, NODE + 8, 5, 0);
  struct story *s = tell(f);
  CHECK_STR(s->rows.at[0].tail, ": 0 -> 1");
  CHECK_STR(s->rows.at[1].tail, " = 1");
  CHECK_STR(s->rows.at[2].tail, " = 1");
  CHECK_STR(s->rows.at[3].what, "node#1.next");
  CHECK_STR(s->rows.at[3].tail, ": 5 -> NULL");
  story_free(s);
  fixture_free(f);
}

TEST(what_is_not_known_is_not_told) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_EXIT);
  add(f, EV_READ, 1, 0, 400, TOP, 0, 0)->flags = EVENT_NO_OLD | EVENT_NO_VALUE;
  add(f, EV_WRITE, 1, 0, 500, TOP, 1, 1); /* a silent write is one */
  add(f, EV_WRITE, 1, 0, 600, TOP, 1, 0)->flags = EVENT_NO_VALUE;
  struct story *s = tell(f);
  CHECK_STR(s->rows.at[0].what, "s->top");
  CHECK_STR(s->rows.at[0].tail, "");
  CHECK_STR(s->rows.at[1].tail, ": 1 -> 1");
  CHECK_STR(s->rows.at[2].tail, ": 1 -> ?");
  story_free(s);
  fixture_free(f);
}

TEST(a_lock_has_its_owners_name) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_CRASH);
  add(f, EV_LOCK, 1, 0, 500, LOCK_A, 0, 0);
  add(f, EV_READ, 1, 0, 600, TOP, 0, 0);
  f->location = "q->lock.__data.__lock";
  struct story *s = tell(f);
  CHECK_STR(s->rows.at[0].what, "q->lock");
  CHECK_STR(s->rows.at[1].what, "q->lock.__data.__lock");
  story_free(s);
  f->location = "q->m._M_mutex.__data";
  s = tell(f);
  CHECK_STR(s->rows.at[0].what, "q->m");
  story_free(s);
  fixture_free(f);
}

TEST(attempts_and_threads) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_CRASH);
  add(f, EV_TRYLOCK, 1, 0, 500, LOCK_A, 0, 1);
  add(f, EV_TRYLOCK, 2, 1, 500, LOCK_A, 0, 0);
  add(f, EV_CREATE, 2, 1, 500, 0, 0, 3);
  add(f, EV_JOIN, 2, 1, 500, 0x7f00, 0, 3);
  struct waiting w = {
      .thread = 2, .kind = EV_JOIN, .holder = 255, .addr = 3, .call = 1};
  vec_push(&f->finding.waiting, w);
  struct story *s = tell(f);
  CHECK_STR(s->rows.at[0].tail, " (got it)");
  CHECK_STR(s->rows.at[1].tail, " (failed)");
  CHECK_STR(s->rows.at[2].tail, "T3");
  CHECK_STR(s->rows.at[3].what, "");
  CHECK_STR(s->rows.at[3].tail, "T3");
  CHECK_STR(s->rows.at[4].what, "the end of T3");
  story_free(s);
  fixture_free(f);
}

TEST(wide_values) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_CRASH);
  struct event *e = add(f, EV_CAS, 1, 0, 500, TOP, 1, 3);
  e->size = 16;
  e->value[1] = 4;
  e->old[1] = 2;
  add(f, EV_READ, 1, 0, 500, TOP, 0, 1)->size = 64;
  struct story *s = tell(f);
  CHECK_STR(s->rows.at[0].tail, ": {1, 2} -> {3, 4}");
  CHECK_STR(s->rows.at[1].tail, " (64 bytes)");
  story_free(s);
  fixture_free(f);
}

TEST(a_use_after_free_names_block_function_and_sites) {
  struct fixture *f =
      fixture_new("push(1); {pop()} || {get()}", FAULT_USE_AFTER_FREE);
  f->function = "find";
  add(f, EV_ALLOC, 0, 0, 10002003, NODE, 0, 0)->size = 16;
  add(f, EV_FREE, 1, 1, 10005003, NODE, 0, 0)->size = 16;
  add(f, EV_FAULT, 2, 2, 10004412, NODE + 8, 0, 9);
  f->blocks[0] = (struct block){.base = NODE,
                                .size = 16,
                                .alloc_event = 0,
                                .free_event = 1,
                                .alloc_pc = 10002003,
                                .free_pc = 10005003,
                                .free_thread = 1};
  f->finding.trace.nblocks = 1;
  f->finding.pc = 10004412;
  f->finding.thread = 2;
  f->finding.addr = NODE + 8;
  struct story *s = tell(f);
  CHECK_STR(s->message,
            "use after free of node#1 in find(), called from get()");
  CHECK_INT(s->place->line, 44);
  CHECK_INT(s->place->column, 12);
  CHECK_INT(s->notes.len, 2);
  CHECK_STR(s->notes.at[0].text, "allocated here by main in push(1)");
  CHECK_INT(s->notes.at[0].place->line, 20);
  CHECK_STR(s->notes.at[1].text, "freed here by T1 in pop()");
  CHECK_INT(s->notes.at[1].place->line, 50);
  story_free(s);
  f->function = "get";
  s = tell(f);
  CHECK_STR(s->message, "use after free of node#1 in get()");
  story_free(s);
  fixture_free(f);
}

TEST(a_block_older_than_the_trace_knows_its_call) {
  struct fixture *f = fixture_new("{get()} || {push(1)}", FAULT_USE_AFTER_FREE);
  add(f, EV_FAULT, 1, 0, 4412, NODE + 8, 0, 9);
  f->blocks[0] = (struct block){.base = NODE,
                                .size = 16,
                                .alloc_event = UINT32_MAX,
                                .free_event = UINT32_MAX,
                                .alloc_pc = 2003,
                                .alloc_call = 2,
                                .alloc_thread = 2};
  f->finding.trace.nblocks = 1;
  f->finding.pc = 4412;
  f->finding.addr = NODE + 8;
  struct story *s = tell(f);
  CHECK_STR(s->notes.at[0].text, "allocated here by T2 in push(1)");
  story_free(s);
  f->blocks[0].alloc_call = 0;
  s = tell(f);
  CHECK_STR(s->notes.at[0].text, "allocated here by T2");
  story_free(s);
  fixture_free(f);
}

/* {pop()} || {push(1)}: pop() waits on, although push() has returned. */
static struct fixture *stuck(void) {
  struct fixture *f =
      fixture_new("{pop()} || {push(1)}", FAULT_NOT_LINEARIZABLE);
  f->finding.trace.history.stuck = true;
  add_call(f, 0);
  add(f, EV_READ, 1, 0, 700, TOP, 0, 0);
  add_call(f, 1);
  add(f, EV_WRITE, 2, 1, 800, TOP, 0, 1);
  add_return(f, 1, VOID);
  add(f, EV_COND_WAIT, 1, 0, 905, LOCK_A, 0, 0);
  return f;
}

TEST(a_call_that_waits_where_it_may_not_is_said_to_wait) {
  struct fixture *f = stuck();
  refute(f, (uint32_t[]){1, 0}, 2, 1);
  struct story *s = tell(f);
  CHECK_STR(s->message,
            "pop() waits for ever: no order of the calls lets it wait");
  CHECK_INT(s->place->line, 9);
  CHECK(s->notes.len >= 1);
  CHECK_STR(s->notes.at[0].text, "T1 in pop() waits for a signal of a");
  CHECK_INT(vec_last(&s->rows).kind, ROW_WAIT);
  CHECK_STR(vec_last(&s->rows).what, "a");
  story_free(s);

  /* what the engine says of it is better than what the trace shows */
  struct waiting w = {.thread = 1,
                      .kind = EV_SEM_WAIT,
                      .holder = 255,
                      .pc = 1003,
                      .addr = LOCK_B,
                      .call = 0};
  vec_push(&f->finding.waiting, w);
  s = tell(f);
  CHECK_INT(s->place->line, 10);
  CHECK_STR(s->notes.at[0].text, "T1 in pop() waits for the semaphore b");
  story_free(s);
  fixture_free(f);
}

TEST(a_stuck_history_with_wrong_results_is_about_them) {
  struct fixture *f = stuck();
  refute(f, (uint32_t[]){1}, 1, 1);
  struct story *s = tell(f);
  CHECK(!strstr(s->message, "for ever"));
  CHECK_HAS(s->message, "is not linearizable");
  story_free(s);
  fixture_free(f);
}

TEST(an_interruption_of_a_stuck_history_is_a_note) {
  struct fixture *f = stuck();
  add(f, EV_READ, 1, 0, 906, TOP, 1, 1);
  refute(f, (uint32_t[]){1, 0}, 2, 1);
  struct story *s = tell(f);
  CHECK_HAS(s->message, "pop() waits for ever");
  CHECK_STR(vec_last(&s->notes).text,
            "T1 in pop() is interrupted here by T2 in push(1): write s->top: "
            "0 -> 1");
  CHECK_INT(vec_last(&s->notes).place->line, 7);
  story_free(s);
  fixture_free(f);
}

static void wait_for(struct fixture *f, uint8_t thread, uint32_t call,
                     uint64_t pc, uint64_t addr, uint8_t holder) {
  struct waiting w = {.thread = thread,
                      .kind = EV_LOCK,
                      .holder = holder,
                      .pc = pc,
                      .addr = addr,
                      .call = call};
  vec_push(&f->finding.waiting, w);
}

TEST(a_deadlock_tells_who_waits_for_whom) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_DEADLOCK);
  wait_for(f, 1, 0, 1003, LOCK_B, 2);
  wait_for(f, 2, 1, 2003, LOCK_A, 1);
  struct story *s = tell(f);
  CHECK_STR(s->message, "deadlock in pop(): T1 and T2 wait for each other");
  CHECK_STR(s->notes.at[0].text, "T1 in pop() waits to lock b, which T2 holds");
  CHECK_STR(s->notes.at[1].text, "T2 in get() waits to lock a, which T1 holds");
  CHECK_INT(s->rows.len, 2);
  CHECK_INT(s->rows.at[0].kind, ROW_WAIT);
  CHECK_STR(s->rows.at[0].tail, ", held by T2");
  story_free(s);

  f->finding.waiting.at[0].holder = 1;
  s = tell(f);
  CHECK_STR(s->message,
            "deadlock in pop(): T1 waits for a lock that it holds itself");
  story_free(s);

  f->finding.waiting.at[0].holder = f->finding.waiting.at[1].holder = 255;
  s = tell(f);
  CHECK_STR(s->message, "deadlock in pop(): no thread can go on");
  story_free(s);
  fixture_free(f);
}

TEST(nobody_is_said_to_be_signalled_who_was_not) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_DEADLOCK);
  add(f, EV_SIGNAL, 2, 1, 300, LOCK_A, 0, 0);
  add(f, EV_COND_WAIT, 1, 0, 400, LOCK_A, 0, 0);
  wait_for(f, 1, 0, 400, LOCK_A, 255);
  f->finding.waiting.at[0].kind = EV_COND_WAKE;
  struct story *s = tell(f);
  CHECK_STR(s->notes.at[0].text, "T1 in pop() waits for a signal of a");
  story_free(s);
  add(f, EV_SIGNAL, 2, 1, 500, LOCK_A, 0, 0); /* for it, or for another one */
  s = tell(f);
  CHECK_STR(s->notes.at[0].text, "T1 in pop() waits on a");
  story_free(s);
  fixture_free(f);
}

TEST(a_circle_that_does_not_begin_with_the_first_is_found) {
  struct fixture *f =
      fixture_new("{pop()} || {get()} || {get()} || {get()}", FAULT_DEADLOCK);
  wait_for(f, 1, 0, 1003, LOCK_B, 2);
  wait_for(f, 2, 1, 2003, LOCK_A, 3);
  wait_for(f, 3, 2, 2003, LOCK_A, 4);
  wait_for(f, 4, 3, 2003, LOCK_A, 2);
  struct story *s = tell(f);
  CHECK_STR(s->message, "deadlock in get(): T2, T3 and T4 wait in a circle");
  story_free(s);
  fixture_free(f);
}

TEST(a_livelock_tells_what_is_spun_on) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_LIVELOCK);
  wait_for(f, 1, 0, 1003, TOP, 255);
  f->finding.waiting.at[0].spins = 1;
  struct story *s = tell(f);
  CHECK_HAS(s->message, "livelock in pop(): T1 goes round a loop that only");
  CHECK_STR(s->notes.at[0].text,
            "T1 in pop() goes round a loop until s->top changes");
  story_free(s);
  fixture_free(f);
}

TEST(a_crash_says_the_signal) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_CRASH);
  add_call(f, 0);
  f->finding.thread = 1;
  f->finding.pc = 1003;
  f->finding.detail = xstrdup("SIGSEGV at address 0x8");
  struct story *s = tell(f);
  CHECK_STR(s->message, "crash in pop(): SIGSEGV at address 0x8");
  story_free(s);
  fixture_free(f);
}

TEST(a_fault_of_one_thread_is_said_to_need_no_concurrency) {
  struct fixture *f = fixture_new("push(1)", FAULT_CRASH);
  struct story *s = tell(f);
  CHECK_HAS(s->message, "crash");
  CHECK_HAS(s->message, " (one thread is enough)");
  story_free(s);
  fixture_free(f);
}

TEST(a_sequential_fault_is_not_a_concurrency_fault) {
  struct fixture *f = fixture_new("push(1); pop()", FAULT_SEQUENTIAL);
  refute(f, (uint32_t[]){0, 1}, 2, 1);
  struct story *s = tell(f);
  CHECK_STR(
      s->message,
      "pop() is wrong without concurrency: it does not behave like stack");
  story_free(s);
  fixture_free(f);
}

TEST(without_an_interruption_the_result_is_blamed_and_nothing_more) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
  add(f, EV_READ, 1, 0, 3107, TOP, 0, 1);
  refute(f, (uint32_t[]){1, 0}, 2, 1);
  struct story *s = tell(f);
  CHECK_STR(s->message, "pop() is not linearizable: no order of the calls "
                        "explains its result");
  CHECK_INT(s->place->line, 31);
  story_free(s);
  f->result.criterion = "sequential";
  s = tell(f);
  CHECK_HAS(s->message, "pop() is not sequentially consistent:");
  story_free(s);
  fixture_free(f);
}

TEST(an_interruption_within_a_line_or_across_files_is_said_so) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_NOT_LINEARIZABLE);
  add(f, EV_READ, 1, 0, 3107, TOP, 0, 1);
  add(f, EV_WRITE, 2, 1, 4107, TOP, 0, 5);
  add(f, EV_WRITE, 1, 0, 3103, TOP, 0, 2);
  struct story *s = tell(f);
  CHECK_STR(s->message,
            "pop() is not linearizable: interrupted within line 31 by get()");
  story_free(s);
  f->events[2].pc = 10000705;
  s = tell(f);
  CHECK_STR(s->message, "pop() is not linearizable: interrupted between "
                        "stack.c:31 and list.c:7 by get()");
  CHECK(s->file == NULL);
  story_free(s);
  fixture_free(f);
}

TEST(without_a_namer_there_are_numbers) {
  struct fixture *f = fixture_violation();
  struct story *s = story_new(&f->result, NULL);
  CHECK_STR(s->message, "pop() is not linearizable: interrupted by push()");
  CHECK_STR(s->events[4].location, "0x1000");
  CHECK_INT(s->place->line, 0);
  story_free(s);
  fixture_free(f);
}

/* pc 7 is in a header, inlined into stack.c:9 where pc is odd. */
static const struct place *header_place(void *ctx, uint64_t pc) {
  static const struct place own = {"stack.c", "push", 9, 1, NULL};
  static const struct place inlined = {"/usr/include/c++/12/list", "insert", 70,
                                       1, &own};
  static const struct place alone = {"/usr/include/c++/12/list", "insert", 80,
                                     1, NULL};
  static const struct place caller = {"stack.c", "push", 11, 1, NULL};
  (void)ctx;
  return pc == 7 ? &inlined : pc == 8 ? &alone : &caller;
}

TEST(an_access_in_a_system_header_is_where_the_user_called_it) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_INVARIANT);
  struct frame frames[] = {{0, 0}, {8, 2}, {12, 0}};
  f->namer.place = header_place;
  f->finding.trace.frames = frames;
  f->finding.trace.nframes = 3;
  add(f, EV_READ, 1, 0, 7, TOP, 0, 1);
  add(f, EV_READ, 1, 0, 8, TOP, 0, 1)->chain = 1;
  add(f, EV_READ, 1, 0, 8, TOP, 0, 1);
  struct story *s = tell(f);
  CHECK_INT(s->events[0].place->line, 9);
  CHECK_INT(s->events[1].place->line, 11);
  CHECK_INT(s->events[2].place->line, 80); /* nobody of ours called it */
  story_free(s);
  fixture_free(f);
}

TEST(fresh_memory_has_no_value) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_INVARIANT);
  f->blocks[0] = (struct block){.base = NODE, .size = 16};
  f->finding.trace.nblocks = 1;
  uint64_t fresh = 0xbebebebebebebebe;
  add(f, EV_WRITE, 1, 0, 1203, NODE, fresh, 1);
  add(f, EV_READ, 1, 0, 1203, NODE, 0, fresh);
  add(f, EV_READ, 1, 0, 1203, TOP, 0, fresh); /* a copy of it */
  add(f, EV_READ, 1, 0, 1203, TOP, 0, 0xbe);
  struct story *s = tell(f);
  CHECK_STR(s->rows.at[0].tail, ": ? -> 1");
  CHECK_STR(s->rows.at[1].tail, " = ? (uninitialised)");
  CHECK_STR(s->rows.at[2].tail, " = ? (uninitialised)");
  CHECK_STR(s->rows.at[3].tail, " = 190");
  story_free(s);
  fixture_free(f);
}

static void check_result(const struct story *s, struct value v,
                         const char *want) {
  struct buf b = {0};
  story_put_value(s, v, &b);
  CHECK_STR(buf_text(&b), want);
  buf_free(&b);
}

TEST(a_result_of_fresh_memory_says_so) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_INVARIANT);
  struct story *s = tell(f);
  uint64_t fresh = 0xbebebebebebebebe;
  check_result(s, value_int((int32_t)0xbebebebe), "? (uninitialised)");
  check_result(s, value_uint(0xbebebebe), "? (uninitialised)");
  check_result(s, value_uint(fresh), "? (uninitialised)");
  check_result(s, value_int((int32_t)0xbebebebf),
               "-1094795585 (uninitialised + 1)");
  check_result(s, value_int(0x7d7d7d7c), "2105376124 (uninitialised * 2)");
  check_result(s, value_int((int32_t)0xbebebebd),
               "-1094795587 (uninitialised - 1)");
  check_result(s, value_address(fresh), "? (uninitialised)");
  check_result(s, value_int(0xbe), "190");
  check_result(s, value_int(-1094000000), "-1094000000");
  story_free(s);
  fixture_free(f);
}

static void address_value(void *ctx, const struct event *e, uint64_t value,
                          uint32_t at, struct buf *out) {
  (void)e;
  buf_putc(out, '&');
  fixture_location(ctx, value, value % 16 ? 8 : 16, at, out);
}

/* The second block of call 1 is the third of the trace. */
TEST(a_result_that_is_a_pointer_has_the_name_of_its_block) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_INVARIANT);
  static const uint32_t calls[] = {2, 1, 2};
  for (uint32_t i = 0; i < 3; i++)
    f->blocks[i] = (struct block){.base = NODE + 16 * i,
                                  .size = 16,
                                  .alloc_call = calls[i],
                                  .alloc_thread = (uint8_t)calls[i]};
  f->finding.trace.nblocks = 3;
  f->namer.value = address_value;
  struct story *s = tell(f);
  check_result(s, value_block(0, 0, 0), "&node#2");
  check_result(s, value_block(1, 1, 0), "&node#3");
  check_result(s, value_block(1, 1, 8), "&node#3.next");
  check_result(s, value_block(1, 2, 0), "&block 3 of T2's get()");
  check_result(s, value_block(UINT32_MAX, 0, 0), "&block 1 outside calls");
  check_result(s, value_null(), "NULL");
  story_free(s);
  fixture_free(f);
}

TEST(a_crash_by_a_fresh_pointer_says_so) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_CRASH);
  uint64_t fresh = 0xbebebebebebebebe;
  f->finding.thread = 1;
  f->finding.detail = xstrdup("invalid memory access (SIGSEGV)");
  add(f, EV_READ, 1, 0, 1203, NODE + 8, 0, fresh);
  add(f, EV_READ, 1, 0, 1303, fresh + 8, 0, 0)->flags = EVENT_NO_VALUE;
  struct story *s = tell(f);
  CHECK_HAS(s->message, "uninitialised memory used as a pointer: nothing had "
                        "written node#1.next");
  CHECK_STR(s->rows.at[1].what, "0xbebebebebebebec6 (uninitialised)");
  story_free(s);
  f->events[1].addr = NODE + 24;
  s = tell(f);
  CHECK_HAS(s->message, "invalid memory access (SIGSEGV)");
  story_free(s);
  fixture_free(f);
}

TEST(a_fresh_byte_has_no_value_before_it_is_written) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_INVARIANT);
  f->blocks[0] = (struct block){.base = NODE, .size = 16};
  f->finding.trace.nblocks = 1;
  add(f, EV_ALLOC, 1, 0, 1203, NODE, 0, 16)->size = 16;
  add(f, EV_WRITE, 1, 0, 1203, NODE, 0xbe, 0xbe)->size = 1;
  add(f, EV_READ, 1, 0, 1203, NODE, 0, 0xbe)->size = 1;
  add(f, EV_READ, 1, 0, 1203, NODE + 1, 0, 0xbe)->size = 1;
  struct story *s = tell(f);
  CHECK_STR(s->rows.at[1].tail, ": ? -> 190");
  CHECK_STR(s->rows.at[2].tail, " = 190");
  CHECK_STR(s->rows.at[3].tail, " = ? (uninitialised)");
  story_free(s);
  f->blocks[0].alloc_event = UINT32_MAX; /* before the trace */
  s = tell(f);
  CHECK_STR(s->rows.at[3].tail, " = 190");
  story_free(s);
  fixture_free(f);
}

TEST(the_write_that_the_fault_cut_off_has_no_value) {
  struct fixture *f = fixture_new("{pop()} || {get()}", FAULT_EXIT);
  f->finding.thread = 1;
  add(f, EV_WRITE, 1, 0, 1203, TOP, 1, 1); /* changed nothing, in fact */
  add(f, EV_WRITE, 1, 0, 1203, TOP, 1, 1);
  add(f, EV_FAULT, 1, 0, 1203, 0, 0, 0);
  struct story *s = tell(f);
  CHECK_STR(s->rows.at[0].tail, ": 1 -> 1");
  CHECK_STR(s->rows.at[1].tail, "");
  story_free(s);
  fixture_free(f);
}

TEST(numbers_have_commas) {
  struct buf b = {0};
  story_number(0, &b);
  buf_putc(&b, ' ');
  story_number(999, &b);
  buf_putc(&b, ' ');
  story_number(1000, &b);
  buf_putc(&b, ' ');
  story_number(UINT64_MAX, &b);
  CHECK_STR(buf_text(&b), "0 999 1,000 18,446,744,073,709,551,615");
  buf_free(&b);
}

TEST_MAIN
