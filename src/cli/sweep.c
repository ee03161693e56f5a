/*
 * All small clients, smallest first, each with every interleaving where it is
 * small enough, else with some that are drawn; then random larger ones until
 * the budget ends.  Says in a sentence what was covered.
 */
#include "cli/hunt_int.h"

#include "search/generate.h"

enum {
  /* Budgets without --time and --max-executions, in steps: about a second. */
  SWEEP_STEPS = 500000,  /* all small clients */
  SAMPLE_STEPS = 200000, /* random larger ones */
  CLIENT_STATES = 20000, /* of one client in the sweep */
};

struct sweep {
  uint32_t size;      /* calls of the present client, final ones left out */
  uint32_t full_size; /* every client with so many calls was exhausted */
  bool size_full;     /* … of those of `size` so far */
  bool all;           /* the generator has no more */
};

static void set_budget(struct hunt *h, struct explore *x) {
  hunt_explore_init(h, x);
  bool bounded = h->timed || h->counted;
  x->max_states = bounded ? h->set->max_states : CLIENT_STATES;
  x->max_memory = h->set->memory;
  int search = h->set->search;
  if (!search_is_exhaustive(search))
    x->max_executions = hunt_executions_left(h, HUNT_SAMPLES);
  else if (search == SEARCH_DFS || search == SEARCH_DPOR) /* have no states */
    x->max_executions =
        hunt_executions_left(h, bounded ? x->max_states : 10 * CLIENT_STATES);
  else
    x->max_executions = hunt_executions_left(h, 0);
}

static bool draw(struct hunt *h, const struct client *c, uint64_t seed,
                 int search, uint32_t depth, uint64_t executions) {
  struct explore x;
  enum explore_end how;
  hunt_explore_init(h, &x);
  x.seed = seed;
  x.max_executions = hunt_executions_left(h, executions);
  if (depth)
    x.depth = depth;
  return hunt_look(h, c, &x, search, true, &how);
}

/*
 * A client that is too large for all of its interleavings.  Random walks find
 * what has many chances to happen, PCT what needs few constraints in a long
 * execution: half of the executions each.  Bugs of depth 1 need no luck.
 */
static bool sample_client(struct hunt *h, const struct client *c,
                          uint64_t seed) {
  int search = h->set->search;
  if (!search_is_exhaustive(search))
    return draw(h, c, seed, search, 0, HUNT_SAMPLES);
  uint32_t depth = 2 + (uint32_t)(h->sampled % 2);
  return draw(h, c, seed, SEARCH_RANDOM, 0, HUNT_SAMPLES / 2) ||
         draw(h, c, seed, SEARCH_PCT, depth, HUNT_SAMPLES / 2);
}

static bool try_client(struct hunt *h, struct sweep *w,
                       const struct client *c) {
  struct explore x;
  enum explore_end how;
  enum rt_end end = hunt_prepare(h, c);
  h->clients++;
  if (end != RT_DONE)
    return hunt_setup_failed(h, c, end);
  set_budget(h, &x);
  if (hunt_look(h, c, &x, h->set->search, true, &how))
    return true;
  if (how == EXPLORE_ALL && !x.cut && search_is_exhaustive(h->set->search)) {
    h->exhaustive++;
    return false;
  }
  w->size_full = false;
  h->sampled++;
  bool too_large = how == EXPLORE_STATES || how == EXPLORE_EXECUTIONS ||
                   how == EXPLORE_MEMORY;
  return too_large && hunt_goes_on(h, UINT64_MAX) &&
         sample_client(h, c, h->set->seed);
}

static void end_size(struct sweep *w) {
  if (w->size && w->size_full)
    w->full_size = w->size;
}

static bool all_small(struct hunt *h, struct generator *g, struct sweep *w) {
  struct client c;
  while (generator_next(g, &c)) {
    uint32_t calls = client_first_final(&c);
    if (calls != w->size) {
      end_size(w);
      w->size = calls;
    }
    bool goes_on = hunt_goes_on(h, SWEEP_STEPS);
    bool bad = goes_on && try_client(h, w, &c);
    client_free(&c);
    if (!goes_on || bad)
      return bad;
  }
  end_size(w);
  w->all = true;
  return false;
}

static bool random_larger(struct hunt *h, struct generator *g) {
  struct rng rng = {h->set->seed};
  uint64_t budget = hunt_effort(h) + SAMPLE_STEPS;
  bool bad = false;
  while (!bad && hunt_goes_on(h, budget)) {
    struct client c, whole;
    uint32_t threads = 2 + (uint32_t)rng_below(&rng, h->set->threads - 1);
    uint32_t ops = 2 + (uint32_t)rng_below(&rng, h->set->ops);
    if (!generator_random(g, &rng, threads, ops, &c))
      return false;
    generate_final(&h->object.gen, &c, &whole);
    client_free(&c);
    if (hunt_prepare(h, &whole) == RT_DONE) {
      h->clients++;
      bad = sample_client(h, &whole, rng_next(&rng));
      h->sampled += !bad;
    }
    client_free(&whole);
  }
  return bad;
}

/* ---- what was covered ---- */

static void put_clients(struct buf *b, uint64_t n) {
  buf_printf(b, "%llu client%s", (unsigned long long)n, n == 1 ? "" : "s");
}

static void say_all(const struct hunt *h, uint64_t swept, struct buf *b) {
  buf_puts(b, "all interleavings of all ");
  put_clients(b, swept);
  buf_printf(b,
             " of up to %u threads with up to %u calls each, after up to %u "
             "initial calls",
             (unsigned)h->set->threads, (unsigned)h->set->ops,
             (unsigned)h->set->init);
}

static void say_some(const struct hunt *h, const struct sweep *w,
                     struct buf *b) {
  buf_puts(b, h->set->no_real_time ? "all orders of conflicting accesses, "
                                     "without those of calls and returns, of "
                                   : "all interleavings of ");
  put_clients(b, h->exhaustive);
  if (w->full_size)
    buf_printf(b,
               ", among them every client of up to %u calls (final calls not "
               "counted)",
               w->full_size);
}

static void say_sampled(const struct hunt *h, struct buf *b) {
  int search = h->set->search;
  if (search_is_exhaustive(search))
    buf_puts(b, "random interleavings, half of them by PCT with depth 2 or 3,");
  else
    buf_printf(b, "%s interleavings", search_words[search]);
  buf_puts(b, " of ");
  put_clients(b, h->sampled);
  if (h->set->bound_preemptions)
    buf_printf(b, " with at most %llu preemptions",
               (unsigned long long)h->set->preemptions);
}

static void say_found(const struct hunt *h, struct buf *b) {
  buf_printf(b, "found in client %llu", (unsigned long long)h->clients);
  if (h->minimizing)
    buf_printf(b, "; %llu of the executions looked for a smaller one",
               (unsigned long long)h->minimizing);
}

/* What passed: empty when nothing did. */
static void say_passed(const struct hunt *h, const struct sweep *w,
                       uint64_t swept, struct buf *b) {
  if (h->sequences)
    buf_printf(b, "%llu sequence%s of calls by one thread",
               (unsigned long long)h->sequences, h->sequences == 1 ? "" : "s");
  if (b->len && h->exhaustive)
    buf_puts(b, "; ");
  if (h->r->coverage.exhaustive && swept)
    say_all(h, swept, b);
  else if (h->exhaustive)
    say_some(h, w, b);
  if (h->sampled) {
    buf_puts(b, b->len ? "; " : "");
    say_sampled(h, b);
  }
}

static void tell_coverage(struct hunt *h, const struct sweep *w,
                          uint64_t swept) {
  struct coverage *c = &h->r->coverage;
  struct buf all = {0}, passed = {0};
  c->exhaustive_clients = h->exhaustive;
  c->sampled_clients = h->sampled;
  c->threads = (uint32_t)h->set->threads;
  c->ops = (uint32_t)h->set->ops;
  c->init = (uint32_t)h->set->init;
  c->exhaustive = w->all && h->exhaustive == swept && !h->set->no_real_time;
  uint64_t saved = h->r->statistics.replays;
  if (saved)
    buf_printf(&all, "%llu saved schedule%s; ", (unsigned long long)saved,
               saved == 1 ? " passes" : "s pass");
  say_passed(h, w, swept, &passed);
  if (!h->exhaustive && !h->sampled && !h->found)
    buf_printf(&passed, "%sno concurrent client was tried",
               passed.len ? "; " : "");
  if (h->found) {
    say_found(h, &all);
    buf_puts(&all, passed.len ? "; no fault before it in " : "");
  }
  buf_puts(&all, buf_text(&passed));
  c->sentence = xstrdup(buf_text(&all));
  buf_free(&all);
  buf_free(&passed);
  if (!h->found && !c->exhaustive && (h->timed || h->counted))
    c->limit =
        xstrdup(h->timed && explore_now() >= h->deadline ? "--time"
                                                         : "--max-executions");
}

void hunt_sweep(struct hunt *h) {
  struct gen_limits limits = {.threads = (uint32_t)h->set->threads,
                              .ops = (uint32_t)h->set->ops,
                              .init = (uint32_t)h->set->init,
                              .final = true};
  struct generator *g = generator_new(&h->object.gen, &limits);
  struct sweep w = {.size_full = true};
  bool bad = all_small(h, g, &w);
  uint64_t swept = h->clients;
  bool exhausted = w.all && h->exhaustive == swept;
  if (!bad && swept && (!exhausted || h->timed))
    bad = random_larger(h, g);
  generator_free(g);
  tell_coverage(h, &w, swept);
  if (!bad && h->clients == 0) {
    h->r->verdict = VERDICT_UNKNOWN;
    h->r->reason = xstrdup(w.all ? "no client could be made of these operations"
                                 : "the budget ended before the first client");
  }
}
