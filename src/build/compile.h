/*
 * From the user's sources to one shared object with the hooks in it.
 *
 * Every source is compiled with -fsanitize=thread and never linked with it: two
 * steps, or the compiler would add its own runtime.  The link redirects, with
 * --wrap, the library functions that the runtime models (see wraps.h).
 *
 * The same sources can be had as a native object, which has neither: what
 * search/stress runs on real threads.  Objects, archives and libraries among
 * the inputs must then be free of hooks too.
 */
#ifndef BUILD_COMPILE_H
#define BUILD_COMPILE_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>

struct build {
  const char *cc;           /* NULL: gcc */
  const char *cxx;          /* NULL: g++, or clang++ when cc is a clang */
  const char *opt;          /* "-O1" when NULL */
  const char *include;      /* folder of faultline.h */
  VEC(const char *) inputs; /* .c .cc .cpp .cxx .o .a .so */
  VEC(const char *)
  flags;        /* after "--": to the compiler, and -l -L -Wl to the link */
  bool verbose; /* print the commands on stderr */
  bool native;  /* without hooks and without wraps: for real threads */
  bool cache;   /* what did not change since an earlier run is not compiled */
};

/*
 * Compiles and links into `dir` (made when missing), sources in parallel, and
 * returns the shared object's path in *so (owned by the caller).  A single
 * input that is a .so already is returned as it is.  Compiler output goes to
 * stderr as it is; its failure is ERR_BUILD with a text that names the file.
 *
 * The user's flags come after ours and win, except that sanitizers and options
 * that change what the compiler is asked for (-c, -E, -S, -o) are ERR_USAGE.
 * Several runs may use one folder at once: files appear whole, under names
 * that depend on the command that made them.  With `cache`, objects come from
 * the cache of build/step.h if they can.
 */
int build_shared(const struct build *b, const char *dir, char **so,
                 struct error *e);

/*
 * What the preprocessor makes of one of the inputs, a C source, with its line
 * marks.  `dir` is for files in the making.
 */
int build_expand(const struct build *b, const char *source, const char *dir,
                 struct buf *out, struct error *e);

/*
 * `faultline cc …`: the real compiler as a drop-in, CC='faultline cc' make.
 * Does not return when the compiler could be started; the exit status is the
 * compiler's.  argv[0] is "cc", or "c++" or "cxx" for C++.  The compiler is
 * $FAULTLINE_CC ($FAULTLINE_CXX for C++), or else gcc (g++).
 *
 *   -c -S -E    get the hook flags and are otherwise as given.
 *   -M -MM -r, no input file (--version, -print-…)   are passed on untouched.
 *   a link      of a program or of a library makes a shared object of the
 *               given name, with the wraps and without the compiler's own
 *               runtime.  A "program" made so cannot be started; `faultline
 *               NAME` loads it.  Sources on the same line are compiled first.
 *   configure   runs the programs that it builds, so a command about a file
 *               named conftest* (autoconf) or one of CMake's and Meson's own
 *               checks is passed on untouched, and so is everything while
 *               $FAULTLINE_CC_PASS is set (for generators that a build runs).
 *
 * -fsanitize=thread is what we add and may be there; any other sanitizer is
 * an error.
 */
int build_cc(int argc, char **argv, const char *include, struct error *e);

/* Hash of the sources' bytes and of the flags, 16 hex digits. */
void build_source_hash(const struct build *b, char out[17]);

#endif
