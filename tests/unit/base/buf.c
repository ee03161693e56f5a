#define _GNU_SOURCE

#include "base/buf.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(an_empty_buffer_has_empty_text) {
  struct buf b = {0};
  CHECK_STR(buf_text(&b), "");
  buf_clear(&b);
  buf_free(&b);
}

TEST(collects_pieces) {
  struct buf b = {0};
  buf_puts(&b, "ab");
  buf_putc(&b, 'c');
  buf_put(&b, "dxx", 1);
  buf_spaces(&b, 2);
  buf_spaces(&b, 0);
  buf_printf(&b, "%d|%s", 42, "");
  CHECK_STR(buf_text(&b), "abcd  42|");
  CHECK_INT(b.len, 9);
  buf_clear(&b);
  CHECK_STR(buf_text(&b), "");
  buf_free(&b);
}

TEST(grows_at_every_length) {
  struct buf b = {0}, c = {0};
  for (int i = 0; i < 5000; i++) {
    buf_putc(&b, (char)('a' + i % 26));
    buf_printf(&c, "%c", 'a' + i % 26);
    if (b.at[b.len] || strlen(b.at) != (size_t)i + 1)
      CHECK_INT(strlen(b.at), i + 1);
  }
  CHECK_STR(buf_text(&b), buf_text(&c));
  buf_printf(&c, "%9999d", 1);
  CHECK_INT(c.len, 5000 + 9999);
  buf_free(&b);
  buf_free(&c);
}

static char *temp_folder(void) {
  char *dir = strdup("/tmp/fl-buf-XXXXXX");
  return mkdtemp(dir);
}

TEST(a_file_comes_back_as_it_was_written) {
  char *dir = temp_folder(), path[64];
  snprintf(path, sizeof path, "%s/x", dir);
  struct buf b = {0}, c = {0};
  struct error e = {0};
  for (int i = 0; i < 200000; i++)
    buf_putc(&b, (char)i); /* with zeros */
  CHECK_INT(buf_write_file(&b, path, &e), 0);
  CHECK_INT(buf_read_file(&c, path, &e), 0);
  CHECK_INT(c.len, b.len);
  CHECK(c.len == b.len && !memcmp(b.at, c.at, b.len));
  CHECK_INT(c.at[c.len], 0);
  unlink(path);
  CHECK_INT(rmdir(dir), 0); /* no temporary file is left */
  free(dir);
  buf_free(&b);
  buf_free(&c);
}

TEST(a_written_file_has_the_usual_mode) {
  char *dir = temp_folder(), path[64];
  snprintf(path, sizeof path, "%s/x", dir);
  struct buf b = {0};
  struct error e = {0};
  struct stat st;
  mode_t mask = umask(027);
  CHECK_INT(buf_write_file(&b, path, &e), 0);
  umask(mask);
  CHECK_INT(stat(path, &st), 0);
  CHECK_INT(st.st_mode & 0777, 0640);
  CHECK_INT(st.st_size, 0);
  unlink(path);
  CHECK_INT(rmdir(dir), 0);
  free(dir);
}

TEST(a_link_stays_a_link) {
  char *dir = temp_folder(), path[64], link[64];
  snprintf(path, sizeof path, "%s/x", dir);
  snprintf(link, sizeof link, "%s/l", dir);
  struct buf b = {0}, c = {0};
  struct error e = {0};
  struct stat st;
  buf_puts(&b, "one");
  CHECK_INT(buf_write_file(&b, path, &e), 0);
  CHECK_INT(symlink("x", link), 0);
  buf_puts(&b, "two");
  CHECK_INT(buf_write_file(&b, link, &e), 0);
  CHECK(!lstat(link, &st) && S_ISLNK(st.st_mode));
  CHECK_INT(buf_read_file(&c, path, &e), 0);
  CHECK_STR(buf_text(&c), "onetwo");
  unlink(link);
  unlink(path);
  CHECK_INT(rmdir(dir), 0);
  free(dir);
  buf_free(&b);
  buf_free(&c);
}

TEST(a_device_is_not_replaced) {
  struct buf b = {0};
  struct error e = {0};
  struct stat st;
  buf_puts(&b, "gone");
  CHECK_INT(buf_write_file(&b, "/dev/null", &e), 0);
  CHECK(!stat("/dev/null", &st) && S_ISCHR(st.st_mode));
  buf_free(&b);
}

TEST(trouble_names_the_path_and_the_reason) {
  struct buf b = {0};
  struct error e = {0};
  CHECK_INT(buf_read_file(&b, "/no/such/file", &e), ERR_INPUT);
  CHECK_STR(e.text, "/no/such/file: No such file or directory");
  e.code = 0;
  CHECK_INT(buf_read_file(&b, "/tmp", &e), ERR_INPUT);
  CHECK_STR(e.text, "/tmp: Is a directory");
  e.code = 0;
  CHECK_INT(buf_write_file(&b, "/no/such/file", &e), ERR_SYSTEM);
  CHECK_STR(e.text, "/no/such/file: No such file or directory");
  e.code = 0;
  CHECK_INT(buf_write_file(&b, "/dev/full", &e), ERR_NONE); /* no byte */
  buf_puts(&b, "x");
  CHECK_INT(buf_write_file(&b, "/dev/full", &e), ERR_SYSTEM);
  buf_free(&b);
}

TEST_MAIN
