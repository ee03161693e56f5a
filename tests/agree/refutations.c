/*
 * Refutations are complete and have no repetitions: every order that the
 * criterion allows begins with exactly one of them.
 */
#include "random_spec.h"
#include "test.h"

enum { ROUNDS = 1500, ALL = 1 << 20 };

struct orders {
  const struct history *h;
  enum criterion criterion;
  const refutation_list *list;
  bool used[MAX_CALLS];
  uint32_t order[MAX_CALLS], len;
  uint32_t seen, wrong;
};

static bool begins_with(const struct orders *o, const struct refutation *r) {
  return r->order.len <= o->len &&
         !memcmp(r->order.at, o->order, r->order.len * sizeof *o->order);
}

/* All orders of the operations that returned. */
static void each_order(struct orders *o) {
  const struct history *h = o->h;
  bool any = false;
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    bool ready = !o->used[i] && !hop_pending(&h->ops[i]);
    any |= ready;
    for (uint32_t j = 0; j < h->client->ncalls && ready; j++)
      ready = o->used[j] || j == i || !must_precede(h, o->criterion, j, i);
    if (!ready)
      continue;
    o->used[i] = true;
    o->order[o->len++] = i;
    each_order(o);
    o->len--;
    o->used[i] = false;
  }
  if (any)
    return;
  uint32_t hits = 0;
  for (uint32_t k = 0; k < o->list->len; k++)
    hits += begins_with(o, &o->list->at[k]);
  o->seen++;
  o->wrong += hits != 1;
}

/* Behind some alternatives of the calls before it the last call of a line may
 * do this, behind others that; none is what it did. */
static bool all_disagree(const struct history *h, struct spec *s,
                         const struct reached *to, const struct refutation *r) {
  uint32_t last = vec_last(&r->order), results = 0;
  bool waits = false, listed = true;
  for (uint32_t i = 0; i < to->n; i++) {
    bool has;
    struct value first;
    results += may_return(s, h->client, to->at[i], last, &h->ops[last].result,
                          &has, &first);
    waits |= may_answer(s, h->client, to->at[i], last, SPEC_WAITS);
    listed &= !has;
    may_return(s, h->client, to->at[i], last, &r->expected, &has, &first);
    listed &= has || to->n > 1 || r->waits || r->expected.kind == VALUE_VOID;
  }
  return listed && (results ? !r->waits && 1 + r->also.len <= results
                            : r->waits == waits && !r->also.len);
}

/* The last call of the line disagrees, the others do not. */
static bool line_holds(const struct history *h, struct spec *s,
                       enum criterion criterion, const struct refutation *r) {
  struct check k = {0};
  uint32_t returned, last = vec_last(&r->order);
  struct reached to;
  for (uint32_t i = 0; i + 1 < r->order.len; i++)
    vec_push(&k.order, r->order.at[i]);
  bool ok = replays(h, s, criterion, &k, &to, &returned);
  if (hop_pending(&h->ops[last]) || !s->choose)
    ok &= disagrees(h, s, &to, last, r->expected, r->also.len, r->waits);
  else
    ok &= all_disagree(h, s, &to, r);
  vec_free(&k.order);
  return ok;
}

static void try_history(const struct history *h, struct spec *s,
                        enum criterion criterion, uint32_t *refuted) {
  static struct check k;
  refutation_list list = {0}, few = {0};
  uint32_t more;
  check_linearize(h, s, criterion, 0, &k);
  if (k.answer != CHECK_NO)
    return;
  check_refutations(h, s, criterion, ALL, &list, &more);
  CHECK_INT(more, 0);
  for (uint32_t i = 0; i < list.len; i++) {
    CHECK(line_holds(h, s, criterion, &list.at[i]));
    CHECK(!i || list.at[i - 1].order.len <= list.at[i].order.len);
  }
  struct orders o = {.h = h, .criterion = criterion, .list = &list};
  if (!h->stuck) { /* there an order may also end in somebody who waits */
    each_order(&o);
    CHECK(o.seen > 0);
    CHECK_INT(o.wrong, 0);
  }
  check_refutations(h, s, criterion, 2, &few, &more);
  CHECK_INT(few.len, list.len < 2 ? list.len : 2);
  CHECK_INT(few.len + more, list.len);
  for (uint32_t i = 0; i < few.len; i++)
    CHECK_INT(few.at[i].order.len, list.at[i].order.len);
  check_free_refutations(&few);
  check_free_refutations(&list);
  ++*refuted;
}

TEST(every_order_runs_into_one_refutation) {
  for (unsigned i = 0; i < LEN(rows) && test_errors < 5; i++) {
    struct suite suite;
    struct error e = {0};
    struct spec *s = row_spec(&rows[i], &suite, &e);
    uint32_t refuted = 0;
    rng.state = 77 + i;
    for (int round = 0; s && round < ROUNDS && test_errors < 5; round++) {
      struct client c;
      struct hop ops[MAX_CALLS];
      struct history h = {.ops = ops};
      random_client(&c, &rows[i], count_ops(&rows[i]));
      random_history(&h, s, &c);
      spoil(&h);
      spoil(&h);
      try_history(&h, s, (enum criterion)(round % 3), &refuted);
      if (test_errors)
        show(&h, &rows[i]);
      client_free(&c);
    }
    CHECK(refuted > ROUNDS / 10);
    spec_free(s);
  }
}

TEST(orders_run_into_one_refutation_where_there_are_choices) {
  uint32_t refuted = 0;
  rng.state = 99;
  for (int round = 0; round < ROUNDS && test_errors < 5; round++) {
    struct vague v;
    struct client c;
    struct hop ops[MAX_CALLS];
    struct history h = {.ops = ops};
    vague_init(&v, 10, 0);
    random_client(&c, &vague_row, VAGUE_OPS);
    random_history(&h, &v.spec, &c);
    spoil(&h);
    h.stuck = false; /* another pending call may be the one that cannot wait */
    try_history(&h, &v.spec, (enum criterion)(round % 2), &refuted);
    if (test_errors)
      show(&h, &vague_row);
    client_free(&c);
  }
  CHECK(refuted > ROUNDS / 10);
}

TEST_MAIN
