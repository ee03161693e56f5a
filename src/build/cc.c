/* `faultline cc`; compile.h says what it does with each command line. */
#define _GNU_SOURCE

#include "base/text.h"
#include "base/tidy.h"
#include "build/command.h"
#include "build/compile.h"
#include "build/flags.h"
#include "build/library.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct cc_line {      /* the command line of a compiler, parsed */
  bool compile_only;  /* -c or -S or -E */
  bool pass;          /* pass it on without hooks */
  const char *output; /* after -o, or NULL */
  uint32_t sources;
  char *dir; /* temporary folder for objects, when it links sources … */
  VEC(char *) made; /* … and these objects */
};

/* Is it a file of a check that a configure script compiles and runs? */
static bool is_check(const char *path) {
  const char *name = base_name(path);
  return begins(name, "conftest") || begins(name, "sanitycheck") ||
         begins(name, "CMakeCCompilerId") ||
         begins(name, "CMakeCXXCompilerId") || strstr(path, "cmTC_") ||
         strstr(path, "CMakeScratch") || strstr(path, "CMakeTmp") ||
         strstr(path, "meson-private");
}

static void parse_line(struct cc_line *l, int argc, char **argv) {
  static const char *const passing[] = {"-M", "-MM", "-r", "-###", NULL};
  const char *pass = getenv("FAULTLINE_CC_PASS");
  bool any = false;
  l->pass = pass && *pass;
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    if (!strcmp(a, "-c") || !strcmp(a, "-S") || !strcmp(a, "-E"))
      l->compile_only = true;
    for (int p = 0; passing[p]; p++)
      l->pass |= !strcmp(a, passing[p]);
    if (!strcmp(a, "-o") && i + 1 < argc)
      l->output = argv[++i];
    else if (begins(a, "-o") && a[2])
      l->output = a + 2;
    else if (flag_takes_word(a))
      i++;
    else if (*a != '-' || !a[1]) {
      enum file_kind k = file_kind(a);
      any = true;
      l->pass |= is_check(a);
      l->sources += k == FILE_C || k == FILE_CXX || k == FILE_ASM;
    }
  }
  l->pass |= !any || (l->output && is_check(l->output));
}

/* Adds the argument, unless it is a sanitizer, which the hooks exclude. */
static int add_given(struct command *c, const char *arg, struct error *e) {
  if (begins(arg, "-fsanitize=") && strcmp(arg, "-fsanitize=thread"))
    return error_set(e, ERR_USAGE,
                     "leave out %s: it does not go with the hooks of Faultline "
                     "(-fsanitize=thread)",
                     arg);
  if (!flag_is_sanitizer(arg))
    command_add(c, arg);
  return ERR_NONE;
}

/* The flags of the hooks that come before the given flags. */
static enum family add_hooks(struct command *c, const char *real,
                             const char *include) {
  struct cache answers;
  cache_open(&answers);
  enum family family = flags_family(real, &answers);
  flags_hooks(c, real, family, &answers);
  cache_close(&answers);
  if (include)
    command_addf(c, "-I%s", include);
  return family;
}

/* The flags of the hooks that come after the given flags. */
static void add_hooks_last(struct command *c, enum family family) {
  flags_required(c);
  flags_hooks_last(c, family);
}

/* Compiles a source of a command that also links. */
static int compile_source(struct cc_line *l, const char *real, int argc,
                          char **argv, int source, const char *include,
                          struct error *e) {
  char *object = xasprintf("%s/%u.o", l->dir, (unsigned)l->made.len);
  int err = ERR_NONE;
  vec_push(&l->made, object);
  struct command c = {.tmp = l->dir};
  command_add(&c, real);
  enum family family = add_hooks(&c, real, include);
  for (int i = 1; i < argc && !err; i++) {
    const char *a = argv[i];
    bool two = flag_takes_word(a) && i + 1 < argc;
    bool is_input = *a != '-' || !a[1];
    bool wanted =
        !flag_is_link(a) && !begins(a, "-o") && (!is_input || i == source);
    if (wanted)
      err = add_given(&c, a, e);
    if (two && wanted)
      command_add(&c, argv[i + 1]);
    i += two;
  }
  add_hooks_last(&c, family);
  command_add(&c, "-c");
  command_add(&c, "-o");
  command_add(&c, object);
  int status = err ? 0 : command_run(&c);
  command_free(&c);
  if (status)
    err = error_set(e, ERR_BUILD, "%s does not compile", argv[source]);
  return err;
}

/* Does it say which members of archives are wanted? */
static bool is_for_archives(const char *a) {
  static const char *const flags[] = {"-Wl,--whole-archive",
                                      "-Wl,--no-whole-archive",
                                      "-Wl,--start-group",
                                      "-Wl,--end-group",
                                      "-Wl,-(",
                                      "-Wl,-)",
                                      NULL};
  for (int i = 0; flags[i]; i++)
    if (!strcmp(a, flags[i]))
      return true;
  return false;
}

static int link_line(struct cc_line *l, const char *real, int argc, char **argv,
                     const char *include, struct error *e) {
  struct command c = {0};
  VEC(char *) objects = {0}, parts = {0}; /* and options for them */
  int err = ERR_NONE, status = 1;
  bool library = false;
  if (!(l->dir = tidy_temporary_folder()))
    return error_set(e, ERR_SYSTEM,
                     "cannot make a temporary folder (TMPDIR): %s",
                     strerror(errno));
  char *wraps = xasprintf("%s/wraps", l->dir);
  c.tmp = l->dir;
  command_add(&c, real);
  for (int i = 1; i < argc; i++) {
    char *a = argv[i];
    enum file_kind k = *a == '-' ? FILE_OTHER : file_kind(a);
    if (k == FILE_C || k == FILE_CXX || k == FILE_ASM) {
      if ((err = compile_source(l, real, argc, argv, i, include, e)))
        goto out;
      a = vec_last(&l->made);
      k = FILE_OBJECT;
    }
    if (k == FILE_OBJECT)
      vec_push(&objects, a);
    if (k == FILE_OBJECT || is_for_archives(a))
      vec_push(&parts, a);
    library |= !strcmp(a, "-shared");
    bool two = flag_takes_word(a) && i + 1 < argc;
    if (!flag_is_dropped(a) && strcmp(a, "-flto") &&
        (err = add_given(&c, a, e)))
      goto out;
    if (two)
      command_add(&c, argv[++i]);
  }
  if ((err = flags_wraps(wraps, objects.at, objects.len, e)))
    goto out;
  flags_link(&c, wraps);
  command_add(&c, "-Wl,-z,undefs");
  status = command_run(&c);
  if (!status && library)
    library_keep(l->output ? l->output : "a.out", real, parts.at, parts.len,
                 l->dir);
out:
  tidy_folder_remove(l->dir);
  free(wraps);
  for (uint32_t i = 0; i < l->made.len; i++)
    free(l->made.at[i]);
  vec_free(&l->made);
  vec_free(&objects);
  vec_free(&parts);
  command_free(&c);
  if (!err || err == ERR_BUILD) /* the compiler has printed its errors */
    exit(err ? 1 : status);
  return err;
}

int build_cc(int argc, char **argv, const char *include, struct error *e) {
  bool cxx = !strcmp(argv[0], "c++") || !strcmp(argv[0], "cxx");
  const char *real = getenv(cxx ? "FAULTLINE_CXX" : "FAULTLINE_CC");
  if (!real || !*real)
    real = cxx ? "g++" : "gcc";
  struct cc_line l = {0};
  struct command c = {0};
  int err = ERR_NONE;
  parse_line(&l, argc, argv);
  if (!l.pass && !l.compile_only)
    return link_line(&l, real, argc, argv, include, e);
  enum family family = FAMILY_GCC;
  command_add(&c, real);
  if (!l.pass)
    family = add_hooks(&c, real, include);
  for (int i = 1; i < argc && !err; i++)
    if (l.pass)
      command_add(&c, argv[i]);
    else
      err = add_given(&c, argv[i], e);
  if (!err) {
    if (!l.pass)
      add_hooks_last(&c, family);
    command_exec(&c);
    err = error_set(e, ERR_BUILD, "%s: %s", real, strerror(errno));
  }
  command_free(&c);
  return err;
}
