/*
 * Classes of java.util.concurrent.  Results are what Java prints: collections
 * are built as texts and compared without regard to blanks, since toString
 * separates by ", " and toArray by ",".  Exceptions are the names of their
 * classes without the package.
 */
#ifndef SPEC_TYPE_JUC_H
#define SPEC_TYPE_JUC_H

#include "spec/type_int.h"

#define JAVA_NO_SUCH_ELEMENT "NoSuchElementException"
#define JAVA_ILLEGAL_STATE "IllegalStateException"
#define JAVA_ILLEGAL_ARGUMENT "IllegalArgumentException"

datum java_exception(const char *class);
void java_print(datum d, struct buf *out);
/* The text as an answer; false: it is not the result that is known.  Clears the
 * buffer. */
bool java_text(struct buf *text, const struct type_op *op, datum *answer);
/* Whether the list, an argument of addAll and the like, has the element. */
bool java_has(const struct known_type *k, datum list, datum element);

#endif
