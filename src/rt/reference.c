/*
 * Calls of reference implementations.
 *
 * Why here and not on a fiber, as the object's own sequential runs are: nothing
 * is decided in a model, so it needs no steps, and a plain call with a copy of
 * its state costs microseconds; its heap does not depend on which thread of the
 * client calls it; and what goes wrong in it is a mistake in the harness, which
 * must not look like a fault of the object.  Each distinct call in each
 * distinct state is made once (spec/reference.c).
 *
 * An image is the heap, then the object's data, each as the parts of PART bytes
 * that are not zero or not as loaded, by number, and END.
 */
#include "rt/reference.h"

#include "harness/parts.h"
#include "rt/calls.h"
#include "rt/conflict.h"
#include "rt/fault.h"
#include "rt/heap.h"
#include "rt/park.h"
#include "rt/reference_int.h"
#include "rt/snapshot.h"

#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 256 };
static const uint32_t END = UINT32_MAX;
static const uint8_t zeros[PART];

static struct {
  struct reference_call *call; /* that runs */
  enum reference_end end;
  sigjmp_buf out;
  uint32_t chosen;
  void *object;          /* what the constructor returned */
  uint8_t *loaded, *own; /* the object's data: as loaded; the engine's */
  uint64_t frame;        /* the stack of the call is below it */
  bool looks;            /* a function of FL_ALWAYS runs … */
  bool stopped;          /* … and has crashed, or does not end */
  uint64_t pc;
  char trouble[512];
} R;

void reference_open(void) {
  assert(E.handle);
  if (R.loaded)
    return;
  fl__reference_heap_open();
  R.loaded = xmalloc(E.data_span + 1);
  R.own = xmalloc(E.data_span + 1);
  memcpy(R.loaded, (void *)E.data_lo, E.data_span);
}

const char *reference_trouble(uint64_t *pc) {
  *pc = R.pc;
  return R.trouble;
}

/* ---- images ---- */

static uint64_t part_size(uint64_t at, uint64_t all) {
  return all - at < PART ? all - at : PART;
}

static void put_parts(struct buf *out, const uint8_t *now, const uint8_t *first,
                      uint64_t size) {
  for (uint64_t at = 0; at < size; at += PART) {
    uint64_t n = part_size(at, size);
    if (!memcmp(now + at, first ? first + at : zeros, n))
      continue;
    uint32_t number = (uint32_t)(at / PART);
    buf_put(out, &number, sizeof number);
    buf_put(out, now + at, n);
  }
  buf_put(out, &END, sizeof END);
}

static void save(struct buf *to) {
  uint64_t used = fl__reference_used();
  buf_clear(to);
  buf_put(to, &R.object, sizeof R.object);
  buf_put(to, &used, sizeof used);
  put_parts(to, (const uint8_t *)REFERENCE_BASE, NULL, used);
  put_parts(to, (const uint8_t *)E.data_lo, R.loaded, E.data_span);
}

/* Large data are read-only until they are written to (pages.c). */
static void write_data(uint64_t at, const uint8_t *from, uint64_t n) {
  uint8_t *to = (uint8_t *)E.data_lo + at;
  if (!memcmp(to, from, n))
    return;
  fl__pages_touch((uint64_t)(uintptr_t)to);
  fl__pages_touch((uint64_t)(uintptr_t)(to + n - 1));
  memcpy(to, from, n);
}

static void set_data(const uint8_t *from) {
  for (uint64_t at = 0; at < E.data_span; at += PART)
    write_data(at, from + at, part_size(at, E.data_span));
}

static const char *take(void *to, const char *from, size_t n) {
  memcpy(to, from, n);
  return from + n;
}

static void load(const struct buf *image) {
  uint64_t used;
  uint32_t number;
  const char *p = take(&R.object, buf_text(image), sizeof R.object);
  p = take(&used, p, sizeof used);
  fl__reference_set_used(0);
  fl__reference_set_used(used);
  for (p = take(&number, p, sizeof number); number != END;
       p = take(&number, p, sizeof number)) {
    uint64_t at = (uint64_t)number * PART;
    p = take((void *)(REFERENCE_BASE + at), p, part_size(at, used));
  }
  for (p = take(&number, p, sizeof number); number != END;
       p = take(&number, p, sizeof number)) {
    uint64_t at = (uint64_t)number * PART, n = part_size(at, E.data_span);
    write_data(at, (const uint8_t *)p, n);
    p += n;
  }
  assert(p == buf_text(image) + image->len);
}

/* ---- a call ---- */

static _Noreturn void leave(enum reference_end how) {
  R.end = how;
  siglongjmp(R.out, 1);
}

void fl__reference_is_stopped(void) { R.stopped = true; }

_Noreturn void fl__reference_vfails(uint64_t pc, const char *format,
                                    va_list ap) {
  assert(E.reference);
  R.pc = pc ? fl__offset(pc) : 0;
  vsnprintf(R.trouble, sizeof R.trouble, format, ap);
  leave(REFERENCE_FAILED);
}

_Noreturn void fl__reference_fails(uint64_t pc, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  fl__reference_vfails(pc, format, ap);
}

/* What it reads conflicts with all writes.  Its scratch memory and the C
 * library's are its own. */
static void look_at(uint64_t addr, uint64_t size, bool writes, uint64_t pc) {
  bool shared = addr - HEAP_BASE < HEAP_SPAN ||
                addr - STACK_BASE < STACK_SPAN ||
                addr - E.data_lo < E.data_span;
  if (shared && writes)
    fl__reference_fails(pc, "it writes to memory of the object");
  if (shared)
    fl__conflict_looked_at(addr, size);
}

/*
 * A model has its blocks, the object's data and its own stack.  What else it
 * wrote to would stay when the call is over: the engine's execution, and
 * thread-local variables, which no image has.  What it read from the object's
 * heap would be another value in each execution.  Other data it may read: texts
 * and tables of libraries.
 */
void fl__reference_touch(uint64_t addr, uint64_t size, bool writes,
                         uint64_t pc) {
  uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  const char *does = writes ? "writes to" : "reads";
  if (!size || (addr >= frame && addr + size <= R.frame))
    return;
  if (R.looks) {
    look_at(addr, size, writes, pc);
    return;
  }
  bool guess = R.call->guess;
  if (fl__in_reference((void *)addr)) {
    if (fl__reference_holds(addr, size))
      return;
    if (guess)
      leave(REFERENCE_ASTRAY);
    fl__reference_fails(pc, "it %s memory that it has not allocated", does);
  }
  if (addr - E.data_lo < E.data_span && size <= E.data_lo + E.data_span - addr)
    return;
  if (guess)
    leave(REFERENCE_ASTRAY);
  if (addr - HEAP_BASE < HEAP_SPAN || addr - STACK_BASE < STACK_SPAN)
    fl__reference_fails(pc, "it %s memory of the object", does);
  if (writes && addr >= 4096 && addr != (uint64_t)(uintptr_t)&errno)
    fl__reference_fails(pc,
                        "it writes to memory that is not the model's: neither "
                        "an allocated block nor a variable (thread-local ones "
                        "are none)");
}

void fl_waits(void) {
  uint64_t pc = CALLER_PC;
  if (!E.reference)
    fl__fault(FAULT_ABORT, pc, 0,
              "fl_waits() was called outside of a function of FL_SPEC");
  if (!R.call->function)
    fl__reference_fails(pc, "it waits");
  leave(REFERENCE_WAITS);
}

int fl_choose(int n) {
  uint64_t pc = CALLER_PC;
  if (!E.reference)
    fl__fault(FAULT_ABORT, pc, 0,
              "fl_choose() was called outside of a function of FL_SPEC");
  struct reference_call *c = R.call;
  uint32_t i = R.chosen++;
  if (n < 1)
    fl__reference_fails(pc, "fl_choose(%d) has nothing to choose from", n);
  if (i >= REFERENCE_CHOICES || !c->function)
    fl__reference_fails(pc,
                        c->function ? "it calls fl_choose() more than %d "
                                      "times"
                                    : "it calls fl_choose()",
                        REFERENCE_CHOICES);
  if (i == c->nchoices) {
    c->choice[i] = 0;
    c->nchoices++;
  }
  c->alternatives[i] = n;
  uint64_t ways = 1;
  for (uint32_t k = 0; k <= i; k++)
    ways *= (uint64_t)c->alternatives[k];
  if (ways > REFERENCE_WAYS)
    fl__reference_fails(pc, "fl_choose() leaves more than %d ways to go on",
                        REFERENCE_WAYS);
  return c->choice[i];
}

/* Arguments that the function does not have do no harm (port.h). */
static long long invoke(const struct reference_call *c, char *text) {
  typedef long long word;
  void (*f)(void) = c->function;
  word a[FL_MAX_ARGS + 1] = {0};
  if (!c->asks && parts_any(c->op)) {
    struct parts_call p = {.suite = c->suite,
                           .op = c->op,
                           .function = f,
                           .takes_object = !c->suite->reference_global,
                           .object = R.object,
                           .args = c->args,
                           .name = fl__pointer_name};
    return parts_call(&p, text);
  }
  parts_words(c->suite, c->op, c->args, a);
  if (c->asks)
    a[parts_arguments(c->op)] = c->wanted;
  if (c->suite->reference_global)
    return ((word(*)(word, word, word, word, word, word, word))f)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
  return ((word(*)(void *, word, word, word, word, word, word, word))f)(
      R.object, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

static struct value result_of(const struct reference_call *c, long long raw) {
  static const struct fl_op yes_or_no = {.type = FL_TYPE_BOOL, .size = 1};
  return fl__result_of(c->asks ? &yes_or_no : c->op, raw);
}

static void run(struct reference_call *c, struct buf *after,
                struct value *result) {
  if (!c->function) {
    void *state = c->suite->reference_create();
    R.object = c->suite->reference_global ? NULL : state;
    *result = value_void();
  } else {
    char text[PARTS_TEXT];
    long long raw = invoke(c, text);
    *result = result_of(c, raw); /* a text is copied while it is there */
  }
  save(after);
  R.end = REFERENCE_RETURNED;
}

/* Asks a function that only looks.  It may be called on a fiber, too. */
enum looked fl__reference_look(int (*holds)(void *object)) {
  static struct reference_call none;
  assert(!E.reference);
  struct fiber_state kept = E.fiber[E.cur];
  uint8_t in_fiber = E.in_fiber;
  volatile int answer = 0;
  assert(R.loaded);
  fl__reference_set_used(0);
  fl__reference_label(0, false);
  R.call = &none;
  R.frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  R.looks = true;
  R.stopped = false;
  R.end = REFERENCE_FAILED;
  E.in_fiber = 0;
  E.reference = 1;
  E.progress++;
  if (!sigsetjmp(R.out, 1)) {
    answer = holds(E.object);
    R.end = REFERENCE_RETURNED;
  }
  R.looks = false;
  E.reference = 0;
  E.in_fiber = in_fiber;
  E.fiber[E.cur] = kept;
  if (R.end == REFERENCE_RETURNED)
    return answer ? LOOKED_HOLDS : LOOKED_BROKEN;
  return R.stopped ? LOOKED_STOPPED : LOOKED_FAILED;
}

enum reference_end reference_run(struct reference_call *c,
                                 const struct buf *before, struct buf *after,
                                 struct value *result) {
  assert(R.loaded && !E.in_fiber && !E.reference); /* R2 */
  struct fiber_state kept = E.fiber[E.cur]; /* hooks count their calls there */
  memcpy(R.own, (void *)E.data_lo, E.data_span);
  set_data(R.loaded);
  fl__reference_set_used(0);
  R.object = NULL;
  if (c->function)
    load(before);
  fl__reference_label(c->label, c->labels);
  R.call = c;
  R.chosen = 0;
  R.frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  E.reference = 1;
  E.progress++;
  if (!sigsetjmp(R.out, 1))
    run(c, after, result); /* X2 */
  E.reference = 0;
  set_data(R.own);
  E.fiber[E.cur] = kept;
  return R.end;
}
