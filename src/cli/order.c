#include "cli/order.h"

#include "base/wire.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Both ends are the same program. */
static void put_version(struct buf *out) {
  wire_put_text(out, FL_VERSION);
  wire_put(out, sizeof(struct settings));
  wire_put(out, sizeof(struct hunt_order));
}

static bool same_version(struct wire *w) {
  char *version = wire_get_text(w);
  bool same = version && !strcmp(version, FL_VERSION);
  same &= wire_get(w) == sizeof(struct settings);
  same &= wire_get(w) == sizeof(struct hunt_order);
  free(version);
  return same;
}

/* ---- settings ---- */

/* The texts that a worker reads go by themselves; the others stay here. */
static void put_settings(const struct settings *s, struct buf *out) {
  struct settings flat = *s;
  flat.client = flat.object = flat.cc = flat.cxx = flat.opt = NULL;
  flat.json = flat.patch = flat.trace = flat.dot = flat.save_dir = NULL;
  flat.html = NULL;
  flat.history = NULL;
  flat.rest = (struct opt_rest){0};
  wire_put_bytes(out, &flat, sizeof flat);
  wire_put_text(out, s->client);
  wire_put_text(out, s->object);
}

static void get_settings(struct wire *w, struct settings *s) {
  size_t n;
  const void *at = wire_get_bytes(w, &n);
  if (n == sizeof *s)
    memcpy(s, at, n);
  else
    w->bad = true;
  s->client = wire_get_text(w);
  s->object = wire_get_text(w);
}

/* ---- objects ---- */

static int put_file(const char *path, struct buf *out, struct error *e) {
  struct buf bytes = {0};
  wire_put(out, path != NULL);
  if (path && buf_read_file(&bytes, path, e))
    return e->code;
  if (path)
    wire_put_bytes(out, bytes.at, bytes.len);
  buf_free(&bytes);
  return ERR_NONE;
}

static bool write_all(int fd, const char *at, size_t n) {
  while (n) {
    ssize_t done = write(fd, at, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    at += done;
    n -= (size_t)done;
  }
  return true;
}

/* A path that means the same file in the processes that are forked later. */
static const char *get_file(struct wire *w, struct error *e) {
  size_t n;
  if (!wire_get(w))
    return NULL;
  const char *at = wire_get_bytes(w, &n);
  int fd = memfd_create("object", MFD_CLOEXEC);
  if (fd < 0 || !write_all(fd, at, n)) {
    error_set(e, ERR_SYSTEM, "cannot keep the object's bytes: %s",
              strerror(errno));
    if (fd >= 0)
      close(fd);
    return NULL;
  }
  return xasprintf("/proc/self/fd/%d", fd);
}

static void free_file(const char *path) {
  int fd;
  if (path && sscanf(path, "/proc/self/fd/%d", &fd) == 1)
    close(fd);
  free((char *)path);
}

/* ---- the order ---- */

/* Of the clients that fail, their operations matter. */
static void put_known(const struct hunt_order *o, struct buf *out) {
  wire_put(out, o->nknown);
  for (uint32_t i = 0; i < o->nknown; i++) {
    const struct client *c = &o->known[i];
    wire_put(out, c->ncalls);
    for (uint32_t k = 0; k < c->ncalls; k++)
      wire_put(out, c->calls[k].op);
  }
}

static void get_known(struct wire *w, struct hunt_order *o) {
  uint32_t n = wire_get_count(w, 8);
  struct client *known = n ? xcalloc(n, sizeof *known) : NULL;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t calls = wire_get_count(w, 8); calls--;)
      client_add_init(&known[i], (struct call){.op = (uint16_t)wire_get(w)});
  o->known = known;
  o->nknown = n;
}

static void free_known(struct hunt_order *o) {
  for (uint32_t i = 0; i < o->nknown; i++)
    client_free((struct client *)&o->known[i]);
  free((struct client *)o->known);
}

int order_write(const struct hunt_order *o, struct buf *out, struct error *e) {
  assert(!o->estimates || o->nestimates);
  put_version(out);
  put_settings(o->settings, out);
  if (put_file(o->so, out, e) || put_file(o->native, out, e))
    return e->code;
  wire_put(out, o->uses_tls);
  wire_put(out, o->uses_fenv);
  wire_put(out, o->uses_clock);
  wire_put(out, o->suite);
  wire_put(out, o->program);
  wire_put(out, o->want_outcomes);
  wire_put(out, o->only_choices);
  wire_put(out, o->partial);
  wire_put(out, o->estimates != NULL);
  wire_put_bytes(out, o->estimates, o->nestimates * sizeof *o->estimates);
  wire_put_bytes(out, o->part_stores, o->npart_stores * sizeof *o->part_stores);
  wire_put_bytes(out, o->sites, o->nsites * sizeof *o->sites);
  put_known(o, out);
  return ERR_NONE;
}

static void get_estimates(struct wire *w, struct hunt_order *o) {
  size_t n;
  bool there = wire_get(w);
  const void *at = wire_get_bytes(w, &n);
  if (!there)
    return;
  o->nestimates = (uint32_t)(n / sizeof *o->estimates);
  o->estimates = memcpy(xmalloc(n + 1), at, n);
}

static void get_part_stores(struct wire *w, struct hunt_order *o) {
  size_t n;
  const void *at = wire_get_bytes(w, &n);
  o->npart_stores = (uint32_t)(n / sizeof *o->part_stores);
  if (o->npart_stores)
    o->part_stores = memcpy(xmalloc(n), at, n);
}

static void get_sites(struct wire *w, struct hunt_order *o) {
  size_t n;
  const void *at = wire_get_bytes(w, &n);
  o->nsites = (uint32_t)(n / sizeof *o->sites);
  if (o->nsites)
    o->sites = memcpy(xmalloc(n), at, n);
}

struct hunt_order *order_read(const struct buf *from, struct error *e) {
  struct wire w = {.at = buf_text(from), .len = from->len};
  if (!same_version(&w)) {
    error_set(e, ERR_SYSTEM,
              "the ranks do not run the same build of faultline");
    return NULL;
  }
  struct hunt_order *o = xcalloc(1, sizeof *o);
  struct settings *s = xcalloc(1, sizeof *s);
  o->settings = s;
  get_settings(&w, s);
  o->so = get_file(&w, e);
  o->native = get_file(&w, e);
  o->uses_tls = wire_get(&w);
  o->uses_fenv = wire_get(&w);
  o->uses_clock = wire_get(&w);
  o->suite = (uint32_t)wire_get(&w);
  o->program = wire_get(&w);
  o->want_outcomes = wire_get(&w);
  o->only_choices = wire_get(&w);
  o->partial = wire_get(&w);
  get_estimates(&w, o);
  get_part_stores(&w, o);
  get_sites(&w, o);
  get_known(&w, o);
  if (w.bad || w.next != w.len || !o->so)
    error_set(e, ERR_SYSTEM, "the order came garbled");
  if (e->code) {
    order_free(o);
    return NULL;
  }
  return o;
}

void order_free(struct hunt_order *o) {
  if (!o)
    return;
  free_file(o->so);
  free_file(o->native);
  free((char *)o->settings->client);
  free((char *)o->settings->object);
  free((struct settings *)o->settings);
  free((uint32_t *)o->estimates);
  free((struct part_store *)o->part_stores);
  free((struct site *)o->sites);
  free_known(o);
  free(o);
}

static int write_any(const void *arg, struct buf *out, struct error *e) {
  return order_write(arg, out, e);
}

static void *read_any(const struct buf *from, struct error *e) {
  return order_read(from, e);
}

static void free_any(void *arg) { order_free(arg); }

const struct pool_travel order_travel = {write_any, read_any, free_any};
