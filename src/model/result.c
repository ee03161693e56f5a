/* Results: giving their memory back. */
#include "model/result.h"

#include <stdlib.h>
#include <string.h>

void result_release(struct result *r) {
  if (r->finding)
    finding_release(r->finding);
  free(r->finding);
  free(r->spec);
  free(r->reason);
  free(r->coverage.sentence);
  free(r->coverage.limit);
  free(r->replay_command);
  memset(r, 0, sizeof *r);
}
