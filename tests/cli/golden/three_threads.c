/* A list of free blocks without a tag: three threads are needed until a block
 * comes back between another's look and its swap. */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

struct free_block_pool {
  atomic_int first_free_block;
  atomic_int next_free_block[3];
};

static struct free_block_pool *pool_new(void) {
  struct free_block_pool *p = calloc(1, sizeof *p);
  atomic_init(&p->first_free_block, 1);
  atomic_init(&p->next_free_block[0], 2);
  atomic_init(&p->next_free_block[1], 3);
  return p;
}
static void pool_delete(struct free_block_pool *p) { free(p); }

static int get(struct free_block_pool *p) {
  int first = atomic_load(&p->first_free_block);
  while (first) {
    int next = atomic_load(&p->next_free_block[first - 1]);
    if (atomic_compare_exchange_strong(&p->first_free_block, &first, next))
      break;
  }
  return first;
}

static void put(struct free_block_pool *p, int block) {
  int first = atomic_load(&p->first_free_block);
  do
    atomic_store(&p->next_free_block[block - 1], first);
  while (!atomic_compare_exchange_strong(&p->first_free_block, &first, block));
}

static atomic_int owner[4];

static int take(struct free_block_pool *p) {
  int block = get(p);
  if (block && atomic_exchange(&owner[block], 1))
    abort(); /* two owners */
  return block != 0;
}

static void take_and_give(struct free_block_pool *p) {
  int block = get(p);
  if (block)
    put(p, block);
}

FL_OBJECT(pool, pool_new, pool_delete)
FL_OP(int, take)
FL_OP(void, take_and_give)
