/*
 * Which kind of fault a trace shows (model/kind.h).  Each recogniser needs a
 * precise pattern of events, written above it with an example, and says nothing
 * when a part of it is missing: a wrong name is worse than none.
 *
 * A pattern in a failing trace explains it only when good traces of the client
 * do not have it as often: whoever asks counts both.
 *
 * (Z1) marks are events of the trace, in the roles that model/kind.h names.
 */
#ifndef LOCATE_KINDS_H
#define LOCATE_KINDS_H

#include "locate/decisions.h"
#include "model/kind.h"

enum { KINDS_MOST = 8 }; /* patterns of one kind in one trace that are told */

/* Those that were found: the first len of `at`. */
struct kind_matches {
  struct kind_found at[KINDS_MOST];
  uint32_t len;
};

/* All patterns of kind `k` in the trace; *out has none before. */
void kinds_match(enum kind k, const struct kind_trace *t,
                 const struct decisions *d, struct kind_matches *out);

/* The lines from one mark to another that must run without interruption for
 * the pattern to be impossible; how many such pairs there are, 0: no lines
 * help. */
enum { KINDS_HELD = 2 };
uint32_t kinds_hold(const struct kind_found *f, uint32_t from[KINDS_HELD],
                    uint32_t to[KINDS_HELD]);
/* The same of a lock that lets two in, without what it should protect; 0: of
 * other kinds. */
uint32_t kinds_lock(const struct kind_found *f, uint32_t from[KINDS_HELD],
                    uint32_t to[KINDS_HELD]);

#endif
