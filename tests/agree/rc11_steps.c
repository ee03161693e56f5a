/*
 * Random programs for the C11 memory model: the axioms (rc11_graphs) and the
 * machine with views (rc11_steps) have the same graphs, outcomes and races.
 *
 *   test_agree_rc11_steps [FIRST [COUNT]]
 *
 * A program that differs is made smaller while it does, and printed.
 */
#include "random_rc11.h"

#include <assert.h>
#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
enum { COUNT = 300 };
#else
enum { COUNT = 3000 };
#endif

struct both {
  struct rc11_found axioms, steps;
};

static void find(const struct rc11_program *p, struct both *b) {
  rc11_graphs(p, NULL, &b->axioms);
  rc11_steps(p, NULL, &b->steps);
}

static void free_both(struct both *b) {
  rc11_free(&b->axioms);
  rc11_free(&b->steps);
}

/* Both are sorted (RC1 to RC3). */
static bool same(const struct both *found) {
  const struct rc11_found *a = &found->axioms, *b = &found->steps;
  bool is = a->graphs.len == b->graphs.len &&
            a->outcomes.len == b->outcomes.len && a->races.len == b->races.len;
  for (uint32_t i = 0; is && i < a->graphs.len; i++)
    is = hash128_equal(a->graphs.at[i], b->graphs.at[i]);
  for (uint32_t i = 0; is && i < a->outcomes.len; i++)
    is = rc11_has_outcome(b, &a->outcomes.at[i]);
  for (uint32_t i = 0; is && i < a->races.len; i++)
    is = rc11_has_race(b, &a->races.at[i]);
  return is;
}

static bool agrees(const struct rc11_program *p) {
  struct both b;
  find(p, &b);
  bool is = same(&b);
  free_both(&b);
  return is;
}

static void print_counts(const char *title, const struct rc11_found *f) {
  fprintf(stderr, "  %s: %u graphs, %u outcomes, %u races\n", title,
          f->graphs.len, f->outcomes.len, f->races.len);
}

static void show_smallest(struct rc11_program p, unsigned number) {
  struct rc11_program next;
  struct both b;
  struct buf text = {0};
  for (unsigned i = 0; rc11_simpler(&p, i, &next);)
    if (agrees(&next)) {
      i++;
    } else {
      p = next;
      i = 0;
    }
  rc11_print(&p, &text);
  find(&p, &b);
  fprintf(stderr, "program %u: %s\n", number, buf_text(&text));
  print_counts("axioms", &b.axioms);
  print_counts("steps", &b.steps);
  free_both(&b);
  buf_free(&text);
}

/* Each graph is found once (RC1). */
static bool each_once(const struct rc11_found *f) {
  for (uint32_t i = 1; i < f->graphs.len; i++)
    if (hash128_equal(f->graphs.at[i - 1], f->graphs.at[i]))
      return false;
  return true;
}

int main(int argc, char **argv) {
  unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : COUNT;
  unsigned bad = 0, races = 0;
  uint64_t graphs = 0;
  for (unsigned i = first; i < first + count; i++) {
    struct rc11_program p;
    struct both b;
    random_rc11(&p, i);
    find(&p, &b);
    assert(each_once(&b.axioms));
    if (!same(&b)) {
      bad++;
      show_smallest(p, i);
    }
    graphs += b.axioms.graphs.len;
    races += b.axioms.races.len > 0;
    free_both(&b);
  }
  printf("programs %u to %u: %lu graphs, %u programs with races, %u differ\n",
         first, first + count - 1, graphs, races, bad);
  return bad != 0;
}
