/*
 * What searches are compared on: every small object and many random programs,
 * each built and opened in a child, and random clients of what is open.
 *
 *   static void compare_object(const struct engine_object *o) {
 *     struct engine_draw d = engine_draw_begin(seed, init, 3, 2);
 *     while (n-- && engine_draw(&d))
 *       …CHECK(…)… of d.client
 *     engine_draw_end(&d);
 *   }
 *   TEST(…) { engine_each_object("-O1", compare_object); }
 */
#ifndef ENGINE_INPUTS_H
#define ENGINE_INPUTS_H

#include "engine_objects.h"
#include "random_program.h"

/* ---- objects ---- */

struct engine_object_task {
  struct engine_object *object;
  void (*compare)(const struct engine_object *o);
};

static void engine_open_object(void *arg) {
  struct engine_object_task *t = arg;
  engine_open(t->object->so, &t->object->options);
  t->compare(t->object);
  if (test_errors)
    fprintf(stderr, "  object: %s\n", t->object->name);
}

__attribute__((unused)) static void
engine_one_object(struct engine_object *o, const char *opt,
                  void (*compare)(const struct engine_object *o)) {
  struct engine_object_task task = {o, compare};
  o->so = engine_build(o->text, opt);
  engine_child(engine_open_object, &task);
  free(o->so);
}

/* All of them, also when one has failed. */
__attribute__((unused)) static void
engine_each_object(const char *opt,
                   void (*compare)(const struct engine_object *o)) {
  for (size_t i = 0; i < ENGINE_OBJECTS; i++)
    engine_one_object(&engine_objects[i], opt, compare);
}

/* ---- random programs ---- */

struct engine_programs {
  uint64_t count; /* $PROGRAMS in its place, to search for longer by hand */
  void (*write)(struct rng *rng, struct buf *text); /* NULL: random_program */
  void (*compare)(uint64_t seed);
};

struct engine_program_task {
  void (*compare)(uint64_t seed);
  uint64_t seed;
  char *so;
};

static void engine_open_program(void *arg) {
  struct engine_program_task *t = arg;
  engine_open(t->so, NULL);
  t->compare(t->seed);
}

static void engine_one_program(const struct engine_programs *p, uint64_t seed) {
  struct rng rng = {seed};
  struct buf text = {0};
  (p->write ? p->write : random_program)(&rng, &text);
  struct engine_program_task task = {p->compare, seed, NULL};
  task.so = engine_build(buf_text(&text), seed % 2 ? "-O1" : "-O2");
  engine_child(engine_open_program, &task);
  if (test_errors)
    fprintf(stderr, "  seed %llu of\n%s\n", (unsigned long long)seed,
            buf_text(&text));
  free(task.so);
  buf_free(&text);
}

/* Up to the first that fails. */
__attribute__((unused)) static void
engine_each_program(const struct engine_programs *p) {
  const char *more = getenv("PROGRAMS");
  uint64_t count = more ? strtoull(more, NULL, 10) : p->count;
  for (uint64_t seed = 1; seed <= count && !test_errors; seed++)
    engine_one_program(p, seed);
}

/* ---- random clients of what is open ---- */

struct engine_draw {
  struct rng rng; /* for the caller, too */
  struct generator *generator;
  uint32_t ops_of_two, ops_of_three; /* at most so many for each thread */
  struct client client;              /* with final calls that show the state */
};

__attribute__((unused)) static struct engine_draw
engine_draw_begin(uint64_t seed, uint32_t init, uint32_t ops_of_two,
                  uint32_t ops_of_three) {
  struct gen_limits limits = {.threads = 3, .ops = ops_of_two, .init = init};
  return (struct engine_draw){.rng = {seed},
                              .generator =
                                  generator_new(&engine.object, &limits),
                              .ops_of_two = ops_of_two,
                              .ops_of_three = ops_of_three};
}

/* The next client, in place of the last; false: there is none. */
__attribute__((unused)) static bool engine_draw(struct engine_draw *d) {
  struct client drawn;
  uint32_t threads = 2 + (uint32_t)rng_below(&d->rng, 2);
  uint32_t most = threads == 2 ? d->ops_of_two : d->ops_of_three;
  uint32_t ops = 1 + (uint32_t)rng_below(&d->rng, most);
  client_free(&d->client);
  d->client = (struct client){0};
  if (!generator_random(d->generator, &d->rng, threads, ops, &drawn))
    return false;
  generate_final(&engine.object, &drawn, &d->client);
  client_free(&drawn);
  return true;
}

__attribute__((unused)) static void engine_draw_end(struct engine_draw *d) {
  client_free(&d->client);
  generator_free(d->generator);
}

#endif
