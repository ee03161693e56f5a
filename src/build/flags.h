/*
 * Which flags make a compiler emit every access as a call to a hook, and which
 * of the user's flags belong to the compiler and which to the linker.
 */
#ifndef BUILD_FLAGS_H
#define BUILD_FLAGS_H

#include "build/cache.h"
#include "build/command.h"

#include <stdbool.h>

enum family { FAMILY_GCC, FAMILY_CLANG };

/*
 * What has to be asked of a compiler is asked once: `answers` keeps it.  The
 * family is known by the name, or for a name that says nothing (cc, c++) by
 * --version.  Hook flags that a compiler of the family may be too old or too
 * new for are tried on an empty file.
 */
enum family flags_family(const char *compiler, struct cache *answers);
void flags_hooks(struct command *c, const char *compiler, enum family family,
                 struct cache *answers);

/* Those of the hook flags that must stand after the user's. */
void flags_hooks_last(struct command *c, enum family family);

/* Instead of the hook flags: those that a native object needs. */
void flags_native(struct command *c, enum family family);

/* Does an object or archive refer to the hooks? */
bool flags_is_hooked(const char *path);

/* Compilers that do not see the terminal print in colour on ours. */
void flags_color(struct command *c);

/* The language version that faultline.h needs in C++, where the compiler's own
 * default is older. */
void flags_cxx(struct command *c, enum family family);

/* Those that have the last word, after the user's: without them the result
 * could not be loaded. */
void flags_required(struct command *c);

/* Linking a shared object; `wraps` is a response file with the --wrap options
 * (see flags_wraps), or NULL: a native object. */
void flags_link(struct command *c, const char *wraps);

/*
 * Writes the --wrap options to `path`, without those names that one of the
 * objects or archives defines itself: a user's own sleep() is his.
 */
int flags_wraps(const char *path, char *const *objects, uint32_t n,
                struct error *e);
void flags_wraps_remove(const char *path);
/* What it makes of any objects depends on this: all names, and the stubs. */
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
/* A link option that says what kind of file comes out: we decide that. */
bool flag_is_dropped(const char *flag);
/* Is it for the link step too, besides the compiler's? */
bool flag_is_both(const char *flag);
/* One that selects a sanitizer, which cannot stand beside the hooks. */
bool flag_is_sanitizer(const char *flag);

#endif
