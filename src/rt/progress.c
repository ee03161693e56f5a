/*
 * FL_PROGRESS, on one execution: which of its states shows that the condition
 * does not hold?
 *
 * (J1) A thread inside of an operation cannot make a step.  It waits for
 * another one, which may be stopped for ever: none of the conditions holds.  A
 *      thread in a loop is such a thread as soon as spin.c has parked it:
 * alone, it would go round for ever. (J2) A state comes again and no operation
 * has returned since: the steps between can be made again and again.  For
 * obstruction-freedom, one thread has made all of them. (J3) wait_free, n: an
 * operation is about to make its step n + 1.
 *
 * An operation with FL_BLOCKING may wait and go round.
 *
 * J1 is looked at in each state that a search meets, while it is told to; J2
 * and J3 are properties of an execution, which search/progress.c finds in the
 * graph of states, and which are looked for again where that execution is
 * repeated.
 */
#include "rt/progress.h"

#include "rt/execute.h"
#include "rt/fault.h"

#include "base/map128.h"

static struct {
  struct map128 seen; /* states since then, to the number of steps + 1 */
  uint32_t returned;  /* E.returned then */
  uint32_t owner;     /* of the last step */
  uint32_t steps;
  uint32_t inside; /* the number of the last one, from 1, of an operation that
                      must not wait */
  uint32_t made[CLIENT_MAX_CALLS + 1]; /* by call */
} P;

bool rt_watch_progress(bool on) {
  bool was = E.watches;
  E.watches =
      on && E.suite && E.suite->abi >= 4 && E.suite->progress && !E.regions;
  return was;
}

static const char *condition(void) {
  static const char *const name[] = {"", "obstruction-free", "lock-free",
                                     "wait-free"};
  return name[E.suite->progress];
}

static const char *name_of(const struct fiber_state *f) {
  return E.ops[E.client->calls[f->call].op]->name;
}

/* It is in an operation that must not wait. */
static bool must_go_on(const struct fiber_state *f) {
  return f->call != EVENT_NO_CALL && !fl__in_blocking_call(f);
}

bool fl__nobody_waits(void) {
  if (E.preparing || E.live.final)
    return true;
  uint32_t waits = E.live.parked & E.live.clients & ~E.live.buffered;
  for (waits &= ~fl__enabled_outside(); waits; waits &= waits - 1) {
    int t = __builtin_ctz(waits);
    struct fiber_state *f = &E.fiber[t];
    if (!must_go_on(f))
      continue;
    fl__fill_fault_of(t, FAULT_PROGRESS, f->addr,
                      "%s() is not %s: here it waits for another thread, which "
                      "may be stopped where it is",
                      name_of(f), condition());
    if (!f->called) {
      E.live.steps++;
      fl__begin_call(t);
    }
    return false;
  }
  return true;
}

static void forget(void) {
  map128_clear(&P.seen);
  P.returned = E.returned;
}

void fl__progress_begin(void) {
  forget();
  P.steps = P.inside = 0;
  memset(P.made, 0, sizeof P.made);
}

/* J2 */
static bool goes_round(int t) {
  uint32_t owner = (uint32_t)rt_owner(t);
  bool alone = E.suite->progress == FL_PROGRESS_obstruction_free;
  if (P.returned != E.returned || (alone && P.owner != owner))
    forget();
  P.owner = owner;
  bool fresh;
  uint32_t *at = map128_put(&P.seen, rt_hash(false), &fresh);
  if (fresh)
    *at = P.steps;
  bool again = !fresh && P.inside > *at;
  if (again) {
    const struct fiber_state *f = &E.fiber[owner];
    fl__fill_fault_of((int)owner, FAULT_PROGRESS, f->addr,
                      "not %s: %s%u steps lead back to the state before them, "
                      "and no operation returns",
                      condition(), alone ? "of one thread alone, " : "",
                      P.steps - *at);
    E.fault.round = P.steps - *at;
  }
  P.steps++;
  return again;
}

bool fl__makes_progress(int t) {
  if (E.live.final)
    return true;
  if (goes_round(t))
    return false;
  if (rt_is_buffer(t))
    return true;
  struct fiber_state *f = &E.fiber[t];
  if (!must_go_on(f))
    return true;
  P.inside = P.steps;
  if (E.suite->progress != FL_PROGRESS_wait_free ||
      ++P.made[f->call] <= E.suite->progress_steps)
    return true;
  fl__fill_fault_of(t, FAULT_PROGRESS, f->addr,
                    "%s() is not wait-free in %u step%s: here it goes on to "
                    "step %u",
                    name_of(f), E.suite->progress_steps,
                    E.suite->progress_steps == 1 ? "" : "s",
                    E.suite->progress_steps + 1);
  return false;
}
