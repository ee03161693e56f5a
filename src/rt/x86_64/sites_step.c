/*
 * What is done at an instruction without a hook (sites.c): finds out what it is
 * about to touch, parks the thread before it as a hook does when others can see
 * that, and lets a copy of the instruction be executed.
 *
 * 16 bytes are two steps, as a copy by memcpy is.  The bytes that a torn read
 * has seen are put into memory for the one instruction that reads them, and the
 * second half of a store is taken out until its step; nobody else runs in
 * between.  An atomic instruction is executed in its step: behind the slow copy
 * we look what it did.
 */
#include "rt/x86_64/sites_int.h"

#include "rt/fault.h"
#include "rt/hooks.h"
#include "rt/order.h"
#include "rt/reference_int.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* A step for happens-before: the processor orders it, not the language. */
static inline void bare_point(enum event_kind kind, const volatile void *addr,
                              uint64_t size, uint64_t pc) {
  E.self->bare = 1;
  point(kind, addr, size, pc);
  E.self->bare = 0;
}

/* From a step to the end of the slow copy; nobody parks there. */
static struct {
  uint64_t addr, size, expected;
  uint8_t was[16];
} after;

static uint64_t copy_of(const struct site *s) {
  return (uint64_t)(uintptr_t)fl__site_stub(s);
}
static uint64_t slow_copy_of(const struct site *s) { return copy_of(s) + SLOW; }
/* Where the thread goes on when the instruction was made. */
static uint64_t behind(const struct site *s) { return copy_of(s) + s->length; }

static bool is_string(const struct site *s) {
  return s->kind == SITE_COPY || s->kind == SITE_FILL ||
         s->kind == SITE_COMPARE || s->kind == SITE_SCAN;
}

static __attribute__((noreturn)) void string_step(struct site_frame *f,
                                                  const struct site *s) {
  uint64_t pc = fl__next_pc(s), n = s->size;
  void *to = (void *)f->gpr[RDI];
  E.self->visits++;
  if (s->repeat != SITE_ONCE) {
    n = f->gpr[RCX] * s->size;
    f->gpr[RCX] = 0;
  }
  E.self->bare = 1;
  if (s->kind == SITE_COPY)
    fl__copy(to, (const void *)f->gpr[RSI], n, pc);
  else if (s->size == 1 || !f->gpr[RAX])
    fl__fill(to, (int)f->gpr[RAX], n, pc);
  else
    for (uint64_t at = 0; at < n; at += s->size) {
      fl__access(EV_WRITE, (char *)to + at, s->size, pc);
      memcpy((char *)to + at, &f->gpr[RAX], s->size);
    }
  E.self->bare = 0;
  f->gpr[RDI] += n;
  f->gpr[RSI] += s->kind == SITE_COPY ? n : 0;
  fl__site_back(f, behind(s));
}

static uint64_t element(uint64_t at, const struct site *s) {
  uint64_t value = 0;
  E.self->bare = 1;
  fl__access(EV_READ, (const void *)at, s->size, fl__next_pc(s));
  E.self->bare = 0;
  memcpy(&value, (const void *)at, s->size);
  return value;
}

/* Those that a comparison sets. */
static uint64_t flags_of(uint64_t a, uint64_t b, unsigned size) {
  uint64_t flags;
  switch (size) {
  case 1:
    __asm__("cmpb %b2, %b1\n\tpushfq\n\tpopq %0"
            : "=r"(flags)
            : "q"(a), "q"(b));
    break;
  case 2:
    __asm__("cmpw %w2, %w1\n\tpushfq\n\tpopq %0"
            : "=r"(flags)
            : "r"(a), "r"(b));
    break;
  case 4:
    __asm__("cmpl %k2, %k1\n\tpushfq\n\tpopq %0"
            : "=r"(flags)
            : "r"(a), "r"(b));
    break;
  default:
    __asm__("cmpq %2, %1\n\tpushfq\n\tpopq %0" : "=r"(flags) : "r"(a), "r"(b));
  }
  return flags;
}

/* Element by element: the first that decides is the last that is looked at. */
static __attribute__((noreturn)) void compare_step(struct site_frame *f,
                                                   const struct site *s) {
  enum { ZERO = 0x40 };
  bool scan = s->kind == SITE_SCAN, goes_on = true;
  uint64_t mask =
      s->size == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * s->size) - 1;
  while (goes_on && (s->repeat == SITE_ONCE || f->gpr[RCX])) {
    uint64_t a = f->gpr[RAX] & mask;
    if (!scan) {
      a = element(f->gpr[RSI], s);
      f->gpr[RSI] += s->size;
    }
    f->flags = flags_of(a, element(f->gpr[RDI], s), s->size);
    f->gpr[RDI] += s->size;
    f->gpr[RCX] -= s->repeat != SITE_ONCE;
    goes_on = s->repeat != SITE_ONCE &&
              !(f->flags & ZERO) == (s->repeat == SITE_WHILE_NOT);
  }
  fl__site_back(f, behind(s));
}

static __attribute__((noreturn)) void fence_step(struct site_frame *f,
                                                 const struct site *s) {
  E.self->order = __ATOMIC_SEQ_CST;
  if (UNLIKELY(E.ordering))
    fl__order_fence(__ATOMIC_SEQ_CST);
  if (E.options.tso)
    point(EV_FENCE, NULL, 0, fl__next_pc(s));
  else if (E.recording)
    fl__record_simple(EV_FENCE, NULL, 0, fl__next_pc(s));
  fl__site_back(f, copy_of(s));
}

static __attribute__((noreturn)) void system_step(struct site_frame *f,
                                                  const struct site *s) {
  const long a[6] = {(long)f->gpr[RDI], (long)f->gpr[RSI], (long)f->gpr[RDX],
                     (long)f->gpr[10],  (long)f->gpr[8],   (long)f->gpr[9]};
  int kept = errno;
  long result = fl__system_call((long)f->gpr[RAX], a, fl__next_pc(s));
  f->gpr[RAX] = (uint64_t)(result == -1 ? -errno : result);
  f->gpr[RCX] = fl__next_pc(s);
  f->gpr[11] = f->flags;
  errno = kept;
  fl__site_back(f, behind(s));
}

/* A call or a jump by an address in memory, at a step or none. */
static __attribute__((noreturn)) void go_by(struct site_frame *f,
                                            const struct site *s, bool step) {
  uint64_t to;
  if (step)
    bare_point(EV_READ, (void *)f->addr, sizeof to, fl__next_pc(s));
  memcpy(&to, (void *)f->addr, sizeof to);
  if (s->kind == SITE_CALL_BY) {
    uint64_t back = fl__next_pc(s);
    f->gpr[RSP] -= sizeof back;
    memcpy((void *)f->gpr[RSP], &back, sizeof back);
  }
  fl__site_back(f, to);
}

/* A cycle takes a nanosecond. */
static __attribute__((noreturn)) void clock_step(struct site_frame *f,
                                                 const struct site *s) {
  uint64_t now = fl__look(fl__next_pc(s));
  f->gpr[RAX] = (uint32_t)now;
  f->gpr[RDX] = now >> 32;
  if (!strcmp(s->name, "rdtscp"))
    f->gpr[RCX] = 0;
  fl__site_back(f, behind(s));
}

static __attribute__((noreturn)) void refuse_step(const struct site *s) {
  if (s->kind == SITE_REFUSED)
    fl__refuse(fl__next_pc(s), "the instruction '%s' is not modelled", s->name);
  fl__refuse(fl__next_pc(s),
             "the instruction '%s' touches shared memory without a hook, in a "
             "way that is not modelled",
             s->name);
}

/* The instruction is executed behind this, and atomic_done() looks. */
static __attribute__((noreturn)) void atomic_step(struct site_frame *f,
                                                  const struct site *s) {
  E.self->order = __ATOMIC_SEQ_CST;
  bare_point(s->kind == SITE_CAS ? EV_CAS : EV_RMW, (void *)f->addr, s->size,
             fl__next_pc(s));
  after.addr = f->addr;
  after.size = s->size;
  after.expected = f->gpr[RAX];
  if (s->size < 8)
    after.expected &= (UINT64_C(1) << 8 * s->size) - 1;
  memcpy(after.was, (void *)f->addr, s->size);
  fl__site_back(f, slow_copy_of(s));
}

static void atomic_done(const struct site *s, uint64_t flags) {
  enum { ZERO = 0x40 };
  const void *now = (const void *)after.addr;
  bool failed = s->kind == SITE_CAS && !(flags & ZERO);
  E.self->failed = failed;
  E.self->expected = after.expected;
  if (failed || !memcmp(now, after.was, s->size))
    fl__silent();
  fl__saw(failed                ? EV_CAS_FAIL
          : s->kind == SITE_CAS ? EV_CAS
                                : EV_RMW,
          after.was, now, s->size);
}

static void read_step(struct site_frame *f, uint64_t size, uint64_t pc,
                      uint8_t *kept) {
  for (uint64_t at = 0; at < size; at += 8) {
    uint64_t n = size - at < 8 ? size - at : 8;
    if (size > 8)
      E.self->visit = E.self->visits;
    bare_point(EV_READ, (void *)(f->addr + at), n, pc);
    memcpy(kept + at, (void *)(f->addr + at), n);
  }
}

/* 16 bytes, or both halves of an update. */
static void torn_step(struct site_frame *f, const struct site *s) {
  uint64_t pc = fl__next_pc(s);
  void *p = (void *)f->addr;
  uint8_t kept[16] = {0};
  E.self->visits++;
  if (s->kind != SITE_WRITE)
    read_step(f, s->size, pc, kept);
  if (s->kind != SITE_READ) {
    E.self->visit = E.self->visits;
    bare_point(EV_WRITE, p, s->size < 8 ? s->size : 8, pc);
  }
  if (s->kind == SITE_UPDATE)
    memcpy(p, kept, s->size);
  if (s->size <= 8)
    fl__site_back(f, copy_of(s));
  after.addr = f->addr;
  after.size = s->size;
  memcpy(after.was, p, s->size);
  if (s->kind == SITE_READ)
    memcpy(p, kept, s->size);
  fl__site_back(f, slow_copy_of(s));
}

static __attribute__((noreturn)) void step(struct site_frame *f,
                                           const struct site *s) {
  uint64_t pc = fl__next_pc(s);
  switch ((enum site_kind)s->kind) {
  case SITE_READ:
  case SITE_WRITE:
    if (s->size > 8)
      torn_step(f, s);
    bare_point(s->kind == SITE_READ ? EV_READ : EV_WRITE, (void *)f->addr,
               s->size, pc);
    break;
  case SITE_UPDATE:
    torn_step(f, s);
    break;
  case SITE_COPY:
  case SITE_FILL:
    string_step(f, s);
  case SITE_COMPARE:
  case SITE_SCAN:
    compare_step(f, s);
  case SITE_ATOMIC:
  case SITE_CAS:
    if (!fl__visible(f->addr, s->size))
      fence_step(f, s);
    atomic_step(f, s);
  case SITE_FENCE:
    fence_step(f, s);
  case SITE_PAUSE:
    point(EV_YIELD, NULL, 0, pc);
    break;
  case SITE_CLOCK:
    clock_step(f, s);
  case SITE_CALL:
    system_step(f, s);
  case SITE_CALL_BY:
  case SITE_JUMP_BY:
    go_by(f, s, true);
  case SITE_REFUSED:
  case SITE_REFUSED_MEMORY:
    refuse_step(s);
  case SITE_HOOK: /* no thread comes to one */
  case SITE_DEAD:
  case SITE_GOTO:
  case SITE_BACKOFF:
    break;
  }
  fl__site_back(f, copy_of(s));
}

/* The second half of a store of 16 bytes. */
static void second_step(struct site_frame *f, const struct site *s) {
  E.self->visit = E.self->visits;
  bare_point(EV_WRITE, (void *)(f->addr + 8), 8, fl__next_pc(s));
  memcpy((void *)(f->addr + 8), &f->value, sizeof f->value);
  fl__site_back(f, behind(s));
}

/* ---- which are steps ---- */

/* The number is signed, and as wide as the operand. */
static uint64_t word_of_bit(uint64_t bit, unsigned size) {
  unsigned unused = 64 - 8 * size, shift = 3u + (unsigned)__builtin_ctz(size);
  return (uint64_t)((int64_t)(bit << unused) >> unused >> shift);
}

static uint64_t operand(const struct site *s, const struct site_frame *f) {
  uint64_t at = (uint64_t)s->displacement;
  if (is_string(s))
    return f->gpr[RDI];
  if (s->base == SITE_RIP)
    at += fl__next_pc(s);
  else if (s->base != SITE_NONE)
    at += f->gpr[s->base];
  if (s->index != SITE_NONE)
    at += f->gpr[s->index] * s->scale;
  if (s->bit != SITE_NONE)
    at += word_of_bit(f->gpr[s->bit], s->size) * s->size;
  return at;
}

/* Was the thread's last step that of a hook, of this access? */
static bool has_hook(uint64_t addr, uint64_t size) {
  const struct fiber_state *f = E.self;
  return addr >= f->addr && addr + size <= f->addr + f->size &&
         !fl__is_behind_site(f->pc);
}

/* A loop of nothing but pauses is one: no step since the last one. */
static bool pauses_again(const struct site *s) {
  return E.self->kind == EV_YIELD && E.self->pc == fl__next_pc(s);
}

static bool is_step(const struct site *s, uint64_t addr) {
  switch ((enum site_kind)s->kind) {
  case SITE_READ:
  case SITE_WRITE:
  case SITE_UPDATE:
  case SITE_REFUSED_MEMORY:
    return (s->sure || !has_hook(addr, s->size)) && fl__visible(addr, s->size);
  case SITE_PAUSE:
    return !pauses_again(s);
  case SITE_FENCE:
    return E.options.tso || E.recording || E.ordering;
  case SITE_ATOMIC:
  case SITE_CAS:
    return E.options.tso || E.ordering || fl__visible(addr, s->size);
  case SITE_CALL_BY:
  case SITE_JUMP_BY:
    return fl__visible(addr, s->size);
  default:
    return true;
  }
}

static void touch(uint64_t addr, uint64_t size, bool writes,
                  const struct site *s) {
  bool constant =
      addr - E.base < E.image_span && addr - E.data_lo >= E.data_span;
  if (size && !(constant && !writes))
    fl__reference_touch(addr, size, writes, fl__next_pc(s));
}

/* A reference implementation may touch what is its own only. */
static void check_reference(const struct site *s, const struct site_frame *f,
                            uint64_t addr) {
  uint64_t size = s->size * (s->repeat == SITE_ONCE ? 1 : f->gpr[RCX]);
  bool writes = s->kind != SITE_READ && s->kind != SITE_COMPARE &&
                s->kind != SITE_SCAN && s->kind != SITE_CALL_BY &&
                s->kind != SITE_JUMP_BY;
  touch(addr, size, writes, s);
  if (s->kind == SITE_COPY || s->kind == SITE_COMPARE)
    touch(f->gpr[RSI], size, false, s);
}

/* Zeros in what does not matter. */
static void reduce_frame(struct site_frame *f, const struct site *s) {
  static const uint64_t saved_by_callee =
      1u << RBX | 1u << RSP | 1u << RBP | 0xfu << 12;
  uint64_t keep = s->keep | saved_by_callee;
  uint8_t *end = (uint8_t *)f->high[s->wide ? 16 : 0];
  uint8_t *top = (uint8_t *)f->gpr[RSP] - (s->leaf ? RED_ZONE : 0);
  for (int r = 0; r < GPRS; r++)
    if (!(keep >> r & 1))
      f->gpr[r] = 0;
  for (int r = 0; r < 16; r++)
    if (!(keep & SITE_XMM(r))) {
      memset(f->xmm[r], 0, sizeof f->xmm[r]);
      if (s->wide)
        memset(f->high[r], 0, sizeof f->high[r]);
    }
  if (!(keep & SITE_FLAGS))
    f->flags = 0x202;
  assert(end <= top);
  memset(end, 0, (size_t)(top - end));
}

/* The slow copy was executed: what it did is still to be done. */
static __attribute__((noreturn)) void done(struct site_frame *f,
                                           const struct site *s) {
  uint8_t *p = (uint8_t *)after.addr;
  f->addr = after.addr;
  if (s->kind == SITE_ATOMIC || s->kind == SITE_CAS)
    atomic_done(s, f->flags);
  else if (s->kind == SITE_READ)
    memcpy(p, after.was, after.size);
  else {
    memcpy(&f->value, p + 8, 8);
    memcpy(p + 8, after.was + 8, 8);
    reduce_frame(f, s);
    second_step(f, s);
  }
  fl__site_back(f, behind(s));
}

void fl__site_arrived(struct site_frame *f) {
  enum { DIRECTION = 0x400 };
  bool is_done = f->site & SITE_DONE;
  f->site &= ~(uint64_t)SITE_DONE;
  f->addr = f->value = f->rip = f->unused = 0; /* they are state */
  assert(f->site < fl__sites.n && (uint64_t)(uintptr_t)f % 16 == 0);
  const struct site *s = &fl__sites.at[f->site];
  if (is_done)
    done(f, s);
  uint64_t addr = operand(s, f);
  fl__reached(fl__next_pc(s));
  if (UNLIKELY(E.reference))
    check_reference(s, f, addr);
  bool stops = E.in_fiber && is_step(s, addr);
  if (!stops && (s->kind == SITE_CALL_BY || s->kind == SITE_JUMP_BY)) {
    f->addr = addr;
    go_by(f, s, false);
  }
  if (!stops)
    fl__site_back(f, copy_of(s));
  bool backwards = is_string(s) && f->flags & DIRECTION;
  f->addr = addr;
  reduce_frame(f, s);
  if (backwards)
    fl__refuse(fl__next_pc(s),
               "a string instruction that goes backwards ('std') "
               "is not modelled");
  step(f, s);
}
