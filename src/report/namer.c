/* See namer.h. */
#include "report/namer.h"

#include <inttypes.h>

static const struct place *place(void *ctx, uint64_t pc) {
  struct namer *n = ctx;
  /* A return address: the call, hence the access, is before it. */
  return lines_place(n->lines, pc - 1);
}

static void location(void *ctx, uint64_t addr, uint64_t size, uint32_t at,
                     struct buf *out) {
  struct namer *n = ctx;
  if (n->names)
    names_location(n->names, n->base, addr, size, at, out);
  else
    buf_printf(out, "0x%" PRIx64, addr);
}

static void value(void *ctx, const struct event *e, uint64_t v, uint32_t at,
                  struct buf *out) {
  struct namer *n = ctx;
  if (n->names)
    names_value(n->names, n->base, e, v, at, out);
  else
    buf_printf(out, "0x%" PRIx64, v);
}

void namer_open(struct namer *n, struct lines *lines, const struct result *r,
                struct story_namer *out) {
  n->lines = lines;
  n->names = r->finding ? names_new(lines, &r->finding->trace) : NULL;
  n->base = r->base;
  *out = (struct story_namer){n, place, location, value};
}

void namer_close(struct namer *n) {
  if (n->names)
    names_free(n->names);
  n->names = NULL;
}
