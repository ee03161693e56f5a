/*
 * cds_wfcq of userspace-rcu (0.13.2), inlined: enqueue by one xchg; dequeue
 * takes a lock and waits for an enqueue that is half done.
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
#include <urcu/wfcqueue.h>

struct item {
  struct cds_wfcq_node link;
  int value;
};
struct queue {
  struct cds_wfcq_head head;
  struct cds_wfcq_tail tail;
};
static struct queue *make(void) {
  struct queue *q = calloc(1, sizeof *q);
  cds_wfcq_init(&q->head, &q->tail);
  return q;
}
static void drop(struct queue *q) { free(q); }
static bool put(struct queue *q, int v) { /* true: was not empty */
  struct item *i = calloc(1, sizeof *i);
  i->value = v;
  cds_wfcq_node_init(&i->link);
  return cds_wfcq_enqueue(&q->head, &q->tail, &i->link);
}
static int get(struct queue *q) {
  struct cds_wfcq_node *n = cds_wfcq_dequeue_blocking(&q->head, &q->tail);
  return n ? ((struct item *)n)->value : -1;
}

FL_OBJECT(queue, make, drop)
FL_OP(bool, put, FL_DATA(1, 3))
FL_OP(int, get)
