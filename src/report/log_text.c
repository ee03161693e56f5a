/* A recorded history on the terminal. */
#include "report/log_report.h"
#include "report/screen.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { LABEL = 40, MOST_ROWS = 24, MOST_CORE = 16, SHOWN_ORDERS = 4 };

static char *op_text(const struct log *l, uint32_t op) {
  struct buf b = {0};
  log_print_op_short(l, &l->ops.at[op], &b);
  char *text = xstrdup(buf_text(&b));
  buf_free(&b);
  return text;
}

static void put_op(const struct log *l, uint32_t op, struct buf *b) {
  const struct log_op *o = &l->ops.at[op];
  log_print_op_short(l, o, b);
  buf_printf(b, " (process %" PRIu32, o->process);
  if (o->line)
    buf_printf(b, ", line %" PRIu32, o->line);
  buf_putc(b, ')');
}

/* ---- the verdict ---- */

static void put_counts(const struct log_report *r, struct buf *b) {
  uint64_t n = r->operations;
  buf_printf(b, "%s%s%s%" PRIu64 " operation%s", r->spec, *r->spec ? ", " : "",
             r->log->stopped ? "more than " : "", n, n == 1 ? "" : "s");
  if (r->pending)
    buf_printf(b, ", %" PRIu32 " of them pending", r->pending);
  if (r->method)
    buf_printf(b, "; %s", r->method);
  if (r->witness)
    buf_printf(b, ", first witness at d = %" PRIu32, r->witness);
}

static void put_verdict(struct screen *s, const struct log_report *r) {
  struct buf b = {0};
  buf_puts(&b, r->source);
  if (r->several)
    buf_printf(&b, " #%" PRIu32, r->log->index);
  buf_puts(&b, ": ");
  screen_put(s, INK_BOLD, buf_text(&b));
  unsigned ink = !strcmp(r->verdict, "violation")      ? INK_ERROR
                 : !strcmp(r->verdict, "linearizable") ? INK_CARET
                                                       : INK_NOTE;
  screen_put(s, ink, r->verdict);
  buf_clear(&b);
  buf_puts(&b, " (");
  put_counts(r, &b);
  if (r->no_order)
    buf_puts(&b, "; no order was found, so none is written");
  buf_puts(&b, ")\n");
  buf_put(s->out, b.at, b.len);
  buf_free(&b);
}

static void put_unknown(struct screen *s, const struct log_report *r) {
  struct buf b = {0};
  const char *limit = r->limit ? r->limit : "no answer";
  if (!strcmp(limit, "--depth"))
    limit = "no witness up to --depth, and larger families may have one";
  else if (!strcmp(limit, "next states"))
    limit = "the type has more next states than are tried";
  buf_printf(&b, "Not decided: %s", limit);
  if (r->limit && (!strcmp(r->limit, "time") || !strcmp(r->limit, "memory")))
    buf_puts(&b, " ran out");
  if (r->reached != LOG_NO_OP) {
    buf_puts(&b, "; reached the return of ");
    put_op(r->log, r->reached, &b);
  } else if (r->reached_line) {
    buf_printf(&b, "; reached line %" PRIu32, r->reached_line);
  }
  buf_putc(&b, '.');
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}

static void put_families(struct screen *s, const struct log_report *r) {
  for (uint32_t i = 0; i < r->families.len; i++) {
    const struct log_family *f = &r->families.at[i];
    struct buf b = {0};
    buf_printf(&b, "  d = %" PRIu32 ": %" PRIu64 " distinct schedule%s%s, ",
               f->depth, f->distinct, f->distinct == 1 ? "" : "s",
               f->whole           ? ""
               : f->distinct == 1 ? " was tried"
                                  : " were tried");
    if (f->bound >= UINT64_MAX - 1)
      buf_puts(&b, "bound over 2^64");
    else
      buf_printf(&b, "bound %" PRIu64, f->bound);
    buf_puts(&b, f->witness ? ", a witness\n" : ", no witness\n");
    screen_put_fit(s, INK_PLAIN, "", 0, false);
    buf_puts(s->out, buf_text(&b));
    buf_free(&b);
  }
}

static void put_number(struct buf *b, uint64_t n) {
  buf_printf(b, n == UINT64_MAX ? "over 2^64" : "%" PRIu64, n);
}

static void put_counts_of_all(struct screen *s, const struct log_report *r) {
  struct buf b = {0};
  buf_puts(&b, "All: ");
  put_number(&b, r->schedules);
  buf_printf(&b, " schedule%s, ", r->schedules == 1 ? "" : "s");
  put_number(&b, r->witnesses);
  buf_puts(&b, r->witnesses == 1 ? " of them a witness" : " of them witnesses");
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}

static void put_ops_of(struct screen *s, const struct log_report *r,
                       const uint32_t *ops, uint32_t n) {
  for (uint32_t i = 0; i < n && i < MOST_CORE; i++) {
    struct buf b = {0};
    put_op(r->log, ops[i], &b);
    screen_paragraph(s, 4, 6, buf_text(&b));
    buf_free(&b);
  }
  if (n > MOST_CORE)
    buf_printf(s->out, "    and %" PRIu32 " more\n", n - MOST_CORE);
}

static void put_depth(struct screen *s, const struct log_report *r) {
  const struct log_depth *d = &r->depth;
  struct buf b = {0};
  if (!d->depth) {
    const char *why = !strcmp(d->limit, "steps")    ? "it takes too many steps"
                      : !strcmp(d->limit, "time")   ? "time ran out"
                      : !strcmp(d->limit, "memory") ? "memory ran out"
                                                    : d->limit;
    buf_puts(&b, "Linearizability depth ");
    if (d->beyond)
      buf_printf(&b, "more than %" PRIu32 ": %s.", d->beyond, why);
    else
      buf_printf(&b, "not determined: %s.", why);
    screen_paragraph(s, 2, 2, buf_text(&b));
    buf_free(&b);
    return;
  }
  bool one = d->delayed.len == 1;
  buf_printf(&b,
             "Linearizability depth %" PRIu32 ": every schedule that delays %s "
             "as long as possible%s is a witness:",
             d->depth, one ? "this operation" : "these operations",
             one ? "" : ", in this order,");
  screen_paragraph(s, 2, 2, buf_text(&b));
  put_ops_of(s, r, d->delayed.at, d->delayed.len);
  if (d->completed.len) {
    screen_paragraph(s, 2, 2,
                     d->completed.len == 1
                         ? "This pending operation takes effect:"
                         : "These pending operations take effect:");
    put_ops_of(s, r, d->completed.at, d->completed.len);
  }
  buf_free(&b);
}

/* ---- the time-line ---- */

struct time_line {
  struct screen *s;
  const struct log_report *r;
  log_window window;
  VEC(uint32_t) times; /* of shown calls and returns, sorted */
  uint32_t columns;
  bool pending; /* something that is shown did not return */
};

static uint32_t column(const struct time_line *t, uint32_t time) {
  assert(t->columns > 1);
  uint32_t rank = 0, high = t->times.len;
  while (rank < high) {
    uint32_t mid = rank + (high - rank) / 2;
    if (t->times.at[mid] < time)
      rank = mid + 1;
    else
      high = mid;
  }
  /* Pending operations go on behind the last event. */
  uint32_t steps =
      t->times.len + t->pending > 1 ? t->times.len + t->pending - 1 : 1;
  return (uint32_t)((uint64_t)rank * (t->columns - 1) / steps);
}

static void put_bar(struct time_line *t, const struct log_op *o, bool core) {
  bool utf8 = t->s->style.utf8;
  bool pending = o->ret == LOG_PENDING;
  const char *begin = utf8 ? (core ? "╞" : "├") : (core ? "[" : "|");
  const char *body = utf8 ? (core ? "═" : "─") : (core ? "=" : "-");
  const char *end = utf8 ? (core ? "╡" : "┤") : (core ? "]" : "|");
  uint32_t from = column(t, o->call);
  uint32_t to = pending ? t->columns - 1 : column(t, o->ret);
  assert(from < t->columns && to < t->columns);
  struct buf b = {0};
  buf_spaces(t->s->out, from);
  buf_puts(&b, begin);
  for (uint32_t i = from + 1; i < to; i++)
    buf_puts(&b, body);
  if (to > from)
    buf_puts(&b, pending ? ">" : end);
  screen_put(t->s, core ? INK_ERROR : INK_PLAIN, buf_text(&b));
  buf_free(&b);
}

static void put_row(struct time_line *t, uint32_t op) {
  const struct log_op *o = &t->r->log->ops.at[op];
  bool core = log_is_core(t->r, op);
  struct buf b = {0};
  buf_printf(&b, "  %c p%-4" PRIu32 " ", core ? '*' : ' ', o->process);
  log_print_op(t->r->log, o, &b);
  screen_put_fit(t->s, core ? INK_BOLD : INK_PLAIN, buf_text(&b), LABEL - 1,
                 true);
  buf_putc(t->s->out, ' ');
  put_bar(t, o, core);
  buf_putc(t->s->out, '\n');
  buf_free(&b);
}

static void put_time_line(struct screen *s, const struct log_report *r) {
  struct time_line t = {.s = s, .r = r, .columns = s->style.width - LABEL - 1};
  uint32_t ncore = r->violation->core.len;
  log_window_make(r, ncore > MOST_CORE ? MOST_ROWS + 8 : MOST_ROWS, &t.window);
  for (uint32_t i = 0; i < t.window.len; i++) {
    const struct log_op *o = &r->log->ops.at[t.window.at[i]];
    vec_push(&t.times, o->call);
    if (o->ret != LOG_PENDING)
      vec_push(&t.times, o->ret);
    t.pending |= o->ret == LOG_PENDING;
  }
  if (t.times.len)
    qsort(t.times.at, t.times.len, sizeof *t.times.at, log_by_number);
  for (uint32_t i = 0; i < t.window.len; i++) {
    if (i && t.window.at[i] > t.window.at[i - 1] + 1)
      buf_printf(s->out, "      (%" PRIu32 " more)\n",
                 t.window.at[i] - t.window.at[i - 1] - 1);
    put_row(&t, t.window.at[i]);
  }
  vec_free(&t.times);
  vec_free(&t.window);
}

/* ---- why ---- */

static void put_refusals(const struct log *l, const struct log_partial *p,
                         struct buf *b) {
  for (uint32_t i = 0; i < p->refusals.len; i++) {
    char *op = op_text(l, p->refusals.at[i].op);
    buf_puts(b, i ? ", and " : "; then ");
    if (p->refusals.at[i].instead) {
      buf_printf(b, "%s would have to return ", op);
      log_put_short(p->refusals.at[i].instead, b);
    } else {
      buf_printf(b, "%s cannot come next", op);
    }
    free(op);
  }
}

static void put_orders(struct screen *s, const struct log_report *r) {
  const struct log_explained *x = r->violation;
  uint32_t n = x->partials.len;
  screen_title(s, n > 1 ? "  The longest orders that fit:"
                        : "  The longest order that fits:");
  for (uint32_t i = 0; i < n && i < SHOWN_ORDERS; i++) {
    const struct log_partial *p = &x->partials.at[i];
    struct buf b = {0};
    uint32_t skip = p->order.len > 12 ? p->order.len - 12 : 0;
    if (skip)
      buf_printf(&b, "(%" PRIu32 " more), ", skip);
    if (!p->order.len)
      buf_puts(&b, "nothing");
    for (uint32_t k = skip; k < p->order.len; k++) {
      char *op = op_text(r->log, p->order.at[k]);
      buf_printf(&b, "%s%s", k > skip ? ", " : "", op);
      free(op);
    }
    put_refusals(r->log, p, &b);
    screen_paragraph(s, 4, 6, buf_text(&b));
    buf_free(&b);
  }
  if (n > SHOWN_ORDERS || x->more_partials)
    buf_puts(s->out, "    (there are more)\n");
}

static void put_prefix(struct screen *s, const struct log_report *r) {
  const struct log_explained *x = r->violation;
  struct buf b = {0};
  if (x->prefix != LOG_NO_OP) {
    buf_printf(&b, x->prefix_is_shortest
                       ? "Until "
                       : "The history is not linearizable once ");
    put_op(r->log, x->prefix, &b);
    buf_puts(
        &b,
        x->prefix_is_shortest
            ? " returns, the history is linearizable; then it is not any more."
            : " has returned, if not earlier.");
    screen_paragraph(s, 2, 2, buf_text(&b));
  }
  buf_free(&b);
}

static void put_since(struct screen *s, const struct log_report *r) {
  struct buf b = {0};
  if (r->violation->since == LOG_NO_OP)
    return;
  buf_puts(&b, "Operations before ");
  put_op(r->log, r->violation->since, &b);
  buf_puts(&b, " are left out: it shows the state that they have led to.");
  buf_puts(s->out, "\n  ");
  screen_wrap(s, 2, 2, buf_text(&b));
  buf_free(&b);
}

static void put_violation(struct screen *s, const struct log_report *r) {
  const struct log_explained *x = r->violation;
  struct buf b = {0};
  screen_paragraph(s, 2, 2, x->reason);
  put_prefix(s, r);
  if (!x->core.len) {
    buf_putc(s->out, '\n');
    return;
  }
  buf_printf(&b,
             "  %" PRIu32 " operation%s that no order explains%s:", x->core.len,
             x->core.len == 1 ? "" : "s",
             x->core.len == 1 ? " (*)"
             : x->minimal     ? " (*), none of which can be left out"
                              : " (*), perhaps not the fewest");
  screen_title(s, buf_text(&b));
  put_time_line(s, r);
  put_since(s, r);
  if (x->partials.len)
    put_orders(s, r);
  buf_putc(s->out, '\n');
  buf_free(&b);
}

void log_report_text(const struct log_report *r, const struct text_style *style,
                     struct buf *out) {
  struct screen s = {out, *style};
  if (!s.style.width)
    s.style.width = 80;
  if (s.style.width < 60)
    s.style.width = 60;
  put_verdict(&s, r);
  if (s.style.quiet)
    return;
  put_families(&s, r);
  if (r->counted)
    put_counts_of_all(&s, r);
  if (r->depth.asked)
    put_depth(&s, r);
  if (!strcmp(r->verdict, "unknown"))
    put_unknown(&s, r);
  if (r->violation)
    put_violation(&s, r);
}
