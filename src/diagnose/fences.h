/*
 * The missing fence.  When a client fails under TSO and passes under SC, the
 * smallest set of places where the store buffer must be empty for the fault to
 * go away, found by trying.
 *
 * In a failing execution some loads were made while stores of their thread were
 * in its buffer: a fence before one of these loads makes that execution
 * impossible, and nothing else does.  So the smallest set of loads that hits
 * all failing executions that are known is tried; another one that fails adds
 * to them.  What is left when none fails is a smallest set.
 */
#ifndef DIAGNOSE_FENCES_H
#define DIAGNOSE_FENCES_H

#include "campaign/object_run.h"

/* Puts the fences into the run's finding, with their price; false: they are not
 * the answer. */
bool fences(struct built *b, struct object_run *r, const struct target *t);

/* Compares the fences with the causes of the finding: what forbids more correct
 * executions comes second, and of causes that do only the best is kept.  False:
 * the fences come second. */
bool fences_weigh(struct finding *f);

#endif
