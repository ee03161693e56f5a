/*
 * A cache of two entries that drops the one that was used longest ago.
 *
 * Wrong: get() takes the lock for reading only: "it just looks up".  But it
 * moves the entry to the front, and two readers do that at the same time.
 * This bug comes with the change from a mutex to a readers-writer lock.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * VERDICT: violation error
 * BLAME: front
 */
#include <faultline.h>
#include <pthread.h>
#include <stdlib.h>

enum { CAPACITY = 2, ABSENT = -1 };

struct entry {
  int key, value;
  struct entry *next;
};

struct cache {
  pthread_rwlock_t lock;
  struct entry *first; /* the one that was used last */
};

static struct cache *cache_new(void) {
  struct cache *c = calloc(1, sizeof *c);
  pthread_rwlock_init(&c->lock, NULL);
  return c;
}

/* Takes the key's entry out of the list. */
static struct entry *take_out(struct cache *c, int key) {
  struct entry **at = &c->first, *e;
  while ((e = *at) && e->key != key)
    at = &e->next;
  if (e)
    *at = e->next;
  return e;
}

static void put_first(struct cache *c, struct entry *e) {
  e->next = c->first;
  c->first = e;
}

static void drop_last(struct cache *c) {
  struct entry **at = &c->first;
  int n = 0;
  for (; *at && n < CAPACITY; n++)
    at = &(*at)->next;
  struct entry *last = *at;
  *at = NULL;
  free(last);
}

static int get(struct cache *c, int key) {
#ifdef WRONG
  pthread_rwlock_rdlock(&c->lock);
#else
  pthread_rwlock_wrlock(&c->lock);
#endif
  struct entry *e = take_out(c, key); /* front */
  int value = e ? e->value : ABSENT;
  if (e)
    put_first(c, e);
  pthread_rwlock_unlock(&c->lock);
  return value;
}

static void put(struct cache *c, int key, int value) {
  pthread_rwlock_wrlock(&c->lock);
  struct entry *e = take_out(c, key);
  if (!e)
    e = malloc(sizeof *e);
  e->key = key;
  e->value = value;
  put_first(c, e);
  drop_last(c);
  pthread_rwlock_unlock(&c->lock);
}

FL_OBJECT(cache, cache_new, free)
FL_OP(int, get, FL_INT(1, 3))
FL_OP(void, put, FL_INT(1, 3), FL_DATA(1, 2))
