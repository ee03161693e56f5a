/* From lines that must be atomic to changes of the sources' text. */
#include "mend/patch_int.h"
#include "source/instruction.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 16 }; /* of choosing where a lock is taken */

/* ---- from places to statements ---- */

struct editor {
  struct patch_sources *p;
  const struct patch_plan *plan;
  struct buf *why;
  uint32_t wrapped; /* blocks that the new mutex is for: a bit each */
  VEC(const struct cfunction *) banned; /* the lock is taken by callers */
  /* The statements that take the lock and give it back. */
  struct buf lock, unlock;
};

static bool refuse(struct editor *e, const struct code_block *b,
                   const char *reason) {
  buf_clear(e->why);
  buf_printf(e->why, "the text of %s() cannot be changed safely: %s",
             b->function ? b->function : "a function", reason);
  return false;
}

/* The source and the function of a block, if they can be changed. */
static bool find_function(struct editor *e, const struct code_block *b,
                          struct patch_source **source,
                          const struct cfunction **f) {
  *source = patch_source_of(e->p, b->file);
  if (!*source || (*source)->cxx)
    return refuse(e, b, "it is not in one of the C files given");
  struct patch_source *s = *source;
  *f = b->function ? ctext_function(&s->c, b->function, b->first) : NULL;
  if (!*f)
    return refuse(e, b, "it is not found there");
  if ((*f)->broken)
    return refuse(e, b, (*f)->broken);
  if (ctext_hides_jumps(&s->c, *f, buf_text(&s->expanded), s->path))
    return refuse(e, b, "a macro hides a jump");
  return true;
}

static bool find_region(struct editor *e, const struct code_block *b,
                        struct patch_source **source, struct cregion *r) {
  const struct cfunction *f;
  const char *why;
  if (!find_function(e, b, source, &f))
    return false;
  if (!cregion_of_lines(&(*source)->c, f, b->first, b->last, r, &why))
    return refuse(e, b, why);
  return true;
}

/* ---- a lock that other code holds ---- */

/* The statements around an access, from the inside; false: there are no more,
 * or *r is not known, with `first` CTEXT_NONE. */
static bool frame_region(struct editor *e, const struct place_stack *k,
                         uint32_t i, struct patch_source **s,
                         struct cregion *r) {
  if (i >= k->depth)
    return false;
  if (!find_region(e, &k->frames[k->depth - 1 - i], s, r))
    r->first = CTEXT_NONE;
  return true;
}

/* Whether statements have the borrowed lock already. */
static bool region_is_held(const struct editor *e, const struct patch_source *s,
                           const struct cregion *r) {
  struct buf lock = {0}, unlock = {0};
  bool held = false;
  for (uint32_t n = 0; !held && critical_held(&s->c, r, n, &lock, &unlock); n++)
    held = !strcmp(lock.at, e->lock.at);
  buf_free(&lock);
  buf_free(&unlock);
  return held;
}

/* … or the statements from which an access is made. */
static bool is_held(struct editor *e, const struct place_stack *k) {
  struct patch_source *s;
  struct cregion r = {0};
  bool held = false;
  for (uint32_t i = 0; !held && frame_region(e, k, i, &s, &r); i++)
    held = r.first != CTEXT_NONE && region_is_held(e, s, &r);
  buf_clear(e->why);
  return held;
}

/* The locks that are held where the data is used, one after the other: the
 * plan says which. */
static bool borrow(struct editor *e) {
  VEC(char *) seen = {0};
  struct patch_source *s;
  struct cregion r = {0};
  bool found = false;
  for (uint32_t i = 0; i < e->plan->places->len; i++) {
    const struct place_stack *k = &e->plan->places->at[i];
    if (!k->inside && !k->conflicts)
      continue;
    for (uint32_t j = 0; !found && frame_region(e, k, j, &s, &r); j++)
      for (uint32_t n = 0; !found && r.first != CTEXT_NONE &&
                           critical_held(&s->c, &r, n, &e->lock, &e->unlock);
           n++) {
        uint32_t old = 0;
        while (old < seen.len && strcmp(seen.at[old], e->lock.at))
          old++;
        if (old == seen.len)
          vec_push(&seen, xstrdup(e->lock.at));
        found = old == seen.len - 1 && old == e->plan->which;
      }
  }
  for (uint32_t i = 0; i < seen.len; i++)
    free(seen.at[i]);
  vec_free(&seen);
  buf_clear(e->why);
  return found;
}

/* ---- where the lock is taken ---- */

static bool is_banned(const struct editor *e, const struct cfunction *f) {
  for (uint32_t i = 0; i < e->banned.len; i++)
    if (e->banned.at[i] == f)
      return true;
  return false;
}

static bool is_locked(const struct editor *e, const struct code_block *frame,
                      const struct cfunction **in) {
  struct patch_source *s = patch_source_of(e->p, frame->file);
  const struct cfunction *f =
      s && frame->function
          ? ctext_function(&s->c, frame->function, frame->first)
          : NULL;
  for (uint32_t i = 0; f && i < s->regions.len; i++) {
    const struct cregion *r = &s->regions.at[i];
    if (r->function == f && cstmt_first_line(&s->c, r->first) <= frame->first &&
        cstmt_last_line(&s->c, r->last) >= frame->first) {
      *in = f;
      return true;
    }
  }
  return false;
}

static bool add_blocks(struct editor *e) {
  const struct cause *c = &e->plan->cause;
  for (uint32_t i = 0; i < c->nblocks; i++) {
    struct patch_source *s;
    struct cregion r;
    if (!(e->wrapped >> i & 1))
      continue;
    if (!find_region(e, &c->blocks[i], &s, &r))
      return false;
    if (e->plan->form == PATCH_LOOP && !cregion_loop(&s->c, &r))
      return false;
    if (e->plan->form != PATCH_BORROW || !region_is_held(e, s, &r))
      vec_push(&s->regions, r);
  }
  return true;
}

/* The innermost function that may take the lock for an access. */
static bool add_innermost(struct editor *e, const struct place_stack *k) {
  for (uint32_t i = k->depth; i-- > 0;) {
    struct patch_source *s;
    struct cregion r;
    if (!find_region(e, &k->frames[i], &s, &r) || is_banned(e, r.function))
      continue;
    vec_push(&s->regions, r);
    buf_clear(e->why);
    return true;
  }
  return false;
}

static bool add_outermost(struct editor *e, const struct place_stack *k) {
  for (uint32_t i = 0; i < k->depth; i++) {
    struct patch_source *s;
    const struct cfunction *f;
    struct cregion r;
    if (!find_function(e, &k->frames[i], &s, &f) || !cregion_body(&s->c, f, &r))
      continue;
    vec_push(&s->regions, r);
    buf_clear(e->why);
    return true;
  }
  return false;
}

static bool add_places(struct editor *e) {
  const struct places *all = e->plan->places;
  bool body = e->plan->form == PATCH_BODY;
  for (uint32_t i = 0; i < all->len; i++) {
    const struct place_stack *k = &all->at[i];
    bool inside = k->inside & e->wrapped, outside = k->conflicts & e->wrapped;
    if (k->elsewhere && e->plan->form == PATCH_FEW)
      continue;
    if (e->plan->form == PATCH_BORROW && !inside && is_held(e, k))
      continue;
    if (body && (inside || outside) && !add_outermost(e, k))
      return false;
    if (!body && !inside && outside && !add_innermost(e, k))
      return false;
  }
  for (uint32_t i = 0; i < e->p->list.len; i++) {
    struct patch_source *s = &e->p->list.at[i];
    s->regions.len = cregions_merge(&s->c, s->regions.at, s->regions.len);
  }
  return true;
}

/* A function that locks although a caller has the lock already, or NULL. */
static const struct cfunction *nested(const struct editor *e) {
  const struct places *all = e->plan->places;
  for (uint32_t i = 0; i < all->len; i++) {
    const struct cfunction *in = NULL;
    uint32_t held = 0;
    for (uint32_t k = 0; k < all->at[i].depth; k++)
      held += is_locked(e, &all->at[i].frames[k], &in);
    if (held > 1)
      return in;
  }
  return NULL;
}

/* Chooses the regions; false: `why`. */
static bool choose(struct editor *e) {
  for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
    for (uint32_t i = 0; i < e->p->list.len; i++)
      vec_clear(&e->p->list.at[i].regions);
    if (e->plan->form != PATCH_BODY && !add_blocks(e))
      return false;
    if (!add_places(e))
      return false;
    const struct cfunction *inner = nested(e);
    if (!inner)
      return true;
    if (is_banned(e, inner) || e->plan->form == PATCH_BODY)
      break; /* one of the blocks, or an operation that calls another */
    vec_push(&e->banned, inner);
  }
  buf_clear(e->why);
  buf_puts(e->why, "a function that would take the lock is called where it is "
                   "held");
  return false;
}

/* ---- the changes ---- */

static bool write_regions(struct editor *e) {
  struct patch_sources *p = e->p;
  uint32_t users = 0, seen = 0;
  bool ok = true;
  for (uint32_t i = 0; i < p->list.len; i++)
    users += p->list.at[i].regions.len > 0;
  for (uint32_t i = 0; ok && i < p->list.len; i++) {
    struct patch_source *s = &p->list.at[i];
    if (!s->regions.len)
      continue;
    ok = e->plan->form == PATCH_BORROW ||
         patch_source_declare(p, s, users, seen++ == 0);
    for (uint32_t k = 0; ok && k < s->regions.len; k++) {
      const struct cregion *r = &s->regions.at[k];
      const char *why = "";
      ok = critical_wrap(&s->c, r, e->lock.at, e->unlock.at, &s->edits, &why);
      if (!ok) {
        struct buf name = {0};
        ctext_put(&s->c, r->function->name, r->function->name, &name);
        refuse(e, &(struct code_block){.function = name.at}, why);
        buf_free(&name);
      }
    }
  }
  return ok;
}

static void put_lines(const struct patch_source *s, const struct cregion *r,
                      struct buf *out) {
  uint32_t first = cstmt_first_line(&s->c, r->first);
  uint32_t last = cstmt_last_line(&s->c, r->last);
  buf_printf(out, first == last ? "line %u" : "lines %u-%u", first, last);
  buf_puts(out, " (");
  ctext_put(&s->c, r->function->name, r->function->name, out);
  buf_putc(out, ')');
}

static void describe(const struct editor *e, struct buf *what) {
  uint32_t n = 0, all = 0;
  for (uint32_t i = 0; i < e->p->list.len; i++)
    all += e->p->list.at[i].regions.len;
  buf_puts(what, what->len ? "; " : "");
  if (e->plan->form == PATCH_BORROW)
    buf_printf(what, "takes the lock of other code, %.*s, around ",
               (int)e->lock.len - 1, e->lock.at);
  else
    buf_printf(what, "locks a new mutex, %s, around ", e->p->mutex);
  for (uint32_t i = 0; i < e->p->list.len; i++) {
    const struct patch_source *s = &e->p->list.at[i];
    for (uint32_t k = 0; k < s->regions.len; k++, n++) {
      buf_puts(what, !n ? "" : n + 1 == all ? " and " : ", ");
      put_lines(s, &s->regions.at[k], what);
    }
  }
}

static bool is_in_section(const struct patch_source *s,
                          const struct cregion *r) {
  struct buf lock = {0}, unlock = {0};
  bool held = critical_held(&s->c, r, 0, &lock, &unlock);
  buf_free(&lock);
  buf_free(&unlock);
  return held;
}

/* Blocks that a lock is there for: one that is in a critical section already
 * has it; false: for none, or it cannot be done. */
static bool widen(struct editor *e, struct buf *what) {
  const struct cause *c = &e->plan->cause;
  uint32_t widened = 0;
  for (uint32_t i = 0; i < c->nblocks; i++) {
    struct patch_source *s;
    struct cregion r;
    struct buf one = {0};
    const char *why;
    if (!find_region(e, &c->blocks[i], &s, &r))
      return false;
    bool ok = critical_widen(&s->c, &r, e->plan->which, &s->edits, &one, &why);
    if (ok)
      buf_printf(what, "%s%s in %s()", what->len ? "; " : "", buf_text(&one),
                 c->blocks[i].function);
    buf_free(&one);
    if (!ok && why)
      return refuse(e, &c->blocks[i], why);
    if (!ok && !is_in_section(s, &r))
      e->wrapped |= UINT32_C(1) << i;
    widened += ok;
  }
  return widened > 0;
}

/* The instruction for a block that is asked for, or the last that there is. */
static bool instruct_block(struct editor *e, const struct code_block *b,
                           struct buf *what, bool *asked) {
  struct patch_source *s;
  const struct cfunction *f;
  if (!find_function(e, b, &s, &f))
    return false;
  for (uint32_t which = e->plan->which + 1; which-- > 0;) {
    struct buf one = {0};
    bool ok =
        instruction_edit(&s->c, f, b->first, b->last, which, &s->edits, &one);
    if (ok)
      buf_printf(what, "%s%s", what->len ? "; " : "", buf_text(&one));
    buf_free(&one);
    *asked |= ok && which == e->plan->which;
    if (ok)
      return true;
  }
  return false;
}

/* An instruction for each block. */
static bool instruct(struct editor *e, struct buf *what) {
  const struct cause *c = &e->plan->cause;
  bool asked = false;
  for (uint32_t i = 0; i < c->nblocks; i++)
    if (!instruct_block(e, &c->blocks[i], what, &asked))
      return false;
  return asked;
}

static bool edit(struct editor *e, struct buf *what) {
  if (e->plan->form == PATCH_KIND)
    return patch_kind_edit(e->p, e->plan->kind, e->plan->which, what);
  if (e->plan->form == PATCH_INSTRUCTION)
    return instruct(e, what);
  if (e->plan->form == PATCH_WIDEN || e->plan->form == PATCH_WIDEN_ALONE) {
    if (!widen(e, what))
      return false;
    if (!e->wrapped || e->plan->form == PATCH_WIDEN_ALONE)
      return true;
  } else {
    e->wrapped = UINT32_MAX;
  }
  if (e->plan->form == PATCH_BORROW) {
    if (!borrow(e))
      return false;
  } else {
    buf_printf(&e->lock, "pthread_mutex_lock(&%s);", e->p->mutex);
    buf_printf(&e->unlock, "pthread_mutex_unlock(&%s);", e->p->mutex);
  }
  if (!choose(e) || !write_regions(e))
    return false;
  describe(e, what);
  return true;
}

bool patch_sources_edit(struct patch_sources *p, const struct patch_plan *plan,
                        struct buf *what, struct buf *why) {
  struct editor e = {.p = p, .plan = plan, .why = why};
  for (uint32_t i = 0; i < p->list.len; i++)
    patch_source_clear(&p->list.at[i]);
  buf_clear(what);
  buf_clear(why);
  bool ok =
      plan->cause.nblocks <= RIVALS_BLOCKS &&
      (plan->form == PATCH_EXACT ? patch_sources_follow(p, plan, what, why)
                                 : edit(&e, what));
  vec_free(&e.banned);
  buf_free(&e.lock);
  buf_free(&e.unlock);
  return ok;
}

bool patch_is_guarded(struct patch_sources *p, struct cause c) {
  struct buf ignored = {0};
  struct editor e = {.p = p, .why = &ignored};
  bool guarded = false;
  for (uint32_t i = 0; i < c.nblocks && !guarded; i++) {
    struct patch_source *s;
    struct cregion r;
    if (find_region(&e, &c.blocks[i], &s, &r))
      guarded = is_in_section(s, &r) ||
                instruction_is_guarded(&s->c, r.function, c.blocks[i].first,
                                       c.blocks[i].last);
  }
  buf_free(&ignored);
  return guarded;
}
