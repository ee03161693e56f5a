/*
 * The generators' own copy of an object: classes of interchangeable arguments,
 * and what every client made of it must have.
 */
#include "search/generate_object.h"

#include "base/err.h"
#include "base/slow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool has(const int64_t *values, uint32_t n, int64_t v) {
  for (uint32_t i = 0; i < n; i++)
    if (values[i] == v)
      return true;
  return false;
}

static void copy_values(struct own_arg *to, const struct gen_arg *from) {
  to->values = xcalloc(from->count ? from->count : 1, sizeof *to->values);
  to->count = 0;
  int64_t max = INT64_MIN;
  for (uint32_t i = 0; i < from->count; i++) {
    int64_t v = from->values[i];
    /* Ranges can be long and ascend: no search there. */
    if ((i && v > max) || !has(to->values, to->count, v))
      to->values[to->count++] = v;
    if (v > max)
      max = v;
  }
}

static bool equal_lists(const struct own_arg *a, const struct own_arg *b) {
  return a->count == b->count &&
         memcmp(a->values, b->values, a->count * sizeof *a->values) == 0;
}

static bool overlap(const struct own_arg *a, const struct own_arg *b) {
  for (uint32_t i = 0; i < a->count; i++)
    if (has(b->values, b->count, a->values[i]))
      return true;
  return false;
}

/* All arguments of the object that are marked interchangeable. */
struct marked {
  struct own_arg **at;
  uint32_t n;
};

/* Values of `a` can be renamed: every list that shares some shares all. */
static bool renamable(const struct own_arg *a, const struct marked *all) {
  for (uint32_t i = 0; i < all->n; i++)
    if (!equal_lists(a, all->at[i]) && overlap(a, all->at[i]))
      return false;
  return true;
}

static uint32_t find_class(const struct own_arg *a, const struct marked *all,
                           uint32_t before) {
  for (uint32_t i = 0; i < before; i++)
    if (all->at[i]->klass != NO_CLASS && equal_lists(a, all->at[i]))
      return all->at[i]->klass;
  return NO_CLASS;
}

static void make_classes(struct own_object *o, const struct marked *all) {
  for (uint32_t i = 0; i < all->n; i++) {
    struct own_arg *a = all->at[i];
    if (!a->count || !renamable(a, all))
      continue;
    a->klass = find_class(a, all, i);
    if (a->klass == NO_CLASS)
      a->klass = o->nclasses++;
  }
}

void own_object_init(struct own_object *to, const struct gen_object *from) {
  *to = (struct own_object){.nops = from->nops};
  to->ops = xcalloc(from->nops ? from->nops : 1, sizeof *to->ops);
  struct marked all = {
      xcalloc((size_t)from->nops * CLIENT_MAX_ARGS + 1, sizeof *all.at), 0};
  for (uint32_t i = 0; i < from->nops; i++) {
    const struct gen_op *f = &from->ops[i];
    struct own_op *t = &to->ops[i];
    assert(f->nargs <= CLIENT_MAX_ARGS);
    *t = (struct own_op){.nargs = f->nargs,
                         .group = f->group,
                         .returns = f->returns,
                         .waits = f->waits,
                         .usable = true};
    for (uint32_t k = 0; k < f->nargs; k++) {
      copy_values(&t->args[k], &f->args[k]);
      t->args[k].klass = NO_CLASS;
      t->usable &= t->args[k].count > 0;
      if (f->args[k].interchangeable)
        all.at[all.n++] = &t->args[k];
    }
  }
  make_classes(to, &all);
  free(all.at);
  check_slow((own_object_check_invariants(to), true));
}

static void check_pair(const struct own_arg *a, const struct own_arg *b) {
  if (a->klass == NO_CLASS || b->klass == NO_CLASS)
    return;
  assert(a->klass == b->klass ? equal_lists(a, b) : !overlap(a, b)); /* O1 */
}

void own_object_check_invariants(const struct own_object *o) {
  for (uint32_t i = 0; i < o->nops; i++)
    for (uint32_t k = 0; k < o->ops[i].nargs; k++)
      for (uint32_t j = 0; j <= i; j++)
        for (uint32_t l = 0; l < o->ops[j].nargs; l++)
          check_pair(&o->ops[i].args[k], &o->ops[j].args[l]);
}

/* Does another thread call an operation of the same group? */
static bool group_is_shared(const struct own_object *o, const struct client *c,
                            uint32_t call) {
  uint32_t group = o->ops[c->calls[call].op].group;
  for (uint32_t i = c->ninit; group && i < client_first_final(c); i++)
    if (o->ops[c->calls[i].op].group == group &&
        c->calls[i].thread != c->calls[call].thread)
      return true;
  return false;
}

void generated_check_invariants(const struct own_object *o,
                                const struct gen_limits *l,
                                const struct client *c) {
  uint32_t end = client_first_final(c), threads = 0;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    bool inside = i >= c->ninit && i < end;
    assert(inside == (c->calls[i].thread != 0));
    assert(inside || !o->ops[c->calls[i].op].waits); /* G6 */
    assert(!inside || !group_is_shared(o, c, i));    /* G5 */
    if (inside)
      threads |= 1u << c->calls[i].thread;
  }
  assert(c->nthreads >= 2);                                     /* G4 */
  assert((uint32_t)__builtin_popcount(threads) == c->nthreads); /* G4 */
  assert(!l->nwithout ||
         !client_has_part_of(c, l->without, l->nwithout)); /* G11 */
}

void own_object_free(struct own_object *o) {
  for (uint32_t i = 0; i < o->nops; i++)
    for (uint32_t k = 0; k < o->ops[i].nargs; k++)
      free(o->ops[i].args[k].values);
  free(o->ops);
  *o = (struct own_object){0};
}
