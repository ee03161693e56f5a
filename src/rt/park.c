/* The fiber's side of a step: parking, choices, ends, new threads. */
#include "rt/park.h"

#include "rt/fault.h"
#include "rt/marks.h"
#include "rt/notes.h"
#include "rt/order.h"
#include "rt/record.h"
#include "rt/writes.h"

#include <assert.h>

void fl__wait(enum event_kind kind, const volatile void *addr, uint64_t other,
              uint64_t pc, bool (*can)(struct fiber_state *f)) {
  fl__wait_at(kind, addr, 1, other, pc, can);
}

/* Apart, and with nothing handed over: what fl__wait_at had to keep would push
 * its callers' registers, one of which has the pc that ends the user's stack
 * (fl__stack_end). */
static __attribute__((noinline)) void waited_under_c11(void) {
  const struct fiber_state *f = E.self;
  if (f->kind != EV_STEP)
    fl__c11_sync(f->kind, f->addr, f->other);
  for (uint32_t t = 1; f->kind == EV_STEP && t <= E.client->nthreads; t++)
    fl__c11_join((int)t); /* the main thread waits for the clients so */
}

void fl__wait_at(enum event_kind kind, const volatile void *addr, uint64_t size,
                 uint64_t other, uint64_t pc,
                 bool (*can)(struct fiber_state *f)) {
  struct fiber_state *f = E.self;
  assert(E.in_fiber && can); /* E1, F1 */
  f->kind = kind;
  f->addr = (uint64_t)(uintptr_t)addr;
  f->size = size;
  f->pc = pc;
  f->other = other;
  f->can = can;
  f->visit = f->visits;
  E.arrival = ARRIVED;
  fl__switch(&f->sp, E.engine_sp);
  if (UNLIKELY(E.options.c11))
    waited_under_c11();
}

void fl__leave(enum arrival how) {
  assert(E.in_fiber && how != ARRIVED); /* E1 */
  E.arrival = how;
  fl__switch(&E.self->sp, E.engine_sp);
}

int fl__choose(int n) {
  assert(n >= 2);
  E.alternatives = n;
  fl__leave(CHOOSES);
  assert(E.chosen >= 0 && E.chosen < n);
  return E.chosen;
}

/* Where it is noted that the thread has waited at `pc`, or NULL: this wait is
 * none of those that may end without a reason. */
static uint64_t *place_of_wait(uint64_t pc) {
  struct fiber_state *f = E.self;
  enum { ALL_IN_A_CALL = 3 };
  if (!E.options.wake_ups || !E.in_fiber || E.reference ||
      (!E.cur && (E.preparing || E.live.final)) ||
      (E.client && E.client->nthreads < 2))
    return NULL;
  bool all = E.options.wake_ups == RT_WAKE_UPS_ALL;
  _Static_assert((int)ALL_IN_A_CALL <= (int)WAIT_PLACES, "room");
  for (int i = 0; i < (all ? ALL_IN_A_CALL : WAIT_PLACES); i++) {
    if (f->waited[i] == pc && !all)
      return NULL;
    if (!f->waited[i])
      return &f->waited[i];
  }
  return NULL;
}

bool fl__may_wake_up(uint64_t pc) { return place_of_wait(pc) != NULL; }

int fl__wakes_up(const volatile void *object, int from, int to, uint64_t pc) {
  uint64_t *place = place_of_wait(pc);
  if (!place)
    return 0;
  *place = pc;
  int way = fl__choose(to - from + 2);
  way += way ? from - 1 : 0;
  if (way && E.recording)
    fl__record_simple(EV_WAKE_UP, object, (uint64_t)way, pc);
  return way;
}

_Noreturn void fl__exit_program(int status) {
  E.exit_status = status;
  fl__leave(EXITED);
  __builtin_unreachable();
}

_Noreturn void fl__end_thread(void *value) {
  if (E.live.keys)
    fl__run_key_destructors();
  E.self->exit_value = value;
  fl__leave(ENDED);
  __builtin_unreachable();
}

static void spawned_body(void) {
  struct fiber_state *f = E.self;
  fl__end_thread(f->start(f->start_arg));
}

static void log_creation(int t) {
  fl__note_edge(RT_CREATES);
  fl__note(&(struct rt_logged){.thread = (uint8_t)E.cur,
                               .kind = EV_CREATE,
                               .flags = RT_LINK,
                               .addr = (uint64_t)t});
}

int fl__spawn(void *(*start)(void *), void *arg, uint64_t pc) {
  /* The steps of the new thread must not come before this call. */
  if ((E.self->call != EVENT_NO_CALL && !E.self->called) || E.options.tso)
    point(EV_CREATE, NULL, 0, pc);
  int t = fl__new_number(pc);
  assert(t > 0 && (uint32_t)t < E.live.nfibers && t != E.cur); /* E3 */
  fl__fiber_begin(t, spawned_body);
  if (UNLIKELY(E.ordering))
    fl__order_fork(E.cur, t);
  E.fiber[t].start = start;
  E.fiber[t].start_arg = arg;
  if (E.options.uses_fenv) /* else the unit has the engine's exceptions */
    E.fiber[t].fp = fl__float_now();
  if (fl__in_stacks((uint64_t)(uintptr_t)arg))
    fl__stack_published((uint64_t)(uintptr_t)arg);
  if (UNLIKELY(E.options.c11))
    fl__c11_fork(E.cur, t);
  E.live.keyed &= ~(1u << t);
  E.live.transit |= 1u << t;
  if (E.log && !E.live.final)
    log_creation(t);
  if (E.recording)
    fl__record_simple(EV_CREATE, NULL, (uint64_t)t, pc);
  return t;
}
