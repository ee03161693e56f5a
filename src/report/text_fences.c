/* Where fences are missing, in the terminal report, and what was tried. */
#include "report/screen.h"

#include <inttypes.h>

void screen_fences(struct screen *s, const struct story *story) {
  const struct fences_found *f = &story->result->finding->fences;
  struct buf b = {0};
  if (!f->verified)
    return;
  screen_title(s, f->len > 1 ? "The missing fences:" : "The missing fence:");
  for (uint32_t i = 0; i < f->len; i++) {
    buf_printf(&b, "%s(): ", f->at[i].function);
    story_fence(&f->at[i], &b);
    buf_puts(&b, ", atomic_thread_fence(memory_order_seq_cst)");
    screen_paragraph(s, 2, 6, buf_text(&b));
    buf_clear(&b);
  }
  buf_printf(
      &b,
      "Verified: with %s in place, no fault under TSO (%s). Under SC "
      "this client passes as it is, and no smaller set of fences makes "
      "all of the failing executions impossible that were found (%" PRIu32 ").",
      f->len > 1 ? "them" : "it", f->covered, f->executions_tried);
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}
