/* Rivals: accesses are compared byte by byte and life by life. */
#include "locate/rivals.h"

#include <stdlib.h>

struct used { /* a cell, by blocks of the cause */
  uint32_t read, written;
};

static uint32_t blocks_of(struct cause c, const struct section_trace *s,
                          uint32_t node) {
  const struct section_frame *f = section_frames(s, node);
  uint32_t bits = 0;
  for (uint32_t k = 0; k < section_depth(s, node); k++)
    for (uint32_t b = 0; b < c.nblocks && b < RIVALS_BLOCKS; b++)
      if (code_block_has_line(&c.blocks[b], f[k].file, f[k].function,
                              f[k].line))
        bits |= UINT32_C(1) << b;
  return bits;
}

static bool is_private(const struct trace *t, uint32_t at) {
  const struct event *e = &t->events[at];
  if (e->call == EVENT_NO_CALL)
    return true;
  for (uint32_t i = 0; i < t->nblocks; i++) {
    const struct block *b = &t->blocks[i];
    bool alive = (b->alloc_event == UINT32_MAX || b->alloc_event <= at) &&
                 b->free_event >= at;
    if (alive && e->addr - b->base < b->size)
      return b->alloc_call == e->call + 1;
  }
  return false;
}

void rivals_find(struct rivals *r, const struct trace *t,
                 const struct section_trace *s, struct cause c) {
  const struct conflicts *g = s->conflicts;
  struct used *used = xcalloc((size_t)g->ncells + 1, sizeof *used);
  r->inside = xcalloc((size_t)g->nnodes + 1, sizeof *r->inside);
  r->of = xcalloc((size_t)g->nnodes + 1, sizeof *r->of);
  for (uint32_t n = 0; n < g->nnodes; n++) {
    const struct node *node = &g->nodes[n];
    r->inside[n] = blocks_of(c, s, n);
    for (uint32_t k = 0; k < node->ncells; k++) {
      struct used *u = &used[g->cells[node->cells + k]];
      *(node->writes ? &u->written : &u->read) |= r->inside[n];
    }
  }
  for (uint32_t n = 0; n < g->nnodes; n++) {
    const struct node *node = &g->nodes[n];
    if (is_private(t, node->event))
      continue;
    for (uint32_t k = 0; k < node->ncells; k++) {
      const struct used *u = &used[g->cells[node->cells + k]];
      r->of[n] |= u->written | (node->writes ? u->read : 0);
    }
  }
  free(used);
}

void rivals_free(struct rivals *r) {
  free(r->inside);
  free(r->of);
}
