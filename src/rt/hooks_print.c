/*
 * Formatted output.  The strings of %s are read by steps, word by word, and
 * kept on this thread's stack, where snapshots find them.  The text is made
 * from the kept strings; if it goes into memory it is written as memcpy writes.
 *
 * The C library gets the kept strings in the place of the user's pointers: they
 * are put into the list of arguments while it works, and taken out again.  The
 * same is done for %n: the C library counts into a place of ours, and a step
 * writes the count to the user's, after the text.  Wide strings that others can
 * see are refused: how far %.3ls reads depends on the locale.
 */
#include "rt/hooks.h"

#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { HEAD = 64, WORD = 8, MOST_STRINGS = 16 };

struct string_argument {
  const char **at; /* in the list of arguments */
  const char *theirs, *kept;
  size_t count_size; /* of what %n writes; 0: it is a string */
  int64_t count;
};

struct strings {
  uint32_t n;
  bool unknown; /* the format is not understood, or has too many */
  struct string_argument arg[MOST_STRINGS];
};

struct conversion {
  char kind, length[3];
  int precision; /* -1: none */
};

/* From behind the '%'; returns what follows the conversion, NULL: odd. */
static const char *read_conversion(const char *p, va_list ap,
                                   struct conversion *c) {
  *c = (struct conversion){.precision = -1};
  p += strspn(p, "-+ #0'I");
  if (*p == '*')
    (void)va_arg(ap, int), p++;
  p += strspn(p, "0123456789");
  if (*p == '$')
    return NULL;
  if (*p == '.') {
    p++;
    if (*p == '*')
      c->precision = va_arg(ap, int), p++;
    else
      c->precision = (int)strtol(p, (char **)&p, 10);
  }
  for (int k = 0; *p && strchr("hlqjztL", *p); p++)
    if (k < 2)
      c->length[k++] = *p;
  c->kind = *p;
  return *p ? p + 1 : NULL;
}

static bool skip_argument(const struct conversion *c, va_list ap) {
  switch (c->kind) {
  case '%':
  case 'm':
    return true;
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X':
  case 'c':
  case 'p':
  case 'S':
  case 'C':
  case 'n':
  case 's':
    (void)va_arg(ap, void *); /* each takes one register or slot */
    return true;
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    if (c->length[0] == 'L')
      (void)va_arg(ap, long double);
    else
      (void)va_arg(ap, double);
    return true;
  }
  return false;
}

/* As the C library takes %ls: all lengths but h and hh mean wide. */
static bool is_wide_string(const struct conversion *c) {
  return c->kind == 'S' ||
         (c->kind == 's' && c->length[0] && c->length[0] != 'h');
}

/* What %n writes. */
static size_t count_size(const struct conversion *c) {
  if (c->length[0] == 'h')
    return c->length[1] == 'h' ? sizeof(char) : sizeof(short);
  return c->length[0] ? sizeof(long) : sizeof(int);
}

static bool is_shared(const void *p, size_t size, bool write, uint64_t pc) {
  fl__must_live((uint64_t)(uintptr_t)p, size, write, pc);
  return p && fl__visible((uint64_t)(uintptr_t)p, size);
}

/* Notes an argument that others can see; returns whether it is a string that
 * is to be read. */
static bool note_argument(const struct conversion *c, const char **at,
                          struct strings *all, uint64_t pc) {
  size_t size = c->kind == 'n' ? count_size(c) : 0;
  bool wide = is_wide_string(c);
  if (!(size || wide || c->kind == 's') ||
      !is_shared(*at, size ? size : 1, size, pc))
    return false;
  if (wide)
    fl__refuse(pc, "a format with %%ls: it reads a wide string that other "
                   "threads can see, and its reads are not modelled");
  if (all->n == MOST_STRINGS) {
    all->unknown = true;
    return false;
  }
  struct string_argument *a = &all->arg[all->n++];
  *a = (struct string_argument){.at = at, .theirs = *at, .count_size = size};
  if (size)
    a->kept = (const char *)&a->count;
  return !size;
}

/* The next string argument that others can see; NULL: there is none. */
static const char *next_string(const char **text, va_list ap,
                               struct strings *all, size_t *most, uint64_t pc) {
  while (!all->unknown && (*text = strchr(*text, '%'))) {
    struct conversion c;
    const char *end = read_conversion(*text + 1, ap, &c);
    const char **at = fl__next_pointer(ap);
    if (!end || !skip_argument(&c, ap)) {
      all->unknown = true;
      return NULL;
    }
    *text = end;
    if (!note_argument(&c, at, all, pc))
      continue;
    *most = c.precision >= 0 ? (size_t)c.precision : SIZE_MAX;
    return *at;
  }
  return NULL;
}

/* The first HEAD bytes at most, word by word; *ended: the string ends there. */
static size_t read_head(const char *s, size_t most, char head[HEAD],
                        bool *ended, uint64_t pc) {
  size_t at = 0;
  *ended = false;
  while (at < HEAD && at < most && !*ended) {
    size_t room = most - at < WORD ? most - at : WORD;
    size_t n = fl__read_string(s + at, room, pc);
    memcpy(head + at, s + at, n);
    at += n;
    *ended = n < room;
  }
  *ended |= at == most;
  return at;
}

/* Reads all strings of the format; a macro, for its memory is the caller's. */
#define KEEP_STRINGS(ALL, TEXT, AP, PC)                                        \
  do {                                                                         \
    va_list walk;                                                              \
    va_copy(walk, AP);                                                         \
    const char *rest = TEXT, *string;                                          \
    size_t most;                                                               \
    while (rest &&                                                             \
           (string = next_string(&rest, walk, &(ALL), &most, PC)) != NULL) {   \
      char head[HEAD];                                                         \
      bool ended;                                                              \
      size_t n = read_head(string, most, head, &ended, PC);                    \
      size_t more = ended ? 0 : fl__read_string(string + n, most - n, PC);     \
      char *kept = alloca(n + more + 1);                                       \
      memcpy(kept, head, n);                                                   \
      memcpy(kept + n, string + n, more);                                      \
      kept[n + more] = 0;                                                      \
      (ALL).arg[(ALL).n - 1].kept = kept;                                      \
    }                                                                          \
    va_end(walk);                                                              \
    if ((ALL).unknown)                                                         \
      fl__refuse(PC,                                                           \
                 "a format that Faultline does not know: its reads are not "   \
                 "seen");                                                      \
  } while (0)

static void put_kept(const struct strings *s) {
  for (uint32_t i = 0; i < s->n; i++)
    *s->arg[i].at = s->arg[i].kept;
}
static void put_theirs(const struct strings *s) {
  for (uint32_t i = 0; i < s->n; i++)
    *s->arg[i].at = s->arg[i].theirs;
}

/* Writes what %n counted.  A call that fails (n < 0) has written some counts
 * and not others, and does not say which. */
static void put_counts(const struct strings *s, int n, uint64_t pc) {
  for (uint32_t i = 0; i < s->n; i++) {
    const struct string_argument *a = &s->arg[i];
    if (!a->count_size)
      continue;
    if (n < 0)
      fl__refuse(pc, "a format with %%n: the call failed, and which counts it "
                     "wrote is not known");
    void *to = (void *)a->theirs;
    fl__access(EV_WRITE, to, a->count_size, pc);
    memcpy(to, &a->count, a->count_size);
  }
}

/* The text as the C library makes it; to be freed before the next step. */
static int make_text(char **made, const struct strings *s, const char *text,
                     va_list ap) {
  va_list copy;
  va_copy(copy, ap);
  put_kept(s);
  int n = vasprintf(made, text, copy);
  put_theirs(s);
  va_end(copy);
  return n;
}

/* As vsnprintf; `size` SIZE_MAX: sprintf's. */
static int format(char *to, size_t size, const char *text, va_list ap,
                  uint64_t pc) {
  if (!fl__on())
    return size == SIZE_MAX ? vsprintf(to, text, ap)
                            : vsnprintf(to, size, text, ap);
  struct strings all = {0};
  KEEP_STRINGS(all, text, ap, pc);
  char *made = NULL;
  int n = make_text(&made, &all, text, ap);
  if (n < 0) {
    put_counts(&all, n, pc);
    return n;
  }
  size_t out = (size_t)n + 1;
  bool cut = out > size;
  if (cut)
    out = size;
  char *kept = alloca(out ? out : 1);
  memcpy(kept, made, out);
  free(made);
  if (cut && out)
    kept[out - 1] = 0;
  fl__copy(to, kept, out, pc);
  put_counts(&all, n, pc);
  return n;
}

/* As vfprintf; the C library's own file is no memory of the user's. */
static int print(FILE *to, const char *text, va_list ap, uint64_t pc) {
  struct strings all = {0};
  if (fl__on())
    KEEP_STRINGS(all, text, ap, pc);
  va_list copy;
  va_copy(copy, ap);
  put_kept(&all);
  int n = vfprintf(to, text, copy);
  put_theirs(&all);
  va_end(copy);
  put_counts(&all, n, pc);
  return n;
}

/* As vasprintf, with a block of our heap. */
static int print_new(char **out, const char *text, va_list ap, uint64_t pc) {
  if (!fl__on())
    return vasprintf(out, text, ap);
  struct strings all = {0};
  KEEP_STRINGS(all, text, ap, pc);
  char *made = NULL;
  int n = make_text(&made, &all, text, ap);
  if (n < 0) {
    put_counts(&all, n, pc);
    return n;
  }
  char *block = fl__alloc((size_t)n + 1, 1, 0, false, pc);
  if (block)
    memcpy(block, made, (size_t)n + 1);
  free(made);
  fl__access(EV_WRITE, out, sizeof *out, pc);
  *out = block;
  put_counts(&all, n, pc);
  return block ? n : -1;
}

#define VARIADIC(CALL)                                                         \
  va_list ap;                                                                  \
  va_start(ap, text);                                                          \
  int n = CALL;                                                                \
  va_end(ap);                                                                  \
  return n

WRAP(int, vsnprintf, (char *to, size_t size, const char *text, va_list ap)) {
  return format(to, size, text, ap, CALLER_PC);
}
WRAP(int, vsprintf, (char *to, const char *text, va_list ap)) {
  return format(to, SIZE_MAX, text, ap, CALLER_PC);
}
WRAP(int, snprintf, (char *to, size_t size, const char *text, ...)) {
  VARIADIC(format(to, size, text, ap, CALLER_PC));
}
WRAP(int, sprintf, (char *to, const char *text, ...)) {
  VARIADIC(format(to, SIZE_MAX, text, ap, CALLER_PC));
}
WRAP(int, __snprintf_chk,
     (char *to, size_t size, int flag, size_t room, const char *text, ...)) {
  (void)flag, (void)room;
  VARIADIC(format(to, size, text, ap, CALLER_PC));
}
WRAP(int, __vsnprintf_chk,
     (char *to, size_t size, int flag, size_t room, const char *text,
      va_list ap)) {
  (void)flag, (void)room;
  return format(to, size, text, ap, CALLER_PC);
}
WRAP(int, __sprintf_chk,
     (char *to, int flag, size_t room, const char *text, ...)) {
  (void)flag, (void)room;
  VARIADIC(format(to, SIZE_MAX, text, ap, CALLER_PC));
}
WRAP(int, printf, (const char *text, ...)) {
  VARIADIC(print(stdout, text, ap, CALLER_PC));
}
WRAP(int, fprintf, (FILE * to, const char *text, ...)) {
  VARIADIC(print(to, text, ap, CALLER_PC));
}
WRAP(int, vprintf, (const char *text, va_list ap)) {
  return print(stdout, text, ap, CALLER_PC);
}
WRAP(int, vfprintf, (FILE * to, const char *text, va_list ap)) {
  return print(to, text, ap, CALLER_PC);
}
WRAP(int, asprintf, (char **out, const char *text, ...)) {
  VARIADIC(print_new(out, text, ap, CALLER_PC));
}
WRAP(int, vasprintf, (char **out, const char *text, va_list ap)) {
  return print_new(out, text, ap, CALLER_PC);
}

/* ---- text as it is ---- */

WRAP(int, puts, (const char *s)) {
  fl__read_string(s, SIZE_MAX, CALLER_PC);
  return puts(s);
}
WRAP(int, fputs, (const char *s, FILE *to)) {
  fl__read_string(s, SIZE_MAX, CALLER_PC);
  return fputs(s, to);
}
WRAP(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *to)) {
  fl__access(EV_READ, p, size * n, CALLER_PC);
  return fwrite(p, size, n, to);
}
