/*
 * Functions of an assembly file, without debug information, types and sizes:
 * what they do is found and blamed like everything else.
 *
 * RUN: %d/counter.S %s --client '{next()} || {next()}'
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: counter_next
 * RUN: explore %d/counter.S %s --client '{locked()} || {locked()}'
 * EXIT: 0
 * OUTCOMES: 0,1 1,0
 * RUN: explore %d/counter.S %s --client '{same()} || {put()}'
 * OUTCOMES: 0,- 1,-
 */
#include <faultline.h>

struct counter {
  int held, n;
  char text[8];
};
int counter_next(struct counter *c);
int counter_locked(struct counter *c);
int counter_same(const struct counter *c, const char *text);

static struct counter shared = {.text = "abcdefg"};

static int next(void) { return counter_next(&shared); }
static int locked(void) { return counter_locked(&shared); }
static int same(void) { return counter_same(&shared, "abcdXfg"); }
static void put(void) { shared.text[4] = 'X'; }

FL_OBJECT(counter)
FL_OP(int, next)
FL_OP(int, locked)
FL_OP(int, same)
FL_OP(void, put)
