/*
 * Interning of boxes: a hash table, the key being what a box holds. The items
 * of a list are data themselves, so that lists are compared word by word.  The
 * table serves one thread.
 */
#include "model/datum.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/table.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A half of the hash stands beside the box: most misses are seen without a look
 * into it, and so the table can grow. */
struct datum_slot {
  uint32_t hash;
  uint32_t box; /* place + 1; 0: free */
};

enum { RECENT = 4096 };

struct datum_box **datum_boxes[DATUM_PIECES];

/* What a box is to hold, before it is known whether there is one. */
struct wanted {
  uint8_t kind;
  bool symbol;
  uint32_t len;
  const void *bytes;
  size_t size; /* of bytes */
  uint64_t hash;
};

static bool holds(const struct datum_box *b, const struct wanted *w) {
  return b->kind == w->kind && b->symbol == w->symbol && b->len == w->len &&
         (!w->size || !memcmp(b->text, w->bytes, w->size));
}

static datum boxed(uint32_t place) { return place << 2 | 1; }

static bool boxes_is_free(const struct datum_slot *s) { return !s->box; }
static bool boxes_has(void *ctx, const struct datum_slot *s,
                      const struct wanted *w) {
  (void)ctx;
  if (s->hash != (uint32_t)(w->hash >> 32))
    return false;
  const struct datum_box *b = datum_box(boxed(s->box - 1));
  return b->hash == w->hash && holds(b, w);
}
static uint32_t boxes_hash(void *ctx, const struct wanted *w) {
  (void)ctx;
  return (uint32_t)(w->hash >> 32);
}
static uint32_t boxes_rehash(void *ctx, const struct datum_slot *s) {
  (void)ctx;
  return s->hash;
}
TABLE(boxes, struct datum_slot, const struct wanted *, 2)

static struct {
  struct boxes known;
  /* What was asked for a short time ago, by its hash: a return often repeats
   * what its call was given, and the table is larger than the caches. */
  struct {
    uint64_t hash;
    datum box; /* 0: none */
  } recent[RECENT];
  struct arena arena;
} table;

static struct datum_box *make(const struct wanted *w) {
  size_t size = offsetof(struct datum_box, text) + w->size + 1;
  if (size < sizeof(struct datum_box))
    size = sizeof(struct datum_box);
  struct datum_box *b = arena_room(&table.arena, size);
  b->kind = w->kind;
  b->symbol = w->symbol;
  b->len = w->len;
  b->hash = w->hash;
  if (w->size)
    memcpy(b->text, w->bytes, w->size);
  if (w->kind == DATUM_IS_TEXT)
    b->text[w->size] = 0;
  return b;
}

/* A place for a box that is new. */
static uint32_t keep(struct datum_box *b) {
  uint32_t n = table.known.len;
  if (n >> DATUM_PIECE >= DATUM_PIECES)
    die("too many different texts and lists (%u)", n);
  struct datum_box ***piece = &datum_boxes[n >> DATUM_PIECE];
  if (!*piece)
    *piece = xmalloc(sizeof **piece << DATUM_PIECE);
  table.known
      .len++; /* behind all that can die(): a library goes on from there */
  (*piece)[n & ((1 << DATUM_PIECE) - 1)] = b;
  return n;
}

static datum find_or_make(const struct wanted *w) {
  struct datum_slot *s = boxes_put(&table.known, NULL, w);
  if (!s->box) {
    uint32_t place = keep(make(w));
    *s = (struct datum_slot){(uint32_t)(w->hash >> 32), place + 1};
  }
  return boxed(s->box - 1);
}

static datum intern(const struct wanted *w) {
  uint32_t i = w->hash % RECENT;
  datum d = table.recent[i].box;
  if (!d || table.recent[i].hash != w->hash || !holds(datum_box(d), w)) {
    table.recent[i].hash = w->hash;
    table.recent[i].box = d = find_or_make(w);
  }
  return d;
}

void datum_free_all(void) {
  for (uint32_t i = 0; i < DATUM_PIECES && datum_boxes[i]; i++) {
    free(datum_boxes[i]);
    datum_boxes[i] = NULL;
  }
  datum_free_numbers();
  free(table.known.slots);
  arena_free(&table.arena);
  memset(&table, 0, sizeof table);
}

static datum text(const char *bytes, size_t len, bool symbol) {
  assert(len < UINT32_MAX);
  struct wanted w = {.kind = DATUM_IS_TEXT,
                     .symbol = symbol,
                     .len = (uint32_t)len,
                     .bytes = bytes,
                     .size = len,
                     .hash = hash64(bytes, len, symbol ? 2 : 1)};
  return intern(&w);
}

datum datum_text(const char *bytes, size_t len) {
  return text(bytes, len, false);
}

datum datum_symbol(const char *bytes, size_t len) {
  return text(bytes, len, true);
}

/* Of the items' own hashes, since their words are addresses. */
static uint64_t hash_of_items(const datum *items, uint32_t n, uint64_t seed) {
  uint64_t h = seed + n;
  for (uint32_t i = 0; i < n; i++)
    h = datum_hash_number((int64_t)(h * 31 + datum_hash(items[i])));
  return h;
}

static datum items(const datum *all, uint32_t n, enum datum_kind kind) {
  struct wanted w = {.kind = (uint8_t)kind,
                     .len = n,
                     .bytes = all,
                     .size = n * sizeof *all,
                     .hash = hash_of_items(all, n, kind)};
  return intern(&w);
}

datum datum_list(const datum *all, uint32_t n) {
  return items(all, n, DATUM_IS_LIST);
}

struct pair {
  datum key, value;
  uint32_t at; /* qsort is not stable, and the last value counts */
};

static int order_pairs(const void *x, const void *y) {
  const struct pair *a = x, *b = y;
  int o = datum_order(a->key, b->key);
  return o ? o : a->at < b->at ? -1 : 1;
}

datum datum_map(datum *all, uint32_t npairs) {
  struct pair *pairs = xmalloc((npairs + 1) * sizeof *pairs);
  for (uint32_t i = 0; i < npairs; i++)
    pairs[i] = (struct pair){all[2 * i], all[2 * i + 1], i};
  qsort(pairs, npairs, sizeof *pairs, order_pairs);
  uint32_t n = 0;
  for (uint32_t i = 0; i < npairs; i++) {
    if (n && all[2 * n - 2] == pairs[i].key)
      n--;
    all[2 * n] = pairs[i].key;
    all[2 * n + 1] = pairs[i].value;
    n++;
  }
  free(pairs);
  return items(all, 2 * n, DATUM_IS_MAP);
}

static int order_texts(const struct datum_box *a, const struct datum_box *b) {
  uint32_t n = a->len < b->len ? a->len : b->len;
  int o = memcmp(a->text, b->text, n);
  if (o)
    return o < 0 ? -1 : 1;
  if (a->len != b->len)
    return a->len < b->len ? -1 : 1;
  return a->symbol - b->symbol;
}

static int order_items(const struct datum_box *a, const struct datum_box *b) {
  for (uint32_t i = 0; i < a->len && i < b->len; i++) {
    int o = datum_order(a->items[i], b->items[i]);
    if (o)
      return o;
  }
  return a->len < b->len ? -1 : a->len > b->len;
}

int datum_order(datum a, datum b) {
  if (a == b)
    return 0;
  enum datum_kind ka = datum_kind(a), kb = datum_kind(b);
  if (ka != kb)
    return ka < kb ? -1 : 1;
  switch (ka) {
  case DATUM_IS_NUMBER:
    return datum_to_number(a) < datum_to_number(b) ? -1 : 1;
  case DATUM_IS_TEXT:
    return order_texts(datum_box(a), datum_box(b));
  case DATUM_IS_LIST:
  case DATUM_IS_MAP:
    return order_items(datum_box(a), datum_box(b));
  case DATUM_IS_OTHER:
    break;
  }
  return a < b ? -1 : 1;
}

uint64_t datum_hash(datum d) {
  if (datum_is_boxed(d))
    return datum_box(d)->hash;
  if (datum_is_number(d))
    return datum_hash_number(datum_to_number(d));
  return datum_hash_number((int64_t)(d ^ 0x7465726e61727900u));
}

static void print_text(const struct datum_box *b, struct buf *out) {
  buf_putc(out, '"');
  for (uint32_t i = 0; i < b->len; i++) {
    unsigned char c = (unsigned char)b->text[i];
    if (c == '"' || c == '\\')
      buf_printf(out, "\\%c", c);
    else if (c == '\n')
      buf_puts(out, "\\n");
    else if (c == '\t')
      buf_puts(out, "\\t");
    else if (c < 0x20 || c == 0x7f)
      buf_printf(out, "\\x%02x", c);
    else
      buf_putc(out, (char)c);
  }
  buf_putc(out, '"');
}

static void print_items(const struct datum_box *b, struct buf *out) {
  bool map = b->kind == DATUM_IS_MAP;
  buf_putc(out, map ? '{' : '[');
  for (uint32_t i = 0; i < b->len; i++) {
    if (i)
      buf_puts(out, map && i % 2 ? ": " : ", ");
    datum_print(b->items[i], out);
  }
  buf_putc(out, map ? '}' : ']');
}

void datum_print(datum d, struct buf *out) {
  switch (datum_kind(d)) {
  case DATUM_IS_NUMBER:
    buf_printf(out, "%" PRId64, datum_to_number(d));
    break;
  case DATUM_IS_TEXT:
    if (datum_box(d)->symbol)
      buf_put(out, datum_box(d)->text, datum_box(d)->len);
    else
      print_text(datum_box(d), out);
    break;
  case DATUM_IS_LIST:
  case DATUM_IS_MAP:
    print_items(datum_box(d), out);
    break;
  case DATUM_IS_OTHER:
    buf_puts(out, d == DATUM_NIL     ? "nil"
                  : d == DATUM_TRUE  ? "true"
                  : d == DATUM_FALSE ? "false"
                                     : "");
    break;
  }
}
