/*
 * Changes of a text: what is cut out where, and what is put there; the text
 * that comes out, and the difference as patch(1) and git apply read it.
 *
 * (E1) sorted by place; of equal places, in the order in which they were added.
 * (E2) no two cuts overlap, and nothing is put inside of a cut.
 */
#ifndef SOURCE_EDIT_H
#define SOURCE_EDIT_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct edit {
  size_t at, cut;
  char *text; /* owned; never NULL */
};

struct edits {
  VEC(struct edit) list;
};

/* False, and nothing is added, when it would meet another one (E2). */
bool edits_add(struct edits *e, size_t at, size_t cut, const char *text);
void edits_free(struct edits *e);

void edits_apply(const struct edits *e, const char *text, size_t len,
                 struct buf *out);

/* A unified difference, with three lines around each change; nothing when
 * nothing changes.  `name` is the file's, without a/ and b/. */
void edits_diff(const struct edits *e, const char *text, size_t len,
                const char *name, struct buf *out);

#endif
