#include "build/compile.h"
#include "base/hash.h"
#include "base/text.h"
#include "build/command.h"
#include "build/flags.h"
#include "build/reuse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One source on its way to an object. */
struct unit {
  const char *source;
  struct command command; /* without the names of what it writes */
  char *object;           /* where the result stands when it is good */
  char *fresh, *deps;     /* what the compiler writes */
  bool reused;
  struct timespec started;
  pid_t pid; /* 0: not running */
};

static const char *cc_of(const struct build *b) {
  return b->cc ? b->cc : "gcc";
}

/* clang-14 has clang++-14 beside it, and /opt/bin/clang /opt/bin/clang++. */
static char *cxx_of(const struct build *b) {
  if (b->cxx)
    return xstrdup(b->cxx);
  const char *cc = cc_of(b), *at;
  if ((at = strstr(cc, "clang")))
    return xasprintf("%.*sclang++%s", (int)(at - cc), cc, at + 5);
  if ((at = strstr(cc, "gcc")))
    return xasprintf("%.*sg++%s", (int)(at - cc), cc, at + 3);
  return xstrdup("g++");
}

static int make_folders(const char *dir, struct error *e) {
  char *path = xstrdup(dir);
  for (char *p = path + 1;; p++) {
    if (*p && *p != '/')
      continue;
    char end = *p;
    *p = 0;
    if (mkdir(path, 0777) && errno != EEXIST) {
      error_set(e, ERR_SYSTEM, "%s: %s", path, strerror(errno));
      free(path);
      return ERR_SYSTEM;
    }
    *p = end;
    if (!end)
      break;
  }
  free(path);
  return ERR_NONE;
}

static int check_flags(const struct build *b, struct error *e) {
  for (uint32_t i = 0; i < b->flags.len; i++) {
    const char *f = b->flags.at[i];
    if (flag_is_sanitizer(f))
      return error_set(e, ERR_USAGE,
                       "%s cannot be combined with the hooks, which are "
                       "-fsanitize=thread: leave it out",
                       f);
    if (!strcmp(f, "-c") || !strcmp(f, "-E") || !strcmp(f, "-S") ||
        !strncmp(f, "-o", 2))
      return error_set(e, ERR_USAGE,
                       "%s among the compiler flags: what the compiler makes, "
                       "and where, is not for the flags to say",
                       f);
    if (flag_takes_word(f) && ++i >= b->flags.len)
      return error_set(e, ERR_USAGE, "%s: its argument is missing", f);
  }
  return ERR_NONE;
}

static int check_inputs(const struct build *b, struct error *e) {
  if (!b->inputs.len)
    return error_set(e, ERR_USAGE, "no source files");
  for (uint32_t i = 0; i < b->inputs.len; i++) {
    const char *path = b->inputs.at[i];
    if (access(path, R_OK))
      return error_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
    if (file_kind(path) == FILE_OTHER)
      return error_set(e, ERR_USAGE,
                       "%s: not a C or C++ source (.c .cc .cpp .cxx), object "
                       "(.o .a) or shared object (.so)",
                       path);
    if (b->native &&
        (file_kind(path) == FILE_OBJECT || file_kind(path) == FILE_SHARED) &&
        flags_is_hooked(path))
      return error_set(e, ERR_USAGE,
                       "%s was compiled with the hooks: real threads need the "
                       "sources, or an object without hooks",
                       path);
  }
  return ERR_NONE;
}

/* A linker's file among the flags: library.a, object.o. */
static bool is_link_file(const char *word) {
  enum file_kind k = *word == '-' ? FILE_OTHER : file_kind(word);
  return k == FILE_OBJECT || k == FILE_SHARED;
}

/* The user's flags for one step: words that belong to an option follow it. */
static void add_user_flags(struct command *c, const struct build *b,
                           bool link) {
  for (uint32_t i = 0; i < b->flags.len; i++) {
    const char *f = b->flags.at[i];
    bool two = flag_takes_word(f) && i + 1 < b->flags.len;
    bool for_link = flag_is_link(f) || is_link_file(f);
    bool wanted =
        link ? (for_link || flag_is_both(f)) && !flag_is_dropped(f) : !for_link;
    if (wanted)
      command_add(c, f);
    if (two && wanted)
      command_add(c, b->flags.at[i + 1]);
    i += two;
  }
}

/* The source's name without its end, for what is made of it.  What a linker or
 * a file of arguments could take for more than a letter is left out. */
static char *stem(const char *path) {
  const char *name = base_name(path), *dot = strrchr(name, '.');
  char *own = dot ? xstrndup(name, (size_t)(dot - name)) : xstrdup(name);
  for (char *c = own; *c; c++)
    if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
        !(*c >= '0' && *c <= '9') && !strchr("_-.+", *c))
      *c = '_';
  return own;
}

struct around { /* what stands before the user's flags, and after them */
  struct command before, after;
};

static void add_all(struct command *c, const struct command *from) {
  for (uint32_t i = 0; i < from->argv.len; i++)
    command_add(c, from->argv.at[i]);
}

static void plan(struct unit *u, const struct build *b, const char *source,
                 const struct around *around, const char *dir) {
  *u = (struct unit){.source = source};
  struct command *c = &u->command;
  c->tmp = dir;
  add_all(c, &around->before);
  command_add(c, b->opt ? b->opt : "-O1");
  if (b->include)
    command_addf(c, "-I%s", b->include);
  add_user_flags(c, b, false);
  add_all(c, &around->after);
  command_add(c, "-c");
  command_add(c, source);
  char *name = stem(source);
  u->object = xasprintf("%s/%s-%016" PRIx64 ".o", dir, name, reuse_key(c));
  u->fresh = xasprintf("%s.%ld", u->object, (long)getpid());
  u->deps = xasprintf("%s.d.%ld", u->object, (long)getpid());
  free(name);
}

static void start(struct unit *u, bool verbose) {
  struct command *c = &u->command;
  command_add(c, "-MD");
  command_add(c, "-MF");
  command_add(c, u->deps);
  command_add(c, "-o");
  command_add(c, u->fresh);
  if (verbose) {
    struct buf text = {0};
    command_print(c, &text);
    fprintf(stderr, "%s\n", buf_text(&text));
    buf_free(&text);
  }
  clock_gettime(CLOCK_REALTIME, &u->started);
  u->pid = command_start(c, STDERR_FILENO);
}

static int finish(struct unit *u, struct error *e) {
  int status = command_wait(u->pid);
  u->pid = 0;
  int err = ERR_NONE;
  if (status)
    err = error_set(e, ERR_BUILD, "%s does not compile (%s, %s)", u->source,
                    u->command.argv.at[0], command_end(status));
  else if (access(u->fresh, F_OK))
    err = error_set(e, ERR_BUILD,
                    "%s does not compile: %s says nothing and makes no object",
                    u->source, u->command.argv.at[0]);
  else if (rename(u->fresh, u->object))
    err = error_set(e, ERR_SYSTEM, "%s: %s", u->object, strerror(errno));
  else
    reuse_record(u->object, u->deps, &u->started);
  if (err)
    unlink(u->fresh);
  unlink(u->deps);
  return err;
}

static int compile_all(struct unit *units, uint32_t n, bool verbose,
                       struct error *e) {
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t limit = cpus < 2 ? 2 : cpus > 8 ? 8 : (uint32_t)cpus;
  uint32_t started = 0, finished = 0;
  int err = ERR_NONE;
  while (finished < started || (!err && started < n)) {
    if (!err && started < n && started - finished < limit) {
      struct unit *u = &units[started++];
      u->reused = reuse_possible(u->object);
      if (!u->reused)
        start(u, verbose);
      continue;
    }
    struct unit *u = &units[finished++];
    if (!u->reused) {
      int bad = finish(u, e);
      err = err ? err : bad;
    }
  }
  return err;
}

static int link_all(const struct build *b, const char *dir, const char *driver,
                    char *const *objects, uint32_t n, char **so,
                    struct error *e) {
  struct command c = {.tmp = dir};
  char *name = stem(b->inputs.at[0]);
  char *wraps = NULL;
  int err = ERR_NONE;
  if (!b->native) {
    wraps = xasprintf("%s/%s-%ld.wraps", dir, name, (long)getpid());
    if ((err = flags_wraps(wraps, objects, n, e)))
      goto out;
  }
  command_add(&c, driver);
  for (uint32_t i = 0; i < n; i++) {
    command_add(&c, objects[i]);
    if (file_kind(objects[i]) == FILE_SHARED) {
      const char *slash = strrchr(objects[i], '/');
      command_addf(&c, "-Wl,-rpath,%.*s", slash ? (int)(slash - objects[i]) : 1,
                   slash ? objects[i] : ".");
    }
  }
  add_user_flags(&c, b, true);
  /* The hooks are found when the object is loaded: whatever the user's flags
   * say about undefined symbols, they must be allowed. */
  command_add(&c, "-Wl,-z,undefs");
  command_add(&c, "-Wl,--as-needed");
  command_add(&c, "-lm");
  if (b->native) /* gcc calls it for 16 bytes; the hooks do without */
    command_add(&c, "-latomic");
  *so = xasprintf("%s/%s-%016" PRIx64 ".so", dir, name, reuse_key(&c));
  char *fresh = xasprintf("%s.%ld", *so, (long)getpid());
  flags_link(&c, wraps);
  command_add(&c, "-o");
  command_add(&c, fresh);
  if (b->verbose) {
    struct buf text = {0};
    command_print(&c, &text);
    fprintf(stderr, "%s\n", buf_text(&text));
    buf_free(&text);
  }
  int status = command_run(&c);
  if (status)
    err = error_set(e, ERR_BUILD, "%s%s: the link failed (%s, %s)",
                    b->inputs.at[0], b->inputs.len > 1 ? " and others" : "",
                    driver, command_end(status));
  else if (rename(fresh, *so))
    err = error_set(e, ERR_SYSTEM, "%s: %s", *so, strerror(errno));
  if (err) {
    unlink(fresh);
    free(*so);
    *so = NULL;
  }
  free(fresh);
out:
  if (wraps)
    flags_wraps_remove(wraps);
  free(wraps);
  free(name);
  command_free(&c);
  return err;
}

static int check_compiler(const char *compiler, struct error *e) {
  char *file = command_find(compiler);
  free(file);
  if (file)
    return ERR_NONE;
  return error_set(e, ERR_BUILD,
                   "%s: no such compiler (choose one with --cc=…)", compiler);
}

static int choose_flags(struct around *a, const struct build *b,
                        const char *compiler, bool is_cxx, const char *dir,
                        struct error *e) {
  if (check_compiler(compiler, e))
    return e->code;
  enum family family = flags_family(compiler);
  command_add(&a->before, compiler);
  if (b->native)
    flags_native(&a->before, family);
  else
    flags_hooks(&a->before, compiler, family, dir);
  if (is_cxx)
    flags_cxx(&a->before, family);
  flags_required(&a->after);
  if (!b->native)
    flags_hooks_last(&a->after, family);
  return ERR_NONE;
}

int build_shared(const struct build *b, const char *dir, char **so,
                 struct error *e) {
  *so = NULL;
  char *cxx = cxx_of(b);
  const char *cc = cc_of(b);
  struct around flags[2] = {0}; /* for C, and for C++ */
  struct unit *units = xcalloc(b->inputs.len + 1, sizeof *units);
  VEC(char *) objects = {0};
  uint32_t n = 0;
  bool any_cxx = false;
  int err;
  if ((err = check_inputs(b, e)) || (err = check_flags(b, e)))
    goto out;
  if (b->inputs.len == 1 && file_kind(b->inputs.at[0]) == FILE_SHARED) {
    *so = xstrdup(b->inputs.at[0]);
    goto out;
  }
  if ((err = make_folders(dir, e)))
    goto out;
  for (uint32_t i = 0; i < b->inputs.len; i++) {
    const char *path = b->inputs.at[i];
    enum file_kind kind = file_kind(path);
    if (kind == FILE_OBJECT || kind == FILE_SHARED) {
      vec_push(&objects, xstrdup(path));
      continue;
    }
    bool is_cxx = kind == FILE_CXX;
    any_cxx |= is_cxx;
    if (!flags[is_cxx].before.argv.len &&
        (err = choose_flags(&flags[is_cxx], b, is_cxx ? cxx : cc, is_cxx, dir,
                            e)))
      goto out;
    plan(&units[n], b, path, &flags[is_cxx], dir);
    vec_push(&objects, xstrdup(units[n].object));
    n++;
  }
  if ((err = compile_all(units, n, b->verbose, e)))
    goto out;
  /* C objects alone need no C++ library; archives may, but then the user
   * says -lstdc++ as with any C compiler. */
  const char *driver = any_cxx ? cxx : cc;
  if ((err = check_compiler(driver, e)))
    goto out;
  err = link_all(b, dir, driver, objects.at, objects.len, so, e);
out:
  for (uint32_t i = 0; i < n; i++) {
    command_free(&units[i].command);
    free(units[i].object);
    free(units[i].fresh);
    free(units[i].deps);
  }
  for (uint32_t i = 0; i < objects.len; i++)
    free(objects.at[i]);
  vec_free(&objects);
  free(units);
  for (int k = 0; k < 2; k++) {
    command_free(&flags[k].before);
    command_free(&flags[k].after);
  }
  free(cxx);
  return err;
}

int build_expand(const struct build *b, const char *source, const char *dir,
                 struct buf *out, struct error *e) {
  struct command c = {0};
  const char *cc = cc_of(b);
  command_add(&c, cc);
  flags_hooks(&c, cc, flags_family(cc), dir);
  command_add(&c, b->opt ? b->opt : "-O1");
  if (b->include)
    command_addf(&c, "-I%s", b->include);
  add_user_flags(&c, b, false);
  command_add(&c, "-w");
  command_add(&c, "-E");
  command_add(&c, source);
  int status = command_capture(&c, out);
  command_free(&c);
  if (status)
    return error_set(e, ERR_BUILD, "%s cannot be preprocessed (%s)", source,
                     command_end(status));
  return ERR_NONE;
}

void build_source_hash(const struct build *b, char out[17]) {
  struct hash128 h = hash128("", 0, 0);
  for (uint32_t i = 0; i < b->inputs.len; i++) {
    struct buf text = {0};
    struct error ignored = {0};
    buf_read_file(&text, b->inputs.at[i], &ignored);
    h = hash128_join(h, hash128(buf_text(&text), text.len, 0));
    buf_free(&text);
  }
  for (uint32_t i = 0; i < b->flags.len; i++)
    h = hash128_join(h, hash128(b->flags.at[i], strlen(b->flags.at[i]), 1));
  snprintf(out, 17, "%016" PRIx64, h.lo);
}
