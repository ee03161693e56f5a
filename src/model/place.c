#include "model/place.h"

#include <string.h>

static bool begins(const char *s, const char *with) {
  return strncmp(s, with, strlen(with)) == 0;
}

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
