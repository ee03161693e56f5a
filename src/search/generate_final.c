/*
 * The final sequence of calls that shows the state a client leaves: Pr of the
 * papers' test cases (Ps, Pc, Pr).
 *     {push(1)} || {push(2)}    ends with    pop(); pop(); pop()
 */
#include "search/generate_object.h"

#include <stdlib.h>

static bool reveals(const struct own_op *o) {
  return o->returns && !o->waits && o->usable;
}

/* How many calls empty a container: one for each call that may put something
 * in, and one that sees it empty. */
static uint32_t drain_count(const struct own_object *o,
                            const struct client *c) {
  uint32_t n = 1;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    const struct own_op *op = &o->ops[c->calls[i].op];
    n += op->nargs > 0 || !op->returns;
  }
  return n;
}

static bool is_used(const struct client *c, int64_t v) {
  for (uint32_t i = 0; i < c->ncalls; i++)
    for (uint32_t k = 0; k < c->calls[i].nargs; k++)
      if (c->calls[i].args[k] == v)
        return true;
  return false;
}

/* The values of an argument that the client uses, at most GENERATE_MAX_FINAL.
 */
struct used_values {
  int64_t value[GENERATE_MAX_FINAL];
  uint32_t count;
};

static void find_used(struct used_values *to, const struct own_arg *a,
                      const struct client *c) {
  to->count = 0;
  for (uint32_t i = 0; i < a->count && to->count < GENERATE_MAX_FINAL; i++)
    if (is_used(c, a->values[i]))
      to->value[to->count++] = a->values[i];
}

/* The final calls that one operation would make; `share` of them are made. */
struct final_wish {
  struct call calls[GENERATE_MAX_FINAL];
  uint32_t count, share;
};

static void wish_for_args(struct final_wish *w, uint32_t op,
                          const struct own_op *o, const struct client *c) {
  struct used_values choice[CLIENT_MAX_ARGS];
  uint64_t combinations = 1;
  for (uint32_t k = 0; k < o->nargs; k++) {
    find_used(&choice[k], &o->args[k], c);
    combinations *= choice[k].count;
  }
  for (uint64_t i = 0; i < combinations && i < GENERATE_MAX_FINAL; i++) {
    struct call call = {.op = (uint16_t)op, .nargs = (uint8_t)o->nargs};
    uint64_t rest = i;
    for (uint32_t k = o->nargs; k-- > 0; rest /= choice[k].count)
      call.args[k] = choice[k].value[rest % choice[k].count];
    w->calls[w->count++] = call;
  }
}

/*
 * How often an operation without arguments is called.  One that only reads is
 * called before and after the first call that takes something out, or once if
 * there is none; those that take out empty a container together (G9).
 */
static uint32_t wished_calls(const struct own_object *o, uint32_t op,
                             const struct client *c) {
  uint32_t n = drain_count(o, c), drain = 0;
  for (uint32_t i = 0; i < o->nops; i++)
    drain += reveals(&o->ops[i]) && !o->ops[i].nargs &&
             o->ops[i].role == ROLE_CHANGES;
  switch (o->ops[op].role) {
  case ROLE_READS:
    return drain ? 2 : 1;
  case ROLE_CHANGES:
    return (n + drain - 1) / drain;
  default:
    return n;
  }
}

static void wish_for(struct final_wish *w, uint32_t op,
                     const struct own_object *o, const struct client *c) {
  if (!reveals(&o->ops[op]))
    return;
  if (o->ops[op].nargs) {
    wish_for_args(w, op, &o->ops[op], c);
    return;
  }
  uint32_t n = wished_calls(o, op, c);
  while (w->count < n && w->count < GENERATE_MAX_FINAL)
    w->calls[w->count++] = (struct call){.op = (uint16_t)op};
}

/* Each operation in turn gets one more call, until the sequence is full or all
 * have what they wish. */
static void share_out(struct final_wish *w, uint32_t n) {
  uint32_t given = 0;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < n && given < GENERATE_MAX_FINAL; i++)
      if (w[i].share < w[i].count) {
        w[i].share++;
        given++;
        more = true;
      }
  }
}

/* Operations in turn, so that one that reads the state (a size) sees it before
 * and between the calls that empty it. */
static void add_in_turn(const struct own_object *o, const struct final_wish *w,
                        bool with_args, struct client *c) {
  for (uint32_t round = 0; round < GENERATE_MAX_FINAL; round++)
    for (uint32_t i = 0; i < o->nops; i++)
      if (round < w[i].share && (o->ops[i].nargs > 0) == with_args)
        client_add_final(c, w[i].calls[round]);
}

/* Drops the wishes that G11 forbids together with those before them. */
static void drop_unwanted(struct final_wish *w, uint32_t n,
                          const struct gen_limits *l, const struct client *c) {
  struct client all;
  client_copy(&all, c);
  for (uint32_t i = 0; i < n; i++) {
    if (!w[i].count)
      continue;
    client_add_final(&all, w[i].calls[0]);
    if (!client_has_part_of(&all, l->without, l->nwithout))
      continue;
    w[i].count = 0;
    all.ncalls--;
    all.nfinal--;
  }
  client_free(&all);
}

void own_add_final(const struct own_object *o, const struct gen_limits *l,
                   struct client *c) {
  struct final_wish *w = xcalloc(o->nops + 1, sizeof *w);
  for (uint32_t i = 0; i < o->nops; i++)
    wish_for(&w[i], i, o, c);
  if (l->nwithout)
    drop_unwanted(w, o->nops, l, c);
  share_out(w, o->nops);
  uint32_t before = c->nfinal;
  add_in_turn(o, w, false, c);
  add_in_turn(o, w, true, c);
  assert(c->nfinal - before <= GENERATE_MAX_FINAL);
  free(w);
}

void generate_final(const struct gen_object *o, const struct client *c,
                    struct client *out) {
  struct own_object own;
  own_object_init(&own, o);
  client_copy(out, c);
  own_add_final(&own, &(struct gen_limits){0}, out);
  own_object_free(&own);
}
