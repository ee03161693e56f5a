/* Places, locations and values, by the object's debug information. */
#include "debug/namer.h"

#include <assert.h>
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

static enum place_role role(void *ctx, const char *file, const char *function) {
  struct namer *n = ctx;
  return lines_role(n->lines, file, function);
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

uint32_t namer_frames(const struct story_namer *n, const struct trace *t,
                      uint64_t pc, uint32_t chain, const struct place **out) {
  uint32_t len = 0;
  while (pc) {
    for (const struct place *p = n->place(n->ctx, pc); p; p = p->next)
      if (len < NAMER_FRAMES)
        out[len++] = p;
    pc = chain && chain < t->nframes ? t->frames[chain].call_pc : 0;
    chain = pc ? t->frames[chain].parent : 0;
  }
  return len;
}

const struct place *namer_place(const struct story_namer *n,
                                const struct trace *t, uint64_t pc,
                                uint32_t chain) {
  assert(pc);
  const struct place *frames[NAMER_FRAMES];
  enum place_role roles[NAMER_FRAMES];
  uint32_t len = namer_frames(n, t, pc, chain, frames);
  if (!frames[0]->line)
    return frames[0];
  for (uint32_t i = 0; i < len; i++)
    roles[i] = place_role(frames[i]);
  uint32_t at = place_choose(roles, len);
  return frames[at < len ? at : 0];
}

void namer_open(struct namer *n, struct lines *lines, const struct result *r,
                const struct trace *beside, struct story_namer *out) {
  n->lines = lines;
  n->names = r->finding ? names_new(lines, &r->finding->trace, beside) : NULL;
  n->base = r->base;
  *out = (struct story_namer){.ctx = n,
                              .place = place,
                              .location = location,
                              .value = value,
                              .block = block,
                              .role = role};
}

void namer_close(struct namer *n) {
  if (n->names)
    names_free(n->names);
  n->names = NULL;
}
