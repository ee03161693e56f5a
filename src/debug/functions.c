/* Reads the functions and their parameters from the debug information. */
#include "debug/functions.h"

#include "debug/lines_int.h"
#include "debug/types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { ENUMERATORS = 3 };

static const char *keep(struct arena *a, struct buf *b) {
  char *text = arena_strdup(a, buf_text(b));
  buf_free(b);
  return text;
}

/* A declaration's type; false: it cannot be written before a name. */
static bool put_type(Dwarf_Die *type, struct buf *b) {
  const char *name = dwarf_diename(type), *word = NULL;
  Dwarf_Die to;
  bool any = type_of(type, &to);
  switch (dwarf_tag(type)) {
  case DW_TAG_base_type:
  case DW_TAG_typedef:
    break;
  case DW_TAG_structure_type:
    word = "struct ";
    break;
  case DW_TAG_union_type:
    word = "union ";
    break;
  case DW_TAG_enumeration_type:
    word = "enum ";
    break;
  case DW_TAG_pointer_type:
    if (any && !put_type(&to, b))
      return false;
    buf_puts(b, any ? "" : "void");
    buf_puts(b, b->at[b->len - 1] == '*' ? "*" : " *");
    return true;
  case DW_TAG_const_type:
  case DW_TAG_volatile_type:
    word = dwarf_tag(type) == DW_TAG_const_type ? "const" : "volatile";
    if (any && dwarf_tag(&to) == DW_TAG_pointer_type) {
      bool is = put_type(&to, b);
      buf_printf(b, "%s", word);
      return is;
    }
    buf_printf(b, "%s ", word);
    if (!any)
      buf_puts(b, "void");
    return !any || put_type(&to, b);
  default:
    return false; /* arrays and functions are written around the name */
  }
  if (!name)
    return false;
  buf_printf(b, "%s%s", word ? word : "", name);
  return true;
}

/* How a struct is called: by its tag, or by the typedef of one without. */
static const char *record_name(Dwarf_Die *type, struct arena *a) {
  Dwarf_Die die = *type, next;
  const char *alias = NULL;
  struct buf b = {0};
  for (;;) {
    int tag = dwarf_tag(&die);
    if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type) {
      if (!dwarf_diename(&die))
        return alias;
      buf_printf(&b, "%s %s", tag == DW_TAG_union_type ? "union" : "struct",
                 dwarf_diename(&die));
      return keep(a, &b);
    }
    if (tag == DW_TAG_typedef)
      alias = dwarf_diename(&die);
    if (!type_of(&die, &next))
      return NULL;
    die = next;
  }
}

static const char *enumerators(Dwarf_Die *type, struct arena *a) {
  Dwarf_Die bare = *type, child;
  struct buf b = {0};
  uint32_t n = 0;
  if (!type_peel(&bare) || dwarf_child(&bare, &child))
    return NULL;
  do {
    if (dwarf_tag(&child) == DW_TAG_enumerator && n < ENUMERATORS)
      buf_printf(&b, "%s%s", n++ ? ", " : "", dwarf_diename(&child));
  } while (!dwarf_siblingof(&child, &child));
  return n ? keep(a, &b) : NULL;
}

static bool is_const(Dwarf_Die *type) {
  Dwarf_Die die = *type, next;
  while (dwarf_tag(&die) == DW_TAG_typedef && type_of(&die, &next))
    die = next;
  return dwarf_tag(&die) == DW_TAG_const_type;
}

static void take_pointer(Dwarf_Die *type, struct arena *a, struct c_type *out) {
  Dwarf_Die to;
  struct buf b = {0};
  out->kind = C_POINTER;
  if (!type_pointee(type, &to))
    return;
  switch (type_kind(&to)) {
  case TYPE_CHAR:
    out->kind = C_STRING;
    break;
  case TYPE_STRUCT:
  case TYPE_UNION:
    out->record = record_name(&to, a);
    out->complete = type_size(&to) > 0;
    out->kind = out->record ? C_RECORD : C_OTHER;
    break;
  case TYPE_SIGNED:
  case TYPE_UNSIGNED:
  case TYPE_BOOL:
  case TYPE_ENUM:
    if (!is_const(&to) && put_type(&to, &b)) {
      out->kind = C_CELL;
      out->cell = keep(a, &b);
    }
    buf_free(&b);
    break;
  default:
    break;
  }
}

static struct c_type describe(Dwarf_Die *of, struct arena *a) {
  struct c_type t = {.kind = C_OTHER, .text = "void"};
  Dwarf_Die type;
  struct buf b = {0};
  if (!type_of(of, &type)) {
    t.kind = C_VOID;
    return t;
  }
  bool written = put_type(&type, &b);
  t.text = keep(a, &b);
  if (!written)
    return t;
  switch (type_kind(&type)) {
  case TYPE_BOOL:
    t.kind = C_BOOL;
    break;
  case TYPE_SIGNED:
  case TYPE_UNSIGNED:
  case TYPE_CHAR:
    t.kind = type_size(&type) <= 8 ? C_INTEGER : C_OTHER;
    break;
  case TYPE_ENUM:
    t.kind = C_ENUM;
    t.values = enumerators(&type, a);
    break;
  case TYPE_POINTER:
    take_pointer(&type, a, &t);
    break;
  default:
    break;
  }
  return t;
}

static void take_params(Dwarf_Die *die, struct arena *a, struct function *f) {
  Dwarf_Die child;
  if (dwarf_child(die, &child))
    return;
  do {
    if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
      f->variadic = true;
    if (dwarf_tag(&child) != DW_TAG_formal_parameter)
      continue;
    if (f->nparams < FUNCTION_PARAMS) {
      f->params[f->nparams].name = dwarf_diename(&child);
      f->params[f->nparams].type = describe(&child, a);
    }
    f->nparams++;
  } while (!dwarf_siblingof(&child, &child));
}

static int by_place(const void *p, const void *q) {
  const struct function *a = p, *b = q;
  int files = strcmp(a->file, b->file);
  return files ? files : a->line < b->line ? -1 : a->line > b->line;
}

void functions_read(struct lines *l, struct arena *a, function_list *out) {
  for (uint32_t i = 0; i < l->functions.len; i++) {
    Dwarf_Die die = l->functions.at[i].die;
    const struct line_unit *u = &l->units.at[l->functions.at[i].unit];
    Dwarf_Attribute at;
    bool external = false;
    int line = 0;
    if (u->qualified || !dwarf_diename(&die) || die_is_system(&die))
      continue;
    if (dwarf_attr_integrate(&die, DW_AT_external, &at))
      dwarf_formflag(&at, &external);
    dwarf_decl_line(&die, &line);
    struct function f = {.name = dwarf_diename(&die),
                         .file = u->name ? u->name : "",
                         .line = (uint32_t)line,
                         .external = external,
                         .returns = describe(&die, a)};
    take_params(&die, a, &f);
    vec_push(out, f);
  }
  if (out->len)
    qsort(out->at, out->len, sizeof *out->at, by_place);
}
