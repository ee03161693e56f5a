/*
 * A specification of one's own for `faultline check`: a door that is opened and
 * closed, where each call returns whether the door moved.  docs/specs.md shows
 * how it is used, faultline/spec.h describes the members.
 */
#include <faultline/spec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *init(const struct fl_datum *arg) {
  return calloc(1, sizeof(bool));
}
static size_t apply(const void *state, const struct fl_operation *op,
                    void **next, size_t max) {
  bool opens = !strcmp(op->name, "open"), moves = opens != *(const bool *)state;
  if (!op->pending && op->result.number != moves)
    return 0; /* it cannot come next and return that */
  bool *made = next[0] = malloc(sizeof *made);
  *made = opens;
  return 1;
}
static uint64_t hash(const void *state) { return *(const bool *)state; }
static bool equal(const void *a, const void *b) { return hash(a) == hash(b); }
static void print(const void *state, char *text, size_t size) {
  snprintf(text, size, hash(state) ? "open" : "closed");
}

const struct fl_model fl_model = {
    .version = FL_MODEL_VERSION,
    .operations = "open close",
    .init = init,
    .apply = apply,
    .hash = hash,
    .equal = equal,
    .print = print,
    .release = free,
};
