/* The events of a log, one after the other, for what eats streams. */
#ifndef TESTS_STREAM_H
#define TESTS_STREAM_H

#include "base/vec.h"
#include "model/log.h"

#include <string.h>

struct stream {
  const struct log *log;
  uint32_t *at; /* by time: operation * 2, + 1 for its return; UINT32_MAX */
};

__attribute__((unused)) static struct stream stream_of(const struct log *l) {
  struct stream s = {l, xmalloc((l->end + 1) * sizeof *s.at)};
  memset(s.at, 0xff, (l->end + 1) * sizeof *s.at);
  for (uint32_t i = 0; i < l->ops.len; i++) {
    s.at[l->ops.at[i].call] = i * 2;
    if (l->ops.at[i].ret != LOG_PENDING)
      s.at[l->ops.at[i].ret] = i * 2 + 1;
  }
  return s;
}

/* The event at a time; false: there is none. */
__attribute__((unused)) static bool
stream_event(const struct stream *s, uint32_t time, struct log_event *ev) {
  if (s->at[time] == UINT32_MAX)
    return false;
  const struct log_op *op = &s->log->ops.at[s->at[time] / 2];
  const char *name = s->log->functions.at[op->f];
  *ev = (struct log_event){.kind = s->at[time] % 2 ? LOG_OK : LOG_CALL,
                           .nargs = op->nargs,
                           .process = op->process,
                           .f = name,
                           .flen = (uint32_t)strlen(name),
                           .result = op->result,
                           .order = LOG_NO_HINT};
  memcpy(ev->arg, op->arg, sizeof ev->arg);
  if (ev->kind == LOG_OK && op->failed)
    ev->kind = LOG_FAIL;
  return true;
}

#endif
