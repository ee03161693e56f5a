/*
 * The meaning of an entry of Jepsen.
 *
 * An operation has one :value.  At the call it is the argument (nil: none), at
 * the return the result; where there is no result, the argument again.  cas has
 * [old new].  Tests of several independent objects put a key before it:
 * [key value], printed like any vector, or with a tag; the key is then the
 * first argument.  Only the type knows whether a vector of two is such a pair
 * or one value of a plain register: the event says that it was taken apart.
 * Logs of key-value stores have the key in a field of its own.
 *   {:process 1, :type :invoke, :f :write, :value [7 3]}    key 7, value 3
 *
 * In histories that were completed (knossos.history/complete) the call of a
 * read has its result, too.
 *
 * :info at a return means that the outcome is unknown: the operation is pending
 * for ever.  :fail means that it did not happen; but in printed logs a failed
 * cas saw another value.
 */
#include "history/read/jepsen.h"

#include "history/read/edn.h"
#include "history/read/pair.h"

enum name_kind jepsen_name_kind(const char *name) {
  static const struct {
    const char *name;
    enum name_kind kind;
  } known[] = {
      {"read", NAME_READ},      {"get", NAME_GET},        {"write", NAME_WRITE},
      {"put", NAME_PUT},        {"cas", NAME_CAS},        {"inc", NAME_VOID},
      {"dec", NAME_VOID},       {"increment", NAME_VOID}, {"clear", NAME_VOID},
      {"decrement", NAME_VOID}, {"acquire", NAME_VOID},   {"lock", NAME_VOID},
      {"release", NAME_VOID},   {"unlock", NAME_VOID},    {"remove", NAME_VOID},
      {"delete", NAME_VOID},    {"dequeue", NAME_TAKE},   {"deq", NAME_TAKE},
      {"pop", NAME_TAKE},       {"poll", NAME_TAKE},      {"peek", NAME_TAKE},
      {"take", NAME_TAKE},      {"receive", NAME_TAKE},   {"front", NAME_TAKE},
      {"top", NAME_TAKE},       {"scan", NAME_TAKE},      {"size", NAME_TAKE},
      {"drain", NAME_TAKE},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i].name, name))
      return known[i].kind;
  return NAME_OTHER;
}

static bool only_reads(const struct reader_name *n) {
  return n->kind == NAME_READ || n->kind == NAME_GET;
}

/* The operation takes no argument: a value at its call is what it returned. */
static bool takes_nothing(const struct reader_name *n) {
  return only_reads(n) || n->kind == NAME_TAKE;
}

static bool writes(const struct reader_name *n) {
  return n->kind == NAME_WRITE || n->kind == NAME_PUT;
}

/* The operation returns nothing: nil at its return is no result. */
static bool gives_nothing(const struct reader_name *n) {
  return n->kind == NAME_VOID || writes(n);
}

static bool is_pair(datum d) {
  return datum_kind(d) == DATUM_IS_LIST && datum_box(d)->len == 2;
}

/* {:key k, :value v}, as a record prints: sorted by key. */
static bool is_record(datum d) {
  if (datum_kind(d) != DATUM_IS_MAP || datum_box(d)->len != 4)
    return false;
  const datum *i = datum_box(d)->items;
  return i[0] == datum_symbol("key", 3) && i[2] == datum_symbol("value", 5);
}

static datum whole(const struct jepsen_value *v) {
  return v->pair ? datum_list(v->two, 2) : v->whole;
}

/* Takes a vector of two apart, or a record of key and value if that means a
 * tuple. */
static bool take_apart(const struct jepsen_value *v, bool record,
                       datum two[2]) {
  if (v->pair || is_pair(v->whole)) {
    const datum *from = v->pair ? v->two : datum_box(v->whole)->items;
    two[0] = from[0];
    two[1] = from[1];
    return true;
  }
  if (!record || !is_record(v->whole))
    return false;
  const datum *fields = datum_box(v->whole)->items;
  two[0] = fields[1];
  two[1] = fields[3];
  return true;
}

static bool looks_keyed(const struct reader_name *n, datum second) {
  if (n->kind == NAME_CAS)
    return is_pair(second);
  return n->kind == NAME_READ || n->kind == NAME_WRITE;
}

static void add_arg(struct log_event *ev, datum d) { ev->arg[ev->nargs++] = d; }

static void add_value(const struct reader_name *n, datum value,
                      struct log_event *ev) {
  if (n->kind == NAME_CAS && is_pair(value)) {
    const datum *items = datum_box(value)->items;
    add_arg(ev, items[0]);
    add_arg(ev, items[1]);
  } else if ((value != DATUM_NIL && value != DATUM_NONE) || writes(n)) {
    add_arg(ev, value == DATUM_NONE ? DATUM_NIL : value);
  }
}

void jepsen_call(struct reader *r, struct reader_call *c, datum key,
                 const struct jepsen_value *v, struct log_event *ev) {
  const struct reader_name *n = &r->names.at[c->name];
  datum two[2];
  bool pair = take_apart(v, v->tuple, two);
  c->jepsen = true;
  c->keyed = pair && (v->tuple || (key == DATUM_NONE && !r->no_keys &&
                                   looks_keyed(n, two[1])));
  ev->pair = c->keyed && !v->tuple;
  ev->f = n->text;
  ev->flen = n->len;
  if (c->keyed)
    key = two[0];
  if (key != DATUM_NONE)
    add_arg(ev, key);
  if (n->kind == NAME_CAS && pair && !c->keyed) {
    add_arg(ev, two[0]);
    add_arg(ev, two[1]);
    return;
  }
  c->value = c->keyed ? two[1] : whole(v);
  add_value(n, c->value, ev);
}

void jepsen_return(struct reader *r, const struct reader_call *c,
                   const struct jepsen_value *v, struct log_event *ev) {
  const struct reader_name *n = &r->names.at[c->name];
  if (n->kind == NAME_CAS) {
    ev->result = v->whole == DATUM_FALSE ? DATUM_FALSE : DATUM_TRUE;
    return;
  }
  datum two[2];
  bool apart = c->keyed && take_apart(v, true, two);
  datum value = apart ? two[1] : whole(v);
  ev->pair = apart && !v->tuple;
  if (takes_nothing(n))
    ev->result = value;
  else if (c->value != DATUM_NIL && c->value != DATUM_NONE)
    ev->result = value == c->value || value == DATUM_NIL ? DATUM_NONE : value;
  else if (value != DATUM_NIL || !gives_nothing(n))
    ev->result = value;
}

/* Reads a number or nil at *p. */
static bool read_small(const char **p, datum *out) {
  int64_t n;
  if (read_int(p, &n)) {
    *out = datum_number(n);
    return true;
  }
  *out = DATUM_NIL;
  *p += 3;
  return !memcmp(*p - 3, "nil", 3);
}

static bool read_pair(struct reader *r, struct jepsen_value *v) {
  const char *p = r->p + 1;
  if (!read_small(&p, &v->two[0]) || *p++ != ' ' ||
      !read_small(&p, &v->two[1]) || *p++ != ']')
    return false;
  r->p = p;
  return true;
}

int jepsen_read_value(struct reader *r, struct jepsen_value *v) {
  const char *p = r->p;
  v->tuple = v->pair = false;
  v->whole = DATUM_NONE;
  if (*p == '[' && (v->pair = read_pair(r, v)))
    return GOT;
  if (*p == '#')
    return edn_read_tuple(r, &v->whole, &v->tuple);
  if (read_small(&p, &v->whole) && p != r->end &&
      edn_ends_token[(unsigned char)*p]) {
    r->p = p;
    return GOT;
  }
  return edn_read_value(r, &v->whole);
}

/* Makes a note, with a text like "start-partition [n1 n2]". */
static void note(struct reader *r, const struct jepsen_entry *in,
                 struct log_event *ev) {
  const struct reader_name *n = in->has_name ? &r->names.at[in->name] : NULL;
  buf_clear(&r->scratch);
  buf_puts(&r->scratch, n ? n->text : "nemesis");
  datum value = whole(&in->value);
  if (value != DATUM_NIL && value != DATUM_NONE) {
    buf_putc(&r->scratch, ' ');
    datum_print(value, &r->scratch);
  }
  ev->kind = LOG_NOTE;
  ev->text = buf_text(&r->scratch);
  ev->tlen = (uint32_t)strlen(ev->text);
}

static enum log_event_kind end_kind(const struct reader *r,
                                    const struct jepsen_entry *in,
                                    const struct reader_name *n) {
  if (in->type == JEPSEN_OK)
    return LOG_OK;
  if (in->type == JEPSEN_INFO) /* a read without a result tells nothing */
    return only_reads(n) ? LOG_DROP : LOG_INFO;
  return r->format == READ_JEPSEN_LOG && n->kind == NAME_CAS ? LOG_FAIL
                                                             : LOG_DROP;
}

int jepsen_event(struct reader *r, const struct jepsen_entry *in,
                 struct log_event *ev) {
  int got;
  struct reader_call *c;
  if (!in->has_process)
    return reader_refuse(r, in->at, "expected a :process in this entry");
  if (!in->has_type)
    return reader_refuse(r, in->at, "expected a :type in this entry");
  event_begin(r, ev, LOG_CALL);
  ev->order = in->order;
  if ((got = check_time(r, in->at, in->time, in->index)))
    return got;
  if (in->process < 0) {
    note(r, in, ev);
    return GOT;
  }
  ev->process = (uint32_t)in->process;
  if (in->type == JEPSEN_INVOKE) {
    if (!in->has_name)
      return reader_refuse(r, in->at, "expected an :f in this entry");
    if ((got = pair_call(r, in->at, ev->process, in->name, NO_ID, &c)))
      return got;
    ev->column = in->column;
    ev->name = in->name + 1u;
    jepsen_call(r, c, in->key, &in->value, ev);
    return GOT;
  }
  if ((got = pair_end(r, in->at, ev->process, in->has_name ? in->name : -1,
                      NO_ID, false, &c)))
    return got;
  ev->kind = end_kind(r, in, &r->names.at[c->name]);
  c->crashed = ev->kind == LOG_INFO;
  if (ev->kind == LOG_OK)
    jepsen_return(r, c, &in->value, ev);
  return GOT;
}
