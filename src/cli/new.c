/* faultline new: makes a folder with an object, its harness and a Makefile. */
#include "cli/commands.h"

#include "base/buf.h"
#include "base/tidy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* path, name of its text in templates.S */
#define TEMPLATES(_)                                                           \
  _("stack.h", stack_h)                                                        \
  _("stack.c", stack_c)                                                        \
  _("harness.c", harness_c)                                                    \
  _("Makefile", makefile)                                                      \
  _("README.md", readme)                                                       \
  _(".github/workflows/faultline.yml", workflow)

#define TEMPLATE_DECLARE(path, name) extern const char template_##name[];
TEMPLATES(TEMPLATE_DECLARE)
#undef TEMPLATE_DECLARE

static const struct {
  const char *path, *text;
} templates[] = {
#define TEMPLATE_ROW(path, name) {path, template_##name},
    TEMPLATES(TEMPLATE_ROW)
#undef TEMPLATE_ROW
};

static int make_folders(const char *dir, const char *path, struct error *e) {
  for (const char *slash = strchr(path, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    char *folder = xasprintf("%s/%.*s", dir, (int)(slash - path), path);
    int failed = mkdir(folder, 0777) && errno != EEXIST;
    if (failed)
      error_set(e, ERR_SYSTEM, "%s: %s", folder, strerror(errno));
    free(folder);
    if (failed)
      return e->code;
  }
  return ERR_NONE;
}

static int write_files(const char *dir, struct error *e) {
  for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
    struct buf text = {0};
    char *path = xasprintf("%s/%s", dir, templates[i].path);
    buf_puts(&text, templates[i].text);
    if (!make_folders(dir, templates[i].path, e))
      buf_write_file(&text, path, e);
    buf_free(&text);
    free(path);
    if (e->code)
      return e->code;
  }
  return ERR_NONE;
}

/* Makes the folder under another name and renames it, so that it appears as a
 * whole or not at all.  rename() refuses to replace a folder that is not
 * empty. */
static int make_project(const char *dir, struct error *e) {
  char *prefix = xasprintf("%s.", dir), *made = tidy_folder(prefix);
  free(prefix);
  if (!made)
    return error_set(e, ERR_SYSTEM, "%s: %s", dir, strerror(errno));
  mode_t mask = umask(0);
  umask(mask);
  chmod(made, 0777 & ~mask);
  if (!write_files(made, e) && rename(made, dir))
    error_set(e, ERR_USAGE, "%s: %s", dir,
              errno == ENOTEMPTY || errno == EEXIST
                  ? "the folder exists, and it is not empty"
              : errno == ENOTDIR ? "a file of this name exists"
                                 : strerror(errno));
  tidy_folder_remove(made); /* if it was not renamed */
  return e->code;
}

int command_new(int argc, char **argv) {
  static const struct opt opts[] = {{0}};
  struct opt_command c = {
      "faultline new DIR",
      "Makes a folder with a small object, a commented harness for it, a "
      "Makefile and a workflow for GitHub. In this folder, make check and make "
      "broken work at once.",
      opts, "Exit status: 0 the folder was made, 2 it was not.\n"};
  struct opt_rest rest = {0};
  struct error e = {0};
  if (!opt_parse(&c, argc, argv, &rest, &e) && !rest.help) {
    if (rest.args.len != 1 || rest.dashes || !*rest.args.at[0])
      error_set(&e, ERR_USAGE,
                "give the name of one folder; see faultline new --help");
    else if (!make_project(rest.args.at[0], &e))
      printf("%s: an object, its harness and how to run them\n"
             "Next: cd %s && make check && make broken\n",
             rest.args.at[0], rest.args.at[0]);
  }
  if (rest.help)
    command_show_help(&c);
  opt_rest_free(&rest);
  return e.code ? command_complain(&e) : 0;
}
