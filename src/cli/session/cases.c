#include "cli/session/cases.h"

#include <stdlib.h>
#include <string.h>

const char *cases_root(const char *here) {
  static const char *const names[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *root = getenv(names[i]);
    size_t n = root ? strlen(root) : 0;
    while (n > 1 && root[n - 1] == '/')
      n--;
    if (n && root[0] == '/' && !strncmp(root, here, n) &&
        (!here[n] || here[n] == '/'))
      return root;
  }
  return here;
}

static bool is_standard(const char *path) { return path && !strcmp(path, "-"); }

bool cases_on_stdout(const struct case_files *f) {
  return is_standard(f->junit) || is_standard(f->sarif) || is_standard(f->tap);
}

static void write_one(void (*report)(const struct ci_cases *, struct buf *),
                      const struct ci_cases *c, const char *path,
                      struct error *e) {
  struct buf text = {0};
  if (path && !e->code) {
    report(c, &text);
    buf_write_file(&text, path, e);
  }
  buf_free(&text);
}

int cases_write(struct ci_cases *c, const struct case_files *f, int status,
                struct error *e) {
  char *here = realpath(".", NULL);
  struct ci_report about = {.here = here ? here : "/",
                            .root = cases_root(here ? here : "/"),
                            .version = FL_VERSION,
                            .status = status};
  c->about = &about;
  write_one(ci_cases_junit, c, f->junit, e);
  write_one(ci_cases_sarif, c, f->sarif, e);
  write_one(ci_cases_tap, c, f->tap, e);
  c->about = NULL;
  free(here);
  return e->code;
}
