/* The names that the object's debug information knows. */
#ifndef REPORT_NAMER_H
#define REPORT_NAMER_H

#include "debug/lines.h"
#include "report/story.h"

struct namer {
  struct lines *lines;
  struct names *names; /* NULL when there is no trace to name things of */
  uint64_t base;
};

/* Fills `out`, whose ctx is `n`; both must live as long as it is used. */
void namer_open(struct namer *n, struct lines *lines, const struct result *r,
                struct story_namer *out);
void namer_close(struct namer *n);

#endif
