/* Programs for the C11 memory model: their notation and their text in C. */
#include "oracle/rc11.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

static const char *const suffixes[] = {
#define SUFFIX(NAME, TEXT, WORD) TEXT,
    RC11_ORDERS(SUFFIX)
#undef SUFFIX
};

static const char *const words[] = {
#define WORD(NAME, TEXT, WORD) WORD,
    RC11_ORDERS(WORD)
#undef WORD
};

char rc11_register_name(unsigned reg) { return (char)('a' + reg); }
char rc11_location_name(unsigned location) { return (char)('u' + location); }

/* ---- reading ---- */

struct reader {
  struct rc11_program *p;
  unsigned part;
  const char *start, *at;
  struct error *e;
};

static void skip_space(struct reader *r) {
  while (isspace((unsigned char)*r->at))
    r->at++;
}

/* The text, if it comes next; a word ends where it ends. */
static bool take(struct reader *r, const char *text) {
  size_t n = strlen(text);
  skip_space(r);
  if (strncmp(r->at, text, n))
    return false;
  if (isalpha((unsigned char)text[n - 1]) && isalnum((unsigned char)r->at[n]))
    return false;
  r->at += n;
  return true;
}

static int fail(struct reader *r, const char *want) {
  error_set(r->e, ERR_INPUT, "column %d: %s is missing: %.20s",
            (int)(r->at - r->start) + 1, want, r->at);
  return -1;
}

static int want(struct reader *r, const char *text) {
  return take(r, text) ? 0 : fail(r, text);
}

/* One letter of a range that is a word, or RC11_NONE. */
static uint8_t take_name(struct reader *r, char from, char to) {
  skip_space(r);
  if (*r->at < from || *r->at > to || isalnum((unsigned char)r->at[1]))
    return RC11_NONE;
  return (uint8_t)(*r->at++ - from);
}

static uint8_t take_register(struct reader *r) {
  return take_name(r, 'a', 'a' + RC11_REGISTERS - 1);
}

static uint8_t take_location(struct reader *r) {
  return take_name(r, 'u', 'u' + RC11_LOCATIONS - 1);
}

static enum rc11_order take_order(struct reader *r) {
  for (int o = RC11_RELAXED; o < RC11_NORDERS; o++)
    if (take(r, suffixes[o]))
      return (enum rc11_order)o;
  return RC11_PLAIN;
}

static int take_operand(struct reader *r, struct rc11_operand *o) {
  skip_space(r);
  *o = (struct rc11_operand){.reg = RC11_NONE};
  if (!isdigit((unsigned char)*r->at)) {
    o->reg = take_register(r);
    if (o->reg == RC11_NONE)
      return fail(r, "a value");
    if (!take(r, "+"))
      return 0;
    skip_space(r);
  }
  if (!isdigit((unsigned char)*r->at))
    return fail(r, "a number");
  o->plus = (uint8_t)(*r->at++ - '0');
  return 0;
}

/* What follows the location of a read-modify-write; 1: it is none. */
static int take_change(struct reader *r, struct rc11_statement *s) {
  if (take(r, ".cas")) {
    s->kind = RC11_CAS;
    if (want(r, "(") || take_operand(r, &s->expected) || want(r, ",") ||
        take_operand(r, &s->value) || want(r, ")"))
      return -1;
    s->order = take_order(r);
    s->failure = take_order(r);
    return s->order && s->failure ? 0 : fail(r, "an order");
  }
  if (take(r, ".add"))
    s->kind = RC11_ADD;
  else if (take(r, ".swap"))
    s->kind = RC11_SWAP;
  else
    return 1;
  if (want(r, "(") || take_operand(r, &s->value) || want(r, ")"))
    return -1;
  s->order = take_order(r);
  return s->order ? 0 : fail(r, "an order");
}

static int take_block(struct reader *r);

static int take_if(struct reader *r, struct rc11_statement *s) {
  s->kind = RC11_IF;
  if (want(r, "("))
    return -1;
  s->tested = take_register(r);
  if (s->tested == RC11_NONE)
    return fail(r, "a register");
  s->unequal = take(r, "!=");
  if ((!s->unequal && want(r, "==")) || take_operand(r, &s->value) ||
      want(r, ")") || want(r, "{"))
    return -1;
  unsigned before = r->p->part[r->part].n;
  if (take_block(r) || want(r, "}"))
    return -1;
  s->body = (uint8_t)(r->p->part[r->part].n - before);
  return 0;
}

static int take_access(struct reader *r, struct rc11_statement *s) {
  s->into = take_register(r);
  if (s->into != RC11_NONE && want(r, "="))
    return -1;
  s->location = take_location(r);
  if (s->location == RC11_NONE)
    return fail(r, "a location");
  int changes = take_change(r, s);
  if (changes <= 0)
    return changes;
  s->order = take_order(r);
  s->kind = s->into == RC11_NONE ? RC11_STORE : RC11_LOAD;
  return s->kind == RC11_LOAD ? 0
         : want(r, "=")       ? -1
                              : take_operand(r, &s->value);
}

static int take_statement(struct reader *r) {
  unsigned i = r->p->part[r->part].n;
  if (i == RC11_STATEMENTS)
    return fail(r, "room for one more statement");
  struct rc11_statement *s = &r->p->part[r->part].at[i];
  r->p->part[r->part].n++;
  *s = (struct rc11_statement){.location = RC11_NONE,
                               .into = RC11_NONE,
                               .value.reg = RC11_NONE,
                               .expected.reg = RC11_NONE,
                               .tested = RC11_NONE};
  if (take(r, "if"))
    return take_if(r, s);
  if (take(r, "fence")) {
    s->kind = RC11_FENCE;
    s->order = take_order(r);
    return s->order ? 0 : fail(r, "an order");
  }
  if (take(r, "await")) {
    s->kind = RC11_AWAIT;
    s->location = take_location(r);
    if (s->location == RC11_NONE)
      return fail(r, "a location");
    s->order = take_order(r);
    return want(r, "==") || take_operand(r, &s->expected) ? -1 : 0;
  }
  return take_access(r, s);
}

/* Statements up to a closing brace, a thread or the end. */
static int take_block(struct reader *r) {
  for (;;) {
    skip_space(r);
    if (!*r->at || *r->at == '}' || *r->at == '{')
      return 0;
    if (take_statement(r))
      return -1;
    if (!take(r, ";"))
      return 0;
  }
}

/* Each register is of one part, and has a value only from there. */
static int check_registers(struct reader *r) {
  for (unsigned i = 0; i <= rc11_last(r->p); i++)
    for (unsigned k = 0; k < r->p->part[i].n; k++) {
      const struct rc11_statement *s = &r->p->part[i].at[k];
      uint8_t used[] = {s->into, s->value.reg, s->expected.reg, s->tested};
      for (unsigned u = 0; u < 4; u++)
        if (used[u] != RC11_NONE && rc11_owner(r->p, used[u]) != i) {
          error_set(r->e, ERR_INPUT, "register %c is of another thread",
                    rc11_register_name(used[u]));
          return -1;
        }
    }
  return 0;
}

int rc11_read(struct rc11_program *p, const char *text, struct error *e) {
  struct reader r = {p, 0, text, text, e};
  *p = (struct rc11_program){0};
  if (take_block(&r))
    return -1;
  do {
    r.part = ++p->nthreads;
    if (p->nthreads > RC11_THREADS)
      return fail(&r, "room for one more thread");
    if (want(&r, "{") || take_block(&r) || want(&r, "}"))
      return -1;
  } while (take(&r, "||"));
  r.part++;
  if (take(&r, ";") && take_block(&r))
    return -1;
  skip_space(&r);
  return *r.at ? fail(&r, "the end") : check_registers(&r);
}

unsigned rc11_owner(const struct rc11_program *p, unsigned reg) {
  for (unsigned i = 0; i <= rc11_last(p); i++)
    for (unsigned k = 0; k < p->part[i].n; k++)
      if (p->part[i].at[k].into == reg)
        return i;
  return RC11_NONE;
}

bool rc11_uses(const struct rc11_program *p, unsigned location) {
  for (unsigned i = 0; i <= rc11_last(p); i++)
    for (unsigned k = 0; k < p->part[i].n; k++)
      if (p->part[i].at[k].location == location)
        return true;
  return false;
}

/* ---- printing ---- */

static void put_operand(struct rc11_operand o, struct buf *out) {
  if (o.reg == RC11_NONE)
    buf_printf(out, "%u", o.plus);
  else if (o.plus)
    buf_printf(out, "%c + %u", rc11_register_name(o.reg), o.plus);
  else
    buf_putc(out, rc11_register_name(o.reg));
}

static void print_access(const struct rc11_statement *s, struct buf *out) {
  if (s->into != RC11_NONE)
    buf_printf(out, "%c = ", rc11_register_name(s->into));
  if (s->kind == RC11_AWAIT)
    buf_puts(out, "await ");
  buf_putc(out, rc11_location_name(s->location));
  if (s->kind == RC11_CAS) {
    buf_puts(out, ".cas(");
    put_operand(s->expected, out);
    buf_puts(out, ", ");
    put_operand(s->value, out);
    buf_printf(out, ")%s%s", suffixes[s->order], suffixes[s->failure]);
  } else if (s->kind == RC11_ADD || s->kind == RC11_SWAP) {
    buf_puts(out, s->kind == RC11_ADD ? ".add(" : ".swap(");
    put_operand(s->value, out);
    buf_printf(out, ")%s", suffixes[s->order]);
  } else {
    buf_puts(out, suffixes[s->order]);
  }
  if (s->kind == RC11_STORE || s->kind == RC11_AWAIT) {
    buf_puts(out, s->kind == RC11_STORE ? " = " : " == ");
    put_operand(s->kind == RC11_STORE ? s->value : s->expected, out);
  }
}

static void print_block(const struct rc11_statement *s, unsigned n,
                        struct buf *out) {
  for (unsigned i = 0; i < n; i++) {
    buf_puts(out, i ? "; " : "");
    if (s[i].kind == RC11_FENCE) {
      buf_printf(out, "fence%s", suffixes[s[i].order]);
    } else if (s[i].kind == RC11_IF) {
      buf_printf(out, "if (%c %s ", rc11_register_name(s[i].tested),
                 s[i].unequal ? "!=" : "==");
      put_operand(s[i].value, out);
      buf_puts(out, ") {");
      print_block(&s[i + 1], s[i].body, out);
      buf_putc(out, '}');
      i += s[i].body;
    } else {
      print_access(&s[i], out);
    }
  }
}

void rc11_print(const struct rc11_program *p, struct buf *out) {
  for (unsigned i = 0; i <= rc11_last(p); i++) {
    bool thread = i > 0 && i < rc11_last(p);
    if (i == rc11_last(p) && p->part[i].n)
      buf_puts(out, "; ");
    buf_puts(out, thread ? i > 1 ? " || {" : "{" : "");
    print_block(p->part[i].at, p->part[i].n, out);
    buf_puts(out, thread ? "}" : i == 0 && p->part[0].n ? "; " : "");
  }
}

/* ---- as C ---- */

const char rc11_c_head[] =
    "#include <faultline.h>\n#include <stdatomic.h>\n"
    "#define ORDER(O) memory_order_##O\n"
    "#define PLAIN(V) *(int *)&(V)\n"
    /* Plain accesses are neither moved nor joined. */
    "#define NEXT __asm__ volatile(\"\" ::: \"memory\");\n"
    /* gcc has C11's rule that failure is not stronger than success. */
    "#pragma GCC diagnostic ignored \"-Winvalid-memory-model\"\n"
    "#define CAS(V, OLD, NEW, SUCCESS, FAILURE) ({ int old_ = OLD; \\\n"
    "  atomic_compare_exchange_strong_explicit(&(V), &old_, NEW, \\\n"
    "    ORDER(SUCCESS), ORDER(FAILURE)); old_; })\n";

static void put_number(const struct rc11_statement *s, unsigned number,
                       struct buf *out) {
  buf_printf(out, "%c_%u", rc11_location_name(s->location), number);
}

static void put_load(const struct rc11_statement *s, unsigned number,
                     struct buf *out) {
  buf_puts(out, s->order ? "atomic_load_explicit(&" : "PLAIN(");
  put_number(s, number, out);
  if (s->order)
    buf_printf(out, ", ORDER(%s)", words[s->order]);
  buf_putc(out, ')');
}

static void put_store(const struct rc11_statement *s, unsigned number,
                      struct buf *out) {
  buf_puts(out, s->order ? "atomic_store_explicit(&" : "PLAIN(");
  put_number(s, number, out);
  buf_puts(out, s->order ? ", " : ") = ");
  put_operand(s->value, out);
  if (s->order)
    buf_printf(out, ", ORDER(%s))", words[s->order]);
}

static void put_change(const struct rc11_statement *s, unsigned number,
                       struct buf *out) {
  buf_puts(out, s->kind == RC11_CAS   ? "CAS("
                : s->kind == RC11_ADD ? "atomic_fetch_add_explicit(&"
                                      : "atomic_exchange_explicit(&");
  put_number(s, number, out);
  buf_puts(out, ", ");
  if (s->kind == RC11_CAS) {
    put_operand(s->expected, out);
    buf_puts(out, ", ");
  }
  put_operand(s->value, out);
  if (s->kind == RC11_CAS)
    buf_printf(out, ", %s, %s)", words[s->order], words[s->failure]);
  else
    buf_printf(out, ", ORDER(%s))", words[s->order]);
}

/* One statement, on one line. */
static void put_statement(const struct rc11_statement *s, unsigned number,
                          struct buf *out) {
  if (s->kind == RC11_IF) {
    buf_printf(out, "if (%c %s ", rc11_register_name(s->tested),
               s->unequal ? "!=" : "==");
    put_operand(s->value, out);
    buf_puts(out, ") {");
    return;
  }
  if (s->into != RC11_NONE)
    buf_printf(out, "%c = ", rc11_register_name(s->into));
  switch (s->kind) {
  case RC11_FENCE:
    buf_printf(out, "atomic_thread_fence(ORDER(%s))", words[s->order]);
    break;
  case RC11_LOAD:
    put_load(s, number, out);
    break;
  case RC11_STORE:
    put_store(s, number, out);
    break;
  case RC11_AWAIT:
    buf_puts(out, "while (");
    put_load(s, number, out);
    buf_puts(out, " != ");
    put_operand(s->expected, out);
    buf_puts(out, ") NEXT");
    break;
  default:
    put_change(s, number, out);
  }
  buf_puts(out, "; NEXT");
}

/* The value of an operation: its registers, eight bits each. */
static void put_result(const struct rc11_program *p, unsigned part,
                       unsigned number, struct buf *out) {
  unsigned shift = 0;
  buf_puts(out, "return 0ul");
  for (unsigned r = 0; r < RC11_REGISTERS; r++)
    if (rc11_owner(p, r) == part) {
      buf_printf(out, " | (unsigned long)%c << %u", rc11_register_name(r),
                 shift);
      shift += 8;
    }
  for (unsigned l = 0; part == rc11_last(p) && l < RC11_LOCATIONS; l++)
    if (rc11_uses(p, l)) {
      /* In both ways that a program could look at it. */
      buf_printf(out,
                 number % 2 ? " | (unsigned long)PLAIN(%c_%u) << %u"
                            : " | (unsigned long)atomic_load_explicit(&%c_%u, "
                              "ORDER(relaxed)) << %u",
                 rc11_location_name(l), number, shift);
      shift += 8;
    }
  assert(shift <= 64);
  buf_puts(out, ";");
}

static void put_part_name(const struct rc11_program *p, unsigned part,
                          unsigned number, struct buf *out) {
  if (part == 0)
    buf_printf(out, "first%u", number);
  else if (part == rc11_last(p))
    buf_printf(out, "end%u", number);
  else
    buf_printf(out, "t%u_%u", part, number);
}

static void put_part(const struct rc11_program *p, unsigned part,
                     unsigned number, struct buf *out) {
  const struct rc11_statement *s = p->part[part].at;
  unsigned ends[RC11_STATEMENTS + 1] = {0}; /* ifs that end before one */
  buf_puts(out, "static unsigned long ");
  put_part_name(p, part, number, out);
  buf_puts(out, "(void) {");
  for (unsigned r = 0; r < RC11_REGISTERS; r++)
    if (rc11_owner(p, r) == part)
      buf_printf(out, " int %c = 0;", rc11_register_name(r));
  for (unsigned i = 0; i < p->part[part].n; i++) {
    for (unsigned k = 0; k < ends[i]; k++)
      buf_puts(out, " }");
    buf_puts(out, "\n  ");
    put_statement(&s[i], number, out);
    if (s[i].kind == RC11_IF)
      ends[i + 1 + s[i].body]++;
  }
  for (unsigned k = 0; k < ends[p->part[part].n]; k++)
    buf_puts(out, " }");
  buf_puts(out, "\n  ");
  put_result(p, part, number, out);
  buf_puts(out, "\n}\n");
}

unsigned rc11_c_line(const struct rc11_program *p, unsigned part,
                     unsigned statement) {
  unsigned line = 2; /* of the variables, and the first line of a part */
  for (unsigned i = 0; i < part; i++)
    line += p->part[i].n + 3u;
  return line + 1 + statement;
}

void rc11_c(const struct rc11_program *p, unsigned number, struct buf *out) {
  /* Not static: compilers must not know who else writes them. */
  buf_puts(out, "atomic_int ");
  const char *comma = "";
  for (unsigned l = 0; l < RC11_LOCATIONS; l++)
    if (rc11_uses(p, l)) {
      buf_printf(out, "%s%c_%u", comma, rc11_location_name(l), number);
      comma = ", ";
    }
  buf_puts(out, ";\n");
  for (unsigned i = 0; i <= rc11_last(p); i++)
    put_part(p, i, number, out);
  buf_printf(out, "FL_OBJECT(o%u)\n", number);
  for (unsigned i = 0; i <= rc11_last(p); i++) {
    buf_puts(out, "FL_OP(unsigned long, ");
    put_part_name(p, i, number, out);
    buf_puts(out, ")\n");
  }
}

void rc11_client(const struct rc11_program *p, unsigned number,
                 struct buf *out) {
  for (unsigned i = 0; i <= rc11_last(p); i++) {
    bool thread = i > 0 && i < rc11_last(p);
    buf_puts(out, thread ? i > 1 ? " || {" : "; {" : i ? "; " : "");
    put_part_name(p, i, number, out);
    buf_puts(out, thread ? "()}" : "()");
  }
}

void rc11_unpack(const struct rc11_program *p, const uint64_t *results,
                 struct rc11_outcome *o) {
  unsigned shift[RC11_PARTS] = {0};
  *o = (struct rc11_outcome){0};
  for (unsigned r = 0; r < RC11_REGISTERS; r++) {
    unsigned part = rc11_owner(p, r);
    if (part == RC11_NONE)
      continue;
    o->reg[r] = (uint8_t)(results[part] >> shift[part]);
    shift[part] += 8;
  }
  unsigned last = rc11_last(p);
  for (unsigned l = 0; l < RC11_LOCATIONS; l++)
    if (rc11_uses(p, l)) {
      o->memory[l] = (uint8_t)(results[last] >> shift[last]);
      shift[last] += 8;
    }
}
