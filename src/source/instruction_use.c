/* Reads and writes of variables, as their author wrote them. */
#include "source/instruction_int.h"

#include <string.h>

/* ---- tokens ---- */

bool cspan_same(const struct ctext *c, struct cspan a, struct cspan b) {
  return a.last - a.first == b.last - b.first && a.last > a.first &&
         ctext_same(c, a.first, b.first, a.last - a.first);
}

bool ctoken_is_one_of(const struct ctext *c, uint32_t t,
                      const char *const *words) {
  for (; *words; words++)
    if (ctext_is(c, t, *words))
      return true;
  return false;
}

uint32_t ctoken_depth_after(const struct ctext *c, uint32_t t, uint32_t depth) {
  if (ctext_is(c, t, "(") || ctext_is(c, t, "[") || ctext_is(c, t, "{"))
    return depth + 1;
  bool closes =
      ctext_is(c, t, ")") || ctext_is(c, t, "]") || ctext_is(c, t, "}");
  return closes && depth ? depth - 1 : depth;
}

/* The first of some tokens outside of brackets, or NONE. */
static uint32_t find(const struct ctext *c, struct cspan in,
                     const char *const *words) {
  uint32_t depth = 0;
  for (uint32_t t = in.first; t < in.last; t++) {
    if (!depth && ctoken_is_one_of(c, t, words))
      return t;
    depth = ctoken_depth_after(c, t, depth);
  }
  return CTEXT_NONE;
}

static uint32_t closing(const struct ctext *c, uint32_t open, uint32_t last) {
  uint32_t depth = 0;
  for (uint32_t t = open; t < last; t++)
    if (!(depth = ctoken_depth_after(c, t, depth)))
      return t;
  return CTEXT_NONE;
}

bool ctoken_is_name(const struct ctext *c, uint32_t t) {
  return c->tokens.at[t].kind == CTOKEN_NAME;
}

bool ctoken_is_member(const struct ctext *c, uint32_t t) {
  return t && (ctext_is(c, t - 1, ".") || ctext_is(c, t - 1, "->"));
}

/* Whether a variable's name stands in the tokens. */
bool cspan_mentions(const struct ctext *c, struct cspan in, uint32_t name) {
  for (uint32_t t = in.first; t < in.last; t++)
    if (ctoken_is_name(c, t) && !ctoken_is_member(c, t) &&
        ctext_same(c, t, name, 1))
      return true;
  return false;
}

bool cspan_has(const struct ctext *c, struct cspan in, struct cspan what) {
  for (uint32_t t = in.first; t + (what.last - what.first) <= in.last; t++)
    if (cspan_same(c, (struct cspan){t, t + what.last - what.first}, what))
      return true;
  return false;
}

void cspan_put(const struct ctext *c, struct cspan s, struct buf *out) {
  if (s.last > s.first)
    ctext_put(c, s.first, s.last - 1, out);
}

/* ---- accesses ---- */

const char *const cuse_assigns[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
const char *const cuse_steps[] = {"++", "--", NULL};
static const char *const comma[] = {",", NULL};

/* Calls whose first argument points to what they use; `by` is how they change
 * it: NULL, not at all; "?", it depends. */
static const struct atomic_call {
  const char *name, *by;
} calls[] = {
    {"atomic_load", NULL},
    {"atomic_load_explicit", NULL},
    {"__atomic_load_n", NULL},
    {"atomic_store", "="},
    {"atomic_store_explicit", "="},
    {"__atomic_store_n", "="},
    {"atomic_exchange", "="},
    {"__atomic_exchange_n", "="},
    {"atomic_exchange_explicit", "="},
    {"atomic_fetch_add", "+"},
    {"atomic_fetch_add_explicit", "+"},
    {"__atomic_fetch_add", "+"},
    {"__sync_fetch_and_add", "+"},
    {"atomic_fetch_sub", "-"},
    {"atomic_fetch_sub_explicit", "-"},
    {"__atomic_fetch_sub", "-"},
    {"__sync_fetch_and_sub", "-"},
    {"atomic_fetch_or", "|"},
    {"atomic_fetch_or_explicit", "|"},
    {"__atomic_fetch_or", "|"},
    {"__sync_fetch_and_or", "|"},
    {"atomic_fetch_and", "&"},
    {"atomic_fetch_and_explicit", "&"},
    {"__atomic_fetch_and", "&"},
    {"__sync_fetch_and_and", "&"},
    {"atomic_fetch_xor", "^"},
    {"atomic_fetch_xor_explicit", "^"},
    {"atomic_flag_test_and_set", "?"},
    {"atomic_flag_test_and_set_explicit", "?"},
    {"atomic_flag_clear", "="},
    {"atomic_flag_clear_explicit", "="},
    {"atomic_compare_exchange_strong", "?"},
    {"atomic_compare_exchange_strong_explicit", "?"},
    {"atomic_compare_exchange_weak", "?"},
    {"atomic_compare_exchange_weak_explicit", "?"},
    {"__atomic_compare_exchange_n", "?"},
    {"__sync_bool_compare_and_swap", "?"},
    {"__sync_val_compare_and_swap", "?"},
    {"__sync_lock_test_and_set", "?"},
    {"__sync_lock_release", "="},
};

static const struct atomic_call *call_at(const struct ctext *c, uint32_t t) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (ctext_is(c, t, calls[i].name) && ctext_is(c, t + 1, "("))
      return &calls[i];
  return NULL;
}

bool cuse_same_variable(const struct ctext *c, const struct cuse *a,
                        const struct cuse *b) {
  return a->pointer == b->pointer && cspan_same(c, a->name, b->name);
}

bool cuse_is_call(const struct ctext *c, uint32_t t) {
  return call_at(c, t) != NULL;
}

static bool read_call(const struct ctext *c, uint32_t stmt, uint32_t t,
                      struct cuse *out) {
  const struct atomic_call *call = call_at(c, t);
  uint32_t end =
      call ? closing(c, t + 1, cstmt_of(c, stmt)->last + 1) : CTEXT_NONE;
  if (end == CTEXT_NONE)
    return false;
  struct cspan in = {t + 2, end};
  uint32_t at = find(c, in, comma);
  uint32_t first_end = at == CTEXT_NONE ? end : at;
  bool of = ctext_is(c, t + 2, "&");
  *out = (struct cuse){.stmt = stmt,
                       .all = {t, end + 1},
                       .name = {t + 2 + of, first_end},
                       .pointer = !of,
                       .atomic = true,
                       .builtin = call->name[0] == '_',
                       .by = call->by};
  if (call->by && at != CTEXT_NONE) {
    uint32_t next = find(c, (struct cspan){at + 1, end}, comma);
    out->value = (struct cspan){at + 1, next == CTEXT_NONE ? end : next};
  }
  const struct cstmt *s = cstmt_of(c, stmt);
  out->is_statement =
      s->kind == CSTMT_SIMPLE && s->first == t && s->last == end + 1;
  return out->name.last > out->name.first;
}

/* The declaration of a name outside of functions: its token, or NONE when there
 * is none, or more than one. */
bool ctoken_in_function(const struct ctext *c, uint32_t t) {
  for (uint32_t i = 0; i < c->functions.len; i++) {
    const struct cfunction *f = &c->functions.at[i];
    if (t >= f->name && t <= cstmt_of(c, f->body)->last)
      return true;
  }
  return false;
}

uint32_t ctoken_declaration(const struct ctext *c, uint32_t name) {
  static const char *const ends[] = {";", ",", "[", "=", NULL};
  uint32_t found = CTEXT_NONE;
  for (uint32_t t = 1; t + 1 < c->tokens.len; t++) {
    bool type = ctoken_is_name(c, t - 1) || ctext_is(c, t - 1, "*");
    if (!type || !ctoken_is_name(c, t) || !ctext_same(c, t, name, 1) ||
        !ctoken_is_one_of(c, t + 1, ends) || ctoken_in_function(c, t))
      continue;
    if (found != CTEXT_NONE)
      return CTEXT_NONE;
    found = t;
  }
  return found;
}

static bool is_declared_atomic(const struct ctext *c, uint32_t declared) {
  static const char *const ends[] = {";", "{", "}", NULL};
  for (uint32_t t = declared; t-- > 0 && !ctoken_is_one_of(c, t, ends);) {
    const struct ctoken *k = &c->tokens.at[t];
    if (ctoken_is_name(c, t) &&
        ((k->len > 7 && !memcmp(c->text + k->at, "atomic_", 7)) ||
         ctext_is(c, t, "_Atomic")))
      return true;
  }
  return false;
}

/* The last name of a variable: `items` of `s->items[i]`. */
uint32_t cspan_last_name(const struct ctext *c, struct cspan s) {
  uint32_t depth = 0, found = CTEXT_NONE;
  for (uint32_t t = s.first; t < s.last; t++) {
    if (!depth && ctoken_is_name(c, t))
      found = t;
    depth = ctoken_depth_after(c, t, depth);
  }
  return found;
}

static bool is_atomic_variable(const struct ctext *c, struct cspan name) {
  uint32_t last = cspan_last_name(c, name);
  uint32_t at = last == CTEXT_NONE ? last : ctoken_declaration(c, last);
  return at != CTEXT_NONE && is_declared_atomic(c, at);
}

static bool is_keyword(const struct ctext *c, uint32_t t) {
  static const char *const words[] = {"return", "else", "do", "case",
                                      "sizeof", "goto", NULL};
  return ctoken_is_one_of(c, t, words);
}

/* Where the variable that ends (or begins) beside a step begins (or ends). */
static uint32_t variable_start(const struct ctext *c, uint32_t end,
                               uint32_t from) {
  uint32_t t = end;
  while (t > from) {
    if (ctext_is(c, t - 1, "]")) {
      uint32_t depth = 0;
      do {
        t--;
        depth += ctext_is(c, t, "]");
        depth -= ctext_is(c, t, "[");
      } while (depth && t > from);
    } else if (ctoken_is_name(c, t - 1) && !is_keyword(c, t - 1)) {
      t--;
      if (!ctoken_is_member(c, t))
        break;
      t--;
    } else {
      break;
    }
  }
  return t;
}

static uint32_t variable_end(const struct ctext *c, uint32_t at,
                             uint32_t last) {
  uint32_t t = at;
  while (t < last && ctoken_is_name(c, t)) {
    t++;
    while (t < last && ctext_is(c, t, "[")) {
      uint32_t end = closing(c, t, last);
      if (end == CTEXT_NONE)
        return at;
      t = end + 1;
    }
    if (t + 1 < last && (ctext_is(c, t, "->") || ctext_is(c, t, ".")))
      t++;
    else
      break;
  }
  return t;
}

static const char *by_of(const struct ctext *c, uint32_t t) {
  static const char *const known[][2] = {{"=", "="},  {"+=", "+"}, {"-=", "-"},
                                         {"&=", "&"}, {"|=", "|"}, {"^=", "^"},
                                         {"++", "+"}, {"--", "-"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ctext_is(c, t, known[i][0]))
      return known[i][1];
  return NULL;
}

static bool is_declaration_of(const struct ctext *c, struct cspan left) {
  for (uint32_t t = left.first; t + 1 < left.last; t++)
    if (ctoken_is_name(c, t) && (ctoken_is_name(c, t + 1) ||
                                 (t == left.first && ctext_is(c, t + 1, "*"))))
      return true;
  return false;
}

/* `n = v;` `n += v;` as a whole statement. */
static bool read_assignment(const struct ctext *c, uint32_t stmt,
                            struct cuse *out) {
  const struct cstmt *s = cstmt_of(c, stmt);
  struct cspan all = {s->first, s->last};
  uint32_t at =
      s->kind == CSTMT_SIMPLE ? find(c, all, cuse_assigns) : CTEXT_NONE;
  if (at == CTEXT_NONE || !by_of(c, at) ||
      is_declaration_of(c, (struct cspan){s->first, at}) ||
      find(c, (struct cspan){at + 1, s->last}, cuse_assigns) != CTEXT_NONE)
    return false;
  bool star = ctext_is(c, s->first, "*");
  *out = (struct cuse){.stmt = stmt,
                       .all = all,
                       .name = {s->first + star, at},
                       .pointer = star,
                       .by = by_of(c, at),
                       .value = {at + 1, s->last},
                       .is_statement = true};
  out->atomic = !star && is_atomic_variable(c, out->name);
  return true;
}

/* `n++` or `--n` anywhere. */
static bool read_step(const struct ctext *c, uint32_t stmt, uint32_t t,
                      struct cuse *out) {
  const struct cstmt *s = cstmt_of(c, stmt);
  if (!ctoken_is_one_of(c, t, cuse_steps))
    return false;
  uint32_t from = variable_start(c, t, s->first);
  struct cspan name = {from, t};
  if (from == t)
    name = (struct cspan){t + 1, variable_end(c, t + 1, s->last + 1)};
  if (name.last <= name.first)
    return false;
  bool before = from == t;
  *out = (struct cuse){
      .stmt = stmt,
      .all = {before ? t : name.first, before ? name.last : t + 1},
      .name = name,
      .by = by_of(c, t)};
  out->is_statement = s->kind == CSTMT_SIMPLE && out->all.first == s->first &&
                      out->all.last == s->last;
  out->atomic = is_atomic_variable(c, name);
  return true;
}

/* ---- the uses in some lines ---- */

static bool in_lines(const struct ctext *c, uint32_t t, uint32_t first,
                     uint32_t last) {
  return c->tokens.at[t].line >= first && c->tokens.at[t].line <= last;
}

/* The innermost statement that a token is in. */
static uint32_t stmt_of(const struct ctext *c, const struct cfunction *f,
                        uint32_t t) {
  uint32_t found = f->body;
  for (uint32_t s = f->first_stmt; s < f->last_stmt; s++)
    if (cstmt_of(c, s)->first <= t && cstmt_of(c, s)->last >= t &&
        cstmt_in(c, s, found))
      found = s;
  return found;
}

/* Writes, and reads by call. */
void cuses_find(const struct ctext *c, const struct cfunction *f,
                uint32_t first, uint32_t last, cuse_vec *out) {
  uint32_t end = cstmt_of(c, f->body)->last;
  for (uint32_t t = cstmt_of(c, f->body)->first; t < end; t++) {
    struct cuse u;
    if (!in_lines(c, t, first, last))
      continue;
    uint32_t s = stmt_of(c, f, t);
    if (read_call(c, s, t, &u) || read_step(c, s, t, &u) ||
        (t == cstmt_of(c, s)->first && read_assignment(c, s, &u)))
      vec_push(out, u);
  }
}

/* A plain read of what `w` writes, before it; only one in the lines. */
static bool find_plain_read(const struct ctext *c, const struct cfunction *f,
                            uint32_t first, uint32_t last, const struct cuse *w,
                            struct cuse *out) {
  uint32_t n = w->name.last - w->name.first, seen = 0;
  for (uint32_t t = cstmt_of(c, f->body)->first; t + n <= w->all.first; t++) {
    struct cspan here = {t, t + n};
    if (!in_lines(c, t, first, last) || ctoken_is_member(c, t) ||
        !cspan_same(c, here, w->name) || ctext_is(c, t + n, "[") ||
        ctext_is(c, t + n, "->") || ctext_is(c, t + n, ".") ||
        ctoken_is_one_of(c, t + n, cuse_assigns) || ctext_is(c, t - 1, "&"))
      continue;
    bool star = w->pointer;
    if (star && !ctext_is(c, t - 1, "*"))
      continue;
    *out = (struct cuse){.stmt = stmt_of(c, f, t),
                         .all = {t - star, t + n},
                         .name = here,
                         .pointer = star,
                         .atomic = w->atomic};
    seen++;
  }
  return seen == 1;
}

bool cuses_find_read(const struct ctext *c, const struct cfunction *f,
                     uint32_t first, uint32_t last, const cuse_vec *v,
                     const struct cuse *w, struct cuse *out) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < v->len; i++)
    if (!v->at[i].by && v->at[i].all.last <= w->all.first &&
        cuse_same_variable(c, &v->at[i], w)) {
      *out = v->at[i];
      seen++;
    }
  return seen ? seen == 1 : find_plain_read(c, f, first, last, w, out);
}

/* The variable that gets all of what is read, `m` of `int m = load(&map);`, or
 * NONE. */
uint32_t cuse_holder(const struct ctext *c, const struct cuse *r) {
  const struct cstmt *s = cstmt_of(c, r->stmt);
  bool whole = s->kind == CSTMT_SIMPLE && r->all.last == s->last &&
               r->all.first > s->first + 1 &&
               ctext_is(c, r->all.first - 1, "=") &&
               ctoken_is_name(c, r->all.first - 2) &&
               !ctoken_is_member(c, r->all.first - 2);
  return whole ? r->all.first - 2 : CTEXT_NONE;
}
