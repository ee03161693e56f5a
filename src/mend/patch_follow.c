/* The printed lines of a cause, and no others, under one lock. */
#include "mend/patch_int.h"
#include "source/line_locks.h"

/* A function that has locked lines. */
struct locked_function {
  struct patch_source *source;
  const struct cfunction *function;
  VEC(struct locked_lines) at;
  uint32_t printed; /* of them: blocks of the cause, which come first */
};

struct follower {
  struct patch_sources *p;
  VEC(struct locked_function) functions;
  struct buf *why;
};

static bool refuse(struct follower *w, const char *function,
                   const char *reason) {
  buf_clear(w->why);
  buf_printf(w->why, "the text of %s() cannot be changed safely: %s",
             function ? function : "a function", reason);
  return false;
}

static struct locked_function *function_of(struct follower *w,
                                           struct patch_source *s,
                                           const struct cfunction *f) {
  for (uint32_t i = 0; i < w->functions.len; i++)
    if (w->functions.at[i].function == f)
      return &w->functions.at[i];
  vec_push(&w->functions,
           ((struct locked_function){.source = s, .function = f}));
  return &vec_last(&w->functions);
}

static bool is_in(const struct locked_function *f, uint32_t line) {
  for (uint32_t i = 0; i < f->at.len; i++)
    if (f->at.at[i].first <= line && f->at.at[i].last >= line)
      return true;
  return false;
}

static bool add(struct follower *w, const struct code_block *b, bool again) {
  struct patch_source *s = patch_source_of(w->p, b->file);
  if (!s)
    return refuse(w, b->function, "it is not in one of the files given");
  const struct cfunction *f =
      b->function ? ctext_function(&s->c, b->function, b->first) : NULL;
  if (!f || f->broken)
    return refuse(w, b->function, f ? f->broken : "it is not found there");
  struct locked_function *to = function_of(w, s, f);
  if (!again || !is_in(to, b->first))
    vec_push(&to->at, ((struct locked_lines){.first = b->first,
                                             .last = b->last,
                                             .again = again,
                                             .loop_first = b->loop_first,
                                             .loop_last = b->loop_last}));
  return true;
}

/* An access elsewhere: the innermost of its functions whose text is there. */
static bool add_place(struct follower *w, const struct place_stack *k) {
  for (uint32_t i = k->depth; i-- > 0;)
    if (add(w, &k->frames[i], true)) {
      buf_clear(w->why);
      return true;
    }
  return false;
}

/* … or, from the outside, the critical section that it is made from: a lock
 * that is taken inside of one, and around one elsewhere, is a deadlock. */
static bool add_section(struct follower *w, const struct place_stack *k) {
  for (uint32_t i = 0; i < k->depth; i++) {
    struct code_block b = k->frames[i];
    struct patch_source *s = patch_source_of(w->p, b.file);
    const struct cfunction *f =
        s && b.function ? ctext_function(&s->c, b.function, b.first) : NULL;
    struct cregion r;
    const char *ignored;
    if (!f || !cregion_of_lines(&s->c, f, b.first, b.first, &r, &ignored))
      continue;
    bool one_line =
        cstmt_first_line(&s->c, f->body) == cstmt_last_line(&s->c, f->body);
    if (!one_line && !critical_section_lines(&s->c, &r, &b.first, &b.last))
      continue;
    struct locked_function *to = function_of(w, s, f);
    if (!is_in(to, b.first) && !is_in(to, b.last))
      vec_push(&to->at,
               ((struct locked_lines){.first = b.first, .last = b.last}));
    return true;
  }
  return false;
}

/* … or the same as the trace shows it, when the lock is taken by a call that
 * the text does not tell from others. */
static bool add_seen_section(struct follower *w, const struct place_stack *k) {
  const struct code_block *b = &k->section;
  struct patch_source *s = b->function ? patch_source_of(w->p, b->file) : NULL;
  const struct cfunction *f =
      s ? ctext_function(&s->c, b->function, b->first) : NULL;
  if (!f || f->broken)
    return false;
  struct locked_function *to = function_of(w, s, f);
  if (!is_in(to, b->first) && !is_in(to, b->last))
    vec_push(&to->at,
             ((struct locked_lines){.first = b->first, .last = b->last}));
  return true;
}

static bool choose(struct follower *w, const struct patch_plan *plan) {
  for (uint32_t i = 0; i < plan->cause.nblocks; i++)
    if (!add(w, &plan->cause.blocks[i], false))
      return false;
  for (uint32_t i = 0; i < w->functions.len; i++)
    w->functions.at[i].printed = w->functions.at[i].at.len;
  for (uint32_t i = 0; i < plan->places->len; i++) {
    const struct place_stack *k = &plan->places->at[i];
    if (!k->conflicts || k->inside ||
        (plan->which && (add_section(w, k) || add_seen_section(w, k))))
      continue;
    if (!add_place(w, k))
      return false;
  }
  return true;
}

static void put_lines(const struct locked_function *f, bool others,
                      struct buf *out) {
  for (uint32_t i = 0; i < f->at.len; i++) {
    const struct locked_lines *l = &f->at.at[i];
    if ((i >= f->printed) != others)
      continue;
    buf_puts(out, out->len ? ", " : "");
    buf_printf(out, l->first == l->last ? "line %u" : "lines %u-%u", l->first,
               l->last);
    if (l->loop_first)
      buf_printf(out, " in each round of the loop in lines %u-%u",
                 l->loop_first, l->loop_last);
    buf_puts(out, " (");
    ctext_put(&f->source->c, f->function->name, f->function->name, out);
    buf_putc(out, ')');
  }
}

static void describe(const struct follower *w, struct buf *what) {
  struct buf printed = {0}, others = {0};
  for (uint32_t i = 0; i < w->functions.len; i++) {
    put_lines(&w->functions.at[i], false, &printed);
    put_lines(&w->functions.at[i], true, &others);
  }
  buf_printf(what, "holds a new mutex, %s, in exactly %s", w->p->mutex,
             buf_text(&printed));
  if (others.len)
    buf_printf(what, ", and for %s", others.at);
  buf_free(&printed);
  buf_free(&others);
}

static bool write_function(struct follower *w,
                           const struct locked_function *f) {
  const char *why = "";
  struct patch_source *s = f->source;
  if (line_locks_write(&s->c, f->function, f->at.at, f->at.len, w->p->mutex,
                       &s->edits, &why))
    return true;
  struct buf name = {0};
  ctext_put(&s->c, f->function->name, f->function->name, &name);
  refuse(w, name.at, why);
  buf_free(&name);
  return false;
}

static uint32_t functions_in(const struct follower *w,
                             const struct patch_source *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->functions.len; i++)
    n += w->functions.at[i].source == s;
  return n;
}

static bool write_all(struct follower *w) {
  uint32_t users = 0, seen = 0;
  for (uint32_t i = 0; i < w->p->list.len; i++)
    users += functions_in(w, &w->p->list.at[i]) > 0;
  for (uint32_t i = 0; i < w->p->list.len; i++) {
    struct patch_source *s = &w->p->list.at[i];
    if (functions_in(w, s) &&
        !patch_source_declare_lines(w->p, s, users, seen++ == 0))
      return false;
  }
  for (uint32_t i = 0; i < w->functions.len; i++)
    if (!write_function(w, &w->functions.at[i]))
      return false;
  return true;
}

bool patch_sources_follow(struct patch_sources *p,
                          const struct patch_plan *plan, struct buf *what,
                          struct buf *why) {
  struct follower w = {.p = p, .why = why};
  bool ok = choose(&w, plan) && write_all(&w);
  if (ok)
    describe(&w, what);
  for (uint32_t i = 0; i < w.functions.len; i++)
    vec_free(&w.functions.at[i].at);
  vec_free(&w.functions);
  return ok;
}
