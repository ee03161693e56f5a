/* Every way out of a region, and a lock around it. */
#include "source/critical_int.h"

#include <ctype.h>

static uint32_t enclosing(const struct ctext *c, uint32_t s, bool or_switch) {
  for (s = cstmt_of(c, s)->parent; s != CTEXT_NONE; s = cstmt_of(c, s)->parent)
    if (cstmt_of(c, s)->kind == CSTMT_LOOP ||
        (or_switch && cstmt_of(c, s)->kind == CSTMT_SWITCH))
      break;
  return s;
}

/* The statement that labels the target of a goto, or NONE. */
static uint32_t target(const struct ctext *c, const struct cfunction *f,
                       uint32_t s) {
  uint32_t name = cstmt_of(c, s)->first + 1;
  for (uint32_t k = f->first_stmt; k < f->last_stmt; k++)
    if (cstmt_is_label(c, k) &&
        cstmt_of(c, k)->last == cstmt_of(c, k)->first + 1 &&
        ctext_same(c, cstmt_of(c, k)->first, name, 1))
      return k;
  return CTEXT_NONE;
}

static bool leaves(const struct ctext *c, const struct cregion *r, uint32_t s) {
  uint32_t to;
  switch (cstmt_of(c, s)->kind) {
  case CSTMT_RETURN:
    return true;
  case CSTMT_BREAK:
    to = enclosing(c, s, true);
    return to == CTEXT_NONE || !cregion_has(c, r, to);
  case CSTMT_CONTINUE:
    to = enclosing(c, s, false);
    return to == CTEXT_NONE || !cregion_has(c, r, to);
  case CSTMT_GOTO:
    to = target(c, r->function, s);
    return to == CTEXT_NONE || !cregion_has(c, r, to);
  default:
    return false;
  }
}

bool cregion_is_entered_by_jump(const struct ctext *c,
                                const struct cregion *r) {
  const struct cfunction *f = r->function;
  for (uint32_t s = f->first_stmt; s < f->last_stmt; s++) {
    if (cstmt_of(c, s)->kind == CSTMT_GOTO) {
      uint32_t to = target(c, f, s);
      if (to == CTEXT_NONE || (cregion_has(c, r, to) && !cregion_has(c, r, s)))
        return true; /* a computed goto has no target */
    }
    if (cstmt_is_label(c, s) && cregion_has(c, r, s) &&
        (ctext_is(c, cstmt_of(c, s)->first, "case") ||
         ctext_is(c, cstmt_of(c, s)->first, "default"))) {
      uint32_t of = enclosing(c, s, true);
      while (of != CTEXT_NONE && cstmt_of(c, of)->kind != CSTMT_SWITCH)
        of = enclosing(c, of, true);
      if (of == CTEXT_NONE || !cregion_has(c, r, of))
        return true;
    }
  }
  return false;
}

static bool is_local(const struct writer *w, uint32_t token) {
  const struct ctext *c = w->c;
  for (uint32_t t = w->f->name; t < token; t++) {
    if (!ctext_same(c, t, token, 1) || !t)
      continue;
    bool declares =
        ctext_is(c, t - 1, "*") || ctext_is(c, t - 1, ",") ||
        (c->tokens.at[t - 1].kind == CTOKEN_NAME &&
         !ctext_is(c, t - 1, "return") && !ctext_is(c, t - 1, "case") &&
         !ctext_is(c, t - 1, "sizeof") && !ctext_is(c, t - 1, "else"));
    bool ends = ctext_is(c, t + 1, ",") || ctext_is(c, t + 1, ";") ||
                ctext_is(c, t + 1, "=") || ctext_is(c, t + 1, ")");
    if (declares && ends)
      return true;
  }
  return false;
}

static bool is_constant(const struct ctext *c, uint32_t token) {
  const struct ctoken *t = &c->tokens.at[token];
  if (t->kind != CTOKEN_NAME)
    return true;
  if (ctext_is(c, token, "true") || ctext_is(c, token, "false"))
    return true;
  for (uint32_t i = 0; i < t->len; i++)
    if (islower((unsigned char)c->text[t->at + i]))
      return false;
  return true;
}

/* Whether what is returned can be computed when the lock is given back. */
static bool is_plain_return(const struct writer *w, uint32_t s) {
  const struct ctext *c = w->c;
  for (uint32_t t = cstmt_of(c, s)->first + 1; t < cstmt_of(c, s)->last; t++) {
    if (ctext_is(c, t, "->") || ctext_is(c, t, ".") || ctext_is(c, t, "[") ||
        ctext_is(c, t, "(") || ctext_is(c, t, "*"))
      return false;
    if (!is_constant(c, t) && !is_local(w, t))
      return false;
  }
  return true;
}

/* return X; becomes: T result = X; unlock; return result; */
static bool return_later(struct writer *w, uint32_t s) {
  const struct ctext *c = w->c;
  const struct cstmt *x = cstmt_of(c, s);
  const struct ctoken *word = &c->tokens.at[x->first];
  struct buf b = {0};
  if (w->f->type == w->f->type_end) {
    *w->why = "what it returns is not known";
    return false;
  }
  ctext_put(c, w->f->type, w->f->type_end - 1, &b);
  buf_printf(&b, "%s%s =", b.at[b.len - 1] == '*' ? "" : " ", w->result);
  bool ok = writer_add(w, word->at, word->len, b.at) &&
            writer_put_after(w, s, x->last, x->first, w->unlock);
  buf_clear(&b);
  buf_printf(&b, "return %s;", w->result);
  ok = ok && writer_put_after(w, s, x->last, x->first, b.at);
  buf_free(&b);
  return ok;
}

/* The lock is given back before a jump. */
static bool leave(struct writer *w, uint32_t s, bool has_braces) {
  bool plain = cstmt_of(w->c, s)->kind != CSTMT_RETURN || is_plain_return(w, s);
  bool braces = cstmt_has_no_braces(w->c, s)
                    ? !has_braces
                    : !plain && cstmt_follows_label(w->c, s);
  if (braces && !writer_open_brace(w, s))
    return false;
  if (!(plain ? writer_put_before(w, cstmt_of(w->c, s)->first, w->unlock)
              : return_later(w, s)))
    return false;
  return !braces || writer_close_brace(w, s);
}

bool writer_leave_all(struct writer *w, const struct cregion *r, uint32_t in,
                      bool has_braces) {
  for (uint32_t s = w->f->first_stmt; s < w->f->last_stmt; s++)
    if (cstmt_in(w->c, s, in) && leaves(w->c, r, s) &&
        !leave(w, s, has_braces && s == in))
      return false;
  return true;
}

bool critical_wrap(const struct ctext *c, const struct cregion *r,
                   const char *lock, const char *unlock, struct edits *e,
                   const char **why) {
  struct writer w = {
      .c = c, .f = r->function, .edits = e, .unlock = unlock, .why = why};
  const struct cstmt *first = cstmt_of(c, r->first),
                     *last = cstmt_of(c, r->last);
  bool braces = cstmt_has_no_braces(c, r->first);
  writer_begin(&w);
  if (cregion_is_entered_by_jump(c, r)) {
    *why = "a jump leads into these lines";
    return false;
  }
  if (braces && !writer_open_brace(&w, r->first))
    return false;
  if (!writer_put_before(&w, first->first, lock))
    return false;
  for (uint32_t s = r->first;; s = cstmt_of(c, s)->next) {
    if (!writer_leave_all(&w, r, s, braces))
      return false;
    if (s == r->last)
      break;
  }
  if (!cstmt_is_jump(c, r->last) &&
      !writer_put_after(&w, r->first, last->last, first->first, unlock))
    return false;
  return !braces || writer_close_brace(&w, r->first);
}
