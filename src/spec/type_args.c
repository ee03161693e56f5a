/*
 * From what a file says of a call to one form of it (struct type_op).
 */
#include "base/slow.h"
#include "spec/type_int.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Words that stand for a result; text or symbol, both are made. */
enum meaning {
  MEANS_NOTHING,
  MEANS_TRUE,
  MEANS_FALSE,
  MEANS_EMPTY,
  MEANS_ITSELF
};
static const struct {
  const char *word;
  enum meaning means;
} result_words[] = {
    {"ok", MEANS_NOTHING},      {"OK", MEANS_NOTHING},
    {"done", MEANS_NOTHING},    {"void", MEANS_NOTHING},
    {"success", MEANS_NOTHING}, {"true", MEANS_TRUE},
    {"false", MEANS_FALSE},     {"empty", MEANS_EMPTY},
    {"EMPTY", MEANS_EMPTY},     {"Empty", MEANS_EMPTY},
    {"null", MEANS_EMPTY},      {"nil", MEANS_EMPTY},
    {"none", MEANS_EMPTY},      {"None", MEANS_EMPTY},
    {"exhausted", MEANS_EMPTY},
};
enum { NWORDS = sizeof result_words / sizeof *result_words };

static void make_words(struct known_type *k) {
  k->words = xmalloc(2 * NWORDS * sizeof *k->words);
  for (int i = 0; i < NWORDS; i++) {
    size_t len = strlen(result_words[i].word);
    k->words[2 * i] = datum_text(result_words[i].word, len);
    k->words[2 * i + 1] = datum_symbol(result_words[i].word, len);
  }
}

static bool is_boxed_text(datum d) {
  return !datum_is_small(d) && datum_kind(d) == DATUM_IS_TEXT;
}

static enum meaning meaning_of(const struct known_type *k, datum d) {
  if (is_boxed_text(d))
    for (int i = 0; i < 2 * NWORDS; i++)
      if (k->words[i] == d)
        return result_words[i / 2].means;
  return MEANS_ITSELF;
}

static bool means(const struct known_type *k, datum d, enum meaning s) {
  switch (s) {
  case MEANS_NOTHING:
    if (d == DATUM_NONE || d == DATUM_NIL)
      return true;
    break;
  case MEANS_TRUE:
    if (d == DATUM_TRUE)
      return true;
    break;
  case MEANS_FALSE:
    if (d == DATUM_FALSE)
      return true;
    break;
  default:
    if (d == DATUM_NIL || d == DATUM_FALSE)
      return true;
  }
  return meaning_of(k, d) == s;
}

/* "12" as 12, unless it is not how 12 is written. */
static datum number_in_text(datum d) {
  const struct datum_box *b = datum_box(d);
  const char *digits = b->text[0] == '-' ? b->text + 1 : b->text;
  size_t n = strlen(digits);
  if (n == 0 || n > 18 || n + (size_t)(digits - b->text) != b->len ||
      strspn(digits, "0123456789") != n || (*digits == '0' && b->len > 1))
    return d;
  return datum_number(strtoll(b->text, NULL, 10));
}

/* Texts as what they mean: some formats write every value as a text. */
datum known_tidy(const struct known_type *k, datum d) {
  if (d == DATUM_NIL)
    return k->nil_is;
  if (k->as_written || !is_boxed_text(d) || datum_box(d)->symbol)
    return d;
  datum number = number_in_text(d);
  if (number != d)
    return number;
  switch (meaning_of(k, d)) {
  case MEANS_TRUE:
    return DATUM_TRUE;
  case MEANS_FALSE:
    return DATUM_FALSE;
  default:
    return !strcmp(datum_box(d)->text, "null") ? k->nil_is : d;
  }
}

/* An exception of Java is its class, whatever its package. */
static datum tidy_java(const struct known_type *k, datum d) {
  if (!is_boxed_text(d))
    return known_tidy(k, d);
  const struct datum_box *b = datum_box(d);
  const char *dot = strrchr(b->text, '.');
  if (dot && !strncmp(b->text, "java.", 5) && b->text[0] != '[')
    return datum_text(dot + 1, strlen(dot + 1));
  if (b->symbol)
    return known_tidy(k, datum_text(b->text, b->len));
  return known_tidy(k, d);
}

void given_by(const struct log_op *op, struct given *g) {
  g->n = op->nargs;
  const datum *from = op->arg;
  uint32_t n = op->nargs;
  if (n > LOG_ARGS) {
    from = datum_box(op->arg[0])->items;
    n = n < 8 ? n : 8;
  }
  for (uint32_t i = 0; i < n; i++)
    g->at[i] = from[i];
}

/* Puts the items of the list at `i` in its place. */
static void unfold(struct given *g, uint32_t i) {
  const struct datum_box *b = datum_box(g->at[i]);
  uint32_t behind = g->n - i - 1, len = b->len;
  assert(len + g->n - 1 <= 8);
  memmove(g->at + i + len, g->at + i + 1, behind * sizeof *g->at);
  memcpy(g->at + i, b->items, len * sizeof *g->at);
  g->n += len - 1;
}

static bool is_list_of(datum d, uint32_t n) {
  return datum_kind(d) == DATUM_IS_LIST && datum_box(d)->len == n;
}

/* cas [1 2] as cas(1, 2). */
static void fit(struct given *g, uint32_t least, uint32_t most) {
  if (g->n == 1 && most == 0 &&
      (g->at[0] == DATUM_NIL || g->at[0] == DATUM_NONE))
    g->n = 0;
  if (g->n == 1 && least > 1 && is_list_of(g->at[0], least))
    unfold(g, 0);
}

int type_refuse(struct error *e, const struct log *l, const struct log_op *op,
                const char *format, ...) {
  char text[1024], place[300] = "";
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  if (l->source && op->line)
    snprintf(place, sizeof place, "%.250s:%u:%u: ", l->source, op->line,
             op->column);
  return error_set(e, ERR_INPUT, "%s%s", place, text);
}

static int refuse_op(struct error *e, const struct known_type *k,
                     const struct log *l, const struct log_op *op,
                     const char *why) {
  struct buf b = {0};
  log_print_op(l, op, &b);
  int code = type_refuse(e, l, op, "%.300s: %s of a %s", buf_text(&b), why,
                         k->type.name);
  buf_free(&b);
  return code;
}

/* False: a collection or a map was expected. */
static bool put_args(struct known_type *k, const struct op_def *def,
                     const struct given *g, struct type_op *out) {
  const char *a = def->args;
  for (uint32_t i = 0; i < g->n; i++, a++) {
    a += *a == '?';
    datum d = k->java ? tidy_java(k, g->at[i]) : known_tidy(k, g->at[i]);
    k->only_nil |= g->at[i] != DATUM_NIL && means(k, g->at[i], MEANS_EMPTY);
    switch (*a) {
    case 'k':
      out->key = d;
      break;
    case 'c':
    case 'm':
      if (datum_kind(d) != (*a == 'c' ? DATUM_IS_LIST : DATUM_IS_MAP))
        return false;
      out->arg[0] = d;
      break;
    case 'e':
      out->key = d; /* fall through */
    case 'v':
    case 'o':
      out->arg[0] = d;
      break;
    default:
      out->arg[1] = d;
    }
  }
  return true;
}

static int take_args(struct known_type *k, const struct log *l,
                     const struct op_def *def, const struct log_op *op,
                     struct type_op *out, struct error *e) {
  uint32_t most = 0, least = UINT32_MAX;
  for (const char *a = def->args; *a; a++)
    if (*a == '?')
      least = most;
    else
      most++;
  if (least > most)
    least = most;
  struct given g;
  given_by(op, &g);
  fit(&g, least, most);
  /* Some tools copy a read's result into its call. */
  if (g.n == 1 && most == 0 && def->gives != GIVES_NOTHING &&
      (op->ret == LOG_PENDING || g.at[0] == op->result))
    g.n = 0;
  if (g.n >= least && g.n <= most) {
    if (put_args(k, def, &g, out))
      return 0;
    return refuse_op(e, k, l, op,
                     "a list or a map expected for this operation");
  }
  char why[100];
  const char *behind = k->behind_key ? "after the key " : "";
  if (least == most)
    snprintf(why, sizeof why, "%s%u argument%s expected for this operation",
             behind, most, most == 1 ? "" : "s");
  else
    snprintf(why, sizeof why,
             "%s%u to %u arguments expected for this operation", behind, least,
             most);
  return refuse_op(e, k, l, op, why);
}

/* The result says what was given, as Jepsen's do. */
static bool repeats(const struct log_op *op) {
  if (op->nargs == 0 || op->nargs > LOG_ARGS)
    return op->nargs > LOG_ARGS && op->result == op->arg[0];
  if (op->nargs == 1)
    return op->result == op->arg[0];
  return is_list_of(op->result, op->nargs) &&
         !memcmp(datum_box(op->result)->items, op->arg,
                 op->nargs * sizeof(datum));
}

static bool is_void(const struct known_type *k, const struct log_op *op) {
  return means(k, op->result, MEANS_NOTHING) || repeats(op) ||
         meaning_of(k, op->result) == MEANS_EMPTY;
}

static void any(struct type_op *out) {
  out->any_result = true;
  out->result = DATUM_NONE;
}

/* 0 and 1 are what a bool of C prints. */
static bool take_flag(const struct known_type *k, const struct log_op *op,
                      struct type_op *out) {
  datum r = op->result;
  if (means(k, r, MEANS_TRUE) || r == datum_number(1))
    out->result = DATUM_TRUE;
  else if (means(k, r, MEANS_FALSE) || r == datum_number(0))
    out->result = DATUM_FALSE;
  else
    return false;
  return true;
}

static int take_result(const struct known_type *k, const struct log *l,
                       const struct op_def *def, const struct log_op *op,
                       struct type_op *out, struct error *e) {
  datum r = op->result;
  switch ((enum gives)def->gives) {
  case GIVES_NOTHING:
    if (is_void(k, op) || means(k, r, MEANS_TRUE))
      return 0;
    return refuse_op(e, k, l, op, "no result expected for this operation");
  case GIVES_MAYBE:
    if (is_void(k, op) || means(k, r, MEANS_TRUE))
      any(out);
    else
      out->result = known_tidy(k, r);
    return 0;
  case GIVES_SUCCESS:
    if (is_void(k, op))
      out->result = DATUM_TRUE;
    else if (!take_flag(k, op, out))
      return refuse_op(e, k, l, op, "true or false expected as the result");
    return 0;
  case GIVES_FLAG:
    if (is_void(k, op))
      any(out);
    else if (!take_flag(k, op, out))
      return refuse_op(e, k, l, op, "true or false expected as the result");
    return 0;
  case GIVES_ITEM:
    if (r == DATUM_NONE)
      any(out);
    else if (r == DATUM_NIL || (!k->only_nil && means(k, r, MEANS_EMPTY)))
      out->result = k->type.empty;
    else
      out->result = known_tidy(k, r);
    return 0;
  case GIVES_VALUE:
    if (r == DATUM_NONE)
      any(out);
    else
      out->result = k->java ? tidy_java(k, r) : known_tidy(k, r);
    return 0;
  }
  return 0;
}

/* enqueue, _enqueue and EnQueue are one name. */
static size_t same_name(const char *want, const char *name) {
  const char *w = want;
  for (;; w++, name++) {
    while (*name == '_' || *name == '-' || *name == ':')
      name++;
    if (!*name)
      break;
    if (*w != tolower((unsigned char)*name))
      return 0;
  }
  return *w == '\0' || *w == ' ' || *w == '|' ? (size_t)(w - want) : 0;
}

const struct op_def *known_find(const struct op_def *defs, const char *name,
                                bool characteristic) {
  for (const struct op_def *d = defs; d->names; d++)
    for (const char *n = d->names; *n;) {
      if (*n == '|' && characteristic)
        break;
      if (same_name(n, name))
        return d;
      n += strcspn(n, " |");
      n += strspn(n, " ");
      if (*n == '|' && !characteristic)
        n += strspn(n, " |");
    }
  return NULL;
}

static const struct op_def *find(struct known_type *k, const struct log *l,
                                 const struct log_op *op) {
  const char *name = l->functions.at[op->f];
  while (k->found.len <= op->f)
    vec_push(&k->found, (struct named_def){0});
  struct named_def *n = &k->found.at[op->f];
  /* Another log may have another name at the same place. */
  if (!n->name || strcmp(n->name, name)) {
    free((char *)n->name);
    *n = (struct named_def){xstrdup(name), known_find(k->defs, name, false)};
  }
  return n->def;
}

static void list_names(const struct op_def *defs, struct buf *out) {
  for (const struct op_def *d = defs; d->names; d++)
    buf_printf(out, "%s%.*s", d == defs ? "" : ", ",
               (int)strcspn(d->names, " |"), d->names);
}

int known_prepare(struct type *t, const struct log *l, const struct log_op *op,
                  struct type_op *out, struct error *e) {
  struct known_type *k = (struct known_type *)t;
  const struct op_def *def = find(k, l, op);
  if (!def) {
    struct buf b = {0};
    list_names(k->defs, &b);
    int code = type_refuse(e, l, op, "a %s has no operation '%.60s'; it has %s",
                           t->name, l->functions.at[op->f], buf_text(&b));
    buf_free(&b);
    return code;
  }
  *out = (struct type_op){.op = op,
                          .code = def->code,
                          .role = def->role,
                          .only_reads = def->reads,
                          .key = DATUM_NONE,
                          .arg = {DATUM_NONE, DATUM_NONE},
                          .result = DATUM_NONE};
  int code = take_args(k, l, def, op, out, e);
  if (code)
    return code;
  if (op->ret == LOG_PENDING) {
    any(out);
  } else if (op->failed && def->role == ROLE_CAS) {
    out->result = DATUM_FALSE;
  } else if (op->failed) {
    out->code = CODE_NOTHING;
    out->role = ROLE_OTHER;
    out->only_reads = true;
  } else {
    code = take_result(k, l, def, op, out, e);
    /* Monitors take a ROLE_ADD for one that added. */
    if (out->role == ROLE_ADD && out->result == DATUM_FALSE)
      out->role = ROLE_OTHER;
    /* A lock that was held, a queue that was full: nothing has changed. */
    if (def->gives == GIVES_SUCCESS && out->role == ROLE_OTHER)
      out->only_reads |= out->result == DATUM_FALSE;
  }
  return code;
}

static bool applies_again(struct known_type *k, uint32_t state,
                          const struct type_op *op, bool can, datum answer,
                          uint32_t next) {
  datum again = DATUM_NONE;
  uint32_t to = state;
  bool could = k->apply(k, state, op, &again, &to);
  return could == can && (!can || (again == answer && to == next));
}

uint32_t known_step(struct type *t, uint32_t state, const struct type_op *op,
                    uint32_t next[TYPE_NEXT]) {
  struct known_type *k = (struct known_type *)t;
  assert(!op->any_result || op->result == DATUM_NONE); /* T5 */
  next[0] = state;
  if (op->code == CODE_NOTHING || (op->any_result && op->only_reads))
    return 1;
  datum answer = DATUM_NONE;
  bool can = k->apply(k, state, op, &answer, &next[0]);
  check_slow(applies_again(k, state, op, can, answer, next[0])); /* T2 */
  if (!can)
    return 0;
  return op->any_result || answer == op->result;
}

static bool answer(struct type *t, uint32_t state, const struct type_op *op,
                   struct buf *out) {
  struct known_type *k = (struct known_type *)t;
  struct type_op whatever = *op;
  whatever.any_result = true;
  whatever.result = DATUM_NONE;
  datum d = DATUM_NONE;
  uint32_t next;
  if (op->code == CODE_NOTHING || !k->apply(k, state, &whatever, &d, &next) ||
      d == DATUM_NONE)
    return false;
  datum_print(d, out);
  return true;
}

void *known_new(size_t size, const char *name, const char *shape,
                const struct op_def *defs, known_apply *apply) {
  struct known_type *k = xcalloc(1, size);
  k->type = (struct type){.name = name,
                          .shape = shape,
                          .empty = DATUM_NIL,
                          .initial_value = DATUM_NIL,
                          .prepare = known_prepare,
                          .step = known_step,
                          .answer = answer,
                          .free = known_free};
  k->defs = defs;
  k->apply = apply;
  k->nil_is = DATUM_NIL;
  make_words(k);
  return k;
}

void known_free(struct type *t) {
  struct known_type *k = (struct known_type *)t;
  for (uint32_t i = 0; i < k->found.len; i++)
    free((char *)k->found.at[i].name);
  vec_free(&k->found);
  free(k->words);
  free(k);
}
