/* How much memory the process has, as the system counts it. */
#ifndef BASE_RESIDENT_H
#define BASE_RESIDENT_H

#include <stdbool.h>
#include <stdint.h>

uint64_t resident_bytes(void); /* 0: not known */
/* Whether it is more than that even when what was freed is given back. */
bool resident_is_above(uint64_t bytes);

#endif
