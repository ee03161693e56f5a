/*
 * The files that a step read.  Compilers and linkers write them as a rule of a
 * makefile, "a.o: a.c b.h".  The rule becomes a list of files, if the result
 * depends on nothing else.
 */
#define _GNU_SOURCE

#include "build/step_int.h"

#include <string.h>
#include <sys/stat.h>

static bool begins_with(const char *s, const char *prefix) {
  return !strncmp(s, prefix, strlen(prefix));
}

bool step_is_made_here(const struct build_step *s, const char *word) {
  const char *dir = s->kind == STEP_LINK ? s->command.tmp : NULL;
  size_t n = dir ? strlen(dir) : 0;
  word += *word == '@';
  return n && !strncmp(word, dir, n) && word[n] == '/';
}

bool step_words_are_plain(const struct build_step *s) {
  static const char *const prefixes[] = {
      /* files that the rule does not list */
      "@", "-B", "-fplugin", "-specs", "--specs", "--config", "-fprofile",
      "-fauto-profile", "-fbranch-prob", "-fmodule", "-fpch", "-include-pch",
      "-ivfsoverlay", "-fsanitize-", "-fprebuilt", "-wrapper", "-Wa,",
      "-Xassembler", "-Xclang", "-Xpreprocessor", "-Wl,-plugin", "-Wl,--plugin",
      "-plugin",
      /* options that make other files, too */
      "-M", "-Wp,", "-fdump", "-dump", "-save-temps", "--save-temps",
      "-aux-info", "-fsave-opt", "-fcallgraph-info", "-fstack-usage",
      "-ftest-coverage", "--coverage", "-coverage", "-gsplit-dwarf", "-Wl,-Map",
      "-Wl,--Map", "-Map", "-Wl,--dependency-file", "-Wl,--out-implib",
      /* options that print times */
      "-ftime-", "-fmem-report", NULL};
  for (uint32_t i = 1; i < s->command.argv.len; i++) {
    const char *word = s->command.argv.at[i];
    if (step_is_made_here(s, word))
      continue;
    for (int k = 0; prefixes[k]; k++)
      if (begins_with(word, prefixes[k]))
        return false;
    if (strstr(word, ",@") || strstr(word, "=native"))
      return false;
  }
  return true;
}

/*
 * The next prerequisite of the rule, or NULL; the caller frees it.  Escapes of
 * make: "\ " and "\#" are a space and a hash, "$$" is a dollar, "\" before a
 * newline is a space.
 */
static char *next_word(const char **at) {
  const char *p = *at;
  struct buf w = {0};
  while (*p == ' ' || *p == '\t' || (p[0] == '\\' && p[1] == '\n'))
    p += *p == '\\' ? 2 : 1;
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

static bool not_before(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec >= b.tv_nsec;
}

/* Is the file unchanged since the step was started?  (S1)  `started` has the
 * resolution of file times, so a file with an equal time may be younger. */
static bool is_settled(const char *path, struct timespec started) {
  struct stat st;
  return !stat(path, &st) && S_ISREG(st.st_mode) &&
         !not_before(st.st_mtim, started) && !not_before(st.st_ctim, started);
}

static bool mentions(const struct buf *text, const char *word) {
  return memmem(text->at, text->len, word, strlen(word)) != NULL;
}

/* Does the text have "#embed", with or without blanks? */
static bool embeds(const struct buf *text) {
  static const char word[] = "embed";
  const char *end = text->at + text->len;
  for (const char *p = text->at;
       (p = memmem(p, (size_t)(end - p), word, sizeof word - 1)); p++) {
    const char *q = p;
    while (q > text->at && (q[-1] == ' ' || q[-1] == '\t'))
      q--;
    if (q > text->at && q[-1] == '#')
      return true;
  }
  return false;
}

/* A thin archive refers to its members, which the linker does not list. */
static bool is_thin(const struct buf *file) {
  static const char magic[] = "!<thin>\n";
  return file->len >= sizeof magic - 1 &&
         !memcmp(file->at, magic, sizeof magic - 1);
}

/* May the result depend on a date or on files that are not listed?  (S2) */
static bool has_unlisted_inputs(const char *path, enum step_kind kind) {
  static const char *const words[] = {"__DATE__", "__TIME__", "__TIMESTAMP__",
                                      "incbin",   ".include", NULL};
  struct buf text = {0};
  struct error ignored = {0};
  bool found = buf_read_file(&text, path, &ignored) != ERR_NONE;
  if (kind == STEP_LINK)
    found = found || is_thin(&text);
  else
    found = found || embeds(&text);
  for (int i = 0; kind != STEP_LINK && words[i] && !found; i++)
    found = mentions(&text, words[i]);
  buf_free(&text);
  return found;
}

/* Is the line in the text? */
static bool has_line(const struct buf *text, const char *line) {
  size_t n = strlen(line);
  for (const char *p = buf_text(text); (p = strstr(p, line)); p++)
    if ((p == text->at || p[-1] == '\n') && p[n] == '\n')
      return true;
  return false;
}

bool step_read_rule(const struct build_step *s, struct buf *files) {
  struct buf rule = {0};
  struct error ignored = {0};
  bool ok = buf_read_file(&rule, s->deps, &ignored) == ERR_NONE;
  const char *p = ok ? strstr(buf_text(&rule), ": ") : NULL;
  char *word;
  ok = p != NULL;
  for (p += ok; ok && (word = next_word(&p)); free(word)) {
    if (step_is_made_here(s, word) || has_line(files, word))
      continue;
    ok = !strchr(word, '\n') && is_settled(word, s->started) &&
         !has_unlisted_inputs(word, s->kind);
    buf_printf(files, "%s\n", word);
  }
  buf_free(&rule);
  return ok && files->len;
}

bool step_file_hash(const char *path, struct hash128 *out) {
  struct buf b = {0};
  struct error ignored = {0};
  bool ok = buf_read_file(&b, path, &ignored) == ERR_NONE;
  *out = hash128(buf_text(&b), b.len, 0);
  buf_free(&b);
  return ok;
}

bool step_result_key(struct hash128 key, const struct buf *files,
                     struct hash128 *out) {
  *out = hash128_join(key, hash128(buf_text(files), files->len, 0));
  char *names = xstrdup(buf_text(files)), *save = NULL;
  bool ok = true;
  for (char *name = strtok_r(names, "\n", &save); name && ok;
       name = strtok_r(NULL, "\n", &save)) {
    struct hash128 bytes;
    ok = step_file_hash(name, &bytes);
    *out = hash128_join(*out, bytes);
  }
  free(names);
  return ok;
}
