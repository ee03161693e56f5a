/*
 * Structs that are passed, returned, assigned and cleared as a whole, with no
 * lock: the words go one by one, whatever instructions the compiler takes and
 * whether it gives them hooks or not.  0: torn.
 *
 * OPT: -O0 -O1 -O2
 * RUN: explore %s --client '{set(1)} || {passed()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{set(1)} || {passed_by_pointer()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{set(1)} || {listed()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{set(1)} || {copied()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{set(1)} || {through_union()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{fill(1)} || {large()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{assign(1)} || {look()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client '{assign_result(1)} || {look()}'
 * OUTCOMES: -,0 -,1
 * RUN: explore %s --client 'set(1); {clear()} || {look()}'
 * OUTCOMES: -,-,0 -,-,1
 * RUN: explore %s --client 'set(1); {set_bytes()} || {look()}'
 * OUTCOMES: -,-,0 -,-,1
 */
#include <faultline.h>
#include <stdarg.h>
#include <stddef.h>

#define OUT_OF_LINE __attribute__((noinline))

struct four {
  long a, b, c, d;
};
struct many {
  long at[25];
};
union either {
  struct four four;
  long first;
};

static struct four current;
static struct many big;
static union either both;

static void set(int v) {
  volatile struct four *p = &current;
  p->a = both.first = v;
  p->b = v;
  *(volatile long *)&both.four.b = v;
}

static void fill(int v) {
  volatile struct many *p = &big;
  p->at[0] = v;
  p->at[24] = v;
}

OUT_OF_LINE static int whole(struct four f) { return f.a == f.b; }
OUT_OF_LINE static int whole_many(struct many m) {
  return m.at[0] == m.at[24];
}
OUT_OF_LINE static int whole_either(union either e) {
  return e.four.a == e.four.b;
}
OUT_OF_LINE static int whole_listed(int n, ...) {
  va_list ap;
  va_start(ap, n);
  struct four f = va_arg(ap, struct four);
  va_end(ap);
  return f.a == f.b;
}
OUT_OF_LINE static struct four made(int v) {
  struct four f = {v, v, v, v};
  return f;
}
OUT_OF_LINE static int whole_at(const struct four *p) { return whole(*p); }

static int passed(void) { return whole(current); }
static int passed_by_pointer(void) { return whole_at(&current); }
static int listed(void) { return whole_listed(1, current); }
static int large(void) { return whole_many(big); }
static int through_union(void) { return whole_either(both); }
static int copied(void) {
  struct four now = current;
  return now.a == now.b;
}

static void assign(int v) {
  struct four next = {v, v, v, v};
  current = next;
}
static void assign_result(int v) { current = made(v); }
static void clear(void) { current = (struct four){0}; }
static void set_bytes(void) { __builtin_memset(&current, 2, sizeof current); }
static int look(void) {
  volatile struct four *p = &current;
  long b = p->b, a = p->a;
  return a == b;
}

FL_OBJECT(values)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(void, fill, FL_INT(1, 2))
FL_OP(int, passed)
FL_OP(int, passed_by_pointer)
FL_OP(int, listed)
FL_OP(int, large)
FL_OP(int, through_union)
FL_OP(int, copied)
FL_OP(void, assign, FL_INT(1, 2))
FL_OP(void, assign_result, FL_INT(1, 2))
FL_OP(void, clear)
FL_OP(void, set_bytes)
FL_OP(int, look)
