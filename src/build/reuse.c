#include "build/reuse.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t reuse_key(const struct command *c) {
  static const char *const heard[] = {"CPATH",
                                      "C_INCLUDE_PATH",
                                      "CPLUS_INCLUDE_PATH",
                                      "GCC_EXEC_PREFIX",
                                      "COMPILER_PATH",
                                      "LIBRARY_PATH",
                                      "SOURCE_DATE_EPOCH"};
  struct buf b = {0};
  for (uint32_t i = 0; i < c->argv.len; i++)
    buf_put(&b, c->argv.at[i], strlen(c->argv.at[i]) + 1);
  command_program(c->argv.at[0], &b);
  char *cwd = getcwd(NULL, 0); /* debug information contains it */
  buf_printf(&b, "|%s|", cwd ? cwd : "");
  free(cwd);
  for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) {
    const char *value = getenv(heard[i]);
    buf_printf(&b, "%s=%s|", heard[i], value ? value : "");
  }
  uint64_t key = hash64(b.at, b.len, 0);
  buf_free(&b);
  return key;
}

static bool newer(const struct stat *st, const struct timespec *than) {
  return st->st_mtim.tv_sec != than->tv_sec
             ? st->st_mtim.tv_sec > than->tv_sec
             : st->st_mtim.tv_nsec > than->tv_nsec;
}

static bool file_hash(const char *path, uint64_t *out) {
  struct buf b = {0};
  struct error ignored = {0};
  bool ok = buf_read_file(&b, path, &ignored) == ERR_NONE;
  *out = ok ? hash64(buf_text(&b), b.len, 0) : 0;
  buf_free(&b);
  return ok;
}

/*
 * The next prerequisite of a make rule, or NULL.  Make's own escapes: "\ " and
 * "\#" are a space and a hash, "$$" is a dollar, "\" before a newline is space.
 */
static char *next_word(const char **at) {
  const char *p = *at;
  struct buf w = {0};
  for (;;) {
    if (p[0] == '\\' && p[1] == '\n') {
      p += 2;
    } else if (*p == ' ' || *p == '\t' || *p == '\n') {
      p++;
    } else {
      break;
    }
  }
  while (*p && !strchr(" \t\n", *p)) {
    if (p[0] == '\\' && p[1] == '\n')
      break;
    if ((p[0] == '\\' && (p[1] == ' ' || p[1] == '#')) ||
        (p[0] == '$' && p[1] == '$'))
      p++;
    buf_putc(&w, *p++);
  }
  *at = p;
  return w.at; /* NULL when nothing was put */
}

static char *record_of(const char *object) {
  return xasprintf("%s.from", object);
}

/* The object's own hash comes first: a record that was written for another
 * object under the same name (two runs at once) does not fit. */
void reuse_record(const char *object, const char *deps,
                  const struct timespec *since) {
  struct stat st;
  struct buf rule = {0}, out = {0};
  struct error ignored = {0};
  char *record = record_of(object), *word;
  uint64_t h;
  unlink(record);
  bool ok =
      buf_read_file(&rule, deps, &ignored) == ERR_NONE && file_hash(object, &h);
  const char *p = ok ? strstr(buf_text(&rule), ": ") : NULL;
  if (!p)
    goto out;
  buf_printf(&out, "%016" PRIx64 " %s\n", h, object);
  for (p++; (word = next_word(&p)); free(word)) {
    if (strchr(word, '\n') || stat(word, &st) || newer(&st, since) ||
        !file_hash(word, &h)) {
      free(word);
      goto out;
    }
    buf_printf(&out, "%016" PRIx64 " %s\n", h, word);
  }
  buf_write_file(&out, record, &ignored);
out:
  buf_free(&rule);
  buf_free(&out);
  free(record);
}

bool reuse_possible(const char *object) {
  struct buf text = {0};
  struct error ignored = {0};
  char *record = record_of(object), *line, *save = NULL;
  bool ok = buf_read_file(&text, record, &ignored) == ERR_NONE && text.len;
  if (ok)
    for (line = strtok_r(text.at, "\n", &save); line && ok;
         line = strtok_r(NULL, "\n", &save)) {
      uint64_t want, have;
      int n = 0;
      ok = sscanf(line, "%16" SCNx64 " %n", &want, &n) == 1 && n &&
           file_hash(line + n, &have) && have == want;
    }
  buf_free(&text);
  free(record);
  return ok;
}
