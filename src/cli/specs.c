/* faultline specs: prints the built-in specifications and their roles. */
#include "cli/commands.h"

#include "spec/spec.h"
#include "spec/type.h"

#include <stdio.h>
#include <string.h>

/* Words from column 4 on, in lines of at most 80 characters. */
static void print_words(const char *words) {
  size_t column = 0;
  while (*words) {
    size_t len = strcspn(words, " ");
    /* Arguments stay with their operation: cas(old, new). */
    const char *open = memchr(words, '(', len);
    if (open && !memchr(words, ')', len))
      len = strcspn(words, ")") + 1;
    if (column + 1 + len > 76) {
      putchar('\n');
      column = 0;
    }
    column += (size_t)printf("%s%.*s", column ? " " : "    ", (int)len, words);
    words += len;
    words += strspn(words, " ");
  }
  putchar('\n');
}

static void print_type(const char *name, const char *meaning,
                       const char *operations) {
  printf("%s: %s\n", name, meaning);
  print_words(operations);
}

int command_specs(int argc, char **argv) {
  (void)argc, (void)argv;
  puts("FL_SPEC(type, role = function, ...) compares an object with a built-in "
       "type.\nWithout FL_SPEC, the object itself, used by one thread, is the "
       "specification.\n");
  for (const struct spec_type_info *t = spec_types; t->type; t++)
    printf("%s: %s\n    %s\n", t->type, t->meaning, t->roles);
  puts(
      "\nTypes of recorded histories, for faultline check --spec=TYPE.  "
      "keyed-TYPE has one\nobject of the type for each key, which is the first "
      "argument; ./mine.so is a type\nof your own (faultline/spec.h).\n");
  for (const struct type_info *t = type_infos; t->name; t++)
    print_type(t->name, t->meaning, t->operations);
  return 0;
}
