/*
 * Where the memory of the code under test lies.  The addresses are fixed, the
 * same in every run and every process, and clear of ASan's shadow: states that
 * hold pointers can be compared across processes.
 *
 * Thread t has arena t of the heap and stack t.  A stack grows down from its
 * top; the STACK_GUARD bytes at its bottom are never mapped.
 */
#ifndef RT_LAYOUT_H
#define RT_LAYOUT_H

#include "rt/rt.h"

#define HEAP_BASE 0x200000000000ull
#define ARENA_SIZE (256ull << 20)
#define HEAP_SPAN (ARENA_SIZE * RT_MAX_THREADS)
#define HEAP_GRANULE 16ull
/* One byte for each granule of the heap (heap.h). */
#define SHADOW_BASE 0x208000000000ull
#define STACK_BASE 0x210000000000ull
#define STACK_SIZE (8ull << 20) /* as ordinary threads have */
#define STACK_SPAN (STACK_SIZE * RT_MAX_THREADS)
#define STACK_GUARD 8192ull
#define CLOCK_ADDR 0x217000000000ull /* no memory: stands for the clock */
#define CLOCK_SIZE 8
/* The stacks of the threads that lend their control blocks (fiber.c). */
#define LENT_BASE 0x218000000000ull

static inline bool fl__in_heap(const volatile void *p) {
  return (uint64_t)(uintptr_t)p - HEAP_BASE < HEAP_SPAN;
}
static inline uint64_t fl__arena_base(uint32_t thread) {
  return HEAP_BASE + thread * ARENA_SIZE;
}
static inline uint8_t *fl__arena_shadow(uint32_t thread) {
  return (uint8_t *)(SHADOW_BASE + thread * (ARENA_SIZE / HEAP_GRANULE));
}

static inline bool fl__in_stacks(uint64_t addr) {
  return addr - STACK_BASE < STACK_SPAN;
}
/* Of an address in a stack. */
static inline uint32_t fl__stack_owner(uint64_t addr) {
  return (uint32_t)((addr - STACK_BASE) / STACK_SIZE);
}
static inline uint64_t fl__stack_bottom(uint32_t thread) {
  return STACK_BASE + thread * STACK_SIZE;
}
static inline uint64_t fl__stack_top(uint32_t thread) {
  return STACK_BASE + (thread + 1) * STACK_SIZE;
}

#endif
