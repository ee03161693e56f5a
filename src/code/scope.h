/*
 * The functions that an address is in, as their author sees it: the real one
 * and, inside it, those whose copies the compiler put there (inlining).  Each
 * copy of a function, the real one or an inlined one, has a number, the same
 * for all of its instructions.
 */
#ifndef CODE_SCOPE_H
#define CODE_SCOPE_H

#include "code/flow.h"
#include "debug/lines.h"

struct scope {
  const char *file;     /* NULL when unknown */
  const char *function; /* NULL when unknown */
  uint32_t line;   /* of the instruction or of the call, seen from here … */
  uint32_t column; /* … 0: unknown */
  uint64_t copy;   /* 0: unknown */
  enum place_role role; /* of the function */
  bool rest; /* a real function that is the rest of another: the compiler left
                its beginning, which calls it, to be inlined (.part) */
};

enum { SCOPES_AT_MOST = 64 };

struct scopes;
struct scopes *scopes_open(struct lines *l, struct flow *f); /* both live on */
void scopes_close(struct scopes *s);

/* The scopes of the call that returns to `place`, from the outside in; how
 * many, at least one. */
uint32_t scopes_at(struct scopes *s, uint64_t place, struct scope *out);

/*
 * Control went from one place to another of the same activation of the real
 * function, both in `copy`, and passed neither in between.  Is it certain that
 * it did not leave the copy?  If it is not, the second may lie in another
 * execution of the copy: the code stands in a loop.
 */
bool scopes_stayed(struct scopes *s, uint64_t copy, uint64_t from, uint64_t to);

#endif
