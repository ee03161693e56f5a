/* The sources that are changed: their text, and what is said at their top. */
#include "mend/patch_int.h"

#include "build/flags.h"
#include "source/line_locks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources ---- */

static bool has_name(const struct patch_sources *p, const char *name) {
  for (uint32_t i = 0; i < p->list.len; i++)
    if (memmem(buf_text(&p->list.at[i].expanded), p->list.at[i].expanded.len,
               name, strlen(name)))
      return true;
  return false;
}

static void choose_name(struct patch_sources *p, const char *object) {
  char *stem = xstrdup(object ? object : "object");
  for (char *c = stem; *c; c++)
    if (!isalnum((unsigned char)*c))
      *c = '_';
  const char *front = isdigit((unsigned char)*stem) ? "_" : "";
  p->mutex = xasprintf("%s%s_lock", front, stem);
  for (unsigned n = 2; has_name(p, p->mutex); n++) {
    free(p->mutex);
    p->mutex = xasprintf("%s%s_lock_%u", front, stem, n);
  }
  free(stem);
}

bool patch_sources_open(struct patch_sources *p, const struct built *b,
                        const char *object, struct error *e) {
  for (uint32_t i = 0; i < b->build.inputs.len; i++) {
    struct patch_source one = {.path = b->build.inputs.at[i]};
    enum file_kind kind = file_kind(one.path);
    one.cxx = kind == FILE_CXX;
    if ((kind != FILE_C && !one.cxx) || stat(one.path, &one.file))
      continue;
    int err = buf_read_file(&one.text, one.path, e);
    if (!err)
      err = build_expand(&b->build, one.path, b->dir, &one.expanded, e);
    if (!err)
      ctext_read(&one.c, buf_text(&one.text), one.text.len,
                 buf_text(&one.expanded), one.path);
    vec_push(&p->list, one);
    if (err)
      return false;
  }
  choose_name(p, object);
  return true;
}

struct patch_source *patch_source_of(struct patch_sources *p,
                                     const char *file) {
  struct stat st;
  if (!file || stat(file, &st))
    return NULL;
  for (uint32_t i = 0; i < p->list.len; i++)
    if (p->list.at[i].file.st_ino == st.st_ino &&
        p->list.at[i].file.st_dev == st.st_dev)
      return &p->list.at[i];
  return NULL;
}

void patch_source_clear(struct patch_source *s) {
  edits_free(&s->edits);
  vec_clear(&s->regions);
}

void patch_sources_close(struct patch_sources *p) {
  for (uint32_t i = 0; i < p->list.len; i++) {
    struct patch_source *s = &p->list.at[i];
    patch_source_clear(s);
    vec_free(&s->regions);
    ctext_free(&s->c);
    buf_free(&s->text);
    buf_free(&s->expanded);
  }
  vec_free(&p->list);
  free(p->mutex);
}

/* ---- the declaration of the new mutex ---- */

static bool includes_pthread(const struct patch_source *s) {
  for (uint32_t i = 0; i < s->c.directives.len; i++) {
    const struct cdirective *d = &s->c.directives.at[i];
    if (!strcmp(d->word, "include") && !d->depth &&
        memmem(s->c.text + d->at, d->len, "<pthread.h>", 11))
      return true;
  }
  return false;
}

/* Behind the includes, or before the first line of code. */
static size_t place_of_declaration(const struct patch_source *s) {
  size_t at = 0;
  bool found = false;
  for (uint32_t i = 0; i < s->c.directives.len; i++) {
    const struct cdirective *d = &s->c.directives.at[i];
    if (!strcmp(d->word, "include") && !d->depth) {
      at = d->at + d->len;
      found = true;
    }
  }
  if (found) {
    const char *end = memchr(s->c.text + at, '\n', s->c.len - at);
    return end ? (size_t)(end - s->c.text) + 1 : s->c.len;
  }
  size_t first = s->c.tokens.len ? s->c.tokens.at[0].at : 0;
  if (s->c.directives.len && s->c.directives.at[0].at < first)
    first = s->c.directives.at[0].at;
  while (first && s->c.text[first - 1] != '\n')
    first--;
  return first;
}

/* Puts a text there, with what it needs before it. */
static bool declare(struct patch_source *s, const char *text, const char *nl) {
  struct buf b = {0};
  size_t at = place_of_declaration(s);
  bool behind = at > 0;
  if (!includes_pthread(s))
    buf_printf(&b, "#include <pthread.h>%s", nl);
  if (behind || b.len)
    buf_puts(&b, nl);
  buf_puts(&b, text);
  if (!behind)
    buf_puts(&b, nl);
  bool ok = edits_add(&s->edits, at, 0, b.at);
  buf_free(&b);
  return ok;
}

static const char *line_end(const struct patch_source *s) {
  return memmem(s->c.text, s->c.len, "\r\n", 2) ? "\r\n" : "\n";
}

bool patch_source_declare(const struct patch_sources *p, struct patch_source *s,
                          uint32_t users, bool first_user) {
  const char *nl = line_end(s);
  char *text =
      first_user
          ? xasprintf("%spthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;%s",
                      users > 1 ? "" : "static ", p->mutex, nl)
          : xasprintf("extern pthread_mutex_t %s;%s", p->mutex, nl);
  bool ok = declare(s, text, nl);
  free(text);
  return ok;
}

bool patch_source_declare_lines(const struct patch_sources *p,
                                struct patch_source *s, uint32_t users,
                                bool first_user) {
  struct buf b = {0};
  line_locks_declare(p->mutex, users > 1, first_user, line_end(s), &b);
  bool ok = declare(s, buf_text(&b), line_end(s));
  buf_free(&b);
  return ok;
}

/* ---- #if ---- */

static bool is_changed(const struct patch_source *s, size_t from, size_t to) {
  for (uint32_t i = 0; i < s->edits.list.len; i++)
    if (s->edits.list.at[i].at >= from && s->edits.list.at[i].at <= to)
      return true;
  return false;
}

/* A function that is changed and has an #if looks different to other flags. */
static const struct cfunction *conditional(const struct patch_source *s) {
  for (uint32_t i = 0; i < s->c.functions.len; i++) {
    const struct cfunction *f = &s->c.functions.at[i];
    size_t from = s->c.tokens.at[f->name].at;
    size_t to = s->c.tokens.at[s->c.stmts.at[f->body].last].at;
    for (uint32_t k = 0; k < s->c.directives.len; k++) {
      const struct cdirective *d = &s->c.directives.at[k];
      if (d->at > from && d->at < to && !strncmp(d->word, "if", 2) &&
          is_changed(s, from, to))
        return f;
    }
  }
  return NULL;
}

void patch_sources_condition(const struct patch_sources *p, struct buf *what) {
  for (uint32_t i = 0; i < p->list.len; i++) {
    const struct patch_source *s = &p->list.at[i];
    const struct cfunction *f = conditional(s);
    if (!f)
      continue;
    buf_puts(what, "; for these compiler flags only, since ");
    ctext_put(&s->c, f->name, f->name, what);
    buf_puts(what, "() has an #if");
    return;
  }
}
