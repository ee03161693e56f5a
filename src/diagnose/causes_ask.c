/*
 * Asks for causes: one process of a pool keeps the traces that it has collected
 * from one question to the next.
 */
#include "diagnose/diagnose_int.h"

#include "base/clock.h"
#include "base/wire.h"

#include <assert.h>
#include <stdio.h>

static bool is_answer(const struct buf *answer) {
  struct arena a = {0};
  bool ok =
      noun_unpack(&noun_diagnose_answer, answer->at, answer->len, &a) != NULL;
  arena_free(&a);
  return ok;
}

void causes_ask_open(struct causes_asker *a, const struct target *t) {
  *a = (struct causes_asker){.target = *t};
}

void causes_ask_close(struct causes_asker *a) {
  if (a->pool)
    pool_close(a->pool);
}

/* The process begins with the first question; false: there is no time. */
static bool begin(struct causes_asker *a) {
  struct pool_job job = {.open = causes_open,
                         .item = causes_item,
                         .valid = is_answer,
                         .arg = &a->target,
                         .show_output = a->target.settings->show_output};
  double left = a->target.latest ? a->target.latest - clock_now() : 0;
  if (a->target.latest && left <= 0) {
    target_is_late(&a->target);
    return false;
  }
  job.max_seconds = a->target.latest ? (uint32_t)left + LATE_SECONDS : 0;
  if (!a->pool)
    a->pool = pool_open(&job, 1);
  return true;
}

static const struct causes_found *
take(struct causes_asker *a, const struct pool_message *m, struct arena *to) {
  if (m->news == POOL_HANGS && m->death.hang == HANG_LATE)
    target_is_late(&a->target);
  if (m->news == POOL_ERROR && m->error.code == ERR_SYSTEM)
    fprintf(stderr, "faultline: warning: a part of the report is missing: %s\n",
            m->error.text);
  if (m->news != POOL_ANSWER)
    return NULL;
  const struct diagnose_answer *found =
      noun_unpack(&noun_diagnose_answer, m->answer.at, m->answer.len, to);
  assert(found); /* is_answer */
  if (found->late)
    target_is_late(&a->target);
  return &found->causes;
}

const struct causes_found *causes_ask(struct causes_asker *a,
                                      const struct blamed *more, uint32_t n,
                                      struct arena *to) {
  struct buf item = {0};
  if (!begin(a))
    return NULL;
  wire_put(&item, n);
  for (uint32_t i = 0; i < n; i++) {
    wire_put_text(&item, more[i].client);
    wire_put_bytes(&item, more[i].path.at, more[i].path.len);
  }
  pool_give(a->pool, 0, item.at, item.len);
  buf_free(&item);
  const struct pool_message *m;
  do
    m = pool_wait(a->pool);
  while (m->news == POOL_TICK);
  return take(a, m, to);
}
