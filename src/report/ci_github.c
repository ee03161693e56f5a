/* Commands that GitHub makes annotations of, at the lines of a pull request. */
#include "report/ci_int.h"

#include <string.h>

/* Writes `special` characters, which would end the text, as %XX. */
static void put_data(struct buf *out, const char *s, const char *special) {
  for (; *s; s++)
    if (strchr(special, *s))
      buf_printf(out, "%%%02X", (unsigned char)*s);
    else
      buf_putc(out, *s);
}

static void put_property(struct buf *out, const char *name, const char *s) {
  buf_printf(out, "%s=", name);
  put_data(out, s, "%\r\n:,");
}

static void put_place(struct buf *out, const struct ci_report *c,
                      const struct story *s) {
  const struct place *p = s->place;
  struct buf path = {0};
  ci_path(c, p->file, &path);
  put_property(out, "file", buf_text(&path));
  buf_printf(out, ",line=%u", p->line);
  if (ci_last_line(s) != p->line)
    buf_printf(out, ",endLine=%u", ci_last_line(s));
  else if (p->column) /* it has a meaning only when there is one line */
    buf_printf(out, ",col=%u", p->column);
  buf_putc(out, ',');
  buf_free(&path);
}

static void put_run(struct buf *out, const struct ci_report *c, uint32_t i) {
  const struct report_run *r = &c->runs[i];
  const struct story *s = r->story;
  struct buf text = {0}, title = {0};
  buf_puts(out, "::error ");
  if (ci_has_place(s->place))
    put_place(out, c, s);
  buf_puts(&title, "faultline: ");
  ci_name(c, i, &title);
  put_property(out, "title", buf_text(&title));
  buf_puts(&text, ci_sentence(r));
  if (*s->client)
    buf_printf(&text, "\nClient: %s", s->client);
  if (s->result->replay_command)
    buf_printf(&text, "\nReplay: %s", s->result->replay_command);
  buf_puts(out, "::");
  put_data(out, buf_text(&text), "%\r\n");
  buf_putc(out, '\n');
  buf_free(&text);
  buf_free(&title);
}

static void put_sentence(struct buf *out, const char *kind, const char *text) {
  buf_printf(out, "::%s title=faultline::", kind);
  put_data(out, text, "%\r\n");
  buf_putc(out, '\n');
}

void report_github(const struct ci_report *c, struct buf *out) {
  for (uint32_t i = 0; i < c->nruns; i++)
    if (c->runs[i].status)
      put_run(out, c, i);
  for (uint32_t i = 0; i < c->nwarnings; i++)
    put_sentence(out, "warning", c->warnings[i]);
  if (c->trouble)
    put_sentence(out, "error", c->trouble);
}
