/*
 * A plain copy of a struct is several accesses or one, as the compiler likes;
 * a reader of a part conflicts with it in any case.
 *
 * RUN: %s --client '{set(1)} || {set(2)}; same()'
 * VERDICT: violation
 * EXIT: 1
 */
#include <faultline.h>
#include <string.h>

static struct big { int a[12]; } shared;

static void set(int v) {
  struct big b;
  for (int i = 0; i < 12; i++)
    b.a[i] = v;
  memcpy(shared.a, b.a, 6 * sizeof(int));
  memcpy(shared.a + 6, b.a + 6, 6 * sizeof(int));
}

static int same(void) { return shared.a[0] == shared.a[11]; }

FL_OBJECT(big)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, same)
