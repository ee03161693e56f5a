/*
 * Real threads: an update that gives way in the middle is lost when the turn
 * passes there (turns.h); a locked one never is.  The specification is a
 * built-in type, or the object itself.  What is found is repeated under the scheduler: also
 * where it takes nine calls to come to the state that fails, or two calls
 * within another one.
 *
 * RUN: %s --search=stress --object lossy
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: ^\{bump\(\)\} .. \{bump\(\)\}$
 * OUTPUT: Smallest failing client
 * OUTPUT: repeated under the scheduler
 * OUTPUT: History:
 * LINE: lossy read
 * LINE: lossy write
 * RUN: %s --search=stress --object locked
 * EXIT: 0
 * VERDICT: pass
 * OUTPUT: 20 random clients of 2 threads with up to 500 calls
 * RUN: %s --search=stress --object locked --max-executions 300 --client \
 *     '{add(); add()} || {add()}'
 * EXIT: 0
 * VERDICT: pass
 * OUTPUT: rounds? of this client on real threads
 * RUN: %s --search=stress --object itself
 * EXIT: 1
 * VERDICT: violation
 * CLIENT: ^\{bump\(\)\} .. \{bump\(\)\}$
 * RUN: %s --search=stress --object rare
 * EXIT: 1
 * VERDICT: violation
 * CLIENT: ^(late\(\); ){9}\{late\(\)\} .. \{late\(\)\}$
 * OUTPUT: Smallest failing client
 * LINE: rare write
 * RUN: %s --search=stress --object pair
 * EXIT: 1
 * VERDICT: violation
 * CLIENT: ^\{peek\(\)\} .. \{up\(\); up\(\)\}$|^\{up\(\); up\(\)\} .. \{peek\(\)\}$
 * LINE: second look
 */
#include "turns.h"

static long lossy_n, locked_n, rare_n, pair_n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long bump(void) {
  turn_begin();
  long n = __atomic_load_n(&lossy_n, __ATOMIC_SEQ_CST); /* lossy read */
  if (n % 8 == 5)
    give_way();
  __atomic_store_n(&lossy_n, n + 1, __ATOMIC_SEQ_CST); /* lossy write */
  return n + 1;
}

static long add(void) {
  pthread_mutex_lock(&lock);
  long n = ++locked_n;
  pthread_mutex_unlock(&lock);
  return n;
}

/* Atomic, except at 9, 25, 41, … */
static long late(void) {
  turn_begin();
  long n = __atomic_load_n(&rare_n, __ATOMIC_SEQ_CST);
  while (n % 16 != 9)
    if (__atomic_compare_exchange_n(&rare_n, &n, n + 1, 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return n + 1;
  give_way();
  __atomic_store_n(&rare_n, n + 1, __ATOMIC_SEQ_CST); /* rare write */
  return n + 1;
}

static long up(void) {
  turn_begin();
  return __atomic_add_fetch(&pair_n, 1, __ATOMIC_SEQ_CST);
}

/* Wrong when there were two updates or more between its two looks. */
static long peek(void) {
  turn_begin();
  long n = __atomic_load_n(&pair_n, __ATOMIC_SEQ_CST);
  give_way();
  long m = __atomic_load_n(&pair_n, __ATOMIC_SEQ_CST); /* second look */
  return m > n + 1 ? -1 : m;
}

FL_OBJECT(lossy)
FL_OP(long, bump)
FL_SPEC(counter, inc_fetch = bump)
TURNS

FL_OBJECT(locked)
FL_OP(long, add)
FL_SPEC(counter, inc_fetch = add)

FL_OBJECT(itself)
FL_OP(long, bump)
TURNS

FL_OBJECT(rare)
FL_OP(long, late)
FL_SPEC(counter, inc_fetch = late)
TURNS

FL_OBJECT(pair)
FL_OP(long, up)
FL_OP(long, peek)
FL_SPEC(counter, inc_fetch = up, get = peek)
TURNS
