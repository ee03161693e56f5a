/*
 * The way follows the coarse-grained localization of the CGVT paper: a serial
 * start that stands for the long past, a few concurrent calls, and calls that
 * show the state which they leave.
 *
 * 1. The shortest prefix of the history that is not linearizable ends with the
 *    return of one call, the witness; what returned before it has an order that
 *    explains it.
 * 2. Windows of overlapping calls (search/stress_windows.h), those next to the
 *    witness first, since what it saw may have happened long before.
 * 3. Each window's client is searched: all states if they are few, else
 *    executions drawn at random and by priorities.  Narrow windows come first.
 * 4. Initial calls that are not needed are taken away in large pieces, before
 *    the hunt takes away calls one by one.
 *
 * Effort is counted in steps; each width has its share, and what one does not
 * use is for the next.
 */
#include "cli/from_history.h"

#include "search/stress_windows.h"

#include <stdlib.h>

enum {
  REPEAT_EFFORT = 6000000, /* steps in all: about a few seconds */
  CALL_EFFORT = 20,        /* of an initial call, which is not counted */
  REPEAT_STATES = 3000,    /* of one client, … */
  REPEAT_EXECUTIONS = 500, /* … and executions */
  REPEAT_SAMPLES = 50,     /* executions of one that has more, twice */
  CALL_STEPS = 1000,       /* that --max-steps allows for an initial call */
  PREFIX_BUDGET = 30000,   /* of a check, in calls of the specification */
  OWN_PREFIX_BUDGET = 10000,
  KEEP_MOST = 32,   /* initial calls */
  WHOLE_CALLS = 12, /* of a client that is tried as it is */
  NO_CALL = UINT32_MAX,
};

/* Which windows: of what width, each how many-th, after initial calls? */
struct level {
  uint32_t width, stride;
  bool init;
};
static const struct level levels[] = {
    {1, 1, false}, {1, 1, true}, {2, 1, true},
    {4, 2, true},  {8, 4, true}, {16, 8, true},
};
enum { LEVELS = sizeof levels / sizeof *levels };

struct repeat {
  struct hunt *h;
  const struct history *failing;
  struct hint hint;
  uint32_t witness; /* the call whose return cannot be explained, or NO_CALL */
  VEC(uint32_t) order;
  struct map128 tried; /* clients */
  uint64_t clients, effort;
  struct client now; /* the one that is prepared */
  struct bad bad;
  enum fault fault;
};

/* ---- the shortest prefix that fails ---- */

/* The history as it was at `time`. */
static void cut(const struct history *h, uint32_t time, struct hop *ops) {
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    ops[i] = h->ops[i];
    if (ops[i].ret > time)
      ops[i].ret = HISTORY_PENDING;
    if (ops[i].call > time)
      ops[i].call = HISTORY_PENDING;
  }
}

static enum check_answer check_prefix(const struct repeat *p, uint32_t time,
                                      struct check *check) {
  const struct jury *j = &p->h->jury;
  struct history prefix = {.client = p->failing->client};
  prefix.ops = xmalloc((prefix.client->ncalls + 1) * sizeof *prefix.ops);
  cut(p->failing, time, prefix.ops);
  check_linearize(&prefix, j->spec, j->criterion,
                  j->implementation ? OWN_PREFIX_BUDGET : PREFIX_BUDGET, check);
  free(prefix.ops);
  return check->answer;
}

static bool is_bad(const struct repeat *p, uint32_t time, struct check *check) {
  enum check_answer a = check_prefix(p, time, check);
  return a == CHECK_NO || a == CHECK_SPEC_FAULT;
}

static uint32_t last_time(const struct history *h) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    if (hop_called(&h->ops[i]) && h->ops[i].call > last)
      last = h->ops[i].call;
    if (!hop_pending(&h->ops[i]) && h->ops[i].ret > last)
      last = h->ops[i].ret;
  }
  return last;
}

/*
 * Prefixes of a linearizable history are linearizable, so halving finds the
 * shortest that is not.  (A check that runs out of budget counts as good: the
 * prefix is longer then.)
 */
static void find_end(struct repeat *p, struct check *check) {
  uint32_t good = 0, bad = last_time(p->failing);
  p->hint.end = bad;
  p->witness = NO_CALL;
  if (!is_bad(p, bad, check))
    return; /* not the history is at fault but the object crashed, … */
  while (bad - good > 1) {
    uint32_t middle = good + (bad - good) / 2;
    *(is_bad(p, middle, check) ? &bad : &good) = middle;
  }
  p->hint.end = bad;
  for (uint32_t i = 0; i < p->failing->client->ncalls; i++)
    if (p->failing->ops[i].ret == bad)
      p->witness = i;
}

/* ---- an order of what came before ---- */

static bool is_past(const struct repeat *p, uint32_t id, uint32_t time) {
  const struct hop *o = &p->failing->ops[id];
  return id < client_first_final(p->failing->client) && !hop_pending(o) &&
         o->ret <= time;
}

struct end {
  uint32_t ret, id;
};

static int by_return(const void *a, const void *b) {
  const struct end *x = a, *y = b;
  if (x->ret != y->ret)
    return x->ret < y->ret ? -1 : 1;
  return x->id < y->id ? -1 : 1;
}

static void order_by_returns(struct repeat *p, uint32_t time) {
  VEC(struct end) ends = {0};
  for (uint32_t i = 0; i < p->failing->client->ncalls; i++)
    if (is_past(p, i, time))
      vec_push(&ends, ((struct end){p->failing->ops[i].ret, i}));
  if (ends.len)
    qsort(ends.at, ends.len, sizeof *ends.at, by_return);
  for (uint32_t i = 0; i < ends.len; i++)
    vec_push(&p->order, ends.at[i].id);
  vec_free(&ends);
}

/* As the specification explains it, or else as the calls returned. */
static void find_order(struct repeat *p, struct check *check) {
  uint32_t time = p->hint.end - (p->witness != NO_CALL);
  if (check_prefix(p, time, check) == CHECK_YES) {
    uint32_t skipped =
        p->h->jury.spec->skips_init ? p->failing->client->ninit : 0;
    for (uint32_t i = 0; i < skipped; i++)
      vec_push(&p->order, i);
    for (uint32_t i = 0; i < check->order.len; i++)
      if (is_past(p, check->order.at[i], time))
        vec_push(&p->order, check->order.at[i]);
  } else {
    order_by_returns(p, time);
  }
  p->hint.order = p->order.at;
  p->hint.len = p->order.len;
}

static void find_hint(struct repeat *p) {
  struct check check = {0};
  p->hint.history = p->failing;
  find_end(p, &check);
  find_order(p, &check);
  check_free(&check);
}

/* ---- searching one client ---- */

static uint64_t steps_so_far(const struct hunt *h) {
  return h->r->statistics.events + h->r->statistics.transitions;
}

static bool draw(struct hunt *h, int search, uint64_t seed, path *out) {
  struct explore x;
  hunt_explore_init(h, &x);
  x.max_executions = REPEAT_SAMPLES;
  x.seed = seed;
  bool bad = hunt_explore(h, &x, search) == EXPLORE_BAD;
  if (bad)
    *out = x.bad;
  else
    vec_free(&x.bad);
  return bad;
}

static bool search(struct hunt *h, uint64_t seed, path *out) {
  struct explore x;
  hunt_explore_init(h, &x);
  x.max_states = REPEAT_STATES;
  x.max_executions = REPEAT_EXECUTIONS;
  x.max_memory = h->set->memory;
  enum explore_end how = hunt_explore(h, &x, SEARCH_STATEFUL);
  if (how == EXPLORE_BAD) {
    *out = x.bad;
    return true;
  }
  vec_free(&x.bad);
  if (how == EXPLORE_ALL || how == EXPLORE_TIME)
    return false;
  return draw(h, SEARCH_RANDOM, seed, out) || draw(h, SEARCH_PCT, seed, out);
}

/* Does the client `now` fail?  Then it is the bad one.  One that fails before
 * its threads begin does not count: the initial calls are a guess, and may wait
 * for ever. */
static bool fails(struct repeat *p) {
  struct hunt *h = p->h;
  uint32_t ninit = p->now.ninit;
  uint64_t before = steps_so_far(h);
  path found = {0};
  bool bad = false;
  rt_limit((uint32_t)h->set->max_steps + CALL_STEPS * ninit);
  if (hunt_prepare(h, &p->now) == RT_DONE)
    bad = search(h, h->set->seed + p->clients, &found);
  p->effort += steps_so_far(h) - before + CALL_EFFORT * ninit;
  if (bad) {
    client_free(&p->bad.client);
    vec_free(&p->bad.path);
    client_copy(&p->bad.client, &p->now);
    p->bad.path = found;
  }
  return bad;
}

/* ---- windows ---- */

static bool is_late(const struct hunt *h) {
  return h->timed && explore_now() >= h->deadline;
}

static bool is_new(struct repeat *p, const struct client *c) {
  struct buf text = {0};
  bool fresh;
  client_print(c, &p->h->object.names, &text);
  map128_put(&p->tried, hash128(text.at, text.len, 0), &fresh);
  buf_free(&text);
  return fresh;
}

/* The window's calls, then the witness, then what shows the state. */
static void make_client(const struct repeat *p, struct window w,
                        const struct level *l, struct client *out) {
  const struct gen_object *gen = &p->h->object.gen;
  struct client c;
  window_client(&p->hint, w, l->width, l->init, &c);
  if (p->witness != NO_CALL && p->witness != w.first &&
      p->witness != w.second) {
    struct call call = p->failing->client->calls[p->witness];
    if (!gen->ops[call.op].waits)
      client_add_final(&c, call);
  }
  generate_final(gen, &c, out);
  client_free(&c);
}

static bool try_window(struct repeat *p, struct window w,
                       const struct level *l) {
  client_free(&p->now);
  make_client(p, w, l, &p->now);
  if (!is_new(p, &p->now))
    return false;
  p->clients++;
  return fails(p);
}

/* A client that is small is tried as it is: its calls may not have overlapped
 * although they could have. */
static bool try_whole(struct repeat *p) {
  if (p->failing->client->ncalls > WHOLE_CALLS)
    return false;
  client_free(&p->now);
  client_copy(&p->now, p->failing->client);
  is_new(p, &p->now);
  p->clients++;
  return fails(p);
}

/* The object fails when calls are made one after the other: by one thread. */
static bool try_alone(struct repeat *p) {
  const struct client *c = p->failing->client;
  struct check check = {0};
  bool faulty = check_prefix(p, p->hint.end, &check) == CHECK_SPEC_FAULT;
  if (faulty) {
    client_free(&p->now);
    for (uint32_t i = 0; i < c->ninit; i++)
      client_add_init(&p->now, c->calls[i]);
    for (uint32_t i = 0; i < check.order.len; i++)
      client_add(&p->now, 1, c->calls[check.order.at[i]]);
    p->clients++;
  }
  check_free(&check);
  return faulty && fails(p);
}

static bool try_all(struct repeat *p, const window_list *windows) {
  for (uint32_t n = 0; n < LEVELS; n++) {
    uint64_t share = REPEAT_EFFORT / LEVELS * (n + 1);
    for (uint32_t i = 0; i < windows->len; i += levels[n].stride) {
      if (p->effort >= share || is_late(p->h))
        break;
      if (try_window(p, windows->at[i], &levels[n]))
        return true;
    }
  }
  return false;
}

/* ---- fewer initial calls ---- */

static void without_init(const struct client *from, uint32_t at, uint32_t n,
                         struct client *to) {
  client_copy(to, from);
  for (uint32_t i = at; i + n < from->ncalls; i++)
    to->calls[i] = to->calls[i + n];
  to->ncalls -= n;
  to->ninit -= n;
}

static bool try_without(struct repeat *p, uint32_t at, uint32_t n) {
  client_free(&p->now);
  without_init(&p->bad.client, at, n, &p->now);
  return fails(p);
}

static void drop_pieces(struct repeat *p) {
  for (uint32_t n = p->bad.client.ninit; n; n /= 2)
    for (uint32_t at = 0; at + n <= p->bad.client.ninit;)
      if (is_late(p->h) || !try_without(p, at, n))
        at += n;
}

/* A state that comes again after some calls, but after none in between, is
 * found when only the first few or the last few of them are kept. */
static void keep_few(struct repeat *p) {
  uint32_t ninit = p->bad.client.ninit;
  for (uint32_t k = 1; k < ninit && k <= KEEP_MOST && !is_late(p->h); k++)
    if (try_without(p, 0, ninit - k) || try_without(p, k, ninit - k))
      return;
}

static void drop_init(struct repeat *p) {
  p->h->jury.only = p->fault;
  drop_pieces(p);
  keep_few(p);
  p->h->jury.only = FAULT_NONE;
}

static void conclude(struct repeat *p) {
  struct jury *j = &p->h->jury;
  p->fault = j->fault;
  if (!j->spec_fault) { /* else the hunt wants the jury as it is */
    drop_init(p);
    j->fault = p->fault;
    j->spec_fault = false;
  }
  hunt_minimize(p->h, &p->bad, true, true);
}

/* ---- */

static char *say_found(const struct repeat *p) {
  return xasprintf(
      "repeated under the scheduler with client %llu of those that "
      "were made of the failing history",
      (unsigned long long)p->clients);
}

static char *say_not_found(const struct repeat *p, uint32_t nwindows) {
  static const char what[] = "the failing history could not be repeated under "
                             "the scheduler";
  if (!nwindows && !p->clients)
    return xasprintf("%s: no two of its calls overlap", what);
  return xasprintf("%s: %sno fault in %llu client%s made of its calls (what "
                   "only real processors do, such as delaying a store, the "
                   "scheduler does not)",
                   what, is_late(p->h) ? "--time ended the search; " : "",
                   (unsigned long long)p->clients, p->clients == 1 ? "" : "s");
}

bool from_history(struct hunt *h, const struct history *failing,
                  char **sentence) {
  struct repeat p = {.h = h, .failing = failing};
  window_list windows = {0};
  find_hint(&p);
  windows_find(&p.hint, &windows);
  bool bad = try_alone(&p) || try_whole(&p) || try_all(&p, &windows);
  if (bad)
    conclude(&p);
  *sentence = bad ? say_found(&p) : say_not_found(&p, windows.len);
  vec_free(&windows);
  vec_free(&p.order);
  map128_free(&p.tried);
  client_free(&p.now);
  client_free(&p.bad.client);
  vec_free(&p.bad.path);
  return bad && h->r->finding;
}
