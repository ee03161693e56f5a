/*
 * Memory of one phase: allocated piecemeal, freed at once.  An arena is either
 * private (grows without limit, dies when the machine has no memory) or laid
 * over a fixed region, such as one that outlives a worker process; there
 * arena_alloc returns NULL when the region is full.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
  char *next, *end;
  struct arena_chunk *chunks; /* private arenas */
  char *fixed;                /* start of the region of a fixed arena */
};

void arena_init_fixed(struct arena *a, void *region, size_t size);
void *arena_alloc(struct arena *a, size_t size); /* zeroed, 16-aligned */
void *arena_room(struct arena *a, size_t size);  /* the same, not zeroed */
void *arena_copy(struct arena *a, const void *from, size_t size);
char *arena_strdup(struct arena *a, const char *s); /* NULL gives NULL */
void arena_reset(struct arena *a); /* forgets everything, keeps a chunk */
void arena_free(struct arena *a);

#endif
