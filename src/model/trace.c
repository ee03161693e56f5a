/* Traces: copying one out of the process that made it. */
#include "model/trace.h"

#include "base/arena.h"

#include <stddef.h>

/* Sets `to` to a copy of n elements; an empty array needs no memory. */
#define COPY(to, from, n, a)                                                   \
  ((to) = (n) ? arena_copy(a, from, (n) * sizeof *(to)) : NULL, (to) || !(n))

static bool copy_notes(struct trace *to, const struct trace *from,
                       struct arena *a) {
  if (!COPY(to->notes, from->notes, from->nnotes, a))
    return false;
  for (uint32_t i = 0; i < from->nnotes; i++) {
    to->notes[i] = arena_strdup(a, from->notes[i]);
    if (from->notes[i] && !to->notes[i])
      return false;
  }
  return true;
}

static bool copy_history(struct history *to, const struct history *from,
                         struct arena *a) {
  *to = *from;
  if (!from->client)
    return true;
  struct client *c = arena_copy(a, from->client, sizeof *c);
  if (!c)
    return false;
  to->client = c;
  uint32_t n = c->ncalls;
  if (!COPY(c->calls, from->client->calls, n, a) ||
      !COPY(to->ops, from->ops, n, a))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (!hop_pending(&from->ops[i]) &&
        !value_copy(&to->ops[i].result, from->ops[i].result, a))
      return false;
  return true;
}

bool trace_copy(struct trace *to, const struct trace *from, struct arena *a) {
  *to = *from;
  return COPY(to->events, from->events, from->nevents, a) &&
         COPY(to->frames, from->frames, from->nframes, a) &&
         COPY(to->activations, from->activations, from->nactivations, a) &&
         COPY(to->blocks, from->blocks, from->nblocks, a) &&
         copy_notes(to, from, a) &&
         copy_history(&to->history, &from->history, a);
}
