#include "harness/parts.h"

#include "model/client.h"
#include "model/value.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

uint32_t parts_arguments(const struct fl_op *o) {
  uint32_t n = 0;
  for (unsigned i = 0; i < o->nitems; i++)
    n += parts_is_argument(&o->items[i]);
  return n;
}

const struct fl_item *parts_argument(const struct fl_op *o, uint32_t arg) {
  for (unsigned i = 0; i < o->nitems; i++)
    if (parts_is_argument(&o->items[i]) && arg-- == 0)
      return &o->items[i];
  return NULL;
}

uint32_t parts_parameters(const struct fl_op *o, uint32_t *pointers) {
  uint32_t n = 0;
  *pointers = 0;
  for (unsigned i = 0; i < o->nitems; i++) {
    enum fl_item_kind kind = o->items[i].kind;
    bool points = kind == FL_ITEM_OUT || kind == FL_ITEM_STRING;
    if (points && n < 32)
      *pointers |= 1u << n;
    n += points || parts_is_argument(&o->items[i]);
  }
  return n;
}

static const struct fl_item *item_of(const struct fl_op *o,
                                     enum fl_item_kind kind) {
  for (unsigned i = 0; i < o->nitems; i++)
    if (o->items[i].kind == kind)
      return &o->items[i];
  return NULL;
}

static uint32_t count_of(const struct fl_op *o, enum fl_item_kind kind) {
  uint32_t n = 0;
  for (unsigned i = 0; i < o->nitems; i++)
    n += o->items[i].kind == kind;
  return n;
}

static bool has_results(const struct fl_op *o) {
  return item_of(o, FL_ITEM_OUT) || item_of(o, FL_ITEM_RESULT);
}

bool parts_any(const struct fl_op *o) {
  return item_of(o, FL_ITEM_STRING) || has_results(o);
}

/* A parameter of which the text is needed: no number, or printed by hand. */
static bool is_printed(const struct fl_item *out) {
  return out->text || out->hi || out->lo == FL_TYPE_OTHER ||
         out->lo == FL_TYPE_STRING;
}

const struct fl_item *parts_beside(const struct fl_op *o) {
  const struct fl_item *out = item_of(o, FL_ITEM_OUT);
  bool number = o->returns == FL_TYPE_BOOL || o->returns == FL_TYPE_INT ||
                o->returns == FL_TYPE_UINT;
  return out && number && count_of(o, FL_ITEM_OUT) == 1 && !is_printed(out) &&
                 !item_of(o, FL_ITEM_RESULT)
             ? out
             : NULL;
}

/* It returns nothing, and its result is the value of this parameter. */
static const struct fl_item *only_out(const struct fl_op *o) {
  const struct fl_item *out = item_of(o, FL_ITEM_OUT);
  bool alone = out && o->returns == FL_TYPE_VOID &&
               count_of(o, FL_ITEM_OUT) == 1 && !item_of(o, FL_ITEM_RESULT) &&
               !out->text && !out->hi;
  return alone && out->lo != FL_TYPE_OTHER ? out : NULL;
}

void parts_settle(struct fl_suite *suites) {
  for (struct fl_suite *s = suites; s; s = s->next)
    for (struct fl_op *o = s->ops; o; o = o->next) {
      if (s->abi < 1 || s->abi > FL_ABI)
        break; /* made for another version: its tables are not read */
      const struct fl_item *out = only_out(o);
      if (!has_results(o))
        continue;
      o->type = out ? (enum fl_type)out->lo : FL_TYPE_STRING;
      o->size = out ? out->count : sizeof(char *);
    }
}

/* Each at an address that fits any type. */
static size_t room_for(size_t size) { return (size + 15) & ~(size_t)15; }

static size_t room_of(const struct fl_op *o) {
  size_t n = o->returns == FL_TYPE_VOID ? 0 : room_for(o->returned);
  for (unsigned i = 0; i < o->nitems; i++)
    if (o->items[i].kind == FL_ITEM_OUT)
      n += room_for(o->items[i].count);
  return n;
}

char *parts_trouble(const struct fl_op *o) {
  uint32_t pointers;
  if (parts_parameters(o, &pointers) > FL_MAX_ARGS)
    return xasprintf("%s has more than %d arguments", o->name, FL_MAX_ARGS);
  if (o->type == FL_TYPE_OTHER)
    return xasprintf("%s returns a struct or a floating-point number: say with "
                     "FL_RESULT(printer) what of it is compared",
                     o->name);
  if (!parts_any(o))
    return NULL;
  if (o->invoke)
    return xasprintf("%s has its own invoke: FL_OUT, FL_RESULT and FL_STRING "
                     "are not for it",
                     o->name);
  if (item_of(o, FL_ITEM_RESULT) && o->returns == FL_TYPE_VOID)
    return xasprintf("FL_RESULT: %s returns nothing", o->name);
  for (unsigned i = 0; i < o->nitems; i++)
    if (o->items[i].kind == FL_ITEM_OUT && o->items[i].lo == FL_TYPE_OTHER &&
        !o->items[i].text)
      return xasprintf("an output parameter of %s is a struct or a "
                       "floating-point number: say with FL_OUT(type, printer) "
                       "what of it is compared",
                       o->name);
  if (has_results(o) && room_of(o) > PARTS_ROOM)
    return xasprintf("the results of %s have more than %d bytes", o->name,
                     PARTS_ROOM);
  return NULL;
}

/* ---- texts that are arguments ---- */

/* Text `n` of the suite, counted over all operations; NULL: it has fewer. */
static const char *nth(const struct fl_suite *s, uint32_t n) {
  for (const struct fl_op *o = s->ops; o; o = o->next)
    for (unsigned i = 0; i < o->nitems; i++) {
      const struct fl_item *item = &o->items[i];
      if (item->kind != FL_ITEM_STRING)
        continue;
      if (n < item->count)
        return ((const char *const *)(const void *)item->text)[n];
      n -= item->count;
    }
  return NULL;
}

const char **parts_texts(const struct fl_suite *s, uint32_t *n) {
  *n = 0;
  while (nth(s, *n))
    ++*n;
  const char **all = xcalloc(*n + 1, sizeof *all);
  for (uint32_t i = 0; i < *n; i++)
    all[i] = nth(s, i);
  return all;
}

const char *parts_text(const struct fl_suite *s, int64_t number) {
  uint64_t n = (uint64_t)number - (uint64_t)CLIENT_TEXTS;
  return n < UINT32_MAX ? nth(s, (uint32_t)n) : NULL;
}

int64_t parts_number(const struct fl_suite *s, const char *text) {
  const char *at;
  uint32_t n = 0;
  while ((at = nth(s, n)) && strcmp(at, text))
    n++;
  return CLIENT_TEXTS + n;
}

/* ---- calls ---- */

static long long text_word(const struct fl_suite *s, int64_t number) {
  return (long long)(uintptr_t)parts_text(s, number);
}

void parts_words(const struct fl_suite *s, const struct fl_op *o,
                 const int64_t *args, long long *words) {
  uint32_t n = 0;
  for (unsigned i = 0; i < o->nitems; i++) {
    if (!parts_is_argument(&o->items[i]))
      continue;
    bool text = o->items[i].kind == FL_ITEM_STRING;
    words[n] = text ? text_word(s, args[n]) : args[n];
    n++;
  }
}

static void append(char *text, size_t *len, const char *part) {
  static const char comma[] = ", ";
  size_t n = strlen(part), before = *len ? strlen(comma) : 0;
  if (*len + before + n >= PARTS_TEXT)
    n = PARTS_TEXT > *len + before + 1 ? PARTS_TEXT - *len - before - 1 : 0;
  if (*len + before + n >= PARTS_TEXT)
    return;
  memcpy(text + *len, comma, before);
  memcpy(text + *len + before, part, n);
  *len += before + n;
  text[*len] = 0;
}

static struct value value_at(const struct parts_call *c, enum fl_type type,
                             unsigned size, const void *at) {
  uint64_t bits = 0;
  unsigned unused = size && size < 8 ? 64 - 8 * size : 0;
  memcpy(&bits, at, size < 8 ? size : 8);
  switch (type) {
  case FL_TYPE_BOOL:
    return value_bool((bits & 0xff) != 0);
  case FL_TYPE_INT:
    return value_int((int64_t)(bits << unused) >> unused);
  case FL_TYPE_POINTER:
    return (struct value){VALUE_POINTER, c->name(bits)};
  case FL_TYPE_STRING:
    return (struct value){VALUE_STRING, bits};
  default:
    return value_uint(bits);
  }
}

/* No code of the user's runs here: an execution that is given up there would
 * leave the buffer behind. */
static void append_value(const struct parts_call *c, enum fl_type type,
                         unsigned size, const void *at, char *text,
                         size_t *len) {
  struct buf b = {0};
  value_print(value_at(c, type, size, at), &b);
  append(text, len, buf_text(&b));
  buf_free(&b);
}

static void append_printed(const char *printer, const void *at, char *text,
                           size_t *len) {
  typedef void print(const void *, char *, size_t);
  char part[PARTS_TEXT / 2];
  memset(part, 0, sizeof part);
  ((print *)(uintptr_t)printer)(at, part, sizeof part - 1);
  append(text, len, part);
}

static bool is_written(const struct fl_item *out, const char *at) {
  for (unsigned i = 0; i < out->count; i++)
    if ((unsigned char)at[i] != PARTS_FILL)
      return true;
  return false;
}

static void append_out(const struct parts_call *c, const struct fl_item *out,
                       const char *at, char *text, size_t *len) {
  char copy[PARTS_ROOM + 1];
  const char *in_place = copy;
  if (!is_written(out, at)) /* P2 */
    return;
  if (out->text) {
    append_printed(out->text, at, text, len);
  } else if (out->hi) { /* an array of characters */
    memset(copy, 0, sizeof copy);
    memcpy(copy, at, out->count);
    append_value(c, FL_TYPE_STRING, sizeof in_place, &in_place, text, len);
  } else {
    append_value(c, (enum fl_type)out->lo, out->count, at, text, len);
  }
}

static void append_outs(const struct parts_call *c, const char *at, char *text,
                        size_t *len) {
  for (unsigned i = 0; i < c->op->nitems; i++)
    if (c->op->items[i].kind == FL_ITEM_OUT) {
      append_out(c, &c->op->items[i], at, text, len);
      at += room_for(c->op->items[i].count);
    }
}

/* The parameters, and the values that output parameters point to from `at` on.
 * Words that the function does not take do no harm. */
static void take_words(const struct parts_call *c, char *at, long long *w) {
  uint32_t n = 0, arg = 0;
  if (c->takes_object)
    w[n++] = (long long)(uintptr_t)c->object;
  for (unsigned i = 0; i < c->op->nitems && n <= FL_MAX_ARGS; i++) {
    const struct fl_item *item = &c->op->items[i];
    if (item->kind == FL_ITEM_OUT) {
      w[n++] = (long long)(uintptr_t)at;
      at += room_for(item->count);
    } else if (item->kind == FL_ITEM_STRING) {
      w[n++] = text_word(c->suite, c->args[arg++]);
    } else if (parts_is_argument(item)) {
      w[n++] = c->args[arg++];
    }
  }
}

long long parts_call(const struct parts_call *c, char *text) {
  typedef long long word;
  const struct fl_op *o = c->op;
  const struct fl_item *printer = item_of(o, FL_ITEM_RESULT);
  char room[PARTS_ROOM] __attribute__((aligned(16)));
  char *outs = room + (o->returns == FL_TYPE_VOID ? 0 : room_for(o->returned));
  word w[FL_MAX_ARGS + 1] = {0}, raw = 0;
  memset(room, PARTS_FILL, sizeof room);
  take_words(c, outs, w);
  if (o->into)
    o->into(room, c->function, w);
  else
    raw = ((word(*)(word, word, word, word, word, word, word))c->function)(
        w[0], w[1], w[2], w[3], w[4], w[5], w[6]);
  if (!has_results(o))
    return raw;
  if (only_out(o)) {
    raw = 0;
    memcpy(&raw, outs, o->size);
    return raw;
  }
  if (!o->into && o->returns != FL_TYPE_VOID)
    memcpy(room, &raw, sizeof raw);
  size_t len = 0;
  text[0] = 0;
  if (printer)
    append_printed(printer->text, room, text, &len);
  else if (o->returns != FL_TYPE_VOID)
    append_value(c, o->returns, o->returned, room, text, &len);
  if (o->returns != FL_TYPE_BOOL || (raw & 0xff)) /* P1 */
    append_outs(c, outs, text, &len);
  return (word)(uintptr_t)text;
}
