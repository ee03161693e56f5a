/* News of a pool as bytes: how they travel between machines. */
#include "proc/pool_remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_death(const struct pool_death *d, struct buf *out) {
  wire_put(out, (uint32_t)d->status);
  wire_put(out, d->garbled);
  wire_put(out, d->hang);
  wire_put(out, d->known);
  wire_put_text(out, d->client);
  wire_put_bytes(out, d->path, d->len);
  wire_put(out, d->only_choices);
  wire_put(out, d->clients);
  wire_put(out, d->executions);
}

static void get_death(struct wire *w, struct pool_death *d) {
  size_t n;
  d->status = (int)(uint32_t)wire_get(w);
  d->garbled = wire_get(w);
  d->hang = (enum worker_hang)wire_get(w);
  d->known = wire_get(w);
  d->client = wire_get_text(w);
  const void *path = wire_get_bytes(w, &n);
  d->len = (uint32_t)n;
  d->path = memcpy(xmalloc(n + 1), path, n);
  d->only_choices = wire_get(w);
  d->clients = wire_get(w);
  d->executions = wire_get(w);
}

void message_write(const struct pool_message *m, struct buf *out) {
  wire_put(out, m->news);
  wire_put_bytes(out, m->answer.at, m->answer.len);
  wire_put(out, (uint64_t)m->error.code);
  wire_put_text(out, m->error.text);
  put_death(&m->death, out);
}

bool message_read(struct pool_message *m, struct wire *w) {
  size_t n;
  uint64_t news = wire_get(w);
  const void *answer = wire_get_bytes(w, &n);
  buf_put(&m->answer, answer, n);
  m->error.code = (int)wire_get(w);
  char *text = wire_get_text(w);
  snprintf(m->error.text, sizeof m->error.text, "%s", text ? text : "");
  free(text);
  get_death(w, &m->death);
  if (news > POOL_HANGS || m->death.hang > HANG_LATE || w->bad ||
      w->next != w->len) {
    message_clear(m);
    return false;
  }
  m->news = (enum pool_news)news;
  return true;
}

void message_clear(struct pool_message *m) {
  buf_free(&m->answer);
  free(m->death.client);
  free(m->death.path);
  *m = (struct pool_message){0};
}
