/*
 * Faults that are known and accepted: runs go past them and list them.  An
 * entry is a line,
 *
 *     stack not-linearizable at stack.c:41-42, pop() because items may be lost
 *     stack leak in push(1); {pop()} because the last node is kept
 *
 * object, kind (the identifiers of model/verdict.h), where, and why.  Behind
 * `at` stand lines or functions, behind `in` a client; an entry may have both.
 * Entries of the harness (FL_ACCEPT) have no object in front.  Empty lines and
 * those that begin with # are comments.
 *
 * (A1) a fault is an entry's only if all of it is: it has the kind; each block
 *      of its lines, or each place where it happens, meets one behind `at`;
 *      its client is the one behind `in`.
 *      The entry `at a.c:1-2` is not met by a fault of lines 1-2 and 7.
 */
#ifndef MODEL_ACCEPT_H
#define MODEL_ACCEPT_H

#include "base/vec.h"
#include "model/cause.h"
#include "model/client.h"
#include "model/place.h"
#include "model/verdict.h"

struct accept_place {
  char *file;           /* or NULL: */
  char *function;       /* any line of it */
  uint32_t first, last; /* lines */
};

struct accept {
  char *object; /* NULL: that of the harness's suite is set by the reader */
  enum fault kind;
  VEC(struct accept_place) places;
  char *client; /* or NULL */
  char *reason;
  char *from; /* `accepted.txt:3` */
  bool used;
};
typedef VEC(struct accept) accept_list;

/* Reads one entry; `object` NULL: its text begins with the object.  Else
 * ERR_INPUT, with `from` in front. */
int accept_read(accept_list *to, const char *text, const char *object,
                const char *from, struct error *e);
int accept_read_file(accept_list *to, const char *path, struct error *e);
void accept_free(accept_list *l);

/* A1, for lines and for a place.  No places: false. */
bool accept_has_cause(const struct accept *a, struct cause c);
bool accept_has_place(const struct accept *a, const struct place *p);

/* Is it the same client, but for arguments and the order of threads? */
bool accept_same_client(const struct client *a, const struct client *b);

#endif
