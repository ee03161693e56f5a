/* The reader of STD traces (std.h): every line, and a quick way for usual ones.
 */
#include "history/read/std.h"

#include "history/read/int.h"
#include "history/read/places.h"
#include "history/read/std_names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct std_thread {
  uint32_t depth;
  uint64_t begin; /* line of the outermost begin */
  uint64_t join;  /* line of its join, or 0 */
  bool seen;      /* it has had an event, or was forked */
};

struct std_object {
  uint32_t holder, depth; /* of a lock */
};

struct std_reader {
  struct input in;
  size_t at; /* in the window */
  char *path;
  uint64_t line;
  struct arena arena;
  struct name_table threads, variables, locks;
  struct name_list thread_names, object_names;
  VEC(struct std_thread) thread;
  VEC(struct std_object) object;
  uint64_t last_key; /* the thread of the last usual line: it may go on */
  uint32_t last_len, last_thread; /* len 0: none */
  bool ended;
};

/* ---- names ---- */

static uint32_t thread_of(struct std_reader *r, const char *p, size_t len) {
  bool fresh;
  uint32_t id =
      name_number(&r->threads, &r->thread_names, &r->arena, p, len, &fresh);
  if (fresh)
    vec_push(&r->thread, ((struct std_thread){0}));
  return id;
}

static uint32_t object_of(struct std_reader *r, struct name_table *t,
                          const char *p, size_t len) {
  bool fresh;
  uint32_t id = name_number(t, &r->object_names, &r->arena, p, len, &fresh);
  if (fresh)
    vec_push(&r->object, ((struct std_object){0}));
  return id;
}

const char *std_thread_name(const struct std_reader *r, uint32_t thread) {
  return r->thread_names.text.at[thread];
}
const char *std_object_name(const struct std_reader *r, uint32_t object) {
  return r->object_names.text.at[object];
}

/* ---- lines ---- */

static int refuse(struct std_reader *r, uint64_t line, struct error *e,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int refuse(struct std_reader *r, uint64_t line, struct error *e,
                  const char *format, ...) {
  char reason[400];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  error_set(e, ERR_INPUT, "%s:%" PRIu64 ": %s", r->path, line, reason);
  r->ended = true;
  return -1;
}

/* The next line, without its end; 0: the file ends; -1: error. */
static int next_line(struct std_reader *r, const char **from, const char **to,
                     struct error *e) {
  for (;;) {
    const char *p = r->in.buf + r->at;
    const char *nl = memchr(p, '\n', r->in.len - r->at);
    if (nl || (r->in.eof && r->at < r->in.len)) {
      if (!nl)
        nl = r->in.buf + r->in.len;
      r->at = (size_t)(nl - r->in.buf) + (nl < r->in.buf + r->in.len);
      r->line++;
      *from = p;
      *to = nl > p && nl[-1] == '\r' ? nl - 1 : nl;
      return 1;
    }
    if (r->in.eof)
      return 0;
    if (r->in.len - r->at > FORM_MAX / 2)
      return refuse(r, r->line + 1, e, "a line of more than %d bytes",
                    FORM_MAX / 2);
    size_t used = r->at;
    r->at = 0;
    if (input_more(&r->in, used, r->path, e)) {
      r->ended = true;
      return -1;
    }
  }
}

static int joined(struct std_reader *r, uint32_t t, struct error *e) {
  return refuse(r, r->line, e,
                "thread %.60s goes on after it was joined in line %" PRIu64,
                r->thread_names.text.at[t], r->thread.at[t].join);
}

static int fork_join(struct std_reader *r, struct std_event *ev, const char *p,
                     size_t len, struct error *e) {
  uint32_t known = r->thread.len;
  ev->object = thread_of(r, p, len);
  struct std_thread *u = &r->thread.at[ev->object];
  const char *name = r->thread_names.text.at[ev->object];
  if (ev->object == ev->thread)
    return refuse(r, r->line, e, "thread %.60s %ss itself", name,
                  ev->kind == TXN_FORK ? "fork" : "join");
  if (ev->kind == TXN_FORK && u->seen)
    return refuse(r, r->line, e, "fork of thread %.60s, which runs already",
                  name);
  if (ev->kind == TXN_JOIN && (ev->object >= known || !u->seen))
    return refuse(r, r->line, e, "join of an unknown thread %.60s", name);
  if (ev->kind == TXN_JOIN && u->depth)
    return refuse(r, r->line, e,
                  "join of thread %.60s inside of its transaction, which "
                  "begins in line %" PRIu64,
                  name, u->begin);
  u->seen = true;
  if (ev->kind == TXN_JOIN) {
    u->join = r->line;
    r->last_len = 0;
  }
  return 1;
}

static int lock(struct std_reader *r, struct std_event *ev, bool acquire,
                struct error *e) {
  struct std_object *l = &r->object.at[ev->object];
  const char *name = r->object_names.text.at[ev->object];
  if (l->depth && l->holder != ev->thread)
    return refuse(r, r->line, e, "%s lock %.60s, which thread %.60s holds",
                  acquire ? "acquires" : "releases", name,
                  r->thread_names.text.at[l->holder]);
  if (!acquire && !l->depth)
    return refuse(r, r->line, e, "releases lock %.60s, which nobody holds",
                  name);
  l->holder = ev->thread;
  l->depth += acquire ? 1 : -1u;
  return 1;
}

static int mark(struct std_reader *r, struct std_event *ev, struct error *e) {
  struct std_thread *t = &r->thread.at[ev->thread];
  if (ev->kind == TXN_BEGIN) {
    ev->opens = !t->depth++;
    if (ev->opens)
      t->begin = r->line;
    return 1;
  }
  if (!t->depth)
    return refuse(r, r->line, e, "end without begin in thread %.60s",
                  r->thread_names.text.at[ev->thread]);
  t->depth--;
  return 1;
}

#define IS(word) (n == sizeof(word) - 1 && !memcmp(p, word, sizeof(word) - 1))

/* An operation like "w(V1)": the word is p to p + n, `arg` is between ( ). */
static int operation(struct std_reader *r, struct std_event *ev, const char *p,
                     size_t n, const char *arg, size_t len, struct error *e) {
  bool acquire = IS("acq");
  if (IS("begin") || IS("end")) {
    ev->kind = IS("begin") ? TXN_BEGIN : TXN_END;
    ev->object = 0;
    return mark(r, ev, e);
  }
  if (!len)
    return refuse(r, r->line, e,
                  "expected r(…), w(…), acq(…), rel(…), "
                  "fork(…), join(…), begin or end");
  if (acquire || IS("rel")) {
    ev->kind = TXN_RMW;
    ev->object = object_of(r, &r->locks, arg, len);
    return lock(r, ev, acquire, e);
  }
  if (IS("fork") || IS("join")) {
    ev->kind = IS("fork") ? TXN_FORK : TXN_JOIN;
    return fork_join(r, ev, arg, len, e);
  }
  return refuse(r, r->line, e, "unknown operation \"%.*s\"",
                (int)(n < 40 ? n : 40), p);
}

static int parse(struct std_reader *r, const char *p, const char *end,
                 struct std_event *ev, struct error *e) {
  const char *bar = memchr(p, '|', (size_t)(end - p));
  if (!bar || bar == p)
    return refuse(r, r->line, e, "expected THREAD|OPERATION|PLACE");
  ev->thread = thread_of(r, p, (size_t)(bar - p));
  ev->line = r->line;
  ev->opens = !r->thread.at[ev->thread].depth;
  r->thread.at[ev->thread].seen = true;
  if (r->thread.at[ev->thread].join)
    return joined(r, ev->thread, e);
  p = bar + 1;
  const char *word = p, *arg = p;
  size_t len = 0;
  while (p < end && *p != '(' && *p != '|')
    p++;
  size_t n = (size_t)(p - word);
  if (p < end && *p == '(') {
    arg = ++p;
    while (p < end && *p != ')')
      p++;
    if (p == end)
      return refuse(r, r->line, e, "expected )");
    len = (size_t)(p++ - arg);
  }
  if (p < end && *p != '|')
    return refuse(r, r->line, e, "expected | after the operation");
  ev->place = p < end ? p + 1 : end;
  ev->place_len = (size_t)(end - ev->place);
  if (n == 1 && len && (*word == 'r' || *word == 'w')) {
    ev->kind = *word == 'r' ? TXN_READ : TXN_WRITE;
    ev->object = object_of(r, &r->variables, arg, len);
    return 1;
  }
  return operation(r, ev, word, n, arg, len, e);
}

/* ---- the usual line ---- */

enum std_usual {
  USUAL_READ,
  USUAL_WRITE,
  USUAL_ACQUIRE,
  USUAL_RELEASE,
  USUAL_MARK
};

/* The operation at p; returns its length before the argument, 0: it is none of
 * these. */
static inline uint32_t usual(const char *p, enum std_usual *u, bool *begin) {
  if (p[1] == '(' && (*p == 'r' || *p == 'w')) {
    *u = *p == 'r' ? USUAL_READ : USUAL_WRITE;
    return 2;
  }
  *u = USUAL_MARK;
  *begin = false;
  if (!memcmp(p, "acq(", 4) || !memcmp(p, "rel(", 4)) {
    *u = *p == 'a' ? USUAL_ACQUIRE : USUAL_RELEASE;
    return 4;
  }
  if (!memcmp(p, "end", 3))
    return 3;
  *begin = true;
  return !memcmp(p, "begin", 5) ? 5 : 0;
}

/* Finds the thread.  False: it is new, or has been joined. */
static inline bool usual_thread(struct std_reader *r, const char *p,
                                uint32_t len) {
  uint64_t key = name_key(p, len);
  if (key == r->last_key && len == r->last_len)
    return true;
  const struct name_slot *s = name_find(&r->threads, key, len);
  if (!s || r->thread.at[s->id].join || !r->thread.at[s->id].seen)
    return false;
  r->last_key = key;
  r->last_len = len;
  r->last_thread = s->id;
  return true;
}

static inline uint32_t usual_object(struct std_reader *r, struct name_table *t,
                                    const char *p, uint32_t len) {
  const struct name_slot *s = name_find(t, name_key(p, len), len);
  return s ? s->id : object_of(r, t, p, len);
}

/*
 * The line of a read, write, acquire, release, begin or end that ends by a
 * newline within 32 bytes, with names of up to 8 bytes, of a thread that may go
 * on: 1 or -1.  0 for any other: nothing was done, the line is for `parse`.
 */
static inline int quick(struct std_reader *r, struct std_event *ev,
                        struct error *e) {
  const char *p = r->in.buf + r->at;
  if (r->in.len - r->at < PLACES)
    return 0;
  uint32_t newlines = places_of(p, '\n'), bars = places_of(p, '|');
  if (!newlines || !bars)
    return 0;
  uint32_t end = (uint32_t)__builtin_ctz(newlines);
  uint32_t bar = (uint32_t)__builtin_ctz(bars), len = 0;
  if (bar - 1 > 7 || bar + 4 > end || p[end - 1] == '\r')
    return 0;
  enum std_usual u;
  bool begin;
  uint32_t n = usual(p + bar + 1, &u, &begin), arg = bar + 1 + n, behind = arg;
  if (u != USUAL_MARK) {
    uint32_t closed = places_of(p, ')') >> arg;
    len = closed ? (uint32_t)__builtin_ctz(closed) : 32;
    behind = arg + len + 1;
    if (len - 1 > 7)
      return 0;
  }
  if (!n || behind > end || (behind < end && p[behind] != '|') ||
      !usual_thread(r, p, bar))
    return 0;
  ev->thread = r->last_thread;
  ev->line = ++r->line;
  ev->opens = !r->thread.at[ev->thread].depth;
  ev->place = p + behind + (behind < end);
  ev->place_len = (size_t)(p + end - ev->place);
  r->at += end + 1;
  if (u <= USUAL_WRITE) {
    ev->kind = u == USUAL_READ ? TXN_READ : TXN_WRITE;
    ev->object = usual_object(r, &r->variables, p + arg, len);
    return 1;
  }
  if (u == USUAL_MARK) {
    ev->kind = begin ? TXN_BEGIN : TXN_END;
    ev->object = 0;
    return mark(r, ev, e);
  }
  ev->kind = TXN_RMW;
  ev->object = usual_object(r, &r->locks, p + arg, len);
  return lock(r, ev, u == USUAL_ACQUIRE, e);
}

static int at_end(struct std_reader *r, struct error *e) {
  r->ended = true;
  for (uint32_t t = 0; t < r->thread.len; t++)
    if (r->thread.at[t].depth)
      return refuse(r, r->thread.at[t].begin, e,
                    "begin without end in thread %.60s",
                    r->thread_names.text.at[t]);
  return 0;
}

int std_next(struct std_reader *r, struct std_event *ev, struct error *e) {
  const char *from = NULL, *to = NULL;
  int got;
  if (r->ended)
    return e->code ? -1 : 0;
  if ((got = quick(r, ev, e)))
    return got;
  do {
    got = next_line(r, &from, &to, e);
    if (got < 0)
      return -1;
    if (!got)
      return at_end(r, e);
  } while (from == to);
  return parse(r, from, to, ev, e);
}

/* ---- the reader ---- */

struct std_reader *std_open(const char *path, struct error *e) {
  struct std_reader *r = xcalloc(1, sizeof *r);
  r->path = xstrdup(strcmp(path, "-") ? path : "standard input");
  if (!input_open(&r->in, path, e))
    return r;
  std_close(r);
  return NULL;
}

struct std_reader *std_of_text(const char *text, size_t len, size_t chunk,
                               const char *name, struct error *e) {
  struct std_reader *r = xcalloc(1, sizeof *r);
  r->path = xstrdup(name);
  if (!input_of_memory(&r->in, text, len, chunk, name, e))
    return r;
  std_close(r);
  return NULL;
}

void std_close(struct std_reader *r) {
  input_close(&r->in);
  free(r->path);
  free(r->threads.slots);
  free(r->variables.slots);
  free(r->locks.slots);
  vec_free(&r->thread_names.text);
  vec_free(&r->object_names.text);
  vec_free(&r->thread);
  vec_free(&r->object);
  arena_free(&r->arena);
  free(r);
}

bool std_recognise(const char *text, size_t len) {
  const char *end = text + len;
  while (text < end && (*text == '\n' || *text == '\r'))
    text++;
  const char *nl = memchr(text, '\n', (size_t)(end - text));
  const char *bar = memchr(text, '|', (size_t)((nl ? nl : end) - text));
  return bar && bar > text && *text != '{';
}
