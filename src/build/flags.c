/* The flags of gcc and clang, and the list of functions to redirect. */
#include "build/flags.h"
#include "base/hash.h"
#include "base/text.h"
#include "build/wraps.h"
#include "debug/lines.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The key of a question to this version of the compiler. */
static struct hash128 question_key(const char *question, const char *compiler) {
  struct buf b = {0};
  buf_printf(&b, "%s\n", question);
  command_toolchain(compiler, &b);
  struct hash128 key = hash128(b.at, b.len, 0);
  buf_free(&b);
  return key;
}

static bool known_answer(const struct cache *answers, struct hash128 key,
                         unsigned *answer) {
  struct buf b = {0};
  bool ok = cache_get(answers, key, &b) && b.len == sizeof *answer;
  if (ok)
    memcpy(answer, b.at, sizeof *answer);
  buf_free(&b);
  return ok;
}

static void keep_answer(struct cache *answers, struct hash128 key,
                        unsigned answer) {
  cache_put(answers, key, &answer, sizeof answer);
}

enum family flags_family(const char *compiler, struct cache *answers) {
  const char *name = base_name(compiler);
  if (strstr(name, "clang"))
    return FAMILY_CLANG;
  if (strstr(name, "gcc") || strstr(name, "g++"))
    return FAMILY_GCC;
  unsigned answer;
  struct hash128 key = question_key("family", compiler);
  if (known_answer(answers, key, &answer))
    return answer ? FAMILY_CLANG : FAMILY_GCC;
  struct command c = {0};
  struct buf out = {0};
  command_add(&c, compiler);
  command_add(&c, "--version");
  bool ok = command_capture(&c, &out) == 0;
  enum family f = strstr(buf_text(&out), "clang") ? FAMILY_CLANG : FAMILY_GCC;
  if (ok)
    keep_answer(answers, key, f == FAMILY_CLANG);
  command_free(&c);
  buf_free(&out);
  return f;
}

/*
 * For both families.  -fno-plt saves a jump at each hook call; hook calls are
 * the inner loop of every run.  Frame pointers are not needed: call chains come
 * from __tsan_func_entry.  Fortified library functions would bring back the
 * inline copies that -fno-builtin-memcpy removes.
 */
static const char *const always[] = {"-fsanitize=thread", "-g",     "-fPIC",
                                     "-fno-plt",          "-mcx16", "-pthread",
                                     "-U_FORTIFY_SOURCE", NULL};

/*
 * GCC inserts the hooks before it expands memcpy and similar functions into
 * moves: a copy of 24 bytes, a strcpy of a literal or a memcmp with known size
 * would have no hook.  As real calls they go to our wraps.  A loop over an
 * array must not become one memset, which would look atomic.  GCC's warning
 * that ThreadSanitizer does not support fences is switched off, since our
 * runtime does.  With -fipa-ra a value may stay in a caller-saved register
 * across the call of a function that does not change it, and would be lost:
 *
 *   mov (%rcx),%rsi    an access without hook; rcx was not set since the last
 *                      call, so its value counts as arbitrary (sites_read.c)
 */
static const char *const gcc_only[] = {"-fno-builtin-memcpy",
                                       "-fno-builtin-memmove",
                                       "-fno-builtin-memset",
                                       "-fno-builtin-memcmp",
                                       "-fno-builtin-bcmp",
                                       "-fno-builtin-memchr",
                                       "-fno-builtin-strcpy",
                                       "-fno-builtin-strncpy",
                                       "-fno-builtin-stpcpy",
                                       "-fno-builtin-strcat",
                                       "-fno-builtin-strncat",
                                       "-fno-builtin-strcmp",
                                       "-fno-builtin-strncmp",
                                       "-fno-builtin-strchr",
                                       "-fno-builtin-strrchr",
                                       "-fno-builtin-printf",
                                       "-fno-builtin-fprintf",
                                       "-fno-builtin-bzero",
                                       "-fno-tree-loop-distribute-patterns",
                                       "-fno-ipa-ra",
                                       "-Wno-tsan",
                                       NULL};

static const char *const clang_only[] = {"-Wno-unused-command-line-argument",
                                         NULL};

/* Vectors of 16 bytes would hide which elements are accessed.  A later -O2
 * would override these flags in clang. */
static const char *const clang_last[] = {"-fno-vectorize", "-fno-slp-vectorize",
                                         NULL};

/* Options of one or two words that some versions do not know.  A local variable
 * that is not initialised has a pattern, the same in every execution, rather
 * than what an earlier call left. */
#define PATTERN "-ftrivial-auto-var-init=pattern"
static const char *const gcc_optional[][2] = {
    {"--param", "tsan-distinguish-volatile=1"}, {PATTERN, ""}, {NULL, NULL}};
static const char *const clang_optional[][2] = {
    /* Without it, a read has no hook if a write of the same location follows in
     * its basic block: the read of x = x + 1. */
    {"-mllvm", "-tsan-instrument-read-before-write=1"},
    {"-mllvm", "-tsan-distinguish-volatile=1"},
    {"-mllvm", "-disable-loop-idiom-all"},
    {PATTERN, ""},
    {NULL, NULL}};

static void add_option(struct command *c, const char *const option[2]) {
  command_add(c, option[0]);
  if (*option[1])
    command_add(c, option[1]);
}

/* Does the compiler accept option `only`, or all options if it is -1? */
static bool accepts(const char *compiler, const char *const (*options)[2],
                    int only) {
  struct command c = {0};
  struct buf out = {0};
  command_add(&c, compiler);
  for (int i = 0; options[i][0]; i++)
    if (only < 0 || only == i)
      add_option(&c, options[i]);
  command_add(&c, "-fsanitize=thread");
  command_add(&c, "-x");
  command_add(&c, "c");
  command_add(&c, "-S"); /* makes no temporary files */
  command_add(&c, "/dev/null");
  command_add(&c, "-o");
  command_add(&c, "/dev/null");
  bool ok = command_capture(&c, &out) == 0;
  command_free(&c);
  buf_free(&out);
  return ok;
}

/* Bit i of the answer: the compiler knows option i. */
static unsigned known_options(const char *compiler,
                              const char *const (*options)[2],
                              struct cache *answers) {
  struct buf question = {0};
  for (int i = 0; options[i][0]; i++)
    buf_printf(&question, "%s %s ", options[i][0], options[i][1]);
  struct hash128 key = question_key(buf_text(&question), compiler);
  buf_free(&question);
  unsigned mask = 0;
  if (known_answer(answers, key, &mask))
    return mask;
  bool all = accepts(compiler, options, -1);
  for (int i = 0; options[i][0]; i++)
    if (all || accepts(compiler, options, i))
      mask |= 1u << i;
  if (all) /* else the compiler may have failed for another reason */
    keep_answer(answers, key, mask);
  return mask;
}

void flags_hooks(struct command *c, const char *compiler, enum family family,
                 struct cache *answers) {
  for (int i = 0; always[i]; i++)
    command_add(c, always[i]);
  const char *const *own = family == FAMILY_CLANG ? clang_only : gcc_only;
  for (int i = 0; own[i]; i++)
    command_add(c, own[i]);
  const char *const(*options)[2] =
      family == FAMILY_CLANG ? clang_optional : gcc_optional;
  unsigned mask = known_options(compiler, options, answers);
  for (int i = 0; options[i][0]; i++)
    if (mask & 1u << i)
      add_option(c, options[i]);
}

/*
 * Two copies of an object may be loaded at once, with hooks and without.  They
 * would share a variable that the dynamic linker makes unique.
 */
void flags_native(struct command *c, enum family family) {
  static const char *const flags[] = {"-g", "-mcx16", "-pthread",
                                      "-U_FORTIFY_SOURCE", NULL};
  for (int i = 0; flags[i]; i++)
    command_add(c, flags[i]);
  if (family == FAMILY_GCC)
    command_add(c, "-fno-gnu-unique");
  else
    command_add(c, "-Wno-unused-command-line-argument");
}

void flags_color(struct command *c) {
  const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
  if (isatty(STDERR_FILENO) && !(none && *none) && term && strcmp(term, "dumb"))
    command_add(c, "-fdiagnostics-color");
}

void flags_cxx(struct command *c, enum family family) {
  if (family == FAMILY_CLANG) /* 14 and 15 default to C++14, gcc 11 to C++17 */
    command_add(c, "-std=gnu++17");
}

void flags_required(struct command *c) {
  command_add(c, "-fPIC");
  command_add(c, "-fno-lto"); /* else hooks would be inserted at the link */
}

void flags_hooks_last(struct command *c, enum family family) {
  for (int i = 0; family == FAMILY_CLANG && clang_last[i]; i++)
    command_add(c, clang_last[i]);
}

void flags_link(struct command *c, const char *wraps) {
  command_add(c, "-shared");
  if (wraps)
    command_addf(c, "@%s", wraps);
  command_add(c, "-Wl,-Bsymbolic");
  command_add(c, "-Wl,-z,now");
  command_add(c, "-Wl,--build-id=none");
  command_add(c, "-pthread");
}

static const char *const wrap_names[] = {
#define WRAP_NAME(name) #name,
    WRAPS(WRAP_NAME)
#undef WRAP_NAME
};
enum { WRAP_COUNT = sizeof wrap_names / sizeof *wrap_names };

/* Called for every symbol that is not local to its file. */
typedef void symbol_visit(const char *name, bool defined, void *ctx);

static void visit_symbols(Elf *elf, symbol_visit *visit, void *ctx) {
  Elf_Scn *scn = NULL;
  while ((scn = elf_nextscn(elf, scn))) {
    GElf_Shdr sh;
    Elf_Data *data;
    if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB || !sh.sh_entsize ||
        !(data = elf_getdata(scn, NULL)))
      continue;
    for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
      GElf_Sym sym;
      if (!gelf_getsym(data, (int)i, &sym) ||
          GELF_ST_BIND(sym.st_info) == STB_LOCAL)
        continue;
      const char *name = elf_strptr(elf, sh.sh_link, sym.st_name);
      if (name)
        visit(name, sym.st_shndx != SHN_UNDEF, ctx);
    }
  }
}

static void visit_file(const char *path, symbol_visit *visit, void *ctx) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return; /* the linker reports it */
  elf_version(EV_CURRENT);
  Elf *file = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  if (file && elf_kind(file) == ELF_K_AR) {
    Elf_Cmd cmd = ELF_C_READ_MMAP;
    Elf *member;
    while ((member = elf_begin(fd, cmd, file))) {
      if (elf_kind(member) == ELF_K_ELF)
        visit_symbols(member, visit, ctx);
      cmd = elf_next(member);
      elf_end(member);
    }
  } else if (file && elf_kind(file) == ELF_K_ELF) {
    visit_symbols(file, visit, ctx);
  }
  lines_need_memory();
  elf_end(file);
  close(fd);
}

static void mark_defined(const char *name, bool is_defined, void *ctx) {
  bool *defined = ctx;
  for (int w = 0; is_defined && w < WRAP_COUNT; w++)
    if (*name == *wrap_names[w] && !strcmp(name, wrap_names[w]))
      defined[w] = true;
}

static void mark_hook(const char *name, bool is_defined, void *ctx) {
  if (!is_defined && !strncmp(name, "__tsan_", 7))
    *(bool *)ctx = true;
}

bool flags_is_hooked(const char *path) {
  bool hooked = false;
  visit_file(path, mark_hook, &hooked);
  return hooked;
}

/*
 * libgcc.a defines its own __wrap_pthread_create (for split stacks), which the
 * link would use.  So the object gets one that jumps to that of the runtime.
 */
static const char create_stub[] = "\t.text\n"
                                  "\t.globl __wrap_pthread_create\n"
                                  "\t.hidden __wrap_pthread_create\n"
                                  "__wrap_pthread_create:\n"
                                  "\tjmp *fl_pthread_create@GOTPCREL(%rip)\n";
/*
 * The mutex of std::atomic_load and similar functions on a std::shared_ptr.
 * The mutexes of the library are outside the object, so they would not be reset
 * between executions.
 */
static const char lock_stub[] = "\t.bss\n"
                                "\t.globl fl_shared_ptr_lock\n"
                                "\t.type fl_shared_ptr_lock, @object\n"
                                "\t.size fl_shared_ptr_lock, 40\n"
                                "\t.align 8\n"
                                "fl_shared_ptr_lock:\n"
                                "\t.zero 40\n"
                                "\t.section .note.GNU-stack,\"\",@progbits\n";

static char *stub_path(const char *wraps) { return xasprintf("%s.s", wraps); }

void flags_wraps_remove(const char *path) {
  char *stub = stub_path(path);
  unlink(stub);
  unlink(path);
  free(stub);
}

/* One word of a response file (@file). */
static void put_quoted(struct buf *b, const char *word) {
  buf_putc(b, '"');
  put_escaped(b, word);
  buf_puts(b, "\"\n");
}

void flags_wraps_all(struct buf *out) {
  for (int w = 0; w < WRAP_COUNT; w++)
    buf_printf(out, "%s\n", wrap_names[w]);
  buf_puts(out, create_stub);
  buf_puts(out, lock_stub);
}

int flags_wraps(const char *path, char *const *objects, uint32_t n,
                struct error *e) {
  bool defined[WRAP_COUNT] = {0};
  for (uint32_t i = 0; i < n; i++)
    visit_file(objects[i], mark_defined, defined);
  struct buf b = {0};
  bool creates = true;
  for (int w = 0; w < WRAP_COUNT; w++)
    if (!defined[w])
      buf_printf(&b, "-Wl,--wrap=%s\n", wrap_names[w]);
    else if (!strcmp(wrap_names[w], "pthread_create"))
      creates = false;
  char *path_s = stub_path(path);
  struct buf stub = {0};
  if (creates)
    buf_puts(&stub, create_stub);
  buf_puts(&stub, lock_stub);
  put_quoted(&b, path_s);
  int err = buf_write_file(&stub, path_s, e);
  buf_free(&stub);
  free(path_s);
  if (!err)
    err = buf_write_file(&b, path, e);
  buf_free(&b);
  return err;
}

enum file_kind file_kind(const char *path) {
  static const struct {
    const char *end;
    enum file_kind kind;
  } ends[] = {{".c", FILE_C},      {".cc", FILE_CXX},   {".cpp", FILE_CXX},
              {".cxx", FILE_CXX},  {".c++", FILE_CXX},  {".C", FILE_CXX},
              {".s", FILE_ASM},    {".S", FILE_ASM},    {".o", FILE_OBJECT},
              {".a", FILE_OBJECT}, {".so", FILE_SHARED}};
  const char *name = base_name(path), *dot = strrchr(name, '.');
  if (!dot)
    return FILE_OTHER;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (!strcmp(dot, ends[i].end))
      return ends[i].kind;
  return strstr(name, ".so.") ? FILE_SHARED : FILE_OTHER;
}

static bool one_of(const char *flag, const char *const *list) {
  for (; *list; list++)
    if (!strcmp(flag, *list))
      return true;
  return false;
}

bool flag_takes_word(const char *flag) {
  static const char *const list[] = {
      "-I",          "-D",           "-U",
      "-include",    "-imacros",     "-isystem",
      "-iquote",     "-idirafter",   "-iprefix",
      "-isysroot",   "-iwithprefix", "-x",
      "-o",          "-MF",          "-MT",
      "-MQ",         "-Xclang",      "-Xpreprocessor",
      "-Xassembler", "-mllvm",       "--param",
      "-L",          "-l",           "-Xlinker",
      "-T",          "-u",           "-z",
      "-aux-info",   "-target",      "-arch",
      NULL};
  return one_of(flag, list);
}

bool flag_is_link(const char *flag) {
  static const char *const list[] = {"-Xlinker",
                                     "-T",
                                     "-u",
                                     "-z",
                                     "-rdynamic",
                                     "-s",
                                     "-static",
                                     "-static-pie",
                                     "-pie",
                                     "-no-pie",
                                     "-nostartfiles",
                                     "-shared",
                                     "-nodefaultlibs",
                                     "-nostdlib",
                                     "-static-libgcc",
                                     "-static-libstdc++",
                                     NULL};
  return one_of(flag, list) || begins(flag, "-l") || begins(flag, "-L") ||
         begins(flag, "-Wl,") || begins(flag, "-fuse-ld=");
}

bool flag_is_dropped(const char *flag) {
  static const char *const list[] = {
      "-static", "-static-pie", "-pie", "-no-pie", "-s", "-shared", NULL};
  return one_of(flag, list);
}

bool flag_is_both(const char *flag) {
  return (begins(flag, "-m") && strcmp(flag, "-mllvm")) || begins(flag, "-B") ||
         begins(flag, "--sysroot") || begins(flag, "-stdlib=") ||
         !strcmp(flag, "-pthread") || !strcmp(flag, "--coverage") ||
         !strcmp(flag, "-fopenmp");
}

bool flag_is_sanitizer(const char *flag) {
  return begins(flag, "-fsanitize=") || begins(flag, "-fno-sanitize=thread") ||
         begins(flag, "-fno-sanitize=all");
}
