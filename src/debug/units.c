/*
 * One walk over the debug information: functions by address, variables that
 * have one, line tables.  All units are walked, since clang writes no table of
 * address ranges and a lookup by libdw alone would find nothing.
 */
#include "base/slow.h"
#include "debug/lines_int.h"
#include "debug/types.h"

#include <dwarf.h>
#include <string.h>

static void add_function(struct lines *l, uint32_t unit, Dwarf_Die *die) {
  Dwarf_Addr base, low, high;
  ptrdiff_t at = 0;
  while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
    if (low && high > low) { /* the linker puts dropped copies at 0 */
      struct line_function f = {low, high, unit, *die};
      vec_push(&l->functions, f);
    }
}

/* The address in a location that is nothing but an address. */
static bool constant_address(Dwarf_Die *die, uint64_t *addr) {
  Dwarf_Attribute a, found;
  Dwarf_Op *ops;
  size_t n;
  Dwarf_Addr value;
  if (!dwarf_attr(die, DW_AT_location, &a) || dwarf_getlocation(&a, &ops, &n) ||
      n != 1)
    return false;
  if (ops[0].atom == DW_OP_addr) {
    *addr = ops[0].number;
    return true;
  }
  /* DWARF 5 of clang: an index into a table of addresses */
  if (dwarf_getlocation_attr(&a, &ops[0], &found) ||
      dwarf_formaddr(&found, &value))
    return false;
  *addr = value;
  return true;
}

static void add_variable(struct lines *l, uint32_t unit, Dwarf_Die *die) {
  struct line_variable v = {.unit = unit};
  Dwarf_Attribute a;
  if (!constant_address(die, &v.addr) || !v.addr)
    return;
  if (!dwarf_attr_integrate(die, DW_AT_type, &a) ||
      !dwarf_formref_die(&a, &v.type))
    return;
  /* through DW_AT_specification for C++ members and extern declarations */
  v.name =
      dwarf_attr_integrate(die, DW_AT_name, &a) ? dwarf_formstring(&a) : NULL;
  v.size = type_size(&v.type);
  if (v.name && v.size)
    vec_push(&l->variables, v);
}

static void walk(struct lines *l, uint32_t unit, Dwarf_Die *parent) {
  Dwarf_Die die;
  if (dwarf_child(parent, &die))
    return;
  do {
    switch (dwarf_tag(&die)) {
    case DW_TAG_subprogram:
      add_function(l, unit, &die);
      walk(l, unit, &die);
      break;
    case DW_TAG_variable:
      add_variable(l, unit, &die);
      break;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
      walk(l, unit, &die);
      break;
    }
  } while (!dwarf_siblingof(&die, &die));
}

const char *lines_file(struct lines *l, const struct line_unit *u,
                       const char *path) {
  size_t n = u->dir ? strlen(u->dir) : 0;
  if (!path || !n || (*path == '/' && u->name && !strcmp(path, u->name)))
    return path;                  /* the user gave it so */
  if (*path != '/' && !u->here) { /* relative to where the compiler ran */
    char *full = xasprintf("%s/%s", u->dir, path);
    const char *kept = arena_strdup(&l->arena, full);
    free(full);
    return kept;
  }
  if (u->here && !strncmp(path, u->dir, n) && path[n] == '/')
    return path + n + 1;
  return path;
}

static void add_rows(struct lines *l, struct line_unit *u) {
  Dwarf_Lines *table;
  size_t n;
  if (dwarf_getsrclines(&u->die, &table, &n))
    return;
  const char *last = NULL, *shown = NULL;
  for (size_t i = 0; i < n; i++) {
    Dwarf_Line *r = dwarf_onesrcline(table, i);
    struct line_row row = {.order = l->rows.len};
    Dwarf_Addr addr;
    int line = 0, column = 0;
    if (dwarf_lineaddr(r, &addr) || !addr)
      continue;
    dwarf_lineno(r, &line);
    dwarf_linecol(r, &column);
    dwarf_lineendsequence(r, &row.end);
    const char *path = dwarf_linesrc(r, NULL, NULL);
    if (path != last) {
      last = path;
      shown = lines_file(l, u, path);
    }
    row.addr = addr;
    row.file = shown;
    row.line = (uint32_t)line;
    row.column = (uint32_t)column;
    vec_push(&l->rows, row);
  }
}

static const char *string_of(Dwarf_Die *die, unsigned attribute) {
  Dwarf_Attribute a;
  return dwarf_attr(die, attribute, &a) ? dwarf_formstring(&a) : NULL;
}

static bool same_folder(const char *a) {
  char *real = a ? realpath(a, NULL) : NULL, *cwd = realpath(".", NULL);
  bool same = real && cwd && !strcmp(real, cwd);
  free(real);
  free(cwd);
  return same;
}

static int by_row(const void *a, const void *b) {
  const struct line_row *x = a, *y = b;
  if (x->addr != y->addr)
    return x->addr < y->addr ? -1 : 1;
  if (x->end != y->end) /* the next sequence may start where one ends */
    return x->end ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int by_low(const void *a, const void *b) {
  const struct line_function *x = a, *y = b;
  return x->low < y->low ? -1 : x->low > y->low;
}

static int by_addr(const void *a, const void *b) {
  const struct line_variable *x = a, *y = b;
  return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_sorted(const struct lines *l) {
  for (uint32_t i = 1; i < l->rows.len; i++)
    if (l->rows.at[i - 1].addr > l->rows.at[i].addr)
      return false;
  for (uint32_t i = 1; i < l->functions.len; i++)
    if (l->functions.at[i - 1].low > l->functions.at[i].low)
      return false;
  for (uint32_t i = 1; i < l->variables.len; i++)
    if (l->variables.at[i - 1].addr > l->variables.at[i].addr)
      return false;
  for (uint32_t i = 1; i < l->symbols.len; i++)
    if (l->symbols.at[i - 1].addr > l->symbols.at[i].addr)
      return false;
  return true;
}

void lines_read_units(struct lines *l) {
  Dwarf_CU *cu = NULL;
  Dwarf_Die die, sub;
  uint8_t type;
  Dwarf_Half version;
  while (dwarf_get_units(l->dwarf, cu, &cu, &version, &type, &die, &sub) == 0) {
    if (dwarf_tag(&die) != DW_TAG_compile_unit)
      continue;
    struct line_unit u = {.die = die};
    u.name = string_of(&die, DW_AT_name);
    u.dir = string_of(&die, DW_AT_comp_dir);
    u.here = same_folder(u.dir);
    switch (dwarf_srclang(&die)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
      u.qualified = true;
    }
    vec_push(&l->units, u);
    add_rows(l, &vec_last(&l->units));
    walk(l, l->units.len - 1, &die);
  }
  if (l->rows.len)
    qsort(l->rows.at, l->rows.len, sizeof *l->rows.at, by_row);
  if (l->functions.len)
    qsort(l->functions.at, l->functions.len, sizeof *l->functions.at, by_low);
  if (l->variables.len)
    qsort(l->variables.at, l->variables.len, sizeof *l->variables.at, by_addr);
  check_slow(is_sorted(l)); /* L1 */
}
