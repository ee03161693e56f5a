/* Writes one instruction for a read and a write. */
#include "source/instruction_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- changes ---- */

struct instruction_writer {
  const struct ctext *c;
  const struct cfunction *f;
  uint32_t first, last;
  uint32_t which, seen;
  struct edits *edits;
  struct buf *what;
};

/* Whether this is the one that is asked for. */
static bool is_asked(struct instruction_writer *w) {
  return w->seen++ == w->which;
}

static bool replace(struct instruction_writer *w, struct cspan s,
                    const char *text) {
  const struct ctoken *a = &w->c->tokens.at[s.first],
                      *b = &w->c->tokens.at[s.last - 1];
  return edits_add(w->edits, a->at, b->at + b->len - a->at, text);
}

/* A statement of its own goes away. */
static bool drop(struct instruction_writer *w, uint32_t stmt) {
  const struct cstmt *s = cstmt_of(w->c, stmt);
  const struct ctoken *b = &w->c->tokens.at[s->last];
  uint32_t at = w->c->tokens.at[s->first].at, end = b->at + b->len;
  uint32_t next =
      ctext_begins_line(w->c, s->first) ? ctext_rest_of_line(w->c, end) : 0;
  if (cstmt_has_no_braces(w->c, stmt) || cstmt_follows_label(w->c, stmt))
    return edits_add(w->edits, at, end - at, ";");
  if (next) {
    at = ctext_line_start(w->c, at);
    end = next;
  }
  return edits_add(w->edits, at, end - at, "");
}

static void put_address(const struct instruction_writer *w,
                        const struct cuse *u, struct buf *out) {
  buf_puts(out, u->pointer ? "" : "&");
  cspan_put(w->c, u->name, out);
}

/* atomic_NAME(&n, VALUE), or the compiler's own for what has no atomic type. */
static void put_instruction(const struct instruction_writer *w,
                            const struct cuse *u, bool generic,
                            const char *name, const char *value,
                            struct buf *out) {
  bool exchange = !strcmp(name, "exchange");
  if (generic)
    buf_printf(out, "atomic_%s(", name);
  else
    buf_printf(out, "__atomic_%s%s(", name, exchange ? "_n" : "");
  put_address(w, u, out);
  buf_printf(out, ", %s%s)", value, generic ? "" : ", __ATOMIC_SEQ_CST");
}

static uint32_t line_of(const struct instruction_writer *w, struct cspan s) {
  return w->c->tokens.at[s.first].line;
}

/* "replaces the read of line 8 and the write of line 9 by X" */
static void say_replaced(struct instruction_writer *w, const struct cuse *r,
                         const struct cuse *u, const char *by) {
  uint32_t a = line_of(w, r->all), b = line_of(w, u->all);
  if (a == b)
    buf_printf(w->what, "replaces the read and the write of line %u by %s", a,
               by);
  else
    buf_printf(w->what,
               "replaces the read of line %u and the write of line %u by %s", a,
               b, by);
}

/* The read becomes the instruction, the write goes away. */
static bool write_pair(struct instruction_writer *w, const struct cuse *r,
                       const struct cuse *u, const char *name,
                       const char *value) {
  struct buf b = {0};
  put_instruction(w, u, u->atomic && !u->builtin, name, value, &b);
  bool ok = replace(w, r->all, b.at) && drop(w, u->stmt);
  say_replaced(w, r, u, b.at);
  buf_free(&b);
  return ok;
}

/* Whether a name of the value gets its own value or meaning between the read
 * and the write: then it is not known yet when the read is made. */
static bool is_known_at(const struct ctext *c, struct cspan value,
                        const struct cuse *r, const struct cuse *u) {
  for (uint32_t t = value.first; t < value.last; t++) {
    if (!ctoken_is_name(c, t) || ctoken_is_member(c, t))
      continue;
    for (uint32_t k = cstmt_of(c, r->stmt)->first; k < u->all.first; k++)
      if (ctext_same(c, t, k, 1) && !ctoken_is_member(c, k) &&
          (ctoken_is_one_of(c, k + 1, cuse_assigns) ||
           ctoken_is_one_of(c, k + 1, cuse_steps) ||
           (k && (ctoken_is_one_of(c, k - 1, cuse_steps) ||
                  ctoken_is_name(c, k - 1)))))
        return false;
  }
  return true;
}

static const char *fetch_name(const char *by) {
  static const char *const names[][2] = {{"+", "fetch_add"},
                                         {"-", "fetch_sub"},
                                         {"|", "fetch_or"},
                                         {"&", "fetch_and"},
                                         {"^", "fetch_xor"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(by, names[i][0]))
      return names[i][1];
  return NULL;
}

/* `m & ~bit` of what was read, which is in `m` or is the variable itself. */
static const char *split_value(const struct ctext *c, struct cspan v,
                               struct cspan old, struct cspan *rest) {
  static const char *const ops[] = {"+", "-", "|", "&", "^", NULL};
  uint32_t n = old.last - old.first, at = v.first + n;
  if (v.last <= at + 1 || !cspan_same(c, (struct cspan){v.first, at}, old) ||
      !ctoken_is_one_of(c, at, ops))
    return NULL;
  *rest = (struct cspan){at + 1, v.last};
  /* one operator only, or the rest would bind otherwise */
  static const char *const binary[] = {"+",  "-",  "|", "&", "^",  "?",  "<<",
                                       ">>", "==", "<", ">", "&&", "||", NULL};
  for (uint32_t t = rest->first + 1, depth = 0; t < rest->last; t++) {
    if (!depth && ctoken_is_one_of(c, t, binary) && !ctext_is(c, t - 1, "("))
      return NULL;
    depth = ctoken_depth_after(c, t, depth);
  }
  for (size_t i = 0; ops[i]; i++)
    if (ctext_is(c, at, ops[i]))
      return ops[i];
  return NULL;
}

/* The new value as text: `m + v` of what was read into `m`. */
static void put_new_value(const struct ctext *c, const struct cuse *u,
                          const char *held, struct buf *out) {
  if (strcmp(u->by, "="))
    buf_printf(out, "%s %s ", held, u->by);
  if (u->value.last > u->value.first)
    cspan_put(c, u->value, out);
  else
    buf_puts(out, "1");
}

static void choose_name(const struct ctext *c, const char *like,
                        char out[static 32]) {
  snprintf(out, 32, "%s", like);
  for (unsigned n = 2; ctext_has_name(c, out); n++)
    snprintf(out, 32, "%s_%u", like, n);
}

static bool put_before(struct instruction_writer *w, uint32_t stmt,
                       const char *text) {
  return edits_add(w->edits, w->c->tokens.at[cstmt_of(w->c, stmt)->first].at, 0,
                   text);
}

/* What is read gets a name, if it has none, and a label before it. */
static bool write_beginning(struct instruction_writer *w, const struct cuse *r,
                            bool named, const char *label, const char *held) {
  struct buf b = {0};
  buf_printf(&b, "%s:; ", label);
  if (!named) {
    buf_printf(&b, "__auto_type %s = ", held);
    cspan_put(w->c, r->all, &b);
    buf_puts(&b, "; ");
  }
  bool ok = put_before(w, r->stmt, b.at) && (named || replace(w, r->all, held));
  buf_free(&b);
  return ok;
}

/* The write is a compare-and-swap; its value, if it is used, is the old one. */
static bool write_end(struct instruction_writer *w, const struct cuse *u,
                      const char *call, const char *label, const char *held) {
  const struct cstmt *s = cstmt_of(w->c, u->stmt);
  char *text =
      xasprintf("if (!%s) goto %s;%s", call, label, u->is_statement ? "" : " ");
  bool ok = u->is_statement
                ? replace(w, (struct cspan){s->first, s->last + 1}, text)
                : put_before(w, u->stmt, text) && replace(w, u->all, held);
  free(text);
  return ok;
}

/* The write fails when the variable has changed; then all is done again. */
static bool write_loop(struct instruction_writer *w, const struct cuse *r,
                       const struct cuse *u, uint32_t held) {
  const struct ctext *c = w->c;
  bool generic = u->atomic && !u->builtin, named = held != CTEXT_NONE;
  struct buf name = {0}, call = {0};
  char label[32], seen[32];
  choose_name(c, "again", label);
  choose_name(c, "seen", seen);
  if (named)
    ctext_put(c, held, held, &name);
  else
    buf_puts(&name, seen);
  buf_printf(&call, "%s(",
             generic ? "atomic_compare_exchange_strong"
                     : "__atomic_compare_exchange_n");
  put_address(w, u, &call);
  buf_printf(&call, ", &%s, ", name.at);
  put_new_value(c, u, name.at, &call);
  buf_puts(&call, generic ? ")" : ", 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)");
  bool ok = write_beginning(w, r, named, label, name.at) &&
            write_end(w, u, call.at, label, name.at);
  buf_puts(w->what, "writes with a compare-and-swap at ");
  buf_printf(w->what, "line %u, %s, ", line_of(w, u->all), call.at);
  if (!named)
    buf_printf(w->what, "where %s is what line %u reads, ", seen,
               line_of(w, r->all));
  buf_printf(w->what, "and begins again at line %u when it fails",
             line_of(w, r->all));
  buf_free(&name);
  buf_free(&call);
  return ok;
}

/* ---- what one thread alone does not notice ----
 *
 * A search compares an object with what it does when it is used by one thread:
 * a change that alters that alters the specification, and a search would never
 * tell.  So a change is made only where one thread does the same with it. */

static bool in_braces(const struct ctext *c, uint32_t stmt) {
  return !cstmt_has_no_braces(c, stmt);
}

/* Whether a use is evaluated whenever its statement is. */
static bool is_unconditional(const struct ctext *c, const struct cuse *u) {
  static const char *const branches[] = {"&&", "||", "?", NULL};
  for (uint32_t t = cstmt_of(c, u->stmt)->first; t < u->all.first; t++)
    if (ctoken_is_one_of(c, t, branches))
      return false;
  return true;
}

/* Whether control that comes to a statement always comes to the other. */
static bool leads_to(const struct ctext *c, const struct cfunction *f,
                     uint32_t from, uint32_t to) {
  if (cstmt_of(c, from)->kind != CSTMT_SIMPLE ||
      cstmt_of(c, from)->parent != cstmt_of(c, to)->parent ||
      !in_braces(c, from))
    return false;
  for (uint32_t s = f->first_stmt; s < f->last_stmt; s++)
    if (cstmt_of(c, s)->first > cstmt_of(c, from)->last &&
        cstmt_of(c, s)->first < cstmt_of(c, to)->first &&
        (cstmt_is_jump(c, s) || cstmt_is_label(c, s)))
      return false;
  return true;
}

/* A read that is made once, in a statement that can have a label, and a write
 * whose value is the old one, if it is used. */
static bool try_loop(struct instruction_writer *w, const struct cuse *r,
                     const struct cuse *u, uint32_t held) {
  const struct ctext *c = w->c;
  bool loop = cstmt_of(c, r->stmt)->kind == CSTMT_LOOP;
  bool old =
      u->is_statement || (cuse_is_call(c, u->all.first) && strcmp(u->by, "="));
  return old && !loop && in_braces(c, r->stmt) && is_unconditional(c, r) &&
         (u->is_statement ||
          (in_braces(c, u->stmt) && is_unconditional(c, u))) &&
         is_asked(w) && write_loop(w, r, u, held);
}

/* A read, and a write by itself behind it. */
static bool try_pair(struct instruction_writer *w, const struct cuse *r,
                     const struct cuse *u) {
  const struct ctext *c = w->c;
  uint32_t held = cuse_holder(c, r);
  struct cspan old =
      held == CTEXT_NONE ? r->all : (struct cspan){held, held + 1};
  bool sets = !strcmp(u->by, "=");
  bool sure = leads_to(c, w->f, r->stmt, u->stmt) && is_unconditional(c, r);
  bool uses_old = cspan_has(c, u->value, u->name) ||
                  (held != CTEXT_NONE && cspan_mentions(c, u->value, held));
  if (sets && u->value.last == u->value.first)
    return false; /* it clears a flag */
  if (sets && sure && !uses_old && is_known_at(c, u->value, r, u) &&
      is_asked(w)) {
    struct buf value = {0};
    cspan_put(c, u->value, &value);
    bool ok = write_pair(w, r, u, "exchange", buf_text(&value));
    buf_free(&value);
    return ok;
  }
  struct cspan rest;
  const char *op = sets ? split_value(c, u->value, old, &rest) : NULL;
  if (op && sure && held != CTEXT_NONE && !cspan_mentions(c, rest, held) &&
      is_known_at(c, rest, r, u) && is_asked(w)) {
    struct buf value = {0};
    cspan_put(c, rest, &value);
    bool ok = write_pair(w, r, u, fetch_name(op), buf_text(&value));
    buf_free(&value);
    return ok;
  }
  return try_loop(w, r, u, held);
}

/* A bit field shares its bytes with others. */
static bool try_field(struct instruction_writer *w, const struct cuse *u) {
  const struct ctext *c = w->c;
  uint32_t name = u->pointer ? CTEXT_NONE : cspan_last_name(c, u->name);
  for (uint32_t t = 1; name != CTEXT_NONE && t + 3 < c->tokens.len; t++) {
    bool width = ctext_same(c, t, name, 1) && ctext_is(c, t + 1, ":") &&
                 c->tokens.at[t + 2].kind == CTOKEN_NUMBER &&
                 (ctext_is(c, t + 3, ",") || ctext_is(c, t + 3, ";"));
    if (!width || ctoken_in_function(c, t))
      continue;
    if (!is_asked(w))
      return false;
    struct buf b = {0};
    buf_puts(&b, ": 0, ");
    cspan_put(c, (struct cspan){t, t + 3}, &b);
    buf_puts(&b, ", : 0");
    buf_puts(w->what, "gives ");
    ctext_put(c, t, t, w->what);
    buf_printf(w->what, " bytes of its own at line %u, `%s`",
               c->tokens.at[t].line, b.at);
    bool ok = replace(w, (struct cspan){t, t + 3}, b.at);
    buf_free(&b);
    return ok;
  }
  return false;
}

/* `n++` and `n += v` of a plain variable: its type becomes atomic, or the
 * compiler's own instruction is used. */
static bool try_single(struct instruction_writer *w, const struct cuse *u) {
  const struct ctext *c = w->c;
  const char *name = strcmp(u->by, "=") ? fetch_name(u->by) : NULL;
  if (u->atomic || !name)
    return false;
  uint32_t last = u->pointer ? CTEXT_NONE : cspan_last_name(c, u->name);
  uint32_t at = last == CTEXT_NONE ? last : ctoken_declaration(c, last);
  struct buf b = {0};
  if (at != CTEXT_NONE && is_asked(w)) {
    cspan_put(c, u->all, &b);
    buf_puts(w->what, "declares ");
    ctext_put(c, at, at, w->what);
    buf_printf(w->what, " _Atomic at line %u: `%s` is one step then",
               c->tokens.at[at].line, b.at);
    buf_free(&b);
    return edits_add(w->edits, c->tokens.at[at].at, 0, "_Atomic ");
  }
  if (!is_asked(w))
    return false;
  struct buf value = {0};
  if (u->value.last > u->value.first)
    cspan_put(c, u->value, &value);
  else
    buf_puts(&value, "1");
  bool first = ctoken_is_one_of(c, u->all.first,
                                cuse_steps); /* its value is the new one */
  put_instruction(w, u, false,
                  !first                            ? name
                  : ctext_is(c, u->all.first, "++") ? "add_fetch"
                                                    : "sub_fetch",
                  value.at, &b);
  buf_printf(w->what, "makes line %u one instruction, %s", line_of(w, u->all),
             b.at);
  bool ok = replace(w, u->all, b.at);
  buf_free(&b);
  buf_free(&value);
  return ok;
}

/* fetch_sub(&n, 1); and then a look at what is left. */
static bool try_result(struct instruction_writer *w, const struct cuse *u,
                       const struct cuse *r) {
  const struct ctext *c = w->c;
  if (!u->is_statement || !u->atomic || !strcmp(u->by, "=") ||
      cstmt_of(c, u->stmt)->next != r->stmt || !in_braces(c, u->stmt) ||
      cstmt_of(c, r->stmt)->kind == CSTMT_LOOP || !is_unconditional(c, r) ||
      !is_asked(w))
    return false;
  struct buf b = {0}, call = {0};
  cspan_put(c, u->all, &call);
  bool one = u->value.last == u->value.first + 1;
  buf_printf(&b, "(%s %s %s", call.at, u->by, one ? "" : "(");
  cspan_put(c, u->value, &b);
  buf_puts(&b, one ? ")" : "))");
  bool ok = replace(w, r->all, b.at) && drop(w, u->stmt);
  buf_printf(w->what,
             "replaces the write of line %u and the read of line %u by %s",
             line_of(w, u->all), line_of(w, r->all), b.at);
  buf_free(&b);
  buf_free(&call);
  return ok;
}

static bool try_write(struct instruction_writer *w, const cuse_vec *v,
                      uint32_t i) {
  const struct cuse *u = &v->at[i];
  struct cuse r;
  if (try_field(w, u))
    return true;
  if (cuses_find_read(w->c, w->f, w->first, w->last, v, u, &r) &&
      r.stmt != u->stmt &&
      (u->is_statement ? try_pair(w, &r, u)
                       : try_loop(w, &r, u, cuse_holder(w->c, &r))))
    return true;
  if (try_single(w, u))
    return true;
  for (uint32_t k = i + 1; k < v->len; k++)
    if (!v->at[k].by && cuse_same_variable(w->c, u, &v->at[k]))
      return try_result(w, u, &v->at[k]);
  return false;
}

bool instruction_edit(const struct ctext *c, const struct cfunction *f,
                      uint32_t first, uint32_t last, uint32_t which,
                      struct edits *e, struct buf *what) {
  struct instruction_writer w = {.c = c,
                                 .f = f,
                                 .first = first,
                                 .last = last,
                                 .which = which,
                                 .edits = e,
                                 .what = what};
  cuse_vec v = {0};
  bool found = false;
  if (!f->broken)
    cuses_find(c, f, first, last, &v);
  for (uint32_t i = v.len; i-- > 0 && !found;)
    if (v.at[i].by && strcmp(v.at[i].by, "?"))
      found = try_write(&w, &v, i);
  vec_free(&v);
  return found;
}

bool instruction_is_guarded(const struct ctext *c, const struct cfunction *f,
                            uint32_t first, uint32_t last) {
  cuse_vec before = {0}, after = {0};
  bool guarded = false;
  cuses_find(c, f, 0, first - 1, &before);
  cuses_find(c, f, last + 1, UINT32_MAX, &after);
  for (uint32_t i = 0; i < before.len; i++)
    for (uint32_t k = 0; k < after.len; k++) {
      const struct cuse *a = &before.at[i], *b = &after.at[k];
      guarded |= a->by && b->by && a->atomic && b->atomic &&
                 !strcmp(b->by, "=") && cuse_same_variable(c, a, b);
    }
  vec_free(&before);
  vec_free(&after);
  return guarded;
}
