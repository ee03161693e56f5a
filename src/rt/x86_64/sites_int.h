/*
 * Between the files of sites; nobody else includes this.
 *
 * Each site has a stub, STUB bytes near the object:
 *
 *   0      a copy of the instruction, and of those behind it that had to make
 *          room for a jump; a jump back
 *   SLOW   a copy of the instruction; enters fl__site_arrived, SITE_DONE
 *   ENTER  enters fl__site_arrived
 */
#ifndef RT_X86_64_SITES_INT_H
#define RT_X86_64_SITES_INT_H

#include "rt/engine.h"

enum { STUB = 128, SLOW = 48, ENTER = 96, RED_ZONE = 128 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, GPRS = 16 };

/* The registers of a thread at a site; site_frame.S knows where they are. */
struct site_frame {
  uint64_t gpr[GPRS], flags, rip;
  uint64_t xmm[16][2];
  uint64_t addr;  /* of the access */
  uint64_t site;  /* its number, perhaps with SITE_DONE */
  uint64_t value; /* half of a store */
  uint64_t unused;
  uint64_t high[][2]; /* of a wide site: the upper halves of ymm0 to ymm15 */
};
#define SITE_DONE UINT32_C(0x80000000)

extern struct site_table {
  const struct site *at;
  uint32_t n;
} fl__sites FL_HIDDEN;

static inline uint64_t fl__next_pc(const struct site *s) {
  return E.base + s->pc + s->length;
}
uint8_t *fl__site_stub(const struct site *s) FL_HIDDEN;
/* Is it the place behind a site? */
bool fl__is_behind_site(uint64_t pc) FL_HIDDEN;
/* Goes on at rip with the registers of the frame. */
_Noreturn void fl__site_back(struct site_frame *f, uint64_t rip) FL_HIDDEN;

/* A thread has come to a site, on its own stack. */
_Noreturn void fl__site_arrived(struct site_frame *f) FL_HIDDEN;

/* site_frame.S */
extern uint64_t fl__site_rip FL_HIDDEN; /* where these go on */
_Noreturn void fl__site_go(struct site_frame *f) FL_HIDDEN;
_Noreturn void fl__site_go_wide(struct site_frame *f) FL_HIDDEN;
/* Number of the site in rax, the real one on the stack below the red zone. */
extern const char fl__site_enter[] FL_HIDDEN, fl__site_enter_wide[] FL_HIDDEN;

#endif
