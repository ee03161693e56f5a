/*
 * The memory and string functions.
 *
 * They promise no atomicity: a read of a range is one step and a write another.
 * A copy goes word by word, so that a torn one is found; a large range in at
 * most PIECES pieces, or searches would drown.  Between its read and its write
 * a function keeps the piece on its stack.  A string's length is measured
 * twice: to know the range before the step, and in the step itself, for others
 * may have changed it.
 */
#include "rt/hooks.h"
#include "rt/reference_int.h"

#include <alloca.h>
#include <string.h>
#include <strings.h>

enum { WORD = 8, PIECES = 8, CHUNK = 4096 };

/* How many bytes of a range of n are one step. */
static size_t piece_of(size_t n) {
  return n <= WORD * PIECES ? WORD : (n / PIECES + WORD) / WORD * WORD;
}

/* Also a fault when the range, known only now, leaves its block. */
static bool visible(const void *p, size_t n, bool write, uint64_t pc) {
  fl__must_live((uint64_t)(uintptr_t)p, n, write, pc);
  return fl__visible((uint64_t)(uintptr_t)p, n);
}

/* ---- copying and filling ---- */

static void copy_piece(uint8_t *dst, const uint8_t *src, size_t n,
                       uint64_t pc) {
  uint8_t *kept = alloca(n); /* it is part of the thread's state */
  fl__access(EV_READ, src, n, pc);
  memcpy(kept, src, n);
  fl__access(EV_WRITE, dst, n, pc);
  memcpy(dst, kept, n);
}

void *fl__copy(void *to, const void *from, size_t n, uint64_t pc) {
  if (!n)
    return to;
  if (UNLIKELY(E.reference)) {
    fl__reference_touch((uint64_t)(uintptr_t)from, n, false, pc);
    fl__reference_touch((uint64_t)(uintptr_t)to, n, true, pc);
  }
  if (UNLIKELY(!fl__on()) ||
      (!visible(from, n, false, pc) & !visible(to, n, true, pc)))
    return memmove(to, from, n);
  uint8_t *dst = to;
  const uint8_t *src = from;
  size_t piece = piece_of(n), at;
  if ((uintptr_t)dst - (uintptr_t)src >= n) { /* forwards does no harm */
    for (at = 0; at < n; at += piece)
      copy_piece(dst + at, src + at, n - at < piece ? n - at : piece, pc);
  } else {
    for (at = (n - 1) / piece * piece;; at -= piece) {
      copy_piece(dst + at, src + at, n - at < piece ? n - at : piece, pc);
      if (!at)
        break;
    }
  }
  return to;
}

void *fl__fill(void *to, int byte, size_t n, uint64_t pc) {
  if (UNLIKELY(E.reference))
    fl__reference_touch((uint64_t)(uintptr_t)to, n, true, pc);
  if (!n || UNLIKELY(!fl__on()) || !visible(to, n, true, pc))
    return n ? memset(to, byte, n) : to;
  uint8_t *dst = to;
  size_t piece = piece_of(n);
  for (size_t at = 0; at < n; at += piece) {
    size_t part = n - at < piece ? n - at : piece;
    fl__access(EV_WRITE, dst + at, part, pc);
    memset(dst + at, byte, part);
  }
  return to;
}

WRAP(void *, memcpy, (void *dst, const void *src, size_t n)) {
  return fl__copy(dst, src, n, CALLER_PC);
}
WRAP(void *, memmove, (void *dst, const void *src, size_t n)) {
  return fl__copy(dst, src, n, CALLER_PC);
}
WRAP(void *, memset, (void *dst, int byte, size_t n)) {
  return fl__fill(dst, byte, n, CALLER_PC);
}

/* clang's names for the same. */
void *__tsan_memcpy(void *dst, const void *src, size_t n);
void *__tsan_memmove(void *dst, const void *src, size_t n);
void *__tsan_memset(void *dst, int byte, size_t n);

void *__tsan_memcpy(void *dst, const void *src, size_t n) {
  return fl__copy(dst, src, n, CALLER_PC);
}
void *__tsan_memmove(void *dst, const void *src, size_t n) {
  return fl__copy(dst, src, n, CALLER_PC);
}
void *__tsan_memset(void *dst, int byte, size_t n) {
  return fl__fill(dst, byte, n, CALLER_PC);
}

/* ---- looking at memory ---- */

/* Its own copy of what a step has just read, if another thread could change
 * that before this one is done with it. */
#define KEEP(P, N, PC)                                                         \
  (fl__on() && (N) && visible(P, N, false, PC) ? memcpy(alloca(N), P, N)       \
                                               : (const void *)(P))

static int compare_chunk(const uint8_t *a, const uint8_t *b, size_t n,
                         uint64_t pc) {
  fl__access(EV_READ, a, n, pc);
  const uint8_t *first = KEEP(a, n, pc);
  fl__access(EV_READ, b, n, pc);
  return memcmp(first, b, n);
}

static int compare(const void *a, const void *b, size_t n, uint64_t pc) {
  int order = 0;
  for (size_t at = 0; at < n && !order; at += CHUNK)
    order = compare_chunk((const uint8_t *)a + at, (const uint8_t *)b + at,
                          n - at < CHUNK ? n - at : CHUNK, pc);
  return order;
}

WRAP(int, memcmp, (const void *a, const void *b, size_t n)) {
  return compare(a, b, n, CALLER_PC);
}
WRAP(int, bcmp, (const void *a, const void *b, size_t n)) {
  return compare(a, b, n, CALLER_PC);
}
WRAP(void *, memchr, (const void *p, int byte, size_t n)) {
  const uint8_t *found = memchr(p, byte, n);
  fl__access(EV_READ, p, found ? (size_t)(found - (const uint8_t *)p) + 1 : n,
             CALLER_PC);
  return memchr(p, byte, n);
}

/* ---- strings ---- */

/* A string that does not end in its block is measured into the next ones,
 * which are mapped; the access then faults. */
size_t fl__read_string(const char *s, size_t most, uint64_t pc) {
  size_t n = strnlen(s, most);
  fl__access(EV_READ, s, n < most ? n + 1 : n, pc);
  size_t now = strnlen(s, most);
  if (now > n && fl__on()) /* it has grown, perhaps out of its block */
    (void)visible(s, now < most ? now + 1 : now, false, pc);
  return now;
}

/* Writes the n bytes that the step in progress has read. */
static void put(char *dst, const char *src, size_t n, uint64_t pc) {
  if (n > CHUNK)
    fl__copy(dst, src, n, pc);
  else if (n) {
    const char *kept = KEEP(src, n, pc);
    fl__access(EV_WRITE, dst, n, pc);
    memmove(dst, kept, n);
  }
}

/* strcpy and its relatives: the string and a 0; returns where the 0 is. */
static char *put_string(char *dst, const char *src, size_t n, uint64_t pc) {
  if (n >= CHUNK)
    fl__copy(dst, src, n, pc);
  else {
    const char *kept = KEEP(src, n, pc);
    fl__access(EV_WRITE, dst, n + 1, pc);
    memmove(dst, kept, n);
    dst[n] = 0;
    return dst + n;
  }
  fl__access(EV_WRITE, dst + n, 1, pc);
  dst[n] = 0;
  return dst + n;
}

static char *copy_string(char *dst, const char *src, size_t most, uint64_t pc) {
  size_t n = fl__read_string(src, most, pc);
  return put_string(dst, src, n, pc);
}

static char *copy_padded(char *dst, const char *src, size_t size, uint64_t pc) {
  size_t n = fl__read_string(src, size, pc);
  put(dst, src, n, pc);
  if (n < size)
    fl__fill(dst + n, 0, size - n, pc);
  return dst;
}

static char *append(char *dst, const char *src, size_t most, uint64_t pc) {
  size_t at = fl__read_string(dst, SIZE_MAX, pc);
  copy_string(dst + at, src, most, pc);
  return dst;
}

/* How many bytes of both a comparison looks at. */
static size_t looked_at(const char *a, const char *b, size_t most) {
  size_t n = 0;
  while (n < most && a[n] == b[n] && a[n])
    n++;
  return n < most ? n + 1 : n;
}

static int compare_strings(const char *a, const char *b, size_t most,
                           uint64_t pc) {
  if (!fl__on())
    return strncmp(a, b, most);
  size_t n = looked_at(a, b, most);
  fl__access(EV_READ, a, n, pc);
  /* The whole of a, for b may be another string at its step. */
  size_t all = strnlen(a, most);
  if (all < most)
    all++;
  visible(a, all, false, pc);
  const char *first = all <= CHUNK ? KEEP(a, all, pc) : a;
  fl__access(EV_READ, b, looked_at(first, b, most), pc);
  return strncmp(first, b, most);
}

WRAP(size_t, strlen, (const char *s)) {
  return fl__read_string(s, SIZE_MAX, CALLER_PC);
}
WRAP(size_t, strnlen, (const char *s, size_t most)) {
  return fl__read_string(s, most, CALLER_PC);
}
WRAP(char *, strcpy, (char *dst, const char *src)) {
  copy_string(dst, src, SIZE_MAX, CALLER_PC);
  return dst;
}
WRAP(char *, stpcpy, (char *dst, const char *src)) {
  return copy_string(dst, src, SIZE_MAX, CALLER_PC);
}
WRAP(char *, strncpy, (char *dst, const char *src, size_t n)) {
  return copy_padded(dst, src, n, CALLER_PC);
}
WRAP(char *, strcat, (char *dst, const char *src)) {
  return append(dst, src, SIZE_MAX, CALLER_PC);
}
WRAP(char *, strncat, (char *dst, const char *src, size_t n)) {
  return append(dst, src, n, CALLER_PC);
}
WRAP(int, strcmp, (const char *a, const char *b)) {
  return compare_strings(a, b, SIZE_MAX, CALLER_PC);
}
WRAP(int, strncmp, (const char *a, const char *b, size_t n)) {
  return compare_strings(a, b, n, CALLER_PC);
}
WRAP(char *, strchr, (const char *s, int c)) {
  const char *found = strchr(s, c);
  size_t n = found ? (size_t)(found - s) : strlen(s);
  fl__access(EV_READ, s, n + 1, CALLER_PC);
  return strchr(s, c);
}
WRAP(char *, strrchr, (const char *s, int c)) {
  fl__read_string(s, SIZE_MAX, CALLER_PC);
  return strrchr(s, c);
}
WRAP(char *, strstr, (const char *s, const char *what)) {
  size_t n = fl__read_string(what, SIZE_MAX, CALLER_PC) + 1;
  const char *kept = n <= CHUNK ? KEEP(what, n, CALLER_PC) : what;
  fl__read_string(s, SIZE_MAX, CALLER_PC);
  return strstr(s, kept);
}

/* ---- with the size of the destination, when the compiler knows it ---- */

static void fits(const void *dst, size_t need, size_t room, uint64_t pc) {
  if (UNLIKELY(need > room))
    fl__fault(FAULT_OUT_OF_BOUNDS, pc, (uint64_t)(uintptr_t)dst,
              "writes %zu bytes into a buffer of %zu", need, room);
}

WRAP(void *, __memcpy_chk,
     (void *dst, const void *src, size_t n, size_t room)) {
  fits(dst, n, room, CALLER_PC);
  return fl__copy(dst, src, n, CALLER_PC);
}
WRAP(void *, __memmove_chk,
     (void *dst, const void *src, size_t n, size_t room)) {
  fits(dst, n, room, CALLER_PC);
  return fl__copy(dst, src, n, CALLER_PC);
}
WRAP(void *, __memset_chk, (void *dst, int byte, size_t n, size_t room)) {
  fits(dst, n, room, CALLER_PC);
  return fl__fill(dst, byte, n, CALLER_PC);
}
WRAP(char *, __strcpy_chk, (char *dst, const char *src, size_t room)) {
  size_t n = fl__read_string(src, SIZE_MAX, CALLER_PC);
  fits(dst, n + 1, room, CALLER_PC);
  put_string(dst, src, n, CALLER_PC);
  return dst;
}
WRAP(char *, __stpcpy_chk, (char *dst, const char *src, size_t room)) {
  size_t n = fl__read_string(src, SIZE_MAX, CALLER_PC);
  fits(dst, n + 1, room, CALLER_PC);
  return put_string(dst, src, n, CALLER_PC);
}
WRAP(char *, __strncpy_chk,
     (char *dst, const char *src, size_t n, size_t room)) {
  fits(dst, n, room, CALLER_PC);
  return copy_padded(dst, src, n, CALLER_PC);
}

static char *append_checked(char *dst, const char *src, size_t most,
                            size_t room, uint64_t pc) {
  size_t at = fl__read_string(dst, SIZE_MAX, pc);
  size_t n = fl__read_string(src, most, pc);
  fits(dst, at + n + 1, room, pc);
  put_string(dst + at, src, n, pc);
  return dst;
}
WRAP(char *, __strcat_chk, (char *dst, const char *src, size_t room)) {
  return append_checked(dst, src, SIZE_MAX, room, CALLER_PC);
}
WRAP(char *, __strncat_chk,
     (char *dst, const char *src, size_t n, size_t room)) {
  return append_checked(dst, src, n, room, CALLER_PC);
}
