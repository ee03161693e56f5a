/* Critical sections that are there already. */
#include "source/critical_int.h"

#include <stdio.h>
#include <string.h>

/* A call by itself, NAME(…); */
static bool is_call(const struct ctext *c, uint32_t s) {
  const struct cstmt *x = cstmt_of(c, s);
  return x->kind == CSTMT_SIMPLE && x->last > x->first + 2 &&
         c->tokens.at[x->first].kind == CTOKEN_NAME &&
         ctext_is(c, x->first + 1, "(") && ctext_is(c, x->last - 1, ")");
}

/* What gives back the lock that `name` takes: lock, unlock; acquire, release;
 * false when `name` takes none. */
static bool partner(const char *name, size_t n, uint32_t which, char out[128]) {
  static const char *const pairs[][2] = {
      {"wrlock", "unlock"},   {"rdlock", "unlock"}, {"lock", "unlock"},
      {"acquire", "release"}, {"enter", "leave"},   {"enter", "exit"}};
  char text[96];
  if (which >= sizeof pairs / sizeof *pairs || n >= sizeof text)
    return false;
  memcpy(text, name, n);
  text[n] = 0;
  const char *at = NULL;
  if (!strstr(text, "unlock") && !strstr(text, "trylock"))
    for (const char *p = text; (p = strstr(p, pairs[which][0])); p++)
      at = p;
  out[0] = 0;
  if (at)
    snprintf(out, 128, "%.*s%s%s", (int)(at - text), text, pairs[which][1],
             at + strlen(pairs[which][0]));
  return true;
}

static bool same_arguments(const struct ctext *c, uint32_t a, uint32_t b) {
  const struct cstmt *x = cstmt_of(c, a), *y = cstmt_of(c, b);
  return x->last - x->first == y->last - y->first &&
         ctext_same(c, x->first + 1, y->first + 1, x->last - x->first);
}

/* A statement of the function that gives back what `s` takes, or NONE. */
static uint32_t giver(const struct ctext *c, const struct cfunction *f,
                      uint32_t s) {
  const struct ctoken *t = &c->tokens.at[cstmt_of(c, s)->first];
  char name[128];
  for (uint32_t i = 0; partner(c->text + t->at, t->len, i, name); i++)
    for (uint32_t k = f->first_stmt; *name && k < f->last_stmt; k++)
      if (is_call(c, k) && ctext_is(c, cstmt_of(c, k)->first, name) &&
          same_arguments(c, s, k))
        return k;
  return CTEXT_NONE;
}

static bool same_call(const struct ctext *c, uint32_t a, uint32_t b) {
  return is_call(c, a) && is_call(c, b) && same_arguments(c, a, b) &&
         ctext_same(c, cstmt_of(c, a)->first, cstmt_of(c, b)->first, 1);
}

/* The sections of one lock among the children of a compound statement. */
struct sections {
  uint32_t parent, lock, unlock; /* statements: what they read like */
  uint32_t from, to;             /* children: the new section */
  uint32_t taken, given;         /* the first that takes it, the last that
                                    gives it, or NONE */
};

/* The child of `parent` that has `s` in it, or NONE. */
static uint32_t child_with(const struct ctext *c, uint32_t parent, uint32_t s) {
  while (s != CTEXT_NONE && cstmt_of(c, s)->parent != parent)
    s = cstmt_of(c, s)->parent;
  return s;
}

/* Whether sections of the lock meet the region, and do not hold all of it. */
static bool meets(const struct ctext *c, const struct cregion *r,
                  struct sections *x) {
  uint32_t first = child_with(c, x->parent, r->first);
  uint32_t last = child_with(c, x->parent, r->last), took = CTEXT_NONE;
  if (first == CTEXT_NONE || last == CTEXT_NONE)
    return false;
  x->taken = x->given = CTEXT_NONE;
  uint32_t k = cstmt_of(c, x->parent)->child, met = 0, end = CTEXT_NONE;
  for (; k != CTEXT_NONE; end = k, k = cstmt_of(c, k)->next) {
    if (same_call(c, k, x->lock) && took == CTEXT_NONE)
      took = k;
    bool gives = same_call(c, k, x->unlock) && took != CTEXT_NONE;
    bool over = took != CTEXT_NONE && cstmt_of(c, k)->next == CTEXT_NONE;
    if (!gives && !over)
      continue;
    if (k >= first && took <= last) { /* statements are numbered in order */
      x->taken = x->taken == CTEXT_NONE ? took : x->taken;
      x->given = gives ? k : CTEXT_NONE;
      met++;
    }
    took = CTEXT_NONE;
  }
  if (!met)
    return false;
  x->from = first < x->taken ? first : x->taken;
  x->to = x->given == CTEXT_NONE ? end : x->given > last ? x->given : last;
  return met > 1 || x->from != x->taken ||
         (x->given != CTEXT_NONE && x->to != x->given);
}

static bool is_assigned(const struct ctext *c, uint32_t t) {
  static const char *const after[] = {"=",  "+=", "-=", "*=", "/=",  "%=", "&=",
                                      "|=", "^=", "++", "--", "<<=", ">>="};
  for (uint32_t i = 0; i < sizeof after / sizeof *after; i++)
    if (ctext_is(c, t + 1, after[i]))
      return true;
  bool part = ctext_is(c, t + 1, "->") || ctext_is(c, t + 1, ".") ||
              ctext_is(c, t + 1, "["); /* `&q->lock` is no pointer to q */
  return t && (ctext_is(c, t - 1, "++") || ctext_is(c, t - 1, "--") ||
               (ctext_is(c, t - 1, "&") && !part));
}

/* Whether a name of the call's arguments changes in statements [from, to), but
 * for the call itself. */
static bool changes(const struct ctext *c, uint32_t call, uint32_t from,
                    uint32_t to) {
  const struct cstmt *x = cstmt_of(c, call);
  for (uint32_t a = x->first + 2; a < x->last; a++) {
    if (c->tokens.at[a].kind != CTOKEN_NAME || ctext_is(c, a - 1, "->") ||
        ctext_is(c, a - 1, "."))
      continue;
    uint32_t t = same_call(c, from, call) ? cstmt_of(c, from)->last
                                          : cstmt_of(c, from)->first;
    for (; t < cstmt_of(c, to)->first; t++)
      if (ctext_same(c, a, t, 1) && is_assigned(c, t) &&
          !ctext_is(c, t - 1, "->") && !ctext_is(c, t - 1, "."))
        return true;
  }
  return false;
}

static bool remove_stmt(struct writer *w, uint32_t s) {
  const struct ctext *c = w->c;
  const struct cstmt *x = cstmt_of(c, s);
  const struct ctoken *a = &c->tokens.at[x->first], *b = &c->tokens.at[x->last];
  uint32_t at = a->at, end = b->at + b->len;
  uint32_t next =
      ctext_begins_line(c, x->first) ? ctext_rest_of_line(c, end) : 0;
  bool comment = next && memchr(c->text + end, '/', next - end);
  if (cstmt_follows_label(c, s))
    return writer_add(w, at, end - at, ";");
  if (next && !comment) {
    at = ctext_line_start(c, at);
    end = next;
  }
  return writer_add(w, at, end - at, "");
}

static void put_call(const struct ctext *c, uint32_t s, struct buf *out) {
  ctext_put(c, cstmt_of(c, s)->first, cstmt_of(c, s)->last - 1, out);
}

static void describe(const struct ctext *c, const struct sections *x,
                     uint32_t met, struct buf *what) {
  bool up = x->from != x->taken;
  bool down = x->given != CTEXT_NONE && x->to != x->given;
  if (up) {
    buf_puts(what, "takes ");
    put_call(c, x->lock, what);
    buf_printf(what, " of line %u before line %u",
               cstmt_first_line(c, x->taken), cstmt_first_line(c, x->from));
  }
  if (down) {
    buf_puts(what, up ? " and calls " : "calls ");
    put_call(c, x->unlock, what);
    buf_printf(what, " of line %u after line %u",
               cstmt_first_line(c, x->given), cstmt_last_line(c, x->to));
  }
  if (met) {
    buf_puts(what, up || down ? " and holds it in between" : "holds ");
    if (!up && !down) {
      put_call(c, x->lock, what);
      buf_printf(what, " of line %u until line %u",
                 cstmt_first_line(c, x->taken), cstmt_last_line(c, x->to));
    }
  }
}

/* Writes the new section: calls inside of it go away, and what was outside of
 * the old ones must give the lock back where it leaves. */
static bool rewrite(struct writer *w, const struct sections *x,
                    struct buf *what) {
  const struct ctext *c = w->c;
  struct cregion all = {w->f, x->from, x->to};
  bool held = false;
  uint32_t dropped = 0;
  struct buf lock = {0};
  ctext_put(c, cstmt_of(c, x->lock)->first, cstmt_of(c, x->lock)->last, &lock);
  bool ok = x->from == x->taken ||
            writer_put_before(w, cstmt_of(c, x->from)->first, lock.at);
  for (uint32_t s = x->from; ok; s = cstmt_of(c, s)->next) {
    bool takes = same_call(c, s, x->lock), gives = same_call(c, s, x->unlock);
    bool ends = gives && s == x->to;
    if (takes && x->from != s)
      ok = remove_stmt(w, s);
    else if (gives && !ends)
      ok = remove_stmt(w, s);
    else if (!held && !takes)
      ok = writer_leave_all(w, &all, s, false);
    dropped += (takes && s != x->taken) || (gives && s != x->given);
    held = takes || (held && !gives);
    if (s == x->to)
      break;
  }
  if (ok && x->given != CTEXT_NONE && x->to != x->given &&
      !cstmt_is_jump(c, x->to))
    ok = writer_put_after(w, x->from, cstmt_of(c, x->to)->last,
                          cstmt_of(c, x->from)->first, w->unlock);
  if (ok)
    describe(c, x, dropped, what);
  buf_free(&lock);
  return ok;
}

/* The lock that `s` takes, in the innermost compound statement in which it
 * meets the region. */
static bool sections_of(const struct ctext *c, const struct cregion *r,
                        uint32_t s, struct sections *x) {
  x->lock = s;
  x->unlock = is_call(c, s) ? giver(c, r->function, s) : CTEXT_NONE;
  x->parent = cstmt_of(c, s)->parent;
  return x->unlock != CTEXT_NONE && cstmt_is_compound(c, x->parent) &&
         meets(c, r, x) && x->taken == s;
}

bool critical_widen(const struct ctext *c, const struct cregion *r,
                    uint32_t which, struct edits *e, struct buf *what,
                    const char **why) {
  struct sections x = {0};
  struct buf unlock = {0};
  uint32_t seen = 0, s = r->function->first_stmt;
  *why = NULL;
  for (; s < r->function->last_stmt; s++)
    if (sections_of(c, r, s, &x) && seen++ == which)
      break;
  if (s == r->function->last_stmt)
    return false;
  if (x.from != x.taken && changes(c, x.lock, x.from, x.taken))
    *why = "what is locked changes before the lock is taken";
  else if (x.given != CTEXT_NONE && x.to != x.given &&
           changes(c, x.unlock, x.given, x.to))
    *why = "what is locked changes before the lock is given back";
  else if (cregion_is_entered_by_jump(
               c, &(struct cregion){r->function, x.from, x.to}))
    *why = "a jump leads into these lines";
  if (*why)
    return false;
  ctext_put(c, cstmt_of(c, x.unlock)->first, cstmt_of(c, x.unlock)->last,
            &unlock);
  struct writer w = {
      .c = c, .f = r->function, .edits = e, .unlock = unlock.at, .why = why};
  writer_begin(&w);
  bool ok = rewrite(&w, &x, what);
  buf_free(&unlock);
  return ok;
}

/* ---- hand over hand ---- */

static void put_stmt(const struct ctext *c, uint32_t s, struct buf *out) {
  buf_clear(out);
  ctext_put(c, cstmt_of(c, s)->first, cstmt_of(c, s)->last, out);
}

/* Whether `s` gives back what calls like `t` take, but another one of them. */
static bool gives_other(const struct ctext *c, uint32_t s, uint32_t t) {
  const struct ctoken *name = &c->tokens.at[cstmt_of(c, t)->first];
  char partners[128];
  for (uint32_t i = 0; partner(c->text + name->at, name->len, i, partners); i++)
    if (*partners && ctext_is(c, cstmt_of(c, s)->first, partners))
      return !same_arguments(c, s, t);
  return false;
}

/* The sibling that takes the next lock when `s` gives one back, or NONE. */
static uint32_t next_taken(const struct ctext *c, const struct cregion *r,
                           uint32_t s) {
  uint32_t t = is_call(c, s) ? cstmt_of(c, s)->next : CTEXT_NONE;
  while (t != CTEXT_NONE && cregion_has(c, r, t) &&
         !(is_call(c, t) && gives_other(c, s, t)))
    t = cstmt_of(c, t)->kind == CSTMT_SIMPLE ? cstmt_of(c, t)->next
                                             : CTEXT_NONE;
  return t != CTEXT_NONE && cregion_has(c, r, t) ? t : CTEXT_NONE;
}

bool critical_couple(const struct ctext *c, const struct cregion *r,
                     struct edits *e, struct buf *what, const char **why) {
  uint32_t s = r->function->first_stmt, t = CTEXT_NONE;
  *why = NULL;
  for (; s < r->function->last_stmt; s++)
    if (cregion_has(c, r, s) && (t = next_taken(c, r, s)) != CTEXT_NONE)
      break;
  if (t == CTEXT_NONE)
    return false;
  if (changes(c, s, cstmt_of(c, s)->next, t)) {
    *why = "what is locked changes before the next lock is taken";
    return false;
  }
  struct buf unlock = {0};
  struct writer w = {.c = c, .f = r->function, .edits = e, .why = why};
  writer_begin(&w);
  put_stmt(c, s, &unlock);
  bool ok =
      remove_stmt(&w, s) && writer_put_after(&w, s, cstmt_of(c, t)->last,
                                             cstmt_of(c, t)->first, unlock.at);
  buf_puts(what, "takes ");
  put_call(c, t, what);
  buf_printf(what, " of line %u before ", cstmt_first_line(c, t));
  put_call(c, s, what);
  buf_printf(what, " of line %u in ", cstmt_first_line(c, s));
  ctext_put(c, r->function->name, r->function->name, what);
  buf_puts(what, "()");
  buf_free(&unlock);
  return ok;
}

/* ---- locks that are held ---- */

/* Whether the lock that `s` takes is held when control is in `child`. */
static bool is_held(const struct ctext *c, uint32_t s, uint32_t unlock,
                    uint32_t child) {
  for (uint32_t k = cstmt_of(c, s)->next; k != CTEXT_NONE;
       k = cstmt_of(c, k)->next) {
    if (k == child)
      return true;
    if (same_call(c, k, unlock))
      return false;
  }
  return false;
}

/* The lock that is held around a region and that `s` takes: the statement that
 * gives it back, or NONE. */
static uint32_t held_by(const struct ctext *c, const struct cregion *r,
                        uint32_t s) {
  uint32_t back = is_call(c, s) ? giver(c, r->function, s) : CTEXT_NONE;
  uint32_t parent = cstmt_of(c, s)->parent;
  if (back == CTEXT_NONE || !cstmt_is_compound(c, parent))
    return CTEXT_NONE;
  uint32_t first = child_with(c, parent, r->first);
  uint32_t last = child_with(c, parent, r->last);
  bool held = first != CTEXT_NONE && last != CTEXT_NONE &&
              is_held(c, s, back, first) && is_held(c, s, back, last);
  return held ? back : CTEXT_NONE;
}

bool critical_held(const struct ctext *c, const struct cregion *r,
                   uint32_t which, struct buf *lock, struct buf *unlock) {
  const struct cfunction *f = r->function;
  uint32_t seen = 0;
  for (uint32_t s = f->first_stmt; s < f->last_stmt; s++) {
    uint32_t back = held_by(c, r, s);
    if (back == CTEXT_NONE || seen++ != which)
      continue;
    put_stmt(c, s, lock);
    put_stmt(c, back, unlock);
    return true;
  }
  return false;
}

bool critical_section_lines(const struct ctext *c, const struct cregion *r,
                            uint32_t *first, uint32_t *last) {
  const struct cfunction *f = r->function;
  for (uint32_t s = f->first_stmt; s < f->last_stmt; s++) {
    uint32_t back = held_by(c, r, s);
    if (back == CTEXT_NONE)
      continue;
    uint32_t k = child_with(c, cstmt_of(c, s)->parent, r->last);
    while (!same_call(c, k, back) && cstmt_of(c, k)->next != CTEXT_NONE)
      k = cstmt_of(c, k)->next;
    *first = cstmt_first_line(c, s);
    *last = cstmt_last_line(c, k);
    return true;
  }
  return false;
}
