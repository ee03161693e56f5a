#include "model/known.h"

bool known_has_place(enum fault kind) {
  switch (kind) {
  case FAULT_NONE:
  case FAULT_NOT_LINEARIZABLE:
  case FAULT_SEQUENTIAL:
  case FAULT_INVARIANT:
  case FAULT_PROGRESS:
  case FAULT_LEAK:
  case FAULT_DIVERGENCE:
    return false;
  default:
    return true;
  }
}

static bool is_of_several(enum fault kind) {
  return kind == FAULT_DEADLOCK || kind == FAULT_LIVELOCK;
}

/* The operation that the thread is in. */
static uint16_t op_of(const struct history *h, uint32_t thread) {
  const struct client *c = h ? h->client : NULL;
  for (uint32_t i = c ? c->ninit : 0; c && i < c->ncalls; i++)
    if (c->calls[i].thread == thread && hop_called(&h->ops[i]) &&
        hop_pending(&h->ops[i]))
      return c->calls[i].op;
  return KNOWN_ANY_OP;
}

static bool has_place(const struct known_fault *k, uint64_t pc) {
  for (uint32_t i = 0; i < k->nplaces; i++)
    if (k->places[i] == pc)
      return true;
  return false;
}

void known_of(struct known_fault *k, enum fault kind, uint64_t pc,
              uint32_t thread, const struct waiting *w, uint32_t nwaiting,
              const struct history *h) {
  *k = (struct known_fault){.kind = kind, .op = KNOWN_ANY_OP};
  if (is_of_several(kind)) {
    for (uint32_t i = 0; i < nwaiting && k->nplaces < KNOWN_PLACES; i++)
      if (!has_place(k, w[i].pc))
        k->places[k->nplaces++] = w[i].pc;
    return;
  }
  k->op = op_of(h, thread);
  /* A loop is found to have no end wherever it is then. */
  if (kind != FAULT_ENDLESS && pc)
    k->places[k->nplaces++] = pc;
}

void known_of_finding(struct known_fault *k, const struct finding *f) {
  const struct history *h = &f->trace.history;
  known_of(k, f->fault, f->pc, f->thread, f->waiting.at, f->waiting.len,
           h->client && h->ops ? h : NULL);
}

static bool is_same(const struct known_fault *known,
                    const struct known_fault *now) {
  if (known->kind != now->kind ||
      (known->op != KNOWN_ANY_OP && now->op != KNOWN_ANY_OP &&
       known->op != now->op))
    return false;
  for (uint32_t i = 0; i < known->nplaces; i++)
    if (!has_place(now, known->places[i]))
      return false;
  return true;
}

bool known_has(const struct known_fault *list, uint32_t n,
               const struct known_fault *now) {
  for (uint32_t i = 0; i < n; i++)
    if (is_same(&list[i], now))
      return true;
  return false;
}
