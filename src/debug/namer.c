/* Places, locations and values, by the object's debug information. */
#include "debug/namer.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

/*
 * A variable of the C library, such as stdout: no debug information names it,
 * but the worker had it at the same address as this process, its parent.
 */
static bool put_library_name(uint64_t addr, struct buf *out) {
  Dl_info i;
  if (!dladdr((void *)(uintptr_t)addr, &i) || !i.dli_sname ||
      (uint64_t)(uintptr_t)i.dli_saddr != addr)
    return false;
  buf_puts(out, i.dli_sname);
  return true;
}

enum { ADDRESS_BITS = 40 };

static const struct place *place(void *ctx, uint64_t pc) {
  struct namer *n = ctx;
  /* A return address: the call, hence the access, is before it. */
  return lines_place(n->lines, pc - 1);
}

static void location(void *ctx, uint64_t addr, uint64_t size, uint32_t at,
                     struct buf *out) {
  struct namer *n = ctx;
  size_t start = out->len;
  if (n->names)
    names_location(n->names, n->base, addr, size, at, out);
  else
    buf_printf(out, "0x%" PRIx64, addr);
  if (strncmp(buf_text(out) + start, "0x", 2) == 0) { /* it has no name */
    struct buf name = {0};
    if (put_library_name(addr, &name)) {
      out->len = start;
      buf_puts(out, name.at);
    }
    buf_free(&name);
  }
}

static void value(void *ctx, const struct event *e, uint64_t v, uint32_t at,
                  struct buf *out) {
  struct namer *n = ctx;
  if (n->names && !(e->size == 8 && v >> ADDRESS_BITS && v >> 48 == 0))
    names_value(n->names, n->base, e, v, at, out);
  else if (n->names) {
    /* Most likely an address: a decimal number would say nothing. */
    size_t start = out->len;
    names_value(n->names, n->base, e, v, at, out);
    const char *text = buf_text(out) + start;
    if (text[strspn(text, "0123456789")] == 0) {
      out->len = start;
      buf_printf(out, "0x%" PRIx64, v);
    }
  } else
    buf_printf(out, "0x%" PRIx64, v);
}

static void block(void *ctx, uint32_t index, struct buf *out) {
  struct namer *n = ctx;
  if (n->names)
    names_block(n->names, index, out);
}

const struct trace *namer_beside(const struct result *r) {
  return r->finding && r->finding->near.found ? &r->finding->near.trace : NULL;
}

void namer_open(struct namer *n, struct lines *lines, const struct result *r,
                const struct trace *beside, struct story_namer *out) {
  n->lines = lines;
  n->names = r->finding ? names_new(lines, &r->finding->trace, beside) : NULL;
  n->base = r->base;
  *out = (struct story_namer){n, place, location, value, block};
}

void namer_close(struct namer *n) {
  if (n->names)
    names_free(n->names);
  n->names = NULL;
}
