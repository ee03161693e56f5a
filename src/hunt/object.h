/* The object under test as the search sees it: its operations and the values of
 * their arguments. */
#ifndef HUNT_OBJECT_H
#define HUNT_OBJECT_H

#include "model/client.h"
#include "search/generate.h"

#include <faultline.h>

enum { OBJECT_VALUES = 64 }; /* of a domain: the others are not tried */

struct object {
  const struct fl_suite *suite;
  struct op_names names;
  uint8_t *nargs;
  struct gen_object gen;
};

void object_init(struct object *o, const struct fl_suite *suite);

/* A sentence if operations of one group (FL_GROUP) are in several threads, or a
 * text is given for a number, else NULL; the caller frees it. */
char *object_client_trouble(const struct object *o, const struct client *c);

#endif
