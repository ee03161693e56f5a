/*
 * Results that are no integers come as text.  The two halves of the pair are
 * read one after the other.
 *
 * RUN: %s --client '{set(1)} || {get()}'
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: "1/0"|"0/1"
 * RUN: explore %s --search=dfs --client '{get()} || {get()}'
 * EXIT: 0
 * OUTCOMES: 0/0,0/0
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int left;
static atomic_int right;

static void set(int v) {
  atomic_store(&left, v);
  atomic_store(&right, v);
}

static const char *get(void) {
  static __thread char text[32];
  int l = atomic_load(&left);
  int r = atomic_load(&right);
  snprintf(text, sizeof text, "%d/%d", l, r);
  return text;
}

FL_OBJECT(pair)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(const char *, get)
