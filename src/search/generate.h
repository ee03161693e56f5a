/*
 * Generation of clients of an object: all of them, smallest first, and random
 * larger ones.
 *
 * Two clients are the same test when one becomes the other by renaming
 * threads, and by renaming values that the object only stores and hands back.
 * Of such clients one is generated: the first in the order below.
 *     {push(1)} || {push(2); pop()} is {push(2)} || {push(1); pop()}
 *
 * (G1) every client that the limits allow is generated, up to renaming.
 * (G2) none is generated twice, up to renaming.
 *      G1 and G2 are claims about all clients: tests/agree/generate_brute.c
 * (G3) order: twice the number of calls in threads and once that of initial
 *      calls, which cost less, since nothing is decided in them; then the
 *      number of calls in threads, then of threads; the same on every machine.
 * (G4) at least two threads, each with at least one call.
 * (G5) operations of one group (≠ 0) stand in at most one of the threads.
 * (G6) the main thread makes no call that may wait: no thread would wake it.
 * (G7) if limits.changes is given, each initial call changes the object: else
 *      the client without it is the same test, and smaller.
 * (G8) if limits.distinct is set, a client uses as many different values of an
 *      interchangeable list as it has places for.  A fault with equal values is
 *      one with different values too, since the object does not look at them,
 *      and an order that explains different values explains equal ones.
 * (G9) if limits.changes is given, it also says which operations only read, and
 *      which take out what others put in: there are fewer final calls then.
 * (G10) if limits.observe is set, and changes is given: there are two threads,
 *      the first makes one call that only reads, the second at least three
 *      that do not.  These are few enough to be tried for longer threads.
 * (G11) no client has one of limits.without as a part (client_has_part_of);
 *      final calls that would bring that about are left out.
 *
 * Renaming of values: arguments that are marked interchangeable and have equal
 * lists of values share one renaming.  Interchangeable lists that overlap
 * without being equal are not renamed, since that could make different values
 * equal.  Renamed values appear in the order of the list.
 */
#ifndef SEARCH_GENERATE_H
#define SEARCH_GENERATE_H

#include "base/rng.h"
#include "model/client.h"

#include <stdbool.h>
#include <stdint.h>

struct gen_arg {
  const int64_t *values; /* one that is repeated counts once */
  uint32_t count;        /* 0: the operation is never called */
  bool interchangeable;  /* only stored and handed back */
};

struct gen_op {
  struct gen_arg args[CLIENT_MAX_ARGS];
  uint8_t nargs;
  bool returns;   /* a result, not void */
  bool waits;     /* may wait for another thread's operation */
  uint32_t group; /* 0: none */
};

struct gen_object {
  const struct gen_op *ops;
  uint32_t nops;
};

struct gen_limits {
  uint32_t threads; /* at most so many, from 2 */
  uint32_t ops;     /* calls of one thread */
  uint32_t init;    /* initial calls */
  bool final;       /* each client ends with generate_final's calls */
  bool distinct;    /* G8 */
  bool observe;     /* G10 */
  /* Does the last initial call of `init`, which has no others, change the
   * object (G7)?  The same answer to the same question always; or NULL. */
  bool (*changes)(void *ctx, const struct client *init);
  void *ctx;
  const struct client *without; /* G11 */
  uint32_t nwithout;
};

struct generator;

/* Copies what it needs of `o`. */
struct generator *generator_new(const struct gen_object *o,
                                const struct gen_limits *limits);
void generator_free(struct generator *g);

/* The next client, which the caller frees; false: there are no more. */
bool generator_next(struct generator *g, struct client *out);

/*
 * A random client: up to limits.init initial calls, `threads` threads of 1 to
 * `ops` calls, one of them with `ops`.  Values that are interchangeable are
 * mostly different.  Where the groups leave a thread nothing to call, there
 * are fewer threads; false when there are not even two, or none is drawn that
 * G11 allows.
 */
bool generator_random(struct generator *g, struct rng *rng, uint32_t threads,
                      uint32_t ops, struct client *out);
/* One call of a thread beside 2 to `ops` calls of another. */
bool generator_victim(struct generator *g, struct rng *rng, uint32_t ops,
                      struct client *out);

/*
 * `c` with final calls that show the state it leaves: what cannot be seen in
 * the results of the concurrent calls (a lost element, a broken link) is then
 * seen in these.  Taken are operations that return something and never wait:
 * those without arguments as often as is needed to empty a container, those
 * with arguments once for each combination of values that `c` uses.  At most
 * GENERATE_MAX_FINAL calls, shared fairly.
 */
enum { GENERATE_MAX_FINAL = 8 };
void generate_final(const struct gen_object *o, const struct client *c,
                    struct client *out);

#endif
