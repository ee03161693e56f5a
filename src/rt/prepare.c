/*
 * Opening an object and preparing a client: everything up to the state in which
 * each execution begins.
 */
#include "rt/always.h"
#include "rt/bound.h"
#include "rt/cage.h"
#include "rt/calls.h"
#include "rt/channel.h"
#include "rt/conflict.h"
#include "rt/execute.h"
#include "rt/heap.h"
#include "rt/marks.h"
#include "rt/order.h"
#include "rt/race.h"
#include "rt/reference.h"
#include "rt/signals.h"
#include "rt/snapshot.h"
#include "rt/writes.h"

#include "base/slow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

static void take_ops(const struct fl_suite *suite) {
  uint32_t n = 0, i = 0;
  for (struct fl_op *o = suite->ops; o; o = o->next)
    n++;
  E.ops = xrealloc(E.ops, (n + 1) * sizeof *E.ops);
  for (struct fl_op *o = suite->ops; o; o = o->next)
    E.ops[i++] = o;
}

static void take_client(const struct client *c) {
  uint32_t n = c ? c->ncalls : 0;
  E.client = c;
  E.calls = xrealloc(E.calls, (n + 1) * sizeof *E.calls);
  E.times = xrealloc(E.times, (n + 1) * sizeof *E.times);
  E.history.ops = xrealloc(E.history.ops, (n + 1) * sizeof *E.history.ops);
  E.history.client = c;
  memset(E.calls, 0, n * sizeof *E.calls);
  for (uint32_t i = 0; i < n; i++)
    E.times[i] = (struct live_time){HISTORY_PENDING, HISTORY_PENDING};
}

/* Runs thread t on its own until `until` says that it is where it should be. */
static int run_alone(int t, bool (*until)(int t)) {
  assert((uint32_t)t < E.live.nfibers && E.fiber[t].status == FIBER_PARKED);
  E.live.current = (uint32_t)t;
  int end = fl__execute_transit(t, NULL);
  while (end == FL_GOES_ON) {
    end = fl__run_transit(NULL);
    if (end != FL_GOES_ON)
      return end;
    if (until(t))
      return FL_GOES_ON;
    uint32_t enabled = fl__enabled();
    if (!enabled)
      return fl__blocked();
    if (fl__bound_is_near() && (end = fl__at_bound()) != FL_GOES_ON)
      return end;
    E.live.steps++;
    end = fl__execute_transit(fl__stay(enabled), NULL);
  }
  return end;
}

static bool main_waits(int t) {
  (void)t;
  return E.fiber[0].can == fl__clients_done;
}
static bool ops_begun(int t) {
  return E.fiber[t].status == FIBER_DONE || E.fiber[t].ops_begun;
}

static int prepare_client(void) {
  /* The client's threads are 1 … n, whatever the constructor creates. */
  E.live.nfibers = 1 + E.client->nthreads;
  assert(!E.live.parked && !E.live.clients);
  for (uint32_t t = 1; t <= E.client->nthreads; t++)
    fl__fiber_begin((int)t, fl__client_body);
  fl__fiber_begin(0, fl__main_body);
  int end = run_alone(0, main_waits);
  for (uint32_t t = 1; E.options.c11 && t <= E.client->nthreads; t++)
    fl__c11_fork(0, (int)t);
  for (uint32_t t = 1; end == FL_GOES_ON && t <= E.client->nthreads; t++) {
    E.live.clients |= 1u << t;
    if (E.ordering)
      fl__order_fork(0, (int)t);
    end = run_alone((int)t, ops_begun);
  }
  if (E.options.c11 && E.live.nfibers == 1 + E.client->nthreads)
    fl__c11_begin(); /* no other thread that the set-up does not come before */
  return end;
}

enum rt_end rt_prepare(const struct fl_suite *suite, const struct client *c) {
  assert(!E.in_fiber && E.handle); /* R2 */
  assert(!suite || c->nthreads < RT_MAX_THREADS);
  /* The state after loading has no calls. */
  E.client = NULL;
  fl__pages_end();
  rt_restore(&E.loaded);
  E.live.ordered = E.ordering =
      E.races && !E.options.tso && !E.options.c11 && !E.regions;
  fl__order_begin();
  fl__race_begin();
  E.suite = suite;
  E.always = fl__has_always();
  if (suite)
    take_ops(suite);
  take_client(suite ? c : NULL);
  fl__forget_marks();
  fl__conflict_forget();
  uint8_t reduce = E.reduce;
  E.reduce = 0;
  memset(&E.fault, 0, sizeof E.fault);
  E.object = NULL;
  E.shadowing = SHADOW_CHAINS;
  E.begun = 0;
  E.preparing = true;
  E.stepwise = 0;
  fl__bound_forget();
  fl__bound_begin();
  int end = FL_GOES_ON;
  if (suite) {
    end = prepare_client();
  } else {
    E.live.nfibers = 1;
    fl__fiber_begin(0, fl__program_body);
    E.live.transit = 1;
  }
  E.shadowing = 0;
  E.reduce = reduce;
  E.preparing = false;
  if (end == FL_GOES_ON)
    fl__bound_ended();
  E.begun = E.live.steps;
  E.live.current = E.live.inside = 0;
  fl__pages_begin();
  rt_save(&E.start);
  check_slow(end != FL_GOES_ON || fl__engine_check_invariants());
  check_slow(end != FL_GOES_ON || fl__heap_check_invariants());
  check_slow(fl__pages_check_invariants());
  fl__shadow_keep();
  E.shadowing = E.regions ? SHADOW_REGIONS : 0;
  if (end == FL_GOES_ON)
    return RT_DONE;
  return end == RT_STUCK ? RT_FAULT : (enum rt_end)end;
}

int rt_open(const char *so, const struct rt_options *o, struct error *e) {
  assert(!E.handle && (!o->tso || (o->buffer && o->buffer <= RT_BUFFER_MOST)));
  E.options = *o;
  E.races = o->races;
  __libc_single_threaded = 0; /* std::shared_ptr then counts with atomics */
  fl__port_open();
  fl__heap_open();
  fl__channels_open();
  fl__fibers_open();
  fl__float_set(FLOAT_DEFAULT);
  int err = fl__module_open(so, e);
  E.loaded_fp = fl__float_now();
  fl__float_set(FLOAT_DEFAULT);
  if (err)
    return err;
  if (E.tls_size)
    E.options.uses_tls = true;
  fl__signals_open(so);
  cage_close_signals();
  take_client(NULL);
  rt_save(&E.loaded);
  E.loaded_used = E.live.arena_used[0];
  for (const struct fl_suite *f = rt_suites(); f; f = f->next)
    if (f->abi >= 4 && f->always)
      reference_open();
  return ERR_NONE;
}
