/*
 * A map whose keys and values are strings.  BUG=1 puts without the lock,
 * BUG=2 takes a key for another one that it is the beginning of.
 *
 * RUN: %s --no-save --ops 1 --init 1 --max-executions 5000 -- -DBUG=0
 * EXIT: 0
 * RUN: %s --no-save --ops 1 --init 1 -- -DBUG=1
 * EXIT: 1
 * RUN: %s --no-save --ops 1 --init 1 -- -DBUG=2
 * EXIT: 1
 * CLIENT: map_put\("ab?", "x"\); map_get\("ab?"\)
 */
#include <faultline.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  const char *key, *value;
};
struct map {
  pthread_mutex_t lock;
  struct entry at[2];
};

static struct map *map_new(void) {
  struct map *m = calloc(1, sizeof *m);
  pthread_mutex_init(&m->lock, NULL);
  return m;
}

static struct entry *find(struct map *m, const char *key) {
  for (int i = 0; i < 2; i++)
    if (!m->at[i].key || !strncmp(m->at[i].key, key, BUG == 2 ? 1 : 9))
      return &m->at[i];
  return NULL;
}

static void map_put(struct map *m, const char *key, const char *value) {
  if (BUG != 1)
    pthread_mutex_lock(&m->lock);
  struct entry *e = find(m, key);
  e->key = key;
  e->value = value;
  if (BUG != 1)
    pthread_mutex_unlock(&m->lock);
}

static const char *map_get(struct map *m, const char *key) {
  pthread_mutex_lock(&m->lock);
  const char *value = find(m, key) ? find(m, key)->value : NULL;
  pthread_mutex_unlock(&m->lock);
  return value;
}

FL_OBJECT(map, map_new, free)

FL_OP(void, map_put, FL_STRING("a", "ab"), FL_STRING("x", "y"))
FL_OP(const char *, map_get, FL_STRING("a", "ab"))
FL_SPEC(map, put = map_put, get = map_get, absent = NULL)
