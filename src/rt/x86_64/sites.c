/*
 * Instructions that touch memory without a hook (model/site.h): the first byte
 * of each is replaced by TRAP, which is no instruction (SIGILL).  The handler
 * of the signal finds out what the instruction is about to touch.  If others
 * can see that, the thread goes on in step(), on its own stack, which parks it
 * as a hook does; then a copy of the instruction is executed elsewhere, and the
 * thread goes on behind the instruction.
 *
 * Registers wait in a frame on the thread's stack, those that do not matter as
 * zeros: equal situations have equal bytes.
 *
 * 16 bytes are two steps, as a copy by memcpy is.  The bytes that a torn read
 * has seen are put into memory for the one instruction that reads them, and the
 * second half of a store is taken out until its step; nobody else runs in
 * between.
 */
#include "rt/hooks.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* 0x06 is no instruction in 64-bit code. */
enum { TRAP = 0x06, JMP = 0xe9, STUB = 64, SLOW = 32, RED_ZONE = 128 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, GPRS = 16 };

static const int greg_of[GPRS] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static struct {
  const struct site *at;
  uint32_t n;
  uint8_t *stubs; /* STUB bytes each: the instruction and a jump back; from
                     SLOW on, the instruction and a trap */
  /* From step() to the trap behind the instruction; nobody parks there. */
  struct {
    uint64_t addr, size, second;
    uint8_t was[16];
  } after;
} S;

struct site_frame {
  uint64_t gpr[GPRS], flags, rip;
  uint64_t xmm[16][2];
  uint64_t addr, site;
};

extern const char fl__site_back[] FL_HIDDEN;

static uint64_t next_pc(const struct site *s) {
  return E.base + s->pc + s->length;
}
static uint8_t *stub_of(const struct site *s) {
  assert(s >= S.at && s < S.at + S.n);
  return S.stubs + (size_t)(s - S.at) * STUB;
}

/* Goes on with the registers of the frame; the trap restores them. */
static __attribute__((noinline, noreturn)) void back(struct site_frame *f,
                                                     uint64_t rip) {
  f->rip = rip;
  __asm__ volatile(".globl fl__site_back\n\t"
                   ".hidden fl__site_back\n"
                   "fl__site_back:\n\t"
                   ".byte 0x06" ::"D"(f)
                   : "memory");
  __builtin_unreachable();
}

static __attribute__((noreturn)) void string_step(struct site_frame *f,
                                                  const struct site *s) {
  uint64_t n = f->gpr[RCX] * s->size, pc = next_pc(s);
  void *to = (void *)f->gpr[RDI];
  E.self->visits++;
  if (s->kind == SITE_COPY)
    fl__copy(to, (const void *)f->gpr[RSI], n, pc);
  else if (s->size == 1 || !f->gpr[RAX])
    fl__fill(to, (int)f->gpr[RAX], n, pc);
  else
    for (uint64_t at = 0; at < n; at += s->size) {
      fl__access(EV_WRITE, (char *)to + at, s->size, pc);
      memcpy((char *)to + at, &f->gpr[RAX], s->size);
    }
  f->gpr[RDI] += n;
  f->gpr[RSI] += s->kind == SITE_COPY ? n : 0;
  f->gpr[RCX] = 0;
  back(f, pc);
}

static void read_step(struct site_frame *f, uint64_t size, uint64_t pc,
                      uint8_t *kept) {
  for (uint64_t at = 0; at < size; at += 8) {
    uint64_t n = size - at < 8 ? size - at : 8;
    if (size > 8)
      E.self->visit = E.self->visits;
    point(EV_READ, (void *)(f->addr + at), n, pc);
    memcpy(kept + at, (void *)(f->addr + at), n);
  }
}

static void step(struct site_frame *f) {
  assert(f->site < S.n && (uint64_t)(uintptr_t)f % 16 == 0);
  const struct site *s = &S.at[f->site];
  uint64_t pc = next_pc(s), stub = (uint64_t)(uintptr_t)stub_of(s);
  void *p = (void *)f->addr;
  uint8_t kept[16] = {0};
  if (s->kind == SITE_COPY || s->kind == SITE_FILL)
    string_step(f, s);
  if (s->size > 8 || s->kind == SITE_UPDATE)
    E.self->visits++;
  if (s->kind != SITE_WRITE)
    read_step(f, s->size, pc, kept);
  if (s->kind == SITE_READ && s->size <= 8)
    back(f, stub);
  if (s->kind != SITE_READ) {
    if (s->size > 8 || s->kind == SITE_UPDATE)
      E.self->visit = E.self->visits;
    point(EV_WRITE, p, s->size < 8 ? s->size : 8, pc);
  }
  if (s->kind == SITE_UPDATE)
    memcpy(p, kept, s->size);
  if (s->size <= 8)
    back(f, stub);
  S.after.addr = f->addr;
  S.after.size = s->size;
  S.after.second = s->kind != SITE_READ;
  memcpy(S.after.was, p, s->size);
  if (s->kind == SITE_READ)
    memcpy(p, kept, s->size);
  back(f, stub + SLOW);
}

/* The second half of a store, which waits behind the frame. */
static void second_step(struct site_frame *f) {
  const struct site *s = &S.at[f->site];
  uint64_t value = f->gpr[RSP];
  memcpy(&value, f + 1, sizeof value);
  E.self->visit = E.self->visits;
  point(EV_WRITE, (void *)(f->addr + 8), 8, next_pc(s));
  memcpy((void *)(f->addr + 8), &value, sizeof value);
  back(f, next_pc(s));
}

/* ---- in the handler ---- */

static struct _libc_fpstate *fp_of(ucontext_t *uc) {
  assert(uc->uc_mcontext.fpregs);
  return uc->uc_mcontext.fpregs;
}

static uint64_t operand(const struct site *s, const ucontext_t *uc) {
  const greg_t *g = uc->uc_mcontext.gregs;
  uint64_t at = (uint64_t)s->displacement;
  if (s->kind == SITE_COPY || s->kind == SITE_FILL)
    return (uint64_t)g[REG_RDI];
  if (s->base == SITE_RIP)
    at += next_pc(s);
  else if (s->base != SITE_NONE)
    at += (uint64_t)g[greg_of[s->base]];
  if (s->index != SITE_NONE)
    at += (uint64_t)g[greg_of[s->index]] * s->scale;
  return at;
}

/* Continues in `body` on the thread's stack, with the registers in a frame and
 * `more` behind it. */
static void leave_for(void (*body)(struct site_frame *), const struct site *s,
                      ucontext_t *uc, uint64_t addr, uint64_t more) {
  greg_t *g = uc->uc_mcontext.gregs;
  uint64_t sp = (uint64_t)g[REG_RSP];
  uint64_t lo =
      (sp - RED_ZONE - sizeof(struct site_frame) - 16) & ~UINT64_C(15);
  struct site_frame *f = (struct site_frame *)lo;
  memset(f, 0, s->leaf ? sizeof *f + 16 : sp - lo);
  static const uint32_t saved_by_callee =
      1u << RBX | 1u << RSP | 1u << RBP | 0xfu << 12;
  uint64_t keep = s->keep | saved_by_callee;
  for (int r = 0; r < GPRS; r++)
    if (keep >> r & 1)
      f->gpr[r] = (uint64_t)g[greg_of[r]];
  for (int r = 0; r < 16; r++)
    if (keep & SITE_XMM(r))
      memcpy(f->xmm[r], &fp_of(uc)->_xmm[r], sizeof f->xmm[r]);
  f->flags = keep & SITE_FLAGS ? (uint64_t)g[REG_EFL] : 0x202;
  f->addr = addr;
  f->site = (uint64_t)(s - S.at);
  memcpy(f + 1, &more, sizeof more);
  ((uint64_t *)lo)[-1] = 0; /* where a call would return to */
  g[REG_RSP] = (greg_t)(lo - 8);
  g[REG_RDI] = (greg_t)lo;
  g[REG_RIP] = (greg_t)body;
  g[REG_EFL] &= ~(greg_t)0x400; /* the direction */
}

static void restore(ucontext_t *uc) {
  enum { XSAVE_MAGIC = 0x46505853, MAGIC_AT = 464, STATE_AT = 512, SSE = 2 };
  greg_t *g = uc->uc_mcontext.gregs;
  const struct site_frame *f = (const struct site_frame *)g[REG_RDI];
  uint8_t *fp = (uint8_t *)fp_of(uc);
  for (int r = 0; r < GPRS; r++)
    g[greg_of[r]] = (greg_t)f->gpr[r];
  for (int r = 0; r < 16; r++)
    memcpy(&fp_of(uc)->_xmm[r], f->xmm[r], sizeof f->xmm[r]);
  uint32_t magic;
  assert(f->site < S.n);
  memcpy(&magic, fp + MAGIC_AT, sizeof magic);
  if (magic == XSAVE_MAGIC) /* else the kernel may take them for unused */
    fp[STATE_AT] |= SSE;
  g[REG_EFL] = (greg_t)f->flags;
  g[REG_RIP] = (greg_t)f->rip;
}

/* Was the thread's last hook that of this access? */
static bool has_hook(uint64_t addr, uint64_t size) {
  const struct fiber_state *f = E.self;
  return addr >= f->addr && addr + size <= f->addr + f->size;
}

static void arrive(const struct site *s, ucontext_t *uc) {
  uint64_t addr = operand(s, uc);
  bool string = s->kind == SITE_COPY || s->kind == SITE_FILL;
  if (E.in_fiber && (string || ((s->sure || !has_hook(addr, s->size)) &&
                                fl__visible(addr, s->size))))
    leave_for(step, s, uc, addr, 0);
  else
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)stub_of(s);
}

static void behind(const struct site *s, ucontext_t *uc) {
  uint8_t *p = (uint8_t *)S.after.addr;
  if (!S.after.second) {
    memcpy(p, S.after.was, S.after.size);
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)next_pc(s);
    return;
  }
  uint64_t value;
  memcpy(&value, p + 8, 8);
  memcpy(p + 8, S.after.was + 8, 8);
  leave_for(second_step, s, uc, S.after.addr, value);
}

static const struct site *site_at(uint64_t pc) {
  uint32_t lo = 0, hi = S.n;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (S.at[mid].pc < pc)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < S.n && S.at[lo].pc == pc && S.at[lo].kind != SITE_HOOK ? &S.at[lo]
                                                                     : NULL;
}

static const struct site *stub_site(uint64_t rip) {
  uint64_t at = rip - (uint64_t)(uintptr_t)S.stubs;
  return S.stubs && at < (uint64_t)S.n * STUB ? &S.at[at / STUB] : NULL;
}

bool fl__site_trap(void *context) {
  ucontext_t *uc = context;
  uint64_t rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
  const struct site *s;
  if (rip == (uint64_t)(uintptr_t)fl__site_back)
    restore(uc);
  else if ((s = stub_site(rip)) && *(const uint8_t *)rip == TRAP)
    behind(s, uc);
  else if (rip - E.base < E.image_span && (s = site_at(rip - E.base)))
    arrive(s, uc);
  else
    return false;
  return true;
}

uint64_t fl__site_pc(uint64_t pc) {
  const struct site *s = stub_site(pc);
  return s ? E.base + s->pc : pc;
}

/* ---- putting them in ---- */

static void put_copy(const struct site *s, uint8_t *to) {
  const uint8_t *from = (const uint8_t *)(E.base + s->pc);
  memcpy(to, from, s->length);
  if (s->base != SITE_RIP)
    return;
  int32_t distance;
  memcpy(&distance, from + s->relative, sizeof distance);
  distance += (int32_t)((int64_t)(uintptr_t)from - (int64_t)(uintptr_t)to);
  memcpy(to + s->relative, &distance, sizeof distance);
}

static void put_stub(const struct site *s) {
  uint8_t *to = stub_of(s);
  assert(s->length && s->length + 5 <= SLOW);
  put_copy(s, to);
  int32_t distance =
      (int32_t)((int64_t)next_pc(s) - (int64_t)(uintptr_t)(to + s->length + 5));
  to[s->length] = JMP;
  memcpy(to + s->length + 1, &distance, sizeof distance);
  put_copy(s, to + SLOW);
  to[SLOW + s->length] = TRAP;
}

/* A call becomes instructions that do nothing, each of one byte. */
static void patch(const struct site *s) {
  uint8_t *at = (uint8_t *)(E.base + s->pc);
  if (s->kind == SITE_HOOK) {
    memset(at, 0x90, s->length);
    return;
  }
  put_stub(s);
  *at = TRAP;
}

/* NULL: something is there already. */
static uint8_t *memory_at(uint64_t address, size_t size) {
  void *hint = (void *)(address & ~UINT64_C(4095));
  void *p = mmap(hint, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == hint)
    return p;
  if (p != MAP_FAILED)
    munmap(p, size);
  return NULL;
}

/* Near the object, for jumps reach no further than 2 GB.  On either side: the
 * states that processes share may be more, in one piece. */
static uint8_t *near_memory(size_t size) {
  const uint64_t step = 1 << 20;
  const uint64_t farthest = INT32_MAX - E.image_span - size - step;
  for (uint64_t d = step; d < farthest; d += step) {
    uint8_t *p = memory_at(E.base - d - size, size);
    if (!p)
      p = memory_at(E.base + d, size);
    if (p)
      return p;
  }
  die("no memory near the object");
}

void rt_sites(const struct site *at, uint32_t n) {
  assert(!S.stubs && !E.in_fiber); /* once; R2 */
  for (uint32_t i = 1; i < n; i++)
    assert(at[i - 1].pc < at[i].pc); /* site_at() */
  S.at = at;
  S.n = n;
  if (!n)
    return;
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t lo = E.code_lo & ~(page - 1), size = E.code_lo + E.code_span - lo;
  S.stubs = near_memory((size_t)n * STUB);
  if (mprotect((void *)lo, size, PROT_READ | PROT_WRITE))
    die("the object's code cannot be changed");
  for (uint32_t i = 0; i < n; i++)
    patch(&at[i]);
  if (mprotect((void *)lo, size, PROT_READ | PROT_EXEC) ||
      mprotect(S.stubs, (size_t)n * STUB, PROT_READ | PROT_EXEC))
    die("the object's code cannot be changed");
}
