/*
 * How a block could be made atomic, in one sentence, from what its executions
 * did in recorded traces.  A suggestion: nothing here was compiled or searched.
 *
 * A block that touches one word and reads before it writes is an atomic
 * instruction: an exchange when all executions wrote the same value, whatever
 * they had read; a fetch-and-add when they all added the same to different
 * values; a compare-and-swap in a loop otherwise.  Executions that all read the
 * same value and wrote the same tell these apart in no way, and the sentence
 * says so; good traces beside the failing ones often do.
 *
 * A block that a lock already covers in part wants that lock, even if it is
 * about one word only: the others who hold the lock use no atomic instructions.
 *
 * So it does when all others that touch the data hold one lock and the block
 * does not, or the block does and the others do not.
 *
 * The body of a loop is one block, and its rounds run without an end between
 * them (section.h).  What one round needs is enough if the rounds, each atomic
 * by itself, still make impossible all the failing traces that the block does.
 */
#ifndef LOCATE_REALISE_H
#define LOCATE_REALISE_H

#include "source/phrase.h"
#include "locate/section.h"

struct realise_trace {
  const struct trace *trace;
  const struct section_trace *section; /* made from it */
  bool good; /* linearizable: its values tell, but it may stay possible */
};

/* Puts the user's name of a location; nothing when there is none. */
typedef void realise_name_fn(void *ctx, const struct trace *t, uint64_t addr,
                             uint64_t size, struct buf *out);

/* What the author wrote where the access at `pc` writes; false: not known. */
typedef bool realise_update_fn(void *ctx, uint64_t pc,
                               struct phrase_update *out);
/* The call on a line; nothing when it is not known. */
typedef void realise_call_fn(void *ctx, const char *file, uint32_t line,
                             struct buf *out);

/* Whether the call on a line could as well come before another line. */
typedef bool realise_moves_fn(void *ctx, const char *file, uint32_t line,
                              uint32_t to);

struct realise_words {
  struct scopes *scopes;     /* of the sections; NULL: no lines of locks */
  realise_name_fn *name;     /* NULL: locations are not named … */
  realise_update_fn *update; /* … NULL: nothing is quoted from the source */
  realise_call_fn *call;
  realise_moves_fn *moves; /* NULL: every lock can be taken earlier */
  void *ctx;
};

/* What the block needs by itself, as below; false, and nothing appended, when
 * that is a lock which is not there yet. */
bool realise_alone(const struct realise_words *w, const struct code_block *b,
                   const struct realise_trace *t, uint32_t n, struct buf *out);

/* One new lock for some blocks, and the other places that would have to take
 * it. */
void realise_new_lock(struct cause blocks, const struct realise_trace *t,
                      uint32_t n, struct buf *out);

/*
 * Appends the sentence, without a capital and a full stop; nothing when no
 * sensible one is known, or no execution of the block is in the traces.
 */
void realise(const struct realise_words *w, const struct code_block *b,
             const struct realise_trace *t, uint32_t n, struct buf *out);

#endif
