/*
 * Faultline's own histories, docs/history.md: one object an event.  Calls in
 * Jepsen's words (invoke, ok, f, value) are understood, too.
 */
#include "history/read/jepsen.h"
#include "history/read/json.h"
#include "history/read/pair.h"

enum jsonl_word {
  WORD_NONE,
  WORD_CALL,
  WORD_INVOKE,
  WORD_RETURN,
  WORD_OK,
  WORD_FAIL,
  WORD_DROP,
  WORD_INFO,
  WORD_NOTE,
  WORD_HISTORY,
};

struct jsonl_line {
  const char *at; /* where the object begins */
  enum jsonl_word word;
  bool has_process, has_args, has_value, has_result, has_name, nemesis;
  uint32_t process;
  uint64_t id;
  uint16_t name;
  uint32_t column; /* of the name */
  uint8_t nargs;
  datum arg[LOG_ARGS];
  datum value, result, text, spec, argument, version, key, object, stuck;
  int64_t time, index; /* or NO_STAMP */
  uint64_t order;
};

/* With a constant length the compiler compares words. */
#define IS(WORD)                                                               \
  (len == sizeof(WORD) - 1 && !memcmp(key, WORD, sizeof(WORD) - 1))

static int read_type(struct reader *r, struct jsonl_line *l) {
  const char *key, *at = r->p;
  size_t len;
  if (*at != '"')
    return reader_bad(r, at, "expected a type in quotes");
  int got = read_string(r, false, &key, &len);
  if (got)
    return got;
  l->word = IS("call")      ? WORD_CALL
            : IS("return")  ? WORD_RETURN
            : IS("invoke")  ? WORD_INVOKE
            : IS("ok")      ? WORD_OK
            : IS("fail")    ? WORD_FAIL
            : IS("drop")    ? WORD_DROP
            : IS("info")    ? WORD_INFO
            : IS("note")    ? WORD_NOTE
            : IS("history") ? WORD_HISTORY
                            : WORD_NONE;
  if (l->word)
    return GOT;
  return reader_bad(r, at,
                    "expected the type call, return, fail, drop, info, note or "
                    "history");
}

/* Whether the window ends inside of a number, as after "-" of "-0". */
static bool goes_on(const struct reader *r, const char *at) {
  const char *s = at + (*at == '-');
  while (digit(*s) <= 9)
    s++;
  return s >= r->end && !r->in.eof;
}

static int read_process(struct reader *r, struct jsonl_line *l) {
  const char *at = r->p;
  int64_t n;
  l->has_process = true;
  if (*at == '"') { /* "nemesis" */
    l->nemesis = true;
    return json_read_value(r, NULL);
  }
  if (read_int(&r->p, &n) && n >= 0 && n < UINT32_MAX) {
    l->process = (uint32_t)n;
    return GOT;
  }
  if (goes_on(r, at))
    return MORE;
  return reader_bad(r, *at && strchr("-0123456789", *at) ? at : r->p,
                    "expected a process number below 2^32 - 1");
}

static int read_unsigned(struct reader *r, uint64_t *out) {
  const char *at = r->p;
  int64_t n;
  if (read_int(&r->p, &n) && n >= 0) {
    *out = (uint64_t)n;
    return GOT;
  }
  if (goes_on(r, at))
    return MORE;
  return reader_bad(r, at,
                    "expected a number of at most 63 bits, not negative");
}

static int read_name(struct reader *r, struct jsonl_line *l) {
  static const bool quote[256] = {['"'] = true};
  const char *text, *at = r->p;
  size_t len;
  uint32_t known;
  l->column = reader_column(r, at);
  int quick = *at == '"' ? quick_name(r, at + 1, quote, &known) : -1;
  if (quick >= 0) {
    l->has_name = true;
    l->name = (uint16_t)quick;
    r->p = at + known + 2;
    return GOT;
  }
  if (*at != '"')
    return reader_bad(r, at, "expected the name of an operation in quotes");
  int got = read_string(r, false, &text, &len);
  if (got)
    return got;
  int name = len ? name_number(r, text, len) : -1;
  if (name < 0)
    return bad_name(r, at);
  l->has_name = true;
  l->name = (uint16_t)name;
  return GOT;
}

static int read_text(struct reader *r, datum *out) {
  const char *at = r->p;
  if (*at != '"')
    return reader_bad(r, at, "expected a text in quotes");
  int got = json_read_value(r, out);
  if (got)
    return got;
  if (strlen(datum_box(*out)->text) != datum_box(*out)->len)
    return reader_bad(r, at, "expected a text without \\u0000");
  return GOT;
}

/* Reads numbers here and other values by json_read_value. */
static inline int read_value(struct reader *r, datum *out) {
  const char *p = r->p;
  int64_t n;
  if (read_int(&p, &n) && (*p == ',' || *p == '}' || *p == ']')) {
    *out = datum_number(n);
    r->p = p;
    return GOT;
  }
  return json_read_value(r, out);
}

/* A number that is only compared: no datum is made of it. */
static inline int read_stamp(struct reader *r, int64_t *out) {
  const char *p = r->p;
  datum d;
  if (read_int(&p, out) && (*p == ',' || *p == '}')) {
    r->p = p;
    return GOT;
  }
  int got = json_read_value(r, &d);
  *out = !got && datum_is_number(d) ? datum_to_number(d) : NO_STAMP;
  return got;
}

/* Reads the arguments; more than LOG_ARGS become one list. */
static int read_args(struct reader *r, struct jsonl_line *l) {
  uint32_t base = r->items.len, n = 0;
  bool more;
  int got;
  if (*r->p != '[')
    return reader_bad(r, r->p, "expected the arguments in [ ]");
  l->has_args = true;
  if (!json_open(&r->lex, ']', &more))
    return reader_unexpected(r);
  for (; more; n++) {
    datum d;
    if ((got = read_value(r, &d)) || (got = read_separator(r, ']', &more)))
      return got;
    if (n < LOG_ARGS)
      l->arg[n] = d;
    vec_push(&r->items, d);
  }
  if (n > LOG_ARGS)
    l->arg[0] = datum_list(items_from(r, base), n);
  l->nargs = (uint8_t)(n < UINT8_MAX ? n : UINT8_MAX);
  r->items.len = base;
  return GOT;
}

static int read_flagged(struct reader *r, datum *out, bool *flag) {
  *flag = true;
  return read_value(r, out);
}

/* The fields of an event. */
#define FIELDS(_)                                                              \
  _(TYPE, "type")                                                              \
  _(PROCESS, "process")                                                        \
  _(NAME, "name")                                                              \
  _(ARGS, "args")                                                              \
  _(RESULT, "result")                                                          \
  _(THREAD, "thread")                                                          \
  _(OP, "op")                                                                  \
  _(TIME, "time")                                                              \
  _(F, "f")                                                                    \
  _(VALUE, "value")                                                            \
  _(KEY, "key")                                                                \
  _(ORDER, "order")                                                            \
  _(INDEX, "index")                                                            \
  _(TEXT, "text")                                                              \
  _(SPEC, "spec")                                                              \
  _(ARGUMENT, "argument")                                                      \
  _(VERSION, "version")                                                        \
  _(OBJECT, "object")                                                          \
  _(STUCK, "stuck")

#define FIELD_ID(id, name) FIELD_##id,
enum jsonl_field { FIELDS(FIELD_ID) FIELD_OTHER };

static enum jsonl_field field_named(const char *key, size_t len) {
#define FIELD_IS(id, name)                                                     \
  if (IS(name))                                                                \
    return FIELD_##id;
  FIELDS(FIELD_IS)
  return FIELD_OTHER;
}

/* The field at *p, if it is written as log_write does, `"name":` and the value;
 * *p is then the value.  The first letter decides which names are compared. */
static inline enum jsonl_field quick_field(const char **p) {
#define QUICK(id, name)                                                        \
  if (!memcmp(*p, "\"" name "\":", sizeof(name) + 2)) {                        \
    *p += sizeof(name) + 2;                                                    \
    return FIELD_##id;                                                         \
  }
  switch ((*p)[1]) {
  case 't':
    QUICK(TYPE, "type")
    QUICK(TIME, "time")
    QUICK(THREAD, "thread")
    break;
  case 'p':
    QUICK(PROCESS, "process")
    break;
  case 'n':
    QUICK(NAME, "name")
    break;
  case 'a':
    QUICK(ARGS, "args")
    break;
  case 'r':
    QUICK(RESULT, "result")
    break;
  case 'f':
    QUICK(F, "f")
    break;
  case 'v':
    QUICK(VALUE, "value")
    break;
  case 'o':
    QUICK(OP, "op")
    break;
  }
  return FIELD_OTHER;
}

static int slow_field(struct reader *r, enum jsonl_field *f) {
  const char *key;
  size_t len;
  json_skip(&r->lex);
  if (*r->p != '"')
    return reader_bad(r, r->p, "expected a field's name in quotes");
  int got = read_string(r, false, &key, &len);
  if (got)
    return got;
  *f = field_named(key, len);
  return read_expected(r, ':', ": after the field's name");
}

static int read_field(struct reader *r, enum jsonl_field f,
                      struct jsonl_line *l) {
  switch (f) {
  case FIELD_TYPE:
    return read_type(r, l);
  case FIELD_PROCESS:
  case FIELD_THREAD:
    return read_process(r, l);
  case FIELD_NAME:
  case FIELD_F:
    return read_name(r, l);
  case FIELD_ARGS:
    return read_args(r, l);
  case FIELD_RESULT:
    return read_flagged(r, &l->result, &l->has_result);
  case FIELD_VALUE:
    return read_flagged(r, &l->value, &l->has_value);
  case FIELD_OP:
    return read_unsigned(r, &l->id);
  case FIELD_ORDER:
    return read_unsigned(r, &l->order);
  case FIELD_TIME:
    return read_stamp(r, &l->time);
  case FIELD_INDEX:
    return read_stamp(r, &l->index);
  case FIELD_KEY:
    return read_value(r, &l->key);
  case FIELD_TEXT:
    return read_text(r, &l->text);
  case FIELD_SPEC:
    return read_text(r, &l->spec);
  case FIELD_ARGUMENT:
    return read_value(r, &l->argument);
  case FIELD_VERSION:
    return read_value(r, &l->version);
  case FIELD_OBJECT:
    return read_value(r, &l->object);
  case FIELD_STUCK:
    return read_value(r, &l->stuck);
  case FIELD_OTHER:
    break;
  }
  return json_read_value(r, NULL);
}

/* Reads the fields of an object, after its {. */
static int read_fields(struct reader *r, struct jsonl_line *l) {
  bool more = true;
  r->depth = 1;
  json_skip(&r->lex);
  if (*r->p == '}') {
    r->p++;
    return GOT;
  }
  while (more) {
    const char *p = r->p;
    int got = GOT;
    enum jsonl_field f = *p == '"' ? quick_field(&p) : FIELD_OTHER;
    if (f == FIELD_OTHER)
      got = slow_field(r, &f);
    else
      r->p = p;
    if (got)
      return got;
    json_skip(&r->lex);
    if ((got = read_field(r, f, l)) || (got = read_separator(r, '}', &more)))
      return got;
  }
  return GOT;
}

static int head(struct reader *r, const struct jsonl_line *l,
                struct log_event *ev) {
  if (l->version != DATUM_NONE && l->version != datum_number(1))
    return reader_refuse(r, l->at, "expected version 1 of the format");
  forget_history(r);
  event_begin(r, ev, LOG_HEAD);
  ev->type_argument = l->argument;
  ev->object = l->object;
  ev->stuck = l->stuck == DATUM_TRUE;
  if (l->spec != DATUM_NONE) {
    ev->text = datum_box(l->spec)->text;
    ev->tlen = datum_box(l->spec)->len;
  }
  return GOT;
}

static int note(struct reader *r, const struct jsonl_line *l,
                struct log_event *ev) {
  datum d = l->text;
  event_begin(r, ev, LOG_NOTE);
  ev->text = l->has_name ? r->names.at[l->name].text : "";
  ev->tlen = (uint32_t)strlen(ev->text);
  if (d != DATUM_NONE) {
    ev->text = datum_box(d)->text;
    ev->tlen = datum_box(d)->len;
  } else if (!l->has_name) {
    return reader_refuse(r, l->at, "expected a \"text\" in this note");
  }
  return GOT;
}

static int call(struct reader *r, const struct jsonl_line *l,
                struct log_event *ev) {
  struct reader_call *c;
  if (!l->has_name)
    return reader_refuse(r, l->at, "expected a \"name\" in this call");
  int got = pair_call(r, l->at, ev->process, l->name, l->id, &c);
  if (got)
    return got;
  c->jepsen = c->keyed = false;
  ev->column = l->column;
  ev->name = l->name + 1u;
  if (l->word == WORD_INVOKE && !l->has_args) {
    jepsen_call(r, c, l->key, &(struct jepsen_value){.whole = l->value}, ev);
    return GOT;
  }
  ev->f = r->names.at[l->name].text;
  ev->flen = r->names.at[l->name].len;
  ev->nargs = l->nargs;
  memcpy(ev->arg, l->arg, sizeof ev->arg);
  if (!l->has_args && l->has_value) {
    ev->nargs = 1;
    ev->arg[0] = l->value;
  }
  return GOT;
}

/* An operation that failed in Jepsen's words took no effect. */
static enum log_event_kind end_kind(const struct jsonl_line *l,
                                    const struct reader_call *c) {
  switch (l->word) {
  case WORD_FAIL:
    return c->jepsen ? LOG_DROP : LOG_FAIL;
  case WORD_DROP:
    return LOG_DROP;
  case WORD_INFO:
    return LOG_INFO;
  default:
    return LOG_OK;
  }
}

static int end(struct reader *r, const struct jsonl_line *l,
               struct log_event *ev) {
  struct reader_call *c;
  int got = pair_end(r, l->at, ev->process, l->has_name ? l->name : -1, l->id,
                     l->word == WORD_INFO, &c);
  if (got)
    return got;
  ev->kind = end_kind(l, c);
  if (ev->kind != LOG_OK && ev->kind != LOG_FAIL)
    return GOT;
  if (l->has_result)
    ev->result = l->result;
  else if (c->jepsen)
    jepsen_return(r, c, &(struct jepsen_value){.whole = l->value}, ev);
  else if (l->has_value)
    ev->result = l->value;
  return GOT;
}

static int event(struct reader *r, const struct jsonl_line *l,
                 struct log_event *ev) {
  event_begin(r, ev, LOG_CALL);
  ev->order = l->order;
  if (l->has_process)
    ev->process = l->process;
  else if (l->id < UINT32_MAX)
    ev->process = (uint32_t)l->id;
  else
    return reader_refuse(r, l->at, "expected a \"process\" in this event");
  ev->alone = !l->has_process;
  bool calls = l->word == WORD_CALL || l->word == WORD_INVOKE;
  return calls ? call(r, l, ev) : end(r, l, ev);
}

static int understand(struct reader *r, const struct jsonl_line *l,
                      struct log_event *ev) {
  if (l->word == WORD_NONE)
    return reader_refuse(r, l->at, "expected a \"type\" in this object");
  if (l->word == WORD_HISTORY)
    return head(r, l, ev);
  int got = check_time(r, l->at, l->time, l->index);
  if (got)
    return got;
  return l->word == WORD_NOTE || l->nemesis ? note(r, l, ev) : event(r, l, ev);
}

/* Skips what stands between objects: space, brackets and commas of an array. */
static int between(struct reader *r) {
  if (r->p[0] == '\n' && r->p[1] == '{') {
    reader_newline(r, r->p++);
    return GOT;
  }
  for (;;) {
    json_skip_space(&r->lex);
    if (*r->p == '[' && !r->array && !r->array_ended)
      r->array = true;
    else if (*r->p == ']' && r->array) {
      r->array = false;
      r->array_ended = true;
    } else if (*r->p != ',' || !r->array)
      return GOT;
    r->p++;
  }
}

static const struct jsonl_line blank = {
    .id = NO_ID,
    .order = LOG_NO_HINT,
    .value = DATUM_NONE,
    .result = DATUM_NONE,
    .time = NO_STAMP,
    .index = NO_STAMP,
    .text = DATUM_NONE,
    .spec = DATUM_NONE,
    .argument = DATUM_NONE,
    .object = DATUM_NONE,
    .stuck = DATUM_NONE,
    .version = DATUM_NONE,
    .key = DATUM_NONE,
    .arg = {DATUM_NONE, DATUM_NONE, DATUM_NONE},
};

int jsonl_next(struct reader *r, struct log_event *ev) {
  if (!r->no_quick && jsonl_quick(r, ev))
    return GOT;
  bool array = r->array, ended = r->array_ended;
  between(r);
  if (r->p == r->end && r->in.eof)
    return r->array
               ? reader_bad(r, r->p, "expected ] before the end of the file")
               : NEXT_END;
  struct jsonl_line l = blank;
  l.at = r->p;
  int got = GOT;
  reader_mark(r);
  r->one_a_line = !r->array;
  if (r->array_ended || *r->p != '{')
    got = reader_bad(r, r->p,
                     r->array_ended ? "expected the end of the file"
                                    : "expected { of an event");
  if (!got) {
    r->p++;
    got = read_fields(r, &l);
  }
  if (got == MORE) {
    r->array = array;
    r->array_ended = ended;
  }
  return got ? got : understand(r, &l, ev);
}
