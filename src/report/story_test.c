/*
 * A cause in the file of the test, whose operations call those of the object:
 * which calls of the object another thread comes between.  The test is not what
 * must be atomic; that it takes the calls for one operation is worth saying.
 *     swap() calls reg_get() (line 11), then reg_set() (line 12)
 */
#include "report/story_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct test_call {
  const char *function;
  uint32_t line; /* of the test */
};
typedef VEC(struct test_call) test_calls;

static bool is_in(const struct place *p, const struct code_block *k) {
  return k->first <= p->line && p->line <= k->last && p->file && p->function &&
         k->file && k->function && !strcmp(p->file, k->file) &&
         !strcmp(p->function, k->function);
}

/* The call that block `k` of the test makes on the way to the event; false when
 * the event is an access of its own. */
static bool add_call(const struct story *s, const struct story_namer *n,
                     const struct event *e, const struct code_block *k,
                     test_calls *out) {
  const struct place *f[NAMER_FRAMES];
  uint32_t len =
      namer_frames(n, &s->result->finding->trace, e->pc, e->chain, f);
  uint32_t at = 0;
  while (at < len && !is_in(f[at], k))
    at++;
  if (at == len)
    return true;
  if (!at || !f[at - 1]->function || place_role(f[at - 1]) == PLACE_LIBRARY)
    return false;
  struct test_call now = {f[at - 1]->function, f[at]->line};
  for (uint32_t i = 0; i < out->len; i++)
    if (out->at[i].line == now.line &&
        !strcmp(out->at[i].function, now.function))
      return true;
  vec_push(out, now);
  return true;
}

static int by_line(const void *a, const void *b) {
  const struct test_call *x = a, *y = b;
  return x->line != y->line ? x->line < y->line ? -1 : 1
                            : strcmp(x->function, y->function);
}

static bool find_calls(const struct story *s, const struct story_namer *n,
                       const struct code_block *k, test_calls *out) {
  const struct trace *t = &s->result->finding->trace;
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    bool touches = event_reads[e->kind] || event_writes[e->kind];
    if (e->pc && touches && !add_call(s, n, e, k, out))
      return false;
  }
  if (out->len)
    qsort(out->at, out->len, sizeof *out->at, by_line);
  return out->len != 0;
}

static void put_calls(const struct code_block *k, const test_calls *c,
                      struct buf *out) {
  buf_printf(out, "%s() calls ", k->function);
  for (uint32_t i = 0; i < c->len; i++)
    buf_printf(out, "%s%s() (line %" PRIu32 ")", i ? ", then " : "",
               c->at[i].function, c->at[i].line);
  buf_puts(out, c->len == 1 ? " more than once" : "");
}

bool story_composition(const struct story *s, const struct story_namer *n,
                       const struct code_block **block, struct buf *out) {
  const struct causes_found *found = &s->result->finding->causes;
  if (!found->len || !n->role)
    return false;
  const struct cause *c = &found->at[0].cause;
  for (uint32_t i = 0; i < c->nblocks; i++) {
    const struct code_block *k = &c->blocks[i];
    test_calls calls = {0};
    bool is = n->role(n->ctx, k->file, k->function) == PLACE_TEST &&
              find_calls(s, n, k, &calls);
    if (is) {
      put_calls(k, &calls, out);
      *block = k;
    }
    vec_free(&calls);
    if (is)
      return true;
  }
  return false;
}
