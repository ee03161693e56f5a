/*
 * Lines as nearly all of a long file are, read at once:
 *
 *   {"type":"call","process":1,"name":"enq","args":[5]}
 *   {"type":"return","process":1,"result":5}
 *
 * in this order, with numbers, true, false and null only, and with a space
 * behind every colon and comma or behind none.  What differs in anything is
 * left where it is: jsonl.c reads every line that this reads, with the same
 * outcome, and says what is wrong with one.     tests/agree/jsonl_quick.c
 *
 * A text is compared in pieces of at most LEX_SLACK bytes.  The NULs behind the
 * window equal nothing, so that no piece goes beyond them.
 */
#include "history/read/pair.h"
#include "history/read/token.h"

#define IS(p, text)                                                            \
  (sizeof(text) - 1 <= LEX_SLACK && !memcmp(*(p), text, sizeof(text) - 1) &&   \
   (*(p) += sizeof(text) - 1, true))

static inline bool space(const char **p, bool spaced) {
  *p += spaced && **p == ' ';
  return !spaced || (*p)[-1] == ' ';
}

static inline bool value(const char **p, datum *out) {
  int64_t n;
  if (read_int(p, &n))
    *out = datum_number(n);
  else if (IS(p, "null"))
    *out = DATUM_NIL;
  else if (IS(p, "true"))
    *out = DATUM_TRUE;
  else if (IS(p, "false"))
    *out = DATUM_FALSE;
  else
    return false;
  return true;
}

/* `"process": N`, of one that was seen before. */
static inline struct reader_call *process(struct reader *r, const char **p,
                                          bool spaced) {
  int64_t n;
  if (!space(p, spaced) || !IS(p, "\"process\":") || !space(p, spaced) ||
      !read_int(p, &n) || n < 0 || n >= UINT32_MAX || !r->calls.slots)
    return NULL;
  struct reader_call *c = first_call(r, (uint32_t)n);
  return c->used && c->process == (uint32_t)n ? c : NULL;
}

static inline bool arguments(const char **p, bool spaced,
                             struct log_event *ev) {
  ev->nargs = 0;
  if (**p == ']') {
    ++*p;
    return true;
  }
  do {
    if (ev->nargs == LOG_ARGS || (ev->nargs && !space(p, spaced)) ||
        !value(p, &ev->arg[ev->nargs]))
      return false;
    ev->nargs++;
  } while (*(*p)++ == ',');
  return (*p)[-1] == ']';
}

/* Behind `"type":"call",`. */
static inline bool call(struct reader *r, const char **p, bool spaced,
                        struct log_event *ev) {
  static const bool quote[256] = {['"'] = true};
  uint32_t len;
  struct reader_call *c = process(r, p, spaced);
  if (!c || c->open || c->crashed || !IS(p, ",") || !space(p, spaced) ||
      !IS(p, "\"name\":") || !space(p, spaced) || !IS(p, "\""))
    return false;
  int name = quick_name(r, *p, quote, &len);
  if (name < 0)
    return false;
  ev->column = (uint32_t)(*p - r->p - 1); /* r->p is the end of a line */
  *p += len + 1;
  if (!IS(p, ",") || !space(p, spaced) || !IS(p, "\"args\":") ||
      !space(p, spaced) || !IS(p, "[") || !arguments(p, spaced, ev) ||
      !IS(p, "}"))
    return false;
  call_begins(c, (uint16_t)name, r->line + 1, NO_ID);
  c->jepsen = c->keyed = false;
  ev->process = c->process;
  ev->name = (uint32_t)name + 1;
  ev->f = r->names.at[name].text;
  ev->flen = r->names.at[name].len;
  return true;
}

/* Behind `"type":"return",`. */
static inline bool returns(struct reader *r, const char **p, bool spaced,
                           struct log_event *ev) {
  struct reader_call *c = process(r, p, spaced);
  if (!c || !c->open || c->jepsen)
    return false;
  if (IS(p, ",") && (!space(p, spaced) || !IS(p, "\"result\":") ||
                     !space(p, spaced) || !value(p, &ev->result)))
    return false;
  if (!IS(p, "}"))
    return false;
  c->open = c->crashed = false;
  ev->kind = LOG_OK;
  ev->column = 1;
  ev->process = c->process;
  return true;
}

static inline bool line(struct reader *r, const char **p, bool spaced,
                        struct log_event *ev) {
  if (!space(p, spaced))
    return false;
  if (IS(p, "\"call\","))
    return call(r, p, spaced, ev);
  return IS(p, "\"return\",") && returns(r, p, spaced, ev);
}

bool jsonl_quick(struct reader *r, struct log_event *ev) {
  const char *p = r->p;
  if (r->array || r->array_ended || !IS(&p, "\n{\"type\":"))
    return false;
  event_begin(r, ev, LOG_CALL);
  if (!(*p == ' ' ? line(r, &p, true, ev) : line(r, &p, false, ev)))
    return false;
  reader_newline(r, r->p++);
  reader_mark(r);
  ev->line = r->form_line;
  r->one_a_line = true;
  r->p = p;
  return true;
}
