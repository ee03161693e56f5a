/*
 * For LD_PRELOAD: the allocation with the number $NO_MEMORY_AT fails, or with
 * $NO_MEMORY_EVER also all that follow.  A forked process goes on counting
 * where its parent was.  Of all processes that run the tool, the file
 * $NO_MEMORY_COUNT holds the largest number that was reached.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static unsigned long count, at;
static bool acts, ever;
static volatile unsigned long *most;

static void *map(void *where, size_t size, int protection, int flags, int fd,
                 off_t offset) {
  return (void *)syscall(SYS_mmap, where, size, protection, flags, fd, offset);
}

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("NO_MEMORY_AT"),
             *file = getenv("NO_MEMORY_COUNT");
  if (!number || !file || strcmp(program_invocation_short_name, "faultline"))
    return;
  int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, sizeof *most))
    _exit(99);
  most = map(NULL, sizeof *most, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (most == MAP_FAILED)
    _exit(99);
  close(fd);
  at = strtoul(number, NULL, 10);
  ever = getenv("NO_MEMORY_EVER") != NULL;
  acts = true;
}

static bool fails(void) {
  if (!acts)
    return false;
  unsigned long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (n > *most)
    *most = n;
  bool now = at && (n == at || (ever && n > at));
  if (now)
    errno = ENOMEM;
  return now;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *calloc(size_t n, size_t size) {
  return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
  return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *p = memalign(alignment, size);
  if (!p)
    return ENOMEM;
  *out = p;
  return 0;
}

void *mmap(void *where, size_t size, int protection, int flags, int fd,
           off_t offset) {
  if (fails())
    return MAP_FAILED;
  return map(where, size, protection, flags, fd, offset);
}

void *mmap64(void *where, size_t size, int protection, int flags, int fd,
             off_t offset) {
  return mmap(where, size, protection, flags, fd, offset);
}
