/* The functions that a place belongs to, the inlined ones and their callers. */
#include "code/scope.h"

#include "code/flow_int.h"
#include "code/within.h"
#include "debug/lines_int.h"

#include <dwarf.h>
#include <string.h>

struct scope_range {
  uint32_t first, n; /* into scopes.all */
};

struct scopes {
  struct lines *lines;
  struct flow *flow;
  uint64_t copy; /* whose code is kept, or 0 */
  struct within_code code;
  struct map128 stayed; /* copy, from, to: 1 + the answer */
  struct map128 known;  /* place to index into kept */
  VEC(struct scope_range) kept;
  VEC(struct scope) all;
};

struct scopes *scopes_open(struct lines *l, struct flow *f) {
  struct scopes *s = xcalloc(1, sizeof *s);
  s->lines = l;
  s->flow = f;
  return s;
}

static void forget_code(struct scopes *s) {
  if (s->copy)
    within_free(&s->code);
  s->copy = 0;
}

void scopes_close(struct scopes *s) {
  if (!s)
    return;
  forget_code(s);
  map128_free(&s->stayed);
  map128_free(&s->known);
  vec_free(&s->kept);
  vec_free(&s->all);
  free(s);
}

static bool equal(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

static uint32_t declared(Dwarf_Die *function) {
  Dwarf_Attribute a;
  Dwarf_Word line;
  if (!dwarf_attr_integrate(function, DW_AT_decl_line, &a) ||
      dwarf_formudata(&a, &line))
    return 0;
  return (uint32_t)line;
}

/*
 * gcc cuts functions in two, to inline the first part, which calls the second
 * (.part).  Then it may inline the second again: a copy of the function in
 * itself, called from where it is declared.
 */
static bool is_part(struct lines *l, uint64_t pc) {
  const struct line_symbol *s = lines_symbol_at(l, pc, true);
  return s && strstr(s->name, ".part.");
}

static bool is_rest(const struct scope *outer, const struct scope *inner,
                    Dwarf_Die *function) {
  return equal(outer->function, inner->function) &&
         equal(outer->file, inner->file) && outer->line == declared(function);
}

/* Puts what was inlined into its own function back together. */
static uint32_t join_parts(struct scope *at, Dwarf_Die *entries, uint32_t n) {
  uint32_t kept = 1;
  for (uint32_t i = 1; i < n; i++)
    if (is_rest(&at[kept - 1], &at[i], &entries[i])) {
      at[kept - 1].line = at[i].line;
      at[kept - 1].column = at[i].column;
    } else
      at[kept++] = at[i];
  return kept;
}

static uint32_t find_scopes(struct scopes *s, uint64_t place,
                            struct scope *out) {
  const struct place *p = lines_place(s->lines, place - 1);
  const struct line_function *f = lines_function_at(s->lines, place - 1);
  Dwarf_Die entries[SCOPES_AT_MOST];
  uint32_t n = f ? lines_scopes(f, place - 1, entries, SCOPES_AT_MOST) : 0;
  for (uint32_t i = n ? n : 1; i-- && p; p = p->next)
    out[i] = (struct scope){.file = p->file,
                            .function = p->function,
                            .line = p->line,
                            .column = p->column,
                            .copy = n ? dwarf_dieoffset(&entries[i]) : 0,
                            .role = place_role(p)};
  out[0].rest = is_part(s->lines, place - 1);
  return n ? join_parts(out, entries, n) : 1;
}

uint32_t scopes_at(struct scopes *s, uint64_t place, struct scope *out) {
  bool fresh;
  uint32_t *i = map128_put(&s->known, hash128(&place, sizeof place, 0), &fresh);
  if (fresh) {
    struct scope_range k = {s->all.len, find_scopes(s, place, out)};
    for (uint32_t j = 0; j < k.n; j++)
      vec_push(&s->all, out[j]);
    *i = s->kept.len;
    vec_push(&s->kept, k);
    return k.n;
  }
  struct scope_range k = s->kept.at[*i];
  memcpy(out, s->all.at + k.first, k.n * sizeof *out);
  return k.n;
}

struct copy_chooser {
  struct lines *lines;
  uint64_t owner; /* the real function */
  uint64_t copy;
};

static enum within in_copy(void *ctx, uint64_t pc) {
  struct copy_chooser *c = ctx;
  const struct line_function *f = lines_function_at(c->lines, pc);
  Dwarf_Die entries[SCOPES_AT_MOST];
  if (!f)
    return WITHIN_NOT;
  entries[0] = f->die;
  if (dwarf_dieoffset(&entries[0]) != c->owner)
    return WITHIN_NOT;
  uint32_t n = lines_scopes(f, pc, entries, SCOPES_AT_MOST);
  for (uint32_t i = 1; i < n; i++)
    if (dwarf_dieoffset(&entries[i]) == c->copy)
      return WITHIN_YES;
  return WITHIN_NOT;
}

static void find_code(struct scopes *s, uint64_t copy, uint64_t place) {
  const struct line_function *f = lines_function_at(s->lines, place - 1);
  struct copy_chooser chooser = {.lines = s->lines, .copy = copy};
  if (s->copy == copy)
    return;
  forget_code(s);
  if (f) {
    Dwarf_Die owner = f->die;
    chooser.owner = dwarf_dieoffset(&owner);
  }
  within_init(&s->code, s->flow, in_copy, &chooser);
  s->copy = copy;
}

bool scopes_stayed(struct scopes *s, uint64_t copy, uint64_t from,
                   uint64_t to) {
  uint64_t key[3] = {copy, from, to};
  bool fresh;
  uint32_t *answer =
      map128_put(&s->stayed, hash128(key, sizeof key, 0), &fresh);
  if (fresh) {
    find_code(s, copy, from);
    *answer = 1 + !within_left(&s->code, from, to);
  }
  return *answer - 1;
}
