/*
 * Calls of a type, written as in `enq(1) = true`, `cas([1 2])`, `read = nil`:
 * data are numbers, "texts", :symbols, nil, true, false, [lists] and {maps} of
 * keys and values in turn; commas are blanks.  A call that ends with ` ?` is
 * pending, with ` !` failed, and `3: release` is one of process 3.
 */
#ifndef TYPE_CALLS_H
#define TYPE_CALLS_H

#include "spec/type.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct subject {
  struct type *type;
  struct log log;
  uint32_t state;
  struct error error; /* of the last call */
};

static inline void skip_blanks(const char **at) {
  while (**at == ' ' || **at == ',')
    ++*at;
}

static inline datum parse_datum(const char **at);

static inline datum parse_items(const char **at, char end) {
  datum items[512];
  uint32_t n = 0;
  ++*at;
  for (skip_blanks(at); **at != end; skip_blanks(at))
    assert(n < 512), items[n++] = parse_datum(at);
  ++*at;
  return end == ']' ? datum_list(items, n) : datum_map(items, n / 2);
}

static inline datum parse_datum(const char **at) {
  skip_blanks(at);
  const char *from = *at;
  if (*from == '[' || *from == '{')
    return parse_items(at, *from == '[' ? ']' : '}');
  if (*from == '"') {
    *at = strchr(from + 1, '"') + 1;
    return datum_text(from + 1, (size_t)(*at - from) - 2);
  }
  if (isdigit((unsigned char)*from) || *from == '-')
    return datum_number(strtoll(from, (char **)at, 10));
  *at += strcspn(from, " ,)]}");
  size_t len = (size_t)(*at - from);
  if (len == 3 && !memcmp(from, "nil", 3))
    return DATUM_NIL;
  if (len == 4 && !memcmp(from, "true", 4))
    return DATUM_TRUE;
  if (len == 5 && !memcmp(from, "false", 5))
    return DATUM_FALSE;
  assert(*from == ':');
  return datum_symbol(from + 1, len - 1);
}

static inline struct log_op parse_call(struct log *l, const char *text) {
  struct log_op op = {.ret = 1, .order = LOG_NO_HINT, .result = DATUM_NONE};
  if (isdigit((unsigned char)*text))
    op.process = (uint32_t)strtoul(text, (char **)&text, 10), text += 2;
  size_t name = strcspn(text, "( =?!");
  op.f = log_function(l, text, name);
  text += name;
  datum args[16];
  if (*text == '(') {
    text++;
    for (skip_blanks(&text); *text != ')'; skip_blanks(&text))
      args[op.nargs++] = parse_datum(&text);
    text++;
  }
  if (op.nargs > LOG_ARGS)
    op.arg[0] = datum_list(args, op.nargs);
  else
    memcpy(op.arg, args, op.nargs * sizeof *args);
  skip_blanks(&text);
  if (*text == '=') {
    text++;
    op.result = parse_datum(&text);
    skip_blanks(&text);
  }
  if (*text == '?')
    op.ret = LOG_PENDING;
  op.failed = *text == '!';
  return op;
}

static inline bool subject_open(struct subject *s, const char *type,
                                const char *argument) {
  *s = (struct subject){.log.type_argument = DATUM_NONE};
  datum a = argument ? parse_datum(&argument) : DATUM_NONE;
  s->type = type_open(type, a, &s->error);
  if (s->type)
    s->state = s->type->initial;
  return s->type;
}

static inline void subject_close(struct subject *s) {
  type_free(s->type);
  log_free(&s->log);
}

/* How many states can follow; -1: the call is refused, and s->error says why.
 */
static inline int subject_try(struct subject *s, const char *call,
                              uint32_t next[TYPE_NEXT]) {
  struct log_op op = parse_call(&s->log, call);
  struct type_op prepared;
  s->error = (struct error){0};
  if (s->type->prepare(s->type, &s->log, &op, &prepared, &s->error))
    return -1;
  return (int)s->type->step(s->type, s->state, &prepared, next);
}

/* Takes the step, if it can be the next. */
static inline bool subject_does(struct subject *s, const char *call) {
  uint32_t next[TYPE_NEXT];
  if (subject_try(s, call, next) < 1)
    return false;
  s->state = next[0];
  return true;
}

#endif
