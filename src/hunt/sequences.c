/*
 * First of all: is the object correct without concurrency?  Runs sequences of
 * calls by one thread, shortest first, and looks for faults, a broken invariant
 * and results that the built-in specification does not allow.
 */
#include "base/clock.h"
#include "hunt/inside.h"

enum {
  SEQUENCES = 2000,
  SEQUENCE_CALLS = 4,
  ARGUMENTS = 16, /* combinations of arguments of one operation */
  SHARE = 5,      /* one part of so many, of --time */
};

typedef VEC(struct call) call_list;

static uint64_t combinations_of(const struct gen_op *g) {
  uint64_t n = 1;
  for (uint32_t a = 0; a < g->nargs; a++)
    n *= g->args[a].count;
  return n;
}

/* All calls of the operations, with all combinations of their arguments. */
static void list_calls(const struct object *o, call_list *out) {
  for (uint32_t op = 0; op < o->gen.nops; op++) {
    const struct gen_op *g = &o->gen.ops[op];
    if (g->waits)
      continue; /* no other thread would wake it */
    uint64_t combinations = combinations_of(g);
    for (uint64_t k = 0; k < combinations && k < ARGUMENTS; k++) {
      struct call c = {.op = (uint16_t)op, .thread = 1, .nargs = g->nargs};
      uint64_t rest = k;
      for (uint32_t a = 0; a < g->nargs; a++) {
        c.args[a] = g->args[a].values[rest % g->args[a].count];
        rest /= g->args[a].count;
      }
      vec_push(out, c);
    }
  }
}

/* The set-up fails.  The finding names the client unless the constructor fails
 * even without initial calls. */
static bool is_bad_setup(struct hunt *h, const struct client *c) {
  if (checker_sets_aside(&h->checker))
    return false;
  bool made = hunt_prepare(h, &(struct client){0}) == RT_DONE;
  enum rt_end end = hunt_prepare(h, c);
  return hunt_setup_failed(h, made ? c : NULL, end);
}

static bool is_bad(struct hunt *h, const struct client *c) {
  if (hunt_prepare(h, c) != RT_DONE)
    return is_bad_setup(h, c);
  struct explore x;
  enum explore_end how;
  hunt_explore_init(h, &x);
  x.max_executions = 1;
  return hunt_look(h, c, &x, SEARCH_DFS, false, &how);
}

/* Runs sequence number k of the `count` sequences of `len` calls; true: bad.
 * The first call changes last: a a, a b, b a, b b.  So the first bad sequence
 * has the simplest values. */
static bool try_one(struct hunt *h, const call_list *calls, uint64_t k,
                    uint64_t count, uint32_t len) {
  struct client c = {0};
  for (uint32_t i = 0; i < len; i++) {
    count /= calls->len;
    client_add(&c, 1, calls->at[k / count % calls->len]);
  }
  bool left_out = hunt_leaves_out(h, &c), bad = !left_out && is_bad(h, &c);
  h->sequences += !left_out && !bad;
  client_free(&c);
  return bad;
}

/* They have a part of --time. */
static bool is_over(const struct hunt *h) {
  return h->timed && clock_now() >= h->begun + (h->deadline - h->begun) / SHARE;
}

/* Does the call of the prepared client write nothing that others can see? */
static bool only_reads(void) {
  struct arena own = {0};
  struct trace t = {0};
  struct replay r;
  replay_init(&r, NULL, 0);
  bool only = rt_run_recorded(&r.driver, &own, &t) == RT_DONE && !t.truncated;
  for (uint32_t i = 0; i < t.nevents && only; i++)
    only = !event_writes[t.events[i].kind];
  replay_free(&r);
  arena_free(&own);
  return only;
}

/* Does no call write in a new object?  Then none does in any client. */
static bool is_still(struct hunt *h, const call_list *calls) {
  bool still = calls->len && !h->target->partial;
  for (uint32_t op = 0; op < h->object.gen.nops; op++)
    still &= !h->object.gen.ops[op].waits &&
             combinations_of(&h->object.gen.ops[op]) <= ARGUMENTS;
  for (uint32_t i = 0; i < calls->len && still; i++) {
    struct client c = {0};
    client_add(&c, 1, calls->at[i]);
    still = !hunt_leaves_out(h, &c) && hunt_prepare(h, &c) == RT_DONE &&
            only_reads();
    client_free(&c);
  }
  return still;
}

bool hunt_sequences(struct hunt *h) {
  call_list calls = {0};
  list_calls(&h->object, &calls);
  uint64_t tried = 0;
  bool bad = false;
  for (uint32_t len = 1; len <= SEQUENCE_CALLS && !bad; len++) {
    uint64_t count = 1;
    for (uint32_t i = 0; i < len; i++)
      count *= calls.len;
    if (tried + count > SEQUENCES)
      break;
    for (uint64_t k = 0; k < count && !bad; k++, tried++) {
      if (!hunt_goes_on(h) || is_over(h))
        break;
      bad = try_one(h, &calls, k, count, len);
    }
  }
  h->still = !bad && !h->found && is_still(h, &calls);
  vec_free(&calls);
  /* All shorter sequences passed, unless one was cut. */
  if (bad && h->r->finding)
    h->r->finding->minimal_checked = !h->r->statistics.cut;
  if (bad)
    h->r->coverage.sentence = xasprintf(
        "one thread only, %s of calls; concurrent clients were not tried",
        tried == 1 ? "the first sequence" : "a short sequence");
  return bad;
}
