/*
 * Traces that files tell (docs/trace.md), of this tool or of another, ready for
 * locate/: their conflicts, and the frames of the code that every access ran
 * in, from the places and calls of the events.
 *
 * An access that has no place in the source is known by its operation: each
 * access has a frame for that outside of all others, whose "lines" are the
 * numbers of the accesses in the operation, from 1.  It is blamed when nothing
 * better is there.
 *
 * (T1) traces in which threads did the same at the same lines, and every access
 *      came after the same others, are kept once; addresses may differ.
 */
#ifndef LOCATE_TRACE_SET_H
#define LOCATE_TRACE_SET_H

#include "base/map128.h"
#include "locate/blame.h"
#include "model/trace_file.h"

/* Instead of a file, in a block of accesses of an operation. */
#define TRACE_SET_ACCESSES "(accesses)"

struct trace_set {
  VEC(struct trace_file) files; /* names live in them */
  located_list traces;
  struct map128 known; /* T1 */
  struct arena arena;
};

/*
 * The traces of one more file.  In a file of good ones all are, and one whose
 * verdict says otherwise is an error; in others those are good that say so.
 */
int trace_set_read(struct trace_set *x, const char *path, bool good,
                   struct error *e);
void trace_set_free(struct trace_set *x);
/* Tells rounds of loops apart in all traces (section.h). */
void trace_set_find_rounds(struct trace_set *x, struct loops *loops);

/* Whether operations are interrupted such that no order of whole ones has the
 * same conflicts: then, and only then, there are eliminators. */
bool conflicts_have_cycle(const struct conflicts *c);

#endif
