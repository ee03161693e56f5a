/*
 * What the functions of an object are to the fault that is looked for
 * (model/place.h), found in its machine code.
 *
 * A primitive is a function of the user's that makes one access, one atomic
 * operation or one operation of a lock, and no loop around it.  Calls count
 * with what they make: load() that calls std::atomic::load() is a primitive.
 * An access of a thread's own stack is none (`expected` of a compare-and-swap).
 *
 *     static inline int load(atomic_int *p) { return atomic_load(p); }
 *
 * A file is the test's when it registers operations (FL_OP), its code
 * synchronises nothing by itself (no atomic access, no lock), and operations
 * come to a function with several accesses in another of the user's files:
 * there is the object.  With plain accesses of its own it can be either.  An
 * object and its operations in one file: no test.
 */
#ifndef CODE_ROLES_H
#define CODE_ROLES_H

#include "debug/lines.h"
#include "model/site.h"

/*
 * Sets the roles of the functions that the operations come to.  `entries` are
 * those of the operations; without any, all functions are looked at.
 */
int roles_find(struct lines *l, const site_list *sites, const uint64_t *entries,
               uint32_t n, struct error *e);

#endif
