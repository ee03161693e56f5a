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
 * RUN: explore %d/counter.S %s --client '{by()} || {to_two()} || {tail()}'
 * OUTCOMES: 11,-,1 11,-,2 12,-,1 12,-,2
 */
#include <faultline.h>

struct counter {
  int held, n;
  char text[8];
  int (*how)(void);
};
int counter_next(struct counter *c);
int counter_locked(struct counter *c);
int counter_same(const struct counter *c, const char *text);
int counter_by(const struct counter *c);
int counter_tail(const struct counter *c);

static int calls;
static int one(void) { return ++calls > 0; }
static int two(void) { return 1 + (++calls > 0); }

static struct counter shared = {.text = "abcdefg", .how = one};

static int next(void) { return counter_next(&shared); }
static int locked(void) { return counter_locked(&shared); }
static int same(void) { return counter_same(&shared, "abcdXfg"); }
static void put(void) { shared.text[4] = 'X'; }
static int by(void) { return counter_by(&shared); }
static int tail(void) { return counter_tail(&shared); }
static void to_two(void) { shared.how = two; }

FL_OBJECT(counter)
FL_OP(int, next)
FL_OP(int, locked)
FL_OP(int, same)
FL_OP(void, put)
FL_OP(int, by)
FL_OP(int, tail)
FL_OP(void, to_two)
