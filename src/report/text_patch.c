/* What came of --patch, in the terminal report. */
#include "report/screen.h"

void screen_patch(struct screen *s, const struct story *story) {
  const struct patch *p = &story->result->finding->patch;
  struct buf b = {0};
  if (!p->asked)
    return;
  screen_title(s, "Patch:");
  if (p->file)
    buf_printf(&b,
               "%s %s. Verified: compiled and searched again, no fault was "
               "found in %s. Apply it with: %s",
               p->file, p->what, p->covered, p->hint);
  else
    buf_printf(&b, "none was written: %s.", p->reason ? p->reason : "unknown");
  if (!p->file)
    b.at[0] = 'N';
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}
