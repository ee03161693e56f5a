/* What is known of a checked log, and giving it back. */
#include "model/log_report.h"

static void free_partial(struct log_partial *p) {
  for (uint32_t i = 0; i < p->refusals.len; i++)
    free(p->refusals.at[i].instead);
  vec_free(&p->refusals);
  vec_free(&p->order);
  free(p->state);
}

void log_explained_free(struct log_explained *x) {
  for (uint32_t i = 0; i < x->partials.len; i++)
    free_partial(&x->partials.at[i]);
  vec_free(&x->partials);
  vec_free(&x->core);
  free(x->reason);
  x->reason = NULL;
}
