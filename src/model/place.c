#include "model/place.h"

#include "base/text.h"

#include <string.h>

bool place_is_system(const char *file) {
  return begins(file, "/usr/include/") || begins(file, "/usr/lib/") ||
         begins(file, "/usr/local/include/") || strstr(file, "/include/c++/") ||
         strstr(file, "/include/faultline.h");
}

const struct place *place_own(const struct place *p) {
  while (p && !(p->line && p->file && !place_is_system(p->file)))
    p = p->next;
  return p;
}
