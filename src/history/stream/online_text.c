/* The sentence about a violation in a stream. */
#include "history/stream/online_int.h"

enum { FEW_STATES = 4, FEW_OPERATIONS = 12 };

static void put_op(const struct online *o, const struct log_op *op,
                   struct buf *b) {
  log_print_op_short(&o->log, op, b);
  buf_printf(b, " by process %u", op->process);
}

bool online_is_real(const struct log_op *op) {
  return op->process != WATCH_NONE;
}

/* Lists the states that the object could be in. */
static void put_states(struct online *o, const struct frontier_stage *g,
                       const char *when, struct buf *b) {
  uint32_t seen[FEW_STATES], n = 0;
  bool more = false;
  for (uint32_t i = 0; i < g->set.len; i++) {
    uint32_t state = config_at(&g->set, i)->state, k = 0;
    while (k < n && seen[k] != state)
      k++;
    if (k < n || state >= BLIND_STATE)
      continue;
    more = n == FEW_STATES;
    if (more)
      break;
    seen[n++] = state;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      buf_puts(b, " or ");
    else
      buf_printf(b, "%s, the object was ", when);
    struct buf state = {0};
    o->type->print_state(o->type, seen[i], &state);
    log_put_short(buf_text(&state), b);
    buf_free(&state);
  }
  if (n)
    buf_puts(b, more ? ", or something else" : "");
}

char *online_explain(struct online *o, struct online_part *p,
                     const struct online_open *x) {
  struct buf b = {0};
  const struct log_op *op = &p->logged[x->op];
  uint32_t n = 0;
  put_op(o, op, &b);
  buf_puts(&b, ": no order of the operations so far explains it");
  if (o->type->print_state) {
    buf_puts(&b, "; ");
    put_states(o, &x->before, "when it was called", &b);
  }
  for (uint32_t i = 0; i < p->problem.nops; i++) {
    const struct log_op *other = &p->logged[i];
    if (other == op || !online_is_real(other) ||
        (other->ret != LOG_PENDING && other->ret < op->call))
      continue;
    if (n++ >= FEW_OPERATIONS)
      continue;
    buf_puts(&b, n == 1 ? "; at the same time: " : ", ");
    put_op(o, other, &b);
    buf_puts(&b, other->ret == LOG_PENDING ? " (open)" : "");
  }
  if (n > FEW_OPERATIONS)
    buf_printf(&b, " and %u more", n - FEW_OPERATIONS);
  char *text = xstrdup(buf_text(&b));
  buf_free(&b);
  return text;
}

char *online_explain_stuck(struct online *o, const struct log_op *op) {
  const struct frontier_stage *g = &o->engine->now;
  struct buf b = {0};
  uint32_t n = 0;
  if (online_is_real(op)) {
    put_op(o, op, &b);
    buf_puts(&b, ": no order explains it");
  } else {
    buf_puts(&b, "no order explains what has returned so far");
  }
  if (o->type->print_state) {
    buf_puts(&b, "; ");
    put_states(o, g, online_is_real(op) ? "before it returned" : "before", &b);
  }
  for (uint32_t i = 0; i < g->slots.len; i++) {
    const struct frontier_slot *s = &g->slots.at[i];
    if (!s->op || s->op->op == op || !online_is_real(s->op->op))
      continue;
    if (n++ >= FEW_OPERATIONS)
      continue;
    buf_puts(&b, n == 1 ? "; at the same time: " : ", ");
    put_op(o, s->op->op, &b);
  }
  if (n > FEW_OPERATIONS)
    buf_printf(&b, " and %u more", n - FEW_OPERATIONS);
  char *text = xstrdup(buf_text(&b));
  buf_free(&b);
  return text;
}
