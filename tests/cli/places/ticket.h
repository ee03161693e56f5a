/* A ticket lock: several accesses, and not the object. */
#pragma once
#include <stdatomic.h>
struct ticket {
  atomic_uint next, now;
};
static inline void ticket_lock(struct ticket *l) {
  unsigned mine = atomic_fetch_add(&l->next, 1);
  while (atomic_load(&l->now) != mine)
    ;
}
static inline void ticket_unlock(struct ticket *l) {
  atomic_store(&l->now, atomic_load(&l->now) + 1);
}
