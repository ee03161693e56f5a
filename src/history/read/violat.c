/*
 * Histories of check-lin and Violat: one object is one history, with the class
 * in "schema" and the calls and returns in "events".  Each event is read by
 * itself, so that memory does not depend on the length of a history.
 */
#include "history/read/json.h"
#include "history/read/pair.h"

enum violat_state { TOP, FIELDS, EVENTS };

#define IS(WORD)                                                               \
  (len == sizeof(WORD) - 1 && !memcmp(key, WORD, sizeof(WORD) - 1))

static int read_schema_field(struct reader *r, const char *key, size_t len,
                             void *into) {
  (void)into;
  if (IS("class")) {
    const char *at = r->p;
    int got = json_read_value(r, &r->class_name);
    if (!got && (datum_kind(r->class_name) != DATUM_IS_TEXT ||
                 strlen(datum_box(r->class_name)->text) !=
                     datum_box(r->class_name)->len))
      return reader_bad(r, at, "expected the name of a class");
    return got;
  }
  if (IS("arguments"))
    return json_read_value(r, &r->class_value);
  return json_read_value(r, NULL);
}

static datum as_number(datum d) {
  int64_t n;
  if (datum_kind(d) != DATUM_IS_TEXT)
    return d;
  const char *s = datum_box(d)->text;
  return read_int(&s, &n) && !*s ? datum_number(n) : d;
}

/* The keys of {"0": 1} are numbers, which JSON cannot write. */
static datum with_number_keys(datum map) {
  const struct datum_box *b = datum_box(map);
  VEC(datum) all = {0};
  for (uint32_t i = 0; i < b->len; i++)
    vec_push(&all, i % 2 ? b->items[i] : as_number(b->items[i]));
  datum d = datum_map(all.at, all.len / 2);
  vec_free(&all);
  return d;
}

struct violat_event {
  const char *at;
  bool calls, returns, has_sid, has_value, has_name;
  int64_t sid;
  uint64_t id;
  uint16_t name;
  uint32_t column; /* of the name */
  datum args, value;
};

static int read_method_field(struct reader *r, const char *key, size_t len,
                             void *into) {
  struct violat_event *e = into;
  if (!IS("name"))
    return json_read_value(r, NULL);
  const char *text, *at = r->p;
  size_t n;
  if (*at != '"')
    return reader_bad(r, at, "expected the name of a method");
  int got = read_string(r, false, &text, &n);
  if (got)
    return got;
  int name = n ? name_number(r, text, n) : -1;
  if (name < 0)
    return bad_name(r, at);
  e->name = (uint16_t)name;
  e->column = reader_column(r, at);
  e->has_name = true;
  return GOT;
}

static int read_invocation_field(struct reader *r, const char *key, size_t len,
                                 void *into) {
  struct violat_event *e = into;
  const char *at = r->p;
  int64_t n;
  if (IS("id")) {
    if (*at == '-' || !read_int(&r->p, &n))
      return reader_bad(r, at, "expected the number of an operation");
    e->id = (uint64_t)n;
    return GOT;
  }
  if (IS("method"))
    return json_read_object(r, read_method_field, e);
  if (IS("arguments")) {
    if (*at != '[')
      return reader_bad(r, at, "expected the arguments in [ ]");
    return json_read_value(r, &e->args);
  }
  return json_read_value(r, NULL);
}

static int read_event_field(struct reader *r, const char *key, size_t len,
                            void *into) {
  struct violat_event *e = into;
  const char *at = r->p, *text;
  size_t n;
  int got;
  if (IS("kind")) {
    if (*at != '"')
      return reader_bad(r, at, "expected \"call\" or \"return\"");
    if ((got = read_string(r, false, &text, &n)))
      return got;
    e->calls = n == 4 && !memcmp(text, "call", 4);
    e->returns = n == 6 && !memcmp(text, "return", 6);
    if (!e->calls && !e->returns)
      return reader_bad(r, at, "expected \"call\" or \"return\"");
    return GOT;
  }
  if (IS("sid")) {
    e->has_sid = true;
    if (*at == '-' || !read_int(&r->p, &e->sid) || e->sid >= UINT32_MAX)
      return reader_bad(r, at, "expected the number of a thread");
    return GOT;
  }
  if (IS("invocation"))
    return json_read_object(r, read_invocation_field, e);
  if (IS("value")) {
    e->has_value = true;
    return json_read_value(r, &e->value);
  }
  return json_read_value(r, NULL);
}

/* A value that Java printed: "true", "null", "3", or a text. */
static datum value_of(datum d) {
  if (datum_kind(d) != DATUM_IS_TEXT)
    return d;
  const char *s = datum_box(d)->text;
  if (!strcmp(s, "true") || !strcmp(s, "false"))
    return datum_bool(*s == 't');
  return strcmp(s, "null") ? as_number(d) : DATUM_NIL;
}

static void put_args(datum args, struct log_event *ev) {
  const struct datum_box *b = datum_box(args);
  datum some[LOG_ARGS];
  for (uint32_t i = 0; i < b->len && i < LOG_ARGS; i++)
    some[i] = datum_kind(b->items[i]) == DATUM_IS_MAP
                  ? with_number_keys(b->items[i])
                  : b->items[i];
  ev->nargs = (uint8_t)(b->len < UINT8_MAX ? b->len : UINT8_MAX);
  if (b->len > LOG_ARGS)
    ev->arg[0] = args;
  else if (b->len)
    memcpy(ev->arg, some, b->len * sizeof *some);
}

static int read_event(struct reader *r, struct log_event *ev) {
  struct violat_event in = {
      .at = r->p, .id = NO_ID, .args = DATUM_NONE, .value = DATUM_NONE};
  struct reader_call *c;
  reader_mark(r);
  int got = json_read_object(r, read_event_field, &in);
  if (got)
    return got;
  if (!in.calls && !in.returns)
    return reader_refuse(r, in.at, "expected a \"kind\" in this event");
  if (!in.has_sid)
    return reader_refuse(r, in.at, "expected a \"sid\" in this event");
  if (!in.has_name)
    return reader_refuse(
        r, in.at, "expected an \"invocation\" with a \"method\" in this event");
  event_begin(r, ev, in.calls ? LOG_CALL : LOG_OK);
  ev->process = (uint32_t)in.sid;
  if (in.returns) {
    if (in.has_value)
      ev->result = value_of(in.value);
    return pair_end(r, in.at, ev->process, in.name, in.id, false, &c);
  }
  if (in.args != DATUM_NONE)
    put_args(in.args, ev);
  ev->column = in.column;
  ev->name = in.name + 1u;
  ev->f = r->names.at[in.name].text;
  ev->flen = r->names.at[in.name].len;
  return pair_call(r, in.at, ev->process, in.name, in.id, &c);
}

static int begin(struct reader *r, struct log_event *ev) {
  if (r->class_name == DATUM_NONE)
    return reader_bad(r, r->p,
                      "expected \"schema\" with a \"class\" before "
                      "\"events\"");
  reader_mark(r);
  event_begin(r, ev, LOG_HEAD);
  ev->text = datum_box(r->class_name)->text;
  ev->tlen = datum_box(r->class_name)->len;
  if (datum_kind(r->class_value) == DATUM_IS_LIST &&
      datum_box(r->class_value)->len)
    ev->type_argument = datum_box(r->class_value)->len == 1
                            ? datum_box(r->class_value)->items[0]
                            : r->class_value;
  forget_history(r);
  return GOT;
}

/* Reads the next field: "schema": {…}, "events": [, another one, or the end of
 * the history. */
static int next_field(struct reader *r, struct log_event *ev) {
  const char *key;
  size_t len;
  int got;
  json_skip_space(&r->lex);
  if (*r->p == '}') {
    r->p++;
    r->state = TOP;
    if (!r->begun)
      return reader_bad(r, r->p - 1, "expected \"events\" in this history");
    return NEXT_AGAIN;
  }
  if (*r->p == ',')
    r->p++;
  json_skip_space(&r->lex);
  if ((got = read_string(r, false, &key, &len)))
    return got;
  bool schema = IS("schema"), events = IS("events");
  if ((got = read_expected(r, ':', ": after the field's name")))
    return got;
  json_skip_space(&r->lex);
  if (schema) {
    got = json_read_object(r, read_schema_field, NULL);
  } else if (events) {
    if (*r->p != '[')
      return reader_bad(r, r->p, "expected the events in [ ]");
    if ((got = begin(r, ev)))
      return got;
    r->p++;
    r->state = EVENTS;
    r->begun = true;
    return GOT;
  } else {
    got = json_read_value(r, NULL);
  }
  return got ? got : NEXT_AGAIN;
}

static int next_event(struct reader *r, struct log_event *ev) {
  json_skip_space(&r->lex);
  if (*r->p == ']') {
    r->p++;
    r->state = FIELDS;
    return NEXT_AGAIN;
  }
  if (*r->p == ',')
    r->p++;
  json_skip_space(&r->lex);
  if (*r->p != '{')
    return reader_bad(r, r->p, "expected { of an event, or ]");
  return read_event(r, ev);
}

static int next_history(struct reader *r) {
  json_skip_space(&r->lex);
  if (r->p == r->end && r->in.eof)
    return r->array
               ? reader_bad(r, r->p, "expected ] before the end of the file")
               : NEXT_END;
  if (*r->p == '[' && !r->array && !r->array_ended) {
    r->array = true;
  } else if (*r->p == ']' && r->array) {
    r->array = false;
    r->array_ended = true;
  } else if (*r->p == '{' && !r->array_ended) {
    r->state = FIELDS;
    r->begun = false;
    r->class_name = r->class_value = DATUM_NONE;
  } else if (*r->p != ',' || !r->array) {
    return reader_bad(r, r->p,
                      r->array_ended ? "expected the end of the file"
                                     : "expected { of a history");
  }
  r->p++;
  return NEXT_AGAIN;
}

int violat_next(struct reader *r, struct log_event *ev) {
  switch ((enum violat_state)r->state) {
  case TOP:
    return next_history(r);
  case FIELDS:
    return next_field(r, ev);
  case EVENTS:
    return next_event(r, ev);
  }
  return NEXT_END;
}
