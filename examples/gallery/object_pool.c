/*
 * A pool of slots with a lock-free free list, as allocators of packets and
 * handles have.  The head carries a number that every change increments.
 *
 * Wrong: without that number.  While one thread is about to replace the head A
 * by its successor B, others take A and B and give A back: the head is A again,
 * the exchange succeeds, and B, which is in use, is the next to be taken (ABA).
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: next
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { SLOTS = 3, NONE = -1 };

struct pool {
  _Atomic uint64_t head; /* slot + 1, and a number above it */
  atomic_int next[SLOTS];
};

static struct pool *pool_new(void) {
  struct pool *p = calloc(1, sizeof *p);
  for (int i = 0; i < SLOTS; i++)
    atomic_init(&p->next[i], i + 1 < SLOTS ? i + 1 : NONE);
  atomic_init(&p->head, 1);
  return p;
}

static int slot_of(uint64_t head) { return (int)(uint32_t)head - 1; }

static uint64_t head_with(uint64_t old, int slot) {
#ifdef WRONG
  (void)old;
  return (uint32_t)(slot + 1);
#else
  return ((old >> 32) + 1) << 32 | (uint32_t)(slot + 1);
#endif
}

static int take(struct pool *p) {
  uint64_t head = atomic_load(&p->head);
  for (;;) {
    int slot = slot_of(head);
    if (slot == NONE)
      return NONE;
    int next = atomic_load(&p->next[slot]); /* next */
    if (atomic_compare_exchange_weak(&p->head, &head, head_with(head, next)))
      return slot;
  }
}

static void give(struct pool *p, int slot) {
  uint64_t head = atomic_load(&p->head);
  do
    atomic_store(&p->next[slot], slot_of(head));
  while (!atomic_compare_exchange_weak(&p->head, &head, head_with(head, slot)));
}

/* Harness: a thread gives back only what it has taken. */
struct user {
  int held[SLOTS * 2], count;
};

static void *enter(struct pool *p) {
  (void)p;
  return calloc(1, sizeof(struct user));
}

static void leave(struct pool *p, void *user) {
  (void)p;
  free(user);
}

static int take_one(struct pool *p) {
  struct user *u = fl_thread();
  int slot = take(p);
  if (slot != NONE)
    u->held[u->count++] = slot;
  return slot;
}

/* The one that this thread took first. */
static bool give_back(struct pool *p) {
  struct user *u = fl_thread();
  if (!u->count)
    return false;
  give(p, u->held[0]);
  u->count--;
  for (int i = 0; i < u->count; i++)
    u->held[i] = u->held[i + 1];
  return true;
}

FL_OBJECT(pool, pool_new, free)
FL_THREAD(enter, leave)
FL_OP(int, take_one)
FL_OP(bool, give_back)
