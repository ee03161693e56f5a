/* Each statement says where it is. */
#include "source/line_locks.h"

#include "source/critical_int.h"

#include <stdlib.h>
#include <string.h>

struct line_writer {
  const struct ctext *c;
  const struct cfunction *f;
  const struct locked_lines *at;
  uint32_t n;
  const char *name;
  struct edits *edits;
  bool ok;
};

/* ---- the helper ---- */

/* It gives the lock back whenever another block begins: L2. */

void line_locks_declare(const char *name, bool shared, bool first_user,
                        const char *line_end, struct buf *out) {
  if (first_user)
    buf_printf(out,
               "%spthread_mutex_t %s = {.__data = {.__kind = "
               "PTHREAD_MUTEX_RECURSIVE_NP}};%s",
               shared ? "" : "static ", name, line_end);
  else
    buf_printf(out, "extern pthread_mutex_t %s;%s", name, line_end);
  buf_printf(out,
             "__attribute__((unused)) static void %s_at(int *held, int block, "
             "int again) { if (*held == block && !again) return; if (*held) "
             "pthread_mutex_unlock(&%s); if (block) pthread_mutex_lock(&%s); "
             "*held = block; }%s",
             name, name, name, line_end);
  buf_printf(out,
             "__attribute__((unused)) static void %s_end(int *held) { "
             "%s_at(held, 0, 0); }%s",
             name, name, line_end);
}

/* ---- where a statement is ---- */

/* The block that has one of some lines, counted from 1; 0: none. */
static uint32_t block_of(const struct line_writer *w, uint32_t first,
                         uint32_t last) {
  for (uint32_t i = 0; i < w->n; i++)
    if (w->at[i].first <= last && w->at[i].last >= first)
      return i + 1;
  return 0;
}

static uint32_t block_of_tokens(const struct line_writer *w, uint32_t first,
                                uint32_t last) { /* L1 */
  return block_of(w, w->c->tokens.at[first].line, ctext_last_line(w->c, last));
}

static void put(struct line_writer *w, size_t at, const char *text) {
  w->ok = edits_add(w->edits, at, 0, text) && w->ok;
}

static void put_step(struct line_writer *w, size_t at, uint32_t block,
                     bool again, const char *before) {
  char *text = xasprintf("%s%s_at(&%s_held, %u, %d); ", before, w->name,
                         w->name, block, again);
  put(w, at, text);
  free(text);
}

static size_t start_of(const struct line_writer *w, uint32_t token) {
  return w->c->tokens.at[token].at;
}

static size_t end_of(const struct line_writer *w, uint32_t token) {
  return w->c->tokens.at[token].at + w->c->tokens.at[token].len;
}

/* ---- rounds ---- */

/* The first statement of a loop's body that does something, or NONE. */
static uint32_t first_of_body(const struct ctext *c, uint32_t loop) {
  uint32_t s = cstmt_of(c, loop)->child;
  while (s != CTEXT_NONE && (cstmt_is_compound(c, s) || cstmt_is_label(c, s)))
    s = cstmt_is_label(c, s) ? cstmt_of(c, s)->next : cstmt_of(c, s)->child;
  return s;
}

static uint32_t apart(uint32_t a, uint32_t b) { return a < b ? b - a : a - b; }

/* How well a loop statement fits to the loop that a block is in the rounds of:
 * the compiler need not have its last line. */
static uint32_t misfit(const struct ctext *c, const struct locked_lines *l,
                       uint32_t loop) {
  return apart(cstmt_first_line(c, loop), l->loop_first) +
         apart(cstmt_last_line(c, loop), l->loop_last);
}

/* Whether a block is in each round of this loop: the best of those that have
 * its lines. */
static bool is_round_of(const struct line_writer *w, uint32_t block,
                        uint32_t loop) {
  const struct locked_lines *l = &w->at[block - 1];
  uint32_t best = CTEXT_NONE;
  for (uint32_t s = w->f->first_stmt; l->loop_first && s < w->f->last_stmt; s++)
    if (cstmt_of(w->c, s)->kind == CSTMT_LOOP &&
        cstmt_first_line(w->c, s) <= l->first &&
        cstmt_last_line(w->c, s) >= l->last &&
        (best == CTEXT_NONE || misfit(w->c, l, s) < misfit(w->c, l, best)))
      best = s;
  return best == loop && loop != CTEXT_NONE;
}

static uint32_t closing(const struct ctext *c, uint32_t open, uint32_t last) {
  uint32_t depth = 0;
  for (uint32_t t = open; t <= last; t++) {
    depth += ctext_is(c, t, "(");
    if (ctext_is(c, t, ")") && !--depth)
      return t;
  }
  return CTEXT_NONE;
}

static uint32_t semicolon(const struct ctext *c, uint32_t from, uint32_t last) {
  uint32_t depth = 0;
  for (uint32_t t = from; t < last; t++) {
    depth += ctext_is(c, t, "(") || ctext_is(c, t, "{");
    depth -= ctext_is(c, t, ")") || ctext_is(c, t, "}");
    if (!depth && ctext_is(c, t, ";"))
      return t;
  }
  return CTEXT_NONE;
}

/* Whether each round begins with a condition: not of `do` and `for (;;)`. */
static bool has_condition(const struct ctext *c, uint32_t loop) {
  const struct cstmt *x = cstmt_of(c, loop);
  if (ctext_is(c, x->first, "do"))
    return false;
  if (!ctext_is(c, x->first, "for"))
    return true;
  uint32_t a = semicolon(c, x->first + 2, x->last);
  return a != CTEXT_NONE && !ctext_is(c, a + 1, ";");
}

/* Whether a round of a loop begins with this statement, not with the loop's
 * condition. */
static bool begins_round(const struct line_writer *w, uint32_t s,
                         uint32_t block) {
  if (!block)
    return false;
  for (uint32_t p = cstmt_of(w->c, s)->parent; p != CTEXT_NONE;
       p = cstmt_of(w->c, p)->parent)
    if (cstmt_of(w->c, p)->kind == CSTMT_LOOP)
      return first_of_body(w->c, p) == s && is_round_of(w, block, p) &&
             !has_condition(w->c, p);
  return false;
}

/* ---- statements ---- */

static void write_before(struct line_writer *w, uint32_t s, uint32_t block,
                         bool again) {
  const struct cstmt *x = cstmt_of(w->c, s);
  bool braces = cstmt_has_no_braces(w->c, s);
  put_step(w, start_of(w, x->first), block, again, braces ? "{ " : "");
  if (braces)
    put(w, end_of(w, x->last), " }");
}

static bool again_of(const struct line_writer *w, uint32_t s, uint32_t block) {
  return block && (w->at[block - 1].again || begins_round(w, s, block));
}

/* A call that takes or gives back a lock, by its name. */
static bool is_lock_call(const struct ctext *c, const struct cstmt *x) {
  const struct ctoken *t = &c->tokens.at[x->first];
  return x->kind == CSTMT_SIMPLE && t->kind == CTOKEN_NAME &&
         ctext_is(c, x->first + 1, "(") &&
         memmem(c->text + t->at, t->len, "lock", 4);
}

static void write_simple(struct line_writer *w, uint32_t s) {
  const struct cstmt *x = cstmt_of(w->c, s);
  uint32_t block = block_of_tokens(w, x->first, x->last);
  /* lock(&m); n++; unlock(&m); on one line: n is what is meant, and who waits
   * for m must not keep others from giving it back */
  if (block && w->at[block - 1].again && is_lock_call(w->c, x))
    block = 0;
  if (x->first != x->last) /* `;` does nothing */
    write_before(w, s, block, again_of(w, s, block));
}

/* An expression, between two tokens that are not of it. */
static void write_expression(struct line_writer *w, uint32_t before,
                             uint32_t behind, uint32_t block, bool again) {
  if (before + 1 >= behind)
    return;
  put_step(w, end_of(w, before), block, again, "__extension__({ ");
  put(w, start_of(w, behind), "; })");
}

static void write_for(struct line_writer *w, uint32_t s, uint32_t open,
                      uint32_t close, uint32_t block) {
  uint32_t a = semicolon(w->c, open + 1, close);
  uint32_t b = a == CTEXT_NONE ? a : semicolon(w->c, a + 1, close);
  bool again = block && w->at[block - 1].again;
  if (b == CTEXT_NONE) {
    w->ok = false;
    return;
  }
  write_before(w, s, block, again);
  write_expression(w, a, b, block,
                   again || (block && is_round_of(w, block, s)));
  write_expression(w, b, close, block, again);
}

static void write_head(struct line_writer *w, uint32_t s) {
  const struct cstmt *x = cstmt_of(w->c, s);
  uint32_t open = x->first + 1, body = x->child;
  bool last = ctext_is(w->c, x->first, "do");
  if (last && body != CTEXT_NONE)
    open = cstmt_of(w->c, body)->last + 2;
  uint32_t close = open < x->last && ctext_is(w->c, open, "(")
                       ? closing(w->c, open, x->last)
                       : CTEXT_NONE;
  if (close == CTEXT_NONE) {
    w->ok = false;
    return;
  }
  uint32_t block = block_of_tokens(w, last ? open : x->first, close);
  bool round =
      x->kind == CSTMT_LOOP && !last && block && is_round_of(w, block, s);
  if (ctext_is(w->c, x->first, "for"))
    write_for(w, s, open, close, block);
  else
    write_expression(w, open, close, block,
                     round || (block && w->at[block - 1].again));
}

bool line_locks_write(const struct ctext *c, const struct cfunction *f,
                      const struct locked_lines *at, uint32_t n,
                      const char *name, struct edits *e, const char **why) {
  struct line_writer w = {c, f, at, n, name, e, true};
  if (f->broken) {
    *why = f->broken;
    return false;
  }
  char *held = xasprintf(" __attribute__((cleanup(%s_end))) int %s_held = 0;",
                         name, name);
  put(&w, end_of(&w, cstmt_of(c, f->body)->first), held);
  free(held);
  for (uint32_t s = f->first_stmt; s < f->last_stmt; s++)
    switch (cstmt_of(c, s)->kind) {
    case CSTMT_SIMPLE:
    case CSTMT_RETURN:
      write_simple(&w, s);
      break;
    case CSTMT_IF:
    case CSTMT_LOOP:
    case CSTMT_SWITCH:
      write_head(&w, s);
      break;
    case CSTMT_COMPOUND:
    case CSTMT_LABEL:
    case CSTMT_GOTO: /* what comes next says where it is */
    case CSTMT_BREAK:
    case CSTMT_CONTINUE:
      break;
    }
  *why = "its statements overlap";
  return w.ok;
}
