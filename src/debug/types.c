/* Looks through typedefs and qualifiers, and into members. */
#include "debug/types.h"

#include "base/text.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

uint64_t die_number(Dwarf_Die *die, unsigned attribute, uint64_t otherwise) {
  Dwarf_Attribute a;
  Dwarf_Word w;
  if (!dwarf_attr_integrate(die, attribute, &a) || dwarf_formudata(&a, &w))
    return otherwise;
  return w;
}

bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
  Dwarf_Attribute a;
  return dwarf_attr_integrate(die, DW_AT_type, &a) &&
         dwarf_formref_die(&a, type);
}

bool type_peel(Dwarf_Die *type) {
  Dwarf_Die bare;
  if (dwarf_peel_type(type, &bare))
    return false;
  *type = bare;
  return true;
}

uint64_t type_size(Dwarf_Die *type) {
  Dwarf_Die bare = *type;
  Dwarf_Word size;
  if (!type_peel(&bare) || dwarf_aggregate_size(&bare, &size))
    return 0;
  return size;
}

static enum type_kind number_kind(Dwarf_Die *bare) {
  Dwarf_Attribute a;
  Dwarf_Word encoding = 0;
  if (dwarf_attr(bare, DW_AT_encoding, &a))
    dwarf_formudata(&a, &encoding);
  const char *name = dwarf_diename(bare);
  if (name && !strcmp(name, "char"))
    return TYPE_CHAR;
  switch (encoding) {
  case DW_ATE_boolean:
    return TYPE_BOOL;
  case DW_ATE_float:
    return TYPE_FLOAT;
  case DW_ATE_signed:
  case DW_ATE_signed_char:
    return TYPE_SIGNED;
  case DW_ATE_unsigned:
  case DW_ATE_unsigned_char:
  case DW_ATE_UTF:
    return TYPE_UNSIGNED;
  }
  return TYPE_OTHER;
}

enum type_kind type_kind(Dwarf_Die *type) {
  Dwarf_Die bare = *type;
  if (!type_peel(&bare))
    return TYPE_OTHER;
  switch (dwarf_tag(&bare)) {
  case DW_TAG_base_type:
    return number_kind(&bare);
  case DW_TAG_enumeration_type:
    return TYPE_ENUM;
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
    return TYPE_POINTER;
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
    return TYPE_STRUCT;
  case DW_TAG_union_type:
    return TYPE_UNION;
  case DW_TAG_array_type:
    return TYPE_ARRAY;
  }
  return TYPE_OTHER;
}

bool type_pointee(Dwarf_Die *type, Dwarf_Die *to) {
  Dwarf_Die bare = *type;
  return type_kind(type) == TYPE_POINTER && type_peel(&bare) &&
         type_of(&bare, to);
}

/* A name with an underscore in front is the one that its author hides behind a
 * typedef. */
const char *type_name(Dwarf_Die *type, size_t *len) {
  const char *alias = NULL, *name = NULL;
  Dwarf_Die die = *type, next;
  for (;;) {
    int tag = dwarf_tag(&die);
    if (tag == DW_TAG_typedef && !alias)
      alias = dwarf_diename(&die);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
        tag != DW_TAG_volatile_type && tag != DW_TAG_atomic_type &&
        tag != DW_TAG_restrict_type) {
      name = dwarf_diename(&die);
      break;
    }
    if (!type_of(&die, &next))
      break;
    die = next;
  }
  if (alias && (!name || *name == '_'))
    name = alias;
  *len = name ? strcspn(name, "<") : 0;
  return name;
}

bool name_is_reserved(const char *name) {
  return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

bool die_is_system(Dwarf_Die *die) {
  const char *file = dwarf_decl_file(die);
  return file && (begins(file, "/usr/include/") || begins(file, "/usr/lib/") ||
                  strstr(file, "/include/c++/"));
}

/* Where a member lies and how long it is, in bytes; a bit field covers the
 * bytes that its bits are in. */
static void extent(Dwarf_Die *member, uint64_t *at, uint64_t *size) {
  uint64_t bits = die_number(member, DW_AT_bit_size, 0), first;
  Dwarf_Die type;
  *at = die_number(member, DW_AT_data_member_location, 0);
  *size = type_of(member, &type) ? type_size(&type) : 0;
  if (!bits)
    return;
  first = die_number(member, DW_AT_data_bit_offset, UINT64_MAX);
  if (first == UINT64_MAX) {
    /* before DWARF 4: bits from the top of a storage unit */
    uint64_t unit = die_number(member, DW_AT_byte_size, *size);
    first = *at * 8 + unit * 8 - die_number(member, DW_AT_bit_offset, 0) - bits;
  }
  *at = first / 8;
  *size = (first + bits + 7) / 8 - *at;
}

static bool is_flexible_array(Dwarf_Die *type) {
  return type_kind(type) == TYPE_ARRAY && type_size(type) == 0;
}

/* Does the way through this type end at something of just this size? */
static bool lands(Dwarf_Die *type, uint64_t offset, uint64_t size) {
  struct buf way = {0};
  Dwarf_Die leaf;
  type_path(type, offset, size, &way, &leaf);
  bool exact = !strchr(buf_text(&way), '+') && type_size(&leaf) == size;
  buf_free(&way);
  return exact;
}

/* The member whose bytes hold the access; of a union the first that has
 * something of this size there, or else the first that holds it.  False when
 * the access spans several. */
static bool member_at(Dwarf_Die *bare, uint64_t offset, uint64_t size,
                      Dwarf_Die *found) {
  Dwarf_Die die, type;
  bool any = false;
  uint64_t need = size ? size : 1;
  if (dwarf_child(bare, &die))
    return false;
  do {
    int tag = dwarf_tag(&die);
    uint64_t at, len;
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
        dwarf_hasattr(&die, DW_AT_external) || !type_of(&die, &type))
      continue;
    extent(&die, &at, &len);
    bool inside =
        offset >= at && (is_flexible_array(&type) || offset + need <= at + len);
    /* The access to a bit field can be as wide as its type. */
    if (dwarf_hasattr(&die, DW_AT_bit_size))
      inside =
          offset < at + len && at < offset + need && need <= type_size(&type);
    if (!inside)
      continue;
    if (!any)
      *found = die;
    any = true;
    if (dwarf_tag(bare) != DW_TAG_union_type || !size ||
        lands(&type, offset - at, size)) {
      *found = die;
      return true;
    }
  } while (!dwarf_siblingof(&die, &die));
  return any;
}

/* The sizes of an array's dimensions; 0 is unknown. */
static unsigned dimensions(Dwarf_Die *array, uint64_t *out, unsigned max) {
  Dwarf_Die die;
  unsigned n = 0;
  if (dwarf_child(array, &die))
    return 0;
  do {
    if (dwarf_tag(&die) != DW_TAG_subrange_type || n == max)
      continue;
    uint64_t count = die_number(&die, DW_AT_count, 0);
    uint64_t upper = die_number(&die, DW_AT_upper_bound, UINT64_MAX);
    out[n++] = count ? count : upper + 1;
  } while (!dwarf_siblingof(&die, &die));
  return n;
}

/* Appends the indices; the element's type and the offset inside it. */
static bool enter_array(Dwarf_Die *type, uint64_t *offset, uint64_t size,
                        struct buf *out) {
  enum { MAX = 8 };
  Dwarf_Die element;
  uint64_t dim[MAX], step = 0;
  if (!type_of(type, &element) || !(step = type_size(&element)))
    return false;
  unsigned n = dimensions(type, dim, MAX);
  if (!n)
    return false;
  uint64_t i = *offset / step, rest = *offset % step, div = 1;
  if (size && rest + size > step && !*offset)
    return false; /* all of it, or from the start on */
  for (unsigned d = 1; d < n; d++)
    div *= dim[d] ? dim[d] : 1;
  for (unsigned d = 0; d < n; d++) {
    buf_printf(out, "[%llu]", (unsigned long long)(i / div));
    i %= div;
    if (d + 1 < n && dim[d + 1])
      div /= dim[d + 1];
  }
  *type = element;
  *offset = rest;
  return true;
}

/* The other bit fields that an access touches with the first: ".a/b". */
static void name_neighbours(Dwarf_Die *outer, Dwarf_Die *first, uint64_t offset,
                            uint64_t size, struct buf *out) {
  enum { MOST = 3 };
  Dwarf_Die die = *first;
  uint64_t at, len, end = offset + (size ? size : 1);
  int named = 1;
  if (dwarf_tag(outer) == DW_TAG_union_type)
    return;
  while (!dwarf_siblingof(&die, &die)) {
    const char *name = dwarf_diename(&die);
    if (dwarf_tag(&die) != DW_TAG_member || !name ||
        !dwarf_hasattr(&die, DW_AT_bit_size))
      continue;
    extent(&die, &at, &len);
    if (at >= end || at + len <= offset)
      continue;
    if (named++ == MOST) {
      buf_puts(out, "/…");
      return;
    }
    buf_printf(out, "/%s", name);
  }
}

/* ---- members of the C++ library ---- */

static bool is_atomic_or_lock(Dwarf_Die *bare) {
  static const char *const names[] = {"atomic",
                                      "__atomic",
                                      "mutex",
                                      "recursive_mutex",
                                      "shared_",
                                      "timed_mutex",
                                      "recursive_timed_mutex",
                                      "condition_variable",
                                      "pthread_",
                                      "__gthread",
                                      "counting_semaphore"};
  const char *name = dwarf_diename(bare);
  for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
    if (begins(name, names[i]) &&
        (strcmp(names[i], "shared_") || strstr(name, "mutex")))
      return true;
  return false;
}

/* Storage for an element that is constructed later: the element's type. */
static bool storage_of(Dwarf_Die *bare, Dwarf_Die *element) {
  const char *name = dwarf_diename(bare);
  Dwarf_Die die;
  if (!name ||
      (!begins(name, "__aligned_membuf<") &&
       !begins(name, "__aligned_buffer<")) ||
      dwarf_child(bare, &die))
    return false;
  do
    if (dwarf_tag(&die) == DW_TAG_template_type_parameter)
      return type_of(&die, element);
  while (!dwarf_siblingof(&die, &die));
  return false;
}

/* `_M_bucket_count` is .bucket_count to people; steps on the way that say
 * nothing (_M_impl, _M_h) are left out. */
static void put_library_member(const char *name, struct buf *out) {
  static const char *const silent[] = {"_M_impl", "_M_dataplus", "_M_storage",
                                       "_M_payload"};
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
    if (!strcmp(name, silent[i]))
      return;
  if (strlen(name) > strlen("_M_x"))
    buf_printf(out, ".%s", name + strlen("_M_"));
}

/*
 * The way on through members of the C++ library, from `type` on.  False when
 * there is none that people would read: what is an atomic or a lock, or one
 * thing as large as the whole, is named by its owner alone.
 */
static bool library_path(Dwarf_Die *type, uint64_t offset, uint64_t size,
                         struct buf *out, Dwarf_Die *leaf) {
  Dwarf_Die at = *type, member, element;
  struct buf way = {0};
  bool fine = size > 0;
  *leaf = *type;
  while (fine) {
    enum type_kind kind = type_kind(&at);
    *leaf = at;
    if (!type_peel(&at) || (kind != TYPE_STRUCT && kind != TYPE_UNION))
      break;
    fine = !is_atomic_or_lock(&at);
    if (!fine || storage_of(&at, &element) ||
        !member_at(&at, offset, size, &member))
      break;
    const char *name = dwarf_diename(&member);
    uint64_t from, len;
    if (dwarf_tag(&member) == DW_TAG_member && name) {
      if (!begins(name, "_M_")) {
        fine = !name_is_reserved(name);
        break;
      }
      put_library_member(name, &way);
    }
    extent(&member, &from, &len);
    offset -= from;
    type_of(&member, &at);
  }
  if (fine && storage_of(&at, &element))
    at = *leaf = element;
  fine = fine && type_size(leaf) < type_size(type);
  if (fine) {
    buf_puts(out, buf_text(&way));
    type_path(&at, offset, size, out, leaf);
  }
  buf_free(&way);
  return fine;
}

void type_path(Dwarf_Die *type, uint64_t offset, uint64_t size, struct buf *out,
               Dwarf_Die *leaf) {
  uint64_t whole = offset;
  size_t start = out->len;
  Dwarf_Die at = *type, member;
  Dwarf_Die owner = at;     /* the last thing that was named … */
  uint64_t inside = offset; /* … and where in it */
  bool bits = false;
  for (;;) {
    if (leaf)
      *leaf = at;
    if (!size && !offset)
      return;
    enum type_kind kind = type_kind(&at);
    if (!type_peel(&at))
      break;
    if (kind == TYPE_STRUCT || kind == TYPE_UNION) {
      if (!member_at(&at, offset, size, &member))
        break;
      const char *name = dwarf_diename(&member);
      Dwarf_Die outer = at;
      uint64_t from, len, access = offset;
      extent(&member, &from, &len);
      bits = dwarf_hasattr(&member, DW_AT_bit_size);
      if (dwarf_tag(&member) == DW_TAG_member && name) {
        if (name_is_reserved(name)) {
          Dwarf_Die inner;
          if (library_path(&owner, inside, size, out, &inner) && leaf)
            *leaf = inner;
          return;
        }
        buf_printf(out, ".%s", begins(name, "_vptr") ? "vtable" : name);
      }
      offset = bits ? 0 : offset - from;
      type_of(&member, &at);
      if (dwarf_tag(&member) == DW_TAG_member && name) {
        owner = at;
        inside = offset;
      }
      if (bits) {
        if (leaf)
          *leaf = at;
        name_neighbours(&outer, &member, access, size, out);
        return;
      }
    } else if (kind != TYPE_ARRAY || !enter_array(&at, &offset, size, out)) {
      break;
    } else {
      owner = at;
      inside = offset;
    }
  }
  if (!size) { /* a tagged pointer, or into the middle of a number */
    out->len = start;
    if (out->at)
      out->at[start] = 0;
    offset = whole;
    if (leaf)
      *leaf = *type;
  }
  if (offset)
    buf_printf(out, "+%llu", (unsigned long long)offset);
}

bool type_is_flexible(Dwarf_Die *type) {
  Dwarf_Die bare = *type, die, member;
  bool flexible = false;
  if (!type_peel(&bare) || dwarf_child(&bare, &die))
    return false;
  do
    if (dwarf_tag(&die) == DW_TAG_member && type_of(&die, &member))
      flexible = is_flexible_array(&member);
  while (!dwarf_siblingof(&die, &die));
  return flexible;
}

const char *type_enumerator(Dwarf_Die *type, int64_t value) {
  Dwarf_Die bare = *type, die;
  if (!type_peel(&bare) || dwarf_child(&bare, &die))
    return NULL;
  do {
    Dwarf_Attribute a;
    Dwarf_Sword v;
    if (dwarf_tag(&die) == DW_TAG_enumerator &&
        dwarf_attr(&die, DW_AT_const_value, &a) && !dwarf_formsdata(&a, &v) &&
        v == value)
      return dwarf_diename(&die);
  } while (!dwarf_siblingof(&die, &die));
  return NULL;
}
