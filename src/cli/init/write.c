/* Writes the text of a harness. */
#include "cli/init/int.h"

#include <string.h>

static const char blocking_words[] = "lock wait acquire join down";

static bool is_wide(const struct function *f, uint32_t first) {
  if (f->returns.kind == C_POINTER || f->returns.kind == C_CELL)
    return true;
  for (uint32_t i = first; i < f->nparams; i++)
    if (f->params[i].type.kind == C_POINTER || f->params[i].type.kind == C_CELL)
      return true;
  return false;
}

static uint32_t first_of(const struct harness_plan *p) {
  return p->record ? 1 : 0;
}

static void put_name(const struct function *f, uint32_t i, struct buf *b) {
  if (f->params[i].name && strcmp(f->params[i].name, "o") &&
      strcmp(f->params[i].name, "result"))
    buf_puts(b, f->params[i].name);
  else
    buf_printf(b, "a%u", i);
}

/* A type, ready for a name after it. */
static void put_declared(struct buf *b, const char *type) {
  buf_printf(b, "%s%s", type, type[strlen(type) - 1] == '*' ? "" : " ");
}

/* The wrapper returns the result, the value of the cell, or both. */
static const char *wide_type(const struct function *f, int cell) {
  if (f->returns.kind == C_POINTER || f->returns.kind == C_CELL)
    return "long";
  if (cell < 0)
    return f->returns.text;
  return f->returns.kind == C_VOID ? f->params[cell].type.cell : "long";
}

static int cell_of(const struct function *f, uint32_t first) {
  for (uint32_t i = first; i < f->nparams; i++)
    if (f->params[i].type.kind == C_CELL)
      return (int)i;
  return -1;
}

static void put_call(const struct harness_plan *p, const struct function *f,
                     struct buf *b) {
  buf_printf(b, "%s(%s", f->name, p->record ? "o" : "");
  for (uint32_t i = first_of(p); i < f->nparams; i++) {
    buf_puts(b, i ? ", " : "");
    buf_puts(b, f->params[i].type.kind == C_POINTER ? "(void *)"
                : f->params[i].type.kind == C_CELL  ? "&"
                                                    : "");
    put_name(f, i, b);
  }
  buf_putc(b, ')');
}

/* A wrapper that takes numbers instead of pointers that are only stored, and
 * returns a value that the function returns through a pointer. */
static void put_wrapper(const struct harness_plan *p, const struct function *f,
                        struct buf *b) {
  int cell = cell_of(f, first_of(p));
  const char *type = wide_type(f, cell), *before = "";
  buf_puts(b, "static ");
  put_declared(b, type);
  buf_printf(b, "call_%s(", f->name);
  if (p->record) {
    buf_printf(b, "%s *o", p->record);
    before = ", ";
  }
  for (uint32_t i = first_of(p); i < f->nparams; i++) {
    enum c_kind k = f->params[i].type.kind;
    if (k == C_CELL)
      continue;
    buf_puts(b, before);
    put_declared(b, k == C_POINTER ? "long" : f->params[i].type.text);
    put_name(f, i, b);
    before = ", ";
  }
  buf_printf(b, "%s) {\n", *before ? "" : "void");
  if (cell >= 0) {
    buf_puts(b, "  ");
    put_declared(b, f->params[cell].type.cell);
    put_name(f, (uint32_t)cell, b);
    buf_puts(b, " = 0;\n");
  }
  buf_puts(b, "  ");
  if (cell < 0) {
    buf_puts(b, f->returns.kind == C_VOID ? ""
                : f->returns.kind == C_POINTER || f->returns.kind == C_CELL
                    ? "return (long)"
                    : "return ");
    put_call(p, f, b);
    buf_puts(b, ";\n}\n");
    return;
  }
  if (f->returns.kind != C_VOID) {
    put_declared(b, f->returns.text);
    buf_puts(b, "result = ");
  }
  put_call(p, f, b);
  buf_puts(b, ";\n  return ");
  if (f->returns.kind == C_BOOL)
    buf_puts(b, "!result ? -1 : (long)");
  else if (f->returns.kind != C_VOID)
    buf_puts(b, "result * 1000L + (long)"); /* both, in one number */
  put_name(f, (uint32_t)cell, b);
  buf_puts(b, ";\n}\n");
}

/* What it takes besides the object and what it returns through. */
static uint32_t arguments(const struct harness_plan *p,
                          const struct function *f) {
  uint32_t n = 0;
  for (uint32_t i = first_of(p); i < f->nparams; i++)
    n += f->params[i].type.kind != C_CELL;
  return n;
}

static const struct function *find(const struct harness_plan *p,
                                   const char *words, uint32_t narguments) {
  for (uint32_t i = 0; i < p->operations.len; i++)
    if (plan_named(p->operations.at[i]->name, words) &&
        arguments(p, p->operations.at[i]) == narguments)
      return p->operations.at[i];
  return NULL;
}

enum { SPEC_ROLES = 3 };

/* The first type whose needed roles all have an operation with that name and
 * so many arguments: what puts a value under a key is no queue. */
struct likely_spec {
  const char *type;
  struct {
    const char *role, *words;
    uint32_t arguments;
    bool optional;
  } of[SPEC_ROLES];
  const char *rest;
  bool keyed; /* elements have a key: it may be a table that grows */
};

static const struct likely_spec likely_specs[] = {
    {"stack",
     {{"push", "push", 1, 0}, {"pop", "pop", 0, 0}},
     ", empty = -1",
     0},
    {"queue",
     {{"enqueue", "enqueue enq put push offer", 1, 0},
      {"dequeue", "dequeue deq get pop take poll", 0, 0}},
     ", empty = -1",
     0},
    {"map",
     {{"put", "put set insert add", 2, 0},
      {"get", "get find lookup", 1, 0},
      {"remove", "remove delete del erase", 1, 1}},
     ", empty = -1",
     1},
    {"set",
     {{"add", "add insert put", 1, 0},
      {"remove", "remove delete del erase", 1, 0},
      {"contains", "contains has find lookup member", 1, 0}},
     "",
     1},
    {"register",
     {{"write", "write store set", 1, 0}, {"read", "read load get", 0, 0}},
     "",
     0},
    {"counter", {{"inc_fetch", "next inc increment", 0, 0}}, "", 0}};

static const struct likely_spec *likely_spec(const struct harness_plan *p) {
  for (size_t i = 0; i < sizeof likely_specs / sizeof *likely_specs; i++) {
    const struct likely_spec *s = &likely_specs[i];
    bool fits = true;
    for (int k = 0; k < SPEC_ROLES && s->of[k].role; k++)
      fits &= s->of[k].optional || find(p, s->of[k].words, s->of[k].arguments);
    if (fits)
      return s;
  }
  return NULL;
}

/* A table with keys has room for two (made_up): the third makes it grow. */
static void put_domain(const struct harness_plan *p, const struct function *f,
                       uint32_t i, struct buf *b) {
  const struct likely_spec *s = likely_spec(p);
  const struct c_type *t = &f->params[i].type;
  const char *name = f->params[i].name;
  if (t->kind == C_BOOL)
    buf_puts(b, ", FL_BOOL");
  else if (t->kind == C_ENUM && t->values)
    buf_printf(b, ", FL_CHOICE(%s)", t->values);
  else if (name && plan_named(name, "index idx i slot pos cell"))
    buf_puts(b, ", FL_INT(0, 1)");
  else if (s && s->keyed && i == first_of(p))
    buf_puts(b, ", FL_INT(1, 3)");
  else
    buf_puts(b, ", FL_INT(1, 2)");
}

static void put_operation(const struct harness_plan *p,
                          const struct function *f, struct buf *b) {
  uint32_t first = first_of(p);
  bool wide = is_wide(f, first);
  buf_printf(b, "FL_OP(%s, %s%s",
             wide ? wide_type(f, cell_of(f, first)) : f->returns.text,
             wide ? "call_" : "", f->name);
  for (uint32_t i = first; i < f->nparams; i++)
    if (f->params[i].type.kind != C_CELL)
      put_domain(p, f, i, b);
  if (plan_named(f->name, blocking_words) && !plan_named(f->name, "try"))
    buf_puts(b, ", FL_BLOCKING");
  buf_puts(b, ")\n");
}

/* Suggests a specification, in a comment. */
static void put_spec(const struct harness_plan *p, struct buf *b) {
  const struct likely_spec *s = likely_spec(p);
  if (!s)
    return;
  buf_printf(b,
             "/* Is it a %s?  Then say so, and which result means \"empty\"\n"
             " * (`faultline specs`):\nFL_SPEC(%s",
             s->type, s->type);
  for (int k = 0; k < SPEC_ROLES && s->of[k].role; k++) {
    const struct function *f = find(p, s->of[k].words, s->of[k].arguments);
    if (f)
      buf_printf(b, ", %s = %s%s", s->of[k].role,
                 is_wide(f, first_of(p)) ? "call_" : "", f->name);
  }
  buf_printf(b, "%s)\n */\n", s->rest);
}

/* Sizes are small, so that few elements fill the object, or make it grow. */
static const char *made_up(const struct function *f, uint32_t i) {
  static const char sizes[] = "n size cap capacity len length slots buckets "
                              "nbuckets nslots count num max limit entries";
  const struct c_type *t = &f->params[i].type;
  if (t->kind == C_POINTER || t->kind == C_BOOL || t->kind == C_ENUM)
    return "0";
  return f->params[i].name && plan_named(f->params[i].name, sizes)
             ? "2" /* a ring of one slot may be able to hold nothing */
             : "4";
}

/* Makes up arguments for the function that makes the object. */
static void put_made_up(const struct function *f, uint32_t first,
                        struct buf *b) {
  for (uint32_t i = first; i < f->nparams; i++) {
    buf_printf(b, "%s%s", i ? ", " : "", made_up(f, i));
    if (f->params[i].name)
      buf_printf(b, " /* %s */", f->params[i].name);
  }
}

static void put_object(const struct harness_plan *p, struct buf *b) {
  const char *create = p->create ? p->create->name : NULL;
  const char *destroy = p->destroy ? p->destroy->name : NULL;
  if (!p->record) {
    buf_printf(b, "FL_OBJECT(%s", p->name);
    if (create)
      buf_printf(b, ", %s", create);
    if (create && destroy)
      buf_printf(b, ", %s", destroy);
    buf_puts(b, ")\n");
    return;
  }
  if (p->create && p->create->nparams) {
    buf_puts(
        b,
        "/* TODO: are these good arguments?  A small size is best, since the "
        "object is\n * soon full, or grows.  If lines \"never ran\" in a pass, "
        "make it smaller, or\n * give more values in FL_INT below. */\n");
    buf_printf(b, "static %s *make_%s(void) {\n  return %s(", p->record,
               p->name, create);
    put_made_up(p->create, 0, b);
    buf_puts(b, ");\n}\n\n");
    buf_printf(b, "FL_OBJECT(%s, make_%s", p->name, p->name);
  } else if (p->create) {
    buf_printf(b, "FL_OBJECT(%s, %s", p->name, create);
  } else {
    buf_printf(b,
               "static %s *make_%s(void) {\n"
               "  %s *o = calloc(1, sizeof *o);\n  %s(o",
               p->record, p->name, p->record, p->set_up->name);
    put_made_up(p->set_up, 1, b);
    buf_puts(b, ");\n  return o;\n}\n\n");
    buf_printf(b, "static void unmake_%s(%s *o) {\n", p->name, p->record);
    if (destroy)
      buf_printf(b, "  %s(o);\n", destroy);
    buf_puts(b, "  free(o);\n}\n\n");
    buf_printf(b, "FL_OBJECT(%s, make_%s, unmake_%s)\n", p->name, p->name,
               p->name);
    return;
  }
  if (destroy)
    buf_printf(b, ", %s", destroy);
  buf_puts(b, ")\n");
  if (!destroy)
    buf_puts(b, "/* No destructor was found; --leaks needs one. */\n");
}

void plan_write(const struct harness_plan *p, const char *includes,
                const char *command, struct buf *out) {
  buf_printf(out,
             "/*\n"
             " * A harness for %s, written by faultline init.\n"
             " *\n"
             " *     %s\n"
             " *\n"
             " * To check:\n"
             " *   - Are these the operations that threads may call at the "
             "same time?  Take\n"
             " *     the others out; FL_GROUP(\"name\") keeps some of them in "
             "one thread.\n"
             " *   - Do the domains make a difference?  Two values that differ "
             "are enough.\n"
             " *   - Does an operation wait for another one, for example for "
             "room or for\n *     an item?  Then it needs FL_BLOCKING.\n"
             " * All macros: man 3 faultline.h\n"
             " */\n"
             "%s"
             "#include <faultline.h>\n"
             "#include <stdlib.h>\n\n",
             p->record ? p->record : "functions without an object", command,
             includes);
  bool any = false;
  for (uint32_t i = 0; i < p->operations.len; i++)
    if (is_wide(p->operations.at[i], first_of(p))) {
      if (!any)
        buf_puts(out,
                 "/* Operations take and return numbers: a pointer that is "
                 "only stored is made\n * of a number here, and a value that "
                 "comes back through a pointer is\n * returned. */\n");
      any = true;
      put_wrapper(p, p->operations.at[i], out);
      buf_putc(out, '\n');
    }
  put_object(p, out);
  buf_putc(out, '\n');
  for (uint32_t i = 0; i < p->operations.len; i++)
    put_operation(p, p->operations.at[i], out);
  if (p->invariant)
    buf_printf(out, "FL_INVARIANT(%s)\n", p->invariant->name);
  if (p->show)
    buf_printf(out, "FL_SHOW(%s)\n", p->show->name);
  buf_putc(out, '\n');
  put_spec(p, out);
  for (uint32_t i = 0; i < p->skipped.len; i++)
    buf_printf(out, "/* %s() was left out:\n * %s. */\n",
               p->skipped.at[i].function->name, p->skipped.at[i].why);
}
