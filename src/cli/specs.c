#include "cli/commands.h"

#include "spec/spec.h"

#include <stdio.h>

int command_specs(int argc, char **argv) {
  (void)argc, (void)argv;
  puts("FL_SPEC(type, role = function, ...) compares an object with a built-in "
       "type.\nWithout FL_SPEC, the object itself, run sequentially, is the "
       "specification.\n");
  for (const struct spec_type_info *t = spec_types; t->type; t++)
    printf("%s: %s\n    %s\n", t->type, t->meaning, t->roles);
  return 0;
}
