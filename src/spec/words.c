/* Words of a state, and the roles that all containers have. */
#include "spec/builtin.h"

#include <inttypes.h>
#include <string.h>

void words_insert(struct words *w, uint32_t from, uint32_t by) {
  memmove(w->at + from + by, w->at + from, (w->len - from) * sizeof *w->at);
  w->len += by;
}

void words_delete(struct words *w, uint32_t from, uint32_t by) {
  w->len -= by;
  memmove(w->at + from, w->at + from + by, (w->len - from) * sizeof *w->at);
}

uint32_t words_find(const struct words *w, uint32_t stride, int64_t v) {
  uint32_t lo = 0, hi = w->len / stride;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (w->at[mid * stride] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo * stride;
}

enum spec_answer role_size(const struct builtin *b, const struct bound *op,
                           struct words *w, const int64_t *args,
                           struct value *result) {
  (void)b, (void)args;
  return give(op, w->len / op->role->variant, result);
}

enum spec_answer role_is_empty(const struct builtin *b, const struct bound *op,
                               struct words *w, const int64_t *args,
                               struct value *result) {
  (void)b, (void)args;
  return give(op, w->len == 0, result);
}

enum spec_answer role_clear(const struct builtin *b, const struct bound *op,
                            struct words *w, const int64_t *args,
                            struct value *result) {
  (void)b, (void)args;
  w->len = 0;
  return give_ok(op, result);
}

void print_list(const int64_t *at, uint32_t len, struct buf *out) {
  buf_putc(out, '[');
  for (uint32_t i = 0; i < len; i++)
    buf_printf(out, "%s%" PRId64, i ? ", " : "", at[i]);
  buf_putc(out, ']');
}
