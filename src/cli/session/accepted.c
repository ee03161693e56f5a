/* Entries, and the faults of a session. */
#include "cli/session/accepted.h"

#include "diagnose/enforce.h"
#include "model/known.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* FL_ACCEPT of a suite: lines `LINE TEXT`. */
static int read_suite(struct session *s, const struct suite_info *u,
                      struct error *e) {
  char *all = xstrdup(u->accepts), *rest = all;
  for (char *line; !e->code && (line = strsep(&rest, "\n"));) {
    if (!*line)
      continue;
    char *text;
    unsigned long number = strtoul(line, &text, 10);
    char *from = xasprintf("%s:%lu", u->file, number);
    accept_read(&s->accepts, text + strspn(text, " "), u->name, from, e);
    free(from);
  }
  free(all);
  return e->code;
}

static const struct suite_info *suite_named(const struct session *s,
                                            const char *name) {
  for (uint32_t i = 0; i < s->built.about->nsuites; i++)
    if (!strcmp(s->built.about->suites[i].name, name))
      return &s->built.about->suites[i];
  return NULL;
}

static bool read_client(const struct suite_info *u, const char *text,
                        struct client *c, struct error *e) {
  const char **names = xcalloc(u->nops + 1, sizeof *names);
  uint8_t *nargs = xcalloc(u->nops + 1, sizeof *nargs);
  for (uint32_t i = 0; i < u->nops; i++) {
    names[i] = u->ops[i].name;
    nargs[i] = (uint8_t)u->ops[i].nargs;
  }
  struct op_names all = {names, u->nops, u->ntexts, u->texts};
  int err = client_read(c, text, &all, nargs, e);
  free(names);
  free(nargs);
  return !err;
}

int accepted_open(struct session *s, struct error *e) {
  const char *path = s->settings->accept;
  if (path && accept_read_file(&s->accepts, path, e))
    return e->code;
  for (uint32_t i = 0; i < s->built.about->nsuites && !e->code; i++)
    if (s->built.about->suites[i].accepts)
      read_suite(s, &s->built.about->suites[i], e);
  for (uint32_t i = 0; i < s->accepts.len && !e->code; i++) {
    const struct accept *a = &s->accepts.at[i];
    const struct suite_info *u = suite_named(s, a->object);
    struct client c = {0};
    struct error why = {0};
    if (a->client && u && !read_client(u, a->client, &c, &why))
      error_set(e, ERR_INPUT, "%s: %s", a->from, why.text);
    client_free(&c);
  }
  return e->code;
}

/* ---- the entry of a fault ---- */

static const struct place *place_at(const struct session *s, uint64_t pc) {
  return pc ? lines_place(s->built.lines, pc - 1) : NULL;
}

/* Where it happens: the access, or where the threads wait. */
static bool all_places(const struct session *s, const struct finding *f,
                       const struct accept *a) {
  if (!known_has_place(f->fault))
    return false;
  for (uint32_t i = 0; i < f->waiting.len; i++)
    if (!accept_has_place(a, place_at(s, f->waiting.at[i].pc)))
      return false;
  return f->waiting.len || accept_has_place(a, place_at(s, f->pc));
}

static bool has_lines(const struct session *s, const struct finding *f,
                      struct cause own, const struct accept *a) {
  return accept_has_cause(a, own) || all_places(s, f, a);
}

static bool has_client(const struct session *s, const struct result *r,
                       const struct accept *a) {
  const struct suite_info *u = suite_named(s, r->object);
  struct client c = {0};
  struct error ignored = {0};
  bool same = u && read_client(u, a->client, &c, &ignored) &&
              accept_same_client(&r->finding->client, &c);
  client_free(&c);
  return same;
}

static bool is_of(const struct session *s, const struct result *r,
                  struct cause own, const struct accept *a) {
  return !strcmp(a->object, r->object) && a->kind == r->finding->fault &&
         (!a->places.len || has_lines(s, r->finding, own, a)) &&
         (!a->client || has_client(s, r, a));
}

/* ---- the line that would accept it ---- */

static void put_places(const struct session *s, const struct finding *f,
                       struct buf *b) {
  struct buf all = {0};
  uint32_t n = f->waiting.len ? f->waiting.len : 1;
  for (uint32_t i = 0; i < n; i++) {
    const struct place *p =
        place_at(s, f->waiting.len ? f->waiting.at[i].pc : f->pc);
    if (!p || !p->file || !p->line) {
      buf_clear(&all);
      break;
    }
    bool again = false;
    for (uint32_t k = 0; k < i && !again; k++) {
      const struct place *q = place_at(s, f->waiting.at[k].pc);
      again = q->line == p->line && !strcmp(q->file, p->file);
    }
    if (!again)
      buf_printf(&all, "%s%s:%u", all.len ? ", " : "", p->file, p->line);
  }
  buf_puts(b, buf_text(&all));
  buf_free(&all);
}

/* Its lines, else its place, else its client. */
static void put_where(const struct session *s, const struct result *r,
                      struct cause own, struct buf *b) {
  const struct finding *f = r->finding;
  bool known = own.nblocks;
  for (uint32_t k = 0; k < own.nblocks; k++)
    known &= own.blocks[k].file != NULL;
  if (known)
    cause_print(own, b);
  if (!b->len && known_has_place(f->fault))
    put_places(s, f, b);
  char *lines = b->len ? xstrdup(buf_text(b)) : NULL;
  buf_clear(b);
  if (lines)
    buf_printf(b, "at %s", lines);
  else if (f->client.ncalls) {
    buf_puts(b, "in ");
    client_print(&f->client, &r->names, b);
  }
  free(lines);
}

void accepted_judge(struct session *s, struct object_run *run,
                    const struct target *t) {
  struct result *r = &run->result;
  struct arena *a = &s->built.arena;
  if (!r->finding || fault_is_doubt(r->finding->fault) || r->expect_fault ||
      r->finding->fault == FAULT_NONE)
    return;
  const struct settings *set = s->settings;
  if (!s->accepts.len && !set->accept && !set->verbose && !set->json)
    return;
  struct cause own = {0};
  const struct regions *ignored;
  struct buf where = {0}, line = {0};
  if (run->repeatable && !enforce(&s->built, run, t, &own, &ignored))
    own = (struct cause){0};
  put_where(s, r, own, &where);
  if (where.len) {
    buf_printf(&line, "%s %s %s", r->object, fault_id[r->finding->fault],
               buf_text(&where));
    r->accept_line = arena_strdup(a, buf_text(&line));
  }
  buf_free(&where);
  buf_free(&line);
  for (uint32_t i = 0; i < s->accepts.len && !r->accepted; i++) {
    struct accept *entry = &s->accepts.at[i];
    if (!is_of(s, r, own, entry))
      continue;
    entry->used = true;
    r->accepted = arena_strdup(a, entry->reason);
    r->accepted_by = arena_strdup(a, entry->from);
  }
}

/* ---- entries that matched nothing ---- */

static bool was_run(const struct session *s, const char *object) {
  for (uint32_t i = 0; i < s->runs.len; i++)
    if (!strcmp(s->runs.at[i].result.object, object))
      return true;
  return false;
}

void accepted_say_unused(struct session *s) {
  for (uint32_t i = 0; i < s->accepts.len; i++) {
    const struct accept *a = &s->accepts.at[i];
    if (!a->used && was_run(s, a->object))
      built_warn(&s->built,
                 xasprintf("note: %s: this run found no such fault of %s (%s)",
                           a->from, a->object, fault_id[a->kind]));
  }
  session_print_warnings(s);
}
