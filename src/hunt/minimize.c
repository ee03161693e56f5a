/*
 * From a bad execution to the smallest client that shows the same kind of
 * fault, or, where one with a call less fails in another way, to that; and of
 * its bad executions to one with few switches.
 *
 * (M1) when minimal_checked is set, every client with one call less was
 *      searched completely, without finding a fault.
 * (M2) then the fault's type is known as well; and without calls of Pr, in any
 *      case.  If a call of Pr is needed, no history of the concurrent calls
 *      alone fails, since what is left without the last final call are prefixes
 *      of what is left without another, and prefixes of linearizable histories
 *      are linearizable.
 */
#include "base/clock.h"
#include "base/map128.h"
#include "hunt/finding.h"
#include "hunt/inside.h"
#include "hunt/shrink.h"

#include <string.h>

enum {
  MINIMIZE_STATES = 20000, /* of a client with one call less … */
  THINNED_STATES = 2000,   /* … that has failed in nothing before */
  MINIMIZE_SECONDS = 20,   /* … in all: states can be very large; --time can
                              make both more */
  PROVE_STATES = 500000,   /* of one when nothing smaller fails: only the proof
                              is missing */
  PROVE_ALL = 1000000,     /* of all of them */
  TIDY_STATES = 200000,    /* of the client that is left */
  MINIMIZE_CUT = 100, /* executions that go round for ever, of one client */
  LARGE_CALLS = 14,   /* of threads: more are first made less at once */
  FEW_CALLS = 5,      /* of threads: more are first thinned */
};

struct minimizer {
  struct hunt *h;
  struct bad *bad;
  struct reduce reduce;
  uint64_t most, left; /* states of one client, and of all that follow */
  bool too_many;       /* some had more */
  bool others;         /* some fail in another way */
  enum fault fault;    /* of the last that failed */
  bool beyond; /* executions with more preemptions than --preemptions allows
                  are run, too; they are no findings, but nothing is proved */
  struct map128 proved; /* of correct clients: see key_of */
};

static enum explore_end search(struct minimizer *m, bool *cut, path *bad) {
  struct hunt *h = m->h;
  struct explore x;
  uint64_t most = m->most < m->left ? m->most : m->left;
  hunt_explore_init(h, &x);
  x.deadline = h->patience;
  x.max_states = h->timed ? h->set->max_states : most;
  x.max_memory = h->set->memory;
  x.bound_preemptions &= !m->beyond;
  struct impatience impatience;
  shrink_be_impatient(&x, &impatience, MINIMIZE_CUT);
  enum explore_end how = hunt_explore(h, &x, SEARCH_STATEFUL);
  m->left -= x.states < m->left ? x.states : m->left;
  *bad = x.bad;
  *cut = x.cut != 0;
  return how;
}

/* The specification's state after the initial calls; false: it does not explain
 * them. */
static bool explain_init(struct spec *spec, const struct client *c,
                         uint32_t *state) {
  *state = spec->initial;
  for (uint32_t i = 0; i < c->ninit && !spec->skips_init; i++) {
    struct value v;
    if (spec_apply(spec, c, *state, i, &v, state) != SPEC_RETURNS ||
        !value_equal(v, rt_history()->ops[i].result))
      return false;
  }
  return true;
}

/* What the prepared client does from here on, and how that is judged, is a
 * function of this.  False: it is not. */
static bool key_of(const struct minimizer *m, const struct client *c,
                   struct hash128 *key) {
  struct buf text = {0};
  uint32_t state;
  if (!explain_init(m->h->checker.spec, c, &state))
    return false;
  client_print(c, &m->h->r->names, &text);
  const char *threads = strchr(buf_text(&text), '{');
  struct hash128 calls = hash128(threads, strlen(threads), state);
  *key = hash128_join(rt_hash_memory(), calls);
  buf_free(&text);
  return true;
}

/* Does this client, which is prepared, show the same kind of fault? */
static enum reduce_answer try_client(struct minimizer *m,
                                     const struct client *c, path *bad) {
  const struct checker *j = &m->h->checker;
  uint64_t undecided = j->undecided;
  struct hash128 key;
  bool has_key = key_of(m, c, &key), cut, fresh;
  if (has_key && map128_get(&m->proved, key))
    return REDUCE_CORRECT;
  if (!m->left)
    return REDUCE_UNKNOWN;
  enum explore_end how = search(m, &cut, bad);
  if (how == EXPLORE_BAD && !m->beyond)
    return REDUCE_FAILS;
  vec_free(bad);
  *bad = (path){0};
  m->too_many |= how == EXPLORE_STATES;
  m->others |= j->others != 0;
  if (how != EXPLORE_ALL || cut || j->others || j->known_seen ||
      j->undecided > undecided)
    return REDUCE_UNKNOWN;
  if (has_key)
    map128_put(&m->proved, key, &fresh);
  return REDUCE_CORRECT;
}

/*
 * Other initial calls may leave the same memory when their data are the same:
 * what is correct is then known.  What fails is run with its own data.
 */
static enum reduce_answer check(void *ctx, const struct client *c) {
  struct minimizer *m = ctx;
  struct client same;
  path bad = {0};
  client_copy(&same, c);
  reduce_same_data(&m->reduce, &same);
  enum reduce_answer a = REDUCE_CORRECT;
  if (hunt_prepare(m->h, &same) == RT_DONE)
    a = try_client(m, &same, &bad);
  bool own = client_equal(&same, c);
  if (a == REDUCE_FAILS && !own) {
    vec_free(&bad);
    bad = (path){0};
    a = hunt_prepare(m->h, c) == RT_DONE ? try_client(m, c, &bad)
                                         : REDUCE_CORRECT;
  }
  if (a == REDUCE_FAILS) {
    vec_free(&m->bad->path);
    m->bad->path = bad;
    m->fault = m->h->checker.fault;
  }
  client_free(&same);
  return a;
}

static uint32_t domain(void *ctx, uint32_t op, uint32_t arg,
                       const int64_t **values, bool *data) {
  const struct minimizer *m = ctx;
  return shrink_domain(m->h, op, arg, values, data);
}

static bool is_larger(const struct client *c, uint32_t calls) {
  return c->nthreads > 1 && client_first_final(c) - c->ninit > calls;
}

/* A fault of one thread: all calls are that thread's. */
static bool make_one_thread(struct reduce *r, struct bad *b) {
  struct client one = {0};
  struct client *c = &b->client;
  if (c->nthreads != 1 || !(c->ninit + c->nfinal))
    return false;
  for (uint32_t i = 0; i < c->ncalls; i++)
    client_add(&one, 1, c->calls[i]);
  if (r->check(r->ctx, &one) != REDUCE_FAILS) {
    client_free(&one);
    return false;
  }
  client_free(c);
  *c = one;
  return true;
}

static void minimizer_init(struct minimizer *m, struct hunt *h, struct bad *b) {
  *m = (struct minimizer){.h = h,
                          .bad = b,
                          .reduce = {.check = check, .domain = domain},
                          .fault = h->checker.only,
                          .most = MINIMIZE_STATES,
                          .left = UINT64_MAX};
  m->reduce.ctx = m;
}

static bool prove(struct minimizer *m, struct bad *b) {
  m->most = PROVE_STATES;
  m->left = PROVE_ALL;
  return reduce_calls(&m->reduce, &b->client);
}

static bool make_small(struct minimizer *m, struct bad *b) {
  bool proved = reduce_calls(&m->reduce, &b->client);
  if (make_one_thread(&m->reduce, b))
    proved = reduce_calls(&m->reduce, &b->client);
  if (reduce_values(&m->reduce, &b->client))
    proved = reduce_calls(&m->reduce, &b->client);
  return proved;
}

static bool make_proved(struct minimizer *m, struct bad *b) {
  bool proved = make_small(m, b);
  if (!proved && m->too_many && !m->others && !m->h->timed)
    proved = prove(m, b);
  return proved;
}

/* M1 */
static bool minimize(struct hunt *h, struct bad *b) {
  struct minimizer m;
  minimizer_init(&m, h, b);
  if (is_larger(&b->client, LARGE_CALLS))
    hunt_shrink(h, b);
  if (is_larger(&b->client, FEW_CALLS)) {
    hunt_thin(h, b);
    m.most = THINNED_STATES;
  }
  bool proved = make_proved(&m, b);
  if (m.others) { /* a smaller client fails: never mind how */
    m.others = false;
    h->checker.only = FAULT_NONE;
    proved = make_proved(&m, b);
  }
  map128_free(&m.proved);
  if (proved && h->set->bound_preemptions) {
    m.beyond = true;
    proved = prove(&m, b);
    map128_free(&m.proved);
  }
  h->checker.only = m.fault; /* of the client that is left */
  return proved;
}

/* Among the bad executions of the client, one with the fewest switches. */
static void make_tidy(struct hunt *h, struct bad *b) {
  if (hunt_prepare(h, &b->client) != RT_DONE)
    return;
  struct explore x;
  hunt_explore_init(h, &x);
  x.all = x.graph = true;
  x.deadline = h->patience;
  x.max_states = TIDY_STATES;
  hunt_explore(h, &x, SEARCH_STATEFUL);
  if (x.bad.len && x.bad_switches < path_switches(b->path.at, b->path.len)) {
    vec_free(&b->path);
    b->path = x.bad;
  } else {
    vec_free(&x.bad);
  }
}

/* The sequential run that fails is a client of one thread. */
static void sequential_client(const struct checker *j, struct client *out) {
  const struct client *c = j->client;
  *out = (struct client){0};
  for (uint32_t i = 0; i < c->ninit; i++)
    client_add_init(out, c->calls[i]);
  for (uint32_t i = 0; i < j->check.order.len; i++)
    client_add(out, 1, c->calls[j->check.order.at[i]]);
}

static void make_sequential(struct hunt *h, struct bad *b) {
  struct client alone;
  sequential_client(&h->checker, &alone);
  client_free(&b->client);
  b->client = alone;
  vec_clear(&b->path);
  h->checker.only = FAULT_NONE;
  struct minimizer m;
  minimizer_init(&m, h, b);
  check(&m, &b->client);
  map128_free(&m.proved);
}

/* The path was bad, and is not when it is run again.  If two runs of it differ,
 * the first difference is told. */
void hunt_not_repeatable(struct hunt *h, const uint8_t *at, uint32_t len) {
  struct retrace how = {.at = at, .len = len, .good_too = true};
  struct finding *f = finding_make(&h->checker, &how, h->work);
  if (f->fault != FAULT_DIVERGENCE) {
    char *words = xasprintf(
        "an execution of %s failed, and does not fail when the same schedule "
        "is run again: the code depends on something that Faultline does not "
        "control%s",
        h->checker.suite ? h->work->board->client : "the program",
        h->target->partial ? " (see the warnings)" : "");
    f->fault = FAULT_DIVERGENCE;
    f->detail = arena_strdup(&h->work->arena, words);
    free(words);
  }
  hunt_conclude(h, f);
}

/* What is known of how small the client is. */
static void tell_size(const struct hunt *h, struct finding *f, uint32_t from,
                      bool tried, bool minimal) {
  f->minimal_checked = minimal;
  f->minimal = h->shrinking;
  f->minimal.from = from;
  f->minimal.tried = tried;
  if (f->fault == FAULT_NOT_LINEARIZABLE && (minimal || !f->client.nfinal))
    f->minimal.type = f->client.nfinal ? 2 : 1; /* M2 */
}

void hunt_minimize(struct hunt *h, struct bad *b, bool simplify, bool tidy) {
  struct checker *j = &h->checker;
  bool minimal = false;
  h->found = true;
  if (j->spec)
    j->spec->deadline = 0; /* what was found is explained in any case */
  h->patience = clock_now() + MINIMIZE_SECONDS;
  if (h->timed && h->set->time > MINIMIZE_SECONDS)
    h->patience = clock_now() + h->set->time;
  uint64_t before = h->r->statistics.executions;
  uint32_t from = h->shrunk_from ? h->shrunk_from : b->client.ncalls;
  if (j->suite && j->spec_fault)
    make_sequential(h, b);
  j->only = j->fault;
  if (simplify && j->suite)
    minimal = minimize(h, b);
  if (tidy && j->suite)
    make_tidy(h, b);
  j->only = FAULT_NONE;
  h->minimizing = h->r->statistics.executions - before;
  if (j->suite)
    hunt_prepare(h, &b->client);
  struct retrace how = {.at = b->path.at, .len = b->path.len};
  struct finding *f = finding_make(j, &how, h->work);
  if (!f) {
    hunt_not_repeatable(h, b->path.at, b->path.len);
    return;
  }
  tell_size(h, f, from, simplify && j->suite, minimal);
  hunt_neighbour(h, f, &b->path);
  hunt_conclude(h, f);
}
