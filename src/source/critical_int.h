/* Between the files of critical; nobody else includes this. */
#ifndef SOURCE_CRITICAL_INT_H
#define SOURCE_CRITICAL_INT_H

#include "source/critical.h"

static inline const struct cstmt *cstmt_of(const struct ctext *c, uint32_t s) {
  return &c->stmts.at[s];
}

static inline bool cstmt_is_compound(const struct ctext *c, uint32_t s) {
  return s != CTEXT_NONE && cstmt_of(c, s)->kind == CSTMT_COMPOUND;
}

static inline bool cstmt_is_label(const struct ctext *c, uint32_t s) {
  return cstmt_of(c, s)->kind == CSTMT_LABEL;
}

/* Whether it ends what comes before: nothing falls through. */
static inline bool cstmt_is_jump(const struct ctext *c, uint32_t s) {
  enum cstmt_kind k = cstmt_of(c, s)->kind;
  return k == CSTMT_RETURN || k == CSTMT_GOTO || k == CSTMT_BREAK ||
         k == CSTMT_CONTINUE;
}

/* The statement that an if or a loop without braces has. */
static inline bool cstmt_has_no_braces(const struct ctext *c, uint32_t s) {
  return !cstmt_is_compound(c, cstmt_of(c, s)->parent);
}

static inline bool cregion_has(const struct ctext *c, const struct cregion *r,
                               uint32_t s) {
  return cstmt_of(c, s)->first >= cstmt_of(c, r->first)->first &&
         cstmt_of(c, s)->last <= cstmt_of(c, r->last)->last;
}

/* Whether a jump from outside may lead into the region (critical.c). */
bool cregion_is_entered_by_jump(const struct ctext *c, const struct cregion *r);

/* ---- writing (critical_write.c) ---- */

struct writer {
  const struct ctext *c;
  const struct cfunction *f;
  struct edits *edits;
  const char *unlock;
  char result[32]; /* a name that is free, for what is returned */
  bool spread;     /* the function is one line: it becomes several */
  const char **why;
};

void writer_begin(struct writer *w); /* finds out the last two */

bool cstmt_follows_label(const struct ctext *c, uint32_t s);
uint32_t ctext_line_start(const struct ctext *c, uint32_t at);
/* Whether a token is the first thing on its line. */
bool ctext_begins_line(const struct ctext *c, uint32_t token);
/* Where the next line begins if nothing but blanks and whole comments follow
 * on this one; 0: something does. */
uint32_t ctext_rest_of_line(const struct ctext *c, uint32_t at);

/* All of these are false when changes overlap; then *why says so. */
bool writer_add(struct writer *w, uint32_t at, uint32_t cut, const char *text);
/* On a line of its own before the token, if that begins one. */
bool writer_put_before(struct writer *w, uint32_t token, const char *text);
/* Behind the end of a statement; on a line of its own, indented as that of
 * `like` is, if the statement begins one. */
bool writer_put_after(struct writer *w, uint32_t stmt, uint32_t last,
                      uint32_t like, const char *text);
bool writer_open_brace(struct writer *w, uint32_t s);
bool writer_close_brace(struct writer *w, uint32_t s);
/* The lock is given back wherever control leaves the region from inside of
 * statement `in`, which may have got braces (critical.c). */
bool writer_leave_all(struct writer *w, const struct cregion *r, uint32_t in,
                      bool has_braces);

#endif
