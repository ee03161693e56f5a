/*
 * Under TSO, mfence and locked instructions empty the store buffer; sfence and
 * lfence do not.
 *
 * OPT: -O0 -O2
 * RUN: explore %s --memory-model=tso --client '{enter(0)} || {enter(1)}' -- \
 *     '-DFENCE="mfence"'
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=tso --client '{enter(0)} || {enter(1)}' -- \
 *     '-DFENCE="lock; orq $0, -8(%%rsp)"'
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=tso --client '{enter(0)} || {enter(1)}' -- \
 *     '-DFENCE="xchgl %%eax, -8(%%rsp)"'
 * OUTCOMES: 0,1 1,0 1,1
 * RUN: explore %s --memory-model=tso --client '{enter(0)} || {enter(1)}' -- \
 *     '-DFENCE="sfence; lfence"'
 * OUTCOMES: 0,0 0,1 1,0 1,1
 * RUN: explore %s --memory-model=sc --client '{enter(0)} || {enter(1)}' -- \
 *     '-DFENCE=""'
 * OUTCOMES: 0,1 1,0 1,1
 */
#include <faultline.h>

static volatile int flag[2];

static int enter(int me) {
  int seen;
  __asm__ volatile("movl $1, %0" : "=m"(flag[me]) : : "memory");
  __asm__ volatile(FENCE : : : "memory", "cc", "eax");
  __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(flag[!me]) : "memory");
  return seen;
}

FL_OBJECT(dekker)
FL_OP(int, enter, FL_INT(0, 1))
