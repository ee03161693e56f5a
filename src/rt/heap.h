/*
 * The heap of the code under test (heap.c).  Each thread allocates from its own
 * arena, so that the address of a block depends on what its thread did and not
 * on the interleaving.
 */
#ifndef RT_HEAP_H
#define RT_HEAP_H

#include "rt/engine.h"
#include "rt/fault.h"
#include "rt/record.h"

void fl__heap_open(void) FL_HIDDEN;

/* NULL when no machine has so much; a full heap ends the run. */
void *fl__alloc(uint64_t size, uint64_t align, uint64_t elem, bool zero,
                uint64_t pc) FL_HIDDEN;
void fl__free(void *p, uint64_t pc) FL_HIDDEN;
uint64_t fl__block_size(const void *p) FL_HIDDEN; /* of a live block, or 0 */

/* Is every byte of [addr, addr+size), which begins in the heap, live? */
bool fl__heap_check(uint64_t addr, uint64_t size) FL_HIDDEN;
/* Fills E.fault with what is wrong there. */
void fl__heap_fault(uint64_t addr, uint64_t size, bool write,
                    uint64_t pc) FL_HIDDEN;

/* Memory that is touched without a step of its own must be live now. */
static inline void fl__must_live(uint64_t addr, uint64_t size, bool write,
                                 uint64_t pc) {
  if (addr - HEAP_BASE < HEAP_SPAN && E.in_fiber &&
      UNLIKELY(!fl__heap_check(addr, size))) {
    if (E.recording)
      fl__record_refused_touch(write, addr, size, pc);
    fl__heap_fault(addr, size, write, pc);
    fl__faulted();
  }
}

/* What is known of the block that an address belongs to. */
struct block_info {
  uint64_t base, size, elem, alloc_pc, free_pc;
  uint32_t alloc_chain;
  uint32_t alloc_call; /* the client's call + 1, or 0 */
  uint8_t alloc_thread, free_thread;
  bool live;
};
/* Calls `each` for every block of arena t that was ever allocated. */
void fl__heap_each(int t, void (*each)(const struct block_info *, void *),
                   void *ctx) FL_HIDDEN;

/* The canonical form of a pointer result (model/value.h). */
uint64_t fl__pointer_name(uint64_t p) FL_HIDDEN;
/* In a copy of arena t: which code has allocated and freed its blocks. */
void fl__heap_forget_sites(int t, uint8_t *copy) FL_HIDDEN;
/* How many blocks are alive that were allocated since loading: the first of
 * them, and the bytes of all. */
uint32_t fl__heap_live(uint64_t *first_addr, uint64_t *bytes) FL_HIDDEN;

/* H1, and that blocks follow each other; for check_slow and tests. */
bool fl__heap_check_invariants(void) FL_HIDDEN;

#endif
