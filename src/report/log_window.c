/*
 * Which operations of a recorded history are shown: the core, and those around
 * each of its calls and returns.
 */
#include "report/log_report.h"

#include <assert.h>

int log_by_number(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return a < b ? -1 : a > b;
}

bool log_is_core(const struct log_report *r, uint32_t op) {
  const struct log_explained *x = r->violation;
  return x && x->core.len &&
         bsearch(&op, x->core.at, x->core.len, sizeof op, log_by_number);
}

/* The first operation that was called at `time` or later. */
static uint32_t first_from(const struct log *l, uint32_t time) {
  uint32_t low = 0, high = l->ops.len;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (l->ops.at[mid].call < time)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static void add_around(const struct log *l, uint32_t time, uint32_t each,
                       log_window *out) {
  uint32_t at = first_from(l, time);
  uint32_t from = at > each / 2 ? at - each / 2 : 0;
  for (uint32_t i = from; i < l->ops.len && i - from < each; i++)
    vec_push(out, i);
}

static void sort_once(log_window *w) {
  uint32_t n = 0;
  if (w->len)
    qsort(w->at, w->len, sizeof *w->at, log_by_number);
  for (uint32_t i = 0; i < w->len; i++)
    if (!n || w->at[n - 1] != w->at[i])
      w->at[n++] = w->at[i];
  w->len = n;
}

void log_window_make(const struct log_report *r, uint32_t most,
                     log_window *out) {
  const struct log *l = r->log;
  const struct log_explained *x = r->violation;
  uint32_t ncore = x ? x->core.len : 0;
  vec_clear(out);
  if (ncore > most)
    ncore = most;
  for (uint32_t i = 0; i < ncore; i++)
    vec_push(out, x->core.at[i]);
  uint32_t each = ncore ? (most - ncore) / (2 * ncore) : 0;
  for (uint32_t i = 0; i < ncore && each; i++) {
    const struct log_op *o = &l->ops.at[x->core.at[i]];
    add_around(l, o->call, each, out);
    if (o->ret != LOG_PENDING)
      add_around(l, o->ret, each, out);
  }
  if (!ncore)
    for (uint32_t i = 0; i < l->ops.len && i < most; i++)
      vec_push(out, i);
  sort_once(out);
  assert(out->len <= most);
}
