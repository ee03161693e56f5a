/* Between the files of instruction; nobody else includes this. */
#ifndef SOURCE_INSTRUCTION_INT_H
#define SOURCE_INSTRUCTION_INT_H

#include "source/critical_int.h"
#include "source/instruction.h"

/* ---- tokens (instruction_use.c) ---- */

/* Tokens [first, last). */
struct cspan {
  uint32_t first, last;
};

bool cspan_same(const struct ctext *c, struct cspan a, struct cspan b);
/* Whether a variable's name stands in the tokens. */
bool cspan_mentions(const struct ctext *c, struct cspan in, uint32_t name);
bool cspan_has(const struct ctext *c, struct cspan in, struct cspan what);
void cspan_put(const struct ctext *c, struct cspan s, struct buf *out);
/* The last name of a variable: `items` of `s->items[i]`; or NONE. */
uint32_t cspan_last_name(const struct ctext *c, struct cspan s);

bool ctoken_is_one_of(const struct ctext *c, uint32_t t,
                      const char *const *words);
bool ctoken_is_name(const struct ctext *c, uint32_t t);
/* Whether it is the name of a member, behind a dot or an arrow. */
bool ctoken_is_member(const struct ctext *c, uint32_t t);
uint32_t ctoken_depth_after(const struct ctext *c, uint32_t t, uint32_t depth);
bool ctoken_in_function(const struct ctext *c, uint32_t t);
/* The declaration of a name outside of functions: its token, or NONE when there
 * is none, or more than one. */
uint32_t ctoken_declaration(const struct ctext *c, uint32_t name);

/* ---- uses of variables ---- */

extern const char *const cuse_assigns[], *const cuse_steps[];

/* One use of a variable. */
struct cuse {
  uint32_t stmt;
  struct cspan all;   /* the expression: a call, or the variable */
  struct cspan name;  /* the variable, `s->n`; of a pointer `p`, to *p … */
  bool pointer;       /* … only `p` stands there */
  bool atomic;        /* a call of an atomic function, or an atomic type */
  bool builtin;       /* … or of one that begins with an underscore */
  const char *by;     /* how it is changed: "=", "+"; NULL: it is read */
  struct cspan value; /* what it gets, or by how much; empty: by 1 */
  bool is_statement;  /* the statement is nothing else */
};

typedef VEC(struct cuse) cuse_vec;

/* Whether a call of an atomic function begins with a token. */
bool cuse_is_call(const struct ctext *c, uint32_t t);
bool cuse_same_variable(const struct ctext *c, const struct cuse *a,
                        const struct cuse *b);
/* Writes in some lines, and reads by call. */
void cuses_find(const struct ctext *c, const struct cfunction *f,
                uint32_t first, uint32_t last, cuse_vec *out);
/* The only read before a write, of the same variable. */
bool cuses_find_read(const struct ctext *c, const struct cfunction *f,
                     uint32_t first, uint32_t last, const cuse_vec *v,
                     const struct cuse *w, struct cuse *out);
/* The variable that gets all of what is read, `m` of `int m = load(&map);`, or
 * NONE. */
uint32_t cuse_holder(const struct ctext *c, const struct cuse *r);

#endif
