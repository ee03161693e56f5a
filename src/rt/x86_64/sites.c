/*
 * Instructions that touch memory without a hook (model/site.h) are replaced, in
 * the loaded object, by jumps to stubs (sites_int.h).  A jump takes five bytes:
 * where the instruction and those behind it that can be executed elsewhere give
 * less room, the first byte becomes one that user code cannot execute, and the
 * handler of its signal goes to the stub.  That costs some microseconds: two for
 * hlt (SIGSEGV), and seven for a byte that is no instruction (SIGILL) where the
 * system is a guest of a hypervisor, which looks at each of these first.
 *
 * Registers wait in a frame on the thread's stack, those that do not matter as
 * zeros: equal situations have equal bytes.
 */
#include "rt/x86_64/sites_int.h"

#include "rt/hooks.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* ILLEGAL is no instruction in 64-bit code.  It serves where a debugger stops at
 * SIGSEGV (templates/faultline.gdb). */
enum {
  HALT = 0xf4,
  ILLEGAL = 0x06,
  JMP = 0xe9,
  NOP = 0x90,
  ROOM = 5,
  SLOTS = 64
};

struct site_table fl__sites;
uint64_t fl__site_rip;
static uint8_t *stubs; /* before them, where fl__site_enter … are */

uint8_t *fl__site_stub(const struct site *s) {
  assert(s >= fl__sites.at && s < fl__sites.at + fl__sites.n);
  return stubs + (size_t)(s - fl__sites.at) * STUB;
}

_Noreturn void fl__site_back(struct site_frame *f, uint64_t rip) {
  fl__site_rip = f->rip = rip;
  if (fl__sites.at[f->site].wide)
    fl__site_go_wide(f);
  fl__site_go(f);
}

/* The last site at or before pc, or NULL. */
static const struct site *site_before(uint64_t pc) {
  uint32_t lo = 0, hi = fl__sites.n;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (fl__sites.at[mid].pc <= pc)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo ? &fl__sites.at[lo - 1] : NULL;
}

static const struct site *site_at(uint64_t pc) {
  const struct site *s = site_before(pc);
  return s && s->pc == pc && !site_is_change(s) ? s : NULL;
}

bool fl__is_behind_site(uint64_t pc) {
  const struct site *s = site_before(pc - E.base - 1);
  return s && !site_is_change(s) && fl__next_pc(s) == pc;
}

static const struct site *stub_site(uint64_t pc) {
  uint64_t at = pc - (uint64_t)(uintptr_t)stubs;
  return stubs && at < (uint64_t)fl__sites.n * STUB ? &fl__sites.at[at / STUB]
                                                    : NULL;
}

static uint8_t trap(void) { return E.options.in_debugger ? ILLEGAL : HALT; }

bool fl__site_trap(void *context) {
  ucontext_t *uc = context;
  uint64_t rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
  const struct site *s =
      rip - E.base < E.image_span ? site_at(rip - E.base) : NULL;
  if (!s || *(const uint8_t *)rip != trap())
    return false;
  uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(fl__site_stub(s) + ENTER);
  return true;
}

uint64_t fl__site_pc(uint64_t pc) {
  const struct site *s = stub_site(pc);
  if (!s)
    return pc;
  uint64_t in = pc - (uint64_t)(uintptr_t)fl__site_stub(s);
  return E.base + s->pc + (in < s->span ? in : 0);
}

/* ---- putting them in ---- */

static void put_distance(uint8_t *at, const void *to) {
  int64_t distance = (const uint8_t *)to - (at + 4);
  int32_t short_distance = (int32_t)distance;
  assert(short_distance == distance);
  memcpy(at, &short_distance, sizeof short_distance);
}

static uint8_t *put_jump(uint8_t *at, const void *to) {
  *at = JMP;
  put_distance(at + 1, to);
  return at + ROOM;
}

static uint8_t *put_copy(const struct site *s, uint8_t *to) {
  const uint8_t *from = (const uint8_t *)(E.base + s->pc);
  memcpy(to, from, s->length);
  if (s->base == SITE_RIP) {
    int32_t distance;
    memcpy(&distance, from + s->relative, sizeof distance);
    distance += (int32_t)(from - to);
    memcpy(to + s->relative, &distance, sizeof distance);
  }
  return to + s->length;
}

/* lea -RED_ZONE(%rsp), %rsp; push %rax; mov $number, %eax; jmp *slot(%rip) */
static void put_enter(const struct site *s, uint32_t done, uint8_t *to) {
  static const uint8_t begin[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x50, 0xb8};
  uint32_t number = (uint32_t)(s - fl__sites.at) | done;
  memcpy(to, begin, sizeof begin);
  memcpy(to + 7, &number, sizeof number);
  to[11] = 0xff, to[12] = 0x25;
  put_distance(to + 13, stubs - SLOTS + (s->wide ? 8 : 0));
}

static void put_stub(const struct site *s) {
  uint8_t *stub = fl__site_stub(s);
  const uint8_t *from = (const uint8_t *)(E.base + s->pc);
  assert(s->length && s->length <= s->span && s->span + ROOM <= SLOW);
  uint8_t *end = put_copy(s, stub);
  memcpy(end, from + s->length, s->span - s->length);
  put_jump(stub + s->span, from + s->span);
  put_enter(s, SITE_DONE, put_copy(s, stub + SLOW));
  put_enter(s, 0, stub + ENTER);
}

/* A branch becomes a jump, of as many bytes. */
static void always_take(uint8_t *at) {
  enum { NEAR = 0x0f, JMP_SHORT = 0xeb };
  if (*at != NEAR) {
    *at = JMP_SHORT;
    return;
  }
  at[0] = NOP;
  at[1] = JMP;
}

static void return_at_once(const struct site *s, uint8_t *at) {
  static const uint8_t zero_and_return[] = {0x31, 0xc0, 0xc3};
  uint64_t end = s->pc + (uint64_t)s->displacement;
  memcpy(at, zero_and_return, sizeof zero_and_return);
  for (uint64_t pc = s->pc; E.reached && pc <= end; pc++)
    if (pc < E.reached_span)
      E.reached[pc] = 1;
}

/* What is taken out becomes instructions that do nothing, of one byte each. */
static void change(const struct site *s) {
  uint8_t *at = (uint8_t *)(E.base + s->pc);
  bool waiting = s->kind == SITE_DEAD || s->kind == SITE_GOTO;
  if (waiting && E.options.all_waits)
    return;
  if (s->kind == SITE_GOTO)
    always_take(at);
  else if (s->kind == SITE_BACKOFF)
    return_at_once(s, at);
  else
    memset(at, NOP, s->length);
}

static void patch(const struct site *s) {
  uint8_t *at = (uint8_t *)(E.base + s->pc);
  put_stub(s);
  if (s->span < ROOM) {
    *at = trap();
    return;
  }
  put_jump(at, fl__site_stub(s) + ENTER);
  memset(at + ROOM, NOP, s->span - ROOM);
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
  assert(!stubs && !E.in_fiber); /* once; R2 */
  for (uint32_t i = 1; i < n; i++)
    assert(at[i - 1].pc < at[i].pc); /* site_before() */
  fl__sites = (struct site_table){at, n};
  if (!n)
    return;
  const void *const slots[] = {fl__site_enter, fl__site_enter_wide};
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t lo = E.code_lo & ~(page - 1), size = E.code_lo + E.code_span - lo;
  size_t all = SLOTS + (size_t)n * STUB;
  uint8_t *memory = near_memory(all);
  memcpy(memory, slots, sizeof slots);
  stubs = memory + SLOTS;
  if (mprotect((void *)lo, size, PROT_READ | PROT_WRITE))
    die("the object's code cannot be changed");
  for (uint32_t i = 0; i < n; i++) /* first, for stubs have copies */
    if (site_is_change(&at[i]))
      change(&at[i]);
  for (uint32_t i = 0; i < n; i++)
    if (!site_is_change(&at[i]))
      patch(&at[i]);
  if (mprotect((void *)lo, size, PROT_READ | PROT_EXEC) ||
      mprotect(memory, all, PROT_READ | PROT_EXEC))
    die("the object's code cannot be changed");
}
