/*
 * Texts as Java prints them, and comparing results with them.
 */
#include "spec/type_juc.h"

#include <string.h>

datum java_exception(const char *class) {
  return datum_text(class, strlen(class));
}

void java_print(datum d, struct buf *out) {
  if (d == DATUM_NIL)
    buf_puts(out, "null");
  else if (datum_kind(d) == DATUM_IS_TEXT)
    buf_put(out, datum_box(d)->text, datum_box(d)->len);
  else
    datum_print(d, out);
}

static bool same_but_blanks(const char *a, const char *b) {
  for (;; a++, b++) {
    a += strspn(a, " ");
    b += strspn(b, " ");
    if (*a != *b)
      return false;
    if (!*a)
      return true;
  }
}

bool java_text(struct buf *text, const struct type_op *op, datum *answer) {
  bool same = true;
  *answer = op->result;
  if (op->any_result) {
    *answer = datum_text(buf_text(text), text->len);
  } else if (datum_kind(op->result) == DATUM_IS_TEXT) {
    same = same_but_blanks(buf_text(text), datum_box(op->result)->text);
  } else { /* a reader may have made a list of it */
    struct buf result = {0};
    java_print(op->result, &result);
    same = same_but_blanks(buf_text(text), buf_text(&result));
    buf_free(&result);
  }
  buf_clear(text);
  return same;
}

bool java_has(const struct known_type *k, datum list, datum element) {
  const struct datum_box *b = datum_box(list);
  for (uint32_t i = 0; i < b->len; i++)
    if (known_tidy(k, b->items[i]) == element)
      return true;
  return false;
}
