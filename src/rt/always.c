/*
 * FL_ALWAYS: what must hold in every state in which no operation is open, or
 * none of those that are named.  An operation is open from its first step to
 * its last.  The functions are asked behind each step, in a state that stays as
 * it is; nothing of that is a step.
 *
 * (Q1) The reduction hides no state from them.  What a function reads counts as
 *      read by one more thread, so each write to it is a step of its own.  The
 *      other accesses leave what it reads as it is, and those of an operation
 *      that are no steps come before its first step or behind its last, where
 * it is not open. (Q2) A state that the search has met before is not asked
 * about again, since which operations are open is a part of it.
 *                                              tests/agree/always_dfs.c
 *
 * Under TSO an operation is over when its stores are in memory, too; each
 * access is a step then.
 */
#include "rt/always.h"

#include "rt/execute.h"
#include "rt/fault.h"
#include "rt/reference.h"
#include "rt/reference_int.h"

#include <string.h>

const char *rt_next_name(const char *list, uint32_t *len) {
  list += strspn(list, " ,\t\n");
  *len = (uint32_t)strcspn(list, " ,\t\n~");
  return *len ? list : NULL;
}

static bool is_about(const struct fl_always *a, const char *op) {
  uint32_t len;
  const char *at = rt_next_name(a->operations, &len);
  if (!at)
    return true;
  for (; at; at = rt_next_name(at + len, &len))
    if (strlen(op) == len && !memcmp(op, at, len))
      return true;
  return false;
}

static bool is_open(const struct fl_always *a) {
  for (uint32_t t = 0; t < E.live.nfibers; t++) {
    const struct fiber_state *f = &E.fiber[t];
    if (f->status == FIBER_PARKED && f->call != EVENT_NO_CALL && f->called &&
        is_about(a, E.ops[E.client->calls[f->call].op]->name))
      return true;
  }
  return E.live.buffered != 0;
}

/* False: E.fault says why. */
static bool holds(const struct fl_always *a) {
  enum looked how = fl__reference_look(a->holds);
  int t = (int)E.live.current;
  uint64_t pc = (uint64_t)(uintptr_t)a->holds + 1 - E.base, at = 0;
  uint32_t len;
  bool all = !rt_next_name(a->operations, &len);
  if (how == LOOKED_HOLDS)
    return true;
  if (how == LOOKED_BROKEN)
    fl__fill_fault_of(t, FAULT_INVARIANT, 0, "%s() does not hold, and %s",
                      a->name,
                      all ? "no operation is in progress"
                          : "none of its operations is in progress");
  else
    fl__fill_fault_of(
        t, how == LOOKED_STOPPED ? FAULT_INVARIANT : FAULT_UNMODELLED, 0,
        "%s() of FL_ALWAYS: %s", a->name, reference_trouble(&at));
  if (how != LOOKED_BROKEN && at)
    pc = at;
  E.fault.pc = pc;
  return false;
}

bool fl__always_holds(void) {
  if (E.preparing)
    return true;
  for (const struct fl_always *a = E.suite->always; a; a = a->next)
    if (!is_open(a) && !holds(a))
      return false;
  return true;
}
