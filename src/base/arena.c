/* Arenas: chunks from the heap, or one region that was given. */
#include "base/arena.h"

#include "base/err.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 8 << 20 };

struct arena_chunk {
  struct arena_chunk *older;
  size_t size; /* of the room behind the header */
};

static_assert(sizeof(struct arena_chunk) % ALIGNMENT == 0,
              "the room behind the header must be aligned");

static char *room(struct arena_chunk *c) { return (char *)(c + 1); }

void arena_init_fixed(struct arena *a, void *region, size_t size) {
  uintptr_t start = (uintptr_t)region;
  size_t skip = -start & (ALIGNMENT - 1);
  assert(skip <= size);
  *a = (struct arena){.next = (char *)region + skip,
                      .end = (char *)region + size,
                      .fixed = (char *)region + skip};
}

/* Chunks double in size, so that their number stays small. */
static void grow(struct arena *a, size_t need) {
  size_t size = a->chunks ? a->chunks->size * 2 : FIRST_CHUNK;
  if (size > LARGEST_CHUNK)
    size = LARGEST_CHUNK;
  if (size < need)
    size = need;
  struct arena_chunk *c = xmalloc(sizeof *c + size);
  c->older = a->chunks;
  c->size = size;
  a->chunks = c;
  a->next = room(c);
  a->end = room(c) + size;
}

/* Room for `size` bytes, not zeroed. */
static void *take(struct arena *a, size_t size) {
  if (size > PTRDIFF_MAX - ALIGNMENT)
    die("out of memory (%zu bytes wanted)", size);
  size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  if ((size_t)(a->end - a->next) < size || !a->next) {
    if (a->fixed)
      return NULL;
    grow(a, size);
  }
  char *p = a->next;
  a->next += size;
  return p;
}

void *arena_room(struct arena *a, size_t size) { return take(a, size); }

void *arena_alloc(struct arena *a, size_t size) {
  void *p = take(a, size);
  return p ? memset(p, 0, size) : NULL;
}

void *arena_copy(struct arena *a, const void *from, size_t size) {
  void *p = take(a, size);
  if (p && size)
    memcpy(p, from, size);
  return p;
}

char *arena_strdup(struct arena *a, const char *s) {
  return s ? arena_copy(a, s, strlen(s) + 1) : NULL;
}

/* Frees `c` and the chunks before it. */
static void free_chunks(struct arena_chunk *c) {
  while (c) {
    struct arena_chunk *older = c->older;
    free(c);
    c = older;
  }
}

void arena_reset(struct arena *a) {
  if (a->fixed) {
    a->next = a->fixed;
  } else if (a->chunks) {
    /* The newest chunk is kept: phases of one kind soon fit into one. */
    free_chunks(a->chunks->older);
    a->chunks->older = NULL;
    a->next = room(a->chunks);
  }
}

void arena_free(struct arena *a) {
  free_chunks(a->chunks);
  *a = (struct arena){0};
}
