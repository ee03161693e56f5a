/* Reads EDN values as data. */
#ifndef HISTORY_READ_EDN_H
#define HISTORY_READ_EDN_H

#include "base/map128.h"
#include "history/read/token.h"

int edn_skip_slowly(struct reader *r);

/* Skips space, commas, comments and #_ forms. */
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
/* *tuple: the value is tagged as a tuple of jepsen.independent. */
int edn_read_tuple(struct reader *r, datum *out, bool *tuple);

/*
 * The keys of a map, which must be distinct.  They are on the reader's stack;
 * the keys of an inner map come above them.  If there are many, a hash finds
 * them.
 */
struct edn_keys {
  uint32_t base;
  struct map128 many;
};
void edn_keys_begin(struct reader *r, struct edn_keys *k);
/* BAD: the map has the key already.  `at` is where the key begins. */
int edn_keys_add(struct reader *r, struct edn_keys *k, datum key,
                 const char *at);
void edn_keys_end(struct reader *r, struct edn_keys *k);

/* Characters that end a token. */
extern const bool edn_ends_token[256];
static inline const char *edn_token_end(const char *s) {
  while (!edn_ends_token[(unsigned char)*s])
    s++;
  return s;
}

#endif
