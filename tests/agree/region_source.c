/*
 * Regions, read from machine code, against the source that it was made from:
 * random functions, one access a line, and a graph of their lines.  Control
 * stays in a block from line i to line j if and only if the graph has a way
 * that visits lines of the block only.
 *
 * Only if, in two cases.  At -O2 gcc puts instructions of no line where they
 * look like another line's.  clang's jump over an `else` or to the end of a
 * loop is on the line of a closing brace, which may lie outside; and where it
 * optimises it is left out, since it makes one access, without a line, of two
 * that stand at the ends of branches.
 */
#include "scratch.h"

#include "base/arena.h"
#include "base/rng.h"
#include "code/region.h"
#include "model/loops.h"

#include <assert.h>

#ifdef __SANITIZE_ADDRESS__
enum { FILES = 2 };
#else
enum { FILES = 5 };
#endif
enum { FUNCTIONS = 12, BLOCKS = 6, MOST = 128, DEPTH = 3 };

/* ---- random functions ---- */

struct function {
  uint32_t first, n; /* its lines with accesses */
  bool next[MOST][MOST];
};

struct writer {
  struct buf text;
  struct rng rng;
  uint32_t line; /* the last that was begun */
  struct function *f;
  const char *prefix; /* of the next line */
};

/* Lines from which control goes on to the next that is written. */
struct exits {
  bool at[MOST];
};

static void join(struct exits *to, const struct exits *from) {
  for (uint32_t i = 0; i < MOST; i++)
    to->at[i] |= from->at[i];
}

static void connect(struct writer *w, const struct exits *from, uint32_t to) {
  for (uint32_t i = 0; i < w->f->n; i++)
    if (from->at[i])
      w->f->next[i][to] = true;
}

/* Begins a line; its number in the function. */
static uint32_t write_line(struct writer *w, struct exits *open,
                           const char *before, const char *after) {
  uint32_t n = w->f->n++;
  assert(n < MOST);
  w->line++;
  buf_printf(&w->text, "\n  %s%s[%u]%s", w->prefix, before, w->line, after);
  w->prefix = "";
  connect(w, open, n);
  *open = (struct exits){0};
  open->at[n] = true;
  return n;
}

static void write_body(struct writer *w, struct exits *open,
                       struct exits *breaks, uint32_t depth);

static void write_if(struct writer *w, struct exits *open, struct exits *breaks,
                     uint32_t depth) {
  write_line(w, open, "if (v", ") {");
  struct exits test = *open;
  write_body(w, open, breaks, depth);
  if (rng_below(&w->rng, 2)) {
    struct exits then = *open;
    buf_puts(&w->text, " } else {");
    *open = test;
    write_body(w, open, breaks, depth);
    join(open, &then);
  } else {
    join(open, &test);
  }
  buf_puts(&w->text, " }");
}

static void write_while(struct writer *w, struct exits *open, uint32_t depth) {
  struct exits breaks = {0};
  uint32_t n = write_line(w, open, "while (v", ") {");
  struct exits test = *open;
  write_body(w, open, &breaks, depth);
  buf_puts(&w->text, " }");
  connect(w, open, n);
  *open = test;
  join(open, &breaks);
}

static void write_do(struct writer *w, struct exits *open, uint32_t depth) {
  struct exits breaks = {0};
  uint32_t first = w->f->n;
  w->prefix = *w->prefix ? "do { do { " : "do { ";
  write_body(w, open, &breaks, depth);
  uint32_t n = write_line(w, open, "} while (v", ");");
  w->f->next[n][first] = true;
  join(open, &breaks);
}

static void write_statement(struct writer *w, struct exits *open,
                            struct exits *breaks, uint32_t depth) {
  uint64_t kind = w->f->n > 40 || !depth ? 0 : rng_below(&w->rng, 8);
  if (kind == 7 && breaks) {
    uint32_t n = write_line(w, open, "if (v", ") break;");
    breaks->at[n] = true;
  } else if (kind == 6 || kind == 5) {
    write_if(w, open, breaks, depth - 1);
  } else if (kind == 4) {
    write_while(w, open, depth - 1);
  } else if (kind == 3 && !*w->prefix) {
    write_do(w, open, depth - 1);
  } else {
    write_line(w, open, "w", " = 1;");
  }
}

static void write_body(struct writer *w, struct exits *open,
                       struct exits *breaks, uint32_t depth) {
  for (uint64_t n = 1 + rng_below(&w->rng, 3); n--;)
    write_statement(w, open, breaks, depth);
}

static void write_function(struct writer *w, struct function *f,
                           uint32_t number) {
  struct exits open = {0};
  *f = (struct function){0};
  w->f = f;
  w->prefix = "";
  buf_printf(&w->text, "\nvoid f%u(void) {", number);
  f->first = ++w->line + 1;
  for (int i = 0; i < 4; i++)
    write_statement(w, &open, NULL, DEPTH);
  buf_puts(&w->text, " }");
}

/* ---- comparing ---- */

/* A way from i, over one edge or more, to j that stays between first and last,
 * all numbers of lines in the function. */
static bool has_way(const struct function *f, uint32_t i, uint32_t j,
                    uint32_t first, uint32_t last) {
  bool seen[MOST] = {0};
  uint32_t todo[MOST], n = 0;
  todo[n++] = i;
  while (n) {
    uint32_t at = todo[--n];
    for (uint32_t k = first; k <= last; k++)
      if (f->next[at][k] && !seen[k]) {
        seen[k] = true;
        todo[n++] = k;
      }
  }
  return seen[j];
}

struct code {
  struct lines *lines;
  struct flow *flow;
  scratch_returns calls;
};

/* From hook to hook: the access below one may be a place, too. */
static bool has_stay(const struct code *c, const struct region *r,
                     uint32_t from, uint32_t to) {
  struct lines *l = c->lines;
  for (uint32_t i = 0; i < r->npcs; i++)
    for (uint32_t j = 0; j < r->npcs; j++)
      if (r->stays[i * r->npcs + j] &&
          lines_place(l, r->pcs[i] - 1)->line == from &&
          lines_place(l, r->pcs[j] - 1)->line == to &&
          scratch_is_call(&c->calls, r->pcs[i]) &&
          scratch_is_call(&c->calls, r->pcs[j]))
        return true;
  return false;
}

static uint32_t compared, ways;

static bool compare(const struct code *c, const struct function *f,
                    uint32_t number, uint32_t first, uint32_t last,
                    bool exactly) {
  char name[16];
  snprintf(name, sizeof name, "f%u", number);
  struct code_block block = {.file = "random.c",
                             .function = name,
                             .first = f->first + first,
                             .last = f->first + last};
  struct arena a = {0};
  struct loops loops = {0};
  struct regions all;
  struct error e = {0};
  bool ok = true;
  if (regions_of_cause(c->flow, (struct cause){&block, 1}, &loops, &a, &all,
                       &e))
    die("%s", e.text);
  for (uint32_t i = first; i <= last; i++)
    for (uint32_t j = first; j <= last; j++) {
      bool want = has_way(f, i, j, first, last);
      compared++;
      ways += want;
      bool have = has_stay(c, &all.at[0], f->first + i, f->first + j);
      if (have == want || (!exactly && want))
        continue;
      fprintf(stderr, "%s, block %u-%u: from %u to %u: want %d\n", name,
              block.first, block.last, f->first + i, f->first + j, want);
      ok = false;
    }
  loops_free(&loops);
  arena_free(&a);
  return ok;
}

static void compare_file(const struct function *f, const char *cc,
                         const char *opt, bool exactly, struct rng *rng,
                         const char *text) {
  struct error e = {0};
  char *so = scratch_build(cc, opt, "random.c", NULL);
  struct code c = {.lines = scratch_lines(so)};
  c.flow = flow_open(c.lines, &e);
  c.calls = scratch_calls(c.lines);
  for (uint32_t i = 0; i < FUNCTIONS; i++)
    for (uint32_t k = 0; k < BLOCKS; k++) {
      uint32_t a = (uint32_t)rng_below(rng, f[i].n),
               b = (uint32_t)rng_below(rng, f[i].n);
      if (!CHECK(
              compare(&c, &f[i], i, a < b ? a : b, a < b ? b : a, exactly))) {
        fprintf(stderr, "with %s %s:\n%s\n", cc, opt, text);
        goto out;
      }
    }
out:
  vec_free(&c.calls);
  flow_close(c.flow);
  lines_close(c.lines);
  free(so);
}

TEST(random_functions) {
  static struct function f[FUNCTIONS];
  for (uint64_t seed = 1; seed <= FILES; seed++) {
    struct writer w = {.rng = {seed}, .line = 1};
    struct rng rng = {seed + 1000};
    buf_puts(&w.text, "volatile int v[4096], w[4096];");
    for (uint32_t i = 0; i < FUNCTIONS; i++)
      write_function(&w, &f[i], i);
    buf_puts(&w.text, "\n");
    scratch_write("random.c", buf_text(&w.text));
    compare_file(f, "gcc", "-O0", true, &rng, buf_text(&w.text));
    compare_file(f, "gcc", "-O1", true, &rng, buf_text(&w.text));
    compare_file(f, "gcc", "-O2", false, &rng, buf_text(&w.text));
    if (scratch_has("clang"))
      compare_file(f, "clang", "-O0", false, &rng, buf_text(&w.text));
    buf_free(&w.text);
  }
  CHECK(ways > 1000 && compared > 2 * ways);
}

TEST_MAIN
