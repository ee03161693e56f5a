/* What the parser of options and their help share. */
#ifndef BASE_OPT_INTERNAL_H
#define BASE_OPT_INTERNAL_H

#include "base/opt.h"

/* "a, b or c" */
void opt_list_choices(const struct opt *o, struct buf *out);

#endif
