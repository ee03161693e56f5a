/* Where fences are missing, in the terminal report, and what was tried. */
#include "report/screen.h"

#include <inttypes.h>

/* The correct schedules that each of the two repairs forbids. */
static void put_price(const struct fences_found *f,
                      const struct causes_found *causes, struct buf *b) {
  const struct ranked_cause *c = f->dearer ? &causes->at[0] : f->instead;
  uint64_t good = f->schedules.all - f->schedules.bad;
  if (!f->left.all)
    return;
  buf_puts(b, f->len > 1 ? "They forbid " : "It forbids ");
  story_count(tally_lost(&f->schedules, &f->left), b);
  buf_puts(b, " of the ");
  story_count(good, b);
  buf_puts(b, " correct schedules of this client");
  if (c) {
    buf_puts(b, f->dearer ? ", which is more than the lines above do that can "
                            "be atomic instead: "
                          : "; to make atomic ");
    if (!f->dearer)
      screen_put_blocks(&c->cause, b);
    if (!f->dearer)
      buf_puts(b, " instead forbids ");
    story_count(tally_lost(&f->schedules, &c->schedules), b);
  }
  buf_putc(b, '.');
}

void screen_fences(struct screen *s, const struct story *story) {
  const struct fences_found *f = &story->result->finding->fences;
  struct buf b = {0};
  if (!f->verified)
    return;
  screen_title(s, f->dearer    ? "What a fence does instead:"
                  : f->len > 1 ? "The missing fences:"
                               : "The missing fence:");
  for (uint32_t i = 0; i < f->len; i++) {
    buf_printf(&b, "%s(): ", f->at[i].function);
    story_fence(&f->at[i], &b);
    buf_puts(&b, ", atomic_thread_fence(memory_order_seq_cst)");
    screen_paragraph(s, 2, 6, buf_text(&b));
    buf_clear(&b);
  }
  buf_printf(
      &b,
      "With %s in place, no fault under TSO (%s). Under SC "
      "this client passes as it is, and no smaller set of fences makes "
      "all of the failing executions impossible that were found (%" PRIu32 ").",
      f->len > 1 ? "them" : "it", f->covered, f->executions_tried);
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_clear(&b);
  put_price(f, &story->result->finding->causes, &b);
  if (b.len)
    screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}
