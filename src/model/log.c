/* Logs: names, printing, invariants.  log_builder.c makes them from events. */
#include "model/log.h"

#include <assert.h>
#include <string.h>

void log_free(struct log *l) {
  vec_free(&l->ops);
  vec_free(&l->functions);
  vec_free(&l->notes);
  arena_free(&l->arena);
  *l = (struct log){0};
}

uint16_t log_function(struct log *l, const char *name, size_t len) {
  for (uint32_t i = 0; i < l->functions.len; i++)
    if (!strncmp(l->functions.at[i], name, len) && !l->functions.at[i][len])
      return (uint16_t)i;
  assert(l->functions.len < UINT16_MAX);
  char *copy = arena_alloc(&l->arena, len + 1);
  memcpy(copy, name, len);
  vec_push(&l->functions, copy);
  return (uint16_t)(l->functions.len - 1);
}

static void print_args(const datum *args, uint32_t n, struct buf *out) {
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      buf_puts(out, ", ");
    datum_print(args[i], out);
  }
}

void log_print_op(const struct log *l, const struct log_op *op,
                  struct buf *out) {
  buf_printf(out, "%s(", l->functions.at[op->f]);
  if (op->nargs <= LOG_ARGS)
    print_args(op->arg, op->nargs, out);
  else
    print_args(datum_box(op->arg[0])->items, datum_box(op->arg[0])->len, out);
  buf_putc(out, ')');
  if (op->result != DATUM_NONE) {
    buf_puts(out, " = ");
    datum_print(op->result, out);
  }
  if (op->failed)
    buf_puts(out, " failed");
}

/* Not inside of a character of UTF-8. */
static bool is_inside(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

enum { SHORT_BEGIN = 72, SHORT_END = 24 };

void log_put_short(const char *text, struct buf *out) {
  size_t len = strlen(text), begin = SHORT_BEGIN;
  if (len <= SHORT_BEGIN + SHORT_END + 5) {
    buf_puts(out, text);
    return;
  }
  while (is_inside(text[begin]))
    begin--;
  const char *end = text + len - SHORT_END;
  while (is_inside(*end))
    end++;
  buf_put(out, text, begin);
  buf_printf(out, " ... %s", end);
}

void log_print_op_short(const struct log *l, const struct log_op *op,
                        struct buf *out) {
  struct buf b = {0};
  log_print_op(l, op, &b);
  log_put_short(buf_text(&b), out);
  buf_free(&b);
}

static int by_process_then_call(const void *x, const void *y) {
  const struct log_op *a = *(const struct log_op *const *)x,
                      *b = *(const struct log_op *const *)y;
  if (a->process != b->process)
    return a->process < b->process ? -1 : 1;
  return a->call < b->call ? -1 : a->call > b->call;
}

static void check_processes(const struct log *l) {
  const struct log_op **all = xcalloc(l->ops.len, sizeof(struct log_op *));
  for (uint32_t i = 0; i < l->ops.len; i++)
    all[i] = &l->ops.at[i];
  qsort(all, l->ops.len, sizeof *all, by_process_then_call);
  for (uint32_t i = 1; i < l->ops.len; i++)
    if (all[i - 1]->process == all[i]->process)
      assert(all[i - 1]->ret < all[i]->call); /* L4 */
  free(all);
}

static datum two(datum a, datum b) {
  const datum items[] = {a, b};
  return datum_list(items, 2);
}

void log_op_join_pairs(struct log_op *op) {
  if (op->pairs & LOG_PAIR_RETURNED && op->result != DATUM_NONE)
    op->result = two(op->arg[0], op->result);
  if (op->pairs && op->nargs == 3) { /* [k [old new]] */
    op->arg[1] = two(op->arg[1], op->arg[2]);
    op->nargs = 2;
  } else if (op->pairs) {
    op->arg[0] = two(op->arg[0], op->nargs == 2 ? op->arg[1] : DATUM_NIL);
    op->nargs = 1;
  }
  op->pairs = 0;
}

void log_join_pairs(struct log *l) {
  for (uint32_t i = 0; i < l->ops.len; i++)
    if (l->ops.at[i].pairs)
      log_op_join_pairs(&l->ops.at[i]);
}

void log_check_invariants(const struct log *l) {
  uint8_t *taken = xcalloc(l->end + 1, 1);
  for (uint32_t i = 0; i < l->ops.len; i++) {
    const struct log_op *o = &l->ops.at[i];
    assert(i == 0 || l->ops.at[i - 1].call < o->call); /* L1 */
    assert(o->call < l->end && !taken[o->call]);       /* L1 */
    taken[o->call] = 1;
    assert(o->call < o->ret);
    if (o->ret != LOG_PENDING) { /* L2 */
      assert(o->ret < l->end && !taken[o->ret]);
      taken[o->ret] = 1;
    }
    assert(o->f < l->functions.len);
  }
  free(taken);
  check_processes(l);
}
