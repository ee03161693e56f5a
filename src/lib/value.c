/* Values as the caller writes them (struct fl_datum) become data
 * (model/datum.h). */
#include "base/vec.h"
#include "lib/int.h"

enum { DEEPEST = 64 };

static int convert(const struct fl_datum *from, datum *to, int depth,
                   struct error *e);

static int convert_items(const struct fl_datum *from, datum *to, int depth,
                         struct error *e) {
  int err = ERR_NONE;
  if (depth >= DEEPEST)
    return error_set(e, ERR_INPUT, "a value is nested more than %d times",
                     DEEPEST);
  if (from->len > UINT32_MAX / 16)
    return error_set(e, ERR_INPUT, "a list of %zu items", from->len);
  if (!from->items && from->len)
    return error_set(e, ERR_INPUT,
                     "a list of %zu items, but a null pointer to them",
                     from->len);
  if (from->kind == FL_DATUM_MAP && from->len % 2)
    return error_set(e, ERR_INPUT,
                     "a map has as many keys as values, but %zu is odd",
                     from->len);
  datum *items = xmalloc((from->len + 1) * sizeof *items);
  for (size_t i = 0; i < from->len && !err; i++)
    err = convert(&from->items[i], &items[i], depth + 1, e);
  if (!err)
    *to = from->kind == FL_DATUM_LIST
              ? datum_list(items, (uint32_t)from->len)
              : datum_map(items, (uint32_t)from->len / 2);
  free(items);
  return err;
}

static int convert(const struct fl_datum *from, datum *to, int depth,
                   struct error *e) {
  switch (from->kind) {
  case FL_DATUM_NONE:
    *to = DATUM_NONE;
    return ERR_NONE;
  case FL_DATUM_NIL:
    *to = DATUM_NIL;
    return ERR_NONE;
  case FL_DATUM_BOOL:
    *to = datum_bool(from->number);
    return ERR_NONE;
  case FL_DATUM_NUMBER:
    *to = datum_number(from->number);
    return ERR_NONE;
  case FL_DATUM_TEXT:
  case FL_DATUM_SYMBOL:
    if (from->len >= UINT32_MAX || (!from->text && from->len))
      return error_set(e, ERR_INPUT, "a text of %zu bytes", from->len);
    *to = (from->kind == FL_DATUM_TEXT ? datum_text : datum_symbol)(
        from->text ? from->text : "", from->len);
    return ERR_NONE;
  case FL_DATUM_LIST:
  case FL_DATUM_MAP:
    return convert_items(from, to, depth, e);
  }
  return error_set(e, ERR_INPUT, "there is no kind %d of values",
                   (int)from->kind);
}

int datum_from(const struct fl_datum *from, datum *to, struct error *e) {
  return convert(from, to, 0, e);
}
