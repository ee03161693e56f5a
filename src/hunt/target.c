/* Targets: sent to other machines, and asked about by workers. */
#include "hunt/target.h"

#include "base/clock.h"
#include "base/wire.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Structs travel as bytes, so both ends must be the same program. */
static void put_version(struct buf *out) {
  wire_put_text(out, FL_VERSION);
  wire_put(out, sizeof(struct settings));
  wire_put(out, sizeof(struct target));
}

static bool same_version(struct wire *w) {
  char *version = wire_get_text(w);
  bool same = version && !strcmp(version, FL_VERSION);
  same &= wire_get(w) == sizeof(struct settings);
  same &= wire_get(w) == sizeof(struct target);
  free(version);
  return same;
}

/* ---- settings ---- */

/* Texts that a worker reads follow the struct; the others are not sent. */
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

/* Puts the bytes into a file in memory; its path is valid in processes that are
 * forked later. */
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

/* ---- the target ---- */

/* Of the clients that fail, their operations and roles matter. */
static void put_known(const struct target *t, struct buf *out) {
  wire_put(out, t->nknown);
  for (uint32_t i = 0; i < t->nknown; i++) {
    const struct client *c = &t->known[i];
    wire_put(out, client_first_final(c));
    for (uint32_t k = 0; k < client_first_final(c); k++) {
      wire_put(out, c->calls[k].op);
      wire_put(out, c->calls[k].thread);
    }
  }
  wire_put_bytes(out, t->set_aside, t->nset_aside * sizeof *t->set_aside);
  wire_put(out, t->brief);
}

static void get_known(struct wire *w, struct target *t) {
  uint32_t n = wire_get_count(w, 8);
  struct client *known = n ? xcalloc(n, sizeof *known) : NULL;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t calls = wire_get_count(w, 16); calls--;) {
      struct call c = {.op = (uint16_t)wire_get(w)};
      uint64_t thread = wire_get(w);
      if (thread > CLIENT_MAX_THREADS || thread < known[i].nthreads) {
        w->bad = true;
        break;
      }
      if (thread)
        client_add(&known[i], (uint32_t)thread, c);
      else
        client_add_init(&known[i], c);
    }
  t->known = known;
  t->nknown = n;
  size_t bytes;
  const void *at = wire_get_bytes(w, &bytes);
  t->nset_aside = (uint32_t)(bytes / sizeof *t->set_aside);
  if (t->nset_aside)
    t->set_aside = memcpy(xmalloc(bytes), at, bytes);
  t->brief = wire_get(w);
}

static void free_known(struct target *t) {
  for (uint32_t i = 0; i < t->nknown; i++)
    client_free((struct client *)&t->known[i]);
  free((struct client *)t->known);
  free((struct known_fault *)t->set_aside);
}

int target_write(const struct target *t, struct buf *out, struct error *e) {
  assert(!t->estimates || t->nestimates);
  put_version(out);
  put_settings(t->settings, out);
  if (put_file(t->so, out, e) || put_file(t->native, out, e))
    return e->code;
  wire_put(out, t->uses_tls);
  wire_put(out, t->uses_fenv);
  wire_put(out, t->uses_clock);
  wire_put(out, t->suite);
  wire_put(out, t->program);
  wire_put(out, t->want_outcomes);
  wire_put(out, t->partial);
  wire_put(out, t->estimates != NULL);
  wire_put_bytes(out, t->estimates, t->nestimates * sizeof *t->estimates);
  wire_put_bytes(out, t->part_stores, t->npart_stores * sizeof *t->part_stores);
  wire_put_bytes(out, t->sites, t->nsites * sizeof *t->sites);
  put_known(t, out);
  return ERR_NONE;
}

static void get_estimates(struct wire *w, struct target *t) {
  size_t n;
  bool there = wire_get(w);
  const void *at = wire_get_bytes(w, &n);
  if (!there)
    return;
  t->nestimates = (uint32_t)(n / sizeof *t->estimates);
  t->estimates = memcpy(xmalloc(n + 1), at, n);
}

static void get_part_stores(struct wire *w, struct target *t) {
  size_t n;
  const void *at = wire_get_bytes(w, &n);
  t->npart_stores = (uint32_t)(n / sizeof *t->part_stores);
  if (t->npart_stores)
    t->part_stores = memcpy(xmalloc(n), at, n);
}

static void get_sites(struct wire *w, struct target *t) {
  size_t n;
  const void *at = wire_get_bytes(w, &n);
  t->nsites = (uint32_t)(n / sizeof *t->sites);
  if (t->nsites)
    t->sites = memcpy(xmalloc(n), at, n);
}

struct target *target_read(const struct buf *from, struct error *e) {
  struct wire w = {.at = buf_text(from), .len = from->len};
  if (!same_version(&w)) {
    error_set(e, ERR_SYSTEM,
              "the ranks do not run the same build of faultline");
    return NULL;
  }
  struct target *t = xcalloc(1, sizeof *t);
  struct settings *s = xcalloc(1, sizeof *s);
  t->settings = s;
  get_settings(&w, s);
  t->so = get_file(&w, e);
  t->native = get_file(&w, e);
  t->uses_tls = wire_get(&w);
  t->uses_fenv = wire_get(&w);
  t->uses_clock = wire_get(&w);
  t->suite = (uint32_t)wire_get(&w);
  t->program = wire_get(&w);
  t->want_outcomes = wire_get(&w);
  t->partial = wire_get(&w);
  get_estimates(&w, t);
  get_part_stores(&w, t);
  get_sites(&w, t);
  get_known(&w, t);
  if (w.bad || w.next != w.len || !t->so)
    error_set(e, ERR_SYSTEM, "the target came garbled");
  if (e->code) {
    target_free(t);
    return NULL;
  }
  return t;
}

void target_free(struct target *t) {
  if (!t)
    return;
  free_file(t->so);
  free_file(t->native);
  free((char *)t->settings->client);
  free((char *)t->settings->object);
  free((struct settings *)t->settings);
  free((uint32_t *)t->estimates);
  free((struct part_store *)t->part_stores);
  free((struct site *)t->sites);
  free_known(t);
  free(t);
}

/* ---- asking ---- */

void target_is_late(const struct target *t) {
  if (t->late)
    *t->late = true;
}

enum worker_end target_ask(const struct target *t, struct worker *w,
                           int (*answer)(void *, struct work *),
                           void *question) {
  assert(t->settings && t->so && w->noun);
  if (t->latest) {
    double left = t->latest - clock_now();
    if (left <= 0) {
      target_is_late(t);
      return w->hang = HANG_LATE, WORKER_HANGS;
    }
    w->max_seconds = (uint32_t)left + LATE_SECONDS;
  }
  enum worker_end end = worker_run(w, answer, question);
  if (end == WORKER_HANGS && w->hang == HANG_LATE)
    target_is_late(t);
  return end;
}

static int write_any(const void *arg, struct buf *out, struct error *e) {
  return target_write(arg, out, e);
}

static void *read_any(const struct buf *from, struct error *e) {
  return target_read(from, e);
}

static void free_any(void *arg) { target_free(arg); }

const struct pool_travel target_travel = {write_any, read_any, free_any};
