/*
 * Data races: two accesses of different threads to the same bytes, at least one
 * of them a write and one not atomic, that happens-before (order.h) leaves
 * unordered.  The second one is refused: the execution ends with
 * FAULT_DATA_RACE.
 *
 * What was accessed is kept as notes: thread, epoch, bytes, whether it wrote
 * and whether it was atomic.  A note is forgotten when a later access of which
 * it is known stands for it: whatever would race with the note races with that,
 * too.  So nothing is lost up to the first race of an execution, whichever
 * accesses it is between.  (FastTrack, Flanagan and Freund, PLDI 2009, keeps
 * epochs in the same way.  Differs: atomic accesses are accesses, too, so there
 * may be several writes to a location that nothing orders.)
 *
 *   T1: x = 1; store-release(f)   T2: load-acquire(f), x     f seen: no race
 *   T1: x = 1; store-relaxed(f)   T2: load-acquire(f), x     a race
 *
 * Only steps are looked at.  With the reduction an access that is no step is to
 * a location that no two threads conflict on, or that all touch under one
 * mutex; if that turns out wrong, the search begins again.  The set-up of a
 * client comes before everything else.
 *
 * Freeing a block writes all of it.  The objects that synchronise are no
 * accesses.  Instructions without hooks count as atomic.
 *
 * (D3) notes of one thread for the same bytes and class are one note.
 */
#ifndef RT_RACE_H
#define RT_RACE_H

#include "rt/engine.h"

/* Is the access that thread t is about to make (kind, addr and size are those
 * of its pending step) a race?  Then E.fault is filled; else it is noted. */
bool fl__race(int t) FL_HIDDEN;
/* A compare-and-swap was noted as a read and has written. */
bool fl__race_swapped(int t, uint64_t addr, uint64_t size,
                      uint64_t pc) FL_HIDDEN;

void fl__race_begin(void) FL_HIDDEN;
void fl__race_save(struct snapshot *s) FL_HIDDEN;
const uint8_t *fl__race_load(const uint8_t *p) FL_HIDDEN;

/*
 * What of the clocks and notes decides which accesses can still race.  States
 * with equal memory and equal digests have the same races before them: epochs
 * are replaced by their ranks among the notes that some thread does not know
 * of, and knowledge of other epochs is left out.
 */
struct hash128 fl__race_digest(void) FL_HIDDEN;

bool fl__race_check_invariants(void) FL_HIDDEN;

#endif
