/* The end of a register's history without its beginning. */
#include "check/explain_int.h"

#include <string.h>

enum { CANDIDATES = 1000 };

/* X4: it cannot have seen, nor done, anything behind the write. */
static bool goes(const struct log_problem *p, const struct type_op *o,
                 const struct log_op *write) {
  return o->op->ret < write->call ||
         (explain_changes_nothing(p->type, o) && o->op->call < write->ret);
}

/* What stays is there as a whole, and nothing that stays but writes was called
 * before the write had returned. */
static bool is_fit(const struct log_problem *p, uint32_t w, uint32_t since) {
  const struct log_op *write = p->ops[w].op;
  if (p->ops[w].role != ROLE_WRITE || write->ret == LOG_PENDING ||
      write->call < since)
    return false;
  for (uint32_t i = 0; i < p->nops && p->ops[i].op->call < write->ret; i++)
    if (!goes(p, &p->ops[i], write) &&
        (p->ops[i].role != ROLE_WRITE || p->ops[i].op->call < since))
      return false;
  return true;
}

static void leave_out(struct log *l, struct log_problem *p, uint32_t w) {
  struct log_op write = *p->ops[w].op;
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->nops; i++) {
    if (goes(p, &p->ops[i], &write))
      continue;
    l->ops.at[n] = l->ops.at[i];
    p->ops[n] = p->ops[i];
    p->ops[n].op = &l->ops.at[n];
    n++;
  }
  l->ops.len = p->nops = n;
}

bool explain_forget_beginning(struct log *l, struct log_problem *p,
                              uint32_t since) {
  uint32_t tried = 0;
  if (strcmp(p->type->shape, "register") || p->type->by_key)
    return false;
  for (uint32_t w = 0; w < p->nops && tried < CANDIDATES; w++) {
    if (p->ops[w].op->call < since)
      continue;
    tried++;
    if (is_fit(p, w, since)) {
      leave_out(l, p, w);
      return true;
    }
  }
  return false;
}
