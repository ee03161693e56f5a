/*
 * Histories in EDN: maps one after the other, or in vectors, each of which is a
 * history.  Key-value logs have a :key in each map; their values begin as "".
 */
#include "history/read/edn.h"
#include "history/read/jepsen.h"
#include "history/read/pair.h"

#define IS(WORD)                                                               \
  (len == sizeof(WORD) - 1 && !memcmp(key, WORD, sizeof(WORD) - 1))

/* The keyword at the current place, without its colon; 0 bytes: none. */
static size_t keyword(const struct reader *r, const char **text) {
  const char *s = r->p;
  if (*s != ':')
    return 0;
  *text = ++s;
  return (size_t)(edn_token_end(s) - s);
}

static int read_process(struct reader *r, struct jepsen_entry *in) {
  const char *at = r->p;
  datum d;
  in->has_process = true;
  if (read_int(&at, &in->process) && in->process >= 0 &&
      in->process < UINT32_MAX && at != r->end &&
      edn_ends_token[(unsigned char)*at]) {
    r->p = at;
    return GOT;
  }
  at = r->p;
  if (*at == ':' || *at == '"') { /* :nemesis */
    in->process = -1;
    return edn_read_value(r, NULL);
  }
  int got = edn_read_value(r, &d);
  if (got)
    return got;
  if (!datum_is_number(d) || datum_to_number(d) < 0 ||
      datum_to_number(d) >= UINT32_MAX)
    return reader_bad(r, at,
                      "expected a process: a number below 2^32 - 1, or "
                      "a keyword");
  in->process = datum_to_number(d);
  return GOT;
}

static int read_type(struct reader *r, struct jepsen_entry *in) {
  const char *key = NULL, *at = r->p;
  if (!memcmp(at, ":invoke,", 8) || !memcmp(at, ":ok,", 4)) {
    in->has_type = true;
    in->type = at[1] == 'i' ? JEPSEN_INVOKE : JEPSEN_OK;
    r->p = at + (at[1] == 'i' ? 7 : 3);
    return GOT;
  }
  size_t len = keyword(r, &key);
  if (*at == ':' && key + len == r->end && !r->in.eof)
    return MORE;
  in->has_type = true;
  if (len && IS("invoke"))
    in->type = JEPSEN_INVOKE;
  else if (len && IS("ok"))
    in->type = JEPSEN_OK;
  else if (len && IS("fail"))
    in->type = JEPSEN_FAIL;
  else if (len && IS("info"))
    in->type = JEPSEN_INFO;
  else
    return reader_bad(r, at, "expected :invoke, :ok, :fail or :info");
  r->p = key + len;
  return GOT;
}

/* :read, or "read". */
static int read_name(struct reader *r, struct jepsen_entry *in) {
  const char *text = NULL, *at = r->p;
  uint32_t known;
  in->column = reader_column(r, at);
  int quick = *at == ':' ? quick_name(r, at + 1, edn_ends_token, &known) : -1;
  if (quick >= 0 && at + 1 + known != r->end) {
    in->has_name = true;
    in->name = (uint16_t)quick;
    r->p = at + 1 + known;
    return GOT;
  }
  size_t len = keyword(r, &text);
  int got = GOT;
  if (*at == ':' && text + len == r->end && !r->in.eof)
    return MORE;
  if (r->end - at < 3 && !r->in.eof) /* "nil" as a whole */
    return MORE;
  if (len) {
    r->p = text + len;
  } else if (*at == '"') {
    got = read_string(r, true, &text, &len);
  } else if (!strncmp(at, "nil", 3)) {
    return edn_read_value(r, NULL);
  }
  if (got)
    return got;
  int name = len ? name_number(r, text, len) : -1;
  if (name < 0)
    return bad_name(r, at);
  in->has_name = true;
  in->name = (uint16_t)name;
  return GOT;
}

static int read_order(struct reader *r, struct jepsen_entry *in) {
  const char *at = r->p;
  datum d;
  int got = edn_read_value(r, &d);
  if (got)
    return got;
  if (d == DATUM_NIL)
    return GOT;
  if (!datum_is_number(d) || datum_to_number(d) < 0)
    return reader_bad(r, at, "expected a number that is not negative");
  in->order = (uint64_t)datum_to_number(d);
  return GOT;
}

#define FIELDS(_)                                                              \
  _(PROCESS, "process")                                                        \
  _(TYPE, "type")                                                              \
  _(F, "f")                                                                    \
  _(VALUE, "value")                                                            \
  _(KEY, "key")                                                                \
  _(INDEX, "index")                                                            \
  _(TIME, "time")                                                              \
  _(ORDER, "order")

#define FIELD_ID(id, name) FIELD_##id,
enum edn_field { FIELDS(FIELD_ID) FIELD_OTHER };

#define FIELD_NAME(id, name) name,
static const char *const field_name[] = {FIELDS(FIELD_NAME)};

static enum edn_field field_named(const char *key, size_t len) {
#define FIELD_IS(id, name)                                                     \
  if (IS(name))                                                                \
    return FIELD_##id;
  FIELDS(FIELD_IS)
  return FIELD_OTHER;
}

/* The key at p when one space follows it; *p is then the value. */
static inline enum edn_field quick_field(const char **p) {
#define QUICK(id, name)                                                        \
  if (!memcmp(*p, ":" name " ", sizeof(name) + 1)) {                           \
    *p += sizeof(name) + 1;                                                    \
    return FIELD_##id;                                                         \
  }
  switch ((*p)[1]) {
  case 'p':
    QUICK(PROCESS, "process")
    break;
  case 't':
    QUICK(TYPE, "type")
    QUICK(TIME, "time")
    break;
  case 'f':
    QUICK(F, "f")
    break;
  case 'v':
    QUICK(VALUE, "value")
    break;
  case 'i':
    QUICK(INDEX, "index")
    break;
  case 'k':
    QUICK(KEY, "key")
    break;
  }
  return FIELD_OTHER;
}

/* Unknown keys are kept, too, since no key may come twice. */
static int slow_field(struct reader *r, struct edn_keys *keys,
                      enum edn_field *f) {
  const char *key, *at = r->p;
  datum other;
  *f = FIELD_OTHER;
  size_t len = keyword(r, &key);
  if (len && key + len != r->end)
    *f = field_named(key, len);
  if (*f != FIELD_OTHER) {
    r->p = key + len;
    return GOT;
  }
  int got = edn_read_value(r, &other);
  return got ? got : edn_keys_add(r, keys, other, at);
}

/* Reads numbers here and other values by edn_read_value. */
static inline int read_value(struct reader *r, datum *out) {
  const char *p = r->p;
  int64_t n;
  if (read_int(&p, &n) && p != r->end && edn_ends_token[(unsigned char)*p]) {
    *out = datum_number(n);
    r->p = p;
    return GOT;
  }
  return edn_read_value(r, out);
}

/* A number that is only compared: no datum is made of it. */
static inline int read_stamp(struct reader *r, int64_t *out) {
  const char *p = r->p;
  datum d;
  if (read_int(&p, out) && p != r->end && edn_ends_token[(unsigned char)*p]) {
    r->p = p;
    return GOT;
  }
  int got = edn_read_value(r, &d);
  *out = !got && datum_is_number(d) ? datum_to_number(d) : NO_STAMP;
  return got;
}

/* Reads the value of a field, at the current place. */
static inline int read_field(struct reader *r, enum edn_field f,
                             struct jepsen_entry *in) {
  switch (f) {
  case FIELD_PROCESS:
    return read_process(r, in);
  case FIELD_TYPE:
    return read_type(r, in);
  case FIELD_F:
    return read_name(r, in);
  case FIELD_VALUE:
    return jepsen_read_value(r, &in->value);
  case FIELD_KEY:
    return read_value(r, &in->key);
  case FIELD_INDEX:
    return read_stamp(r, &in->index);
  case FIELD_TIME:
    return read_stamp(r, &in->time);
  case FIELD_ORDER:
    return read_order(r, in);
  case FIELD_OTHER:
    break;
  }
  return edn_read_value(r, NULL);
}

static int read_fields(struct reader *r, struct edn_keys *keys,
                       struct jepsen_entry *in) {
  uint32_t seen = 0;
  for (;;) {
    int got = GOT;
    if (r->p[0] == ',' && r->p[1] == ' ' && r->p[2] == ':')
      r->p += 2;
    else if (*r->p != ':')
      got = edn_skip_space(r);
    if (got)
      return got;
    if (*r->p == '}')
      break;
    if (*r->p == ']' || *r->p == ')' || r->p == r->end)
      return reader_bad(r, r->p, "expected a key or }");
    const char *p = r->p, *at = p;
    enum edn_field f = *p == ':' ? quick_field(&p) : FIELD_OTHER;
    if (f == FIELD_OTHER)
      got = slow_field(r, keys, &f);
    else
      r->p = p;
    if (got)
      return got;
    if (f != FIELD_OTHER && seen >> f & 1)
      return reader_bad(r, at, "expected :%s only once in this map",
                        field_name[f]);
    seen |= 1u << f;
    bool plain = *r->p > '/' && *r->p != ';' && *r->p != '}';
    if (!plain && (got = edn_skip_space(r)))
      return got;
    if (*r->p == '}')
      return reader_bad(r, r->p, "expected a value for this key");
    if ((got = read_field(r, f, in)))
      return got;
  }
  r->p++;
  return GOT;
}

/* Reads an entry, from the next byte that is not space. */
static int read_entry(struct reader *r, struct log_event *ev) {
  struct jepsen_entry in = {.at = r->p,
                            .key = DATUM_NONE,
                            .value = {.whole = DATUM_NONE},
                            .time = NO_STAMP,
                            .index = NO_STAMP,
                            .order = LOG_NO_HINT};
  int got;
  reader_mark(r);
  if (*r->p == '#') { /* #jepsen.history.Op{…} */
    r->p++;
    r->p = edn_token_end(r->p);
    if ((got = edn_skip_space(r)))
      return got;
  }
  if (*r->p != '{')
    return reader_bad(r, r->p,
                      r->array ? "expected a map {…} or ]"
                               : "expected a map {:process …, :type …, :f …}");
  r->p++;
  struct edn_keys keys;
  edn_keys_begin(r, &keys);
  got = read_fields(r, &keys, &in);
  edn_keys_end(r, &keys);
  if (got)
    return got;
  return jepsen_event(r, &in, ev);
}

static int head(struct reader *r, struct log_event *ev) {
  reader_mark(r);
  event_begin(r, ev, LOG_HEAD);
  forget_history(r);
  if (r->format == READ_KV) {
    ev->text = "kv";
    ev->tlen = 2;
  }
  return GOT;
}

int edn_next(struct reader *r, struct log_event *ev) {
  int got = GOT;
  if (r->p[0] == '\n' && r->p[1] == '{')
    reader_newline(r, r->p++);
  else
    got = edn_skip_space(r);
  if (got)
    return got;
  if (r->p == r->end) {
    if (!r->in.eof)
      return MORE;
    if (r->array)
      return reader_bad(r, r->p, "expected ] before the end of the file");
    return NEXT_END;
  }
  if (!r->array && (*r->p == '[' || *r->p == '(')) {
    r->p++;
    r->array = true;
    return head(r, ev);
  }
  if (r->array && (*r->p == ']' || *r->p == ')')) {
    r->p++;
    r->array = false;
    r->array_ended = true;
    return NEXT_AGAIN;
  }
  if (r->array_ended && !r->array)
    return reader_bad(r, r->p,
                      "expected another vector or the end of the file");
  if (r->format == READ_KV && !r->told_head && !r->array) {
    r->told_head = true;
    return head(r, ev);
  }
  return read_entry(r, ev);
}
