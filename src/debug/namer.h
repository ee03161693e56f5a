/* The namer that asks the object's debug information. */
#ifndef DEBUG_NAMER_H
#define DEBUG_NAMER_H

#include "debug/lines.h"
#include "model/event.h"
#include "model/result.h"

/*
 * Who knows the user's names.  The usual one asks the debug information (struct
 * namer); all of them append, and `place` never returns NULL.
 */
struct story_namer {
  void *ctx;
  const struct place *(*place)(void *ctx, uint64_t pc);
  /* [addr, addr+size) as event number `at` sees it */
  void (*location)(void *ctx, uint64_t addr, uint64_t size, uint32_t at,
                   struct buf *out);
  /* a value that event `e`, number `at`, reads or writes */
  void (*value)(void *ctx, const struct event *e, uint64_t value, uint32_t at,
                struct buf *out);
  /* a block of the trace: `node#2`; NULL: nobody knows */
  void (*block)(void *ctx, uint32_t block, struct buf *out);
  /* what a function is to the object; may be NULL: all are the object's */
  enum place_role (*role)(void *ctx, const char *file, const char *function);
};

/*
 * The place of the access that returns to `pc`, nested in the calls of `chain`
 * (trace.h): the frame that model/place.h chooses.  Never NULL.
 */
const struct place *namer_place(const struct story_namer *n,
                                const struct trace *t, uint64_t pc,
                                uint32_t chain);

enum { NAMER_FRAMES = 64 };
/* All its frames, from the inside out; how many, at most NAMER_FRAMES. */
uint32_t namer_frames(const struct story_namer *n, const struct trace *t,
                      uint64_t pc, uint32_t chain, const struct place **out);

struct namer {
  struct lines *lines;
  struct names *names; /* NULL when there is no trace to name things of */
  uint64_t base;
};

/* Fills `out`, whose ctx is `n`; both must live as long as it is used. `beside`
 * is another trace that is shown together with the result's, or NULL. */
void namer_open(struct namer *n, struct lines *lines, const struct result *r,
                const struct trace *beside, struct story_namer *out);
/* The trace of the nearest passing execution, which is shown beside the
 * finding's; NULL: there is none. */
const struct trace *namer_beside(const struct result *r);
void namer_close(struct namer *n);

#endif
