/* Histories read off traces that were made by hand. */
#include "oracle/history.h"

#include "base/arena.h"
#include "test.h"

/* push(1); {push(2)} || {pop()} */
static struct call calls[] = {
    {.op = 0, .thread = 0}, {.op = 0, .thread = 1}, {.op = 1, .thread = 2}};
static const struct client client = {
    .calls = calls, .ncalls = 3, .ninit = 1, .nthreads = 2};

static struct event at(uint32_t step, uint32_t call, enum event_kind kind) {
  return (struct event){
      .kind = kind, .thread = calls[call].thread, .step = step, .call = call};
}

static struct event returns(uint32_t step, uint32_t call, struct value v) {
  struct event e = at(step, call, EV_RETURN);
  e.value[0] = v.bits;
  e.value[1] = v.kind;
  return e;
}

static struct trace make(struct event *events, uint32_t n, struct hop *ops) {
  return (struct trace){.events = events,
                        .nevents = n,
                        .history = {.client = &client, .ops = ops}};
}

TEST(calls_and_returns_are_read_off_the_events) {
  struct event events[] = {
      at(5, 1, EV_CALL),           at(5, 1, EV_READ),
      at(6, 2, EV_CALL),           at(6, 2, EV_READ),
      returns(6, 2, value_int(7)), at(8, 1, EV_WRITE),
      returns(8, 1, value_void()),
  };
  struct hop ops[] = {
      {1, 2, value_void()}, {5, 8, value_void()}, {6, 6, value_int(7)}};
  struct trace t = make(events, 7, ops);
  struct arena a = {0};
  struct history h;
  uint32_t call;
  CHECK(history_from_trace(&t, &a, &h));
  CHECK(history_equal(&h, &t.history));
  CHECK(trace_is_tight(&t, &call));
  CHECK_INT(h.ops[2].ret, 6);

  ops[1].ret = 7; /* the engine stamped something else */
  CHECK(!history_equal(&h, &t.history));
  CHECK(!trace_is_tight(&t, &call));
  CHECK_INT(call, 1);
  ops[1].ret = 8;
  ops[2].result = value_int(8);
  CHECK(!history_equal(&h, &t.history));
  arena_free(&a);
}

TEST(what_did_not_end_is_pending) {
  struct event events[] = {at(5, 1, EV_CALL), at(5, 1, EV_LOCK)};
  struct hop ops[] = {{1, 2, value_void()},
                      {5, HISTORY_PENDING, value_void()},
                      {HISTORY_PENDING, HISTORY_PENDING, value_void()}};
  struct trace t = make(events, 2, ops);
  struct arena a = {0};
  struct history h;
  uint32_t call;
  CHECK(history_from_trace(&t, &a, &h));
  CHECK(history_equal(&h, &t.history));
  CHECK(hop_called(&h.ops[1]) && hop_pending(&h.ops[1]));
  CHECK(!hop_called(&h.ops[2]));
  CHECK(trace_is_tight(&t, &call));
  t.events[1].call = 2; /* it did something and was never called */
  CHECK(!trace_is_tight(&t, &call));
  CHECK_INT(call, 2);
  arena_free(&a);
}

TEST(texts_are_compared_as_texts) {
  char one[] = "text", two[] = "text";
  struct hop a[] = {{1, 2, {VALUE_STRING, (uint64_t)(uintptr_t)one}},
                    {HISTORY_PENDING, HISTORY_PENDING, value_void()},
                    {HISTORY_PENDING, HISTORY_PENDING, value_void()}};
  struct hop b[] = {
      {1, 2, {VALUE_STRING, (uint64_t)(uintptr_t)two}}, a[1], a[2]};
  struct history x = {.client = &client, .ops = a},
                 y = {.client = &client, .ops = b};
  CHECK(history_equal(&x, &y));
  two[0] = 'n';
  CHECK(!history_equal(&x, &y));
}

TEST_MAIN
