/*
 * One stream twice, with watches and by search: they say the same after each
 * event.
 */
#ifndef TESTS_TWO_STREAMS_H
#define TESTS_TWO_STREAMS_H

#include "history/stream/online.h"

#include "random_log.h"
#include "test.h"
#include "tighten.h"

/* Search of stacks explodes now and then. */
enum { MOST_STEPS = 100000 };

struct two {
  struct type *types[2];
  struct online *at[2]; /* with watches, and without */
};

static struct two two_new(const struct log *l, uint64_t seed) {
  struct two t;
  struct error e = {0};
  for (int i = 0; i < 2; i++) {
    struct online_options o = {.search = i == 1,
                               .hastens = seed % 3 == 1,
                               .late = seed % 4 == 1 ? 5 : 0};
    if (o.search)
      o.budget.steps = MOST_STEPS;
    t.types[i] = type_open(l->type, l->type_argument, &e);
    t.at[i] = online_new(t.types[i], &o);
  }
  return t;
}

static void two_free(struct two *t) {
  for (int i = 0; i < 2; i++) {
    online_free(t->at[i]);
    type_free(t->types[i]);
  }
}

/* False: they differ, or one does not take it. */
static bool tell(struct two *t, const struct log_event *ev) {
  struct error e = {0};
  if (!CHECK_INT(online_add(t->at[1], ev, &e), 0))
    return false;
  /* A watch may know what search does not. */
  struct online_answer b = online_answer(t->at[1]);
  if (b.verdict == LOG_UNKNOWN)
    return true;
  if (!CHECK_INT(online_add(t->at[0], ev, &e), 0))
    return false;
  struct online_answer a = online_answer(t->at[0]);
  return CHECK_INT(a.verdict, b.verdict) && CHECK_INT(a.event, b.event);
}

struct seen {
  uint32_t bad, watched, left; /* histories */
  uint32_t unknown;            /* … that search did not get through */
};

/* Somebody puts a value for which the watch gives way to search if it is there,
 * and then has not done so. */
static bool hand_over(struct two *t, const struct log *l, struct rng *r) {
  const struct log_op *op = &l->ops.at[rng_below(r, l->ops.len)];
  const char *name = l->functions.at[op->f];
  struct log_event ev = {.kind = LOG_CALL,
                         .nargs = op->nargs,
                         .process = 1000,
                         .f = name,
                         .flen = (uint32_t)strlen(name),
                         .order = LOG_NO_HINT};
  memcpy(ev.arg, op->arg, sizeof ev.arg);
  if (!op->nargs || !tell(t, &ev))
    return !op->nargs;
  ev.kind = LOG_DROP;
  return tell(t, &ev);
}

/* Some operations are dropped, and some that never return say so. */
static bool agree_on(const struct log *l, uint64_t seed, bool drops,
                     struct seen *seen) {
  struct two t = two_new(l, seed);
  struct stream s = stream_of(l);
  struct rng r = {seed};
  bool same = true;
  uint64_t over = seed % 5 < 2 ? rng_below(&r, l->end) : UINT64_MAX;
  for (uint32_t time = 0; time < l->end && same; time++) {
    struct log_event ev;
    if (!stream_event(&s, time, &ev))
      continue;
    if (ev.kind != LOG_CALL && drops && !rng_below(&r, 8))
      ev.kind = LOG_DROP;
    same = tell(&t, &ev);
    for (int i = 0; i < 8 && same && time == over; i++)
      same = hand_over(&t, l, &r);
    if (ev.kind == LOG_CALL && l->ops.at[s.at[time] / 2].ret == LOG_PENDING &&
        rng_below(&r, 2)) {
      ev.kind = LOG_INFO;
      same = same && tell(&t, &ev);
    }
  }
  seen->unknown += online_answer(t.at[1]).verdict == LOG_UNKNOWN;
  seen->bad += online_answer(t.at[0]).verdict == LOG_VIOLATION;
  bool watched = online_watched(t.at[0]) == online_parts(t.at[0]);
  seen->watched += watched;
  seen->left += !watched;
  two_free(&t);
  free(s.at);
  return same;
}

#endif
