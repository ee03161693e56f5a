/*
 * The name that the user may have meant by a word that is none: the one that
 * ends in it (`push` for `stack_push` and `stack::push`), else the one that
 * takes the fewest edits, if those are few.
 */
#ifndef MODEL_NEAREST_H
#define MODEL_NEAREST_H

#include "model/client.h"

#include <stddef.h>

/* `word` has n characters and needs no end; NULL when nothing is near. */
const char *nearest_name(const struct op_names *names, const char *word,
                         size_t n);

#endif
