/*
 * Types whose state is the number of one tree (type_tree.h):
 *     set        element -> 1
 *     multiset   element -> how often
 *     snapshot   index -> value + 1
 *     map        key -> value + 1
 *     pqueue     priority -> number of a tree value -> how often
 */
#ifndef SPEC_TYPE_KEYED_H
#define SPEC_TYPE_KEYED_H

#include "base/map128.h"
#include "spec/type_int.h"
#include "spec/type_tree.h"

struct keyed {
  struct known_type known;
  struct trees trees;
  struct trees bags;   /* a priority queue's values of one priority */
  struct map128 lists; /* lists that results show, as trees */
  uint32_t segments;   /* of a snapshot; UINT32_MAX: as many as are written */
};

struct keyed *keyed_new(const char *name, const char *shape,
                        const struct op_def *defs, known_apply *apply);

/* The number that `make` gives for a list, made once. */
uint32_t keyed_list(struct keyed *s, datum list,
                    uint32_t (*make)(struct keyed *s,
                                     const struct datum_box *list));

/* For tree_each over trees of counts: all elements, and how many. */
bool keyed_collect(void *with, datum key, uint64_t count); /* data_list */
bool keyed_add_up(void *with, datum key, uint64_t count);  /* uint64_t */

enum { KEYED_SIZE = 100, KEYED_IS_EMPTY, KEYED_CLEAR, KEYED_ALL };

/* `all`: the names of reading the whole, which gives a list. */
#define KEYED_DEFS(all)                                                        \
  KEYED_SIZE_DEFS, { all, "", KEYED_ALL, ROLE_OTHER, GIVES_VALUE, true }
#define KEYED_SIZE_DEFS                                                        \
  {"size | length", "", KEYED_SIZE, ROLE_OTHER, GIVES_VALUE, true},            \
      {"isempty | empty", "", KEYED_IS_EMPTY, ROLE_OTHER, GIVES_FLAG, true}, { \
    "clear", "", KEYED_CLEAR, ROLE_OTHER, GIVES_NOTHING                        \
  }

/* Size, emptiness and clear, of which `size` is known. */
bool keyed_apply(uint32_t state, const struct type_op *op, uint64_t size,
                 datum *answer, uint32_t *next);

#endif
