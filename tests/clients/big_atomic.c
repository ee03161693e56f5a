/*
 * Atomics of 24 bytes, which the compilers hand to a library, and anonymous
 * memory that must be as it was at the start of each execution.
 *
 * RUN: %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{set(1)} || {set(1)}; sets()' -- -DSETS
 * EXIT: 1
 * VERDICT: violation
 * LINE: sets
 */
#define _GNU_SOURCE
#include <faultline.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

struct three {
  long a, b, c;
};

static _Atomic struct three all;
static long *page;

static void create(void) {
  page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
              -1, 0);
}

static void destroy(void) { munmap(page, 8192); }

static void set(int v) {
  struct three next = {v, v, v};
  atomic_store(&all, next);
  page[0]++; /* sets */
}

static int get(void) {
  struct three now = atomic_load(&all);
  return (int)(now.a * 100 + now.b * 10 + now.c);
}

FL_OBJECT(three, create, destroy)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, get)
#ifdef SETS
static int sets(void) { return (int)page[0]; }
FL_OP(int, sets)
#endif
