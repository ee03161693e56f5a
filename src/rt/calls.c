/*
 * What the threads of a client do, on their fibers: the main thread constructs
 * the object, makes the initial calls, waits for the others, makes the final
 * calls and looks whether all is well; the others make their calls.
 *
 * Call and return: the call of an operation is stamped with the number of its
 * first step, the return with that of its last.  A step runs on to just before
 * the next one, so an operation that ends after its last access returns inside
 * that step, and the local beginning of the thread's next operation runs there
 * too; its call is stamped later, with its own first step.  These are the
 * shortest intervals, hence the strictest real-time order that the
 * interleaving allows.
 */
#include "rt/calls.h"

#include "harness/parts.h"
#include "rt/always.h"
#include "rt/buffer.h"
#include "rt/fault.h"
#include "rt/heap.h"
#include "rt/park.h"
#include "rt/record.h"
#include "rt/show.h"
#include "rt/writes.h"

#include <assert.h>
#include <stdlib.h>

/* Apart, for its large frame: it is part of the state. */
static __attribute__((noinline)) long long invoke_parts(const struct fl_op *op,
                                                        const struct call *c) {
  char text[PARTS_TEXT] = "";
  struct parts_call p = {.suite = E.suite,
                         .op = op,
                         .function = op->function,
                         .takes_object = E.suite->create && !E.suite->global,
                         .object = E.object,
                         .args = c->args,
                         .name = fl__pointer_name};
  long long raw = parts_call(&p, text);
  return raw == (long long)(uintptr_t)text
             ? (long long)(uintptr_t)value_intern(text)
             : raw;
}

static long long invoke(const struct fl_op *op, const struct call *c) {
  typedef long long word;
  const int64_t *i = c->args;
  word a[FL_MAX_ARGS] = {i[0], i[1], i[2], i[3], i[4], i[5]};
  void *o = E.object;
  if (op->invoke)
    return op->invoke(o, a);
  if (parts_any(op))
    return invoke_parts(op, c);
  void (*f)(void) = op->function;
#define WITH(...) ((word(*)(__VA_ARGS__))f)
  if (E.suite->create && !E.suite->global)
    switch (c->nargs) {
    case 0:
      return WITH(void *)(o);
    case 1:
      return WITH(void *, word)(o, a[0]);
    case 2:
      return WITH(void *, word, word)(o, a[0], a[1]);
    case 3:
      return WITH(void *, word, word, word)(o, a[0], a[1], a[2]);
    case 4:
      return WITH(void *, word, word, word, word)(o, a[0], a[1], a[2], a[3]);
    case 5:
      return WITH(void *, word, word, word, word, word)(o, a[0], a[1], a[2],
                                                        a[3], a[4]);
    default:
      return WITH(void *, word, word, word, word, word,
                  word)(o, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
  assert(c->nargs <= FL_MAX_ARGS);
  switch (c->nargs) {
  case 0:
    return WITH(void)();
  case 1:
    return WITH(word)(a[0]);
  case 2:
    return WITH(word, word)(a[0], a[1]);
  case 3:
    return WITH(word, word, word)(a[0], a[1], a[2]);
  case 4:
    return WITH(word, word, word, word)(a[0], a[1], a[2], a[3]);
  case 5:
    return WITH(word, word, word, word, word)(a[0], a[1], a[2], a[3], a[4]);
  default:
    return WITH(word, word, word, word, word, word)(a[0], a[1], a[2], a[3],
                                                    a[4], a[5]);
  }
#undef WITH
}

struct value fl__result_of(const struct fl_op *op, long long raw) {
  unsigned unused = op->size && op->size < 8 ? 64 - 8 * op->size : 0;
  switch (op->type) {
  case FL_TYPE_VOID:
    break;
  case FL_TYPE_BOOL:
    return (struct value){VALUE_BOOL, (raw & 0xff) != 0};
  case FL_TYPE_INT:
    return (struct value){
        VALUE_INT, (uint64_t)((int64_t)((uint64_t)raw << unused) >> unused)};
  case FL_TYPE_UINT:
    return (struct value){VALUE_UINT, (uint64_t)raw << unused >> unused};
  case FL_TYPE_POINTER:
    return (struct value){VALUE_POINTER, fl__pointer_name((uint64_t)raw)};
  case FL_TYPE_OTHER: /* settled: not in a suite that runs */
    break;
  case FL_TYPE_STRING:
    return (struct value){VALUE_STRING, raw ? (uint64_t)(uintptr_t)value_intern(
                                                  (const char *)(uintptr_t)raw)
                                            : 0};
  }
  return (struct value){VALUE_VOID, 0};
}

/*
 * Loops are found by comparing stacks.  A frame has bytes that nothing has
 * written yet: what earlier calls left there must not come from another
 * execution.
 */
static __attribute__((noinline)) void clean_stack(void) {
  char below[1024];
  memset(below, 0, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");
}

static void run_call(uint32_t id) {
  struct fiber_state *f = E.self;
  assert(id < fl__ncalls() && f->call == EVENT_NO_CALL);
  const struct call *c = &E.client->calls[id];
  const struct fl_op *op = E.ops[c->op];
  f->call = id;
  f->called = 0;
  f->allocs = f->looks = 0;
  if (UNLIKELY(E.options.c11))
    E.calls[id].pre = fl__c11_calls();
  memset(f->waited, 0, sizeof f->waited);
  fl__spin_forget(E.cur);
  clean_stack();
  uint32_t depth = f->depth;
  long long raw = invoke(op, c);
  f->depth = depth; /* longjmp may have left frames behind */
  if (UNLIKELY(E.options.tso) && E.cur && fl__buffer_fences_return(c->op))
    point(EV_FENCE, NULL, 0, 0);
  if (!f->called) /* touched nothing: a step of its own */
    point(EV_STEP, NULL, 0, 0);
  assert(f->called && f->call == id);
  E.calls[id].result = fl__result_of(op, raw);
  assert(E.times[id].call <= E.live.steps);
  E.times[id].ret = E.live.steps;
  E.returned++;
  if (id < 64)
    E.live.done |= 1ull << id;
  if (UNLIKELY(E.options.c11))
    fl__c11_returned(id);
  if (E.recording)
    fl__record_return(E.cur, id);
  f->call = EVENT_NO_CALL;
}

static bool is_made(uint32_t id) { return !E.without || !E.without[id]; }

/* The thread's calls from this one on, and its end. */
static void run_calls(uint32_t from) {
  struct fiber_state *f = E.self;
  for (uint32_t i = from; i < E.client->ncalls; i++)
    if (E.client->calls[i].thread == (uint8_t)E.cur && is_made(i))
      run_call(i);
  if (E.suite->thread_leave)
    E.suite->thread_leave(E.object, f->thread_data);
  fl__end_thread(NULL);
}

void fl__client_body(void) {
  struct fiber_state *f = E.self;
  assert(E.cur && (uint32_t)E.cur <= E.client->nthreads);
  if (E.suite->thread_enter)
    f->thread_data = E.suite->thread_enter(E.object);
  f->ops_begun = 1;
  run_calls(0);
}

static void behind_call(void) {
  uint32_t left_out = E.self->call;
  E.self->call = EVENT_NO_CALL;
  run_calls(left_out + 1);
}

void fl__leave_call_out(int thread) {
  struct fiber_state *f = &E.fiber[thread];
  assert(f->status == FIBER_PARKED && f->call != EVENT_NO_CALL && !f->called);
  f->sp = fl__first_frame(fl__stack_top((uint32_t)thread), behind_call);
  f->kind = EV_STEP;
  f->addr = f->size = f->pc = f->other = 0;
  f->can = NULL;
  f->spinning = f->in_wait = f->silent = 0;
  f->depth = f->visit = f->marks = 0;
  f->await = 0;
  E.live.parked &= ~(1u << thread);
  E.live.waiting &= ~(1u << thread);
  E.live.spinning &= ~(1u << thread);
  E.live.transit |= 1u << thread;
}

bool fl__clients_done(struct fiber_state *f) {
  (void)f;
  return !E.live.clients;
}

static void check_leaks(void) {
  uint64_t addr, bytes;
  uint32_t n = E.options.leaks ? fl__heap_live(&addr, &bytes) : 0;
  if (n)
    fl__fault(FAULT_LEAK, 0, addr, "%u block%s (%llu bytes) never freed", n,
              n == 1 ? "" : "s", (unsigned long long)bytes);
}

static void check_end(void) {
  const struct fl_suite *s = E.suite;
  if (UNLIKELY(E.always) && !fl__always_holds())
    fl__faulted();
  if (s->invariant && !s->invariant(E.object))
    fl__fault(FAULT_INVARIANT, (uint64_t)(uintptr_t)s->invariant + 1, 0,
              "the invariant does not hold when all threads are done");
  if (s->destroy) { /* without one there is nobody to free what is left */
    s->destroy(E.object);
    check_leaks();
  }
}

void fl__main_body(void) {
  assert(!E.cur);
  const struct fl_suite *s = E.suite;
  E.object = s->create ? s->create() : NULL;
  if (s->thread_enter)
    E.self->thread_data = s->thread_enter(E.object);
  for (uint32_t i = 0; i < E.client->ninit; i++)
    run_call(i);
  if (s->show)
    fl__show_begin(), s->show(E.object), fl__show_end(&E.shown);
  fl__wait(EV_STEP, NULL, 0, 0, fl__clients_done);
  for (uint32_t i = client_first_final(E.client); i < E.client->ncalls; i++)
    if (is_made(i))
      run_call(i);
  if (s->thread_leave)
    s->thread_leave(E.object, E.self->thread_data);
  if (s->show && E.recording) {
    char *text = NULL;
    fl__show_begin(), s->show(E.object), fl__show_end(&text);
    fl__record_note(EV_SHOW, 0, 0, 0, text);
    free(text);
  }
  check_end();
  fl__leave(ENDED);
}

void fl__program_body(void) {
  static char name[] = "program", *argv[] = {name, NULL};
  extern char **environ;
  int status = E.program(1, argv, environ);
  if (!status)
    check_leaks();
  fl__exit_program(status);
}
