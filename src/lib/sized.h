/*
 * Structs that begin with their size (include/faultline/check.h).  The caller's
 * one may be older and shorter than ours, or newer and longer.
 */
#ifndef LIB_SIZED_H
#define LIB_SIZED_H

#include "base/err.h"

/* ERR_USAGE: the size was not set, or cannot be that of a `what`. */
int sized_valid(const void *from, const char *what, struct error *e);

/* A valid struct of the caller's, in `known` bytes of ours: fields that are not
 * there are zero.  ERR_USAGE: a field that we do not know is not zero. */
int sized_read(void *to, size_t known, const void *from, const char *what,
               struct error *e);

/* Ours, into a valid one of the caller's, whose size stays as it is. */
void sized_write(void *to, const void *from, size_t known);

#endif
