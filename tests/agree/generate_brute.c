/*
 * The generator against the definition: all clients, each brought to its
 * canonical form by trying every order of threads and every renaming of
 * values, and duplicates dropped.  Nothing here is shared with the generator.
 */
#include "base/vec.h"
#include "search/generate.h"
#include "test.h"

#include <stdlib.h>

enum { MAX_CALLS = 8, MAX_VALUES = 3, MAX_LISTS = 2 };

/*
 * An object of the test: argument k of operation i takes values from list
 * list[i][k]; `data` says whether the list can be renamed.
 */
struct object {
  uint32_t nops;
  uint8_t nargs[3];
  uint8_t list[3][2];
  uint8_t group[3];
  bool waits[3];
  uint32_t nlists;
  uint8_t values[MAX_LISTS]; /* how many */
  bool data[MAX_LISTS];
};

static int64_t value_of(uint32_t list, uint32_t index) {
  return 10 * ((int64_t)list + 1) + index;
}

typedef VEC(char *) strings;

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(strings *s) {
  if (s->len)
    qsort(s->at, s->len, sizeof *s->at, by_text);
}

static void drop_duplicates(strings *s) {
  uint32_t n = 0;
  sort(s);
  for (uint32_t i = 0; i < s->len; i++)
    if (n && strcmp(s->at[n - 1], s->at[i]) == 0)
      free(s->at[i]);
    else
      s->at[n++] = s->at[i];
  s->len = n;
}

static void free_strings(strings *s) {
  for (uint32_t i = 0; i < s->len; i++)
    free(s->at[i]);
  vec_free(s);
}

/* ---- canonical form ---- */

static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

struct form {
  const struct object *o;
  const struct client *c;
  const uint8_t *rename[MAX_LISTS];
  char best[256];
};

static size_t put_call(const struct form *f, const struct call *call,
                       char *out) {
  size_t n = 0;
  out[n++] = (char)('a' + call->op);
  for (uint32_t k = 0; k < call->nargs; k++) {
    uint32_t list = f->o->list[call->op][k];
    uint32_t index = (uint32_t)(call->args[k] - value_of(list, 0));
    out[n++] = (char)('0' + f->rename[list][index]);
  }
  return n;
}

static void try_order(struct form *f, const uint8_t *order) {
  char text[256];
  size_t n = 0;
  for (uint32_t i = 0; i < f->c->ninit; i++)
    n += put_call(f, &f->c->calls[i], text + n);
  for (uint32_t t = 0; t < 3; t++) {
    text[n++] = '|';
    for (uint32_t i = f->c->ninit; i < f->c->ncalls; i++)
      if (f->c->calls[i].thread == order[t] + 1)
        n += put_call(f, &f->c->calls[i], text + n);
  }
  text[n] = '\0';
  if (!*f->best || strcmp(text, f->best) < 0)
    strcpy(f->best, text);
}

static void try_renamings(struct form *f, uint32_t list) {
  if (list == f->o->nlists) {
    for (int i = 0; i < 6; i++)
      try_order(f, orders[i]);
    return;
  }
  for (int i = 0; i < 6; i++) {
    f->rename[list] = orders[i];
    /* A permutation of the first `values` of three, and of nothing else. */
    bool fits = true;
    for (uint32_t v = f->o->values[list]; v < MAX_VALUES; v++)
      fits &= orders[i][v] == v;
    if (fits && (i == 0 || f->o->data[list]))
      try_renamings(f, list + 1);
  }
}

static char *canonical(const struct object *o, const struct client *c) {
  struct form f = {.o = o, .c = c};
  try_renamings(&f, 0);
  return xstrdup(f.best);
}

/* ---- all clients ---- */

/* Any rule will do, if it looks at the calls only up to renaming. */
static bool is_odd(void *ctx, const struct client *init) {
  const struct call *last = &init->calls[init->ninit - 1];
  uint32_t equal = 0;
  (void)ctx;
  for (uint32_t i = 0; i < init->ninit; i++)
    equal += init->calls[i].op == last->op;
  return equal % 2;
}

static bool all_change(const struct gen_limits *l, const struct client *c) {
  struct client init = {0};
  bool ok = true;
  for (uint32_t i = 0; i < c->ninit && l->changes; i++) {
    client_add_init(&init, c->calls[i]);
    ok &= l->changes(l->ctx, &init);
  }
  client_free(&init);
  return ok;
}

/* No client of the same calls has more different values (G8). */
static bool is_distinct(const struct object *o, const struct client *c) {
  for (uint32_t list = 0; list < o->nlists; list++) {
    bool used[MAX_VALUES] = {0};
    uint32_t places = 0, different = 0;
    for (uint32_t i = 0; i < c->ncalls; i++)
      for (uint32_t k = 0; k < c->calls[i].nargs; k++)
        if (o->list[c->calls[i].op][k] == list) {
          places++;
          used[c->calls[i].args[k] - value_of(list, 0)] = true;
        }
    for (uint32_t v = 0; v < MAX_VALUES; v++)
      different += used[v];
    if (o->data[list] && different < places && different < o->values[list])
      return false;
  }
  return true;
}

static bool calls(const struct client *c, uint32_t op) {
  bool some = false;
  for (uint32_t i = 0; i < c->ncalls; i++)
    some |= c->calls[i].op == op;
  return some;
}

/* G11 */
static bool is_without(const struct gen_limits *l, const struct client *c) {
  bool ok = true;
  for (uint32_t i = 0; i < l->nwithout; i++) {
    bool all = true;
    for (uint32_t k = 0; k < l->without[i].ncalls; k++)
      all &= calls(c, l->without[i].calls[k].op);
    ok &= !all;
  }
  return ok;
}

struct naive {
  const struct object *o;
  const struct gen_limits *l;
  strings found;
};

static bool groups_apart(const struct object *o, const struct client *c) {
  for (uint32_t i = c->ninit; i < c->ncalls; i++)
    for (uint32_t j = c->ninit; j < i; j++) {
      const struct call *a = &c->calls[i], *b = &c->calls[j];
      if (a->thread != b->thread && o->group[a->op] &&
          o->group[a->op] == o->group[b->op])
        return false;
    }
  return true;
}

/* Puts every call at the end of part `part` (0: initial) or goes on. */
static void extend(struct naive *n, struct client *c, uint32_t part,
                   uint32_t length) {
  if (part >= 2 && c->nthreads == part && length) {
    if (groups_apart(n->o, c) && all_change(n->l, c) &&
        (!n->l->distinct || is_distinct(n->o, c)) && is_without(n->l, c))
      vec_push(&n->found, canonical(n->o, c));
  }
  if (part < n->l->threads && (part == 0 || length))
    extend(n, c, part + 1, 0);
  if (length == (part ? n->l->ops : n->l->init))
    return;
  for (uint32_t op = 0; op < n->o->nops; op++) {
    if (!part && n->o->waits[op])
      continue;
    uint32_t count[2] = {1, 1};
    for (uint32_t k = 0; k < n->o->nargs[op]; k++)
      count[k] = n->o->values[n->o->list[op][k]];
    for (uint32_t v = 0; v < count[0] * count[1]; v++) {
      struct call call = {.op = (uint16_t)op, .nargs = n->o->nargs[op]};
      call.args[0] = value_of(n->o->list[op][0], v % count[0]);
      call.args[1] = value_of(n->o->list[op][1], v / count[0]);
      struct client d;
      client_copy(&d, c);
      if (part)
        client_add(&d, part, call);
      else
        client_add_init(&d, call);
      extend(n, &d, part, length + 1);
      client_free(&d);
    }
  }
}

/* ---- comparison ---- */

static void generate(const struct object *o, const struct gen_limits *l,
                     strings *out) {
  int64_t values[MAX_LISTS][MAX_VALUES];
  for (uint32_t i = 0; i < MAX_LISTS; i++)
    for (uint32_t v = 0; v < MAX_VALUES; v++)
      values[i][v] = value_of(i, v);
  struct gen_op ops[3] = {0};
  for (uint32_t i = 0; i < o->nops; i++) {
    ops[i].nargs = o->nargs[i];
    ops[i].group = o->group[i];
    ops[i].waits = o->waits[i];
    for (uint32_t k = 0; k < o->nargs[i]; k++) {
      uint32_t list = o->list[i][k];
      ops[i].args[k] =
          (struct gen_arg){values[list], o->values[list], o->data[list]};
    }
  }
  struct generator *g = generator_new(&(struct gen_object){ops, o->nops}, l);
  struct client c;
  while (generator_next(g, &c)) {
    client_check_invariants(&c);
    vec_push(out, canonical(o, &c));
    client_free(&c);
  }
  generator_free(g);
}

static void compare_one(const struct object *o, const struct gen_limits *l,
                        uint32_t at_least) {
  strings fast = {0};
  struct naive n = {.o = o, .l = l};
  struct client empty = {0};
  generate(o, l, &fast);
  sort(&fast);
  extend(&n, &empty, 0, 0);
  drop_duplicates(&n.found);
  CHECK(n.found.len >= at_least);
  CHECK_INT(fast.len, n.found.len); /* none missed, none twice */
  for (uint32_t i = 0; i < fast.len && i < n.found.len; i++)
    if (!CHECK_STR(fast.at[i], n.found.at[i]))
      break;
  free_strings(&fast);
  free_strings(&n.found);
}

/* Without the clients that have operations 0 and 1, then those with 1. */
static void compare_less(const struct object *o, struct gen_limits l) {
  struct call calls[] = {{.op = 0}, {.op = 1}};
  struct client without[] = {{.calls = calls, .ncalls = 2},
                             {.calls = calls + 1, .ncalls = 1}};
  l.without = without;
  l.nwithout = 1;
  compare_one(o, &l, 0);
  l.nwithout = 2;
  compare_one(o, &l, 0); /* all that is left may be of one group */
}

/* With and without the rules that leave clients out. */
static void compare(const struct object *o, const struct gen_limits *l,
                    uint32_t at_least) {
  struct gen_limits less = *l;
  compare_one(o, &less, at_least);
  less.distinct = true;
  compare_one(o, &less, 1);
  less.changes = is_odd;
  compare_one(o, &less, 1);
  less.distinct = false;
  compare_one(o, &less, 1);
  compare_less(o, less);
}

#define LIMITS(T, OPS, INIT)                                                   \
  (&(struct gen_limits){.threads = T, .ops = OPS, .init = INIT})

TEST(a_stack) {
  struct object o = {
      .nops = 2, .nargs = {1, 0}, .nlists = 1, .values = {3}, .data = {true}};
  compare(&o, LIMITS(2, 2, 2), 100);
  compare(&o, LIMITS(3, 1, 2), 100);
  compare(&o, LIMITS(3, 2, 0), 100);
}

TEST(a_stack_with_plain_values) {
  struct object o = {
      .nops = 2, .nargs = {1, 0}, .nlists = 1, .values = {2}, .data = {false}};
  compare(&o, LIMITS(2, 2, 2), 100);
  compare(&o, LIMITS(3, 2, 0), 100);
}

TEST(a_map_of_keys_and_data) {
  struct object o = {.nops = 2,
                     .nargs = {2, 1},
                     .list = {{0, 1}, {0}},
                     .nlists = 2,
                     .values = {2, 2},
                     .data = {false, true}};
  compare(&o, LIMITS(2, 2, 1), 500);
  compare(&o, LIMITS(3, 1, 1), 100);
}

TEST(two_arguments_of_one_list) {
  struct object o = {.nops = 2,
                     .nargs = {2, 1},
                     .list = {{0, 0}, {0}},
                     .nlists = 1,
                     .values = {3},
                     .data = {true}};
  compare(&o, LIMITS(2, 1, 2), 100);
  compare(&o, LIMITS(3, 1, 1), 100);
  compare(&o, LIMITS(2, 2, 0), 100);
}

TEST(two_lists_are_renamed_apart) {
  struct object o = {.nops = 2,
                     .nargs = {1, 1},
                     .list = {{0}, {1}},
                     .nlists = 2,
                     .values = {2, 3},
                     .data = {true, true}};
  compare(&o, LIMITS(2, 2, 1), 100);
  compare(&o, LIMITS(3, 1, 2), 100);
}

TEST(groups_and_waiting) {
  struct object o = {.nops = 3,
                     .nargs = {1, 0, 0},
                     .group = {1, 2, 0},
                     .waits = {false, true, false},
                     .nlists = 1,
                     .values = {2},
                     .data = {true}};
  compare(&o, LIMITS(2, 2, 1), 100);
  compare(&o, LIMITS(3, 1, 2), 50);
  o.group[2] = 1;
  compare(&o, LIMITS(3, 2, 1), 20);
}

TEST_MAIN
