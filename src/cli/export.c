/*
 * faultline export: writes a saved schedule as a C file for the user's tests.
 * The file includes the sources and has the client with its schedule as
 * FL_CLIENT.  It is empty if <faultline.h> does not exist.
 *
 * The file appears only after it was written and compiled as a whole.
 */
#include "base/tidy.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/session/session.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct export {
  const char *schedule_path, *output;
  bool expect_fault, separate;
  const char *cc, *cxx, *opt;
  struct opt_rest rest; /* the schedule, sources, flags */
  struct schedule schedule;
};

/* ---- texts ---- */

/* Escapes text that would end the comment, begin another or end the line. */
static void put_comment(struct buf *out, const char *text) {
  for (char last = 0; *text; last = *text++) {
    if ((last == '*' && *text == '/') || (last == '/' && *text == '*'))
      buf_putc(out, ' ');
    buf_putc(out, (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
  }
}

/* A string literal of C, without trigraphs. */
static void put_literal(struct buf *out, const char *text, size_t n) {
  buf_putc(out, '"');
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\' || c == '?')
      buf_printf(out, "\\%c", c);
    else if (c < ' ' || c == 0x7f)
      buf_printf(out, "\\%03o", c);
    else
      buf_putc(out, (char)c);
  }
  buf_puts(out, "\\n\"");
}

/* Each line of the schedule as a literal, except the first and the hash. */
static void put_schedule(struct buf *out, const struct schedule *s) {
  struct schedule plain = *s;
  struct buf text = {0};
  plain.source = NULL;
  schedule_print(&plain, &text);
  bool first = true;
  for (char *at = strchr(buf_text(&text), '\n'); at && at[1];) {
    char *line = at + 1, *end = strchr(line, '\n');
    buf_puts(out, first ? "" : "\n    ");
    put_literal(out, line, end ? (size_t)(end - line) : strlen(line));
    first = false;
    at = end;
  }
  buf_free(&text);
}

/* ---- paths ---- */

/* The folder of a file, which need not exist; the caller frees it. */
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *dir = !slash          ? xstrdup(".")
              : slash == path ? xstrdup("/")
                              : xstrndup(path, (size_t)(slash - path));
  char *real = realpath(dir, NULL);
  free(dir);
  return real;
}

/* The path of the file `to` relative to the folder `from`, both absolute. */
static char *relative(const char *from, const char *to) {
  assert(*from == '/' && *to == '/');
  struct buf out = {0};
  size_t same = 0; /* length of the common folders, with their slash */
  size_t n = strlen(from);
  for (size_t i = 0;; i++) {
    char a = i < n ? from[i] : i == n ? '/' : 0;
    if (!a || a != to[i])
      break;
    if (a == '/')
      same = i + 1;
  }
  const char *rest = same <= n ? from + same : "";
  for (bool inside = false; *rest; rest++) {
    if (*rest != '/' && !inside)
      buf_puts(&out, "../");
    inside = *rest != '/';
  }
  buf_puts(&out, to + same);
  return out.at;
}

static bool is_source(const char *path) {
  static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".C", NULL};
  const char *dot = strrchr(path, '.');
  for (int i = 0; dot && ends[i]; i++)
    if (!strcmp(dot, ends[i]))
      return true;
  return false;
}

static bool is_cxx(const char *path) {
  return is_source(path) && strcmp(strrchr(path, '.'), ".c") != 0;
}

/* The first C++ source that the file would include, or NULL. */
static const char *cxx_source(const struct export *x) {
  for (uint32_t i = 1; !x->separate && i < x->rest.args.len; i++)
    if (is_cxx(x->rest.args.at[i]))
      return x->rest.args.at[i];
  return NULL;
}

static int check_name(const struct export *x, struct error *e) {
  const char *cxx = cxx_source(x);
  if (!*x->output)
    return error_set(e, ERR_USAGE,
                     "--output: give a file name, or - for standard output");
  if (cxx && is_source(x->output) && !is_cxx(x->output))
    return error_set(e, ERR_USAGE,
                     "%s: a C file cannot include %s, which is C++: choose a "
                     "name that ends in .cpp",
                     x->output, cxx);
  return ERR_NONE;
}

static char *output_folder(const struct export *x, struct error *e) {
  char *dir =
      strcmp(x->output, "-") ? folder_of(x->output) : realpath(".", NULL);
  if (!dir)
    error_set(e, ERR_INPUT, "%s: %s", x->output, strerror(errno));
  return dir;
}

static int put_include(const char *dir, const char *source, struct buf *out,
                       struct error *e) {
  if (!is_source(source))
    return error_set(e, ERR_USAGE,
                     "%s is not a C or C++ source, so the file cannot include "
                     "it: use --separate, and test the two together",
                     source);
  char *real = realpath(source, NULL);
  if (!real)
    return error_set(e, ERR_INPUT, "%s: %s", source, strerror(errno));
  char *name = relative(dir, real);
  if (strpbrk(name, "\"\n\\"))
    error_set(e, ERR_INPUT,
              "%s: no #include can name a file with a quote, a backslash or a "
              "new line: use --separate",
              source);
  else
    buf_printf(out, "#include \"%s\"\n", name);
  free(real);
  free(name);
  return e->code;
}

static int put_includes(const struct export *x, struct buf *out,
                        struct error *e) {
  char *dir = output_folder(x, e);
  for (uint32_t i = 1; dir && !x->separate && i < x->rest.args.len; i++)
    if (put_include(dir, x->rest.args.at[i], out, e))
      break;
  free(dir);
  return e->code;
}

/* ---- the file ---- */

static void put_head(const struct export *x, struct buf *out) {
  const char *slash = strrchr(x->output, '/');
  buf_puts(out, "/*\n * ");
  put_comment(out, x->schedule.object ? x->schedule.object : "An object");
  buf_puts(out, x->expect_fault
                    ? ": a client with a fault.  This passes as long as the "
                      "fault is there:\n *\n *     faultline "
                    : ": a client with a fault.  This fails as long as the "
                      "fault is there:\n *\n *     faultline ");
  put_comment(out, !strcmp(x->output, "-") ? "THIS_FILE"
                   : slash                 ? slash + 1
                                           : x->output);
  for (uint32_t i = 1; x->separate && i < x->rest.args.len; i++) {
    buf_putc(out, ' ');
    put_comment(out, x->rest.args.at[i]);
  }
  for (uint32_t i = 0; i < x->rest.after.len; i++) {
    buf_puts(out, i ? " " : " -- ");
    put_comment(out, x->rest.after.at[i]);
  }
  buf_puts(out, "\n *\n"
                " * The execution in which it was found is tried first, then "
                "all others of this\n"
                " * client.  Written by faultline export; without faultline.h "
                "nothing is here.\n"
                " */\n");
}

static int put_file(const struct export *x, struct buf *out, struct error *e) {
  put_head(x, out);
  buf_puts(out, "#ifdef __has_include\n"
                "#if __has_include(<faultline.h>)\n"
                "#include <faultline.h>\n");
  if (put_includes(x, out, e))
    return e->code;
  buf_printf(out, "\nFL_CLIENT%s(\n    ",
             x->expect_fault ? "_EXPECT_FAULT" : "");
  put_schedule(out, &x->schedule);
  buf_puts(out,
           ")\n"
           "#endif\n"
           "#endif\n"
           "\n"
           "typedef int fl_exported_client; /* no file is empty in C */\n");
  return ERR_NONE;
}

/* ---- checking the file ---- */

static void put_option(struct opt_words *argv, const char *name,
                       const char *value) {
  if (value) {
    vec_push(argv, name);
    vec_push(argv, value);
  }
}

/* Settings to test these files; they point into x. */
static int build_settings(const struct export *x, const char *const *files,
                          uint32_t n, struct settings *set, struct error *e) {
  struct opt_words argv = {0};
  bool help;
  vec_push(&argv, "test");
  put_option(&argv, "--cc", x->cc);
  put_option(&argv, "--cxx", x->cxx);
  put_option(&argv, "--opt", x->opt);
  for (uint32_t i = 0; i < n; i++)
    vec_push(&argv, files[i]);
  vec_push(&argv, "--");
  for (uint32_t i = 0; i < x->rest.after.len; i++)
    vec_push(&argv, x->rest.after.at[i]);
  int err =
      settings_parse(set, "test", (int)argv.len, (char **)argv.at, &help, e);
  vec_free(&argv);
  return err;
}

static int check_files(const struct export *x, const char *const *files,
                       uint32_t n, bool whole, struct error *e) {
  struct settings set;
  struct session s = {0};
  if (build_settings(x, files, n, &set, e)) {
    settings_free(&set);
    return e->code;
  }
  set.hushed = whole; /* it includes the sources, or is beside them */
  int err = session_open(&s, &set, e);
  uint32_t suite;
  if (!err)
    err = session_find_client(&s, &x->schedule, x->schedule_path, &suite, e);
  if (!err && whole && s.built.about->nclients == 0)
    err = error_set(e, ERR_INPUT, "internal error: the client is not there");
  session_close(&s);
  settings_free(&set);
  return err;
}

/* Compiles the temporary file, whose suffix is that of the output. */
static int check_text(const struct export *x, const char *temporary,
                      struct error *e) {
  VEC(const char *) files = {0};
  vec_push(&files, temporary);
  for (uint32_t i = 1; x->separate && i < x->rest.args.len; i++)
    vec_push(&files, x->rest.args.at[i]);
  int err = check_files(x, files.at, files.len, true, e);
  vec_free(&files);
  return err;
}

static char *temporary_name(const struct export *x, int *suffix) {
  const char *output = x->output, *slash = strrchr(output, '/');
  const char *name = slash ? slash + 1 : output, *dot = strrchr(name, '.');
  const char *end = dot && is_source(name) ? dot
                    : cxx_source(x)        ? ".cpp"
                                           : ".c";
  bool here = !strcmp(output, "-") || !slash;
  *suffix = (int)strlen(end);
  return xasprintf("%.*s.faultline-XXXXXX%s",
                   here ? 0 : (int)(slash + 1 - output), output, end);
}

/* mkstemps makes a file that only its owner can read; a source is for all. */
static void set_mode(int fd) {
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(fd, 0666 & ~mask))
    return; /* then only its owner can read it */
}

static int write_out(const struct export *x, const struct buf *text,
                     struct error *e) {
  int suffix;
  char *temporary = temporary_name(x, &suffix);
  int fd = mkstemps(temporary, suffix);
  if (fd < 0) {
    error_set(e, ERR_SYSTEM, "%s: %s", x->output, strerror(errno));
    free(temporary);
    return e->code;
  }
  tidy_file(temporary);
  set_mode(fd);
  close(fd);
  /* buf_write_file replaces a file as a whole. */
  int err = buf_write_file(text, temporary, e);
  if (!err)
    err = check_text(x, temporary, e);
  if (!err && !strcmp(x->output, "-"))
    err = buf_write_file(text, "-", e);
  else if (!err && rename(temporary, x->output))
    err = error_set(e, ERR_SYSTEM, "%s: %s", x->output, strerror(errno));
  unlink(temporary);
  tidy_file_done(temporary);
  free(temporary);
  return err;
}

/* ---- */

static int read_schedule(struct export *x, struct error *e) {
  if (schedule_read(&x->schedule, x->schedule_path, e))
    return e->code;
  if (!x->schedule.client)
    return error_set(e, ERR_INPUT,
                     "%s: the schedule names no client; the schedule of a "
                     "whole program cannot be exported",
                     x->schedule_path);
  return ERR_NONE;
}

static int export(struct export *x, struct error *e) {
  struct buf text = {0};
  if (x->rest.args.len < 2)
    return error_set(
        e, ERR_USAGE,
        "give a schedule and the sources; see faultline export --help");
  x->schedule_path = x->rest.args.at[0];
  if (!check_name(x, e) && !read_schedule(x, e) && !put_file(x, &text, e) &&
      !check_files(x, x->rest.args.at + 1, x->rest.args.len - 1, false, e))
    write_out(x, &text, e);
  buf_free(&text);
  return e->code;
}

int command_export(int argc, char **argv) {
  struct export x = {.output = "-"};
  struct opt opts[] = {
      {"output", 'o', OPT_STRING, &x.output, "FILE",
       "write the C file to FILE (default: standard output)", "Output"},
      {"expect-fault", 0, OPT_FLAG, &x.expect_fault, NULL,
       "let the test pass as long as the fault is there, instead of failing",
       "Output"},
      {"separate", 0, OPT_FLAG, &x.separate, NULL,
       "do not include the sources: they are tested together with the file",
       "Output"},
      {"cc", 0, OPT_STRING, &x.cc, "COMPILER",
       "the C compiler: gcc (default), clang, ...", "Build"},
      {"cxx", 0, OPT_STRING, &x.cxx, "COMPILER",
       "the C++ compiler (default: the one of --cc)", "Build"},
      {"opt", 'O', OPT_STRING, &x.opt, "LEVEL",
       "optimization: 0, 1 (default), 2, ...", "Build"},
      {0}};
  struct opt_command c = {
      "faultline export SCHEDULE FILE... [-o FILE.c] [-- compiler flags]",
      "Writes a saved schedule (.faultline/*.schedule) as a C file for your "
      "tests. The file includes the sources, the client and the schedule. "
      "faultline FILE.c then runs only this client, first by this schedule and "
      "then by all others, and fails as long as the fault is there.",
      opts, "Exit status: 0 the file was written, 2 it was not.\n"};
  struct error e = {0};
  int status = 0;
  if (opt_parse(&c, argc, argv, &x.rest, &e)) {
    status = command_complain(&e);
  } else if (x.rest.help) {
    command_show_help(&c);
  } else if (export(&x, &e)) {
    status = command_complain(&e);
  }
  schedule_free(&x.schedule);
  opt_rest_free(&x.rest);
  return status;
}
