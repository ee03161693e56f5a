/*
 * A folder of its own for each test program, entered at the start and removed
 * at the end, and short ways to build an object in it.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "test.h"

#include "base/buf.h"
#include "build/command.h"
#include "build/compile.h"
#include "code/code.h"
#include "debug/lines.h"

#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_dir[PATH_MAX];
static pid_t scratch_owner; /* a forked child's exit removes nothing */

static int scratch_remove_one(const char *path, const struct stat *st, int flag,
                              struct FTW *at) {
  (void)st, (void)flag, (void)at;
  return remove(path);
}

static void scratch_remove(void) {
  if (getpid() == scratch_owner && chdir("/") == 0)
    nftw(scratch_dir, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

__attribute__((constructor)) static void scratch_enter(void) {
  char name[] = "/tmp/faultline-test-XXXXXX";
  if (!mkdtemp(name) || chdir(name) || !realpath(".", scratch_dir))
    die("cannot make a folder in /tmp");
  scratch_owner = getpid();
  atexit(scratch_remove);
}

__attribute__((unused)) static void scratch_write(const char *path,
                                                  const char *text) {
  struct buf b = {0};
  struct error e = {0};
  buf_puts(&b, text);
  if (buf_write_file(&b, path, &e))
    die("%s", e.text);
  buf_free(&b);
}

/* Whether a program is installed.  If not, tests/run-preset lists it. */
__attribute__((unused)) static bool scratch_has(const char *program) {
  char *file = command_find(program);
  if (!file) {
    printf("skipped: there is no %s\n", program);
    fflush(stdout);
  }
  free(file);
  return file != NULL;
}

/* Builds one source; the path of the object, or NULL with the error printed. */
__attribute__((unused)) static char *scratch_build(const char *cc,
                                                   const char *opt,
                                                   const char *source,
                                                   const char *flag) {
  struct build b = {.cc = cc, .opt = opt};
  struct error e = {0};
  char *so = NULL;
  vec_push(&b.inputs, source);
  if (flag)
    vec_push(&b.flags, flag);
  if (build_shared(&b, "out", &so, &e))
    fprintf(stderr, "%s %s: %s\n", cc, opt, e.text);
  vec_free(&b.inputs);
  vec_free(&b.flags);
  return so;
}

__attribute__((unused)) static struct lines *scratch_lines(const char *so) {
  struct error e = {0};
  struct lines *l = lines_open(so, &e);
  if (!l)
    die("%s", e.text);
  return l;
}

/* The nth place that refers to a symbol inside a function: its return address,
 * or 0. */
struct scratch_call {
  const char *function, *symbol;
  int skip;
  uint64_t found;
};

static void scratch_visit(void *ctx, const struct line_symbol *f,
                          const struct code_insn *i) {
  struct scratch_call *c = ctx;
  if (!c->found && i->symbol &&
      !strncmp(i->symbol, c->symbol, strlen(c->symbol)) &&
      (!c->function || !strcmp(f->name, c->function)) && c->skip-- == 0)
    c->found = i->pc + i->size;
}

__attribute__((unused)) static uint64_t
scratch_call(struct lines *l, const char *function, const char *symbol, int n) {
  struct scratch_call c = {function, symbol, n, 0};
  struct error e = {0};
  if (code_walk(l, scratch_visit, &c, &e))
    die("%s", e.text);
  return c.found;
}

/* Where calls come back to, in order of addresses. */
typedef VEC(uint64_t) scratch_returns;

static void scratch_visit_call(void *ctx, const struct line_symbol *f,
                               const struct code_insn *i) {
  scratch_returns *r = ctx;
  (void)f;
  if (i->kind == CODE_CALL)
    vec_push(r, i->pc + i->size);
}

__attribute__((unused)) static scratch_returns scratch_calls(struct lines *l) {
  scratch_returns r = {0};
  struct error e = {0};
  if (code_walk(l, scratch_visit_call, &r, &e))
    die("%s", e.text);
  return r;
}

/* False: of an access without a hook, or of one that may have none. */
__attribute__((unused)) static bool scratch_is_call(const scratch_returns *r,
                                                    uint64_t place) {
  for (uint32_t i = 0; i < r->len; i++)
    if (r->at[i] == place)
      return true;
  return false;
}

/* Runs `body` for every compiler and level that must work. */
#define EACH_COMPILER(cc, opt)                                                 \
  for (const char **cc##_ = (const char *[]){"gcc", "clang", NULL}, *cc;       \
       (cc = *cc##_); cc##_++)                                                 \
    if (scratch_has(cc))                                                       \
      for (const char **                                                       \
               opt##_ = (const char *[]){"-O0", "-O1", "-O2", "-O3", NULL},    \
             *opt;                                                             \
           (opt = *opt##_); opt##_++)

#endif
