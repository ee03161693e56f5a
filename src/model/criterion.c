/* The words for the criteria. */
#include "model/criterion.h"

#include <string.h>

#define WORDS(id, name, property, orders) {name, property, orders},
const struct criterion_words criterion_words[] = {
    CRITERIA(WORDS){NULL, NULL, NULL}};
#define NAME(id, name, property, orders) name,
const char *const criterion_name[] = {CRITERIA(NAME) NULL};

enum criterion criterion_named(const char *name) {
  for (int i = 0; name && criterion_name[i]; i++)
    if (!strcmp(name, criterion_name[i]))
      return (enum criterion)i;
  return CRITERION_LINEARIZABLE;
}
