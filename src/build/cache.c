/* Entries are files with a checksum; the least recently used are removed. */
#include "build/cache.h"
#include "base/vec.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  NAME_DIGITS = 32,
  LEFT_SECONDS = 3600, /* a temporary file this old was left by a killed run */
};

struct entry_head {
  char magic[8];
  uint64_t len;
  struct hash128 check; /* of the key and the bytes */
};
static const char magic[8] = "FLCACHE1";

static struct hash128 checksum(struct hash128 key, const void *bytes,
                               size_t n) {
  return hash128_join(key, hash128(bytes, n, 0));
}

/* Does the folder exist, and may its entries be trusted?  (C2) */
static bool is_own(const char *dir) {
  struct stat st;
  return !stat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
         !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The number of bytes in "64M"; the default if the text is no size. */
static uint64_t size_of(const char *text) {
  static const char units[] = "KMG";
  char *end;
  uint64_t n = text ? strtoull(text, &end, 10) : 0;
  if (!text || end == text)
    return CACHE_MOST;
  const char *unit = *end ? strchr(units, *end) : NULL;
  return unit ? n << 10 * (unit - units + 1) : n;
}

void cache_open(struct cache *c) {
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  *c = (struct cache){.most = size_of(getenv("FAULTLINE_CACHE_SIZE"))};
  if (xdg && *xdg == '/') /* XDG: ignore a relative one */
    c->dir = xasprintf("%s/faultline", xdg);
  else if (home && *home == '/' && !access(home, F_OK)) /* not /nonexistent */
    c->dir = xasprintf("%s/.cache/faultline", home);
}

void cache_open_at(struct cache *c, const char *dir) {
  *c = (struct cache){.dir = xstrdup(dir), .most = UINT64_MAX};
}

static char *path_of(const struct cache *c, struct hash128 key) {
  return xasprintf("%s/%016" PRIx64 "%016" PRIx64, c->dir, key.hi, key.lo);
}

bool cache_get(const struct cache *c, struct hash128 key, struct buf *out) {
  struct buf file = {0};
  struct error ignored = {0};
  struct entry_head head;
  if (!c->dir || !is_own(c->dir))
    return false;
  char *path = path_of(c, key);
  bool ok = !buf_read_file(&file, path, &ignored) && file.len >= sizeof head;
  if (ok) {
    const char *bytes = file.at + sizeof head;
    memcpy(&head, file.at, sizeof head);
    ok = !memcmp(head.magic, magic, sizeof magic) &&
         head.len == file.len - sizeof head &&
         hash128_equal(head.check, checksum(key, bytes, head.len)); /* C1 */
    if (ok)
      buf_put(out, bytes, head.len);
  }
  if (ok) /* note the use */
    utimensat(AT_FDCWD, path, NULL, 0);
  buf_free(&file);
  free(path);
  return ok;
}

/* Makes all folders of the path, with the mode of the XDG specification. */
static void make_private_folders(char *path) {
  for (char *p = path + 1; *p; p++)
    if (*p == '/') {
      *p = 0;
      mkdir(path, 0700);
      *p = '/';
    }
  mkdir(path, 0700);
}

void cache_put(struct cache *c, struct hash128 key, const void *bytes,
               size_t n) {
  if (!c->dir)
    return;
  make_private_folders(c->dir);
  if (!is_own(c->dir))
    return;
  struct buf file = {0};
  struct error ignored = {0};
  struct entry_head head = {.len = n, .check = checksum(key, bytes, n)};
  memcpy(head.magic, magic, sizeof magic);
  buf_put(&file, &head, sizeof head);
  if (n)
    buf_put(&file, bytes, n);
  char *path = path_of(c, key);
  c->grown |= !buf_write_file(&file, path, &ignored); /* by a rename: C1 */
  buf_free(&file);
  free(path);
}

/* ---- the limit ---- */

struct cache_file {
  char name[NAME_DIGITS + 1];
  struct timespec used;
  uint64_t size;
};
typedef VEC(struct cache_file) cache_files;

/* Is it the name of an entry, or of its temporary file, "….XXXXXX"? */
static bool is_entry_name(const char *name) {
  return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
         (!name[NAME_DIGITS] || name[NAME_DIGITS] == '.');
}

/* Lists the entries; removes temporary files of killed runs. */
static void list_entries(const char *dir, cache_files *out) {
  DIR *d = opendir(dir);
  if (!d)
    return;
  struct dirent *at;
  while ((at = readdir(d))) {
    struct stat st;
    struct cache_file f = {0};
    if (!is_entry_name(at->d_name) ||
        fstatat(dirfd(d), at->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(st.st_mode))
      continue;
    if (at->d_name[NAME_DIGITS]) {
      if (st.st_mtime + LEFT_SECONDS < time(NULL))
        unlinkat(dirfd(d), at->d_name, 0);
      continue;
    }
    memcpy(f.name, at->d_name, NAME_DIGITS);
    f.used = st.st_mtim;
    f.size = (uint64_t)st.st_size;
    vec_push(out, f);
  }
  closedir(d);
}

static uint64_t total_size(const cache_files *files) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < files->len; i++)
    n += files->at[i].size;
  return n;
}

static int by_use(const void *a, const void *b) {
  const struct cache_file *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec)
    return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  return (x->used.tv_nsec > y->used.tv_nsec) -
         (x->used.tv_nsec < y->used.tv_nsec);
}

static void trim(const struct cache *c) {
  cache_files files = {0};
  list_entries(c->dir, &files);
  uint64_t size = total_size(&files);
  if (size > c->most)
    qsort(files.at, files.len, sizeof *files.at, by_use);
  for (uint32_t i = 0; i < files.len && size > c->most; i++) {
    char *path = xasprintf("%s/%s", c->dir, files.at[i].name);
    if (!unlink(path) || errno == ENOENT)
      size -= files.at[i].size;
    free(path);
  }
  vec_free(&files);
}

void cache_check_invariants(const struct cache *c) {
  cache_files files = {0};
  if (c->dir)
    list_entries(c->dir, &files);
  assert(total_size(&files) <= c->most); /* C3 */
  vec_free(&files);
}

void cache_close(struct cache *c) {
  if (c->grown && c->most != UINT64_MAX)
    trim(c);
  free(c->dir);
  *c = (struct cache){0};
}
