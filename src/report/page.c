/*
 * The report as a page.  The page is a file of its own (assets/fault.html);
 * its style and its program, which draws what the data say, are put into it,
 * and the data, the JSON report, into a script element.
 */
#include "report/page.h"

#include "report/json_int.h"

#include <assert.h>
#include <string.h>

/* assets.S */
extern const char fault_page[], fault_style[], fault_script[];

void page_put_data(const struct buf *b, struct buf *out) {
  const char *text = buf_text(b);
  for (size_t i = 0; i < b->len; i++) {
    const char *at = text + i;
    bool separator =
        !strncmp(at, "\xe2\x80\xa8", 3) || !strncmp(at, "\xe2\x80\xa9", 3);
    if (*at == '<')
      buf_puts(out, "\\u003c");
    else if (separator)
      buf_puts(out, at[2] == '\xa8' ? "\\u2028" : "\\u2029");
    else
      buf_putc(out, *at);
    i += separator ? 2 : 0;
  }
}

const char *page_put_until(const char *page, const char *mark,
                           struct buf *out) {
  const char *at = strstr(page, mark);
  assert(at); /* the page is a part of the program */
  buf_put(out, page, (size_t)(at - page));
  return at + strlen(mark);
}

void report_html(const struct report_run *runs, uint32_t n, struct buf *out) {
  struct buf data = {0};
  json_report(runs, n, true, &data);
  const char *page = page_put_until(fault_page, "FAULTLINE-STYLE\n", out);
  buf_puts(out, fault_style);
  page = page_put_until(page, "FAULTLINE-DATA", out);
  page_put_data(&data, out);
  page = page_put_until(page, "FAULTLINE-SCRIPT\n", out);
  buf_puts(out, fault_script);
  buf_puts(out, page);
  buf_free(&data);
}
