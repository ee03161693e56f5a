#include "campaign/estimate.h"

#include "base/err.h"

#include <assert.h>

/* A smaller share says nothing about the whole. */
#define LEAST_SHARE 1e-6

/* Keeps at most ESTIMATE_POINTS points, evenly spread, and always the last
 * one. */
void estimate_add(struct estimate *e, double work, double share) {
  assert(e->len <= ESTIMATE_POINTS && work >= 0);
  struct estimate_point now = {work, share};
  if (!e->stride)
    e->stride = 1;
  if (e->len && ++e->skipped < e->stride) {
    e->at[e->len - 1] = now;
    return;
  }
  e->skipped = 0;
  if (e->len == ESTIMATE_POINTS) {
    for (uint32_t i = 0; i < ESTIMATE_POINTS / 2; i++)
      e->at[i] = e->at[2 * i + 1];
    e->len = ESTIMATE_POINTS / 2;
    e->stride *= 2;
  }
  e->at[e->len++] = now;
}

bool estimate_total(const struct estimate *e, double *low, double *high) {
  if (!e->len)
    return false;
  struct estimate_point now = e->at[e->len - 1], then = {0, 0};
  if (now.share < LEAST_SHARE || now.work <= 0)
    return false;
  for (uint32_t i = 0; i < e->len && e->at[i].work <= now.work / 2; i++)
    then = e->at[i];
  double whole = now.work / now.share, half = whole;
  if (now.share > then.share)
    half = now.work +
           (1 - now.share) * (now.work - then.work) / (now.share - then.share);
  *low = whole < half ? whole : half;
  *high = whole < half ? half : whole;
  if (*low < now.work)
    *low = now.work;
  return true;
}

/* Rounded: 950, 12,000, 3.4 million. */
static void put_about(double n, struct buf *b) {
  static const struct {
    double from;
    const char *name;
  } scale[] = {{1e12, "million million"}, {1e9, "billion"}, {1e6, "million"}};
  for (uint32_t i = 0; i < sizeof scale / sizeof *scale; i++)
    if (n >= scale[i].from) {
      double x = n / scale[i].from;
      if (x >= 1e6)
        buf_printf(b, "%.1e %s", x, scale[i].name);
      else
        buf_printf(b, x < 10 ? "%.1f %s" : "%.0f %s", x, scale[i].name);
      return;
    }
  if (n >= 10000)
    buf_printf(b, "%.0f,000", n / 1000);
  else
    buf_printf(b, "%.0f", n);
}

void estimate_words(const struct estimate *e, const char *unit,
                    struct buf *out) {
  double low, high;
  struct estimate_point now =
      e->len ? e->at[e->len - 1] : (struct estimate_point){0, 0};
  put_about(now.work, out);
  buf_printf(out, " %ss", unit);
  if (!estimate_total(e, &low, &high))
    return;
  double percent = 100 * now.work / high;
  buf_printf(out, percent < 1 ? ", about %.2g %% of " : ", about %.0f %% of ",
             percent);
  struct buf from = {0}, to = {0};
  put_about(low, &from);
  put_about(high, &to);
  buf_puts(out, buf_text(&from));
  if (from.len != to.len || __builtin_strcmp(from.at, to.at))
    buf_printf(out, " to %s", buf_text(&to));
  buf_free(&from);
  buf_free(&to);
}
