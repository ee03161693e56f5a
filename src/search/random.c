/*
 * Random walks: at each step each enabled thread is as likely as the others.
 * An order that needs m steps of one thread in a row against another one has
 * probability 2^-m, which is why there are other samplers.
 */
#include "search/sample.h"

static int pick(void *ctx, uint32_t enabled, int current) {
  struct sample *s = ctx;
  int t =
      sample_stays(s, enabled, current) ? current : sample_pick_any(s, enabled);
  return sample_took(s, enabled, current, t);
}

static void begin(void *ctx) { (void)ctx; }
static void end(void *ctx, enum rt_end how) { (void)ctx, (void)how; }

enum explore_end explore_random(struct explore *x) {
  static const struct sampler sampler = {pick, begin, end};
  struct sample s = {0};
  return sample_run(x, &sampler, &s);
}
