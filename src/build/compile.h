/*
 * From the user's sources to one shared object with the hooks in it.
 *
 * Every source is compiled with -fsanitize=thread and linked without it, in two
 * steps, since otherwise the compiler adds its own runtime.  The link redirects
 * the library functions that the runtime models, by --wrap (see wraps.h).
 *
 * The same sources can be built as a native object, without hooks and wraps,
 * which search/stress runs on real threads.  Objects, archives and libraries
 * among the inputs must then have no hooks.
 */
#ifndef BUILD_COMPILE_H
#define BUILD_COMPILE_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>

struct build {
  const char *cc;           /* NULL: gcc */
  const char *cxx;          /* NULL: g++, or clang++ if cc is a clang */
  const char *opt;          /* NULL: -O1 */
  const char *include;      /* folder of faultline.h */
  VEC(const char *) inputs; /* .c .cc .cpp .cxx .o .a .so */
  VEC(const char *)
  flags;        /* after "--": for the compiler; -l -L -Wl for the link */
  bool verbose; /* print the commands on stderr */
  bool native;  /* without hooks and wraps, for real threads */
  bool cache;   /* use results of earlier runs */
  bool hushed;  /* the same was compiled before: warnings were printed then */
};

/*
 * Compiles and links into `dir`, which is made if missing, and returns the path
 * of the shared object in *so, which the caller frees.  Sources are compiled in
 * parallel.  A single input that is a .so is returned as it is.  The output of
 * compilers goes to stderr; if one fails, the error is ERR_BUILD and names the
 * file.
 *
 * The user's flags come after ours and override them.  Sanitizers, and options
 * that change the kind of the result (-c, -E, -S, -o), are ERR_USAGE.  Several
 * runs may use one folder at once: files appear whole, under names that depend
 * on the command that made them.  With `cache`, objects come from the cache if
 * possible (step.h).
 */
int build_shared(const struct build *b, const char *dir, char **so,
                 struct error *e);

/*
 * Preprocesses one of the inputs, a C source; the text has line markers.  `dir`
 * is for temporary files.
 */
int build_expand(const struct build *b, const char *source, const char *dir,
                 struct buf *out, struct error *e);

/*
 * `faultline cc …` replaces the compiler: CC='faultline cc' make.  It returns
 * only if the compiler cannot be started; the exit status is that of the
 * compiler.  argv[0] is "cc", or "c++" or "cxx" for C++.  The compiler is
 * $FAULTLINE_CC ($FAULTLINE_CXX for C++), or else gcc (g++).
 *
 *   -c -S -E    get the hook flags in addition.
 *   -M -MM -r, no input file (--version, -print-…)   are passed on unchanged.
 *   a link      of a program or of a library makes a shared object of the
 *               given name, with the wraps and without the compiler's own
 *               runtime.  A "program" made so cannot be started; `faultline
 *               NAME` loads it.  Sources on the same line are compiled first.
 *   configure   runs the programs that it builds, so a command about a file
 *               named conftest* (autoconf) or one of CMake's and Meson's own
 *               checks is passed on unchanged, and so is everything while
 *               $FAULTLINE_CC_PASS is set (for generators that a build runs).
 *
 * -fsanitize=thread may be given, since we add it anyway; any other sanitizer
 * is an error.
 */
int build_cc(int argc, char **argv, const char *include, struct error *e);

/* A hash of the bytes of the inputs and of the flags, 16 hexadecimal digits. */
void build_source_hash(const struct build *b, char out[17]);

#endif
