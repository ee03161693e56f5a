/*
 * cds_lfs_stack of userspace-rcu (0.13.2), inlined, with atomic instructions
 * in inline assembly; its pop takes a lock.
 *
 * Faultline: no fault.
 *
 * PACKAGE: liburcu-dev
 * RUN: %s -- -lurcu-common
 * EXIT: 0
 * VERDICT: pass
 */
#define _LGPL_SOURCE
#include <faultline.h>

#include <stdlib.h>
#include <urcu/lfstack.h>

struct item {
  struct cds_lfs_node link;
  int value;
};
static struct cds_lfs_stack *make(void) {
  struct cds_lfs_stack *s = calloc(1, sizeof *s);
  cds_lfs_init(s);
  return s;
}
static void drop(struct cds_lfs_stack *s) { free(s); }
static bool push(struct cds_lfs_stack *s, int v) { /* true: was not empty */
  struct item *i = calloc(1, sizeof *i);
  i->value = v;
  cds_lfs_node_init(&i->link);
  return cds_lfs_push(s, &i->link);
}
static int pop(struct cds_lfs_stack *s) {
  struct cds_lfs_node *n = cds_lfs_pop_blocking(s);
  return n ? ((struct item *)n)->value : -1;
}

FL_OBJECT(stack, make, drop)
FL_OP(bool, push, FL_DATA(1, 3))
FL_OP(int, pop)
