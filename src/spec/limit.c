#include "spec/spec.h"

#include "base/clock.h"

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
