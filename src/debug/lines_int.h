/*
 * Inside of lines: what was read from the object, as tables sorted by address,
 * and the entries of the debug information behind them (DIEs: one for each
 * function, variable, type).
 *
 * (L1) rows, functions, variables and symbols are sorted by address.
 * (L2) functions do not overlap; a function in pieces (cold parts) has an
 *      entry for each.  Not asserted: the object is the user's, and if it says
 *      otherwise the last one that begins before an address is taken.
 */
#ifndef DEBUG_LINES_INT_H
#define DEBUG_LINES_INT_H

#include "base/arena.h"
#include "base/map128.h"
#include "base/vec.h"
#include "debug/lines.h"

#include <elfutils/libdw.h>

struct line_row { /* from this address on, until the next row */
  uint64_t addr;
  const char *file;
  uint32_t line, column;
  uint32_t order; /* in the file: later rows of one address win */
  bool end;       /* nothing known from here on */
};

struct line_function {
  uint64_t low, high;
  uint32_t unit;
  Dwarf_Die die;
};

struct line_variable {
  uint64_t addr, size;
  const char *name;
  uint32_t unit;
  Dwarf_Die type;
};

struct line_symbol {
  uint64_t addr, size;
  const char *name;
  bool function;
  uint64_t section_end; /* of code whose symbol has no size, else 0 */
};

struct line_unit {
  Dwarf_Die die;
  const char *name; /* the source as the compiler was given it */
  const char *dir;  /* where the compiler ran, or NULL */
  bool here;        /* … which is where we run */
  bool qualified;   /* C++: names have scopes */
};

struct lines {
  int fd;
  Elf *elf;
  Dwarf *dwarf; /* NULL: no debug information */
  VEC(struct line_unit) units;
  VEC(struct line_row) rows;
  VEC(struct line_function) functions;
  VEC(struct line_variable) variables;
  VEC(struct line_symbol) symbols;
  struct map128 known; /* pc to index into places */
  VEC(struct place *) places;
  struct map128 roles; /* of (file, function) and (file): enum place_role */
  struct arena arena;
};

/* Reads the units of the debug information into the tables. */
void lines_read_units(struct lines *l);

/* A file name of a unit's line table in the form that people use. */
const char *lines_file(struct lines *l, const struct line_unit *u,
                       const char *path);

/* Fills in what its function is to the object, of it and of its callers. */
void lines_fill_roles(struct lines *l, struct place *p);

/* NULL when nothing covers the address. */
const struct line_function *lines_function_at(struct lines *l, uint64_t pc);
const struct line_variable *lines_variable_at(struct lines *l, uint64_t addr);
const struct line_symbol *lines_symbol_at(struct lines *l, uint64_t addr,
                                          bool function);
const struct line_row *lines_row_at(struct lines *l, uint64_t pc);

/*
 * The function's entry and the entries of those inlined at pc, from the outside
 * in; at most `max`, returns how many.
 */
uint32_t lines_scopes(const struct line_function *f, uint64_t pc,
                      Dwarf_Die *out, uint32_t max);

/* The unit that the instruction comes from, or NULL. */
const struct line_unit *lines_unit_at(struct lines *l, uint64_t pc);

#endif
