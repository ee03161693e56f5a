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

static const struct diagnose_answer *
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
  return found;
}

static const struct diagnose_answer *
ask(struct causes_asker *a, const struct buf *item, struct arena *to) {
  const struct pool_message *m;
  pool_give(a->pool, 0, item->at, item->len);
  do
    m = pool_wait(a->pool);
  while (m->news == POOL_TICK);
  return take(a, m, to);
}

static void put_client(struct buf *item, const struct blamed *b) {
  wire_put_text(item, b->client);
  wire_put_bytes(item, b->path.at, b->path.len);
}

const struct causes_found *causes_ask(struct causes_asker *a,
                                      const struct blamed *more, uint32_t n,
                                      struct arena *to) {
  struct buf item = {0};
  if (!begin(a))
    return NULL;
  wire_put(&item, ASK_CAUSES);
  wire_put(&item, n);
  for (uint32_t i = 0; i < n; i++)
    put_client(&item, &more[i]);
  const struct diagnose_answer *found = ask(a, &item, to);
  buf_free(&item);
  return found ? &found->causes : NULL;
}

const struct traces_part *traces_ask(struct causes_asker *a,
                                     const struct blamed *client, uint32_t from,
                                     struct arena *to) {
  struct buf item = {0};
  if (!begin(a))
    return NULL;
  wire_put(&item, ASK_TRACES);
  wire_put(&item, from);
  put_client(&item, client);
  const struct diagnose_answer *found = ask(a, &item, to);
  buf_free(&item);
  return found ? &found->traces : NULL;
}
