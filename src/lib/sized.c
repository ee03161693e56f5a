/* Copies between structs of two versions of the library. */
#include "lib/sized.h"

#include <string.h>

enum { ALIGNED = 8, LARGEST = 4096 }; /* bytes; a bound on what is nonsense */

static size_t size_of(const void *from) {
  size_t size;
  memcpy(&size, from, sizeof size);
  return size;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

int sized_valid(const void *from, const char *what, struct error *e) {
  if (!from)
    return error_set(e, ERR_USAGE, "struct %s: a null pointer", what);
  size_t size = size_of(from);
  if (size <= sizeof size || size % ALIGNED || size > LARGEST)
    return error_set(e, ERR_USAGE,
                     "struct %s: the size is %zu; %s_init() sets it", what,
                     size, what);
  return ERR_NONE;
}

int sized_read(void *to, size_t known, const void *from, const char *what,
               struct error *e) {
  size_t size = size_of(from);
  for (size_t i = known; i < size; i++)
    if (((const char *)from)[i])
      return error_set(e, ERR_USAGE,
                       "struct %s: this version of the library knows %zu of "
                       "its %zu bytes, and the others are not all zero",
                       what, known, size);
  memset(to, 0, known);
  memcpy(to, from, smaller(size, known));
  return ERR_NONE;
}

void sized_write(void *to, const void *from, size_t known) {
  size_t size = size_of(to), head = sizeof size;
  memset((char *)to + head, 0, size - head);
  memcpy((char *)to + head, (const char *)from + head,
         smaller(size, known) - head);
}
