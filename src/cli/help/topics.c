/* Pages of the documentation in the terminal. */
#include "cli/help/topics.h"

#include "base/text.h"

#include <string.h>

#define TOPIC_DECLARE(name, page) extern const char topic_##name[];
TOPICS(TOPIC_DECLARE)
#undef TOPIC_DECLARE

static const struct {
  const char *name, *page, *text;
} topics[] = {
#define TOPIC_ROW(name, page) {#name, page, topic_##name},
    TOPICS(TOPIC_ROW)
#undef TOPIC_ROW
};

const char *const topic_names[] = {
#define TOPIC_NAME(name, page) #name,
    TOPICS(TOPIC_NAME) NULL
#undef TOPIC_NAME
};

/* The start of the next line, or the end of the text. */
static const char *next_line(const char *s) {
  const char *end = strchr(s, '\n');
  return end ? end + 1 : s + strlen(s);
}

/* The length of `[text](target)`, or 0; *len is that of its text. */
static size_t link_at(const char *s, size_t *len) {
  const char *close = strchr(s, ']');
  const char *blank = strstr(s, "\n\n");
  if (!close || close[1] != '(' || (blank && blank < close))
    return 0;
  const char *end = strchr(close, ')');
  *len = (size_t)(close - s) - 1;
  return end ? (size_t)(end - s) + 1 : 0;
}

/* A line of text, or several if a link continues on the next. */
static const char *put_prose(const char *s, struct buf *out) {
  while (*s && *s != '\n') {
    size_t len = 0, all;
    if (*s == '`') { /* code, unchanged */
      const char *end = strchr(s + 1, '`');
      len = end ? (size_t)(end - s) + 1 : 1;
      buf_put(out, s, len);
      s += len;
    } else if (*s == '[' && (all = link_at(s, &len))) {
      buf_put(out, s + 1, len);
      s += all;
    } else {
      buf_put(out, s++, 1);
    }
  }
  buf_puts(out, "\n");
  return *s ? s + 1 : s;
}

static const char *put_heading(const char *s, struct buf *out) {
  bool first = begins(s, "# ");
  s = strchr(s, ' ') + 1;
  const char *end = next_line(s);
  size_t columns = 0;
  for (const char *c = s; c < end && *c != '\n'; c++)
    columns += (*c & 0xc0) != 0x80; /* not inside a UTF-8 character */
  buf_put(out, s, (size_t)(end - s));
  while (columns--)
    buf_puts(out, first ? "=" : "-");
  buf_puts(out, "\n");
  return end;
}

void topic_plain(const char *s, struct buf *out) {
  bool code = false;
  while (*s) {
    const char *bar = s + strspn(s, " ");
    if (begins(s, "```")) {
      code = !code;
      s = next_line(s);
    } else if (code) {
      const char *end = next_line(s);
      buf_puts(out, *s == '\n' ? "" : "    ");
      buf_put(out, s, (size_t)(end - s));
      s = end;
    } else if (begins(s, "<!--")) {
      s = next_line(s);
    } else if (begins(bar, "![")) {
      const char *end = strchr(bar, ')');
      s = next_line(end ? end : bar);
      s = next_line(s); /* the empty line after it */
    } else if (begins(s, "#")) {
      s = put_heading(s, out);
    } else {
      s = put_prose(s, out);
    }
  }
}

bool topic_print(const char *name, struct buf *out) {
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
    if (!strcmp(topics[i].name, name)) {
      topic_plain(topics[i].text, out);
      buf_printf(out, "\nThis is docs/%s.md; docs/README.md lists all pages.\n",
                 topics[i].page);
      return true;
    }
  return false;
}
