/*
 * The object as its own specification against the plain way to know what a
 * sequence of calls returns: a client of one thread that makes them.  Some
 * calls are left out, as those that fail without a reason.
 */
#include "engine_objects.h"

enum {
  CLIENTS = 12,
  MOST_TRIES = 100,
  MOST_ORDERS = 200,
  LONG = 15,
  LONG_ORDERS = 20,
  MOST_CALLS = 2 * LONG
};

struct order {
  uint32_t call[MOST_CALLS];
  uint32_t len;
  struct value result[MOST_CALLS];
  enum spec_answer last; /* of the last call; the others return */
};

typedef VEC(struct order) order_list;

/* Every order of the concurrent calls that keeps each thread's own, up to the
 * first call that does not return. */
static void walk(struct spec *s, const struct client *c, struct order *now,
                 uint32_t state, uint32_t left_out, order_list *out) {
  bool any = false;
  for (uint32_t i = c->ninit; i < client_first_final(c); i++) {
    bool free_to_go = i != left_out;
    for (uint32_t k = 0; k < now->len; k++)
      free_to_go &= now->call[k] != i;
    for (uint32_t k = c->ninit; k < i && free_to_go; k++)
      if (c->calls[k].thread == c->calls[i].thread && k != left_out) {
        bool made = false;
        for (uint32_t j = 0; j < now->len; j++)
          made |= now->call[j] == k;
        free_to_go = made;
      }
    if (!free_to_go || out->len >= MOST_ORDERS)
      continue;
    any = true;
    uint32_t next = 0, at = now->len++;
    now->call[at] = i;
    now->last = spec_apply(s, c, state, i, &now->result[at], &next);
    if (now->last == SPEC_RETURNS)
      walk(s, c, now, next, left_out, out);
    else
      vec_push(out, *now);
    now->len--;
  }
  if (!any && now->len) {
    now->last = SPEC_RETURNS;
    vec_push(out, *now);
  }
}

/* One order at random, of a long client: states that were kept on the way
 * there are used.  Some calls are left out. */
static void wander(struct spec *s, const struct client *c, struct rng *rng,
                   struct order *o) {
  uint32_t next[3] = {0}, state = s->initial;
  uint32_t end[3] = {0, 0, client_first_final(c)};
  for (uint32_t i = end[2]; i-- > c->ninit;)
    next[c->calls[i].thread] = i;
  end[1] = c->nthreads > 1 ? next[2] : end[2];
  while (next[1] < end[1] || next[2] < end[2]) {
    uint32_t t = 1 + (uint32_t)rng_below(rng, 2);
    if (next[t] >= end[t])
      t = 3 - t;
    if (s->may_fail && !rng_below(rng, 8) && ++next[t])
      continue;
    uint32_t at = o->len++;
    o->call[at] = next[t]++;
    o->last = spec_apply(s, c, state, o->call[at], &o->result[at], &state);
    if (o->last != SPEC_RETURNS)
      return;
  }
}

static bool waits(enum rt_end end) {
  return end == RT_STUCK ||
         (end == RT_FAULT && (rt_fault()->kind == FAULT_DEADLOCK ||
                              rt_fault()->kind == FAULT_LIVELOCK));
}

/* Runs the order in one thread and compares. */
static bool same_alone(const struct client *c, const struct order *o) {
  struct client alone = {0};
  for (uint32_t i = 0; i < c->ninit; i++)
    client_add_init(&alone, c->calls[i]);
  for (uint32_t i = 0; i < o->len; i++)
    client_add(&alone, 1, c->calls[o->call[i]]);
  bool ok = CHECK_INT(rt_prepare(engine.suite, &alone), RT_DONE);
  enum rt_end end = rt_run(NULL);
  const struct history *h = rt_history();
  for (uint32_t i = 0; i < o->len && ok; i++) {
    const struct hop *have = &h->ops[c->ninit + i];
    bool last = i + 1 == o->len;
    if (last && o->last == SPEC_WAITS)
      ok = CHECK(hop_pending(have)) && CHECK(waits(end));
    else if (last && o->last == SPEC_FAULT)
      ok = CHECK(hop_pending(have)) && CHECK_INT(end, RT_FAULT);
    else
      ok = CHECK(!hop_pending(have)) &&
           CHECK(value_equal(have->result, o->result[i]));
  }
  if (!ok)
    fprintf(stderr, "  alone: %s\n", engine_text(&alone));
  client_free(&alone);
  return ok;
}

static void compare_long(struct spec *s, struct generator *g, struct rng *rng) {
  struct client c;
  if (!generator_random(g, rng, 2, LONG, &c))
    return;
  for (uint32_t i = 0; i < LONG_ORDERS && !test_errors; i++) {
    struct order o = {0};
    if (rt_prepare(engine.suite, &c) != RT_DONE)
      break;
    spec_implementation_client(s, &c);
    s->may_fail = i % 2 ? xcalloc(1, sizeof *s->may_fail) : NULL;
    wander(s, &c, rng, &o);
    free(s->may_fail);
    s->may_fail = NULL;
    if (!same_alone(&c, &o))
      fprintf(stderr, "  client: %s\n", engine_text(&c));
  }
  client_free(&c);
}

static void compare(void *arg) {
  struct engine_object *object = arg;
  engine_open(object->so, &object->options);
  struct rng rng = {7};
  struct gen_limits limits = {.threads = 3, .ops = 3, .init = 2};
  struct generator *g = generator_new(&engine.object, &limits);
  struct spec *s = spec_implementation();
  uint64_t orders = 0;
  uint32_t prepared = 0; /* others have a fault in their initial calls */
  for (uint32_t i = 0; i < MOST_TRIES && prepared < CLIENTS && !test_errors;
       i++) {
    struct client c;
    uint32_t threads = 2 + (uint32_t)rng_below(&rng, 2);
    uint32_t ops = 1 + (uint32_t)rng_below(&rng, threads == 2 ? 3 : 2);
    if (!generator_random(g, &rng, threads, ops, &c))
      break;
    if (rt_prepare(engine.suite, &c) == RT_DONE) {
      order_list list = {0};
      struct order now = {0};
      prepared++;
      spec_implementation_client(s, &c);
      /* Any call, or none. */
      uint32_t left_out = (uint32_t)rng_below(&rng, c.ncalls + 2);
      s->may_fail = xcalloc(1, sizeof *s->may_fail);
      walk(s, &c, &now, s->initial, left_out, &list);
      free(s->may_fail);
      s->may_fail = NULL;
      for (uint32_t k = 0; k < list.len && !test_errors; k++)
        if (!same_alone(&c, &list.at[k]))
          fprintf(stderr, "  client: %s\n", engine_text(&c));
      orders += list.len;
      vec_free(&list);
    }
    client_free(&c);
  }
  CHECK(orders > CLIENTS);
  compare_long(s, g, &rng);
  spec_free(s);
  generator_free(g);
  if (test_errors)
    fprintf(stderr, "  object: %s\n", object->name);
}

TEST(an_order_of_calls_returns_what_one_thread_gets) {
  for (size_t i = 0; i < ENGINE_OBJECTS; i++) {
    struct engine_object *o = &engine_objects[i];
    if (o->options.spurious_cas) /* more than one sequential behaviour */
      continue;
    o->so = engine_build(o->text, NULL);
    engine_child(compare, o);
    free(o->so);
  }
}

TEST_MAIN
