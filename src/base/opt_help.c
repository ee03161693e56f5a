/* The help text of a command, made from its table of options. */
#include "base/opt.h"

#include "base/opt_internal.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { WIDTH = 80, HELP_COLUMN = 27 };

const char *const *opt_offered(const struct opt *o) {
  return o->offered ? o->offered : o->choices;
}

void opt_list_choices(const struct opt *o, struct buf *out) {
  const char *const *all = opt_offered(o);
  for (const char *const *c = all; *c; c++)
    buf_printf(out, "%s%s", c == all ? "" : c[1] ? ", " : " or ", *c);
}

/* Columns that n bytes of UTF-8 take. */
static size_t columns(const char *s, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    count += (s[i] & 0xc0) != 0x80;
  return count;
}

/*
 * Adds the words of `text`, broken at WIDTH; lines after the first start at
 * column `indent`.  `at` is the column where the first one starts.  A newline
 * in the text is kept.
 */
static void wrap(struct buf *out, const char *text, size_t indent, size_t at) {
  bool first = true;
  while (*text) {
    size_t len = strcspn(text, " \n"), width = columns(text, len);
    if (len && !first && at + 1 + width > WIDTH) {
      buf_putc(out, '\n');
      buf_spaces(out, indent);
      at = indent;
    } else if (len && !first) {
      buf_putc(out, ' ');
      at++;
    }
    buf_put(out, text, len);
    at += width;
    first = first && !len;
    text += len;
    if (*text == '\n') {
      buf_putc(out, '\n');
      buf_spaces(out, text[1] && text[1] != '\n' ? indent : 0);
      at = indent;
      first = true;
    }
    text += *text != 0;
  }
  buf_putc(out, '\n');
}

/* "  -s, --seed=N", padded to where its help starts. */
static void help_name(const struct opt *o, struct buf *out) {
  size_t start = out->len;
  if (o->letter)
    buf_printf(out, "  -%c, --", o->letter);
  else
    buf_puts(out, "      --");
  if (o->kind == OPT_FLAG && *(const bool *)o->store)
    buf_puts(out, "[no-]"); /* on by itself: the negation is what is wanted */
  buf_puts(out, o->name);
  if (o->kind != OPT_FLAG)
    buf_printf(out, "=%s", o->arg ? o->arg : "VALUE");
  size_t used = columns(out->at + start, out->len - start);
  if (used + 2 > HELP_COLUMN) {
    buf_putc(out, '\n');
    used = 0;
  }
  buf_spaces(out, HELP_COLUMN - used);
}

static bool is_letter(char c) { return c == '-' || isalnum((unsigned char)c); }

/* Does the help say what the choices are?  It names one of them, as a word. */
static bool names_choices(const struct opt *o) {
  for (const char *const *c = opt_offered(o); *c; c++)
    for (const char *at = o->help; (at = strstr(at, *c)); at++)
      if ((at == o->help || !is_letter(at[-1])) && !is_letter(at[strlen(*c)]))
        return true;
  return false;
}

static void help_option(const struct opt *o, struct buf *out) {
  struct buf text = {0};
  help_name(o, out);
  buf_puts(&text, o->help);
  if (o->kind == OPT_ENUM && !names_choices(o)) {
    buf_puts(&text, ": ");
    opt_list_choices(o, &text);
  }
  wrap(out, buf_text(&text), HELP_COLUMN, HELP_COLUMN);
  buf_free(&text);
}

static const char *group_of(const struct opt *o) {
  return o->group ? o->group : "Options";
}

/* Of those that the help shows. */
static bool is_first_of_group(const struct opt *all, const struct opt *o) {
  for (; all < o; all++)
    if (all->help && !strcmp(group_of(all), group_of(o)))
      return false;
  return true;
}

static void (*visitor)(void *ctx, const struct opt_command *c);
static void *visitor_ctx;

void opt_help_visit(void (*visit)(void *ctx, const struct opt_command *c),
                    void *ctx) {
  visitor = visit;
  visitor_ctx = ctx;
}

void opt_help(const struct opt_command *c, struct buf *out) {
  const char *group = NULL;
  if (visitor) {
    visitor(visitor_ctx, c);
    return;
  }
  buf_puts(out, "Usage: ");
  wrap(out, c->usage, 7, 7);
  if (c->about) {
    buf_putc(out, '\n');
    wrap(out, c->about, 0, 0);
  }
  for (const struct opt *o = c->opts; o->name; o++) {
    if (!o->help)
      continue;
    if (!group || strcmp(group, group_of(o))) {
      group = group_of(o);
      assert(is_first_of_group(c->opts, o)); /* O1 */
      buf_printf(out, "\n%s:\n", group);
    }
    help_option(o, out);
  }
  if (c->notes)
    buf_printf(out, "\n%s%s", c->notes,
               *c->notes && c->notes[strlen(c->notes) - 1] == '\n' ? "" : "\n");
}
