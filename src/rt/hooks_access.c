/*
 * The compiler's hooks for plain accesses.  Each is called just before the
 * access and passes its return address: the place of the access.
 *
 * What is a step: an access to the heap, to the object's data, to another
 * thread's stack or thread-local block, or to memory that we know nothing of.
 * What is not: the thread's own stack and thread-local block (until another
 * thread has been seen there), read-only data, the engine's own memory.
 */
#include "rt/access.h"
#include "rt/fault.h"
#include "rt/marks.h"
#include "rt/park.h"
#include "rt/record.h"
#include "rt/reference_int.h"

#include <assert.h>
#include <sys/single_threaded.h>

/* Whose thread-local memory, of the object or of a library, is this?  -1. */
static int tls_owner(uint64_t addr) {
  for (uint32_t t = 0; t < E.live.nfibers; t++) {
    const struct lent_thread *p = &E.lent[t];
    uint64_t lo = (uint64_t)(uintptr_t)p->tls;
    if ((lo && addr - lo < E.tls_size) || (addr >= p->lo && addr < p->hi))
      return (int)t;
    for (uint32_t i = 0; i < E.nlibraries; i++)
      if (addr - p->library[i] < E.library[i].size)
        return (int)t;
  }
  return -1;
}

static bool stack_visible(uint64_t addr, uint64_t size) {
  uint32_t owner = fl__stack_owner(addr);
  uint64_t in = (addr - STACK_BASE) % STACK_SIZE;
  if ((int)owner == E.cur)
    return UNLIKELY(E.stack_shared >> owner & 1) && fl__marked(owner, in, size);
  fl__mark(owner, in, size);
  return true;
}

/* Of a library's thread-local variables only the owner is known: no unit of
 * them is marked. */
static bool tls_visible(int owner, uint64_t addr, uint64_t size) {
  uint64_t in = addr - (uint64_t)(uintptr_t)E.lent[owner].tls;
  uint32_t whose = RT_TLS + (uint32_t)owner;
  if (!E.lent[owner].tls || in >= E.tls_size)
    return owner != E.cur;
  if (owner == E.cur)
    return UNLIKELY(E.tls_shared >> owner & 1) && fl__marked(whose, in, size);
  fl__mark(whose, in, size);
  return true;
}

bool fl__visible(uint64_t addr, uint64_t size) {
  if (addr - HEAP_BASE < HEAP_SPAN)
    return true;
  if (addr - E.data_lo < E.data_span)
    return true;
  if (addr - STACK_BASE < STACK_SPAN)
    return stack_visible(addr, size);
  if (addr < 4096)
    return false; /* about to crash: let it, the signal names the line */
  int owner = E.options.uses_tls ? tls_owner(addr) : -1;
  if (owner >= 0)
    return tls_visible(owner, addr, size);
  if (addr == (uint64_t)(uintptr_t)&__libc_single_threaded)
    return false;                       /* it does not change (prepare.c) */
  return addr - E.base >= E.image_span; /* read-only data */
}

void fl__access(enum event_kind kind, const volatile void *addr, uint64_t size,
                uint64_t pc) {
  fl__reached(pc);
  if (UNLIKELY(E.reference))
    fl__reference_touch((uint64_t)(uintptr_t)addr, size, event_writes[kind],
                        pc);
  if (!E.in_fiber || !size)
    return;
  if (fl__visible((uint64_t)(uintptr_t)addr, size)) {
    E.self->visit = E.self->visits;
    point(kind, addr, size, pc);
  }
}

/* ---- stores to bit fields ---- */

static struct {
  const struct part_store *at;
  uint32_t n;
} parts;

void rt_part_stores(const struct part_store *at, uint32_t n) {
  for (uint32_t i = 1; i < n; i++)
    assert(at[i - 1].pc <= at[i].pc); /* store_part() looks by bsearch */
  parts.at = at;
  parts.n = n;
}

static int by_pc(const void *key, const void *element) {
  uint64_t pc = *(const uint64_t *)key;
  const struct part_store *s = element;
  return pc < s->pc ? -1 : pc > s->pc;
}

/*
 * Is this the hook of a store to a bit field?  Then the store is made in two
 * steps.  The code that follows reads the bytes only now, so it must find there
 * the bytes of the first step; it writes all of them back.
 */
static __attribute__((noinline)) bool store_part(void *p, uint64_t size,
                                                 uint64_t pc) {
  enum { MOST = 16 };
  uint64_t key = pc - E.base;
  const struct part_store *s =
      bsearch(&key, parts.at, parts.n, sizeof *parts.at, by_pc);
  uint8_t was[MOST] = {0};
  if (!s || (s->size ? s->size : size) > MOST ||
      !fl__visible((uint64_t)(uintptr_t)p, size))
    return false;
  void *at = (char *)p + s->offset;
  uint64_t n = s->size ? s->size : size;
  E.self->visit = ++E.self->visits; /* both are of one visit (atomic.c) */
  point(EV_READ, at, n, pc);
  memcpy(was, at, n);
  E.self->visit = E.self->visits;
  point(EV_WRITE, at, n, pc);
  memcpy(at, was, n);
  return true;
}

/* Where the stack of the code ends that called the hook. */
#define CALLER_SP ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())

/* An access below that, to the same stack, is one to a variable of a function
 * that has returned. */
static __attribute__((noinline)) void
refuse_returned(enum event_kind kind, uint64_t addr, uint64_t size, uint64_t pc,
                uint64_t sp) {
  uint64_t own = fl__stack_bottom((uint32_t)E.cur);
  if (addr - own >= STACK_SIZE || sp - own > STACK_SIZE)
    return;
  if (E.recording)
    fl__record_refused_touch(event_writes[kind], addr, size, pc);
  fl__stack_fault(E.cur, addr, event_writes[kind], pc);
  fl__faulted();
}

/* The commonest cases first; the rest of fl__visible out of line. */
static inline __attribute__((always_inline)) void
plain(enum event_kind kind, void *p, uint64_t size, uint64_t pc) {
  uint64_t addr = (uint64_t)(uintptr_t)p;
  if (UNLIKELY(!E.in_fiber)) {
    fl__reached(pc);
    if (E.reference)
      fl__reference_touch(addr, size, event_writes[kind], pc);
    return;
  }
  if (kind == EV_WRITE && UNLIKELY(parts.n) && store_part(p, size, pc))
    return;
  bool shared = addr - E.data_lo < E.data_span;
  if (!shared && UNLIKELY(CALLER_SP - addr - 1 < STACK_SIZE))
    refuse_returned(kind, addr, size, pc, CALLER_SP);
  if (LIKELY(shared) || fl__visible(addr, size))
    point(kind, p, size, pc);
  else
    fl__quiet(pc);
}

#define HOOK(name, kind, size)                                                 \
  FL_HOT void __tsan_##name(void *p) { plain(kind, p, size, CALLER_PC); }

#define HOOKS_OF(size)                                                         \
  HOOK(read##size, EV_READ, size)                                              \
  HOOK(write##size, EV_WRITE, size)                                            \
  HOOK(unaligned_read##size, EV_READ, size)                                    \
  HOOK(unaligned_write##size, EV_WRITE, size)                                  \
  HOOK(volatile_read##size, EV_READ, size)                                     \
  HOOK(volatile_write##size, EV_WRITE, size)                                   \
  HOOK(unaligned_volatile_read##size, EV_READ, size)                           \
  HOOK(unaligned_volatile_write##size, EV_WRITE, size)                         \
  /* clang with compound accesses: one hook for a read and a write; the two    \
   * cannot be told apart, so they are one step */                             \
  HOOK(read_write##size, EV_RMW, size)                                         \
  HOOK(unaligned_read_write##size, EV_RMW, size)

HOOKS_OF(1)
HOOKS_OF(2)
HOOKS_OF(4)
HOOKS_OF(8)
HOOKS_OF(16)

void __tsan_read_range(void *p, unsigned long n) {
  E.fiber[E.cur].visits++;
  fl__access(EV_READ, p, n, CALLER_PC);
}
void __tsan_write_range(void *p, unsigned long n) {
  uint64_t pc = CALLER_PC;
  if (E.in_fiber && UNLIKELY(parts.n) && store_part(p, n, pc))
    return;
  E.fiber[E.cur].visits++;
  fl__access(EV_WRITE, p, n, pc);
}

/* A vtable pointer that is set to what it is already is no event: constructors
 * and destructors do that for every base class. */
void __tsan_vptr_update(void **vptr, void *value) {
  if (*vptr != value)
    plain(EV_WRITE, vptr, sizeof value, CALLER_PC);
}
void __tsan_vptr_read(void **vptr) {
  plain(EV_READ, vptr, sizeof *vptr, CALLER_PC);
}

/*
 * The shadow call stack: the callers of the function that the access is in.
 * Only a recorded execution, the preparation and regions need it.  Frames that
 * longjmp or an exception left behind lie below the new frame's stack pointer
 * and are dropped.
 */
FL_HOT void __tsan_func_entry(void *call_pc) {
  fl__reached((uint64_t)(uintptr_t)__builtin_return_address(0));
  if (LIKELY(!E.shadowing))
    return;
  struct fiber_state *f = E.self;
  if (!E.in_fiber)
    return;
  struct shadow_frame *s = E.shadow[E.cur];
  uint64_t sp = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  while (f->depth && f->depth <= SHADOW_FRAMES && s[f->depth - 1].sp <= sp)
    f->depth--;
  if (f->depth < SHADOW_FRAMES)
    s[f->depth] =
        (struct shadow_frame){.pc = (uint64_t)(uintptr_t)call_pc, .sp = sp};
  f->depth++;
}

FL_HOT void __tsan_func_exit(void) {
  if (LIKELY(!E.shadowing) || !E.in_fiber)
    return;
  if (E.self->depth)
    E.self->depth--;
}

/* Called by the objects' constructors; our runtime needs no start. */
void __tsan_init(void) {}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}
