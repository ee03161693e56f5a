/* Between the files of ctext; nobody else includes this. */
#ifndef SOURCE_CTEXT_INT_H
#define SOURCE_CTEXT_INT_H

#include "source/ctext.h"

/* Finds functions and statements among the tokens (ctext_parse.c). */
void ctext_parse(struct ctext *c);

#endif
