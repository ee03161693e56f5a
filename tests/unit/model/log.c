#include "model/log.h"

#include "random_log.h"
#include "test.h"

static struct log_event event(enum log_event_kind kind, uint32_t process) {
  return (struct log_event){
      .kind = kind,
      .process = process,
      .arg = {DATUM_NONE, DATUM_NONE, DATUM_NONE},
      .result = DATUM_NONE,
      .order = LOG_NO_HINT,
      .type_argument = DATUM_NONE,
  };
}

static struct log_event call(uint32_t process, const char *f) {
  struct log_event ev = event(LOG_CALL, process);
  ev.f = f;
  ev.flen = (uint32_t)strlen(f);
  return ev;
}

static struct log_event note(const char *text) {
  struct log_event ev = event(LOG_NOTE, 0);
  ev.text = text;
  ev.tlen = (uint32_t)strlen(text);
  return ev;
}

static int build(struct log *l, const struct log_event *evs, size_t n,
                 struct error *e) {
  struct log_builder b;
  int err = ERR_NONE;
  log_begin(&b, l);
  for (size_t i = 0; i < n && !err; i++)
    err = log_add(&b, &evs[i], e);
  int last = log_end(&b, e);
  return err ? err : last;
}
#define BUILD(L, EVS, E) build(L, EVS, sizeof(EVS) / sizeof *(EVS), E)

TEST(events_become_operations_sorted_by_call) {
  struct log_event evs[] = {call(7, "enq"), call(1000000, "deq"),
                            event(LOG_OK, 7), event(LOG_OK, 1000000),
                            call(7, "deq")};
  evs[0].nargs = 1;
  evs[0].arg[0] = datum_number(5);
  evs[0].line = 3;
  evs[3].result = datum_number(5);
  evs[3].order = 9;
  struct log l;
  struct error e = {0};
  CHECK_INT(BUILD(&l, evs, &e), ERR_NONE);
  log_check_invariants(&l);
  CHECK_INT(l.ops.len, 3);
  CHECK_INT(l.functions.len, 2);
  CHECK_INT(l.nprocesses, 2);
  CHECK_INT(l.end, 5);
  CHECK_INT(l.ops.at[0].call, 0);
  CHECK_INT(l.ops.at[0].ret, 2);
  CHECK_INT(l.ops.at[0].line, 3);
  CHECK_INT(l.ops.at[1].ret, 3);
  CHECK_INT((long long)l.ops.at[1].order, 9);
  CHECK(l.ops.at[2].ret == LOG_PENDING);
  CHECK(l.ops.at[2].order == LOG_NO_HINT);
  struct buf b = {0};
  for (uint32_t i = 0; i < 3; i++) {
    log_print_op(&l, &l.ops.at[i], &b);
    buf_putc(&b, ';');
  }
  CHECK_STR(buf_text(&b), "enq(5);deq() = 5;deq();");
  buf_free(&b);
  log_free(&l);
}

TEST(what_returned_early_can_be_forgotten) {
  struct log_event evs[] = {
      call(1, "a"),       call(2, "b"), event(LOG_OK, 1), call(3, "dropped"),
      event(LOG_DROP, 3), call(1, "c"), event(LOG_OK, 1), call(1, "d"),
      event(LOG_INFO, 1), call(4, "e")};
  struct log l;
  struct error e = {0};
  struct log_builder b;
  log_begin(&b, &l);
  for (size_t i = 0; i < sizeof evs / sizeof *evs; i++)
    CHECK_INT(log_add(&b, &evs[i], &e), ERR_NONE);
  log_forget(&b, 3); /* a has returned at 2, c at 5 */
  CHECK_INT(l.ops.len, 4);
  struct log_event later[] = {event(LOG_OK, 4), event(LOG_OK, 2)};
  for (size_t i = 0; i < sizeof later / sizeof *later; i++)
    CHECK_INT(log_add(&b, &later[i], &e), ERR_NONE);
  CHECK_INT(log_end(&b, &e), ERR_NONE);
  log_check_invariants(&l);
  struct buf text = {0};
  for (uint32_t i = 0; i < l.ops.len; i++)
    buf_printf(&text, "%s %u %d;", l.functions.at[l.ops.at[i].f],
               l.ops.at[i].call, (int)l.ops.at[i].ret);
  CHECK_STR(buf_text(&text), "b 1 9;c 4 5;d 6 -1;e 7 8;");
  buf_free(&text);
  log_free(&l);
}

TEST(names_with_numbers_are_the_same_as_without) {
  struct log_event evs[] = {
      call(0, "a"), event(LOG_OK, 0), call(0, "b"), event(LOG_OK, 0),
      call(0, "a"), event(LOG_OK, 0), call(0, "b")};
  struct log l;
  struct error e = {0};
  evs[0].name = 3;
  evs[2].name = 1;
  evs[4].name = 3;
  CHECK_INT(BUILD(&l, evs, &e), ERR_NONE);
  CHECK_INT(l.functions.len, 2);
  CHECK(l.no_hints);
  for (uint32_t i = 0; i < 4; i++)
    CHECK_INT(l.ops.at[i].f, i % 2);
  log_free(&l);
}

TEST(many_arguments_are_a_list) {
  datum all[] = {datum_number(1), datum_number(2), datum_number(3),
                 datum_number(4)};
  struct log_event evs[] = {call(0, "f"), event(LOG_FAIL, 0)};
  evs[0].nargs = 4;
  evs[0].arg[0] = datum_list(all, 4);
  struct log l;
  struct error e = {0};
  CHECK_INT(BUILD(&l, evs, &e), ERR_NONE);
  CHECK_INT(l.ops.at[0].failed, 1);
  struct buf b = {0};
  log_print_op(&l, &l.ops.at[0], &b);
  CHECK_STR(buf_text(&b), "f(1, 2, 3, 4) failed");
  buf_free(&b);
  log_free(&l);
}

TEST(what_was_dropped_is_not_there) {
  struct log_event evs[] = {call(0, "a"),       call(1, "b"),
                            event(LOG_DROP, 0), call(0, "c"),
                            event(LOG_INFO, 1), event(LOG_OK, 0)};
  struct log l;
  struct error e = {0};
  CHECK_INT(BUILD(&l, evs, &e), ERR_NONE);
  log_check_invariants(&l);
  CHECK_INT(l.ops.len, 2);
  CHECK_STR(l.functions.at[l.ops.at[0].f], "b");
  CHECK(l.ops.at[0].ret == LOG_PENDING);
  CHECK_STR(l.functions.at[l.ops.at[1].f], "c");
  CHECK(l.ops.at[1].ret != LOG_PENDING);
  log_free(&l);
}

static void refused(const struct log_event *evs, size_t n, const char *why) {
  struct log l;
  struct error e = {0};
  CHECK_INT(build(&l, evs, n, &e), ERR_INPUT);
  CHECK_HAS(e.text, why);
  log_free(&l);
}
#define REFUSED(EVS, WHY) refused(EVS, sizeof(EVS) / sizeof *(EVS), WHY)

TEST(what_cannot_be_is_said) {
  struct log_event twice[] = {call(3, "a"), call(3, "b")};
  REFUSED(twice, "process 3 calls b before its a has returned");
  struct log_event nothing[] = {event(LOG_OK, 2)};
  REFUSED(nothing, "process 2 returns, but has called nothing");
  struct log_event again[] = {call(0, "a"), event(LOG_OK, 0), event(LOG_OK, 0)};
  REFUSED(again, "process 0 returns, but has called nothing");
  struct log_event dead[] = {call(0, "a"), event(LOG_INFO, 0), call(0, "b")};
  REFUSED(dead, "process 0 calls b, but its last operation never returned");
  struct log_event head[] = {call(0, "a"), event(LOG_HEAD, 0)};
  REFUSED(head, "a history begins inside another");
}

TEST(faults_last_from_start_to_stop) {
  struct log_event evs[] = {
      note("start-kill"),   note("start"),     note("restarted"),
      note("start cut n1"), note("stop"),      note("stop done"),
      note("start"),        note("stop-kill"), note("stop-other"),
  };
  struct log l;
  struct error e = {0};
  CHECK_INT(BUILD(&l, evs, &e), ERR_NONE);
  static const struct log_note want[] = {
      {0, 7, "start-kill"},      {1, 5, "start cut n1"}, {2, 2, "restarted"},
      {6, LOG_PENDING, "start"}, {8, 8, "stop-other"},
  };
  CHECK_INT(l.notes.len, 5);
  for (uint32_t i = 0; i < l.notes.len && i < 5; i++) {
    CHECK_INT(l.notes.at[i].from, want[i].from);
    CHECK_INT(l.notes.at[i].to, want[i].to);
    CHECK_STR(l.notes.at[i].text, want[i].text);
  }
  log_free(&l);
}

TEST(ten_thousand_processes_are_fine) {
  enum { N = 10000 };
  struct log_event *evs = xcalloc(3 * N, sizeof *evs);
  for (uint32_t i = 0; i < N; i++) {
    evs[i] = call(i * 65536u + i, "inc");
    evs[N + i] = event(LOG_OK, i * 65536u + i);
    evs[2 * N + i] = call(i * 65536u + i, "dec");
  }
  struct log l;
  struct error e = {0};
  CHECK_INT(build(&l, evs, 3 * N, &e), ERR_NONE);
  log_check_invariants(&l);
  CHECK_INT(l.nprocesses, N);
  CHECK_INT(l.ops.len, 2 * N);
  log_free(&l);
  free(evs);
}

TEST(random_logs_are_logs_of_all_shapes) {
  for (uint32_t s = 0; random_log_shapes[s]; s++)
    for (uint64_t seed = 0; seed < 200; seed++) {
      struct random_log want = {.shape = random_log_shapes[s],
                                .seed = seed,
                                .operations = (uint32_t)seed,
                                .processes = 1 + seed % 7,
                                .concurrency = seed % 3,
                                .values = seed % 5,
                                .distribution = seed % 3,
                                .pending = seed % 2 && seed % 3 ? 10 : 0,
                                .crash_rate = seed % 6 == 3 ? 100000 : 0,
                                .mutations = seed % 4 == 3};
      struct log l = random_log(&want), again = random_log(&want);
      log_check_invariants(&l);
      CHECK_INT(l.ops.len, (long long)seed);
      uint32_t pending = 0;
      for (uint32_t i = 0; i < l.ops.len; i++) {
        pending += l.ops.at[i].ret == LOG_PENDING;
        CHECK(l.ops.at[i].result == again.ops.at[i].result);
      }
      CHECK(seed % 2 || !pending);
      CHECK(!(seed % 2) || seed < 50 || pending);
      log_free(&l);
      log_free(&again);
    }
}

TEST_MAIN
