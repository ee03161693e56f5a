/* Plans the steps of a build and runs them, compilers in parallel. */
#include "build/compile.h"
#include "base/hash.h"
#include "base/text.h"
#include "build/command.h"
#include "build/flags.h"
#include "build/library.h"
#include "build/step.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct build_unit { /* the compilation of one source */
  const char *source;
  struct build_step step;
  bool found; /* in the cache */
};

/* Results of steps, and answers of compilers to questions about flags. */
struct build_caches {
  struct cache results, answers;
};

/* Without the user's cache, answers are kept for this run. */
static void open_caches(struct build_caches *c, const struct build *b,
                        const char *dir) {
  c->results = c->answers = (struct cache){0};
  if (b->cache) {
    cache_open(&c->results);
    cache_open(&c->answers);
  }
  if (!c->answers.dir)
    cache_open_at(&c->answers, dir);
}

static void close_caches(struct build_caches *c) {
  cache_close(&c->results);
  cache_close(&c->answers);
}

static const char *cc_of(const struct build *b) {
  return b->cc ? b->cc : "gcc";
}

/* clang++-14 for clang-14, /opt/bin/clang++ for /opt/bin/clang. */
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
                       "leave out %s: it does not go with the hooks of "
                       "Faultline (-fsanitize=thread)",
                       f);
    if (!strcmp(f, "-c") || !strcmp(f, "-E") || !strcmp(f, "-S") ||
        !strncmp(f, "-o", 2))
      return error_set(e, ERR_USAGE,
                       "leave out the compiler flag %s: Faultline chooses what "
                       "the compiler writes, and where",
                       f);
    if (flag_takes_word(f) && ++i >= b->flags.len)
      return error_set(e, ERR_USAGE, "the compiler flag %s needs an argument",
                       f);
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
                       "%s has hooks (faultline cc): --search=stress needs the "
                       "sources, or an object without hooks",
                       path);
  }
  return ERR_NONE;
}

/* Is it a file for the linker among the flags: library.a, object.o? */
static bool is_link_file(const char *word) {
  enum file_kind k = *word == '-' ? FILE_OTHER : file_kind(word);
  return k == FILE_OBJECT || k == FILE_SHARED;
}

/* Adds the user's flags for a compile or link step, each with its argument. */
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
    if (link && begins(f, "-L")) /* where it is linked from, it is loaded */
      command_addf(c, "-Wl,-rpath,%s",
                   f[2]  ? f + 2
                   : two ? b->flags.at[i + 1]
                         : ".");
    i += two;
  }
}

/* The name of the source without its suffix, for files made of it.  Characters
 * that are special to a linker or in a response file become underscores. */
static char *stem(const char *path) {
  const char *name = base_name(path), *dot = strrchr(name, '.');
  char *own = dot ? xstrndup(name, (size_t)(dot - name)) : xstrdup(name);
  for (char *c = own; *c; c++)
    if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
        !(*c >= '0' && *c <= '9') && !strchr("_-.+", *c))
      *c = '_';
  return own;
}

struct around_flags { /* our flags before and after the user's */
  struct command before, after;
};

static void add_all(struct command *c, const struct command *from) {
  for (uint32_t i = 0; i < from->argv.len; i++)
    command_add(c, from->argv.at[i]);
}

/* DIR/NAME-0123456789abcdef.END, with the key of the step. */
static char *output_name(const struct build_step *s, const char *source,
                         const char *end) {
  char *name = stem(source),
       *path = xasprintf("%s/%s-%016" PRIx64 ".%s", s->command.tmp, name,
                         s->key.lo, end);
  free(name);
  return path;
}

static void plan_unit(struct build_unit *u, const struct build *b,
                      const char *source, const struct around_flags *around,
                      const char *dir) {
  *u = (struct build_unit){.source = source,
                           .step = {.kind = STEP_COMPILE,
                                    .command.tmp = dir,
                                    .verbose = b->verbose,
                                    .hushed = b->hushed}};
  struct command *c = &u->step.command;
  add_all(c, &around->before);
  flags_color(c);
  command_add(c, b->opt ? b->opt : "-O1");
  if (b->include)
    command_addf(c, "-I%s", b->include);
  add_user_flags(c, b, false);
  add_all(c, &around->after);
  command_add(c, "-c");
  command_add(c, source);
  step_depends(&u->step, source);
  step_identify(&u->step);
  u->step.output = output_name(&u->step, source, "o");
}

static int finish_unit(struct build_unit *u, struct cache *results,
                       struct error *e) {
  const struct build_step *s = &u->step;
  if (step_finish(&u->step, results, e))
    return e->code;
  if (s->status)
    return error_set(e, ERR_BUILD, "%s does not compile (%s, %s)", u->source,
                     s->command.argv.at[0], command_end(s->status));
  if (!s->made)
    return error_set(
        e, ERR_BUILD,
        "%s does not compile: %s writes neither an object nor a message",
        u->source, s->command.argv.at[0]);
  return ERR_NONE;
}

static int compile_all(struct build_unit *units, uint32_t n,
                       struct cache *results, struct error *e) {
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t limit = cpus < 2 ? 2 : cpus > 8 ? 8 : (uint32_t)cpus;
  uint32_t started = 0, finished = 0;
  int err = ERR_NONE;
  while (finished < started || (!err && started < n)) {
    if (!err && started < n && started - finished < limit) {
      struct build_unit *u = &units[started++];
      u->found = step_find(&u->step, results);
      if (!u->found)
        step_start(&u->step);
      continue;
    }
    struct build_unit *u = &units[finished++];
    if (!u->found) {
      int bad = finish_unit(u, results, e);
      err = err ? err : bad;
    }
  }
  return err;
}

/* Makes the link command; `wraps` is the file for its --wrap options. */
static void plan_link(struct build_step *s, const struct build *b,
                      const char *driver, char *const *objects, uint32_t n,
                      const char *wraps) {
  struct command *c = &s->command;
  command_add(c, driver);
  for (uint32_t i = 0; i < n; i++) {
    command_add(c, objects[i]);
    step_depends(s, objects[i]);
    if (file_kind(objects[i]) == FILE_SHARED) {
      const char *slash = strrchr(objects[i], '/');
      command_addf(c, "-Wl,-rpath,%.*s", slash ? (int)(slash - objects[i]) : 1,
                   slash ? objects[i] : ".");
    }
  }
  add_user_flags(c, b, true);
  /* The hooks are resolved when the object is loaded, so undefined symbols must
   * be allowed, whatever the user's flags say. */
  command_add(c, "-Wl,-z,undefs");
  command_add(c, "-Wl,--as-needed");
  command_add(c, "-lm");
  if (b->native) /* gcc calls it for atomics of 16 bytes */
    command_add(c, "-latomic");
  flags_link(c, wraps);
  if (wraps)
    flags_wraps_all(&s->more);
  step_identify(s);
  s->output = output_name(s, b->inputs.at[0], "so");
}

static int finish_link(struct build_step *s, const struct build *b,
                       struct cache *results, struct error *e) {
  if (step_finish(s, results, e))
    return e->code;
  const char *others = b->inputs.len > 1 ? " and others" : "";
  if (s->status)
    return error_set(e, ERR_BUILD, "%s%s: the link failed (%s, %s)",
                     b->inputs.at[0], others, s->command.argv.at[0],
                     command_end(s->status));
  if (!s->made)
    return error_set(
        e, ERR_BUILD,
        "%s%s: the link failed: %s writes neither an object nor a message",
        b->inputs.at[0], others, s->command.argv.at[0]);
  return ERR_NONE;
}

/* Does the preprocessed text come from that file, too? */
static bool has_part_of(const struct buf *text, const char *path) {
  struct stat want, have;
  const char *name = base_name(path);
  if (stat(path, &want))
    return false;
  for (const char *p = buf_text(text); p; p = strchr(p, '\n')) {
    char from[4096];
    p += *p == '\n';
    if (*p == '#' && sscanf(p, "# %*u \"%4095[^\"\n]\"", from) == 1 &&
        !strcmp(base_name(from), name) && !stat(from, &have) &&
        have.st_dev == want.st_dev && have.st_ino == want.st_ino)
      return true;
  }
  return false;
}

static bool is_source(const char *path) {
  return file_kind(path) == FILE_C || file_kind(path) == FILE_CXX;
}

/* After a failed link: a source that another one includes is compiled twice,
 * and all that it defines, too. */
static int find_included(const struct build *b, const char *dir,
                         struct error *e) {
  int found = ERR_NONE;
  for (uint32_t i = 0; i < b->inputs.len && !found; i++) {
    struct buf text = {0};
    struct error ignored = {0};
    const char *source = b->inputs.at[i];
    if (is_source(source) && !build_expand(b, source, dir, &text, &ignored))
      for (uint32_t k = 0; k < b->inputs.len && !found; k++)
        if (k != i && is_source(b->inputs.at[k]) &&
            has_part_of(&text, b->inputs.at[k]))
          found = error_set(e, ERR_BUILD,
                            "%s is compiled twice, since %s includes it: leave "
                            "it out of the command line",
                            b->inputs.at[k], source);
    buf_free(&text);
  }
  return found;
}

/* The link has failed; `printed` is why, in the linker's words. */
static int explain_link(const struct build *b, const char *dir,
                        const struct buf *printed, struct error *e) {
  bool twice = printed->len && (strstr(buf_text(printed), "multiple defin") ||
                                strstr(buf_text(printed), "duplicate symbol"));
  struct error included = {0};
  if (twice && find_included(b, dir, &included))
    *e = included;
  else if (printed->len)
    fwrite(printed->at, 1, printed->len, stderr);
  return e->code;
}

static int link_all(const struct build *b, const char *dir, const char *driver,
                    char *const *objects, uint32_t n, struct cache *results,
                    char **so, struct error *e) {
  struct buf printed = {0};
  struct build_step s = {.kind = STEP_LINK,
                         .command.tmp = dir,
                         .verbose = b->verbose,
                         .held = &printed};
  char *name = stem(b->inputs.at[0]);
  char *wraps = b->native
                    ? NULL
                    : xasprintf("%s/%s-%ld.wraps", dir, name, (long)getpid());
  int err = ERR_NONE;
  plan_link(&s, b, driver, objects, n, wraps);
  if (step_find(&s, results))
    goto out;
  if (wraps && (err = flags_wraps(wraps, objects, n, e)))
    goto out;
  step_start(&s);
  if ((err = finish_link(&s, b, results, e)))
    err = explain_link(b, dir, &printed, e);
  else if (printed.len && !b->hushed)
    fwrite(printed.at, 1, printed.len, stderr);
out:
  if (wraps)
    flags_wraps_remove(wraps);
  if (!err)
    *so = xstrdup(s.output);
  free(wraps);
  free(name);
  buf_free(&printed);
  step_free(&s);
  return err;
}

/* ---- libraries that `faultline cc` has linked ---- */

/* A word of the link: the file of a library, or NULL. */
static char *library_file(const struct build *b, const char *word) {
  if (file_kind(word) == FILE_SHARED && *word != '-')
    return xstrdup(word);
  for (uint32_t i = 0; begins(word, "-l") && word[2] && i < b->flags.len; i++) {
    const char *f = b->flags.at[i];
    if (!begins(f, "-L"))
      continue;
    const char *dir = f[2]                   ? f + 2
                      : i + 1 < b->flags.len ? b->flags.at[i + 1]
                                             : ".";
    char *path = word[2] == ':' ? xasprintf("%s/%s", dir, word + 3)
                                : xasprintf("%s/lib%s.so", dir, word + 2);
    if (!access(path, R_OK))
      return path;
    free(path);
  }
  return NULL;
}

static int check_compiler(const char *compiler, struct error *e) {
  char *file = command_find(compiler);
  free(file);
  if (file)
    return ERR_NONE;
  return error_set(e, ERR_BUILD,
                   "there is no compiler %s (choose one with --cc)", compiler);
}

static int choose_flags(struct around_flags *a, const struct build *b,
                        const char *compiler, bool is_cxx,
                        struct cache *answers, struct error *e) {
  if (check_compiler(compiler, e))
    return e->code;
  enum family family = flags_family(compiler, answers);
  command_add(&a->before, compiler);
  if (b->native)
    flags_native(&a->before, family);
  else
    flags_hooks(&a->before, compiler, family, answers);
  if (is_cxx)
    flags_cxx(&a->before, family);
  flags_required(&a->after);
  if (!b->native)
    flags_hooks_last(&a->after, family);
  return ERR_NONE;
}

/* Compiles the sources and links all objects into the shared object. */
static int build_all(const struct build *b, const char *dir,
                     struct build_caches *caches, char **so, struct error *e) {
  char *cxx = cxx_of(b);
  const char *cc = cc_of(b);
  struct around_flags flags[2] = {0}; /* for C, and for C++ */
  struct build_unit *units = xcalloc(b->inputs.len + 1, sizeof *units);
  VEC(char *) objects = {0};
  uint32_t n = 0;
  bool any_cxx = false;
  int err = ERR_NONE;
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
        (err = choose_flags(&flags[is_cxx], b, is_cxx ? cxx : cc, is_cxx,
                            &caches->answers, e)))
      goto out;
    plan_unit(&units[n], b, path, &flags[is_cxx], dir);
    vec_push(&objects, xstrdup(units[n].step.output));
    n++;
  }
  if ((err = compile_all(units, n, &caches->results, e)))
    goto out;
  /* C objects need no C++ library.  An archive may, but then the user gives
   * -lstdc++, as with any C compiler. */
  const char *driver = any_cxx ? cxx : cc;
  if ((err = check_compiler(driver, e)))
    goto out;
  err = link_all(b, dir, driver, objects.at, objects.len, &caches->results, so,
                 e);
out:
  for (uint32_t i = 0; i < n; i++)
    step_free(&units[i].step);
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

/* The link with libraries that `faultline cc` has made replaced by what they
 * were made from; the words are owned by `own`. */
static struct build without_libraries(const struct build *b, const char *dir,
                                      struct command *own) {
  struct build to = *b;
  memset(&to.inputs, 0, sizeof to.inputs);
  memset(&to.flags, 0, sizeof to.flags);
  struct command needs = {0};
  uint32_t n = b->inputs.len, all = n + b->flags.len;
  for (uint32_t i = 0; i < all; i++) {
    const char *word = i < n ? b->inputs.at[i] : b->flags.at[i - n];
    char *file = library_file(b, word);
    char *object = file ? library_object(file, dir) : NULL;
    if (object) {
      library_needs(file, cc_of(b), &needs);
      command_add(own, object);
      word = vec_last(&own->argv);
    }
    if (i < n)
      vec_push(&to.inputs, word);
    else
      vec_push(&to.flags, word);
    free(object);
    free(file);
  }
  for (uint32_t i = 0; i < needs.argv.len; i++) {
    command_add(own, needs.argv.at[i]);
    const char *word = vec_last(&own->argv);
    vec_push(&to.flags, word);
  }
  command_free(&needs);
  return to;
}

int build_shared(const struct build *b, const char *dir, char **so,
                 struct error *e) {
  struct build_caches caches;
  assert(dir && *dir);
  *so = NULL;
  if (check_inputs(b, e) || check_flags(b, e))
    return e->code;
  if (b->inputs.len == 1 && file_kind(b->inputs.at[0]) == FILE_SHARED) {
    *so = xstrdup(b->inputs.at[0]);
    return ERR_NONE;
  }
  if (make_folders(dir, e))
    return e->code;
  open_caches(&caches, b, dir);
  struct command own = {0};
  struct build to = without_libraries(b, dir, &own);
  int err = build_all(&to, dir, &caches, so, e);
  vec_free(&to.inputs);
  vec_free(&to.flags);
  command_free(&own);
  close_caches(&caches);
  return err;
}

int build_expand(const struct build *b, const char *source, const char *dir,
                 struct buf *out, struct error *e) {
  struct build_step s = {.kind = STEP_EXPAND, .command.tmp = dir};
  struct command *c = &s.command;
  struct build_caches caches;
  const char *cc = cc_of(b);
  int err = ERR_NONE;
  open_caches(&caches, b, dir);
  command_add(c, cc);
  flags_hooks(c, cc, flags_family(cc, &caches.answers), &caches.answers);
  command_add(c, b->opt ? b->opt : "-O1");
  if (b->include)
    command_addf(c, "-I%s", b->include);
  add_user_flags(c, b, false);
  command_add(c, "-w");
  command_add(c, "-E");
  command_add(c, source);
  step_depends(&s, source);
  step_identify(&s);
  s.output = output_name(&s, source, "i");
  if (!step_find(&s, &caches.results)) {
    step_start(&s);
    err = step_finish(&s, &caches.results, e);
    if (!err && !s.made)
      err = error_set(e, ERR_BUILD, "%s cannot be preprocessed (%s)", source,
                      command_end(s.status));
  }
  if (!err)
    err = buf_read_file(out, s.output, e);
  step_free(&s);
  close_caches(&caches);
  return err;
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
