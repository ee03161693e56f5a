/* Schedules: recording, printing, reading.  The format is in schedule.h. */
#include "model/schedule.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "faultline-schedule"
enum { VERSION = 1, LINE_WIDTH = 78 };

static void add_turn(struct schedule *s, uint8_t thread, uint32_t steps) {
  if (s->turns.len) {
    struct turn *last = &vec_last(&s->turns);
    if (!last->is_choice && !last->is_mark && last->thread == thread &&
        last->steps <= UINT32_MAX - steps) {
      last->steps += steps; /* S1 */
      return;
    }
  }
  vec_push(&s->turns, ((struct turn){.thread = thread, .steps = steps}));
}

void schedule_add_step(struct schedule *s, uint8_t thread) {
  add_turn(s, thread, 1);
}

void schedule_add_choice(struct schedule *s, uint8_t alternative) {
  vec_push(&s->turns,
           ((struct turn){.is_choice = 1, .thread = alternative, .steps = 1}));
}

void schedule_add_mark(struct schedule *s, uint8_t whose, uint32_t first,
                       uint32_t n) {
  vec_push(&s->turns,
           ((struct turn){
               .is_mark = 1, .thread = whose, .first = first, .steps = n}));
}

static bool is_turn(const struct turn *t) {
  return !t->is_choice && !t->is_mark;
}

void schedule_check_invariants(const struct schedule *s) {
  for (uint32_t i = 1; i < s->turns.len; i++) {
    const struct turn *a = &s->turns.at[i - 1], *b = &s->turns.at[i];
    if (is_turn(a) && is_turn(b) && a->thread == b->thread)
      assert((uint64_t)a->steps + b->steps > UINT32_MAX); /* S1 */
  }
}

uint32_t schedule_switches(const struct schedule *s) {
  uint32_t n = 0;
  int current = -1;
  for (uint32_t i = 0; i < s->turns.len; i++) {
    const struct turn *t = &s->turns.at[i];
    if (t->is_choice || t->is_mark || t->thread & SCHEDULE_COMMIT)
      continue;
    n += current >= 0 && current != t->thread;
    current = t->thread;
  }
  return n;
}

static char *copy_text(const char *s) { return s ? xstrdup(s) : NULL; }

void schedule_copy(struct schedule *to, const struct schedule *from) {
  *to = (struct schedule){
      .object = copy_text(from->object),
      .client = copy_text(from->client),
      .source = copy_text(from->source),
      .options = copy_text(from->options),
  };
  for (uint32_t i = 0; i < from->turns.len; i++)
    vec_push(&to->turns, from->turns.at[i]);
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

bool schedule_equal(const struct schedule *a, const struct schedule *b) {
  if (!same_text(a->object, b->object) || !same_text(a->client, b->client) ||
      !same_text(a->source, b->source) || !same_text(a->options, b->options) ||
      a->turns.len != b->turns.len)
    return false;
  for (uint32_t i = 0; i < a->turns.len; i++) {
    const struct turn *x = &a->turns.at[i], *y = &b->turns.at[i];
    if (x->is_choice != y->is_choice || x->thread != y->thread ||
        x->steps != y->steps || x->is_mark != y->is_mark ||
        x->first != y->first)
      return false;
  }
  return true;
}

void schedule_free(struct schedule *s) {
  free(s->object);
  free(s->client);
  free(s->source);
  free(s->options);
  vec_free(&s->turns);
  *s = (struct schedule){0};
}

/* ---- printing ---- */

/* A text has one line in the file, whatever is in it. */
static void print_field(const char *key, const char *text, struct buf *out) {
  if (!text || !*text)
    return;
  buf_printf(out, "%s: ", key);
  for (; *text; text++)
    buf_putc(out, *text == '\n' ? ' ' : *text);
  buf_putc(out, '\n');
}

int turn_text(const struct turn *t, char word[SCHEDULE_WORD]) {
  if (t->is_choice)
    return snprintf(word, SCHEDULE_WORD, "!%u", t->thread);
  if (t->is_mark)
    return snprintf(word, SCHEDULE_WORD, "%c%u@%" PRIu32 "+%" PRIu32,
                    t->thread > SCHEDULE_MAX_THREAD ? 'L' : 'S',
                    t->thread & SCHEDULE_MAX_THREAD, t->first, t->steps);
  return snprintf(word, SCHEDULE_WORD, "%c%u*%" PRIu32,
                  t->thread & SCHEDULE_COMMIT ? 'C' : 'T',
                  t->thread & ~SCHEDULE_COMMIT, t->steps);
}

static void print_turns(const struct schedule *s, struct buf *out) {
  size_t line = out->len;
  buf_puts(out, "steps:");
  for (uint32_t i = 0; i < s->turns.len; i++) {
    const struct turn *t = &s->turns.at[i];
    char word[SCHEDULE_WORD];
    int n = 1 + turn_text(t, word);
    if (out->len - line + (size_t)n > LINE_WIDTH) {
      buf_putc(out, '\n');
      line = out->len;
      buf_puts(out, "steps:");
    }
    buf_printf(out, " %s", word);
  }
  buf_putc(out, '\n');
}

void schedule_print(const struct schedule *s, struct buf *out) {
  buf_printf(out, HEADER " %d\n", VERSION);
  print_field("object", s->object, out);
  print_field("client", s->client, out);
  print_field("source", s->source, out);
  print_field("options", s->options, out);
  print_turns(s, out);
}

/* ---- reading ---- */

struct place_in_file {
  const char *path;
  uint32_t line;
  struct error *e;
  bool steps; /* a line of them was there */
};

static int wrong(const struct place_in_file *at, const char *reason,
                 const char *word, size_t n) {
  if (!word)
    return error_set(at->e, ERR_INPUT, "%s:%" PRIu32 ": %s", at->path, at->line,
                     reason);
  return error_set(at->e, ERR_INPUT, "%s:%" PRIu32 ": %s: '%.*s'", at->path,
                   at->line, reason, n < 60 ? (int)n : 60, word);
}

/* The number at p, and where it ends; NULL when there is none up to max. */
static const char *read_number(const char *p, const char *end, uint64_t max,
                               uint32_t *out) {
  uint64_t n = 0;
  const char *from = p;
  for (; p < end && isdigit((unsigned char)*p); p++) {
    n = n * 10 + (uint64_t)(*p - '0');
    if (n > max)
      return NULL;
  }
  *out = (uint32_t)n;
  return p > from ? p : NULL;
}

/* S2@40+3, or L2@0+1. */
static int read_mark(struct schedule *s, const char *p, const char *end,
                     const struct place_in_file *at) {
  uint32_t thread, first = 0, units = 0;
  const char *q = read_number(p + 1, end, SCHEDULE_MAX_THREAD, &thread);
  q = q && q < end && *q == '@'
          ? read_number(q + 1, end, SCHEDULE_UNITS, &first)
          : NULL;
  q = q && q < end && *q == '+'
          ? read_number(q + 1, end, SCHEDULE_UNITS, &units)
          : NULL;
  if (q != end || !units)
    return wrong(at, "expected shared memory of a thread such as S2@40+3", p,
                 (size_t)(end - p));
  schedule_add_mark(s, (uint8_t)(thread + (*p == 'L' ? 32 : 0)), first, units);
  return ERR_NONE;
}

/* T2*3, T2 (one step), C2*3, or !1. */
static int read_turn(struct schedule *s, const char *p, const char *end,
                     const struct place_in_file *at) {
  size_t n = (size_t)(end - p);
  uint32_t number, steps = 1;
  if (*p == '!') {
    const char *q = read_number(p + 1, end, UINT8_MAX, &number);
    if (q != end)
      return wrong(at, "expected a choice such as !1, up to !255", p, n);
    schedule_add_choice(s, (uint8_t)number);
    return ERR_NONE;
  }
  if (*p == 'S' || *p == 'L')
    return read_mark(s, p, end, at);
  if (*p != 'T' && *p != 'C')
    return wrong(at, "expected a turn such as T2*3 or a choice such as !1", p,
                 n);
  const char *q = read_number(p + 1, end, SCHEDULE_MAX_THREAD, &number);
  if (!q)
    return wrong(at, "expected a thread from T0 to T31", p, n);
  if (q < end && *q == '*')
    q = read_number(q + 1, end, UINT32_MAX, &steps);
  if (q != end || !steps)
    return wrong(at, "expected a number of steps such as T2*3", p, n);
  add_turn(s, (uint8_t)(number | (*p == 'C' ? SCHEDULE_COMMIT : 0)), steps);
  return ERR_NONE;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static int read_turns(struct schedule *s, const char *p, const char *end,
                      const struct place_in_file *at) {
  while (p < end) {
    const char *word = p;
    while (p < end && !is_blank(*p))
      p++;
    int code = p > word ? read_turn(s, word, p, at) : ERR_NONE;
    if (code)
      return code;
    while (p < end && is_blank(*p))
      p++;
  }
  return ERR_NONE;
}

static int read_header(const char *p, const char *end,
                       const struct place_in_file *at) {
  size_t n = strlen(HEADER);
  uint32_t version;
  if ((size_t)(end - p) <= n || memcmp(p, HEADER, n) != 0 || !is_blank(p[n]))
    return wrong(at,
                 "not a schedule: the first line must be "
                 "'" HEADER " 1'",
                 NULL, 0);
  for (p += n; p < end && is_blank(*p);)
    p++;
  if (read_number(p, end, 1000000, &version) != end || version != VERSION)
    return wrong(at, "this faultline reads schedules of version 1, not", p,
                 (size_t)(end - p));
  return ERR_NONE;
}

static bool is_key(const char *key, const char *p, size_t n) {
  return strlen(key) == n && memcmp(key, p, n) == 0;
}

/* "key: value"; p … end has no blanks at its ends. */
static int read_field(struct schedule *s, const char *p, const char *end,
                      struct place_in_file *at) {
  const char *colon = memchr(p, ':', (size_t)(end - p));
  if (!colon)
    return wrong(at, "expected 'key: value'", p, (size_t)(end - p));
  size_t n = (size_t)(colon - p);
  const char *value = colon + 1;
  while (value < end && is_blank(*value))
    value++;
  if (is_key("steps", p, n)) {
    at->steps = true;
    return read_turns(s, value, end, at);
  }
  char **field = is_key("object", p, n)    ? &s->object
                 : is_key("client", p, n)  ? &s->client
                 : is_key("source", p, n)  ? &s->source
                 : is_key("options", p, n) ? &s->options
                                           : NULL;
  if (!field)
    return wrong(at,
                 "unknown key (known are object, client, source, options, "
                 "steps)",
                 p, n);
  if (*field)
    return wrong(at, "this key was given before", p, n);
  if (value < end)
    *field = xstrndup(value, (size_t)(end - value));
  return ERR_NONE;
}

static int read_lines(struct schedule *s, const struct buf *text,
                      struct place_in_file *at) {
  bool header = false;
  const char *end = buf_text(text) + text->len, *next;
  for (const char *p = buf_text(text); p < end; p = next) {
    at->line++;
    const char *eol = memchr(p, '\n', (size_t)(end - p));
    next = eol ? eol + 1 : end;
    const char *last = eol ? eol : end;
    if (memchr(p, '\0', (size_t)(last - p)))
      return wrong(at, "a zero byte: this is not a text file", NULL, 0);
    while (last > p && (is_blank(last[-1]) || last[-1] == '\r'))
      last--;
    while (p < last && is_blank(*p))
      p++;
    if (p == last || *p == '#')
      continue;
    int code = header ? read_field(s, p, last, at) : read_header(p, last, at);
    if (code)
      return code;
    header = true;
  }
  if (!header) {
    at->line++;
    return wrong(at, "the file is empty: no '" HEADER " 1'", NULL, 0);
  }
  return ERR_NONE;
}

static int parse(struct schedule *s, const struct buf *text,
                 struct place_in_file *at, bool whole) {
  *s = (struct schedule){0};
  int code = read_lines(s, text, at);
  if (!code && whole && !at->steps) {
    at->line++;
    code = wrong(at, "no 'steps:': the end of the file is missing", NULL, 0);
  }
  if (code)
    schedule_free(s);
  return code;
}

int schedule_parse(struct schedule *s, const struct buf *text, const char *path,
                   struct error *e) {
  return parse(s, text, &(struct place_in_file){.path = path, .e = e}, false);
}

int schedule_read(struct schedule *s, const char *path, struct error *e) {
  struct buf text = {0};
  *s = (struct schedule){0};
  int code = buf_read_file(&text, path, e);
  if (!code)
    code = parse(s, &text, &(struct place_in_file){.path = path, .e = e}, true);
  buf_free(&text);
  return code;
}
