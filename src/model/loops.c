/* Loops of source files: nesting, and the order of positions in a round. */
#include "model/loops.h"

#include "base/err.h"
#include "base/slow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void loops_free(struct loops *l) {
  for (uint32_t i = 0; i < l->files.len; i++) {
    struct loops_file *f = l->files.at[i];
    free(f->file);
    free(f->begins);
    vec_free(&f->loops);
    free(f);
  }
  vec_free(&l->files);
}

struct loops_file *loops_of_file(struct loops *l, const char *file) {
  for (uint32_t i = 0; i < l->files.len; i++)
    if (!strcmp(l->files.at[i]->file, file))
      return l->files.at[i];
  struct loops_file *f = xcalloc(1, sizeof *f);
  f->file = xstrdup(file);
  vec_push(&l->files, f);
  if (l->read)
    l->read(f);
  check_slow((loops_check_invariants(f), true)); /* O1 */
  return f;
}

static bool holds(const struct loop *l, uint32_t first, uint32_t last) {
  return l->first <= first && last <= l->last;
}

static bool meets(const struct loop *l, uint32_t first, uint32_t last) {
  return l->first <= last && first <= l->last;
}

void loops_close(const struct loops_file *f, uint32_t *first, uint32_t *last) {
  bool wider = true;
  while (wider) {
    wider = false;
    for (uint32_t i = 0; i < f->loops.len; i++) {
      const struct loop *l = &f->loops.at[i];
      if (!meets(l, *first, *last) || holds(l, *first, *last) ||
          (*first <= l->first && l->last <= *last))
        continue;
      *first = l->first < *first ? l->first : *first;
      *last = l->last > *last ? l->last : *last;
      wider = true;
    }
  }
}

/* Loops that the new one crosses are a part of it. */
void loops_add(struct loops_file *f, struct loop loop) {
  assert(loop.first && loop.first <= loop.last);
  loops_close(f, &loop.first, &loop.last);
  uint32_t at = 0;
  for (; at < f->loops.len; at++) {
    const struct loop *l = &f->loops.at[at];
    if (l->first == loop.first && l->last == loop.last)
      return;
    if (l->first > loop.first ||
        (l->first == loop.first && l->last < loop.last))
      break;
  }
  vec_push(&f->loops, loop);
  memmove(f->loops.at + at + 1, f->loops.at + at,
          (f->loops.len - 1 - at) * sizeof *f->loops.at);
  f->loops.at[at] = loop;
}

const struct loop *loops_around(const struct loops_file *f, uint32_t first,
                                uint32_t last) {
  const struct loop *found = NULL;
  for (uint32_t i = 0; i < f->loops.len; i++)
    if (holds(&f->loops.at[i], first, last))
      found = &f->loops.at[i]; /* O1 */
  return found;
}

const struct loop *loops_beyond(const struct loops_file *f, uint32_t first,
                                uint32_t last) {
  const struct loop *found = NULL;
  for (uint32_t i = 0; i < f->loops.len; i++) {
    const struct loop *l = &f->loops.at[i];
    if (holds(l, first, last) && (l->first < first || l->last > last))
      found = l;
  }
  return found;
}

static bool steps(const struct loop *l, uint32_t line, uint32_t column) {
  if (!l->step_line || !column || line < l->step_line ||
      line > l->step_end_line)
    return false;
  return (line > l->step_line || column >= l->step_column) &&
         (line < l->step_end_line || column < l->step_end_column);
}

uint64_t loops_position(const struct loops_file *f, uint32_t line,
                        uint32_t column) {
  for (uint32_t i = 0; i < f->loops.len; i++)
    if (steps(&f->loops.at[i], line, column))
      return (uint64_t)f->loops.at[i].last * 2 + 1;
  return (uint64_t)(line < f->nlines ? f->begins[line] : line) * 2;
}

void loops_check_invariants(const struct loops_file *f) {
  for (uint32_t i = 0; i < f->loops.len; i++)
    for (uint32_t k = 0; k < i; k++) {
      const struct loop *a = &f->loops.at[k], *b = &f->loops.at[i];
      assert(!meets(a, b->first, b->last) ||
             (holds(a, b->first, b->last) &&
              (a->first < b->first || a->last > b->last))); /* O1 */
    }
}
