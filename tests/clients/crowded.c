/*
 * More than a gigabyte below the object is taken; the copies of instructions
 * without hooks, here of a struct that is passed, find a place above it.
 *
 * RUN: explore %s --client '{set(1)} || {passed()}'
 * OUTCOMES: -,0 -,1
 */
#include <faultline.h>

#include <stdint.h>
#include <sys/mman.h>

struct four {
  long a, b, c, d;
};
static struct four current;

static int take(uintptr_t at, uintptr_t size) {
  return mmap((void *)at, size, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
              -1, 0) != MAP_FAILED;
}

/* A part of which something is taken goes page by page. */
__attribute__((constructor)) static void crowd(void) {
  const uintptr_t page = 4096, part = 1 << 20;
  uintptr_t to = (uintptr_t)&current & ~(page - 1);
  for (int i = 0; i < 1100; i++, to -= part)
    if (!take(to - part, part))
      for (uintptr_t at = to - part; at < to; at += page)
        take(at, page);
}

static void set(int v) {
  volatile struct four *p = &current;
  p->a = v;
  p->b = v;
}

__attribute__((noinline)) static int whole(struct four f) { return f.a == f.b; }
static int passed(void) { return whole(current); }

FL_OBJECT(crowded)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, passed)
