/*
 * calloc with qsort, realloc and snprintf, as ordinary code uses them, behind
 * a lock.
 *
 * RUN: %s --client '{insert(2)} || {insert(1)} || {text()}; text()'
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
  pthread_mutex_t lock;
  size_t count;
  int *values;
  char text[64];
};

static struct list *list_new(void) {
  struct list *l = calloc(1, sizeof *l);
  pthread_mutex_init(&l->lock, NULL);
  l->values = calloc(1, sizeof *l->values);
  return l;
}

static void list_free(struct list *l) {
  free(l->values);
  pthread_mutex_destroy(&l->lock);
  free(l);
}

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static void insert(struct list *l, int value) {
  pthread_mutex_lock(&l->lock);
  l->values = realloc(l->values, (l->count + 1) * sizeof *l->values);
  l->values[l->count++] = value;
  qsort(l->values, l->count, sizeof *l->values, compare);
  pthread_mutex_unlock(&l->lock);
}

static const char *text(struct list *l) {
  static __thread char copy[64];
  pthread_mutex_lock(&l->lock);
  size_t len = 0;
  l->text[0] = '\0';
  for (size_t i = 0; i < l->count; i++)
    len += (size_t)snprintf(l->text + len, sizeof l->text - len, "%d,",
                            l->values[i]);
  strcpy(copy, l->text);
  pthread_mutex_unlock(&l->lock);
  return copy;
}

FL_OBJECT(list, list_new, list_free)
FL_OP(void, insert, FL_INT(1, 2))
FL_OP(const char *, text)
