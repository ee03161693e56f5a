/*
 * Types of the debug information: their size, their kind, and the way from an
 * offset to the member that lies there.  Typedefs and qualifiers (const,
 * volatile, _Atomic) are looked through everywhere.
 */
#ifndef DEBUG_TYPES_H
#define DEBUG_TYPES_H

#include "base/buf.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum type_kind {
  TYPE_OTHER,
  TYPE_SIGNED,
  TYPE_UNSIGNED,
  TYPE_CHAR, /* plain char: text */
  TYPE_BOOL,
  TYPE_FLOAT,
  TYPE_ENUM,
  TYPE_POINTER,
  TYPE_STRUCT, /* struct, class */
  TYPE_UNION,
  TYPE_ARRAY,
};

/* An attribute that is a number, or `otherwise`. */
uint64_t die_number(Dwarf_Die *die, unsigned attribute, uint64_t otherwise);

/* The type of a variable, parameter, member, or of what a function returns;
 * false for void. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Removes typedefs and qualifiers; false when nothing (void) is left. */
bool type_peel(Dwarf_Die *type);

enum type_kind type_kind(Dwarf_Die *type);
uint64_t type_size(Dwarf_Die *type); /* 0: unknown or incomplete */

/* What a pointer points to; false for void * and for what is no pointer. */
bool type_pointee(Dwarf_Die *type, Dwarf_Die *to);

/* The name that people use: the tag without `struct`, or of an anonymous one
 * the typedef; without template arguments.  NULL when there is none.  The text
 * is *len long and not terminated. */
const char *type_name(Dwarf_Die *type, size_t *len);

/* A name that the language leaves to the compiler and its headers: __x, _X. */
bool name_is_reserved(const char *name);

/* Is it declared in a header of the compiler or of the system? */
bool die_is_system(Dwarf_Die *die);

/* Ends in an array without length: char data[]. */
bool type_is_flexible(Dwarf_Die *type);

/*
 * Appends the way from the start of the type to [offset, offset + size):
 * `.next`, `[3].key`, `.u.bits`, `+2` where only a part of a number is meant,
 * nothing when the whole is.  Size 0 means the address: the way stops where the
 * offset is used up, and an offset in the middle of something is `+n` alone.
 * Members whose names are reserved (`__data`) are not entered, except those of
 * the C++ library's containers, which are named without their prefix:
 * `.map.bucket_count` for map._M_h._M_bucket_count.  *leaf, unless NULL, is the
 * type at the end of the way.
 */
void type_path(Dwarf_Die *type, uint64_t offset, uint64_t size, struct buf *out,
               Dwarf_Die *leaf);

/* The enumerator with this value, or NULL. */
const char *type_enumerator(Dwarf_Die *type, int64_t value);

#endif
