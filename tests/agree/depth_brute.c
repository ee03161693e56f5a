/*
 * The linearizability depth against its definition, on random small logs of all
 * shapes: with pending operations, with known orders, with types that have
 * several next states.  The definition tries all tuples and all schedules.  The
 * tuple that is found is verified by it, and the schedule that comes with it.
 *
 * The depth is not the smallest d whose family has a witness: how often they
 * differ is counted.  The numbers of schedules and witnesses are compared, too.
 */
#include "oracle/depth_brute.h"
#include "history/hitting/hitting.h"
#include "log_types.h"
#include "oracle/log_brute.h"
#include "random_log.h"
#include "test.h"

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__ /* ten times slower */
enum { ROUNDS = 100 };
#else
enum { ROUNDS = 1000 };
#endif
enum { MOST_OPS = 5, MOST_DEPTH = 6 };

static const struct {
  const char *log, *type;
} shapes[] = {{"register", "register"},
              {"cas-register", "cas-register"},
              {"register", "blurred"},
              {"queue", "queue"},
              {"queue", "bag"},
              {"stack", "stack"},
              {"set", "set"},
              {"counter", "counter"},
              {"map", "map"}};
#define NSHAPES (sizeof shapes / sizeof *shapes)

static struct rng rng;
static uint32_t of_depth[MOST_DEPTH + 1]; /* 0: not linearizable */
static uint32_t earlier;      /* histories with a witness in a smaller family */
static uint32_t with_pending; /* that have to take effect */

static const struct log_budget none;

static bool is_pending(const struct log_problem *p) {
  for (uint32_t i = 0; i < p->nops; i++)
    if (p->ops[i].op->ret == LOG_PENDING)
      return true;
  return false;
}

/* What is known beforehand must be true, and less is known with a small
 * budget. */
static bool agree_bounds(const struct log_problem *p, uint32_t depth) {
  bool ok = true;
  for (uint32_t most = 1; most < depth; most++) {
    struct linear_depth d;
    hitting_find_depth(p, most, 0, &none, &d);
    ok &= CHECK_INT(d.depth, 0) & CHECK_INT(d.beyond, most) &
          CHECK_STR(d.limit, "--depth");
    linear_depth_free(&d);
  }
  struct log_budget few = {.steps = 1 + rng_below(&rng, 40)};
  struct linear_depth d;
  hitting_find_depth(p, 0, 0, &few, &d);
  ok &= d.depth ? CHECK_INT(d.depth, depth) : CHECK(d.limit != NULL);
  ok &= !depth || CHECK(d.beyond < depth);
  linear_depth_free(&d);
  return ok;
}

static bool agree_families(const struct log_problem *p, uint32_t depth) {
  struct hitting h;
  if (is_pending(p))
    return true;
  check_hitting(p, 0, false, &none, &h);
  bool ok = CHECK_INT(h.witness != 0, depth != 0) & CHECK(h.witness <= depth);
  earlier += h.witness < depth;
  hitting_free(&h);
  return ok;
}

static bool agree_counts(const struct log_problem *p) {
  struct hitting_counts counts;
  uint64_t schedules, witnesses;
  count_brute(p, &schedules, &witnesses);
  return CHECK(hitting_count(p, &none, &counts)) &
         CHECK_INT((long long)counts.schedules, (long long)schedules) &
         CHECK_INT((long long)counts.witnesses, (long long)witnesses);
}

static bool agree(const struct log_problem *p) {
  uint32_t depth = depth_brute(p);
  struct log_answer brute = {0};
  struct linear_depth d;
  check_log_brute(p, &brute);
  hitting_find_depth(p, 0, 0, &none, &d);
  bool ok = CHECK_INT(d.depth, depth) &
            CHECK_INT(depth != 0, brute.verdict == LOG_LINEARIZABLE);
  if (ok && depth) {
    ok &= CHECK_INT(d.tuple.len, depth) & CHECK_INT(d.beyond, depth - 1);
    ok &= CHECK(tuple_proves(p, d.completed.at, d.completed.len, d.tuple.at,
                             d.tuple.len));
    ok &= CHECK_STR(order_fault(p, d.order.at, d.order.len, true), NULL);
    ok &= CHECK(
        strongly_hits(p, d.order.at, d.order.len, d.tuple.at, d.tuple.len));
    with_pending += d.completed.len != 0;
  } else if (ok) {
    ok &= CHECK_STR(d.limit, "it is not linearizable");
  }
  of_depth[depth]++;
  ok &= agree_bounds(p, depth) & agree_families(p, depth) & agree_counts(p);
  log_answer_free(&brute);
  linear_depth_free(&d);
  return ok;
}

static void show(const struct log_problem *p) {
  for (uint32_t i = 0; i < p->nops; i++) {
    const struct log_op *o = p->ops[i].op;
    struct buf b = {0};
    log_print_op(p->log, o, &b);
    fprintf(stderr, "  [%u, %d] %s", o->call,
            o->ret == LOG_PENDING ? -1 : (int)o->ret, buf_text(&b));
    if (o->order != LOG_NO_HINT)
      fprintf(stderr, " order %u", (unsigned)o->order);
    fprintf(stderr, "\n");
    buf_free(&b);
  }
}

static bool has_returned(const struct log *l) {
  for (uint32_t i = 0; i < l->ops.len; i++)
    if (l->ops.at[i].ret != LOG_PENDING)
      return true;
  return false;
}

/* Few have one more: these are slow. */
static uint32_t operations(void) {
  return rng_below(&rng, 50) ? 1 + (uint32_t)rng_below(&rng, MOST_OPS)
                             : MOST_OPS + 1;
}

static void one_log(struct type *t, const char *shape, uint64_t seed) {
  struct random_log want = {
      .shape = shape,
      .seed = seed,
      .operations = operations(),
      .processes = 2 + (uint32_t)rng_below(&rng, 3),
      .values = 1 + (uint32_t)rng_below(&rng, 3),
      .keys = 1 + (uint32_t)rng_below(&rng, 2),
      .pending = rng_below(&rng, 3) ? 0 : (uint32_t)rng_below(&rng, 60),
      .mutations = (uint32_t)rng_below(&rng, 3)};
  struct log l = random_log(&want);
  struct log_problem p;
  struct error e = {0};
  if (!CHECK(log_problem_make(&p, &l, t, &e)))
    return;
  if (rng_below(&rng, 8) == 0)
    for (uint32_t i = 0; i < l.ops.len; i++)
      if (rng_below(&rng, 2))
        l.ops.at[i].order = 1 + rng_below(&rng, 3) + i;
  if (has_returned(&l) && !agree(&p)) {
    fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    show(&p);
  }
  free(p.ops);
  log_free(&l);
}

TEST(depth_is_that_of_the_definition) {
  uint32_t deep = 0;
  for (uint32_t s = 0; s < NSHAPES; s++) {
    rng.state = 4200 + s;
    for (uint32_t i = 0; i < ROUNDS && test_errors < 5; i++) {
      struct toy toy;
      toy_init(&toy, shapes[s].type);
      one_log(&toy.type, shapes[s].log, (uint64_t)s << 32 | i);
      toy_free(&toy);
    }
  }
  printf("not linearizable: %u; of depth 1, 2, …:", of_depth[0]);
  for (uint32_t d = 1; d <= MOST_DEPTH; d++) {
    printf(" %u", of_depth[d]);
    deep += d > 2 ? of_depth[d] : 0;
  }
  printf("\na witness in a smaller family: %u; pending operations took effect: "
         "%u\n",
         earlier, with_pending);
  CHECK(of_depth[0] > ROUNDS / 2);
  CHECK(of_depth[1] > ROUNDS);
  CHECK(of_depth[2] > ROUNDS / 4);
  CHECK(deep > 0);
  CHECK(earlier > ROUNDS / 10);
  CHECK(with_pending > ROUNDS / 10);
}

TEST_MAIN
