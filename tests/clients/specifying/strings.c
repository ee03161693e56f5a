/*
 * A map whose keys and values are strings.  BUG=1 puts without the lock.
 *
 * RUN: %s --no-save --ops 1 --init 1 --max-executions 5000 -- -DBUG=0
 * EXIT: 0
 * RUN: %s --no-save --ops 1 --init 1 -- -DBUG=1
 * EXIT: 1
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
    if (!m->at[i].key || !strcmp(m->at[i].key, key))
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

static const char *const text[] = {"a", "ab"};

static void put(struct map *m, int key, int value) {
  map_put(m, text[key], text[value]);
}
static const char *get(struct map *m, int key) { return map_get(m, text[key]); }

FL_OP(void, put, FL_INT(0, 1), FL_DATA(0, 1))
FL_OP(const char *, get, FL_INT(0, 1))
