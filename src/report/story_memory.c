/* The heap of the execution: the names of its blocks. */
#include "report/story_int.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* `node#1` of `node#1.next`: a block with one field is named by that. */
static void cut_name(struct buf *b) {
  char *hash = b->len ? strchr(b->at, '#') : NULL;
  if (!hash)
    return;
  for (hash++; isdigit((unsigned char)*hash);)
    hash++;
  *hash = '\0';
  b->len = (size_t)(hash - b->at);
}

void story_make_memory(struct story *s, const struct story_namer *n) {
  const struct trace *t = &s->result->finding->trace;
  struct buf b = {0};
  s->blocks = arena_alloc(&s->arena, (t->nblocks + 1) * sizeof *s->blocks);
  for (uint32_t i = 0; i < t->nblocks; i++) {
    const struct block *k = &t->blocks[i];
    uint32_t at = k->alloc_event == UINT32_MAX ? 0 : k->alloc_event;
    n->location(n->ctx, k->base, k->size, at, &b);
    cut_name(&b);
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
