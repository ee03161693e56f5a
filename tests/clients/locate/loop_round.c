/*
 * A read-modify-write in each round of a loop: what must be atomic is one round
 * of it, which costs nothing, and not the two writes of the other operation.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s -v --width=400 --client '{set()} || {clear()} || {look()}; get()'
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: 1\. lines 31-32 of loop_round.c, in clear\(\), in each round of the \
 *     loop in lines 30-33
 * OUTPUT: forbids none of|no correct
 * OUTPUT: 2\. lines 21-22 of loop_round.c, in set\(\)
 * OUTPUT: Searched again without interrupting them: no fault in
 */
#include <faultline.h>

static int on;
static int cells[4];

static void set(void) {
  on = 1;
  cells[0] = 2;
}

/* Drops the low bit of every cell. */
static void clear(void) {
  if (!on)
    return;
  /* 28 */
  for (int i = 0; i < 4; i++) {
    int t = cells[i];
    cells[i] = t & ~1;
  }
}

static void look(void) {
  for (int i = 0; i < 4; i++)
    (void)*(volatile int *)&cells[i];
}

static int get(void) { return cells[0]; }

FL_OBJECT(bits)
FL_OP(void, set)
FL_OP(void, clear)
FL_OP(void, look)
FL_OP(int, get)
