/* Walks through the code and notes the line of every access and hook. */
#include "code/hooked.h"
#include "base/text.h"
#include "code/code.h"

#include <stdlib.h>
#include <string.h>

struct hooked_walk {
  struct lines *l;
  hooked_list *out;
};

/* The entries and exits of functions are no steps. */
static bool is_step(const char *symbol) {
  return begins(symbol, "__wrap_") ||
         (begins(symbol, "__tsan_") && !begins(symbol, "__tsan_func_") &&
          !begins(symbol, "__tsan_init"));
}

/* What the macros of faultline.h leave, which runs before everything. */
static bool is_harness(const char *function) {
  return strstr(function, "fl__") || begins(function, "_sub_") ||
         begins(function, "_GLOBAL__");
}

static void visit(void *ctx, const struct line_symbol *f,
                  const struct code_insn *i) {
  struct hooked_walk *w = ctx;
  bool hooked = i->symbol && is_step(i->symbol);
  if ((!hooked && !i->reads && !i->writes) || is_harness(f->name))
    return;
  const struct place *p = lines_place(w->l, i->pc);
  if (!p->file || !p->line)
    return;
  struct hooked_line *last = w->out->len ? &vec_last(w->out) : NULL;
  if (!last || last->line != p->line || strcmp(last->file, p->file)) {
    vec_push(w->out, ((struct hooked_line){.file = p->file, .line = p->line}));
    last = &vec_last(w->out);
  }
  last->hooked |= hooked;
  last->touches |= i->reads || i->writes;
}

static int compare(const void *a, const void *b) {
  const struct hooked_line *x = a, *y = b;
  int files = strcmp(x->file, y->file);
  return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* A line's code can lie in several places. */
static void join(hooked_list *h) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < h->len; i++) {
    struct hooked_line *x = &h->at[i];
    if (n && !compare(&h->at[n - 1], x)) {
      h->at[n - 1].hooked |= x->hooked;
      h->at[n - 1].touches |= x->touches;
    } else {
      h->at[n++] = *x;
    }
  }
  h->len = n;
}

static void add_sites(struct lines *l, const site_list *sites,
                      hooked_list *out) {
  for (uint32_t i = 0; i < sites->len; i++) {
    const struct place *p = lines_place(l, sites->at[i].pc);
    if (p->file && p->line && !site_is_change(&sites->at[i]))
      vec_push(out, ((struct hooked_line){p->file, p->line, true, true}));
  }
}

int hooked_lines(struct lines *l, const site_list *sites, hooked_list *out,
                 struct error *e) {
  struct hooked_walk w = {l, out};
  int err = code_walk(l, visit, &w, e);
  add_sites(l, sites, out);
  if (!err && out->len) {
    qsort(out->at, out->len, sizeof *out->at, compare);
    join(out);
  }
  return err;
}

const struct hooked_line *hooked_line(const hooked_list *h, const char *file,
                                      uint32_t line) {
  struct hooked_line key = {.file = file, .line = line};
  return h->len ? bsearch(&key, h->at, h->len, sizeof key, compare) : NULL;
}
