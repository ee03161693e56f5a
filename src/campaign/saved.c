#include "campaign/saved.h"

#include "base/hash.h"
#include "model/history_file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char suffix[] = ".schedule";

static void options_text(const struct settings *set, struct buf *out) {
  buf_printf(out, "heap=%s criterion=%s wake-ups=%s%s%s",
             set->heap ? "reuse" : "quarantine", criterion_name[set->criterion],
             wake_ups_name[set->wake_ups],
             set->spurious_cas ? " spurious-cas" : "",
             set->no_reduction ? " no-reduction" : "");
  if (set->data_races)
    buf_puts(out, " races");
  if (set->model == MODEL_TSO)
    buf_printf(out, " model=tso buffer=%u", (unsigned)set->buffer);
  else if (set->model == MODEL_C11)
    buf_puts(out, " model=c11");
  else if (set->model_asked > FL_MEMORY_MODEL_sc)
    buf_puts(out, " model=sc");
}

/* DIR/object-1234abcd.suffix; other characters of the name, such as ::, become
 * underscores. */
static char *file_name(const struct built *b, const struct result *r,
                       const struct buf *text, const char *end) {
  struct buf path = {0};
  buf_printf(&path, "%s/", b->settings->save_dir);
  for (const char *c = r->object; *c; c++)
    buf_putc(&path, (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                            (*c >= '0' && *c <= '9') || *c == '_'
                        ? *c
                        : '_');
  buf_printf(&path, "-%08x%s", (unsigned)hash64(text->at, text->len, 0), end);
  return path.at;
}

/* Writes a file; its path is in b->arena, NULL after a warning. */
static char *save_file(struct built *b, const struct result *r,
                       const struct buf *text, const char *what,
                       const char *end) {
  char *path = file_name(b, r, text, end), *kept = NULL;
  struct error e = {0};
  if (mkdir(b->settings->save_dir, 0777) && errno != EEXIST)
    fprintf(stderr, "warning: the %s is not saved: %s: %s\n", what,
            b->settings->save_dir, strerror(errno));
  else if (buf_write_file(text, path, &e))
    fprintf(stderr, "warning: the %s is not saved: %s\n", what, e.text);
  else
    kept = arena_strdup(&b->arena, path);
  free(path);
  return kept;
}

static void write_schedule(struct built *b, struct object_run *run) {
  struct result *r = &run->result;
  struct finding *f = r->finding;
  struct buf client = {0}, options = {0}, text = {0};
  client_print(&f->client, &r->names, &client);
  options_text(&run->settings, &options);
  struct schedule out = f->schedule;
  out.object = (char *)r->object;
  out.client = client.len ? client.at : NULL;
  out.source = b->hash;
  out.options = options.at;
  schedule_print(&out, &text);
  f->schedule_file = save_file(b, r, &text, "schedule", suffix);
  buf_free(&client);
  buf_free(&options);
  buf_free(&text);
}

static void write_history(struct built *b, struct result *r,
                          const struct history *h) {
  struct finding *f = r->finding;
  struct buf text = {0};
  history_file_print(h, r->object, &r->names, &text);
  f->history_file = save_file(b, r, &text, "history", ".history.jsonl");
  buf_free(&text);
}

void saved_write(struct built *b, struct object_run *run) {
  struct result *r = &run->result;
  struct finding *f = r->finding;
  assert(f);
  if (f->real_threads && f->trace.history.ops)
    write_history(b, r, &f->trace.history);
  else if (f->schedule.turns.len) /* none: it failed before the first step */
    write_schedule(b, run);
  if (f->after)
    write_history(b, r, f->after);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

void saved_read(const struct built *b, const struct suite_info *of,
                schedule_list *out) {
  struct dirent **names;
  int n = scandir(b->settings->save_dir, &names, NULL, by_name);
  if (n < 0 && errno == ENOMEM)
    die("out of memory (reading %s)", b->settings->save_dir);
  struct buf options = {0};
  struct settings set;
  built_settings(b->settings, of, &set);
  options_text(&set, &options);
  for (int i = 0; i < n; i++) {
    const char *name = names[i]->d_name;
    size_t len = strlen(name);
    if (len > strlen(suffix) && !strcmp(name + len - strlen(suffix), suffix)) {
      char *path = xasprintf("%s/%s", b->settings->save_dir, name);
      struct schedule one = {0};
      struct error e = {0};
      /* Skips files that cannot be read or were saved with other options. */
      if (!schedule_read(&one, path, &e) && one.object && one.client &&
          !strcmp(one.object, of->name) &&
          (!one.options || !strcmp(one.options, buf_text(&options))))
        vec_push(out, one);
      else
        schedule_free(&one);
      free(path);
    }
    free(names[i]);
  }
  if (n >= 0)
    free(names);
  buf_free(&options);
}

void saved_free(schedule_list *list) {
  for (uint32_t i = 0; i < list->len; i++)
    schedule_free(&list->at[i]);
  vec_free(list);
}
