/*
 * A client is a test case (Ps, Pc, Pr) of the papers: an initial sequence of
 * calls, threads that each make a sequence of calls, and a final sequence.
 * Written
 *     push(1); {push(2)} || {pop(); pop()}; pop()
 *
 * (C1) calls stand in one array: initial, thread 1, thread 2, …, final; the
 *      index is the call's id everywhere (histories, traces, reports).
 * (C2) `thread` is 0 for initial and final calls, which the main thread makes,
 *      and 1 … nthreads for the others.
 * (C3) within a thread, calls are made in the order of their ids: that of the
 *      engine.                                 tests/unit/rt/executions.c
 *
 * A client is its own copy of its calls: `struct client c = {0}` is empty,
 * client_free gives it back.
 */
#ifndef MODEL_CLIENT_H
#define MODEL_CLIENT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  CLIENT_MAX_ARGS = 6,
  CLIENT_MAX_THREADS = 31,
  CLIENT_MAX_CALLS = 1000, /* that client_read accepts */
};

struct call {
  uint16_t op; /* index into the object's operations */
  uint8_t thread;
  uint8_t nargs;
  uint32_t origin; /* for those who make clients of others: which call of
                      another client this was; it makes no difference */
  int64_t args[CLIENT_MAX_ARGS];
};

struct client {
  struct call *calls;
  uint32_t ncalls;
  uint32_t ninit, nfinal; /* how many calls are initial, final */
  uint32_t nthreads;
};

/* Names the object's operations, for reading and printing clients, and has the
 * texts that arguments stand for: CLIENT_TEXTS is the first. */
#define CLIENT_TEXTS INT64_C(0x7e5700000000)
struct op_names {
  const char *const *name;
  uint32_t count;
  uint32_t ntexts;
  const char *const *texts;
};
/* The text that an argument stands for; NULL: it is a number. */
const char *op_names_text(const struct op_names *names, int64_t argument);
/* The argument that stands for a text of `n` bytes; 0: none does. */
int64_t op_names_argument(const struct op_names *names, const char *text,
                          size_t n);

static inline uint32_t client_first_final(const struct client *c) {
  return c->ncalls - c->nfinal;
}

bool client_is_sound(const struct client *c);         /* C1, C2 */
void client_check_invariants(const struct client *c); /* asserts them */
bool client_equal(const struct client *a, const struct client *b);
void client_copy(struct client *to, const struct client *from);
void client_free(struct client *c);

/* Appends a call; parts must be filled in the order of (C1). */
void client_add_init(struct client *c, struct call call);
void client_add(struct client *c, uint32_t thread, struct call call);
void client_add_final(struct client *c, struct call call);

/* Does it have every operation that one of the others has? */
bool client_has_ops_of(const struct client *c, const struct client *others,
                       uint32_t n);

/*
 * Is one of the others a part of it: the same operations in the same roles, in
 * the same order?  Threads may be renamed; final calls, which only look at what
 * the threads have left, and arguments do not count.  Of one of the others that
 * has no threads only the operations count, whatever their role.
 *     push(1); {push(2); pop()} || {pop()} has the part {push(1)} || {pop()}
 * More calls never take a part away.
 */
bool client_has_part_of(const struct client *c, const struct client *others,
                        uint32_t n);

/* The client without call `id`; a thread left without calls disappears. */
void client_without(struct client *to, const struct client *from, uint32_t id);

void call_print(const struct call *c, const struct op_names *names,
                struct buf *out);
/* In the notation above; `{}` stands between initial and final calls when there
 * are no threads.  What is printed reads as the same client, except that
 * threads without calls are dropped. */
void client_print(const struct client *c, const struct op_names *names,
                  struct buf *out);

/*
 * Reads the notation above:
 *     client  = [part {";" part}]     at most one part is not a plain call
 *     part    = thread {"||" thread}
 *     thread  = call | "{" [call {";" call}] "}"
 *     call    = name "(" [arg {"," arg}] ")"
 *     arg     = ["-"] digits | ["-"] "0x" hex digits | "true" | "false" | text
 * Further `;` may stand anywhere between calls, and beside a brace it may be
 * missing.  A name is one of the object's, whatever characters it has
 * (`list::add`).  A text is one of the object's, as C writes it, in quotes.
 * Threads without calls are dropped.
 *
 * What cannot be read, an unknown operation, or a wrong number of arguments is
 * ERR_USAGE; the text has the column, the line with a caret, and the
 * operations that exist.  Then `c` is empty.  nargs[i] is how many arguments
 * operation i takes.
 */
int client_read(struct client *c, const char *text,
                const struct op_names *names, const uint8_t *nargs,
                struct error *e);

#endif
