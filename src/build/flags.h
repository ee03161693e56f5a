/*
 * The flags that make a compiler emit every access as a call of a hook, and the
 * kinds of the user's flags: for the compiler, for the linker, or for both.
 */
#ifndef BUILD_FLAGS_H
#define BUILD_FLAGS_H

#include "build/cache.h"
#include "build/command.h"

#include <stdbool.h>

enum family { FAMILY_GCC, FAMILY_CLANG };

/*
 * A compiler is asked each question once; `answers` keeps the answer.  The
 * family follows from its name, or from --version if the name says nothing, as
 * cc and c++ do.  Hook flags that only some versions know are tried on an empty
 * file.
 */
enum family flags_family(const char *compiler, struct cache *answers);
void flags_hooks(struct command *c, const char *compiler, enum family family,
                 struct cache *answers);

/* The hook flags that must come after the user's. */
void flags_hooks_last(struct command *c, enum family family);

/* The flags of a native object, instead of the hook flags. */
void flags_native(struct command *c, enum family family);

/* Does an object or archive refer to the hooks? */
bool flags_is_hooked(const char *path);

/* Asks for colours if our stderr, unlike the compiler's, is a terminal. */
void flags_color(struct command *c);

/* The version of C++ that faultline.h needs, if the compiler's default is
 * older. */
void flags_cxx(struct command *c, enum family family);

/* The flags that override the user's: without them the result could not be
 * loaded. */
void flags_required(struct command *c);

/* The flags to link a shared object; `wraps` is a response file with the --wrap
 * options (see flags_wraps), or NULL for a native object. */
void flags_link(struct command *c, const char *wraps);

/*
 * Writes the --wrap options to `path`, except for functions that one of the
 * objects or archives defines, such as a sleep() of the user.
 */
int flags_wraps(const char *path, char *const *objects, uint32_t n,
                struct error *e);
void flags_wraps_remove(const char *path);
/* All names and stubs that flags_wraps may write, for a key of the cache. */
void flags_wraps_all(struct buf *out);

enum file_kind {
  FILE_OTHER,
  FILE_C,
  FILE_CXX,
  FILE_ASM,
  FILE_OBJECT, /* .o, .a */
  FILE_SHARED, /* .so, .so.1 */
};
enum file_kind file_kind(const char *path);

/* Does this option take the next word as its argument? */
bool flag_takes_word(const char *flag);
/* Is it for the link step? */
bool flag_is_link(const char *flag);
/* Does it choose the kind of file that the link makes?  We decide that. */
bool flag_is_dropped(const char *flag);
/* Is it for compiling and for linking? */
bool flag_is_both(const char *flag);
/* Does it select a sanitizer, which cannot be combined with the hooks? */
bool flag_is_sanitizer(const char *flag);

#endif
