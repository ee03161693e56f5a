/*
 * Streams of a queue that are violations by little: each is linearizable up to
 * the event before the last.  In words, p is a process:
 *
 *   p+5  enqueues 5      p-  dequeues      p?  looks at the front
 *   p.   has enqueued    p=5 got 5         p=_ found nothing     p! has crashed
 *
 * Random streams seldom come here.
 */
#include "history/stream/online.h"

#include "test.h"

#include <stdlib.h>

static struct log_event event_of(const char *word) {
  static const char *const names[] = {"enq", "deq", "peek"};
  char what = word[1];
  struct log_event ev = {
      .process = (uint32_t)word[0], .result = DATUM_NONE, .order = LOG_NO_HINT};
  if (what == '+' || what == '-' || what == '?') {
    ev.kind = LOG_CALL;
    ev.f = names[what == '+' ? 0 : what == '-' ? 1 : 2];
    ev.flen = (uint32_t)strlen(ev.f);
    if (what == '+')
      ev.arg[ev.nargs++] = datum_number(atoi(word + 2));
    return ev;
  }
  ev.kind = what == '!' ? LOG_INFO : LOG_OK;
  if (what == '=')
    ev.result = word[2] == '_' ? DATUM_NIL : datum_number(atoi(word + 2));
  return ev;
}

static void add(struct online *o, struct log_event ev) {
  struct error e = {0};
  CHECK_INT(online_add(o, &ev, &e), 0);
}

/* Somebody puts `value`, before the event with this number, and then has not.
 */
static bool check(const char *text, struct online_options options,
                  uint64_t when, int64_t value) {
  struct error e = {0};
  struct type *t = type_open("queue", DATUM_NONE, &e);
  struct online *o = online_new(t, &options);
  uint64_t n = 0;
  bool good = true;
  while (*text && good) {
    good = CHECK_INT(online_answer(o).verdict, LOG_LINEARIZABLE);
    if (!good)
      fprintf(stderr, "before %s\n", text);
    if (n++ == when) {
      struct log_event ev = event_of("~+0");
      ev.arg[0] = datum_number(value);
      add(o, ev);
      ev.kind = LOG_DROP;
      add(o, ev);
    }
    add(o, event_of(text));
    text += strcspn(text, " ");
    text += strspn(text, " ");
  }
  good = good && CHECK_INT(online_answer(o).verdict, LOG_VIOLATION);
  if (!good)
    fprintf(stderr, "put %d before event %d\n", (int)value, (int)when);
  if (when > n && !options.search)
    good = good && CHECK_INT(online_watched(o), online_parts(o));
  online_free(o);
  type_free(t);
  return good;
}

static void breaks_at_its_end(const char *text) {
  const struct online_options ways[] = {{.search = true},
                                        {.remembers = true},
                                        {.hastens = true},
                                        {.search = false}};
  uint64_t events = 1;
  bool good = true;
  for (const char *p = text; *p; p++)
    events += *p == ' ';
  for (int i = 0; i < 4 && good; i++)
    good = check(text, ways[i], UINT64_MAX, 0);
  for (uint64_t when = 1; when < events && good; when++)
    for (int64_t value = 1; value < 10 && good; value++)
      good = check(text, (struct online_options){.hastens = true}, when, value);
}

TEST(what_came_later_was_removed) { breaks_at_its_end("a+1 a. a+2 a. b- b=2"); }

TEST(two_were_at_the_front_by_turns) {
  breaks_at_its_end("a+1 b+2 a. b. p? p=1 p? p=2");
}

TEST(three_must_be_ahead_of_each_other) {
  /* 3 came before 1 was put, 1 was at the front before 2 was, which was there
   * before 3. */
  breaks_at_its_end("f- b+2 c+3 c. a+1 a. b. y- p? p=2 x- y=1 q? x=3 "
                    "q=2");
}

/* 2 was removed between two looks at 1; of those that were at the front by then
 * it has neither the latest insertion nor the latest removal. */
TEST(the_second_latest_is_remembered) {
  breaks_at_its_end("u+2 v+1 u. v. p? p=1 a- b- a=2 q? b=1 q=1");
}

/* 1 must be ahead of 2, which must be ahead of 3, and that was at the front
 * when only r had been called, which took 3. */
TEST(what_is_ahead_of_something_seen_is_remembered) {
  breaks_at_its_end("k+3 x+1 x. z+2 y+4 w+5 z. y. w. k. r- a- b- c- p? p=3 s- "
                    "a=2 q? q=3 b=4 c=5 r=3");
}

/* 3 must be ahead of 1, and that of 2, which was removed before r was called.
 */
TEST(what_was_seen_late_may_have_to_be_ahead) {
  breaks_at_its_end("f- z+3 a+1 a. a+2 a. z. d- p? p=3 e- d=2 r- e=1 y+9 f=9");
}

/* r took 1, since d found nothing, or 2, which was at the front before 9. */
TEST(what_found_nothing_and_what_was_seen_want_the_same_removal) {
  breaks_at_its_end("r- w+9 y+2 x+1 x. d- d=_ y. p? p=2 e- e=9");
}

/* b took 1 before q found nothing; but p, which was called behind that, saw 1.
 */
TEST(what_has_left_may_turn_out_to_have_been_inside) {
  breaks_at_its_end("a+1 a. b- q- q=_ p? b=1 p=1");
}

/* r took 1 before d found nothing; q was called behind that, and saw 1. */
TEST(what_a_crashed_removal_took_is_not_seen_again) {
  breaks_at_its_end("a+1 a. p? r- r! d- d=_ n- q? p=1 q=1");
}

/* One of r and s took 1, since 2 was removed; the other one can have taken 3,
 * which was put later, but not 4, too. */
TEST(crashed_removals_take_one_each) {
  breaks_at_its_end("r- r! s- s! a+1 a. a+2 a. b- b=2 a+3 a. a+4 a. a+5 a. b- "
                    "b=5");
}

/* 1 was at the front before 3, and that before s was called: so r took 1, and
 * one of s and u took 2, which was put before 4.  Nobody put 9. */
TEST(a_crashed_removal_stays_for_what_was_seen_before_another) {
  breaks_at_its_end("r- r! a+1 k+3 x+2 x. y+4 a. k. y. b- o? o=1 p? p=3 s- s! "
                    "u- u! b=4 d- d=9");
}

/* d found nothing before 5 came, as it turns out: r took 1, and s took 2. */
TEST(a_crashed_removal_stays_for_what_found_nothing_before_another) {
  breaks_at_its_end("y+3 w+5 x+2 a+1 a. r- r! d- w. s- s! x. p? p=2 b- y. b=3 "
                    "n- d=_ e- e=5 z- z=9");
}

/* Its insertion is open, and it is not remembered otherwise. */
TEST(what_was_removed_while_it_was_put_is_not_there_again) {
  breaks_at_its_end("a+1 b- b=1 c+2 c. b- b=2 c+3 c. b- b=3 c+4 "
                    "c. b- b=4 b- b=1");
}

/* p does not say what it saw. */
TEST(a_look_that_says_nothing_takes_nothing) {
  breaks_at_its_end("a+1 a. a+2 p? p. a. b- b=1 b? b=_");
}

TEST(something_was_inside_all_the_time) {
  breaks_at_its_end("a+1 a. d- a+2 a. b- b=1 a+3 a. b- b=2 a+4 a. b- b=3 a+5 "
                    "a. b- b=4 d=_");
}

TEST_MAIN
