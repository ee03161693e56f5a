/*
 * A bag of small numbers: `take` returns any that is there, and a pending one
 * may have taken any: several states can follow.
 */
#include <faultline/spec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 20 };

struct bag {
  unsigned char count[NUMBERS];
};

static struct bag *changed(const struct bag *b, int64_t number, int by) {
  struct bag *made = malloc(sizeof *made);
  *made = *b;
  made->count[number] = (unsigned char)(made->count[number] + by);
  return made;
}

static void *init(const struct fl_datum *argument) {
  (void)argument;
  return calloc(1, sizeof(struct bag));
}

static size_t apply(const void *state, const struct fl_operation *op,
                    void **next, size_t max) {
  const struct bag *b = state;
  if (!strcmp(op->name, "put")) {
    next[0] = changed(b, op->args[0].number, 1);
    return 1;
  }
  size_t n = 0;
  for (int i = 0; i < NUMBERS; i++)
    if (b->count[i] && (op->pending || op->result.number == i)) {
      if (n < max)
        next[n] = changed(b, i, -1);
      n++;
    }
  return n;
}

/* As bad as a hash can be: states are told apart by `equal`. */
static uint64_t hash(const void *state) {
  (void)state;
  return 0;
}

static bool equal(const void *a, const void *b) {
  return !memcmp(a, b, sizeof(struct bag));
}

static void print(const void *state, char *text, size_t size) {
  const struct bag *b = state;
  size_t at = 0;
  for (int i = 0; i < NUMBERS; i++)
    for (int k = 0; k < b->count[i] && at < size; k++)
      at += (size_t)snprintf(text + at, size - at, "%s%d", at ? " " : "", i);
}

const struct fl_model fl_model = {
    .version = FL_MODEL_VERSION,
    .init = init,
    .apply = apply,
    .hash = hash,
    .equal = equal,
    .print = print,
    .release = free,
};
