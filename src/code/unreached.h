/*
 * The functions and lines of the object that no execution came to, although an
 * operation can: a resize that needs more elements than any client has, an
 * error path.
 *
 * A function is reached when a hook in it was, in its own code or in a copy
 * that the compiler put elsewhere (inlining).  A function without a hook cannot
 * be told of.  Calls through pointers are not followed, so what only they lead
 * to is not told of either.
 *
 * (U1) a function is told of only if one of its hooks would have been noted,
 *      had it been executed: what is named never ran.
 */
#ifndef CODE_UNREACHED_H
#define CODE_UNREACHED_H

#include "base/vec.h"
#include "debug/lines.h"
#include "model/site.h"

struct unreached {
  const char *function, *file; /* belong to the lines */
  uint32_t line;               /* of its first hook */
};
typedef VEC(struct unreached) unreached_list;

/* A line of the user's with a hook.  Lines without an access are not known. */
struct reached_line {
  const char *function, *file; /* belong to the lines */
  uint32_t line;
  bool reached, can; /* can: by an operation */
};
typedef VEC(struct reached_line) reached_line_list;

/* Offsets into the object below which all of its code lies. */
uint64_t unreached_span(const struct lines *l);

/*
 * `sites` are those of the object; `reached` has `span` bytes, of which that of
 * a hook's return address is not 0 if the hook was reached; `entries` are those
 * of the operations.  In the order of addresses; `lines` by file and line, or
 * NULL.
 */
int unreached_find(struct lines *l, const site_list *sites,
                   const uint8_t *reached, uint64_t span,
                   const uint64_t *entries, uint32_t n, unreached_list *out,
                   reached_line_list *lines, struct error *e);

#endif
