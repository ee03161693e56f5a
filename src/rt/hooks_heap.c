/*
 * malloc, new and their relatives: the heap is heap.c.
 *
 * Blocks that the C library allocates for the user (asprintf, getline, the
 * inside of libstdc++) are not redirected; such a pointer lies outside our heap
 * and is given back to the C library.  An allocation is not a step (a thread
 * allocates from its own arena), a free is: it races with accesses to the
 * block.
 */
#include "rt/hooks.h"
#include "rt/reference_int.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGN = 16 };

static void *allocate(uint64_t size, uint64_t align, bool zero, uint64_t pc) {
  void *p = fl__alloc(size, align, 0, zero, pc);
  if (!p)
    errno = ENOMEM;
  return p;
}

static void release(void *p, uint64_t pc) {
  if (!p)
    return;
  if (UNLIKELY(E.reference)) {
    fl__reference_free(p, pc);
    return;
  }
  if (!fl__in_heap(p)) {
    if (!fl__on()) /* else another execution may free it once more */
      free(p);
    return;
  }
  fl__point(EV_FREE, p, fl__block_size(p), pc);
  fl__free(p, pc);
}

static void *resize(void *old, uint64_t size, uint64_t pc) {
  if (!old)
    return allocate(size, ALIGN, false, pc);
  if (!fl__in_heap(old) && !E.reference)
    return realloc(old, size);
  if (UNLIKELY(E.reference) && size)
    return fl__reference_resize(old, size, pc);
  if (!size) { /* as the C library does */
    release(old, pc);
    return NULL;
  }
  uint64_t keep = fl__block_size(old);
  if (keep > size)
    keep = size;
  /* A wrong pointer has no size: the release below says what is wrong. */
  fl__access(EV_READ, old, keep, pc);
  void *p = allocate(size, ALIGN, false, pc);
  if (!p)
    return NULL;
  memcpy(p, old, keep); /* nobody else knows the new block yet */
  release(old, pc);
  return p;
}

static bool power_of_two(uint64_t n) { return n && !(n & (n - 1)); }

static void *aligned(uint64_t align, uint64_t size, uint64_t pc) {
  if (!power_of_two(align)) {
    errno = EINVAL;
    return NULL;
  }
  return allocate(size, align, false, pc);
}

WRAP(void *, malloc, (size_t size)) {
  return allocate(size, ALIGN, false, CALLER_PC);
}
WRAP(void *, calloc, (size_t n, size_t size)) {
  size_t all;
  if (__builtin_mul_overflow(n, size, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  void *p = fl__alloc(all, ALIGN, n > 1 ? size : 0, true, CALLER_PC);
  if (!p)
    errno = ENOMEM;
  return p;
}
WRAP(void *, realloc, (void *old, size_t size)) {
  return resize(old, size, CALLER_PC);
}
WRAP(void *, reallocarray, (void *old, size_t n, size_t size)) {
  size_t all;
  if (__builtin_mul_overflow(n, size, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return resize(old, all, CALLER_PC);
}
WRAP(void, free, (void *p)) { release(p, CALLER_PC); }
WRAP(void *, aligned_alloc, (size_t align, size_t size)) {
  return aligned(align, size, CALLER_PC);
}
WRAP(void *, memalign, (size_t align, size_t size)) {
  return aligned(align, size, CALLER_PC);
}
WRAP(void *, valloc, (size_t size)) {
  return aligned(PORT_PAGE, size, CALLER_PC);
}
WRAP(int, posix_memalign, (void **out, size_t align, size_t size)) {
  if (!power_of_two(align) || align % sizeof(void *))
    return EINVAL;
  void *p = fl__alloc(size, align, 0, false, CALLER_PC);
  if (!p)
    return ENOMEM;
  fl__access(EV_WRITE, out, sizeof *out, CALLER_PC);
  *out = p;
  return 0;
}
WRAP(size_t, malloc_usable_size, (void *p)) {
  if (UNLIKELY(E.reference))
    return fl__reference_size(p);
  return p && !fl__in_heap(p) ? malloc_usable_size(p) : fl__block_size(p);
}

static char *duplicate(const char *s, size_t most, uint64_t pc) {
  size_t n = fl__read_string(s, most, pc);
  char *p = allocate(n + 1, 1, false, pc);
  if (p) {
    memcpy(p, s, n);
    p[n] = 0;
  }
  return p;
}
WRAP(char *, strdup, (const char *s)) {
  return duplicate(s, SIZE_MAX, CALLER_PC);
}
WRAP(char *, strndup, (const char *s, size_t n)) {
  return duplicate(s, n, CALLER_PC);
}

/* A block that the C library has allocated becomes one of ours. */
static char *adopt(char *theirs, uint64_t pc) {
  if (!theirs)
    return NULL;
  size_t n = strlen(theirs) + 1;
  char *p = allocate(n, 1, false, pc);
  if (p)
    memcpy(p, theirs, n);
  free(theirs);
  return p;
}
WRAP(char *, realpath, (const char *path, char *to)) {
  uint64_t pc = CALLER_PC;
  fl__read_string(path, SIZE_MAX, pc);
  if (!fl__on() || to)
    return realpath(path, to);
  return adopt(realpath(path, NULL), pc);
}
WRAP(char *, getcwd, (char *to, size_t size)) {
  if (!fl__on() || to)
    return getcwd(to, size);
  return adopt(getcwd(NULL, size), CALLER_PC);
}

/* ---- C++ ---- */

/* std::bad_alloc, which we cannot throw: out of memory is a finding. */
static void *new_block(size_t size, size_t align, uint64_t pc) {
  void *p = fl__alloc(size, align, 0, false, pc);
  if (!p)
    fl__fault(FAULT_OUT_OF_MEMORY, pc, 0, "operator new(%zu) has no memory",
              size);
  return p;
}

WRAP(void *, _Znwm, (size_t n)) { return new_block(n, ALIGN, CALLER_PC); }
WRAP(void *, _Znam, (size_t n)) { return new_block(n, ALIGN, CALLER_PC); }
WRAP(void *, _ZnwmRKSt9nothrow_t, (size_t n, const void *tag)) {
  (void)tag;
  return fl__alloc(n, ALIGN, 0, false, CALLER_PC);
}
WRAP(void *, _ZnamRKSt9nothrow_t, (size_t n, const void *tag)) {
  (void)tag;
  return fl__alloc(n, ALIGN, 0, false, CALLER_PC);
}
WRAP(void *, _ZnwmSt11align_val_tRKSt9nothrow_t,
     (size_t n, size_t align, const void *tag)) {
  (void)tag;
  return fl__alloc(n, align, 0, false, CALLER_PC);
}
WRAP(void *, _ZnamSt11align_val_tRKSt9nothrow_t,
     (size_t n, size_t align, const void *tag)) {
  (void)tag;
  return fl__alloc(n, align, 0, false, CALLER_PC);
}
WRAP(void *, _ZnwmSt11align_val_t, (size_t n, size_t align)) {
  return new_block(n, align, CALLER_PC);
}
WRAP(void *, _ZnamSt11align_val_t, (size_t n, size_t align)) {
  return new_block(n, align, CALLER_PC);
}
WRAP(void, _ZdlPv, (void *p)) { release(p, CALLER_PC); }
WRAP(void, _ZdaPv, (void *p)) { release(p, CALLER_PC); }

#define SIZED_DELETE(NAME)                                                     \
  WRAP(void, NAME, (void *p, size_t size)) {                                   \
    (void)size;                                                                \
    release(p, CALLER_PC);                                                     \
  }
SIZED_DELETE(_ZdlPvm)
SIZED_DELETE(_ZdaPvm)
SIZED_DELETE(_ZdlPvSt11align_val_t) /* the "size" is the alignment */
SIZED_DELETE(_ZdaPvSt11align_val_t)
SIZED_DELETE(_ZdlPvRKSt9nothrow_t) /* the "size" is the tag */
SIZED_DELETE(_ZdaPvRKSt9nothrow_t)

#define ALIGNED_DELETE(NAME)                                                   \
  WRAP(void, NAME, (void *p, size_t size, size_t align)) {                     \
    (void)size;                                                                \
    (void)align;                                                               \
    release(p, CALLER_PC);                                                     \
  }
ALIGNED_DELETE(_ZdlPvmSt11align_val_t)
ALIGNED_DELETE(_ZdaPvmSt11align_val_t)
ALIGNED_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t)
ALIGNED_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t)
