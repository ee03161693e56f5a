#include "cli/saved.h"

#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char suffix[] = ".schedule";

static void options_text(const struct settings *set, struct buf *b) {
  buf_printf(b, "heap=%s criterion=%s%s", set->heap ? "reuse" : "quarantine",
             set->criterion ? "sequential" : "linearizability",
             set->spurious_cas ? " spurious-cas" : "");
}

void saved_write(struct session *s, struct result *r) {
  struct finding *f = r->finding;
  if (!f->schedule.turns.len)
    return; /* it failed before the first step */
  struct buf client = {0}, options = {0}, text = {0};
  client_print(&f->client, &r->names, &client);
  options_text(s->settings, &options);
  struct schedule out = f->schedule;
  out.object = (char *)r->object;
  out.client = client.len ? client.at : NULL;
  out.source = s->hash;
  out.options = options.at;
  schedule_print(&out, &text);
  uint64_t name = hash64(text.at, text.len, 0);
  struct buf path = {0};
  buf_printf(&path, "%s/", s->settings->save_dir);
  for (const char *c = r->object; *c; c++) /* names may hold :: or worse */
    buf_putc(&path, (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                            (*c >= '0' && *c <= '9') || *c == '_'
                        ? *c
                        : '_');
  buf_printf(&path, "-%08x%s", (unsigned)name, suffix);
  struct error e = {0};
  if (mkdir(s->settings->save_dir, 0777) && errno != EEXIST)
    fprintf(stderr, "warning: the schedule is not saved: %s: %s\n",
            s->settings->save_dir, strerror(errno));
  else if (buf_write_file(&text, path.at, &e))
    fprintf(stderr, "warning: the schedule is not saved: %s\n", e.text);
  else {
    f->schedule_file = arena_strdup(&s->arena, path.at);
    r->replay_command = session_replay_command(s, path.at);
  }
  buf_free(&client);
  buf_free(&options);
  buf_free(&text);
  buf_free(&path);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

void saved_read(const struct session *s, const char *object,
                schedule_list *out) {
  struct dirent **names;
  int n = scandir(s->settings->save_dir, &names, NULL, by_name);
  struct buf options = {0};
  options_text(s->settings, &options);
  for (int i = 0; i < n; i++) {
    const char *name = names[i]->d_name;
    size_t len = strlen(name);
    if (len > strlen(suffix) && !strcmp(name + len - strlen(suffix), suffix)) {
      char *path = xasprintf("%s/%s", s->settings->save_dir, name);
      struct schedule one = {0};
      struct error e = {0};
      /* One that cannot be read, or was made under other options, is not
       * this run's business. */
      if (!schedule_read(&one, path, &e) && one.object && one.client &&
          !strcmp(one.object, object) &&
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
