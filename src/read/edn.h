/* Values in EDN, as data. */
#ifndef READ_EDN_H
#define READ_EDN_H

#include "read/token.h"

int edn_skip_slowly(struct reader *r);

/* Space, commas, comments, #_ form. */
static inline int edn_skip_space(struct reader *r) {
  const char *p = r->p;
  p += *p == ',';
  p += *p == ' ';
  r->p = p;
  if ((unsigned char)*p > ' ' && *p != ',' && *p != ';' && *p != '#')
    return GOT;
  return edn_skip_slowly(r);
}

int edn_read_value(struct reader *r, datum *out); /* NULL: not wanted */
/* The same, and whether it is tagged as a tuple of jepsen.independent. */
int edn_read_tuple(struct reader *r, datum *out, bool *tuple);

/* Space, brackets, quotes, the end. */
extern const bool edn_ends_token[256];
static inline const char *edn_token_end(const char *s) {
  while (!edn_ends_token[(unsigned char)*s])
    s++;
  return s;
}

#endif
