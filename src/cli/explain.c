/*
 * `faultline explain`: from traces in files to the lines that must be atomic.
 * A test does the same with the traces of its client (diagnose/causes.c); here
 * they are read from files (locate/trace_set.h).
 */
#include "cli/explain/int.h"

#include "base/opt.h"
#include "cli/commands.h"
#include "source/loops_read.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_trace_file(const struct dirent *f) {
  size_t n = strlen(f->d_name);
  return n > 6 && !strcmp(f->d_name + n - 6, ".jsonl");
}

/* A file, or those of a folder. */
static int read_path(struct explain *x, const char *path, bool good,
                     struct error *e) {
  struct stat st;
  if (stat(path, &st) || !S_ISDIR(st.st_mode))
    return trace_set_read(&x->traces, path, good, e);
  struct dirent **files;
  int n = scandir(path, &files, is_trace_file, alphasort), err = 0;
  if (n < 0)
    return error_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
  if (!n)
    err = error_set(e, ERR_INPUT, "%s: the folder has no *.jsonl file", path);
  for (int i = 0; i < n; i++) {
    char *file = xasprintf("%s/%s", path, files[i]->d_name);
    if (!err)
      err = trace_set_read(&x->traces, file, good, e);
    free(file);
    free(files[i]);
  }
  free(files);
  return err;
}

static int read_all(struct explain *x, const struct opt_words *bad,
                    const struct opt_words *good, struct error *e) {
  int err = 0;
  for (uint32_t i = 0; i < bad->len && !err; i++)
    err = read_path(x, bad->at[i], false, e);
  for (uint32_t i = 0; i < x->traces.traces.len; i++)
    x->found.bad += x->traces.traces.at[i]->bad;
  if (!err && !x->found.bad)
    err =
        error_set(e, ERR_INPUT,
                  "%s: every trace in it has the verdict \"pass\"", bad->at[0]);
  for (uint32_t i = 0; i < good->len && !err; i++)
    err = read_path(x, good->at[i], true, e);
  x->found.good = x->traces.traces.len - x->found.bad;
  return err;
}

/* ---- causes ---- */

/* Failing traces in which nothing is interrupted are left out. */
static void sort_traces(struct explain *x) {
  for (uint32_t i = 0; i < x->traces.traces.len; i++) {
    struct located *l = x->traces.traces.at[i];
    if (!l->bad || conflicts_have_cycle(&l->conflicts))
      vec_push(&x->blame.traces, l);
    else
      x->serializable++;
  }
}

static void find_causes(struct explain *x) {
  struct ranking r;
  trace_set_find_rounds(&x->traces, &x->loops);
  sort_traces(x);
  blame_all(&x->blame, ANY_OUTCOME, &x->traces.arena, &r);
  x->found.at = r.at;
  x->found.len = r.len;
  blame_each(&x->blame, &x->traces.arena, &x->found);
  x->found.complete = !r.cut;
}

/* ---- the command ---- */

static int check_files(const struct explain_files *f, struct error *e) {
  const char *const files[] = {f->json, f->cases.junit, f->cases.sarif,
                               f->cases.tap};
  int standard = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    standard += files[i] && !strcmp(files[i], "-");
  if (standard > 1)
    return error_set(
        e, ERR_USAGE,
        "--json, --junit, --sarif and --tap: only one of them can be -");
  return ERR_NONE;
}

static int explain_files(const struct opt_words *bad,
                         const struct opt_words *good,
                         const struct explain_files *files, struct error *e) {
  struct explain x = {.loops.read = loops_read_source};
  struct buf name = {0};
  int status = 2;
  if (check_files(files, e))
    return status;
  if (!bad->len)
    error_set(e, ERR_USAGE,
              "give a file of failing traces; see faultline explain --help");
  else if (!read_all(&x, bad, good, e)) {
    find_causes(&x);
    for (uint32_t i = 0; i < bad->len; i++)
      buf_printf(&name, "%s%s", i ? " " : "", bad->at[i]);
    explain_report(&x, buf_text(&name), files, e);
    status = explain_status(&x);
  }
  buf_free(&name);
  vec_free(&x.blame.traces); /* they are those of the set */
  blame_free(&x.blame);
  trace_set_free(&x.traces);
  loops_free(&x.loops);
  return status;
}

int command_explain(int argc, char **argv) {
  struct opt_words good = {0};
  struct explain_files files = {0};
  struct opt opts[] = {
      {"good-traces", 0, OPT_LIST, &good, "FILE",
       "use these linearizable traces to rank the answers; may be repeated",
       "Input"},
      {"all-causes", 0, OPT_FLAG, &files.all_causes, NULL,
       "list all answers, not only the best five", "Output"},
      {"json", 0, OPT_STRING, &files.json, "FILE",
       "write the answers as JSON; - is standard output", "Output"},
      {"junit", 0, OPT_STRING, &files.cases.junit, "FILE",
       "write the answers as JUnit XML, as one test case", "Output"},
      {"sarif", 0, OPT_STRING, &files.cases.sarif, "FILE",
       "write the lines as SARIF 2.1.0, for code scanning and editors",
       "Output"},
      {"tap", 0, OPT_STRING, &files.cases.tap, "FILE",
       "write the answers as TAP; only one of these reports can go to -",
       "Output"},
      {0}};
  struct opt_command c = {
      "faultline explain TRACE.jsonl... [--good-traces FILE]...",
      "Tells which lines must be atomic so that none of the failing traces can "
      "happen. docs/trace.md describes the format of the files. A folder, as "
      "faultline explore --traces writes it, stands for its *.jsonl files.",
      opts,
      "Exit status: 0 nothing has to be atomic, 1 lines were found, 2 usage "
      "error or\nunreadable file, 3 the search took too long.\n"};
  struct opt_rest rest = {0};
  struct error e = {0};
  int status = 0;
  if (!opt_parse(&c, argc, argv, &rest, &e)) {
    if (rest.help) {
      command_show_help(&c);
    } else {
      status = explain_files(&rest.args, &good, &files, &e);
    }
  }
  if (e.code)
    status = command_complain(&e);
  opt_rest_free(&rest);
  vec_free(&good);
  return status;
}
