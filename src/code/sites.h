/*
 * Which instructions touch memory that others may see, without a hook?  Found
 * in the machine code: an access has a hook if one was called since the last
 * other call with the same address, as far as the code tells (value numbering
 * from one jump target to the next).
 */
#ifndef CODE_SITES_H
#define CODE_SITES_H

#include "code/code.h"
#include "model/site.h"

struct site_search;

struct site_search *sites_new(site_list *out);
void sites_free(struct site_search *s);

/* Called for each instruction of a function, in order … */
void sites_visit(struct site_search *s, const struct code_insn *i);
/* … and at its end: adds its sites. */
void sites_end(struct site_search *s);
/* The function is none of the user's. */
void sites_drop(struct site_search *s);

#endif
