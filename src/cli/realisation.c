/* How each block of a cause could be made atomic. */
#include "cli/causes_int.h"

#include "locate/realise.h"

char *realisation(const struct collector *c, const struct cause *cause,
                  struct arena *a) {
  VEC(struct realise_trace) traces = {0};
  struct realise_words words = {.scopes = c->scopes};
  struct buf all = {0};
  for (uint32_t i = 0; i < c->traces.len; i++) {
    const struct located *l = c->traces.at[i];
    if (l->trace.events)
      vec_push(&traces,
               ((struct realise_trace){&l->trace, &l->section, !l->bad}));
  }
  for (uint32_t i = 0; i < cause->nblocks; i++) {
    struct buf one = {0};
    realise(&words, &cause->blocks[i], traces.at, traces.len, &one);
    if (one.len)
      buf_printf(&all, "%s%s", all.len ? "; " : "", one.at);
    buf_free(&one);
  }
  char *text = all.len ? arena_strdup(a, all.at) : NULL;
  buf_free(&all);
  vec_free(&traces);
  return text;
}
