/*
 * Text that is printed into shared memory or from it, without a lock, is read
 * and written in several steps, whatever the compiler makes of the call.
 * 0: torn.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --client '{set(1)} || {printed()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{set(1)} || {allocated()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{set(1)} || {number()}'
 * OUTCOMES: -,0 -,11 -,1
 * RUN: explore %s --client '{set(1)} || {number_c23()}'
 * OUTCOMES: -,0 -,11 -,1
 * RUN: explore %s --client '{put()} || {twice()}'
 * OUTCOMES: -,0 -,1 -,3
 * RUN: explore %s --client '{put_bounded()} || {twice()}'
 * OUTCOMES: -,0 -,1 -,3
 * RUN: explore %s --client '{bounded()}'
 * OUTCOMES: 5878
 *
 * %n writes to shared memory in a step, as many bytes as its type has.  A wide
 * string is refused if others can see it.
 *
 * RUN: explore %s --client '{count()} || {twice_length()}'
 * OUTCOMES: -,0 -,1 -,3
 * RUN: explore %s --client '{counts(0)} || {twice_length()}'
 * OUTCOMES: -,0 -,1 -,3
 * RUN: explore %s --client '{sizes()}'
 * OUTCOMES: 2222
 * RUN: explore %s --client '{own_wide()}'
 * OUTCOMES: 22
 * RUN: %s --client '{shared_wide()}' --no-save --no-html
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: a format with %ls
 */
#define _GNU_SOURCE
#include <faultline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static char name[16] = "00", copy[16];

static void set(int c) {
  volatile char *p = name;
  p[1] = (char)('0' + c);
  p[0] = (char)('0' + c);
}

static int printed(void) {
  char out[16];
  snprintf(out, sizeof out, "%.*s", 2, name);
  return out[0] == out[1];
}
static int allocated(void) {
  char *out;
  if (asprintf(&out, "%d%s", 1, name) < 0)
    return -1;
  int whole = out[1] == out[2];
  free(out);
  return whole;
}
static int number(void) { return (int)strtol(name, NULL, 10); }
/* What strtol is with the headers of glibc 2.38 and later. */
long strtol_c23(const char *, char **, int) __asm__("__isoc23_strtol");
static int number_c23(void) { return (int)strtol_c23(name, NULL, 10); }

static void put(void) { sprintf(copy, "hello"); }
/* Those of glibc 2.38 and later, which earlier headers do not declare. */
size_t copy_bounded(char *, const char *, size_t) __asm__("strlcpy");
size_t add_bounded(char *, const char *, size_t) __asm__("strlcat");
static void put_bounded(void) { copy_bounded(copy, "hello", sizeof copy); }
static int bounded(void) {
  static char out[8];
  char end[8] = {0};
  memset(end, '.', sizeof end);
  size_t cut = copy_bounded(out, "hello", 4), full, none;
  if (strcmp(out, "hel"))
    return 1;
  full = add_bounded(out, " you!", 8);
  if (strcmp(out, "hel you"))
    return 2;
  none = add_bounded(end, "", 7); /* no 0 within 7 */
  if (memcmp(end, "........", 8) || copy_bounded(end, "12345678", 0) != 8)
    return 3;
  return (int)(cut * 1000 + full * 100 + none * 10 + 8);
}
static int twice(void) {
  volatile char *p = copy;
  int a = p[0] != 0, b = p[0] != 0;
  return a * 2 + b;
}

static int length;
static long lengths[2];

static void count(void) {
  char out[16];
  snprintf(out, sizeof out, "%s%n", "ab", &length);
}
static void counts(int c) {
  char *out;
  if (asprintf(&out, "%d%n%s", c, &length, name) >= 0)
    free(out);
}
static int twice_length(void) {
  volatile int *p = &length;
  int a = *p != 0, b = *p != 0;
  return a * 2 + b;
}
/* All counts are 2; what is behind them stays 0. */
static int sizes(void) {
  static signed char c[2];
  static short h[2];
  static int i[2];
  char out[16];
  sprintf(out, "ab%hhn%hn%n%ln", c, h, i, lengths);
  if (c[1] || h[1] || i[1] || lengths[1])
    return -1;
  return c[0] * 1000 + h[0] * 100 + i[0] * 10 + (int)lengths[0];
}

static wchar_t wide[8] = L"ab";
static int own_wide(void) {
  wchar_t own[] = L"cd";
  char out[16];
  int n = snprintf(out, sizeof out, "%ls", own);
  return n * 10 + snprintf(out, sizeof out, "%ls%n", L"ab", &length);
}
static int shared_wide(void) {
  char out[16];
  return snprintf(out, sizeof out, "%ls", wide);
}

FL_OBJECT(text)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, printed)
FL_OP(int, allocated)
FL_OP(int, number)
FL_OP(int, number_c23)
FL_OP(void, put)
FL_OP(void, put_bounded)
FL_OP(int, bounded)
FL_OP(int, twice)
FL_OP(void, count)
FL_OP(void, counts, FL_INT(0, 1))
FL_OP(int, twice_length)
FL_OP(int, sizes)
FL_OP(int, own_wide)
FL_OP(int, shared_wide)
