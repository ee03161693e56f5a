#include "diagnose/enforce.h"

#include "code/region.h"
#include "diagnose/diagnose_int.h"
#include "source/loops_read.h"

#include <assert.h>
#include <string.h>

enum { CANDIDATES = 3 }; /* of the ranked causes */

struct enforcer {
  struct built *b;
  const struct object_run *r;
  const struct target *target;
  struct flow *flow;
  struct loops loops;
};

const struct regions *enforced_too(const struct target *t,
                                   const struct regions *more,
                                   struct arena *a) {
  const struct regions *known = t->regions;
  if (!known || !known->len || !more)
    return more ? more : known;
  struct region *at = arena_alloc(a, (known->len + more->len) * sizeof *at);
  struct regions *both = arena_alloc(a, sizeof *both);
  memcpy(at, known->at, known->len * sizeof *at);
  memcpy(at + known->len, more->at, more->len * sizeof *at);
  *both = (struct regions){at, known->len + more->len};
  return both;
}

static const struct regions *regions_with(struct enforcer *x, struct cause c) {
  struct error ignored = {0};
  struct regions *own = arena_alloc(&x->b->arena, sizeof *own);
  if (regions_of_cause(x->flow, c, &x->loops, &x->b->arena, own, &ignored))
    return NULL;
  return enforced_too(x->target, own, &x->b->arena);
}

/* E1 */
static bool is_enough(struct enforcer *x, struct cause c) {
  struct target target = *x->target;
  struct worker w = {0};
  target.trial = true;
  target.regions = c.nblocks ? regions_with(x, c) : NULL;
  bool ok = target.regions &&
            diagnose_client(&w, x->r, &target, DIAGNOSE_COUNT, NULL) &&
            diagnose_answer(&w)->tally.all && !diagnose_answer(&w)->tally.bad;
  worker_release(&w);
  return ok;
}

static struct cause without(struct arena *a, struct cause c, uint32_t block) {
  struct code_block *blocks = arena_alloc(a, c.nblocks * sizeof *blocks);
  uint32_t n = 0;
  for (uint32_t i = 0; i < c.nblocks; i++)
    if (i != block)
      blocks[n++] = c.blocks[i];
  return (struct cause){blocks, n};
}

/* The blocks that the client needs, one by one from behind. */
static struct cause own_blocks(struct enforcer *x, struct cause c) {
  for (uint32_t i = c.nblocks; i-- && c.nblocks > 1;) {
    struct cause less = without(&x->b->arena, c, i);
    if (is_enough(x, less))
      c = less;
  }
  return c;
}

bool enforce_own(struct built *b, const struct object_run *r,
                 const struct target *t, struct cause c, struct cause *own) {
  struct error ignored = {0};
  struct enforcer x = {
      .b = b, .r = r, .target = t, .loops.read = loops_read_source};
  x.flow = flow_open(b->lines, &ignored);
  bool enough = x.flow && is_enough(&x, c);
  if (enough)
    *own = own_blocks(&x, c);
  loops_free(&x.loops);
  if (x.flow)
    flow_close(x.flow);
  return enough;
}

bool enforce(struct built *b, const struct object_run *r,
             const struct target *t, struct cause *lines,
             const struct regions **out) {
  struct error ignored = {0};
  struct enforcer x = {
      .b = b, .r = r, .target = t, .loops.read = loops_read_source};
  const struct finding *f = r->result.finding;
  assert(f);
  if (!f->causes.len || !diagnose_has_states(b, f, t))
    return false;
  x.flow = flow_open(b->lines, &ignored);
  bool found = false;
  for (uint32_t i = 0; x.flow && !found && i < f->causes.len && i < CANDIDATES;
       i++) {
    const struct ranked_cause *c = &f->causes.at[i];
    /* Where a thread waits inside, executions are left out that may have
     * faults of their own. */
    found = !c->waits && is_enough(&x, c->cause);
    if (found)
      *lines = own_blocks(&x, c->cause);
  }
  *out = found ? regions_with(&x, *lines) : NULL;
  loops_free(&x.loops);
  if (x.flow)
    flow_close(x.flow);
  return *out != NULL;
}
