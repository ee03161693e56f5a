/* Cuts a history at a time. */
#include "oracle/log_cut.h"

bool log_cut_make(struct log_cut *c, const struct log_problem *p,
                  uint32_t until) {
  *c = (struct log_cut){.problem = *p};
  c->problem.ops = xmalloc((p->nops + 1) * sizeof *c->problem.ops);
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->nops && p->ops[i].op->call <= until; i++) {
    const struct type_op *o = &p->ops[i];
    if (!op_is_pending(o) && o->op->ret > until)
      o = op_made_pending(p, o, &c->arena);
    if (!o)
      return false;
    c->problem.ops[n++] = *o;
  }
  c->problem.nops = n;
  return true;
}

void log_cut_free(struct log_cut *c) {
  free(c->problem.ops);
  arena_free(&c->arena);
}
