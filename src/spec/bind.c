/*
 * FL_SPEC to a specification: finds the type, gives each operation of the suite
 * its role, and makes the values of settings in each operation's own type.
 */
#include "harness/parts.h"
#include "spec/builtin.h"
#include "spec/roles.h"

#include <inttypes.h>
#include <string.h>

const struct spec_type_info spec_types[] = {
#define SPEC_TYPE_INFO(name, roles, settings, meaning)                         \
  {#name, roles, settings, meaning},
    SPEC_TYPES(SPEC_TYPE_INFO)
#undef SPEC_TYPE_INFO
        {NULL, NULL, NULL, NULL},
};

static const struct builtin_type *const types[] = {
#define SPEC_TYPE_TABLE(name, roles, settings, meaning) &builtin_##name,
    SPEC_TYPES(SPEC_TYPE_TABLE)
#undef SPEC_TYPE_TABLE
};

/* While binding. */
struct binding {
  const struct fl_suite *suite;
  const struct spec_type_info *info;
  struct builtin *b;
  role_texts texts;
  struct error *e;
};

static int fail_at(struct binding *k, const char *file, int line, char *why) {
  int code = error_set(k->e, ERR_INPUT, "%s:%d: FL_SPEC(%s): %s",
                       file ? file : "?", line, k->suite->spec, why);
  free(why);
  return code;
}

/* Takes `why`. */
static int fail(struct binding *k, char *why) {
  return fail_at(k, k->suite->file, k->suite->spec_line, why);
}

/* Whether `word` is among `list`, words separated by spaces. */
static bool listed(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *s = list; *s; s += strcspn(s, " "), s += *s == ' ')
    if (strcspn(s, " ") == n && !memcmp(s, word, n))
      return true;
  return false;
}

static const struct spec_role *find_role(const struct builtin_type *t,
                                         const char *name) {
  for (const struct spec_role *r = t->roles; r->names; r++)
    if (listed(r->names, name))
      return r;
  return NULL;
}

static const struct fl_op *find_op(const struct fl_suite *suite,
                                   const char *name, uint32_t *index) {
  *index = 0;
  for (const struct fl_op *op = suite->ops; op; op = op->next, (*index)++)
    if (!strcmp(op->name, name))
      return op;
  return NULL;
}

static char *op_list(const struct fl_suite *suite) {
  struct buf out = {0};
  for (const struct fl_op *op = suite->ops; op; op = op->next)
    buf_printf(&out, "%s%s", out.len ? ", " : "", op->name);
  char *list = xstrdup(out.len ? buf_text(&out) : "none");
  buf_free(&out);
  return list;
}

static const struct role_text *setting(const struct binding *k,
                                       const char *name) {
  for (uint32_t i = 0; i < k->texts.len; i++)
    if (!strcmp(k->texts.at[i].name, name))
      return &k->texts.at[i];
  return NULL;
}

/* The value of setting `name` as operation `op` would return it; `otherwise`
 * where the setting is not given. */
static int setting_value(struct binding *k, const char *name,
                         const struct fl_op *op, struct value otherwise,
                         struct value *out) {
  const struct role_text *t = setting(k, name);
  *out = otherwise;
  if (!t || op->type == FL_TYPE_VOID)
    return 0;
  if (t->text) {
    if (op->type != FL_TYPE_STRING)
      return fail(k, xasprintf("%s = %.40s is a string, but %s returns none",
                               name, t->source, op->name));
    *out = value_string(t->text);
  } else if (op->type == FL_TYPE_STRING && t->number == 0) {
    *out = value_string(NULL);
  } else {
    *out = builtin_value(op->type, op->size, t->number);
  }
  return 0;
}

static const char *type_words(enum fl_type t) {
  static const char *const words[] = {
      "nothing",   "a bool",   "an integer",    "an unsigned integer",
      "a pointer", "a string", "something else"};
  return words[t];
}

/* A map's removal tells of a key that is not there; that of other containers
 * tells that they are empty. */
static bool has_absent(const struct binding *k) {
  return listed(k->info->settings, "absent");
}

/* Can an operation of this return type play the role? */
static int check_type(struct binding *k, const struct spec_role *role,
                      uint32_t nargs, const char *name,
                      const struct fl_op *op) {
  bool number = op->type == FL_TYPE_INT || op->type == FL_TYPE_UINT;
  if (op->type == FL_TYPE_VOID)
    return 0;
  if (role->result == RESULT_STATUS && op->type != FL_TYPE_BOOL &&
      !setting(k, "ok")) {
    const char *hint = find_role(k->b->about, "inc_fetch") && nargs == 0
                           ? ", or use fetch_inc (returns the old number), "
                             "inc_fetch (the new one) and the like"
                           : "";
    return fail_at(k, op->file, op->line,
                   xasprintf("%s returns %s: say what it returns as %s with "
                             "`ok = value`%s",
                             op->name, type_words(op->type), name, hint));
  }
  bool all = role->result == RESULT_ALL;
  if (all && op->type == FL_TYPE_STRING && !has_absent(k))
    return 0;
  if ((role->result == RESULT_FLAG && op->type != FL_TYPE_BOOL && !number) ||
      ((role->result == RESULT_NUMBER || role->result == RESULT_RANGE || all) &&
       !number))
    return fail_at(
        k, op->file, op->line,
        xasprintf("%s returns %s, but %s returns %s", op->name,
                  type_words(op->type), name,
                  role->result == RESULT_FLAG ? "a bool" : "an integer"));
  if (role->result == RESULT_DATA && nargs > 0 && has_absent(k) &&
      !role->total && !setting(k, "absent") && op->type != FL_TYPE_POINTER)
    return fail_at(k, op->file, op->line,
                   xasprintf("say what %s returns when the key is not there "
                             "with `absent = value`",
                             op->name));
  return 0;
}

/* Which arguments are texts, and whether the type can have them. */
static int take_texts(struct binding *k, const struct fl_op *op,
                      struct bound_op *bound) {
  const struct builtin_type *t = k->b->about;
  bool orders = t == &builtin_pqueue || bound->role->result == RESULT_RANGE;
  bool fits = t == &builtin_stack || t == &builtin_queue ||
              t == &builtin_deque || t == &builtin_set || t == &builtin_map;
  for (uint32_t i = 0; i < bound->nargs; i++) {
    if (parts_argument(op, i)->kind != FL_ITEM_STRING)
      continue;
    if (!fits || orders)
      return fail_at(k, op->file, op->line,
                     xasprintf("%s takes a text (FL_STRING): not for this "
                               "type; write FL_SPEC(model, ...)",
                               op->name));
    if (bound->role->data >> i & 1)
      k->b->texts = k->suite;
  }
  return 0;
}

static char *value_words(struct value v, const char *behind) {
  struct buf b = {0};
  value_print(v, &b);
  buf_puts(&b, behind);
  return b.at;
}

/* A bool or a number is returned, and the element in an output parameter. */
static int bind_beside(struct binding *k, const struct fl_op *op,
                       const char *none, struct bound_op *bound) {
  struct fl_op alone = *op;
  alone.type = op->returns;
  alone.size = op->returned;
  bool flag = alone.type == FL_TYPE_BOOL;
  const char *missing = !flag && !setting(k, "ok") ? "ok"
                        : !flag && !bound->waits_none && !setting(k, none)
                            ? none
                            : NULL;
  if (bound->role->result != RESULT_DATA || k->b->about->choose)
    return fail_at(k, op->file, op->line,
                   xasprintf("%s has a result in FL_OUT and another one; here "
                             "only an operation that takes out or looks at an "
                             "element may",
                             op->name));
  if (missing)
    return fail_at(k, op->file, op->line,
                   xasprintf("say what %s returns %s with `%s = value`",
                             op->name,
                             missing == none ? "when there is no element"
                                             : "beside an element",
                             missing));
  struct value ok, nothing;
  struct value one = builtin_value(alone.type, alone.size, 1);
  struct value zero = builtin_value(alone.type, alone.size, 0);
  if (!flag && setting_value(k, "ok", &alone, one, &ok))
    return k->e->code;
  if (!flag && setting_value(k, none, &alone, zero, &nothing))
    return k->e->code;
  bound->prefix = value_words(flag ? one : ok, ", ");
  char *text = value_words(flag ? zero : nothing, "");
  bound->none = value_string(text);
  free(text);
  return 0;
}

static int bind_role(struct binding *k, const struct role_text *t,
                     const struct spec_role *role) {
  uint32_t index;
  if (!t->word)
    return fail(k, xasprintf("%s = %.40s: expected the name of an operation",
                             t->name, t->source));
  const struct fl_op *op = find_op(k->suite, t->word, &index);
  if (!op) {
    char *list = op_list(k->suite);
    char *why = xasprintf("%s = %.40s: there is no such FL_OP; operations: %s",
                          t->name, t->source, list);
    free(list);
    return fail(k, why);
  }
  struct bound_op *bound = &k->b->ops[index];
  if (bound->role)
    return fail(k, xasprintf("%s has two roles", op->name));
  builtin_bind(k->b, role, bound);
  uint32_t nargs = parts_arguments(op);
  if (nargs != bound->nargs)
    return fail_at(k, op->file, op->line,
                   xasprintf("%s takes %" PRIu32
                             " argument%s, but %s takes %" PRIu32,
                             op->name, nargs, nargs == 1 ? "" : "s", t->name,
                             bound->nargs));
  bound->out = parts_beside(op);
  if (take_texts(k, op, bound))
    return k->e->code;
  bool blocks = spec_op_has(op, FL_ITEM_BLOCKING);
  const char *none = has_absent(k) ? "absent" : "empty";
  bound->type = op->type;
  bound->size = op->size;
  bool says_none =
      setting(k, none) || (bound->out && op->returns == FL_TYPE_BOOL);
  bound->waits_none = !has_absent(k) && (blocks || !says_none);
  bound->waits_full =
      blocks || (!setting(k, "full") && op->type != FL_TYPE_BOOL);
  struct value zero = builtin_value(op->type, op->size, 0);
  if (op->type == FL_TYPE_STRING)
    zero.bits = 0;
  struct value one = builtin_value(op->type, op->size, 1);
  if (bound->out)
    return bind_beside(k, op, none, bound);
  int err = check_type(k, role, bound->nargs, t->name, op);
  if (!err && role->result == RESULT_STATUS)
    err = setting_value(k, "ok", op, one, &bound->ok);
  if (!err && role->result == RESULT_STATUS)
    err = setting_value(k, "full", op, zero, &bound->full);
  if (!err && setting(k, "leader"))
    err = setting_value(k, "leader", op, one, &bound->leader);
  if (!err && role->result == RESULT_DATA)
    err = setting_value(k, none, op, zero, &bound->none);
  return err;
}

static int bind_setting(struct binding *k, const struct role_text *t) {
  if (setting(k, t->name) != t)
    return fail(k, xasprintf("%s is set twice", t->name));
  if (!t->is_number && !t->text)
    return fail(k,
                xasprintf("%s = %.40s is not a constant: expected a number, a "
                          "character, a string, true, false or NULL",
                          t->name, t->source));
  bool capacity = !strcmp(t->name, "capacity");
  bool initial = !strcmp(t->name, "initial");
  bool parties = !strcmp(t->name, "parties");
  if ((capacity || initial || parties) && !t->is_number)
    return fail(k, xasprintf("%s = %.40s is not a number", t->name, t->source));
  if ((capacity || parties) && (t->number <= 0 || t->number >= UINT32_MAX))
    return fail(k, xasprintf("%s = %.40s is out of range", t->name, t->source));
  if (parties)
    k->b->parties = (uint32_t)t->number;
  if (!strcmp(t->name, "leader"))
    k->b->has_leader = true;
  if (capacity)
    k->b->capacity = (uint32_t)t->number;
  if (initial)
    k->b->initial = t->number;
  return 0;
}

static int bind_all(struct binding *k) {
  int err = 0;
  for (uint32_t i = 0; i < k->texts.len && !err; i++) {
    const struct role_text *t = &k->texts.at[i];
    const struct spec_role *role = find_role(k->b->about, t->name);
    if (role)
      err = bind_role(k, t, role);
    else if (listed(k->info->settings, t->name))
      err = bind_setting(k, t);
    else
      err = fail(k, xasprintf("there is no role %.40s; roles: %s; settings: %s",
                              t->name, k->info->roles, k->info->settings));
  }
  if (!err && k->suite->ops && listed(k->info->settings, "parties") &&
      !k->b->parties)
    err = fail(k, xstrdup("say how many calls return together with `parties = "
                          "number`"));
  uint32_t index = 0;
  for (const struct fl_op *op = k->suite->ops; op && !err;
       op = op->next, index++)
    if (!k->b->ops[index].role)
      err = fail_at(k, op->file, op->line,
                    xasprintf("operation %s has no role; roles: %s", op->name,
                              k->info->roles));
  return err;
}

static int find_type(struct binding *k, size_t *index) {
  struct buf list = {0};
  for (*index = 0; spec_types[*index].type; (*index)++) {
    if (!strcmp(spec_types[*index].type, k->suite->spec)) {
      buf_free(&list);
      k->info = &spec_types[*index];
      return 0;
    }
    buf_printf(&list, "%s%s", list.len ? ", " : "", spec_types[*index].type);
  }
  char *why = xasprintf("there is no such type; types: %s", buf_text(&list));
  buf_free(&list);
  return fail(k, why);
}

/* All but the type, which is not opened. */
static struct builtin *bind_suite(const struct fl_suite *suite,
                                  struct error *e) {
  struct binding k = {.suite = suite, .e = e};
  size_t type;
  uint32_t nops = 0;
  if (!suite->spec || find_type(&k, &type))
    return NULL;
  for (const struct fl_op *op = suite->ops; op; op = op->next)
    nops++;
  k.b = builtin_new(k.info->type, types[type], nops);
  char *why = roles_read(&k.texts, suite->spec_roles);
  int err = why ? fail(&k, why) : bind_all(&k);
  roles_free(&k.texts);
  if (err) {
    spec_free(&k.b->spec);
    return NULL;
  }
  return k.b;
}

struct spec *spec_builtin(const struct fl_suite *suite, struct error *e) {
  struct builtin *b = bind_suite(suite, e);
  if (!b)
    return NULL;
  builtin_open(b);
  return &b->spec;
}

static bool domain_has(const struct fl_item *item, int64_t v) {
  if (item->kind == FL_ITEM_STRING)
    return false;
  if (item->kind != FL_ITEM_LIST)
    return item->lo <= v && v <= item->hi;
  for (unsigned i = 0; i < item->count; i++)
    if (item->list[i] == v)
      return true;
  return false;
}

static bool meets_text(const struct fl_item *item, struct value other) {
  const char *const *texts = (const char *const *)(const void *)item->text;
  for (unsigned i = 0; i < item->count; i++)
    if (value_equal(value_string(texts[i]), other))
      return true;
  return false;
}

/* Whether a value of the domain, handed back by `op`, equals what `op` returns
 * for another reason.  Domains that are too large to look at: perhaps. */
static bool meets(const struct fl_item *item, const struct bound_op *op,
                  struct value other) {
  bool list = item->kind == FL_ITEM_LIST;
  if (op->out) /* an element has `ok` in front */
    return false;
  if (item->kind == FL_ITEM_STRING)
    return meets_text(item, other);
  int64_t lo = list ? 0 : item->lo, n = list ? item->count : 0;
  if (!list && (__builtin_sub_overflow(item->hi, lo, &n) || n++ >= 1000))
    return true;
  for (int64_t i = 0; i < n; i++) {
    int64_t v = list ? item->list[i] : lo + i;
    if (value_equal(builtin_value(op->type, op->size, v), other))
      return op->type != FL_TYPE_VOID;
  }
  return false;
}

bool spec_arg_is_data(const struct fl_suite *suite, uint32_t op, uint32_t arg) {
  struct error ignored = {0};
  struct builtin *b = bind_suite(suite, &ignored);
  if (!b)
    return false;
  const struct fl_op *f = suite->ops;
  for (uint32_t i = 0; f && i < op; i++)
    f = f->next;
  const struct fl_item *item = f ? parts_argument(f, arg) : NULL;
  bool data = item && (b->ops[op].role->data >> arg & 1);
  if (data && b->about->cell && domain_has(item, b->initial))
    data = false;
  for (uint32_t i = 0; i < b->nops && data; i++) {
    const struct bound_op *o = &b->ops[i];
    if (o->role->compares)
      data = false;
    else if (o->role->result != RESULT_DATA)
      continue;
    else if (o->type == FL_TYPE_BOOL) /* hands back less than was stored */
      data = false;
    else if (!b->about->cell && !o->waits_none)
      data = !meets(item, o, o->none);
  }
  spec_free(&b->spec);
  return data;
}
