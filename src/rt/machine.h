/*
 * What the searches need of a processor: the second half of a port, all of it
 * inline.  rt/port.h is what the engine itself needs.
 *
 *   machine_pause()        inside a loop that waits for another processor
 *   machine_claim(…)       see below
 *   machine_has_ticks()    is there a counter that all processors step at one
 *                          constant rate?  A port may say no: stamp.h then does
 *                          without the rest
 *   machine_ticks(&cpu)    its value, read after all earlier instructions have
 *                          been executed, and the processor it was read on
 *   machine_ticks_hold()   what comes later begins after the counter was read
 */
#ifndef RT_MACHINE_H
#define RT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "rt/x86_64/machine.h"
#else
#error "rt/ has no port to this processor: rt/machine.h says what one provides"
#endif

/*
 * bool machine_claim(uint64_t to[2], const uint64_t value[2], uint64_t seen[2])
 *
 * Writes both words of `value` in one step if both of `to` are 0, with no
 * access before moved behind it or after before it.  False: they are not, and
 * `seen` is what they are, read in one step.  `to` is aligned to 16 bytes, in
 * memory that other processes may share.
 */

#endif
