/* Parsing of command lines by a table. */
#include "base/opt.h"

#include "base/opt_internal.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Insertions, deletions, changes, and swaps of neighbours. */
static unsigned edit_distance(const char *a, const char *b) {
  enum { LONGEST = 40 };
  unsigned d[LONGEST + 1][LONGEST + 1];
  size_t m = strlen(a), n = strlen(b);
  if (m > LONGEST || n > LONGEST)
    return UINT_MAX;
  for (size_t i = 0; i <= m; i++) {
    for (size_t j = 0; j <= n; j++) {
      if (!i || !j) {
        d[i][j] = (unsigned)(i + j);
        continue;
      }
      d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
                      d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[m][n];
}

const char *opt_nearest(const char *word, const char *const *words) {
  const char *best = NULL;
  size_t len = strlen(word);
  unsigned limit = (unsigned)(len < 3 ? 1 : (len + 2) / 3) + 1;
  for (; *words; words++) {
    unsigned d = edit_distance(word, *words);
    if (len >= 3 && !strncmp(word, *words, len))
      d = least(d, 1); /* cut short */
    if (d < limit) {
      limit = d;
      best = *words;
    }
  }
  return best;
}

static int unknown_option(const struct opt_command *c, const char *name,
                          struct error *e) {
  VEC(const char *) names = {0};
  for (const struct opt *o = c->opts; o->name; o++)
    vec_push(&names, o->name);
  vec_push(&names, "help");
  vec_push(&names, NULL);
  bool no = !strncmp(name, "no-", 3);
  const char *near = opt_nearest(name, names.at);
  if (near || !no)
    no = false;
  else
    near = opt_nearest(name + 3, names.at);
  vec_free(&names);
  if (near)
    return error_set(e, ERR_USAGE, "unknown option --%s; did you mean --%s%s?",
                     name, no ? "no-" : "", near);
  return error_set(e, ERR_USAGE, "unknown option --%s; see --help", name);
}

static int bad_value(const struct opt *o, const char *value, const char *want,
                     struct error *e) {
  return error_set(e, ERR_USAGE, "--%s: \"%s\" is not %s", o->name, value,
                   want);
}

static bool bounded(const struct opt *o) { return o->min || o->max; }

static int out_of_range(const struct opt *o, const char *value,
                        struct error *e) {
  if (!bounded(o))
    return error_set(e, ERR_USAGE, "--%s: %s is too large or too small",
                     o->name, value);
  return error_set(e, ERR_USAGE,
                   "--%s: %s is not between %" PRId64 " and %" PRId64, o->name,
                   value, o->min, o->max);
}

static bool starts_number(const char *s, bool sign) {
  if (sign && *s == '-')
    s++;
  return *s >= '0' && *s <= '9';
}

static int set_int(const struct opt *o, const char *value, struct error *e) {
  char *end;
  errno = 0;
  long long n = strtoll(value, &end, 10);
  if (!starts_number(value, true) || *end)
    return bad_value(o, value, "a whole number", e);
  int64_t min = bounded(o) ? o->min : INT_MIN;
  int64_t max = bounded(o) ? o->max : INT_MAX;
  if (errno || n < min || n > max || n < INT_MIN || n > INT_MAX)
    return out_of_range(o, value, e);
  *(int *)o->store = (int)n;
  return ERR_NONE;
}

/* `shift` is what the suffix of a size multiplies with, as a power of two. */
static int store_uint64(const struct opt *o, const char *value, uint64_t n,
                        unsigned shift, struct error *e) {
  bool fits = !errno && n <= UINT64_MAX >> shift;
  n <<= shift;
  if (fits && bounded(o))
    fits = (o->min < 0 || n >= (uint64_t)o->min) && o->max >= 0 &&
           n <= (uint64_t)o->max;
  if (!fits)
    return out_of_range(o, value, e);
  *(uint64_t *)o->store = n;
  return ERR_NONE;
}

static int set_uint64(const struct opt *o, const char *value, struct error *e) {
  char *end;
  bool hex = value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
  errno = 0;
  uint64_t n = strtoull(value, &end, hex ? 16 : 10);
  if (!starts_number(value, false) || *end)
    return bad_value(o, value, "a whole number, zero or more", e);
  return store_uint64(o, value, n, 0, e);
}

static int set_size(const struct opt *o, const char *value, struct error *e) {
  static const char suffixes[] = "KMGT";
  char *end;
  unsigned shift = 0;
  errno = 0;
  uint64_t n = strtoull(value, &end, 10);
  int overflow = errno;
  if (starts_number(value, false) && *end) {
    char upper = *end >= 'a' && *end <= 'z' ? (char)(*end - 32) : *end;
    const char *at = strchr(suffixes, upper);
    if (at) {
      shift = 10 * (unsigned)(at - suffixes + 1);
      end++;
      if (!strcmp(end, "B") || !strcmp(end, "iB"))
        end += strlen(end);
    }
  }
  if (!starts_number(value, false) || *end)
    return bad_value(o, value, "a size such as 64M", e);
  errno = overflow;
  return store_uint64(o, value, n, shift, e);
}

static int set_double(const struct opt *o, const char *value, struct error *e) {
  char *end;
  double x = strtod(value, &end);
  /* Excludes blanks, "inf", "nan", and keeps ".5". */
  const char *digits = *value == '-' ? value + 1 : value;
  if (!(starts_number(digits, false) || *digits == '.') || end == value || *end)
    return bad_value(o, value, "a number", e);
  if (!isfinite(x) ||
      (bounded(o) && (x < (double)o->min || x > (double)o->max)))
    return out_of_range(o, value, e);
  *(double *)o->store = x;
  return ERR_NONE;
}

static int set_enum(const struct opt *o, const char *value, struct error *e) {
  for (int i = 0; o->choices[i]; i++) {
    if (!strcmp(o->choices[i], value)) {
      *(int *)o->store = i;
      return ERR_NONE;
    }
  }
  struct buf all = {0};
  opt_list_choices(o, &all);
  const char *near = opt_nearest(value, o->choices);
  int err =
      near ? error_set(e, ERR_USAGE, "--%s: \"%s\" is not %s; did you mean %s?",
                       o->name, value, buf_text(&all), near)
           : bad_value(o, value, buf_text(&all), e);
  buf_free(&all);
  return err;
}

static int set_value(const struct opt *o, const char *value, struct error *e) {
  if (o->given)
    *o->given = true;
  switch (o->kind) {
  case OPT_FLAG:
    break;
  case OPT_INT:
    return set_int(o, value, e);
  case OPT_UINT64:
    return set_uint64(o, value, e);
  case OPT_DOUBLE:
    return set_double(o, value, e);
  case OPT_STRING:
    *(const char **)o->store = value;
    return ERR_NONE;
  case OPT_LIST:
    vec_push((struct opt_words *)o->store, value);
    return ERR_NONE;
  case OPT_ENUM:
    return set_enum(o, value, e);
  case OPT_SIZE:
    return set_size(o, value, e);
  }
  assert(!"a flag has no value");
  return ERR_NONE;
}

static void set_flag(const struct opt *o, bool value) {
  *(bool *)o->store = value;
  if (o->given)
    *o->given = true;
}

/* Where parsing stands. */
struct arg_cursor {
  const struct opt_command *command;
  int argc, i;
  char **argv;
  struct opt_rest *rest;
  struct error *e;
};

static const struct opt *by_name(const struct opt_command *c, const char *name,
                                 size_t len) {
  for (const struct opt *o = c->opts; o->name; o++)
    if (!strncmp(o->name, name, len) && !o->name[len])
      return o;
  return NULL;
}

static const struct opt *by_letter(const struct opt_command *c, char letter) {
  for (const struct opt *o = c->opts; o->name; o++)
    if (o->letter && o->letter == letter)
      return o;
  return NULL;
}

/* The value is the next argument, unless that one looks like an option. */
static int set_from_next(struct arg_cursor *p, const struct opt *o) {
  const char *next = p->i + 1 < p->argc ? p->argv[p->i + 1] : NULL;
  const char *arg = o->arg ? o->arg : "VALUE";
  if (!next || !strcmp(next, "--"))
    return error_set(p->e, ERR_USAGE, "--%s needs a value: --%s=%s", o->name,
                     o->name, arg);
  if (!strncmp(next, "--", 2))
    return error_set(p->e, ERR_USAGE,
                     "--%s needs a value, not an option; if \"%s\" is meant, "
                     "write --%s=%s",
                     o->name, next, o->name, next);
  p->i++;
  return set_value(o, next, p->e);
}

static int parse_long(struct arg_cursor *p, const char *name) {
  size_t len = strcspn(name, "=");
  const char *value = name[len] ? name + len + 1 : NULL;
  const struct opt *o = by_name(p->command, name, len);
  bool no = !o && !strncmp(name, "no-", 3);
  if (no) {
    o = by_name(p->command, name + 3, len - 3);
    if (o && o->kind != OPT_FLAG)
      return error_set(p->e, ERR_USAGE, "--%s cannot be negated", o->name);
  }
  if (!o && !strcmp(name, "help")) {
    p->rest->help = true;
    return ERR_NONE;
  }
  if (!o) {
    char *alone = xstrndup(name, len);
    int err = unknown_option(p->command, alone, p->e);
    free(alone);
    return err;
  }
  if (o->kind != OPT_FLAG)
    return value ? set_value(o, value, p->e) : set_from_next(p, o);
  if (value)
    return error_set(p->e, ERR_USAGE, "--%s%s takes no value", no ? "no-" : "",
                     o->name);
  set_flag(o, !no);
  return ERR_NONE;
}

/* A flag that compilers know, of a command that takes such flags behind "--".
 * An option of the command's own with that letter wins, except over -std=. */
static bool is_compiler_flag(const struct opt_command *c, const char *arg) {
  static const char *const begin[] = {
      "-D",       "-U",    "-I",        "-L", "-l",       "-W",
      "-O",       "-f",    "-m",        "-g", "-include", "-isystem",
      "-pthread", "-std=", "-pedantic", NULL};
  if (!strstr(c->usage, "compiler flags]") ||
      by_name(c, arg + 1, strlen(arg + 1))) /* one dash too few */
    return false;
  for (int i = 0; begin[i]; i++)
    if (!strncmp(arg, begin[i], strlen(begin[i])))
      return begin[i][2] || !by_letter(c, begin[i][1]);
  return false;
}

static int parse_letters(struct arg_cursor *p, const char *letters) {
  if (is_compiler_flag(p->command, letters - 1))
    return error_set(p->e, ERR_USAGE,
                     "%s is a compiler flag: these come after --, as "
                     "in: -- %s",
                     letters - 1, letters - 1);
  for (const char *l = letters; *l; l++) {
    const struct opt *o = by_letter(p->command, *l);
    if (!o && *l == 'h') {
      p->rest->help = true;
      return ERR_NONE;
    }
    if (!o)
      return by_name(p->command, letters, strlen(letters))
                 ? error_set(p->e, ERR_USAGE,
                             "unknown option -%s; did you mean --%s?", letters,
                             letters)
                 : error_set(p->e, ERR_USAGE, "unknown option -%c; see --help",
                             *l);
    if (o->kind != OPT_FLAG)
      return l[1] ? set_value(o, l + 1, p->e) : set_from_next(p, o);
    set_flag(o, true);
  }
  return ERR_NONE;
}

int opt_parse(const struct opt_command *c, int argc, char **argv,
              struct opt_rest *rest, struct error *e) {
  struct arg_cursor p = {c, argc, 1, argv, rest, e};
  for (; p.i < argc && !rest->help; p.i++) {
    const char *arg = argv[p.i];
    int err = ERR_NONE;
    if (!strcmp(arg, "--")) {
      rest->dashes = true;
      for (p.i++; p.i < argc; p.i++)
        vec_push(&rest->after, argv[p.i]);
    } else if (!strncmp(arg, "--", 2)) {
      err = parse_long(&p, arg + 2);
    } else if (arg[0] == '-' && arg[1]) {
      err = parse_letters(&p, arg + 1);
    } else {
      vec_push(&rest->args, arg);
    }
    if (err)
      return err;
  }
  return ERR_NONE;
}

void opt_rest_free(struct opt_rest *rest) {
  vec_free(&rest->args);
  vec_free(&rest->after);
  *rest = (struct opt_rest){0};
}
