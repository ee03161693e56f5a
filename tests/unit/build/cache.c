/* The store of the build cache, without a compiler. */
#define _GNU_SOURCE

#include "scratch.h"

#include "build/cache.h"

#include <fcntl.h>

static struct hash128 key(uint64_t n) { return (struct hash128){n, n}; }

static void open_in(struct cache *c, const char *folder) {
  char *path = xasprintf("%s/%s", scratch_dir, folder);
  setenv("XDG_CACHE_HOME", path, 1);
  cache_open(c);
  free(path);
}

static void put(struct cache *c, uint64_t n, const char *text) {
  cache_put(c, key(n), text, strlen(text));
}

/* The text of an entry, or NULL. */
static const char *get(const struct cache *c, uint64_t n) {
  static char text[100];
  struct buf b = {0};
  bool ok = cache_get(c, key(n), &b);
  snprintf(text, sizeof text, "%s", buf_text(&b));
  buf_free(&b);
  return ok ? text : NULL;
}

static char *entry_path(const char *folder, uint64_t n) {
  return xasprintf("%s/faultline/%016lx%016lx", folder, (unsigned long)n,
                   (unsigned long)n);
}

TEST(an_entry_is_there_for_the_next_run) {
  struct cache c;
  open_in(&c, "deep/kept");
  CHECK(!get(&c, 1));
  put(&c, 1, "one");
  put(&c, 2, "");
  put(&c, 1, "uno");
  cache_close(&c);
  open_in(&c, "deep/kept");
  CHECK_STR(get(&c, 1), "uno");
  CHECK_STR(get(&c, 2), "");
  CHECK(!get(&c, 3));
  cache_close(&c);
}

TEST(a_damaged_entry_counts_as_missing) {
  struct cache c;
  open_in(&c, "damaged");
  put(&c, 1, "something");
  char *path = entry_path("damaged", 1), *other = entry_path("damaged", 2);
  struct buf good = {0};
  struct error e = {0};
  CHECK_INT(buf_read_file(&good, path, &e), ERR_NONE);
  for (size_t i = 0; i < good.len; i++) { /* any byte, also of its head */
    struct buf bad = {0};
    buf_put(&bad, good.at, good.len);
    bad.at[i] ^= 1;
    CHECK_INT(buf_write_file(&bad, path, &e), ERR_NONE);
    CHECK(!get(&c, 1));
    bad.len = i; /* cut there */
    CHECK_INT(buf_write_file(&bad, path, &e), ERR_NONE);
    CHECK(!get(&c, 1));
    buf_free(&bad);
  }
  CHECK_INT(buf_write_file(&good, path, &e), ERR_NONE);
  CHECK_STR(get(&c, 1), "something");
  CHECK_INT(rename(path, other), 0); /* the entry of another key */
  CHECK(!get(&c, 2));
  put(&c, 2, "again");
  CHECK_STR(get(&c, 2), "again");
  buf_free(&good);
  free(path);
  free(other);
  cache_close(&c);
}

/* As if the entry was used so many seconds after 2001-09-09. */
static void used_at(const char *folder, uint64_t n, long seconds) {
  struct timespec at[2] = {{.tv_sec = 1000000000 + seconds},
                           {.tv_sec = 1000000000 + seconds}};
  char *path = entry_path(folder, n);
  CHECK_INT(utimensat(AT_FDCWD, path, at, 0), 0);
  free(path);
}

TEST(the_least_recently_used_entries_go) {
  struct cache c;
  char text[1001];
  memset(text, 'x', 1000);
  text[1000] = 0;
  setenv("FAULTLINE_CACHE_SIZE", "8K", 1);
  open_in(&c, "small");
  CHECK_INT(c.most, 8192);
  for (uint64_t n = 1; n <= 7; n++) {
    put(&c, n, text);
    used_at("small", n, (long)n);
  }
  CHECK(get(&c, 1)); /* used now */
  cache_close(&c);
  open_in(&c, "small");
  put(&c, 8, text); /* the eighth is too much */
  struct cache same = {.dir = xstrdup(c.dir), .most = c.most};
  cache_close(&c);
  cache_check_invariants(&same);
  CHECK(get(&same, 1));
  CHECK(!get(&same, 2));
  for (uint64_t n = 3; n <= 8; n++)
    CHECK(get(&same, n));
  cache_close(&same);
  unsetenv("FAULTLINE_CACHE_SIZE");
}

TEST(what_a_killed_run_left_goes_and_what_is_not_ours_stays) {
  struct cache c;
  open_in(&c, "left");
  put(&c, 1, "one");
  char *entry = entry_path("left", 1), *old = xasprintf("%s.abcdef", entry),
       *new = xasprintf("%s.ghijkl", entry);
  scratch_write(old, "half");
  scratch_write(new, "half");
  scratch_write("left/faultline/README", "mine");
  struct timespec past[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  CHECK_INT(utimensat(AT_FDCWD, old, past, 0), 0);
  CHECK_INT(utimensat(AT_FDCWD, "left/faultline/README", past, 0), 0);
  c.most = 1;
  cache_close(&c);
  CHECK(access(entry, F_OK) != 0);
  CHECK(access(old, F_OK) != 0);
  CHECK(access(new, F_OK) == 0); /* of a run that is still at it */
  CHECK(access("left/faultline/README", F_OK) == 0);
  free(entry);
  free(old);
  free(new);
}

TEST(a_folder_that_others_may_write_to_is_not_trusted) {
  struct cache c;
  open_in(&c, "shared");
  put(&c, 1, "one");
  CHECK_INT(chmod("shared/faultline", 0777), 0);
  CHECK(!get(&c, 1));
  put(&c, 2, "two");
  CHECK_INT(chmod("shared/faultline", 0700), 0);
  CHECK_STR(get(&c, 1), "one");
  CHECK(!get(&c, 2));
  cache_close(&c);
}

TEST(without_a_folder_nothing_is_kept_and_nothing_is_said) {
  struct cache c;
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  cache_open(&c);
  CHECK(!c.dir);
  put(&c, 1, "one");
  CHECK(!get(&c, 1));
  cache_close(&c);
  scratch_write("file", "");
  open_in(&c, "file"); /* "file/faultline" cannot be made */
  put(&c, 1, "one");
  CHECK(!get(&c, 1));
  cache_close(&c);
  setenv("XDG_CACHE_HOME", "relative", 1); /* is to be ignored */
  char *home = xasprintf("%s/home", scratch_dir);
  setenv("HOME", home, 1);
  cache_open(&c); /* a home that is not there is not made */
  CHECK(!c.dir);
  CHECK_INT(mkdir(home, 0777), 0);
  cache_open(&c);
  put(&c, 1, "one");
  CHECK_STR(get(&c, 1), "one");
  CHECK(access("relative", F_OK) != 0);
  CHECK(access("home/.cache/faultline", F_OK) == 0);
  cache_close(&c);
  free(home);
}

TEST_MAIN
