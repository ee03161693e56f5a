/* The files that a step reads, and inputs that no key covers; private to
 * step*.c. */
#ifndef BUILD_STEP_INT_H
#define BUILD_STEP_INT_H

#include "build/step.h"

/* Is it the name of a file in the temporary folder of a link?  (S3) */
bool step_is_made_here(const struct build_step *s, const char *word);

/* False: one of the words makes the result depend on something that no key
 * covers.  (S2) */
bool step_words_are_plain(const struct build_step *s);

/*
 * Lists the files that the step read, one on a line, each once.  False: the
 * result may depend on something else, or a file may have changed since (S1,
 * S2).
 */
bool step_read_rule(const struct build_step *s, struct buf *files);

/* The second key; false: one of the files cannot be read. */
bool step_result_key(struct hash128 key, const struct buf *files,
                     struct hash128 *out);

bool step_file_hash(const char *path, struct hash128 *out);

#endif
