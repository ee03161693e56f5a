/* From events of a trace to events of transactions. */
#include "atomicity/from_trace.h"

#include "base/map128.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct open_block {
  uint32_t depth, txn;
};

struct txn_converter {
  const struct trace *t;
  bool tso;
  struct txn_list *out;
  VEC(uint64_t) edges;  /* addresses where an object begins or ends */
  VEC(uint32_t) object; /* by edge: of the bytes from there to the next */
  uint32_t nobjects;
  uint32_t *first; /* by event of the trace: its first one of ours */
  struct open_block block[256];
  struct map128 txn_of_op;
  VEC(uint64_t) shared[256]; /* locks that a thread has read-locked */
  bool created[256];         /* by another of the trace … */
  bool ended[256];           /* … else by the main thread, which joins it */
  bool running[256];         /* has events, and was not joined yet */
};

/* How an event of the trace looks to us. */
enum event_role {
  ROLE_NONE,
  ROLE_ACCESS,
  ROLE_SYNC,
  ROLE_FORK,
  ROLE_FENCE,
  ROLE_ALLOC
};

static enum event_role role_of(const struct event *e) {
  switch (e->kind) {
  case EV_LOCK:
  case EV_TRYLOCK:
  case EV_UNLOCK:
  case EV_RDLOCK:
  case EV_WRLOCK:
  case EV_COND_WAIT:
  case EV_COND_WAKE:
  case EV_WAIT_OVER:
  case EV_SIGNAL:
  case EV_BROADCAST:
  case EV_SEM_WAIT:
  case EV_SEM_POST:
  case EV_BARRIER:
  case EV_ONCE:
  case EV_FUTEX_WAKE:
  case EV_FUTEX_WOKEN:
  case EV_ACQUIRE:
  case EV_RELEASE:
    return e->addr ? ROLE_SYNC : ROLE_NONE;
  case EV_CREATE:
  case EV_JOIN:
    return e->flags & EVENT_NO_VALUE ? ROLE_NONE : ROLE_FORK;
  case EV_FENCE: /* of a file, its order is not known: a full one */
    return e->order == __ATOMIC_RELAXED || e->order == __ATOMIC_SEQ_CST
               ? ROLE_FENCE
               : ROLE_NONE;
  case EV_ALLOC:
    return ROLE_ALLOC;
  default:
    return (event_reads[e->kind] || event_writes[e->kind]) && e->size
               ? ROLE_ACCESS
               : ROLE_NONE;
  }
}

static uint64_t size_of(const struct event *e) {
  return role_of(e) == ROLE_SYNC ? 1 : e->size;
}

/* ---- objects ---- */

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static uint32_t edge_of(const struct txn_converter *c, uint64_t addr) {
  uint32_t from = 0, to = c->edges.len;
  while (from < to) {
    uint32_t mid = from + (to - from) / 2;
    if (c->edges.at[mid] < addr)
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}

static void find_objects(struct txn_converter *c) {
  for (uint32_t i = 0; i < c->t->nevents; i++) {
    const struct event *e = &c->t->events[i];
    enum event_role role = role_of(e);
    if (role == ROLE_ACCESS || role == ROLE_SYNC) {
      vec_push(&c->edges, e->addr);
      vec_push(&c->edges, e->addr + size_of(e));
    }
  }
  uint32_t n = 0;
  if (c->edges.len)
    qsort(c->edges.at, c->edges.len, sizeof *c->edges.at, compare);
  for (uint32_t i = 0; i < c->edges.len; i++)
    if (!i || c->edges.at[i] != c->edges.at[i - 1])
      c->edges.at[n++] = c->edges.at[i];
  c->edges.len = n;
  for (uint32_t i = 0; i < n; i++)
    vec_push(&c->object, c->nobjects++);
}

/* ---- transactions ---- */

static uint32_t txn_of(struct txn_converter *c, const struct event *e) {
  struct open_block *b = &c->block[e->thread];
  if (c->out->blocks)
    return b->depth ? b->txn : c->out->ntxns++;
  if (e->call == EVENT_NO_CALL)
    return c->out->ntxns++;
  bool fresh;
  uint32_t *txn =
      map128_put(&c->txn_of_op, hash128(&e->call, sizeof e->call, 0), &fresh);
  if (fresh)
    *txn = c->out->ntxns++;
  return *txn;
}

static void mark(struct txn_converter *c, const struct event *e) {
  struct open_block *b = &c->block[e->thread];
  if (e->kind == EV_TXN_BEGIN && !b->depth++)
    b->txn = c->out->ntxns++;
  if (e->kind == EV_TXN_END && b->depth)
    b->depth--;
}

/* ---- events ---- */

static void put(struct txn_converter *c, uint32_t i, enum txn_kind kind,
                uint32_t object, uint32_t txn) {
  struct txn_event e = {.kind = (uint8_t)kind,
                        .thread = c->t->events[i].thread,
                        .object = object,
                        .txn = txn,
                        .at = i};
  vec_push(&c->out->e, e);
}

static bool forget_shared(struct txn_converter *c, const struct event *e) {
  for (uint32_t i = 0; i < c->shared[e->thread].len; i++)
    if (c->shared[e->thread].at[i] == e->addr) {
      c->shared[e->thread].at[i] = vec_last(&c->shared[e->thread]);
      c->shared[e->thread].len--;
      return true;
    }
  return false;
}

/* Those who have a lock together do not conflict, nor who does not get it. */
static enum txn_kind sync_kind(struct txn_converter *c, const struct event *e) {
  if (e->kind == EV_RDLOCK) {
    vec_push(&c->shared[e->thread], e->addr);
    return TXN_READ;
  }
  if (e->kind == EV_UNLOCK && forget_shared(c, e))
    return TXN_READ;
  return e->kind == EV_TRYLOCK && !(e->flags & EVENT_NO_VALUE) && !e->value[0]
             ? TXN_READ
             : TXN_RMW;
}

static enum txn_kind access_kind(const struct txn_converter *c,
                                 const struct event *e) {
  if (!event_writes[e->kind])
    return TXN_READ;
  if (event_reads[e->kind])
    return TXN_RMW;
  if (c->tso)
    return e->flags & EVENT_ISSUED ? TXN_WRITE : TXN_RMW;
  return e->kind == EV_ATOMIC_WRITE && e->order == __ATOMIC_SEQ_CST ? TXN_RMW
                                                                    : TXN_WRITE;
}

/* The main thread, when all others were joined: nothing is beside it. */
static bool alone(const struct txn_converter *c, uint32_t thread) {
  for (uint32_t t = 1; t < 256; t++)
    if (c->running[t])
      return false;
  return !thread;
}

static void put_access(struct txn_converter *c, uint32_t i, enum txn_kind kind,
                       uint32_t txn) {
  const struct event *e = &c->t->events[i];
  uint32_t from = edge_of(c, e->addr), to = edge_of(c, e->addr + size_of(e));
  bool locked = e->kind == EV_CAS_FAIL; /* a fence too, though a read */
  c->first[i] = c->out->e.len;
  if (to - from > 1 && !alone(c, e->thread))
    c->out->split = true;
  if (locked)
    put(c, i, TXN_FENCE, 0, txn);
  for (uint32_t k = from; k < to; k++)
    put(c, i, kind, c->object.at[k], txn);
  if (locked)
    put(c, i, TXN_FENCE, 0, txn);
}

static void put_commit(struct txn_converter *c, uint32_t i) {
  const struct event *e = &c->t->events[i];
  uint32_t store = c->first[e->issue];
  for (uint32_t k = store; k < c->out->e.len; k++) {
    struct txn_event w = c->out->e.at[k];
    if (w.at != e->issue)
      break;
    put(c, i, TXN_COMMIT, w.object, w.txn);
    vec_last(&c->out->e).issue = k;
  }
}

/* The main thread goes on when those of the client have ended. */
static void join_ended(struct txn_converter *c, uint32_t i) {
  for (uint32_t t = 1; t < 256; t++)
    if (c->ended[t]) {
      put(c, i, TXN_JOIN, t, c->out->ntxns++);
      c->ended[t] = c->running[t] = false;
    }
}

static void put_event(struct txn_converter *c, uint32_t i) {
  const struct event *e = &c->t->events[i];
  if (e->kind == EV_CREATE)
    c->created[e->value[0] & 0xff] = true;
  if (e->kind == EV_EXIT)
    c->ended[e->thread] = e->thread && !c->created[e->thread];
  if (e->kind == EV_JOIN)
    c->running[e->value[0] & 0xff] = false;
  if (!e->thread && e->kind != EV_COMMIT && role_of(e) != ROLE_NONE)
    join_ended(c, i);
  if (e->kind == EV_TXN_BEGIN || e->kind == EV_TXN_END)
    mark(c, e);
  if (e->kind == EV_COMMIT) {
    put_commit(c, i);
    return;
  }
  switch (role_of(e)) {
  case ROLE_NONE:
    break;
  case ROLE_ACCESS:
    put_access(c, i, access_kind(c, e), txn_of(c, e));
    break;
  case ROLE_SYNC:
    put_access(c, i, sync_kind(c, e), txn_of(c, e));
    break;
  case ROLE_FORK:
    put(c, i, e->kind == EV_CREATE ? TXN_FORK : TXN_JOIN,
        (uint32_t)e->value[0] & 0xff, txn_of(c, e));
    break;
  case ROLE_FENCE:
    put(c, i, TXN_FENCE, 0, txn_of(c, e));
    break;
  case ROLE_ALLOC:
    for (uint32_t k = edge_of(c, e->addr);
         k < c->edges.len && c->edges.at[k] < e->addr + e->size; k++)
      c->object.at[k] = c->nobjects++;
  }
}

void txn_from_trace(const struct trace *t, bool tso, struct txn_list *out) {
  struct txn_converter c = {.t = t, .tso = tso, .out = out};
  *out = (struct txn_list){0};
  c.first = xcalloc((size_t)t->nevents + 1, sizeof *c.first);
  for (uint32_t i = 0; i < t->nevents; i++) {
    out->blocks |= t->events[i].kind == EV_TXN_BEGIN;
    out->issues |= (t->events[i].flags & EVENT_ISSUED) != 0;
    out->commits |= t->events[i].kind == EV_COMMIT;
    c.running[t->events[i].thread] = true;
  }
  find_objects(&c);
  for (uint32_t i = 0; i < t->nevents; i++)
    put_event(&c, i);
  for (uint32_t k = 0; k < 256; k++)
    vec_free(&c.shared[k]);
  vec_free(&c.edges);
  vec_free(&c.object);
  map128_free(&c.txn_of_op);
  free(c.first);
}

void txn_commit_rest(struct txn_list *l) {
  uint32_t n = l->e.len;
  bool *committed = xcalloc((size_t)n + 1, sizeof *committed);
  for (uint32_t i = 0; i < n; i++)
    if (l->e.at[i].kind == TXN_COMMIT)
      committed[l->e.at[i].issue] = true;
  for (uint32_t i = 0; i < n; i++) {
    if (l->e.at[i].kind != TXN_WRITE || committed[i])
      continue;
    struct txn_event c = l->e.at[i];
    c.kind = TXN_COMMIT;
    c.issue = i;
    vec_push(&l->e, c);
  }
  free(committed);
}

void txn_list_free(struct txn_list *l) { vec_free(&l->e); }

uint32_t txn_block(const struct trace *t, uint32_t event) {
  uint32_t at =
      t->events[event].kind == EV_COMMIT ? t->events[event].issue : event;
  uint32_t depth = 0, number = 0;
  for (uint32_t i = 0; i <= at; i++) {
    const struct event *e = &t->events[i];
    if (e->thread != t->events[at].thread)
      continue;
    if (e->kind == EV_TXN_BEGIN && !depth++)
      number++;
    if (e->kind == EV_TXN_END && depth)
      depth--;
  }
  return depth ? number : 0;
}
