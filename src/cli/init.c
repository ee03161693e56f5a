/* faultline init: writes a harness, from the debug information of sources. */
#include "base/text.h"
#include "campaign/built.h"
#include "cli/commands.h"
#include "cli/init/int.h"
#include "cli/options.h"

#include "base/tidy.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct init {
  const char *output, *cc;
  bool force;
  struct opt_rest rest;
  char *dir;           /* temporary folder for compiling */
  struct lines *lines; /* owns the names of functions */
  struct arena arena;
  function_list functions;
  struct harness_plan plan;
};

/* Compiles the inputs with the file `more` and without the file `less`; both
 * may be NULL. */
static int compile(struct init *x, const char *more, const char *less,
                   bool strict, struct error *e) {
  struct settings set = {.cc = x->cc, .opt = "-O0"};
  struct build b;
  const char *slash = strrchr(x->output, '/');
  char *so = NULL,
       *from = xasprintf("-I%.*s", slash ? (int)(slash - x->output) + 1 : 1,
                         slash ? x->output : ".");
  built_compiler(&set, &b);
  b.hushed = more; /* the sources once more */
  for (uint32_t i = 0; i < x->rest.args.len; i++)
    if (!less || strcmp(less, x->rest.args.at[i]))
      vec_push(&b.inputs, x->rest.args.at[i]);
  if (more)
    vec_push(&b.inputs, more);
  for (uint32_t i = 0; i < x->rest.after.len; i++)
    vec_push(&b.flags, x->rest.after.at[i]);
  vec_push(&b.flags, from);
  if (strict)
    vec_push(&b.flags, "-Werror=implicit-function-declaration");
  if (!x->cc || !strstr(x->cc, "clang")) /* not called yet */
    vec_push(&b.flags, "-fkeep-static-functions");
  int err = build_shared(&b, x->dir, &so, e);
  if (!err && !more) {
    x->lines = lines_open(so, e);
    if (x->lines)
      functions_read(x->lines, &x->arena, &x->functions);
    err = e->code;
  }
  free(so);
  free(from);
  vec_free(&b.inputs);
  vec_free(&b.flags);
  return err;
}

/* The source that defines the object. */
static const char *main_source(const struct init *x) {
  assert(x->plan.operations.len);
  const char *file = x->plan.operations.at[0]->file;
  for (uint32_t i = 0; i < x->rest.args.len; i++)
    if (ends(file, x->rest.args.at[i]))
      return x->rest.args.at[i];
  return x->rest.args.at[0];
}

/* The path as the harness must write it in the folder of the output. */
static char *from_output(const struct init *x, const char *path) {
  struct buf b = {0};
  char *real = NULL;
  if (path[0] != '/' && (x->output[0] == '/' || strstr(x->output, "..")))
    real = realpath(path, NULL);
  else if (path[0] != '/')
    for (const char *p = x->output, *slash; (slash = strchr(p, '/'));
         p = slash + 1)
      if (slash > p && !(slash == p + 1 && *p == '.'))
        buf_puts(&b, "../");
  buf_puts(&b, real ? real : path);
  free(real);
  char *text = xstrdup(buf_text(&b));
  buf_free(&b);
  return text;
}

/* Includes the headers that the source includes in quotes. */
static void put_headers(const struct init *x, const char *source,
                        struct buf *out) {
  struct buf text = {0};
  struct error ignored = {0};
  const char *slash = strrchr(source, '/');
  int folder = slash ? (int)(slash - source + 1) : 0;
  if (buf_read_file(&text, source, &ignored)) {
    buf_free(&text);
    return;
  }
  for (char *line = text.at, *next; line && *line; line = next) {
    char name[500];
    next = strchr(line, '\n');
    if (next)
      *next++ = '\0';
    if (sscanf(line, " # include \"%499[^\"]\"", name) != 1)
      continue;
    char *path = xasprintf("%.*s%s", folder, source, name);
    char *there = from_output(x, path);
    buf_printf(out, "#include \"%s\"\n", access(path, F_OK) ? name : there);
    free(there);
    free(path);
  }
  buf_free(&text);
}

static void put_command(const struct init *x, const char *less,
                        struct buf *out) {
  buf_puts(out, "faultline");
  for (uint32_t i = 0; i < x->rest.args.len; i++)
    if (!less || strcmp(less, x->rest.args.at[i]))
      buf_printf(out, " %s", x->rest.args.at[i]);
  buf_printf(out, " %s", x->output);
  for (uint32_t i = 0; i < x->rest.after.len; i++)
    buf_printf(out, "%s %s", i ? "" : " --", x->rest.after.at[i]);
}

/* Writes the harness into the temporary folder and compiles it.  `inside`: it
 * includes the source itself, else the headers of the source. */
static int try_harness(struct init *x, bool inside, bool quiet,
                       struct buf *text, struct buf *command, struct error *e) {
  struct buf includes = {0};
  const char *source = main_source(x);
  char *path = xasprintf("%s/harness.c", x->dir);
  if (inside) {
    char *there = from_output(x, source);
    buf_printf(&includes, "#include \"%s\"\n", there);
    free(there);
  } else {
    put_headers(x, source, &includes);
  }
  put_command(x, inside ? source : NULL, command);
  plan_write(&x->plan, buf_text(&includes), buf_text(command), text);
  int err = buf_write_file(text, path, e), saved = -1;
  if (quiet) {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stderr);
    saved = dup(STDERR_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
  }
  if (!err && !inside && !includes.len)
    err = error_set(e, ERR_INPUT, "no header");
  if (!err)
    err = compile(x, path, inside ? source : NULL, true, e);
  if (saved >= 0) {
    dup2(saved, STDERR_FILENO);
    close(saved);
  }
  buf_free(&includes);
  free(path);
  return err;
}

static int make_harness(struct init *x, struct buf *text, struct buf *command,
                        struct error *e) {
  struct error first = {0};
  /* First with the headers of the source; if that fails, with the source. */
  if (plan_make(&x->functions, false, &x->plan) &&
      !try_harness(x, false, true, text, command, &first))
    return ERR_NONE;
  plan_free(&x->plan);
  buf_clear(text);
  buf_clear(command);
  x->plan = (struct harness_plan){0};
  if (!plan_make(&x->functions, false, &x->plan)) {
    plan_free(&x->plan);
    if (!plan_make(&x->functions, true, &x->plan))
      return error_set(e, ERR_INPUT,
                       "%s: found no function that threads could call; one "
                       "takes numbers, or a pointer to a struct and numbers",
                       x->rest.args.at[0]);
  }
  return try_harness(x, true, false, text, command, e);
}

static bool is_harness(const char *path) {
  struct buf text = {0};
  struct error ignored = {0};
  bool is = !buf_read_file(&text, path, &ignored) &&
            strstr(buf_text(&text), "\nFL_OBJECT(");
  buf_free(&text);
  return is;
}

static int check_usage(struct init *x, struct error *e) {
  static char name[300];
  if (!x->rest.args.len)
    return error_set(
        e, ERR_USAGE,
        "give the sources of the object; see faultline init --help");
  for (uint32_t i = 0; i < x->rest.args.len; i++)
    if (!ends(x->rest.args.at[i], ".c") || !x->rest.args.at[i][2])
      return error_set(e, ERR_USAGE,
                       "%s is not a C source, and init reads only those",
                       x->rest.args.at[i]);
  for (uint32_t i = 0; i < x->rest.args.len; i++)
    if (is_harness(x->rest.args.at[i]))
      return error_set(e, ERR_USAGE,
                       "%s has an FL_OBJECT: it is a harness already, run "
                       "faultline %s",
                       x->rest.args.at[i], x->rest.args.at[i]);
  if (!x->output) {
    const char *base = base_name(x->rest.args.at[0]);
    snprintf(name, sizeof name, "%.*s_harness.c", (int)strlen(base) - 2, base);
    x->output = name;
  }
  if (!x->force && !access(x->output, F_OK))
    return error_set(e, ERR_USAGE, "%s exists; --force replaces it", x->output);
  return ERR_NONE;
}

static int run(struct init *x, struct error *e) {
  struct buf text = {0}, command = {0};
  if (!(x->dir = tidy_temporary_folder()))
    return error_set(e, ERR_SYSTEM,
                     "cannot make a temporary folder (TMPDIR): %s",
                     strerror(errno));
  if (!compile(x, NULL, NULL, false, e) &&
      !make_harness(x, &text, &command, e) &&
      !buf_write_file(&text, x->output, e)) {
    const struct harness_plan *p = &x->plan;
    printf("%s: %s, %u operation%s", x->output,
           p->record ? p->record : "a global object",
           (unsigned)p->operations.len, p->operations.len == 1 ? "" : "s");
    if (p->skipped.len)
      printf(", %u left out", (unsigned)p->skipped.len);
    printf("\nRead its first comment, then run: %s\n", buf_text(&command));
  }
  tidy_folder_remove(x->dir);
  plan_free(&x->plan);
  if (x->lines)
    lines_close(x->lines);
  vec_free(&x->functions);
  arena_free(&x->arena);
  buf_free(&text);
  buf_free(&command);
  return e->code;
}

int command_init(int argc, char **argv) {
  struct init x = {0};
  const struct opt opts[] = {{"output", 'o', OPT_STRING, &x.output, "FILE",
                              "write the harness to FILE (default: the name of "
                              "the first source with _harness.c)",
                              NULL},
                             {"force", 'f', OPT_FLAG, &x.force, NULL,
                              "replace a file that exists", NULL},
                             {"cc", 0, OPT_STRING, &x.cc, "COMPILER",
                              "the C compiler: gcc (default), clang, ...",
                              NULL},
                             {0}};
  struct opt_command c = {
      "faultline init FILE.c... [options] [-- compiler flags]",
      "Reads the debug information of the sources and writes a harness: the "
      "constructor and the destructor of the object, its operations with "
      "domains for their arguments, and comments on what to check. The harness "
      "compiles; read it, since only you know whether it tests what you mean.",
      opts, "Exit status: 0 the harness was written, 2 it was not.\n"};
  struct error e = {0};
  if (!opt_parse(&c, argc, argv, &x.rest, &e) && !x.rest.help &&
      !check_usage(&x, &e))
    run(&x, &e);
  if (x.rest.help)
    command_show_help(&c);
  opt_rest_free(&x.rest);
  return e.code ? command_complain(&e) : 0;
}
