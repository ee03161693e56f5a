/*
 * Bit fields that share bytes: a store to one of them reads the others and
 * writes them back, so that what another thread stores there in between is
 * lost.  Whole bytes are not read: a store to `far` loses nothing.
 *
 * RUN: explore %s --search=dfs --client '{set_low(1)} || {set_high(2)}; low(); high()'
 * EXIT: 1
 * OUTCOMES: -,-,1,2 -,-,1,0 -,-,0,2
 * EXECUTIONS: 6
 * RUN: explore %s --search=dfs --client '{set_low(1)} || {set_high(2)}; low(); high()' -- -O0
 * EXIT: 1
 * OUTCOMES: -,-,1,2 -,-,1,0 -,-,0,2
 * EXECUTIONS: 6
 * RUN: explore %s --search=dfs --client '{set_low(1)} || {set_high(2)}; low(); high()' -- -O2
 * EXIT: 1
 * OUTCOMES: -,-,1,2 -,-,1,0 -,-,0,2
 * EXECUTIONS: 6
 * RUN: explore %s --search=dfs --memory-model=tso --client '{set_low(1)} || {set_high(2)}; low(); high()'
 * EXIT: 1
 * OUTCOMES: -,-,1,2 -,-,1,0 -,-,0,2
 * RUN: explore %s --search=dpor --client '{set_low(1)} || {set_high(2)}; low(); high()'
 * EXIT: 1
 * OUTCOMES: -,-,1,2 -,-,1,0 -,-,0,2
 * RUN: explore %s --client '{set_low(1)} || {set_far(2)}; low(); far()'
 * OUTCOMES: -,-,1,2
 * RUN: %s
 * OUTPUT: Searched again without interrupting it|them: no fault in all interleavings
 * OUTPUT: give high bytes of its own at line 35, `: 0, high : 5, : 0`;.* .tried
 * EXIT: 1
 */
#include <faultline.h>
#include <stdlib.h>

struct bits {
  unsigned low : 3, high : 5;
  unsigned char far;
};

static struct bits *make(void) { return calloc(1, sizeof(struct bits)); }
static void drop(struct bits *b) { free(b); }

static void set_low(struct bits *b, int i) { b->low = (unsigned)i; }
static void set_high(struct bits *b, int i) { b->high = (unsigned)i; }
static void set_far(struct bits *b, int i) { b->far = (unsigned char)i; }
static int low(struct bits *b) { return b->low; }
static int high(struct bits *b) { return b->high; }
static int far(struct bits *b) { return b->far; }

FL_OBJECT(bits, make, drop)
FL_OP(void, set_low, FL_INT(1, 2))
FL_OP(void, set_high, FL_INT(1, 2))
FL_OP(void, set_far, FL_INT(1, 2))
FL_OP(int, low)
FL_OP(int, high)
FL_OP(int, far)
