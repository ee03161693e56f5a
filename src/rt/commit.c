/*
 * Stores on their way through the buffers (TSO): into a buffer when the thread
 * makes them, and to memory when they are committed.
 */
#include "rt/buffer.h"
#include "rt/conflict.h"
#include "rt/execute.h"
#include "rt/heap.h"
#include "rt/notes.h"
#include "rt/record.h"

#include "base/slow.h"

#include <string.h>

void fl__issue(int t, const struct store *s) {
  bool early = E.fiber[t].call == s->call && !E.fiber[t].called;
  bool waits = fl__buffer_push(t, s);
  if (E.recording)
    fl__record_issued(s->event);
  if (!waits && E.trail != NULL) /* it would have been committed at once */
    fl__leave_trail(t + RT_BUFFERS, early ? RT_TRAIL_EARLY : 0);
}

/* A store whose call has made no step yet begins it: what others can see of a
 * call does not come before it. */
static void call_by_commit(int t) {
  if (E.trail != NULL)
    fl__leave_trail(t, RT_TRAIL_EMPTY);
  fl__begin_call(t);
}

/* The oldest store of t's buffer goes to memory. */
static int write_oldest(int t) {
  struct store s = fl__buffer[t].at[0];
  struct fiber_state *f = &E.fiber[t];
  if (E.recording)
    fl__record_commit(t, &s);
  if (s.addr - HEAP_BASE < HEAP_SPAN && !fl__heap_check(s.addr, s.size)) {
    E.self = f;
    fl__heap_fault(s.addr, s.size, true, s.pc);
    return RT_FAULT;
  }
  bool changed = memcmp((const void *)s.addr, s.data, s.size) != 0;
  memcpy((void *)s.addr, s.data, s.size);
  if (changed && E.loopers)
    fl__spin_changed(t, s.addr, s.size);
  return FL_GOES_ON;
}

static void pop_oldest(int t) {
  while (fl__buffer_pop(t)) {
    const struct store *s = &fl__buffer[t].at[0];
    bool early = s->call == E.fiber[t].call && s->call != EVENT_NO_CALL &&
                 !E.fiber[t].called;
    if (E.trail != NULL)
      fl__leave_trail(t + RT_BUFFERS, early ? RT_TRAIL_EARLY : 0);
  }
}

int fl__commit(int t, const struct rt_driver *d) {
  check_slow(fl__buffer[t].n && !fl__buffer[t].at[0].through); /* B2 */
  const struct fiber_state *f = &E.fiber[t];
  const struct store *s = &fl__buffer[t].at[0];
  E.progress++;
  E.live.steps++;
  if (E.log != NULL && !E.live.final)
    fl__note_commit(t, s);
  if (f->call == s->call && s->call != EVENT_NO_CALL && !f->called)
    call_by_commit(t);
  if (E.trail != NULL)
    fl__leave_trail(t + RT_BUFFERS, 0);
  if (E.reduce)
    fl__conflict_note(t, EV_COMMIT, s->addr, s->size);
  int end = write_oldest(t);
  if (end != FL_GOES_ON)
    return end;
  pop_oldest(t);
  fl__let_go_on();
  if (!E.reduce || E.fiber[t].status != FIBER_PARKED || E.live.transit >> t & 1)
    return end;
  if (E.stepwise)
    fl__clean_below(t);
  return fl__run_locals(t, end, d);
}
