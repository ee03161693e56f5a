/* Functions and statements. */
#include "source/ctext_int.h"

#include <string.h>

enum { DEEPEST = 200 }; /* nesting of statements: no stack is endless */

struct ctext_parser {
  struct ctext *c;
  uint32_t at, end; /* tokens of the body: [at, end) */
  uint32_t depth;
  const char *broken;
};

static bool is(const struct ctext_parser *p, const char *word) {
  return p->at < p->end && ctext_is(p->c, p->at, word);
}

static void give_up(struct ctext_parser *p, const char *why) {
  if (!p->broken)
    p->broken = why;
  p->at = p->end;
}

static bool opens(const struct ctext *c, uint32_t i) {
  return ctext_is(c, i, "(") || ctext_is(c, i, "[") || ctext_is(c, i, "{");
}

static bool closes(const struct ctext *c, uint32_t i) {
  return ctext_is(c, i, ")") || ctext_is(c, i, "]") || ctext_is(c, i, "}");
}

/* The token that closes what `i` opens, or `end`. */
static uint32_t match(const struct ctext *c, uint32_t i, uint32_t end) {
  uint32_t depth = 0;
  for (; i < end; i++) {
    depth += opens(c, i);
    if (closes(c, i) && --depth == 0)
      return i;
  }
  return end;
}

/* ---- statements ---- */

static uint32_t add(struct ctext_parser *p, enum cstmt_kind kind,
                    uint32_t parent) {
  uint32_t n = p->c->stmts.len;
  vec_push(&p->c->stmts, ((struct cstmt){.kind = kind,
                                         .first = p->at,
                                         .last = p->at,
                                         .parent = parent,
                                         .child = CTEXT_NONE,
                                         .next = CTEXT_NONE}));
  return n;
}

static void adopt(struct ctext_parser *p, uint32_t parent, uint32_t *before,
                  uint32_t child) {
  if (child == CTEXT_NONE)
    return;
  if (*before == CTEXT_NONE)
    p->c->stmts.at[parent].child = child;
  else
    p->c->stmts.at[*before].next = child;
  *before = child;
}

/* The statement ends with the token before `at`. */
static uint32_t done(struct ctext_parser *p, uint32_t stmt) {
  struct cstmt *s = &p->c->stmts.at[stmt];
  s->last = p->at > s->first ? p->at - 1 : s->first;
  return stmt;
}

static uint32_t parse(struct ctext_parser *p, uint32_t parent,
                      bool in_compound);

static void skip_parens(struct ctext_parser *p) {
  if (!is(p, "(")) {
    give_up(p, "a statement is not understood");
    return;
  }
  uint32_t close = match(p->c, p->at, p->end);
  if (close == p->end)
    give_up(p, "its parentheses do not match");
  else
    p->at = close + 1;
}

static void skip_to_semicolon(struct ctext_parser *p) {
  while (p->at < p->end && !is(p, ";")) {
    if (closes(p->c, p->at)) {
      give_up(p, "its braces do not match");
      return;
    }
    uint32_t close = opens(p->c, p->at) ? match(p->c, p->at, p->end) : p->at;
    if (close == p->end) {
      give_up(p, "its braces do not match");
      return;
    }
    p->at = close + 1;
  }
  if (p->at < p->end)
    p->at++;
  else
    give_up(p, "a statement has no end");
}

static uint32_t compound(struct ctext_parser *p, uint32_t parent) {
  uint32_t s = add(p, CSTMT_COMPOUND, parent), before = CTEXT_NONE;
  p->at++;
  while (p->at < p->end && !is(p, "}"))
    adopt(p, s, &before, parse(p, s, true));
  if (p->at < p->end)
    p->at++;
  else
    give_up(p, "its braces do not match");
  return done(p, s);
}

static uint32_t with_body(struct ctext_parser *p, enum cstmt_kind kind,
                          uint32_t parent) {
  uint32_t s = add(p, kind, parent), before = CTEXT_NONE;
  p->at++;
  skip_parens(p);
  adopt(p, s, &before, parse(p, s, false));
  if (kind == CSTMT_IF && is(p, "else")) {
    p->at++;
    adopt(p, s, &before, parse(p, s, false));
  }
  return done(p, s);
}

static uint32_t do_loop(struct ctext_parser *p, uint32_t parent) {
  uint32_t s = add(p, CSTMT_LOOP, parent), before = CTEXT_NONE;
  p->at++;
  adopt(p, s, &before, parse(p, s, false));
  if (is(p, "while"))
    p->at++;
  else
    give_up(p, "a statement is not understood");
  skip_parens(p);
  if (is(p, ";"))
    p->at++;
  else
    give_up(p, "a statement is not understood");
  return done(p, s);
}

static uint32_t case_label(struct ctext_parser *p, uint32_t parent) {
  uint32_t s = add(p, CSTMT_LABEL, parent), questions = 0;
  for (; p->at < p->end && !(is(p, ":") && !questions); p->at++) {
    questions += is(p, "?");
    questions -= is(p, ":");
    if (is(p, ";") || is(p, "{") || is(p, "}"))
      give_up(p, "a label is not understood");
  }
  if (p->at < p->end)
    p->at++;
  else
    give_up(p, "a label is not understood");
  return done(p, s);
}

/* Names that take parentheses and are followed by more of a declaration. */
static bool begins_declaration(const struct ctext *c, uint32_t i) {
  static const char *const words[] = {"_Atomic",       "typeof",   "__typeof__",
                                      "__attribute__", "_Alignas", "__typeof",
                                      "alignas"};
  for (uint32_t k = 0; k < sizeof words / sizeof *words; k++)
    if (ctext_is(c, i, words[k]))
      return true;
  return ctext_is(c, i, "asm") || ctext_is(c, i, "__asm__");
}

/* NAME(…) and then neither an operator nor a semicolon: a macro that stands
 * for a statement, or for the beginning of one. */
static bool is_macro_statement(const struct ctext_parser *p) {
  const struct ctext *c = p->c;
  if (c->tokens.at[p->at].kind != CTOKEN_NAME || !ctext_is(c, p->at + 1, "(") ||
      begins_declaration(c, p->at))
    return false;
  uint32_t after = match(c, p->at + 1, p->end) + 1;
  return after < p->end && (c->tokens.at[after].kind != CTOKEN_PUNCT ||
                            ctext_is(c, after, "{") || ctext_is(c, after, "}"));
}

static uint32_t simple(struct ctext_parser *p, enum cstmt_kind kind,
                       uint32_t parent) {
  uint32_t s = add(p, kind, parent);
  if (kind == CSTMT_SIMPLE && is_macro_statement(p))
    give_up(p, "it has a macro that stands for a statement");
  else
    skip_to_semicolon(p);
  return done(p, s);
}

static bool is_name_label(const struct ctext_parser *p) {
  return p->c->tokens.at[p->at].kind == CTOKEN_NAME && p->at + 1 < p->end &&
         ctext_is(p->c, p->at + 1, ":");
}

static uint32_t parse_one(struct ctext_parser *p, uint32_t parent,
                          bool in_compound) {
  if (is(p, "{"))
    return compound(p, parent);
  if (is(p, "if"))
    return with_body(p, CSTMT_IF, parent);
  if (is(p, "while") || is(p, "for"))
    return with_body(p, CSTMT_LOOP, parent);
  if (is(p, "switch"))
    return with_body(p, CSTMT_SWITCH, parent);
  if (is(p, "do"))
    return do_loop(p, parent);
  bool label = is(p, "case") || is(p, "default") || is_name_label(p);
  if (label && !in_compound)
    give_up(p, "it has a label in an unexpected place");
  else if (label)
    return case_label(p, parent);
  if (is(p, "else"))
    give_up(p, "it has an else without an if");
  if (is(p, "return"))
    return simple(p, CSTMT_RETURN, parent);
  if (is(p, "goto"))
    return simple(p, CSTMT_GOTO, parent);
  if (is(p, "break"))
    return simple(p, CSTMT_BREAK, parent);
  if (is(p, "continue"))
    return simple(p, CSTMT_CONTINUE, parent);
  return p->broken ? CTEXT_NONE : simple(p, CSTMT_SIMPLE, parent);
}

static uint32_t parse(struct ctext_parser *p, uint32_t parent,
                      bool in_compound) {
  if (p->at >= p->end || p->depth >= DEEPEST) {
    give_up(p, "a statement has no end");
    return CTEXT_NONE;
  }
  p->depth++;
  uint32_t s = parse_one(p, parent, in_compound);
  p->depth--;
  return s;
}

/* ---- functions ---- */

/* The ( that the ) at `close` belongs to, or NONE. */
static uint32_t match_back(const struct ctext *c, uint32_t close) {
  uint32_t depth = 0;
  for (uint32_t i = close + 1; i-- > 0;) {
    depth += ctext_is(c, i, ")");
    if (ctext_is(c, i, "(") && --depth == 0)
      return i;
  }
  return CTEXT_NONE;
}

/* The name of the function whose body begins at `brace`, or NONE. */
static uint32_t name_before(const struct ctext *c, uint32_t brace) {
  uint32_t i = brace;
  while (i && (ctext_is(c, i - 1, "const") || ctext_is(c, i - 1, "noexcept") ||
               ctext_is(c, i - 1, "override") || ctext_is(c, i - 1, "final")))
    i--;
  while (i && ctext_is(c, i - 1, ")")) {
    uint32_t open = match_back(c, i - 1);
    if (open == CTEXT_NONE || !open ||
        c->tokens.at[open - 1].kind != CTOKEN_NAME)
      return CTEXT_NONE;
    if (!ctext_is(c, open - 1, "__attribute__") &&
        !ctext_is(c, open - 1, "noexcept"))
      return open - 1;
    i = open - 1;
  }
  return CTEXT_NONE;
}

static bool is_storage(const struct ctext *c, uint32_t i) {
  return ctext_is(c, i, "static") || ctext_is(c, i, "inline") ||
         ctext_is(c, i, "extern") || ctext_is(c, i, "__inline__") ||
         ctext_is(c, i, "_Noreturn") || ctext_is(c, i, "__inline");
}

static void find_type(const struct ctext *c, struct cfunction *f) {
  uint32_t i = f->name;
  while (i && !ctext_is(c, i - 1, ";") && !ctext_is(c, i - 1, "}") &&
         !ctext_is(c, i - 1, "{") && !ctext_is(c, i - 1, ":") &&
         !ctext_is(c, i - 1, ")") && !is_storage(c, i - 1))
    i--;
  f->type = i;
  f->type_end = f->name;
}

static void read_function(struct ctext *c, uint32_t name, uint32_t brace,
                          uint32_t end) {
  struct cfunction f = {.name = name, .first_stmt = c->stmts.len};
  struct ctext_parser p = {.c = c, .at = brace, .end = end};
  find_type(c, &f);
  f.body = compound(&p, CTEXT_NONE);
  f.broken = p.broken;
  f.last_stmt = c->stmts.len;
  c->stmts.at[f.body].last = end - 1;
  vec_push(&c->functions, f);
}

/* Whether functions may be inside of the braces: class X {, namespace {,
 * extern "C" {. */
static bool has_functions(const struct ctext *c, uint32_t brace) {
  bool found = brace > 1 && ctext_is(c, brace - 2, "extern") &&
               c->tokens.at[brace - 1].kind == CTOKEN_QUOTED;
  for (uint32_t i = brace; i-- > 0;) {
    if (ctext_is(c, i, ";") || ctext_is(c, i, "{") || ctext_is(c, i, "}"))
      break;
    if (ctext_is(c, i, "=") || ctext_is(c, i, "(") || ctext_is(c, i, ")"))
      return false;
    found |= ctext_is(c, i, "class") || ctext_is(c, i, "struct") ||
             ctext_is(c, i, "union") || ctext_is(c, i, "namespace");
  }
  return found;
}

void ctext_parse(struct ctext *c) {
  for (uint32_t i = 0; i < c->tokens.len; i++) {
    if (!ctext_is(c, i, "{"))
      continue;
    uint32_t close = match(c, i, c->tokens.len);
    if (close == c->tokens.len)
      break;
    uint32_t name = name_before(c, i);
    if (name != CTEXT_NONE)
      read_function(c, name, i, close + 1);
    if (name != CTEXT_NONE || !has_functions(c, i))
      i = close;
  }
}
