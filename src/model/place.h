/*
 * A place is a position in the user's source: what an address of the loaded
 * object means to its author.  `line` 0 means unknown.  Where a function was
 * inlined, `next` is the place of the call in the function that it was inlined
 * into, and so on outwards.  Places are owned by the table that made them
 * (debug/lines) and live as long as it does.
 *
 * An access has a stack of places, from its own line outwards: one for each
 * function that it is in, inlined or called.  Which of them a report names is
 * decided here, by the role that the function of each plays (place_choose):
 *
 *     14 of atomics.h, load()      a primitive: one access, nothing else
 *     41 of stack.c, pop()         the object's: this line is named
 *      9 of harness.c, take()      the test's: it only calls the object
 */
#ifndef MODEL_PLACE_H
#define MODEL_PLACE_H

#include <stdbool.h>
#include <stdint.h>

enum place_role {
  PLACE_OBJECT,
  PLACE_PRIMITIVE, /* a function of the user's that makes one access or one
                      operation of a lock: its callers are the algorithm */
  PLACE_TEST,      /* the file that registers operations, which only call the
                      object: its code is in other files (code/roles.h) */
  PLACE_EITHER,    /* the same, but it makes accesses by itself: it may be the
                      object, on top of other files, or a test with data */
  PLACE_LIBRARY,   /* a system header */
  PLACE_TOOL,      /* faultline.h */
  PLACE_UNKNOWN,   /* no file, no line */
};

struct place {
  const char *file;     /* as the compiler was given it; NULL when unknown */
  const char *function; /* NULL when unknown */
  uint32_t line, column;
  const struct place *next;
  enum place_role among_users; /* OBJECT, PRIMITIVE, TEST or EITHER: of its
                                  function, if it is the user's */
};

/* A header that is not the user's own. */
bool place_is_system(const char *file);
enum place_role place_role(const struct place *p);

/*
 * Which of the frames of an access is its place: an index into their roles,
 * from the inside out; n when none of them has a place that the user knows.
 * The innermost of the object; if there is none, the outermost primitive (an
 * operation may be one), and else the innermost of TEST or EITHER.
 */
uint32_t place_choose(const enum place_role *roles, uint32_t n);

/* The same for the inlining chain alone, or NULL. */
const struct place *place_own(const struct place *p);

#endif
