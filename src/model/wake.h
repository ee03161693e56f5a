/*
 * A wake-up that the code does not make and the engine adds: after every write
 * to a word, whoever sleeps on an object is woken.  It tells whether a fault is
 * a wake-up that is missing.
 *
 *     n++;            and then, in the same step, as if it were there:
 *                     pthread_cond_broadcast(&more);
 */
#ifndef MODEL_WAKE_H
#define MODEL_WAKE_H

#include <stdint.h>

struct added_wake {
  uint64_t addr, size; /* of the word */
  uint64_t sleeper;    /* a condition variable, a futex, a semaphore: … */
  uint8_t kind;        /* … by the event with which a thread goes to sleep:
                          EV_COND_WAIT, EV_FUTEX_WAIT, EV_SEM_WAIT */
  uint64_t base; /* where the object was loaded when these were its addresses;
                    the heap is always at the same place */
};

#endif
