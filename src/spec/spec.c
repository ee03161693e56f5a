/*
 * What all specifications have in common: limits on time and memory, and the
 * test that a call has one answer.
 */
#include "spec/spec.h"

#include "base/clock.h"

void spec_free(struct spec *s) {
  if (!s)
    return;
  free(s->relaxed);
  free(s->may_fail);
  free(s->reorders);
  s->free(s);
}

bool spec_answers_again(struct spec *s, const struct client *c, uint32_t state,
                        uint32_t call, const struct value *wanted,
                        uint32_t which, enum spec_answer answer,
                        const struct value *result, const uint32_t *next) {
  struct value again;
  uint32_t to;
  enum spec_answer a =
      s->choose ? s->choose(s, c, state, call, wanted, which, &again, &to)
                : s->apply(s, c, state, call, &again, &to);
  return a == answer &&
         (a != SPEC_RETURNS || (value_equal(again, *result) && to == *next));
}

static uint64_t bytes_of(const struct spec *s) {
  return s->bytes ? s->bytes(s) : 0;
}

void spec_make_room(struct spec *s) {
  if (s->forget && s->max_bytes && bytes_of(s) > s->max_bytes / 2)
    s->forget(s);
}

const char *spec_limit(const struct spec *s, uint64_t bytes) {
  if (s->max_bytes && bytes_of(s) + bytes > s->max_bytes)
    return "--memory";
  return s->deadline > 0 && clock_now() > s->deadline ? "--time" : NULL;
}
