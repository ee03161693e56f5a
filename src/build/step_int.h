/* What a step reads, and what it must not depend on: inside of step.c. */
#ifndef BUILD_STEP_INT_H
#define BUILD_STEP_INT_H

#include "build/step.h"

/* Is it the name of a file in the folder of what is in the making?  (S3) */
bool step_is_made_here(const struct build_step *s, const char *word);

/* False: one of the words makes the result depend on what no key has.  (S2) */
bool step_words_are_plain(const struct build_step *s);

/*
 * The files that the step read, each on a line and once.  False: it is not sure
 * that the result depends on these as they are now, and on nothing else.
 */
bool step_read_rule(const struct build_step *s, struct buf *files);

/* The second key; false: one of the files cannot be read. */
bool step_result_key(struct hash128 key, const struct buf *files,
                     struct hash128 *out);

bool step_file_hash(const char *path, struct hash128 *out);

#endif
