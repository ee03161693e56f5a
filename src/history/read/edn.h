/* Values in EDN, as data. */
#ifndef HISTORY_READ_EDN_H
#define HISTORY_READ_EDN_H

#include "base/map128.h"
#include "history/read/token.h"

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

/*
 * The keys of a map: each stands there once.  They are on the reader's stack,
 * those of a map inside of it above them; many are found by their hash.
 */
struct edn_keys {
  uint32_t base;
  struct map128 many;
};
void edn_keys_begin(struct reader *r, struct edn_keys *k);
/* BAD when it was there before; `at` is where it begins. */
int edn_keys_add(struct reader *r, struct edn_keys *k, datum key,
                 const char *at);
void edn_keys_end(struct reader *r, struct edn_keys *k);

/* Space, brackets, quotes, the end. */
extern const bool edn_ends_token[256];
static inline const char *edn_token_end(const char *s) {
  while (!edn_ends_token[(unsigned char)*s])
    s++;
  return s;
}

#endif
