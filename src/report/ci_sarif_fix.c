/*
 * The patch that was written and verified as SARIF's fixes: each run of removed
 * and added lines of the unified diff is one replacement.
 */
#include "report/ci_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct diff {
  struct json *j;
  const struct ci_report *c;
  uint32_t line;    /* of the old file: the next one */
  uint32_t removed; /* lines before it */
  struct buf added;
  bool in_file;
};

static void put_region(struct json *j, const struct diff *d) {
  uint32_t first = d->line - d->removed;
  json_object(j, "deletedRegion");
  json_uint(j, "startLine", first);
  json_uint(j, "startColumn", 1);
  json_uint(j, "endLine", d->line);
  json_uint(j, "endColumn", 1);
  json_end_object(j);
}

static void end_replacement(struct diff *d) {
  if (!d->removed && !d->added.len)
    return;
  json_object(d->j, NULL);
  put_region(d->j, d);
  json_object(d->j, "insertedContent");
  json_string(d->j, "text", buf_text(&d->added));
  json_end_object(d->j);
  json_end_object(d->j);
  d->removed = 0;
  buf_clear(&d->added);
}

static void end_file(struct diff *d) {
  end_replacement(d);
  if (!d->in_file)
    return;
  json_end_array(d->j);
  json_end_object(d->j);
  d->in_file = false;
}

/* Names in the patch are from here, or from the root of the file system. */
static void begin_file(struct diff *d, const char *name) {
  char *from_root = xasprintf("/%s", name);
  end_file(d);
  d->in_file = true;
  json_object(d->j, NULL);
  sarif_artifact(d->j, d->c, access(name, F_OK) ? from_root : name);
  json_array(d->j, "replacements");
  free(from_root);
}

static void take_line(struct diff *d, const char *line, size_t len) {
  if (!strncmp(line, "@@ -", 4)) {
    end_replacement(d);
    d->line = (uint32_t)strtoul(line + 4, NULL, 10);
  } else if (*line == '-') {
    if (d->added.len) /* another one begins right behind it */
      end_replacement(d);
    d->removed++;
    d->line++;
  } else if (*line == '+') {
    buf_put(&d->added, line + 1, len - 1);
    buf_putc(&d->added, '\n');
  } else if (*line == '\\') { /* no newline at the end of the file */
    if (d->added.len)
      d->added.at[--d->added.len] = '\0';
  } else {
    end_replacement(d);
    d->line++;
  }
}

static void put_changes(struct diff *d, char *text) {
  for (char *line = text, *end; line && *line; line = end) {
    end = strchr(line, '\n');
    if (end)
      *end++ = '\0';
    if (!strncmp(line, "--- ", 4) && end && !strncmp(end, "+++ b/", 6)) {
      char *stop = strchr(end, '\n');
      if (stop)
        *stop++ = '\0';
      begin_file(d, end + 6);
      end = stop;
    } else if (d->in_file) {
      take_line(d, line, strlen(line));
    }
  }
  end_file(d);
}

void sarif_fixes(struct json *j, const struct ci_report *c,
                 const struct patch *p) {
  struct buf text = {0};
  struct error ignored = {0};
  if (!p->verified || !p->file || buf_read_file(&text, p->file, &ignored) ||
      !text.len) {
    buf_free(&text);
    return;
  }
  struct diff d = {.j = j, .c = c};
  struct buf words = {0};
  buf_printf(&words,
             "%s. Compiled and searched again: no fault was found in %s.",
             p->what ? p->what : "Makes the lines atomic",
             p->covered ? p->covered : "the same clients");
  json_array(j, "fixes");
  json_object(j, NULL);
  json_object(j, "description");
  json_string(j, "text", buf_text(&words));
  json_end_object(j);
  json_array(j, "artifactChanges");
  put_changes(&d, text.at);
  json_end_array(j);
  json_end_object(j);
  json_end_array(j);
  buf_free(&words);
  buf_free(&d.added);
  buf_free(&text);
}
