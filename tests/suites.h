/*
 * Suites without code, for tests of specifications and checkers: a row for each
 * operation, as FL_OP would make it, and the text of FL_SPEC.
 */
#ifndef TESTS_SUITES_H
#define TESTS_SUITES_H

#include "model/history.h"

#include <faultline.h>
#include <stdbool.h>
#include <string.h>

enum { SUITE_MAX_OPS = 12 };

struct suite_op {
  const char *name;
  enum fl_type type;
  unsigned size;
  unsigned nargs;
  bool blocking;
  /* It returns a bool and, in an output parameter, an int64_t. */
  bool out;
};

struct suite {
  struct fl_suite suite;
  struct fl_op ops[SUITE_MAX_OPS];
  struct fl_item items[SUITE_MAX_OPS][FL_MAX_ARGS + 2];
  uint32_t nops;
};

/* Operation i stands in line 10 + i of "h.c", FL_SPEC in line 99; arguments
 * are lo … hi. */
static inline struct fl_suite *suite_make(struct suite *s, const char *spec,
                                          const char *roles,
                                          const struct suite_op *ops,
                                          uint32_t nops, long long lo,
                                          long long hi) {
  memset(s, 0, sizeof *s);
  s->suite = (struct fl_suite){.abi = FL_ABI,
                               .name = "object",
                               .file = "h.c",
                               .line = 1,
                               .spec = spec,
                               .spec_roles = roles,
                               .spec_line = 99,
                               .ops = nops ? s->ops : NULL};
  s->nops = nops;
  for (uint32_t i = 0; i < nops; i++) {
    struct fl_op *op = &s->ops[i];
    *op = (struct fl_op){.name = ops[i].name,
                         .file = "h.c",
                         .line = (int)(10 + i),
                         .type = ops[i].type,
                         .size = ops[i].size,
                         .items = s->items[i],
                         .next = i + 1 < nops ? op + 1 : NULL};
    if (ops[i].out) {
      op->returns = FL_TYPE_BOOL;
      op->returned = 1;
      op->type = FL_TYPE_STRING; /* as parts_settle makes it */
      op->size = sizeof(char *);
      s->items[i][op->nitems++] = (struct fl_item){
          .kind = FL_ITEM_OUT, .lo = FL_TYPE_INT, .count = sizeof(int64_t)};
    }
    if (ops[i].blocking)
      s->items[i][op->nitems++].kind = FL_ITEM_BLOCKING;
    for (unsigned a = 0; a < ops[i].nargs; a++)
      s->items[i][op->nitems++] =
          (struct fl_item){.kind = FL_ITEM_RANGE, .lo = lo, .hi = hi};
  }
  return &s->suite;
}

#endif
