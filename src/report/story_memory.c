/* The heap of the execution: the names of its blocks. */
#include "report/story_int.h"

#include <assert.h>

void story_make_memory(struct story *s, const struct story_namer *n) {
  const struct trace *t = &s->result->finding->trace;
  struct buf b = {0};
  s->blocks = arena_alloc(&s->arena, (t->nblocks + 1) * sizeof *s->blocks);
  for (uint32_t i = 0; i < t->nblocks; i++) {
    if (n->block)
      n->block(n->ctx, i, &b);
    if (!b.len)
      n->location(n->ctx, t->blocks[i].base, 0, 0, &b);
    s->blocks[i] = story_keep(s, &b);
  }
  buf_free(&b);
}

uint32_t story_block(const struct story *s, uint32_t at) {
  const struct trace *t = &s->result->finding->trace;
  assert(at < t->nevents);
  uint64_t addr = t->events[at].addr;
  for (uint32_t i = t->nblocks; addr && i--;) {
    const struct block *b = &t->blocks[i];
    bool there = b->alloc_event == UINT32_MAX || b->alloc_event <= at;
    if (there && addr - b->base < (b->size ? b->size : 1))
      return i;
  }
  return UINT32_MAX;
}
