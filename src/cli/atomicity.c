/*
 * faultline atomicity: are transactions serializable, under SC and under TSO?
 * The transactions are those of trace files (atomicity/trace.c) or of
 * executions of C sources (atomicity/source.c).
 */
#include "cli/atomicity/int.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "proc/phase.h"

#include <string.h>

static int status_of(const struct atomic_report *r) {
  int status = 0;
  for (uint32_t i = 0; i < r->traces.len; i++)
    switch (atomic_verdict(&r->traces.at[i])->answer) {
    case ANSWER_NO:
      return 1;
    case ANSWER_UNKNOWN:
      status = 3;
      break;
    case ANSWER_YES:
      break;
    }
  return status;
}

static void write_to(void (*print)(const struct atomic_report *, struct buf *),
                     const struct atomic_report *r, const char *path,
                     struct error *e) {
  struct buf out = {0};
  if (path) {
    print(r, &out);
    buf_write_file(&out, path, e);
  }
  buf_free(&out);
}

static bool is_standard(const char *path) { return path && !strcmp(path, "-"); }

int atomic_write(const struct atomic_report *r, const struct settings *set,
                 struct error *e) {
  bool out = is_standard(set->json) || is_standard(set->dot) ||
             is_standard(set->junit) || is_standard(set->sarif) ||
             is_standard(set->tap);
  int status = status_of(r);
  atomic_text(r, out ? stderr : stdout);
  write_to(atomic_json, r, set->json, e);
  write_to(atomic_dot, r, set->dot, e);
  atomic_write_cases(r, set, status, e);
  return status;
}

static int run_files(const struct settings *set, struct error *e) {
  struct atomic_report r = {.keep_order = set->keep_order};
  int err = 0, status = 2;
  phases_open(false);
  phase_units("trace", "event");
  phase_begin("atomicity");
  phase_watch();
  for (uint32_t i = 0; i < set->rest.args.len && !err; i++)
    err = atomic_file(&r, set->rest.args.at[i], e);
  if (!err && !r.traces.len)
    err = error_set(e, ERR_INPUT, "%s: the file has no trace",
                    set->rest.args.at[0]);
  phase_end();
  if (!err)
    status = atomic_write(&r, set, e);
  vec_free(&r.traces);
  arena_free(&r.arena);
  return status;
}

/* Is some file a source or an object file? */
static bool has_source(const struct opt_words *files) {
  static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".so"};
  for (uint32_t i = 0; i < files->len; i++)
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
      size_t n = strlen(files->at[i]), m = strlen(ends[k]);
      if (n > m && !strcmp(files->at[i] + n - m, ends[k]))
        return true;
    }
  return false;
}

int command_atomicity(int argc, char **argv) {
  struct settings set;
  struct error e = {0};
  bool help = false;
  int status = 0;
  if (!settings_parse(&set, "atomicity", argc, argv, &help, &e) && !help) {
    bool source = has_source(&set.rest.args);
    if (source && set.keep_order)
      error_set(
          &e, ERR_USAGE,
          "--keep-order is for traces: for sources, all executions are run");
    else
      status = source ? atomic_sources(&set, &e) : run_files(&set, &e);
  }
  if (e.code)
    status = command_complain(&e);
  settings_free(&set);
  return status;
}
