/*
 * Man pages of the program, of each command (from the tables of options) and of
 * the harness header (from its first comment).
 */
#include "campaign/built.h"
#include "cli/commands.h"

#include "base/buf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Escapes text for roff. */
static void put_roff(struct buf *b, const char *s) {
  bool begin = true;
  for (; *s; s++) {
    if (begin && (*s == '.' || *s == '\''))
      buf_puts(b, "\\&");
    if (*s == '\\')
      buf_puts(b, "\\e");
    else if (*s == '-')
      buf_puts(b, "\\-");
    else
      buf_putc(b, *s);
    begin = *s == '\n';
  }
}

static void put_upper(struct buf *b, const char *s) {
  for (; *s; s++)
    buf_putc(b, (char)toupper((unsigned char)*s));
}

static void put_title(struct buf *b, const char *name, int section) {
  buf_puts(b, ".TH ");
  put_upper(b, name);
  buf_printf(b, " %d \"\" \"faultline %s\" Faultline\n.SH NAME\n", section,
             FL_VERSION);
  put_roff(b, name);
  buf_puts(b, " \\- ");
}

static void put_option(struct buf *b, const struct opt *o) {
  buf_puts(b, ".TP\n");
  if (o->letter)
    buf_printf(b, "\\fB\\-%c\\fR, ", o->letter);
  buf_puts(b, "\\fB\\-\\-");
  put_roff(b, o->name);
  buf_puts(b, "\\fR");
  if (o->kind != OPT_FLAG) {
    buf_puts(b, "=\\fI");
    put_roff(b, o->arg ? o->arg : "VALUE");
    buf_puts(b, "\\fR");
  }
  buf_putc(b, '\n');
  put_roff(b, o->help);
  for (const char *const *c = o->choices; c && *c; c++) {
    buf_puts(b, c == o->choices ? ": " : c[1] ? ", " : " or ");
    put_roff(b, *c);
  }
  buf_putc(b, '\n');
}

static void put_table(void *ctx, const struct opt_command *t) {
  struct buf *b = ctx;
  const char *group = NULL;
  buf_puts(b, ".SH SYNOPSIS\n.nf\n");
  put_roff(b, t->usage);
  buf_puts(b, "\n.fi\n");
  if (t->about) {
    buf_puts(b, ".SH DESCRIPTION\n");
    put_roff(b, t->about);
    buf_putc(b, '\n');
  }
  for (const struct opt *o = t->opts; o->name; o++) {
    const char *is = o->group ? o->group : "Options";
    if (!o->help)
      continue;
    if (!group)
      buf_puts(b, ".SH OPTIONS\n");
    if (!group || strcmp(group, is))
      buf_printf(b, ".SS %s\n", is);
    group = is;
    put_option(b, o);
  }
  if (t->notes) {
    buf_puts(b, ".SH NOTES\n.nf\n");
    put_roff(b, t->notes);
    buf_puts(b, "\n.fi\n");
  }
}

static void command_page(const struct cli_command *c, struct buf *b) {
  char *name = xasprintf("faultline-%s", c->name);
  put_title(b, name, 1);
  put_roff(b, c->help);
  buf_putc(b, '\n');
  command_visit(c, put_table, b);
  buf_puts(b, ".SH SEE ALSO\n.BR faultline (1),\n.BR faultline.h (3)\n");
  free(name);
}

static void program_page(struct buf *b) {
  static const char *const statuses[][2] = {
      {"0", "no fault found"},
      {"1", "fault found"},
      {"2", "usage, build or tool error"},
      {"3", "inconclusive or nothing checked"}};
  static const char *const variables[][2] = {
      {"FAULTLINE_OPTIONS",
       "options of the commands that take sources; they come before those of "
       "the command line, and are split and quoted as in a shell"},
      {"FAULTLINE_CC, FAULTLINE_CXX",
       "the compilers of faultline cc and faultline cxx"},
      {"FAULTLINE_CC_PASS",
       "while set, faultline cc passes all arguments on unchanged"},
      {"NO_COLOR", "no colours"},
      {"GITHUB_ACTIONS", "when \"true\", faults are printed as annotations"},
      {"TMPDIR", "the folder in which the sources are built (default: /tmp)"}};
  put_title(b, "faultline", 1);
  buf_puts(b, "tests concurrent objects written in C or C++\n"
              ".SH SYNOPSIS\n.nf\n"
              "faultline FILE... [options] [\\-\\- compiler flags]\n"
              "faultline COMMAND ...\n.fi\n.SH DESCRIPTION\n"
              "Finds executions in which an object is not linearizable, "
              "crashes, deadlocks or touches freed memory, in the smallest "
              "client that fails, and the lines that must become atomic.\n"
              ".SH COMMANDS\n");
  for (const struct cli_command *c = commands; c->name; c++) {
    if (c->hidden)
      continue;
    buf_puts(b, ".TP\n.BR faultline\\-");
    put_roff(b, c->name);
    buf_puts(b, " (1)\n");
    put_roff(b, c->help);
    buf_putc(b, '\n');
  }
  buf_puts(b, ".SH EXIT STATUS\n");
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
    buf_printf(b, ".TP\n%s\n%s\n", statuses[i][0], statuses[i][1]);
  buf_puts(b, ".SH ENVIRONMENT\n");
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    buf_printf(b, ".TP\n.B %s\n%s\n", variables[i][0], variables[i][1]);
  buf_puts(b, ".SH FILES\n.TP\n.I .faultline/*.schedule\nsaved faults, "
              "which later runs try first\n"
              ".SH SEE ALSO\n.BR faultline.h (3)\n");
}

/* A line of the header's comment, without the ` * `; NULL at its end. */
static char *next_line(char **at) {
  char *line = *at, *end = line ? strchr(line, '\n') : NULL;
  if (!end)
    return NULL;
  *end = '\0';
  *at = end + 1;
  if (!strncmp(line, " */", 3))
    return NULL;
  return !strncmp(line, " * ", 3)  ? line + 3
         : !strncmp(line, " *", 2) ? line + 2
                                   : line;
}

/*
 * The comment has these kinds of lines: a macro at the margin begins an entry;
 * lines indented by four are the text of the entry; lines indented by more are
 * kept as they are; other lines at the margin are text.
 */
static int header_page(struct buf *b, struct error *e) {
  struct buf text = {0};
  char *path = xasprintf("%s/faultline.h", built_include());
  int err = buf_read_file(&text, path, e);
  put_title(b, "faultline.h", 3);
  buf_puts(b, "what a harness of Faultline includes\n.SH SYNOPSIS\n.nf\n"
              "#include <faultline.h>\n.fi\n.SH DESCRIPTION\n");
  char *at = err ? NULL : strchr(text.at, '\n'), *line;
  bool kept = false, entries = false;
  if (at) {
    at++;
    next_line(&at); /* the title */
  }
  while ((line = next_line(&at))) {
    size_t indent = strspn(line, " ");
    bool macro = !strncmp(line, "FL_", 3);
    bool keep = indent >= 6 || (indent == 4 && !entries);
    entries |= macro;
    if (keep != kept)
      buf_puts(b, keep ? ".nf\n" : ".fi\n");
    kept = keep;
    if (macro)
      buf_puts(b, ".TP\n.B ");
    else if (!*line)
      buf_puts(b, entries ? "" : ".PP");
    else if (!indent && entries)
      buf_puts(b, ".PP\n");
    put_roff(b, keep ? line : line + indent);
    if (*line || !entries)
      buf_putc(b, '\n');
  }
  buf_puts(b, kept ? ".fi\n" : "");
  buf_puts(b, ".SH SEE ALSO\n.BR faultline (1)\n");
  buf_free(&text);
  free(path);
  return err;
}

static int make_page(const char *name, struct buf *b, struct error *e) {
  if (!strcmp(name, "faultline.h"))
    return header_page(b, e);
  if (!strcmp(name, "faultline")) {
    program_page(b);
    return ERR_NONE;
  }
  if (!strncmp(name, "faultline-", 10))
    name += 10;
  const struct cli_command *c = commands_find(name);
  if (!c)
    return error_set(e, ERR_USAGE, "no command is called %s", name);
  command_page(c, b);
  return ERR_NONE;
}

static int write_page(const char *dir, const char *name, int section,
                      struct error *e) {
  struct buf b = {0};
  char *path = xasprintf("%s/%s.%d", dir, name, section);
  int err = make_page(name, &b, e);
  if (!err)
    err = buf_write_file(&b, path, e);
  buf_free(&b);
  free(path);
  return err;
}

static int write_all(const char *dir, struct error *e) {
  if (mkdir(dir, 0777) && errno != EEXIST)
    return error_set(e, ERR_SYSTEM, "%s: %s", dir, strerror(errno));
  int err = write_page(dir, "faultline", 1, e);
  if (!err)
    err = write_page(dir, "faultline.h", 3, e);
  for (const struct cli_command *c = commands; !err && c->name; c++) {
    char *name = xasprintf("faultline-%s", c->name);
    if (!c->hidden)
      err = write_page(dir, name, 1, e);
    free(name);
  }
  return err;
}

int command_man_page(int argc, char **argv) {
  struct error e = {0};
  struct buf b = {0};
  unsetenv("FAULTLINE_OPTIONS");
  if (argc == 3 && !strcmp(argv[1], "--all"))
    write_all(argv[2], &e);
  else if (argc == 2 && argv[1][0] != '-')
    make_page(argv[1], &b, &e);
  else
    error_set(&e, ERR_USAGE, "usage: faultline man-page NAME | --all FOLDER");
  if (!e.code)
    fputs(buf_text(&b), stdout);
  buf_free(&b);
  return e.code ? command_complain(&e) : 0;
}
