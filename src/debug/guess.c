/* Weighs the hints of each function on the way outwards: see debug/guess.h. */
#define _GNU_SOURCE

#include "debug/guess.h"
#include "debug/types.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

enum {
  DEPTH_MAX = 16, /* calls outwards */
  SCOPES_MAX = 64,
  ENOUGH = 45, /* better hints are not looked for in callers */
};

struct look { /* one function on the way outwards */
  struct lines *l;
  const struct block *block;
  struct guess *best;
  char *text; /* of the line, or NULL */
  uint32_t line;
  bool outside; /* a caller of the function that allocates */
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The next place on the line, from `p` on, with this very word. */
static const char *find_word(const struct look *k, const char *p,
                             const char *word, size_t len) {
  if (!p || !len)
    return NULL;
  for (; (p = memmem(p, strlen(p), word, len)); p++)
    if ((p == k->text || !is_word(p[-1])) && !is_word(p[len]))
      return p;
  return NULL;
}

static bool mentions(const struct look *k, const char *word, size_t len) {
  return find_word(k, k->text, word, len) != NULL;
}

/* The same, but not only as the way to something else: of `s->items = malloc(n
 * * sizeof *s->items)` the block is no s. */
static bool means(const struct look *k, const char *word) {
  size_t len = strlen(word);
  for (const char *p = k->text; (p = find_word(k, p, word, len)); p++) {
    const char *next = p + len + strspn(p + len, " \t");
    if (strncmp(next, "->", 2) && (*next != '.' || next[1] == '.'))
      return true;
  }
  return false;
}

/* Is what the line assigns to this variable or member?  `s->items[i] = …`,
 * `struct node *n = …`. */
static bool assigns(const struct look *k, const char *word) {
  size_t len = strlen(word);
  for (const char *p = k->text; (p = find_word(k, p, word, len)); p++) {
    const char *next = p + len + strspn(p + len, " \t");
    while (*next == '[') {
      next += strcspn(next, "]");
      next += *next ? 1 + strspn(next + 1, " \t") : 0;
    }
    if (*next == '=' && next[1] != '=')
      return true;
  }
  return false;
}

/* The text of one line of a file; the file may have changed since it was
 * compiled, which can cost a name and nothing else. */
static char *line_text(const char *file, uint32_t line) {
  struct buf b = {0};
  struct error ignored = {0};
  char *text = NULL;
  if (file && line && buf_read_file(&b, file, &ignored) == ERR_NONE) {
    const char *p = buf_text(&b);
    for (uint32_t i = 1; i < line && p; i++)
      p = (p = strchr(p, '\n')) ? p + 1 : NULL;
    if (p)
      text = xstrndup(p, strcspn(p, "\n"));
  }
  buf_free(&b);
  return text;
}

/*
 * How well the type fits the block's size, when the hint that it comes from is
 * on the line (said) or merely in the function.  A char * is what any block is
 * called while it has no type yet: less than ENOUGH, for the callers may know.
 */
static int fit(const struct block *b, Dwarf_Die *type, bool said, bool *array) {
  uint64_t size = type_size(type);
  enum type_kind kind = type_kind(type);
  bool number = kind != TYPE_STRUCT && kind != TYPE_UNION;
  *array = false;
  if (!size || !b->size)
    return 0;
  if (size == 1 && !number && b->size > 1)
    return 0; /* a class without members, such as an allocator */
  if (size == b->size)
    return (said ? 90 : 60) - (b->elem_size && b->elem_size != size ? 30 : 0) -
           (number && !said ? 25 : 0);
  if (b->size > size && b->elem_size != size && type_is_flexible(type))
    return said ? 76 : 21;
  if (b->size > size && b->size % size == 0) {
    *array = true;
    if (b->elem_size == size)
      return said ? 85 : 45;
    if (size == 1)
      return said ? 39 : 5;
    return (said ? 75 : 20) - (b->elem_size ? 15 : 0);
  }
  return 0;
}

static bool is_aggregate(Dwarf_Die *type) {
  enum type_kind kind = type_kind(type);
  return kind == TYPE_STRUCT || kind == TYPE_UNION;
}

/* A node of the C++ library's containers and the like, whose own name says
 * nothing to those who use them. */
static bool is_library_type(Dwarf_Die *type) {
  Dwarf_Die bare = *type;
  const char *name = type_peel(&bare) ? dwarf_diename(&bare) : NULL;
  return name && name_is_reserved(name) && is_aggregate(&bare) &&
         die_is_system(&bare);
}

/* `node` for std::_Hash_node, `shared` for what make_shared allocates. */
static const char *library_name(Dwarf_Die *type, size_t *len) {
  static const char *const known[][2] = {
      {"_Hash_node", "node"},     {"_List_node", "node"},
      {"_Rb_tree_node", "node"},  {"_Fwd_list_node", "node"},
      {"_Sp_counted_", "shared"},
  };
  Dwarf_Die bare = *type;
  const char *name = type_peel(&bare) ? type_name(&bare, len) : NULL;
  for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
    if (!strncmp(name, known[i][0], strlen(known[i][0]))) {
      *len = strlen(known[i][1]);
      return known[i][1];
    }
  *len = strlen("block");
  return "block";
}

static void consider(struct look *k, Dwarf_Die *type, const char *variable,
                     bool said, int less) {
  struct guess g = {.type = *type};
  g.weight = fit(k->block, type, said, &g.array);
  if (!g.weight)
    return;
  g.weight -= less;
  if (k->outside && !said) /* its other variables have other blocks */
    g.weight -= 20;
  if (g.weight <= k->best->weight)
    return;
  if (is_library_type(type)) {
    g.name = library_name(type, &g.name_len);
    *k->best = g;
    return;
  }
  if (is_aggregate(type))
    g.name = type_name(type, &g.name_len);
  if (!g.name) {
    g.name = variable;
    g.name_len = variable ? strlen(variable) : 0;
    g.borrowed = !g.array || !variable;
  }
  if (!g.name)
    g.name = type_name(type, &g.name_len);
  if (g.name && g.name_len)
    *k->best = g;
}

/* The members of a struct that a pointer on the line leads to: s->items. */
static void consider_members(struct look *k, Dwarf_Die *type) {
  Dwarf_Die bare = *type, die, member, to;
  if (!is_aggregate(type) || !type_peel(&bare) || dwarf_child(&bare, &die))
    return;
  do {
    const char *name = dwarf_diename(&die);
    if (dwarf_tag(&die) != DW_TAG_member || !type_of(&die, &member))
      continue;
    if (!name)
      consider_members(k, &member);
    else if (mentions(k, name, strlen(name)) && type_pointee(&member, &to))
      consider(k, &to, name, true, assigns(k, name) ? -4 : 1);
  } while (!dwarf_siblingof(&die, &die));
}

/*
 * A variable with a reserved name is a temporary of a macro of the system's
 * headers (atomic_store has one), or belongs to the C++ library; `this` is what
 * the function works on: neither is what was allocated.
 */
static void consider_variable(struct look *k, Dwarf_Die *die,
                              const char *name) {
  Dwarf_Die type, to;
  if (!name || !type_of(die, &type))
    return;
  bool said = mentions(k, name, strlen(name));
  bool declared_here = die_number(die, DW_AT_decl_line, 0) == k->line;
  bool pointer = type_pointee(&type, &to);
  if (dwarf_hasattr_integrate(die, DW_AT_artificial)) {
    if (pointer)
      consider_members(k, &to);
    return;
  }
  if (name_is_reserved(name) && (!said || die_is_system(die)))
    return;
  if (pointer)
    consider(k, &to, name, declared_here || means(k, name),
             declared_here      ? -5
             : assigns(k, name) ? -4
                                : 0);
  if (said)
    consider_members(k, pointer ? &to : &type);
}

static void look_at_variables(struct look *k, Dwarf_Die *scope) {
  Dwarf_Die die;
  Dwarf_Attribute a;
  if (dwarf_child(scope, &die))
    return;
  do {
    int tag = dwarf_tag(&die);
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
      consider_variable(k, &die,
                        dwarf_attr_integrate(&die, DW_AT_name, &a)
                            ? dwarf_formstring(&a)
                            : NULL);
    else if (tag == DW_TAG_lexical_block)
      look_at_variables(k, &die);
  } while (!dwarf_siblingof(&die, &die));
}

/* A variable that the optimiser removed is still in the function's own entry,
 * though not in the inlined copy's. */
static void look_at_function(struct look *k, Dwarf_Die *scope) {
  Dwarf_Attribute a;
  Dwarf_Die origin, type, to;
  look_at_variables(k, scope);
  if (dwarf_attr(scope, DW_AT_abstract_origin, &a) &&
      dwarf_formref_die(&a, &origin))
    look_at_variables(k, &origin);
  if (type_of(scope, &type) && type_pointee(&type, &to))
    consider(k, &to, NULL, false, 10);
}

static void look_at_globals(struct look *k, uint32_t unit) {
  for (uint32_t i = 0; k->text && i < k->l->variables.len; i++) {
    struct line_variable *v = &k->l->variables.at[i];
    Dwarf_Die to;
    if (v->unit != unit || !mentions(k, v->name, strlen(v->name)))
      continue;
    if (type_pointee(&v->type, &to))
      consider(k, &to, v->name, true, 2);
    else
      consider_members(k, &v->type);
  }
}

/* Those without an address of their own, one for each thread. */
static void look_at_thread_locals(struct look *k, Dwarf_Die *parent) {
  Dwarf_Die die, type, to;
  if (!k->text || dwarf_child(parent, &die))
    return;
  do {
    const char *name = dwarf_diename(&die);
    if (dwarf_tag(&die) == DW_TAG_namespace)
      look_at_thread_locals(k, &die);
    if (dwarf_tag(&die) == DW_TAG_variable && name &&
        mentions(k, name, strlen(name)) && type_of(&die, &type) &&
        type_pointee(&type, &to))
      consider(k, &to, name, true, 2);
  } while (!dwarf_siblingof(&die, &die));
}

/* Types of a unit whose name is on the line (sizeof(struct node), new node);
 * or, with `any`, count those that have the block's size. */
static void look_at_types(struct look *k, Dwarf_Die *parent, bool any,
                          uint32_t *count, Dwarf_Die *only) {
  Dwarf_Die die;
  if (dwarf_child(parent, &die))
    return;
  do {
    int tag = dwarf_tag(&die);
    const char *name = dwarf_diename(&die);
    if (tag == DW_TAG_namespace) {
      if (!any || !name || (strcmp(name, "std") && *name != '_'))
        look_at_types(k, &die, any, count, only);
      continue;
    }
    if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
        tag != DW_TAG_union_type && tag != DW_TAG_typedef)
      continue;
    if (dwarf_hasattr(&die, DW_AT_declaration) || !name)
      continue;
    if (tag != DW_TAG_typedef && !die_is_system(&die)) /* of C++: inside */
      look_at_types(k, &die, any, count, only);
    if (!is_aggregate(&die))
      continue; /* xmalloc(size_t n) allocates no size_t */
    if (!any) {
      if (mentions(k, name, strcspn(name, "<")))
        consider(k, &die, NULL, true, 2);
      continue;
    }
    if (type_size(&die) != k->block->size || die_is_system(&die))
      continue;
    Dwarf_Die bare = die, other;
    type_peel(&bare);
    if (*count) {
      other = *only;
      type_peel(&other);
      if (other.addr == bare.addr) /* a typedef of the same one */
        continue;
    }
    (*count)++;
    *only = die;
  } while (!dwarf_siblingof(&die, &die));
}

static void look_at(struct lines *l, const struct block *b, uint64_t pc,
                    bool outside, struct guess *best) {
  const struct line_function *f = lines_function_at(l, pc);
  if (!f)
    return;
  Dwarf_Die scopes[SCOPES_MAX];
  uint32_t n = lines_scopes(f, pc, scopes, SCOPES_MAX);
  const struct place *p = lines_place(l, pc);
  for (uint32_t i = n; i-- && p && best->weight < ENOUGH; p = p->next) {
    struct look k = {l, b, best, line_text(p->file, p->line), p->line, outside};
    outside = true;
    look_at_function(&k, &scopes[i]);
    look_at_globals(&k, f->unit);
    if (best->weight < 85)
      look_at_thread_locals(&k, &l->units.at[f->unit].die);
    if (best->weight < 85)
      look_at_types(&k, &l->units.at[f->unit].die, false, NULL, NULL);
    free(k.text);
  }
}

void guess_block(struct lines *l, const struct trace *t, const struct block *b,
                 struct guess *out) {
  *out = (struct guess){0};
  uint64_t pc = b->alloc_pc;
  uint32_t frame = b->alloc_chain;
  for (int depth = 0; depth < DEPTH_MAX && pc; depth++) {
    look_at(l, b, pc - 1, depth > 0,
            out); /* a return address: the call is before it */
    if (out->weight >= ENOUGH || !frame || frame >= t->nframes)
      break;
    pc = t->frames[frame].call_pc;
    frame = t->frames[frame].parent;
  }
  if (out->weight >= 30 || !b->alloc_pc)
    return;
  const struct line_function *f = lines_function_at(l, b->alloc_pc - 1);
  struct look k = {.l = l, .block = b, .best = out};
  uint32_t count = 0;
  Dwarf_Die only;
  if (f)
    look_at_types(&k, &l->units.at[f->unit].die, true, &count, &only);
  if (count == 1)
    consider(&k, &only, NULL, false, 30);
}
