/*
 * The less common functions on strings and memory.  A string is read in one
 * step and stays as it is until the next one: the C library does the work in
 * between.  A write of the function is another step.
 */
#include "rt/hooks.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static size_t read_all(const char *s, uint64_t pc) {
  return fl__read_string(s, SIZE_MAX, pc);
}

/* A copy of a string that was just read, for while another one is. */
#define KEEP_STRING(S, PC)                                                     \
  ({                                                                           \
    size_t length = read_all(S, PC);                                           \
    (const char *)memcpy(alloca(length + 1), S, length + 1);                   \
  })

/* ---- numbers ---- */

#define NUMBER(TYPE, NAME)                                                     \
  WRAP(TYPE, NAME, (const char *s)) {                                          \
    read_all(s, CALLER_PC);                                                    \
    return NAME(s);                                                            \
  }
NUMBER(int, atoi)
NUMBER(long, atol)
NUMBER(long long, atoll)
NUMBER(double, atof)

static void put_end(char **end, char *now, uint64_t pc) {
  if (!end)
    return;
  fl__access(EV_WRITE, end, sizeof *end, pc);
  *end = now;
}

#define READ_INTEGER(TYPE, NAME, REAL)                                         \
  WRAP(TYPE, NAME, (const char *s, char **end, int base)) {                    \
    uint64_t pc = CALLER_PC;                                                   \
    char *now;                                                                 \
    read_all(s, pc);                                                           \
    TYPE n = REAL(s, &now, base);                                              \
    put_end(end, now, pc);                                                     \
    return n;                                                                  \
  }
/*
 * C23 reads "0b1" as a number.  The headers of glibc 2.38 and later lead strtol
 * to __isoc23_strtol where a program asks for C23 or for GNU extensions, as
 * this file does: so both are named by their symbols.
 */
#define INTEGER(TYPE, NAME)                                                    \
  TYPE c11_##NAME(const char *, char **, int) __asm__(#NAME);                  \
  TYPE c23_##NAME(const char *, char **, int) __asm__("__isoc23_" #NAME)       \
      __attribute__((weak));                                                   \
  READ_INTEGER(TYPE, NAME, c11_##NAME)                                         \
  READ_INTEGER(TYPE, __isoc23_##NAME, (c23_##NAME ? c23_##NAME : c11_##NAME))
INTEGER(long, strtol)
INTEGER(unsigned long, strtoul)
INTEGER(long long, strtoll)
INTEGER(unsigned long long, strtoull)

#define FRACTION(TYPE, NAME)                                                   \
  WRAP(TYPE, NAME, (const char *s, char **end)) {                              \
    uint64_t pc = CALLER_PC;                                                   \
    char *now;                                                                 \
    read_all(s, pc);                                                           \
    TYPE n = NAME(s, &now);                                                    \
    put_end(end, now, pc);                                                     \
    return n;                                                                  \
  }
FRACTION(double, strtod)
FRACTION(float, strtof)

/* ---- searching and comparing ---- */

#define OF_TWO(TYPE, NAME)                                                     \
  WRAP(TYPE, NAME, (const char *a, const char *b)) {                           \
    const char *second = KEEP_STRING(b, CALLER_PC);                            \
    read_all(a, CALLER_PC);                                                    \
    return NAME(a, second);                                                    \
  }
OF_TWO(size_t, strspn)
OF_TWO(size_t, strcspn)
OF_TWO(char *, strpbrk)
OF_TWO(char *, strcasestr)
OF_TWO(int, strcasecmp)

WRAP(int, strncasecmp, (const char *a, const char *b, size_t n)) {
  size_t length = fl__read_string(b, n, CALLER_PC);
  char *second = alloca(length + 1);
  memcpy(second, b, length);
  second[length] = 0;
  fl__read_string(a, n, CALLER_PC);
  return strncasecmp(a, second, n);
}
WRAP(char *, strchrnul, (const char *s, int c)) {
  read_all(s, CALLER_PC);
  return strchrnul(s, c);
}
WRAP(void *, memrchr, (const void *p, int c, size_t n)) {
  fl__access(EV_READ, p, n, CALLER_PC);
  return memrchr(p, c, n);
}
WRAP(void *, rawmemchr, (const void *p, int c)) {
  size_t n = (size_t)((const char *)rawmemchr(p, c) - (const char *)p) + 1;
  fl__access(EV_READ, p, n, CALLER_PC);
  return rawmemchr(p, c);
}
WRAP(void *, memmem, (const void *p, size_t n, const void *what, size_t size)) {
  fl__access(EV_READ, what, size, CALLER_PC);
  const void *kept = memcpy(alloca(size + 1), what, size);
  fl__access(EV_READ, p, n, CALLER_PC);
  return memmem(p, n, kept, size);
}

/* ---- cutting strings up ---- */

static void put_zero(char *at, uint64_t pc) {
  fl__access(EV_WRITE, at, 1, pc);
  *at = 0;
}

/* As strsep: the part at *rest, and *rest behind it; NULL at the end. */
static char *cut(char **rest, const char *kept, bool skip, uint64_t pc) {
  fl__access(EV_READ, rest, sizeof *rest, pc);
  char *s = *rest;
  if (!s)
    return NULL;
  read_all(s, pc);
  if (skip)
    s += strspn(s, kept);
  size_t n = strcspn(s, kept);
  bool more = s[n] != 0, none = skip && !n;
  if (more)
    put_zero(s + n, pc);
  char *next = more ? s + n + 1 : skip ? s + n : NULL;
  fl__access(EV_WRITE, rest, sizeof *rest, pc);
  *rest = next;
  return none ? NULL : s;
}

WRAP(char *, strsep, (char **rest, const char *at)) {
  return cut(rest, KEEP_STRING(at, CALLER_PC), false, CALLER_PC);
}
WRAP(char *, strtok_r, (char *s, const char *at, char **rest)) {
  uint64_t pc = CALLER_PC;
  const char *kept = KEEP_STRING(at, pc);
  if (s) {
    fl__access(EV_WRITE, rest, sizeof *rest, pc);
    *rest = s;
  }
  return cut(rest, kept, true, pc);
}

/* ---- writing ---- */

WRAP(void, bzero, (void *to, size_t n)) { fl__fill(to, 0, n, CALLER_PC); }
WRAP(void, explicit_bzero, (void *to, size_t n)) {
  fl__fill(to, 0, n, CALLER_PC);
}
WRAP(void, bcopy, (const void *from, void *to, size_t n)) {
  fl__copy(to, from, n, CALLER_PC);
}
WRAP(void *, mempcpy, (void *to, const void *from, size_t n)) {
  fl__copy(to, from, n, CALLER_PC);
  return (char *)to + n;
}
WRAP(void *, memccpy, (void *to, const void *from, int c, size_t n)) {
  fl__access(EV_READ, from, n, CALLER_PC);
  const char *found = memchr(from, c, n);
  size_t size = found ? (size_t)(found - (const char *)from) + 1 : n;
  const void *kept = memcpy(alloca(size + 1), from, size);
  fl__copy(to, kept, size, CALLER_PC);
  return found ? (char *)to + size : NULL;
}
WRAP(char *, stpncpy, (char *to, const char *from, size_t n)) {
  size_t length = fl__read_string(from, n, CALLER_PC);
  const void *kept = memcpy(alloca(length + 1), from, length);
  fl__copy(to, kept, length, CALLER_PC);
  if (length < n)
    fl__fill(to + length, 0, n - length, CALLER_PC);
  return to + length;
}
/* Those that bound what is written: of glibc 2.38 and later. */
static size_t copy_bounded(char *to, const char *from, size_t n, uint64_t pc) {
  size_t length = read_all(from, pc), most = length < n ? length : n - 1;
  if (!n)
    return length;
  char *kept = memcpy(alloca(most + 1), from, most);
  kept[most] = 0;
  fl__copy(to, kept, most + 1, pc);
  return length;
}
WRAP(size_t, strlcpy, (char *to, const char *from, size_t n)) {
  return copy_bounded(to, from, n, CALLER_PC);
}
WRAP(size_t, strlcat, (char *to, const char *from, size_t n)) {
  size_t at = fl__read_string(to, n, CALLER_PC);
  return at + copy_bounded(to + at, from, n - at, CALLER_PC);
}

/* ---- wide characters ---- */

/* Their number, in a step that reads them and the 0. */
static size_t read_wide(const wchar_t *s, uint64_t pc) {
  fl__access(EV_READ, s, (wcslen(s) + 1) * sizeof *s, pc);
  return wcslen(s);
}

WRAP(size_t, wcslen, (const wchar_t *s)) { return read_wide(s, CALLER_PC); }
WRAP(wchar_t *, wcscpy, (wchar_t * to, const wchar_t *from)) {
  size_t n = (read_wide(from, CALLER_PC) + 1) * sizeof *from;
  const void *kept = memcpy(alloca(n), from, n);
  return fl__copy(to, kept, n, CALLER_PC);
}
WRAP(int, wcscmp, (const wchar_t *a, const wchar_t *b)) {
  size_t n = (read_wide(b, CALLER_PC) + 1) * sizeof *b;
  const wchar_t *second = memcpy(alloca(n), b, n);
  read_wide(a, CALLER_PC);
  return wcscmp(a, second);
}
WRAP(wchar_t *, wmemcpy, (wchar_t * to, const wchar_t *from, size_t n)) {
  return fl__copy(to, from, n * sizeof *to, CALLER_PC);
}
WRAP(wchar_t *, wmemmove, (wchar_t * to, const wchar_t *from, size_t n)) {
  return fl__copy(to, from, n * sizeof *to, CALLER_PC);
}
WRAP(wchar_t *, wmemset, (wchar_t * to, wchar_t c, size_t n)) {
  for (size_t i = 0; i < n; i++) {
    fl__access(EV_WRITE, to + i, sizeof *to, CALLER_PC);
    to[i] = c;
  }
  return to;
}
WRAP(wchar_t *, wcsdup, (const wchar_t *s)) {
  size_t n = (read_wide(s, CALLER_PC) + 1) * sizeof *s;
  wchar_t *p = fl__alloc(n, sizeof *s, 0, false, CALLER_PC);
  return p ? memcpy(p, s, n) : NULL;
}
