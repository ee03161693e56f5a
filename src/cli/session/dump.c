#include "cli/session/dump.h"

#include <stdio.h>
#include <string.h>

static void put_command(struct buf *out) {
  FILE *f = fopen("/proc/self/cmdline", "r");
  char text[4096];
  size_t n = f ? fread(text, 1, sizeof text, f) : 0;
  if (f)
    fclose(f);
  buf_puts(out, "command:");
  for (size_t i = 0; i < n; i += strnlen(text + i, n - i) + 1)
    buf_printf(out, " '%.*s'", (int)strnlen(text + i, n - i), text + i);
  buf_putc(out, '\n');
}

static void put_names(const char *what, char *const *at, uint32_t n,
                      struct buf *out) {
  buf_printf(out, "%s:", what);
  for (uint32_t i = 0; i < n; i++)
    buf_printf(out, " %s", at[i]);
  buf_putc(out, '\n');
}

static void put_probe(const struct probe *p, struct buf *out) {
  put_names("not modelled", p->unknown.at, p->unknown.len, out);
  put_names("unseen accesses", p->unseen.at, p->unseen.len, out);
  put_names("unknown hooks", p->unknown_hooks.at, p->unknown_hooks.len, out);
  buf_printf(out, "accesses without a hook: %u\n", p->sites.len);
  buf_printf(out, "hooks: %u%s\n", p->hooks,
             p->has_tls ? ", thread-local variables" : "");
}

static void put_events(struct session *s, const char *what,
                       const struct trace *t, struct buf *out) {
  buf_printf(out, "%s: %u events\n", what, t->nevents);
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    const struct place *at =
        e->pc ? lines_place(s->built.lines, e->pc - 1) : NULL;
    buf_printf(out, "%u T%u %s %s:%u %#llx+%llu %#llx (was %#llx)\n", i,
               e->thread, event_word[e->kind], at && at->file ? at->file : "?",
               at ? at->line : 0, (unsigned long long)e->addr,
               (unsigned long long)e->size, (unsigned long long)e->value[0],
               (unsigned long long)e->old[0]);
  }
}

static void put_run(struct session *s, const struct result *r,
                    struct buf *out) {
  const struct finding *f = r->finding;
  buf_printf(out, "\nobject: %s\nverdict: %s\nreason: %s\n", r->object,
             verdict_name[r->verdict], r->reason ? r->reason : "");
  if (!f)
    return;
  struct buf client = {0};
  client_print(&f->client, &r->names, &client);
  struct schedule schedule = f->schedule; /* with its marks */
  schedule.client = client.len ? client.at : NULL;
  buf_printf(out, "fault: %s\ndetail: %s\n", fault_id[f->fault],
             f->detail ? f->detail : "");
  schedule_print(&schedule, out);
  put_events(s, "run", &f->trace, out);
  if (f->again.nevents)
    put_events(s, "run again", &f->again, out);
  buf_free(&client);
}

int dump_write(struct session *s, const char *path, struct error *e) {
  struct buf out = {0};
  buf_printf(&out, "faultline %s\n", FL_VERSION);
  put_command(&out);
  buf_printf(&out, "sources: %s\n", s->built.hash);
  put_probe(&s->built.probe, &out);
  for (uint32_t i = 0; i < s->runs.len; i++)
    put_run(s, &s->runs.at[i].result, &out);
  int err = buf_write_file(&out, path, e);
  buf_free(&out);
  return err;
}
