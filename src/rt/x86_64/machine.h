/* What the searches need, on x86-64 (rt/machine.h). */
#ifndef RT_X86_64_MACHINE_H
#define RT_X86_64_MACHINE_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

static inline void machine_pause(void) { __builtin_ia32_pause(); }

/* gcc would call a library for 16 bytes. */
static inline bool machine_claim(uint64_t to[2], const uint64_t value[2],
                                 uint64_t seen[2]) {
  bool done;
  seen[0] = seen[1] = 0;
  __asm__ volatile("lock cmpxchg16b %[to]"
                   : [to] "+m"(*(uint64_t(*)[2])to), "=@ccz"(done),
                     "+a"(seen[0]), "+d"(seen[1])
                   : "b"(value[0]), "c"(value[1])
                   : "memory");
  return done;
}

static inline bool machine_has_ticks(void) {
  unsigned a, b, c, d;
  bool invariant =
      __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) != 0;
  return invariant && __get_cpuid(0x80000001, &a, &b, &c, &d) &&
         (d & 1u << 27) != 0; /* rdtscp */
}

/* Linux keeps the number of the processor in the lower 12 bits. */
static inline uint64_t machine_ticks(uint32_t *cpu) {
  uint32_t low, high, name;
  __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(name) : : "memory");
  *cpu = name & 0xfff;
  return (uint64_t)high << 32 | low;
}

static inline void machine_ticks_hold(void) {
  __asm__ volatile("lfence" : : : "memory");
}

#endif
