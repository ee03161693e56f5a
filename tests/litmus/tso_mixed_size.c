/*
 * Accesses of two sizes that overlap.  A read takes each byte from the newest
 * store of its own buffer that has it, else from memory: with 1 in the buffer,
 * the other byte is read before the 16-bit store of the other thread (1), whose
 * commit may still come first (513 at the end), which SC forbids.
 *
 * RUN: explore %s --client '{byte()} || {half()}; end()' \
 *     --search=dfs --memory-model=tso
 * OUTCOMES: 1,-,513 1,-,514 513,-,513 514,-,514
 * RUN: explore %s --client '{byte()} || {half()}; end()' \
 *     --search=stateful --memory-model=tso
 * OUTCOMES: 1,-,513 1,-,514 513,-,513 514,-,514
 * RUN: explore %s --client '{byte()} || {half()}; end()' \
 *     --search=dpor --memory-model=tso
 * OUTCOMES: 1,-,513 1,-,514 513,-,513 514,-,514
 * RUN: explore %s --client '{byte()} || {half()}; end()' \
 *     --search=dfs --memory-model=tso --buffer 1
 * OUTCOMES: 1,-,513 1,-,514 513,-,513 514,-,514
 * RUN: explore %s --client '{two()} || {half()}; end()' \
 *     --search=dfs --memory-model=tso
 * OUTCOMES: 514,-,514 769,-,514 769,-,769 769,-,770 770,-,770
 * RUN: explore %s --client '{byte()} || {half()}; end()' \
 *     --search=dfs
 * OUTCOMES: 1,-,514 513,-,513 514,-,514
 */
#include <faultline.h>

static volatile union {
  unsigned char byte[2];
  unsigned short half;
} u;

static int byte(void) {
  u.byte[0] = 1;
  return u.half;
}

static int two(void) { /* the bytes come from two stores in the buffer */
  u.byte[0] = 1;
  u.byte[1] = 3;
  return u.half;
}

static void half(void) { u.half = 0x0202; }

static int end(void) { return u.half; }

FL_OBJECT(mixed_size)
FL_OP(int, byte)
FL_OP(int, two)
FL_OP(void, half)
FL_OP(int, end)
