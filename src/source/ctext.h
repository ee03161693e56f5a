/*
 * C, and the C in C++, as its author wrote it: tokens, functions (of classes
 * and namespaces too) and statements, with their places in the text.  Not a
 * compiler: macros are not expanded, types not known; what is not certain is
 * said to be broken, and nobody edits it.
 *
 * A function's body is a tree of statements.  A compound statement has the
 * statements between its braces as children, an if one or two, a loop and a
 * switch one.  A label, and a case, is a statement by itself in front of the
 * one that it labels.
 *
 * (T1) tokens are in the order of the text and do not overlap; comments,
 *      directives and what the preprocessor leaves out are no tokens.
 * (T2) a statement's children lie inside of it, in order, and do not overlap.
 */
#ifndef SOURCE_CTEXT_H
#define SOURCE_CTEXT_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define CTEXT_NONE UINT32_MAX

enum ctoken_kind { CTOKEN_NAME, CTOKEN_NUMBER, CTOKEN_QUOTED, CTOKEN_PUNCT };

struct ctoken {
  enum ctoken_kind kind;
  uint32_t at, len; /* bytes of the text */
  uint32_t line;    /* from 1; of its first byte */
};

enum cstmt_kind {
  CSTMT_COMPOUND,
  CSTMT_IF,
  CSTMT_LOOP, /* while, do, for */
  CSTMT_SWITCH,
  CSTMT_LABEL,
  CSTMT_RETURN,
  CSTMT_GOTO,
  CSTMT_BREAK,
  CSTMT_CONTINUE,
  CSTMT_SIMPLE, /* an expression or a declaration */
};

struct cstmt {
  enum cstmt_kind kind;
  uint32_t first, last;         /* tokens, both inside */
  uint32_t parent, child, next; /* statements, or CTEXT_NONE */
};

struct cfunction {
  uint32_t name;           /* token */
  uint32_t type, type_end; /* tokens of what it returns: [type, type_end) */
  uint32_t body;           /* statement */
  uint32_t first_stmt, last_stmt; /* its statements: [first, last) */
  const char *broken; /* why its statements are not known, or NULL */
};

/* A line that begins with #, with those that continue it. */
struct cdirective {
  uint32_t at, len, line;
  char word[12];  /* "include", "ifdef"; cut off when longer */
  uint32_t depth; /* of #if around it */
};

struct ctext {
  const char *text; /* the caller's */
  uint32_t len;
  VEC(struct ctoken) tokens;
  VEC(struct cdirective) directives;
  VEC(struct cstmt) stmts;
  VEC(struct cfunction) functions;
};

/*
 * Reads a text, whatever it is.  `expanded` is what the preprocessor makes of
 * it (cc -E, with its line marks), and tells which parts of #if count; NULL:
 * all of them do.  `file` is the name that the marks have for it.
 */
void ctext_read(struct ctext *c, const char *text, size_t len,
                const char *expanded, const char *file);
void ctext_free(struct ctext *c);
void ctext_check_invariants(const struct ctext *c); /* asserts T1, T2 */

/* By name (of `ns::f<int>`, f) and by a line that is in it; NULL: none, or
 * two. */
const struct cfunction *ctext_function(const struct ctext *c, const char *name,
                                       uint32_t line);

bool ctext_is(const struct ctext *c, uint32_t token, const char *word);
uint32_t ctext_last_line(const struct ctext *c, uint32_t token);
/* The text of tokens, both inside, as it stands. */
void ctext_put(const struct ctext *c, uint32_t first, uint32_t last,
               struct buf *out);
/* Whether both runs of tokens read the same. */
bool ctext_same(const struct ctext *c, uint32_t a, uint32_t b, uint32_t count);
bool ctext_has_name(const struct ctext *c, const char *name);

/* The first and the last line of a statement. */
uint32_t cstmt_first_line(const struct ctext *c, uint32_t stmt);
uint32_t cstmt_last_line(const struct ctext *c, uint32_t stmt);
/* Whether `inner` is `outer` or lies in it. */
bool cstmt_in(const struct ctext *c, uint32_t inner, uint32_t outer);

/* A macro in the lines brings a jump or a branch with it, or the lines do not
 * look as they do in `expanded`. */
bool ctext_hides_jumps(const struct ctext *c, const struct cfunction *f,
                       const char *expanded, const char *file);

#endif
