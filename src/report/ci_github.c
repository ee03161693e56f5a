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
                      const struct place *p, uint32_t last) {
  struct buf path = {0};
  ci_path(c, p->file, &path);
  put_property(out, "file", buf_text(&path));
  buf_printf(out, ",line=%u", p->line);
  if (last != p->line)
    buf_printf(out, ",endLine=%u", last);
  else if (p->column) /* it has a meaning only when there is one line */
    buf_printf(out, ",col=%u", p->column);
  buf_putc(out, ',');
  buf_free(&path);
}

/* One annotation; `p` NULL: of no line. */
static void annotate(struct buf *out, const struct ci_report *c, uint32_t run,
                     const char *kind, const struct place *p, uint32_t last,
                     const char *text) {
  struct buf title = {0};
  buf_printf(out, "::%s ", kind);
  if (p)
    put_place(out, c, p, last);
  buf_puts(&title, "faultline: ");
  ci_name(c, run, &title);
  put_property(out, "title", buf_text(&title));
  buf_puts(out, "::");
  put_data(out, text, "%\r\n");
  buf_putc(out, '\n');
  buf_free(&title);
}

static bool is_in(const struct place *p, const struct code_block *k) {
  return ci_has_place(p) && k->file && !strcmp(p->file, k->file) &&
         p->line >= k->first && p->line <= k->last;
}

/* The lines that are blamed: those of the best cause, if the search with them
 * atomic found no fault; NULL: it is not known, and the place of the answer is
 * all that there is. */
static const struct cause *blamed(const struct story *s) {
  const struct finding *f = s->result->finding;
  return f && f->causes.len && f->causes.at[0].enforced &&
                 f->causes.at[0].cause.nblocks
             ? &f->causes.at[0].cause
             : NULL;
}

/* The other blamed lines, and the place where a fault shows that they lead to.
 */
static void put_others(struct buf *out, const struct ci_report *c, uint32_t i,
                       const struct cause *cause, uint32_t first) {
  const struct story *s = c->runs[i].story;
  const struct code_block *main = &cause->blocks[first];
  for (uint32_t k = 0; k < cause->nblocks; k++) {
    const struct code_block *b = &cause->blocks[k];
    struct place p = {.file = b->file, .line = b->first};
    struct buf text = {0};
    if (k == first || !ci_has_place(&p))
      continue;
    story_put_lines(b, &text);
    buf_puts(&text, " must be atomic too, with ");
    story_put_lines(main, &text);
    if (main->function)
      buf_printf(&text, " of %s()", main->function);
    annotate(out, c, i, "error", &p, b->last, buf_text(&text));
    buf_free(&text);
  }
  bool inside = !ci_has_place(s->place);
  for (uint32_t k = 0; k < cause->nblocks; k++)
    inside |= is_in(s->place, &cause->blocks[k]);
  if (!inside)
    annotate(out, c, i, "notice", s->place, ci_last_line(s),
             ci_sentence(&c->runs[i]));
}

static void put_run(struct buf *out, const struct ci_report *c, uint32_t i) {
  const struct report_run *r = &c->runs[i];
  const struct story *s = r->story;
  const struct cause *cause = r->status == 1 ? blamed(s) : NULL;
  const struct place *p = ci_has_place(s->place) ? s->place : NULL;
  uint32_t last = p ? ci_last_line(s) : 0, first = 0;
  struct buf text = {0};
  buf_puts(&text, ci_sentence(r));
  if (*s->client)
    buf_printf(&text, "\nClient: %s", s->client);
  if (s->result->replay_command)
    buf_printf(&text, "\nReplay: %s", s->result->replay_command);
  while (cause && first < cause->nblocks && !is_in(p, &cause->blocks[first]))
    first++;
  if (cause && first == cause->nblocks)
    first = 0; /* the fault shows elsewhere */
  struct place own = {0};
  if (cause)
    own = (struct place){.file = cause->blocks[first].file,
                         .line = cause->blocks[first].first};
  bool known = cause && ci_has_place(&own);
  if (known && is_in(p, &cause->blocks[first]) && p->line == own.line)
    own.column = p->column;
  annotate(out, c, i, "error", known ? &own : p,
           known ? cause->blocks[first].last : last, buf_text(&text));
  if (known)
    put_others(out, c, i, cause, first);
  buf_free(&text);
}

static void put_sentence(struct buf *out, const char *kind, const char *text) {
  buf_printf(out, "::%s title=faultline::", kind);
  put_data(out, text, "%\r\n");
  buf_putc(out, '\n');
}

void report_github(const struct ci_report *c, struct buf *out) {
  struct buf accepted = {0};
  for (uint32_t i = 0; i < c->nruns; i++)
    if (c->runs[i].status)
      put_run(out, c, i);
    else if (ci_accepted(&c->runs[i], &accepted))
      annotate(out, c, i, "notice",
               ci_has_place(c->runs[i].story->place) ? c->runs[i].story->place
                                                     : NULL,
               ci_has_place(c->runs[i].story->place)
                   ? ci_last_line(c->runs[i].story)
                   : 0,
               buf_text(&accepted));
  for (uint32_t i = 0; i < c->nwarnings; i++)
    put_sentence(out, "warning", c->warnings[i]);
  if (c->trouble)
    put_sentence(out, "error", c->trouble);
  buf_free(&accepted);
}
