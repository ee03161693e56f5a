/* Walks through the code for hooks and calls, and compares the hooks with those
 * that were reached. */
#include "code/unreached.h"
#include "base/text.h"
#include "code/code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct unreached_call {
  uint32_t from; /* symbols of functions: indices into lines->symbols */
  uint64_t target;
};

struct unreached_hook {
  uint32_t function;
  uint64_t place; /* its return address */
  bool entry;     /* of the function, where no line accesses anything */
};

struct unreached_function {
  struct unreached it;
  bool reached;
};

struct unreached_walk {
  struct lines *lines;
  VEC(struct unreached_call) calls;
  VEC(struct unreached_hook) hooks;
  VEC(struct unreached_function) functions;
  reached_line_list *of_lines; /* or NULL */
  bool *can;                   /* by symbol: an operation can come to it */
};

/* The hooks that the engine notes whenever they are executed (U1).  One that
 * sets a vtable pointer may do nothing. */
static bool is_noted(const char *symbol) {
  return begins(symbol, "__tsan_") && strncmp(symbol, "__tsan_vptr", 11) &&
         strcmp(symbol, "__tsan_init") && strcmp(symbol, "__tsan_func_exit") &&
         !strstr(symbol, "_fence") && !strstr(symbol, "_range");
}

static void visit(void *ctx, const struct line_symbol *function,
                  const struct code_insn *i) {
  struct unreached_walk *w = ctx;
  uint32_t number = (uint32_t)(function - w->lines->symbols.at);
  if (i->kind == CODE_CALL && i->symbol && is_noted(i->symbol))
    vec_push(&w->hooks, ((struct unreached_hook){
                            number, i->pc + i->size,
                            !strcmp(i->symbol, "__tsan_func_entry")}));
  else if (i->target && i->target - function->addr >= function->size)
    vec_push(&w->calls, ((struct unreached_call){number, i->target}));
}

static bool *can_at(struct unreached_walk *w, uint64_t pc) {
  const struct line_symbol *s = lines_symbol_at(w->lines, pc, true);
  return s ? &w->can[s - w->lines->symbols.at] : NULL;
}

static void follow_calls(struct unreached_walk *w, const uint64_t *entries,
                         uint32_t n) {
  w->can = xcalloc(w->lines->symbols.len + 1u, sizeof *w->can);
  for (uint32_t i = 0; i < n; i++) {
    bool *can = can_at(w, entries[i]);
    if (can)
      *can = true;
  }
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < w->calls.len; i++) {
      const struct unreached_call *c = &w->calls.at[i];
      bool *to = w->can[c->from] ? can_at(w, c->target) : NULL;
      if (to && !*to)
        *to = more = true;
    }
  }
}

static void note(struct unreached_walk *w, const struct place *p,
                 bool reached) {
  for (uint32_t i = 0; i < w->functions.len; i++) {
    struct unreached_function *f = &w->functions.at[i];
    if (strcmp(f->it.function, p->function) || strcmp(f->it.file, p->file))
      continue;
    f->reached |= reached;
    return;
  }
  vec_push(&w->functions, ((struct unreached_function){
                              {p->function, p->file, p->line}, reached}));
}

/* Sorted and joined in the end. */
static void note_line(struct unreached_walk *w, const struct place *p, bool can,
                      bool reached) {
  struct reached_line line = {p->function, p->file, p->line, reached, can};
  if (w->of_lines && p->line)
    vec_push(w->of_lines, line);
}

static int by_line(const void *x, const void *y) {
  const struct reached_line *a = x, *b = y;
  int c = strcmp(a->file, b->file);
  return c ? c : a->line < b->line ? -1 : a->line > b->line;
}

static void join_lines(reached_line_list *l) {
  uint32_t n = 0;
  if (l->len)
    qsort(l->at, l->len, sizeof *l->at, by_line);
  for (uint32_t i = 0; i < l->len; i++) {
    if (!n || by_line(&l->at[n - 1], &l->at[i])) {
      l->at[n++] = l->at[i];
      continue;
    }
    l->at[n - 1].reached |= l->at[i].reached;
    l->at[n - 1].can |= l->at[i].can;
  }
  l->len = n;
}

/* What was inlined runs as a part of the function around it. */
static void note_hook(struct unreached_walk *w, const struct unreached_hook *h,
                      const uint8_t *reached, uint64_t span) {
  bool can = w->can[h->function], inner = true;
  assert(h->place < span); /* unreached_span */
  for (const struct place *p = lines_place(w->lines, h->place - 1); p;
       p = p->next) {
    enum place_role role = place_role(p);
    if (!p->file || !p->function ||
        (role != PLACE_OBJECT && role != PLACE_PRIMITIVE))
      continue;
    if (inner && !h->entry)
      note_line(w, p, can, reached[h->place]);
    inner = false;
    if (can)
      note(w, p, reached[h->place]);
  }
}

uint64_t unreached_span(const struct lines *l) {
  uint64_t end = 0;
  for (uint32_t i = 0; i < l->symbols.len; i++) {
    const struct line_symbol *s = &l->symbols.at[i];
    if (s->function && s->addr + s->size > end)
      end = s->addr + s->size;
  }
  return end + 1; /* a call can be the last instruction */
}

/* Instructions without hooks, which the engine notes whenever they are
 * executed. */
static void add_sites(struct unreached_walk *w, const site_list *sites) {
  for (uint32_t i = 0; i < sites->len; i++) {
    const struct site *x = &sites->at[i];
    const struct line_symbol *s = lines_symbol_at(w->lines, x->pc, true);
    if (s && !site_is_change(x))
      vec_push(&w->hooks,
               ((struct unreached_hook){(uint32_t)(s - w->lines->symbols.at),
                                        x->pc + x->length}));
  }
}

int unreached_find(struct lines *l, const site_list *sites,
                   const uint8_t *reached, uint64_t span,
                   const uint64_t *entries, uint32_t n, unreached_list *out,
                   reached_line_list *lines, struct error *e) {
  struct unreached_walk w = {.lines = l, .of_lines = lines};
  int err = code_walk(l, visit, &w, e);
  add_sites(&w, sites);
  if (!err) {
    follow_calls(&w, entries, n);
    for (uint32_t i = 0; i < w.hooks.len; i++)
      note_hook(&w, &w.hooks.at[i], reached, span);
  }
  if (lines)
    join_lines(lines);
  for (uint32_t i = 0; i < w.functions.len; i++)
    if (!w.functions.at[i].reached)
      vec_push(out, w.functions.at[i].it);
  vec_free(&w.calls);
  vec_free(&w.hooks);
  vec_free(&w.functions);
  free(w.can);
  return err;
}
