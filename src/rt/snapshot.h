/*
 * Snapshots inside the engine (struct snapshot is rt.h's): what its parts add
 * to one, and large memory, which is copied by the page (pages.c).
 */
#ifndef RT_SNAPSHOT_H
#define RT_SNAPSHOT_H

#include "rt/attributes.h"
#include "rt/rt.h"

#include <stddef.h>

/* Appends n bytes; the snapshot grows. */
void fl__snapshot_put(struct snapshot *s, const void *from, size_t n) FL_HIDDEN;

/* ---- pages.c ---- */

enum pages_area { PAGES_DATA, PAGES_ARENA }; /* the object's data, arena 0 */

void fl__pages_begin(void) FL_HIDDEN; /* the client is prepared */
void fl__pages_end(void) FL_HIDDEN;   /* another one will be */
/* A write to a read-only page: was it the first write to a page of ours?  Then
 * it can be made now. */
bool fl__pages_touch(uint64_t addr) FL_HIDDEN;
/* Is something of [lo, hi) copied by the page? */
bool fl__pages_overlap(uint64_t lo, uint64_t hi) FL_HIDDEN;

/* The area as a part of a snapshot, and back; restoring returns what follows
 * in the snapshot. */
void fl__pages_save(enum pages_area which, struct snapshot *s, uint64_t base,
                    uint64_t size) FL_HIDDEN;
const uint8_t *fl__pages_restore(enum pages_area which, const uint8_t *p,
                                 uint64_t base, uint64_t size) FL_HIDDEN;
/* What a state's hash takes of the area. */
void fl__pages_digest(enum pages_area which, struct snapshot *s, uint64_t base,
                      uint64_t size) FL_HIDDEN;

/* Memory that may hold many zeros: a copy of it, and back. */
void fl__pages_put(struct snapshot *s, uint64_t from, uint64_t to) FL_HIDDEN;
const uint8_t *fl__pages_get(const uint8_t *p, uint64_t from,
                             uint64_t to) FL_HIDDEN;

/* P1 of pages.c; for check_slow. */
bool fl__pages_check_invariants(void) FL_HIDDEN;

#endif
