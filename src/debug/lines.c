/* Opens an object, and finds places and symbols by address. */
#define _GNU_SOURCE

#include "debug/lines_int.h"
#include "debug/types.h"

#include "base/text.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

enum { SCOPES_MAX = 64 };

static int by_symbol(const void *a, const void *b) {
  const struct line_symbol *x = a, *y = b;
  return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The end of the code that the symbol is in; 0: it is elsewhere. */
static uint64_t code_end(struct lines *l, const GElf_Sym *s) {
  Elf_Scn *scn =
      s->st_shndx < SHN_LORESERVE ? elf_getscn(l->elf, s->st_shndx) : NULL;
  GElf_Shdr sh;
  if (!scn || !gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
    return 0;
  return sh.sh_addr + sh.sh_size;
}

static void read_symbols(struct lines *l, uint32_t table) {
  Elf_Scn *scn = NULL;
  while ((scn = elf_nextscn(l->elf, scn))) {
    GElf_Shdr sh;
    Elf_Data *data;
    if (!gelf_getshdr(scn, &sh) || sh.sh_type != table || !sh.sh_entsize ||
        !(data = elf_getdata(scn, NULL)))
      continue;
    for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
      GElf_Sym s;
      if (!gelf_getsym(data, (int)i, &s) || s.st_shndx == SHN_UNDEF)
        continue;
      int kind = GELF_ST_TYPE(s.st_info);
      const char *name = elf_strptr(l->elf, sh.sh_link, s.st_name);
      uint64_t end = kind == STT_OBJECT || s.st_size ? 0 : code_end(l, &s);
      bool label = kind == STT_NOTYPE && end;
      if ((kind != STT_FUNC && kind != STT_OBJECT && !label) || !name || !*name)
        continue;
      struct line_symbol symbol = {s.st_value, s.st_size, name,
                                   kind == STT_FUNC || label, end};
      vec_push(&l->symbols, symbol);
    }
  }
}

/* What an assembly file does not give the size of reaches to the next symbol;
 * a label inside of a function is none. */
static void size_symbols(struct lines *l) {
  uint64_t end = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->symbols.len; i++) {
    struct line_symbol s = l->symbols.at[i];
    if (s.function && s.section_end) {
      if (s.addr < end)
        continue;
      uint32_t next = i + 1;
      while (next < l->symbols.len && (l->symbols.at[next].addr == s.addr ||
                                       !l->symbols.at[next].function))
        next++;
      s.size = s.section_end - s.addr;
      if (next < l->symbols.len && l->symbols.at[next].addr - s.addr < s.size)
        s.size = l->symbols.at[next].addr - s.addr;
    } else if (s.function && s.addr + s.size > end) {
      end = s.addr + s.size;
    }
    l->symbols.at[n++] = s;
  }
  l->symbols.len = n;
}

void lines_need_memory(void) {
  const char *elf = elf_errmsg(0), *dwarf = dwarf_errmsg(0);
  if ((elf && strstr(elf, "out of memory")) ||
      (dwarf && strstr(dwarf, "out of memory")))
    die("out of memory, in what reads debug information");
}

/* By itself libdw ends the process with status 1. */
static _Noreturn void no_memory(void) {
  die("out of memory, in what reads debug information");
}

struct lines *lines_open(const char *so, struct error *e) {
  struct lines *l = xcalloc(1, sizeof *l);
  elf_version(EV_CURRENT);
  l->fd = open(so, O_RDONLY | O_CLOEXEC);
  if (l->fd < 0) {
    error_set(e, ERR_INPUT, "%s: %s", so, strerror(errno));
    goto bad;
  }
  l->elf = elf_begin(l->fd, ELF_C_READ_MMAP, NULL);
  lines_need_memory();
  if (!l->elf || elf_kind(l->elf) != ELF_K_ELF) {
    error_set(e, ERR_INPUT, "%s: not an object file", so);
    goto bad;
  }
  read_symbols(l, SHT_SYMTAB);
  if (!l->symbols.len) /* stripped */
    read_symbols(l, SHT_DYNSYM);
  if (l->symbols.len)
    qsort(l->symbols.at, l->symbols.len, sizeof *l->symbols.at, by_symbol);
  size_symbols(l);
  l->dwarf = dwarf_begin_elf(l->elf, DWARF_C_READ, NULL);
  if (l->dwarf) {
    dwarf_new_oom_handler(l->dwarf, no_memory);
    lines_read_units(l);
  }
  lines_need_memory();
  return l;
bad:
  lines_close(l);
  return NULL;
}

void lines_close(struct lines *l) {
  if (!l)
    return;
  dwarf_end(l->dwarf);
  elf_end(l->elf);
  if (l->fd >= 0)
    close(l->fd);
  vec_free(&l->units);
  vec_free(&l->rows);
  vec_free(&l->functions);
  vec_free(&l->variables);
  vec_free(&l->symbols);
  vec_free(&l->places);
  map128_free(&l->known);
  map128_free(&l->roles);
  arena_free(&l->arena);
  free(l);
}

/* How many of the entries start at or before `addr`. */
#define COUNT_UP_TO(v, field, addr)                                            \
  ({                                                                           \
    uint32_t lo_ = 0, hi_ = (v)->len;                                          \
    while (lo_ < hi_) {                                                        \
      uint32_t mid_ = lo_ + (hi_ - lo_) / 2;                                   \
      if ((v)->at[mid_].field <= (addr))                                       \
        lo_ = mid_ + 1;                                                        \
      else                                                                     \
        hi_ = mid_;                                                            \
    }                                                                          \
    lo_;                                                                       \
  })

const struct line_function *lines_function_at(struct lines *l, uint64_t pc) {
  uint32_t n = COUNT_UP_TO(&l->functions, low, pc);
  if (!n || pc >= l->functions.at[n - 1].high)
    return NULL;
  return &l->functions.at[n - 1];
}

const struct line_variable *lines_variable_at(struct lines *l, uint64_t addr) {
  /* Entries of one address (a declaration seen from two units) are alike;
   * zero-sized neighbours are not in the table. */
  uint32_t n = COUNT_UP_TO(&l->variables, addr, addr);
  if (!n || addr - l->variables.at[n - 1].addr >= l->variables.at[n - 1].size)
    return NULL;
  return &l->variables.at[n - 1];
}

const struct line_symbol *lines_symbol_at(struct lines *l, uint64_t addr,
                                          bool function) {
  for (uint32_t n = COUNT_UP_TO(&l->symbols, addr, addr); n--;) {
    const struct line_symbol *s = &l->symbols.at[n];
    if (s->function == function && addr - s->addr < (s->size ? s->size : 1))
      return s;
    if (s->function == function && s->size)
      return NULL;
  }
  return NULL;
}

/* A row without a line (code that the compiler made up) belongs to what stands
 * before it in the same function. */
const struct line_row *lines_row_at(struct lines *l, uint64_t pc) {
  const struct line_function *f = lines_function_at(l, pc);
  for (uint32_t n = COUNT_UP_TO(&l->rows, addr, pc); n--;) {
    const struct line_row *r = &l->rows.at[n];
    if (r->end || (f && r->addr < f->low))
      return NULL;
    if (r->line)
      return r;
  }
  return NULL;
}

const struct line_unit *lines_unit_at(struct lines *l, uint64_t pc) {
  const struct line_function *f = lines_function_at(l, pc);
  return f ? &l->units.at[f->unit] : NULL;
}

/* The child, at any depth of blocks, that is inlined and covers pc. */
static bool inlined_at(Dwarf_Die *parent, uint64_t pc, Dwarf_Die *out) {
  Dwarf_Die die;
  if (dwarf_child(parent, &die))
    return false;
  do {
    int tag = dwarf_tag(&die);
    if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, pc) > 0) {
      *out = die;
      return true;
    }
    if ((tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
         tag == DW_TAG_catch_block) &&
        inlined_at(&die, pc, out))
      return true;
  } while (!dwarf_siblingof(&die, &die));
  return false;
}

uint32_t lines_scopes(const struct line_function *f, uint64_t pc,
                      Dwarf_Die *out, uint32_t max) {
  uint32_t n = 1;
  out[0] = f->die;
  while (n < max && inlined_at(&out[n - 1], pc, &out[n]))
    n++;
  return n;
}

/* The entry where the function was declared: a C++ member's is in its class. */
static Dwarf_Die declaration(Dwarf_Die die) {
  Dwarf_Attribute a;
  Dwarf_Die next;
  while ((dwarf_attr(&die, DW_AT_abstract_origin, &a) ||
          dwarf_attr(&die, DW_AT_specification, &a)) &&
         dwarf_formref_die(&a, &next))
    die = next;
  return die;
}

/* The name of a function's entry, `class::name` in C++. */
static const char *name_of(struct lines *l, const struct line_unit *u,
                           Dwarf_Die *function) {
  Dwarf_Attribute a;
  const char *name = dwarf_attr_integrate(function, DW_AT_name, &a)
                         ? dwarf_formstring(&a)
                         : NULL;
  if (!name || !u->qualified)
    return name;
  Dwarf_Die die = declaration(*function), *scopes;
  int n = dwarf_getscopes_die(&die, &scopes);
  struct buf b = {0};
  for (int i = n; i-- > 1;) {
    int tag = dwarf_tag(&scopes[i]);
    const char *outer = dwarf_diename(&scopes[i]);
    if (outer && (tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
                  tag == DW_TAG_namespace || tag == DW_TAG_union_type))
      buf_printf(&b, "%s::", outer);
  }
  if (n > 0)
    free(scopes);
  if (b.len) {
    buf_puts(&b, name);
    name = arena_strdup(&l->arena, b.at);
  }
  buf_free(&b);
  return name;
}

static const char *call_file(struct lines *l, const struct line_unit *u,
                             Dwarf_Die *inlined) {
  Dwarf_Files *files;
  Dwarf_Die unit = u->die;
  uint64_t i = die_number(inlined, DW_AT_call_file, 0);
  if (dwarf_getsrcfiles(&unit, &files, NULL))
    return NULL;
  return lines_file(l, u, dwarf_filesrc(files, i, NULL, NULL));
}

/*
 * FL_INVARIANT(holds), as FL_ALWAYS(holds), makes a function around the user's
 * own, whose name says nothing to him: what stands in the brackets is meant.
 */
static const char *invariant_name(struct lines *l, const struct place *p) {
  static const char made[] = "fl__invariant_", always[] = "fl__always_";
  struct buf text = {0};
  struct error ignored = {0};
  const char *name = p->function;
  bool is_always = name && !strncmp(name, always, strlen(always));
  const char *macro = is_always ? "FL_ALWAYS" : "FL_INVARIANT";
  if (!name || (strncmp(name, made, strlen(made)) && !is_always) || !p->file ||
      buf_read_file(&text, p->file, &ignored))
    return name;
  const char *at = text.at;
  for (uint32_t line = 1; at && line < p->line; line++)
    at = (at = strchr(at, '\n')) ? at + 1 : NULL;
  at = at ? strstr(at, macro) : NULL;
  if (at) {
    at += strlen(macro);
    at += strspn(at, " \t\r\n(&");
    size_t n = strcspn(at, " \t\r\n,)");
    if (n) {
      char *own = xstrndup(at, n);
      name = arena_strdup(&l->arena, own);
      free(own);
    }
  }
  buf_free(&text);
  return name;
}

static struct place *make_place(struct lines *l, uint64_t pc) {
  struct place *p = arena_alloc(&l->arena, sizeof *p);
  const struct line_row *row = lines_row_at(l, pc);
  if (row) {
    p->file = row->file;
    p->line = row->line;
    p->column = row->column;
  }
  const struct line_function *f = lines_function_at(l, pc);
  if (!f) {
    const struct line_symbol *s = lines_symbol_at(l, pc, true);
    p->function = s ? s->name : NULL;
    return p;
  }
  const struct line_unit *u = &l->units.at[f->unit];
  Dwarf_Die scopes[SCOPES_MAX];
  uint32_t n = lines_scopes(f, pc, scopes, SCOPES_MAX);
  struct place *inner = p;
  for (uint32_t i = n; i--;) {
    inner->function = name_of(l, u, &scopes[i]);
    inner->function = invariant_name(l, inner);
    if (!i)
      break;
    struct place *outer = arena_alloc(&l->arena, sizeof *outer);
    outer->file = call_file(l, u, &scopes[i]);
    outer->line = (uint32_t)die_number(&scopes[i], DW_AT_call_line, 0);
    outer->column = (uint32_t)die_number(&scopes[i], DW_AT_call_column, 0);
    inner->next = outer;
    inner = outer;
  }
  return p;
}

const struct place *lines_place(struct lines *l, uint64_t pc) {
  bool fresh;
  uint32_t *i = map128_put(&l->known, hash128(&pc, sizeof pc, 0), &fresh);
  if (fresh) {
    *i = l->places.len;
    struct place *p = make_place(l, pc);
    lines_fill_roles(l, p);
    vec_push(&l->places, p);
    return p;
  }
  return l->places.at[*i];
}

const char *lines_function(struct lines *l, uint64_t pc) {
  const struct line_function *f = lines_function_at(l, pc);
  if (f && f->low == pc) {
    Dwarf_Die die = f->die;
    return name_of(l, &l->units.at[f->unit], &die);
  }
  const struct line_symbol *s = lines_symbol_at(l, pc, true);
  return s && s->addr == pc ? s->name : NULL;
}

bool lines_global(struct lines *l, uint64_t addr, uint64_t size,
                  struct buf *out) {
  const struct line_variable *v = lines_variable_at(l, addr);
  if (v) {
    Dwarf_Die type = v->type;
    buf_puts(out, v->name);
    type_path(&type, addr - v->addr, size, out, NULL);
    return true;
  }
  const struct line_symbol *s = lines_symbol_at(l, addr, false);
  if (!s)
    return false;
  if (begins(s->name, "_ZTV")) { /* its class has a name that fills a line */
    buf_puts(out, "vtable");
    return true;
  }
  buf_puts(out, s->name);
  if (addr > s->addr)
    buf_printf(out, "+%llu", (unsigned long long)(addr - s->addr));
  return true;
}

/* How a call hands over a parameter of this type. */
static int passed_as(Dwarf_Die *type) {
  switch (type_kind(type)) {
  case TYPE_POINTER:
    return PARAM_POINTER;
  case TYPE_FLOAT:
    return PARAM_FLOAT;
  case TYPE_SIGNED:
  case TYPE_UNSIGNED:
  case TYPE_CHAR:
  case TYPE_BOOL:
  case TYPE_ENUM:
    return type_size(type) <= 8 ? PARAM_INTEGER : PARAM_OTHER;
  default:
    return PARAM_OTHER;
  }
}

void lines_signature(struct lines *l, uint64_t entry, struct signature *out) {
  *out = (struct signature){0};
  const struct line_function *f = lines_function_at(l, entry);
  if (!f || f->low != entry)
    return;
  Dwarf_Die die = f->die, type, child;
  out->known = true;
  if (!type_of(&die, &type)) {
    out->returns_void = true;
  } else {
    enum type_kind k = type_kind(&type);
    out->returns_pointer = k == TYPE_POINTER;
    out->returns_bool = k == TYPE_BOOL;
    out->return_size = type_size(&type);
  }
  if (dwarf_child(&die, &child))
    return;
  do {
    if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
      out->variadic = true;
    if (dwarf_tag(&child) != DW_TAG_formal_parameter)
      continue;
    if (out->nparams < 16 && type_of(&child, &type))
      out->param[out->nparams] = passed_as(&type);
    out->nparams++;
  } while (!dwarf_siblingof(&child, &child));
}
