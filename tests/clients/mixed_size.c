/*
 * One location in different sizes: a 64-bit store is seen by 32-bit loads of
 * its halves, whole or not at all at each load; and a byte can be changed
 * inside a word.
 *
 * RUN: explore %s --search=dfs --client '{store64()} || {halves()}'
 * OUTCOMES: 0,0 0,1 0,11
 * EXECUTIONS: 3
 * RUN: explore %s --search=dfs --client '{byte()} || {load64()}'
 * OUTCOMES: 0,0 0,256
 * EXECUTIONS: 2
 */
#include <faultline.h>
#include <stdint.h>

static union {
  uint64_t word;
  uint32_t half[2];
  uint8_t byte[8];
} u;

static int store64(void) {
  __atomic_store_n(&u.word, 0x0000000100000001u, __ATOMIC_SEQ_CST);
  return 0;
}

static int halves(void) {
  uint32_t low = __atomic_load_n(&u.half[0], __ATOMIC_SEQ_CST);
  uint32_t high = __atomic_load_n(&u.half[1], __ATOMIC_SEQ_CST);
  return (int)(10 * low + high);
}

static int byte(void) {
  __atomic_store_n(&u.byte[1], 1, __ATOMIC_SEQ_CST);
  return 0;
}

static uint64_t load64(void) {
  return __atomic_load_n(&u.word, __ATOMIC_SEQ_CST);
}

FL_OBJECT(word)
FL_OP(int, store64)
FL_OP(int, halves)
FL_OP(int, byte)
FL_OP(uint64_t, load64)
