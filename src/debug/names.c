/* Names for the locations of a trace: variables, fields, blocks of the heap. */
#include "debug/guess.h"
#include "debug/types.h"

#include "model/channel.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct named { /* a block of the trace */
  struct guess guess;
  const char *name;
  uint32_t number;
  bool only; /* the one block of this name: it goes without its number */
};

struct names {
  struct lines *lines;
  const struct trace *trace;
  struct named *blocks;
  struct arena arena;
};

/* Blocks that come from the same place in the same way are of the same type. */
static const struct named *earlier(const struct names *n, uint32_t i) {
  const struct trace *t = n->trace;
  const struct block *b = &t->blocks[i];
  for (uint32_t j = i; j--;) {
    const struct block *o = &t->blocks[j];
    if (o->alloc_pc == b->alloc_pc && o->alloc_chain == b->alloc_chain &&
        o->size == b->size && o->elem_size == b->elem_size)
      return &n->blocks[j];
  }
  return NULL;
}

static void name_block(struct names *n, uint32_t i) {
  struct named *b = &n->blocks[i];
  const struct named *before = earlier(n, i);
  if (before) {
    b->guess = before->guess;
    b->name = before->name;
  } else {
    guess_block(n->lines, n->trace, &n->trace->blocks[i], &b->guess);
    char *name = b->guess.weight ? xstrndup(b->guess.name, b->guess.name_len)
                                 : xstrdup("block");
    b->name = arena_strdup(&n->arena, name);
    free(name);
  }
  b->number = 1;
  for (uint32_t j = i; j--;)
    if (!strcmp(n->blocks[j].name, b->name)) {
      b->number = n->blocks[j].number + 1;
      break;
    }
}

static uint32_t count_called(const struct names *n, const char *name) {
  uint32_t count = 0;
  for (uint32_t i = 0; n && i < n->trace->nblocks; i++)
    count += !strcmp(n->blocks[i].name, name);
  return count;
}

/* A variable of the program has this name. */
static bool is_variable(const struct lines *l, const char *name) {
  for (uint32_t i = 0; i < l->variables.len; i++)
    if (!strcmp(l->variables.at[i].name, name))
      return true;
  return false;
}

/* `block` is no name of the program's, `p` would be read as the pointer that
 * the block was kept in: they keep their numbers. */
static void find_only(struct names *n, const struct names *beside) {
  for (uint32_t i = 0; i < n->trace->nblocks; i++) {
    struct named *b = &n->blocks[i];
    b->only = strcmp(b->name, "block") && !b->guess.borrowed &&
              count_called(n, b->name) == 1 &&
              count_called(beside, b->name) <= 1 &&
              !is_variable(n->lines, b->name);
  }
}

static struct names *name_blocks(struct lines *l, const struct trace *t) {
  struct names *n = xcalloc(1, sizeof *n);
  n->lines = l;
  n->trace = t;
  n->blocks = xcalloc(t->nblocks + 1, sizeof *n->blocks);
  for (uint32_t i = 0; i < t->nblocks; i++)
    name_block(n, i);
  return n;
}

struct names *names_new(struct lines *l, const struct trace *t,
                        const struct trace *beside) {
  struct names *n = name_blocks(l, t);
  struct names *other = beside ? name_blocks(l, beside) : NULL;
  find_only(n, other);
  names_free(other);
  return n;
}

void names_free(struct names *n) {
  if (!n)
    return;
  arena_free(&n->arena);
  free(n->blocks);
  free(n);
}

enum { NEAR = 64 }; /* bytes beside a block that are still said to be its */

/*
 * The block that an address belongs to in the eyes of event `at`: the last one
 * that was allocated there by then, freed or not.  With `near`, also one that
 * ends or begins not far away (an access out of bounds).
 */
static const struct named *block_at(const struct names *n, uint64_t addr,
                                    uint32_t at, bool near,
                                    const struct block **out) {
  uint64_t slack = near ? NEAR : 0;
  for (uint32_t i = n->trace->nblocks; i--;) {
    const struct block *b = &n->trace->blocks[i];
    if (b->alloc_event != UINT32_MAX && b->alloc_event > at)
      continue;
    /* malloc(0) has an address too */
    uint64_t end = b->base + (b->size ? b->size : 1) + slack;
    if (addr + slack >= b->base && addr < end) {
      *out = b;
      return &n->blocks[i];
    }
  }
  return NULL;
}

static void print_block_name(const struct named *d, struct buf *out) {
  buf_puts(out, d->name);
  if (!d->only)
    buf_printf(out, "#%" PRIu32, d->number);
}

void names_block(const struct names *n, uint32_t block, struct buf *out) {
  assert(block < n->trace->nblocks);
  print_block_name(&n->blocks[block], out);
}

static void print_block(const struct named *d, const struct block *b,
                        uint64_t addr, uint64_t size, struct buf *out,
                        Dwarf_Die *leaf, bool *typed) {
  print_block_name(d, out);
  if (addr < b->base) {
    buf_printf(out, "-%" PRIu64, b->base - addr);
    return;
  }
  uint64_t offset = addr - b->base;
  Dwarf_Die type = d->guess.type;
  uint64_t step = d->guess.weight ? type_size(&type) : 0;
  if (!step || (offset >= b->size && !d->guess.array)) {
    if (offset)
      buf_printf(out, "+%" PRIu64, offset);
    return;
  }
  if (d->guess.array) {
    if (!size && !offset)
      return; /* the address of the array is that of the block */
    if (offset % step + size > step) { /* several elements */
      if (offset)
        buf_printf(out, "[%" PRIu64 "]", offset / step);
      return;
    }
    buf_printf(out, "[%" PRIu64 "]", offset / step);
    offset %= step;
  }
  type_path(&type, offset, size, out, leaf);
  *typed = true;
}

/* Prints the name; *typed tells whether *leaf is the type of what is there. */
static bool print_name(struct names *n, uint64_t base, uint64_t addr,
                       uint64_t size, uint32_t at, bool near, struct buf *out,
                       Dwarf_Die *leaf, bool *typed) {
  const struct block *b;
  const struct named *d = block_at(n, addr, at, false, &b);
  if (d) {
    print_block(d, b, addr, size, out, leaf, typed);
    return true;
  }
  if (addr >= base) {
    const struct line_variable *v = lines_variable_at(n->lines, addr - base);
    if (v) {
      Dwarf_Die type = v->type;
      buf_puts(out, v->name);
      type_path(&type, addr - base - v->addr, size, out, leaf);
      *typed = true;
      return true;
    }
    if (lines_global(n->lines, addr - base, size, out))
      return true;
  }
  if (near && (d = block_at(n, addr, at, true, &b))) {
    print_block(d, b, addr, size, out, leaf, typed);
    return true;
  }
  return false;
}

/* `pipe#1`; several at once are no single one. */
static void put_channel(uint64_t addr, uint64_t size, struct buf *out) {
  static const char *const words[] = {
#define CHANNEL_WORD(name, word) word,
      CHANNEL_KINDS(CHANNEL_WORD)
#undef CHANNEL_WORD
  };
  uint32_t i = channel_at(addr);
  if (addr < CHANNEL_BASE || size > CHANNEL_SIZE)
    buf_puts(out, "descriptors");
  else
    buf_printf(out, "%s#%" PRIu32, words[i / CHANNELS_EACH],
               i % CHANNELS_EACH + 1);
}

void names_location(struct names *n, uint64_t base, uint64_t addr,
                    uint64_t size, uint32_t at, struct buf *out) {
  Dwarf_Die leaf;
  bool typed = false;
  if (addr - CHANNEL_TABLE < CHANNEL_TABLE_SPAN)
    put_channel(addr, size, out);
  else if (!print_name(n, base, addr, size ? size : 1, at, true, out, &leaf,
                       &typed))
    buf_printf(out, "0x%" PRIx64, addr);
}

static int64_t extend(uint64_t value, uint64_t size) {
  switch (size) {
  case 1:
    return (int8_t)value;
  case 2:
    return (int16_t)value;
  case 4:
    return (int32_t)value;
  }
  return (int64_t)value;
}

static uint64_t cut(uint64_t value, uint64_t size) {
  return size < 8 ? value & ((UINT64_C(1) << size * 8) - 1) : value;
}

/* A pointer by what it points to; false when it is none that we know. */
static bool print_pointer(struct names *n, uint64_t base, uint64_t value,
                          uint32_t at, bool sure, struct buf *out) {
  Dwarf_Die leaf;
  bool typed = false;
  const struct block *b;
  size_t start = out->len;
  /* A number that happens to be small is no address of a variable; one that
   * lies in a block is no coincidence. */
  if (!sure && !block_at(n, value, at, false, &b) && value < base + 4096)
    return false;
  buf_putc(out, '&');
  if (print_name(n, base, value, 0, at, false, out, &leaf, &typed))
    return true;
  out->len = start;
  out->at[start] = 0;
  const char *function =
      value >= base ? lines_function(n->lines, value - base) : NULL;
  if (function)
    buf_puts(out, function);
  return function != NULL;
}

static void print_number(enum type_kind kind, Dwarf_Die *type, uint64_t value,
                         uint64_t size, struct buf *out) {
  const char *name;
  switch (kind) {
  case TYPE_ENUM:
    if ((name = type_enumerator(type, extend(value, size))) ||
        (name = type_enumerator(type, (int64_t)cut(value, size)))) {
      buf_puts(out, name);
      return;
    }
    break;
  case TYPE_BOOL:
    buf_puts(out, cut(value, size) ? "true" : "false");
    return;
  case TYPE_CHAR:
    if (size == 1 && isprint((int)(value & 255))) {
      buf_printf(out, "'%c'", (int)(value & 255));
      return;
    }
    break;
  case TYPE_UNSIGNED:
    buf_printf(out, "%" PRIu64, cut(value, size));
    return;
  case TYPE_FLOAT:
    if (size == 8 || size == 4) {
      double d;
      float f;
      memcpy(&d, &value, sizeof d);
      memcpy(&f, &value, sizeof f);
      buf_printf(out, "%g", size == 8 ? d : (double)f);
      return;
    }
    break;
  default:
    break;
  }
  buf_printf(out, "%" PRId64, extend(value, size));
}

void names_value(struct names *n, uint64_t base, const struct event *e,
                 uint64_t value, uint32_t at, struct buf *out) {
  struct buf unused = {0};
  Dwarf_Die leaf;
  bool typed = false;
  enum type_kind kind = TYPE_OTHER;
  print_name(n, base, e->addr, e->size ? e->size : 1, at, false, &unused, &leaf,
             &typed);
  buf_free(&unused);
  if (typed)
    kind = type_kind(&leaf);
  if (kind == TYPE_POINTER && !value)
    buf_puts(out, "NULL");
  else if (e->size >= 8 && kind != TYPE_FLOAT &&
           print_pointer(n, base, value, at, kind == TYPE_POINTER, out))
    return;
  else if (kind == TYPE_POINTER)
    buf_printf(out, "0x%" PRIx64, value);
  else
    print_number(kind, &leaf, value, e->size, out);
}
