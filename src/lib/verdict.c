/* The answer about a history that was kept: verdict, sentence, core. */
#include "base/clock.h"
#include "history/explain/explain_log.h"
#include "lib/int.h"

#include <string.h>

enum { LISTED = 24 };

/* The log as it would be if it ended here: the builder takes out what was
 * dropped only then. */
static struct log view_of(const struct fl_check *c) {
  struct log l = c->log;
  l.ops.at = xmalloc((c->log.ops.len + 1) * sizeof *l.ops.at);
  l.ops.len = l.ops.cap = 0;
  for (uint32_t i = 0; i < c->log.ops.len; i++)
    if (c->log.ops.at[i].call != LOG_PENDING)
      l.ops.at[l.ops.len++] = c->log.ops.at[i];
  return l;
}

static int prepare(struct log_problem *p, struct error *e) {
  int err = ERR_NONE;
  p->nops = p->log->ops.len;
  p->ops = xcalloc(p->nops + 1, sizeof *p->ops);
  for (uint32_t i = 0; i < p->nops && !err; i++)
    err = p->type->prepare(p->type, p->log, &p->log->ops.at[i], &p->ops[i], e);
  return err;
}

static void put_op(const struct log *l, uint32_t op, struct buf *b) {
  log_print_op_short(l, &l->ops.at[op], b);
  buf_printf(b, " by process %u", l->ops.at[op].process);
}

static void put_core(const struct log *l, const struct log_explained *x,
                     struct buf *b) {
  buf_printf(b, "these %u operations%s:\n", x->core.len,
             x->minimal ? ", of which none can be left out" : "");
  for (uint32_t i = 0; i < x->core.len && i < LISTED; i++) {
    const struct log_op *op = &l->ops.at[x->core.at[i]];
    buf_puts(b, "  ");
    put_op(l, x->core.at[i], b);
    buf_printf(b, ", from event %u", op->call + 1);
    if (op->ret == LOG_PENDING)
      buf_puts(b, ", open\n");
    else
      buf_printf(b, " to event %u\n", op->ret + 1);
  }
  if (x->core.len > LISTED)
    buf_printf(b, "  and %u more\n", x->core.len - LISTED);
}

static void explain(const struct log_problem *p, const struct log_answer *a,
                    const struct log_budget *budget, struct buf *b,
                    struct fl_check_result *r) {
  struct log_explained x = {0};
  explain_log(p, a, budget, &x);
  const char *reason = x.reason ? x.reason : a->reason;
  buf_printf(b, "violation: %s\n",
             reason ? reason : "no order explains the operations");
  if (x.core.len)
    put_core(p->log, &x, b);
  if (x.prefix != LOG_NO_OP && x.prefix_is_shortest)
    r->event = p->log->ops.at[x.prefix].ret + 1ull;
  log_explained_free(&x);
}

static void say(const struct log_problem *p, const struct log_answer *a,
                const struct log_budget *budget, struct buf *b,
                struct fl_check_result *r) {
  r->method = a->method ? a->method : "nothing to check";
  if (a->verdict == LOG_LINEARIZABLE) {
    r->verdict = FL_CHECK_LINEARIZABLE;
    buf_printf(b, "linearizable: %u operations (%s)\n", p->nops, r->method);
  } else if (a->verdict == LOG_UNKNOWN) {
    r->verdict = FL_CHECK_UNKNOWN;
    r->limit = a->limit;
    buf_printf(b, "unknown: the limit of %s ended the search",
               a->limit ? a->limit : "steps");
    if (a->at != UINT32_MAX) {
      buf_puts(b, " at ");
      put_op(p->log, a->at, b);
    }
    buf_putc(b, '\n');
  } else {
    r->verdict = FL_CHECK_VIOLATION;
    explain(p, a, budget, b, r);
  }
}

int library_answer(struct fl_check *c, struct fl_check_result *r,
                   struct error *e) {
  struct log view = view_of(c);
  struct log_problem p = {.log = &view, .type = c->type};
  struct log_options o = {.budget = c->limits};
  struct log_answer a = {0};
  if (c->seconds > 0)
    o.budget.deadline = clock_now() + c->seconds;
  int err = prepare(&p, e);
  if (!err) {
    check_log(&p, &o, &a);
    say(&p, &a, &o.budget, &c->text, r);
  }
  log_answer_free(&a);
  if (c->type->forget)
    c->type->forget(c->type, NULL, 0);
  free(p.ops);
  free(view.ops.at);
  return err;
}
