/*
 * How long an execution may be.
 *
 * Threads that disturb each other can go on for ever, by turns: --max-steps
 * ends that.  But the steps that the calls need when they run one after the
 * other are no such thing, however many they are.  So an execution that comes
 * to the bound is given that many more, measured once for each client.
 *
 * One thread alone (the constructor, the initial and the final calls, a client
 * of one thread) is disturbed by nobody.  It goes on far beyond --max-steps,
 * and now and then is watched for a while: if a state comes again, and nothing
 * was chosen in between, it goes round for ever.  The states are found by
 * Brent's algorithm (BIT 20, 1980), which compares with one of them.  A stack
 * that only grows never comes to the same state again: such a thread has more
 * time, until its stack is full.
 *
 * (N1) where an execution is cut follows from the client and its steps.  It is
 *      a part of R1, which tests/unit/rt/executions.c checks.
 */
#include "rt/bound.h"

#include "rt/engine.h"
#include "rt/execute.h"
#include "rt/fault.h"

#include <assert.h>

enum {
  ALONE_MOST = 2000000,   /* steps of one thread alone */
  ALONE_GROWTH = 8,       /* from one watch to the next */
  WATCHED = 4096,         /* steps of a watch: a round may have half of them */
  GROWS = STACK_SIZE / 8, /* bytes of stack, in ALONE_MOST steps: a recursion */
};

static uint32_t in_turn; /* steps of the calls, one after the other … */
static bool measured;    /* … which is known */
static bool measuring;
static uint32_t longest; /* execution that ended beyond --max-steps */

static struct {
  struct hash128 state; /* that is compared with, from `since` on … */
  uint64_t pc, sp;      /* of the thread then: the rest is dear to compare */
  uint32_t since, until;
  uint32_t begun, next; /* … in a watch of these steps */
} watch;

static uint32_t alone_most; /* steps; more while the stack grows … */
static uint64_t deepest;    /* … and is deeper than this */

/* The sum, or the largest number. */
static uint32_t sum(uint32_t a, uint32_t b) {
  return UINT32_MAX - a < b ? UINT32_MAX : a + b;
}

static uint32_t made(void) { return E.live.steps + E.live.locals; }

void fl__bound_forget(void) {
  in_turn = 0;
  measured = false;
}

void fl__bound_begin(void) {
  E.bound = sum(E.begun, E.options.max_steps);
  watch.next = 0;
  uint32_t most = E.options.max_alone && !E.preparing ? E.options.max_alone
                                                      : (uint32_t)ALONE_MOST;
  alone_most = E.options.max_steps > most ? E.options.max_steps : most;
  deepest = 0;
}

void fl__bound_ended(void) {
  assert(made() >= E.begun);
  uint32_t steps = made() - E.begun;
  if (UNLIKELY(steps > E.options.max_steps && steps > longest))
    longest = steps;
}

/* ---- one thread alone ---- */

static bool is_alone(void) {
  return E.preparing ||
         (!(E.live.parked & (E.live.parked - 1)) && !E.live.buffered);
}

/* Set-up has no driver: a thread that the constructor has created must come to
 * its turn some time. */
static bool others_go_on(void) {
  uint32_t others = fl__enabled() & ~(1u << E.live.current);
  if (!others)
    return false;
  uint32_t above = others & ~((1u << E.live.current) - 1);
  E.live.current = (uint32_t)__builtin_ctz(above ? above : others);
  return true;
}

static int fail(enum fault kind, const char *format, uint32_t n) {
  E.self = &E.fiber[E.cur];
  fl__fill_fault(kind, 0, 0, format, n);
  return RT_FAULT;
}

static void watch_begin(uint32_t now) {
  watch.begun = now;
  watch.since = watch.until = now;
  E.alternatives = 0;
}

/* rt_hash compares with the prepared state: there is none during set-up. */
static struct hash128 state_now(void) {
  if (!E.preparing)
    return rt_hash(true);
  struct hash128 h = rt_hash_memory();
  for (uint32_t left = E.live.parked; left; left &= left - 1) {
    int t = __builtin_ctz(left);
    const struct fiber_state *f = &E.fiber[t];
    uint64_t top = fl__stack_top((uint32_t)t);
    h = hash128_join(h, hash128_long(f, FIBER_HASHED));
    h = hash128_join(h, hash128_long(f->sp, top - (uint64_t)(uintptr_t)f->sp));
  }
  return h;
}

static int watch_on(uint32_t now) {
  const struct fiber_state *f = &E.fiber[E.cur];
  uint64_t sp = (uint64_t)(uintptr_t)f->sp;
  bool again = watch.since != now && watch.pc == f->pc && watch.sp == sp;
  struct hash128 state = {0};
  if (again || now == watch.until)
    state = state_now();
  if (again && hash128_equal(state, watch.state))
    return fail(FAULT_ENDLESS,
                "it loops for ever when it runs alone: everything is as it was "
                "%u steps before",
                now - watch.since);
  if (now == watch.until) {
    watch.state = state;
    watch.pc = f->pc;
    watch.sp = sp;
    watch.since = now;
    watch.until = now + (now - watch.begun) + 1;
  }
  watch.next = E.bound = now + 1;
  return FL_GOES_ON;
}

/* Has the stack grown since it was last asked? */
static bool recurses(void) {
  uint64_t depth =
      fl__stack_top((uint32_t)E.cur) - (uint64_t)(uintptr_t)E.fiber[E.cur].sp;
  if (depth > STACK_SIZE || depth < deepest + GROWS)
    return false;
  deepest = depth;
  return true;
}

static int alone(void) {
  uint32_t now = made();
  bool turns = others_go_on();
  if (!turns && now - E.begun < 2 * longest) { /* watching is dear */
    E.bound = sum(E.begun, 2 * longest);
    return FL_GOES_ON;
  }
  if (watch.next != now)
    watch_begin(now);
  if (!turns && now - watch.begun < WATCHED && !E.alternatives)
    return watch_on(now);
  if (now >= sum(E.begun, alone_most)) {
    if (!recurses())
      return fail(FAULT_UNMODELLED,
                  "the thread runs alone, and has not finished within %u steps",
                  alone_most);
    alone_most = sum(alone_most, ALONE_MOST);
  }
  watch.next = 0;
  uint32_t gone = now > E.begun ? now - E.begun : now;
  E.bound = sum(now, turns ? WATCHED : gone * (ALONE_GROWTH - 1));
  if (E.bound > sum(E.begun, alone_most))
    E.bound = sum(E.begun, alone_most);
  return FL_GOES_ON;
}

/* ---- several threads ---- */

/* The steps of all calls, one after the other; 0: they do not end. */
static uint32_t run_in_turn(void) {
  enum rt_end end = rt_run(NULL);
  return end == RT_DONE || end == RT_STUCK ? made() - E.begun : 0;
}

/* In the middle of an execution, which goes on as if nothing had happened. */
static uint32_t measure(void) {
  assert(!measuring && !E.in_fiber);
  struct engine *e = &fl__e;
  static struct snapshot here;
  rt_save(&here);
  uint8_t recording = e->recording, shadowing = e->shadowing,
          reduce = e->reduce, awaits = e->awaits, stepwise = e->stepwise;
  struct rt_log *log = e->log;
  struct rt_trail *trail = e->trail;
  struct rt_folds *folds = e->folds;
  const struct regions *regions = e->regions;
  uint32_t enabled = e->enabled;
  int cur = e->cur;
  e->recording = e->shadowing = e->reduce = e->awaits = 0;
  e->log = NULL, e->trail = NULL, e->folds = NULL, e->regions = NULL;
  measuring = true;
  uint32_t steps = run_in_turn();
  measuring = false;
  e->recording = recording, e->shadowing = shadowing, e->reduce = reduce;
  e->awaits = awaits, e->stepwise = stepwise;
  e->log = log, e->trail = trail, e->folds = folds, e->regions = regions;
  e->enabled = enabled, e->cur = cur;
  e->fault.kind = FAULT_NONE;
  rt_restore(&here);
  return steps;
}

int fl__at_bound(void) {
  assert(fl__bound_is_near());
  bool waits = fl__in_blocking_call(&E.fiber[E.cur]);
  if (is_alone() && !waits && (!E.stepwise || E.live.final))
    return alone();
  if (measuring && waits)
    return RT_CUT;
  if (measuring) { /* threads that wait for each other in loops */
    E.bound = sum(E.begun, ALONE_MOST);
    return made() >= E.bound ? RT_CUT : FL_GOES_ON;
  }
  if (!measured) {
    measured = true;
    in_turn = measure();
  }
  E.bound = sum(sum(E.begun, E.options.max_steps), in_turn);
  return made() >= E.bound ? RT_CUT : FL_GOES_ON;
}
