/*
 * A hash table with open addressing that only grows: a key claims an empty slot
 * of its probe sequence once and for all, then its value is stored.
 *
 * Wrong: the slot is claimed by a store after it was seen empty.  Two keys with
 * the same slot claim it both; the first one is lost, and its value becomes the
 * other one's.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: claim
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 4, FREE = 0, ABSENT = 0 };

struct map {
  struct {
    atomic_int key, value;
  } slots[SIZE];
};

static struct map *map_new(void) { return calloc(1, sizeof(struct map)); }

static int home(int key) { return key % 2; }

static void put(struct map *m, int key, int value) {
  for (int i = home(key);; i = (i + 1) % SIZE) {
    int found = atomic_load(&m->slots[i].key); /* claim */
#ifdef WRONG
    if (found == FREE) {
      atomic_store(&m->slots[i].key, key);
      found = key;
    }
#else
    if (found == FREE &&
        atomic_compare_exchange_strong(&m->slots[i].key, &found, key))
      found = key;
#endif
    if (found == key) {
      atomic_store(&m->slots[i].value, value);
      return;
    }
  }
}

static int get(struct map *m, int key) {
  for (int i = home(key);; i = (i + 1) % SIZE) {
    int found = atomic_load(&m->slots[i].key);
    if (found == key)
      return atomic_load(&m->slots[i].value);
    if (found == FREE)
      return ABSENT;
  }
}

FL_OBJECT(map, map_new, free)
FL_OP(void, put, FL_INT(1, 3), FL_DATA(1, 3))
FL_OP(int, get, FL_INT(1, 3))
FL_SPEC(map, put = put, get = get, absent = 0)
