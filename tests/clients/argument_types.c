/*
 * Arguments and results of every width and sign arrive as they were given.
 *
 * RUN: explore %s --client '{narrow(-1, 200, 1)} || {wide(-5)} || {text(7)}'
 * EXIT: 0
 * OUTCOMES: 198,-5,7
 * RUN: explore %s --client '{negative()} || {high()} || {yes(0)} || {yes(1)}'
 * EXIT: 0
 * OUTCOMES: -3,4294967295,false,true
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static atomic_int calls; /* a run without any access has checked nothing */

static unsigned char narrow(signed char a, uint8_t b, bool c) {
  atomic_fetch_add(&calls, 1);
  return (unsigned char)(a + b - c);
}

static long long wide(long long v) { return v; }

static char *text(int v) {
  static __thread char buffer[16];
  sprintf(buffer, "%d", v);
  return buffer;
}

static short negative(void) {
  atomic_fetch_add(&calls, 1);
  return -3;
}

static uint32_t high(void) { return UINT32_MAX; }

static bool yes(bool b) { return b; }

FL_OBJECT(types)
FL_OP(unsigned char, narrow, FL_INT(-1, 1), FL_CHOICE(100, 200), FL_BOOL)
FL_OP(long long, wide, FL_INT(-5, 5))
FL_OP(char *, text, FL_INT(0, 9))
FL_OP(short, negative)
FL_OP(uint32_t, high)
FL_OP(bool, yes, FL_BOOL)
