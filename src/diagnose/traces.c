/* Writes the traces of a client, asking the process that has collected them. */
#include "diagnose/traces.h"

#include "base/tidy.h"
#include "diagnose/diagnose_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[TRACE_KINDS] = {"good.jsonl", "failing.jsonl"};

/* ---- the folder ---- */

static bool is_ours(const char *name) {
  return !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, names[0]) ||
         !strcmp(name, names[1]);
}

static int refuse(const char *folder, const char *why, struct error *e) {
  return error_set(e, ERR_USAGE, "--traces: %s: %s", folder, why);
}

/* Does it hold nothing but what it was written with? */
static int check_content(const char *folder, struct error *e) {
  DIR *d = opendir(folder);
  int err = ERR_NONE;
  if (!d)
    return refuse(folder, strerror(errno), e);
  for (struct dirent *f; (f = readdir(d)) && !err;)
    if (!is_ours(f->d_name))
      err = error_set(
          e, ERR_USAGE,
          "--traces: %s holds other files (%s), and would be replaced", folder,
          f->d_name);
  closedir(d);
  return err;
}

/* Without slashes at the end. */
static char *plain_name(const char *folder) {
  size_t n = strlen(folder);
  while (n > 1 && folder[n - 1] == '/')
    n--;
  return xstrndup(folder, n);
}

int traces_check(const char *folder, struct error *e) {
  struct stat st;
  if (!*folder)
    return error_set(e, ERR_USAGE, "--traces: give the name of a folder");
  char *name = plain_name(folder), *slash = strrchr(name, '/');
  char *parent =
      !slash ? xstrdup(".")
             : xstrndup(name, slash == name ? 1 : (size_t)(slash - name));
  int err = ERR_NONE;
  if (!stat(name, &st) && !S_ISDIR(st.st_mode))
    err = refuse(name, "is no folder", e);
  else if (access(parent, W_OK | X_OK))
    err = refuse(parent, strerror(errno), e);
  else if (!access(name, F_OK))
    err = check_content(name, e);
  free(name);
  free(parent);
  return err;
}

/* In one step: the old one, if there is one, goes where the new one was, and
 * from there with it. */
static int put_in_place(const char *temporary, const char *folder,
                        struct error *e) {
  mode_t mask = umask(0);
  umask(mask);
  if (chmod(temporary, 0777 & ~mask))
    return error_set(e, ERR_SYSTEM, "%s: %s", folder, strerror(errno));
  if (!rename(temporary, folder))
    return ERR_NONE;
  if ((errno != ENOTEMPTY && errno != EEXIST) || check_content(folder, e) ||
      renameat2(AT_FDCWD, temporary, AT_FDCWD, folder, RENAME_EXCHANGE))
    return error_set(e, ERR_SYSTEM, "%s: %s", folder, strerror(errno));
  return ERR_NONE;
}

/* ---- asking ---- */

struct traces_writer {
  const char *folder;
  char *temporary;
  FILE *files[TRACE_KINDS]; /* NULL: no trace of the kind so far */
  struct causes_asker asker;
  struct blamed client;
};

static int fail_at(const struct traces_writer *w, int kind, struct error *e) {
  return error_set(e, ERR_SYSTEM, "%s/%s: %s", w->folder, names[kind],
                   strerror(errno));
}

static int append(struct traces_writer *w, int kind, const char *text,
                  struct error *e) {
  if (!w->files[kind]) {
    char *path = xasprintf("%s/%s", w->temporary, names[kind]);
    w->files[kind] = fopen(path, "we");
    free(path);
  }
  if (!w->files[kind] || fputs(text, w->files[kind]) < 0)
    return fail_at(w, kind, e);
  return ERR_NONE;
}

static int close_files(struct traces_writer *w, struct error *e) {
  int err = e->code;
  for (int i = 0; i < TRACE_KINDS; i++) {
    if (w->files[i] && fclose(w->files[i]) && !err)
      err = fail_at(w, i, e);
    w->files[i] = NULL;
  }
  return err;
}

/* Part by part, since all of it may be large. */
static int write_parts(struct traces_writer *w, struct error *e) {
  int err = ERR_NONE;
  uint32_t next = 0;
  do {
    struct arena a = {0};
    const struct traces_part *p = traces_ask(&w->asker, &w->client, next, &a);
    if (!p)
      err = error_set(e, ERR_SYSTEM, "%s: the traces could not be collected",
                      w->folder);
    for (int i = 0; i < TRACE_KINDS && !err; i++)
      if (p->text[i])
        err = append(w, i, p->text[i], e);
    next = err ? 0 : p->next;
    if (!err && !next && !p->complete)
      fprintf(stderr,
              "note: %s does not have all orders of conflicting accesses, "
              "because there are too many\n",
              w->folder);
    arena_free(&a);
  } while (next);
  return err;
}

int traces_write(const struct object_run *run, const struct target *t,
                 const char *folder, struct error *e) {
  struct target target = *t;
  struct settings settings = run->settings;
  char *name = plain_name(folder), *prefix = xasprintf("%s.", name);
  struct traces_writer w = {.folder = name,
                            .client.client = (char *)settings.client};
  settings.max_executions = 0;
  settings.search = SEARCH_AUTO;
  target.settings = &settings;
  target.want_outcomes = false;
  target.latest = 0;
  const struct finding *f = run->repeatable ? run->result.finding : NULL;
  if (f)
    schedule_to_path(&f->schedule, &w.client.path);
  w.temporary = tidy_folder(prefix);
  int err = w.temporary
                ? ERR_NONE
                : error_set(e, ERR_SYSTEM, "%s: %s", folder, strerror(errno));
  causes_ask_open(&w.asker, &target);
  if (!err)
    err = write_parts(&w, e);
  causes_ask_close(&w.asker);
  err = close_files(&w, e);
  if (!err)
    err = put_in_place(w.temporary, name, e);
  if (w.temporary)
    tidy_folder_remove(w.temporary);
  vec_free(&w.client.path);
  free(name);
  free(prefix);
  return err;
}
