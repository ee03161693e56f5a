/*
 * FL_SPEC's roles against roles written down by hand, on random suites: any
 * roles of a type, any types of results, any settings, large and negative
 * numbers.  What a call returns, whether it waits, and which states are equal
 * must be the same.
 */
#include "oracle/roles.h"

#include "base/buf.h"
#include "base/rng.h"
#include "spec/spec.h"
#include "suites.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>

enum { SUITES = 400, STEPS = 150, OPS = 6, MOST_ROLES = 16 };
enum { EMPTY = -1, FULL = 9, OK = 5, INITIAL = 3, CAPACITY = 2 };

static struct rng rng;
static uint32_t waited, none, full, texts;

static uint32_t below(uint32_t n) { return (uint32_t)rng_below(&rng, n); }

static bool has_word(const char *words, const char *word) {
  size_t n = strlen(word);
  for (const char *at = words; (at = strstr(at, word)); at++)
    if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
      return true;
  return false;
}

struct random_suite {
  struct suite suite;
  struct suite_op ops[OPS];
  const struct naive_role *roles[OPS];
  char *text;
  bool empty, full, ok; /* which settings are given */
};

/* How results of a role may be declared. */
static void declare(struct suite_op *op, char gives, bool ok) {
  static const unsigned sizes[] = {1, 2, 4, 8};
  enum fl_type numbers[] = {FL_TYPE_INT, FL_TYPE_UINT};
  op->type = numbers[below(2)];
  op->size = sizes[below(4)];
  op->out = gives == 'd' && below(4) == 0;
  if (below(5) == 0)
    op->type = FL_TYPE_VOID;
  else if ((gives == 's' && !ok) || (gives != 'n' && below(2)))
    op->type = FL_TYPE_BOOL;
}

static void make(struct random_suite *r, const struct spec_type_info *type,
                 struct naive_object *o) {
  static const char *const names[OPS] = {"a", "b", "c", "d", "e", "f"};
  const struct naive_role *of_type[MOST_ROLES];
  uint32_t n = 0;
  for (const struct naive_role *p = naive_roles; p->type; p++)
    if (!strcmp(p->type, type->type))
      of_type[n++] = p;
  *o = (struct naive_object){.capacity = UINT32_MAX};
  struct buf text = {0};
  r->ok = below(2);
  r->empty = has_word(type->settings, "absent") || below(2);
  r->full = below(2);
  for (uint32_t i = 0; i < OPS; i++) {
    const struct naive_role *role = r->roles[i] = of_type[below(n)];
    r->ops[i] = (struct suite_op){
        .name = names[i], .nargs = role->nargs, .blocking = below(5) == 0};
    declare(&r->ops[i], role->gives, r->ok);
    buf_printf(&text, "%s = %s, ", role->name, names[i]);
  }
  if (r->ok)
    buf_printf(&text, "ok = %d, ", OK);
  if (r->empty && has_word(type->settings, "absent"))
    buf_printf(&text, "absent = %d, ", EMPTY);
  if (r->empty && has_word(type->settings, "empty"))
    buf_printf(&text, "empty = %d, ", EMPTY);
  if (has_word(type->settings, "capacity") && below(2)) {
    buf_printf(&text, "capacity = %d, ", CAPACITY);
    o->capacity = CAPACITY;
    if (r->full)
      buf_printf(&text, "full = %d, ", FULL);
  } else {
    r->full = false;
  }
  if (has_word(type->settings, "initial")) {
    o->initial = below(2) ? INITIAL : 0;
    if (o->initial)
      buf_printf(&text, "initial = %d, ", INITIAL);
    o->at[o->len++] = o->initial;
  }
  r->text = xstrdup(buf_text(&text));
  buf_free(&text);
}

/* A C cast to the declared type. */
static struct value as_declared(const struct suite_op *op, int64_t v) {
  bool is_signed = op->type == FL_TYPE_INT;
  if (op->type == FL_TYPE_VOID)
    return value_void();
  if (op->type == FL_TYPE_BOOL)
    return value_bool(v);
  switch (op->size) {
  case 1:
    return is_signed ? value_int((int8_t)v) : value_uint((uint8_t)v);
  case 2:
    return is_signed ? value_int((int16_t)v) : value_uint((uint16_t)v);
  case 4:
    return is_signed ? value_int((int32_t)v) : value_uint((uint32_t)v);
  default:
    return is_signed ? value_int(v) : value_uint((uint64_t)v);
  }
}

/* FL_OUT beside a bool, as docs/harness.md says. */
static enum spec_answer expected_out(const struct random_suite *r, uint32_t i,
                                     enum naive_end end, int64_t v,
                                     struct value *out) {
  char text[40] = "false";
  bool map = !strcmp(r->roles[i]->type, "map");
  if (end == NAIVE_VALUE)
    snprintf(text, sizeof text, "true, %" PRId64, v);
  *out = value_string(text);
  texts++;
  return end == NAIVE_NONE && !map && r->ops[i].blocking ? SPEC_WAITS
                                                         : SPEC_RETURNS;
}

/* What docs/harness.md says of the end of a call. */
static enum spec_answer expected(const struct random_suite *r, uint32_t i,
                                 enum naive_end end, int64_t v,
                                 struct value *out) {
  const struct suite_op *op = &r->ops[i];
  if (op->out)
    return expected_out(r, i, end, v, out);
  bool waits = false, map = !strcmp(r->roles[i]->type, "map");
  if (end == NAIVE_NONE) {
    waits = !map && (op->blocking || !r->empty);
    v = EMPTY;
  } else if (end == NAIVE_FULL) {
    waits = op->blocking || (!r->full && op->type != FL_TYPE_BOOL);
    v = r->full ? FULL : false;
  } else if (end == NAIVE_DONE) {
    v = r->ok ? OK : true;
  }
  *out = as_declared(op, v);
  return waits ? SPEC_WAITS : SPEC_RETURNS;
}

static int64_t random_number(void) {
  static const int64_t odd[] = {-1,        INT64_MIN, INT64_MAX,    300,
                                1LL << 29, 1LL << 40, -(1LL << 29), INT32_MIN};
  return below(3) ? below(4) : odd[below(8)];
}

struct visited {
  struct naive_object object;
  uint32_t state;
};

static bool same_object(const struct naive_object *a,
                        const struct naive_object *b) {
  return a->len == b->len && !memcmp(a->at, b->at, a->len * sizeof *a->at);
}

/* One call from a state that was visited; true: as by hand. */
static bool step(struct random_suite *r, struct spec *s,
                 struct visited *visited, uint32_t *nvisited) {
  struct visited from = visited[below(*nvisited)], *v = &visited[*nvisited];
  struct call k = {.op = (uint16_t)below(OPS),
                   .args = {random_number(), random_number(), random_number()}};
  k.nargs = (uint8_t)r->ops[k.op].nargs;
  struct client c = {.calls = &k, .ncalls = 1};
  struct value want, have;
  int64_t value = 0;
  v->object = from.object;
  enum naive_end end = r->roles[k.op]->apply(&v->object, k.args, &value);
  enum spec_answer a = expected(r, k.op, end, value, &want);
  none += end == NAIVE_NONE;
  full += end == NAIVE_FULL;
  waited += a == SPEC_WAITS;
  if (!CHECK_INT(spec_apply(s, &c, from.state, 0, &have, &v->state), a))
    return false;
  if (a == SPEC_WAITS)
    return true;
  bool ok = CHECK(value_equal(want, have)), known = false;
  for (uint32_t i = 0; i < *nvisited && ok; i++) {
    bool same = same_object(&v->object, &visited[i].object);
    ok &= CHECK_INT(same, v->state == visited[i].state); /* S1 */
    known |= same;
    if (same)
      ok &= CHECK(hash128_equal(s->digest(s, v->state),
                                s->digest(s, visited[i].state)));
  }
  *nvisited += !known;
  return ok;
}

static void one_suite(const struct spec_type_info *type) {
  static struct visited visited[STEPS + 2];
  struct random_suite r;
  struct error e = {0};
  make(&r, type, &visited[0].object);
  struct spec *s = spec_builtin(
      suite_make(&r.suite, type->type, r.text, r.ops, OPS, 1, 3), &e);
  if (CHECK_STR(e.text, "")) {
    uint32_t n = 1, steps = 0;
    visited[0].state = s->initial;
    while (steps < STEPS && step(&r, s, visited, &n))
      steps++;
    if (!CHECK_INT(steps, STEPS))
      fprintf(stderr, "FL_SPEC(%s, %s)\n", type->type, r.text);
  }
  spec_free(s);
  free(r.text);
}

/* Those whose calls take effect together are in meetings.c. */
static bool is_serial(const struct spec_type_info *t) {
  return strcmp(t->type, "exchanger") && strcmp(t->type, "rendezvous") &&
         strcmp(t->type, "barrier");
}

TEST(roles_do_what_is_written_down_by_hand) {
  rng.state = 18;
  for (const struct spec_type_info *t = spec_types; t->type; t++)
    for (int i = 0; i < SUITES && is_serial(t) && test_errors < 5; i++)
      one_suite(t);
  printf("%u calls waited, %u found nothing, %u found no room, %u had two "
         "results\n",
         waited, none, full, texts);
  CHECK(waited > 1000 && none > 1000 && full > 1000 && texts > 1000);
}

TEST(every_role_is_written_down) {
  for (const struct spec_type_info *t = spec_types; t->type; t++) {
    size_t letters = 0;
    for (const struct naive_role *r = naive_roles; r->type; r++)
      if (!strcmp(r->type, t->type)) {
        CHECK(has_word(t->roles, r->name));
        letters += strlen(r->name) + 1;
      }
    CHECK_INT(letters, is_serial(t) ? strlen(t->roles) + 1 : 0);
  }
}

TEST_MAIN
