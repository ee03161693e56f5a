#include "mend/patch.h"

#include "mend/patch_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  LOCKS = 4,     /* that are tried when several are there */
  OTHERS = 24,   /* random clients that show where the data is used */
  ROUNDS = 6,    /* of looking where else it is */
  SEARCHES = 16, /* of patched sources, in all */
};

/* ---- where else the data is used ---- */

bool patch_find_places(struct patch_maker *m) {
  struct places_question q = {.target = m->target,
                              .cause = m->cause,
                              .clients = m->clients.at,
                              .nclients = m->clients.len,
                              .others = OTHERS};
  worker_release(&m->finder);
  m->finder = (struct worker){.noun = &noun_places,
                              .show_output = m->target->settings->show_output};
  m->places = (struct places){0};
  enum worker_end end = worker_run(&m->finder, places_find, &q);
  if (end == WORKER_DIED || end == WORKER_HANGS) {
    q.others = 0; /* one of them was too much for the code */
    end = worker_run(&m->finder, places_find, &q);
  }
  if (end != WORKER_DONE)
    return false;
  m->places = *(const struct places *)m->finder.answer;
  return true;
}

/* ---- the difference ---- */

static bool is_below(const char *folder, const char *path) {
  size_t n = strlen(folder);
  return !strncmp(folder, path, n) && path[n] == '/';
}

/* The name of a file in the patch: from here, or NULL when it is not below. */
static char *name_from_here(const char *path) {
  char *here = realpath(".", NULL), *real = realpath(path, NULL), *name = NULL;
  if (path[0] != '/' && strncmp(path, "../", 3) && !strstr(path, "/../"))
    name = xstrdup(strncmp(path, "./", 2) ? path : path + 2);
  else if (here && real && is_below(here, real))
    name = xstrdup(real + strlen(here) + 1);
  free(here);
  free(real);
  return name;
}

static char *name_from_root(const char *path) {
  char *real = realpath(path, NULL);
  char *name = xstrdup(real ? real + 1 : path);
  free(real);
  return name;
}

/* All names are from here, or all from the root. */
static void put_diff(const struct patch_maker *m, struct buf *out,
                     bool *from_root) {
  *from_root = false;
  for (uint32_t i = 0; i < m->sources.list.len; i++) {
    const struct patch_source *s = &m->sources.list.at[i];
    char *name = name_from_here(s->path);
    *from_root |= s->edits.list.len && !name;
    free(name);
  }
  for (uint32_t i = 0; i < m->sources.list.len; i++) {
    const struct patch_source *s = &m->sources.list.at[i];
    if (!s->edits.list.len)
      continue;
    char *name = *from_root ? name_from_root(s->path) : name_from_here(s->path);
    edits_diff(&s->edits, buf_text(&s->text), s->text.len, name, out);
    free(name);
  }
}

/* ---- trying one way after the other ---- */

static void refuse(struct patch_maker *m) {
  if (!m->why.len || m->refused)
    return;
  m->refused = xstrdup(m->why.at);
}

static bool is_new(struct patch_maker *m, const struct buf *diff) {
  if (memmem(buf_text(&m->tried), m->tried.len, buf_text(diff), diff->len))
    return false;
  buf_put(&m->tried, diff->at, diff->len);
  return true;
}

/* One form; as often as a client that fails shows more places. */
static bool try_form(struct patch_maker *m, struct patch_plan *plan,
                     struct buf *diff, bool *from_root) {
  assert((m->cause.nblocks || plan->form == PATCH_KIND) && m->clients.len);
  for (uint32_t round = 0; round < ROUNDS && m->searches < SEARCHES; round++) {
    bool more = false;
    plan->cause = m->cause;
    plan->kind = &m->r->result.finding->kind;
    plan->places = &m->places;
    if (!patch_sources_edit(&m->sources, plan, &m->what, &m->why)) {
      refuse(m);
      return false;
    }
    patch_sources_condition(&m->sources, &m->what);
    buf_clear(diff);
    put_diff(m, diff, from_root);
    if (!diff->len || !is_new(m, diff))
      return false;
    if (patch_search(m, &more))
      return true;
    if (m->interrupted || !more || plan->form == PATCH_KIND ||
        !patch_find_places(m))
      return false;
  }
  return false;
}

static bool try_all(struct patch_maker *m, struct buf *diff, bool *from_root) {
  if (m->target->settings->patch_form == PATCH_ASKED_EXACT) {
    for (uint32_t which = 0; which < 2; which++) {
      struct patch_plan plan = {.form = PATCH_EXACT, .which = which};
      if (try_form(m, &plan, diff, from_root))
        return true;
    }
    return false;
  }
  uint32_t forms = m->cause.nblocks ? PATCH_FORMS : PATCH_KIND + 1;
  for (uint32_t form = 0; form < forms && !m->interrupted; form++)
    for (uint32_t which = 0; which < (form <= PATCH_BORROW ? LOCKS : 1);
         which++) {
      struct patch_plan plan = {.form = (enum patch_form)form, .which = which};
      if (try_form(m, &plan, diff, from_root))
        return true;
    }
  return false;
}

static void write_patch(struct patch_maker *m, const struct buf *diff,
                        bool from_root) {
  struct error e = {0};
  struct arena *a = &m->b->arena;
  const char *file = m->target->settings->patch;
  if (buf_write_file(diff, file, &e)) {
    m->out->reason = arena_strdup(a, e.text);
    m->file->unwritten = e;
    return;
  }
  char *hint = xasprintf("patch -p1 %s< %s", from_root ? "-d / " : "", file);
  m->out->file = arena_strdup(a, file);
  m->out->what = arena_strdup(a, buf_text(&m->what));
  m->out->hint = arena_strdup(a, hint);
  m->out->verified = m->file->written = true;
  free(hint);
}

static void make(struct patch_maker *m) {
  struct error e = {0};
  struct buf diff = {0};
  bool from_root = false;
  struct arena *a = &m->b->arena;
  if (!patch_sources_open(&m->sources, m->b, m->r->result.object, &e))
    m->out->reason = arena_strdup(a, e.text);
  else if (m->cause.nblocks && !patch_find_places(m))
    m->out->reason = arena_strdup(a, "the failing client could not be run "
                                     "again");
  else if (try_all(m, &diff, &from_root))
    write_patch(m, &diff, from_root);
  else
    m->out->reason =
        arena_strdup(a, m->interrupted ? "the search was interrupted"
                        : m->failed    ? m->failed
                        : m->refused   ? m->refused
                                     : "no way to change the sources is known");
  m->out->tried = m->searches > 0;
  buf_free(&diff);
}

void patch_maker_free(struct patch_maker *m) {
  patch_sources_close(&m->sources);
  worker_release(&m->finder);
  for (uint32_t i = 0; i < m->clients.len; i++)
    free(m->clients.at[i]);
  vec_free(&m->clients);
  buf_free(&m->what);
  buf_free(&m->why);
  buf_free(&m->tried);
  free(m->refused);
  free(m->failed);
}

/* Why there is nothing to be made, or NULL. */
static const char *nothing(struct built *b, const struct finding *f,
                           const struct patch_file *file) {
  if (file->written)
    return "the file has the patch for another object; --object chooses one";
  if (!f->causes.len)
    return "no lines are known that must be atomic";
  switch (lines_cause_role(b->lines, &f->causes.at[0].cause)) {
  case PLACE_OBJECT:
    return NULL;
  case PLACE_TEST:
    return "no lines of the object are known that must be atomic";
  default:
    return "the lines that must be atomic are those of a library";
  }
}

void patch(struct built *b, struct object_run *r, const struct target *t,
           struct patch_file *file, failing_clients *failing) {
  struct finding *f = r->result.finding;
  if (!t->settings->patch || !f || f->fault == FAULT_NONE)
    return;
  struct target own = *t;
  /* The exact form is searched as what is called verified was. */
  bool exact = t->settings->patch_form == PATCH_ASKED_EXACT;
  own.trial = exact;
  struct patch_maker m = {.b = b,
                          .r = r,
                          .target = &own,
                          .file = file,
                          .out = &f->patch,
                          .failing = failing};
  struct buf client = {0};
  const char *why = nothing(b, f, file);
  f->patch.asked = true;
  if (why && (file->written || exact || !f->kind.fix)) {
    f->patch.reason = arena_strdup(&b->arena, why);
    return;
  }
  if (!why)
    m.cause = f->causes.at[0].cause;
  client_print(&f->client, &r->result.names, &client);
  vec_push(&m.clients, xstrdup(buf_text(&client)));
  buf_free(&client);
  make(&m);
  patch_maker_free(&m);
}
