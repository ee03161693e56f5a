/*
 * PairSnapshot: the snapshot of two cells of Qadeer, Sezgin and Tasiran
 * (MSR-TR-2009-142).  The reader looks at the first cell twice and takes the
 * pair when both looks agree, but the cell may have changed and changed back.
 * It takes four writes within one read.  -DFIXED counts the writes of a cell
 * next to its value.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * LINE: #1
 * LINE: #2
 * LINE: #3
 * LINE: #4
 * RUN: %s --client '{write_cell(0, 2); write_cell(1, 2); write_cell(1, 1); \
 *     write_cell(0, 1)} || {read_pair()}'
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * OUTPUT: read_pair\(\) = 12
 * RUN: explore %s --client '{write_cell(0, 2); write_cell(1, 2); \
 *     write_cell(1, 1); write_cell(0, 1)} || {read_pair()}'
 * OUTCOMES: -,-,-,-,11 -,-,-,-,12 -,-,-,-,21 -,-,-,-,22
 * RUN: %s --client '{write_cell(0, 2); write_cell(1, 2); write_cell(1, 1)} || \
 *     {read_pair()}'
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s --client '{write_cell(0, 2); write_cell(1, 2); write_cell(1, 1); \
 *     write_cell(0, 1)} || {read_pair()}' -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 * RUN: %s -- -DFIXED
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <stdatomic.h>

/* A cell is a value from 1 to 9, in the fixed version plus 10 for each write.
 */
static atomic_int d[2];

static void init(void) {
  atomic_init(&d[0], 1);
  atomic_init(&d[1], 1);
}

static void write_cell(int i, int v) {
#ifdef FIXED
  int old = atomic_load(&d[i]);
  while (!atomic_compare_exchange_strong(&d[i], &old, old / 10 * 10 + 10 + v))
    ;
#else
  atomic_store(&d[i], v); /* #1 */
#endif
}

static int read_pair(void) {
  int x, y;
  do {
    x = atomic_load(&d[0]);          /* #2 */
    y = atomic_load(&d[1]);          /* #3 */
  } while (atomic_load(&d[0]) != x); /* #4 */
  return x % 10 * 10 + y % 10;
}

FL_OBJECT(pair, init)
FL_OP(void, write_cell, FL_INT(0, 1), FL_INT(1, 2))
FL_OP(int, read_pair)
