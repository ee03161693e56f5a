/*
 * No operation returns anything, so only FL_INVARIANT can see that an update
 * was lost; FL_SHOW prints the two counters into the report.
 *
 * RUN: %s
 * EXIT: 1
 * VERDICT: error
 * FAULT: invariant
 * CLIENT: add\(\).*add\(\)
 * OUTPUT: racy=1 atomic=2
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct counters {
  atomic_int atomic;
  int racy;
};

static struct counters *create(void) {
  return calloc(1, sizeof(struct counters));
}

static void add(struct counters *c) {
  atomic_fetch_add(&c->atomic, 1);
  c->racy++;
}

static bool equal(struct counters *c) {
  return atomic_load(&c->atomic) == c->racy;
}

static void show(struct counters *c) {
  printf("racy=%d atomic=%d\n", c->racy, atomic_load(&c->atomic));
}

FL_OBJECT(counters, create, free)
FL_OP(void, add)
FL_INVARIANT(equal)
FL_SHOW(show)
