/* What the formats for continuous integration share: names, places, verdicts.
 */
#include "report/ci_int.h"

#include <assert.h>
#include <string.h>

/* Takes "." and ".." out of an absolute path, without asking the system. */
static void tidy(struct buf *b) {
  struct buf out = {0};
  for (const char *p = buf_text(b); *p;) {
    p += strspn(p, "/");
    size_t n = strcspn(p, "/");
    if (n == 2 && !strncmp(p, "..", 2)) {
      while (out.len && out.at[--out.len] != '/')
        ;
      if (out.at)
        out.at[out.len] = '\0';
    } else if (n && !(n == 1 && *p == '.')) {
      buf_putc(&out, '/');
      buf_put(&out, p, n);
    }
    p += n;
  }
  buf_free(b);
  *b = out;
}

bool ci_path(const struct ci_report *c, const char *file, struct buf *out) {
  assert(c->here[0] == '/' && c->root[0] == '/');
  struct buf path = {0}, root = {0};
  if (file[0] != '/')
    buf_printf(&path, "%s/", c->here);
  buf_puts(&path, file);
  buf_puts(&root, c->root);
  tidy(&path);
  tidy(&root);
  bool below = path.len > root.len && path.at[root.len] == '/' &&
               !strncmp(buf_text(&path), buf_text(&root), root.len);
  buf_puts(out, buf_text(&path) + (below ? root.len + 1 : 0));
  buf_free(&path);
  buf_free(&root);
  return below;
}

const char *ci_sentence(const struct report_run *r) {
  const struct result *of = r->story->result;
  if (*r->story->message)
    return r->story->message;
  return of->reason              ? of->reason
         : of->coverage.sentence ? of->coverage.sentence
                                 : "no fault found";
}

const char *ci_type(const struct report_run *r) {
  const struct finding *f = r->story->result->finding;
  if (r->status != 1)
    return CI_INCONCLUSIVE;
  return f && f->fault != FAULT_NONE ? fault_id[f->fault] : CI_MISSING;
}

bool ci_accepted(const struct report_run *r, struct buf *out) {
  const struct result *of = r->story->result;
  buf_clear(out);
  if (of->accepted)
    buf_printf(out, "accepted: %s, because %s (%s)", ci_sentence(r),
               of->accepted, of->accepted_by);
  return of->accepted;
}

void ci_name(const struct ci_report *c, uint32_t i, struct buf *out) {
  assert(i < c->nruns);
  const char *object = c->runs[i].story->result->object;
  uint32_t before = 0;
  for (uint32_t k = 0; k < i; k++)
    before += !strcmp(c->runs[k].story->result->object, object);
  buf_puts(out, object);
  if (before)
    buf_printf(out, " (%u)", before + 1);
}

bool ci_has_place(const struct place *p) { return p && p->file && p->line; }

uint32_t ci_last_line(const struct story *s) {
  const struct place *p = s->place, *q = s->until;
  assert(ci_has_place(p));
  return ci_has_place(q) && !strcmp(p->file, q->file) && q->line > p->line
             ? q->line
             : p->line;
}
