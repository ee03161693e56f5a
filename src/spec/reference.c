/* Binding of reference implementations, and their states as a graph. */
#include "spec/reference.h"

#include "base/map128.h"
#include "base/vec.h"
#include "harness/parts.h"
#include "rt/reference.h"
#include "spec/roles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reference_node {
  struct buf image;
  uint32_t parent; /* how it was first reached: */
  struct call call;
};

/* What a call can do in a state. */
struct reference_step {
  struct value result;
  uint32_t next;
};
struct reference_edge {
  uint32_t first, n; /* in `steps` */
  bool waits;        /* or it waits */
  bool astray;       /* the result was a guess, with which it left its memory */
};

struct reference {
  struct spec spec;
  const struct fl_suite *suite;
  bool relation;
  bool labels; /* pointers are results: blocks have names */
  struct reference_role {
    const struct fl_op *op;
    uint32_t nargs;
    void (*function)(void);
    char *name; /* of the function, as in FL_SPEC */
  } * roles;    /* by index of the operation */
  uint32_t nroles;
  char *constructor; /* its name */
  VEC(struct reference_node) nodes;
  VEC(struct reference_edge) edges;
  VEC(struct reference_step) steps;
  struct map128 node_of, edge_of;
  uint64_t image_bytes;
  reference_placer *place;
  void *ctx;
};

/* ---- when it fails ---- */

static void put_argument(const struct reference *m, int64_t v, uint32_t i,
                         struct buf *out) {
  const char *text = parts_text(m->suite, v);
  buf_puts(out, i ? ", " : "");
  if (text)
    value_print((struct value){VALUE_STRING, (uint64_t)(uintptr_t)text}, out);
  else
    buf_printf(out, "%" PRId64, v);
}

static void put_call(const struct reference *m, const struct call *c,
                     struct buf *out) {
  buf_printf(out, "%s(", m->roles[c->op].op->name);
  for (uint32_t i = 0; i < c->nargs; i++)
    put_argument(m, c->args[i], i, out);
  buf_puts(out, ")");
}

static void put_path(const struct reference *m, uint32_t node,
                     struct buf *out) {
  if (!node)
    return;
  put_path(m, m->nodes.at[node].parent, out);
  put_call(m, &m->nodes.at[node].call, out);
  buf_puts(out, "; ");
}

/* `c` NULL: the constructor has failed. */
static _Noreturn void fail(const struct reference *m, uint32_t node,
                           const struct call *c, const struct value *wanted) {
  struct buf b = {0};
  uint64_t pc;
  const char *why = reference_trouble(&pc);
  if (m->place && pc)
    m->place(m->ctx, pc, &b);
  if (!b.len)
    buf_printf(&b, "%s:%d: ", m->suite->file, m->suite->spec_line);
  buf_printf(&b, "FL_SPEC(%s): %s failed: %s", m->suite->spec,
             c ? m->roles[c->op].name : m->constructor, why);
  if (c) {
    buf_puts(&b, ", in ");
    put_path(m, node, &b);
    put_call(m, c, &b);
  }
  if (c && wanted && wanted->kind != VALUE_VOID) {
    buf_puts(&b, " = ");
    value_print(*wanted, &b);
  }
  die("%s", buf_text(&b));
}

/* ---- states ---- */

/* Takes the image. */
static uint32_t node_for(struct reference *m, struct buf *image,
                         uint32_t parent, const struct call *c) {
  bool fresh;
  struct hash128 h = hash128_long(image->at, image->len);
  uint32_t *at = map128_put(&m->node_of, h, &fresh);
  if (!fresh) {
    buf_free(image);
    return *at;
  }
  *at = m->nodes.len;
  m->image_bytes += image->len;
  vec_push(&m->nodes, ((struct reference_node){*image, parent, *c}));
  *image = (struct buf){0};
  return m->nodes.len - 1;
}

static void add_step(struct reference *m, struct reference_edge *e,
                     struct value result, uint32_t next) {
  for (uint32_t i = 0; i < e->n; i++) {
    const struct reference_step *s = &m->steps.at[e->first + i];
    if (s->next == next && value_equal(s->result, result))
      return;
  }
  vec_push(&m->steps, ((struct reference_step){result, next}));
  e->n++;
}

/* The next sequence of answers to fl_choose(); false: all were tried. */
static bool next_choices(struct reference_call *r) {
  while (r->nchoices) {
    uint32_t last = r->nchoices - 1u;
    if (++r->choice[last] < r->alternatives[last])
      return true;
    r->nchoices--;
  }
  return false;
}

/* Runs the function of the call with every choice.  A relation is asked
 * whether `wanted` is allowed. */
static void run(struct reference *m, struct reference_edge *e, uint32_t state,
                const struct call *c, uint32_t id, const struct value *wanted,
                bool guess) {
  const struct reference_role *role = &m->roles[c->op];
  struct reference_call r = {.suite = m->suite,
                             .function = role->function,
                             .op = role->op,
                             .asks = m->relation,
                             .label = id + 1,
                             .labels = m->labels,
                             .guess = guess};
  for (uint32_t i = 0; i < role->nargs; i++)
    r.args[i] = c->args[i];
  if (wanted && wanted->kind != VALUE_VOID)
    r.wanted = (long long)wanted->bits;
  do {
    struct buf after = {0};
    struct value result;
    switch (reference_run(&r, &m->nodes.at[state].image, &after, &result)) {
    case REFERENCE_FAILED:
      fail(m, state, c, wanted);
    case REFERENCE_ASTRAY:
      e->astray = true;
      break;
    case REFERENCE_WAITS:
      e->waits = true;
      break;
    case REFERENCE_RETURNED:
      if (!m->relation)
        add_step(m, e, result, node_for(m, &after, state, c));
      else if (result.bits)
        add_step(m, e, *wanted, node_for(m, &after, state, c));
      break;
    }
    buf_free(&after);
  } while (next_choices(&r));
}

static struct hash128 edge_key(const struct reference *m, uint32_t state,
                               const struct call *c, uint32_t id,
                               const struct value *wanted) {
  uint64_t key[5 + CLIENT_MAX_ARGS] = {state, c->op, m->labels ? id + 1 : 0,
                                       wanted ? wanted->kind + 1 : 0,
                                       wanted ? wanted->bits : 0};
  for (uint32_t i = 0; i < m->roles[c->op].nargs; i++)
    key[5 + i] = (uint64_t)c->args[i];
  return hash128(key, sizeof key, 0);
}

/* What the call can do; of a relation, only with this result. */
static struct reference_edge edge_of(struct reference *m, uint32_t state,
                                     const struct call *c, uint32_t id,
                                     const struct value *wanted, bool guess) {
  bool fresh;
  struct hash128 key = edge_key(m, state, c, id, wanted);
  uint32_t *at = map128_put(&m->edge_of, key, &fresh);
  if (!fresh && (guess || !m->edges.at[*at].astray))
    return m->edges.at[*at];
  *at = m->edges.len;
  struct reference_edge e = {.first = m->steps.len};
  run(m, &e, state, c, id, wanted, guess);
  vec_push(&m->edges, e);
  return e;
}

/* Alternative number *which of the edge; if it has not so many, *which becomes
 * the number among those that follow. */
static enum spec_answer alternative(const struct reference *m,
                                    struct reference_edge e, uint32_t *which,
                                    struct value *result, uint32_t *next) {
  if (*which < e.n) {
    *result = m->steps.at[e.first + *which].result;
    *next = m->steps.at[e.first + *which].next;
    return SPEC_RETURNS;
  }
  *which -= e.n;
  if (!*which && e.waits)
    return SPEC_WAITS;
  *which -= e.waits;
  return SPEC_NONE;
}

/* Result number i that a call may have that has not returned: false and true;
 * of integers -1, 0, … up to the number of calls, and each argument of a call
 * (then the relation guesses, S8).  Of texts and pointers only NULL. */
static bool possible(const struct fl_op *op, const struct client *c, uint32_t i,
                     struct value *out) {
  switch (op->type) {
  case FL_TYPE_VOID:
    *out = value_void();
    return i < 1;
  case FL_TYPE_BOOL:
    *out = value_bool(i);
    return i < 2;
  case FL_TYPE_POINTER:
    *out = value_null();
    return i < 1;
  case FL_TYPE_STRING:
  case FL_TYPE_OTHER:
    *out = value_string(NULL);
    return i < 1;
  case FL_TYPE_INT:
  case FL_TYPE_UINT:
    break;
  }
  int64_t v = (int64_t)i - 1;
  uint32_t argument = i > c->ncalls + 1 ? i - c->ncalls - 2 : 0;
  if (i > c->ncalls + 1) {
    if (argument >= c->ncalls * CLIENT_MAX_ARGS)
      return false;
    const struct call *k = &c->calls[argument / CLIENT_MAX_ARGS];
    v = k->args[argument % CLIENT_MAX_ARGS];
  }
  *out = op->type == FL_TYPE_INT ? value_int(v) : value_uint((uint64_t)v);
  return true;
}

/* A relation has no result of its own: it is asked about each. */
static enum spec_answer try_results(struct reference *m, const struct client *c,
                                    uint32_t state, uint32_t call,
                                    uint32_t which, struct value *result,
                                    uint32_t *next) {
  const struct call *k = &c->calls[call];
  struct value wanted;
  for (uint32_t i = 0; possible(m->roles[k->op].op, c, i, &wanted); i++) {
    struct reference_edge e = edge_of(m, state, k, call, &wanted, true);
    enum spec_answer a = alternative(m, e, &which, result, next);
    if (a != SPEC_NONE)
      return a;
  }
  return SPEC_NONE;
}

static enum spec_answer choose(struct spec *s, const struct client *c,
                               uint32_t state, uint32_t call,
                               const struct value *wanted, uint32_t which,
                               struct value *result, uint32_t *next) {
  struct reference *m = (struct reference *)s;
  if (m->relation && !wanted)
    return try_results(m, c, state, call, which, result, next);
  struct reference_edge e = edge_of(m, state, &c->calls[call], call,
                                    m->relation ? wanted : NULL, false);
  return alternative(m, e, &which, result, next);
}

static struct hash128 digest(struct spec *s, uint32_t state) {
  const struct buf *b = &((struct reference *)s)->nodes.at[state].image;
  return hash128_long(b->at, b->len);
}

static uint64_t bytes(const struct spec *s) {
  const struct reference *m = (const struct reference *)s;
  return m->image_bytes + m->nodes.len * sizeof *m->nodes.at +
         m->edges.len * sizeof *m->edges.at +
         m->steps.len * sizeof *m->steps.at + map128_bytes(&m->node_of) +
         map128_bytes(&m->edge_of);
}

static void forget(struct spec *s) {
  struct reference *m = (struct reference *)s;
  for (uint32_t i = 1; i < m->nodes.len; i++)
    buf_free(&m->nodes.at[i].image);
  m->nodes.len = m->nodes.len ? 1 : 0;
  m->image_bytes = m->nodes.len ? m->nodes.at[0].image.len : 0;
  vec_clear(&m->edges);
  vec_clear(&m->steps);
  map128_clear(&m->edge_of);
  map128_clear(&m->node_of);
  if (m->nodes.len) {
    bool fresh;
    map128_put(&m->node_of, digest(s, 0), &fresh);
  }
}

void spec_reference_print(const struct spec *s, uint32_t state,
                          struct buf *out) {
  const struct reference *m = (const struct reference *)s;
  if (s->choose != choose)
    return;
  buf_puts(out, state ? "after " : "at first");
  put_path(m, state, out);
  if (state)
    out->at[out->len -= 2] = 0;
}

static void reference_free(struct spec *s) {
  struct reference *m = (struct reference *)s;
  forget(s);
  if (m->nodes.len)
    buf_free(&m->nodes.at[0].image);
  for (uint32_t i = 0; i < m->nroles; i++)
    free(m->roles[i].name);
  vec_free(&m->nodes);
  vec_free(&m->edges);
  vec_free(&m->steps);
  map128_free(&m->node_of);
  map128_free(&m->edge_of);
  free(m->roles);
  free(m->constructor);
  free(m);
}

/* ---- binding ---- */

static int refuse(const struct fl_suite *s, struct error *e, char *why) {
  error_set(e, ERR_INPUT, "%s:%d: FL_SPEC(%s): %s", s->file, s->spec_line,
            s->spec, why);
  free(why);
  return e->code;
}

/* The operation of this name, or the only one of it in some scope
 * (`list::push`). */
static struct reference_role *role_named(struct reference *m,
                                         const char *name) {
  struct reference_role *found = NULL;
  for (uint32_t i = 0; i < m->nroles; i++) {
    const char *whole = m->roles[i].op->name, *colon = strrchr(whole, ':');
    if (!strcmp(whole, name))
      return &m->roles[i];
    if (colon && !strcmp(colon + 1, name))
      found = &m->roles[i];
  }
  return found;
}

static char *operations(const struct fl_suite *suite) {
  struct buf out = {0};
  for (const struct fl_op *op = suite->ops; op; op = op->next)
    buf_printf(&out, "%s%s", out.len ? ", " : "", op->name);
  return out.len ? out.at : xstrdup("none");
}

static int bind_one(struct reference *m, const struct role_text *t,
                    void (*function)(void), struct error *e) {
  struct reference_role *role = role_named(m, t->name);
  if (!role) {
    char *list = operations(m->suite);
    char *why = xasprintf("%s = %.40s: there is no FL_OP %s; operations: %s",
                          t->name, t->source, t->name, list);
    free(list);
    return refuse(m->suite, e, why);
  }
  if (role->name)
    return refuse(m->suite, e, xasprintf("%s has two functions", t->name));
  if (!function)
    return refuse(m->suite, e,
                  xasprintf("%s = %.40s is no function", t->name, t->source));
  role->function = function;
  role->name = xstrdup(t->source);
  return 0;
}

static int bind_all(struct reference *m, const role_texts *texts,
                    struct error *e) {
  const struct fl_suite *s = m->suite;
  if (texts->len != s->nreference)
    return refuse(s, e,
                  xstrdup("expected `operation = function` for each "
                          "operation"));
  for (uint32_t i = 0; i < texts->len; i++)
    if (bind_one(m, &texts->at[i], s->reference[i], e))
      return e->code;
  for (uint32_t i = 0; i < m->nroles; i++)
    if (!m->roles[i].name)
      return refuse(s, e,
                    xasprintf("operation %s has no function: expected `%s = "
                              "function`, with the parameters of %s but a %s "
                              "instead of the object",
                              m->roles[i].op->name, m->roles[i].op->name,
                              m->roles[i].op->name, s->spec));
  return 0;
}

static bool gives_pointer(const struct fl_op *op) {
  bool any = op->type == FL_TYPE_POINTER;
  for (unsigned i = 0; i < op->nitems; i++)
    any |=
        op->items[i].kind == FL_ITEM_OUT && op->items[i].lo == FL_TYPE_POINTER;
  return any || (parts_any(op) && op->returns == FL_TYPE_POINTER);
}

static void take_roles(struct reference *m) {
  for (const struct fl_op *op = m->suite->ops; op; op = op->next)
    m->nroles++;
  m->roles = xcalloc(m->nroles + 1, sizeof *m->roles);
  uint32_t i = 0;
  for (const struct fl_op *op = m->suite->ops; op; op = op->next, i++) {
    m->roles[i].op = op;
    m->roles[i].nargs = parts_arguments(op);
    m->labels |= gives_pointer(op);
    m->spec.guesses |= m->relation && op->type > FL_TYPE_BOOL;
  }
}

static int bind(struct reference *m, struct error *e) {
  const char *text = m->suite->spec_roles;
  size_t n = strcspn(text, ",");
  role_texts texts = {0};
  m->constructor = xstrndup(text, n);
  take_roles(m);
  char *why = roles_read(&texts, text[n] ? text + n + 1 : "");
  int err = why ? refuse(m->suite, e, why) : bind_all(m, &texts, e);
  roles_free(&texts);
  return err;
}

static struct reference *reference_new(const struct fl_suite *suite) {
  struct reference *m = xcalloc(1, sizeof *m);
  m->spec = (struct spec){.name = suite->spec,
                          .choose = choose,
                          .digest = digest,
                          .bytes = bytes,
                          .forget = forget,
                          .free = reference_free};
  m->suite = suite;
  m->relation = !strcmp(suite->spec, "relation");
  return m;
}

static bool is_reference(const struct fl_suite *suite) {
  return suite->abi >= 3 && suite->reference;
}

bool spec_reference_function(const struct fl_suite *suite, uint32_t op,
                             struct reference_function *out) {
  struct error ignored = {0};
  if (!is_reference(suite))
    return false;
  struct reference *m = reference_new(suite);
  bool known = !bind(m, &ignored) && op < m->nroles;
  if (known) {
    const struct reference_role *r = &m->roles[op];
    bool result = m->relation && r->op->type != FL_TYPE_VOID;
    bool state = !suite->reference_global;
    uint32_t pointers, params = parts_parameters(r->op, &pointers);
    if (m->relation) /* its results come behind the arguments, as one */
      params = r->nargs;
    *out = (struct reference_function){.function = r->function,
                                       .nparams = state + params + result,
                                       .takes_state = state,
                                       .takes_result = result,
                                       .name = xstrdup(r->name)};
  }
  reference_free(&m->spec);
  return known;
}

static void begin(struct reference *m) {
  struct reference_call r = {.suite = m->suite, .labels = m->labels};
  struct buf image = {0};
  struct value nothing;
  reference_open();
  if (reference_run(&r, NULL, &image, &nothing) != REFERENCE_RETURNED)
    fail(m, 0, NULL, NULL);
  node_for(m, &image, 0, &(struct call){0});
}

struct spec *spec_reference(const struct fl_suite *suite,
                            reference_placer *place, void *ctx,
                            struct error *e) {
  if (!is_reference(suite))
    return NULL;
  struct reference *m = reference_new(suite);
  m->place = place;
  m->ctx = ctx;
  if (bind(m, e)) {
    reference_free(&m->spec);
    return NULL;
  }
  begin(m);
  return &m->spec;
}
