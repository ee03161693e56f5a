/*
 * Explains a violation in a long history of a register, which was found while
 * reading.  The history is read again, and only operations around the violation
 * are kept.  That is enough for a register: an operation that returned before
 * some write was called has no influence on reads after that write.
 *
 *     write(1)   write(2)   read 1     wrong, whatever came before write(2)
 */
#include "cli/check/int.h"
#include "history/read/read.h"
#include "history/stream/online.h"

#include <string.h>

enum {
  KEPT = 1 << 17, /* operations before the violation, at least */
  MORE = 2000,    /* events after it */
};

struct late {
  struct log log;
  struct log_builder builder;
  VEC(struct log_op) ops; /* around the violation */
  uint32_t since, bad;    /* as in check_end */
  bool taken;             /* `ops` is set */
};

/* Keeps the operations that the log has now. */
static void keep_ops(struct late *l) {
  l->taken = true;
  log_forget(&l->builder, l->since);
  vec_reserve(&l->ops, l->log.ops.len);
  if (l->log.ops.len)
    memcpy(l->ops.at, l->log.ops.at, l->log.ops.len * sizeof *l->ops.at);
  l->ops.len = l->log.ops.len;
}

static int add(struct late *l, const struct log_event *ev, uint32_t line,
               struct error *e) {
  if (log_add(&l->builder, ev, e))
    return e->code;
  if (ev->line == line && (ev->kind == LOG_OK || ev->kind == LOG_FAIL))
    l->bad = l->log.end - 1;
  uint32_t n = l->log.ops.len;
  if (n >= 2 * KEPT) {
    uint32_t since = l->log.ops.at[n - KEPT].call;
    if (since == LOG_PENDING) /* it was dropped */
      return ERR_NONE;
    if (!l->taken)
      l->since = since;
    log_forget(&l->builder, since);
  }
  return ERR_NONE;
}

static int read_again(struct late *l, struct reader *r,
                      const struct online_answer *a, struct error *e) {
  struct log_event ev;
  uint64_t events = 0;
  int got;
  while ((got = reader_next(r, &ev, e)) == 1) {
    if (add(l, &ev, a->line, e))
      return -1;
    events += ev.kind != LOG_HEAD && ev.kind != LOG_NOTE;
    if (events == a->event + MORE && !l->taken)
      keep_ops(l);
  }
  if (!l->taken)
    keep_ops(l);
  return got;
}

bool check_late(const struct check_settings *s, const char *path,
                const struct online_answer *a, struct check_end *end,
                struct check_type *cached, struct check_result *out) {
  struct late l = {.bad = LOG_PENDING};
  struct error e = {0};
  struct reader *r = reader_open(path, (enum read_format)s->format, &e);
  if (!r)
    return false;
  log_begin(&l.builder, &l.log);
  int got = read_again(&l, r, a, &e);
  log_end(&l.builder, &e);
  reader_close(r);
  vec_free(&l.log.ops);
  l.log.ops.at = l.ops.at;
  l.log.ops.len = l.ops.len;
  l.log.ops.cap = l.ops.cap;
  l.log.source = path;
  end->log = &l.log;
  end->since = l.since;
  end->bad = l.bad;
  bool known =
      got == 0 && l.bad != LOG_PENDING && check_end(s, end, cached, out);
  log_free(&l.log);
  return known;
}
