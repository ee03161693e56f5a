/*
 * Real threads: a table of counts in which one that is not there yet is put in
 * without looking again, after a delay.  The update that is lost may be seen
 * much later, or only in the end; the client that shows it is small all the
 * same.  There is a second fault: what is put in is seen before it counts.
 *
 * RUN: %s --search=stress
 * EXIT: 1
 * VERDICT: violation
 * FAULT: not-linearizable
 * CLIENT: \{(get|put|erase)\([0-9](, [0-9])?\)(; size\(\))?\} .. \
 *         \{(get|put|erase)\([0-9](, [0-9])?\)(; size\(\))?\}
 * OUTPUT: Smallest failing client
 * OUTPUT: History:
 * OUTPUT: repeated under the scheduler
 * LINE: count
 * LINE: set
 */
#include "turns.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { KEYS = 3, NONE = -1 };

static atomic_int value[KEYS] = {NONE, NONE, NONE};
static atomic_int entries;

static void add_entries(int n) {
  int now = atomic_load(&entries); /* count */
  give_way();
  atomic_store(&entries, now + n); /* set */
}

/* Whether the key is new. */
static bool put(int key, int v) {
  turn_begin();
  bool fresh = atomic_exchange(&value[key], v) == NONE;
  if (fresh)
    add_entries(1);
  return fresh;
}

static bool erase(int key) {
  turn_begin();
  bool was = atomic_exchange(&value[key], NONE) != NONE;
  if (was)
    add_entries(-1);
  return was;
}

static int get(int key) {
  turn_begin();
  return atomic_load(&value[key]);
}

/* The total is kept apart from the entries, as a cache would. */
static int size(void) {
  turn_begin();
  return atomic_load(&entries);
}

FL_OBJECT(table)
FL_OP(bool, put, FL_INT(0, 2), FL_INT(1, 2))
FL_OP(bool, erase, FL_INT(0, 2))
FL_OP(int, get, FL_INT(0, 2))
FL_OP(int, size)
FL_SPEC(map, put = put, remove = erase, get = get, size = size, absent = -1)
TURNS
