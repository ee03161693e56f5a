/* Between the files of ctext; nobody else includes this. */
#ifndef SOURCE_CTEXT_INT_H
#define SOURCE_CTEXT_INT_H

#include "source/ctext.h"

/* Finds functions and statements among the tokens (ctext_parse.c). */
void ctext_parse(struct ctext *c);

/* Calls `visit` for each line that the preprocessor made of `file`. */
typedef void expanded_visit(void *ctx, uint32_t line, const char *text,
                            size_t len);
void expanded_walk(const char *expanded, const char *file,
                   expanded_visit *visit, void *ctx);

#endif
