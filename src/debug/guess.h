/*
 * What was a heap block allocated for?  malloc does not say, but the code
 * around it does: the variable or the return value that keeps the pointer, the
 * words on the line, a type of the right size.  Every hint has a weight, the
 * heaviest wins, and the search goes outwards along the calls (and inlined
 * calls) that the allocation happened in, so that xmalloc() is no obstacle.
 */
#ifndef DEBUG_GUESS_H
#define DEBUG_GUESS_H

#include "debug/lines_int.h"

struct guess {
  int weight; /* 0: nothing is known */
  Dwarf_Die type;
  bool array;       /* the block holds several of this type */
  const char *name; /* of the type, or of a variable when the type is a number
                       or a pointer; not terminated, name_len long */
  size_t name_len;
  bool borrowed; /* the name means something else by itself: a pointer's, int */
};

void guess_block(struct lines *l, const struct trace *t, const struct block *b,
                 struct guess *out);

#endif
