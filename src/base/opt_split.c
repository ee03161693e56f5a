/* Options in a variable of the environment. */
#include "base/opt.h"

#include <string.h>

/* One word, from which blanks were skipped; NULL when a quote does not end. */
static const char *take_word(const char *p, struct buf *word) {
  char quote = 0;
  for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
    if (quote && *p == quote)
      quote = 0;
    else if (!quote && (*p == '\'' || *p == '"'))
      quote = *p;
    else if (*p == '\\' && quote != '\'' && p[1])
      buf_putc(word, *++p);
    else
      buf_putc(word, *p);
  }
  return quote ? NULL : p;
}

int opt_split(const char *text, struct opt_words *out, struct error *e) {
  struct buf word = {0};
  int err = ERR_NONE;
  for (const char *p = text;;) {
    p += strspn(p, " \t\n");
    if (!*p)
      break;
    buf_clear(&word);
    p = take_word(p, &word);
    if (!p) {
      err = error_set(e, ERR_USAGE, "a quote does not end");
      break;
    }
    vec_push(out, xstrdup(buf_text(&word)));
  }
  buf_free(&word);
  return err;
}
