/* The Test Anything Protocol, version 13. */
#include "report/cell.h"
#include "report/ci_int.h"

#include <string.h>

void ci_tap_line(struct buf *out, const char *s) {
  for (; *s; s++)
    if (*s == '#' || *s == '\\')
      buf_printf(out, "\\%c", *s);
    else
      buf_putc(out, (unsigned char)*s < 0x20 ? ' ' : *s);
}

void ci_yaml(struct buf *out, const char *name, const char *s) {
  buf_printf(out, "  %s: \"", name);
  while (*s) {
    unsigned code;
    size_t n = cell_decode(s, &code);
    if (!n)
      buf_puts(out, "\xef\xbf\xbd");
    else if (*s == '"' || *s == '\\')
      buf_printf(out, "\\%c", *s);
    else if ((unsigned char)*s < 0x20 || *s == 0x7f)
      buf_printf(out, "\\x%02x", (unsigned char)*s);
    else
      buf_put(out, s, n);
    s += n ? n : 1;
  }
  buf_puts(out, "\"\n");
}

static void put_details(struct buf *out, const struct ci_report *c,
                        const struct report_run *r) {
  const struct story *s = r->story;
  const struct finding *f = s->result->finding;
  buf_puts(out, "  ---\n");
  ci_yaml(out, "message", ci_sentence(r));
  ci_yaml(out, "severity", r->status == 1 ? "fail" : "inconclusive");
  if (f)
    ci_yaml(out, "fault", fault_id[f->fault]);
  if (ci_has_place(s->place)) {
    struct buf path = {0};
    ci_path(c, s->place->file, &path);
    ci_yaml(out, "file", buf_text(&path));
    buf_printf(out, "  line: %u\n", s->place->line);
    buf_free(&path);
  }
  if (f && *s->client)
    ci_yaml(out, "client", s->client);
  if (f && s->result->replay_command)
    ci_yaml(out, "replay", s->result->replay_command);
  buf_puts(out, "  ...\n");
}

void report_tap(const struct ci_report *c, struct buf *out) {
  buf_printf(out, "TAP version 13\n");
  if (!c->trouble)
    buf_printf(out, "1..%u\n", c->nruns);
  for (uint32_t i = 0; i < c->nruns; i++) {
    const struct report_run *r = &c->runs[i];
    struct buf name = {0};
    ci_name(c, i, &name);
    bool accepted = r->story->result->accepted;
    buf_printf(out, "%sok %u - ", r->status || accepted ? "not " : "", i + 1);
    ci_tap_line(out, buf_text(&name));
    if (ci_accepted(r, &name)) { /* a failure that is known, and no failure */
      buf_puts(out, " # TODO ");
      ci_tap_line(out, buf_text(&name));
    }
    buf_putc(out, '\n');
    if (r->status)
      put_details(out, c, r);
    buf_free(&name);
  }
  if (c->trouble) {
    buf_puts(out, "Bail out! ");
    ci_tap_line(out, c->trouble);
    buf_putc(out, '\n');
  }
}
