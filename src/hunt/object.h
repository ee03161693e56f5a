/* The object under test as the search sees it: operations and domains. */
#ifndef HUNT_OBJECT_H
#define HUNT_OBJECT_H

#include "model/client.h"
#include "search/generate.h"

#include <faultline.h>

struct object {
  const struct fl_suite *suite;
  struct op_names names;
  uint8_t *nargs;
  struct gen_object gen;
};

void object_init(struct object *o, const struct fl_suite *suite);

/* Operations of one group in several threads: a sentence, or NULL. */
char *object_group_trouble(const struct object *o, const struct client *c);

#endif
