#include "cli/session/pages.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schedule_end[] = ".schedule";

void pages_tell_passing(struct pages *p, const struct result *r,
                        struct story *story, uint32_t i) {
  struct passing *x = &p->passing[i];
  struct story_namer namer;
  assert(i == p->npassing); /* runs come in their order */
  p->npassing = i + 1;
  if (!r->finding || !r->finding->near.found)
    return;
  x->result = *r;
  x->finding = (struct finding){.fault = FAULT_NONE,
                                .client = r->finding->client,
                                .trace = r->finding->near.trace,
                                .block = UINT32_MAX};
  x->result.finding = &x->finding;
  x->result.verdict = VERDICT_PASS;
  namer_open(&x->namer, p->s->built.lines, &x->result, &r->finding->trace,
             &namer);
  x->story = story_new(&x->result, &namer);
  story->passing = x->story;
}

static bool has_fault(const struct result *r) {
  return r->finding && r->finding->fault != FAULT_NONE;
}

/* The path of the page beside the schedule; NULL: no page is wanted. */
static char *page_beside(struct pages *p, const struct result *r) {
  const struct settings *set = p->s->settings;
  const char *file = has_fault(r) ? r->finding->schedule_file : NULL;
  size_t len = file ? strlen(file) : 0, end = strlen(schedule_end);
  if (set->html || set->no_html || set->quiet || len < end)
    return NULL;
  return xasprintf("%.*s.html", (int)(len - end), file);
}

static void write_beside(struct pages *p, const struct report_run *run,
                         struct finding *f, const char *path) {
  struct buf page = {0};
  struct error e = {0};
  char *own = arena_strdup(&p->s->built.arena, path);
  f->html_file = own;
  report_html(run, 1, &page);
  if (buf_write_file(&page, path, &e)) {
    fprintf(stderr, "warning: the page is not saved: %s\n", e.text);
    f->html_file = NULL;
  }
  buf_free(&page);
}

static int write_html_option(struct pages *p, const struct report_run *runs,
                             uint32_t n, struct error *e) {
  const char *path = p->s->settings->html;
  struct buf page = {0};
  for (uint32_t i = 0; i < n; i++)
    if (has_fault(&p->s->runs.at[i].result))
      p->s->runs.at[i].result.finding->html_file =
          arena_strdup(&p->s->built.arena, path);
  report_html(runs, n, &page);
  int err = buf_write_file(&page, path, e);
  for (uint32_t i = 0; err && i < n; i++)
    if (p->s->runs.at[i].result.finding)
      p->s->runs.at[i].result.finding->html_file = NULL;
  buf_free(&page);
  return err;
}

int pages_write(struct pages *p, const struct report_run *runs, uint32_t n,
                struct error *e) {
  int err = ERR_NONE;
  bool read = false;
  struct error ignored = {0};
  for (uint32_t i = 0; i < n; i++) {
    struct result *r = &p->s->runs.at[i].result;
    char *path = page_beside(p, r);
    if ((path || p->s->settings->html) && !read)
      read = !hooked_lines(p->s->built.lines, &p->s->built.probe.sites,
                           &p->hooks, &ignored);
    if (path)
      write_beside(p, &runs[i], r->finding, path);
    free(path);
  }
  if (p->s->settings->html)
    err = write_html_option(p, runs, n, e);
  return err;
}

void pages_free(struct pages *p) {
  for (uint32_t i = 0; i < p->npassing; i++)
    if (p->passing[i].story) {
      story_free(p->passing[i].story);
      namer_close(&p->passing[i].namer);
    }
  free(p->passing);
  vec_free(&p->hooks);
}
