/* Places: what they are part of, and which of several is named. */
#include "model/place.h"

#include "base/text.h"

#include <string.h>

enum { CHAIN_AT_MOST = 64 };

static bool is_tool(const struct place *p) {
  return !strcmp(base_name(p->file), "faultline.h") ||
         (p->function && begins(p->function, "fl__"));
}

bool place_is_system(const char *file) {
  return begins(file, "/usr/include/") || begins(file, "/usr/lib/") ||
         begins(file, "/usr/local/include/") || strstr(file, "/include/c++/") ||
         strstr(file, "/lib/gcc/") || strstr(file, "/lib/clang/") ||
         strstr(file, "/include/faultline.h");
}

enum place_role place_role(const struct place *p) {
  if (!p->file || !p->line)
    return PLACE_UNKNOWN;
  if (is_tool(p))
    return PLACE_TOOL;
  return place_is_system(p->file) ? PLACE_LIBRARY : p->among_users;
}

uint32_t place_choose(const enum place_role *roles, uint32_t n) {
  uint32_t primitive = n, test = n;
  for (uint32_t i = 0; i < n; i++) {
    if (roles[i] == PLACE_OBJECT)
      return i;
    if (roles[i] == PLACE_PRIMITIVE)
      primitive = i;
    if ((roles[i] == PLACE_TEST || roles[i] == PLACE_EITHER) && test == n)
      test = i;
  }
  return primitive < n ? primitive : test;
}

const struct place *place_own(const struct place *p) {
  enum place_role roles[CHAIN_AT_MOST];
  uint32_t n = 0;
  for (const struct place *q = p; q && n < CHAIN_AT_MOST; q = q->next)
    roles[n++] = place_role(q);
  uint32_t chosen = place_choose(roles, n);
  if (chosen == n)
    return NULL;
  while (chosen--)
    p = p->next;
  return p;
}
