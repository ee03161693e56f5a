/*
 * tests/litmus/c11.txt: litmus tests with the programs of oracle/rc11.h.  The
 * file says how it is written.
 */
#ifndef TESTS_LITMUS_C11_H
#define TESTS_LITMUS_C11_H

#include "oracle/rc11.h"

#include <ctype.h>
#include <string.h>

struct litmus {
  char *name;
  struct rc11_program program;
  char *graphs, *outcomes, *never, *allows, *races; /* NULL: not said */
};

struct litmus_list {
  VEC(struct litmus) tests;
  struct buf text; /* that they are parts of */
};

static char **litmus_field(struct litmus *t, const char *line, size_t *skip) {
  const struct {
    const char *word;
    char **at;
  } fields[] = {{"graphs ", &t->graphs},
                {"outcomes ", &t->outcomes},
                {"never ", &t->never},
                {"allows ", &t->allows},
                {"races ", &t->races}};
  for (unsigned i = 0; i < 5; i++) {
    *skip = strlen(fields[i].word);
    if (!strncmp(line, fields[i].word, *skip))
      return fields[i].at;
  }
  return NULL;
}

static void litmus_line(struct litmus_list *l, char *line) {
  struct error e = {0};
  size_t skip;
  if (*line == '#' || !*line)
    return;
  if (*line != ' ') {
    vec_push(&l->tests, (struct litmus){.name = line});
    return;
  }
  struct litmus *t = &vec_last(&l->tests);
  while (*line == ' ')
    line++;
  char **field = litmus_field(t, line, &skip);
  if (!field && rc11_read(&t->program, line, &e))
    die("%s: %s", t->name, e.text);
  if (field && *field)
    die("%s: said twice: %s", t->name, line);
  if (field)
    *field = line + skip;
}

__attribute__((unused)) static void litmus_read(struct litmus_list *l) {
  char *path = xasprintf("%s/tests/litmus/c11.txt", getenv("SOURCE_DIR"));
  struct error e = {0};
  *l = (struct litmus_list){0};
  if (buf_read_file(&l->text, path, &e))
    die("%s", e.text);
  for (char *line = l->text.at, *end; line; line = end ? end + 1 : NULL) {
    end = strchr(line, '\n');
    if (end)
      *end = '\0';
    litmus_line(l, line);
  }
  free(path);
}

__attribute__((unused)) static void litmus_free(struct litmus_list *l) {
  vec_free(&l->tests);
  buf_free(&l->text);
}

/* Do all outcomes leave the same in a location? */
static bool litmus_is_constant(const struct rc11_found *f, unsigned location) {
  for (uint32_t i = 1; i < f->outcomes.len; i++)
    if (f->outcomes.at[i].memory[location] !=
        f->outcomes.at[0].memory[location])
      return false;
  return true;
}

static void litmus_put_outcome(const struct litmus *t,
                               const struct rc11_found *f,
                               const struct rc11_outcome *o, struct buf *out) {
  bool slash = false;
  for (unsigned r = 0; r < RC11_REGISTERS; r++)
    if (rc11_owner(&t->program, r) != RC11_NONE)
      buf_printf(out, "%u", o->reg[r]);
  for (unsigned l = 0; l < RC11_LOCATIONS; l++)
    if (rc11_uses(&t->program, l) && !litmus_is_constant(f, l)) {
      buf_printf(out, slash ? "%u" : "/%u", o->memory[l]);
      slash = true;
    }
}

/* As the file says them. */
__attribute__((unused)) static void litmus_outcomes(const struct litmus *t,
                                                    const struct rc11_found *f,
                                                    struct buf *out) {
  for (uint32_t i = 0; i < f->outcomes.len; i++) {
    buf_puts(out, i ? " " : "");
    litmus_put_outcome(t, f, &f->outcomes.at[i], out);
  }
}

__attribute__((unused)) static void litmus_races(const struct rc11_found *f,
                                                 struct buf *out) {
  for (uint32_t i = 0; i < f->races.len; i++) {
    const struct rc11_race *r = &f->races.at[i];
    buf_printf(out, "%s%u.%u-%u.%u", i ? " " : "", r->part[0],
               r->statement[0] + 1, r->part[1], r->statement[1] + 1);
  }
}

#endif
