/*
 * An account that must not be overdrawn: `withdraw` returns whether it paid.
 * An account for each number, the first argument; `total` is that of all.
 */
#include <faultline/spec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACCOUNTS = 4 };

struct accounts {
  int64_t at[ACCOUNTS];
};

static void *init(const struct fl_datum *argument) {
  if (argument->kind != FL_DATUM_NONE && argument->kind != FL_DATUM_NUMBER)
    return NULL;
  struct accounts *a = calloc(1, sizeof *a);
  for (int i = 0; i < ACCOUNTS; i++)
    a->at[i] = argument->number;
  return a;
}

static bool returned(const struct fl_operation *op, enum fl_datum_kind kind,
                     int64_t number) {
  return op->pending ||
         (op->result.kind == kind && op->result.number == number);
}

static int64_t sum(const struct accounts *a) {
  int64_t s = 0;
  for (int i = 0; i < ACCOUNTS; i++)
    s += a->at[i];
  return s;
}

static size_t apply(const void *state, const struct fl_operation *op,
                    void **next, size_t max) {
  struct accounts a = *(const struct accounts *)state;
  (void)max;
  bool fits = false;
  if (!strcmp(op->name, "total")) {
    fits = returned(op, FL_DATUM_NUMBER, sum(&a));
  } else if (op->nargs > 0 && op->args[0].number >= 0 &&
             op->args[0].number < ACCOUNTS) {
    int64_t *account = &a.at[op->args[0].number];
    if (!strcmp(op->name, "balance")) {
      fits = returned(op, FL_DATUM_NUMBER, *account);
    } else if (!strcmp(op->name, "deposit")) {
      *account += op->args[1].number;
      fits = true;
    } else {
      bool pays = *account >= op->args[1].number;
      fits = returned(op, FL_DATUM_BOOL, pays);
      if (pays)
        *account -= op->args[1].number;
    }
  }
  if (!fits)
    return 0;
  struct accounts *made = malloc(sizeof *made);
  *made = a;
  next[0] = made;
  return 1;
}

static uint64_t hash(const void *state) {
  const struct accounts *a = state;
  uint64_t h = 0;
  for (int i = 0; i < ACCOUNTS; i++)
    h = h * 31 + (uint64_t)a->at[i];
  return h;
}

static bool equal(const void *a, const void *b) {
  return !memcmp(a, b, sizeof(struct accounts));
}

static void print(const void *state, char *text, size_t size) {
  const struct accounts *a = state;
  snprintf(text, size, "%lld %lld %lld %lld", (long long)a->at[0],
           (long long)a->at[1], (long long)a->at[2], (long long)a->at[3]);
}

static bool only_reads(const struct fl_operation *op) {
  return !strcmp(op->name, "balance") || !strcmp(op->name, "total");
}

static int key(const struct fl_operation *op) {
  return strcmp(op->name, "total") ? 0 : -1;
}

const struct fl_model fl_model = {
    .version = FL_MODEL_VERSION,
    .operations = "deposit withdraw balance total",
    .init = init,
    .apply = apply,
    .hash = hash,
    .equal = equal,
    .print = print,
    .release = free,
    .only_reads = only_reads,
    .key = key,
};
