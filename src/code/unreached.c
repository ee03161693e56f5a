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
  bool *can; /* by symbol: an operation can come to it */
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
    vec_push(&w->hooks, ((struct unreached_hook){number, i->pc + i->size}));
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

/* What was inlined runs as a part of the function around it. */
static void note_hook(struct unreached_walk *w, const struct unreached_hook *h,
                      const uint8_t *reached, uint64_t span) {
  if (!w->can[h->function])
    return;
  assert(h->place < span); /* unreached_span */
  for (const struct place *p = lines_place(w->lines, h->place - 1); p;
       p = p->next) {
    enum place_role role = place_role(p);
    if (p->file && p->function &&
        (role == PLACE_OBJECT || role == PLACE_PRIMITIVE))
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

int unreached_find(struct lines *l, const uint8_t *reached, uint64_t span,
                   const uint64_t *entries, uint32_t n, unreached_list *out,
                   struct error *e) {
  struct unreached_walk w = {.lines = l};
  int err = code_walk(l, visit, &w, e);
  if (!err) {
    follow_calls(&w, entries, n);
    for (uint32_t i = 0; i < w.hooks.len; i++)
      note_hook(&w, &w.hooks.at[i], reached, span);
  }
  for (uint32_t i = 0; i < w.functions.len; i++)
    if (!w.functions.at[i].reached)
      vec_push(out, w.functions.at[i].it);
  vec_free(&w.calls);
  vec_free(&w.hooks);
  vec_free(&w.functions);
  free(w.can);
  return err;
}
