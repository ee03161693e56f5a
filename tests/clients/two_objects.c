/*
 * Two objects in one file: each is tested, in order; the fault of one does not
 * hide the other.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: violation pass
 */
#include <faultline.h>
#include <stdatomic.h>

static int racy;
static atomic_int sound;

static int racy_next(void) { return racy++; }

static int sound_next(void) { return atomic_fetch_add(&sound, 1); }

FL_OBJECT(racy)
FL_OP(int, racy_next)

FL_OBJECT(sound)
FL_OP(int, sound_next)
