/*
 * Hitting families: what they promise, on random histories by trying every
 * tuple; and histories of java.util.concurrent with known families.
 */
#include "test.h"

#include "base/rng.h"
#include "history/hitting/hitting.h"
#include "history/read/read.h"
#include "oracle/depth_brute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what is promised ---- */

enum { OPS = 6, MOST_SCHEDULES = 1 << 16 };

struct schedules {
  uint16_t at[MOST_SCHEDULES][OPS];
  uint32_t n, ops;
};
static struct schedules all;

static bool keep(void *ctx, const uint16_t *s, uint32_t n) {
  struct schedules *to = ctx;
  if (!s)
    return true;
  if (to->n == MOST_SCHEDULES)
    return false;
  memcpy(to->at[to->n++], s, n * sizeof *s);
  to->ops = n;
  return true;
}

struct small {
  struct log_op ops[OPS];
  struct type_op prepared[OPS];
  struct log_problem p;
};

/* Calls and returns in a random order, of up to three threads. */
static void make_small(struct small *s, struct rng *rng, uint32_t n) {
  uint32_t open[3], time = 0, made = 0, closed = 0;
  memset(open, 0xff, sizeof open);
  memset(s, 0, sizeof *s);
  while (closed < n) {
    uint32_t t = (uint32_t)rng_below(rng, 3);
    if (open[t] != UINT32_MAX) {
      s->ops[open[t]].ret = time++;
      open[t] = UINT32_MAX;
      closed++;
    } else if (made < n) {
      s->ops[made] = (struct log_op){.call = time++, .process = t};
      open[t] = made++;
    }
  }
  for (uint32_t i = 0; i < n; i++)
    s->prepared[i] = (struct type_op){.op = &s->ops[i]};
  s->p = (struct log_problem){.ops = s->prepared, .nops = n};
}

static bool before(const struct small *s, uint32_t a, uint32_t b) {
  return s->ops[a].ret < s->ops[b].call;
}

static bool is_extension(const struct small *s, const uint16_t *x, uint32_t n) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < n; i++) {
    seen |= 1u << x[i];
    for (uint32_t k = i + 1; k < n; k++)
      if (before(s, x[k], x[i]))
        return false;
  }
  return seen == (1u << n) - 1;
}

static bool is_possible(const struct small *s, const uint32_t *t, uint32_t d) {
  for (uint32_t i = 0; i < d; i++)
    for (uint32_t k = i + 1; k < d; k++)
      if (t[i] == t[k] || before(s, t[k], t[i]))
        return false;
  return true;
}

/* By the definition, which knows tuples that no schedule can have in their
 * order, or with an operation twice. */
static bool all_hit(const struct small *s, uint32_t n, uint32_t d) {
  uint32_t t[OPS] = {0}, tuples = 1;
  for (uint32_t i = 0; i < d; i++)
    tuples *= n;
  for (uint32_t code = 0; code < tuples; code++) {
    uint32_t rest = code;
    for (uint32_t i = 0; i < d; i++, rest /= n)
      t[i] = rest % n;
    bool hit = false;
    for (uint32_t i = 0; i < all.n && !hit; i++) {
      uint32_t x[OPS];
      for (uint32_t k = 0; k < n; k++)
        x[k] = all.at[i][k];
      hit = strongly_hits(&s->p, x, n, t, d);
    }
    if (!hit)
      return false;
  }
  return true;
}

static uint64_t extensions(const struct small *s, uint32_t n, uint32_t done) {
  uint64_t count = done == (1u << n) - 1;
  for (uint32_t i = 0; i < n; i++) {
    bool may = !(done >> i & 1);
    for (uint32_t k = 0; k < n; k++)
      may &= done >> k & 1 || !before(s, k, i);
    if (may)
      count += extensions(s, n, done | 1u << i);
  }
  return count;
}

static uint32_t distinct(uint32_t n) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < all.n; i++) {
    bool fresh = true;
    for (uint32_t k = 0; k < i && fresh; k++)
      fresh = memcmp(all.at[i], all.at[k], n * sizeof **all.at) != 0;
    count += fresh;
  }
  return count;
}

TEST(every_tuple_is_strongly_hit) {
  struct rng rng = {7};
  for (uint32_t round = 0; round < 3000; round++) {
    struct small s;
    uint32_t n = 1 + (uint32_t)rng_below(&rng, OPS - 1);
    uint32_t d = 1 + (uint32_t)rng_below(&rng, n < 4 ? n : 4);
    make_small(&s, &rng, n);
    all.n = 0;
    hitting_family(&s.p, d, keep, &all);
    bool ok = CHECK(all.n > 0);
    for (uint32_t i = 0; i < all.n && ok; i++)
      ok = CHECK(is_extension(&s, all.at[i], n));
    if (!ok || !CHECK(all_hit(&s, n, d)))
      break;
    if (d == n && !CHECK_INT(distinct(n), (long long)extensions(&s, n, 0)))
      break;
  }
}

/* ---- index by index, as the algorithm is written ---- */

/* Thread by thread, each operation behind those that precede it. */
static void sort_in(const struct small *s, uint32_t n, uint32_t op,
                    uint32_t *done, uint32_t *sequence, uint32_t *len) {
  if (*done >> op & 1)
    return;
  for (uint32_t t = 0; t < 3; t++)
    for (uint32_t i = 0; i < n; i++)
      if (s->ops[i].process == t && before(s, i, op))
        sort_in(s, n, i, done, sequence, len);
  *done |= 1u << op;
  sequence[(*len)++] = op;
}

static uint32_t index_in(const uint32_t *tuple, uint32_t d, uint32_t op) {
  uint32_t i = 0;
  while (i < d && tuple[i] != op)
    i++;
  return i;
}

/* The schedule of one index: a thread and d - 1 operations. */
static void schedule_of(const struct small *s, uint32_t n, uint32_t thread,
                        const uint32_t *tuple, uint32_t d, uint16_t *x) {
  uint32_t sequence[OPS], len = 0, done = 0;
  for (uint32_t t = 0; t < 3; t++)
    for (uint32_t i = 0; i < n; i++)
      if (s->ops[i].process == t)
        sort_in(s, n, i, &done, sequence, &len);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t op = sequence[k], at = k, mine = index_in(tuple, d - 1, op);
    if (mine == d - 1 && s->ops[op].process != thread) { /* early */
      while (at && !before(s, x[at - 1], op))
        at--;
    } else { /* late: before those of the tuple that must come later */
      uint32_t from = mine == d - 1 ? 0 : mine + 1;
      for (uint32_t i = k; i-- > 0;) {
        uint32_t other = index_in(tuple, d - 1, x[i]);
        if (other < d - 1 && other >= from) {
          if (before(s, x[i], op))
            break;
          at = i;
        }
      }
    }
    memmove(x + at + 1, x + at, (k - at) * sizeof *x);
    x[at] = (uint16_t)op;
  }
}

static bool is_in_family(const uint16_t *x, uint32_t n) {
  for (uint32_t i = 0; i < all.n; i++)
    if (!memcmp(all.at[i], x, n * sizeof *x))
      return true;
  return false;
}

static struct schedules naive;

static void make_naive(const struct small *s, uint32_t n, uint32_t d) {
  uint32_t tuples = 1, t[OPS];
  naive.n = 0;
  for (uint32_t i = 0; i + 1 < d; i++)
    tuples *= n;
  for (uint32_t code = 0; code < tuples; code++) {
    uint32_t rest = code, threads = 0;
    for (uint32_t i = 0; i + 1 < d; i++, rest /= n)
      t[i] = rest % n;
    if (!is_possible(s, t, d - 1))
      continue;
    for (uint32_t i = 0; i < n; i++)
      threads |= 1u << s->ops[i].process;
    for (uint32_t thread = 0; thread < 3; thread++)
      if (threads >> thread & 1)
        schedule_of(s, n, thread, t, d, naive.at[naive.n++]);
  }
}

TEST(families_are_those_of_all_indices) {
  struct rng rng = {11};
  for (uint32_t round = 0; round < 3000; round++) {
    struct small s;
    uint32_t n = 1 + (uint32_t)rng_below(&rng, OPS);
    uint32_t d = 1 + (uint32_t)rng_below(&rng, n < 5 ? n : 5);
    make_small(&s, &rng, n);
    all.n = 0;
    hitting_family(&s.p, d, keep, &all);
    make_naive(&s, n, d);
    bool ok = true;
    for (uint32_t i = 0; i < naive.n && ok; i++)
      ok = CHECK(is_in_family(naive.at[i], n));
    uint32_t made = distinct(n);
    memcpy(all.at, naive.at, naive.n * sizeof *naive.at);
    all.n = naive.n;
    if (!ok || !CHECK_INT(made, distinct(n)))
      break;
  }
}

/* ---- java.util.concurrent ---- */

struct label {
  int ops, sequential, linearizable, distinct[5], witnessed[5];
};

static bool read_label(FILE *f, const char *class, int line, struct label *l) {
  char name[16];
  int number;
  int got = fscanf(f, "%15s %d %d %d %d", name, &number, &l->ops,
                   &l->sequential, &l->linearizable);
  if (got != 5 || strcmp(name, class) || number != line)
    return false;
  char a[100], b[100];
  if (fscanf(f, "%99s %99s", a, b) != 2)
    return false;
  if (l->sequential)
    return true;
  return sscanf(a, "%d,%d,%d,%d,%d", &l->distinct[0], &l->distinct[1],
                &l->distinct[2], &l->distinct[3], &l->distinct[4]) == 5 &&
         sscanf(b, "%d,%d,%d,%d,%d", &l->witnessed[0], &l->witnessed[1],
                &l->witnessed[2], &l->witnessed[3], &l->witnessed[4]) == 5;
}

static bool prepare(struct log_problem *p, const struct log *l) {
  struct error e = {0};
  *p = (struct log_problem){.log = l, .nops = l->ops.len};
  p->type = type_open(l->type, l->type_argument, &e);
  p->ops = xcalloc(l->ops.len + 1, sizeof *p->ops);
  bool ok = CHECK(p->type != NULL);
  for (uint32_t i = 0; i < l->ops.len && ok; i++)
    ok = CHECK_INT(p->type->prepare(p->type, l, &l->ops.at[i], &p->ops[i], &e),
                   0);
  if (!ok)
    fprintf(stderr, "  %s\n", e.text);
  return ok;
}

static void release(struct log_problem *p) {
  if (p->type)
    type_free(p->type);
  free(p->ops);
}

static bool compare(const struct log *l, const struct label *label) {
  struct log_problem p;
  struct log_budget none = {0};
  bool ok = prepare(&p, l);
  if (ok && !label->sequential) {
    struct hitting h;
    check_hitting(&p, 5, true, &none, &h);
    for (uint32_t d = 0; d < 5 && d < h.depths.len; d++)
      ok &= CHECK_INT((long long)h.depths.at[d].distinct, label->distinct[d]) &
            CHECK_INT(h.depths.at[d].witness, label->witnessed[d]);
    hitting_free(&h);
  }
  struct log_answer a = {0};
  if (ok)
    check_exact(&p, &none, false, &a);
  ok = ok && CHECK_INT(a.verdict,
                       label->linearizable ? LOG_LINEARIZABLE : LOG_VIOLATION);
  log_answer_free(&a);
  release(&p);
  return ok;
}

static void compare_class(const char *class, FILE *labels) {
  char *path =
      xasprintf("%s/tests/data/juc/%s.jsonl.gz", getenv("SOURCE_DIR"), class);
  struct error e = {0};
  struct reader *r = reader_open(path, READ_AUTO, &e);
  struct log l = {0};
  struct label label;
  int line = 0, got = 0;
  bool ok = CHECK(r != NULL);
  while (ok && (got = reader_log(r, &l, &e)) == 1) {
    ok = CHECK(read_label(labels, class, ++line, &label)) &&
         CHECK_INT(l.ops.len, label.ops) && compare(&l, &label);
    if (!ok)
      fprintf(stderr, "  %s, line %d\n", path, line);
    log_free(&l);
  }
  CHECK_INT(got, 0);
  CHECK_INT(line, 300);
  if (r)
    reader_close(r);
  free(path);
}

TEST(known_families) {
  static const char *const classes[] = {"ABQ",  "CHM", "CLD", "CLQ", "CSLM",
                                        "CSLS", "LBD", "LBQ", "LTQ", "PBQ"};
  char *path = xasprintf("%s/tests/data/juc/labels.tsv", getenv("SOURCE_DIR"));
  FILE *labels = fopen(path, "r");
  char head[200];
  if (CHECK(labels && fgets(head, sizeof head, labels))) {
    clock_t begun = clock();
    for (uint32_t i = 0; i < 10; i++)
      compare_class(classes[i], labels);
    if (getenv("VERBOSE"))
      fprintf(stderr, "3,000 histories: %.2f s\n",
              (double)(clock() - begun) / CLOCKS_PER_SEC);
    fclose(labels);
  }
  free(path);
}

TEST_MAIN
