/* Findings: giving their memory back. */
#include "model/finding.h"

#include <stdlib.h>
#include <string.h>

void finding_release(struct finding *f) {
  client_free(&f->client);
  schedule_free(&f->schedule);
  free(f->detail);
  free(f->schedule_file);
  vec_free(&f->waiting);
  for (uint32_t i = 0; i < f->refutations.len; i++)
    vec_free(&f->refutations.at[i].order);
  vec_free(&f->refutations);
  memset(f, 0, sizeof *f);
}
