/* What one event needs of others: names, calls and returns, times. */
#ifndef HISTORY_READ_PAIR_H
#define HISTORY_READ_PAIR_H

#include "history/read/int.h"

/* The number of a name; -1: there are too many, or it is not valid text. */
int name_number(struct reader *r, const char *text, size_t len);

/* The number of the name at p that ends with one of `end`, if it is known and
 * short; -1: use name_number. */
static inline int quick_name(const struct reader *r, const char *p,
                             const bool end[256], uint32_t *len) {
  uint64_t word;
  memcpy(&word, p, 8);
  for (uint32_t i = 0; i < r->names.len && i < 8; i++) {
    const struct reader_name *n = &r->names.at[i];
    if ((word & n->mask) == n->word && end[(unsigned char)p[n->len]]) {
      *len = n->len;
      return (int)i;
    }
  }
  return -1;
}

int bad_name(struct reader *r, const char *at); /* name_number has failed */

static inline uint32_t reader_calls_hash(void *ctx, uint32_t process) {
  (void)ctx;
  return (process * 2654435769u) >> 7;
}
/* Where the search for a process in r->calls begins. */
static inline struct reader_call *first_call(const struct reader *r,
                                             uint32_t process) {
  return &r->calls.slots[reader_calls_hash(NULL, process) & r->calls.mask];
}

static inline void call_begins(struct reader_call *c, uint16_t name,
                               uint32_t line, uint64_t id) {
  c->open = true;
  c->name = name;
  c->line = line;
  c->id = id;
  c->value = DATUM_NONE;
}

/* The process calls an operation; refuses impossible calls. */
int pair_call(struct reader *r, const char *at, uint32_t process, uint16_t name,
              uint64_t id, struct reader_call **out);
/* The call of the process ends.  `name`: that of the return; -1: it has none.
 */
int pair_end(struct reader *r, const char *at, uint32_t process, int name,
             uint64_t id, bool crashes, struct reader_call **out);
/* Checks that times and indices grow; NO_STAMP: the event has none. */
int check_time(struct reader *r, const char *at, int64_t time, int64_t index);
void forget_history(struct reader *r); /* a new one begins */

#endif
