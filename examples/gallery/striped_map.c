/*
 * A hash map with one lock for each stripe of buckets, as caches and symbol
 * tables have it.
 *
 * Wrong: put_if_absent() looks first, with the lock, and puts then, with the
 * lock again.  Each half is safe, together they are not: two threads find the
 * key absent, and both are told that they put it.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: look
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { STRIPES = 2, BUCKETS = 2, ABSENT = -1 };

struct entry {
  int key, value;
  struct entry *next;
};

struct map {
  pthread_mutex_t locks[STRIPES];
  struct entry *buckets[BUCKETS];
};

static struct map *map_new(void) {
  struct map *m = calloc(1, sizeof *m);
  for (int i = 0; i < STRIPES; i++)
    pthread_mutex_init(&m->locks[i], NULL);
  return m;
}

static pthread_mutex_t *lock_of(struct map *m, int key) {
  return &m->locks[(unsigned)key % STRIPES];
}

/* Where the key's entry hangs, or would; the stripe is locked. */
static struct entry **find(struct map *m, int key) {
  struct entry **at = &m->buckets[(unsigned)key % BUCKETS];
  while (*at && (*at)->key != key)
    at = &(*at)->next;
  return at;
}

static void insert(struct entry **at, int key, int value) {
  struct entry *e = malloc(sizeof *e);
  *e = (struct entry){key, value, *at};
  *at = e;
}

static int get(struct map *m, int key) {
  pthread_mutex_lock(lock_of(m, key));
  struct entry *e = *find(m, key);
  int value = e ? e->value : ABSENT;
  pthread_mutex_unlock(lock_of(m, key));
  return value;
}

static bool put_if_absent(struct map *m, int key, int value) {
#ifdef WRONG
  if (get(m, key) != ABSENT) /* look */
    return false;
  pthread_mutex_lock(lock_of(m, key));
  insert(&m->buckets[(unsigned)key % BUCKETS], key, value);
  pthread_mutex_unlock(lock_of(m, key));
  return true;
#else
  pthread_mutex_lock(lock_of(m, key));
  struct entry **at = find(m, key);
  bool absent = !*at;
  if (absent)
    insert(at, key, value);
  pthread_mutex_unlock(lock_of(m, key));
  return absent;
#endif
}

static bool remove_key(struct map *m, int key) {
  pthread_mutex_lock(lock_of(m, key));
  struct entry **at = find(m, key), *e = *at;
  if (e)
    *at = e->next;
  pthread_mutex_unlock(lock_of(m, key));
  free(e);
  return e;
}

FL_OBJECT(map, map_new, free)
FL_OP(int, get, FL_INT(1, 2))
FL_OP(bool, put_if_absent, FL_INT(1, 2), FL_DATA(1, 3))
FL_OP(bool, remove_key, FL_INT(1, 2))
FL_SPEC(map, get = get, put_if_absent = put_if_absent, remove = remove_key,
        absent = -1)
