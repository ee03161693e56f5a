/*
 * Large blocks that are freed are given out again, so that a program whose
 * live memory is small does not end at the bound of the heap; one that has no
 * end of it does, with a sentence.
 *
 * RUN: explore %s --client '{churn(8)}'
 * EXIT: 0
 * OUTCOMES: 0
 * RUN: explore %s --client '{churn(64)} || {churn(64)}'
 * EXIT: 0
 * OUTCOMES: 0,0
 * RUN: explore %s --client '{churn(64)} || {churn(64)}' --heap=reuse
 * EXIT: 0
 * OUTCOMES: 0,0
 * RUN: explore %s --client '{late()}'
 * EXIT: 1
 * FAULT: use-after-free
 * RUN: explore %s --client '{hoard()}'
 * EXIT: 3
 * OUTPUT: does not fit the heap
 * RUN: explore %s --client '{huge()}'
 * EXIT: 0
 * OUTCOMES: 1
 */
#include <errno.h>
#include <faultline.h>
#include <stdint.h>
#include <stdlib.h>

static _Atomic int begun;

static int churn(int megabytes) {
  size_t size = (size_t)megabytes << 20;
  begun++;
  for (int i = 0; i < 400 / megabytes; i++) {
    char *p = i % 2 ? calloc(1, size) : malloc(size);
    if (!p || p[0] || p[size / 2] || p[size - 1])
      return -1;
    p[0] = p[size / 2] = p[size - 1] = 1;
    if (i % 4 == 3)
      p = realloc(p, size / 2);
    free(p);
  }
  return 0;
}

static int late(void) {
  char *p = malloc(1 << 20);
  begun++;
  free(p);
  free(malloc(1 << 20));
  return p[5];
}

static void hoard(void) {
  static char *volatile last;
  begun++;
  for (;;)
    last = malloc(1 << 20);
}

static int huge(void) {
  volatile size_t size = PTRDIFF_MAX;
  char *volatile p;
  begun++;
  p = malloc(size);
  return !p && errno == ENOMEM;
}

FL_OBJECT(heap)
FL_OP(int, churn, FL_INT(1, 64))
FL_OP(int, late)
FL_OP(void, hoard)
FL_OP(int, huge)
