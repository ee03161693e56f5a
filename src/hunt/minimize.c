/*
 * From a bad execution to the smallest client that shows the same kind of
 * fault, and to its bad execution with the fewest switches.  If a client with
 * one call less fails with another kind of fault, that client is taken.
 *
 * (M1) when minimal_checked is set, every client with one call less was
 *      searched completely, without finding a fault.
 * (M2) the type of the fault (Pr needed or not) is reported if the client has
 *      no final calls or if M1 holds.  With M1 and final calls f1 … fn, no
 *      history of the concurrent calls alone fails: the client without fn is
 *      correct, its histories extend those without f1 … fn, and a prefix of a
 *      linearizable history is linearizable.
 */
#include "base/clock.h"
#include "base/map128.h"
#include "hunt/finding.h"
#include "hunt/inside.h"
#include "hunt/shrink.h"

#include <assert.h>
#include <string.h>

enum {
  MINIMIZE_STATES = 20000, /* of a client with one call less … */
  DROPPED_STATES = 2000,   /* … after hunt_drop_calls has tried its best */
  MINIMIZE_SECONDS = 20,   /* for all clients; a longer --time counts instead */
  PROVE_STATES = 500000,   /* of a client with one call less, when only the
                              proof of M1 is missing */
  PROVE_ALL = 1000000,     /* of all these clients together */
  TIDY_STATES = 200000,    /* of the minimal client */
  MINIMIZE_CUT = 100,      /* endless executions of a client, see cut_limit */
  LARGE_CALLS = 14,        /* with more concurrent calls: first hunt_shrink */
  FEW_CALLS = 5, /* with more concurrent calls: first hunt_drop_calls */
};

struct minimizer {
  struct hunt *h;
  struct bad *bad;
  struct reduce reduce;
  uint64_t most, left; /* states of one client, and of all clients to come */
  bool too_many;       /* a client had more states */
  bool others;         /* a client failed with another kind of fault */
  enum fault fault;    /* of the last client that failed */
  bool beyond; /* run executions with more preemptions than --preemptions
                  allows: if one fails it is no finding, but M1 is not
                  proved */
  struct map128 proved; /* keys of correct clients (key_of) */
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
  struct cut_limit limit;
  shrink_limit_cut(&x, &limit, MINIMIZE_CUT);
  enum explore_end how = hunt_explore(h, &x, SEARCH_STATEFUL);
  m->left -= x.states < m->left ? x.states : m->left;
  *bad = x.bad;
  *cut = x.cut != 0;
  return how;
}

/* The specification's state after the initial calls; false: their results are
 * not those of the specification, or it may be in one of several states. */
static bool explain_init(struct spec *spec, const struct client *c,
                         uint32_t *state) {
  *state = spec->initial;
  if ((spec->choose || spec->may_fail) && c->ninit)
    return false;
  for (uint32_t i = 0; i < c->ninit && !spec->skips_init; i++) {
    struct value v;
    if (spec_apply(spec, c, *state, i, &v, state) != SPEC_RETURNS ||
        !value_equal(v, rt_history()->ops[i].result))
      return false;
  }
  return true;
}

/* Two prepared clients with the same key have the same executions with the same
 * verdicts: the key is the memory, the specification's state and the calls
 * still to be made.  False: the client has no key. */
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

/* Does the prepared client show the same kind of fault? */
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
 * Is the client correct?  First with its data numbered as they appear: then
 * `push(7); pop(); {…}` and `push(3); pop(); {…}` leave the same memory and are
 * proved once.  A client that fails so is run with its own data.
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

/* A client of one thread: its initial and final calls become calls of that
 * thread. */
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

/* True: M1. */
static bool minimize(struct hunt *h, struct bad *b) {
  struct minimizer m;
  minimizer_init(&m, h, b);
  if (is_larger(&b->client, LARGE_CALLS))
    hunt_shrink(h, b);
  if (is_larger(&b->client, FEW_CALLS)) {
    hunt_drop_calls(h, b);
    m.most = DROPPED_STATES;
  }
  bool proved = make_proved(&m, b);
  if (m.others) { /* a smaller client fails: take any kind of fault */
    m.others = false;
    h->checker.only = FAULT_NONE;
    proved = make_proved(&m, b);
  }
  assert(!m.others); /* M1: no client with one call less fails otherwise */
  map128_free(&m.proved);
  if (proved && h->set->bound_preemptions) {
    m.beyond = true;
    proved = prove(&m, b);
    map128_free(&m.proved);
  }
  h->checker.only = m.fault; /* of the minimal client */
  return proved;
}

/* How often something else happens than usually does: a wait ends without a
 * reason, say. */
static uint32_t whims(const path *p) {
  uint32_t n = 0;
  for (uint32_t i = path_marks(p->at, p->len); i < p->len; i++)
    n += p->at[i] & PATH_CHOICE && p->at[i] != PATH_CHOICE;
  return n;
}

/* Finds the bad execution of the client with the fewest switches. */
static void make_tidy(struct hunt *h, struct bad *b) {
  if (hunt_prepare(h, &b->client) != RT_DONE)
    return;
  struct explore x;
  hunt_explore_init(h, &x);
  x.all = x.graph = true;
  x.deadline = h->patience;
  x.max_states = TIDY_STATES;
  hunt_explore(h, &x, SEARCH_STATEFUL);
  uint32_t had = path_switches(b->path.at, b->path.len);
  if (x.bad.len &&
      (x.bad_switches < had ||
       (x.bad_switches == had && whims(&x.bad) < whims(&b->path)))) {
    vec_free(&b->path);
    b->path = x.bad;
  } else {
    vec_free(&x.bad);
  }
}

/* The failing sequential run of the checker as a client of one thread. */
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

/* The path was bad and is good when it is run again.  If two runs of it differ,
 * the finding names the first difference. */
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

/* Notes what is known about the size of the client. */
static void note_size(const struct hunt *h, struct finding *f, uint32_t from,
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
    j->spec->deadline = 0; /* a fault is explained even after --time */
  h->patience = clock_now() + MINIMIZE_SECONDS;
  if (h->timed && h->set->time > MINIMIZE_SECONDS)
    h->patience = clock_now() + h->set->time;
  uint64_t before = h->r->statistics.executions;
  uint32_t from = h->shrunk_from ? h->shrunk_from : b->client.ncalls;
  if (j->suite && j->spec_fault)
    make_sequential(h, b);
  j->only = j->fault;
  if (j->fault == FAULT_PROGRESS) /* smaller clients came before, and
                                     only its own search finds it */
    simplify = tidy = false;
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
  note_size(h, f, from, simplify && j->suite, minimal);
  if (f->fault != FAULT_PROGRESS)
    hunt_neighbour(h, f, &b->path);
  hunt_conclude(h, f);
}
