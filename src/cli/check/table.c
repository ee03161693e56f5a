/*
 * Tables 1 to 3 of "Checking Linearizability Using Hitting Families" for the
 * histories that were read: their concurrency, the size of their strong
 * d-hitting families, and how many of them have a witness.  A fourth table sets
 * the linearizability depth beside the first witness.  Histories without
 * concurrent operations are in the first table only.
 */
#include "cli/check/int.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct spread {
  uint64_t most;
  double sum, squares;
  uint32_t n;
};

struct row {
  char *type;
  uint32_t ops, concurrent, linearizable;
  struct spread level, pairs;
  struct spread distinct[CHECK_TABLE_DEPTHS];
  uint32_t witnessed[CHECK_TABLE_DEPTHS];
  /* By depth, from 1; the last: of a linearizable history, but none up to
   * there. */
  uint32_t first_witness[CHECK_TABLE_DEPTHS + 1];
  uint32_t depth[CHECK_TABLE_DEPTHS + 1];
};

struct check_table {
  uint32_t depths;
  uint32_t left_out;
  VEC(struct row) rows;
};

struct check_table *check_table_new(uint32_t depths) {
  struct check_table *t = xcalloc(1, sizeof *t);
  t->depths = depths < CHECK_TABLE_DEPTHS ? depths : CHECK_TABLE_DEPTHS;
  return t;
}

void check_table_free(struct check_table *t) {
  for (uint32_t i = 0; i < t->rows.len; i++)
    free(t->rows.at[i].type);
  vec_free(&t->rows);
  free(t);
}

static void put(struct spread *s, uint64_t x) {
  if (x > s->most)
    s->most = x;
  s->sum += (double)x;
  s->squares += (double)x * (double)x;
  s->n++;
}

static double mean(const struct spread *s) { return s->n ? s->sum / s->n : 0; }

/* The square root, by Newton: the program does not link libm. */
static double root(double x) {
  double r = x > 1 ? x : 1;
  for (int i = 0; i < 200; i++)
    r = (r + x / r) / 2;
  return r;
}

static double deviation(const struct spread *s) {
  double m = mean(s), v = s->n ? s->squares / s->n - m * m : 0;
  return v > 1e-9 ? root(v) : 0;
}

/* "X" for "java.util.concurrent.X". */
static const char *short_name(const char *type) {
  const char *dot = strrchr(type, '.');
  return dot ? dot + 1 : type;
}

static struct row *row_of(struct check_table *t, const char *type) {
  for (uint32_t i = 0; i < t->rows.len; i++)
    if (!strcmp(t->rows.at[i].type, type))
      return &t->rows.at[i];
  vec_push(&t->rows, ((struct row){.type = xstrdup(type)}));
  return &vec_last(&t->rows);
}

void check_table_add(struct check_table *t, const struct check_depths *d) {
  if (d->cut) {
    t->left_out++;
    return;
  }
  assert(d->ndepths <= CHECK_TABLE_DEPTHS);
  struct row *r = row_of(t, short_name(d->type));
  if (d->ops > r->ops)
    r->ops = d->ops;
  put(&r->level, d->level);
  put(&r->pairs, d->pairs);
  if (!d->pairs)
    return;
  r->concurrent++;
  r->linearizable += d->linearizable;
  uint32_t first = 0;
  while (
      first < t->depths &&
      !(d->ndepths && d->witness[first < d->ndepths ? first : d->ndepths - 1]))
    first++;
  r->first_witness[first] += d->linearizable;
  r->depth[d->depth && d->depth <= t->depths ? d->depth - 1 : t->depths] +=
      d->linearizable;
  /* Deeper families than that of all operations are not larger. */
  for (uint32_t i = 0; i < t->depths && d->ndepths; i++) {
    uint32_t k = i < d->ndepths ? i : d->ndepths - 1;
    put(&r->distinct[i], d->distinct[k]);
    r->witnessed[i] += d->witness[k];
  }
}

static void print_shapes(const struct check_table *t, struct buf *out) {
  buf_puts(out, "Table 1. The histories: operations that are open at one time "
                "(c), and pairs of\nconcurrent operations (cp)\n\n");
  buf_printf(out, "%-21s %10s %5s %6s %5s %5s %6s %6s %6s\n", "type",
             "histories", "ops", "max(c)", "mean", "dev", "max(cp)", "mean",
             "dev");
  for (uint32_t i = 0; i < t->rows.len; i++) {
    const struct row *r = &t->rows.at[i];
    buf_printf(out,
               "%-21s %10" PRIu32 " %5" PRIu32 " %6" PRIu64
               " %5.2f %5.2f %7" PRIu64 " %6.2f %6.2f\n",
               r->type, r->level.n, r->ops, r->level.most, mean(&r->level),
               deviation(&r->level), r->pairs.most, mean(&r->pairs),
               deviation(&r->pairs));
  }
}

static void print_head(const struct check_table *t, const char *words,
                       struct buf *out) {
  buf_printf(out, "%-21s %-15s", "type", words);
  for (uint32_t d = 1; d <= t->depths; d++)
    buf_printf(out, "   d = %" PRIu32, d);
  buf_putc(out, '\n');
}

static void print_families(const struct check_table *t, struct buf *out) {
  buf_puts(out, "\nTable 2. Distinct schedules of the strong d-hitting "
                "families\n\n");
  print_head(t, "", out);
  for (uint32_t i = 0; i < t->rows.len; i++) {
    const struct row *r = &t->rows.at[i];
    buf_printf(out, "%-21s %15s", r->type, "max");
    for (uint32_t d = 0; d < t->depths; d++)
      buf_printf(out, " %7" PRIu64, r->distinct[d].most);
    buf_printf(out, "\n%-21s %15s", "", "mean");
    for (uint32_t d = 0; d < t->depths; d++)
      buf_printf(out, " %7.0f", mean(&r->distinct[d]));
    buf_printf(out, "\n%-21s %15s", "", "dev");
    for (uint32_t d = 0; d < t->depths; d++)
      buf_printf(out, " %7.0f", deviation(&r->distinct[d]));
    buf_putc(out, '\n');
  }
}

static void print_witnesses(const struct check_table *t, struct buf *out) {
  buf_puts(out, "\nTable 3. Histories that are not sequential, how many of "
                "them are linearizable,\nand how many have a witness in their "
                "strong d-hitting family\n\n");
  print_head(t, "histories   lin", out);
  for (uint32_t i = 0; i < t->rows.len; i++) {
    const struct row *r = &t->rows.at[i];
    buf_printf(out, "%-21s %9" PRIu32 " %5" PRIu32, r->type, r->concurrent,
               r->linearizable);
    for (uint32_t d = 0; d < t->depths; d++)
      buf_printf(out, " %7" PRIu32, r->witnessed[d]);
    buf_printf(out, "\n%-21s %15s", "", "%");
    for (uint32_t d = 0; d < t->depths; d++)
      buf_printf(out, " %7.1f",
                 r->linearizable ? 100.0 * r->witnessed[d] / r->linearizable
                                 : 0.0);
    buf_putc(out, '\n');
  }
}

static void print_counts(const struct check_table *t, const char *type,
                         const char *what, const uint32_t *counts,
                         struct buf *out) {
  buf_printf(out, "%-21s %-15s", type, what);
  for (uint32_t d = 0; d <= t->depths; d++)
    buf_printf(out, " %7" PRIu32, counts[d]);
  buf_putc(out, '\n');
}

static void print_depths(const struct check_table *t, struct buf *out) {
  buf_puts(out, "\nTable 4. Linearizable histories that are not sequential, by "
                "the smallest d whose\nfamily has a witness, and by "
                "linearizability depth\n\n");
  buf_printf(out, "%-21s %-15s", "type", "");
  for (uint32_t d = 1; d <= t->depths; d++)
    buf_printf(out, " %7" PRIu32, d);
  buf_printf(out, " %7s\n", "deeper");
  for (uint32_t i = 0; i < t->rows.len; i++) {
    const struct row *r = &t->rows.at[i];
    print_counts(t, r->type, "first witness", r->first_witness, out);
    print_counts(t, "", "depth", r->depth, out);
  }
}

void check_table_print(const struct check_table *t, struct buf *out) {
  print_shapes(t, out);
  print_families(t, out);
  print_witnesses(t, out);
  print_depths(t, out);
  if (t->left_out)
    buf_printf(out,
               "\nLeft out because time or memory ran out: %" PRIu32
               " histor%s.\n",
               t->left_out, t->left_out == 1 ? "y" : "ies");
}
