/*
 * A ring in which a writer reserves a slot, fills it and marks it ready.  The
 * reader stops at a slot that is reserved and not ready, though one behind it
 * may be: get() then says "empty" or "retry", and put() says "full" while a
 * get() is freeing a slot.  Faults are still found: LOST reserves without
 * competing, TWICE lets two readers in, and SWAPPED passes a slot that is not
 * ready.
 *
 * CC: gcc
 * RUN: test %s -- -DSTRICT
 * VERDICT: violation
 * RUN: test %s
 * VERDICT: pass
 * RUN: test %s --max-executions 20000 -- -DMODEL
 * VERDICT: pass
 * RUN: explore %s --search=dpor \
 *     --client '{put(1)} || {put(2)} || {get(); get()}'
 * VERDICT: pass
 * RUN: test %s -- -DLOST
 * VERDICT: violation
 * RUN: test %s -- -DTWICE
 * VERDICT: violation
 * RUN: test %s -- -DSWAPPED
 * VERDICT: violation
 * RUN: test %s -- -DMODEL -DTWICE
 * VERDICT: violation
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SIZE = 2, EMPTY = -1, RETRY = -2 };
enum { FREE, RESERVED, READY };

static atomic_int reserved, freed, state[SIZE];
static int values[SIZE];

static bool reserve(int *at) {
  *at = atomic_load(&reserved);
  if (*at - atomic_load(&freed) >= SIZE)
    return false;
#ifdef LOST
  atomic_store(&reserved, *at + 1);
#else
  for (int was = *at; !atomic_compare_exchange_strong(&reserved, &was, was + 1);
       *at = was)
    if (was - atomic_load(&freed) >= SIZE)
      return false;
#endif
  atomic_store(&state[*at % SIZE], RESERVED);
  return true;
}

static bool put(int value) {
  int at;
  if (!reserve(&at))
    return false;
  values[at % SIZE] = value;
  atomic_store(&state[at % SIZE], READY);
  return true;
}

static int get(void) {
  int at = atomic_load(&freed), *value = &values[at % SIZE];
  int is = atomic_load(&state[at % SIZE]);
#ifdef SWAPPED
  if (is == RESERVED && atomic_load(&state[(at + 1) % SIZE]) == READY) {
    int later = values[(at + 1) % SIZE];
    while (atomic_load(&state[at % SIZE]) == RESERVED)
      ;
    values[(at + 1) % SIZE] = *value;
    *value = later;
    is = READY;
  }
#endif
  if (is == RESERVED)
    return RETRY;
  if (is == FREE)
    return EMPTY;
  int result = *value;
  atomic_store(&state[at % SIZE], FREE);
  atomic_store(&freed, at + 1);
  return result;
}

static bool gives_up(int result) { return result < 0; }

FL_OBJECT(ring)
#ifdef STRICT
FL_OP(bool, put, FL_DATA(1, 3))
FL_OP(int, get, FL_GROUP("reader"))
#else
FL_OP(bool, put, FL_DATA(1, 3), FL_MAY_FAIL(false))
#ifdef TWICE
FL_OP(int, get, FL_MAY_FAIL(gives_up))
#else
FL_OP(int, get, FL_GROUP("reader"), FL_MAY_FAIL(gives_up))
#endif
#endif
#ifdef MODEL
struct model {
  int n, at[SIZE];
};
static struct model model;
static void begin(void) { model.n = 0; }
static bool model_put(int v) {
  if (model.n == SIZE)
    return false;
  model.at[model.n++] = v;
  return true;
}
static int model_get(void) {
  int v = model.at[0];
  model.at[0] = model.at[1];
  return model.n ? model.n--, v : EMPTY;
}
FL_SPEC(model, begin, put = model_put, get = model_get)
#endif
