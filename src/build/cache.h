/*
 * The cache keeps the results of compilers for later runs.  It is a folder of
 * entries, $XDG_CACHE_HOME/faultline or else ~/.cache/faultline.  An entry is a
 * file whose name is its key, 32 hexadecimal digits.  A run works without the
 * cache, too: errors of the cache are not reported, they only cost time.
 *
 * (C1) An entry is whole: readers see the old bytes or the new ones.  A damaged
 *      file fails its checksum and counts as missing.
 * (C2) The folder belongs to the user, and no other user may write to it:
 * objects from it are loaded and run. (C3) When a run that added entries closes
 * the cache, all entries together take at most `most` bytes.  The least
 * recently used are removed first.
 */
#ifndef BUILD_CACHE_H
#define BUILD_CACHE_H

#include "base/buf.h"
#include "base/hash.h"

#include <stdbool.h>

/* Bytes of all entries, unless $FAULTLINE_CACHE_SIZE is set. */
#define CACHE_MOST ((uint64_t)256 << 20)

struct cache {
  char *dir; /* NULL: no cache, nothing is found and nothing is kept */
  uint64_t most;
  bool grown; /* this run has added entries */
};

/* Opens the user's cache, if there is a folder for it. */
void cache_open(struct cache *c);
/* Opens a cache in a folder of the run, without a limit. */
void cache_open_at(struct cache *c, const char *dir);
void cache_close(struct cache *c);

/* Appends the entry to `out`; false: there is none. */
bool cache_get(const struct cache *c, struct hash128 key, struct buf *out);
void cache_put(struct cache *c, struct hash128 key, const void *bytes,
               size_t n);

/* Asserts C3; no other run may use the cache meanwhile. */
void cache_check_invariants(const struct cache *c);

#endif
