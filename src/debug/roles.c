/* The roles of functions, as they were set, and the places that have them. */
#include "debug/lines_int.h"

#include <string.h>

static struct hash128 key_of(const char *file, const char *function) {
  struct hash128 h = hash128(file, strlen(file), 1);
  if (!function)
    return h;
  struct hash128 f = hash128(function, strlen(function), 2);
  return (struct hash128){h.lo ^ f.lo, h.hi ^ f.hi};
}

static enum place_role users_role(const struct lines *l, const char *file,
                                  const char *function) {
  const uint32_t *role =
      file ? map128_get(&l->roles, key_of(file, NULL)) : NULL;
  if (!role && file && function)
    role = map128_get(&l->roles, key_of(file, function));
  return role ? (enum place_role) * role : PLACE_OBJECT;
}

void lines_fill_roles(struct lines *l, struct place *p) {
  for (; p; p = (struct place *)p->next) /* its table is ours */
    p->among_users = users_role(l, p->file, p->function);
}

void lines_set_roles(struct lines *l, const struct line_role *at, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    bool fresh;
    *map128_put(&l->roles, key_of(at[i].file, at[i].function), &fresh) =
        at[i].role;
  }
  for (uint32_t i = 0; i < l->places.len; i++)
    lines_fill_roles(l, l->places.at[i]);
}

enum place_role lines_role(struct lines *l, const char *file,
                           const char *function) {
  struct place p = {.file = file,
                    .function = function,
                    .line = 1,
                    .among_users = users_role(l, file, function)};
  return place_role(&p);
}

enum place_role lines_cause_role(struct lines *l, const struct cause *c) {
  for (uint32_t i = 0; i < c->nblocks; i++) {
    enum place_role r = lines_role(l, c->blocks[i].file, c->blocks[i].function);
    if (r == PLACE_TEST || r == PLACE_LIBRARY)
      return r;
  }
  return PLACE_OBJECT;
}
