/*
 * A place is a position in the user's source: what an address of the loaded
 * object means to its author.  `line` 0 means unknown.  Where a function was
 * inlined, `next` is the place of the call in the function that it was inlined
 * into, and so on outwards.  Places are owned by the table that made them
 * (build/lines) and live as long as it does.
 */
#ifndef MODEL_PLACE_H
#define MODEL_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct place {
  const char *file;     /* as the compiler was given it; NULL when unknown */
  const char *function; /* NULL when unknown */
  uint32_t line, column;
  const struct place *next;
};

/* A header that is not the user's own. */
bool place_is_system(const char *file);
/* The first of the inlining chain that is the user's own, or NULL. */
const struct place *place_own(const struct place *p);

#endif
