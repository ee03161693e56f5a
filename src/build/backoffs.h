/*
 * The functions of FL_BACKOFF: pointers to them stand in a section of their
 * own, and the dynamic linker's relocations say where they point.
 */
#ifndef BUILD_BACKOFFS_H
#define BUILD_BACKOFFS_H

#include "base/vec.h"

#include <libelf.h>
#include <stdint.h>

#define BACKOFF_SECTION "fl_backoff"

typedef VEC(uint64_t) backoff_list;

/* The entries, from the object's base. */
void backoffs_read(Elf *elf, backoff_list *out);

#endif
