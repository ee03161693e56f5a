/*
 * Values: pointers made of names, interned texts, printing.
 *
 * The table of texts is one for the process, since equal texts must have equal
 * bits wherever they were made.  A forked worker inherits what its parent had
 * and goes on alone.
 */
#include "model/value.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OWNER_BITS = 16, ORDINAL_BITS = 16, OFFSET_BITS = 24, TAG_SHIFT = 56 };
#define LOW48 ((UINT64_C(1) << 48) - 1)

static uint64_t saturate(uint64_t n, unsigned bits) {
  uint64_t max = (UINT64_C(1) << bits) - 1;
  return n < max ? n : max;
}

static struct value tagged(enum value_tag tag, uint64_t rest) {
  return (struct value){VALUE_POINTER, (uint64_t)tag << TAG_SHIFT | rest};
}

struct value value_block(uint32_t owner, uint64_t ordinal, uint64_t offset) {
  uint64_t who = owner == UINT32_MAX ? 0 : (uint64_t)owner + 1;
  return tagged(VALUE_TAG_BLOCK,
                saturate(who, OWNER_BITS) << (ORDINAL_BITS + OFFSET_BITS) |
                    saturate(ordinal, ORDINAL_BITS) << OFFSET_BITS |
                    saturate(offset, OFFSET_BITS));
}

struct value value_global(uint64_t offset) {
  return tagged(VALUE_TAG_GLOBAL, offset & LOW48);
}

struct value value_address(uint64_t address) {
  return address ? tagged(VALUE_TAG_OTHER, address & LOW48) : value_null();
}

struct value value_string(const char *s) {
  return (struct value){VALUE_STRING,
                        s ? (uint64_t)(uintptr_t)value_intern(s) : 0};
}

uint64_t value_text_hash(struct value v) {
  const char *text = (const char *)(uintptr_t)v.bits;
  return text ? hash64(text, strlen(text), 0) : 0;
}

/* ---- texts are kept once ---- */

static bool texts_is_free(const char *const *s) { return !*s; }
static bool texts_has(void *ctx, const char *const *s, const char *key) {
  (void)ctx;
  return !strcmp(*s, key);
}
static uint32_t texts_hash(void *ctx, const char *key) {
  (void)ctx;
  return (uint32_t)hash64(key, strlen(key), 0);
}
static uint32_t texts_rehash(void *ctx, const char *const *s) {
  return texts_hash(ctx, *s);
}
TABLE(texts, const char *, const char *, 2)

static struct texts texts;

const char *value_intern(const char *s) {
  const char **slot = texts_put(&texts, NULL, s);
  if (!*slot) {
    *slot = xstrdup(s);
    texts.len++;
  }
  return *slot;
}

bool value_copy(struct value *to, struct value from, struct arena *a) {
  *to = from;
  if (from.kind != VALUE_STRING || !from.bits)
    return true;
  to->bits =
      (uint64_t)(uintptr_t)arena_strdup(a, (const char *)(uintptr_t)from.bits);
  return to->bits != 0;
}

static void print_text(const char *s, struct buf *out) {
  buf_putc(out, '"');
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      buf_printf(out, "\\%c", c);
    else if (c == '\n')
      buf_puts(out, "\\n");
    else if (c == '\t')
      buf_puts(out, "\\t");
    else if (c < ' ' || c == 127)
      buf_printf(out, "\\%03o", c); /* \x would swallow a digit that follows */
    else
      buf_putc(out, *s);
  }
  buf_putc(out, '"');
}

static void print_block(uint64_t bits, struct buf *out) {
  uint64_t owner = bits >> (ORDINAL_BITS + OFFSET_BITS) & 0xffff;
  uint64_t ordinal = bits >> OFFSET_BITS & 0xffff;
  uint64_t offset = bits & 0xffffff;
  buf_printf(out, "&block %" PRIu64, ordinal);
  if (owner)
    buf_printf(out, " of call %" PRIu64, owner - 1);
  else
    buf_puts(out, " outside calls");
  if (offset)
    buf_printf(out, " + %" PRIu64, offset);
}

static void print_pointer(uint64_t bits, struct buf *out) {
  switch (bits >> TAG_SHIFT) {
  case 0:
    if (!bits) {
      buf_puts(out, "NULL");
      break;
    }
    buf_printf(out, "0x%" PRIx64, bits);
    break;
  case VALUE_TAG_BLOCK:
    print_block(bits, out);
    break;
  case VALUE_TAG_GLOBAL:
    buf_printf(out, "&global+0x%" PRIx64, bits & LOW48);
    break;
  default:
    buf_printf(out, "0x%" PRIx64, bits & LOW48);
  }
}

void value_print(struct value v, struct buf *out) {
  switch ((enum value_kind)v.kind) {
  case VALUE_VOID:
    break;
  case VALUE_BOOL:
    buf_puts(out, v.bits ? "true" : "false");
    break;
  case VALUE_INT:
    buf_printf(out, "%" PRId64, (int64_t)v.bits);
    break;
  case VALUE_UINT:
    buf_printf(out, "%" PRIu64, v.bits);
    break;
  case VALUE_POINTER:
    print_pointer(v.bits, out);
    break;
  case VALUE_STRING:
    if (v.bits)
      print_text((const char *)(uintptr_t)v.bits, out);
    else
      buf_puts(out, "NULL");
    break;
  }
}
