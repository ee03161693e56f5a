/*
 * From a long failing history to a small client (Ps, Pc, Pr): Algorithm 1 of
 * the CGVT paper, and its rule that in one thread a single operation is enough.
 *
 * Pure: whether a client can fail is for CHECK to say, which is handed in.
 *
 * (A) what is found has failed in CHECK.
 * (B) the serial start Ps is as long as any witness allows, and then Pc as
 *     short as any prefix of it allows, if CHECK misses nothing.
 *                                                 tests/agree/shrink_client.c
 */
#ifndef SHRINK_COARSE_H
#define SHRINK_COARSE_H

#include "shrink/past.h"

/* A client made of the history's calls. */
struct candidate {
  struct client client;
  VEC(uint32_t)
  from; /* by call: its id in the history's client; a call that
           was added behind has none */
};
void candidate_free(struct candidate *c);

enum coarse_version {
  COARSE_BEST, /* H; where it finds nothing, D */
  COARSE_B,    /* Algorithm 1, executions of real threads */
  COARSE_D,    /* Algorithm 1, executions under the scheduler */
  COARSE_H,    /* one thread has one operation in Pc */
};

struct coarse {
  /* in */
  const struct past *past;
  enum coarse_version version;
  /* CHECK of the paper: has an execution of this client failed? */
  bool (*fails)(void *ctx, const struct candidate *c);
  /* Is there effort left?  NULL: always. */
  bool (*goes_on)(void *ctx);
  /* H: adds final calls that show the state which is left; NULL: none. */
  void (*probe)(void *ctx, struct client *c);
  void *ctx;
  uint32_t max_rest; /* H: a longer rest than this is not made as Pr: only the
                        failing call is */
  bool linear;       /* no leaps: the paper's walk, for tests */
  /* out */
  struct candidate found;
  uint32_t checks;
};

/* False: nothing that was tried failed. */
bool coarse_localize(struct coarse *c);

#endif
