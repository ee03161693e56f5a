/* The nouns that workers hand over, as bytes. */
#include "model/nouns.h"

#include "random_noun.h"

/* What an index has to meet. */
static void mend_client(struct client *c) {
  c->ninit = c->nfinal = 0;
  c->nthreads = 3;
  for (uint32_t i = 0; i < c->ncalls; i++)
    c->calls[i].thread = (uint8_t)(i < 3 ? i + 1 : 3);
}

static void mend_trace(struct random_nouns *r, struct trace *t) {
  uint32_t zero = 0;
  (void)r;
  if (!t->nframes || !t->nactivations)
    t->nevents = t->nblocks = 0;
  t->nevents = t->history.client ? t->nevents : zero;
  for (uint32_t i = 0; i < t->nframes; i++)
    t->frames[i].parent = i ? t->frames[i].parent % i : 0;
  for (uint32_t i = 0; i < t->nactivations; i++)
    t->activations[i].parent = i ? t->activations[i].parent % i : 0;
  for (uint32_t i = 0; i < t->nevents; i++) {
    struct event *e = &t->events[i];
    e->chain %= t->nframes;
    e->activation %= t->nactivations;
    e->issue = 0;
    e->call = rng_below(&r->rng, 2) && t->history.client->ncalls
                  ? (uint32_t)rng_below(&r->rng, t->history.client->ncalls)
                  : EVENT_NO_CALL;
  }
  for (uint32_t i = 0; i < t->nblocks; i++) {
    struct block *b = &t->blocks[i];
    b->alloc_event = UINT32_MAX;
    b->free_event = b->alloc_call = 0;
    b->alloc_chain %= t->nframes;
    b->free_chain %= t->nframes;
  }
}

static void mend_finding(struct random_nouns *r, struct finding *f) {
  f->trace.history.client = &f->client;
  f->trace.history.ops =
      arena_alloc(&r->arena, (f->client.ncalls + 1) * sizeof(struct hop));
  f->trace.nevents = f->trace.nblocks = 0;
  f->waiting.len = 0;
  f->near.found = false;
  f->block = UINT32_MAX;
  f->chain = 0;
  if (!f->client.ncalls)
    f->refutations.len = 0;
  for (uint32_t i = 0; i < f->refutations.len; i++)
    for (uint32_t k = 0; k < f->refutations.at[i].order.len; k++)
      f->refutations.at[i].order.at[k] %= f->client.ncalls;
}

static void mend(struct random_nouns *r, const struct noun *n, void *noun) {
  if (n == &noun_client)
    mend_client(noun);
  if (n == &noun_trace)
    mend_trace(r, noun);
  if (n == &noun_finding)
    mend_finding(r, noun);
  if (n == &noun_cause) {
    struct cause *c = noun;
    c->nblocks = c->nblocks ? 1 : 0;
    if (c->nblocks)
      ((struct code_block *)c->blocks)->last += c->blocks->first;
  }
  if (n == &noun_races_found)
    ((struct races_found *)noun)->drawing.nedges = 0;
}

static void try(const struct noun *n, uint64_t seed) {
  struct random_nouns r = {.rng = {seed}, .mend = mend};
  try_noun(&r, n, 100);
  arena_free(&r.arena);
}

TEST(values) { try(&noun_value, 1); }
TEST(clients) { try(&noun_client, 2); }
TEST(histories) { try(&noun_history, 3); }
TEST(traces) { try(&noun_trace, 4); }
TEST(schedules) { try(&noun_schedule, 5); }
TEST(causes) { try(&noun_cause, 6); }
TEST(causes_that_were_found) { try(&noun_causes_found, 7); }
TEST(races_that_were_found) { try(&noun_races_found, 8); }
TEST(a_census) { try(&noun_census, 9); }
TEST(findings) { try(&noun_finding, 10); }
TEST(results) { try(&noun_result, 11); }

TEST(a_text_comes_as_it_was) {
  struct arena a = {0};
  struct buf b = {0};
  const char *from = "pop() = -1";
  noun_pack(&noun_text, &from, &b);
  char **to = noun_unpack(&noun_text, b.at, b.len, &a);
  if (CHECK(to))
    CHECK_STR(*to, from);
  b.at[5] = 0; /* inside of it */
  CHECK(!noun_unpack(&noun_text, b.at, b.len, &a));
  buf_free(&b);
  arena_free(&a);
}

TEST(the_text_of_a_value_travels) {
  struct arena a = {0};
  struct buf b = {0};
  struct value from = value_string("abc");
  noun_pack(&noun_value, &from, &b);
  struct value *to = noun_unpack(&noun_value, b.at, b.len, &a);
  if (CHECK(to)) {
    CHECK_INT((long long)to->kind, VALUE_STRING);
    CHECK_STR((const char *)(uintptr_t)to->bits, "abc");
    CHECK(to->bits != from.bits);
  }
  buf_free(&b);
  arena_free(&a);
}

/* A length that the bytes cannot have makes no memory. */
TEST(a_huge_length_is_refused) {
  struct buf b = {0};
  uint32_t n = UINT32_MAX;
  buf_put(&b, &n, sizeof n);
  for (int i = 0; i < 100; i++)
    buf_putc(&b, 0);
  CHECK(!repacks(&noun_client, &b));
  CHECK(!repacks(&noun_text, &b));
  CHECK(!repacks(&noun_trace, &b));
  buf_free(&b);
}

static struct trace small_trace(struct client *c) {
  static struct event events[2];
  static struct frame frames[2];
  static struct activation activations[2];
  static struct block block;
  memset(events, 0, sizeof events);
  memset(frames, 0, sizeof frames);
  memset(activations, 0, sizeof activations);
  block = (struct block){.alloc_event = 0, .free_event = UINT32_MAX};
  return (struct trace){.events = events,
                        .nevents = 2,
                        .frames = frames,
                        .nframes = 2,
                        .activations = activations,
                        .nactivations = 2,
                        .blocks = &block,
                        .nblocks = 1,
                        .history.client = c};
}

static bool is_taken(const struct trace *t) {
  struct buf b = {0};
  noun_pack(&noun_trace, t, &b);
  bool ok = repacks(&noun_trace, &b);
  buf_free(&b);
  return ok;
}

/* `what` is wrong, and nothing else is. */
#define REFUSES(what)                                                          \
  do {                                                                         \
    struct trace t = small_trace(&c);                                          \
    CHECK(is_taken(&t));                                                       \
    what;                                                                      \
    CHECK(!is_taken(&t));                                                      \
  } while (0)

TEST(indices_that_lead_out_of_a_trace_are_refused) {
  struct call call = {.thread = 1};
  struct client c = {.calls = &call, .ncalls = 1, .nthreads = 1};
  REFUSES(t.events[1].kind = EV_COUNT);
  REFUSES(t.events[1].thread = NOUN_THREADS);
  REFUSES(t.events[1].call = 1);
  REFUSES(t.events[1].chain = 2);
  REFUSES(t.events[1].activation = 2);
  REFUSES(t.events[1].issue = 1);
  REFUSES(t.frames[0].parent = 1);
  REFUSES(t.frames[1].parent = 1);
  REFUSES(t.activations[1].parent = 1);
  REFUSES(t.blocks[0].alloc_event = 2);
  REFUSES(t.blocks[0].free_event = 2);
  REFUSES(t.blocks[0].alloc_chain = 2);
  REFUSES(t.blocks[0].free_chain = 2);
  REFUSES(t.blocks[0].alloc_call = 2);
  REFUSES(t.blocks[0].alloc_thread = NOUN_THREADS);
}

TEST_MAIN
