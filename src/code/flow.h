/*
 * Control flow of an object's functions, read from the machine code: which
 * visible accesses an operation can make in which order (see tree.h).
 *
 * A visible access is a call of a hook or of a modelled library function.  What
 * is counted too much: hooks on memory that the runtime then finds to be the
 * thread's own.  Calls into the same object are followed, recursion is cut.
 */
#ifndef CODE_FLOW_H
#define CODE_FLOW_H

#include "code/tree.h"

struct flow;

/* Decodes the whole object; `l` must live as long. */
struct flow *flow_open(struct lines *l, struct error *e);
void flow_close(struct flow *f);

/* The entry of a function by its name; 0: there is none. */
uint64_t flow_find(const struct flow *f, const char *name);

/* False when there is no code at `entry` (an offset into the object). */
bool flow_tree_of(struct flow *f, uint64_t entry, struct flow_tree *out);

#endif
