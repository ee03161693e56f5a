/* Runs compilers and linkers, and keeps their results in the cache. */
#define _GNU_SOURCE

#include "build/step.h"
#include "base/wire.h"
#include "build/step_int.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1 }; /* of entries; a new number makes new keys */

/* ---- the first key ---- */

/* Does the variable affect the result of a compiler?  LANG and LC_ affect what
 * it prints. */
static bool affects_compiler(const char *variable) {
  static const char *const begin[] = {"CPATH=",
                                      "C_INCLUDE_PATH=",
                                      "CPLUS_INCLUDE_PATH=",
                                      "COMPILER_PATH=",
                                      "LIBRARY_PATH=",
                                      "SOURCE_DATE_EPOCH=",
                                      "PWD=", /* goes into debug information */
                                      "GCC_",
                                      "COLLECT_",
                                      "CCC_",
                                      "CLANG_",
                                      "LD",
                                      "LANG",
                                      "LC_",
                                      NULL};
  for (int i = 0; begin[i]; i++)
    if (!strncmp(variable, begin[i], strlen(begin[i])))
      return true;
  return false;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_environment(struct buf *b) {
  VEC(char *) variables = {0};
  for (char **v = environ; *v; v++)
    if (affects_compiler(*v))
      vec_push(&variables, *v);
  if (variables.len)
    qsort(variables.at, variables.len, sizeof *variables.at, by_text);
  wire_put(b, variables.len);
  for (uint32_t i = 0; i < variables.len; i++)
    wire_put_text(b, variables.at[i]);
  vec_free(&variables);
}

/* The compiler, and the linker that a flag chooses. */
static void put_programs(const struct build_step *s, struct buf *b) {
  static const char use[] = "-fuse-ld=";
  command_toolchain(s->command.argv.at[0], b);
  for (uint32_t i = 1; i < s->command.argv.len; i++)
    if (!strncmp(s->command.argv.at[i], use, sizeof use - 1)) {
      char *linker = xasprintf("ld.%s", s->command.argv.at[i] + sizeof use - 1);
      command_toolchain(linker, b);
      free(linker);
    }
}

void step_identify(struct build_step *s) {
  struct buf b = {0};
  char *cwd = getcwd(NULL, 0);
  wire_put(&b, FORMAT);
  wire_put(&b, s->kind);
  for (uint32_t i = 0; i < s->command.argv.len; i++)
    if (!step_is_made_here(s, s->command.argv.at[i])) /* S3 */
      wire_put_text(&b, s->command.argv.at[i]);
  put_programs(s, &b);
  wire_put_text(&b, cwd);
  put_environment(&b);
  wire_put_bytes(&b, s->more.at, s->more.len);
  s->key = hash128(b.at, b.len, 0);
  s->may_keep = cwd && step_words_are_plain(s); /* S2 */
  free(cwd);
  buf_free(&b);
}

void step_depends(struct build_step *s, const char *path) {
  struct hash128 h;
  wire_put(&s->more, step_file_hash(path, &h));
  buf_put(&s->more, &h, sizeof h);
}

/* ---- results ---- */

static void print_command(const struct build_step *s, const char *before) {
  struct buf text = {0};
  command_print(&s->command, &text);
  fprintf(stderr, "%s%s\n", before, buf_text(&text));
  buf_free(&text);
}

static bool use_result(const struct build_step *s, const struct buf *result) {
  struct wire w = {.at = result->at, .len = result->len};
  struct error ignored = {0};
  size_t nprinted = wire_get(&w);
  const char *printed = wire_take(&w, nprinted);
  if (w.bad)
    return false;
  struct buf made = {0};
  buf_put(&made, w.at + w.next, w.len - w.next);
  bool ok = buf_write_file(&made, s->output, &ignored) == ERR_NONE;
  if (ok && s->verbose)
    print_command(s, "from the cache: ");
  if (ok && nprinted && !s->hushed)
    fwrite(printed, 1, nprinted, stderr);
  buf_free(&made);
  return ok;
}

bool step_find(struct build_step *s, const struct cache *c) {
  struct buf files = {0}, result = {0};
  struct hash128 key;
  s->may_keep = s->may_keep && c->dir;
  bool ok = s->may_keep && cache_get(c, s->key, &files) &&
            step_result_key(s->key, &files, &key) &&
            cache_get(c, key, &result) && use_result(s, &result);
  buf_free(&files);
  buf_free(&result);
  return ok;
}

static void keep_result(const struct build_step *s, const struct buf *printed,
                        struct cache *c) {
  struct buf files = {0}, result = {0};
  struct hash128 key;
  struct error ignored = {0};
  wire_put_bytes(&result, printed->at, printed->len);
  if (s->may_keep && step_read_rule(s, &files) &&
      step_result_key(s->key, &files, &key) &&
      buf_read_file(&result, s->fresh, &ignored) == ERR_NONE) {
    cache_put(c, key, result.at, result.len);
    cache_put(c, s->key, files.at, files.len);
  }
  buf_free(&files);
  buf_free(&result);
}

/* ---- running ---- */

/* Asks the compiler or linker to list the files that it reads. */
static void ask_for_rule(struct build_step *s) {
  if (s->kind == STEP_LINK) {
    command_addf(&s->command, "-Wl,--dependency-file=%s", s->deps);
  } else {
    command_add(&s->command, "-MD");
    command_add(&s->command, "-MF");
    command_add(&s->command, s->deps);
  }
}

static void start(struct build_step *s) {
  if (s->verbose)
    print_command(s, "");
  clock_gettime(CLOCK_REALTIME_COARSE, &s->started); /* as for files */
  int fd = open(s->printed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  s->pid = command_start(&s->command, fd < 0 ? STDERR_FILENO : fd);
  if (fd >= 0)
    close(fd);
}

void step_start(struct build_step *s) {
  assert(s->output && !s->pid);
  s->fresh = xasprintf("%s.%ld-%zx", s->output, (long)getpid(), (size_t)s);
  s->deps = xasprintf("%s.d", s->fresh);
  s->printed = xasprintf("%s.printed", s->fresh);
  command_add(&s->command, "-o");
  command_add(&s->command, s->fresh);
  if (s->may_keep)
    ask_for_rule(s);
  start(s);
}

/* A link that failed is run again without --dependency-file, which the linker
 * may not know.  Only the output of the second run is printed. */
static void link_again(struct build_step *s) {
  s->may_keep = false;
  assert(strstr(vec_last(&s->command.argv), "--dependency-file"));
  free(vec_pop(&s->command.argv));
  start(s);
  s->status = command_wait(s->pid);
}

int step_finish(struct build_step *s, struct cache *c, struct error *e) {
  struct buf printed = {0};
  struct error unread = {0};
  int err = ERR_NONE;
  assert(s->pid);
  s->status = command_wait(s->pid);
  if (s->status && s->kind == STEP_LINK && s->may_keep)
    link_again(s);
  s->pid = 0;
  buf_read_file(&printed, s->printed, &unread);
  s->made = !s->status && !access(s->fresh, F_OK);
  if (printed.len && s->held)
    buf_put(s->held, printed.at, printed.len);
  else if (printed.len && !(s->hushed && s->made))
    fwrite(printed.at, 1, printed.len, stderr);
  if (s->made && !unread.code)
    keep_result(s, &printed, c);
  if (s->made && rename(s->fresh, s->output)) {
    s->made = false;
    err = error_set(e, ERR_SYSTEM, "%s: %s", s->output, strerror(errno));
  }
  unlink(s->fresh);
  unlink(s->deps);
  unlink(s->printed);
  buf_free(&printed);
  return err;
}

void step_free(struct build_step *s) {
  assert(!s->pid);
  command_free(&s->command);
  buf_free(&s->more);
  free(s->output);
  free(s->fresh);
  free(s->deps);
  free(s->printed);
}
