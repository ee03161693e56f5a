/*
 * The cache keeps what compilers made for later runs: a folder of entries, each
 * a file whose name is the key, 32 hexadecimal digits.  It is
 * $XDG_CACHE_HOME/faultline, or else ~/.cache/faultline.  A run works as well
 * without: trouble with the cache is never told, it only costs time.
 *
 * (C1) An entry is whole: readers meet the old bytes or the new ones.  A file
 *      that was damaged fails its checksum and counts as missing.
 * (C2) The folder belongs to the user, and nobody else may write to it: objects
 *      from it are loaded and run.
 * (C3) When a run that added entries closes the cache, all entries together
 *      take at most `most` bytes.  The least recently used ones go first.
 */
#ifndef BUILD_CACHE_H
#define BUILD_CACHE_H

#include "base/buf.h"
#include "base/hash.h"

#include <stdbool.h>

#define CACHE_MOST ((uint64_t)256 << 20) /* unless $FAULTLINE_CACHE_SIZE */

struct cache {
  char *dir; /* NULL: there is none, nothing is found and nothing is kept */
  uint64_t most;
  bool grown;
};

/* The user's cache, if there can be one. */
void cache_open(struct cache *c);
/* A cache in a folder of our own, without a limit. */
void cache_open_at(struct cache *c, const char *dir);
void cache_close(struct cache *c);

/* Appends the entry to `out`. */
bool cache_get(const struct cache *c, struct hash128 key, struct buf *out);
void cache_put(struct cache *c, struct hash128 key, const void *bytes,
               size_t n);

/* Asserts C3 of a cache in which nobody else works. */
void cache_check_invariants(const struct cache *c);

#endif
