/*
 * In a deadlock or a livelock, a thread waits: for a lock that another one has,
 * or in a loop for a location to change.
 */
#ifndef MODEL_WAITING_H
#define MODEL_WAITING_H

#include <stdint.h>

struct waiting {
  uint8_t thread;
  uint8_t kind;   /* enum event_kind of the pending step */
  uint8_t spins;  /* it goes round a loop until one of the locations changes */
  uint8_t holder; /* the thread that has the lock, or 255 */
  uint64_t pc, addr;
  uint32_t call;
};

#endif
