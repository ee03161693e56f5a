/*
 * Random clients, for sizes that cannot be enumerated: operations by weight,
 * values mostly different, initial calls that change the object.
 */
#include "base/err.h"
#include "base/slow.h"
#include "search/generate_object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  TRIES = 64,
  INIT_TRIES = 8, /* to find an initial call that changes something */
};

struct draw {
  const struct own_object *o;
  struct rng *rng;
  uint32_t *owner; /* by operation: the only thread that may call it, or 0 */
  uint32_t *used;  /* by class */
  bool distinct;   /* G8 */
  bool victim;     /* the first thread has one call, the second several */
};

static bool can_call(const struct draw *d, uint32_t op, uint32_t thread) {
  const struct own_op *o = &d->o->ops[op];
  if (!o->usable || (thread == 0 && o->waits))
    return false;
  return thread == 0 || !o->group || d->owner[op] == thread;
}

/* Gives each group to a thread; operations of one group to the same. */
static void deal_groups(struct draw *d, uint32_t threads) {
  for (uint32_t i = 0; i < d->o->nops; i++) {
    d->owner[i] = 1 + (uint32_t)rng_below(d->rng, threads);
    for (uint32_t k = 0; k < i; k++)
      if (d->o->ops[k].group == d->o->ops[i].group)
        d->owner[i] = d->owner[k];
  }
}

/*
 * A call that returns nothing cannot show a fault, so threads have fewer of
 * them.  A call with arguments or without a result may put something in, so
 * there are more of them before the threads begin.  Beside a victim, which
 * shows it, all are alike.
 */
static uint64_t weight_of(const struct draw *d, uint32_t op, uint32_t thread) {
  const struct own_op *o = &d->o->ops[op];
  if (!can_call(d, op, thread))
    return 0;
  if (d->victim && thread > 1)
    return 1;
  bool often = thread ? o->returns : o->nargs > 0 || !o->returns;
  return often ? (thread ? 2 : 3) : 1;
}

static uint64_t total_weight(const struct draw *d, uint32_t thread) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < d->o->nops; i++)
    sum += weight_of(d, i, thread);
  return sum;
}

static uint32_t draw_value(struct draw *d, const struct own_arg *a) {
  bool room = a->klass != NO_CLASS && d->used[a->klass] < a->count;
  uint32_t index;
  if (room &&
      (d->distinct || d->used[a->klass] == 0 || rng_below(d->rng, 4) > 0))
    index = d->used[a->klass]; /* different values tell more */
  else if (room)
    index = (uint32_t)rng_below(d->rng, d->used[a->klass]);
  else
    index = (uint32_t)rng_below(d->rng, a->count);
  own_use(a, index, d->used);
  return index;
}

static struct call draw_arguments(struct draw *d, uint32_t op) {
  const struct own_op *o = &d->o->ops[op];
  struct call call = {.op = (uint16_t)op, .nargs = (uint8_t)o->nargs};
  for (uint32_t k = 0; k < o->nargs; k++)
    call.args[k] = o->args[k].values[draw_value(d, &o->args[k])];
  return call;
}

static struct call draw_call(struct draw *d, uint32_t thread) {
  uint64_t at = rng_below(d->rng, total_weight(d, thread));
  uint32_t op = 0;
  for (;; op++) {
    assert(op < d->o->nops);
    uint64_t w = weight_of(d, op, thread);
    if (at < w)
      break;
    at -= w;
  }
  return draw_arguments(d, op);
}

/* Beside a victim, sometimes one operation again and again: what it counts
 * comes round. */
static void draw_thread(struct draw *d, uint32_t thread, uint32_t as,
                        uint64_t n, struct client *out) {
  struct call call = draw_call(d, thread);
  bool same = d->victim && n > 1 && rng_below(d->rng, 4) == 0;
  for (; n > 0; n--) {
    client_add(out, as, call);
    if (n > 1)
      call = same ? draw_arguments(d, call.op) : draw_call(d, thread);
  }
}

static uint32_t busy_threads(const struct draw *d, uint32_t threads) {
  uint32_t n = 0;
  for (uint32_t t = 1; t <= threads; t++)
    n += total_weight(d, t) > 0;
  return n;
}

/* Adds an initial call that changes the object, if one is found (G7). */
static void draw_init(struct draw *d, const struct gen_limits *l,
                      struct client *out) {
  uint32_t n = d->o->nclasses, used[n + 1];
  memcpy(used, d->used, n * sizeof *used);
  for (uint32_t i = 0; i < INIT_TRIES; i++) {
    struct client more;
    client_copy(&more, out);
    client_add_init(&more, draw_call(d, 0));
    if (!l->changes || l->changes(l->ctx, &more)) {
      client_free(out);
      *out = more;
      return;
    }
    client_free(&more);
    memcpy(d->used, used, n * sizeof *used);
  }
}

/* The largest of three: most faults need something to be there. */
static uint64_t draw_init_count(struct draw *d, const struct gen_limits *l) {
  uint64_t most = 0;
  for (int i = 0; i < 3; i++) {
    uint64_t n = rng_below(d->rng, (uint64_t)l->init + 1);
    most = n > most ? n : most;
  }
  return most;
}

static void draw_calls(struct draw *d, const struct gen_limits *l,
                       uint32_t threads, uint32_t ops, struct client *out) {
  if (total_weight(d, 0))
    for (uint64_t n = draw_init_count(d, l); n > 0; n--)
      draw_init(d, l, out);
  uint32_t busy = busy_threads(d, threads);
  uint32_t longest = (uint32_t)rng_below(d->rng, busy), made = 0;
  for (uint32_t t = 1; t <= threads; t++) {
    if (!total_weight(d, t))
      continue;
    uint64_t n = made == longest ? ops : 1 + rng_below(d->rng, ops);
    if (d->victim)
      n = made && ops > 2 ? 2 + rng_below(d->rng, ops - 1) : 1 + made;
    made++;
    draw_thread(d, t, made, n, out);
  }
}

static bool draw_client(struct generator *g, struct rng *rng, uint32_t threads,
                        uint32_t ops, bool victim, struct client *out) {
  struct draw d = {.o = &g->object,
                   .rng = rng,
                   .distinct = g->limits.distinct,
                   .victim = victim};
  d.owner = xcalloc(g->object.nops + 1, sizeof *d.owner);
  d.used = xcalloc(g->object.nclasses + 1, sizeof *d.used);
  bool ok = false;
  /* If all groups fall to one thread, they are dealt again. */
  for (uint32_t i = 0; i < TRIES && !ok; i++) {
    deal_groups(&d, threads);
    ok = busy_threads(&d, threads) >= 2;
  }
  if (ok)
    draw_calls(&d, &g->limits, threads, ops, out);
  free(d.owner);
  free(d.used);
  return ok;
}

static bool draw(struct generator *g, struct rng *rng, uint32_t threads,
                 uint32_t ops, bool victim, struct client *out) {
  const struct gen_limits *l = &g->limits;
  if (threads > CLIENT_MAX_THREADS)
    threads = CLIENT_MAX_THREADS;
  *out = (struct client){0};
  if (threads < 2 || !ops)
    return false;
  bool ok = draw_client(g, rng, threads, ops, victim, out);
  for (uint32_t i = 0; i < TRIES && ok; i++) {
    if (!client_has_part_of(out, l->without, l->nwithout))
      break; /* G11 */
    client_free(out);
    *out = (struct client){0};
    ok = i + 1 < TRIES && draw_client(g, rng, threads, ops, victim, out);
  }
  if (ok && l->final)
    own_add_final(&g->object, l, out);
  check_slow(!ok || (generated_check_invariants(&g->object, l, out), true));
  return ok;
}

bool generator_random(struct generator *g, struct rng *rng, uint32_t threads,
                      uint32_t ops, struct client *out) {
  return draw(g, rng, threads, ops, false, out);
}

bool generator_victim(struct generator *g, struct rng *rng, uint32_t ops,
                      struct client *out) {
  return draw(g, rng, 2, ops, true, out);
}
