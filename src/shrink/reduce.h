/*
 * A failing client made smaller, step by step, as long as it fails: calls are
 * taken away in large pieces and one by one, concurrent calls are made serial,
 * values are replaced by the first of their domain.
 *
 * Pure: whether a client fails is for `check` to say, which is handed in.
 *
 * (A) the client that is left has failed in `check`, and it was the last one
 *     that did: what `check` keeps of it belongs to it.
 * (B) when reduce_calls says so, each client with one call less is correct,
 *     as `check` has proved.                        tests/agree/shrink_client.c
 */
#ifndef SHRINK_REDUCE_H
#define SHRINK_REDUCE_H

#include "model/client.h"

enum reduce_answer {
  REDUCE_FAILS,
  REDUCE_CORRECT, /* proved: no execution fails */
  REDUCE_UNKNOWN, /* no execution that was run fails */
};

struct reduce {
  enum reduce_answer (*check)(void *ctx, const struct client *c);
  bool (*goes_on)(void *ctx); /* is there effort left? NULL: always */
  /* The values of an argument, the simplest first; 0: nothing is known.
   * *data: they are only stored and handed back, so their order is nothing. */
  uint32_t (*domain)(void *ctx, uint32_t op, uint32_t arg,
                     const int64_t **values, bool *data);
  void *ctx;
  uint32_t checks; /* out */
};

/* Initial calls, then final calls, in pieces: all, half of them, a quarter … */
void reduce_pieces(struct reduce *r, struct client *c);

/* Keeps only the first few or the last few initial calls: for a state that
 * comes again after some of them but after none in between. */
void reduce_to_few(struct reduce *r, struct client *c);

/* The first call of a thread becomes the last initial one, the last call the
 * first final one; of three threads or more, two become one.  Not where it
 * leaves one thread: that is no race. */
void reduce_concurrent(struct reduce *r, struct client *c);

/* Values become the first ones of their domain.  Different ones stay
 * different.  First their order stays; then, as data from the beginning, they
 * are numbered as they appear, where that fails too; and last, each of them by
 * itself becomes one of the first.  True: some have changed. */
bool reduce_values(struct reduce *r, struct client *c);

/* Data are numbered as they appear: two clients that differ only in which data
 * they have become the same one. */
void reduce_same_data(const struct reduce *r, struct client *c);

/* One call after the other, in all three parts, until none can be missed.
 * True: B. */
bool reduce_calls(struct reduce *r, struct client *c);

#endif
